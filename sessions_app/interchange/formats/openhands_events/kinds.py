"""Kinds of events of OpenHands (before the SDK) that are no call and no reply."""

from typing import Final

UNSAID: Final = {
    "agent_state_changed": "tells the state of the agent, and is no message",
    "change_agent_state": "tells the state of the agent, and is no message",
    "condensation_request": "asks for the condensation that follows",
    "loop_detection": "is for the program, and no message",
    "loop_recovery": "is for the program, and no message",
    "null": "says nothing",
    "pause": "is for the program, and no message",
    "resume": "is for the program, and no message",
    "stop": "is for the program, and no message",
}
TEXTS: Final = {"finish": ("final_thought", "thought"), "reject": ("thought",), "think": ("thought",)}
"""Actions that are a text where the model made no call of them, and the argument that holds it."""

"""What the engine itself says in a conversation: after an interruption, and when a real reply comes late.

The text never claims success or failure (contract, section 3, Recovery). Both wordings name the tool and the call.
"""

from dataclasses import dataclass
from typing import Final

from django.conf import settings

from sessions_app.engine.messages import Message

DEFAULT_TEXT: Final = (
    "Execution was interrupted{reason}. The result of {tool} is unknown: the tool may or may not have run. "
    "Check its state before going on."
)
REASONS: Final = {"crash": "a crash", "user_interrupt": "an interrupt by the user"}
"""What may be given as the reason of a recovery, and how the text puts it."""

NOTE_MARK: Final = "[late tool result]"


@dataclass(frozen=True, slots=True)
class RecoveryWording:
    """The template of a recovery frame's text, with `{tool}` and `{reason}`."""

    template: str

    @classmethod
    def configured(cls) -> "RecoveryWording":
        """That of the setting RECOVERY_TEXT, else ours."""
        return cls(getattr(settings, "RECOVERY_TEXT", "") or DEFAULT_TEXT)

    def message(self, *, call_id: str, tool: str, reason: str | None) -> Message:
        said = f" by {REASONS[reason]}" if reason else ""
        # Not str.format: the name of a tool is the sender's, and so is a brace in it.
        text = self.template.replace("{reason}", said).replace("{tool}", tool)
        return Message.of({"role": "tool", "tool_call_id": call_id, "content": text})


def late_note(*, reply: Message, tool: str) -> Message:
    """The user message that carries a real reply which came after the conversation had gone on."""
    content = reply.data.get("content")
    head = (
        f"{NOTE_MARK} The call {reply.tool_call_id} of {tool} was interrupted and its result was unknown. "
        "It has now answered:"
    )
    if isinstance(content, list):
        return Message.of({"role": "user", "content": [{"type": "text", "text": head}, *content]})
    return Message.of({"role": "user", "content": f"{head}\n\n{content or ''}"})


def is_late_note(message: Message) -> bool:
    """Whether the engine wrote this user message as a note. Asked only of edited messages, which no user wrote."""
    return message.role == "user" and message.body.startswith(NOTE_MARK)

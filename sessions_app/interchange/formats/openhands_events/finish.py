"""How a run of OpenHands (before the SDK) ends: by a call of `finish`, to which there is no reply.

OpenHands takes that call away and sends the model a plain text in its place, and so does the session.
"""

from typing import Any, Final

from sessions_app.interchange import neutral
from sessions_app.interchange.loose import as_object, as_text

FINISH: Final = "finish"


def parted(
    calls: list[neutral.Message], asked: neutral.Message, *, ends: bool
) -> tuple[list[neutral.Message], list[neutral.Message]]:
    """The calls of an answer that want a reply, and those that end the run. `ends`: whether the one asked for does."""
    wanting: list[neutral.Message] = []
    ending: list[neutral.Message] = []
    for call in calls:
        is_end = ends if call["id"] == asked["id"] else call["function"]["name"] == FINISH
        (ending if is_end else wanting).append(call)
    return wanting, ending


def last_words(args: dict[str, Any], message: Any) -> str:
    """What a finish says to the user, besides the model's thought. `message`: the event's line for people."""
    outputs = as_object(args.get("outputs"))
    told = as_text(args.get("final_thought")) or as_text(outputs.get("content"))
    return told or ("" if as_text(args.get("thought")) else as_text(message))


def joined(thought: Any, words: str) -> Any:
    """The thought and the last words, which often are the same. `thought`: the content of a neutral message."""
    if not words.strip() or (isinstance(thought, str) and words.strip() in thought):
        return words if thought is None else thought
    if isinstance(thought, list):
        return [*thought, neutral.text_part(words)]
    return f"{thought}\n\n{words}" if isinstance(thought, str) and thought.strip() else words

"""Which message of a sample a message in an event is: the same id, the same words, or the same call."""

import hashlib
from typing import Any, Final

from sessions_app.interchange.formats.inspect_log.messages import REFERENCES, Attachments, Message
from sessions_app.interchange.loose import as_objects, as_text
from sessions_app.interchange.neutral import json_text

_SHORT: Final = 64


class Known:
    """The messages of a sample, to be found again by what events hold of them."""

    def __init__(self, messages: list[Message], attachments: Attachments) -> None:
        self.count = len(messages)
        self._attachments = attachments
        self._prints: dict[str, str] = {}
        self._by_id: dict[str, list[int]] = {}
        self._by_call: dict[str, list[int]] = {}
        self._by_words: dict[bytes, list[int]] = {}
        self.words_at: list[bytes] = []
        for index, message in enumerate(messages):
            if name := as_text(message.get("id")):
                self._by_id.setdefault(name, []).append(index)
            if call := _call(message):
                self._by_call.setdefault(call, []).append(index)
            self.words_at.append(self.words(message))
            self._by_words.setdefault(self.words_at[-1], []).append(index)

    def places(self, message: Message) -> list[int]:
        """Where a message that has this id, or else says the same, stands: the same words may be said twice."""
        return self._by_id.get(as_text(message.get("id"))) or self._by_words.get(self.words(message)) or []

    def places_of_answer(self, message: Message) -> list[int]:
        """As `places`, but an answer that has an id is known by nothing else: another agent may have said the same."""
        if name := as_text(message.get("id")):
            return self._by_id.get(name, [])
        return self.places(message) if message else []

    def places_of_versions(self, message: Message) -> list[int]:
        """Where a message stands that this is another version of: the answer or the reply to the same call."""
        return self._by_call.get(_call(message), [])

    def has_reply_to(self, call_id: Any) -> bool:
        return isinstance(call_id, str) and f"tool:{call_id}" in self._by_call

    def words(self, message: Message) -> bytes:
        """A fingerprint of what a message says, whether in its own texts or by references to attachments."""
        told = [message.get(name) for name in ("role", "content", "tool_call_id", "function")]
        calls = as_objects(message.get("tool_calls"))
        asked = [[call.get(name) for name in ("id", "function", "arguments")] for call in calls]
        return _digest(json_text(self._shortened([*told, asked])))

    def _shortened(self, value: Any) -> Any:
        """With a fingerprint in place of each long text: events repeat the same ones over and over."""
        if isinstance(value, str):
            if not value.startswith(REFERENCES):
                return value if len(value) <= _SHORT else _digest(value).hex()
            if value not in self._prints:
                text = self._attachments.text(value) or value
                self._prints[value] = text if len(text) <= _SHORT else _digest(text).hex()
            return self._prints[value]
        if isinstance(value, list):
            return [self._shortened(v) for v in value]
        if isinstance(value, dict):
            return {name: self._shortened(v) for name, v in value.items()}
        return value


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


def _call(message: dict[str, Any]) -> str:
    calls = as_objects(message.get("tool_calls"))
    called = as_text(calls[0].get("id")) if calls else as_text(message.get("tool_call_id"))
    return f"{message.get('role')}:{called}" if called else ""

"""OpenAI Chat Completions: a list of messages, an object that holds one, a message or a conversation a line, and the
logs of LiteLLM, which hold the window as it was sent and the response.
"""

from collections.abc import Iterator

from sessions_app.interchange.formats.chat_messages import has_chat_role, is_chat_message, neutral_message
from sessions_app.interchange.formats.openai_chat_around import ending
from sessions_app.interchange.jsonreading import Document, Record, json_lines
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Said, Transcript


class OpenAIChat:
    name = "openai-chat"
    title = "OpenAI chat"

    def recognises(self, sniff: Sniff) -> bool:
        match sniff.shape:
            case "array":
                return bool(sniff.objects) and is_chat_message(sniff.objects[0])
            case "object":
                return is_chat_message(sniff.first("messages"))
            case "lines":
                return bool(sniff.objects) and is_chat_message(sniff.objects[0])
        return False

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript]:
        if sniff.shape == "lines":
            yield Transcript(_said(json_lines(source, tally), tally))
            return
        document = Document(source, tally, lists={"", "messages"})
        transcript = Transcript([])
        transcript.steps = self._document(document, transcript, tally)
        yield transcript

    def _document(self, document: Document, transcript: Transcript, tally: Tally) -> Iterator[Said]:
        number, held = 0, None
        for record in document.records():
            number = record.number
            for said in _said([record], tally):
                if held is not None:
                    yield held
                held = said
        header = document.header
        yield from ending(held, header, number + 1, tally)
        for name in ("session_id", "conversation_id"):
            if isinstance(header.get(name), str):
                transcript.native_id = header[name]
                return


def _said(records: "Iterator[Record] | list[Record]", tally: Tally) -> Iterator[Said]:
    for record in records:
        message = record.value
        if not isinstance(message, dict) or not has_chat_role(message):
            tally.skip("message", "has no role of this API", record.number)
            continue
        yield Said(neutral_message(message), (record.number,))

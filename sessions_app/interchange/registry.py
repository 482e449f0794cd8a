"""Which formats there are, in the order in which a file is held against them: the most particular first."""

from typing import Final

from sessions_app.engine import EngineError, Fault, InvalidInput
from sessions_app.interchange.formats.anthropic_messages.importer import AnthropicMessages
from sessions_app.interchange.formats.bundle import Bundle
from sessions_app.interchange.formats.claude_code.importer import ClaudeCode
from sessions_app.interchange.formats.codex_rollout.importer import CodexRollout
from sessions_app.interchange.formats.gemini_cli_chat.importer import GeminiCLIChat
from sessions_app.interchange.formats.google_adk_session.importer import GoogleADKSession
from sessions_app.interchange.formats.inspect_log.importer import InspectLog
from sessions_app.interchange.formats.langfuse_trace import LangfuseTrace
from sessions_app.interchange.formats.mini_swe_agent import MiniSweAgent
from sessions_app.interchange.formats.openai_chat import OpenAIChat
from sessions_app.interchange.formats.openai_finetune import OpenAIFinetune
from sessions_app.interchange.formats.openai_responses.importer import OpenAIResponses
from sessions_app.interchange.formats.openhands_events.importer import OpenHandsEvents
from sessions_app.interchange.formats.openhands_v1_events.importer import OpenHandsV1Events
from sessions_app.interchange.formats.otel_genai import OTelGenAI
from sessions_app.interchange.formats.sharegpt.importer import ShareGPT
from sessions_app.interchange.formats.swe_agent_traj.importer import SweAgentTraj
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.transcript import Format

FORMATS: Final[tuple[Format, ...]] = (
    Bundle(),
    InspectLog(),
    SweAgentTraj(),
    MiniSweAgent(),
    GeminiCLIChat(),
    ClaudeCode(),
    CodexRollout(),
    OpenHandsV1Events(),
    OpenHandsEvents(),
    LangfuseTrace(),
    OTelGenAI(),
    GoogleADKSession(),
    AnthropicMessages(),
    OpenAIResponses(),
    ShareGPT(),
    OpenAIFinetune(),
    OpenAIChat(),
)


class UnknownFormat(EngineError):
    """The file is none of the formats that can be read, or not of the one that was named."""

    def __init__(self, why: str) -> None:
        self.why = why
        self.known = tuple(f.name for f in FORMATS)
        super().__init__(f"{why} The formats that can be read are {', '.join(self.known)}.")


def find_format(name: str) -> Format:
    """Raises InvalidInput."""
    for format in FORMATS:
        if format.name == name:
            return format
    known = ", ".join(f.name for f in FORMATS)
    raise InvalidInput([Fault("/format", f"must be one of {known}; there is no {name[:60]!r}")])


def recognise(sniff: Sniff, *, named: str | None = None) -> Format:
    """The format of a file, or the one that was named if a file of this shape can be read by it.

    A format that was named need not recognise the file: see `is_another`. Raises InvalidInput, UnknownFormat.
    """
    if named:
        format = find_format(named)
        if sniff.shape in ("gzip", "utf-16"):
            raise UnknownFormat(_what_it_is(sniff))
        if sniff.shape == "other" or (sniff.shape == "zip" and not format.recognises(sniff)):
            raise is_another(format, sniff)
        return format
    fits = _first_that_fits(sniff)
    if fits is None:
        raise UnknownFormat(_what_it_is(sniff))
    return fits


def is_another(format: Format, sniff: Sniff) -> UnknownFormat:
    """The file is not of the format that was named for it."""
    other = _first_that_fits(sniff)
    looks_like = "" if other is None else f" It looks like {other.title} ({other.name})."
    return UnknownFormat(f"The file is not of the format {format.name}.{looks_like}")


def _first_that_fits(sniff: Sniff) -> Format | None:
    return next((format for format in FORMATS if format.recognises(sniff)), None)


def _what_it_is(sniff: Sniff) -> str:
    match sniff.shape:
        case "zip":
            return "The file is a zip archive, but no Inspect log."
        case "gzip":
            return "The file is compressed by gzip: unpack it first."
        case "utf-16":
            return "The file is text in UTF-16, as PowerShell writes it: save it as UTF-8."
        case "lines":
            return "The file is JSON Lines, but its lines are of no known format."
        case "array" | "object":
            return "The file is JSON, but of no known format."
    return "The file is neither JSON nor JSON Lines in UTF-8."

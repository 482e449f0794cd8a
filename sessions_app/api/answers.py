"""The shapes of answers, for the schema. `representations` makes them; the tests hold the two together."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel, WithJsonSchema

from sessions_app.api.bodies import MESSAGE_SCHEMA
from sessions_app.interchange import BundleContext, BundleFrame, BundleSession, BundleVersion

Message = Annotated[
    dict[str, Any] | None,
    WithJsonSchema({"anyOf": [MESSAGE_SCHEMA, {"type": "null", "description": "The stored message is damaged."}]}),
]
SentMessage = Annotated[dict[str, Any], WithJsonSchema(MESSAGE_SCHEMA)]
StateName = Literal["empty", "awaiting_model", "awaiting_tools", "settled"]
FateName = Literal["kept", "edited", "summarised", "dropped"]


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")


class OpenCall(Answer):
    id: str
    name: str
    seq: int


class Head(Answer):
    session_id: str
    incarnation: str = Field(description="16 hex digits; a session deleted and made again has another.")
    next_msg_seq: int
    context_compression_version: int
    state: StateName
    open_tool_calls: list[OpenCall]
    compression_due: bool


class PolicyAnswer(Answer):
    limit_tokens: int
    trigger: float
    target: float
    strategy: str
    params: dict[str, Any]
    auto: bool


class Lease(Answer):
    holder: str
    expires_at: datetime


class Session(Head):
    title: str
    labels: list[str]
    frame_count: int
    raw_tokens: int
    context_tokens: int
    context_messages: int
    keep_context_history: bool
    require_head: bool
    compression_policy: PolicyAnswer | None
    automatic_compression_stopped: str | None = Field(
        description="why `auto` does nothing any more, until the policy is set again; null where it has not stopped"
    )
    lease: Lease | None
    created_at: datetime
    updated_at: datetime


class SessionsPage(Answer):
    items: list[Session]
    next_cursor: str | None


class Frame(Answer):
    seq: int
    source: Literal["agent", "recovery", "import"]
    created_at: datetime
    context_version: int = Field(description="The version that was current when the frame was written.")
    tokens: int
    metadata: dict[str, Any]
    message: Message
    damaged: bool | None = None


class FramesPage(Answer):
    items: list[Frame]
    next_after_seq: int | None
    previous_before_seq: int | None
    total: int | None = Field(description="null when filtered")


class FrameVersion(Answer):
    version: int
    kept: bool
    fate: FateName | None
    position: int | None


class FrameWithVersions(Frame):
    versions: list[FrameVersion]


class ContextItem(Answer):
    position: int
    kind: Literal["original", "edited", "summary"]
    original_seqs: list[int]
    tokens: int
    message: Message
    damaged: bool | None = None


class Context(Head):
    version: int
    tokens: int = Field(description="of the whole window, however much of it is in `items`")
    items: list[ContextItem]


class Sendable(Answer):
    messages: list[Message]


class AutomaticallyCompressed(Answer):
    version: int
    stopped: str | None = Field(default=None, description="only where this was the last one: why")


class Appended(Head):
    frames: list[Frame]
    context: list[ContextItem] | None = Field(
        description="the new items, or after a compression what stands for the new frames in the new window; null in a "
        "replay whose window is gone"
    )
    compressed: AutomaticallyCompressed | None = Field(
        default=None, description="only where the policy's `auto` compressed the window: the head is that after it"
    )


class Recovered(Head):
    recovered: list[Frame]
    context: list[ContextItem] | None


class SizeAnswer(Answer):
    tokens: int
    messages: int


class From(Answer):
    next_msg_seq: int
    context_compression_version: int | None


class Compression(Answer):
    version: int
    strategy: str | None = Field(description="the one used; null for version 1")
    requested_strategy: str | None
    params: dict[str, Any]
    why: str | None
    before: SizeAnswer
    after: SizeAnswer
    fates: dict[FateName, int]
    from_: From = Field(alias="from")
    created_by: str
    automatic: bool = Field(description="made right after an append, by the policy; `created_by` appended")
    created_at: datetime
    duration_ms: int
    usage: dict[str, Any] | None


class Version(Compression):
    kept: bool


class Versions(Answer):
    items: list[Version]


class Compressed(Head):
    compression: Compression | None
    context: list[ContextItem] | None


class Strategy(Answer):
    name: str
    summary: str
    params_schema: dict[str, Any]
    needs_model: bool
    available: bool
    why: str | None


class Strategies(Answer):
    items: list[Strategy]


class Pasted(Answer):
    strategy: str = Field(description="the one used in the end")
    requested_strategy: str
    params: dict[str, Any]
    why: str | None
    usage: dict[str, Any] | None
    before: SizeAnswer
    after: SizeAnswer
    fates: dict[FateName, int]
    tokens: int
    items: list[ContextItem]


class ExportLine(RootModel[SentMessage | BundleSession | BundleFrame | BundleVersion | BundleContext]):
    """One line of an export; the file is one such JSON value a line. `messages` has messages only; in a `bundle` the
    session comes first, then its frames, its versions, and the windows that are kept.
    """


class ImportedSession(Answer):
    session_id: str
    title: str
    labels: list[str] = Field(description="`sidechain`, `branch` and `diverged` among them, where they hold")
    frames: int = Field(description="of the whole session, after the import")
    versions: int = Field(description="of its context window: 1, and one for each compaction of the file")
    status: Literal["created", "extended", "exists"]


class SkippedRecords(Answer):
    what: str = Field(description="the kind of record, in the format's own word")
    why: str
    count: int
    first_line: int | None = Field(description="the first of them: a line, or a number in the document's list")


class RecordCounts(Answer):
    read: int
    used: int
    skipped: int


class ImportReport(Answer):
    format: str
    sessions: list[ImportedSession]
    skipped: list[SkippedRecords] = Field(description="what the file holds and no session does")
    records: RecordCounts
    dry_run: bool


class Problem(BaseModel):
    """RFC 9457. Further members let a program go on; the page at `type` says what to do."""

    model_config = ConfigDict(extra="allow")

    type: str
    title: str
    status: int
    detail: str

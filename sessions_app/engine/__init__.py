"""The engine: raw frames, context windows, and the write rule between them. These names are its public face."""

from sessions_app.engine import reads
from sessions_app.engine.append import MAX_MESSAGES, append
from sessions_app.engine.attempts import ANY_HEAD, AnyHead, Expected, Retry, Written
from sessions_app.engine.change import change
from sessions_app.engine.compress import compress, find_first_request
from sessions_app.engine.compress_after import compress_after
from sessions_app.engine.copied import CopiedContext, CopiedFrame, CopiedVersion, Copy, Part
from sessions_app.engine.create import SESSION_ID, Created, create
from sessions_app.engine.database import as_refusal
from sessions_app.engine.delete import delete
from sessions_app.engine.errors import (
    AtHead,
    Conflict,
    CopyRefused,
    DamagedMessage,
    DatabaseBusy,
    DatabaseUnavailable,
    EngineError,
    Fault,
    FrameNotFound,
    HeadRequired,
    HistoryDiverged,
    InvalidInput,
    InvalidMessages,
    KeyReused,
    NothingToCompress,
    OpenToolCalls,
    RuleBroken,
    SessionExists,
    SessionNotFound,
    StaleHead,
    UnmatchedToolReply,
    VersionNotFound,
    VersionNotKept,
)
from sessions_app.engine.fate_bins import FateBins
from sessions_app.engine.fate_strip import STRIP_FATES, Cell, Strip, strip_of_bins
from sessions_app.engine.fates import FATES, Fate, fate_of, fate_runs
from sessions_app.engine.frames import Frame
from sessions_app.engine.growing import GrowingWindow
from sessions_app.engine.import_copy import import_copy
from sessions_app.engine.import_session import import_session
from sessions_app.engine.import_steps import Imported, ImportedCompaction, ImportedMessage, ImportStep
from sessions_app.engine.ledger import LedgerEntry, Size, count_fates
from sessions_app.engine.messages import EXCERPT, ROLES, Call, Message
from sessions_app.engine.pasted import Pasted, compress_pasted
from sessions_app.engine.projection import Placement
from sessions_app.engine.reasoning import has_reasoning, without_reasoning
from sessions_app.engine.receipts import KEPT_FOR, IdempotencyKey
from sessions_app.engine.recorded import copied_frames, recorded_frames
from sessions_app.engine.recover import recover
from sessions_app.engine.recovery_text import NOTE_MARK, REASONS, RecoveryWording, is_late_note
from sessions_app.engine.restore import RESTORE, restore
from sessions_app.engine.rules import (
    QUOTED_TOKENS,
    Broken,
    Candidate,
    FirstRequest,
    check,
)
from sessions_app.engine.runtime import RequestContext, RuntimeSession
from sessions_app.engine.sendable import is_blank, sendable
from sessions_app.engine.seqs import Seqs
from sessions_app.engine.state import (
    OpenCall,
    RecoveredCall,
    SessionRecord,
    SessionState,
    State,
)
from sessions_app.engine.strategy import CannotCompress, Compressed, Strategy, Toolbox, made_by
from sessions_app.engine.tokens import count_text, first_tokens, tokenizer_name
from sessions_app.engine.validity import escape_pointer, parse_messages
from sessions_app.engine.window import ContextItem, Span, Window
from sessions_app.jsontext import MalformedJSON
from sessions_app.models import Head

__all__ = [
    "ANY_HEAD",
    "EXCERPT",
    "FATES",
    "KEPT_FOR",
    "MAX_MESSAGES",
    "NOTE_MARK",
    "QUOTED_TOKENS",
    "REASONS",
    "RESTORE",
    "ROLES",
    "SESSION_ID",
    "STRIP_FATES",
    "AnyHead",
    "AtHead",
    "Broken",
    "Call",
    "Candidate",
    "Cell",
    "CannotCompress",
    "Compressed",
    "Conflict",
    "ContextItem",
    "CopiedContext",
    "CopiedFrame",
    "CopiedVersion",
    "Copy",
    "CopyRefused",
    "Created",
    "DamagedMessage",
    "DatabaseBusy",
    "DatabaseUnavailable",
    "EngineError",
    "Expected",
    "Fate",
    "FateBins",
    "Fault",
    "FirstRequest",
    "Frame",
    "FrameNotFound",
    "GrowingWindow",
    "Head",
    "HeadRequired",
    "HistoryDiverged",
    "IdempotencyKey",
    "ImportStep",
    "Imported",
    "ImportedCompaction",
    "ImportedMessage",
    "InvalidInput",
    "InvalidMessages",
    "KeyReused",
    "LedgerEntry",
    "MalformedJSON",
    "Message",
    "NothingToCompress",
    "OpenCall",
    "OpenToolCalls",
    "Part",
    "Pasted",
    "Placement",
    "RecoveredCall",
    "RecoveryWording",
    "RequestContext",
    "Retry",
    "RuleBroken",
    "RuntimeSession",
    "Seqs",
    "SessionExists",
    "SessionNotFound",
    "SessionRecord",
    "SessionState",
    "Size",
    "Span",
    "StaleHead",
    "State",
    "Strategy",
    "Strip",
    "Toolbox",
    "UnmatchedToolReply",
    "VersionNotFound",
    "VersionNotKept",
    "Window",
    "Written",
    "append",
    "as_refusal",
    "change",
    "check",
    "compress",
    "compress_after",
    "compress_pasted",
    "copied_frames",
    "count_fates",
    "count_text",
    "create",
    "delete",
    "escape_pointer",
    "fate_of",
    "fate_runs",
    "find_first_request",
    "first_tokens",
    "has_reasoning",
    "import_copy",
    "import_session",
    "is_blank",
    "is_late_note",
    "made_by",
    "parse_messages",
    "reads",
    "recorded_frames",
    "recover",
    "restore",
    "sendable",
    "strip_of_bins",
    "tokenizer_name",
    "without_reasoning",
]

"""What requests may hold: bodies and query parameters, declared once for checks and schema alike.

Messages are checked by the engine, which knows their rules; here they are any list.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

from django.core.files.uploadedfile import UploadedFile
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic_core import ErrorDetails

from sessions_app.compression.comparison import MOST_PROBES
from sessions_app.compression.policy import MOST_TOKENS
from sessions_app.compression.replay import Prices, Terms
from sessions_app.engine import MAX_MESSAGES, Fault, InvalidInput, State, escape_pointer
from sessions_app.interchange import FORMATS

MESSAGE_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["role"],
    "properties": {
        "role": {"type": "string", "enum": ["system", "developer", "user", "assistant", "tool"]},
        "content": {
            "description": "Text, null, or a list of parts with a string `type`.",
            "anyOf": [
                {"type": "string"},
                {"type": "null"},
                {
                    "type": "array",
                    "items": {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}}},
                },
            ],
        },
        "tool_calls": {"type": ["array", "null"], "items": {"type": "object"}},
        "tool_call_id": {"description": "On a tool message: the id of the call that it answers, a non-empty string."},
        "name": {"type": ["string", "null"]},
    },
    "additionalProperties": True,
}

Messages = Annotated[list[Any], WithJsonSchema({"type": "array", "items": MESSAGE_SCHEMA, "maxItems": MAX_MESSAGES})]
PastedMessages = Annotated[list[Any], WithJsonSchema({"type": "array", "items": MESSAGE_SCHEMA, "minItems": 1})]
Metadata = Annotated[
    Any,
    WithJsonSchema(
        {
            "description": "An object for one message, or a list of objects as long as `messages`.",
            "anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}, {"type": "null"}],
        }
    ),
]
Policy = Annotated[
    Any,
    WithJsonSchema(
        {
            "description": "Members left out keep their value; on creation, the default. null: no policy.",
            "type": ["object", "null"],
            "properties": {
                "limit_tokens": {"type": "integer", "default": 128000},
                "trigger": {"type": "number", "default": 0.8},
                "target": {"type": "number", "default": 0.6},
                "strategy": {"type": "string", "default": "cascade"},
                "params": {"type": "object", "default": {}},
                "auto": {"type": "boolean", "default": False},
            },
        }
    ),
]


class Body(BaseModel):
    """An unknown member is a mistake of the sender's, and is told so; no value is bent into another type."""

    model_config = ConfigDict(strict=True, extra="forbid")


class NoBody(Body):
    """For what takes none; an empty object is let pass."""


class CreateSession(Body):
    session_id: str | None = Field(default=None, description="Yours, or a UUIDv7 from the server.")
    title: str = ""
    labels: list[str] = []
    keep_context_history: bool = True
    require_head: bool = False
    compression_policy: Policy = None
    messages: Messages = []


class ChangeSession(Body):
    """Every member may be left out, and then stays as it is."""

    # So the defaults here are never read.

    title: str = ""
    labels: list[str] = []
    keep_context_history: bool = True
    require_head: bool = False
    compression_policy: Policy = None


class Append(Body):
    messages: Messages
    metadata: Metadata = None
    recover: bool = Field(default=False, description="Write recovery frames where a message meets open calls.")


class Compress(Body):
    strategy: str = Field(description="A name of `GET strategies/`, or `restore` with the version as its parameter.")
    params: dict[str, Any] = {}
    dry_run: bool = False


class Chosen(Body):
    """A name of `GET strategies/` with its parameters; those left out have their default, or are the policy's."""

    # Only for the schema: the strategies are checked one by one, so that each fault has its pointer.

    strategy: str
    params: dict[str, Any] = {}


Strategies = Annotated[
    list[Any], WithJsonSchema({"type": "array", "minItems": 1, "maxItems": 6, "items": Chosen.model_json_schema()})
]
Probes = Annotated[
    list[Any],
    WithJsonSchema(
        {"type": "array", "maxItems": MOST_PROBES, "items": {"type": "string", "minLength": 1, "maxLength": 200}}
    ),
]
_PRICES, _TERMS = Prices(), Terms()  # a slot of a class is no value
_PRICE: Final[dict[str, Any]] = {"ge": 0, "le": 1_000_000, "allow_inf_nan": False}


class Compare(Body):
    strategies: Strategies
    probes: Probes = Field(default=[], description="Texts to look for in each of the windows.")


class PricesBody(Body):
    """Of a token, relative to one of plain input. Members left out have their default."""

    read: float = Field(default=_PRICES.read, description="Read from the cache.", **_PRICE)
    write: float = Field(default=_PRICES.write, description="Written to the cache.", **_PRICE)
    output: float = Field(default=_PRICES.output, **_PRICE)


class ReplayBody(Body):
    strategies: Strategies
    limit_tokens: int | None = Field(default=None, ge=1, le=MOST_TOKENS, description="Left out: that of the policy.")
    trigger: float | None = Field(
        default=None,
        gt=0,
        le=MOST_TOKENS,
        allow_inf_nan=False,
        description="Up to 1 a fraction of the limit, above 1 tokens. Left out: that of the policy.",
    )
    prices: PricesBody = PricesBody()
    cache_ttl_s: float = Field(default=_TERMS.cache_ttl_s, ge=0, le=MOST_TOKENS, allow_inf_nan=False)
    cache_min_tokens: int = Field(default=_TERMS.cache_min_tokens, ge=0, le=MOST_TOKENS)


class RestoreParams(Body):
    version: int


class Recover(Body):
    dry_run: bool = False
    reason: str | None = Field(default=None, description="`crash` or `user_interrupt`.")


class CompressPasted(Body):
    messages: PastedMessages
    strategy: str
    params: dict[str, Any] = {}


# --- Query parameters and forms: text, so numbers and truth values are read from it. ---------------------------------


def _digits(value: object) -> object:
    if isinstance(value, str):
        if not (value.isascii() and value.isdigit() and len(value) <= 18):
            raise ValueError("must be a whole number")
        return int(value)
    return value


def _truth(value: object) -> object:
    if isinstance(value, str):
        if value not in ("true", "false", "1", "0"):
            raise ValueError("must be true or false")
        return value in ("true", "1")
    return value


def _file(value: object) -> object:
    if not isinstance(value, UploadedFile):
        raise ValueError("must be a file: a part of the form with a file name")
    if not value.size:
        raise ValueError("is empty")
    return value


Whole = Annotated[int, Field(ge=0), BeforeValidator(_digits)]
Truth = Annotated[bool, BeforeValidator(_truth)]
File = Annotated[
    UploadedFile,
    BeforeValidator(_file),
    WithJsonSchema({"type": "string", "contentMediaType": "application/octet-stream"}),
]
FormatName = Annotated[str, WithJsonSchema({"type": "string", "enum": ["", *(f.name for f in FORMATS)]})]


class Import(Body):
    """A trajectory file, and how to read it."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    file: File = Field(description="One trajectory file, of up to 32 MiB with the rest of the form.")
    format: FormatName = Field(default="", description="Left out or empty: recognised by what the file holds.")
    dry_run: Truth = Field(default=False, description="Say what would be done, and write nothing.")


class Query(BaseModel):
    model_config = ConfigDict(extra="forbid")


class NoQuery(Query):
    pass


class SessionsQuery(Query):
    search: str | None = Field(default=None, description="Part of title, id, label or message text, in any case.")
    state: State | None = None
    label: str | None = None
    ordering: Literal["updated", "created", "tokens"] = "updated"
    cursor: str | None = Field(default=None, description="`next_cursor` of the page before.")
    limit: Annotated[int, Field(ge=1, le=200), BeforeValidator(_digits)] = 50


class FramesQuery(Query):
    after_seq: Whole | None = None
    before_seq: Whole | None = None
    limit: Annotated[int, Field(ge=1, le=500), BeforeValidator(_digits)] = 100
    role: Literal["system", "developer", "user", "assistant", "tool"] | None = None
    tool: str | None = Field(default=None, description="Frames that call or answer this tool.")
    errors: Truth = Field(default=False, description="Only tool replies that say they failed.")
    search: str | None = Field(default=None, description="Part of text or arguments, in any case.")


class ContextQuery(Query):
    version: Whole | None = None
    at_seq: Whole | None = Field(default=None, description="What the model saw when this frame was written.")
    after_position: Whole = 0
    limit: Annotated[int, Field(ge=1), BeforeValidator(_digits)] | None = Field(
        default=None, description="Without it the whole window."
    )


class CompareQuery(Query):
    include: Literal["window"] | None = Field(default=None, description="`window`: the messages of each candidate too.")


class ExportQuery(Query):
    kind: Literal["messages", "bundle"] = Field(
        default="messages",
        description="`messages`: the message of each raw frame, as it was sent. `bundle`: all that makes it again.",
    )


_M = TypeVar("_M", bound=BaseModel)


def parse(model: type[_M], data: object, *, pointer: str = "") -> _M:
    """Check `data` against a model. Raises InvalidInput with a JSON pointer for each fault."""
    if not isinstance(data, Mapping):
        raise InvalidInput([Fault(pointer, "must be an object")])
    try:
        return model.model_validate(dict(data))
    except ValidationError as e:
        raise InvalidInput([_fault(error, pointer) for error in e.errors(include_url=False)]) from e


def _fault(error: ErrorDetails, pointer: str) -> Fault:
    path = "".join(f"/{escape_pointer(str(part))}" for part in error["loc"])
    match error["type"]:
        case "missing":
            said = "is missing"
        case "extra_forbidden":
            said = "is not known here"
        case "value_error":
            said = str(error["ctx"]["error"])
        case _:
            said = error["msg"][:1].lower() + error["msg"][1:]
    return Fault(pointer + path, said)

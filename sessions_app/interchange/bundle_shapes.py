"""What may stand in the lines of a bundle (docs/bundle.md): for the check of what comes in, and for the schema."""

from itertools import pairwise
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from sessions_app import jsontext
from sessions_app.interchange.times import parse_time

FORMAT: Final = "session-engine-bundle"
VERSION: Final = 1
_LARGEST: Final = 2**63 - 1


def _object(value: Any) -> Any:
    if not isinstance(value, dict):
        raise ValueError("must be an object")
    return value


def _storable(text: str) -> str:
    if jsontext.printable(text) != text:
        raise ValueError("holds NUL")
    return text


def _time(text: str) -> str:
    if parse_time(text) is None:
        raise ValueError("must be a time in RFC 3339")
    return text


def _apart(ranges: list[list[int]]) -> list[list[int]]:
    if any(first > last for first, last in ranges) or any(a[1] + 1 >= b[0] for a, b in pairwise(ranges)):
        raise ValueError("must be ascending and apart")
    return ranges


# Not dict[str, Any]: pydantic refuses lone surrogates in the names of members, which messages may have.
_Object = Annotated[Any, AfterValidator(_object), WithJsonSchema({"type": "object"})]
_Text = Annotated[str, AfterValidator(_storable)]
_Name = Annotated[str, Field(min_length=1, max_length=100), AfterValidator(_storable)]
_Time = Annotated[str, AfterValidator(_time), WithJsonSchema({"type": "string", "format": "date-time"})]
_Whole = Annotated[int, Field(ge=0, le=_LARGEST)]
_From1 = Annotated[int, Field(ge=1, le=_LARGEST)]
_Range = Annotated[list[_From1], Field(min_length=2, max_length=2)]


class _Line(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class BundleAutomatic(_Line):
    """What the guard of automatic compression knows."""

    stopped: Annotated[_Text, Field(max_length=1000)] = Field(
        default="", description="Why it has stopped; left out where the policy was set since."
    )
    counted_after: _From1 = Field(description="The last version that no longer counts.")


class BundleSession(_Line):
    """The first line of a bundle: what the session is called and set to, and where its head stands."""

    type: Literal["session"]
    format: Literal["session-engine-bundle"]
    bundle_version: Literal[1]
    session_id: str
    title: str
    labels: list[str]
    keep_context_history: bool
    require_head: bool
    compression_policy: Annotated[Any, WithJsonSchema({"type": ["object", "null"]})]
    next_msg_seq: _From1
    context_compression_version: _From1
    automatic_compression: BundleAutomatic = Field(
        default=BundleAutomatic(counted_after=1), description="Left out where it has never stopped."
    )


class BundleFrame(_Line):
    """A raw frame."""

    type: Literal["frame"]
    seq: _From1
    source: Literal["agent", "recovery", "import"]
    created_at: _Time
    context_version: _From1
    metadata: _Object
    message: _Object


class BundleSize(_Line):
    tokens: _Whole
    messages: _Whole


class BundleFates(_Line):
    kept: _Whole
    edited: _Whole
    summarised: _Whole
    dropped: _Whole


class BundleFrom(_Line):
    next_msg_seq: _From1
    context_compression_version: _From1 | None


class BundleVersion(_Line):
    """A row of the ledger."""

    type: Literal["version"]
    version: _From1
    strategy: _Name | None
    requested_strategy: _Name | None
    params: _Object
    why: _Text
    before: BundleSize
    after: BundleSize
    fates: BundleFates
    from_: BundleFrom = Field(alias="from")
    created_by: Annotated[_Text, Field(max_length=200)]
    created_at: _Time
    duration_ms: Annotated[int, Field(ge=0, le=2**31 - 1)]
    usage: _Object
    context_messages: _Whole | None = Field(description="of its window; null where that is no longer kept")
    automatic: bool = Field(default=False, description="Left out where false.")


class BundleContext(_Line):
    """A message of a window. One of the kind `original` is that of its frame, and is not repeated."""

    type: Literal["context"]
    version: _From1
    position: _From1
    kind: Literal["original", "edited", "summary"]
    original_seqs: Annotated[list[_Range], Field(min_length=1), AfterValidator(_apart)] = Field(
        description="Ranges of frames, the first and the last of each."
    )
    message: _Object = Field(default_factory=dict, description="Left out with the kind `original`.")

    @model_validator(mode="after")
    def _by_reference_or_not(self) -> Self:
        if (self.kind == "original") == ("message" in self.model_fields_set):
            raise ValueError("a message of the kind original has no text here, and every other one has")
        return self


Line = BundleSession | BundleFrame | BundleVersion | BundleContext

LINES: Final[dict[str, type[_Line]]] = {
    "session": BundleSession,
    "frame": BundleFrame,
    "version": BundleVersion,
    "context": BundleContext,
}

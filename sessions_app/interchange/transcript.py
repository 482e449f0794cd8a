"""What an importer makes of a file: sessions in the engine's own form.

The neutral message is the engine's: OpenAI chat form. What a format has besides goes where every format puts it
(docs/formats.md): reasoning that can be read to `reasoning_content`, its signed or encrypted blocks to
`reasoning_details`, images to `image_url` parts, a failed reply to `is_error`; record, time, model, usage, cost and
the like to the metadata.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Final, Protocol

from sessions_app.interchange.copy_spool import CopySpool
from sessions_app.interchange.sniff import Sniff
from sessions_app.interchange.source import Source
from sessions_app.interchange.tally import Tally


@dataclass(frozen=True, slots=True)
class Said:
    """One message. `records`: the numbers of the records it was made from. `keys`: the names by which a compaction
    of the file refers to it (event ids, say); its records where there are none.
    """

    message: dict[str, Any]
    records: tuple[int, ...]
    metadata: dict[str, Any] = field(default_factory=dict)
    at: datetime | None = None
    keys: tuple[Hashable, ...] = ()

    @property
    def names(self) -> tuple[Hashable, ...]:
        return self.keys or self.records


class _Summary(Enum):
    SUMMARY = "summary"


SUMMARY: Final = _Summary.SUMMARY
"""Its name in the order of a compaction."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """The window becomes smaller at this point of the file: its next version.

    Of the messages before it those stay that `keeps` names, or all but those that `forgets` names; just one of the
    two is given. The system message, and a call group whose calls are open, always stay. `summary` is the message
    that stands for the frames which do not stay (role user); without one they are dropped.

    `order` names what stays as the model saw it, with SUMMARY where the summary stands (an earlier one, where there is
    no new one), if that is not the order of the file. The system message is first and an open call last, whatever it
    says.
    """

    records: tuple[int, ...]
    summary: dict[str, Any] | None = None
    keeps: Collection[Hashable] | None = None
    forgets: Collection[Hashable] | None = None
    params: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)
    at: datetime | None = None
    order: Sequence[Hashable] = ()


Step = Said | Compacted


@dataclass(slots=True)
class Transcript:
    """One session of a file. `steps` is consumed once; the other members may still change while it is, and count as
    they are at its end.

    `native_id`: the file's own id of the session; empty: it is known by its content. `branch`: for a side chain or a
    branch, its agent's id or its root's. `title`: empty, the first request becomes the title.
    """

    steps: Iterable[Step]
    native_id: str = ""
    branch: str = ""
    title: str = ""
    labels: tuple[str, ...] = ()


class Format(Protocol):
    """A trajectory format. One file and one line of the registry; nothing else knows it.

    `name` is the one in the API and in `import:<name>`, `title` the one that people read.
    """

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    def recognises(self, sniff: Sniff) -> bool:
        """Whether the file is one of this format. Asked in the order of the registry; never raises."""
        ...

    def read(self, source: Source, sniff: Sniff, tally: Tally) -> Iterator[Transcript | CopySpool]:
        """The sessions of the file, each consumed before the next is asked for: to be told anew, or to be copied.

        Raises for no content whatever: what cannot be used is named in the tally.
        """
        ...

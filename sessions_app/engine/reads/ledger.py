"""Reading the ledger, and what became of one frame in each version that is kept."""

from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from sessions_app import jsontext
from sessions_app.engine.fates import Fate, fate_of_kind
from sessions_app.engine.ledger import LedgerEntry
from sessions_app.engine.seqs import Seqs
from sessions_app.models import Compression, ContextMessage


@dataclass(frozen=True, slots=True)
class VersionRead:
    entry: LedgerEntry
    kept: bool


@dataclass(frozen=True, slots=True)
class FrameFate:
    """What became of a frame in one version of the window. `fate` is None where that version is no longer kept."""

    version: int
    kept: bool
    fate: Fate | None
    position: int | None


def versions(session_id: str, *, current: int) -> list[VersionRead]:
    """The ledger, oldest first. One statement."""
    windows = ContextMessage.objects.filter(session_id=OuterRef("session_id"), version=OuterRef("version"), position=1)
    rows = _entries(session_id).annotate(kept=Exists(windows)).order_by("version")
    return [VersionRead(LedgerEntry.of(row), kept=row.kept or row.version == current) for row in rows]


def ledger_entry(session_id: str, version: int) -> LedgerEntry | None:
    row = _entries(session_id).filter(version=version).first()
    return None if row is None else LedgerEntry.of(row)


def newest_automatic(session_id: str, count: int) -> list[LedgerEntry]:
    """The newest versions that were made automatically, oldest first."""
    rows = _entries(session_id).filter(automatic=True).order_by("-version")[:count]
    return [LedgerEntry.of(row) for row in reversed(rows)]


def imported_compactions(session_id: str, strategy: str) -> dict[int, str]:
    """The compactions of an imported history that are versions of the window: their number there, and their hash."""
    rows = Compression.objects.filter(session_id=session_id, strategy=strategy).values_list("params", flat=True)
    stored = [jsontext.loads_stored(params) for params in rows]
    return {params["compaction"]: str(params.get("hash", "")) for params in stored if "compaction" in params}


def fates_of_frame(session_id: str, *, seq: int, since_version: int, current: int) -> list[FrameFate]:
    """Version by version, from the one that was current when the frame was written. Two statements."""
    claims: dict[int, tuple[Fate, int]] = {}
    several = Q(last_seq__gt=F("first_seq"), first_seq__lt=seq, last_seq__gte=seq)
    rows = ContextMessage.objects.filter(Q(first_seq=seq) | several, session_id=session_id)
    for version, position, kind, seqs in rows.values_list("version", "position", "kind", "original_seqs"):
        if seq in Seqs.parse(seqs):
            claims[version] = (fate_of_kind(kind), position)
    found = []
    for read in versions(session_id, current=current):
        version = read.entry.version
        if version < since_version:
            continue
        if not read.kept:
            found.append(FrameFate(version, kept=False, fate=None, position=None))
        elif version in claims:
            fate, position = claims[version]
            found.append(FrameFate(version, kept=True, fate=fate, position=position))
        else:
            found.append(FrameFate(version, kept=True, fate="dropped", position=None))
    return found


def _entries(session_id: str) -> QuerySet[Compression]:
    """Without the bins, which may be a few KB a version: `reads.strip` asks for those of one."""
    return Compression.objects.filter(session_id=session_id).defer("fate_bins")

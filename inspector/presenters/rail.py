"""The rail of versions: what each was made by and from, which one is shown, and which one it is compared with."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext as _

from inspector.presenters.session_head import fate_word
from inspector.presenters.shown import Moment, Number, text
from inspector.reading import Reading
from inspector.view_state import ViewState
from inspector.wording import in_words
from sessions_app import engine

STOPS: Final = 12
"""Versions that the rail shows: the first, and those around the shown one. A list names the others."""
NAMED: Final = 200


@dataclass(frozen=True, slots=True)
class VersionStop:
    """One stop of the rail. `fates`: what became of the frames when it was made. `skipped`: versions left out before
    it.
    """

    version: int
    strategy: str
    before: Number
    after: Number
    by: str
    at: Moment
    title: str
    href: str
    skipped: int
    is_shown: bool
    is_compared: bool
    is_current: bool
    is_kept: bool
    is_automatic: bool


@dataclass(frozen=True, slots=True)
class VersionChoice:
    version: int
    text: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Rail:
    """`others`: kept versions to compare the shown one with. `kept`: hidden fields of that form. `told`: how the shown
    one came about, where there is more to say than its strategy.
    """

    stops: tuple[VersionStop, ...]
    left_out: tuple[VersionChoice, ...]
    others: tuple[VersionChoice, ...]
    kept: tuple[tuple[str, str], ...]
    older: str
    newer: str
    newest: str
    told: str


def rail_of(reading: Reading, view: ViewState, *, now: datetime) -> Rail:
    versions, current = reading.versions, reading.record.state.context_compression_version
    shown = next(i for i, v in enumerate(versions) if v.entry.version == reading.version)
    chosen = _chosen(len(versions), shown)
    stops, before = [], -1
    for i in chosen:
        stops.append(_stop(versions[i], reading, view, skipped=i - before - 1, now=now))
        before = i
    visible = {versions[i].entry.version for i in chosen}
    left_out = [v for v in versions if v.entry.version not in visible]
    others = [v for v in versions if v.kept and v.entry.version != reading.version]
    before_it = max((v.entry.version for v in others if v.entry.version < reading.version), default=None)
    keep = {"compare": "", "do": "", "strategy": ""}
    params = {k: v for k, v in view.params().items() if k not in keep}
    return Rail(
        stops=tuple(stops),
        left_out=tuple(_choice(v, None) for v in left_out[-NAMED:]),
        others=tuple(
            VersionChoice(n, f"v{n}", n == (view.compare or before_it))
            for n in (v.entry.version for v in others[-NAMED:])
        ),
        kept=tuple(params.items()),
        older=view.version_url(versions[shown - 1].entry.version) if shown else "",
        newer=_url(versions[shown + 1].entry.version, view, current) if shown + 1 < len(versions) else "",
        newest=view.version_url(None),
        told=_told(versions[shown].entry),
    )


def _chosen(count: int, shown: int) -> list[int]:
    """The first, and a run of STOPS around the shown one that ends at the newest where it can."""
    if count <= STOPS + 1:
        return list(range(count))
    start = max(1, min(shown - STOPS // 2, count - STOPS))
    return [0, *range(start, start + STOPS)]


def _url(version: int, view: ViewState, current: int) -> str:
    return view.version_url(None if version == current else version)


def _choice(read: engine.reads.VersionRead, chosen: int | None) -> VersionChoice:
    entry = read.entry
    name = f"v{entry.version}" + (f" · {text(entry.strategy, limit=60)}" if entry.strategy else "")
    return VersionChoice(entry.version, name, entry.version == chosen)


def _stop(
    read: engine.reads.VersionRead, reading: Reading, view: ViewState, *, skipped: int, now: datetime
) -> VersionStop:
    entry, current = read.entry, reading.record.state.context_compression_version
    fates = " · ".join(f"{fate_word(fate)} {n:,}" for fate, n in entry.fates.items() if n)
    automatic = _("made right after an append, by the policy") if entry.automatic else ""
    return VersionStop(
        version=entry.version,
        strategy=text(entry.strategy or "", limit=60),
        before=Number.of(entry.before.tokens),
        after=Number.of(entry.after.tokens),
        by=_by(entry.created_by),
        at=Moment.of(entry.created_at, now=now),
        title=" · ".join(filter(None, (fates, text(in_words(entry.why), limit=200), automatic)))
        or _("The window before any compression"),
        href=_url(entry.version, view, current),
        skipped=skipped,
        is_shown=entry.version == reading.version,
        is_compared=entry.version == view.compare,
        is_current=entry.version == current,
        is_kept=read.kept,
        is_automatic=entry.automatic,
    )


def _told(entry: engine.LedgerEntry) -> str:
    return " ".join(filter(None, (text(in_words(entry.why), limit=600), _usage(entry.usage))))


def _usage(usage: Mapping[str, Any]) -> str:
    """What a model's endpoint reported; it may leave out anything."""
    given = {name: usage.get(name) for name in ("input_tokens", "output_tokens")}
    if "model" not in usage or not any(given.values()):
        return ""
    values = {name: "–" if n is None else f"{n:,}" for name, n in given.items()}
    values["model"] = text(usage["model"], limit=100)
    return _("Model: %(model)s, %(input_tokens)s tokens read, %(output_tokens)s written.") % values


def _by(label: str) -> str:
    """The user, and the token where it has a name of its own."""
    user, _sign, token = label.partition(" · ")
    return text(user if token == user else label, limit=60)

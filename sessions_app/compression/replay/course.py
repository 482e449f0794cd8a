"""The course of one strategy over a recording, call by call.

What is summed is kept up to date frame by frame; only a compression costs what the window holds: O(n + compressions ×
window), not calls × window.
"""

from dataclasses import dataclass, field
from itertools import takewhile

from sessions_app.compression.candidates import Circumstances, make
from sessions_app.compression.choices import Choice
from sessions_app.compression.replay.recording import Call, Recording
from sessions_app.compression.replay.values import Event, Run, Terms, Totals
from sessions_app.engine import GrowingWindow, Window

LOOKS, LOOKS_A_FRAME = 20_000, 10
"""Messages that a strategy may be handed in all, and further ones for each frame of the recording so far. One that gets
below the trigger needs fewer. One that never does would be handed the whole growing window at every call, and cost the
square of the recording: it is passed over at some calls, and the run says at how many.
"""


def run(recording: Recording, choice: Choice | None, terms: Terms) -> Run:
    """`choice` None: no compression. The relative cost and the Pareto front are for those who see all runs."""
    course = _Course(recording, choice, terms)
    position = 0
    for call in recording.calls:
        for frame in recording.frames[position : call.index]:
            course.window.place(frame)
        course.call(call)
        position = call.index
    return course.finished()


@dataclass(slots=True)
class _Sums:
    input_tokens: int = 0
    peak: int = 0
    over_limit: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    summaries_read: int = 0
    summaries_written: int = 0
    kept: int = 0
    need: int = 0
    far_kept: int = 0
    far: int = 0
    regret: int = 0
    broken: int = 0
    passed_over: int = 0


@dataclass(slots=True)
class _Course:
    recording: Recording
    choice: Choice | None
    terms: Terms
    window: GrowingWindow = field(default_factory=GrowingWindow)
    sums: _Sums = field(default_factory=_Sums)
    series: list[tuple[int, int]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    compressed_at: list[int] = field(default_factory=list)
    """Before which calls, by their number from 0."""
    stand_in: str = ""
    why: str = ""
    unavailable: str = ""
    _known: set[int] = field(default_factory=set)
    """What the window tells, as far as it has been looked at."""
    _looked_at: int = 0
    _fetched: set[int] = field(default_factory=set)
    """Frames that had to be fetched again since the last compression: until the next they are in the window."""
    _before: int = 0
    """Tokens of the call before: all of it is a prefix of this one, where nothing was compressed between them."""
    _looked: int = 0
    """Messages of all windows that the strategy was handed."""
    _prefix: int | None = None
    """The common prefix with the call before, where a compression came between them."""

    def call(self, call: Call) -> None:
        if self.choice is not None and self.window.tokens >= self.terms.trigger_tokens:
            if self._looked + len(self.window) <= LOOKS + LOOKS_A_FRAME * call.index:
                self._compress(self.choice, call)
            else:
                self.sums.passed_over += 1
        self._look()
        self._count_tokens(call)
        self._count_need(call)

    def _compress(self, choice: Choice, call: Call) -> None:
        before = self.window.window()
        self._looked += len(before)
        # No call is open where the agent speaks next.
        at = Circumstances((), self.recording.frames[call.index - 1].seq, self.recording.first_request)
        made = make(choice, before, at, limit_tokens=self.terms.limit_tokens)
        if made.outcome == "unavailable":
            self.unavailable = self.unavailable or made.why
        elif made.window is not None:
            broken = tuple(dict.fromkeys(b.rule for b in made.broken))
            self.events.append(Event(call.seq, before.tokens, made.window.tokens, broken))
            if broken:
                self.sums.broken += 1
            else:
                self._take(made.window, before)
                if made.used and not self.stand_in:
                    self.stand_in, self.why = made.used, made.why
                self.sums.summaries_read += int(made.usage.get("input_tokens", 0))
                self.sums.summaries_written += int(made.usage.get("output_tokens", 0))

    def _take(self, after: Window, before: Window) -> None:
        self.compressed_at.append(len(self.series))
        # The call before ended somewhere inside `before`: what came later was in no cache yet.
        pairs = zip(before, after, strict=False)
        same = sum(a.tokens for a, _ in takewhile(lambda pair: pair[0] is pair[1] or pair[0] == pair[1], pairs))
        self._prefix = min(same, self._before)
        self.window, self._looked_at = GrowingWindow(after), 0
        self._known = set().union(*(self.recording.entities_of(item) for item in after))
        self._fetched.clear()

    def _look(self) -> None:
        """At what came since. Here and not earlier: a late reply may have taken the place of what stood there."""
        for item in self.window.tail(self._looked_at):
            self._known |= self.recording.entities_of(item)
        self._looked_at = self.window.placed

    def _count_tokens(self, call: Call) -> None:
        tokens, terms, sums = self.window.tokens, self.terms, self.sums
        same = self._before if self._prefix is None else self._prefix
        if same < terms.cache_min_tokens or call.idle_s > terms.cache_ttl_s:
            same = 0
        sums.input_tokens += tokens
        sums.cached_tokens += same
        sums.output_tokens += call.output_tokens
        sums.peak = max(sums.peak, tokens)
        sums.over_limit += tokens > terms.limit_tokens
        self.series.append((call.seq, tokens))
        self._before, self._prefix = tokens, None

    def _count_need(self, call: Call) -> None:
        sums, missing = self.sums, call.need.keys() - self._known
        sums.need += len(call.need)
        sums.kept += len(call.need) - len(missing)
        sums.far += len(call.far)
        sums.far_kept += len(call.far) - len(call.far & missing)
        for index in {call.need[entity] for entity in missing} - self._fetched:
            sums.regret += self.recording.frames[index].tokens
            self._fetched.add(index)

    def finished(self) -> Run:
        return Run(
            choice=self.choice,
            totals=_totals(self.sums, self.terms, self.compressed_at, len(self.series)),
            series=tuple(self.series),
            compressions=tuple(self.events),
            stand_in=self.stand_in,
            why=self.why,
            unavailable=self.unavailable,
        )


def _totals(sums: _Sums, terms: Terms, compressed_at: list[int], calls: int) -> Totals:
    prices = terms.prices
    cost = (
        prices.read * sums.cached_tokens
        + prices.write * (sums.input_tokens - sums.cached_tokens)
        + prices.output * (sums.output_tokens + sums.summaries_written)
        + sums.summaries_read
    )
    return Totals(
        calls=calls,
        input_tokens=sums.input_tokens,
        peak=sums.peak,
        over_limit=sums.over_limit,
        cached_tokens=sums.cached_tokens,
        cache_hit=_share(sums.cached_tokens, sums.input_tokens),
        output_tokens=sums.output_tokens,
        summary_tokens=sums.summaries_read + sums.summaries_written,
        cost=cost,
        relative_cost=None,
        need_kept=_share(sums.kept, sums.need),
        need=sums.need,
        far_need_kept=_share(sums.far_kept, sums.far),
        far_need=sums.far,
        regret_tokens=sums.regret,
        compressions=len(compressed_at),
        runway=(compressed_at[-1] - compressed_at[0]) / (len(compressed_at) - 1) if len(compressed_at) > 1 else None,
        broken=sums.broken,
        passed_over=sums.passed_over,
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None

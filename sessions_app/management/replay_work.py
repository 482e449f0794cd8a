"""One recording after the other is replayed and told; what gives none is counted."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sessions_app.compression import Policy
from sessions_app.compression.replay import Replay, Terms, replay, summed
from sessions_app.management.replay_arguments import Limit, Raw, choices_under
from sessions_app.management.replay_recordings import Missed, OnRead, Place, Recorded
from sessions_app.management.replay_reports import All, Report


@dataclass(frozen=True, slots=True)
class Asked:
    """`limit` and `trigger` None: those of the session's policy, or those of `terms`."""

    strategies: list[Raw]
    limit: Limit | None
    trigger: float | None
    terms: Terms
    min_calls: int

    def replay(self, recorded: Recorded) -> Replay:
        policy = recorded.policy or Policy(limit_tokens=self.terms.limit_tokens, trigger=self.terms.trigger)
        terms = replace(
            self.terms,
            limit_tokens=policy.limit_tokens if self.limit is None else self.limit.of(recorded.peak),
            trigger=policy.trigger if self.trigger is None else self.trigger,
        )
        choices = choices_under(policy.model_copy(update={"trigger": terms.trigger}), self.strategies)
        return replay(frames=recorded.frames, choices=choices, terms=terms)


@dataclass(slots=True)
class Work:
    """`write` takes what is told of a recording, `warn` a line on what gives none."""

    asked: Asked
    report: Report
    write: Callable[[str], None]
    warn: Callable[[str], None]
    done: list[Replay] = field(default_factory=list)
    failed: int = 0
    passed_over: list[tuple[str, str]] = field(default_factory=list)
    """What was met in folders and gives no recording, and why."""
    too_short: int = 0

    @property
    def skipped(self) -> int:
        return len(self.passed_over) + self.too_short

    def take(self, place: Place, on_read: OnRead) -> None:
        for one in place.read(on_read):
            if isinstance(one, Missed):
                self._miss(one)
            elif one.calls < self.asked.min_calls:
                self.too_short += 1
            else:
                self._replay(one)

    def tell_skipped(self) -> None:
        """In one line: a folder may hold hundreds of other files."""
        names: dict[str, list[str]] = {}
        for what, why in self.passed_over:
            names.setdefault(why, []).append(what)
        told = [f"{found[0]}{_and_more(len(found) - 1)}: {why.rstrip('.')}" for why, found in names.items()]
        if self.too_short:
            count = "1 recording" if self.too_short == 1 else f"{self.too_short:,} recordings"
            told.append(f"{count} with fewer model calls than {self.asked.min_calls:,}")
        if told:
            self.warn(f"Skipped: {'; '.join(told)}.")

    def total(self) -> None:
        self.write(self.report.total(All(len(self.done), summed(self.done), self.failed, self.skipped)))

    def _miss(self, missed: Missed) -> None:
        if missed.status == "skipped":
            self.passed_over.append((missed.what, missed.why))
            return
        self.failed += 1
        self.warn(f"{missed.what}: failed: {missed.why}")

    def _replay(self, recorded: Recorded) -> None:
        replayed = self.asked.replay(recorded)
        self.done.append(replayed)
        self.write(self.report.recording(recorded, replayed))


def _and_more(count: int) -> str:
    return f" and {count:,} more" if count else ""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sessions_app.access.users import ADMIN
from sessions_app.compression.replay import Terms
from sessions_app.interchange import FORMATS
from sessions_app.management import replay_arguments as arguments
from sessions_app.management.printable import encodable, printable
from sessions_app.management.progress import Progress
from sessions_app.management.replay_recordings import places
from sessions_app.management.replay_reports import REPORTS
from sessions_app.management.replay_work import Asked, Work
from sessions_app.management.trajectory_files import LARGEST


class Command(BaseCommand):
    help = (
        "Replay recorded sessions under several compression strategies: what each would have cost, and what the agent "
        "would have lacked. No model is asked and nothing is stored. The recorded agent does not react to what it no "
        "longer sees. Ends with 1 if something could not be read; the rest is replayed all the same."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "what", metavar="WHAT", nargs="+", help="a trajectory file, a folder with some, or the id of a session"
        )
        parser.add_argument(
            "--strategy",
            metavar="NAME[:KEY=VALUE,…]",
            action="append",
            default=[],
            type=arguments.strategy,
            help="one to compare, with its parameters, as JSON also: NAME='{\"key\": value}'. As often as you like "
            f"(default: {', '.join(arguments.DEFAULT)})",
        )
        parser.add_argument("--all-strategies", action="store_true", help="every strategy with its defaults")
        _add_terms(parser, Terms())
        _add_reading(parser)
        parser.add_argument("--format", choices=list(REPORTS), default="text", help="of the answer (default: text)")
        parser.add_argument("--output", metavar="FILE", type=Path, help="write there, not to standard output")

    def handle(self, *, what: list[str], **options: Any) -> None:
        if options["limit"] and options["limit"].doubt:
            self._warn(options["limit"].doubt)
        largest = None if options["no_size_limit"] else LARGEST
        found = places(what, username=options["user"], format=options["read_as"], largest=largest)
        progress = Progress(total=sum(place.size for place in found))
        with self._output(options["output"]) as write:
            work = Work(
                _asked(options), REPORTS[options["format"]](), _beside(progress, write), _beside(progress, self._warn)
            )
            try:
                for place in found:
                    work.take(place, progress.at)
                    progress.done(place.size)
            except KeyboardInterrupt as e:
                raise CommandError("Stopped; what was written so far is complete.", returncode=130) from e
            finally:
                progress.close()
            work.tell_skipped()
            if work.failed and not work.done:
                raise CommandError(_unread(work.failed))
            if not work.done:
                few = options["min_calls"]
                raise CommandError(f"No recording with {'a model call' if few == 1 else f'{few:,} model calls'}.")
            work.total()
        if work.failed:
            raise CommandError(_unread(work.failed))

    def _warn(self, line: str) -> None:
        self.stderr.write(encodable(printable(line), self.stderr))

    @contextmanager
    def _output(self, path: Path | None) -> Iterator[Callable[[str], None]]:
        if path is None:
            yield lambda text: self.stdout.write(encodable(text, self.stdout), ending="")
            return
        try:
            file = path.open("w", encoding="utf-8", errors="backslashreplace", newline="")
        except OSError as e:
            raise CommandError(f"{path} cannot be written: {e.strerror}.") from e
        with file:
            yield lambda text: print(text, end="", file=file, flush=True)


def _unread(count: int) -> str:
    return f"{count:,} of what was asked for could not be read."


def _beside(progress: Progress, say: Callable[[str], None]) -> Callable[[str], None]:
    """The bar makes room for what is said."""

    def beside(text: str) -> None:
        with progress.aside():
            say(text)

    return beside


def _asked(options: dict[str, Any]) -> Asked:
    return Asked(
        strategies=arguments.chosen(options["strategy"], all_of_them=options["all_strategies"]),
        limit=options["limit"],
        trigger=options["trigger"],
        terms=Terms(prices=options["prices"], cache_ttl_s=options["cache_ttl"], cache_min_tokens=options["cache_min"]),
        min_calls=options["min_calls"],
    )


def _add_terms(parser: CommandParser, defaults: Terms) -> None:
    prices = defaults.prices
    parser.add_argument(
        "--limit",
        metavar="TOKENS",
        type=arguments.limit,
        help="the model's limit, or a share of the largest input of each recording, such as 50%% "
        f"(default: that of the session's policy, else {defaults.limit_tokens:,})",
    )
    parser.add_argument(
        "--trigger",
        metavar="SHARE",
        type=arguments.trigger,
        help="compress from here on: up to 1 a share of the limit, above 1 tokens "
        f"(default: that of the session's policy, else {defaults.trigger})",
    )
    parser.add_argument(
        "--prices",
        metavar="READ,WRITE,OUTPUT",
        type=arguments.prices,
        default=prices,
        help="of a token read from the prompt cache, written to it, and put out, relative to one of plain input "
        f"(default: {prices.read},{prices.write},{prices.output})",
    )
    parser.add_argument(
        "--cache-ttl",
        metavar="SECONDS",
        type=arguments.seconds,
        default=defaults.cache_ttl_s,
        help="how long a cache lives unread (default: %(default)s)",
    )
    parser.add_argument(
        "--cache-min",
        metavar="TOKENS",
        type=arguments.tokens,
        default=defaults.cache_min_tokens,
        help="the shortest prefix that is cached (default: %(default)s)",
    )


def _add_reading(parser: CommandParser) -> None:
    formats = [f.name for f in FORMATS]
    parser.add_argument("--user", default=ADMIN, help=f"whose sessions may be read (default: {ADMIN})")
    parser.add_argument(
        "--min-calls",
        metavar="N",
        type=arguments.calls,
        default=1,
        help="leave out recordings with fewer model calls (default: %(default)s)",
    )
    parser.add_argument(
        "--read-as",
        metavar="FORMAT",
        choices=formats,
        help=f"of the files, where it is not to be guessed: {', '.join(formats)}",
    )
    parser.add_argument("--no-size-limit", action="store_true", help=f"also files of over {LARGEST // 1024**2} MiB")

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils import timezone

from sessions_app.access.models import User
from sessions_app.access.users import ADMIN, ensure_admin
from sessions_app.engine import InvalidInput, SessionExists
from sessions_app.management.made_session import STRATEGIES, make_session
from sessions_app.management.progress import Counted
from sessions_app.management.tables import make_tables_if_none


class Command(BaseCommand):
    help = (
        "Make a session of any length with a made-up conversation of a coding agent: for demonstrations, tests and "
        "measurements. The same seed makes the same frames. Prints the id of the session and its address."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--frames", type=int, default=1_000, help="how many raw frames (default: 1000)")
        parser.add_argument(
            "--compress",
            type=int,
            default=0,
            metavar="TIMES",
            help=f"how often it is compressed, at even distances, by {', '.join(STRATEGIES)} in turn (default: 0)",
        )
        parser.add_argument("--owner", default=ADMIN, help=f"whose session it becomes (default: {ADMIN})")
        parser.add_argument("--id", help="of the session (default: made-FRAMES-SEED)")
        parser.add_argument("--title", default="A made-up session", help="(default: %(default)s)")
        parser.add_argument("--seed", type=int, default=1, help="another one tells another story (default: 1)")

    def handle(self, *, frames: int, compress: int, seed: int, **options: Any) -> None:
        if frames < 1 or compress < 0:
            raise CommandError("--frames must be at least 1, and --compress at least 0.")
        make_tables_if_none()
        owner = _active_user(options["owner"])
        progress = Counted(frames, unit=" frames")
        try:
            state = make_session(
                owner=owner,
                session_id=options["id"] or f"made-{frames}-{seed}",
                frames=frames,
                compressions=compress,
                seed=seed,
                title=options["title"],
                now=timezone.now(),
                on_frames=progress.at,
            )
        except SessionExists as e:
            raise CommandError(f"There is a session {e.session_id!r}: name another one by --id.") from e
        except InvalidInput as e:
            raise CommandError(str(e)) from e
        finally:
            progress.close()
        self.stdout.write(state.session_id)
        self.stdout.write(settings.PUBLIC_URL + reverse("session", args=[state.session_id]))


def _active_user(username: str) -> User:
    user: User | None = ensure_admin() if username == ADMIN else User.objects.filter(username=username).first()
    if user is None:
        raise CommandError(f"There is no user {username!r}.")
    if not user.is_active:
        raise CommandError(f"{username} is deactivated and would not see the session.")
    return user

import json
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.access.users import ADMIN, ensure_user
from sessions_app.interchange import FORMATS, Importer, import_file
from sessions_app.management.import_outcomes import Outcome, Totals
from sessions_app.management.printable import encodable
from sessions_app.management.progress import Progress
from sessions_app.management.tables import make_tables_if_none
from sessions_app.management.trajectory_files import LARGEST, Found, find, judged, opened


class Command(BaseCommand):
    help = (
        "Import trajectory files of other tools, and all in the folders that are named. The same file again changes "
        "nothing, and one that has grown extends its sessions. Ends with 1 if a file could not be read, or is named "
        "and in no known format; the others are imported all the same."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("paths", metavar="PATH", nargs="+", help="a file, or a folder with files")
        parser.add_argument("--user", default=ADMIN, help=f"whose sessions they become (default: {ADMIN})")
        parser.add_argument("--format", choices=[f.name for f in FORMATS], help="where it is not to be guessed")
        parser.add_argument("--dry-run", action="store_true", help="say what would be done, store no session")
        parser.add_argument("--json", action="store_true", help="a JSON object a file, and one for all")
        parser.add_argument("--no-size-limit", action="store_true", help=f"also files of over {LARGEST // 1024**2} MiB")

    def handle(self, *, paths: list[str], **options: Any) -> None:
        make_tables_if_none()
        owner = _active_user(options["user"], may_make=not options["dry_run"] or options["user"] == ADMIN)
        importer = Importer(owner_id=owner.pk, created_by=owner.username, dry_run=options["dry_run"])
        found, totals = list(find(paths)), Totals(dry_run=options["dry_run"])
        progress = Progress(total=sum(f.size for f in found))
        try:
            for one in found:
                outcome = _import(one, importer, progress, options)
                progress.done(one.size)
                totals.add(outcome)
                with progress.aside():
                    for line in [json.dumps(outcome.as_json())] if options["json"] else [str(outcome), *outcome.named]:
                        self._say(line)
        except KeyboardInterrupt as e:
            raise CommandError("Stopped; what is told above is stored.", returncode=130) from e
        finally:
            progress.close()
        if options["json"]:
            self._say(json.dumps({"total": {**totals.as_json(), "dry_run": importer.dry_run}}))
        else:
            self._say(_summary(totals, dry_run=importer.dry_run))
        if failed := totals.files["failed"]:
            raise CommandError(f"{failed:,} of {len(found):,} could not be imported.")

    def _say(self, line: str) -> None:
        self.stdout.write(encodable(line, self.stdout))


def _import(found: Found, importer: Importer, progress: Progress, options: dict[str, Any]) -> Outcome:
    largest = None if options["no_size_limit"] else LARGEST
    try:
        with opened(found, on_read=progress.at, largest=largest) as source:
            report = import_file(source, importer, named=options["format"])
    except Exception as e:  # noqa: BLE001 - what goes wrong in one file is no reason to leave out the others
        status, why = judged(found, e)
        return Outcome(found.path, status, why=why)
    if not report.sessions:
        return Outcome(found.path, "failed" if found.is_named else "skipped", report)
    return Outcome(found.path, "imported", report)


def _summary(totals: Totals, *, dry_run: bool) -> str:
    if dry_run:
        return f"{totals} Dry run: no session was stored."
    return str(totals) if totals.has_news else f"{totals} Nothing new."


def _active_user(username: str, *, may_make: bool) -> User:
    """The user as he is; one who is made only reads until somebody gives him a higher role."""
    if not may_make and not User.objects.filter(username=username).exists():
        raise CommandError(f"There is no user {username}; without --dry-run one would be made.")
    is_new_admin = username == ADMIN and not User.objects.filter(username=ADMIN).exists()
    try:
        user = ensure_user(username, Role.STAFF if is_new_admin else Role.VIEWER)
    except ValidationError as error:
        raise CommandError(" ".join(error.messages)) from error
    if not user.is_active:
        raise CommandError(f"{username} is deactivated and would not see the sessions.")
    return user

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from sessions_app.access.links import make_login_link
from sessions_app.access.models import User
from sessions_app.access.users import ADMIN, ensure_admin
from sessions_app.management.tables import make_tables_if_none


class Command(BaseCommand):
    help = "Print a link that signs one user in, once, within ten minutes. Makes admin if missing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--user", default=ADMIN, help=f"whom it signs in (default: {ADMIN})")

    def handle(self, *, user: str, **options: Any) -> None:
        make_tables_if_none()
        link = make_login_link(user=_active_user(user), now=timezone.now(), public_url=settings.PUBLIC_URL)
        self.stdout.write(link)


def _active_user(username: str) -> User:
    if username == ADMIN:
        user: User | None = ensure_admin()
    else:
        user = User.objects.filter(username=username).first()
    if user is None:
        raise CommandError(f"There is no user {username!r}.")
    if not user.is_active:
        raise CommandError(f"{username} is deactivated and cannot sign in.")
    return user

from typing import Any

from django.core.management.base import BaseCommand

from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.access.users import ADMIN, ensure_user
from sessions_app.models import Session


class Command(BaseCommand):
    help = "On the very first start make admin and two demo sessions; on any other do nothing."

    def handle(self, **options: Any) -> None:
        if not _is_the_first():
            return
        # Only now: what the demo needs is loaded once in the life of an installation.
        from sessions_app.management import demo

        admin = ensure_user(ADMIN, Role.STAFF)
        demo.load(admin)
        # Last, because it is what tells a first start that came to its end.
        User.objects.filter(pk=admin.pk).update(is_staff=True, is_superuser=True)


def _is_the_first() -> bool:
    """No superuser yet, and no session that a demo could stand beside.

    Users are no sign of a first start: tokens may have been made before it, right after the
    installation, and one for `admin` too.
    """
    return not (User.objects.filter(is_superuser=True).exists() or Session.objects.exists())

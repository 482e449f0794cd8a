from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from sessions_app.access.roles import Role
from sessions_app.access.tokens import check_token_name, make_token
from sessions_app.access.users import ensure_user
from sessions_app.management.tables import make_tables_if_none


class Command(BaseCommand):
    help = (
        "Make an API token and print it, and nothing else. Makes the user if there is none of that "
        "name, and raises the role of one who has a lower one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", metavar="NAME", help="whose token it is")
        parser.add_argument("--role", required=True, choices=Role.values)
        parser.add_argument("--name", help="what the token is called (default: NAME)")

    def handle(self, *, username: str, role: str, name: str | None, **options: Any) -> None:
        make_tables_if_none()
        asked = Role(role)
        try:
            with transaction.atomic():
                secret = _secret_for(username, asked, username if name is None else name)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.stdout.write(secret)


def _secret_for(username: str, role: Role, token_name: str) -> str:
    token_name = check_token_name(token_name)
    user = ensure_user(username, role)
    if not user.is_active:
        raise CommandError(f"{username} is deactivated: a token would not be let in.")
    secret, _ = make_token(user=user, name=token_name, role=role, now=timezone.now())
    return secret

import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from sessions_app.access.models import ApiToken, User
from sessions_app.access.roles import Role
from sessions_app.access.tokens import _note_use, authenticate, make_token, revoke
from tests.builders import make_user

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
pytestmark = pytest.mark.django_db


def made(user: User | None = None) -> tuple[str, ApiToken]:
    return make_token(user=user or make_user(), name="ci", role=Role.VIEWER, now=NOW)


def statements(act: Callable[[], Any]) -> list[str]:
    """The first word of each statement of `act`."""
    with CaptureQueriesContext(connection) as captured:
        act()
    return [query["sql"].split()[0] for query in captured.captured_queries]


def everything_stored() -> str:
    return "\n".join(str(row) for model in apps.get_models() for row in model._base_manager.values_list())


def test_a_token_is_se_and_forty_characters_that_a_header_can_carry() -> None:
    assert re.fullmatch(r"se_[A-Za-z0-9_-]{40}", made()[0])


def test_no_two_tokens_are_alike() -> None:
    assert len({made()[0] for _ in range(20)}) == 20


def test_the_secret_is_in_no_table() -> None:
    secret, token = made()
    authenticate(secret, NOW)
    stored = everything_stored()
    assert token.digest in stored
    assert secret not in stored
    assert secret.removeprefix("se_") not in stored


def test_a_token_is_known_by_its_secret_and_brings_its_user() -> None:
    ann = make_user()
    secret, token = made(ann)
    found = authenticate(secret, NOW)
    assert found == token
    assert found is not None
    assert found.user == ann


@pytest.mark.parametrize("never", ["", "se_", "se_" + "A" * 40, "\x00", "\ud800", "é" * 43, "x" * 100_000])
def test_what_is_no_token_is_not_known(never: str) -> None:
    made()
    assert authenticate(never, NOW) is None


def test_the_stored_digest_is_no_credential() -> None:
    assert authenticate(made()[1].digest, NOW) is None


def test_a_revoked_token_is_not_known() -> None:
    secret, token = made()
    assert revoke(token, NOW)
    assert authenticate(secret, NOW) is None


def test_revoking_again_keeps_the_first_time() -> None:
    _, token = made()
    revoke(token, NOW)
    assert not revoke(token, NOW + timedelta(days=1))
    token.refresh_from_db()
    assert token.revoked_at == NOW


def test_a_token_of_a_deactivated_user_is_not_known() -> None:
    ann = make_user()
    secret, _ = made(ann)
    User.objects.filter(pk=ann.pk).update(is_active=False)
    assert authenticate(secret, NOW) is None


def test_the_first_use_is_noted() -> None:
    secret, token = made()
    authenticate(secret, NOW)
    token.refresh_from_db()
    assert token.last_used_at == NOW


def test_a_token_is_looked_up_by_one_select_and_its_use_noted_by_one_update_an_hour() -> None:
    secret, _ = made()
    at = [timedelta(0), timedelta(minutes=1), timedelta(minutes=59, seconds=59), timedelta(hours=1)]
    done = [statements(lambda after=after: authenticate(secret, NOW + after)) for after in at]  # type: ignore[misc]
    assert done == [["SELECT", "UPDATE"], ["SELECT"], ["SELECT"], ["SELECT", "UPDATE"]]


def test_an_unknown_token_costs_one_select() -> None:
    assert statements(lambda: authenticate("se_" + "A" * 40, NOW)) == ["SELECT"]


def test_of_two_requests_that_find_the_use_due_one_notes_it() -> None:
    secret, token = made()
    stale = ApiToken.objects.get(pk=token.pk)
    authenticate(secret, NOW)
    _note_use(stale, NOW + timedelta(seconds=1))
    token.refresh_from_db()
    assert token.last_used_at == NOW


@pytest.mark.django_db(transaction=True)
def test_a_locked_database_does_not_fail_a_read(caplog: pytest.LogCaptureFixture) -> None:
    secret, token = made()

    def locked(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("UPDATE"):
            raise OperationalError("database is locked")
        return execute(sql, *rest)

    with connection.execute_wrapper(locked), caplog.at_level(logging.WARNING):
        assert authenticate(secret, NOW) == token
    assert "database is locked" in caplog.text
    assert secret not in caplog.text

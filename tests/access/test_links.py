import threading
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from sessions_app.access.links import claim, make_login_link, user_of
from sessions_app.access.models import LoginLink, User
from tests.builders import make_user

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LATE = NOW + timedelta(minutes=10)
pytestmark = pytest.mark.django_db


def secret_for(user: User, now: datetime = NOW) -> str:
    link = make_login_link(user=user, now=now, public_url="https://engine.example")
    return urlsplit(link).path.split("/")[-2]


def test_a_link_is_an_address_under_the_public_url() -> None:
    link = make_login_link(user=make_user(), now=NOW, public_url="https://engine.example")
    assert link.startswith("https://engine.example/login/link/")
    assert link.endswith("/")


def test_a_link_is_stored_as_a_digest_only() -> None:
    secret = secret_for(make_user())
    assert secret not in str(LoginLink.objects.values_list().get())


def test_a_link_signs_its_user_in() -> None:
    ann = make_user()
    assert claim(secret_for(ann), NOW) == ann


def test_a_link_works_once() -> None:
    secret = secret_for(make_user())
    claim(secret, NOW)
    assert claim(secret, NOW) is None


def test_a_link_works_until_ten_minutes_are_over() -> None:
    ann = make_user()
    secret = secret_for(ann)
    assert claim(secret, LATE) is None
    assert claim(secret, LATE - timedelta(seconds=1)) == ann


def test_a_link_of_a_deactivated_user_signs_nobody_in() -> None:
    secret = secret_for(make_user(), NOW)
    User.objects.update(is_active=False)
    assert claim(secret, NOW) is None


@pytest.mark.parametrize("never", ["", "A" * 40, "\x00", "\ud800", "é"])
def test_what_is_no_link_signs_nobody_in(never: str) -> None:
    secret_for(make_user())
    assert claim(never, NOW) is None


def test_the_stored_digest_is_no_link() -> None:
    secret_for(make_user())
    assert claim(LoginLink.objects.get().digest, NOW) is None


def test_asking_whose_a_link_is_writes_nothing() -> None:
    ann = make_user()
    secret = secret_for(ann)
    with CaptureQueriesContext(connection) as captured:
        assert user_of(secret, NOW) == ann
    assert [query["sql"].split()[0] for query in captured.captured_queries] == ["SELECT"]
    assert claim(secret, NOW) == ann


def test_making_a_link_sweeps_out_those_that_are_over_and_no_other() -> None:
    secret_for(make_user(), NOW - timedelta(minutes=11))
    ann = make_user()
    valid = secret_for(ann, NOW - timedelta(minutes=9))
    secret_for(make_user())
    assert LoginLink.objects.count() == 2
    assert claim(valid, NOW) == ann


@pytest.mark.django_db(transaction=True)
def test_of_two_claims_at_once_one_wins() -> None:
    ann = make_user()
    for _ in range(10):
        secret, start, won = secret_for(ann), threading.Barrier(2), list[User | None]()

        def click(secret: str = secret, start: threading.Barrier = start, won: list[User | None] = won) -> None:
            try:
                start.wait(timeout=10)
                won.append(claim(secret, NOW))
            finally:
                connection.close()

        clicks = [threading.Thread(target=click) for _ in range(2)]
        for thread in clicks:
            thread.start()
        for thread in clicks:
            thread.join(timeout=30)
        assert sorted(won, key=bool) == [None, ann]

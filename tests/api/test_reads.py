"""What all reads have in common: the ETag, no 304, and that nothing is written (contract, section 4)."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api.client import Api, operator
from tests.api.sessions import compress_twice
from tests.engine.snapshots import all_tables

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    return operator()


@pytest.fixture
def compressed(api: Api) -> str:
    return compress_twice(api)


PATHS = ["", "frames/", "frames/1/", "context/", "context/?version=1", "context/messages/", "versions/"]
PATHS += ["export/", "export/?kind=bundle"]


@pytest.mark.parametrize("path", PATHS)
def test_each_answer_about_a_session_names_the_head(api: Api, compressed: str, path: str) -> None:
    incarnation = api.get(f"sessions/{compressed}/").json["incarnation"]
    assert api.get(f"sessions/{compressed}/{path}").etag == f'"15.3.{incarnation}"'


@pytest.mark.parametrize("path", PATHS)
def test_a_read_never_answers_304(api: Api, compressed: str, path: str) -> None:
    etag = api.get(f"sessions/{compressed}/{path}").etag
    for tag in (etag, f"W/{etag}", "*"):
        again = api.get(
            f"sessions/{compressed}/{path}", if_none_match=tag, if_modified_since="Mon, 30 Nov 2099 00:00:00 GMT"
        )
        assert again.status == 200 and again.content


@pytest.mark.parametrize("path", PATHS)
def test_a_read_takes_no_notice_of_if_match(api: Api, compressed: str, path: str) -> None:
    assert api.get(f"sessions/{compressed}/{path}", if_match='"1.1"').status == 200


@pytest.mark.case(83)
@pytest.mark.parametrize(
    "path", [*PATHS[:-2], "../", "../?search=x", "../../strategies/", "frames/?search=file&tool=run"]
)
def test_a_read_writes_nothing_and_asks_little(api: Api, compressed: str, path: str) -> None:
    target = {"../": "sessions/", "../?search=x": "sessions/?search=x", "../../strategies/": "strategies/"}
    address = target.get(path, f"sessions/{compressed}/{path}")
    api.get(address)  # notes the use of the token, once an hour
    before = all_tables()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert api.get(address).status == 200
    asked = [q["sql"] for q in queries.captured_queries]
    assert all(sql.lstrip().startswith("SELECT") for sql in asked), asked
    assert len(asked) <= 5, asked
    assert all_tables() == before

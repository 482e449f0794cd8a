"""The server that the test run brings along."""

from pathlib import Path

import psycopg
import pytest

from tests.postgres_server import postgres_server

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]  # once a run is enough


def test_it_answers_and_leaves_nothing_behind() -> None:
    with postgres_server() as url:
        with psycopg.connect(url) as connection:
            (folder,) = connection.execute("SHOW data_directory").fetchone() or ("",)
            upper = connection.execute("SELECT upper('é'), current_user").fetchone()
        assert upper == ("É", "postgres")

    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)
    assert not Path(folder).exists()


def test_it_stops_when_the_run_is_cut_short() -> None:
    def run_that_is_interrupted() -> None:
        with postgres_server() as url:
            urls.append(url)
            raise KeyboardInterrupt

    urls: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run_that_is_interrupted()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(urls[0])

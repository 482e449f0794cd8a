"""The page that imports a file, in a real browser: what its script does, and that the policy lets all of it be."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from sessions_app.models import Session
from tests.builders import calls, make_user, reply, says, user
from tests.inspector.chromium import needs_chromium, window
from tests.inspector.pages import browser

pytestmark = [pytest.mark.django_db(transaction=True), *needs_chromium]

DROP = """(text) => {
  const dropped = new DataTransfer();
  dropped.items.add(new File([text], "dropped.json"));
  for (const kind of ["dragover", "drop"]) {
    document.querySelector("h1").dispatchEvent(
      new DragEvent(kind, { dataTransfer: dropped, bubbles: true, cancelable: true }));
  }
}"""


@pytest.fixture
def ann() -> Client:
    return browser(make_user("ann"))


def talk(folder: Path, first: str = "Hello.", name: str = "talk.json") -> str:
    file = folder / name
    file.write_text(json.dumps([user(first), calls("a"), reply("a"), says()]))
    return str(file)


def test_a_file_that_is_chosen_is_looked_at_and_imported_by_one_button(
    live_server: Any, ann: Client, tmp_path: Path
) -> None:
    with window(live_server, ann) as opened:
        page = opened.page
        page.goto("/import/")
        assert not page.locator("[data-without-script]").is_visible()
        page.set_input_files("#file", talk(tmp_path))
        page.get_by_role("heading", name="This file would make 1 session").wait_for()
        page.get_by_role("button", name="Import 1 session").click()
        page.get_by_role("heading", name="1 session was imported").wait_for()
        page.locator("#report-title:focus").wait_for()
        assert page.url == f"{live_server.url}/import/"
        page.get_by_role("link", name="Open the session").click()
        page.locator("#f-4").wait_for()
        assert opened.faults == []
    assert Session.objects.count() == 1


def test_another_file_after_an_import_is_only_looked_at(live_server: Any, ann: Client, tmp_path: Path) -> None:
    with window(live_server, ann) as opened:
        page = opened.page
        page.goto("/import/")
        page.set_input_files("#file", talk(tmp_path))
        page.get_by_role("button", name="Import 1 session").click()
        page.get_by_role("heading", name="1 session was imported").wait_for()
        page.set_input_files("#file", talk(tmp_path, "Another.", "other.json"))
        page.get_by_role("heading", name="This file would make 1 session").wait_for()
    assert Session.objects.count() == 1


def test_a_file_may_be_dropped_anywhere_on_the_page(live_server: Any, ann: Client) -> None:
    with window(live_server, ann) as opened:
        opened.page.goto("/import/")
        opened.page.evaluate(DROP, json.dumps([user("<img src=x onerror=alert(1)>")]))
        opened.page.get_by_role("button", name="Import 1 session").wait_for()
        report = opened.page.locator("#report")
        assert "dropped.json" in report.inner_text()
        assert "<img src=x onerror=alert(1)>" in report.inner_text()
        assert opened.faults == []


def drop(page: Any, *paths: Path) -> None:
    """As a hand drops them: a folder can be made by no script."""
    devtools = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        dragged = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        devtools.send("Input.dispatchDragEvent", {"type": kind, "x": 40, "y": 40, "data": dragged})


@pytest.mark.parametrize("is_folder", [False, True])
def test_several_files_and_a_folder_are_not_taken_for_one(
    live_server: Any, ann: Client, tmp_path: Path, is_folder: bool
) -> None:
    files = [Path(talk(tmp_path, name=name)) for name in ("a.json", "b.json")]
    with window(live_server, ann) as opened:
        page = opened.page
        page.goto("/import/")
        drop(page, files[0])
        page.get_by_role("button", name="Import 1 session").wait_for()
        drop(page, *([tmp_path] if is_folder else files))
        page.locator("#report .refusal:focus").wait_for()
        assert "manage.py import_trajectory PATH" in page.locator("#report").inner_text()
        assert page.evaluate("() => document.getElementById('file').files.length") == 0
        assert len(opened.posted) == 1
        drop(page, files[1])
        page.get_by_role("button", name="Import 1 session").wait_for()
        assert opened.faults == []


def test_several_files_that_are_dropped_while_one_is_read_take_its_place(
    live_server: Any, ann: Client, tmp_path: Path
) -> None:
    files = [Path(talk(tmp_path, name=name)) for name in ("a.json", "b.json")]
    with window(live_server, ann) as opened:
        page = opened.page
        page.goto("/import/")
        page.route("**/import/", lambda _route: None)  # never answered
        drop(page, files[0])
        page.get_by_role("button", name="Stop waiting").wait_for()
        drop(page, *files)
        page.locator("#report .refusal:focus").wait_for()
        page.get_by_role("button", name="Stop waiting").wait_for(state="hidden")
        assert not page.locator("#trouble").inner_text()


def test_a_refusal_takes_the_place_of_the_report(live_server: Any, ann: Client, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes")
    with window(live_server, ann) as opened:
        opened.page.goto("/import/")
        opened.page.set_input_files("#file", str(tmp_path / "notes.md"))
        opened.page.locator("#report .refusal").wait_for()
        assert "The file has no known format" in opened.page.locator("#report").inner_text()
        opened.page.set_input_files("#file", talk(tmp_path))
        opened.page.get_by_role("button", name="Import 1 session").wait_for()
        assert not opened.page.locator(".refusal").count()
        assert opened.faults == []


def test_a_file_that_is_too_large_is_not_even_sent(
    live_server: Any, ann: Client, tmp_path: Path, settings: Any
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
    with window(live_server, ann) as opened:
        opened.page.goto("/import/")
        opened.page.set_input_files("#file", talk(tmp_path, "x" * 1024 * 1024))
        opened.page.locator("#report .refusal").wait_for()
        assert "A file may have up to 1 MiB." in opened.page.locator("#report").inner_text()
        assert opened.posted == []


def test_a_look_can_be_left(live_server: Any, ann: Client, tmp_path: Path) -> None:
    with window(live_server, ann) as opened:
        page = opened.page
        page.goto("/import/")
        page.route("**/import/", lambda _route: None)  # never answered
        page.set_input_files("#file", talk(tmp_path))
        page.get_by_role("button", name="Stop waiting").click()
        page.get_by_role("button", name="Stop waiting").wait_for(state="hidden")
        assert page.evaluate("() => document.activeElement.id") == "file"
        assert not page.locator("#trouble").inner_text()
        page.unroute_all()
        page.set_input_files("#file", talk(tmp_path, name="again.json"))
        page.get_by_role("button", name="Import 1 session").wait_for()


def test_the_formats_are_tried_one_after_the_other_by_the_arrow_keys(
    live_server: Any, ann: Client, tmp_path: Path
) -> None:
    with window(live_server, ann) as opened:
        page = opened.page
        page.goto("/import/")
        page.set_input_files("#file", talk(tmp_path))
        page.locator("#report-title:focus").wait_for()
        page.focus("#format")
        with page.expect_response("**/import/"):
            page.keyboard.press("ArrowDown")
        page.locator("#report[hidden]").wait_for(state="detached")
        page.locator("#format:focus").wait_for()
        assert opened.faults == []


def test_the_form_works_without_a_script(live_server: Any, ann: Client, tmp_path: Path) -> None:
    with window(live_server, ann, java_script_enabled=False) as opened:
        page = opened.page
        page.goto("/import/")
        page.set_input_files("#file", talk(tmp_path))
        page.get_by_role("button", name="Look first").click()
        page.get_by_role("heading", name="This file would make 1 session").wait_for()
        page.set_input_files("#file", talk(tmp_path))
        page.get_by_role("button", name="Import", exact=True).click()
        page.get_by_role("heading", name="1 session was imported").wait_for()
    assert Session.objects.count() == 1


def test_nothing_stands_out_of_the_page(live_server: Any, ann: Client, tmp_path: Path) -> None:
    title, name = "word" * 60, "n" * 150 + ".json"
    with window(live_server, ann) as opened:
        page = opened.page
        page.goto("/import/")
        page.set_input_files("#file", talk(tmp_path, title, name))
        page.get_by_role("button", name="Import 1 session").wait_for()
        for width in (390, 1024, 1680):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("() => document.documentElement.scrollWidth") <= width

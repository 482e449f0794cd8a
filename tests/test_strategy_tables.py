"""The page of the strategies shows them on real recordings, by tables that a script writes."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sessions_app.compression.registry import BUILT_IN
from tests.interchange.samples import TRAJECTORIES_DIR, real_files


def script() -> ModuleType:
    path = Path(__file__).resolve().parent.parent / "docs" / "strategy_tables.py"
    spec = importlib.util.spec_from_file_location("strategy_tables", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def between_the_marks(module: Any) -> str:
    page: str = module.PAGE.read_text()
    assert page.count(module.BEGIN) == page.count(module.END) == 1
    return page.split(module.BEGIN)[1].split(module.END)[0]


def test_the_page_has_a_table_of_every_built_in_strategy_between_its_marks() -> None:
    tables = between_the_marks(script())
    assert tables.count("### ") > 1
    for kind in BUILT_IN:
        assert tables.count(f"\n| {kind.name} |") == tables.count("\n| none |") == tables.count("### ")


def test_only_what_stands_between_the_marks_is_replaced() -> None:
    module = script()
    page = f"before\n{module.BEGIN}\nold\n{module.END}\nafter\n"
    assert module.with_tables(page, "new\n") == f"before\n{module.BEGIN}\n\nnew\n\n{module.END}\nafter\n"
    with pytest.raises(ValueError, match="substring not found"):
        module.with_tables("a page without marks", "new")


@real_files
@pytest.mark.slow
def test_the_tables_can_be_written_anew_and_name_no_folder_of_this_machine() -> None:
    tables = script().tables(Path(TRAJECTORIES_DIR))
    assert "\n### claude-code/" in tables
    assert str(Path(TRAJECTORIES_DIR)) not in tables

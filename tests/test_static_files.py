"""The names under which the style sheet and the scripts are served."""

import re
import shutil
from pathlib import Path

from django.conf import settings

from config.static_files import StaticFiles


def test_a_script_imports_others_by_the_names_that_change_with_their_content(tmp_path: Path) -> None:
    shutil.copytree(settings.BASE_DIR / "static" / "inspector", tmp_path / "inspector")
    storage = StaticFiles(location=tmp_path, base_url="/static/")
    names = [f"inspector/{path.name}" for path in (tmp_path / "inspector").iterdir()]
    made = storage.post_process({name: (storage, name) for name in names})
    served = {name: hashed for name, hashed, _ in made if not hashed.endswith(".gz")}
    scripts = [(tmp_path / served[name]).read_text() for name in names if name.endswith(".js")]
    imported = {name for text in scripts for name in re.findall(r' from "\./([^"]+)"', text)}
    assert f"inspector/{min(imported)}" == served["inspector/bands.js"]
    assert all(f"inspector/{name}" in served.values() for name in imported)


INSPECTOR = settings.BASE_DIR / "static" / "inspector"
TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))


def test_all_that_we_wrote_for_the_browser_stays_under_60_kb() -> None:
    sizes = {path.name: path.stat().st_size for path in INSPECTOR.iterdir()}
    assert sum(sizes.values()) < 60 * 1024, sizes


def test_each_file_that_a_page_names_exists() -> None:
    named = {
        name for path in TEMPLATES for name in re.findall(r'{% static "inspector/([^"]+)" %}', path.read_text("utf-8"))
    }
    assert {"inspector.css", "icon.svg", "place.js", "trouble.js"} <= named
    assert {name for name in named if not (INSPECTOR / name).exists()} == set()


def test_each_script_is_named_by_a_page_or_imported_by_another() -> None:
    named = {name for path in TEMPLATES for name in re.findall(r'"inspector/(\w+\.js)"', path.read_text("utf-8"))}
    imported = {
        name for path in INSPECTOR.glob("*.js") for name in re.findall(r' from "\./([^"]+)"', path.read_text("utf-8"))
    }
    assert {path.name for path in INSPECTOR.glob("*.js")} == named | imported

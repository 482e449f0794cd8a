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

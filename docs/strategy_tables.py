"""Replay the real recordings and write their tables into the page of the strategies: `make strategy-tables`.

TRAJECTORIES_DIR names the folder that holds them, one folder a format. What stands between the two marks is replaced.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "strategies.md"
BEGIN: Final = "<!-- Tables: begin. Written by `make strategy-tables`. -->"
END: Final = "<!-- Tables: end. -->"
TERMS: Final = ("--all-strategies", "--limit", "50%", "--min-calls", "5")


def main() -> None:
    folder = os.environ.get("TRAJECTORIES_DIR")
    if not folder:
        sys.exit("TRAJECTORIES_DIR must name the folder of the recordings.")
    PAGE.write_text(with_tables(PAGE.read_text(), tables(Path(folder))))


def tables(folder: Path) -> str:
    """What the command says of all that is in the folder. Files are named from there."""
    folders = sorted(path.name for path in folder.iterdir() if path.is_dir())
    with TemporaryDirectory(prefix="tables-") as var:
        done = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), "replay", *folders, *TERMS, "--format", "markdown"],
            cwd=folder,
            env={**os.environ, "ENV_FILE": os.devnull, "SECRET_KEY": "only-for-the-tables", "VAR_DIR": var},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return done.stdout


def with_tables(page: str, told: str) -> str:
    """Raises ValueError where the marks are not there."""
    start, stop = page.index(BEGIN) + len(BEGIN), page.index(END)
    return f"{page[:start]}\n\n{told.strip()}\n\n{page[stop:]}"


if __name__ == "__main__":
    main()

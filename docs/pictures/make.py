"""Make the pictures of the docs anew, from the running product: `make pictures`.

Starts the product on an empty folder of its own, makes sessions, and photographs the pages in Chromium: at three
widths, light and dark.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
HEIGHTS = {1680: 1050, 1024: 768, 390: 844}
SCHEMES = ("light", "dark")
MADE = "/sessions/made-4000-1/"
DEMO = "/sessions/demo-flaky-upload/"
STUCK = "/sessions/demo-interrupted-deploy/"
SHORT = "/sessions/made-800-7/"
COMPARED = (
    "s1=digest&s2=clear_tool_results&s3=sliding_window&s4=truncate_tool_results"
    "&s4.max_tokens=60&probe=src%2Fbilling%2Frouter.py&probe=zebra"
)
REPLAYED = "s1=digest&s2=clear_tool_results&s3=sliding_window&s4=cascade&s5=mask_observations&limit=16000&go=1"


def _nothing(page: Page) -> None:
    pass


def _preview(page: Page) -> None:
    page.click("#preview")
    page.locator(".preview").wait_for()


def _light_the_summary(page: Page) -> None:
    page.hover("#c-3 .who")
    page.wait_for_timeout(400)


def _look_at_a_file(page: Page) -> None:
    talk = [
        {"role": "user", "content": "Why does the upload fail?"},
        {"role": "assistant", "content": None, "tool_calls": [_call("read_file", '{"path": "src/upload.py"}')]},
        {"role": "tool", "tool_call_id": "c1", "content": "def upload(): …"},
        {"role": "assistant", "content": "The retry reads a closed file."},
    ]
    file = {"name": "upload.json", "mimeType": "application/json", "buffer": json.dumps(talk).encode()}
    page.set_input_files("#file", file)  # type: ignore[arg-type]
    page.locator("#report h2").wait_for()


def _call(name: str, arguments: str) -> dict[str, object]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}


@dataclass(frozen=True, slots=True)
class Picture:
    name: str
    path: str
    act: Callable[[Page], None] = _nothing
    widths: tuple[int, ...] = (1680,)


PICTURES = (
    Picture("home", "/", widths=(1680, 1024, 390)),
    Picture("session", f"{DEMO}?pin=c3", widths=(1680, 1024)),
    Picture("summary-lit", DEMO, _light_the_summary),
    Picture("session-tail", MADE),
    Picture("session-narrow", DEMO, widths=(390,)),
    Picture("window-narrow", f"{DEMO}?band=context", widths=(390,)),
    Picture("earlier-version", f"{MADE}?version=3&frame=1200"),
    Picture("versions-compared", f"{DEMO}?compare=2"),
    Picture("compare", f"{SHORT}compare/?{COMPARED}", widths=(1680, 1024)),
    Picture("candidate", f"{SHORT}compare/?{COMPARED}&open=1"),
    Picture("replay", f"{SHORT}replay/?{REPLAYED}", widths=(1680, 1024)),
    Picture("replay-narrow", f"{SHORT}replay/?{REPLAYED}", widths=(390,)),
    Picture("compress", f"{MADE}?do=compress&strategy=digest", _preview, widths=(1680, 390)),
    Picture("recover", f"{STUCK}?do=recover", widths=(1680,)),
    Picture("frame", f"{DEMO}frames/4/"),
    Picture("import", "/import/", _look_at_a_file),
    Picture("tokens", "/tokens/"),
)


def main() -> None:
    if PROGRAM is None:
        raise SystemExit("There is no Chromium here.")
    for old in HERE.glob("*.png"):
        old.unlink()
    with (
        TemporaryDirectory(prefix="pictures-") as folder,
        _product(Path(folder)) as login_link,
        sync_playwright() as playwright,
    ):
        # With scrollbars, which a browser without a head hides by default: they are a part of the page.
        browser = playwright.chromium.launch(
            executable_path=PROGRAM,
            args=["--no-sandbox", "--disable-lcd-text"],
            ignore_default_args=["--hide-scrollbars"],
        )
        _photograph(browser, login_link)
        browser.close()


def _photograph(browser: Browser, login_link: str) -> None:
    base = login_link.partition("/login/")[0]
    first = browser.new_context()
    page = first.new_page()
    page.goto(login_link)
    page.click("main button[type=submit]")
    page.wait_for_url(f"{base}/")
    state = first.storage_state()
    for scheme in SCHEMES:
        for width, height in HEIGHTS.items():
            context = browser.new_context(
                storage_state=state,
                base_url=base,
                color_scheme=scheme,  # type: ignore[arg-type]
                viewport={"width": width, "height": height},
                is_mobile=width < 640,
                has_touch=width < 640,
            )
            page = context.new_page()
            for picture in PICTURES:
                if width in picture.widths:
                    page.goto(picture.path)
                    picture.act(page)
                    page.wait_for_timeout(500)
                    page.screenshot(path=HERE / f"{picture.name}-{width}-{scheme}.png", animations="disabled")
            context.close()


@contextmanager
def _product(folder: Path) -> Iterator[str]:
    """The product with its demos and a longer session; the link that signs in."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "DATABASE_URL": "",
        "ENV_FILE": os.devnull,
        "PORT": str(port),
        "PUBLIC_URL": f"http://127.0.0.1:{port}",
        "VAR_DIR": str(folder),
        "WORKERS": "1",
    }
    manage = [sys.executable, "manage.py", "make_session"]
    long = [*manage, "--frames", "4000", "--compress", "4", "--title", "Make the importer survive a cut file"]
    short = [*manage, "--frames", "800", "--seed", "7", "--title", "Keep the nightly job under an hour"]
    log = folder / "log"
    with (
        log.open("w") as said,
        subprocess.Popen(
            [sys.executable, "-m", "config.serve"], cwd=ROOT, env=environment, stdout=said, stderr=said
        ) as server,
    ):
        try:
            link = _link_in(log)
            for command in (long, short):
                subprocess.run(command, cwd=ROOT, env=environment, check=True)
            yield link
        finally:
            server.terminate()


def _link_in(log: Path) -> str:
    for _ in range(120):
        if "Started worker" in (said := log.read_text()):
            return re.findall(r"http://\S+/login/link/\S+", said)[0]
        time.sleep(0.5)
    raise SystemExit(log.read_text())


if __name__ == "__main__":
    main()

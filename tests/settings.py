"""The product's settings, with what a test run needs otherwise.

Each run has a folder of its own, and in it each worker of the run: two runs side by side, or two
workers, share neither a database file nor the counts of a throttle.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # not a child that inherited this by fork
        shutil.rmtree(folder, ignore_errors=True)


if "TEST_RUN_DIR" not in os.environ:  # workers, and processes that tests start, inherit it
    os.environ["TEST_RUN_DIR"] = tempfile.mkdtemp(prefix="session-engine-tests-")
    atexit.register(_remove, os.environ["TEST_RUN_DIR"], os.getpid())

# What a person has set for the product must not decide whether a test passes.
for _name in ("BEHIND_PROXY", "DEBUG", "PORT", "PUBLIC_URL", "RECOVERY_TEXT", "SIGN_IN_RATE"):
    os.environ.pop(_name, None)
for _name in ("BASE_URL", "MODEL", "API_KEY"):  # nor may a test spend somebody's money
    os.environ.pop(f"SUMMARISER_{_name}", None)
os.environ["ENV_FILE"] = os.devnull
os.environ["SIGN_IN_RATE"] = ""  # its counts are shared by the tests of a worker; those of the throttle set their own
os.environ["SECRET_KEY"] = "only-for-the-tests-" + "0123456789" * 4
os.environ["VAR_DIR"] = str(Path(os.environ["TEST_RUN_DIR"], os.environ.get("PYTEST_XDIST_WORKER", "main")))

from config.settings import *  # noqa: E402
from config.settings import STATIC_ROOT, STORAGES  # noqa: E402

# The manifest is made by collectstatic, which a test run does not wait for.
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True
WHITENOISE_USE_FINDERS = True
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # whitenoise warns where it is missing

# Slow on purpose in the product.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

"""The secret key of an installation that was given none."""

import os
import secrets
from pathlib import Path


def kept_secret_key(path: Path) -> str:
    """Return the key kept in `path`, making it first where there is none.

    Two workers may start at once on an empty folder, so the key is written in full to a file of
    its own and then linked to its name: the second link fails, and both read the first one's key.
    Creating `path` itself and then writing would let the other worker read it half-written.
    """
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass  # The other one was first; its key is the key.
        finally:
            draft.unlink()
    return path.read_text().strip()

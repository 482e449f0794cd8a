"""Secrets that are handed out once and kept as their digest only."""

import hashlib
import re
import secrets

# SHA-256 without salt or rounds: those slow down the guessing of what people make up. These secrets
# are 240 random bits, and the digest must be found by a key.
_RANDOM_BYTES = 30  # 40 characters
_RANDOM_PART = re.compile(r"[A-Za-z0-9_-]{40}\Z")


def new_secret(prefix: str = "") -> str:
    return prefix + secrets.token_urlsafe(_RANDOM_BYTES)


def digest_of(secret: str, prefix: str = "") -> str | None:
    """What is stored of `secret`; None for text that cannot be one, and need not be looked up."""
    if not secret.startswith(prefix) or not _RANDOM_PART.match(secret, len(prefix)):
        return None
    return hashlib.sha256(secret.encode("ascii")).hexdigest()

"""Secrets that are handed out once and kept as their digest only."""

import hashlib
import secrets


def new_secret(prefix: str = "") -> str:
    """`prefix` and 40 characters that a URL can carry."""
    return prefix + secrets.token_urlsafe(30)


def digest_of(secret: str) -> str:
    """What is stored of a secret, and what it is looked up by.

    Without salt or rounds: those slow down the guessing of what people make up, and these are 240
    random bits. Takes any text, because any text may be sent in the place of a secret.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()

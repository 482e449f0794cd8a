"""Damage done to a file: cut off somewhere, bytes flipped. The same for the same seed."""

import random
from collections.abc import Iterator


def cuts(content: bytes, count: int) -> Iterator[bytes]:
    """The file as it is when it ends at `count` places, spread evenly."""
    for n in range(count):
        yield content[: len(content) * n // count]


def flips(content: bytes, count: int, *, seed: int = 0) -> Iterator[bytes]:
    """The file with one to eight of its bytes changed, `count` times."""
    source = random.Random(seed)
    for _ in range(count if content else 0):
        damaged = bytearray(content)
        for _ in range(source.randint(1, 8)):
            damaged[source.randrange(len(damaged))] ^= 1 << source.randrange(8)
        yield bytes(damaged)

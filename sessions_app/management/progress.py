"""How far a long command has got: a bar on a terminal, and nothing where nobody looks."""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tqdm import tqdm


class Progress:
    """Bytes read of all files. `at` is told the place in the current one."""

    def __init__(self, total: int) -> None:
        self._before = 0
        self._bar = _bar(total, unit="B", unit_scale=True, unit_divisor=1024)

    def at(self, position: int) -> None:
        if self._bar is not None:
            self._bar.update(max(0, self._before + position - self._bar.n))

    def done(self, size: int) -> None:
        """The current file is read, or left."""
        self.at(size)
        self._before += size

    @contextmanager
    def aside(self) -> Iterator[None]:
        """The bar makes room for what is printed meanwhile."""
        if self._bar is None:
            yield
        else:
            with tqdm.external_write_mode():
                yield

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


class Counted:
    """Things made, of a number that is known."""

    def __init__(self, total: int, *, unit: str) -> None:
        self._bar = _bar(total, unit=unit)

    def at(self, count: int) -> None:
        if self._bar is not None:
            self._bar.update(count - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


def _bar(total: int, **unit: Any) -> "tqdm[Any] | None":
    if not sys.stderr.isatty():
        return None
    # Asked for here, because tqdm draws nothing where a terminal does not know its size.
    width, height = shutil.get_terminal_size()
    return tqdm(total=total, ncols=width, nrows=height, leave=False, **unit)

"""Playwright in a thread of its own.

Playwright's blocking interface runs an event loop in the thread that started it, for as long as it is open. Django
refuses the database to such a thread, and would open other connections for it. So Playwright lives in one thread,
and what the test holds are stand-ins: each call on one of them is done there, and waited for here.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Final

LONGEST: Final = 120
"""Seconds after which the browser is taken for dead: TimeoutError. Playwright's own limits are much shorter."""


class Elsewhere:
    """The thread. What it is asked to do while it does something already (in a handler of an event) it does at once."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="playwright")
        self._ident = self._pool.submit(threading.get_ident).result()

    def do(self, work: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """The answer, a stand-in where it is a thing of Playwright's; what the work raises is raised here."""
        near = [_without_stand_ins(a) for a in args], {name: _without_stand_ins(a) for name, a in named.items()}
        if threading.get_ident() == self._ident:
            return work(*near[0], **near[1])
        return self._stand_in_for(self._pool.submit(work, *near[0], **near[1]).result(LONGEST))

    def end(self) -> None:
        self._pool.shutdown()

    def _stand_in_for(self, answer: Any) -> Any:
        if isinstance(answer, list):
            return [self._stand_in_for(item) for item in answer]
        if type(answer).__module__.startswith("playwright."):
            return StandIn(self, answer)
        return answer


class StandIn:
    """Has what the thing has: properties, methods, `with` (`with page.expect_popup() as opened`)."""

    def __init__(self, elsewhere: Elsewhere, thing: Any) -> None:
        self._elsewhere, self._thing = elsewhere, thing

    def __getattr__(self, name: str) -> Any:
        value = self._elsewhere.do(getattr, self._thing, name)
        if not callable(value) or isinstance(value, StandIn):
            return value
        return lambda *args, **named: self._elsewhere.do(value, *args, **named)

    def __enter__(self) -> Any:
        return self._elsewhere.do(type(self._thing).__enter__, self._thing)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._elsewhere.do(type(self._thing).__exit__, self._thing, kind, error, at)

    def __eq__(self, other: object) -> bool:
        return bool(self._thing == _without_stand_ins(other))

    def __hash__(self) -> int:
        return hash(self._thing)

    def __repr__(self) -> str:
        return str(self._elsewhere.do(repr, self._thing))


def _without_stand_ins(value: Any) -> Any:
    if isinstance(value, StandIn):
        return value._thing
    if isinstance(value, list | tuple):
        return type(value)(_without_stand_ins(item) for item in value)
    if isinstance(value, dict):
        return {key: _without_stand_ins(item) for key, item in value.items()}
    return value

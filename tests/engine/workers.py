"""A process of its own that does engine work on the database of a test: `python -m tests.engine.workers`.

It reads one JSON line for each job, does it, and answers with one JSON line. Other writers are real only as processes:
threads of one process share too much.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import django

django.setup()

from sessions_app import engine  # noqa: E402
from sessions_app.engine import attempts, commit  # noqa: E402
from tests.engine.strategies import fold  # noqa: E402

JOBS: dict[str, Callable[..., dict[str, Any]]] = {}


def job(function: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    JOBS[function.__name__] = function
    return function


@job
def append_many(session_id: str, name: str, count: int) -> dict[str, Any]:
    """`count` appends without a head."""
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        time.sleep(seconds)

    began, longest = time.monotonic(), 0.0
    for n in range(count):
        one = time.monotonic()
        message = {"role": "user", "content": f"{name}-{n}"}
        engine.append(session_id=session_id, messages=[message], retry=attempts.Retry(sleep=pause))
        longest = max(longest, time.monotonic() - one)
    return {"seconds": time.monotonic() - began, "retries": len(pauses), "longest": longest}


@job
def append_one(
    session_id: str, messages: list[Any], head: list[Any] | None = None, key: list[Any] | None = None
) -> dict[str, Any]:
    try:
        written = engine.append(
            session_id=session_id,
            messages=messages,
            expected=engine.Head(*head) if head else None,
            idempotency=engine.IdempotencyKey(*key) if key else None,
        )
    except engine.EngineError as e:
        return {"refused": type(e).__name__}
    return {"seqs": [f.seq for f in written.frames], "replayed": written.replayed}


@job
def die_after_commit(**arguments: Any) -> dict[str, Any]:
    """The write is in the database, and nobody was told."""

    def commit_and_die(prepared: Any) -> bool:
        commit.commit(prepared)
        os.kill(os.getpid(), signal.SIGKILL)
        return True

    attempts.commit = commit_and_die  # type: ignore[attr-defined]
    return append_one(**arguments)


@job
def die_within_the_transaction(**arguments: Any) -> dict[str, Any]:
    """The head has moved, the frames are not written, and the lock is held."""
    commit._insert_frames = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    return append_one(**arguments)


@job
def fold_and_restore(session_id: str, seconds: float) -> dict[str, Any]:
    """Versions with an even number have one summary, those with an odd number have none. An append between them."""
    until = time.monotonic() + seconds
    made = 0
    while time.monotonic() < until:
        engine.append(session_id=session_id, messages=[{"role": "user", "content": "on"}, {"role": "assistant"}])
        fold(session_id)
        engine.restore(session_id=session_id, version=1)
        made += 2
    return {"versions": made}


@job
def read_windows(session_id: str, count: int) -> dict[str, Any]:
    """Read as an agent, as the API and as a page do, and say what was wrong with what was seen."""
    wrong: list[str] = []
    versions: set[int] = set()
    not_kept, last = 0, (0, 0)
    began = time.monotonic()
    for n in range(count):
        head = engine.reads.session_state(session_id).head if n % 4 == 0 else None
        if n % 4 == 1:
            context = engine.RuntimeSession.load(session_id).context
            state, items = context.state, list(context.window)
        elif n % 4 == 2:
            try:
                read = engine.reads.window_of_version(session_id, max(versions))
            except engine.VersionNotKept:
                not_kept += 1
                continue
            if read.version != read.state.context_compression_version:
                # Still there a moment after it was replaced: impossible, the same commit takes it away.
                wrong.append(f"version {read.version} stands beside {read.state.context_compression_version}")
            state, items = read.state, list(read.window)
        else:
            read = engine.reads.current_window(session_id)
            state, items = read.state, list(read.window)
        version = state.context_compression_version
        versions.add(version)
        wrong += [f"read {n}, version {version}: {fault}" for fault in faults_of(state, items)]
        now = (version, state.next_msg_seq)
        before = (head.context_compression_version, head.next_msg_seq) if head else last
        if now < before:
            wrong.append(f"read {n}: the head went back from {before} to {now}")
        last = max(last, now)
    seconds = time.monotonic() - began
    return {"wrong": wrong[:20], "versions": len(versions), "not_kept": not_kept, "seconds": seconds}


def faults_of(state: engine.SessionState, items: list[engine.ContextItem]) -> list[str]:
    """A window of one version claims every frame once, and is as long as the session's row of that moment says."""
    claims = [seq for item in items for seq in item.original_seqs]
    summaries = sum(item.kind == "summary" for item in items)
    found = {
        "empty": not items,
        f"claims {claims[:5]}…{claims[-5:]} of {state.frame_count}": claims != list(range(1, state.frame_count + 1)),
        f"{len(items)} messages of {state.context_messages}": len(items) != state.context_messages,
        "tokens": sum(item.tokens for item in items) != state.context_tokens,
        "tail": items[-1].role != state.tail_role if items else True,
        f"{summaries} summaries": summaries != (state.context_compression_version + 1) % 2,
        "a message without its text": any(not item.message.text for item in items),
    }
    return [fault for fault, is_so in found.items() if is_so]


@job
def write_into_each_incarnation(session_id: str, seconds: float) -> dict[str, Any]:
    """An agent that writes into every message which incarnation it holds, and takes the new one when it is told."""
    until = time.monotonic() + seconds
    written = refused = 0
    runtime = None
    while time.monotonic() < until:
        try:
            if runtime is None:
                runtime = engine.RuntimeSession.load(session_id)
            runtime.append({"role": "user", "content": runtime.head.incarnation})
            written += 1
        except (engine.StaleHead, engine.SessionNotFound):
            refused += 1
            runtime = None
    return {"written": written, "refused": refused}


@job
def delete_and_make_again(session_id: str, owner_id: int, seconds: float) -> dict[str, Any]:
    until = time.monotonic() + seconds
    times, frames, strangers = 0, 0, []
    while time.monotonic() < until:
        time.sleep(0.02)
        incarnation = engine.reads.session_state(session_id).incarnation
        for frame in engine.reads.frames_between(session_id, 1, 10**6):
            frames += 1
            if frame.message.body != incarnation:
                strangers.append([incarnation, frame.seq, frame.message.body])
        engine.delete(session_id=session_id, expected=engine.ANY_HEAD)
        made = uuid4().hex[:16]
        messages = [{"role": "user", "content": made}]
        engine.create(owner_id=owner_id, session_id=session_id, messages=messages, make_incarnation=partial(str, made))
        times += 1
    return {"times": times, "frames": frames, "strangers": strangers[:10]}


def main() -> None:
    engine.count_text("The vocabulary is read before the first job.")
    print(json.dumps({"pid": os.getpid()}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        print(json.dumps(JOBS[asked["job"]](**asked["arguments"])), flush=True)


if __name__ == "__main__":
    main()

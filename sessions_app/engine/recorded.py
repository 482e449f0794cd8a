"""The raw frames of a history that was recorded elsewhere, as an import of it would write them: without a database."""

from collections.abc import Callable, Iterable
from datetime import datetime

from django.utils import timezone

from sessions_app.engine.copied import CopiedFrame, Copy
from sessions_app.engine.copy_check import check_copy
from sessions_app.engine.create import empty_state
from sessions_app.engine.frames import Frame
from sessions_app.engine.import_steps import ImportStep
from sessions_app.engine.recovery_text import RecoveryWording
from sessions_app.engine.retelling import Retelling, in_no_window
from sessions_app.engine.rewalk import Rewalk


def recorded_frames(
    *,
    history: Iterable[ImportStep],
    wording: RecoveryWording | None = None,
    now: Callable[[], datetime] = timezone.now,
) -> list[Frame]:
    """The frames that `import_session` would write for a history that no session begins with.

    By the same walk: recovery frames stand where calls were left behind, late replies where they are let in. The
    compactions of the history are passed over, so that all frames are of version 1. `now`: the time of what has none.
    """
    empty = empty_state(session_id="", incarnation="", owner_id=0)
    frames: list[Frame] = []
    Retelling(empty, "", "", wording or RecoveryWording.configured(), now, None).of(
        iter(history),
        save=lambda prepared: frames.extend(prepared.frames),
        finder=in_no_window,
        with_versions=False,
    )
    return frames


def copied_frames(copy: Copy) -> list[Frame]:
    """The frames that `import_copy` would write. Raises CopyRefused for what it would refuse."""
    check_copy(copy)
    rewalk = Rewalk()
    return [rewalk.take(part) for part in copy.parts() if isinstance(part, CopiedFrame)]

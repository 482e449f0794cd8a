"""Copies as JSON, Markdown or curl: of frames, of a window, of a part of one."""

from tempfile import SpooledTemporaryFile
from typing import IO, Final

from django.http import HttpResponseBase
from django.urls import reverse
from django.views.decorators.http import require_safe

from inspector.copying import Asked, copy_text
from inspector.decorators import session_view
from inspector.inert import file_name, file_response, pieces
from inspector.requests import InspectorRequest
from sessions_app import engine
from sessions_app.access.roles import Right

_IN_MEMORY: Final = 8 * 1024 * 1024
_ENDINGS: Final = {"json": "json", "markdown": "md", "curl": "sh"}


@require_safe
@session_view(Right.READ)
def copy(request: InspectorRequest, record: engine.SessionRecord) -> HttpResponseBase:
    """`frames=3-9`, or `version=3` or `at_seq=12` (else the current window) with `positions=2-5` for a part of it;
    `as=json`, `markdown` or `curl`.

    A whole window is the list that is sent to a model, made as the API's context/messages/ makes it; frames and parts
    of a window are as they are stored.
    """
    session_id = record.state.session_id
    asked = Asked.of(session_id, request.GET)
    api_frames = request.build_absolute_uri(reverse("api-frames", args=[session_id]))
    # Written first: what cannot be read is refused before anything is sent, and a slow line keeps nothing in memory.
    file: IO[bytes] = SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed with the response
    try:
        file.writelines(pieces(copy_text(record, asked, api_frames=api_frames)))
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file_response(file, name=file_name(session_id, f"copy.{_ENDINGS[asked.form]}"))

"""An image that a frame holds, by itself."""

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from inspector.decorators import session_view
from inspector.inert import file_name, image_response
from inspector.presenters.images import NoImage, image_of
from inspector.requests import InspectorRequest
from sessions_app import engine
from sessions_app.access.roles import Right


@require_safe
@session_view(Right.READ)
def frame_image(request: InspectorRequest, record: engine.SessionRecord, seq: int, number: int) -> HttpResponse:
    session_id = record.state.session_id
    try:
        data, media_type = image_of(engine.reads.frame(session_id, seq).message, number)
    except NoImage as error:
        raise Http404(str(error)) from error
    name = file_name(session_id, f"frame-{seq}-image-{number}.{media_type.removeprefix('image/')}")
    return image_response(data, media_type=media_type, name=name)

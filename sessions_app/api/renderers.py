"""Answers as JSON that carries every string that was sent, lone surrogates included."""

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import BaseRenderer

from sessions_app import jsontext


class JSONRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None
    # The bytes are UTF-8; JSON has no charset parameter.
    render_style = "binary"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return b"" if data is None else jsontext.dumps(data).encode("utf-8")


class JSONLinesRenderer(JSONRenderer):
    """Names the media type of exports, which are sent as files. What else is answered there is one line."""

    media_type = "application/jsonl"
    format = "jsonl"

"""Request bodies: JSON, read strictly, and no other media type."""

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from sessions_app import jsontext
from sessions_app.engine import MalformedJSON

BODY_DEPTH = jsontext.MAX_DEPTH + 2
"""A message stands two levels deep in a body: in a list, in an object."""


class StrictJSONParser(BaseParser):
    """Refuses what another reader would read otherwise: NaN, members that stand twice, bytes that are no UTF-8."""

    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        try:
            text = stream.read().decode("utf-8")
        except UnicodeDecodeError as e:
            raise MalformedJSON(f"the body is no UTF-8: byte {e.start} cannot be read") from e
        return jsontext.loads(text, max_depth=BODY_DEPTH)

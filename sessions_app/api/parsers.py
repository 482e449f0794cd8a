"""Request bodies: JSON, read strictly; and multipart forms, where a route takes a file."""

from collections.abc import Mapping
from typing import IO, Any, cast

from django.utils.http import parse_header_parameters
from rest_framework.exceptions import ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser, DataAndFiles, MultiPartParser

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


class NotMultipart(UnsupportedMediaType):
    """The route takes a file, which only a multipart form holds."""


class WholeFormParser(MultiPartParser):
    """Multipart forms that came whole; files go through Django's upload handlers, large ones to disk.

    Django takes the parts that it can read of a form that breaks off: a `dry_run` that was still to come would be
    taken for none.
    """

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> DataAndFiles:
        watched = _Watched(stream)
        form: DataAndFiles = super().parse(cast(IO[bytes], watched), media_type, parser_context)
        _, parameters = parse_header_parameters(media_type or "")
        if f"--{parameters['boundary']}--".encode() not in watched.last:
            for _name, files in form.files.lists():
                for file in files:
                    file.close()
            raise ParseError("Multipart form parse error - the form has no end: it did not come whole")
        return form


class _Watched:
    """A stream that remembers what it gave last."""

    _LENGTH = 1024

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self.last = stream, b""

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.last = (self.last[-self._LENGTH :] + data)[-self._LENGTH :]
        return data

"""The file that is sent to a page: what is too large is known before any of it is kept."""

from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest
from django.utils.translation import gettext as _

from sessions_app.engine import Fault, InvalidInput
from sessions_app.interchange import Source

MIB = 1024 * 1024


class TooLarge(Exception):
    """What was sent is larger than is taken here."""

    def __init__(self) -> None:
        super().__init__(_("A file may have up to %(n)s MiB.") % {"n": settings.DATA_UPLOAD_MAX_MEMORY_SIZE // MIB})


class SeveralFiles(Exception):
    """One file is taken here."""

    def __init__(self) -> None:
        super().__init__(_("This page takes one file at a time."))


class SizeGuard(FileUploadHandler):
    """Reads a body over the limit away without keeping it.

    Not cut off: a browser that is still sending would lose the answer with the connection, and show no reason.
    """

    is_over = False

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *rest: Any) -> None:
        self.is_over = content_length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE

    def new_file(self, *about: Any, **more: Any) -> None:
        if self.is_over:
            raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None


def guard(request: HttpRequest) -> SizeGuard:
    """Before anything has read the form: the check of the CSRF token does."""
    size_guard = SizeGuard(request)
    request.upload_handlers.insert(0, size_guard)
    return size_guard


def sent_file(request: HttpRequest, name: str, size_guard: SizeGuard) -> Source:
    """Raises TooLarge, SeveralFiles; InvalidInput where there is none, or nothing in it."""
    files = request.FILES.getlist(name)
    if size_guard.is_over:
        raise TooLarge
    if len(files) > 1:
        raise SeveralFiles
    file = files[0] if files else None
    if not isinstance(file, UploadedFile):
        raise InvalidInput([Fault(f"/{name}", _("is missing: choose a file"))])
    if not file.size:
        raise InvalidInput([Fault(f"/{name}", _("is empty"))])
    return Source(cast(BinaryIO, file.file), name=file.name or "")

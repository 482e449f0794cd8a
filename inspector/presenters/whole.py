"""One message as a whole: its text, calls, images and JSON. For the pages of a frame and of a context message."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from inspector.presenters import markdown
from inspector.presenters.images import ShownImage, shown_images
from inspector.presenters.json_text import CutJSON, cut_json, pretty
from inspector.presenters.parts import Part, parts_but_images, reasoning_blocks
from inspector.presenters.readable import NO_MESSAGE, Readable, readable
from inspector.presenters.shown import Link, text
from sessions_app import engine, jsontext

LONGEST: Final = 200_000
"""Characters of a text that a page shows."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a page is asked for: its text as it is or as Markdown, its images named or drawn."""

    as_markdown: bool = False
    images: bool = False

    @classmethod
    def of(cls, params: QueryDict) -> Self:
        return cls(params.get("as") == "markdown", params.get("images") == "1")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Of the message's page (with its `query`), of its text, and of it in the API. `images_of`: the frame that serves
    its images, where it says what that frame says.
    """

    page: str
    text: str
    exact: str
    query: Mapping[str, int] = field(default_factory=dict)
    images_of: tuple[str, int] | None = None

    def page_as(self, manner: Manner, fragment: str = "") -> str:
        asked = {"as": "markdown" if manner.as_markdown else "", "images": "1" if manner.images else ""}
        given = urlencode({**self.query, **{name: value for name, value in asked.items() if value}})
        return self.page + (f"?{given}" if given else "") + fragment

    def text_of(self, **part: str | int) -> str:
        given = urlencode({**self.query, **part})
        return self.text + (f"?{given}" if given else "")

    def image(self, number: int) -> str:
        return reverse("frame_image", args=[*self.images_of, number]) if self.images_of else ""


@dataclass(frozen=True, slots=True)
class WholeText:
    """`href`: where all of it is plain text. `length`: of the whole, in words."""

    text: str
    length: str
    is_cut: bool
    href: str

    @classmethod
    def of(cls, value: str, href: str) -> Self:
        return cls(text(value[:LONGEST]), f"{len(value):,}", len(value) > LONGEST, href)


@dataclass(frozen=True, slots=True)
class WholeCall:
    id: str
    name: str
    arguments: WholeText
    is_open: bool
    replies: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class WholeImage:
    """`src`: empty where it cannot be shown. `what`: its place, its real type and its size."""

    kind: str
    what: str
    why_not: str
    src: str


@dataclass(frozen=True, slots=True)
class WholeBody:
    """The text as it is, or rendered. `other`: the page with the other of them. `why_raw`: why it is not."""

    raw: WholeText
    rendered: SafeString | None
    other: str
    why_raw: str


@dataclass(frozen=True, slots=True)
class WholeMessage:
    """`json`: the message as JSON, or the stored text where that is none. `exact`: where it is served whole.
    `images_href`: the page with its images drawn, or named if they are drawn.
    """

    role: str = ""
    is_error: bool = False
    body: WholeBody | None = None
    parts: tuple[Part, ...] = ()
    images: tuple[WholeImage, ...] = ()
    are_drawn: bool = False
    images_href: str = ""
    reasoning: WholeText | None = None
    reasoning_blocks: tuple[Part, ...] = ()
    calls: tuple[WholeCall, ...] = ()
    tool_call_id: str = ""
    tool_name: str = ""
    json: CutJSON = field(default_factory=lambda: CutJSON(""))
    exact: str = ""
    text_href: str = ""
    is_damaged: bool = False


@dataclass(frozen=True, slots=True)
class OfCalls:
    """What is known of a message's calls: the ids of the open ones, and where the replies are, by id."""

    open_ids: frozenset[str] = frozenset()
    replies: Mapping[str, tuple[Link, ...]] = field(default_factory=dict)


def whole_message(
    message: engine.Message, addresses: Addresses, manner: Manner, of_calls: OfCalls = OfCalls()
) -> WholeMessage:
    read = readable(message)
    try:
        if read is not None:
            return _whole(message, read, addresses, manner, of_calls)
    except NO_MESSAGE:
        pass  # It can be read, but something else in it is not as the engine lets it in.
    return WholeMessage(
        json=CutJSON(text(message.text[:LONGEST]), is_cut=len(message.text) > LONGEST),
        exact=addresses.exact,
        text_href=addresses.text_of(),
        is_damaged=True,
    )


def _whole(
    message: engine.Message, read: Readable, addresses: Addresses, manner: Manner, of_calls: OfCalls
) -> WholeMessage:
    images = tuple(_image(i, addresses) for i in shown_images(message))
    other_images = Manner(manner.as_markdown, not manner.images)
    return WholeMessage(
        role=text(message.role, limit=40),
        is_error=message.is_error,
        body=_body(message.body, addresses, manner),
        parts=parts_but_images(message),
        images=images,
        are_drawn=manner.images,
        images_href=addresses.page_as(other_images, "#images-title") if any(i.src for i in images) else "",
        reasoning=WholeText.of(read.reasoning, addresses.text_of(part="reasoning")) if read.reasoning else None,
        reasoning_blocks=reasoning_blocks(message),
        calls=tuple(_call(n, c, addresses, of_calls) for n, c in enumerate(read.calls, start=1)),
        tool_call_id=text(message.tool_call_id or ""),
        tool_name=text(message.tool_name),
        json=cut_json(message.data),
        exact=addresses.exact,
        text_href=addresses.text_of(),
    )


def _body(body: str, addresses: Addresses, manner: Manner) -> WholeBody | None:
    if not body:
        return None
    is_too_long = manner.as_markdown and len(body) > markdown.LONGEST
    is_rendered = manner.as_markdown and not is_too_long
    return WholeBody(
        raw=WholeText.of(body, addresses.text_of()),
        rendered=markdown.render(body) if is_rendered else None,
        other=addresses.page_as(Manner(not manner.as_markdown, manner.images), "#text-title"),
        why_raw=_("It is too long to be shown as Markdown.") if is_too_long else "",
    )


def _image(image: ShownImage, addresses: Addresses) -> WholeImage:
    what = _("%(n)s: %(note)s") % {"n": image.number, "note": image.note}
    src = "" if image.why_not else addresses.image(image.number)
    why_not = image.why_not or ("" if src else _("The pages of its frames show it."))
    return WholeImage(image.kind, what, why_not, src)


def _call(number: int, call: engine.Call, addresses: Addresses, of_calls: OfCalls) -> WholeCall:
    return WholeCall(
        id=text(call.id),
        name=text(call.name),
        arguments=WholeText.of(_laid_out(call.arguments), addresses.text_of(call=number)),
        is_open=call.id in of_calls.open_ids,
        replies=of_calls.replies.get(call.id, ()),
    )


def _laid_out(arguments: str) -> str:
    """Arguments laid out where they are JSON, as they are where not: a stream that was cut leaves any text."""
    if len(arguments) > LONGEST:
        return arguments
    try:
        return pretty(jsontext.loads(arguments))
    except engine.MalformedJSON:
        return arguments

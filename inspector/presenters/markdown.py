"""Markdown of others as HTML: no markup of its own, nothing that loads, no link but to where it says.

Two walls: the parser is given no HTML, no images and no other schemes, and what it made is cleaned by an allow-list.
"""

import re
from collections.abc import Sequence
from typing import Any, Final

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token

from sessions_app import jsontext

LONGEST: Final = 200_000
"""Characters that are rendered; what is longer is read raw."""

_LINK: Final = re.compile(r"https?://[^/?#\\\s]|mailto:[^\s]", re.IGNORECASE)
_HEADINGS_BELOW: Final = 2  # the page's own heading, and the section's

_CLEAN: Final = nh3.Cleaner(
    tags={
        *("p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "em", "strong", "s", "a"),
        *("ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td"),
    },
    attributes={"a": {"href"}, "ol": {"start"}},
    url_schemes={"http", "https", "mailto"},
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
)


def render(text: str) -> SafeString:
    """Raises ValueError for a text over LONGEST."""
    if len(text) > LONGEST:
        raise ValueError("too long to be rendered")
    tokens = _PARSER.parse(jsontext.printable(text))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(6, int(token.tag[1:]) + _HEADINGS_BELOW)}"
    html = _PARSER.renderer.render(tokens, _PARSER.options, {})
    return mark_safe(_CLEAN.clean(html))


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        """What is refused stays in the text as it was written."""
        return _LINK.match(url) is not None


def _image_as_text(renderer: Any, tokens: Sequence[Token], index: int, options: Any, env: Any) -> str:
    image = tokens[index]
    written = f"![{image.content}]({image.attrGet('src')})"
    return f"<code>{escapeHtml(written)}</code>"


_PARSER: Final = _Parser("commonmark", {"html": False, "linkify": False, "typographer": False})
_PARSER.enable(["table", "strikethrough"])
_PARSER.add_render_rule("image", _image_as_text)

"""Markdown that others wrote: read as text, never as markup; nothing of it loads, and a link leads where it says."""

from html.parser import HTMLParser
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.presenters.markdown import LONGEST, render

TAGS = {"p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "em", "strong", "s", "a", "ul", "ol"}
TAGS |= {"li", "table", "thead", "tbody", "tr", "th", "td"}


class Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(html: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = Elements()
    parser.feed(html)
    return parser.found


def links(text: str) -> list[str | None]:
    return [attributes.get("href") for tag, attributes in elements(render(text)) if tag == "a"]


def assert_harmless(html: str) -> None:
    for tag, attributes in elements(html):
        assert tag in TAGS
        assert set(attributes) <= ({"href", "rel"} if tag == "a" else {"start"} if tag == "ol" else set())
        if (href := attributes.get("href")) is not None:
            assert urlsplit(href).scheme in ("http", "https", "mailto")
            assert attributes["rel"] == "noopener noreferrer nofollow"


def test_markdown_is_laid_out() -> None:
    html = render("# One\n\n**two** ~~three~~ `four`\n\n1. five\n\n> six\n\n|a|b|\n|-|-:|\n|c|d|\n")
    for piece in ("<h3>One</h3>", "<strong>two</strong>", "<s>three</s>", "<code>four</code>", "<li>five</li>"):
        assert piece in html
    assert "<td>c</td>" in html


@pytest.mark.parametrize("url", ["https://example.org/a?b=1", "http://example.org", "mailto:ann@example.org"])
def test_a_link_may_lead_to_the_web_and_to_mail(url: str) -> None:
    assert links(f"[x]({url})") == [url]


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "&#106;avascript:alert(1)",
        "java&#10;script:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "data:image/png;base64,AAAA",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example",
        "\\\\evil.example",
        "https:evil.example",
        "https:///evil.example",
        "https://\\evil.example",
        "/logout/",
        "?do=delete",
        "#main",
        "http://[",
        "",
    ],
)
@pytest.mark.parametrize("form", ["[x]({})", "[x](<{}>)", "<{}>", "[x][1]\n\n[1]: {}", "[![y]({})]({})"])
def test_no_other_link_is_made(url: str, form: str) -> None:
    html = render(form.replace("{}", url))
    assert_harmless(html)
    assert "href" not in html


def test_an_address_in_the_text_is_no_link() -> None:
    assert links("see https://example.org and www.example.org and ann@example.org") == []


@pytest.mark.parametrize(
    "html",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "<style>*{display:none}</style>",
        "</div></main><form action=/><button>",
        "<svg onload=alert(1)>",
        "<!--",
        "<iframe src=//evil.example>",
        "x <b onclick=alert(1)>y</b>",
        "&lt;script&gt;",
    ],
)
def test_html_is_text(html: str) -> None:
    rendered = render(html)
    assert_harmless(rendered)
    assert {tag for tag, _ in elements(rendered)} == {"p"}


@pytest.mark.parametrize(
    "url", ["https://example.org/a.png", "data:image/png;base64,AAAA", "/sessions/", "//e.example"]
)
def test_an_image_is_its_address(url: str) -> None:
    html = render(f'![<b>alt</b>]({url} "title")')
    assert_harmless(html)
    assert url in html


def test_what_no_page_can_carry_is_replaced() -> None:
    assert "a\ufffdb\ufffd" in render("a\0b\ud800")


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        render("x" * (LONGEST + 1))


PIECES = [
    "[",
    "]",
    "(",
    ")",
    "!",
    "<",
    ">",
    "*",
    "_",
    "`",
    "\n",
    "    ",
    "#",
    "- ",
    "|",
    "&",
    ";",
    "\\",
    '"',
    ":",
    "//",
]
PIECES += [
    "http",
    "https://",
    "javascript:",
    "mailto:",
    "data:",
    "x",
    "1.",
    "[1]: ",
    "<a href=",
    "onerror=",
    "%",
    "\ud800",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=40).map("".join))
def test_whatever_is_written_is_harmless(text: str) -> None:
    assert_harmless(render(text))

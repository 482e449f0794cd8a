"""The checker of HTML finds what it is there for, and says nothing of what is right."""

import pytest

from tests.inspector.valid_html import faults

PAGE = '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>T</title></head><body>{}</body></html>'
RIGHT = """<main><h1>T</h1><a href="#q"><div>in</div></a><ul><li>x</ul><dl><div><dt>a<dd>b</div></dl>
<form><label for="q">Q</label><input id="q" name="q"><label>R <select><option>1</select></label></form>
<details><summary>S</summary><p>x</details><svg viewBox="0 0 1 1"><path d="M0 0" /></svg>
<table><caption>C</caption><tr><th scope="row">a<td>b</table></main>"""


def test_nothing_is_said_of_a_page_that_is_right() -> None:
    assert faults(PAGE.format(RIGHT)) == []


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<p>a<div>b</div></p>", "Unexpected end tag (p)"),
        ("<span/>", "Trailing solidus"),
        ("<table><div>x</div></table>", "table context"),
        ('<p id="a" id="b">x</p>', "duplicate attribute"),
        ("<p>&amp</p>", "didn't end with ';'"),
        ("<span><div>x</div></span>", "<div> may not stand in <span>"),
        ("<ul><p>x</p></ul>", "<p> may not be a child of <ul>"),
        ("<p><a href='/'><button>x</button></a></p>", "may not stand in a link or a button"),
        ("<details><p>x</p><summary>S</summary></details>", "must come first"),
        ("<p arialabel='x'>x</p>", "has no attribute arialabel"),
        ("<center>x</center>", "obsolete"),
        ("<img src='/x'>", "has no alt"),
        ("<p tabindex='3'>x</p>", "order of focus"),
        ("<i id='a'></i><b id='a'></b>", "stands 2 times"),
        ("<input name='q'>", "has no label"),
    ],
)
def test_a_fault_is_named_in_a_page_and_in_a_fragment(html: str, said: str) -> None:
    assert any(said in fault for fault in faults(PAGE.format(f"<main><h1>T</h1>{html}</main>")))
    assert any(said in fault for fault in faults(html, fragment=True))


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<label for='nope'>x</label>", "for names no id 'nope'"),
        ("<p aria-describedby='nope'>x</p>", "aria-describedby names no id"),
        ("<a href='#nope'>x</a>", "leads to no id"),
    ],
)
def test_a_reference_must_lead_somewhere_in_a_page_but_may_lead_out_of_a_fragment(html: str, said: str) -> None:
    assert any(said in fault for fault in faults(PAGE.format(f"<main><h1>T</h1>{html}</main>")))
    assert faults(html, fragment=True) == []


def test_a_page_has_a_language_a_title_one_heading_and_one_main() -> None:
    assert faults("<!DOCTYPE html><html><head><title></title></head><body><h1>A</h1><h1>B</h1></body></html>") == [
        "<html> names no language",
        "<main> stands 0 times",
        "<h1> stands 2 times",
        "<title> is empty",
        "no <meta> names the charset",
    ]


def test_rows_are_a_fragment_of_a_table_body() -> None:
    assert faults("<tr><td>x</td></tr>", fragment=True, inside="tbody") == []
    assert faults("<tr><td>x</td></tr>", fragment=True)

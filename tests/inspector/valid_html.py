"""Whether HTML is valid, as far as a program without a network and without Java can say.

- The text is parsed as the standard says (html5lib), and each error that a browser would silently repair is a fault:
  tags that close too early or not at all, what may not stand in a table or a paragraph, doubled attributes, references
  without a semicolon.
- The tree is held against the standard's rules that pages break in practice: where an element may stand, which
  attributes there are, ids once, references (for, aria-…, #…) to something that exists, a name for each field.

What it does not know: most values of attributes, the order of `dt` and `dd`, headings and tables beyond their parsing,
the inside of `svg`, `template` (its content is read as if it stood outside), CSS. `hx-…` attributes count as known.
What needs the finished page, as roles and names that are computed, is axe's (axe.py).
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element

import html5lib
from html5lib.constants import E as MESSAGES


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SVG = "{http://www.w3.org/2000/svg}"

PHRASING = _words(
    "a abbr audio b bdi bdo br button canvas cite code data datalist del dfn em embed i iframe img input ins kbd label "
    "map mark math meter noscript object output picture progress q ruby s samp script select slot small span strong "
    "sub sup svg template textarea time u var video wbr"
)
HOLD_PHRASING = _words(
    "abbr b bdi bdo button cite code data dfn em h1 h2 h3 h4 h5 h6 i kbd label mark meter output p pre progress q s "
    "samp small span strong sub sup time u var"
)
CHILDREN = {
    "ul": {"li"},
    "ol": {"li"},
    "menu": {"li"},
    "dl": {"dt", "dd", "div"},
    "select": {"option", "optgroup", "hr"},
    "optgroup": {"option"},
    "datalist": {"option"} | PHRASING,
    "table": {"caption", "colgroup", "thead", "tbody", "tfoot"},
    "tr": {"td", "th"},
}
PARENTS = {
    "li": {"ul", "ol", "menu"},
    "dt": {"dl", "div"},
    "dd": {"dl", "div"},
    "summary": {"details"},
    "legend": {"fieldset"},
    "figcaption": {"figure"},
    "caption": {"table"},
}
FIRST_IN = {"summary": "details", "legend": "fieldset", "caption": "table"}
ANYWHERE = {"script", "template"}
INTERACTIVE = {"a", "button", "details", "embed", "iframe", "label", "select", "textarea", "input"}
HOLD_NO_INTERACTIVE = {"a", "button"}
NOT_WITHIN = {
    "form": {"form"},
    "label": {"label"},
    "main": {"article", "aside", "footer", "header", "nav"},
    "header": {"header", "footer"},
    "footer": {"header", "footer"},
    "dfn": {"dfn"},
}
SECTIONING = {"article", "aside", "nav", "section", "main", "dialog", "li", "td"}
FIELDS = {"input", "select", "textarea"}
LABELABLE = FIELDS | {"button", "meter", "output", "progress"}

GLOBAL = _words(
    "accesskey autocapitalize autofocus class contenteditable dir draggable enterkeyhint hidden id inert inputmode is "
    "itemid itemprop itemref itemscope itemtype lang nonce popover role slot spellcheck style tabindex title translate"
)
OWN = {
    "a": "download href hreflang ping referrerpolicy rel target type",
    "audio": "autoplay controls crossorigin loop muted preload src",
    "blockquote": "cite",
    "body": "",
    "button": "command commandfor disabled form formaction formenctype formmethod formnovalidate formtarget name "
    "popovertarget popovertargetaction type value",
    "canvas": "height width",
    "col": "span",
    "colgroup": "span",
    "data": "value",
    "del": "cite datetime",
    "details": "name open",
    "dialog": "closedby open",
    "fieldset": "disabled form name",
    "form": "accept-charset action autocomplete enctype method name novalidate rel target",
    "html": "",
    "iframe": "allow allowfullscreen height loading name referrerpolicy sandbox src srcdoc width",
    "img": "alt crossorigin decoding fetchpriority height ismap loading referrerpolicy sizes src srcset usemap width",
    "input": "accept alpha alt autocomplete checked colorspace dirname disabled form formaction formenctype formmethod "
    "formnovalidate formtarget height list max maxlength min minlength multiple name pattern placeholder popovertarget "
    "popovertargetaction readonly required size src step type value width",
    "ins": "cite datetime",
    "label": "for",
    "li": "value",
    "link": "as blocking color crossorigin disabled fetchpriority href hreflang imagesizes imagesrcset integrity media "
    "referrerpolicy rel sizes type",
    "meta": "charset content http-equiv media name",
    "meter": "high low max min optimum value",
    "ol": "reversed start type",
    "optgroup": "disabled label",
    "option": "disabled label selected value",
    "output": "for form name",
    "progress": "max value",
    "q": "cite",
    "script": "async blocking crossorigin defer fetchpriority integrity nomodule referrerpolicy src type",
    "select": "autocomplete disabled form multiple name required size",
    "source": "height media sizes src srcset type width",
    "style": "blocking media",
    "td": "colspan headers rowspan",
    "textarea": "autocomplete cols dirname disabled form maxlength minlength name placeholder readonly required rows "
    "wrap",
    "th": "abbr colspan headers rowspan scope",
    "time": "datetime",
    "video": "autoplay controls crossorigin height loop muted playsinline poster preload src width",
}
OBSOLETE = _words("acronym applet basefont big center dir font frame frameset marquee nobr noframes strike tt xmp")
REFERENCES = {
    *("aria-activedescendant", "aria-controls", "aria-describedby", "aria-details", "aria-errormessage"),
    *("aria-flowto", "aria-labelledby", "aria-owns", "commandfor", "for", "form", "headers", "list", "popovertarget"),
}


def faults(html: str, *, fragment: bool = False, inside: str = "div") -> list[str]:
    """What is wrong, a line each. Of a `fragment`, which stands `inside` such an element, references may lead out."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    root = parser.parseFragment(html, container=inside) if fragment else parser.parse(html)
    lines = html.splitlines()
    said = [
        f"line {line}: {MESSAGES[code] % values} {_around(lines, line, column)!r}"
        for (line, column), code, values in parser.errors
    ]
    tree = Tree(root, whole=not fragment)
    return [*said, *(fault for check in CHECKS for fault in check(tree))]


def _around(lines: list[str], line: int, column: int) -> str:
    return lines[line - 1][max(0, column - 60) : column + 20] if 0 < line <= len(lines) else ""


@dataclass
class Tree:
    root: Element
    whole: bool

    @cached_property
    def elements(self) -> list[tuple[Element, tuple[Element, ...]]]:
        """Those of HTML, each with what it stands in, outermost first."""
        return list(_walk(self.root, ()))

    @cached_property
    def by_id(self) -> dict[str, Element]:
        return {element.attrib["id"]: element for element, _ in self.elements if "id" in element.attrib}


def _walk(element: Element, ancestors: tuple[Element, ...]) -> Iterator[tuple[Element, tuple[Element, ...]]]:
    for child in element:
        if not isinstance(child.tag, str) or child.tag == "DOCUMENT_FRAGMENT":  # a comment
            continue
        yield child, (*ancestors, element)
        yield from _walk(child, (*ancestors, element))


def _name(element: Element) -> str:
    """As a reader finds it: its tag and what tells it from others."""
    told = [
        f'{name}="{element.attrib[name][:60]}"' for name in ("id", "name", "class", "href") if name in element.attrib
    ]
    return f"<{' '.join([element.tag, *told[:2]])}>"


def _in_svg(element: Element) -> bool:
    return element.tag.startswith("{")


def _text(element: Element) -> str:
    return "".join(element.itertext()).strip()


def _placed(tree: Tree) -> Iterator[str]:
    for element, ancestors in tree.elements:
        parent, tag = ancestors[-1], element.tag
        if _in_svg(parent):
            continue
        tag = "svg" if tag == f"{SVG}svg" else tag
        top = len(ancestors) == 1 and not tree.whole  # what it stands in is not known
        holder = next((a.tag for a in reversed(ancestors) if a.tag not in ("a", "ins", "del")), "")
        if holder in HOLD_PHRASING and tag not in PHRASING and not top:
            yield f"{_name(element)} may not stand in {_name(parent)}"
        if parent.tag in CHILDREN and tag not in CHILDREN[parent.tag] | ANYWHERE:
            yield f"{_name(element)} may not be a child of {_name(parent)}"
        if tag in PARENTS and parent.tag not in PARENTS[tag] and not top:
            yield f"{_name(element)} may not be a child of {_name(parent)}"
        if FIRST_IN.get(tag) == parent.tag and parent[0] is not element:
            yield f"{_name(element)} must come first in {_name(parent)}"
        above = {a.tag for a in ancestors}
        if tag in INTERACTIVE and element.attrib.get("type") != "hidden" and above & HOLD_NO_INTERACTIVE:
            yield f"{_name(element)} may not stand in a link or a button"
        if "tabindex" in element.attrib and above & HOLD_NO_INTERACTIVE:
            yield f"{_name(element)} has a tabindex within a link or a button"
        near = _up_to_a_section(ancestors) if tag in ("header", "footer") else above
        if near & NOT_WITHIN.get(tag, set()):
            yield f"{_name(element)} may not stand in {sorted(near & NOT_WITHIN[tag])}"


def _up_to_a_section(ancestors: tuple[Element, ...]) -> set[str]:
    names: set[str] = set()
    for ancestor in reversed(ancestors):
        if ancestor.tag in SECTIONING:
            break
        names.add(ancestor.tag)
    return names


def _attributes(tree: Tree) -> Iterator[str]:
    for element, _ in tree.elements:
        if _in_svg(element):
            continue
        known = GLOBAL | _words(OWN.get(element.tag, ""))
        for name in element.attrib:
            if name not in known and not name.startswith(("aria-", "data-", "hx-")):
                yield f"{_name(element)} has no attribute {name}"
        if element.tag in OBSOLETE:
            yield f"{_name(element)} is obsolete"
        if element.tag == "img" and "alt" not in element.attrib:
            yield f"{_name(element)} has no alt"
        if (
            element.tag == "label"
            and "for" not in element.attrib
            and not any(e.tag in LABELABLE for e in element.iter())
        ):
            yield f"{_name(element)} labels nothing"
        if not re.fullmatch(r"0|-1|", element.attrib.get("tabindex", "")):
            yield f"{_name(element)} changes the order of focus by its tabindex"


def _ids(tree: Tree) -> Iterator[str]:
    counted = Counter(element.attrib["id"] for element, _ in tree.elements if "id" in element.attrib)
    yield from (f'id="{name}" stands {times} times' for name, times in counted.items() if times > 1)
    yield from (f"id={name!r} is empty or holds a space" for name in counted if not name or re.search(r"\s", name))


def _references(tree: Tree) -> Iterator[str]:
    if not tree.whole:
        return
    for element, _ in tree.elements:
        for name in sorted(REFERENCES & element.attrib.keys()):
            named = element.attrib[name].split()
            if not named:
                yield f"{_name(element)}: {name} is empty"
            yield from (f"{_name(element)}: {name} names no id {i!r}" for i in named if i not in tree.by_id)
        target = tree.by_id.get(element.attrib.get("for", "")) if element.tag == "label" else None
        if target is not None and target.tag not in LABELABLE:
            yield f"{_name(element)} labels {_name(target)}, which takes no label"
        href = element.attrib.get("href", "")
        if element.tag == "a" and len(href) > 1 and href[0] == "#" and href[1:] not in tree.by_id:
            yield f"{_name(element)} leads to no id of the page"


def _fields(tree: Tree) -> Iterator[str]:
    labelled = {e.attrib["for"] for e, _ in tree.elements if e.tag == "label" and "for" in e.attrib}
    for element, ancestors in tree.elements:
        if element.tag not in FIELDS or element.attrib.get("type") in ("hidden", "submit", "button"):
            continue
        given = element.attrib.get("id") in labelled or any(a.tag == "label" for a in ancestors)
        if not given and not {"aria-label", "aria-labelledby"} & element.attrib.keys():
            yield f"{_name(element)} has no label"


def _document(tree: Tree) -> Iterator[str]:
    if not tree.whole:
        return
    tags = Counter(element.tag for element, _ in tree.elements)
    html = next(element for element, _ in tree.elements if element.tag == "html") if tags["html"] else tree.root
    if not html.attrib.get("lang"):
        yield "<html> names no language"
    yield from (f"<{tag}> stands {tags[tag]} times" for tag in ("title", "main", "h1") if tags[tag] != 1)
    if not any(_text(element) for element, _ in tree.elements if element.tag == "title"):
        yield "<title> is empty"
    if not any("charset" in element.attrib for element, _ in tree.elements if element.tag == "meta"):
        yield "no <meta> names the charset"


CHECKS = (_placed, _attributes, _ids, _references, _fields, _document)

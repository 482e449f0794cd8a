"""The texts that are marked for translation: read from the sources as they stand, without GNU gettext."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from django.conf import settings
from django.utils.translation.template import templatize

BASE: Final = Path(settings.BASE_DIR)
SOURCES: Final = ("config", "inspector", "sessions_app")

# How many of the first arguments say what: a context, the text, the text for several.
_KINDS: Final = {"gettext": "t", "ngettext": "tn", "pgettext": "ct", "npgettext": "ctn"}
_STRING: Final = r"""u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_CALL: Final = re.compile(rf"\b(n?p?gettext|_)\(({_STRING}(?:, {_STRING})*)")


class Text(NamedTuple):
    context: str | None
    one: str
    several: str | None


def marked_texts() -> set[Text]:
    """All of the product, each once. A text that is used both for one and for several stands there for several."""
    found: set[Text] = set()
    for path in sorted((BASE / "templates").rglob("*.html")):
        found.update(texts_of_template(path.read_text("utf-8")))
    for package in SOURCES:
        for path in sorted((BASE / package).rglob("*.py")):
            found.update(texts_of_module(path.read_text("utf-8")))
    for_several = {(t.context, t.one) for t in found if t.several}
    return {t for t in found if t.several or (t.context, t.one) not in for_several}


def strings_in(folder: Path) -> set[str]:
    """The strings that the modules there hold, whole where they are written in pieces."""
    trees = (ast.parse(path.read_text("utf-8")) for path in folder.rglob("*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def texts_of_template(source: str) -> Iterator[Text]:
    for call in _CALL.finditer(templatize(source)):
        yield _text(call[1].replace("_", "gettext"), ast.literal_eval(f"({call[2]},)"))


def texts_of_module(source: str) -> Iterator[Text]:
    tree = ast.parse(source)
    names = {
        alias.asname or alias.name: alias.name.removesuffix("_lazy").removesuffix("_noop")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and names.get(node.func.id) in _KINDS:
            kind = names[node.func.id]
            given = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            if len(given) >= len(_KINDS[kind]):  # else it is a text that is marked elsewhere
                yield _text(kind, given)


def _text(kind: str, given: list[str]) -> Text:
    said = dict(zip(_KINDS[kind], given, strict=False))
    return Text(said.get("c"), said["t"], said.get("n"))

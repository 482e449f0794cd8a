"""What the tests of the pages share: signing in, forms, and pages as a program reads them."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from django.test import Client

from inspector.heads import tag_of
from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.access.roles import Role
from sessions_app.compression import registry
from sessions_app.compression.parameters import parse_params
from tests.builders import head, make_user


def browser(user: User | None = None, *, role: Role = Role.OPERATOR) -> Client:
    """A browser that is signed in."""
    client = Client()
    client.force_login(user or make_user(role=role))
    return client


def page_of(session_id: str, query: str = "") -> str:
    return f"/sessions/{session_id}/{query}"


def send(client: Client, session_id: str, control: str, **fields: Any) -> Any:
    """Send a form as the page has it: with the head that is current now, unless another is given."""
    form = {"head": tag_of(head(session_id)), **fields}
    return client.post(page_of(session_id, f"{control}/"), {k: v for k, v in form.items() if v is not None})


def htmx(client: Client, url: str, target: str) -> Any:
    return client.get(url, headers={"HX-Request": "true", "HX-Target": target})


def compress(session_id: str, name: str = "sliding_window", **params: Any) -> engine.Written:
    strategy = registry.find(name)
    return engine.compress(session_id=session_id, strategy=strategy, params=parse_params(strategy, params))


def text_of(response: Any) -> str:
    return str(response.content.decode())


VOID = {"meta", "link", "input", "br", "img", "hr", "path", "rect", "source"}


@dataclass
class Page(HTMLParser):
    """Elements by their tag and attributes, in order, and the text of each by its id."""

    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[tuple[str, str | None]] = []

    @classmethod
    def of(cls, response: Any) -> "Page":
        page = cls()
        page.feed(text_of(response))
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.elements.append((tag, attributes))
        if tag not in VOID:
            self._open.append((tag, attributes.get("id")))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self._open:
            opened, _ = self._open.pop()
            if opened == tag:
                break

    def handle_data(self, data: str) -> None:
        for _, element_id in self._open:
            if element_id:
                self.texts[element_id] = self.texts.get(element_id, "") + data

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [a for t, a in self.elements if t == tag and all(a.get(n) == v for n, v in wanted.items())]

    @property
    def ids(self) -> list[str]:
        return [value for _, a in self.elements if (value := a.get("id"))]

    @property
    def links(self) -> list[str]:
        return [value for _, a in self.elements if (value := a.get("href"))]

    def field(self, name: str) -> str | None:
        return next(a.get("value") for t, a in self.elements if t == "input" and a.get("name") == name)

    def text(self, element_id: str) -> str:
        return re.sub(r"\s+", " ", self.texts.get(element_id, "")).strip()

"""The pages in Chinese: every text that is marked has its translation, and it is the one that was compiled."""

import json
import re
from typing import Any, Final

import polib
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils.translation import override

from inspector.wording import PARAMETERS, REASONS, RULES, STRATEGIES, in_words
from inspector.wording_of_imports import LEFT_OUT
from sessions_app import engine
from sessions_app.access.models import User
from sessions_app.compression import registry
from sessions_app.interchange.registry import UnknownFormat
from tests.builders import calls, head, make_session, make_user, react_rounds, reply, says, user
from tests.inspector.pages import Page, browser, compress, page_of, send, text_of
from tests.inspector.texts import BASE, Text, marked_texts, strings_in

CATALOGUE: Final = BASE / "locale/zh_Hans/LC_MESSAGES/django.po"
CHINESE: Final = re.compile("[\u4e00-\u9fff]")
PUNCTUATION: Final = {": ", ", "}
"""What Chinese has in full width, with no blank after it."""
HOLES: Final = re.compile(r"%\(\w+\)s|%%")

ENTRIES: Final = polib.pofile(str(CATALOGUE))


Entry = polib.POEntry | polib.MOEntry


def translations_of(entry: Entry) -> list[str]:
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def key_of(entry: Entry) -> Text:
    return Text(entry.msgctxt or None, entry.msgid, entry.msgid_plural or None)


# --- The catalogue ----------------------------------------------------------------------------


def test_every_text_that_is_marked_is_in_the_catalogue_and_nothing_else_is() -> None:
    assert marked_texts() == {key_of(entry) for entry in ENTRIES}  # else: make messages


def test_every_text_is_translated_and_none_is_a_guess() -> None:
    unsure = [e.msgid for e in ENTRIES if e.fuzzy or e.obsolete or not all(translations_of(e))]
    assert unsure == []


def test_chinese_has_one_form_for_all_numbers() -> None:
    assert ENTRIES.metadata["Plural-Forms"] == "nplurals=1; plural=0;"
    assert {len(e.msgstr_plural) for e in ENTRIES if e.msgid_plural} == {1}


def test_a_translation_fills_in_what_its_text_fills_in() -> None:
    def holes(text: str) -> list[str]:
        return sorted(HOLES.findall(text))

    other = [e.msgid for e in ENTRIES for said in translations_of(e) if holes(said) != holes(e.msgid_plural or e.msgid)]
    assert other == []


def test_a_translation_is_chinese_but_where_it_is_a_name() -> None:
    names = {"Markdown", "head", "%(n)s tokens", "tokens", "<1 %"}
    joints = {"%(n)s: %(note)s", "%(first)s, %(more)s", "%(told)s; %(more)s", "{where}: {what}", *PUNCTUATION}
    assert {e.msgid for e in ENTRIES if not all(map(CHINESE.search, translations_of(e)))} == names | joints


def test_a_translation_begins_and_ends_as_its_text_does() -> None:
    """A space or a line break at its ends joins it to what stands beside it."""
    other = [
        e.msgid
        for e in ENTRIES
        for said in translations_of(e)
        if e.msgid not in PUNCTUATION
        and (said[:1].isspace(), said[-1:].isspace()) != (e.msgid[:1].isspace(), e.msgid[-1:].isspace())
    ]
    assert other == []


def test_what_was_compiled_is_what_the_catalogue_says() -> None:
    compiled = polib.mofile(str(CATALOGUE.with_suffix(".mo")))
    assert {key_of(e): translations_of(e) for e in compiled} == {key_of(e): translations_of(e) for e in ENTRIES}
    assert compiled.metadata["Plural-Forms"] == ENTRIES.metadata["Plural-Forms"]


def test_scripts_have_no_words_of_their_own() -> None:
    """They take them from the page, which has them in the reader's language."""
    sentence = re.compile(r"""["'`][A-Z][a-z']+ [a-z]+ [^"'`]*["'`]""")
    for path in sorted((BASE / "static").rglob("*.js")):
        code = re.sub(r"(^|\s)//.*", "", path.read_text("utf-8"))
        assert sentence.findall(code) == [], path.name


# --- What the engine and the strategies say ------------------------------------------------------


def test_what_a_built_in_strategy_says_of_itself_is_marked() -> None:
    said = set()
    for kind in registry.BUILT_IN:
        assert kind().summary in STRATEGIES
        for name, member in kind.Params.model_json_schema().get("properties", {}).items():
            said |= {name.replace("_", " ").capitalize(), member["description"]}
    assert said == set(PARAMETERS)
    assert len(registry.BUILT_IN) == len(STRATEGIES)


def test_the_reasons_of_an_interruption_are_marked() -> None:
    assert set(engine.REASONS.values()) == set(REASONS)


def _state() -> engine.SessionState:
    return engine.reads.session_state(make_session(user(), says()))


def _refusals() -> dict[str, Any]:
    """Each refusal that a page can show, by what makes it."""
    return {
        "no session": lambda: engine.SessionNotFound("x"),
        "no frame": lambda: engine.FrameNotFound("x", 7),
        "no version": lambda: engine.VersionNotFound("x", 7),
        "not kept": lambda: engine.VersionNotKept("x", 7),
        "exists": lambda: engine.SessionExists("x"),
        "diverged": lambda: engine.HistoryDiverged("x", steps=1),
        "damaged": engine.DamagedMessage,
        "format": lambda: UnknownFormat("The file is JSON, but of no known format."),
        "stale": lambda: engine.StaleHead(expected=_state().head, actual=_state(), missed=[]),
        "no head": lambda: engine.HeadRequired(actual=_state()),
        "open calls": lambda: engine.OpenToolCalls(
            actual=_state(), calls=[engine.OpenCall(id="c1", name="run", seq=2)], pointer="/messages/0/role"
        ),
        "unmatched": lambda: engine.UnmatchedToolReply(actual=_state(), pointer="/messages/0", tool_call_id="c9"),
    }


@pytest.mark.django_db
@pytest.mark.parametrize("name", list(_refusals()))
def test_a_refusal_of_the_engine_is_said_in_the_reader_s_language(name: str) -> None:
    said = str(_refusals()[name]())
    assert in_words(said) == said
    with override("zh-hans"):
        assert CHINESE.search(in_words(said))


@pytest.mark.parametrize("sentence", RULES)
def test_a_rule_that_a_strategy_meets_is_said_in_the_reader_s_language_with_the_refusal(sentence: str) -> None:
    why = sentence % {"after": 9, "before": 8} if "%(" in sentence else sentence
    said = f"The window cannot be compressed without breaking rule 2: {why}."
    assert in_words(said) == said
    with override("zh-hans"):
        assert why not in in_words(said)


@pytest.mark.parametrize(("sentences", "place"), [(RULES, "engine"), (LEFT_OUT, "interchange")])
def test_a_sentence_is_worded_here_as_it_is_where_it_is_said(sentences: tuple[str, ...], place: str) -> None:
    said = strings_in(BASE / "sessions_app" / place)
    assert [s for s in sentences if "%(" not in s and s not in said] == []


def test_a_text_that_is_none_of_ours_is_shown_as_it_is() -> None:
    with override("zh-hans"):
        assert in_words("Keep every second message.") == "Keep every second message."
        assert in_words("") == ""


# --- The pages -------------------------------------------------------------------------------


@pytest.fixture
def ann() -> User:
    return make_user("ann")


@pytest.fixture
def session_id(ann: User) -> str:
    made = make_session(user(), says(), *react_rounds(8, start=10), owner=ann)
    compress(made)
    engine.append(session_id=made, messages=[calls("open-1")], expected=head(made))
    return made


def chinese(client: Client, path: str) -> tuple[Page, Any]:
    response = client.get(path, headers={"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.5"})
    return Page.of(response), response


ENGLISH: Final = tuple(e.msgid for e in ENTRIES if e.msgid.count(" ") >= 2 and "%" not in e.msgid)


def assert_chinese(page: Page, response: Any, *told: str) -> None:
    assert page.all("html")[0]["lang"] == "zh-hans"
    source = re.sub(r"(?s)<pre.*?</pre>", "", text_of(response))  # examples of the API stay as they are
    for words in told:
        assert words in source
    assert [text for text in ENGLISH if text in source] == []


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("", "原始帧"),
        ("?do=compress", "压缩窗口"),
        ("?do=compress&strategy=digest", "保护轮数"),
        ("?do=recover", "恢复未完成调用"),
        ("?do=append", "追加消息"),
        ("?do=rename", "标题和标签"),
        ("?do=history", "窗口历史"),
        ("?do=restore", "还原版本"),
        ("?do=delete", "删除会话"),
        ("?compare=1", "从 v1 到 v2"),
        ("?version=1", "回到当前窗口"),
        ("?q=upload", "共"),
        ("?pin=f3-5", "已钉住"),
        ("frames/2/", "去向"),
        ("context/2/1/", "对应"),
        ("?do=policy", "压缩方案"),
        ("compare/", "各帧的去向"),
        ("compare/?s1=digest&s2=summarize&s3=cascade&open=1&against=2", "候选窗口"),
        ("replay/", "哪种策略最适合它？"),
        ("replay/?s1=digest&s2=cascade&limit=400&go=1", "次压缩"),
    ],
)
def test_a_session_s_pages_are_chinese(ann: User, session_id: str, query: str, told: str) -> None:
    page, response = chinese(browser(ann), page_of(session_id, query))
    assert response.status_code == 200
    assert_chinese(page, response, told)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/", "还没有会话"),
        ("/?q=none", "没有匹配的会话"),
        ("/import/", "支持的格式"),
        ("/tokens/", "创建令牌"),
        ("/nowhere/", "此处没有内容"),
        ("/?state=none", "无法识别此地址"),
        ("/problems/", "问题类型"),
        ("/problems/stale-head/", "会话已变化"),
    ],
)
def test_the_other_pages_are_chinese(ann: User, path: str, told: str) -> None:
    assert_chinese(*chinese(browser(ann), path), told)


@pytest.mark.django_db
def test_the_list_and_its_figures_are_chinese(ann: User, session_id: str) -> None:
    assert_chinese(*chinese(browser(ann), "/"), "等待工具 · 1 个未完成", "未完成调用", "最近更改")


@pytest.mark.django_db
def test_signing_in_is_chinese_with_the_words_of_django() -> None:
    page, response = chinese(Client(), "/login/")
    assert_chinese(page, response, "登录", "密码")


@pytest.mark.django_db
def test_a_form_that_is_refused_says_so_in_chinese(ann: User, session_id: str) -> None:
    client = browser(ann)
    client.cookies["django_language"] = "zh-hans"
    response = send(client, session_id, "restore", version="2")
    assert response.status_code == 409
    assert_chinese(Page.of(response), response, "版本 2 就是当前窗口。", "请减少保护的轮数")


@pytest.mark.django_db
def test_a_parameter_that_is_refused_says_so_in_chinese(ann: User, session_id: str) -> None:
    client = browser(ann)
    client.cookies["django_language"] = "zh-hans"
    form = {"strategy": "sliding_window", "p.protect_rounds": "0", "act": "preview"}
    response = send(client, session_id, "compress", **form)
    assert_chinese(Page.of(response), response, "应大于或等于 1", "请更正表单后重新提交。")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "told"),
    [("compare/?s1=cascade&s1.target=-1", "应大于 0"), ("replay/?s1=none&limit=0", "应大于或等于 1")],
)
def test_a_page_that_is_asked_for_wrongly_says_so_in_chinese(ann: User, session_id: str, query: str, told: str) -> None:
    page, response = chinese(browser(ann), page_of(session_id, query))
    assert response.status_code == 400
    assert_chinese(page, response, told)


@pytest.mark.django_db
def test_the_report_on_a_file_is_chinese_with_what_it_leaves_out(ann: User) -> None:
    client = browser(ann)
    client.cookies["django_language"] = "zh-hans"
    file = SimpleUploadedFile("a.json", json.dumps([user(), says(), reply("lost")]).encode())
    response = client.post("/import/", {"file": file, "act": "look"})
    assert_chinese(Page.of(response), response, "此文件将生成 1 个会话", "没有对应的调用；保留为原始帧，不在任何窗口")


@pytest.mark.django_db
def test_the_switch_in_the_foot_makes_the_pages_chinese_and_english_again(ann: User) -> None:
    client = browser(ann)
    for language, told in (("zh-hans", "导入"), ("en", "Import")):
        client.post("/i18n/setlang/", {"next": "/import/", "language": language})
        response = client.get("/import/")
        assert Page.of(response).all("html")[0]["lang"] == language
        assert f"<h1>{told}</h1>" in text_of(response)

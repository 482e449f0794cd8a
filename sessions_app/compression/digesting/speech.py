"""What people and agents say, in English and Chinese: constraints, decisions, plans, and the things they name."""

import re
from collections.abc import Iterator
from typing import Final

from sessions_app.compression.digesting.bounded import ends, one_line

# A sentence ends at a line break, at a Chinese full stop, or at a Latin one with a space behind it: not in `setup.py`.
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?;])[ \t]|(?<=[。！？；])|\n")
_BULLET = re.compile(r"(?:[-*•>#+]{1,6}|\d{1,3}[.)、．])[ \t]?")

_CONSTRAINT = re.compile(
    r"""\b(?:must(?:n['’]t)?|never|should[ ]not|shouldn['’]t|shall[ ]not|may[ ]not|always|make[ ]sure|ensure|avoid
      |at[ ](?:most|least)|no[ ](?:more|less|fewer)[ ]than|forbidden|prohibited|not[ ]allowed|under[ ]no[ ]circumstances
      |(?:is|are)[ ]required|use[ ]only|only[ ](?:use|change|touch|edit|modify|work))\b
    |(?:^|[,;:–—-][ ]{0,2}|\b(?:please|and|but|so|you|then)[ ])(?:do[ ]not|don['’]t)\b
    |必须|必須|不要|不能|不得|不可以|禁止|务必|務必|不许|不許|只能|只允许|仅限|一定要|切勿|请勿|請勿|避免|严禁|嚴禁|不允许|不准|始终|千万
    |别(?:改|动|用|删|碰|写|加|把|在|再|忘)""",
    re.VERBOSE | re.IGNORECASE,
)
_DECISION = re.compile(
    r"""\b(?:I|we)(?:['’]ll|[ ]will|(?:['’]m|['’]re|[ ]am|[ ]are)[ ]going[ ]to)[ ](?:use|go[ ]with|keep|choose|switch)\b
    |\b(?:decided|decision|going[ ]with|settled[ ]on|chose|opted|instead[ ]of|rather[ ]than|turns[ ]out|in[ ]conclusion
      |let['’]s[ ](?:use|go[ ]with|keep|switch)|the[ ](?:root[ ])?(?:cause|problem|reason)[ ](?:is|was))\b
    |决定|決定|决策|采用|採用|选用|选择了|改用|改为|结论|根因|根本原因|原因是|方案[是为]""",
    re.VERBOSE | re.IGNORECASE,
)

_BOX = re.compile(r"^[ \t]{0,12}(?:[-*+]|\d{1,3}[.)])[ \t]\[([ xX~-])\][ \t]?(.{1,300})", re.MULTILINE)
_PLAN_TITLE = re.compile(
    r"^[ \t#*]{0,8}(?:(?:the|my|our|updated|new|current)[ ]){0,2}"
    r"(?:plan|to-?dos?|next[ ]steps|remaining|计划|待办|步骤|下一步|接下来)[^\n]{0,40}$",
    re.MULTILINE | re.IGNORECASE,
)
_PLAN_ITEM = re.compile(r"[ \t]{0,12}(?:[-*+•]|\d{1,3}[.)、．])[ \t]?(\S.{0,300})")
MARKS: Final = {" ": "[ ]", "x": "[x]", "X": "[x]", "~": "[~]", "-": "[~]"}
PLAN_STEPS: Final = 40

_URL = re.compile(r"https?://[^\s<>\"'`()\[\]{}（）【】《》，。；、]{3,200}")
_COMMIT = re.compile(r"\b(?:commit|revision|sha|提交)[ :#]{1,3}`?([0-9a-f]{7,40})\b|\b([0-9a-f]{40})\b", re.IGNORECASE)
_COMMITTED = re.compile(r"^\[[\w./ ()-]{1,80} ([0-9a-f]{7,40})\]", re.MULTILINE)
_UUID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE)
_NAMED_ID = re.compile(r"\b([A-Za-z_]{0,30}(?:_id|Id|ID)|id)[\"']?\s?[:=]\s?[\"']?([\w-]{4,64})\b")
_TICKET = re.compile(
    r"(?<![\w&])#\d{1,7}\b|\b(?!UTF-|SHA-|ISO-|RFC-|CVE-)[A-Z][A-Z0-9]{1,9}-\d{1,7}\b|\bCVE-\d{4}-\d{4,7}\b"
)
_REFERENCES_A_MESSAGE = 12


def constraints_in(text: str) -> Iterator[str]:
    return (s for s in _sentences(text) if _CONSTRAINT.search(s))


def decisions_in(text: str) -> Iterator[str]:
    return (s for s in _sentences(text) if _DECISION.search(s))


def _sentences(text: str) -> Iterator[str]:
    for piece in _BETWEEN_SENTENCES.split(ends(text)):
        sentence = _BULLET.sub("", one_line(piece), count=1) if _BULLET.match(piece.lstrip()) else one_line(piece)
        if len(sentence) > 3:
            yield sentence


def plan_in(text: str) -> list[str]:
    """The steps of a list with boxes, else of the list under a title such as "Plan" or 计划."""
    seen = ends(text)
    boxes = [f"{MARKS[mark]} {one_line(step)}" for mark, step in _BOX.findall(seen)]
    return (boxes or _listed_steps(seen))[:PLAN_STEPS]


def _listed_steps(text: str) -> list[str]:
    steps: list[str] = []
    for title in list(_PLAN_TITLE.finditer(text))[-3:]:
        found: list[str] = []
        for line in text[title.end() : title.end() + 6_000].split("\n"):
            item = _PLAN_ITEM.match(line)
            if item is not None:
                found.append(f"[ ] {one_line(item[1])}")
            elif line.strip():
                break
        if len(found) > 1:
            steps = found
    return steps


def references_in(text: str, *, is_result: bool = False) -> Iterator[str]:
    """URLs, commits, tickets and ids. Of a tool's result only commits and ids: a page of search results is all URLs."""
    seen = ends(text)
    found = list(_ids(seen))
    if not is_result:
        found += [url.rstrip(".,;:!?") for url in _URL.findall(seen)]
        found += _TICKET.findall(_URL.sub(" ", seen))
    return iter([one_line(f, 220) for f in dict.fromkeys(found)][-_REFERENCES_A_MESSAGE:])


def _ids(text: str) -> Iterator[str]:
    for pattern in (_COMMITTED, _COMMIT):
        for found in pattern.finditer(text):
            yield f"commit {next(filter(None, found.groups()))}"
    yield from _UUID.findall(text)
    for name, value in _NAMED_ID.findall(text):
        if any(c.isdigit() for c in value):
            yield f"{name} {value}"

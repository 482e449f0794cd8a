"""What a tool's reply says: that it failed, that it was never seen, how a test run or a build ended.

Every pattern is bounded and looks at the two ends of the text only: a reply may have millions of characters.
"""

import re
from collections import deque

from sessions_app.compression.digesting.bounded import ends, one_line

_INTERRUPTED = re.compile(r"interrupted|中断", re.IGNORECASE)
_UNKNOWN = re.compile(r"may or may not|result (?:is )?unknown|结果未知|不确定", re.IGNORECASE)
_INTERRUPTION_LENGTH = 800

_FAILS_AT_START = re.compile(
    r"""[\s<\[("'*#❌✗✖-]{0,8}
    (?: (?:tool[ _])?error[\s"'\])}>]{0,4}(?:[:：!]|executing|running|reading|while|calling|occurred|in[ ])
      | [A-Za-z_][\w.]{0,60}(?:Error|Exception)[\])>]?[ ]?[:(]
      | (?:fatal|panic|failed|failure|abort(?:ed)?|denied|exception)\b[\])>]?[ ]?[:：!]
      | (?:error|failure|failed)[\])>]?\s{0,4}\Z
      | Traceback[ ]\(most[ ]recent
      | (?:bash|sh|zsh|/bin/\w{1,8}):[ ]
      | (?:错误|失败|异常|出错|报错)(?:[:：!！，,]|\s|\Z)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_JSON_ERROR = re.compile(
    r"""\s{0,8}\{[^{}\[\]]{0,300}?"(?:error|errors|err)"\s?:(?!\s?(?:null|""|false|0|\[\]|\{\}))"""
    r"""|\s{0,8}\{[^{}\[\]]{0,300}?"(?:ok|success|succeeded)"\s?:\s?false""",
    re.IGNORECASE,
)
_EXIT_CODE = re.compile(
    r"""\b(?:exit(?:ed)?[ _-]?(?:with[ ])?(?:code|status|value)|exited[ ]with|return[ _]?code)"""
    r"""["']?\s?(?:was|is|of|[:=>(])?\s?\(?(-?[1-9]\d{0,8})\b|退出(?:代)?码[为是]?\s?[:：=]?\s?(-?[1-9]\d{0,8})""",
    re.IGNORECASE,
)
_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(r"^[A-Za-z_][\w.]{0,80}(?:Error|Exception|Interrupt|Exit)\b", re.MULTILINE)
_ERROR_WORD = re.compile(r"(?:Error|Exception)\b|\b(?:error|fatal|panic)\b|错误|失败|异常", re.IGNORECASE)

_CHECK = re.compile(
    r"""\b\d{1,7}[ ](?:passed|failed|passing|failing)\b
      | \bRan[ ]\d{1,7}[ ]tests?\b
      | \bTests?(?:[ ]run)?:[ ]{1,8}\d
      | \btest[ ]result:[ ]
      | \bBUILD[ ](?:SUCCESS|FAIL)
      | \b[Bb]uild[ ](?:succeeded|failed|completed|finished)\b
      | \bcompiled[ ](?:successfully|with)\b
      | \b[Cc]ompilation[ ](?:failed|succeeded)\b
      | \bFound[ ]\d{1,6}[ ]errors?\b
      | \bAll[ ](?:checks|tests)[ ]passed\b
      | \bSuccess:[ ]no[ ]issues[ ]found\b
      | ^(?:ok|FAIL|---[ ]FAIL:)[ \t]{1,4}[\w./-]
      | ^FAILED[ ]\((?:failures|errors)=
      | \bmake(?:\[\d+\])?:[ ]\*{3}
      | (?:测试|用例|构建|编译|打包)[^\n。]{0,20}(?:通过|成功|失败)
      | (?:通过|失败)[ ：:]{0,3}\d{1,6}[ ]?(?:个|项|条)""",
    re.VERBOSE | re.MULTILINE,
)


def placeholder(tool: str) -> str:
    """What stands in the place of a result that was cleared."""
    return f"[old result of {one_line(tool, 80)}, cleared]"


def is_interruption(text: str) -> bool:
    """Whether a reply says that the call was interrupted and its result is not known, as a recovery frame does."""
    if len(text) > _INTERRUPTION_LENGTH:
        return False
    return bool(_INTERRUPTED.search(text) and _UNKNOWN.search(text))


def failure_in(text: str, *, is_error: bool, is_file: bool) -> str | None:
    """The line that says why, if the reply says that it failed.

    `is_file`: the text is a file's content, where a traceback or an exit code tells of another failure than this one.
    """
    seen = ends(text)
    if is_error or _FAILS_AT_START.match(seen) or _JSON_ERROR.match(seen):
        return _telling_line(seen)
    if is_file:
        return None
    return _telling_line(seen) if _TRACEBACK in seen or _EXIT_CODE.search(seen) else None


def _telling_line(text: str) -> str:
    """What was raised; else the first line that speaks of an error; else the first line with anything on it."""
    raised = _last(_RAISED, text)
    told = raised or _ERROR_WORD.search(text)
    return one_line(_line_around(text, told) if told else text.strip())


def check_in(text: str) -> str | None:
    """The last line that tells how a test run or a build ended."""
    seen = ends(text)
    told = _last(_CHECK, seen)
    return one_line(_line_around(seen, told).strip(" =*-\t")) if told else None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = deque(pattern.finditer(text), maxlen=1)
    return found[0] if found else None


def _line_around(text: str, found: re.Match[str]) -> str:
    """The line on which something stands, from at most 160 characters before it."""
    start = max(text.rfind("\n", 0, found.start()) + 1, found.start() - 160)
    stop = text.find("\n", found.end())
    return text[start : stop if stop >= 0 else len(text)]

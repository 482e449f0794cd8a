"""Entities that are more than a word: error lines, commands, quoted strings, constraint sentences."""

import re
from collections.abc import Iterator
from typing import Final

from sessions_app.compression.digesting.speech import constraints_in

_AROUND: Final = 320
"""Code points looked at behind a word that tells of an error, and half as many before it."""
_PARAGRAPH: Final = 16_000
"""Code points of a paragraph without line breaks that are looked at around a word of a constraint."""
_LONGEST_ERROR: Final = 120
_LONGEST_COMMAND: Final = 200

_ERROR_WORDS: Final = (
    "error", "exception", "fatal", "panic", "failed", "failure", "critical", "no such file", "not found", "denied",
    "cannot find", "错误", "失败", "异常", "报错", "出错",
)  # fmt: skip
_RAISED = re.compile(
    r"(?<![\w.])(?:[A-Za-z_]\w{0,40}\.){0,6}[A-Z]\w{0,60}(?:Error|Exception|Interrupt|Exit|Failure)"
    r"(?:\[\w+\])?:[ \t]{0,4}(?=[^\s:])"
)
_BARE = re.compile(
    r"(?:^|[:\]|>✗❌✖][ \t]{0,4}|\bnpm )(?:fatal|error|err!|panic|failed|failure|aborted|exception)"
    r"(?:\[[\w-]{1,20}\]| [A-Z]{1,4}\d{1,6})?[ ]?[:：!][ \t]{0,4}"
    r"(?!(?:str|int|bool|any|none|null|true|false|exception|error|unknown|string|dict|list|object|undefined|self|new|e|err)\b)"
    r"(?=[\w'\"`/.‘“<]{1,200}[ ]?[\w'\"`/.(:]|[^\x00-\x7f])",
    re.IGNORECASE,
)
_LEVEL = re.compile(r"(?<![\w.$'\"])(?:ERROR|FATAL|CRITICAL|SEVERE)\b[\]\s:|-]{1,6}(?=[A-Za-z0-9'\"/\[][^=]{4})")
_FAILED_TEST = re.compile(r"^FAILED (?=\S{1,200}::)|^--- FAIL: (?=\S)")
_PHRASE = re.compile(
    r"[^:\n]{3,120}: ?(?:no such file or directory|command not found|permission denied|connection refused"
    r"|module not found|cannot find (?:module|symbol|package))\b",
    re.IGNORECASE,
)
_IN_JSON = re.compile(r"[\"']err(?:or)?(?:_message|msg)?[\"'] ?: ?[\"'](?=[^\"']{4})", re.IGNORECASE)
_CHINESE = re.compile(r"(?:错误|失败|异常|报错|出错)(?:信息|原因)?[ ]?[:：][ ]?(?=\S)")
_FROM_THEM_ON = (_RAISED, _BARE, _LEVEL, _FAILED_TEST, _IN_JSON, _CHINESE)
_NO_ERROR = re.compile(
    r"[ \t+-]{0,40}(?:except|catch|raise|throw|class|import|from|def|if|elif|return|//|#)\b|\s{0,40}(?://|#|\*)"
)
_AT_ITS_END: Final = " .,;:)]}'\"`…\\"

_CONSTRAINT_WORDS: Final = (
    "must", "never", "should", "shall", "may not", "always", "make sure", "ensure", "avoid", "at most", "at least",
    "no more", "no less", "no fewer", "forbidden", "prohibited", "not allowed", "no circumstances", "required", "only",
    "do not", "don't", "don’t",
)  # fmt: skip
_CHINESE_CONSTRAINT_WORDS: Final = (
    "必须", "必須", "不要", "不能", "不得", "不可以", "禁止", "务必", "務必", "不许", "不許", "只能", "只允许", "仅限",
    "一定要", "切勿", "请勿", "請勿", "避免", "严禁", "嚴禁", "不允许", "不准", "始终", "千万", "别",
)  # fmt: skip

_QUOTED = re.compile(r'"([^"\n]+)"')
_QUOTED_IN_PAIRS = re.compile("[“「]([^“”「」\n]+)[”」]")
_SAYING = re.compile(r"[^\W_][^\\]{2,118}[\w.!?)%。！？]\Z|[一-鿿][^\\]{3,100}\Z")
_CODE = re.compile(r"[={}<>;|]|\(\)|\$\{|%[sd]|\b\w+\(\w*\)|\\n")
_BETWEEN_COMMANDS = re.compile(r"&&|\|\||[;|\n]")
_ASSIGNED = re.compile(r"(?:[A-Za-z_]\w{0,40}=\S{0,200}\s{1,4}|sudo\s{1,4}){1,8}")
_PROGRAM = re.compile(r"[\w./~$@+-]{1,100}\Z")
_PROMPT = re.compile(r"^[ \t]{0,8}(?:[\w@:~/.-]{0,60}[$#]|\$) (\S.{2,300})", re.MULTILINE)
_SHELL_FENCE = re.compile(r"(?:bash|sh|shell|console|zsh|\w{1,12}_bash\w{0,12})?[ \t]{0,4}\n")
_PREPARES: Final = frozenset(
    {
        "cd", "export", "set", "source", "echo", "exit", "true", "false"
    }
)  # fmt: skip
_PROGRAMS: Final = frozenset(
    {
        "git", "gh", "npm", "npx", "pnpm", "yarn", "bun", "cargo", "go", "docker", "kubectl", "make", "pip", "pip3",
        "uv", "poetry", "python", "python3", "node", "deno", "dotnet", "mvn", "gradle", "apt", "apt-get", "brew",
        "systemctl", "terraform", "cat", "head", "tail", "less", "ls", "rm", "cp", "mv", "mkdir", "touch", "tee",
        "sed", "awk", "grep", "rg", "find", "curl", "wget", "pytest", "ruff", "mypy", "black", "tox", "django-admin",
        "manage.py", "./manage.py", "bash", "sh", "zsh", "ssh", "scp", "tar", "unzip", "chmod", "chown", "ps", "kill",
        "psql", "sqlite3", "mysql", "redis-cli", "tsc", "eslint", "prettier", "jest", "vitest", "cmake", "gcc", "g++",
        "rustc", "javac", "java", "ruby", "rails", "bundle", "php", "composer"
    }
)  # fmt: skip


def errors_in(text: str) -> Iterator[str]:
    """From the word that names the error to the end of its line, in lower case, blanks folded."""
    for line in dict.fromkeys(_lines_with(_ERROR_WORDS, text, at_most=_AROUND)):
        if _NO_ERROR.match(line):
            continue
        patterns = _FROM_THEM_ON if ":" in line or "：" in line else (_LEVEL, _FAILED_TEST)
        found = min((m.start() for p in patterns if (m := p.search(line))), default=None)
        if found is None and (phrase := _PHRASE.search(line)):
            yield _folded_error(phrase[0])
        elif found is not None:
            yield _folded_error(line[found:].lstrip(":]|>✗❌✖\"' \t"))


def _folded_error(line: str) -> str:
    return " ".join(line.lower().split())[:_LONGEST_ERROR].rstrip(_AT_ITS_END)


def _lines_with(words: tuple[str, ...], text: str, *, at_most: int) -> Iterator[str]:
    """The lines, or parts of very long ones, that hold any of the words. Plain searches: most texts hold none."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters get longer; then all positions would be wrong
        text = lowered
    for word in words:
        at = lowered.find(word)
        while at >= 0:
            start = max(text.rfind("\n", 0, at) + 1, at - at_most // 2)
            stop = text.find("\n", at, at + at_most)
            stop = stop if stop >= 0 else at + at_most
            yield text[start:stop]
            at = lowered.find(word, stop)


def constraint_sentences_in(text: str) -> Iterator[str]:
    """What must be and must not be, blanks folded, in lower case."""
    words = _CONSTRAINT_WORDS if text.isascii() else _CONSTRAINT_WORDS + _CHINESE_CONSTRAINT_WORDS
    for line in dict.fromkeys(_lines_with(words, text, at_most=_PARAGRAPH)):
        for sentence in constraints_in(line):
            yield sentence.lower().rstrip(" .。!！;；")


def quotes_in(text: str) -> Iterator[str]:
    """Strings of more than one word between quotation marks on one line: a single word is an identifier, or plain."""
    found: list[str] = []
    if '"' in text:
        found += _QUOTED.findall(text.replace('""', ""))  # an empty string and three marks in a row quote nothing
    if "“" in text or "「" in text:
        found += _QUOTED_IN_PAIRS.findall(text)
    for quoted in dict.fromkeys(found):
        if 3 < len(quoted) <= 120 and _is_saying(quoted.strip()):
            yield " ".join(quoted.split())


def _is_saying(quoted: str) -> bool:
    has_words = " " in quoted or not quoted.isascii()
    return has_words and bool(_SAYING.match(quoted)) and not _CODE.search(quoted)


def commands_in(text: str) -> Iterator[str]:
    """Command lines in a text: behind a prompt, in a fenced block, or between backticks if a known program begins."""
    if "$ " in text or "# " in text:
        for line in _PROMPT.findall(text):
            yield from simple_commands(line, known=True)
    fenced = text.split("```")
    for block in fenced[1::2]:
        if (head := _SHELL_FENCE.match(block)) is not None:
            yield from simple_commands(block[head.end() : head.end() + 4_000], known=True)
    for outside in fenced[::2]:
        for ticked in outside.split("`")[1::2]:
            if 3 < len(ticked) < 300 and "\n" not in ticked:
                yield from simple_commands(ticked, known=True)


def simple_commands(line: str, *, known: bool = False) -> Iterator[str]:
    """The commands that a shell line is made of, blanks folded; those of one word, and what only prepares, left out.

    `known`: only those of programs that we know, for a text is not always what it looks like.
    """
    for part in _BETWEEN_COMMANDS.split(line):
        command = part.strip()
        if (assigned := _ASSIGNED.match(command)) is not None:
            command = command[assigned.end() :]
        words = command.split()
        if len(words) < 2 or words[0] in _PREPARES or not _PROGRAM.match(words[0]):
            continue
        if not known or words[0] in _PROGRAMS:
            yield " ".join(words)[:_LONGEST_COMMAND].rstrip()

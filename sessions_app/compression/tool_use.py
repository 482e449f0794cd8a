"""What a call was about: the files it touches, the command it runs, the to-do list it writes. Read off its arguments.

The names of tools and arguments are those of the agents in use; what is none of them is left out, never guessed at.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from sessions_app.compression.bounded import one_line
from sessions_app.compression.speech import MARKS, PLAN_STEPS
from sessions_app.engine import Call

Operation = Literal["read", "edited", "created", "deleted"]
_NAME = 200
_READ_ARGUMENTS = 200_000
"""Longer arguments hold a whole file; what matters of them is looked for by pattern at their beginning."""

_PATH_MEMBERS = (
    "path", "file_path", "filepath", "filename", "file", "target_file", "absolute_path", "notebook_path", "file_name"
)  # fmt: skip
_PATH_PATTERN = re.compile(r'"(?:path|file_path|filepath|filename|file|target_file)"\s?:\s?"([^"\\\n]{1,300})"')
_PATCHED = re.compile(r"^\*\*\* (Add|Update|Delete) File: ([^\n]{1,300})$", re.MULTILINE)
_DIFFED = re.compile(r"^\+\+\+ b/([^\n\t]{1,300})", re.MULTILINE)
_PATCH_OPERATIONS: dict[str, Operation] = {"Add": "created", "Update": "edited", "Delete": "deleted"}

# By the words of a tool's name or of its `command` argument; the first that fits counts.
_OPERATION_WORDS: tuple[tuple[Operation, re.Pattern[str]], ...] = (
    ("deleted", re.compile(r"delete|remove|unlink|删除", re.IGNORECASE)),
    ("edited", re.compile(r"edit|replace|patch|insert|update|append|modif|rename|undo|修改|编辑", re.IGNORECASE)),
    ("created", re.compile(r"create|write|save|new_?file|touch|写入|创建|保存", re.IGNORECASE)),
    ("read", re.compile(r"read|view|open|cat\b|get_file|show|读取|查看", re.IGNORECASE)),
)
_SHELL = re.compile(r"bash|shell|terminal|command|exec|console|\brun\b|powershell|命令", re.IGNORECASE)
_TODO = re.compile(r"todo|plan|task|checklist|待办|计划", re.IGNORECASE)
_DONE = {
    "completed": "x",
    "complete": "x",
    "done": "x",
    "true": "x",
    "in_progress": "~",
    "in-progress": "~",
    "doing": "~",
}

_SEPARATOR = re.compile(r"&&|\|\||[;|\n]")
_REDIRECT = re.compile(r"(?<![\d&>=<-])(>{1,2}) ?([^\s;&|<>'\"(){}]{1,200})")
_PATH_LIKE = re.compile(r"[^\s$*?{}()<>|;&'\"`=,-][^\s$*?{}()<>|;&'\"`=,]{0,200}\Z")
_SHELL_OPERATIONS: dict[str, Operation] = {
    "cat": "read", "head": "read", "tail": "read", "less": "read", "nl": "read", "bat": "read",
    "rm": "deleted", "touch": "created", "tee": "created", "cp": "created", "mv": "created",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call, understood. `label` says in a few words what was tried: a later call with the same one is another try."""

    tool: str
    label: str
    files: tuple[tuple[str, Operation], ...]
    steps: tuple[str, ...]

    @property
    def reads_file(self) -> bool:
        return any(operation == "read" for _, operation in self.files)


def understand(call: Call) -> ToolUse:
    name, arguments = call.name[:_NAME], _arguments(call)
    tool = _label(name)
    command = _command(name, arguments)
    files = tuple(_shell_files(command) if command else _files(name, call.arguments[:_READ_ARGUMENTS], arguments))
    subject = _program(command) if command else (files[0][0] if len(files) == 1 else "")
    return ToolUse(
        tool=tool,
        label=_label(f"{tool} {subject}" if subject else tool),
        files=tuple((one_line(path, 200), operation) for path, operation in files),
        steps=tuple(_steps(arguments)) if _TODO.search(name) else (),
    )


def _label(text: str) -> str:
    """One short line without `: `, which parts a label from what is said of it."""
    return one_line(text, 80).replace(": ", ":")


def _arguments(call: Call) -> dict[str, Any]:
    if len(call.arguments) > _READ_ARGUMENTS:
        found = _PATH_PATTERN.search(call.arguments[:4_000])
        return {"path": found[1]} if found else {}
    try:
        value = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _command(tool: str, arguments: dict[str, Any]) -> str:
    """The command line of a shell call; empty for any other tool."""
    if not _SHELL.search(tool):
        return ""
    value = next((arguments[m] for m in ("command", "cmd", "script", "input", "code") if arguments.get(m)), "")
    if isinstance(value, list):
        words = [w for w in value if isinstance(w, str)]
        value = words[-1] if words[:1] and words[0].endswith("sh") else " ".join(words)
    if not isinstance(value, str):
        return ""
    # What follows the first line of a here-document is a file's content, not commands.
    return value[:2_000].split("\n", 1)[0] if "<<" in value[:2_000] else value[:2_000]


def _program(command: str) -> str:
    """The program and its subcommand: what two tries of the same thing have in common."""
    words: list[str] = []
    for part in _SEPARATOR.split(command):
        words = [w for w in part.split() if not re.match(r"[A-Z_]{1,40}=", w)]
        if words and words[0] not in ("cd", "export", "source", "set", "echo", "mkdir"):
            break
    if len(words) > 2 and words[1] == "-m":
        return " ".join(words[:3])
    told: list[str] = []
    for word in words[:3]:
        if (told and not re.fullmatch(r"[\w@:./+-]{1,60}", word)) or word.startswith("-"):
            break
        told.append(word)
    return " ".join(told)


def _files(tool: str, text: str, arguments: dict[str, Any]) -> Iterator[tuple[str, Operation]]:
    patch = next((v for m in ("patch", "input", "diff") if isinstance(v := arguments.get(m), str)), text)
    patched: list[tuple[str, Operation]] = [
        (path.strip(), _PATCH_OPERATIONS[verb]) for verb, path in _PATCHED.findall(patch)
    ]
    patched += [(path, "edited") for path in _DIFFED.findall(patch)]
    if patched:
        yield from dict.fromkeys(patched)
        return
    path = next((v for m in _PATH_MEMBERS if isinstance(v := arguments.get(m), str) and v.strip()), None)
    operation = _operation(tool, arguments)
    if path is not None and operation is not None:
        yield path, operation


def _operation(tool: str, arguments: dict[str, Any]) -> Operation | None:
    verb = arguments.get("command")
    # An editor with many commands says in its argument which it is; its own name would always read "edit".
    for said in (verb if isinstance(verb, str) and len(verb) < 40 else "", tool):
        for operation, words in _OPERATION_WORDS:
            if said and words.search(said):
                return operation
    return None


def _shell_files(command: str) -> Iterator[tuple[str, Operation]]:
    for arrow, path in _REDIRECT.findall(command):
        if path != "/dev/null" and _PATH_LIKE.match(path):
            yield path, "edited" if len(arrow) > 1 else "created"
    for part in _SEPARATOR.split(_REDIRECT.sub(" ", command)):
        words = part.split()
        if len(words) < 2 or not _PATH_LIKE.match(words[-1]):
            continue
        operation = _sed_operation(words) if words[0] == "sed" else _SHELL_OPERATIONS.get(words[0])
        if operation is not None:
            yield words[-1], operation


def _sed_operation(words: list[str]) -> Operation:
    return "edited" if any(w.startswith("-i") for w in words) else "read"


def _steps(arguments: dict[str, Any]) -> Iterator[str]:
    listed = next(
        (v for m in ("todos", "plan", "items", "tasks", "steps") if isinstance(v := arguments.get(m), list)), []
    )
    for step in listed[:PLAN_STEPS]:
        if isinstance(step, str):
            yield f"[ ] {one_line(step)}"
        elif isinstance(step, dict):
            text = next(
                (
                    v
                    for m in ("content", "step", "title", "text", "description", "task")
                    if isinstance(v := step.get(m), str)
                ),
                "",
            )
            if text.strip():
                yield f"{_mark(step)} {one_line(text)}"


def _mark(step: dict[str, Any]) -> str:
    status = next(
        (step[m] for m in ("status", "state", "done", "completed") if isinstance(step.get(m), str | bool)), ""
    )
    return MARKS[_DONE.get(str(status).lower(), " ")]

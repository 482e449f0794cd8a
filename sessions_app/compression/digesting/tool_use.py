"""What a call was about: the files it touches, what it tried, the to-do list it writes. Read off its arguments.

The names of tools and arguments are those of the agents in use; what is none of them is left out, never guessed at.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sessions_app.compression.digesting.bounded import one_line
from sessions_app.compression.digesting.shell_use import Operation, command_in, files_of, program_of
from sessions_app.compression.digesting.speech import MARKS, PLAN_STEPS
from sessions_app.engine import Call

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
_PLANNING = re.compile(r"todo|plan|task|checklist|待办|计划", re.IGNORECASE)
_DONE = {
    "completed": "x", "complete": "x", "done": "x", "true": "x", "in_progress": "~", "in-progress": "~", "doing": "~"
}  # fmt: skip
_STEP_LISTS = ("todos", "plan", "items", "tasks", "steps")
_STEP_TEXTS = ("content", "step", "title", "text", "description", "task")
_STEP_STATUSES = ("status", "state", "done", "completed")


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
    command = command_in(name, arguments)
    touched = files_of(command) if command else _files(name, call.arguments[:_READ_ARGUMENTS], arguments)
    files = tuple((shown, operation) for path, operation in touched if (shown := one_line(path, 200)))
    subject = program_of(command) if command else (files[0][0] if len(files) == 1 else "")
    return ToolUse(
        tool=tool,
        label=_label(f"{tool} {subject}" if subject else tool),
        files=files,
        steps=tuple(_steps(arguments)) if _PLANNING.search(name) else (),
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


def _files(tool: str, text: str, arguments: dict[str, Any]) -> Iterator[tuple[str, Operation]]:
    patch = _first_text(arguments, ("patch", "input", "diff")) or text
    patched: list[tuple[str, Operation]] = [
        (path.strip(), _PATCH_OPERATIONS[verb]) for verb, path in _PATCHED.findall(patch)
    ]
    patched += [(path, "edited") for path in _DIFFED.findall(patch)]
    if patched:
        yield from dict.fromkeys(patched)
        return
    operation = _operation(tool, arguments)
    if operation is not None:
        yield _first_text(arguments, _PATH_MEMBERS), operation


def _operation(tool: str, arguments: dict[str, Any]) -> Operation | None:
    verb = arguments.get("command")
    # An editor with many commands says in its argument which it is; its own name would always read "edit".
    for said in (verb if isinstance(verb, str) and len(verb) < 40 else "", tool):
        for operation, words in _OPERATION_WORDS:
            if said and words.search(said):
                return operation
    return None


def _steps(arguments: dict[str, Any]) -> Iterator[str]:
    lists = (arguments.get(member) for member in _STEP_LISTS)
    listed = next((value for value in lists if isinstance(value, list)), [])
    for step in listed[:PLAN_STEPS]:
        if isinstance(step, str):
            yield f"[ ] {one_line(step)}"
        elif isinstance(step, dict) and (text := _first_text(step, _STEP_TEXTS)):
            yield f"{_mark(step)} {one_line(text)}"


def _mark(step: dict[str, Any]) -> str:
    statuses = (step.get(member) for member in _STEP_STATUSES)
    status = next((value for value in statuses if isinstance(value, str | bool)), "")
    return MARKS[_DONE.get(str(status).lower(), " ")]


def _first_text(members: dict[str, Any], names: tuple[str, ...]) -> str:
    """The first of the named members that has a text."""
    values = (members.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value.strip()), "")

"""What a shell call was about: which program it ran, and which files that touched. Read off its command line by words.

A command line is never parsed as a shell would: what is not plain is left out, never guessed at.
"""

import re
from collections.abc import Iterator
from typing import Any, Literal

Operation = Literal["read", "edited", "created", "deleted"]

_SHELL = re.compile(r"bash|shell|terminal|command|exec|console|\brun\b|powershell|命令", re.IGNORECASE)
_SEPARATOR = re.compile(r"&&|\|\||[;|\n]")
_REDIRECT = re.compile(r"(?<![\d&>=<-])(>{1,2}) ?([^\s;&|<>'\"(){}]{1,200})")
_PATH_LIKE = re.compile(r"[^\s$*?{}()<>|;&'\"`=,-][^\s$*?{}()<>|;&'\"`=,]{0,200}\Z")
_SHELL_OPERATIONS: dict[str, Operation] = {
    "cat": "read", "head": "read", "tail": "read", "less": "read", "nl": "read", "bat": "read",
    "rm": "deleted", "touch": "created", "tee": "created", "cp": "created", "mv": "created",
}  # fmt: skip
_ASSIGNMENT = re.compile(r"[A-Za-z_]{1,40}=")
_PREPARES = {"cd", "export", "source", "set", "echo", "mkdir"}
"""What stands before the command that matters."""
_HAS_SUBCOMMANDS = {
    "git", "gh", "npm", "npx", "pnpm", "yarn", "bun", "cargo", "go", "docker", "kubectl", "make", "pip", "uv", "poetry",
    "python", "python3", "node", "dotnet", "mvn", "gradle", "apt", "apt-get", "brew", "systemctl", "terraform",
}  # fmt: skip


def command_in(tool: str, arguments: dict[str, Any]) -> str:
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


def program_of(command: str) -> str:
    """The program with its subcommand or its file: what two tries of the same thing have in common."""
    words: list[str] = []
    for part in _SEPARATOR.split(command):
        words = [w for w in part.split() if not _ASSIGNMENT.match(w)]
        if words and words[0] not in _PREPARES:
            break
    told = words[:1]
    if words and words[0] in _HAS_SUBCOMMANDS:
        told = words[:3] if words[1:2] in (["run"], ["compose"], ["-m"]) else words[:2]
    elif words and words[0] in _SHELL_OPERATIONS:
        told = [words[0], *(w for w in words[1:] if not w.startswith("-"))][:2]
    return " ".join(told)


def files_of(command: str) -> Iterator[tuple[str, Operation]]:
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

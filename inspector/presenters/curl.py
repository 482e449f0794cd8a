"""Requests as commands of a POSIX shell.

JSON text is always one line here: JSON escapes each line break that stands in a string. So it can neither end the
here-document that it stands in nor be taken for a part of the command, and between the quoted marks no shell looks for
`$`, backticks or backslashes in it. A here-document also has no limit of length, as an argument has.
"""

from collections.abc import Iterable, Iterator
from shlex import quote
from typing import Final

_END: Final = "MESSAGES"


def append_command(url: str, head: str, messages: Iterable[str]) -> Iterator[str]:
    """Appends them to the session as it stands now; refused if it has moved since. Wants $TOKEN."""
    yield f"curl -sS {quote(url)} \\\n"
    yield '  -H "Authorization: Token $TOKEN" \\\n'
    yield f"  -H {quote(f'If-Match: {chr(34)}{head}{chr(34)}')} \\\n"
    yield f"  -H 'Content-Type: application/json' --data-binary @- <<'{_END}'\n"
    yield '{"messages": '
    yield from json_list(messages)
    yield f"}}\n{_END}\n"


def ask_command(messages: Iterable[str]) -> Iterator[str]:
    """Asks a model for the next message, at any endpoint like OpenAI's. Wants $BASE_URL, $API_KEY and $MODEL."""
    yield f'{{ printf \'{{"model": "%s", "messages": \' "$MODEL"; cat <<\'{_END}\'\n'
    yield from json_list(messages)
    yield f"\n{_END}\nprintf '}}'; }} | curl -sS \"$BASE_URL/chat/completions\" \\\n"
    yield '  -H "Authorization: Bearer $API_KEY" \\\n'
    yield "  -H 'Content-Type: application/json' --data-binary @-\n"


def json_list(texts: Iterable[str]) -> Iterator[str]:
    """JSON texts as a JSON list, one a line, each as it is."""
    before = "[\n"
    for text in texts:
        yield before
        yield text
        before = ",\n"
    yield "[]" if before == "[\n" else "\n]"

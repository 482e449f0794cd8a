"""What is a path, among words with slashes and dots: told by its form alone, for nothing is looked up.

Normalised: `/` between the segments, no `./`, no `a/` or `b/` of a diff, no slash at the end, no line number.
"""

import re
from typing import Final

# Extensions of files that stand without a directory before them. `log`, `env`, `map` and such are left out:
# `console.log` and `process.env` are no files.
_EXTENSIONS: Final = frozenset(
    {
        "py", "pyi", "ipynb", "js", "jsx", "ts", "tsx", "mjs", "cjs", "json", "jsonl", "ndjson", "yaml", "yml",
        "toml", "md", "mdx", "rst", "txt", "csv", "tsv", "html", "htm", "css", "scss", "less", "sql", "sh", "bash",
        "zsh", "bat", "ps1", "c", "h", "cc", "cpp", "hpp", "cxx", "rs", "go", "java", "kt", "kts", "swift", "rb",
        "php", "pl", "lua", "scala", "cs", "vb", "dart", "erl", "hs", "clj", "xml", "svg", "png", "jpg", "jpeg",
        "gif", "webp", "ico", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "zip", "tar", "gz", "tgz", "bz2",
        "xz", "whl", "jar", "war", "cfg", "ini", "conf", "sqlite", "sqlite3", "parquet", "pkl", "npy", "npz", "onnx",
        "dll", "exe", "wasm", "vue", "svelte", "proto", "gradle", "tf", "patch", "ttf", "woff", "woff2", "mp3", "mp4",
        "wav"
    }
)  # fmt: skip
FILE_NAMES: Final = frozenset(
    {
        "Makefile", "Dockerfile", "Jenkinsfile", "Procfile", "Gemfile", "Rakefile", "Vagrantfile", "MANIFEST.in",
        "CMakeLists.txt",
        ".env", ".gitignore", ".dockerignore", ".editorconfig", ".bashrc", ".npmrc", "yarn.lock", "poetry.lock",
        "Cargo.lock", "uv.lock", "Pipfile.lock", "Gemfile.lock"
    }
)  # fmt: skip
_ROOTS: Final = frozenset(
    {
        "tmp", "etc", "usr", "var", "home", "root", "opt", "app", "srv", "data", "mnt", "bin", "lib", "workspace",
        "workspaces", "work", "repo", "testbed", "dev", "proc", "sys", "Users", "private", "Applications", "content"
    }
)  # fmt: skip
_DIRECTORIES: Final = frozenset(
    {
        "src", "lib", "libs", "test", "tests", "docs", "doc", "app", "apps", "bin", "cmd", "pkg", "packages",
        "internal", "scripts", "script", "config", "configs", "templates", "static", "public", "assets", "components",
        "node_modules", "migrations", "include", "vendor", "examples", "tools", "tmp", "etc", "usr", "var", "home"
    }
)  # fmt: skip
_MEDIA_TYPES: Final = frozenset(
    {
        "application", "audio", "font", "image", "multipart", "text", "video"
    }
)  # fmt: skip
PRODUCTS: Final = frozenset({"Next.js", "Node.js", "Vue.js", "React.js", "Express.js", "Three.js", "Nuxt.js", "D3.js"})
_SUBSTITUTES = re.compile(r"\d{0,6}s\Z")
_SEGMENT = re.compile(r"[\w.@+$~ -]{1,120}\Z")
_WITH_EXTENSION = re.compile(r"[^.].*\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
_ENCODED = re.compile(r"[A-Za-z0-9+/]{60,}\Z")


def path_in(text: str) -> str | None:
    """The path that a word is, normalised; None for any other word."""
    if text[1:3] == ":/":
        path = _with_directories(text[2:])
        return None if path is None else text[:2] + path
    if "/" in text:
        return _with_directories(text)
    name = text.rstrip(".")
    if name in FILE_NAMES:
        return name
    stem, _, extension = name.rpartition(".")
    if extension.lower() not in _EXTENSIONS or name in PRODUCTS or not any(c.isalnum() for c in stem):
        return None
    # `self.c`, `x.h`: one-letter extensions and stems are those of members at least as often.
    if stem in ("self", "this", "cls") or (len(stem) == 1 and len(extension) == 1):
        return None
    return name if _SEGMENT.match(name) else None


def _with_directories(text: str) -> str | None:
    if _ENCODED.match(text) or text.startswith("//"):
        return None
    is_absolute = text.startswith(("/", "~/", "$"))
    is_relative = text.startswith(("./", "../"))
    segments = [s for s in text.split("/") if s not in ("", ".")]
    if not segments or not all(map(_SEGMENT.match, segments)) or not any(c.isalpha() for c in text):
        return None
    if segments[0] in ("a", "b") and len(segments) > 2 and not is_absolute:
        segments = segments[1:]
    if not _looks_like_one(segments, is_absolute=is_absolute, is_relative=is_relative, ends_open=text.endswith("/")):
        return None
    return ("/" if text.startswith("/") else "") + "/".join(segments).rstrip(".:,;")


def _looks_like_one(segments: list[str], *, is_absolute: bool, is_relative: bool, ends_open: bool) -> bool:
    last = segments[-1].rstrip(".:,;")
    has_extension = bool(_WITH_EXTENSION.match(last)) or last in FILE_NAMES
    if is_absolute:
        return has_extension or segments[0] in _ROOTS or (len(segments) > 1 and any(len(s) > 2 for s in segments))
    named = [s for s in segments if s != ".."]
    if len(named) < 2:  # `src/`, `./run.sh`; a bare `./run` is what a module imports
        return has_extension or (ends_open and bool(named) and (named[0] in _DIRECTORIES or "_" in last))
    if _SUBSTITUTES.match(segments[0]):  # `s/old/new/`
        return False
    if segments[0] in _MEDIA_TYPES and len(segments) == 2 and not has_extension:
        return False
    if has_extension or is_relative or segments[0] in _DIRECTORIES:
        return True
    return ends_open or segments[0].startswith(".") or (len(segments) > 2 and any("_" in s[1:-1] for s in segments))

"""What is said in a made-up conversation: requests and answers in English and Chinese, arguments and results of tools.

Long texts are put together from lines that are made once: that is what makes a hundred thousand messages cheap.
"""

from random import Random
from typing import Any, Final

_LONG: Final = 0.006
"""Of the results: those of tens of kilobytes."""

_FOLDERS: Final = (
    "src/upload",
    "src/billing",
    "src/search",
    "src/auth",
    "api/views",
    "web/components",
    "tests",
    "docs",
)
_STEMS: Final = ("client", "retry", "index", "session", "invoice", "worker", "schema", "report", "cache", "router")
_NAMES: Final = ("attempt", "cursor", "deadline", "invoice", "offset", "payload", "queue", "record", "stream", "total")
_THINGS: Final = (
    "the upload", "the invoice run", "the search index", "the login page", "the nightly report", "the import",
    "the rate limiter", "the session cache", "the webhook", "the migration",
)  # fmt: skip
_CHINESE_THINGS: Final = (
    "上传接口",
    "账单任务",
    "搜索索引",
    "登录页面",
    "夜间报表",
    "导入流程",
    "限流器",
    "会话缓存",
    "回调通知",
    "数据迁移",
)
_BUILDS: Final = ("7f3a", "81c0", "9be2", "a04d", "c55f")

_INSTRUCTIONS: Final = (
    "You are a careful coding agent. Never delete data. Ask before you push. Run the tests before you say that "
    "something works. Answer in the language of the user, in short sentences."
)
_REQUESTS: Final = (
    "Fix {thing}: it fails about once in {n} runs on CI. You must not change the database schema.",
    "Why does {thing} take {n} seconds since yesterday? Find out first, change nothing yet.",
    "Add a timeout of {n} s to {thing}, with a test, and say so in the docs.",
    "Go on with {thing}. Keep the public names as they are.",
    "The review asks for smaller functions in {thing}. Please split what is longer than {n} lines.",
    "Deploy what we have of {thing} to staging and tell #release.",
)
_CHINESE_REQUESTS: Final = (
    "{thing}大约每 {n} 次就失败一次，请查明原因并修复。请不要改动数据库结构。",
    "为什么{thing}从昨天起要 {n} 秒？先分析原因，暂时不要修改代码。",
    "请给{thing}加上 {n} 秒的超时，并补充测试和文档。",
    "继续处理{thing}，对外的接口名称保持不变。",
    "评审要求把{thing}里超过 {n} 行的函数拆开，谢谢。",
)
_THOUGHTS: Final = (
    "I look at {thing} first.",
    "The trace points to {path}. I read it before I change anything.",
    "That explains {thing}: the second attempt reads what the first one has closed.",
    "I decided to keep the handle open and to rewind it.",
    "Two tests fail that have to do with {thing}; I run them alone.",
    "接下来查看 {path}，确认调用顺序。",
    "The change is small. Next I check who else calls it.",
)
_ANSWERS: Final = (
    "Done: {n} of {n} runs pass, and the schema is untouched. The change is in {path}.",
    "The cause is in {path}: the deadline is checked before the queue is. I have changed nothing yet. Shall I?",
    "Fixed and tested. I have not pushed; say so when I should.",
    "已修复：{n} 次测试全部通过，改动在 {path}，数据库结构没有变化。",
    "原因在 {path}：重试时使用了已关闭的文件。要我现在修改吗？",
)
_FAILURES: Final = {
    "edit_file": "error: the text to find does not stand in {path}",
    "run_tests": "FAILED {path}::test_{name} - AssertionError: assert {n} == 0\n1 failed, {n} passed in 4.02s",
    "read_file": "error: {path}: no such file",
    "shell": "error: exit status {n}\n{path}: permission denied",
    "fetch_url": "error: 503 Service Unavailable, retry after {n} s",
}
_ANY_FAILURE: Final = "error: timed out after {n} s"


class Texts:
    def __init__(self, random: Random) -> None:
        self._random = random
        self._code = [self._code_line() for _ in range(400)]
        self._log = [self._fill("{path}::test_{name}[{n}] PASSED") for _ in range(200)]
        self._hits = [self._fill("{path}:{n}: {name} = {name}.next()") for _ in range(200)]
        self._files = [self._fill("{path}  {n} KB") for _ in range(200)]
        self._commits = [
            f"{random.getrandbits(28):07x} {self._fill('Look after {thing} in {path}')}" for _ in range(200)
        ]

    def instructions(self) -> str:
        return _INSTRUCTIONS

    def request(self) -> str:
        if self._random.random() < 0.35:
            return self._fill(self._random.choice(_CHINESE_REQUESTS), things=_CHINESE_THINGS)
        return self._fill(self._random.choice(_REQUESTS))

    def thought(self) -> str:
        return self._fill(self._random.choice(_THOUGHTS))

    def answer(self) -> str:
        return self._fill(self._random.choice(_ANSWERS))

    def failure(self, tool: str) -> str:
        return self._fill(_FAILURES.get(tool, _ANY_FAILURE))

    def arguments(self, tool: str) -> dict[str, Any]:
        match tool:
            case "read_file":
                first = self._random.randrange(1, 400)
                return {"path": self._path(), "from": first, "to": first + 40}
            case "edit_file":
                return {
                    "path": self._path(),
                    "find": self._lines(self._code, 1, 3),
                    "replace": self._lines(self._code, 1, 6),
                }
            case "run_tests":
                return {"args": self._fill("{path} --count {n}")}
            case "search":
                return {"pattern": self._fill("{name}"), "path": self._random.choice(_FOLDERS)}
            case "shell":
                return {"command": self._fill("git log --oneline -n {n} -- {path}")}
            case "list_files":
                return {"path": self._random.choice(_FOLDERS)}
            case "fetch_url":
                return {"url": self._fill("https://docs.example.org/{name}/{n}")}
            case "write_todos":
                return {
                    "todos": [{"content": self._fill("Look at {path}"), "status": s} for s in ("completed", "pending")]
                }
            case "deploy":
                return {"build": self._random.choice(_BUILDS), "cluster": "staging"}
            case _:
                return {"channel": "#release", "text": self._fill("{thing} is going to staging")}

    def result(self, tool: str) -> str:
        is_long = self._random.random() < _LONG
        match tool:
            case "read_file" | "fetch_url":
                return self._lines(self._code, *((600, 1500) if is_long else (4, 40)))
            case "run_tests":
                passed = self._lines(self._log, *((500, 900) if is_long else (3, 20)))
                return self._fill(f"{passed}\n{{n}} passed in 3.1s")
            case "search" | "list_files" | "shell":
                pool = {"search": self._hits, "list_files": self._files, "shell": self._commits}[tool]
                return self._lines(pool, *((500, 900) if is_long else (1, 12)))
            case "edit_file":
                return self._fill("ok: {n} lines changed in {path}")
            case _:
                return "ok"

    def _path(self) -> str:
        return f"{self._random.choice(_FOLDERS)}/{self._random.choice(_STEMS)}.py"

    def _lines(self, pool: list[str], at_least: int, at_most: int) -> str:
        return "\n".join(self._random.choices(pool, k=self._random.randint(at_least, at_most)))

    def _code_line(self) -> str:
        indent = "    " * self._random.randrange(4)
        line = self._random.choice(
            (
                "def {name}(self, {name}: int = {n}) -> None:",
                "if {name} is None or {name} > {n}:",
                "{name} = self.{name}.pop({n})",
                'raise ValueError(f"{name} must be at most {n}")',
                "# 超过上限时重试，最多 {n} 次",
                "return {name}",
            )
        )
        return indent + self._fill(line)

    def _fill(self, text: str, *, things: tuple[str, ...] = _THINGS) -> str:
        return text.format(
            thing=self._random.choice(things),
            path=self._path(),
            name=self._random.choice(_NAMES),
            n=self._random.randrange(2, 60),
        )

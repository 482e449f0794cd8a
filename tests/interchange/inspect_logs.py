"""Samples of Inspect logs for tests: messages, and the events of a run that made them."""

from typing import Any

ABOUT = {"eval_id": "e1", "run_id": "r1", "task": "sums", "model": "openai/m"}


def system(id: str = "s", content: Any = "You are careful.") -> dict[str, Any]:
    return {"id": id, "role": "system", "content": content}


def user(id: str = "u", content: Any = "Go on.", **members: Any) -> dict[str, Any]:
    return {"id": id, "role": "user", "content": content, "source": "input", **members}


def says(id: str, content: Any = "Done.", **members: Any) -> dict[str, Any]:
    return {"id": id, "role": "assistant", "content": content, "source": "generate", **members}


def calls(id: str, *call_ids: str) -> dict[str, Any]:
    return says(id, "", tool_calls=[{"id": c, "function": "run", "arguments": {"cmd": "ls"}} for c in call_ids])


def reply(id: str, call_id: str, content: Any = "a.py", **members: Any) -> dict[str, Any]:
    return {"id": id, "role": "tool", "content": content, "tool_call_id": call_id, "function": "run", **members}


def model(shown: list[dict[str, Any]], answer: dict[str, Any], **members: Any) -> dict[str, Any]:
    """The call to a model that made a message."""
    output = {
        "model": "m",
        "choices": [{"message": answer, "stop_reason": "stop"}],
        "usage": {"input_tokens": 9, "output_tokens": 2, "input_tokens_cache_read": 4},
    }
    event = {"event": "model", "timestamp": "2026-01-01T10:00:00+00:00", "completed": "2026-01-01T10:00:02+00:00"}
    return event | {"model": "openai/m", "input": shown, "output": output, "working_time": 1.5} | members


def compaction(kind: str = "summary", **members: Any) -> dict[str, Any]:
    event = {"event": "compaction", "type": kind, "timestamp": "2026-01-01T11:00:00+00:00"}
    return event | {"tokens_before": 900, "tokens_after": 90, "source": "inspect"} | members


def sample(*messages: Any, id: Any = 1, epoch: int = 1, **members: Any) -> dict[str, Any]:
    return {"id": id, "epoch": epoch, "input": "Go on.", "target": "x", "messages": list(messages), **members}


def log(*samples: Any, **members: Any) -> dict[str, Any]:
    return {"version": 2, "status": "success", "eval": ABOUT, "plan": {}, "samples": list(samples), **members}

"""Items of the Responses API for tests, as plain functions."""

from typing import Any

Item = dict[str, Any]


def user(text: str = "Look at it.") -> Item:
    return {"role": "user", "content": text}


def says(text: str = "Done.", **members: Any) -> Item:
    return {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
        **members,
    }


def calls(call_id: str, name: str = "run", arguments: str = "{}", **members: Any) -> Item:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments, **members}


def output(call_id: str, said: Any = "ok", **members: Any) -> Item:
    return {"type": "function_call_output", "call_id": call_id, "output": said, **members}


def thinks(text: str = "Hm.", sealed: str | None = None, **members: Any) -> Item:
    summary = [{"type": "summary_text", "text": text}] if text else []
    return {"type": "reasoning", "summary": summary, "encrypted_content": sealed, **members}


def compaction(sealed: str = "x" * 1234) -> Item:
    return {"type": "compaction", "id": "cmp_1", "encrypted_content": sealed}


def response(*output: Item, response_id: str = "resp_1", **members: Any) -> dict[str, Any]:
    return {"object": "response", "id": response_id, "status": "completed", "output": list(output), **members}


def exchange(given: list[Item], answer: Any, **members: Any) -> dict[str, Any]:
    return {"request": {"body": {"input": given, **members}}, "response": {"body": answer}}

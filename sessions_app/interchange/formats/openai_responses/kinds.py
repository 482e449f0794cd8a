"""The kinds of items of OpenAI's Responses API, and how an item is known."""

from typing import Any, Final

Item = dict[str, Any]

CALLS: Final = {
    "function_call": ("", ("arguments",)),
    "custom_tool_call": ("", ("input",)),
    "local_shell_call": ("local_shell", ("action",)),
    "shell_call": ("shell", ("action",)),
    "apply_patch_call": ("apply_patch", ("operation",)),
    "computer_call": ("computer", ("action", "actions")),
    "tool_search_call": ("tool_search", ("arguments",)),
    "mcp_approval_request": ("", ("arguments",)),
}
"""Calls that somebody answers: the name of the tool where the item has none, and where the arguments stand."""

OUTPUTS: Final = {
    "function_call_output": ("output",),
    "custom_tool_call_output": ("output",),
    "local_shell_call_output": ("output",),
    "shell_call_output": ("output",),
    "apply_patch_call_output": ("output",),
    "computer_call_output": ("output",),
    "tool_search_output": ("tools",),
    "mcp_approval_response": ("approve", "reason"),
    "mcp_tool_call_output": ("output", "result"),
}
"""Answers to calls, and the members that are the answer."""

HOSTED: Final = frozenset(
    {
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
    }
)
"""What the provider did itself while it answered. Call and result are one item, and a part of what the model said."""

COMPACTIONS: Final = frozenset({"compaction", "compaction_summary", "context_compaction"})

SILENT: Final = {
    "item_reference": "refers to an item that only the provider has",
    "compaction_trigger": "asks for a compaction, and says nothing",
    "configuration_update": "changes settings, and says nothing",
    "additional_tools": "defines tools, and says nothing",
    "ghost_snapshot": "marks a state of the files, and says nothing",
}

KINDS: Final = frozenset({"message", "reasoning", "agent_message", *CALLS, *OUTPUTS, *HOSTED, *COMPACTIONS, *SILENT})

ROLES: Final = frozenset({"system", "developer", "user", "assistant"})

_PARTS: Final = ("input_text", "output_text", "input_image", "input_file")


def kind_of(item: Any) -> str:
    """The item's type; that of a message may be missing. Empty for what is no item."""
    if not isinstance(item, dict):
        return ""
    kind = item.get("type")
    if kind is None:
        return "message" if isinstance(item.get("role"), str) else ""
    return kind if isinstance(kind, str) else ""


def is_item(value: Any) -> bool:
    """Whether a value is an item of this API, and of none that resembles it."""
    kind = kind_of(value)
    if kind == "message":
        content = value.get("content")
        if isinstance(content, str):
            return "type" in value and value.get("role") in (*ROLES,)
        parts = content if isinstance(content, list) else ()
        return any(isinstance(p, dict) and p.get("type") in _PARTS for p in parts)
    if kind == "reasoning":
        return isinstance(value.get("summary"), list)
    if kind in COMPACTIONS:
        return isinstance(value.get("encrypted_content"), str)
    if kind in ("function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output"):
        return "call_id" in value
    return kind in CALLS or kind in OUTPUTS or kind in HOSTED


def is_said(item: Any) -> bool:
    """Whether it is a message, or becomes part of one."""
    kind = kind_of(item)
    if kind == "message":
        return item.get("role") in (*ROLES,)
    return kind in ("reasoning", "agent_message") or kind in CALLS or kind in OUTPUTS or kind in HOSTED


def is_the_models(item: Any) -> bool:
    """Whether the model wrote it."""
    kind = kind_of(item)
    if kind == "message":
        return bool(item.get("role") == "assistant")
    return kind == "reasoning" or kind in CALLS or kind in HOSTED

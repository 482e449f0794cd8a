"""The items of OpenAI's Responses API, which Codex logs as well, as messages."""

#!/usr/bin/env bash
# A session over REST with curl: create, append, meet a conflict, compress, die in a tool, recover, go on.
#
#   TOKEN=$(.venv/bin/python manage.py make_token me --role operator) docs/examples/first_session.sh
set -euo pipefail

API=${API:-http://127.0.0.1:8000/api/v1}
answer=$(mktemp -d)
trap 'rm -rf "$answer"' EXIT

# call METHOD PATH [BODY [HEAD]]: prints the status and the body; leaves the head of the session in $head.
call() {
  local send=(-X "$1" "$API/$2" -H "Authorization: Token $TOKEN")
  if [ -n "${3:-}" ]; then send+=(-H 'Content-Type: application/json' -d "$3"); fi
  if [ -n "${4:-}" ]; then send+=(-H "If-Match: $4"); fi
  status=$(curl -sS -D "$answer/headers" -o "$answer/body" -w '%{http_code}' "${send[@]}")
  head=$(sed -n 's/^[Ee][Tt][Aa][Gg]: *\(.*\)\r$/\1/p' "$answer/headers")
  echo "--- $1 $2 -> $status  head ${head:-none}"
  cat "$answer/body"
  echo
}

field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" "$answer/body"; }

# 1. Create, with the first messages.
call POST sessions/ '{"title": "Fix the upload test", "messages": [
  {"role": "system", "content": "You are a careful coding agent."},
  {"role": "user", "content": "Why does the upload test fail?"}]}'
session=$(field session_id)

# 2. Append against the head that you have seen. Each answer brings the next head.
seen=$head
for n in 1 2 3 4 5; do
  call POST "sessions/$session/frames/" '{"messages": [
    {"role": "assistant", "content": null, "tool_calls": [{"id": "call_'$n'", "type": "function",
      "function": {"name": "read_file", "arguments": "{\"path\": \"upload_'$n'.py\"}"}}]},
    {"role": "tool", "tool_call_id": "call_'$n'", "content": "def upload(stream): ... and many more lines of the file"}]}' "$head"
done
current=$head

# 3. A second writer with the old head: 412, and what it missed. Nothing of it is written.
call POST "sessions/$session/frames/" '{"messages": [{"role": "user", "content": "I did not see that."}]}' "$seen"

# 4. Compress: a new version of the window. The raw frames stay.
call POST "sessions/$session/compressions/" '{"strategy": "sliding_window", "params": {"protect_rounds": 2}}' "$current"
current=$head
call GET "sessions/$session/context/messages/"

# 5. Call a tool and die in it: the call stays open, and only its reply may follow.
call POST "sessions/$session/frames/" '{"messages": [{"role": "assistant", "content": null, "tool_calls": [
  {"id": "call_deploy", "type": "function", "function": {"name": "deploy", "arguments": "{}"}}]}]}' "$current"
current=$head
call POST "sessions/$session/frames/" '{"messages": [{"role": "user", "content": "Are you there?"}]}' "$current"

# 6. Recover: the engine says that the result is unknown. Then the conversation goes on.
call POST "sessions/$session/recovery/" '{"reason": "crash"}' "$current"
call POST "sessions/$session/frames/" '{"messages": [{"role": "user", "content": "Check what the deploy did."}]}' "$head"
call GET "sessions/$session/context/messages/"

"""A session over REST with requests: the twin of first_session.sh.

pip install requests
TOKEN=$(.venv/bin/python manage.py make_token me --role operator) python docs/examples/first_session.py
"""

import os
from typing import Any

import requests

API = os.environ.get("API", "http://127.0.0.1:8000/api/v1")

http = requests.Session()
http.headers["Authorization"] = f"Token {os.environ['TOKEN']}"


def post(path: str, body: dict[str, Any], head: str | None = None) -> requests.Response:
    answer = http.post(f"{API}/{path}", json=body, headers={"If-Match": head} if head else {})
    print(f"POST {path} -> {answer.status_code}  head {answer.headers.get('ETag', 'none')}")
    return answer


def call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


# 1. Create, with the first messages.
created = post(
    "sessions/",
    {
        "title": "Fix the upload test",
        "messages": [
            {"role": "system", "content": "You are a careful coding agent."},
            {"role": "user", "content": "Why does the upload test fail?"},
        ],
    },
)
created.raise_for_status()
session = f"sessions/{created.json()['session_id']}"
seen = head = created.headers["ETag"]

# 2. Append against the head that you have seen. Each answer brings the next head.
for n in range(1, 6):
    reply = {"role": "tool", "tool_call_id": f"call_{n}", "content": "def upload(stream): ... and many more lines"}
    messages = [call(f"call_{n}", "read_file", f'{{"path": "upload_{n}.py"}}'), reply]
    appended = post(f"{session}/frames/", {"messages": messages}, head)
    appended.raise_for_status()
    head = appended.headers["ETag"]

# 3. A second writer with the old head: 412, and what it missed. Nothing of it is written.
stale = post(f"{session}/frames/", {"messages": [{"role": "user", "content": "I did not see that."}]}, seen)
assert (stale.status_code, stale.json()["type"]) == (412, "/problems/stale-head")
print("missed frames", [frame["seq"] for frame in stale.json()["missed"]])

# 4. Compress: a new version of the window. The raw frames stay.
compressed = post(f"{session}/compressions/", {"strategy": "sliding_window", "params": {"protect_rounds": 2}}, head)
compressed.raise_for_status()
ledger = compressed.json()["compression"]
print("window", ledger["before"], "->", ledger["after"], ledger["fates"])
head = compressed.headers["ETag"]

# 5. Call a tool and die in it: the call stays open, and only its reply may follow.
opened = post(f"{session}/frames/", {"messages": [call("call_deploy", "deploy", "{}")]}, head)
head = opened.headers["ETag"]
refused = post(f"{session}/frames/", {"messages": [{"role": "user", "content": "Are you there?"}]}, head)
assert (refused.status_code, refused.json()["type"]) == (409, "/problems/open-tool-calls")

# 6. Recover: the engine says that the result is unknown. Then the conversation goes on.
recovered = post(f"{session}/recovery/", {"reason": "crash"}, head)
print(recovered.json()["recovered"][0]["message"]["content"])
question = {"role": "user", "content": "Check what the deploy did."}
post(f"{session}/frames/", {"messages": [question]}, recovered.headers["ETag"]).raise_for_status()
for message in http.get(f"{API}/{session}/context/messages/").json()["messages"]:
    print(f"  {message['role']:9} {(message.get('content') or message['tool_calls'][0]['function']['name'])[:70]}")

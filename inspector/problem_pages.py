"""What each problem of the API means and what to do about it: the pages that `type` of an error leads to."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext_noop as _  # only marks them: the templates translate


@dataclass(frozen=True, slots=True)
class ProblemPage:
    """`members`: what the body holds beyond `type`, `title`, `status` and `detail`, and what it is for."""

    slug: str
    status: int
    title: str
    meaning: str
    remedy: str
    detail: str
    members: tuple[tuple[str, str], ...] = ()
    example_members: Mapping[str, Any] = field(default_factory=dict)

    @property
    def example(self) -> str:
        body = {
            "type": f"/problems/{self.slug}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            **self.example_members,
        }
        return json.dumps(body, indent=2, ensure_ascii=False)


_HEAD = {
    "session_id": "upload-flake",
    "incarnation": "9f1c5a02be774d10",
    "next_msg_seq": 131,
    "context_compression_version": 3,
    "state": "awaiting_model",
    "open_tool_calls": [],
    "compression_due": False,
}
_ERRORS = ("errors", _("Each fault with a JSON pointer into what was sent (empty: the whole body) and a sentence."))
_ACTUAL = ("actual", _("The head of the session as it is now: what the next If-Match is made of."))
_OPEN = ("open_tool_calls", _("The calls that await a reply: id, tool name, and the frame that made the call."))
_OPEN_HEAD = {**_HEAD, "state": "awaiting_tools", "open_tool_calls": [{"id": "c7", "name": "deploy", "seq": 130}]}

_PAGES: Final = (
    ProblemPage(
        "malformed-json",
        400,
        _("The body is not valid JSON"),
        _(
            "The body could not be read as JSON that every reader reads alike. NaN and Infinity, numbers outside IEEE "
            "double, integers of over 4,300 digits, a member that stands twice in one object and nesting over 128 "
            "levels are refused too."
        ),
        _("Send what a JSON library writes, in UTF-8. The same body will be refused again."),
        "NaN is no JSON",
        (_ERRORS,),
        {"errors": [{"pointer": "", "detail": "NaN is no JSON"}]},
    ),
    ProblemPage(
        "invalid-request",
        400,
        _("The request is not valid"),
        _(
            "The request was read, and something in it breaks a rule that can be seen without looking at any session: a"
            " message without a role, a parameter that the strategy does not have, an If-Match that is no head."
        ),
        _("Correct what the errors point at. Nothing was written."),
        "/messages/0/role must be one of system, developer, user, assistant, tool",
        (_ERRORS,),
        {
            "errors": [
                {"pointer": "/messages/0/role", "detail": "must be one of system, developer, user, assistant, tool"}
            ]
        },
    ),
    ProblemPage(
        "unauthenticated",
        401,
        _("Credentials are missing or not valid"),
        _(
            "No credentials came with the request, or they are not known here: a token that was revoked, or not copied "
            "whole."
        ),
        _(
            "Send the header Authorization: Token se_… . A token is made on the page /tokens/, or on the server by "
            "manage.py make_token."
        ),
        "Authentication credentials were not provided.",
    ),
    ProblemPage(
        "forbidden",
        403,
        _("You may not do this"),
        _(
            "The session is yours to see, but your role, or that of your token, does not include the right to do this "
            "with it. A viewer reads; an operator also writes. With a browser's login the CSRF token may be missing."
        ),
        _("Use a token with a higher role. It is at most the role of its user."),
        "The role viewer does not include the right to append.",
    ),
    ProblemPage(
        "not-found",
        404,
        _("There is nothing here"),
        _(
            "There is no such session, frame or version, or the session is somebody else's, or the address is none. "
            "Addresses of the API end with a slash."
        ),
        _("Check the id and the slash at the end."),
        "There is no session 'upload-flake'.",
    ),
    ProblemPage(
        "version-not-kept",
        404,
        _("This version of the context window is no longer kept"),
        _(
            "The window was there, and was deleted when the next one was made while keep_context_history was off. Its "
            "row in the ledger stays, and so does every raw frame."
        ),
        _("Read another version; GET versions/ says which are kept. Version 1 can be restored even where it is not."),
        "Version 2 of the context window is no longer kept: the next one was made while `keep_context_history` was "
        "off.",
    ),
    ProblemPage(
        "method-not-allowed",
        405,
        _("This address does not take this method"),
        _("The address exists and takes other methods, which the header Allow names."),
        _("See the API's reference at /api/v1/docs/."),
        'Method "PUT" not allowed.',
    ),
    ProblemPage(
        "not-acceptable",
        406,
        _("The answer is not available in a form that you accept"),
        _("The header Accept names only forms that this address does not give."),
        _("Accept application/json, or leave the header out."),
        "Could not satisfy the request Accept header.",
    ),
    ProblemPage(
        "conflict",
        409,
        _("Others were writing at the same time"),
        _(
            "A write that named no head was tried again for three seconds, and others were always faster; or the window"
            " moved while a new version of it was being made. Nothing was written."
        ),
        _("Read the session and decide anew, or send the same write again."),
        "The context window moved while this version of it was being made.",
        (_ACTUAL,),
        {"actual": _HEAD},
    ),
    ProblemPage(
        "open-tool-calls",
        409,
        _("Tool calls await their replies"),
        _(
            "While the newest assistant message has calls that no reply answers, only tool messages are taken: a model "
            "would refuse a conversation in which a call has no result."
        ),
        _(
            "Append the replies. If the agent died in the tool, POST recovery/ writes a message for each open call that"
            " says that the result is unknown; an append with recover set to true does so by itself."
        ),
        "/messages/0/role: only tool replies are taken while calls are open: deploy (c7).",
        (_ACTUAL, _OPEN, ("pointer", _("The message that was refused."))),
        {"actual": _OPEN_HEAD, "open_tool_calls": _OPEN_HEAD["open_tool_calls"], "pointer": "/messages/0/role"},
    ),
    ProblemPage(
        "unmatched-tool-reply",
        409,
        _("The reply matches no tool call"),
        _(
            "A tool message answers an open call, or comes late for one that was recovered. This one does neither: its "
            "call was answered already, or there was none with this id."
        ),
        _("Compare tool_call_id with the open calls. To say it all the same, say it as a user message."),
        "/messages/0/tool_call_id: no open call and no recovered one has the id 'c9'.",
        (_ACTUAL, _OPEN, ("pointer", _("The id that matches nothing."))),
        {"actual": _HEAD, "open_tool_calls": [], "pointer": "/messages/0/tool_call_id"},
    ),
    ProblemPage(
        "nothing-to-compress",
        409,
        _("There is nothing to compress"),
        _(
            "The strategy found nothing in this window that it may leave out, shorten or summarise, or the result would"
            " not be smaller. The window and its version are what they were."
        ),
        _("Go on. Protect fewer rounds, or try another strategy, if the window must shrink now."),
        "'sliding_window' finds nothing in this window that it may compress.",
        (_ACTUAL,),
        {"actual": _HEAD},
    ),
    ProblemPage(
        "session-exists",
        409,
        _("A session with this id exists"),
        _("The id that you chose is taken. The answer says neither whose it is nor where it stands."),
        _("Choose another id, or leave it out: the server makes one. To create safely twice, send an Idempotency-Key."),
        "A session 'upload-flake' exists.",
    ),
    ProblemPage(
        "stale-head",
        412,
        _("The session has moved"),
        _(
            "If-Match named a head that is no longer the current one: frames were appended, or the window was "
            "compressed, since you read it. Nothing of the write was kept."
        ),
        _(
            "Look at what was missed and decide whether the write still makes sense. If so, send it again with the head"
            " in actual."
        ),
        "The session has moved since you read it; nothing was written.",
        (
            ("expected", _("The head that the write was made for.")),
            _ACTUAL,
            ("missed", _("Up to 50 frames that came since.")),
        ),
        {
            "expected": {
                "next_msg_seq": 130,
                "context_compression_version": 3,
                "incarnation": "9f1c5a02be774d10",
            },
            "actual": _HEAD,
            "missed": [
                {
                    "seq": 130,
                    "source": "agent",
                    "created_at": "2026-03-01T09:30:00Z",
                    "context_version": 3,
                    "tokens": 12,
                    "metadata": {},
                    "message": {"role": "user", "content": "Stop, use the other branch."},
                }
            ],
        },
    ),
    ProblemPage(
        "too-large",
        413,
        _("Too large"),
        _(
            "A body may have up to 32 MiB, and a session whose strategies are to be compared or replayed up to 20,000 "
            "frames. Nothing was written."
        ),
        _(
            "Send fewer messages at once. A larger file is imported on the server, by manage.py import_trajectory PATH."
            " For a longer session, manage.py replay has no such limit; a strategy alone can be tried by Compress."
        ),
        "The session has 31,400 frames; at most 20,000 can be measured in one request.",
        (
            ("limit_bytes", _("How large a body may be. Only where the body is what is too large.")),
            ("limit_frames", _("How many frames a session may have. Only where the session is what is too long.")),
            ("frames", _("How many it has.")),
        ),
        {"limit_bytes": 33554432, "limit_frames": 20000, "frames": 31400},
    ),
    ProblemPage(
        "unsupported-media-type",
        415,
        _("The body has a media type that is not taken here"),
        _("The header Content-Type names a form that this address does not read."),
        _("Send what the member supported names: application/json, and multipart/form-data where a file is taken."),
        'Unsupported media type "text/plain" in request.',
        (("supported", _("The media types that are read.")),),
        {"supported": ["application/json"]},
    ),
    ProblemPage(
        "idempotency-key-reused",
        422,
        _("The idempotency key was used for another request"),
        _("The same Idempotency-Key came before with another method, path or body. A key stands for one request."),
        _("Make a new key for each new request, and send the old one only to repeat exactly what it was made for."),
        "The key 'turn-17' was used for another request.",
    ),
    ProblemPage(
        "rule-broken",
        422,
        _("The strategy made a window that breaks a rule"),
        _(
            "Every candidate window is checked before it is published. This one would have misled the model or been "
            "refused by it: a call without its replies, a system message that is gone. The window is what it was."
        ),
        _("Use another strategy or other parameters. If the strategy is your own, its code is at fault."),
        "The window that 'mine' made is refused. rule 4: a call stands without its reply",
        (("broken", _("Which rules, and the position in the refused window.")),),
        {"broken": [{"rule": 4, "position": 7, "detail": "a call stands without its reply"}]},
    ),
    ProblemPage(
        "unknown-format",
        422,
        _("The file has no known format"),
        _(
            "The file that was to be imported is in none of the formats that are read here, or not in the one that was "
            "named. Nothing was written."
        ),
        _(
            "Compare the file with the formats in known; the page /import/ lists them too. Leave out format to have it "
            "recognised. Unpack a file that is compressed. A JSON list of messages with role and content is read as "
            "openai-chat."
        ),
        "The file is JSON, but of no known format. The formats that can be read are claude-code, openai-chat.",
        (("known", _("The names of the formats that are read.")),),
        {"known": ["claude-code", "openai-chat"]},
    ),
    ProblemPage(
        "leased",
        423,
        _("Another holds the lease of this session"),
        _("A writer holds the session for itself for a while, and this request did not come with its Lease-Token."),
        _("Wait until it ends, or ask the holder. Taking over needs its own permission and is recorded."),
        "worker-3 holds the lease of this session.",
        (("holder", _("Who holds it.")), ("expires_at", _("When it ends unless it is renewed."))),
        {"holder": "worker-3", "expires_at": "2026-03-01T09:35:00Z"},
    ),
    ProblemPage(
        "head-required",
        428,
        _("The write must name the head it was made for"),
        _(
            "This session has require_head on: two agents that both believe they own the conversation must not "
            "interleave."
        ),
        _("Read the session, send its ETag as If-Match."),
        "This session takes no write that does not name the head it was made for.",
        (("expected", _("Always null here.")), _ACTUAL, ("missed", _("Always empty here."))),
        {"expected": None, "actual": _HEAD, "missed": []},
    ),
    ProblemPage(
        "throttled",
        429,
        _("Too many attempts"),
        _("This address has tried more often than the server's setting allows."),
        _("Wait as long as the header Retry-After says."),
        "Request was throttled. Expected available in 42 seconds.",
        (("retry_after_seconds", _("How long to wait.")),),
        {"retry_after_seconds": 42},
    ),
    ProblemPage(
        "internal-error",
        500,
        _("Something went wrong on our side"),
        _("The server met something that it was not made for. A write either happened whole or not at all."),
        _("Try once more with the same Idempotency-Key. If it stays, the server's log holds the traceback."),
        "Something went wrong on our side",
    ),
    ProblemPage(
        "damaged-frame",
        500,
        _("A stored message is damaged"),
        _(
            "A message in the database is no JSON any more: something other than the engine wrote to its table. Nothing"
            " was deleted or changed because of it."
        ),
        _("The session's page shows which frame it is. Restore the row from a backup; the other frames can be read."),
        "A stored message is damaged and cannot be read; nothing was deleted or changed.",
    ),
    ProblemPage(
        "summariser-failed",
        502,
        _("The model that summarises did not give a usable summary"),
        _(
            "The model could not be reached, or what it wrote was empty, cut off, not of the form that was asked for or"
            " too long, also when it was asked once more. The window is what it was."
        ),
        _("Try later, send fallback digest, which lets a digest stand in, or use digest, which needs no model."),
        "The model gave an empty summary.",
    ),
    ProblemPage(
        "database-unavailable",
        503,
        _("The database cannot be reached"),
        _(
            "The database could not be reached, or the connection broke. Whether a write that was just being committed "
            "went through is not known."
        ),
        _("Send the same request with the same Idempotency-Key after a moment: it is written at most once."),
        "The database could not be reached or could not do its work.",
    ),
    ProblemPage(
        "busy",
        503,
        _("Too much is going on"),
        _(
            "The database was locked for longer than the server waits, too many model summaries are being made at "
            "once, or a replay or comparisons of yours are still running. Nothing was written."
        ),
        _("Send the same request after the time in the header Retry-After."),
        "Another process holds the database's write lock; nothing was written.",
    ),
)

PROBLEM_PAGES: Final[dict[str, ProblemPage]] = {page.slug: page for page in _PAGES}

"""Calls of the model: one after the other, under one deadline, each sent again where a refusal may pass.

The SDK is loaded by the first call, not by a start: half a second that most processes need never pay. Asynchronous
inside, because only so a deadline holds for everything, also against an endpoint that sends a byte now and then.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sessions_app.compression.summaries.answer import response_format
from sessions_app.compression.summaries.endpoint import Endpoint
from sessions_app.compression.summaries.prompt import Message
from sessions_app.compression.summaries.replies import (
    ENDLESS,
    NoReply,
    Reply,
    body_of,
    refusal_in,
    reply_in,
    retry_after,
)
from sessions_app.compression.summaries.usage import Usage

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_MAY_PASS: Final = frozenset({408, 409, 429})
_FORM_REFUSED: Final = frozenset({400, 422})


@asynccontextmanager
async def connected(endpoint: Endpoint) -> "AsyncIterator[AsyncOpenAI]":
    """The SDK's client. Nothing that it is asked is sent on to another host."""
    from openai import AsyncOpenAI, DefaultAsyncHttpx2Client, Timeout

    from sessions_app.compression.summaries.wire import bound

    timeout = Timeout(endpoint.read_s, connect=endpoint.connect_s)
    async with (
        DefaultAsyncHttpx2Client(follow_redirects=False, timeout=timeout, event_hooks={"response": [bound]}) as http,
        AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key or "none",
            timeout=timeout,
            max_retries=0,  # ours count the calls, and do not wait beyond the deadline
            http_client=http,
        ) as client,
    ):
        yield client


@dataclass(slots=True)
class Caller:
    """Asks one endpoint for one summary. `deadline`: on the clock of the event loop."""

    client: "AsyncOpenAI"
    endpoint: Endpoint
    usage: Usage
    deadline: float
    sends_form: bool = True
    """Whether the schema goes along: until the endpoint refuses it."""

    async def ask(self, messages: list[Message], *, max_tokens: int) -> Reply:
        """Raises NoReply."""
        import openai

        from sessions_app.compression.summaries.wire import TooLong

        retries = 0
        while True:
            try:
                return await self._send(messages, max_tokens)
            except openai.APIStatusError as e:
                if self.sends_form and e.status_code in _FORM_REFUSED:
                    self.sends_form = False
                    continue
                why = refusal_in(e.status_code, e.body, self.endpoint)
                if e.status_code not in _MAY_PASS and e.status_code < 500:
                    raise NoReply(why) from None
                wait = retry_after(e.response.headers)
            except TooLong:
                return ENDLESS
            except openai.APIConnectionError as e:  # among them what took too long
                late = isinstance(e, openai.APITimeoutError)
                why = "The model did not answer in time." if late else "The model cannot be reached."
                wait = None
            await self._pause(why, retries, wait)
            retries += 1

    async def _send(self, messages: list[Message], max_tokens: int) -> Reply:
        self.usage.calls += 1
        form: dict[str, Any] = {"response_format": response_format()} if self.sends_form else {}
        response = await self.client.chat.completions.with_raw_response.create(
            model=self.endpoint.model,
            messages=messages,  # type: ignore[arg-type]  # plain dicts, as they are sent
            temperature=0,
            max_tokens=max_tokens,
            extra_headers=_headers(self.endpoint),
            **form,
        )
        data = body_of(response.content)
        self.usage.report(data.get("usage"))
        return reply_in(data)

    async def _pause(self, why: str, retries: int, wait: float | None) -> None:
        """Before a call is sent again. Raises NoReply where it would be of no use."""
        pause = self.endpoint.first_pause_s * 2**retries if wait is None else wait
        left = self.deadline - asyncio.get_running_loop().time()
        if retries >= self.endpoint.retries or pause >= left:
            raise NoReply(why) from None
        await asyncio.sleep(pause)


def _headers(endpoint: Endpoint) -> dict[str, Any]:
    """What the SDK would add by itself from the environment, and is not meant for this endpoint, is left out; and
    nothing packed is asked for, since what is read is bounded as it comes.
    """
    from openai import Omit

    left_out = ["OpenAI-Organization", "OpenAI-Project", *([] if endpoint.api_key else ["Authorization"])]
    return {"Accept-Encoding": "identity", **dict.fromkeys(left_out, Omit())}

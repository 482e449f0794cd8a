"""The compression lab: strategies side by side on a window, and over a whole recording. Nothing is written."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app.access.roles import Right
from sessions_app.api import bodies, docs, lab_answers
from sessions_app.api.representations import comparison_json
from sessions_app.api.views.base import SessionView, at_head
from sessions_app.compression import Policy, load_policy
from sessions_app.compression.choices import parse_choices
from sessions_app.compression.comparison import compare, parse_probes
from sessions_app.compression.replay import Prices, Terms, replay_json, replay_session


class ComparisonsView(SessionView):
    rights = {"POST": Right.READ}
    queries = {"POST": bodies.CompareQuery}

    @extend_schema(
        operation_id="compare_strategies",
        summary="Compare strategies on the window",
        parameters=docs.query(bodies.CompareQuery),
        request=bodies.Compare,
        responses=docs.responses({200: lab_answers.Compared}, "not-found", "damaged-frame", takes_body=True),
        examples=docs.examples("compare_strategies"),
        tags=["lab"],
    )
    def post(self, request: Request, session_id: str) -> Response:
        """What up to six strategies would make of the window now, measured. Writes nothing and asks no model."""
        body = self.body(bodies.Compare)
        policy = load_policy(self.session.compression_policy)
        choices, probes = parse_choices(body.strategies, policy), parse_probes(body.probes)
        comparison = compare(session_id=session_id, user_id=self.actor.user_id, choices=choices, probes=probes)
        with_windows = self.params.include == "window"
        return at_head(comparison_json(comparison, with_windows=with_windows), comparison.state)


class ReplaysView(SessionView):
    rights = {"POST": Right.READ}

    @extend_schema(
        operation_id="replay_session",
        summary="Replay the session under several strategies",
        request=bodies.ReplayBody,
        responses=docs.responses({200: lab_answers.Replayed}, "not-found", "damaged-frame", takes_body=True),
        examples=docs.examples("replay_session"),
        tags=["lab"],
    )
    def post(self, request: Request, session_id: str) -> Response:
        """What each strategy would have sent at every model call of the recording, what that would have cost, and what
        the agent went on to use that would not have been there. At most 20,000 frames; one at a time for each user
        in a server process.
        """
        body = self.body(bodies.ReplayBody)
        policy = load_policy(self.session.compression_policy) or Policy()
        terms = Terms(
            limit_tokens=policy.limit_tokens if body.limit_tokens is None else body.limit_tokens,
            trigger=policy.trigger if body.trigger is None else body.trigger,
            prices=Prices(body.prices.read, body.prices.write, body.prices.output),
            cache_ttl_s=body.cache_ttl_s,
            cache_min_tokens=body.cache_min_tokens,
        )
        state, replay = replay_session(
            session_id=session_id,
            user_id=self.actor.user_id,
            choices=parse_choices(body.strategies, policy.model_copy(update={"trigger": terms.trigger})),
            terms=terms,
        )
        return at_head(replay_json(replay), state)

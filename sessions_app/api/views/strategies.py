"""Strategies: which there are, and what one would make of a pasted list."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from sessions_app import engine
from sessions_app.api import answers, bodies, docs
from sessions_app.api.representations import placement_json
from sessions_app.api.views.base import ApiView
from sessions_app.compression import registry
from sessions_app.compression.parameters import parse_params


class StrategiesView(ApiView):
    @extend_schema(
        operation_id="list_strategies",
        summary="List compression strategies",
        responses=docs.responses({200: answers.Strategies}),
        tags=["strategies"],
    )
    def get(self, request: Request) -> Response:
        """With the JSON Schema of the parameters of each."""
        return Response({"items": [registry.describe(s) for s in registry.strategies()]})


class CompressPastedView(ApiView):
    @extend_schema(
        operation_id="compress_pasted",
        summary="Compress a pasted list",
        request=bodies.CompressPasted,
        responses=docs.responses(
            {200: answers.Pasted},
            "open-tool-calls",
            "unmatched-tool-reply",
            "nothing-to-compress",
            "rule-broken",
            "summariser-failed",
            takes_body=True,
        ),
        examples=docs.examples("compress_pasted"),
        tags=["strategies"],
    )
    def post(self, request: Request) -> Response:
        """No session: the window that a strategy would make of these messages. Message n of the list is frame n."""
        body = self.body(bodies.CompressPasted)
        strategy = registry.usable(body.strategy)
        params = parse_params(strategy, body.params)
        pasted = engine.compress_pasted(messages=body.messages, strategy=strategy, params=params)
        before, after = pasted.before, pasted.after
        return Response(
            {
                "strategy": pasted.made.used or strategy.name,
                "requested_strategy": strategy.name,
                "params": params.model_dump(mode="json"),
                "why": pasted.made.why or None,
                "usage": pasted.made.usage or None,
                "before": {"tokens": before.tokens, "messages": len(before)},
                "after": {"tokens": after.tokens, "messages": len(after)},
                "fates": engine.count_fates(after, frame_count=len(body.messages)),
                "tokens": after.tokens,
                "items": [placement_json(engine.Placement(i, item)) for i, item in enumerate(after, start=1)],
            }
        )

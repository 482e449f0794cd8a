"""Compression: strategies, their registry, and the policy of a session. These names are its public face."""

from sessions_app.compression.automatic import append
from sessions_app.compression.base import Parameters, Strategy
from sessions_app.compression.kept import first_request, old_stop, pinned, smaller
from sessions_app.compression.parameters import parse_params
from sessions_app.compression.policy import Policy, in_tokens, is_due, limit_of, load_policy, parse_policy
from sessions_app.compression.registry import UnknownStrategy, describe, find, policy_names, strategies
from sessions_app.compression.stopping import stopped

__all__ = [
    "Parameters",
    "Policy",
    "Strategy",
    "UnknownStrategy",
    "append",
    "describe",
    "find",
    "first_request",
    "in_tokens",
    "is_due",
    "limit_of",
    "load_policy",
    "old_stop",
    "parse_params",
    "parse_policy",
    "pinned",
    "policy_names",
    "smaller",
    "stopped",
    "strategies",
]

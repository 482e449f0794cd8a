"""What to do where none of the strategies finds anything to compress."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from inspector.slots import Slot, choices_of
from sessions_app import engine
from sessions_app.compression import limit_of
from sessions_app.compression.choices import Choice
from sessions_app.compression.policy import in_tokens


def advice_for(slots: Iterable[Slot], state: engine.SessionState) -> tuple[str, ...]:
    """By what keeps each of them from it: the size of the window, or the newest rounds that it leaves alone."""
    if not state.context_messages:
        return (_("The window has no message yet."),)
    choices = choices_of(slots)
    small = [choice for choice in choices if _is_too_small(choice, state)]
    advice = []
    if any("protect_rounds" in choice.params_json for choice in choices if choice not in small):
        advice.append(_("Protect fewer rounds: each strategy leaves the newest ones as they are."))
    if small:
        advice.append(_by_size(state.compression_policy))
    return tuple(advice) or (_("Choose other strategies."),)


def _is_too_small(choice: Choice, state: engine.SessionState) -> bool:
    """Whether the window is below the strategy's trigger, or meets its target."""
    limit = limit_of(state.compression_policy)
    sizes = [choice.params_json.get(name) for name in ("trigger", "target")]
    return any(isinstance(n, int | float) and in_tokens(n, limit) >= state.context_tokens for n in sizes)


def _by_size(policy_text: str) -> str:
    limit = f"{limit_of(policy_text):,}"
    if not policy_text:
        said = _("Limit %(n)s: no policy is set. Set the policy, or give trigger and target in tokens.")
        return said % {"n": limit}
    return _("Limit %(n)s, by the policy: lower its trigger and target, or give both in tokens.") % {"n": limit}

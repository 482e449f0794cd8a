"""What is wrong with a value of a form, as the engine and the strategies word it, marked for the catalogue."""

from typing import Final

from django.utils.translation import gettext_noop

_OF_A_VALUE: Final = (
    gettext_noop("is missing"),
    gettext_noop("should be a valid integer"),
    gettext_noop("should be a valid number"),
    gettext_noop("should be a valid string"),
    gettext_noop("should be a valid boolean"),
    gettext_noop("should be a valid array"),
    gettext_noop("should be an object"),
    gettext_noop("should be greater than or equal to %(n)s"),
    gettext_noop("should be less than or equal to %(n)s"),
    gettext_noop("should be greater than %(n)s"),
    gettext_noop("should be %(one)s or %(other)s"),
    gettext_noop("is not JSON: NaN, Infinity, or a value of another kind"),
    gettext_noop("must be an object"),
    gettext_noop("must be an object or null"),
    gettext_noop('must be an object such as {"strategy": "digest"}'),
    gettext_noop("must be a list"),
    gettext_noop("must be a string"),
    gettext_noop("must be a non-empty string"),
    gettext_noop("is not known here"),
    gettext_noop("must be one of %(known)s; there is no %(name)s"),
    gettext_noop("must be one of %(known)s"),
)
_OF_A_STRATEGY: Final = (
    gettext_noop("is no member of the strategy %(name)s"),
    gettext_noop("is no member of a compression policy"),
    gettext_noop("must hold 1 to %(most)s strategies, not %(n)s"),
    gettext_noop("must be the name of a strategy, or an object"),
    gettext_noop("cannot be a step of itself"),
    gettext_noop("must not be above the trigger: %(target)s and %(trigger)s tokens"),
    gettext_noop(
        "cannot be true with the strategy %(name)s, which asks a model under these parameters; right after an append "
        "none is asked: use cascade or digest"
    ),
)
_OF_PROBES: Final = (
    gettext_noop("must be a list of strings"),
    gettext_noop("must hold at most %(most)s texts, not %(n)s"),
    gettext_noop("must have 1 to %(most)s characters, and not blanks alone"),
)
_OF_A_SESSION: Final = (
    gettext_noop("is longer than %(most)s characters"),
    gettext_noop("has more than %(most)s labels"),
    gettext_noop("must have 1 to %(most)s characters"),
    gettext_noop("stands twice"),
    gettext_noop("holds NUL or a lone surrogate"),
)
_OF_A_MESSAGE: Final = (
    gettext_noop("must be a list of messages"),
    gettext_noop("must hold %(least)s to %(most)s messages, not %(n)s"),
    gettext_noop("has over 4,300 digits"),
    gettext_noop("must be a string, null or a list of parts"),
    gettext_noop("must be an object with a string `type`"),
    gettext_noop("must be a non-empty string on a tool message"),
    gettext_noop("may stand on an assistant message only"),
    gettext_noop("stands twice in this message; call ids are unique within a message"),
    gettext_noop("must be a string; it is kept as it is, even when it is no JSON"),
    gettext_noop("is missing: a call has a `function` or a `custom` member"),
)

FAULTS: Final = (*_OF_A_VALUE, *_OF_A_STRATEGY, *_OF_PROBES, *_OF_A_SESSION, *_OF_A_MESSAGE)
"""Of two that fit, the one that says more stands first."""

"""What a strategy of several steps says of its course, in English, and marked for the catalogue."""

from typing import Final

from django.utils.translation import gettext_noop

STAGES: Final = (
    gettext_noop("cleared old tool results"),
    gettext_noop("dropped old reasoning"),
    gettext_noop("cut long old answers"),
    gettext_noop("summarised the rest"),
)
COURSE: Final = (
    gettext_noop("Done: %(stages)s; then the target was met."),
    gettext_noop("Done: %(stages)s; the target was not met."),
    gettext_noop("Done: %(stages)s; then the target was met. %(why)s"),
    gettext_noop("Done: %(stages)s; the target was not met. %(why)s"),
    gettext_noop("No model is set up: the summary is a digest."),
)
"""Of two that fit, the one that says less stands first: the other holds a reason as well."""

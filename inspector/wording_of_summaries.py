"""What is said of summaries by a model, in English, and marked for the catalogue."""

from typing import Final

from django.utils.translation import gettext_noop

SUMMARIES: Final = (
    gettext_noop("No model is asked here: a digest stands in for its summary."),
    gettext_noop("%(why)s A digest stands in for its summary."),
    gettext_noop("No model is set up: SUMMARISER_BASE_URL and SUMMARISER_MODEL must be set."),
    gettext_noop("No model is set up: %(name)s must be set."),
    gettext_noop("cannot be used here: %(why)s"),
    gettext_noop("a summary by a model is not previewed: apply it, and restore undoes it"),
    gettext_noop("There is too little old history for a summary by a model to be shorter."),
    gettext_noop("%(n)s summaries are being written by the model already; nothing was written."),
    gettext_noop("The old messages do not fit into the model's limit."),
    gettext_noop("The model cannot be reached."),
    gettext_noop("The model did not answer in time."),
    gettext_noop("The model did not answer within %(n)s s."),
    gettext_noop("The model's endpoint answered with something that is no chat completion."),
    gettext_noop("The model's endpoint answered %(answer)s."),
    gettext_noop("The model's endpoint %(host)s answered %(answer)s for the model %(name)s. Check SUMMARISER_API_KEY."),
    gettext_noop("The model gave an empty summary."),
    gettext_noop("The model's summary was cut off."),
    gettext_noop("The model called a tool instead of writing a summary."),
    gettext_noop("The model refused to write a summary."),
    gettext_noop("The model's answer holds no JSON object."),
    gettext_noop("The model's summary is not of the form that was asked for: %(faults)s."),
    gettext_noop("The model's answer is far longer than a summary may be."),
    gettext_noop(
        "The model's summary has more than %(n)s tokens; its source has %(source)s; at most %(most)s may stand in the "
        "window."
    ),
    gettext_noop("The model's summary has more than %(n)s tokens; at most %(most)s may stand in the window."),
    gettext_noop(
        "The model's summary has %(n)s tokens; its source has %(source)s; at most %(most)s may stand in the window."
    ),
    gettext_noop("The model's summary has %(n)s tokens; at most %(most)s may stand in the window."),
    gettext_noop("string should have at most %(n)s characters"),
)
"""Of two that fit, the one that says more stands first."""

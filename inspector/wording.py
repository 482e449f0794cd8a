"""What the engine, the rules and the strategies say, in the language of the reader.

They speak English, as the API does. Here their sentences stand once more, marked for the catalogue. What is none of
them, such as the summary of a custom strategy, is shown as it is.
"""

import re
from collections.abc import Iterable
from functools import reduce
from typing import Final

from django.utils.translation import gettext, gettext_noop

from inspector.wording_of_faults import FAULTS
from inspector.wording_of_imports import LEFT_OUT, WINDOWS_LEFT_OUT
from inspector.wording_of_stages import COURSE, STAGES
from inspector.wording_of_summaries import SUMMARIES

STRATEGIES: Final = (
    gettext_noop("Keep the system message, the first request and the newest rounds; drop what lies between."),
    gettext_noop("Replace old tool results by a short placeholder; the calls stay."),
    gettext_noop(
        "Replace old history by one structured summary: requests, constraints, files, errors, decisions, plan. "
        "No model."
    ),
    gettext_noop(
        "Replace old history by one summary that a model writes; the user's requests stay word for word in it."
    ),
    gettext_noop("Drop the oldest rounds, each as a whole, until the window meets the target."),
    gettext_noop("Replace tool results by a placeholder once they are old enough, many rounds at a time."),
    gettext_noop("Keep head and tail of long old tool results; a line between them says how much was left out."),
    gettext_noop(
        "Replace an old tool result by a pointer where the same tool was called again later with equal arguments."
    ),
    gettext_noop("Remove the reasoning of old messages, whole and never in part: a signature holds for every byte."),
    gettext_noop(
        "From the trigger down to the target: clear old tool results, drop old reasoning, cut long old answers, "
        "summarise."
    ),
    gettext_noop("Run several strategies one after the other, until the target is met."),
)

PARAMETERS: Final = (
    gettext_noop("Protect rounds"),
    gettext_noop("How many of the newest complete rounds stay."),
    gettext_noop("Min saving"),
    gettext_noop("Do nothing where fewer tokens would be saved."),
    gettext_noop("Exclude tools"),
    gettext_noop("Tools whose results and inputs stay."),
    gettext_noop("Clear inputs"),
    gettext_noop("Clear the arguments of old calls as well."),
    gettext_noop("Max tokens"),
    gettext_noop("How long the digest may be. The quote of a long first request stands even if it is longer."),
    gettext_noop("How long the summary may be. The quote of a long first request stands even if it is longer."),
    gettext_noop("Instructions"),
    gettext_noop("What the model is told besides."),
    gettext_noop("Fallback"),
    gettext_noop("What is done where the model gives no usable summary."),
    gettext_noop("Trigger"),
    gettext_noop("From how many tokens on it does anything: up to 1 a fraction of the limit, above 1 tokens."),
    gettext_noop("Target"),
    gettext_noop("Up to 1 a fraction of the limit, above 1 tokens."),
    gettext_noop("Batch"),
    gettext_noop("By how many rounds the boundary moves at once."),
    gettext_noop("How long an old result may be."),
    gettext_noop("Steps"),
    gettext_noop('The strategies in their order, each a name or {"strategy": name, "params": {…}}.'),
)

REASONS: Final = (gettext_noop("a crash"), gettext_noop("an interrupt by the user"))

REFUSALS: Final = (
    gettext_noop("There is no session %(id)s."),
    gettext_noop("The session has no frame %(n)s."),
    gettext_noop("The session never had a version %(n)s of its context window."),
    gettext_noop(
        "Version %(n)s of the context window is no longer kept: the next one was made while `keep_context_history` was "
        "off."
    ),
    gettext_noop("A session %(id)s exists."),
    gettext_noop("The session has moved since you read it; nothing was written."),
    gettext_noop("This session takes no write that does not name the head it was made for."),
    gettext_noop("Others kept writing to the session for %(n)s s; nothing was written."),
    gettext_noop("Others kept writing to the session while it was imported."),
    gettext_noop("The context window moved while this version of it was being made."),
    gettext_noop("Frames kept coming: they were carried over %(n)s times."),
    gettext_noop("%(at)s: only tool replies are taken while calls are open: %(calls)s."),
    gettext_noop("%(at)s: no open call and no recovered one has the id %(id)s."),
    gettext_noop("The window that %(name)s made is refused. rule %(n)s: %(why)s"),
    gettext_noop("The frames of the session %(id)s are others than those of the file."),
    gettext_noop("A stored message is damaged and cannot be read; nothing was deleted or changed."),
    gettext_noop("Another process holds the database's write lock; nothing was written."),
    gettext_noop("The database did not get to it in time; nothing was written."),
    gettext_noop("The database could not be reached or could not do its work."),
    gettext_noop("The session has %(n)s frames; at most %(limit)s can be measured in one request."),
    gettext_noop("A replay of yours is running already; try again when it is done."),
    gettext_noop("Two comparisons of yours are running already; try again when one is done."),
)

CANNOT_COMPRESS: Final = (
    gettext_noop("%(name)s finds nothing in this window that it may compress."),
    gettext_noop("Version %(n)s is the current window."),
    gettext_noop("A digest of the old messages would not be shorter than they are."),
    gettext_noop("There is too little old history for a digest to be shorter."),
    gettext_noop("It would save %(saved)s tokens, fewer than the %(asked)s asked for."),
    gettext_noop("What would stand in place of the old messages is not shorter than they are."),
    gettext_noop("The window cannot be compressed without breaking rule %(n)s: %(why)s."),
    gettext_noop("The window has %(tokens)s tokens and meets the target of %(target)s."),
    gettext_noop("The window has %(tokens)s tokens, below the trigger of %(trigger)s."),
    gettext_noop("None of its steps finds anything in this window that it may compress."),
    gettext_noop("The step %(name)s would break rule %(n)s: %(why)s."),
)

RULES: Final = (
    gettext_noop("the system message must stand first, unchanged"),
    gettext_noop("the last user message must stay verbatim"),
    gettext_noop("the newest complete round must stay verbatim"),
    gettext_noop("the message of an open call must stay verbatim"),
    gettext_noop("the first user message must stay verbatim, or be quoted by a summary that covers it"),
    gettext_noop("a tool reply stands without its call right before it"),
    gettext_noop("a call stands without all of its replies right after it"),
    gettext_noop("a call stands without its reply"),
    gettext_noop("reasoning stays although a call that it led to is gone"),
    gettext_noop("a frame is claimed by two messages"),
    gettext_noop("messages must stand in the order of the smallest of their frames"),
    gettext_noop("the window has %(after)s tokens and had %(before)s; it must get smaller"),
    gettext_noop("the window is empty"),
    gettext_noop("a new message is empty"),
    gettext_noop("what replaces a message must be shorter than it"),
    gettext_noop("a cut falls inside the JSON arguments of a call"),
)
"""Why a window breaks a rule: those of them that the built-in strategies can meet."""

RULES_OF_OTHERS: Final = (
    gettext_noop("open calls must stay: %(ids)s"),
    gettext_noop("must quote the first %(n)s tokens of the first user message"),
    gettext_noop("original_seqs must not be empty"),
    gettext_noop("original_seqs must be ascending"),
    gettext_noop("original_seqs names a frame that does not exist"),
    gettext_noop("a message marked original must be one that the window had"),
    gettext_noop("the message is said to have %(n)s tokens and has another number"),
    gettext_noop("a summary must have the role user"),
)
"""Those that only a custom strategy's candidate shows."""

UNAVAILABLE: Final = (
    gettext_noop("It asks a model, and none is asked here."),
    gettext_noop("It has a defect: %(kind)s. The server's log tells more."),
)
"""Why a comparison or a replay does without a strategy."""

STOPPED: Final = (
    gettext_noop(
        "Versions %(a)s and %(b)s were made automatically within nine assistant frames: automatic compression has "
        "stopped for this session. The strategy does not keep the window below the trigger: raise the limit, protect "
        "fewer rounds or take another strategy; set the policy again to start it."
    ),
)

FILES: Final = (
    gettext_noop("%(why)s The formats that can be read are %(known)s."),
    gettext_noop("The file is not of the format %(name)s. It looks like %(other)s."),
    gettext_noop("The file is not of the format %(name)s."),
    gettext_noop("The file is a zip archive, but no Inspect log."),
    gettext_noop("The file is compressed by gzip: unpack it first."),
    gettext_noop("The file is text in UTF-16, as PowerShell writes it: save it as UTF-8."),
    gettext_noop("The file is JSON Lines, but its lines are of no known format."),
    gettext_noop("The file is JSON, but of no known format."),
    gettext_noop("The file is neither JSON nor JSON Lines in UTF-8."),
)
"""Of two that fit, the one that says more stands first."""

SENTENCES: Final = (
    *STRATEGIES,
    *PARAMETERS,
    *REASONS,
    *REFUSALS,
    *CANNOT_COMPRESS,
    *RULES,
    *RULES_OF_OTHERS,
    *UNAVAILABLE,
    *FAULTS,
    *STOPPED,
    *STAGES,
    *COURSE,
    *SUMMARIES,
    *FILES,
    *LEFT_OUT,
    *WINDOWS_LEFT_OUT,
)


def _pattern(sentence: str) -> re.Pattern[str]:
    """What the sentence is, filled in: `%(n)s` stands for any text."""
    parts = re.split(r"%\((\w+)\)s", sentence)
    return re.compile("".join(f"(?P<{p}>.+?)" if i % 2 else re.escape(p) for i, p in enumerate(parts)), re.DOTALL)


LONGEST: Final = 1_000
"""Characters of a text that is looked for; what is longer is not ours."""

_FIXED: Final = frozenset(s for s in SENTENCES if "%(" not in s)
_FILLED: Final = tuple((s, _pattern(s)) for s in SENTENCES if "%(" in s)


def in_words(said: str) -> str:
    """`said` in the reader's language; a reason that stands inside it as well."""
    if said in _FIXED:
        return gettext(said)
    for sentence, pattern in _FILLED if len(said) <= LONGEST else ():
        if found := pattern.fullmatch(said):
            values = found.groupdict()
            if "why" in values:
                values["why"] = in_words(values["why"])
            if "stages" in values:
                values["stages"] = _joined(map(in_words, values["stages"].split(", ")))
            return gettext(sentence) % values
    return said


def _joined(parts: Iterable[str]) -> str:
    """With the comma of the reader's language."""
    return reduce(lambda first, more: gettext("%(first)s, %(more)s") % {"first": first, "more": more}, parts)

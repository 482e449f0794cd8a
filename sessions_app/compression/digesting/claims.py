"""What a summary claims of the work: its text without what its writer adds of its own."""

from sessions_app.compression.digesting.bounded import without_cuts
from sessions_app.compression.digesting.facts import Facts
from sessions_app.compression.digesting.summary_text import read_summary
from sessions_app.compression.digesting.tallies import Errors, Tools
from sessions_app.engine import ContextItem


def claims_in(summary: ContextItem) -> str:
    """Without the numbers of frames, counts, headings, the lines around it, and words that were cut.

    Of a summary in another form only the cut words go: what in it is its writer's own, nobody can tell.
    """
    read = read_summary(summary)
    if read is None:
        return without_cuts(summary.message.body)
    facts = Facts()
    facts.take((summary,))
    told = [read.quote.text] if read.quote is not None else []
    for section in facts.sections:
        if isinstance(section, Tools | Errors):
            told += section.claims()
        else:
            told += [line.text for line in section.lines()]
    return "\n".join(map(without_cuts, told))

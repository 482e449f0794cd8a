"""The conversations of a Claude Code file: each root's and each branch's way to its newest leaf, and what each is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sessions_app.interchange.formats.claude_code.forest import Forest
from sessions_app.interchange.formats.claude_code.places import ROOT
from sessions_app.interchange.formats.claude_code.rows import Row
from sessions_app.interchange.tally import Tally
from sessions_app.interchange.transcript import Transcript

REPEATED: Final = 20
REPEATED_AT_LEAST: Final = 20_000
"""How many messages all branches of a file may have, by its rows and at any rate."""


@dataclass(frozen=True, slots=True)
class Chain:
    """A conversation from its root to its newest leaf. `start`: its first node of its own, by which a branch is known.
    `is_branch`: whether it shares what is above that with the conversation that it branched off from.
    """

    forest: Forest
    start: int
    is_branch: bool

    @property
    def first_row(self) -> Row:
        return self.forest.nodes[self.start].rows[0]

    @property
    def newest(self) -> int:
        return self.forest.nodes[self.start].newest

    @property
    def length(self) -> int:
        return self.forest.depth[self.forest.nodes[self.start].tip]

    @property
    def session(self) -> str:
        """The id that its newest rows name: a session that went on from another one begins with the rows of that."""
        rows = (row for n in self.upwards() for row in reversed(self.forest.nodes[n].all_rows))
        return next((row.session for row in rows if row.session), "")

    def upwards(self) -> Iterator[int]:
        """Its nodes, from its leaf to its root."""
        node = self.forest.nodes[self.start].tip
        while node != ROOT:
            yield node
            node = self.forest.nodes[node].above

    def own(self) -> Iterator[int]:
        """Its nodes that it shares with none above it, from its leaf on."""
        for node in self.upwards():
            yield node
            if node == self.start:
                return


def identified_chains(forest: Forest) -> list[tuple[Chain, Transcript]]:
    """Every chain with what it is: the sessions first. Of the conversations of one session the newest is it."""
    newest: dict[str, Chain] = {}
    others: list[tuple[str, Chain]] = []
    for chain in _chains(forest):
        session = chain.session
        before = newest.get(session)
        if chain.is_branch or chain.first_row.is_sidechain or (before is not None and before.newest > chain.newest):
            others.append((session, chain))
            continue
        if before is not None:
            others.append((session, before))
        newest[session] = chain
    others.sort(key=lambda other: other[1].first_row.index)
    taken: set[tuple[str, str]] = set()
    branches = [(chain, _branch(chain, session, taken)) for session, chain in others]
    return [*((chain, Transcript([], native_id=session)) for session, chain in newest.items()), *branches]


def affordable(
    identified: list[tuple[Chain, Transcript]], *, rows: int, tally: Tally
) -> list[tuple[Chain, Transcript]]:
    """Without the branches that would repeat more than the file is worth; these are named.

    Every branch tells what is above it again: of a file that forks at each row, that would grow with its square.
    """
    left, told = REPEATED * rows + REPEATED_AT_LEAST, []
    for chain, transcript in identified:
        if chain.is_branch:
            left -= chain.length
        if left >= 0 or not chain.is_branch:
            told.append((chain, transcript))
            continue
        for node in chain.own():
            for row in chain.forest.nodes[node].all_rows:
                tally.skip("branch", "is one of too many that repeat the same messages", row.number)
    return told


def owners_of(chains: list[Chain], rows: list[Row]) -> dict[str, int]:
    """The number of the chain that each row is of, by the row's name; of a shared part, that of the chain it is of."""
    owners = {node: n for n, chain in enumerate(chains) for node in chain.own()}
    node_of = chains[0].forest.node_of if chains else []
    return {
        row.uuid: owners[node_of[row.index]] for row in rows if row.uuid and node_of and node_of[row.index] in owners
    }


def _chains(forest: Forest) -> list[Chain]:
    """Every root's newest chain, and the newest chain of every branch, in the order in which they begin."""
    starts = [*forest.roots, *(n for node in forest.nodes for n in node.below[:-1])]
    starts.sort(key=lambda n: forest.nodes[n].rows[0].index)
    return [Chain(forest, start, is_branch=forest.nodes[start].above != ROOT) for start in starts]


def _branch(chain: Chain, session: str, taken: set[tuple[str, str]]) -> Transcript:
    """An agent's own chain is known by the agent; a further one, or a branch, by its first row."""
    row = chain.first_row
    agent = row.agent if row.is_sidechain and not chain.is_branch else ""
    branch = next((n for n in (agent, row.uuid) if n and (session, n) not in taken), f"line {row.number}")
    taken.add((session, branch))
    is_branch = chain.is_branch or not row.is_sidechain
    labels = [label for label, holds in (("sidechain", row.is_sidechain), ("branch", is_branch)) if holds]
    return Transcript([], native_id=session, branch=branch, labels=tuple(labels))

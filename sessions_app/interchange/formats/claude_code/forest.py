"""The conversations of a Claude Code file: its rows as messages, these as trees, and each tree's chains.

A response is written a block a row, all with its `message.id`, and each result hangs below the row of its call: a tree
of rows that is one message and its replies. What is left to fork is where somebody went back and went on otherwise.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from sessions_app.interchange.formats.claude_code.copies import Links
from sessions_app.interchange.formats.claude_code.kinds import UNSEEN
from sessions_app.interchange.formats.claude_code.places import ROOT
from sessions_app.interchange.formats.claude_code.rows import Row

NodeKind = Literal["user", "response", "boundary", "summary"]


@dataclass(slots=True)
class Node:
    """A message, a compaction's boundary or its summary. `rows`: those it is made of; of a response also `replies`, the
    rows with its calls' results and what tools added to them. `hangs_on`: the row above it. `newest`: the last row of
    it and of all below. `tip`: the end of the newest way down from it.
    """

    kind: NodeKind
    above: int
    hangs_on: int
    rows: list[Row]
    replies: list[Row] = field(default_factory=list)
    open_calls: list[str] = field(default_factory=list)
    newest: int = ROOT
    tip: int = ROOT
    below: list[int] = field(default_factory=list)

    @property
    def all_rows(self) -> list[Row]:
        return [*self.rows, *self.replies]


class Forest:
    """`node_of[i]`: the node of row i, or the one that a row out of the model's sight belongs to."""

    def __init__(self, rows: list[Row], links: Links) -> None:
        self.nodes: list[Node] = []
        self.node_of = [ROOT] * len(rows)
        self.roots: list[int] = []
        self._responses: dict[tuple[str, str], int] = {}
        # For rows out of sight, the row in sight that they stand below.
        in_sight = [ROOT] * len(rows)
        for index in _downwards(links.up):
            up = links.up[index]
            above, hangs_on = (ROOT, ROOT) if up == ROOT else (self.node_of[up], in_sight[up])
            is_passed = rows[index].kind == UNSEEN or index in links.copies
            self.node_of[index] = above if is_passed else self._take(rows[index], above, hangs_on)
            in_sight[index] = hangs_on if is_passed else index
        # A node is made after the one above it.
        for number in reversed(range(len(self.nodes))):
            self._finish(number)
        self.depth = self._depths()

    def _depths(self) -> list[int]:
        """For each node, how many there are from its root to it, itself included."""
        depth = [1] * len(self.nodes)
        stack = list(self.roots)
        while stack:
            node = stack.pop()
            for below in self.nodes[node].below:
                depth[below] = depth[node] + 1
                stack.append(below)
        return depth

    def _take(self, row: Row, above: int, hangs_on: int) -> int:
        """The node of a row: a new one, or the one that it belongs to."""
        match row.kind:
            case "assistant":
                return self._take_block(row, above, hangs_on)
            case "user":
                if above != ROOT and self._belongs_to(row, self.nodes[above]):
                    return above
                return self._add("user", row, above, hangs_on)
            case "boundary" | "summary":
                return self._add(row.kind, row, above, hangs_on)
        return above

    def _take_block(self, row: Row, above: int, hangs_on: int) -> int:
        key = (row.lane, row.message_id)
        node = self._responses.get(key, ROOT) if row.message_id else ROOT
        if node == ROOT or not self._continues(row, above, node):
            node = self._responses[key] = self._add("response", row, above, hangs_on)
        else:
            self.nodes[node].rows.append(row)
        self.nodes[node].open_calls += row.calls
        return node

    def _continues(self, row: Row, above: int, node: int) -> bool:
        """Whether a row is a further part of a response: below it or beside it. An id may come again much later."""
        request = self.nodes[node].rows[0].request
        is_near = above != ROOT and above in (node, self.nodes[node].above)
        return is_near and (not row.request or not request or row.request == request)

    def _belongs_to(self, row: Row, response: Node) -> bool:
        if response.kind != "response":
            return False
        belongs = bool(row.serves) and any(row.serves in r.calls for r in response.rows)
        for call in row.answers:
            answered = call or next(iter(response.open_calls), "")
            if answered in response.open_calls:
                response.open_calls.remove(answered)
                belongs = True
        if belongs:
            response.replies.append(row)
        return belongs

    def _add(self, kind: NodeKind, row: Row, above: int, hangs_on: int) -> int:
        number = len(self.nodes)
        self.nodes.append(Node(kind, above, hangs_on, [row]))
        (self.roots if above == ROOT else self.nodes[above].below).append(number)
        return number

    def _finish(self, number: int) -> None:
        """Everything below the node is finished."""
        node = self.nodes[number]
        node.rows.sort(key=lambda row: row.index)
        node.replies.sort(key=lambda row: row.index)
        if node.kind == "response" and len(node.below) > 1:
            self._put_in_a_row(node)
        node.below.sort(key=lambda n: self.nodes[n].newest)
        node.newest, node.tip = max(row.index for row in node.all_rows), number
        if node.below:
            last = self.nodes[node.below[-1]]
            node.newest, node.tip = max(node.newest, last.newest), last.tip

    def _put_in_a_row(self, response: Node) -> None:
        """What went on at once is no fork: a response that was cut and went on below one of its blocks, while a result
        came in below another. Where somebody went back there is a prompt, or two ways lead on from one row.
        """
        below = sorted(response.below, key=lambda n: self.nodes[n].rows[0].index)
        ways: dict[int, int] = {}
        for n in below:
            if not self.nodes[n].rows[0].is_prompt:
                ways.setdefault(self.nodes[n].hangs_on, n)
        parallel = list(ways.values())
        if len(parallel) < 2:
            return
        for before, after in pairwise(parallel):
            tip = self.nodes[before].tip
            self.nodes[tip].below.append(after)
            self.nodes[after].above = tip
        first, last = self.nodes[parallel[0]], self.nodes[parallel[-1]]
        first.newest = max(self.nodes[n].newest for n in parallel)
        first.tip = last.tip
        response.below = [n for n in response.below if n not in parallel[1:]]


def _downwards(up: list[int]) -> Iterator[int]:
    """Every row after the one it follows; rows that follow the same one in the order of the file."""
    below: dict[int, list[int]] = defaultdict(list)
    for index, above in enumerate(up):
        below[above].append(index)
    stack = below[ROOT][::-1]
    while stack:
        index = stack.pop()
        yield index
        stack += reversed(below.get(index, ()))

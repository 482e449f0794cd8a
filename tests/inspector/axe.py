"""axe in an open page: what of it a person with a screen reader, a keyboard or weak eyes would trip over.

The script is that of the package `axe-playwright-python` (axe-core 4.12, nothing is loaded from a network). It is
handed to the page by the browser's own debugging door, which the page's policy does not concern.

All rules of WCAG 2.0 to 2.2 at levels A and AA, the best practices and the experimental rules. Not those of level AAA,
and not what axe calls "incomplete": that a person must look at.
"""

from collections.abc import Sequence
from importlib import resources
from typing import Any

from playwright.sync_api import Page

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental")
COLOURS = ("color-contrast", "link-in-text-block")
"""Of these rules only two can find something else in the other scheme of colours."""

SCRIPT = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text()
RUN = """async (runOnly) => {
  const ran = await axe.run(document, { runOnly, resultTypes: ["violations"] });
  return ran.violations.map(({ id, impact, help, nodes }) => ({
    id, impact, help, nodes: nodes.map(({ target, html, failureSummary }) => ({
      target: target.flat().join(" "), html: html.slice(0, 120), why: failureSummary })) }));
}"""


def findings(page: Page, *, only: Sequence[str] = ()) -> list[str]:
    """One line for each element that breaks a rule: the rule, how bad, where, what is wrong with it. `only` names
    rules.
    """
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(SCRIPT)
    run_only = {"type": "rule", "values": list(only)} if only else {"type": "tag", "values": list(TAGS)}
    violations = page.evaluate(RUN, run_only)
    return [_line(violation, node) for violation in violations for node in violation["nodes"]]


def _line(violation: dict[str, Any], node: dict[str, Any]) -> str:
    why = " ".join(line.strip() for line in node["why"].splitlines()[1:])
    return f"{violation['id']} ({violation['impact']}): {node['target']}: {why or violation['help']} {node['html']!r}"

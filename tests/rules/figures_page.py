"""Tables of docs/rules/figures.md, for the rule tests."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/rules/figures.md"


def table(heading: str) -> dict[str, dict[str, str]]:
    """Return the table under a heading: first cell of a row -> column -> cell, no code marks."""
    section = PAGE.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    columns, _, *body = [[cell.strip(" `") for cell in row] for row in rows]
    return {row[0]: dict(zip(columns, row, strict=True)) for row in body}


WHO_MAY_STAND = table("Who may stand where")
FIELD_POINTS = table("What a field is worth")

"""Upper limits for the number of tiles and segments in a game."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.tiles import LAKE_DESIGN, MOST_SEGMENTS, RIVER_SET, ROWS, SOURCE_DESIGN

EDITIONS = ("C1", "C2")


def copies_of(row: dict[str, Any], edition: str) -> int:
    """Return the number of tiles of a design, including those that came in other boxes."""
    return int(row["n"][edition] + row.get("promo", 0))


def n_with(fact: str) -> int:
    """Return how many tiles in a game can show a fact, such as ``"tower"``."""
    shown = [row for row in ROWS if row.get(fact)]
    return max(sum(int(row["n"][edition]) for row in shown) for edition in EDITIONS)


TOGETHER = [
    (k, row)
    for k, row in enumerate(ROWS)
    if k not in (SOURCE_DESIGN[RIVER_SET], LAKE_DESIGN[RIVER_SET])
]
"""The designs that a game with all sets can have; two rivers share a source and lake (RIV2-11)."""
MAX_START = 2 + sum("table" in row for row in ROWS)
"""Tiles on the table when a game begins."""
MAX_BAG = max(sum(copies_of(row, edition) for _, row in TOGETHER) for edition in EDITIONS)
MAX_TILES = MAX_BAG + MAX_PLAYERS
"""All tiles in the bag, plus one abbey per player."""
MAX_SEGMENTS = (
    MAX_PLAYERS
    + max(
        sum(copies_of(row, edition) * MOST_SEGMENTS[k] for k, row in TOGETHER)
        for edition in EDITIONS
    )
    + sum("instead_of" in row for row in ROWS)
)
"""Segments of all tiles, each with the bridge that it can carry, one for each abbey, and one more
for each tile whose road is broken."""
N_WORDS = (MAX_SEGMENTS + 63) // 64
"""Number of 64-bit words in a feature set."""

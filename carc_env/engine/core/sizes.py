"""Numbers of tiles and segments that a game can have."""

from __future__ import annotations

from typing import Any

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.tiles import LAKE_DESIGN, MOST_SEGMENTS, RIVER_SET, ROWS, SOURCE_DESIGN

EDITIONS = ("C1", "C2")


def copies_of(row: dict[str, Any], edition: str) -> int:
    """Return how many tiles of a design there are, including those that came in other boxes."""
    return int(row["n"][edition] + row.get("promo", 0))


def n_with(fact: str) -> int:
    """Return how many tiles of a game can show something, such as ``"tower"``."""
    shown = [row for row in ROWS if row.get(fact)]
    return max(sum(int(row["n"][edition]) for row in shown) for edition in EDITIONS)


TOGETHER = [
    (k, row)
    for k, row in enumerate(ROWS)
    if k not in (SOURCE_DESIGN[RIVER_SET], LAKE_DESIGN[RIVER_SET])
]
"""The designs that a game of all sets can have: two rivers have one source and lake (RIV2-11)."""
MAX_START = 2 + sum("table" in row for row in ROWS)
"""Tiles that lie on the table when a game begins."""
MAX_BAG = max(sum(copies_of(row, edition) for _, row in TOGETHER) for edition in EDITIONS)
MAX_TILES = MAX_BAG + MAX_PLAYERS
"""All tiles of the bag and an abbey for everybody."""
MAX_SEGMENTS = (
    MAX_PLAYERS
    + max(
        sum(copies_of(row, edition) * MOST_SEGMENTS[k] for k, row in TOGETHER)
        for edition in EDITIONS
    )
    + sum("instead_of" in row for row in ROWS)
)
"""Segments of all tiles, each with the bridge that it can bear, one of each abbey, and one more of
each tile whose road is broken."""
N_WORDS = (MAX_SEGMENTS + 63) // 64
"""64-bit words of a set of features."""

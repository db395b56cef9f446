"""The tile designs in play, the start tiles and the draw order."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from carc_env.engine.core.tiles import (
    FACTS,
    FORKED_RIVER_SET,
    LAYER,
    RIVER_SET,
    ROSE_DESIGN,
    SOURCE_DESIGN,
    START_DESIGN,
    TILE_ID,
)
from carc_env.position import PlacedTile
from carc_env.rules import Rules

AT_THE_ORIGIN, NORTH_UP = (0, 0, 0), (0, 0, 1)
"""Cell and rotation of the start tile, and of the orange wind rose that can replace it."""
OF_ROSE, EASTWARD = (-1, -2, 1), (2, -1, 2)
"""Cells and rotations of the rose and of a source next to tiles that replace the start tile."""


@lru_cache(maxsize=64)
def tile_ids(rules: Rules) -> tuple[str, ...]:
    """Return the designs in play, in the order of the tile facts."""
    counts = rules.tile_counts
    return tuple(TILE_ID[design] for design in np.flatnonzero(counts))


@lru_cache(maxsize=64)
def start_tiles(rules: Rules) -> tuple[PlacedTile, ...]:
    """Return the tiles on the table when a game begins, in placement order.

    This is the start tile (BASE-02), the wind-rose tile (WR-01) or the source of a river (BASE-40,
    RIV2-01), unless a set has tiles that replace it (COU-01). The orange rose (WR-09) and a river
    (COU-28) can lie next to the tiles of such a set.
    """
    in_play = [row for row in FACTS if "table" in row and row["set"] in rules.sets]
    laid = [PlacedTile(row["id"], row["table"][0], row["table"][1], 0) for row in in_play]
    rivers = [river for river in (FORKED_RIVER_SET, RIVER_SET) if river in rules.sets]
    if rules.has_rose_start:
        return (PlacedTile(TILE_ID[ROSE_DESIGN], *NORTH_UP),)
    if rules.has_rose_beside:
        laid.append(PlacedTile(TILE_ID[ROSE_DESIGN], *OF_ROSE))
    first = SOURCE_DESIGN[rivers[0]] if rivers else START_DESIGN
    if rivers or not laid:
        laid.append(PlacedTile(TILE_ID[first], *(EASTWARD if laid else AT_THE_ORIGIN)))
    return tuple(laid)


def check_bag_order(designs: Sequence[int]) -> None:
    """Raise a ``ValueError`` if tiles, next tile first, break the draw order of rivers."""
    layers = [LAYER[design] for design in designs]
    if layers != sorted(layers, reverse=True):
        raise ValueError(
            "river tiles must be drawn before all others, rv-lake as the last of them (BASE-40), "
            "or r2-fork as the first and r2-lake-volcano as the last of them (RIV2-02)"
        )

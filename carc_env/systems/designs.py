"""The designs of tiles in play, the first of them and the order in which they are drawn."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from carc_env.engine.core.tiles import (
    FORKED_RIVER_SET,
    LAYER,
    RIVER_SET,
    SOURCE_DESIGN,
    START_DESIGN,
    TILE_ID,
)
from carc_env.rules import Rules


@lru_cache(maxsize=64)
def tile_ids(rules: Rules) -> tuple[str, ...]:
    """The designs in play, in the order of the tile facts."""
    counts = rules.tile_counts
    return tuple(TILE_ID[design] for design in np.flatnonzero(counts))


def start_design(rules: Rules) -> int:
    """The design that lies on the table when a game begins (BASE-02, BASE-40, RIV2-01)."""
    for river in (FORKED_RIVER_SET, RIVER_SET):
        if river in rules.sets:
            return SOURCE_DESIGN[river]
    return START_DESIGN


def check_bag_order(designs: Sequence[int]) -> None:
    """Raise a ``ValueError`` if tiles, the next one first, are not drawn as with the River."""
    layers = [LAYER[design] for design in designs]
    if layers != sorted(layers, reverse=True):
        raise ValueError(
            "river tiles must be drawn before all others, rv-lake as the last of them (BASE-40), "
            "or r2-fork as the first and r2-lake-volcano as the last of them (RIV2-02)"
        )

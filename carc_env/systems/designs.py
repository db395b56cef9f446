"""The designs of tiles in play."""

from functools import lru_cache

import numpy as np

from carc_env.engine.core.tiles import TILE_ID
from carc_env.rules import Rules


@lru_cache(maxsize=64)
def tile_ids(rules: Rules) -> tuple[str, ...]:
    """The designs in play, in the order of the tile facts."""
    counts = rules.tile_counts
    return tuple(TILE_ID[design] for design in np.flatnonzero(counts))

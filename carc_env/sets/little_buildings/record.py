"""Record fields of little buildings."""

from __future__ import annotations

from carc_env.engine.core.codes import Stock
from carc_env.engine.core.fields import Field, Part

BUILDINGS = Stock.SHED, Stock.HOUSE, Stock.TOWER
"""The kinds of buildings; their numbers here are their places in this list."""
N_BUILDINGS = len(BUILDINGS)
OF_EACH_KIND = 6
"""Buildings of a kind in the box (LB-01)."""
MAX_BUILT = N_BUILDINGS * OF_EACH_KIND

_BUILT = (
    Field("tile", "i2", most="tiles"),
    Field("kind", "i1", most=N_BUILDINGS - 1),
)

PART = Part(
    game=(
        Field("n_built", "i1", most=MAX_BUILT),
        Field("built", _BUILT, (MAX_BUILT,)),  # one on a tile, in the order of tiles
    ),
    rules=(
        Field("building_points", "i1", (N_BUILDINGS,)),  # points of one of each kind (LB-08)
        Field("buildings_dealt", "i1", (N_BUILDINGS,)),  # initial buildings of a seat (LB-01)
    ),
    marks=MAX_BUILT,
    besides=N_BUILDINGS,
)

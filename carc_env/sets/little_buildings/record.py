"""Record fields for little buildings."""

from __future__ import annotations

from carc_env.engine.core.codes import Stock
from carc_env.engine.core.fields import Field, Part

BUILDINGS = Stock.SHED, Stock.HOUSE, Stock.TOWER
"""Kinds of buildings; a building's number is its index in this list."""
N_BUILDINGS = len(BUILDINGS)
OF_EACH_KIND = 6
"""Number of buildings of each kind in the box (LB-01)."""
MAX_BUILT = N_BUILDINGS * OF_EACH_KIND

_BUILT = (
    Field("tile", "i2", most="tiles"),
    Field("kind", "i1", most=N_BUILDINGS - 1),
)

PART = Part(
    game=(
        Field("n_built", "i1", most=MAX_BUILT),
        Field("built", _BUILT, (MAX_BUILT,)),  # at most one on a tile, in tile order
    ),
    rules=(
        Field("building_points", "i1", (N_BUILDINGS,)),  # points for one of each kind (LB-08)
        Field("buildings_dealt", "i1", (N_BUILDINGS,)),  # each seat's initial buildings (LB-01)
    ),
    marks=MAX_BUILT,
    besides=N_BUILDINGS,
)

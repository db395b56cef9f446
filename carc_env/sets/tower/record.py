"""Record fields for towers."""

from __future__ import annotations

from carc_env.engine.core.codes import MAX_PLAYERS, N_MEEPLES, Figure
from carc_env.engine.core.fields import ABSENT, Field, Part
from carc_env.engine.core.sizes import n_with

MAX_TOWERS = n_with("tower")
"""Number of tower foundations in the game."""
NO_TOWER = ABSENT
MOST_OF_A_KIND = 7
"""Maximum number of meeples of one kind that a seat has."""

_TOWER = (
    Field("tile", "i2", most="tiles"),  # tile with the foundation
    Field("height", "i2"),  # number of floors
    # Owner of the meeple that closes it (TOW-16), or NO_SEAT, and its kind, or NO_FIGURE:
    Field("seat", "i1", most="players", least=ABSENT),
    Field("figure", "i1", most=len(Figure) - 1, least=ABSENT),
)

PART = Part(
    game=(
        Field("n_towers", "i2", most=MAX_TOWERS),
        Field("towers", _TOWER, (MAX_TOWERS,)),  # in the order in which foundations were placed
        # Number of the tower that may capture now, or NO_TOWER:
        Field("tower", "i2", most="towers", empty=NO_TOWER),
        Field("ransomed", "i1"),  # 1: the ransom of this turn is paid (TOW-26)
    ),
    player=(
        # Number of figures held, by seat and kind (TOW-11):
        # Numbers suffice: no rule distinguishes a seat's equal figures.
        Field("prisoners", "i1", (MAX_PLAYERS, N_MEEPLES), most=MOST_OF_A_KIND),
    ),
    rules=(
        Field("captures_tops", "i1"),  # 1: towers can capture meeples on other towers (TOW-20)
        Field("eats_tops", "i1"),  # 1: the dragon eats meeples on towers (TOW-21)
        Field("early_ransom", "i1"),  # 1: a ransom may be paid before the tile is placed (TOW-25)
        Field("n_tops", "i1"),  # number of figure kinds that can stand on towers (TOW-18, PHA-09)
        Field("n_ransoms", "i1"),  # number of meeple kinds that ransoms from one captor distinguish
        Field("mayor_safe", "i1"),  # 1: towers do not capture mayors (HOUSE-02)
    ),
    marks=2 * MAX_TOWERS + 1,  # and the capturing tower
)

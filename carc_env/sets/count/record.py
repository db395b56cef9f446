"""Record fields for the count and the city of Carcassonne."""

from __future__ import annotations

from carc_env.engine.core.codes import N_MEEPLES, N_QUARTERS
from carc_env.engine.core.fields import ABSENT, Field, Part

IN_PLAY = ABSENT
"""Value of ``declined`` until the game is over (COU-18)."""
BY_PLAYER, CLOCKWISE, FOLLOWS = range(3)
"""How the count moves: values of ``rules.count_move`` (COU-30)."""
MOST_OF_A_KIND = 7
"""Maximum number of meeples of one kind that a seat has."""

PART = Part(
    game=(
        Field("count", "i1", most=N_QUARTERS - 1),  # quarter where the count stands (COU-03)
        # Seats that scored features because of the tile just placed, as bits (COU-04):
        Field("scored", "i1"),
        Field("entered", "i1"),  # 1: a meeple entered Carcassonne in this turn (COU-06)
        Field("owed_entered", "i1"),  # the same for the turn that continues after a bazaar
        # Seats that have stopped moving meeples at the end, as bits; IN_PLAY before that (COU-19):
        Field("declined", "i1", empty=IN_PLAY, least=IN_PLAY),
    ),
    player=(
        # Number of meeples waiting, by quarter and kind (COU-10):
        # Numbers suffice, as for prisoners. Carcassonne is not a feature: it cannot be joined.
        Field("waiting", "i1", (N_QUARTERS, N_MEEPLES), most=MOST_OF_A_KIND),
    ),
    rules=(
        Field("carcassonne", "i1"),  # 1: its twelve tiles are on the table (COU-01)
        Field("block_buildable", "i1"),  # 1: barns and castles may stand next to it (XCK-03)
        Field("count", "i1"),  # 1: the count and the quarters are in play (COU-03)
        Field("enters_each_part", "i1"),  # 1: one entry per part of a turn (COU-06)
        Field("joins_unoccupied", "i1"),  # 1: meeples may join features without figures (COU-15)
        Field("any_leaves_last", "i1"),  # 1: meeples may leave any quarter at the end (COU-18)
        Field("count_move", "i1"),  # how the count moves (COU-30)
        # 1: a field that a tile joins to a barn lets nobody enter (XCK-04)
        Field("count_without_joins", "i1"),
    ),
)

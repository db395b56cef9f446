"""Record fields for wagons."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.fields import ABSENT, Field, Part, Standing
from carc_env.engine.core.sizes import N_WORDS

PART = Part(
    game=(
        # Cell chosen for a wagon in phase WAGON_SPOT, or NO_CELL:
        Field("wagon_cell", "i2", most="cells", empty=ABSENT),
        # Set of features that the moving wagon has rolled over:
        Field("rolled", "u8", (N_WORDS,), most="segments"),
    ),
    player=(
        # Segment on which the wagon was scored and from which it may move, or NO_SEGMENT:
        # A scored wagon waits in the supply, so no count of figures needs an exception.
        Field("wagon_from", "i2", most="segments", empty=ABSENT),
    ),
    rules=(
        Field("wagon_links", "i1"),  # 1: wagons move along links, first edition (WAG-20)
        Field("wagon_rolls", "i1"),  # 1: wagons roll over complete features (HOUSE-01)
        Field("wagon_neighbours", "i1"),  # 1: wagons leave a castle for its neighbours (WAG-17)
    ),
    figures=(  # WAG-02, WAG-03
        Standing(Figure.WAGON, (Kind.ROAD, Kind.CITY, Kind.MONASTERY)),
    ),
    marks=2,  # where it comes from and where it goes
)

"""The tables that ``insight`` adds to the plain value's; ``insight.py`` writes their entries."""

from carc_env.engine.core.codes import MAX_PLAYERS
from carc_env.engine.core.state import MAX_FIGURES
from carc_env.search.measures import MAX_CITIES
from carc_env.search.tables import N_FITS, N_RELATIONS, N_TIMES, Table

MAX_FREE = 64
"""Maximum number of unoccupied features at open cells that are examined."""
MAX_FIELD_CITIES = MAX_CITIES * MAX_FIGURES
N_LATE = 8
"""Number of steps for the remaining tiles when few are left."""
N_KINDS = 3
"""Number of kinds: roads, cities, and everything else."""

TABLES = (
    Table("field_link", (N_RELATIONS, N_TIMES, 4, 4, 3, N_FITS)),
    Table("free", (2, N_TIMES, 4, 3, N_FITS), MAX_FREE),
    Table("free_field", (N_TIMES, 4, N_FITS), MAX_FREE),
    Table("free_hands", (N_KINDS, N_TIMES, 4, 2, 2, N_FITS), MAX_FREE),
    Table("cells", (2, N_RELATIONS, N_TIMES, 3, N_FITS, N_FITS)),
    Table("closing", (2, N_RELATIONS, N_TIMES, 3, N_FITS, 4)),
    Table("late", (4, N_RELATIONS, N_LATE, 4, N_FITS)),
    Table("field_city", (N_RELATIONS, N_TIMES, 4, N_FITS), MAX_FIELD_CITIES),
    Table("stuck", (N_KINDS, 2, N_TIMES, 4, N_FITS)),
    Table("centre_cells", (N_RELATIONS, N_TIMES, 9, 4)),
    Table("margin", (N_KINDS, 5, N_TIMES, 4, 4)),
    Table("hands", (N_TIMES, 8, 8), MAX_PLAYERS),
)
(
    FIELD_LINK,
    FREE,
    FREE_FIELD,
    FREE_HANDS,
    CELLS,
    CLOSING,
    LATE,
    FIELD_CITY,
    STUCK,
    CENTRE_CELLS,
    MARGIN,
    HANDS,
) = (table.first for table in TABLES)

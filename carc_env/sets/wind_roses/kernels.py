"""Wind roses: points for a tile in the quarter of the plane that it shows (WR-01 to WR-09)."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import N_ROTATIONS, Kind
from carc_env.engine.core.moments import counts_as_scored, tile_placed
from carc_env.engine.core.scoring import award_for
from carc_env.engine.core.state import BOARD, NO_SEGMENT, NO_TILE, State
from carc_env.sets.wind_roses.record import NO_QUARTER, NO_ROSE, NORTH, QUARTER, ROSE

POINTS_FOR_QUARTER = 3  # WR-04


@kernel(i8(State))
def rose_in_force(s):
    """Return the tile with the rose in force, the blue one if present, or NO_TILE (WR-03)."""
    found, best = NO_TILE, NO_ROSE
    for tile in range(s.n_tiles):
        rose = ROSE[s.tiles[tile].design]
        if rose > best:
            found, best = tile, rose
    return found


@kernel(b1(State, i8, i8, i8))
def is_in_quarter(s, cell, quarter, tile):
    """Return whether a cell is in a quarter of the rose on a tile, borders included (WR-02)."""
    rose = s.tiles[tile]
    turned = (quarter + NORTH[rose.design] + rose.rotation) % N_ROTATIONS
    rows = cell // BOARD - rose.cell // BOARD
    columns = cell % BOARD - rose.cell % BOARD
    southward = rows if turned == 1 or turned == 2 else -rows
    eastward = columns if turned < 2 else -columns
    return southward >= 0 and eastward >= 0


@kernel(b1(State))
def is_at_home(s):
    """Return whether the tile placed last is in the quarter that it shows (WR-04)."""
    last = s.tiles[s.n_tiles - 1]
    quarter, rose = QUARTER[last.design], rose_in_force(s)
    if quarter == NO_QUARTER or rose == NO_TILE:
        return False
    return is_in_quarter(s, last.cell, quarter, rose)


@at(tile_placed, "wind_roses")
@kernel(void(State))
def score_quarter(s):
    """Give the turn player points if the tile just placed is in its quarter (WR-04)."""
    if is_at_home(s):
        award_for(s, Kind.WIND_ROSE, s.turn_player, POINTS_FOR_QUARTER, NO_SEGMENT)


@at(counts_as_scored, "rose_bars")
@kernel(i8(State))
def has_scored_quarter(s):
    """Return 1 if the tile just placed scored points that bar entry to Carcassonne (WR-07)."""
    return is_at_home(s)

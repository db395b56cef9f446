"""Special monasteries: a meeple that lies there scores lines ([rules](../rules/monasteries.md)).

Such a tile has two segments in its centre, the monastery and its *lines*: a meeple stands on one or
lies on the other. For placing a figure, both count as one (MON-07). Lines are never complete, so a
meeple that lies there stays until the end of the game (MON-05, MON-09).
"""

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import N_SIDES, STEP, tile_at
from carc_env.engine.core.codes import Kind, Phase
from carc_env.engine.core.features import (
    cell_of,
    feature_of,
    is_occupied,
    tile_of,
)
from carc_env.engine.core.moments import (
    feature_scored,
    is_taken_otherwise,
    lacks_monks,
    points_of_lines,
    scoring_ends,
)
from carc_env.engine.core.state import NO_SEGMENT, NO_TILE, State
from carc_env.engine.core.tiles import (
    CENTRE,
    LINES,
)


@kernel(i8(State, i8))
def lines_at(s, feature):
    """Return a monastery's lines, or NO_SEGMENT if it is not special or does not exist."""
    if s.features[feature].kind != Kind.MONASTERY:
        return NO_SEGMENT
    tile = s.tiles[tile_of(s, feature)]
    j = LINES[tile.design]
    return NO_SEGMENT if j < 0 else tile.first_segment + j


@at(is_taken_otherwise, "special_monasteries")
@kernel(i8(State, i8))
def is_taken_in_the_other_way(s, segment):
    """Return 1 if a meeple lies where another would stand, or vice versa (MON-07)."""
    tile = s.tiles[tile_of(s, segment)]
    lines, centre = LINES[tile.design], CENTRE[tile.design]
    j = segment - tile.first_segment
    if lines < 0 or (j != lines and j != centre):
        return 0
    return is_occupied(s, feature_of(s, tile.first_segment + lines + centre - j))


@at(points_of_lines, "special_monasteries")
@kernel(i8(State, i8))
def lines_value(s, feature):
    """Return a point for the tile and one for each tile in line with it, up to the first gap.

    MON-06; it does not matter which tiles they are (MON-14).
    """
    cell, points = cell_of(s, feature), 1
    for side in range(N_SIDES):
        near = cell + STEP[side]
        while tile_at(s, near) != NO_TILE:
            points += 1
            near += STEP[side]
    return points


# Features that castles can score.


@kernel(i8(State, i8))
def number_among_special(s, tile):
    """Return how many special monasteries were placed before the one on a tile."""
    n = 0
    for before in range(tile):
        n += LINES[s.tiles[before].design] >= 0
    return n


@at(feature_scored, "special_monasteries")
@kernel(void(State, i8))
def note_monks(s, feature):
    """Note a monastery that is scored while others lie there, for castles (XGM-05)."""
    lines = lines_at(s, feature)
    if s.phase == Phase.GAME_OVER or s.n_castles == 0 or lines == NO_SEGMENT:
        return
    if is_occupied(s, lines):
        s.monks_scored |= 1 << number_among_special(s, tile_of(s, feature))


@at(scoring_ends, "special_monasteries")
@kernel(void(State))
def forget_monks(s):
    """Clear the notes about this placement."""
    s.monks_scored = 0


@at(lacks_monks, "special_monasteries")
@kernel(i8(State, i8))
def has_only_lying(s, feature):
    """Return whether a monastery has only lying meeples, or had when scored (XGM-05)."""
    lines = lines_at(s, feature)
    if lines == NO_SEGMENT or is_occupied(s, feature) or not is_occupied(s, lines):
        return 0
    return s.monks_scored >> number_among_special(s, tile_of(s, feature)) & 1 == 0

"""Labyrinths: a maze in which four arms of one road meet ([rules](../rules/labyrinth.md)).

All arms that meet there are one road. Only for placing meeples is each arm considered separately:
it reaches as far as the maze.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for, words_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.bitset import Bits, add, has
from carc_env.engine.core.codes import Kind
from carc_env.engine.core.features import feature_of, is_complete, list_ways_on
from carc_env.engine.core.figures import is_meeple
from carc_env.engine.core.moments import (
    BEHIND_MAGIC,
    feature_valued,
    may_be_shared,
    scoring_begins,
    scoring_ends,
    tile_laid,
)
from carc_env.engine.core.sizes import MAX_SEGMENTS, N_WORDS
from carc_env.engine.core.state import MAX_FIGURES, NO_FIGURE, NO_SEGMENT, State
from carc_env.engine.core.tiles import MAZE
from carc_env.sets.labyrinth.record import MAX_MAZES, NO_MAZE

POINTS_PER_MEEPLE = 2  # LAB-07


@at(tile_laid, "labyrinth")
@kernel(void(State, i8))
def add_maze(s, tile):
    """Record the maze on a new tile (LAB-01)."""
    j, k = MAZE[s.tiles[tile].design], 0
    if j == NO_MAZE:
        return
    while s.mazes[k] != NO_MAZE:
        k += 1
    s.mazes[k] = s.tiles[tile].first_segment + j


@kernel(i8(State, i8))
def maze_of(s, feature):
    """Return the first maze on a feature, or ``MAX_MAZES`` if it has none."""
    k = 0
    while k < MAX_MAZES and (s.mazes[k] == NO_MAZE or feature_of(s, s.mazes[k]) != feature):
        k += 1
    return k


# Arms.


@kernel(void(State, Bits))
def mark_meeples(s, standing):
    """Mark the segments on which meeples stand."""
    for figure in range(MAX_FIGURES):
        segment = s.figures[figure].segment
        if segment != NO_SEGMENT and is_meeple(figure):
            add(standing, segment)


@kernel(b1(State, i8))
def is_free_arm(s, segment):
    """Return whether no meeple can be reached from a segment without crossing a maze."""
    waiting = room_for(MAX_SEGMENTS)
    seen, standing = words_for(N_WORDS), words_for(N_WORDS)
    mark_meeples(s, standing)
    for k in range(MAX_MAZES):
        if s.mazes[k] != NO_MAZE:
            add(seen, s.mazes[k])
    is_maze = not add(seen, segment)
    waiting[0], n = segment, 1
    while n > 0:
        n -= 1
        if has(standing, waiting[n]):
            return False
        if is_maze:
            return True
        n = list_ways_on(s, waiting[n], seen, n, waiting)
    return True


@at(may_be_shared, "labyrinth")
@kernel(i8(State, i8))
def is_free_part(s, segment):
    """Return 1 if a meeple may stand on a segment of an occupied road (LAB-04 to LAB-06).

    It may stand on a maze without a meeple, whatever is on its arms, or on an arm without one.
    """
    return maze_of(s, feature_of(s, segment)) < MAX_MAZES and is_free_arm(s, segment)


# Its value.


@kernel(i8(State, i8))
def n_meeples(s, feature):
    """Return how many meeples of any kind and seat stand on a feature (LAB-09)."""
    entry, n = s.features[feature].figure, 0
    figure = entry
    while figure != NO_FIGURE:
        n += is_meeple(figure)
        figure = s.figures[figure].next
        if figure == entry:
            return n
    return n


@at(scoring_begins, "labyrinth")
@kernel(void(State))
def note_thieves(s):
    """Note the meeples on completed roads, for castles that score after them (CAS-16)."""
    for k in range(MAX_MAZES):
        if s.mazes[k] != NO_MAZE and is_complete(s, feature_of(s, s.mazes[k])):
            s.thieves[k] = n_meeples(s, feature_of(s, s.mazes[k]))


@at(scoring_ends, "labyrinth")
@kernel(void(State))
def forget_thieves(s):
    """Forget the meeples that stood on completed roads: scoring is over."""
    for k in range(MAX_MAZES):
        s.thieves[k] = 0


@at(feature_valued, "maze_bonus_first")
@at(feature_valued, "maze_bonus", BEHIND_MAGIC)
@kernel(i8(State, i8, i8))
def add_bonus(s, feature, n):
    """Add 2 points for each meeple on a complete road with a maze (LAB-07, LAB-08, LAB-10).

    The bonus comes after all other changes to the road's points (X2-01), or before the witch halves
    them (MW-12).
    """
    if s.features[feature].kind != Kind.ROAD or not is_complete(s, feature):
        return n
    k = maze_of(s, feature)
    if k == MAX_MAZES:
        return n
    return n + POINTS_PER_MEEPLE * max(s.thieves[k], n_meeples(s, feature))

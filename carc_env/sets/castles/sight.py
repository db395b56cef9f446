"""Planes and globals that show castles and towns."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Phase, Plane, Stock
from carc_env.engine.core.features import feature_of
from carc_env.engine.core.figures import lords_of
from carc_env.engine.core.moments import has
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.engine.core.tiles import N_SEGMENTS
from carc_env.engine.sight.marks import MAX_BYTE, mark, row_of_segment
from carc_env.engine.sight.moments import changed_elsewhere, decision_marked
from carc_env.engine.sight.shown import Shown
from carc_env.sets.castles.record import MOST_TOWNS


@at(changed_elsewhere, has(Stock.TOKEN))
@kernel(i8(State, i8[::1]))
def note_towns(s, segments):
    """Write the towns whose lords no longer count because others score the town (CAS-37)."""
    n = 0
    if Phase.CASTLE <= s.phase <= Phase.JOIN_SPOT:
        tile = s.tiles[s.n_tiles - 1]
        for segment in range(tile.first_segment, tile.first_segment + N_SEGMENTS[tile.design]):
            if lords_of(s, feature_of(s, segment)) != 0:
                segments[n] = segment
                n += 1
    return n


@at(decision_marked, has(Stock.TOKEN))
@kernel(void(State, Shown, uint8[:, ::1]))
def mark_castles(s, show, board):
    """Write where castles stand, the points that they just scored, and the town in question."""
    plane = s.rules.first_plane[Plane.CASTLE]
    for k in range(s.n_castles):
        shown = min(1 + s.castles[k].points, MAX_BYTE)
        segment = s.castles[k].segment
        mark(show, row_of_segment(s, show, segment), plane, shown, board)
        mark(show, row_of_segment(s, show, s.segments[segment].next), plane, shown, board)
    towns = room_for(MOST_TOWNS)
    for k in range(note_towns(s, towns)):
        mark(show, row_of_segment(s, show, towns[k]), plane, 1, board)
        mark(show, row_of_segment(s, show, s.segments[towns[k]].next), plane, 1, board)
    town = s.town
    if town != NO_SEGMENT:
        mark(show, row_of_segment(s, show, town), plane + 1, 1, board)
        mark(show, row_of_segment(s, show, s.segments[town].next), plane + 1, 1, board)


def most_marked(rules):
    """Return how many places can be marked under the given rules."""
    return 2 * rules.tokens_each * rules.n_players

"""Planes and globals that show tunnel mouths and the tokens on them."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import N_SIDES
from carc_env.engine.core.codes import Figure, Plane, Stock
from carc_env.engine.core.elsewhere import spot_of
from carc_env.engine.core.moments import has
from carc_env.engine.core.seats import places_between
from carc_env.engine.core.state import State
from carc_env.engine.sight.marks import mark, row_of_segment
from carc_env.engine.sight.moments import changed_elsewhere, decision_marked, numbers_written
from carc_env.engine.sight.shown import Shown
from carc_env.sets.tunnel.record import MAX_MOUTHS, MAX_PAIRS, NO_TOKEN


@at(decision_marked, has(Stock.TUNNEL))
@kernel(void(State, Shown, uint8[:, ::1]))
def mark_mouths(s, show, board):
    """Write the numbers of mouths, and the owners and pairs of the tokens there."""
    plane = s.rules.first_plane[Plane.TUNNEL]
    for k in range(s.n_mouths):
        mouth = s.mouths[k]
        row = row_of_segment(s, show, mouth.segment)
        side = spot_of(s, mouth.segment)
        mark(show, row, plane + side, k + 1, board)
        if mouth.token != NO_TOKEN:
            seats_away = places_between(s, show.seat, mouth.token // MAX_PAIRS)
            number = MAX_PAIRS * seats_away + mouth.token % MAX_PAIRS
            mark(show, row, plane + N_SIDES + side, number + 1, board)


@at(changed_elsewhere, has(Stock.TUNNEL))
@kernel(i8(State, i8[::1]))
def list_joined(s, segments):
    """Write the roads at mouths with tokens: they may have become longer, or complete."""
    n = 0
    for k in range(s.n_mouths):
        segments[n] = s.mouths[k].segment
        n += s.mouths[k].token != NO_TOKEN
    return n


@at(numbers_written, has(Stock.TUNNEL))
@kernel(i8(State, i8, float32[::1]))
def write_dug(s, seat, out):
    """Write whether a token was placed in this turn, and in a turn that a bazaar interrupts."""
    out[0] = s.dug
    if s.rules.bazaars > 0 and s.rules.owned[Figure.BUILDER] > 0:
        out[1] = s.owed_dug
        return 2
    return 1


def most_marked(rules):
    """Return how many places can be marked under the given rules."""
    return 2 * MAX_MOUTHS * rules.tunnels

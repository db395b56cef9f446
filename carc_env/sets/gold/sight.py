"""Planes and globals that show ingots on tiles, and who may take them."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.state import State
from carc_env.engine.sight.marks import mark, row_of
from carc_env.engine.sight.moments import decision_marked
from carc_env.engine.sight.shown import Shown
from carc_env.sets.gold.record import MAX_INGOTS


@kernel(i8(State, i8, i8))
def seen_from(s, claims, seat):
    """Return claims as seat bits, counted clockwise from a given seat."""
    seen = 0
    for k in range(s.rules.n_players):
        seen |= (claims >> seat_at(s, seat, k) & 1) << k
    return seen


@at(decision_marked, "gold")
@kernel(void(State, Shown, uint8[:, ::1]))
def mark_gold(s, show, board):
    """Write how many ingots are on tiles, and which seats may take some of them now."""
    plane = s.rules.first_plane[Plane.GOLD]
    for k in range(s.n_piles):
        pile = s.piles[k]
        row = row_of(s, show, pile.tile)
        mark(show, row, plane, pile.ingots, board)
        if pile.claims != 0:
            mark(show, row, plane + 1, seen_from(s, pile.claims, show.seat), board)


def most_marked(rules):
    """Return how many places can be marked under the given rules."""
    return 2 * MAX_INGOTS * rules.gold

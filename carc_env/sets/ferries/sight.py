"""Planes and globals that show lakes and their ferries."""

from numba import uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import N_SIDES
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import NO_SEGMENT, State
from carc_env.engine.sight.marks import mark, row_of
from carc_env.engine.sight.moments import changed_elsewhere, decision_marked
from carc_env.engine.sight.shown import Shown
from carc_env.sets.ferries.kernels import arm_at
from carc_env.sets.ferries.record import N_ENDS, NO_FERRY, PAIR_SIDES, PART

LAKE = 0
FERRY = LAKE + 1
FERRIED = FERRY + N_SIDES


@at(decision_marked, "ferries")
@kernel(void(State, Shown, uint8[:, ::1]))
def mark_lakes(s, show, board):
    """Write the lakes' numbers, where their ferries are, and where moved ferries were before."""
    plane = s.rules.first_plane[Plane.FERRY]
    for k in range(s.n_lakes):
        lake = s.lakes[k]
        row = row_of(s, show, lake.tile)
        mark(show, row, plane + LAKE, k + 1, board)
        if lake.pair != NO_FERRY:
            for end in range(N_ENDS):
                mark(show, row, plane + FERRY + PAIR_SIDES[lake.pair, end], 1, board)
        if s.ferried >> k & 1 != 0:
            mark(show, row, plane + FERRIED, lake.before - NO_FERRY + 1, board)


@at(changed_elsewhere, "ferries")
@kernel(i8(State, i8[::1]))
def list_roads(s, segments):
    """Write the roads at lakes: they may have become longer, shorter or complete."""
    n = 0
    for lake in range(s.n_lakes):
        for side in range(N_SIDES):
            segments[n] = arm_at(s, lake, side)
            n += segments[n] != NO_SEGMENT
    return n


def most_marked(rules):
    """Return how many places can be marked under the given rules."""
    return PART.marks * rules.ferries

"""Planes and globals that show the mage and the witch."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import Phase, Plane
from carc_env.engine.core.elsewhere import spot_of
from carc_env.engine.core.state import State
from carc_env.engine.sight.marks import mark, row_of_segment
from carc_env.engine.sight.moments import changed_elsewhere, decision_marked, numbers_written
from carc_env.engine.sight.shown import Shown
from carc_env.sets.mage_witch.record import N_MAGIC, NOT_ASKED, NOWHERE


@at(decision_marked, "mage_witch")
@kernel(void(State, Shown, uint8[:, ::1]))
def mark_magic(s, show, board):
    """Write where each of them is: 1 plus the side that names the road or city there."""
    for who in range(N_MAGIC):
        segment = s.magic[who]
        if segment != NOWHERE:
            plane = s.rules.first_plane[Plane.MAGIC] + who
            mark(show, row_of_segment(s, show, segment), plane, 1 + spot_of(s, segment), board)


@at(changed_elsewhere, "mage_witch")
@kernel(i8(State, i8[::1]))
def list_magic(s, segments):
    """Write the roads and cities with the mage or the witch: their points have changed."""
    n = 0
    for who in range(N_MAGIC):
        segments[n] = s.magic[who]
        n += s.magic[who] != NOWHERE
    return n


@at(numbers_written, "mage_witch")
@kernel(i8(State, i8, float32[::1]))
def write_lateness(s, seat, out):
    """Write whether the figure action is over when a player is asked about them."""
    out[0] = s.magic_at != NOT_ASKED and s.magic_at != Phase.FIGURE
    return 1


def most_marked(rules):
    """Return how many places can be marked under the given rules."""
    return N_MAGIC * rules.mage_witch

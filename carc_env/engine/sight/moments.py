"""The moments at which sets add to a seat's view."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, void
from carc_env.engine.compiler.moments import COUNT, moment
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.sight.shown import Shown


def shows(plane: Plane) -> str:
    """Return the switch for links that need a group of planes that the rules themselves have."""
    return f"has_plane[{plane:d}]"


@moment(void(State, i8, i8, uint8[::1]))
def tile_painted(s, design, rotation, row):
    """A tile is being drawn: write what it shows by itself into its row."""


@moment(i8(State, i8[::1]), COUNT)
def changed_elsewhere(s, segments):
    """Features may have changed without a new tile or figure on them: write a segment of each.

    They are also repainted at the next decision, which may list other features.
    """


@moment(void(State, Shown, uint8[:, ::1]))
def decision_marked(s, show, board):
    """Mark facts that hold only for this decision."""


@moment(void(State, float32[::1]))
def unseen_counted(s, out):
    """Count the unseen tiles outside the bag, indexed by the slots of their designs."""


@moment(i8(State, i8, float32[::1]), COUNT)
def numbers_written(s, seat, out):
    """Write the sets' globals for a seat; each link returns how many it has written."""

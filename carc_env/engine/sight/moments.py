"""The moments at which sets add to what seats see."""

from numba import float32, uint8

from carc_env.engine.compiler.jit import i8, void
from carc_env.engine.compiler.moments import COUNT, moment
from carc_env.engine.core.codes import Plane
from carc_env.engine.core.state import State
from carc_env.engine.sight.shown import Shown


def shows(plane: Plane) -> str:
    """The switch of what needs a group of planes."""
    return f"first_plane[{plane:d}]"


@moment(void(State, i8, i8, uint8[::1]))
def tile_painted(s, design, rotation, row):
    """A tile is drawn: what it shows by itself goes into its row."""


@moment(i8(State, i8[::1]), COUNT)
def changed_elsewhere(s, segments):
    """Features may have changed though no tile or figure came to them: a segment of each.

    They are looked at again with the next decision as well, when others may be named.
    """


@moment(void(State, Shown, uint8[:, ::1]))
def decision_marked(s, show, board):
    """What holds for this decision alone is marked."""


@moment(void(State, float32[::1]))
def unseen_counted(s, out):
    """Tiles that nobody has seen are counted by the slots of their designs, but for the bag's."""


@moment(i8(State, i8, float32[::1]), COUNT)
def numbers_written(s, seat, out):
    """The globals of sets are written for a seat; each returns how many they are."""

"""Planes and globals that show the moving wagon."""

from numba import uint8

from carc_env.engine.compiler.jit import kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import tile_at
from carc_env.engine.core.codes import Figure, Phase, Plane
from carc_env.engine.core.moments import owns
from carc_env.engine.core.state import NO_CELL, State
from carc_env.engine.sight.marks import mark, row_of, row_of_segment
from carc_env.engine.sight.moments import decision_marked
from carc_env.engine.sight.shown import Shown


@at(decision_marked, owns(Figure.WAGON))
@kernel(void(State, Shown, uint8[:, ::1]))
def mark_moving_wagon(s, show, board):
    """Write the tile that the moving wagon comes from, and the tile chosen for it."""
    plane = s.rules.first_plane[Plane.WAGON]
    if s.phase == Phase.WAGON or s.phase == Phase.WAGON_SPOT:
        origin = s.players[s.decider].wagon_from
        mark(show, row_of_segment(s, show, origin), plane, 1, board)
    if s.wagon_cell != NO_CELL:
        mark(show, row_of(s, show, tile_at(s, s.wagon_cell)), plane + 1, 1, board)

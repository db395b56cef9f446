"""The fairy and who is beside it."""

from carc_env.engine.compiler.jit import b1, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import tile_at
from carc_env.engine.core.codes import Problem
from carc_env.engine.core.elsewhere import n_trapped, tower_at, trap_at
from carc_env.engine.core.features import cell_of
from carc_env.engine.core.figures import is_meeple, seat_of
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import NO_CELL, NO_FIGURE, NO_SEGMENT, NO_TILE, State
from carc_env.sets.russian_promos.record import NO_TRAP
from carc_env.sets.tower.record import NO_TOWER


@at(find_wrong, key=Problem.FAIRY)
@kernel(b1(State))
def has_wrong_fairy(s):
    """Return whether the fairy is on no tile, or beside a figure that is not there (PD-40)."""
    figure = s.fairy_figure
    if s.rules.fairy == 0 or s.fairy == NO_CELL:
        return s.fairy != NO_CELL or figure != NO_FIGURE or s.fairy_top != 0
    if tile_at(s, s.fairy) == NO_TILE:
        return True
    trap = trap_at(s, s.fairy)
    if s.fairy_top != 0 and trap != NO_TRAP:
        seat = s.fairy_top - 1
        is_out = not 0 <= seat < s.rules.n_players or s.rules.fairy_on_tile != 0
        return is_out or n_trapped(s, trap, seat) == 0 or figure != NO_FIGURE
    if s.fairy_top != 0:
        tower = tower_at(s, s.fairy)
        has_top = tower != NO_TOWER and s.towers[tower].figure != NO_FIGURE
        is_allowed = s.rules.fairy_on_tower != 0 and s.rules.fairy_on_tile == 0
        return not has_top or not is_allowed or figure != NO_FIGURE
    if figure == NO_FIGURE:
        return False
    segment = s.figures[figure].segment
    is_out = seat_of(figure) >= s.rules.n_players or s.rules.fairy_on_tile != 0
    return (
        is_out or segment == NO_SEGMENT or not is_meeple(figure) or cell_of(s, segment) != s.fairy
    )

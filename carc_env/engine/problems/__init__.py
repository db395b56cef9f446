"""The invariants of a state: recount everything that the engine keeps up to date."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.core.codes import Kind, Problem
from carc_env.engine.core.moments import find_wrong
from carc_env.engine.core.state import NO_FIGURE, State
from carc_env.engine.problems.of_board import (
    has_mismatched_edges,
    has_wrong_completed,
    has_wrong_features,
    has_wrong_frontier,
    leaves_view,
)
from carc_env.engine.problems.of_figures import has_wrong_figures, unscored_figure
from carc_env.engine.problems.of_stock import has_wrong_stock, has_wrong_tiles
from carc_env.engine.problems.of_turn import has_wrong_seats, has_wrong_turn


@kernel(i8(State))
def find_problems(s):
    """Return the sum of the :class:`Problem` flags that apply; 0 if the state is sound."""
    if has_wrong_seats(s):
        return Problem.TURN.value
    found = find_wrong(s)
    if has_mismatched_edges(s):
        found |= Problem.EDGES.value
    if has_wrong_frontier(s):
        found |= Problem.FRONTIER.value
    has_wrong_counts = has_wrong_completed(s, Kind.ROAD) or has_wrong_completed(s, Kind.CITY)
    if has_wrong_features(s) or has_wrong_counts:
        found |= Problem.FEATURES.value
    if has_wrong_figures(s):
        found |= Problem.FIGURES.value
    if has_wrong_tiles(s):
        found |= Problem.TILES.value
    if has_wrong_stock(s):
        found |= Problem.STOCK.value
    if leaves_view(s):
        found |= Problem.VIEW.value
    if has_wrong_turn(s):
        found |= Problem.TURN.value
    if unscored_figure(s) != NO_FIGURE:
        found |= Problem.UNSCORED.value
    return found

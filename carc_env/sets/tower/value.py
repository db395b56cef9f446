"""Entries in the learned value function for towers: threatened figures, floors and prisoners."""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.codes import MAX_PLAYERS, Kind, Stock
from carc_env.engine.core.features import cell_of, kind_of
from carc_env.engine.core.figures import is_meeple, seat_of
from carc_env.engine.core.moments import has
from carc_env.engine.core.state import BOARD, NO_FIGURE, NO_SEGMENT, SLOTS_PER_SEAT, State
from carc_env.search.measures import apart, at_stake
from carc_env.search.tables import N_TIMES, Table, game_surveyed, place_of
from carc_env.sets.tower.kernels import n_held

TABLES = (
    Table("range", (2, N_TIMES, 3)),
    Table("floors", (2, N_TIMES, 4), most=MAX_PLAYERS),
    Table("captive", (2, N_TIMES, 4), most=MAX_PLAYERS),
)
RANGE, FLOORS, CAPTIVE = (table.first for table in TABLES)


@kernel(b1(State, i8))
def is_in_reach(s, cell):
    """Return whether a tower that grows by one floor could capture a figure on a cell (TOW-06)."""
    row, column = cell // BOARD, cell % BOARD
    for k in range(s.n_towers):
        own = s.tiles[s.towers[k].tile].cell
        is_in_line = row == own // BOARD or column == own % BOARD
        if is_in_line and s.towers[k].figure == NO_FIGURE:
            if apart(cell, own) <= s.towers[k].height + 1:
                return True
    return False


@at(game_surveyed, has(Stock.FLOOR), place_of("range"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_towers(s, seat, time, entries):
    """Write the entries for meeples within reach of towers, for floors and for prisoners.

    Return how many.
    """
    n = 0
    for figure in range(s.rules.n_players * SLOTS_PER_SEAT):
        segment = s.figures[figure].segment
        if segment == NO_SEGMENT or not is_meeple(figure):
            continue
        if kind_of(s, segment) != Kind.CASTLE and is_in_reach(s, cell_of(s, segment)):
            index = (seat_of(figure) != seat) * N_TIMES + time
            entries[n] = RANGE[0] + index * 3 + at_stake(s, figure)
            n += 1
    for other in range(s.rules.n_players):
        index, n_captive = (other != seat) * N_TIMES + time, 0
        for captor in range(s.rules.n_players):
            n_captive += n_held(s, captor, other)
        entries[n] = FLOORS[0] + index * 4 + min(s.players[other].stock[Stock.FLOOR], 3)
        entries[n + 1] = CAPTIVE[0] + index * 4 + min(n_captive, 3)
        n += 2
    return n

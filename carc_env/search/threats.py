"""What dragon, fairy and towers threaten, as the learned value sees it.

These tables follow each other in the weights; entries count from the first of them.
"""

from math import prod

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.core.codes import MAX_PLAYERS, Figure, Kind, Stock
from carc_env.engine.core.features import cell_of, feature_of, kind_of
from carc_env.engine.core.figures import figure_kind, is_meeple, seat_of
from carc_env.engine.core.scoring import value
from carc_env.engine.core.state import (
    BOARD,
    MAX_FIGURES,
    NO_CELL,
    NO_FIGURE,
    NO_SEGMENT,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.core.tiles import IS_DRAGON
from carc_env.sets.bazaars.kernels import hidden_place, n_out_of_sight
from carc_env.sets.princess_dragon.dragon.record import DRAGON_STEPS
from carc_env.sets.tower.kernels import n_held

N_TIMES = 10
"""Steps of how much of the game is left."""
NO_DRAGON, FAR = 0, 7
"""Tiles from the dragon to a figure: none before it is on the board, and the farthest shown."""

TABLES = {
    "danger": (2, 4, 4, FAR + 1, 3),
    "fairy": (2, N_TIMES),
    "range": (2, N_TIMES, 3),
    "floors": (2, N_TIMES, 4),
    "captive": (2, N_TIMES, 4),
}
"""Each table with the sizes of its indices."""
MAX_ENTRIES = 2 * MAX_FIGURES + 1 + 2 * MAX_PLAYERS
_sizes = [prod(sizes) for sizes in TABLES.values()]
DANGER, FAIRY, RANGE, FLOORS, CAPTIVE = (sum(_sizes[:k]) for k in range(len(_sizes)))


@kernel(i8(State))
def unseen_dragons(s):
    """Return in steps how many dragon tiles nobody has seen: none, to 2, to 5, more."""
    n = 0
    for k in range(s.n_bag + n_out_of_sight(s)):
        n += IS_DRAGON[s.bag[hidden_place(s, k)]]
    return (n > 0) + (n > 2) + (n > 5)


@kernel(i8(i8, i8))
def apart(cell, other):
    """Return how many tiles lie between two cells, steps to side neighbours."""
    return abs(cell // BOARD - other // BOARD) + abs(cell % BOARD - other % BOARD)


@kernel(i8(State, i8))
def at_stake(s, figure):
    """Return in steps what the feature of a figure is worth now: to 3 points, to 8, more."""
    points = value(s, feature_of(s, s.figures[figure].segment))
    return (points > 3) + (points > 8)


@kernel(i8(State, i8, i8[::1]))
def add_danger(s, seat, entries):
    """Write an entry for each figure that the dragon could eat; return how many.

    How far away it is, what is at stake, the steps left of a flight, and the flights to come.
    """
    n, n_tiles = 0, unseen_dragons(s)
    left = 0 if s.n_flown == 0 else 1 + (DRAGON_STEPS - s.n_flown) // 2
    for figure in range(s.rules.n_players * SLOTS_PER_SEAT):
        segment = s.figures[figure].segment
        if segment == NO_SEGMENT or figure_kind(figure) == Figure.BARN:
            continue
        cell, away = cell_of(s, segment), NO_DRAGON
        if cell == s.fairy or kind_of(s, segment) == Kind.CASTLE:
            continue
        if s.dragon != NO_CELL:
            away = min(max(apart(cell, s.dragon), 1), FAR)
        index = ((seat_of(figure) != seat) * 4 + n_tiles) * 4 + left
        entries[n] = DANGER + (index * (FAR + 1) + away) * 3 + at_stake(s, figure)
        n += 1
    return n


@kernel(i8(State, i8, i8, i8[::1]))
def add_fairy(s, seat, time, entries):
    """Write the entry of the meeple beside the fairy, if there is one; return how many."""
    if s.fairy_figure == NO_FIGURE:
        return 0
    entries[0] = FAIRY + (seat_of(s.fairy_figure) != seat) * N_TIMES + time
    return 1


@kernel(b1(State, i8))
def is_in_reach(s, cell):
    """Tell whether a tower that grows by a floor could capture somebody on a cell (TOW-06)."""
    row, column = cell // BOARD, cell % BOARD
    for k in range(s.n_towers):
        own = s.tiles[s.towers[k].tile].cell
        is_in_line = row == own // BOARD or column == own % BOARD
        if is_in_line and s.towers[k].figure == NO_FIGURE:
            if apart(cell, own) <= s.towers[k].height + 1:
                return True
    return False


@kernel(i8(State, i8, i8, i8[::1]))
def add_towers(s, seat, time, entries):
    """Write an entry for each meeple in the reach of towers, and those of floors and captives.

    Returns how many.
    """
    n = 0
    for figure in range(s.rules.n_players * SLOTS_PER_SEAT):
        segment = s.figures[figure].segment
        if segment == NO_SEGMENT or not is_meeple(figure):
            continue
        if kind_of(s, segment) != Kind.CASTLE and is_in_reach(s, cell_of(s, segment)):
            index = (seat_of(figure) != seat) * N_TIMES + time
            entries[n] = RANGE + index * 3 + at_stake(s, figure)
            n += 1
    for other in range(s.rules.n_players):
        index, n_captive = (other != seat) * N_TIMES + time, 0
        for captor in range(s.rules.n_players):
            n_captive += n_held(s, captor, other)
        entries[n] = FLOORS + index * 4 + min(s.players[other].stock[Stock.FLOOR], 3)
        entries[n + 1] = CAPTIVE + index * 4 + min(n_captive, 3)
        n += 2
    return n


@kernel(i8(State, i8, i8, i8[::1]))
def add_threats(s, seat, time, entries):
    """Write the entries of dragon, fairy and towers as far as they are in play; return how many."""
    n = 0
    if s.rules.dragon != 0:
        n += add_danger(s, seat, entries)
    if s.rules.fairy != 0:
        n += add_fairy(s, seat, time, entries[n:])
    if s.rules.stock[Stock.FLOOR] > 0:
        n += add_towers(s, seat, time, entries[n:])
    return n

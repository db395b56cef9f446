"""Entries in the learned value function for the dragon: whom it threatens."""

from carc_env.engine.compiler.jit import i8, kernel
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.bag import list_unseen
from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.features import cell_of, kind_of
from carc_env.engine.core.figures import figure_kind, seat_of
from carc_env.engine.core.sizes import MAX_BAG
from carc_env.engine.core.state import NO_CELL, NO_SEGMENT, SLOTS_PER_SEAT, State
from carc_env.engine.core.tiles import IS_DRAGON
from carc_env.search.measures import apart, at_stake
from carc_env.search.tables import Table, game_surveyed, place_of
from carc_env.sets.princess_dragon.dragon.record import DRAGON_STEPS

NO_DRAGON, FAR = 0, 7
"""Distance in tiles from the dragon to a figure: 0 without a dragon, and the farthest shown."""

TABLES = (Table("danger", (2, 4, 4, FAR + 1, 3)),)
DANGER = TABLES[0].first


@kernel(i8(State))
def unseen_dragons(s):
    """Return the level for the number of unseen dragon tiles: none, up to 2, up to 5, more."""
    n, places = 0, room_for(MAX_BAG)
    for k in range(list_unseen(s, places)):
        n += IS_DRAGON[s.bag[places[k]]]
    return (n > 0) + (n > 2) + (n > 5)


@at(game_surveyed, "dragon", place_of("danger"))
@kernel(i8(State, i8, i8, i8[::1]))
def add_danger(s, seat, _, entries):
    """Write an entry for each figure that the dragon could eat; return how many.

    It encodes the distance, the stakes, the steps left in a flight, and the flights to come.
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
        entries[n] = DANGER[0] + (index * (FAR + 1) + away) * 3 + at_stake(s, figure)
        n += 1
    return n

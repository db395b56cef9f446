"""Towers: floors, captures, prisoners and their ransom (docs/rules/tower.md).

Meeples on towers and prisoners stand on no segment. The record stores their number by seat and
kind, since no rule distinguishes a seat's equal figures.
"""

import numpy as np

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.answers import ACTED, ASKED, DONE, PENDING, add_pass
from carc_env.engine.core.codes import N_MEEPLES, Block, Figure, Kind, Phase, Stock
from carc_env.engine.core.elsewhere import (
    add_cell,
    add_removal,
    choose_cell,
    clear_top,
    is_at_hand,
    let_go,
    tower_at,
    trap_at,
)
from carc_env.engine.core.features import cell_of, kind_of
from carc_env.engine.core.figures import figure_kind, is_meeple, seat_of
from carc_env.engine.core.moments import (
    answered,
    do_action,
    dragon_moved,
    figures_away,
    has,
    meeple_leaves,
    meeple_taken,
    offer,
    offer_besides,
    offer_cells,
    offer_cells_to_second,
    offer_only,
    offer_place,
    offer_spots,
    offer_spots_to_second,
    tile_laid,
)
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.state import (
    BOARD,
    NO_FIGURE,
    NO_SEAT,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.core.tiles import IS_TOWER
from carc_env.sets.russian_promos.record import N_TRAPS, NO_TRAP
from carc_env.sets.tower.record import NO_TOWER

RANSOM = 3  # TOW-25, TOW-27
TOPS = np.array([Figure.MEEPLE, Figure.LARGE, Figure.PHANTOM], np.int8).view(Numbers)
"""Kinds of figures that can stand on towers, in action order (TOW-18, PHA-09)."""
N_TOPS = len(TOPS)


@kernel(i8(i8))
def place_among_tops(kind):
    """Return a figure kind's index among the kinds that can stand on towers, or NO_TOWER."""
    for k in range(N_TOPS):
        if TOPS[k] == kind:
            return k
    return NO_TOWER


@at(tile_laid, has(Stock.FLOOR))
@kernel(void(State, i8))
def add_tower(s, tile):
    """Record the foundation on a new tile (TOW-01)."""
    if IS_TOWER[s.tiles[tile].design]:
        tower = s.towers[s.n_towers]
        s.n_towers += 1
        tower.tile = tile
        tower.height = 0
        tower.seat = NO_SEAT
        tower.figure = NO_FIGURE


# Tower actions instead of placing a figure.


@kernel(b1(State, i8))
def may_grow(s, tower):
    """Return whether the decider may put a floor on a tower (TOW-02, TOW-04, TOW-05, TOW-16)."""
    is_open = s.towers[tower].figure == NO_FIGURE
    return is_open and s.players[s.decider].stock[Stock.FLOOR] > 0


@kernel(b1(State, i8, i8))
def may_close(s, tower, kind):
    """Return whether the decider may put a kind of meeple on a tower (TOW-16 to TOW-18)."""
    is_open = s.towers[tower].figure == NO_FIGURE and s.towers[tower].height > 0
    return is_open and is_at_hand(s, kind)


@kernel(b1(State, i8))
def may_be_closed(s, tower):
    """Return whether the decider may put any kind of meeple on a tower."""
    for k in range(N_TOPS):
        if may_close(s, tower, TOPS[k]):
            return True
    return False


@at(offer_cells, has(Stock.FLOOR), key=2)
@kernel(i8(State, i8, i8[::1]))
def offer_tower_cells(s, n, actions):
    """Add the cells of all towers that the decider may change, anywhere (TOW-02)."""
    for tower in range(s.n_towers):
        if may_grow(s, tower) or may_be_closed(s, tower):
            n = add_cell(s, s.tiles[s.towers[tower].tile].cell, n, actions)
    return n


@at(offer_cells_to_second, has(Stock.FLOOR))
@kernel(i8(State, i8, i8[::1]))
def offer_open_towers(s, n, actions):
    """Add the cells of the towers on which a second figure may stand (PHA-09)."""
    for tower in range(s.n_towers):
        if may_be_closed(s, tower):
            n = add_cell(s, s.tiles[s.towers[tower].tile].cell, n, actions)
    return n


@at(offer_spots_to_second, has(Stock.FLOOR))
@kernel(i8(State, i8, i8[::1]))
def offer_tops(s, n, actions):
    """Add the meeples that the decider may put on the tower on the chosen cell."""
    tower = tower_at(s, s.chosen_cell)
    if tower == NO_TOWER:
        return n
    for k in range(N_TOPS):
        if may_close(s, tower, TOPS[k]):
            actions[n] = s.rules.first_action[Block.TOP] + k
            n += 1
    return n


@at(offer_spots, has(Stock.FLOOR), key=2)
@kernel(i8(State, i8, i8[::1]))
def offer_on_tower(s, n, actions):
    """Add the decider's actions with the tower on the chosen cell."""
    tower = tower_at(s, s.chosen_cell)
    if tower != NO_TOWER and may_grow(s, tower):
        actions[n] = s.rules.first_action[Block.FLOOR]
        n += 1
    return offer_tops(s, n, actions)


@at(do_action, key=Block.TOP)
@kernel(i8(State, i8))
def close_tower(s, action):
    """Put one of the decider's meeples on the tower on the chosen cell (TOW-16)."""
    tower, kind = (
        s.towers[tower_at(s, s.chosen_cell)],
        TOPS[action - s.rules.first_action[Block.TOP]],
    )
    tower.seat, tower.figure = s.decider, kind
    s.players[s.decider].supply[kind] -= 1
    return DONE


@kernel(void(State, i8))
def open_tower(s, tower):
    """Return the meeple on a tower to its owner; the tower is open again (TOW-22)."""
    s.players[s.towers[tower].seat].supply[s.towers[tower].figure] += 1
    clear_top(s, tower)


@at(dragon_moved, has(Stock.FLOOR))
@kernel(void(State))
def eat_top(s):
    """Let the dragon eat the meeple on the tower on its tile (TOW-21)."""
    tower = tower_at(s, s.dragon)
    if s.rules.eats_tops != 0 and tower != NO_TOWER and s.towers[tower].figure != NO_FIGURE:
        open_tower(s, tower)


# Prisoners.


@kernel(i8(State, i8, i8))
def n_held(s, captor, seat):
    """Return how many of another seat's figures a seat holds as prisoners."""
    n = 0
    for kind in range(N_MEEPLES):
        n += s.players[captor].prisoners[seat, kind]
    return n


@kernel(void(State, i8, i8, i8))
def release(s, captor, seat, kind):
    """Return a prisoner to the supply of its owner."""
    s.players[captor].prisoners[seat, kind] -= 1
    s.players[seat].supply[kind] += 1


@kernel(i8(State, i8, i8))
def only_kind_held(s, captor, seat):
    """Return the only kind of prisoner that a seat holds from another seat, or NO_FIGURE."""
    found = NO_FIGURE
    for kind in range(N_MEEPLES):
        if s.players[captor].prisoners[seat, kind] > 0:
            if found != NO_FIGURE:
                return NO_FIGURE
            found = kind
    return found


@kernel(void(State, i8, i8))
def exchange(s, seat, kind):
    """Swap the decider's only prisoner from a seat for one of the given kind (TOW-23)."""
    release(s, s.decider, seat, only_kind_held(s, s.decider, seat))
    release(s, seat, s.decider, kind)


@kernel(b1(State, i8))
def exchange_prisoners(s, seat):
    """Exchange prisoners with a seat at once if possible; return True if the decider must choose.

    See TOW-23 and TOW-24.
    """
    if n_held(s, seat, s.decider) == 0:
        return False
    kind = only_kind_held(s, seat, s.decider)
    if kind == NO_FIGURE:
        s.phase = Phase.EXCHANGE
        return True
    exchange(s, seat, kind)
    return False


@kernel(i8(State))
def partner(s):
    """Return the seat that holds figures of the decider's and vice versa, or NO_SEAT."""
    for seat in range(s.rules.n_players):
        if n_held(s, seat, s.decider) > 0 and n_held(s, s.decider, seat) > 0:
            return seat
    return NO_SEAT


@at(offer, key=Phase.EXCHANGE)
@kernel(i8(State, i8[::1]))
def offer_exchange(s, actions):
    """Write the kinds of prisoners that can be returned (TOW-24); return how many."""
    seat, n = partner(s), 0
    for kind in range(N_MEEPLES):
        if s.players[seat].prisoners[s.decider, kind] > 0:
            actions[n] = s.rules.first_action[Block.EXCHANGE] + kind
            n += 1
    return n


@at(answered, key=Phase.EXCHANGE)
@kernel(i8(State, i8))
def choose_exchange(s, action):
    """Choose the kind of prisoner that is returned for the one just captured (TOW-24)."""
    exchange(s, partner(s), action - s.rules.first_action[Block.EXCHANGE])
    return ACTED


# Captures.


@kernel(b1(State, i8))
def is_in_range(s, cell):
    """Return whether a cell is within range of the capturing tower (TOW-06, TOW-07)."""
    tower = s.towers[s.tower]
    own = s.tiles[tower.tile].cell
    rows, columns = abs(cell // BOARD - own // BOARD), abs(cell % BOARD - own % BOARD)
    return min(rows, columns) == 0 and max(rows, columns) <= tower.height


@kernel(b1(State, i8))
def is_safe(s, kind):
    """Return whether house rules protect a kind of figure from towers (HOUSE-02, HOUSE-03)."""
    is_safe_mayor = kind == Figure.MAYOR and s.rules.mayor_safe != 0
    return is_safe_mayor or (kind == Figure.WAGON and s.rules.wagon_safe != 0)


@kernel(b1(State, i8))
def may_capture(s, figure):
    """Check whether a figure is a meeple that can be captured, no lord (TOW-06, TOW-09, XTO-08)."""
    segment = s.figures[figure].segment
    if segment == NO_SEGMENT or not is_meeple(figure):
        return False
    if is_safe(s, figure_kind(figure)):
        return False
    return kind_of(s, segment) != Kind.CASTLE and is_in_range(s, cell_of(s, segment))


@kernel(b1(State, i8))
def may_capture_top(s, tower):
    """Return whether the meeple on a tower can be captured (TOW-10, TOW-20)."""
    if s.rules.captures_tops == 0 or s.towers[tower].figure == NO_FIGURE:
        return False
    return is_in_range(s, s.tiles[s.towers[tower].tile].cell)


@kernel(b1(State, i8, i8, i8))
def may_seize(s, trap, seat, kind):
    """Return whether a seat has a kind of meeple in a trap that can be captured there (RUS-15)."""
    return s.players[seat].trapped[trap, kind] > 0 and not is_safe(s, kind)


@kernel(b1(State, i8))
def may_capture_trapped(s, trap):
    """Return whether any meeple in a trap can be captured (RUS-15)."""
    if s.traps[trap] == NO_TILE or not is_in_range(s, s.tiles[s.traps[trap]].cell):
        return False
    for seat in range(s.rules.n_players):
        for kind in range(N_MEEPLES):
            if may_seize(s, trap, seat, kind):
                return True
    return False


@at(offer, key=Phase.CAPTURE)
@kernel(i8(State, i8[::1]))
def offer_cells_in_range(s, actions):
    """Write the cells where a capture is possible, and passing (TOW-06, TOW-08)."""
    n = 0
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        if may_capture(s, figure):
            n = add_cell(s, cell_of(s, s.figures[figure].segment), n, actions)
    for tower in range(s.n_towers):
        if may_capture_top(s, tower):
            n = add_cell(s, s.tiles[s.towers[tower].tile].cell, n, actions)
    for trap in range(N_TRAPS):
        if may_capture_trapped(s, trap):
            n = add_cell(s, s.tiles[s.traps[trap]].cell, n, actions)
    return add_pass(s, n, actions)


@at(answered, key=Phase.CAPTURE)
@kernel(i8(State, i8))
def choose_captive(s, action):
    """Choose a cell for a capture, or capture nobody (TOW-08)."""
    if action == s.rules.first_action[Block.PASS]:
        s.tower = NO_TOWER
        return ACTED
    choose_cell(s, action)
    return PENDING


@kernel(i8(State, i8, i8, i8[::1]))
def offer_trapped(s, trap, n, actions):
    """Add the meeples in a trap by owner, clockwise from the decider, and by kind."""
    for k in range(s.rules.n_players):
        for kind in range(N_MEEPLES):
            if may_seize(s, trap, seat_at(s, s.decider, k), kind):
                actions[n] = s.rules.first_action[Block.SEIZE] + N_MEEPLES * k + kind
                n += 1
    return n


@at(offer_only, has(Stock.FLOOR))
@kernel(i8(State, i8[::1]))
def offer_captives(s, actions):
    """Write the meeples that the tower can capture on the chosen cell; return how many."""
    if s.tower == NO_TOWER:
        return 0
    n = 0
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        segment = s.figures[figure].segment
        if may_capture(s, figure) and cell_of(s, segment) == s.chosen_cell:
            n = add_removal(s, figure, n, actions)
    tower = tower_at(s, s.chosen_cell)
    if tower != NO_TOWER and may_capture_top(s, tower):
        actions[n] = s.rules.first_action[Block.UNSEAT]
        n += 1
    trap = trap_at(s, s.chosen_cell)
    return n if trap == NO_TRAP else offer_trapped(s, trap, n, actions)


@kernel(b1(State))
def has_captive(s):
    """Return whether the capturing tower can capture any meeple."""
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        if may_capture(s, figure):
            return True
    for tower in range(s.n_towers):
        if may_capture_top(s, tower):
            return True
    for trap in range(N_TRAPS):
        if may_capture_trapped(s, trap):
            return True
    return False


@at(do_action, key=Block.FLOOR)
@kernel(i8(State, i8))
def add_floor(s, action):
    """Add the decider's floor to the tower on the chosen cell; a capture may follow (TOW-06)."""
    s.tower = tower_at(s, s.chosen_cell)
    s.towers[s.tower].height += 1
    s.players[s.decider].stock[Stock.FLOOR] -= 1
    if has_captive(s):
        s.phase = Phase.CAPTURE
        return ASKED
    s.tower = NO_TOWER
    return DONE


@kernel(i8(State, i8, i8))
def imprison(s, seat, kind):
    """Finish a capture: make a meeple sent home a prisoner, then exchange if due (TOW-11).

    One of the decider's own meeples stays in the supply (TOW-12).
    """
    s.tower = NO_TOWER
    if seat == s.decider:
        return DONE
    s.players[seat].supply[kind] -= 1
    s.players[s.decider].prisoners[seat, kind] += 1
    return ASKED if exchange_prisoners(s, seat) else DONE


@at(meeple_taken, has(Stock.FLOOR))
@kernel(i8(State, i8))
def capture(s, figure):
    """Capture a figure with the tower (TOW-15)."""
    return DONE if s.tower == NO_TOWER else imprison(s, seat_of(figure), figure_kind(figure))


@at(do_action, key=Block.UNSEAT)
@kernel(i8(State, i8))
def capture_top(s, action):
    """Capture the meeple on the tower on the chosen cell (TOW-10, TOW-20)."""
    meeple_leaves(s)
    tower = tower_at(s, s.chosen_cell)
    seat, kind = s.towers[tower].seat, s.towers[tower].figure
    open_tower(s, tower)
    return imprison(s, seat, kind)


@at(do_action, key=Block.SEIZE)
@kernel(i8(State, i8))
def capture_trapped(s, action):
    """Capture a meeple in the trap on the chosen cell (RUS-15)."""
    k = action - s.rules.first_action[Block.SEIZE]
    seat, kind = seat_at(s, s.decider, k // N_MEEPLES), k % N_MEEPLES
    let_go(s, seat, trap_at(s, s.chosen_cell), kind)
    return imprison(s, seat, kind)


# Ransom.


@at(offer_place, "early_ransom")
@at(offer_besides, has(Stock.FLOOR))
@kernel(i8(State, i8, i8[::1]))
def offer_ransom(s, n, actions):
    """Add the decider's figures that can be ransomed, by captor and kind (TOW-25 to TOW-28)."""
    if s.ransomed != 0 or s.players[s.decider].score < RANSOM:
        return n
    for k in range(1, s.rules.n_players):
        captor = seat_at(s, s.decider, k)
        for kind in range(N_MEEPLES):
            if s.players[captor].prisoners[s.decider, kind] > 0:
                actions[n] = s.rules.first_action[Block.RANSOM] + s.rules.n_ransoms * (k - 1) + kind
                n += 1
    return n


@kernel(b1(State, i8))
def is_ransom(s, action):
    """Return whether an action buys a prisoner back."""
    first = s.rules.first_action[Block.RANSOM]
    return first >= 0 and 0 <= action - first < s.rules.n_ransoms * (s.rules.n_players - 1)


@kernel(void(State, i8))
def pay_ransom(s, action):
    """Ransom a prisoner; the points do not count as scored (TOW-25, TOW-29, TOW-30)."""
    k = action - s.rules.first_action[Block.RANSOM]
    captor = seat_at(s, s.decider, k // s.rules.n_ransoms + 1)
    release(s, captor, s.decider, k % s.rules.n_ransoms)
    s.players[s.decider].score -= RANSOM
    s.players[captor].score += RANSOM
    s.ransomed = 1


# Invariants.


@at(figures_away, has(Stock.FLOOR))
@kernel(i8(State, i8, i8))
def n_away(s, seat, kind):
    """Return how many figures of a kind a seat has on towers and in prison."""
    n = 0
    for tower in range(s.n_towers):
        n += s.towers[tower].seat == seat and s.towers[tower].figure == kind
    if kind < N_MEEPLES:
        for captor in range(s.rules.n_players):
            n += s.players[captor].prisoners[seat, kind]
    return n

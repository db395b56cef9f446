"""Corn circles: all players add a meeple beside one of theirs, or all take one back (CRN-03).

The turn player chooses which: to *sow* or to *reap*. Then each seat in turn chooses a cell and the
meeple to add or take back there. The record stores none of this: the phase implies the choice, and
the decider is the seat that is asked.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import ESCAPE, PENDING, add_pass, block_of
from carc_env.engine.core.board import cell_of_place
from carc_env.engine.core.codes import (
    FIRST_FIGURE,
    N_MEEPLES,
    N_SPOTS,
    Block,
    Kind,
    Phase,
)
from carc_env.engine.core.elsewhere import add_cell, add_once, chosen_tile, forget_cell, spot_of
from carc_env.engine.core.features import cell_of, kind_of
from carc_env.engine.core.figures import (
    MAY_STAND,
    SPOT_PLACE,
    deploy,
    figure_kind,
    is_meeple,
    segment_named,
    take_off,
)
from carc_env.engine.core.moments import answered, offer
from carc_env.engine.core.seats import places_between, seat_at
from carc_env.engine.core.state import MAX_FIGURES, NO_SEAT, NO_SEGMENT, SLOTS_PER_SEAT, State
from carc_env.engine.core.tiles import CIRCLE


@kernel(i8(State))
def kind_of_circle(s):
    """Return the kind of feature that the circle on the tile just placed affects (CRN-02)."""
    return CIRCLE[s.tiles[s.n_tiles - 1].design]


@kernel(b1(State, i8))
def is_called(s, figure):
    """Check if a figure is a meeple on a feature of the right kind (CRN-02, CRN-11, CRN-13)."""
    segment = s.figures[figure].segment
    if segment == NO_SEGMENT or not is_meeple(figure):
        return False
    return kind_of(s, segment) == kind_of_circle(s)


@kernel(b1(State, i8))
def may_come(s, kind):
    """Return whether the decider has a kind of meeple in hand to add (CRN-09, CRN-10)."""
    return s.players[s.decider].supply[kind] > 0 and MAY_STAND[kind, kind_of_circle(s)]


@kernel(b1(State))
def can_sow(s):
    """Return whether the decider has any meeple in hand that may be added."""
    for kind in range(N_MEEPLES):
        if may_come(s, kind):
            return True
    return False


@kernel(i8(State, i8, i8[::1]))
def offer_called(s, phase, actions):
    """Write the cells where the decider can add or take back a meeple; return how many.

    Nobody can join the dragon on its tile (PD-06).
    """
    n, sows = 0, phase == Phase.SOW
    if sows and not can_sow(s):
        return 0
    for figure in range(SLOTS_PER_SEAT * s.decider, SLOTS_PER_SEAT * (s.decider + 1)):
        if is_called(s, figure):
            cell = cell_of(s, s.figures[figure].segment)
            if not sows or cell != s.dragon:
                n = add_cell(s, cell, n, actions)
    return n


@kernel(b1(State))
def is_anybody_out(s):
    """Return whether any meeple is on the board, in a castle or on a tower (CRN-04)."""
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        if s.figures[figure].segment != NO_SEGMENT and is_meeple(figure):
            return True
    for tower in range(s.n_towers):
        if s.towers[tower].seat != NO_SEAT:
            return True
    return False


@kernel(b1(State))
def ask_for_choice(s):
    """At the end of this part, ask the turn player what all players do (CRN-03, CRN-15, CRN-18)."""
    if kind_of_circle(s) == Kind.NOTHING or not is_anybody_out(s):
        return False
    s.decider, s.phase = s.turn_player, Phase.CIRCLE
    return True


@kernel(b1(State, i8, i8))
def ask_next(s, phase, k):
    """Ask the next seat that can act, starting with the k-th after the turn player (CRN-09).

    The turn player comes last, as the n-th (CRN-05). Return False if nobody is left.
    """
    for behind in range(k, s.rules.n_players + 1):
        s.decider = seat_at(s, s.turn_player, behind)
        if offer_called(s, phase, room_for(MAX_FIGURES)) > 0:
            s.phase = phase
            return True
    s.decider = s.turn_player
    return False


@kernel(b1(State, i8))
def ask_those_behind(s, phase):
    """Ask the next seat after the decider; return False if the decider was the last one."""
    before = seat_at(s, s.turn_player, 1)
    return ask_next(s, phase, places_between(s, before, s.decider) + 2)


@at(offer, key=Phase.CIRCLE)
@kernel(i8(State, i8[::1]))
def offer_choice(s, actions):
    """Write the two options for all players: one of them must be chosen (CRN-03)."""
    actions[0] = s.rules.first_action[Block.ALL_SOW]
    actions[1] = s.rules.first_action[Block.ALL_REAP]
    return 2


@at(offer, key=Phase.SOW)
@kernel(i8(State, i8[::1]))
def offer_sowing(s, actions):
    """Write the cells where the decider may add a meeple, and adding none (CRN-06)."""
    n = offer_called(s, Phase.SOW, actions)
    return n if s.rules.must_sow != 0 else add_pass(s, n, actions)


@at(offer, key=Phase.REAP)
@kernel(i8(State, i8[::1]))
def offer_reaping(s, actions):
    """Write the cells from which the decider must take a meeple back (CRN-08)."""
    return offer_called(s, Phase.REAP, actions)


@kernel(b1(State, i8))
def is_called_there(s, figure):
    """Return whether the circle affects a figure on the chosen cell."""
    return is_called(s, figure) and cell_of(s, s.figures[figure].segment) == s.chosen_cell


@at(offer, key=Phase.SOW_SPOT)
@kernel(i8(State, i8[::1]))
def offer_companions(s, actions):
    """Write the meeples that can be added on the chosen cell, per segment (CRN-07, CRN-10)."""
    n = 0
    for figure in range(SLOTS_PER_SEAT * s.decider, SLOTS_PER_SEAT * (s.decider + 1)):
        if not is_called_there(s, figure):
            continue
        spot = spot_of(s, s.figures[figure].segment)
        for kind in range(N_MEEPLES):
            if may_come(s, kind):
                action = s.rules.first_action[FIRST_FIGURE + kind] + SPOT_PLACE[kind, spot]
                n = add_once(action, n, actions)
    return n


@kernel(i8(State, i8))
def reaping_of(s, figure):
    """Return the action that takes a figure home from the chosen cell."""
    spot = spot_of(s, s.figures[figure].segment)
    return s.rules.first_action[Block.REAP] + N_SPOTS * figure_kind(figure) + spot


@at(offer, key=Phase.REAP_SPOT)
@kernel(i8(State, i8[::1]))
def offer_those_there(s, actions):
    """Write the decider's meeples that can go home from the chosen cell.

    Equal meeples on a segment share an action.
    """
    n = 0
    for figure in range(SLOTS_PER_SEAT * s.decider, SLOTS_PER_SEAT * (s.decider + 1)):
        if is_called_there(s, figure):
            n = add_once(reaping_of(s, figure), n, actions)
    return n


@kernel(i8(State, i8))
def figure_reaped(s, action):
    """Return the decider's figure that an action takes home from the chosen cell."""
    figure = SLOTS_PER_SEAT * s.decider
    while not (is_called_there(s, figure) and reaping_of(s, figure) == action):
        figure += 1
    return figure


@at(answered, key=Phase.SOW_SPOT)
@at(answered, key=Phase.REAP_SPOT)
@kernel(i8(State, i8))
def answer_there(s, action):
    """Add a meeple on the chosen cell, or take one home from there; then ask the next seat.

    Nothing is scored; a builder or pig that is left alone goes home as well (CRN-12).
    """
    phase = Phase.REAP
    if s.phase == Phase.SOW_SPOT:
        phase = Phase.SOW
        block = block_of(s, action)
        segment = segment_named(s, chosen_tile(s), block, action)
        deploy(s, s.decider, block - FIRST_FIGURE, segment)
    else:
        take_off(s, figure_reaped(s, action))
    forget_cell(s)
    return PENDING if ask_those_behind(s, phase) else ESCAPE


@at(answered, key=Phase.CIRCLE)
@kernel(i8(State, i8))
def answer_for_all(s, action):
    """Choose whether all players sow or reap."""
    sows = action == s.rules.first_action[Block.ALL_SOW]
    return PENDING if ask_next(s, Phase.SOW if sows else Phase.REAP, 1) else ESCAPE


@at(answered, key=Phase.SOW)
@at(answered, key=Phase.REAP)
@kernel(i8(State, i8))
def choose_there(s, action):
    """Choose a cell, or decline; then ask the next question."""
    phase = s.phase
    if action == s.rules.first_action[Block.PASS]:
        return PENDING if ask_those_behind(s, phase) else ESCAPE
    s.chosen_cell = cell_of_place(s, action)
    s.phase = Phase.SOW_SPOT if phase == Phase.SOW else Phase.REAP_SPOT
    return PENDING

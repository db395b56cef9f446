"""The decisions of a turn: what each answer does, and with which step the placement goes on.

``apply`` answers the pending decision and goes on to the next one; the order of the steps is in
``steps.py``, who places a tile next in ``rounds.py``.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.linking import shared
from carc_env.engine.core.board import cell_of_place, rotation_of_place
from carc_env.engine.core.codes import Block, Phase, Stock
from carc_env.engine.core.moments import tile_placed
from carc_env.engine.core.placement import place_tile
from carc_env.engine.core.state import NO_DESIGN, NO_OUTCOME, State
from carc_env.engine.flow.acting import act_elsewhere, act_here, act_second
from carc_env.engine.flow.legal import legal_actions
from carc_env.engine.flow.rounds import (
    answer_in_bazaar,
    draw_tile,
    end_turn_without_tile,
    finish_game,
    put_aside,
)
from carc_env.engine.flow.steps import (
    CASTLES,
    CIRCLES,
    END,
    ESCAPE,
    FERRIES,
    FLIGHT,
    FLOCKS,
    LATE,
    MARKERS,
    PENDING,
    SCORING,
    SECOND,
    TOKENS,
    TOWNS,
    WAGONS,
    finish_placement,
)
from carc_env.sets.abbey.kernels import place_abbey
from carc_env.sets.abbey.record import NO_ROUND
from carc_env.sets.bridges import kernels as bridges
from carc_env.sets.castles import kernels as castles
from carc_env.sets.corn_circles import kernels as circles
from carc_env.sets.count import kernels as count
from carc_env.sets.ferries import kernels as ferries
from carc_env.sets.flier import kernels as flier
from carc_env.sets.gold import kernels as gold
from carc_env.sets.hills_sheep.shepherd import kernels as shepherd
from carc_env.sets.mage_witch import kernels as magic
from carc_env.sets.princess_dragon.dragon import kernels as dragon
from carc_env.sets.siege import kernels as siege
from carc_env.sets.tower import kernels as tower
from carc_env.sets.tunnel import kernels as tunnel
from carc_env.sets.wagon import kernels as wagon

# The decisions.


@kernel(void(State, i8))
def choose_abbey(s, action):
    """Place the abbey, or draw; in the last round there is nothing to draw."""
    if action != s.rules.first_action[Block.PASS]:
        place_abbey(s, action)
        s.phase = Phase.FIGURE
    elif s.last_round != NO_ROUND or not draw_tile(s):
        end_turn_without_tile(s)


@kernel(void(State, i8), inline=True)
def choose_place(s, action):
    """Place the tile in hand, or put it aside where only a bridge makes room for it (BRI-09)."""
    if action == s.rules.first_action[Block.PASS]:
        if not put_aside(s):
            end_turn_without_tile(s)
        return
    cell, rotation = cell_of_place(s, action), rotation_of_place(action)
    if s.rules.stock[Stock.BRIDGE] > 0:
        bridges.place_with_bridge(s, s.hand, rotation, cell)
    else:
        place_tile(s, s.hand, rotation, cell)
    tile_placed(s)  # PD-03, HS-02, WR-04, RUS-06, RUS-09
    s.hand = NO_DESIGN
    s.phase = Phase.FIGURE
    if s.rules.gold != 0:
        gold.bring_gold(s)
    magic.call_magic(s)  # MW-02, MW-06


@kernel(i8(State, b1), inline=True)
def end_action(s, has_acted):
    """Return where the placement goes on behind the figure action; a bridge may follow (BRI-10)."""
    s.scored = 0  # COU-07: whatever a recall has brought
    if has_acted and bridges.can_build_later(s):
        s.phase = Phase.BRIDGE
        return PENDING
    return SECOND


@kernel(i8(State, i8), inline=True)
def choose_action(s, action):
    """Build a bridge and ask again, or do the figure action and go on (BRI-10)."""
    if bridges.is_bridge(s, action):
        bridges.build_chosen(s, action)
        return PENDING
    if act_here(s, action):
        return PENDING
    return end_action(s, action != s.rules.first_action[Block.PASS])


@kernel(i8(State, i8), inline=True)
def choose(s, action):
    """Carry out the decision and return where the placement goes on."""
    phase = s.phase
    if tower.is_ransom(s, action):
        tower.pay_ransom(s, action)  # TOW-25: what was asked is asked again
        return PENDING
    is_magic = phase == Phase.MAGIC or phase == Phase.MAGIC_SPOT
    if is_magic or phase == Phase.TUNNEL or tunnel.is_token(s, action):
        tunnel.answer(s, action)
        asks = magic.answer(s, action) if is_magic else magic.ask_if_they_meet(s)  # MW-06
        if asks or s.phase == Phase.FIGURE:
            return PENDING
        return SECOND if s.phase == Phase.SECOND else FERRIES
    if phase == Phase.FIGURE:
        return choose_action(s, action)
    if phase == Phase.PLACE_TILE:
        choose_place(s, action)
    elif phase == Phase.DRAW_OR_ABBEY:
        choose_abbey(s, action)
    elif phase == Phase.INGOT:
        gold.put_second(s, action)
        magic.call_magic(s)
    elif phase == Phase.ELSEWHERE:
        return PENDING if act_elsewhere(s, action) else end_action(s, True)
    elif phase == Phase.LANDING:
        return TOKENS if flier.land(s, action) else end_action(s, True)
    elif phase == Phase.CAPTURE or phase == Phase.EXCHANGE:
        return PENDING if tower.answer(s, action) else end_action(s, True)
    elif phase == Phase.BRIDGE:
        bridges.build_later(s, action)
        return SECOND
    elif phase == Phase.SECOND or phase == Phase.SECOND_SPOT:
        return PENDING if act_second(s, action) else TOKENS
    elif phase == Phase.FERRY or phase == Phase.FERRIES:
        if not ferries.answer(s, action):
            return FLOCKS
        return PENDING if magic.ask_if_they_meet(s) else FERRIES  # FER-24
    elif phase == Phase.FLIGHT:
        if dragon.fly_on(s, action):
            return PENDING
        return CIRCLES if s.rules.dragon_late != 0 else TOWNS  # PD-09
    elif phase == Phase.FLOCK:
        shepherd.decide_on_flock(s, action)
        return FLIGHT
    elif phase == Phase.CASTLE:
        castles.decide_on_town(s, action)  # CAS-08: others may have to decide on it too
        return TOWNS
    elif phase == Phase.JOIN or phase == Phase.JOIN_SPOT:
        if count.answer_move(s, action):  # COU-14, COU-19: others may follow
            return PENDING
        if s.phase != Phase.GAME_OVER:
            return SCORING
        finish_game(s)
    elif phase == Phase.CASTLE_CHOICE:
        castles.take_feature(s, action)  # CAS-22: other castles may follow
        return CASTLES
    elif phase == Phase.SHARE:
        return PENDING if gold.take_chosen(s, action) else MARKERS
    elif phase == Phase.WAGON or phase == Phase.WAGON_SPOT:
        return PENDING if wagon.answer_move(s, action) else WAGONS
    elif phase == Phase.ENTER or phase == Phase.COUNT:
        return PENDING if count.answer_entry(s, action) else LATE
    elif Phase.CIRCLE <= phase <= Phase.REAP_SPOT:
        return PENDING if circles.answer(s, action) else ESCAPE
    elif phase == Phase.ESCAPE or phase == Phase.ESCAPE_SPOT:
        return PENDING if siege.answer(s, action) else END
    else:
        answer_in_bazaar(s, action)
    return PENDING


@shared(void(State, i8))
def apply(s, action):
    """Carry out a legal action and everything that follows until the next decision."""
    s.n_events, s.token = 0, NO_OUTCOME
    step = choose(s, action)
    if step != PENDING:
        finish_placement(s, step)


@kernel(i8(State, i8[::1]))
def settle(s, actions):
    """Take decisions with one choice, if wanted; write the actions of the next, return how many."""
    n = legal_actions(s, actions)
    while n == 1 and s.rules.auto_single != 0:
        apply(s, actions[0])
        n = legal_actions(s, actions)
    return n

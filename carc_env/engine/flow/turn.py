"""The decisions in a turn: what each answer does, and the step at which the placement continues.

``apply`` answers the pending decision and proceeds to the next one. ``steps.py`` defines the order
of the steps, and ``rounds.py`` decides who places the next tile.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.linking import shared
from carc_env.engine.core.answers import ACTED, FINISHED, PENDING, SECOND, TOKENS
from carc_env.engine.core.board import cell_of_place, rotation_of_place
from carc_env.engine.core.codes import Block, Phase, Stock
from carc_env.engine.core.moments import answered, figures_begin, tile_placed
from carc_env.engine.core.placement import place_tile
from carc_env.engine.core.state import NO_DESIGN, NO_OUTCOME, NO_ROUND, State
from carc_env.engine.flow.acting import act_elsewhere, act_here, act_second
from carc_env.engine.flow.legal import legal_actions
from carc_env.engine.flow.rounds import (
    answer_in_bazaar,
    draw_tile,
    end_turn_without_tile,
    finish_game,
    put_aside,
)
from carc_env.engine.flow.steps import finish_placement
from carc_env.sets.abbey.kernels import place_abbey
from carc_env.sets.bridges import kernels as bridges
from carc_env.sets.tower import kernels as tower
from carc_env.sets.tunnel import kernels as tunnel

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
    """Place the tile in hand, or set it aside if only a bridge would make room for it (BRI-09)."""
    if action == s.rules.first_action[Block.PASS]:
        if not put_aside(s):
            end_turn_without_tile(s)
        return
    cell, rotation = cell_of_place(s, action), rotation_of_place(action)
    if s.rules.stock[Stock.BRIDGE] > 0:
        bridges.place_with_bridge(s, s.hand, rotation, cell)
    else:
        place_tile(s, s.hand, rotation, cell)
    s.hand = NO_DESIGN
    s.phase = Phase.FIGURE
    tile_placed(s)  # PD-03, HS-02, WR-04, RUS-06, RUS-09, GOL-02
    figures_begin(s)  # MW-02, MW-06


@kernel(i8(State, b1), inline=True)
def end_action(s, has_acted):
    """Return the step that follows the figure action; a bridge can come first (BRI-10)."""
    s.scored = 0  # COU-07: regardless of what a recall has caused
    if has_acted and bridges.can_build_later(s):
        s.phase = Phase.BRIDGE
        return PENDING
    return SECOND


@kernel(i8(State, i8), inline=True)
def choose_action(s, action):
    """Build a bridge and ask again, or perform the figure action and continue (BRI-10)."""
    if bridges.is_bridge(s, action):
        bridges.build_chosen(s, action)
        return PENDING
    if act_here(s, action):
        return PENDING
    return end_action(s, action != s.rules.first_action[Block.PASS])


@kernel(i8(State, i8))
def answer_question(s, action):
    """Let the set that asked the question carry out the answer; return where to continue."""
    step = answered(s, s.phase, action)
    if step == ACTED:
        return end_action(s, True)
    if step == FINISHED:
        finish_game(s)
        return PENDING
    return step


@kernel(i8(State, i8), inline=True)
def choose(s, action):
    """Carry out the decision and return where the placement continues."""
    phase = s.phase
    if tower.is_ransom(s, action):
        tower.pay_ransom(s, action)  # TOW-25: the same question is asked again
        return PENDING
    if tunnel.is_token(s, action):
        return tunnel.lay_token(s, action)  # TUN-03: in addition to any figure action
    if phase == Phase.FIGURE:
        return choose_action(s, action)
    if phase == Phase.PLACE_TILE:
        choose_place(s, action)
    elif phase == Phase.DRAW_OR_ABBEY:
        choose_abbey(s, action)
    elif phase == Phase.ELSEWHERE:
        return PENDING if act_elsewhere(s, action) else end_action(s, True)
    elif phase == Phase.SECOND or phase == Phase.SECOND_SPOT:
        return PENDING if act_second(s, action) else TOKENS
    elif phase >= Phase.BAZAAR_PICK:
        answer_in_bazaar(s, action)
    else:
        return answer_question(s, action)
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
    """Take single-choice decisions if ``auto_single`` is on, and write the next legal actions.

    Returns the number of actions.
    """
    n = legal_actions(s, actions)
    while n == 1 and s.rules.auto_single != 0:
        apply(s, actions[0])
        n = legal_actions(s, actions)
    return n

"""The figure action: on the tile just placed, or on another one that was chosen (TURN-03)."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.core.codes import FIRST_CORNER, FIRST_FIGURE, N_SPOTS, Block, Figure, Phase
from carc_env.engine.core.elsewhere import choose_cell, chosen_tile, forget_cell
from carc_env.engine.core.features import segment_at
from carc_env.engine.core.figures import PLACE_SPOT, deploy, kind_to_place
from carc_env.engine.core.state import State
from carc_env.sets.abbot.kernels import recall_abbot
from carc_env.sets.barn.kernels import place_barn
from carc_env.sets.hills_sheep.shepherd.kernels import place_shepherd
from carc_env.sets.princess_dragon.fairy.kernels import move_fairy
from carc_env.sets.princess_dragon.princess.kernels import remove_knight
from carc_env.sets.tower.kernels import add_floor, capture, choose_exchange, close_tower
from carc_env.sets.tower.record import NO_TOWER
from carc_env.sets.traders.builder.kernels import note_extension


@kernel(void(State, i8), inline=True)
def act(s, action):
    """Do the one figure action of the turn (TURN-03)."""
    if action == s.rules.first_action[Block.PASS]:
        return
    if action == s.rules.first_action[Block.RECALL]:
        recall_abbot(s)
        return
    kind = kind_to_place(s, action)
    spot = PLACE_SPOT[kind, action - s.rules.first_action[FIRST_FIGURE + kind]]
    tile = s.n_tiles - 1
    if kind == Figure.BARN:
        place_barn(s, s.decider, tile, spot - FIRST_CORNER)
    elif kind == Figure.SHEPHERD:
        place_shepherd(s, segment_at(s, tile, spot))
    else:
        deploy(s, s.decider, kind, segment_at(s, tile, spot))


@kernel(b1(State, i8))
def act_elsewhere(s, action):
    """Do something on the chosen cell; True if a capture or an exchange is asked for behind it."""
    first, is_asked = s.rules.first_action, False
    is_removal = s.tower != NO_TOWER
    is_removal |= first[Block.REMOVE] >= 0 and 0 <= action - first[Block.REMOVE] < N_SPOTS
    if is_removal and s.rules.owned[Figure.BUILDER] > 0:
        note_extension(s)  # XW-02: before the builder can go home
    if s.tower != NO_TOWER:
        is_asked = capture(s, action)
    elif action == first[Block.FAIRY_TOP]:
        move_fairy(s, action)
    elif 0 <= first[Block.TOP] <= action:
        close_tower(s, action - first[Block.TOP])
    elif 0 <= first[Block.FLOOR] <= action:
        is_asked = add_floor(s)
    elif 0 <= first[Block.REMOVE] <= action:
        remove_knight(s, action - first[Block.REMOVE])
    elif 0 <= first[Block.FAIRY] <= action:
        move_fairy(s, action)
    else:
        kind = kind_to_place(s, action)
        spot = PLACE_SPOT[kind, action - first[FIRST_FIGURE + kind]]
        deploy(s, s.decider, kind, segment_at(s, chosen_tile(s), spot))
    forget_cell(s)
    return is_asked


@kernel(b1(State, i8))
def go_on_elsewhere(s, action):
    """Answer what is asked within a figure action on another tile; True if more is asked."""
    if s.phase == Phase.ELSEWHERE:
        return act_elsewhere(s, action)
    if s.phase == Phase.EXCHANGE:
        choose_exchange(s, action)
        return False
    if action == s.rules.first_action[Block.PASS]:  # TOW-08
        s.tower = NO_TOWER
        return False
    choose_cell(s, action)
    return True

"""The turn, from the draw to the next player, in rulebook order (TURN-01, TURN-02).

This is the only place that sequences expansions. ``apply`` answers the pending decision and goes on
to the next one.
"""

from carc_env.engine import codes
from carc_env.engine._jit import i8, kernel, void
from carc_env.engine.bag import draw
from carc_env.engine.board import from_view
from carc_env.engine.expansions.abbot import recall_abbot
from carc_env.engine.features import segment_at
from carc_env.engine.figures import deploy
from carc_env.engine.legal import legal_actions
from carc_env.engine.placement import has_place, place_tile
from carc_env.engine.scoring import score_completed, score_final
from carc_env.engine.state import NO_DESIGN, START_CELL, State
from carc_env.engine.tiles import START_DESIGN


@kernel(void(State))
def begin_turn(s):
    """Draw a tile that can be placed; without one the game is over (BASE-05, BASE-22)."""
    s.decider = s.turn_player
    s.hand = NO_DESIGN
    while i8(s.n_bag) > 0:
        design = draw(s)
        if has_place(s, design):
            s.hand = design
            s.phase = codes.PLACE_TILE
            return
    s.phase = codes.GAME_OVER
    score_final(s)


@kernel(void(State, i8))
def act(s, action):
    """Do the one figure action of the turn (TURN-03)."""
    seat, tile = i8(s.decider), i8(s.n_tiles) - 1
    if action == i8(s.rules.pass_action):
        return
    if action == i8(s.rules.recall_action):
        recall_abbot(s)
    elif action == i8(s.rules.abbot_block):
        deploy(s, seat, codes.ABBOT, segment_at(s, tile, codes.MID))
    else:
        spot = action - i8(s.rules.meeple_block)
        deploy(s, seat, codes.MEEPLE, segment_at(s, tile, spot))


@kernel(void(State, i8))
def apply(s, action):
    """Carry out a legal action and everything that follows until the next decision."""
    if i8(s.phase) == codes.PLACE_TILE:
        place_tile(s, i8(s.hand), action % 4, from_view(s, action // 4))
        s.hand = NO_DESIGN
        s.phase = codes.ACTION
    elif i8(s.phase) == codes.ACTION:
        act(s, action)
        score_completed(s)
        s.turn += 1
        s.turn_player = (i8(s.turn_player) + 1) % i8(s.rules.n_players)  # BASE-03
        begin_turn(s)


@kernel(void(State))
def start_game(s):
    """Lay the start tile and begin the first turn (BASE-02)."""
    place_tile(s, START_DESIGN, 0, START_CELL)
    begin_turn(s)


@kernel(i8(State, i8[::1]))
def settle(s, actions):
    """Take decisions with a single choice; write the actions of the next real one, return how many.

    With ``auto_single`` off this only lists the actions.
    """
    n = legal_actions(s, actions)
    while n == 1 and i8(s.rules.auto_single) != 0:
        apply(s, actions[0])
        n = legal_actions(s, actions)
    return n

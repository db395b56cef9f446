"""The turn, from the draw to the next player, in rulebook order (TURN-01, TURN-02).

This is the only place that sequences expansions. ``apply`` answers the pending decision and goes on
to the next one.
"""

from carc_env.engine import codes
from carc_env.engine._jit import b1, i8, kernel, void
from carc_env.engine.bag import draw
from carc_env.engine.board import from_view
from carc_env.engine.expansions.abbey import (
    can_place_abbey,
    place_abbey,
    score_closed_by_abbey,
)
from carc_env.engine.expansions.abbot import recall_abbot
from carc_env.engine.expansions.barn import place_barn, score_barn_fields, score_barns
from carc_env.engine.expansions.wagon import (
    ask_for_a_move,
    choose_cell,
    forget_unscored_wagons,
    move_wagon,
    remember_wagons,
    settle_wagon,
)
from carc_env.engine.features import segment_at
from carc_env.engine.figures import PLACE_SPOT, deploy
from carc_env.engine.legal import legal_actions
from carc_env.engine.placement import has_place, place_tile
from carc_env.engine.scoring import score_completed, score_final
from carc_env.engine.state import (
    LOST,
    NO_DESIGN,
    NO_ROUND,
    START_CELL,
    UNTIL_BLOCKED,
    State,
)
from carc_env.engine.tiles import START_DESIGN


@kernel(b1(State))
def draw_tile(s):
    """Draw a tile that can be placed, putting others aside; False without one (BASE-05)."""
    while i8(s.n_bag) > 0:
        design = draw(s)
        if has_place(s, design):
            s.hand = design
            s.phase = codes.PLACE_TILE
            return True
    return False


@kernel(b1(State))
def begin_turn(s):
    """Let the turn player choose his abbey (ABB-02) or draw; False when no tile is left."""
    s.decider = s.turn_player
    if can_place_abbey(s):
        s.phase = codes.DRAW_OR_ABBEY
        return True
    return draw_tile(s)


@kernel(void(State))
def pass_turn_on(s):
    """Make the left neighbour the turn player (BASE-03)."""
    s.turn_player = (i8(s.turn_player) + 1) % i8(s.rules.n_players)


@kernel(void(State))
def end_game(s):
    """Score what is left on the board (BASE-22)."""
    s.decider = s.turn_player
    s.phase = codes.GAME_OVER
    score_final(s)
    score_barns(s)


@kernel(void(State))
def ask_for_last_abbeys(s):
    """Let the next seat that can place its abbey do so, each once; then end (ABB-20, ABB-23)."""
    if i8(s.last_round) == NO_ROUND:
        is_played = i8(s.rules.abbeys) > 0 and i8(s.rules.abbey_endgame) != LOST
        s.last_round = i8(s.rules.n_players) if is_played else 0
    while i8(s.last_round) > 0:
        s.last_round -= 1
        if can_place_abbey(s):
            s.decider = s.turn_player
            s.phase = codes.DRAW_OR_ABBEY
            return
        if i8(s.rules.abbey_endgame) == UNTIL_BLOCKED:
            s.last_round = 0
        pass_turn_on(s)
    end_game(s)


@kernel(void(State))
def end_turn(s):
    """Go on to the next player, or to what follows the last land tile."""
    s.turn += 1
    pass_turn_on(s)
    if i8(s.last_round) == NO_ROUND and i8(s.n_bag) > 0:
        if begin_turn(s):
            return
        pass_turn_on(s)
    ask_for_last_abbeys(s)


@kernel(void(State))
def decline_abbey(s):
    """Draw instead of placing the abbey; in the last round there is nothing to draw."""
    if i8(s.last_round) != NO_ROUND or not draw_tile(s):
        end_turn(s)


@kernel(void(State, i8))
def act(s, action):
    """Do the one figure action of the turn (TURN-03)."""
    if action == i8(s.rules.pass_action):
        return
    if action == i8(s.rules.recall_action):
        recall_abbot(s)
        return
    kind = codes.N_FIGURES - 1
    while action < i8(s.rules.figure_block[kind]) or i8(s.rules.figure_block[kind]) < 0:
        kind -= 1
    spot = i8(PLACE_SPOT[kind, action - i8(s.rules.figure_block[kind])])
    tile = i8(s.n_tiles) - 1
    if kind == codes.BARN:
        place_barn(s, i8(s.decider), tile, spot - codes.FIRST_CORNER)
    else:
        deploy(s, i8(s.decider), kind, segment_at(s, tile, spot))


@kernel(void(State))
def score_turn(s):
    """Score what the tile completed and the fields where a barn meets farmers (BARN-13)."""
    has_wagons = i8(s.rules.owned[codes.WAGON]) > 0
    if has_wagons:
        remember_wagons(s)
    score_completed(s)
    if i8(s.rules.abbeys) > 0:
        score_closed_by_abbey(s)
    if i8(s.rules.owned[codes.BARN]) > 0:
        score_barn_fields(s)
    if has_wagons:
        forget_unscored_wagons(s)


@kernel(void(State, i8))
def apply(s, action):
    """Carry out a legal action and everything that follows until the next decision."""
    phase, is_pass = i8(s.phase), action == i8(s.rules.pass_action)
    if phase == codes.DRAW_OR_ABBEY and is_pass:
        decline_abbey(s)
        return
    if phase == codes.DRAW_OR_ABBEY:
        place_abbey(s, action)
        s.phase = codes.ACTION
        return
    if phase == codes.PLACE_TILE:
        place_tile(s, i8(s.hand), action % 4, from_view(s, action // 4))
        s.hand = NO_DESIGN
        s.phase = codes.ACTION
        return
    if phase == codes.WAGON_MOVE and not is_pass and i8(s.rules.wagon_links) != 0:
        choose_cell(s, action)
        return
    if phase == codes.ACTION:
        act(s, action)
        score_turn(s)
    elif is_pass:
        settle_wagon(s)
    else:
        move_wagon(s, action)
    if i8(s.rules.owned[codes.WAGON]) == 0 or not ask_for_a_move(s):
        end_turn(s)


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

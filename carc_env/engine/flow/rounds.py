"""Getting to the next placement: draws, second parts, bazaars, and the round of the last abbeys."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.core.bag import draw
from carc_env.engine.core.codes import Block, Figure, Phase, Stock
from carc_env.engine.core.moments import game_ends, turn_begins, turn_interrupted, turn_resumed
from carc_env.engine.core.placement import has_place, place_tile
from carc_env.engine.core.scoring import score_final
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.state import NO_DESIGN, NO_ROUND, NO_TILE, State
from carc_env.sets.abbey.kernels import can_place_abbey
from carc_env.sets.abbey.record import LOST, UNTIL_BLOCKED
from carc_env.sets.bazaars import kernels as bazaars
from carc_env.sets.bridges.kernels import has_bridged_place
from carc_env.sets.count import kernels as count
from carc_env.sets.traders.builder.kernels import takes_extension


@kernel(b1(State, i8))
def can_place(s, design):
    """Return whether the turn player can place a tile, possibly with a bridge (BASE-05, BRI-08)."""
    return has_place(s, design) or (
        s.rules.stock[Stock.BRIDGE] > 0 and has_bridged_place(s, design)
    )


@kernel(b1(State))
def draw_tile(s):
    """Draw a placeable tile, setting others aside; False if there is none (BASE-05)."""
    while s.n_bag > 0:
        design = draw(s)
        if can_place(s, design):
            s.hand = design
            s.phase = Phase.PLACE_TILE
            return True
    return False


@kernel(b1(State), inline=True)
def begin_part(s):
    """Let the turn player choose the abbey (ABB-02, TRA-11) or draw; False if no tile is left."""
    s.decider = s.turn_player
    if can_place_abbey(s):
        s.phase = Phase.DRAW_OR_ABBEY
        return True
    return draw_tile(s)


@kernel(void(State))
def set_up(s):
    """Place the tiles that a game starts with (BASE-02, BASE-40, COU-01).

    Tiles that are left out are the first ones in the bag; they count as drawn and set aside
    (BASE-29).
    """
    s.n_bag -= s.rules.n_left_out
    for k in range(s.rules.n_start):
        tile = s.rules.start[k]
        place_tile(s, tile.design, tile.rotation, tile.cell)


@kernel(void(State))
def start_game(s):
    """Set the game up and begin the first turn."""
    set_up(s)
    begin_part(s)


@kernel(b1(State))
def begin_second_part(s):
    """Begin the second part of a turn (TRA-07); False if the turn player has nothing to place."""
    s.first_part = s.n_tiles - 1
    return begin_part(s)


@kernel(void(State), inline=True)
def forget_part(s):
    """Reset the fields that matter only within one turn."""
    s.first_part, s.has_bridged = NO_TILE, 0


@kernel(void(State), inline=True)
def pass_turn_on(s):
    """Pass the turn to the left neighbour (BASE-03)."""
    s.turn_player = seat_at(s, s.turn_player, 1)
    s.ransomed, s.entered, s.dug = 0, 0, 0
    forget_part(s)


@kernel(void(State))
def finish_game(s):
    """Score what is left on the board (BASE-22)."""
    s.decider = s.turn_player
    s.phase, s.last_round = Phase.GAME_OVER, 0
    score_final(s)
    game_ends(s)


@kernel(void(State))
def end_game(s):
    """Let meeples leave Carcassonne (COU-18), then end the game."""
    if s.rules.count != 0 and count.ask_for_last_moves(s):
        s.last_round = NO_ROUND  # the round of the abbeys is over
    else:
        finish_game(s)


@kernel(void(State))
def ask_for_last_abbeys(s):
    """Ask the next seat that can place its abbey, each once; then end the game (ABB-20, ABB-23)."""
    if s.last_round == NO_ROUND:
        is_played = s.rules.stock[Stock.ABBEY] > 0 and s.rules.abbey_endgame != LOST
        s.last_round = s.rules.n_players if is_played else 0
    while s.last_round > 0:
        s.last_round -= 1
        if can_place_abbey(s):
            s.decider = s.turn_player
            s.phase = Phase.DRAW_OR_ABBEY
            return
        if s.rules.abbey_endgame == UNTIL_BLOCKED:
            s.last_round = 0
        pass_turn_on(s)
    end_game(s)


@kernel(void(State))
def end_turn(s):
    """Continue with the next player, or with the round that follows the last land tile."""
    s.turn += 1
    pass_turn_on(s)
    if s.last_round == NO_ROUND and s.n_bag > 0:
        turn_begins(s)
        if begin_part(s):
            return
        pass_turn_on(s)
    ask_for_last_abbeys(s)


# The bazaar round: its tiles are placed clockwise, with the starter last (BAZ-14).


@kernel(b1(State))
def put_aside(s):
    """Set the tile in hand aside and draw another (BRI-09, BAZ-27); False if there is none."""
    was_bought = s.is_bought != 0
    s.hand = NO_DESIGN
    s.is_bought = 0
    if was_bought and s.rules.skips_unplaceable != 0:
        return False
    return draw_tile(s)


@kernel(b1(State, i8))
def place_bought(s, lot):
    """Let the turn player place a bazaar tile, or its replacement; False if there is none."""
    bazaars.take_in_hand(s, lot)
    s.phase = Phase.PLACE_TILE
    return can_place(s, s.hand) or put_aside(s)


@kernel(b1(State))
def serve_next(s):
    """Let the left neighbour take a tile or place a bought one; False if none can be placed."""
    s.turn += 1
    pass_turn_on(s)
    s.decider = s.turn_player
    turn_begins(s)  # BAZ-15
    if s.bazaar.takes != 0:
        s.phase = Phase.BAZAAR_PICK
        return True
    return place_bought(s, bazaars.lot_of(s, s.turn_player))


@kernel(void(State))
def open_bazaar(s):
    """Turn the bazaar's tiles face up and ask for the first choice (BAZ-04)."""
    bazaars.turn_up(s)
    s.turn_player = s.bazaar.starter
    forget_part(s)
    if s.bazaar.takes != 0:
        serve_next(s)
    else:
        bazaars.call_chooser(s, seat_at(s, s.turn_player, 1))


@kernel(b1(State, i8))
def hold_bazaar(s, starter):
    """Set tiles aside and open the bazaar; False if there are too few tiles (BAZ-16, BAZ-28)."""
    if not bazaars.has_tiles_for_all(s):
        return False
    bazaars.set_aside(s, starter)
    open_bazaar(s)
    return True


@kernel(void(State))
def end_bazaar(s):
    """Hold the delayed bazaars (BAZ-19), then continue with this turn or the next one (BAZ-26)."""
    while s.bazaar.n_delayed > 0:
        if hold_bazaar(s, bazaars.next_delayed(s)):
            return
    bazaars.close(s)
    turn_resumed(s)
    if s.first_part == NO_TILE:
        end_turn(s)
        return
    s.turn += 1
    if not begin_part(s):
        end_turn(s)


@kernel(void(State))
def go_on_in_bazaar(s):
    """Open the waiting bazaar, or serve the next player; it is over after its starter."""
    if s.bazaar.waits != 0:
        open_bazaar(s)
        return
    while s.turn_player != s.bazaar.starter:
        if serve_next(s):
            return
    end_bazaar(s)


@kernel(void(State, i8))
def answer_in_bazaar(s, action):
    """Carry out a bazaar decision; after the auction, the tiles are placed."""
    if s.bazaar.takes != 0:
        is_going_on = place_bought(s, action - s.rules.first_action[Block.PICK])
    else:
        is_going_on = bazaars.answer(s, action) or serve_next(s)
    if not is_going_on:
        go_on_in_bazaar(s)


@kernel(void(State))
def end_turn_without_tile(s):
    """Continue when there is no tile left to place."""
    if bazaars.is_open(s):
        go_on_in_bazaar(s)
    else:
        end_turn(s)


@kernel(b1(State))
def begin_owed_bazaar(s):
    """Begin a bazaar in a turn that also has a second part, in the order that the rules give.

    False if there are too few tiles (BAZ-20, BAZ-21).
    """
    if not bazaars.has_tiles_for_all(s):
        return False
    if s.rules.builder_first == 0:
        bazaars.owe_second_part(s)
        turn_interrupted(s)
        return hold_bazaar(s, s.turn_player)
    bazaars.set_aside(s, s.turn_player)
    if not begin_second_part(s):
        go_on_in_bazaar(s)
    return True


@kernel(void(State), inline=True)
def end_placement(s):
    """Continue with the second part of the turn or with a bazaar, or end the turn.

    TRA-07, BAZ-01; in a bazaar, each player's placement is a turn (BAZ-15).
    """
    is_extended = s.rules.owned[Figure.BUILDER] > 0 and takes_extension(s)
    if s.rules.bazaars == 0:
        if not (is_extended and begin_second_part(s)):
            end_turn(s)
        return
    starts = bazaars.has_placed_bazaar(s)
    s.is_bought = 0
    if bazaars.is_open(s):
        if starts:
            bazaars.delay(s, s.turn_player)
        if not (is_extended and begin_second_part(s)):
            go_on_in_bazaar(s)
    elif is_extended:
        if not (starts and begin_owed_bazaar(s)) and not begin_second_part(s):
            end_turn(s)
    elif not starts or not hold_bazaar(s, s.turn_player):
        end_turn(s)

"""The dragon: volcanoes bring it, dragon tiles let it fly (PD-03 to PD-23)."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.board import N_SIDES, STEP, tile_at
from carc_env.engine.core.codes import Block, Figure, Kind, Phase
from carc_env.engine.core.features import kind_of, tile_of
from carc_env.engine.core.figures import figure_kind, take_off
from carc_env.engine.core.moments import bars_figures, offer
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.state import NO_CELL, NO_SEGMENT, NO_TILE, SLOTS_PER_SEAT, State
from carc_env.engine.core.tiles import IS_DRAGON, IS_VOLCANO
from carc_env.sets.princess_dragon.dragon.record import DRAGON_STEPS


@kernel(void(State))
def bring_dragon(s):
    """Let the dragon come to the tile just placed if it is a volcano (PD-03)."""
    tile = s.tiles[s.n_tiles - 1]
    if IS_VOLCANO[tile.design]:
        s.dragon = tile.cell


@at(bars_figures, "dragon")
@kernel(i8(State))
def is_at_last_tile(s):
    """Tell whether the dragon is on the tile just placed: only a barn may go there (PD-05)."""
    return s.dragon == s.tiles[s.n_tiles - 1].cell


@kernel(b1(State, i8))
def may_fly_to(s, cell):
    """Tell whether the dragon may enter a cell in this flight (PD-11, PD-12, PD-14)."""
    if tile_at(s, cell) == NO_TILE or cell == s.fairy:
        return False
    for k in range(s.n_flown):
        if s.flown[k] == cell:
            return False
    return True


@at(offer, key=Phase.FLIGHT)
@kernel(i8(State, i8[::1]))
def offer_steps(s, actions):
    """Write the steps that the dragon can take, by their sides; return how many (PD-10)."""
    n = 0
    for side in range(N_SIDES):
        if may_fly_to(s, s.dragon + STEP[side]):
            actions[n] = s.rules.first_action[Block.DRAGON] + side
            n += 1
    return n


@kernel(b1(State))
def can_fly_on(s):
    """Tell whether there is a step left that can be taken (PD-10, PD-13)."""
    if s.n_flown > DRAGON_STEPS:
        return False
    for side in range(N_SIDES):
        if may_fly_to(s, s.dragon + STEP[side]):
            return True
    return False


@kernel(b1(State))
def ask_for_a_step(s):
    """Make who moves the dragon next the decider (PD-10); False at the end of the flight."""
    if can_fly_on(s):
        s.phase = Phase.FLIGHT
        s.decider = seat_at(s, s.turn_player, (s.n_flown - 1) % s.rules.n_players)
        return True
    for k in range(s.n_flown):
        s.flown[k] = NO_CELL
    s.n_flown = 0
    s.decider = s.turn_player
    return False


@kernel(b1(State))
def begin_flight(s):
    """Begin the flight of the tile just placed; False without one, or without a step (PD-08)."""
    if s.dragon == NO_CELL or not IS_DRAGON[s.tiles[s.n_tiles - 1].design]:
        return False
    s.flown[0], s.n_flown = s.dragon, 1
    return ask_for_a_step(s)


@kernel(b1(State, i8, i8))
def is_eaten(s, figure, tile):
    """Tell whether the dragon eats a figure on a tile: no barns, no lords (PD-15, PD-16)."""
    segment = s.figures[figure].segment
    if segment == NO_SEGMENT or tile_of(s, segment) != tile:
        return False
    kind = figure_kind(figure)
    if kind == Figure.WAGON and s.rules.wagon_safe != 0:  # HOUSE-03
        return False
    return kind != Figure.BARN and kind_of(s, segment) != Kind.CASTLE


@kernel(void(State, i8))
def move_dragon(s, action):
    """Let the dragon take a step and eat who stands there (PD-15, PD-19)."""
    s.dragon += STEP[action - s.rules.first_action[Block.DRAGON]]
    s.flown[s.n_flown] = s.dragon
    s.n_flown += 1
    tile = tile_at(s, s.dragon)
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        if is_eaten(s, figure, tile):
            take_off(s, figure)

"""The dragon: volcanoes summon it, and dragon tiles make it fly (PD-03 to PD-23)."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import CIRCLES, PENDING, TOWNS
from carc_env.engine.core.bag import list_unseen, shuffle_again, shuffle_range, swap_tiles
from carc_env.engine.core.board import N_SIDES, STEP, tile_at
from carc_env.engine.core.codes import Block, Figure, Kind, Phase
from carc_env.engine.core.features import kind_of, tile_of
from carc_env.engine.core.figures import figure_kind, take_off
from carc_env.engine.core.moments import (
    answered,
    bag_shuffled,
    bars_figures,
    dragon_moved,
    draw_begins,
    may_draw,
    may_lie_face_down,
    offer,
    tile_placed,
)
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.sizes import MAX_BAG
from carc_env.engine.core.state import (
    NO_CELL,
    NO_DESIGN,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.core.tiles import IS_CLOSED, IS_DRAGON, IS_HILL, IS_VOLCANO
from carc_env.sets.princess_dragon.dragon.record import DRAGON_STEPS


@at(tile_placed, "dragon")
@kernel(void(State))
def bring_dragon(s):
    """Move the dragon to the tile just placed if it is a volcano (PD-03)."""
    tile = s.tiles[s.n_tiles - 1]
    if IS_VOLCANO[tile.design]:
        s.dragon = tile.cell


@at(bars_figures, "dragon")
@kernel(i8(State))
def is_at_last_tile(s):
    """Return whether the dragon is on the tile just placed: only a barn may go there (PD-05)."""
    return s.dragon == s.tiles[s.n_tiles - 1].cell


@kernel(b1(State, i8))
def may_fly_to(s, cell):
    """Return whether the dragon may enter a cell in this flight (PD-11, PD-12, PD-14, COU-24)."""
    tile = tile_at(s, cell)
    if tile == NO_TILE or IS_CLOSED[s.tiles[tile].design] or cell == s.fairy:
        return False
    for k in range(s.n_flown):
        if s.flown[k] == cell:
            return False
    return True


@at(offer, key=Phase.FLIGHT)
@kernel(i8(State, i8[::1]))
def offer_steps(s, actions):
    """Write the dragon's possible steps, one per side; return how many (PD-10)."""
    n = 0
    for side in range(N_SIDES):
        if may_fly_to(s, s.dragon + STEP[side]):
            actions[n] = s.rules.first_action[Block.DRAGON] + side
            n += 1
    return n


@kernel(b1(State))
def can_fly_on(s):
    """Return whether the dragon has a step left and a cell to enter (PD-10, PD-13)."""
    if s.n_flown > DRAGON_STEPS:
        return False
    for side in range(N_SIDES):
        if may_fly_to(s, s.dragon + STEP[side]):
            return True
    return False


@kernel(b1(State))
def ask_for_a_step(s):
    """Make the player who moves the dragon next the decider (PD-10).

    Return False at the end of the flight.
    """
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
    """Begin the flight for the tile just placed; return False if none is possible (PD-08)."""
    if s.dragon == NO_CELL or not IS_DRAGON[s.tiles[s.n_tiles - 1].design]:
        return False
    s.flown[0], s.n_flown = s.dragon, 1
    return ask_for_a_step(s)


@kernel(b1(State, i8, i8))
def is_eaten(s, figure, tile):
    """Return whether the dragon eats a figure on a tile: no barns and no lords (PD-15, PD-16)."""
    segment = s.figures[figure].segment
    if segment == NO_SEGMENT or tile_of(s, segment) != tile:
        return False
    kind = figure_kind(figure)
    if kind == Figure.WAGON and s.rules.wagon_safe != 0:  # HOUSE-03
        return False
    return kind != Figure.BARN and kind_of(s, segment) != Kind.CASTLE


@kernel(void(State, i8))
def move_dragon(s, action):
    """Move the dragon one step and let it eat the figures there (PD-15, PD-19)."""
    s.dragon += STEP[action - s.rules.first_action[Block.DRAGON]]
    s.flown[s.n_flown] = s.dragon
    s.n_flown += 1
    tile = tile_at(s, s.dragon)
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        if is_eaten(s, figure, tile):
            take_off(s, figure)
    dragon_moved(s)  # TOW-21, MW-19


@at(answered, key=Phase.FLIGHT)
@kernel(i8(State, i8))
def fly_on(s, action):
    """Move the dragon; another player may have to choose the next step (PD-09, PD-10)."""
    move_dragon(s, action)
    if ask_for_a_step(s):
        return PENDING
    return CIRCLES if s.rules.dragon_late != 0 else TOWNS


# Dragon tiles are not drawn before a volcano is on the board (PD-07).


@kernel(i8(State, i8))
def topmost_plain(s, end):
    """Return the last bag position before ``end`` without a dragon tile, or -1."""
    place = end - 1
    while place >= 0 and IS_DRAGON[s.bag[place]]:
        place -= 1
    return place


@kernel(b1(State))
def withholds_dragons(s):
    """Return whether the next tile drawn cannot be a dragon tile.

    This is so if the dragon is not on the board yet, no volcano is in hand, and there are other
    tiles.
    """
    if s.dragon != NO_CELL or (s.hand != NO_DESIGN and IS_VOLCANO[s.hand]):
        return False
    return topmost_plain(s, s.n_bag) >= 0


@at(may_draw, "withholds_dragons")
@kernel(b1(State, i8))
def may_draw_dragon(s, design):
    """Return whether a design can be drawn next: a dragon tile may have to wait."""
    return not (IS_DRAGON[design] and withholds_dragons(s))


@at(bag_shuffled, "withholds_dragons")
@kernel(void(State, i8))
def withhold_dragons(s, end):
    """After a shuffle up to ``end``, move dragon tiles so that a volcano is drawn first."""
    if not withholds_dragons(s) or (end < s.n_bag and IS_VOLCANO[s.bag[end]]):
        return
    # Shuffling them in later would need random numbers during a game, and a record could no longer
    # name the order of the tiles. The resulting distribution is the same.
    for place in range(end - 1, -1, -1):
        plain = topmost_plain(s, place + 1)
        if plain < 0:
            return
        swap_tiles(s, place, plain)
        if IS_VOLCANO[s.bag[place]]:
            shuffle_range(s, 0, place)
            return


@at(draw_begins, "withholds_dragons")
@kernel(void(State))
def send_dragon_back(s):
    """Replace a dragon tile on top of the bag and shuffle the tiles below it.

    The tile would be drawn before the first volcano because another tile was set aside.
    """
    if not IS_DRAGON[s.bag[s.n_bag - 1]] or not withholds_dragons(s):
        return
    swap_tiles(s, topmost_plain(s, s.n_bag), s.n_bag - 1)
    s.n_bag -= 1
    shuffle_again(s)
    s.n_bag += 1


@kernel(i8(State))
def n_without_dragons(s):
    """Return how many face-down tiles, counted from the first, were drawn before a volcano.

    None of them is a dragon tile, unless too few other tiles were left. Tiles under hills come
    first.
    """
    places, n_hills, n_plain = room_for(MAX_BAG), 0, 0
    n_unseen = list_unseen(s, places)
    n_early = n_unseen - s.n_bag
    for tile in range(s.n_tiles - 1):
        if IS_VOLCANO[s.tiles[tile].design]:
            n_early = min(n_hills, s.n_hidden)
            break
        n_hills += IS_HILL[s.tiles[tile].design]
    for k in range(n_unseen):
        n_plain += not IS_DRAGON[s.bag[places[k]]]
    return n_early if n_plain >= n_early else 0


@at(may_lie_face_down, "withholds_dragons")
@kernel(b1(State, i8, i8))
def may_be_dragon(s, k, design):
    """Return whether the k-th tile that was put face down may have a given design."""
    return not IS_DRAGON[design] or k >= n_without_dragons(s)

"""The wagon: after scoring, it may move on to another feature (docs/rules/wagon.md).

A player's ``wagon_from`` is the segment on which the wagon was scored (``note_scored``), until its
owner has decided. Meanwhile, the figure is in the supply. ``core/figures.py`` defines where a wagon
may be *placed*, as for every figure.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for, words_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import PENDING, WAGONS, add_pass
from carc_env.engine.core.bitset import Bits, add, clear, has
from carc_env.engine.core.board import (
    N_SIDES,
    STEP,
    cell_around,
    cell_of_place,
    place_action,
    tile_at,
)
from carc_env.engine.core.codes import (
    FIGURE_SPOTS,
    Block,
    Figure,
    Kind,
    Phase,
)
from carc_env.engine.core.features import (
    cell_of,
    centre_at,
    feature_of,
    is_complete,
    is_free,
    kind_of,
    segment_at,
    segment_at_side,
    shared_beside,
    tile_of,
)
from carc_env.engine.core.fief import is_in_fief, is_near_castle, was_built_now
from carc_env.engine.core.figures import (
    MAY_STAND,
    N_PLACES,
    PLACE_SPOT,
    SPOT_PLACE,
    deploy,
    figure_kind,
    number_of,
    offer_segments,
    seat_of,
)
from carc_env.engine.core.moments import answered, figure_scored, offer, offer_figure, owns
from carc_env.engine.core.seats import seat_at
from carc_env.engine.core.sizes import MAX_TILES, N_WORDS
from carc_env.engine.core.state import NO_CELL, NO_SEGMENT, NO_TILE, State
from carc_env.engine.core.tiles import (
    ABBEY_DESIGN,
    LINKED,
    N_SEGMENTS,
    SEGMENT_SPOT,
    SHARED_SEGMENT,
    SPOT_SEGMENT,
)

N_CELLS = 9
OWN_CELL = 4
MAX_MOVES = max(N_CELLS * len(FIGURE_SPOTS[Figure.WAGON]), MAX_TILES)


@at(offer_figure, owns(Figure.WAGON), key=Figure.WAGON)
@kernel(i8(State, i8, i8[::1]))
def offer_wagon(s, n, actions):
    """Add the actions that put the wagon on the tile just placed (WAG-02)."""
    return offer_segments(s, Figure.WAGON, n, actions)


@at(figure_scored, owns(Figure.WAGON))
@kernel(void(State, i8))
def note_scored(s, figure):
    """Record where a scored wagon stands: it may move on from there (WAG-04)."""
    if figure_kind(figure) == Figure.WAGON:
        s.players[seat_of(figure)].wagon_from = s.figures[figure].segment


@kernel(b1(State, i8))
def has_rolled_over(s, feature):
    """Return whether the moving wagon has already rolled over a feature (HOUSE-01)."""
    return has(s.rolled[:], feature)


@kernel(void(State, i8))
def note_rolled(s, feature):
    """Record that the moving wagon leaves a feature and may not return to it."""
    add(s.rolled[:], feature)


@kernel(i8(State))
def moving_from(s):
    """Return the segment that the decider's wagon moves from."""
    return s.players[s.decider].wagon_from


@kernel(b1(State, i8))
def has_left(s, segment):
    """Check whether a wagon would lie in a monastery that it leaves or has rolled over (MON-07)."""
    if kind_of(s, segment) != Kind.LINES:
        return False
    centre = centre_at(s, cell_of(s, segment))
    is_left = centre == feature_of(s, moving_from(s)) and is_complete(s, centre)
    return is_left or has_rolled_over(s, centre)


@kernel(b1(State, i8))
def is_target(s, segment):
    """Return whether a wagon may stand on a segment's feature (WAG-09, WAG-14, HOUSE-01).

    A wagon that lost a challenge may go back (CULT-19).
    """
    if not MAY_STAND[Figure.WAGON, kind_of(s, segment)]:
        return False
    if cell_of(s, segment) == s.dragon:  # XW-09
        return False
    feature = feature_of(s, segment)
    if has_rolled_over(s, feature) or not is_free(s, segment) or has_left(s, segment):
        return False
    if not is_complete(s, feature):
        return True
    return s.rules.wagon_rolls != 0 and feature != feature_of(s, moving_from(s))


@kernel(b1(State))
def comes_from_castle(s):
    """Return whether the decider's wagon was lord of a castle (WAG-17).

    A new castle was still a town when the wagon was scored (CAS-37).
    """
    segment = moving_from(s)
    return kind_of(s, segment) == Kind.CASTLE and not was_built_now(s, segment)


@kernel(b1(State, i8))
def is_in_reach(s, cell):
    """Return whether a wagon that leaves a castle may go to a cell (WAG-17)."""
    if s.rules.wagon_neighbours != 0:
        return is_near_castle(s, moving_from(s), cell)
    return is_in_fief(s, moving_from(s), cell)


@kernel(b1(State))
def chooses_cell_first(s):
    """Return whether the cell and the spot of a wagon's move are chosen separately.

    They are if the move may lead beyond the surrounding tiles: along links (WAG-20), or from a
    castle whose reach is wider than three by three cells.
    """
    is_wide = s.rules.wagon_neighbours != 0 or s.rules.fief_in_row != 0
    return s.rules.wagon_links != 0 or (is_wide and comes_from_castle(s))


@kernel(i8(State, i8[::1]))
def offer_moves_around(s, actions):
    """Write the moves to segments on the 3 x 3 tiles around the wagon (WAG-05 to WAG-07)."""
    cell = cell_of(s, moving_from(s))
    is_limited = comes_from_castle(s)
    n = 0
    for i in range(N_CELLS):
        tile = tile_at(s, cell_around(cell, i))
        if tile == NO_TILE or (is_limited and not is_in_reach(s, cell_around(cell, i))):
            continue
        placed = s.tiles[tile]
        design, rotation = placed.design, placed.rotation
        for place in range(N_PLACES + s.rules.special_monasteries):
            j = SPOT_SEGMENT[design, rotation, PLACE_SPOT[Figure.WAGON, place]]
            if j >= 0 and is_target(s, placed.first_segment + j):
                move = number_of(s, i, place)
                actions[n] = s.rules.first_action[Block.WAGON_MOVE] + move
                n += 1
    return n


@kernel(void(State, i8, Bits))
def mark_abbeys_beside(s, segment, goals):
    """Mark the abbeys that border on a road or city segment (WAG-21, WAG-22)."""
    tile = tile_of(s, segment)
    for side in range(N_SIDES):
        beside = tile_at(s, s.tiles[tile].cell + STEP[side])
        if beside == NO_TILE or s.tiles[beside].design != ABBEY_DESIGN:
            continue
        own = SHARED_SEGMENT[s.tiles[tile].design, s.tiles[tile].rotation, side]
        is_shared = own >= 0 and s.tiles[tile].first_segment + own == segment
        if segment_at_side(s, tile, side) == segment or is_shared:
            add(goals, s.tiles[beside].first_segment)


@kernel(void(State, i8, Bits))
def mark_roads_and_cities_around(s, abbey, goals):
    """Mark the roads and cities that an abbey tile closes (WAG-21, WAG-22)."""
    for side in range(N_SIDES):
        beside = tile_at(s, s.tiles[abbey].cell + STEP[side])
        segment = segment_at_side(s, beside, (side + 2) % 4)
        if segment != NO_SEGMENT:
            add(goals, feature_of(s, segment))
        segment = shared_beside(s, s.tiles[abbey].cell, side)
        if segment != NO_SEGMENT:
            add(goals, feature_of(s, segment))


@kernel(void(State, i8, Bits))
def mark_linked(s, feature, goals):
    """Mark every feature that is linked to a feature on any of its tiles (WAG-20 to WAG-31)."""
    segment = feature
    while True:
        placed = s.tiles[tile_of(s, segment)]
        first, design = placed.first_segment, placed.design
        linked = LINKED[design, segment - first]
        for j in range(N_SEGMENTS[design]):
            if linked >> j & 1:
                add(goals, feature_of(s, first + j))
        if design == ABBEY_DESIGN:
            mark_roads_and_cities_around(s, tile_of(s, segment), goals)
        else:
            mark_abbeys_beside(s, segment, goals)
        segment = s.segments[segment].next
        if segment == feature:
            return


@kernel(void(State, Bits))
def mark_in_reach(s, goals):
    """Mark the features on all tiles within reach of a wagon that leaves a castle (WAG-17)."""
    for tile in range(s.n_tiles):
        placed = s.tiles[tile]
        if is_in_reach(s, placed.cell):
            first = placed.first_segment
            for segment in range(first, first + N_SEGMENTS[placed.design]):
                add(goals, feature_of(s, segment))


@kernel(void(State, Bits))
def mark_goals(s, goals):
    """Mark the features to which the decider's wagon may go if they are free."""
    if comes_from_castle(s):
        mark_in_reach(s, goals)
    else:
        mark_linked(s, feature_of(s, moving_from(s)), goals)


@kernel(b1(State, i8, Bits))
def holds_goal(s, tile, goals):
    """Return whether a tile within reach has a segment that is marked and a possible target."""
    placed = s.tiles[tile]
    if comes_from_castle(s) and not is_in_reach(s, placed.cell):
        return False
    first = placed.first_segment
    for segment in range(first, first + N_SEGMENTS[placed.design]):
        if has(goals, feature_of(s, segment)) and is_target(s, segment):
            return True
    return False


@kernel(i8(State, i8[::1]))
def offer_cells(s, actions):
    """Write the actions that choose the tile to go to, in rotation 0 (WAG-17, WAG-20, WAG-28)."""
    goals = words_for(N_WORDS)
    mark_goals(s, goals)
    n = 0
    for tile in range(s.n_tiles):
        if holds_goal(s, tile, goals):
            actions[n] = place_action(s, s.tiles[tile].cell, 0)
            n += 1
    return n


@at(offer, key=Phase.WAGON_SPOT)
@kernel(i8(State, i8[::1]))
def offer_spots(s, actions):
    """Write the moves to features on the chosen tile; cells are relative to that tile."""
    goals = words_for(N_WORDS)
    mark_goals(s, goals)
    placed = s.tiles[tile_at(s, s.wagon_cell)]
    design, rotation, first = placed.design, placed.rotation, placed.first_segment
    n = 0
    for j in range(N_SEGMENTS[design]):
        if has(goals, feature_of(s, first + j)) and is_target(s, first + j):
            place = SPOT_PLACE[Figure.WAGON, SEGMENT_SPOT[design, rotation, j]]
            move = number_of(s, OWN_CELL, place)
            actions[n] = s.rules.first_action[Block.WAGON_MOVE] + move
            n += 1
    return n


@kernel(i8(State, i8[::1]))
def offer_targets(s, actions):
    """Write where the decider's wagon may go: segments, or else cells."""
    if chooses_cell_first(s):
        return offer_cells(s, actions)
    return offer_moves_around(s, actions)


@at(offer, key=Phase.WAGON)
@kernel(i8(State, i8[::1]))
def offer_move(s, actions):
    """Write where the decider's wagon may go, and sending it home (WAG-04)."""
    return add_pass(s, offer_targets(s, actions), actions)


@kernel(void(State))
def settle_wagon(s):
    """End the move of the decider's wagon."""
    s.players[s.decider].wagon_from = NO_SEGMENT
    clear(s.rolled[:])


@kernel(b1(State))
def ask_for_a_move(s):
    """Make the next owner of a scored wagon the decider; return False when all have decided.

    Owners decide clockwise from the turn player (WAG-11). Without a target, the wagon goes home
    (WAG-10).
    """
    for k in range(s.rules.n_players):
        s.decider = seat_at(s, s.turn_player, k)
        if moving_from(s) == NO_SEGMENT:
            continue
        if offer_targets(s, room_for(MAX_MOVES)) > 0:
            s.phase = Phase.WAGON
            return True
        settle_wagon(s)
    return False


@kernel(void(State, i8))
def move_wagon(s, action):
    """Move the decider's wagon to a segment; on a complete feature, it rolls on (HOUSE-01)."""
    origin = s.wagon_cell
    if origin == NO_CELL:
        origin = cell_of(s, moving_from(s))
    move = action - s.rules.first_action[Block.WAGON_MOVE]
    n_places = number_of(s, 1, 0)
    i, place = move // n_places, move % n_places
    tile = tile_at(s, cell_around(origin, i))
    segment = segment_at(s, tile, PLACE_SPOT[Figure.WAGON, place])
    feature = feature_of(s, segment)
    s.wagon_cell = NO_CELL
    if is_complete(s, feature):
        note_rolled(s, feature_of(s, moving_from(s)))
        s.players[s.decider].wagon_from = segment
    else:
        settle_wagon(s)
        deploy(s, s.decider, Figure.WAGON, segment)


@kernel(void(State, i8))
def choose_cell(s, action):
    """Record the tile to which the wagon moves; its owner chooses the spot next."""
    s.wagon_cell = cell_of_place(s, action)
    s.phase = Phase.WAGON_SPOT


@at(answered, key=Phase.WAGON)
@at(answered, key=Phase.WAGON_SPOT)
@kernel(i8(State, i8))
def answer_move(s, action):
    """Move the decider's wagon or send it home; a cell may be chosen first (WAG-11)."""
    if action == s.rules.first_action[Block.PASS]:
        settle_wagon(s)
    elif s.phase == Phase.WAGON and chooses_cell_first(s):
        choose_cell(s, action)
        return PENDING
    else:
        move_wagon(s, action)
    return WAGONS

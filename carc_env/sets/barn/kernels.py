"""The barn: stands where four fields meet and changes how fields score (docs/rules/barn.md)."""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import DONE
from carc_env.engine.core.board import STEP, tile_at
from carc_env.engine.core.codes import N_CORNERS, Block, Figure, Kind
from carc_env.engine.core.features import feature_of, is_buildable, tile_of
from carc_env.engine.core.figures import ANY, NO_BARN, deploy, find_figure, send_home
from carc_env.engine.core.moments import (
    do_action,
    end_projected,
    game_ends,
    offer_figure,
    owns,
    points_of_city_for_barns,
)
from carc_env.engine.core.scoring import award, field_points, score_field
from carc_env.engine.core.state import (
    FIGURE_SLOTS,
    NO_FIGURE,
    NO_SEGMENT,
    NO_TILE,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.core.tiles import CORNER_SEGMENT, N_SEGMENTS, SEGMENT_KIND

POINTS_WHEN_PLACED = 3  # BARN-10
POINTS_WHEN_JOINED = 1  # BARN-17
POINTS_AT_THE_END = 4  # BARN-20
BARN_SLOT = FIGURE_SLOTS.index(Figure.BARN)


@kernel(i8(State, i8, i8))
def corner_field(s, cell, corner):
    """Return the only field segment at a corner of a cell's tile, or NO_SEGMENT.

    A corner has no field for a barn if it has no tile, an abbey (ABB-17) or part of Carcassonne.
    """
    tile = tile_at(s, cell)
    if tile == NO_TILE or not is_buildable(s, tile):
        return NO_SEGMENT
    placed = s.tiles[tile]
    j = CORNER_SEGMENT[placed.design, placed.rotation, corner]
    return NO_SEGMENT if j < 0 else placed.first_segment + j


@kernel(b1(State, i8, i8))
def is_point(s, cell, corner):
    """Return whether four field corners meet at a corner of a cell (BARN-03, BARN-04)."""
    one, other = STEP[corner], STEP[(corner + 1) % 4]
    return (
        corner_field(s, cell, corner) != NO_SEGMENT
        and corner_field(s, cell + one, (corner + 1) % 4) != NO_SEGMENT
        and corner_field(s, cell + one + other, (corner + 2) % 4) != NO_SEGMENT
        and corner_field(s, cell + other, (corner + 3) % 4) != NO_SEGMENT
    )


@kernel(b1(State, i8, i8))
def can_stand(s, cell, corner):
    """Check if a barn may stand on a corner where four fields without a barn meet (BARN-07)."""
    if not is_point(s, cell, corner):
        return False
    field = feature_of(s, corner_field(s, cell, corner))
    return find_figure(s, field, ANY, Figure.BARN) == NO_FIGURE


@at(offer_figure, owns(Figure.BARN), key=Figure.BARN)
@kernel(i8(State, i8, i8[::1]))
def offer_barn(s, n, actions):
    """Add the corners of the tile just placed where a barn may stand (BARN-03, BARN-26)."""
    if s.players[s.decider].supply[Figure.BARN] == 0:
        return n
    cell = s.tiles[s.n_tiles - 1].cell
    for corner in range(N_CORNERS):
        if can_stand(s, cell, corner):
            actions[n] = s.rules.first_action[Block.BARN] + corner
            n += 1
    return n


@kernel(void(State, i8, i8, i8))
def place_barn(s, seat, tile, corner):
    """Put the seat's barn on a corner of a tile, in the field at that corner (BARN-05)."""
    field = corner_field(s, s.tiles[tile].cell, corner)
    barn = deploy(s, seat, Figure.BARN, field)
    s.figures[barn].corner = corner


@at(do_action, key=Block.BARN)
@kernel(i8(State, i8))
def choose_corner(s, action):
    """Put the decider's barn on a corner of the tile just placed."""
    place_barn(s, s.decider, s.n_tiles - 1, action - s.rules.first_action[Block.BARN])
    return DONE


@kernel(void(State, i8))
def score_barn_field(s, field):
    """Score the farmers in a field with a barn and send them home (BARN-10 to BARN-19).

    They score more if the barn has just been placed than if the tile joined their field to it.
    """
    barn = find_figure(s, field, ANY, Figure.BARN)
    if barn == NO_FIGURE or find_figure(s, field, ANY, NO_BARN) == NO_FIGURE:
        return  # BARN-15
    tile = tile_of(s, s.figures[barn].segment)
    is_new = tile == s.n_tiles - 1
    each = POINTS_WHEN_PLACED if is_new else POINTS_WHEN_JOINED
    score_field(s, field, each)
    send_home(s, field)


@kernel(void(State))
def score_barn_fields(s):
    """Score the fields of the tile just placed that contain both a barn and farmers (BARN-13)."""
    tile = s.tiles[s.n_tiles - 1]
    first = tile.first_segment
    for j in range(N_SEGMENTS[tile.design]):
        if SEGMENT_KIND[tile.design, j] == Kind.FIELD:
            score_barn_field(s, feature_of(s, first + j))


@kernel(i8(State, i8))
def barn_field(s, seat):
    """Return the field with a seat's barn, or NO_SEGMENT if the barn is in the supply."""
    segment = s.figures[SLOTS_PER_SEAT * seat + BARN_SLOT].segment
    return NO_SEGMENT if segment == NO_SEGMENT else feature_of(s, segment)


@kernel(i8(State, i8))
def barn_points(s, seat):
    """Return a barn's points at the end of the game, 0 if in the supply (BARN-20, BARN-21)."""
    field = barn_field(s, seat)
    if field == NO_SEGMENT:
        return 0
    return field_points(s, field, POINTS_AT_THE_END + points_of_city_for_barns(s, field))


@at(game_ends, owns(Figure.BARN))
@kernel(void(State))
def score_barns(s):
    """Score all barns at the end of the game."""
    for seat in range(s.rules.n_players):
        field = barn_field(s, seat)
        if field != NO_SEGMENT:
            award(s, seat, barn_points(s, seat), field)


@at(end_projected, owns(Figure.BARN))
@kernel(void(State, i8[::1]))
def add_barns(s, points):
    """Add the points that barns would score at the end of the game (BARN-20)."""
    for seat in range(s.rules.n_players):
        points[seat] += barn_points(s, seat)

"""Shepherds: flocks that grow by tokens and are herded for points (docs/rules/hills-sheep.md).

A shepherd stands on a field segment but in no ring of figures: it neither occupies the field nor
counts there (HS-27, HS-28). Its sheep are in its owner's stock, a number for each kind of token.
The bag holds all tokens that are in no stock.
"""

import numpy as np

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.moments import at
from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.answers import DONE, FLIGHT, offer_yes_or_no
from carc_env.engine.core.board import STEP, tile_at
from carc_env.engine.core.chance import draw_outcome
from carc_env.engine.core.codes import (
    FIGURE_SPOTS,
    FIRST_FIGURE,
    FIRST_SHEEP,
    Block,
    Figure,
    Kind,
    Outcome,
    Phase,
)
from carc_env.engine.core.features import feature_of, segment_at, tile_of
from carc_env.engine.core.figures import PLACE_SPOT, SHEPHERD_SLOT, SPOT_PLACE, leave_flock
from carc_env.engine.core.moments import (
    answered,
    bars_figures,
    chances_of,
    do_action,
    end_estimated,
    offer,
    offer_figure,
    outcomes_of,
    owns,
)
from carc_env.engine.core.scoring import award_for
from carc_env.engine.core.state import NO_SEGMENT, NO_TILE, SLOTS_PER_SEAT, State
from carc_env.engine.core.tiles import HALF_SEGMENT, N_SEGMENTS, SEGMENT_KIND, SEGMENT_SPOT

TOKENS = np.array([4, 5, 5, 2, 2], np.int8).view(Numbers)
"""Number of tokens of each kind, by outcome: one to four sheep, and a wolf (HS-01)."""
N_TOKENS = len(TOKENS)
ANY_TOKEN = (1 << N_TOKENS) - 1
WOLF = int(Outcome.WOLF)
SHEEP_COUNT, SHEEP_IN = 4, 5
"""Expected value of a flock that may still be herded: four fifths of its sheep."""
N_HALVES = 8
N_SPOTS = len(FIGURE_SPOTS[Figure.SHEPHERD])


@kernel(i8(i8))
def shepherd_of(seat):
    """Return the figure that is the seat's shepherd."""
    return seat * SLOTS_PER_SEAT + SHEPHERD_SLOT


@kernel(i8(State, i8))
def pasture_of(s, seat):
    """Return the field with a seat's shepherd, or NO_SEGMENT if it is in the supply."""
    segment = s.figures[shepherd_of(seat)].segment
    return NO_SEGMENT if segment == NO_SEGMENT else feature_of(s, segment)


@kernel(i8(State, i8))
def n_sheep(s, field):
    """Return the total number of sheep in a field (HS-32)."""
    n = 0
    for seat in range(s.rules.n_players):
        if pasture_of(s, seat) == field:
            for kind in range(WOLF):
                n += (kind + 1) * s.players[seat].stock[FIRST_SHEEP + kind]
    return n


@kernel(i8(State, i8))
def flock_points(s, seat):
    """Return the points that a seat would score for herding now, or 0 (HS-31, HS-32)."""
    field = pasture_of(s, seat)
    return 0 if field == NO_SEGMENT else n_sheep(s, field)


# The bag of tokens.


@kernel(i8(State, i8))
def n_in_bag(s, kind):
    """Return how many tokens of a kind are in the bag (HS-44)."""
    n = TOKENS[kind]
    if kind != WOLF:
        for seat in range(s.rules.n_players):
            n -= s.players[seat].stock[FIRST_SHEEP + kind]
    return n


@at(chances_of, owns(Figure.SHEPHERD))
@kernel(i8(State, i8))
def chances_of_token(s, outcome):
    """Return how many tokens of a kind can be drawn."""
    return n_in_bag(s, outcome) if outcome < N_TOKENS else 0


@at(outcomes_of, owns(Figure.SHEPHERD))
@kernel(i8(State, i8))
def tokens_of(s, action):
    """Return, as bits, the tokens that one of the decider's actions can draw (HS-26, HS-30)."""
    place = action - s.rules.first_action[Block.SHEPHERD]
    draws = s.phase == Phase.FIGURE and 0 <= place < N_SPOTS
    if s.phase == Phase.FLOCK:
        draws = action == s.rules.first_action[Block.ACCEPT]
    return ANY_TOKEN if draws else 0


@kernel(void(State, i8))
def leave_field(s, field):
    """Return all shepherds in a field to their owners (HS-32)."""
    for seat in range(s.rules.n_players):
        if pasture_of(s, seat) == field:
            leave_flock(s, seat)


@kernel(void(State, i8))
def let_grow(s, seat):
    """Draw a token for a seat's flock: sheep, or a wolf for the whole field (HS-26, HS-30)."""
    kind = draw_outcome(s, ANY_TOKEN)
    if kind == WOLF:
        leave_field(s, pasture_of(s, seat))
    else:
        s.players[seat].stock[FIRST_SHEEP + kind] += 1


@kernel(void(State, i8))
def herd(s, field):
    """Score all sheep in a field for the owner of each shepherd there (HS-31, HS-32)."""
    points = n_sheep(s, field)
    for seat in range(s.rules.n_players):
        if pasture_of(s, seat) == field:
            award_for(s, Kind.FLOCK, seat, points, field)
            s.events[s.n_events - 1].figure = Figure.SHEPHERD
    leave_field(s, field)


# The figure action.


@kernel(b1(State, i8))
def has_shepherd(s, field):
    """Return whether any player's shepherd stands in a field (HS-27)."""
    for seat in range(s.rules.n_players):
        if pasture_of(s, seat) == field:
            return True
    return False


@at(offer_figure, owns(Figure.SHEPHERD), key=Figure.SHEPHERD)
@kernel(i8(State, i8, i8[::1]))
def offer_shepherd(s, n, actions):
    """Add the fields on the tile just placed where the shepherd may stand (HS-25, HS-27)."""
    if s.players[s.decider].supply[Figure.SHEPHERD] == 0 or bars_figures(s) > 0:
        return n
    tile = s.tiles[s.n_tiles - 1]
    design, rotation, first = tile.design, tile.rotation, tile.first_segment
    for j in range(N_SEGMENTS[design]):
        is_field = SEGMENT_KIND[design, j] == Kind.FIELD
        if is_field and not has_shepherd(s, feature_of(s, first + j)):
            place = SPOT_PLACE[Figure.SHEPHERD, SEGMENT_SPOT[design, rotation, j]]
            actions[n] = s.rules.first_action[FIRST_FIGURE + Figure.SHEPHERD] + place
            n += 1
    return n


@kernel(void(State, i8, i8))
def set_shepherd(s, seat, segment):
    """Put a seat's shepherd on a segment without drawing a token."""
    s.figures[shepherd_of(seat)].segment = segment
    s.players[seat].supply[Figure.SHEPHERD] -= 1


@at(do_action, key=Block.SHEPHERD)
@kernel(i8(State, i8))
def place_shepherd(s, action):
    """Put the decider's shepherd on the tile just placed and draw a token (HS-25, HS-26)."""
    spot = PLACE_SPOT[Figure.SHEPHERD, action - s.rules.first_action[Block.SHEPHERD]]
    set_shepherd(s, s.decider, segment_at(s, s.n_tiles - 1, spot))
    let_grow(s, s.decider)
    return DONE


# Flocks after the figure action.


@kernel(b1(State))
def extends_flock(s):
    """Return whether the tile just placed extends the field of the turn player's shepherd.

    HS-29; it does not count in the part in which the shepherd was placed (HS-33). An abbey extends
    no field (HS-39).
    """
    shepherd = s.figures[shepherd_of(s.turn_player)].segment
    last = s.n_tiles - 1
    if shepherd == NO_SEGMENT or tile_of(s, shepherd) == last:
        return False
    first = s.tiles[last].first_segment
    for segment in range(first, first + N_SEGMENTS[s.tiles[last].design]):
        if feature_of(s, segment) == feature_of(s, shepherd):
            return True
    return False


@kernel(i8(State, i8))
def n_open_halves(s, segment):
    """Return at how many half sides a field segment meets an empty cell."""
    placed, n = s.tiles[tile_of(s, segment)], 0
    j = segment - placed.first_segment
    for half in range(N_HALVES):
        is_own = HALF_SEGMENT[placed.design, placed.rotation, half] == j
        n += is_own and tile_at(s, placed.cell + STEP[half // 2]) == NO_TILE
    return n


@kernel(b1(State, i8))
def is_closed(s, field):
    """Return whether no tile can extend a field any more (HS-34)."""
    segment = field
    while True:
        if n_open_halves(s, segment) > 0:
            return False
        segment = s.segments[segment].next
        if segment == field:
            return True


@kernel(b1(State, i8, i8))
def must_be_herded(s, seat, asked):
    """Return whether a seat's flock is in a closed field that nobody is asked about (HS-34)."""
    field = pasture_of(s, seat)
    return field != NO_SEGMENT and field != asked and is_closed(s, field)


@kernel(void(State, i8))
def herd_closed(s, asked):
    """Herd the flocks whose fields can no longer grow, whoever closed them (HS-34, HS-35).

    Leave out the field in question, if any.
    """
    for seat in range(s.rules.n_players):
        if must_be_herded(s, seat, asked):
            herd(s, pasture_of(s, seat))


@kernel(b1(State))
def ask_for_flock(s):
    """Ask whether to grow or herd the flock; return False if its field was not extended.

    Flocks in other closed fields are herded first (HS-34).
    """
    if not extends_flock(s):
        return False
    herd_closed(s, pasture_of(s, s.turn_player))
    s.decider, s.phase = s.turn_player, Phase.FLOCK
    return True


@at(offer, key=Phase.FLOCK)
@kernel(i8(State, i8[::1]))
def offer_flock(s, actions):
    """Write the options for a flock: to grow or to be herded (HS-29)."""
    return offer_yes_or_no(s, actions)


@at(answered, key=Phase.FLOCK)
@kernel(i8(State, i8))
def decide_on_flock(s, action):
    """Grow or herd the decider's flock."""
    if action == s.rules.first_action[Block.ACCEPT]:
        let_grow(s, s.decider)
    else:
        herd(s, pasture_of(s, s.decider))
    return FLIGHT


# Future points.


@at(end_estimated, owns(Figure.SHEPHERD))
@kernel(void(State, i8[::1]))
def add_flocks(s, points):
    """Add the expected points of flocks that may still be herded: part of their present value."""
    if s.n_bag > 0:
        for seat in range(s.rules.n_players):
            points[seat] += SHEEP_COUNT * flock_points(s, seat) // SHEEP_IN

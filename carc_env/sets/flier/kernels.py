"""Flying machines: a meeple flies as far as the die shows ([rules](../rules/flier.md)).

It stays in the supply until it lands. If it can land, the die determines the cell, and the decider
chooses the feature there.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import ACTED, ASKED, DONE, TOKENS, add_pass, block_of
from carc_env.engine.core.chance import draw_outcome
from carc_env.engine.core.codes import FIRST_FIGURE, Block, Figure, Kind, Outcome, Phase
from carc_env.engine.core.elsewhere import chosen_tile, forget_cell, is_at_hand
from carc_env.engine.core.features import feature_of, is_complete, kind_of
from carc_env.engine.core.figures import MAY_STAND, SPOT_PLACE, deploy, segment_named
from carc_env.engine.core.moments import (
    answered,
    bars_figures,
    chances_of,
    do_action,
    offer,
    offer_cells_to_second,
    offer_figure,
    outcomes_of,
)
from carc_env.engine.core.state import BOARD, NO_CELL, NO_TILE, State
from carc_env.engine.core.tiles import MAX_SEGMENTS_PER_TILE, N_SEGMENTS, SEGMENT_SPOT
from carc_env.sets.flier.record import (
    COLUMN_STEPS,
    DIRECTION,
    DISTANCES,
    NO_MACHINE,
    NOBODY,
    ROW_STEPS,
)
from carc_env.sets.phantom.record import MACHINE_USED
from carc_env.sets.russian_promos.record import WATER

N_DISTANCES = len(DISTANCES)
FIRST_DISTANCE = int(Outcome.ONE_CELL)
ANY_DISTANCE = (1 << N_DISTANCES) - 1 << FIRST_DISTANCE
RANK = int(Figure.SHEPHERD) + 1
"""Rank after all figures on the tile itself."""
ROOM_TO_LAND = MAX_SEGMENTS_PER_TILE + 1
"""Size of the array that :func:`offer_landing` writes."""


# The flying machine.


@kernel(i8(State))
def direction_of(s):
    """Return the direction of the machine on the tile just placed, or NO_MACHINE (FLY-02)."""
    tile = s.tiles[s.n_tiles - 1]
    return DIRECTION[tile.design, tile.rotation]


@kernel(i8(State, i8))
def cell_at(s, distance):
    """Return the cell at a distance from the tile just placed, NO_CELL if off the table (FLY-04).

    Every cell counts, whatever lies on it (FLY-05).
    """
    cell, direction = s.tiles[s.n_tiles - 1].cell, direction_of(s)
    row = cell // BOARD + distance * ROW_STEPS[direction]
    column = cell % BOARD + distance * COLUMN_STEPS[direction]
    is_on_table = 0 <= row < BOARD and 0 <= column < BOARD
    return row * BOARD + column if is_on_table else NO_CELL


@kernel(i8(State, i8, i8[::1]))
def offer_flights(s, n, actions):
    """Add the meeple kinds that may board the machine just placed (FLY-03, FLY-12, FLY-18)."""
    if direction_of(s) == NO_MACHINE or s.used == MACHINE_USED or bars_figures(s) > 0:
        return n
    for kind in range(s.rules.n_fliers):
        if is_at_hand(s, kind):
            actions[n] = s.rules.first_action[Block.FLY] + kind
            n += 1
    return n


@at(offer_figure, "flier", RANK)
@kernel(i8(State, i8, i8[::1]))
def offer_machine(s, n, actions):
    """Add the flights available in the figure action."""
    return offer_flights(s, n, actions)


@at(offer_cells_to_second, "flier")
@kernel(i8(State, i8, i8[::1]))
def offer_to_second(s, n, actions):
    """Add the flights for a second figure, one per part of a turn (PHA-10, FLY-16)."""
    return offer_flights(s, n, actions)


# The die.


@at(chances_of, "flier")
@kernel(i8(State, i8))
def chances_of_distance(s, outcome):
    """Return the relative chance of a distance: all are equal (FLY-01)."""
    return FIRST_DISTANCE <= outcome < FIRST_DISTANCE + N_DISTANCES


@at(outcomes_of, "flier")
@kernel(i8(State, i8))
def distances_of(s, action):
    """Return, as bits, the distances that one of the decider's actions can lead to."""
    flies = s.phase == Phase.FIGURE or s.phase == Phase.SECOND
    kind = action - s.rules.first_action[Block.FLY]
    return ANY_DISTANCE if flies and 0 <= kind < s.rules.n_fliers else 0


@at(do_action, key=Block.FLY)
@kernel(i8(State, i8))
def fly(s, action):
    """Roll how far a meeple flies; return ``ASKED`` if it can land there (FLY-04, FLY-10).

    Otherwise, it comes home, and the figure action is used up (FLY-08).
    """
    distance = DISTANCES[draw_outcome(s, ANY_DISTANCE) - FIRST_DISTANCE]
    if s.rules.owned[Figure.PHANTOM] > 0 and s.phase == Phase.FIGURE:
        s.used = MACHINE_USED
    s.flies, s.chosen_cell = action - s.rules.first_action[Block.FLY], cell_at(s, distance)
    if n_landings(s, room_for(ROOM_TO_LAND)) == 0:
        come_down(s)
        return DONE
    s.phase = Phase.LANDING
    return ASKED


# The landing.


@kernel(b1(State, i8))
def may_land_on(s, segment):
    """Return whether the flying meeple may land on a segment (FLY-06, FLY-07, FLY-11, FLY-13).

    Its feature must be unfinished, must not be a field and must suit the kind of meeple. It may be
    occupied. A castle suits no meeple (FLY-15).
    """
    kind = kind_of(s, segment)
    suits = kind != Kind.FIELD and MAY_STAND[s.flies, kind]
    return suits and not is_complete(s, feature_of(s, segment))


@kernel(i8(State, i8[::1]))
def n_landings(s, actions):
    """Write where the flying meeple may land on the chosen cell; return how many places.

    It cannot land without a tile, or where the dragon or Vodyanoy is (FLY-08, FLY-15).
    """
    tile = NO_TILE if s.chosen_cell == NO_CELL else chosen_tile(s)
    if tile == NO_TILE or s.chosen_cell == s.dragon or tile == s.traps[WATER]:
        return 0
    design, rotation = s.tiles[tile].design, s.tiles[tile].rotation
    first, n = s.tiles[tile].first_segment, 0
    for j in range(N_SEGMENTS[design]):
        if may_land_on(s, first + j):
            place = SPOT_PLACE[s.flies, SEGMENT_SPOT[design, rotation, j]]
            actions[n] = s.rules.first_action[FIRST_FIGURE + s.flies] + place
            n += 1
    return n


@at(offer, key=Phase.LANDING)
@kernel(i8(State, i8[::1]))
def offer_landing(s, actions):
    """Write where the meeple may land, and going home if that is allowed (FLY-09)."""
    n = n_landings(s, actions)
    return n if s.rules.may_come_down == 0 else add_pass(s, n, actions)


@kernel(void(State))
def come_down(s):
    """End a flight."""
    s.flies = NOBODY
    forget_cell(s)


@kernel(b1(State))
def is_second_flight(s):
    """Return whether this part's second figure is flying: the figure action was a different one."""
    return s.rules.owned[Figure.PHANTOM] > 0 and s.used != MACHINE_USED


@at(answered, key=Phase.LANDING)
@kernel(i8(State, i8))
def land(s, action):
    """Put the meeple where it lands, or send it home; it may have been the second figure."""
    block = block_of(s, action)
    if block != Block.PASS:
        segment = segment_named(s, chosen_tile(s), block, action)
        deploy(s, s.decider, block - FIRST_FIGURE, segment)
    come_down(s)
    return TOKENS if is_second_flight(s) else ACTED

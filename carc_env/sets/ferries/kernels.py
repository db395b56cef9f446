"""Ferries: each joins two of the roads that end at a lake ([rules](../rules/ferries.md)).

A ferry can move to two other roads, so that roads are split as well as joined. All roads that end
at its lake are then rebuilt.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for, words_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import FERRIES, FLOCKS, PENDING, add_pass
from carc_env.engine.core.bitset import Bits, add, has
from carc_env.engine.core.board import N_SIDES
from carc_env.engine.core.codes import Block, Figure, Kind, Phase
from carc_env.engine.core.features import (
    add_segment,
    count_open,
    feature_of,
    join,
    kind_of,
    list_beside,
    recount,
    segment_at_side,
    segment_beside,
    tile_of,
)
from carc_env.engine.core.figures import has_meeple, is_meeple, link, remove
from carc_env.engine.core.moments import (
    answered,
    features_join,
    features_joined,
    leads_on,
    offer,
    scoring_ends,
    tile_laid,
    touched_elsewhere,
)
from carc_env.engine.core.sizes import MAX_SEGMENTS, N_WORDS
from carc_env.engine.core.state import (
    FIGURE_SLOTS,
    MAX_FIGURES,
    NO_SEGMENT,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.core.tiles import N_SEGMENTS, SEGMENT_KIND, SEGMENT_SIDES
from carc_env.sets.ferries.record import (
    ALWAYS,
    IS_LAKE,
    MAX_LAKES,
    N_ENDS,
    N_PAIRS,
    NO_FERRY,
    PAIR_SIDES,
)
from carc_env.sets.tunnel.record import NO_MOUTH

BUILDER_SLOT = FIGURE_SLOTS.index(Figure.BUILDER)
MAX_MOVES = MAX_LAKES * N_PAIRS


@at(tile_laid, "ferries")
@kernel(void(State, i8))
def add_lake(s, tile):
    """Note the lake on a new tile; its roads end there until a ferry is placed (FER-02)."""
    if IS_LAKE[s.tiles[tile].design]:
        s.lakes[s.n_lakes].tile = tile
        s.lakes[s.n_lakes].pair = s.lakes[s.n_lakes].before = NO_FERRY
        s.n_lakes += 1


# Lakes, and the roads that end there.


@kernel(i8(State, i8))
def lake_of(s, segment):
    """Return the lake at which a road segment ends, or ``n_lakes`` if there is none."""
    lake = 0
    while lake < s.n_lakes and s.lakes[lake].tile != tile_of(s, segment):
        lake += 1
    return lake


@kernel(i8(State, i8, i8))
def arm_at(s, lake, side):
    """Return the road at a side of a lake, or NO_SEGMENT."""
    tile = s.lakes[lake].tile
    segment = segment_at_side(s, tile, side)
    if segment == NO_SEGMENT or kind_of(s, segment) != Kind.ROAD:
        return NO_SEGMENT
    return segment


@kernel(i8(State, i8, i8))
def ferry_end(s, lake, end):
    """Return the road at one of the two ends of a ferry on the board."""
    return arm_at(s, lake, PAIR_SIDES[s.lakes[lake].pair, end])


@kernel(b1(State, i8, i8))
def is_pair_of(s, lake, pair):
    """Return whether roads end at both sides of a possible ferry."""
    for end in range(N_ENDS):
        if arm_at(s, lake, PAIR_SIDES[pair, end]) == NO_SEGMENT:
            return False
    return True


@kernel(b1(State, i8, i8))
def has_landing(s, lake, segment):
    """Return whether a lake's ferry lands at a given road of the lake."""
    if s.lakes[lake].pair == NO_FERRY:
        return False
    return ferry_end(s, lake, 0) == segment or ferry_end(s, lake, 1) == segment


@at(leads_on, "ferries")
@kernel(i8(State, i8, i8))
def leads_over(s, segment, beyond):
    """Return the road that a ferry connects to a given one, or else ``beyond`` (FER-05)."""
    lake = lake_of(s, segment)
    if lake == s.n_lakes or not has_landing(s, lake, segment):
        return beyond
    first = ferry_end(s, lake, 0)
    return ferry_end(s, lake, 1) if segment == first else first


# Roads rebuilt.


@kernel(i8(State, i8, i8[::1]))
def roads_at(s, lake, segments):
    """Write the segments of all roads that end at a lake, each once; return how many."""
    listed, n = words_for(N_WORDS), 0
    for side in range(N_SIDES):
        first = arm_at(s, lake, side)
        if first == NO_SEGMENT or has(listed, first):
            continue
        segment = first
        while True:
            add(listed, segment)
            segments[n] = segment
            n += 1
            segment = s.segments[segment].next
            if segment == first:
                break
    return n


@kernel(i8(State, i8[::1], i8[::1]))
def figures_on(s, segments, figures):
    """Write the figures on segments that cover whole features; return how many."""
    among, n = words_for(N_WORDS), 0
    for k in range(segments.shape[0]):
        add(among, segments[k])
    for figure in range(MAX_FIGURES):
        segment = s.figures[figure].segment
        if segment != NO_SEGMENT and has(among, segment):
            figures[n] = figure
            n += 1
    return n


@kernel(void(State, i8))
def join_around(s, segment):
    """Join a road to its neighbours and to the road to which its ferry leads."""
    placed = s.tiles[tile_of(s, segment)]
    sides = SEGMENT_SIDES[placed.design, placed.rotation, segment - placed.first_segment]
    for side in range(N_SIDES):
        if sides >> side & 1 != 0:
            beside = segment_beside(s, placed.cell, side)
            if beside != NO_SEGMENT:
                join(s, segment, beside)
    beyond = leads_on(s, segment, NO_SEGMENT)
    if beyond != NO_SEGMENT:
        join(s, segment, beyond)


@kernel(void(State, i8))
def rejoin_roads(s, lake):
    """Rebuild the roads that end at a lake as its ferry now connects them (FER-05)."""
    segments, figures = room_for(MAX_SEGMENTS), room_for(MAX_FIGURES)
    n = roads_at(s, lake, segments)
    n_figures = figures_on(s, segments[:n], figures)
    for k in range(n):
        tile = tile_of(s, segments[k])
        add_segment(s, tile, segments[k] - s.tiles[tile].first_segment)
        s.features[segments[k]].n_open = count_open(s, segments[k])
    for k in range(n):
        join_around(s, segments[k])
    for k in range(n_figures):
        link(s, figures[k])
    recount(s, Kind.ROAD)


@kernel(void(State))
def send_builders_home(s):
    """Send home the builders that a ferry has cut off from all their seat's meeples (FER-15)."""
    for seat in range(s.rules.n_players):
        builder = seat * SLOTS_PER_SEAT + BUILDER_SLOT
        segment = s.figures[builder].segment
        if segment == NO_SEGMENT or kind_of(s, segment) != Kind.ROAD:
            continue
        if not has_meeple(s, feature_of(s, segment), seat):
            remove(s, builder)


# Questions.


@kernel(b1(State))
def has_thief(s):
    """Return whether a meeple stands on a road of the tile just placed."""
    for figure in range(MAX_FIGURES):
        segment = s.figures[figure].segment
        if segment != NO_SEGMENT and is_meeple(figure) and kind_of(s, segment) == Kind.ROAD:
            if tile_of(s, segment) == s.n_tiles - 1:
                return True
    return False


@kernel(b1(State))
def needs_ferry(s):
    """Return whether the tile just placed has a lake that gets its ferry now (FER-04)."""
    last = s.n_lakes - 1
    if last < 0 or s.lakes[last].tile != s.n_tiles - 1 or s.lakes[last].pair != NO_FERRY:
        return False
    return s.rules.ferries == ALWAYS or has_thief(s)


@kernel(b1(State, i8, i8))
def is_dug_now(s, segment, beyond):
    """Return whether a token in this placement has joined two roads, without any tile (TUN-12)."""
    if s.new_mouth == NO_MOUTH:
        return False
    new = s.mouths[s.new_mouth].segment
    return segment == new or beyond == new


@kernel(i8(State, i8, Bits, i8, i8[::1]))
def list_ways_on(s, segment, seen, n, segments):
    """Add a segment's connections to n segments; return how many there are then.

    Leave out the road that a token has joined in this placement.
    """
    n = list_beside(s, segment, seen, n, segments)
    beyond = leads_on(s, segment, NO_SEGMENT)
    if beyond != NO_SEGMENT and not is_dug_now(s, segment, beyond) and add(seen, beyond):
        segments[n] = beyond
        n += 1
    return n


@kernel(i8(State))
def lakes_within_reach(s):
    """Return, as bits, the lakes whose ferries are nearest along the last tile's roads.

    The search follows the road in all directions as far as the next lake (FER-08, FER-12). A bridge
    on the tile is part of the road (FER-22); an abbey has no road (FER-17).
    """
    waiting, seen = room_for(MAX_SEGMENTS), words_for(N_WORDS)
    tile = s.tiles[s.n_tiles - 1]
    first, n, found = tile.first_segment, 0, 0
    for j in range(N_SEGMENTS[tile.design]):
        add(seen, first + j)
    for j in range(N_SEGMENTS[tile.design]):
        if SEGMENT_KIND[tile.design, j] == Kind.ROAD:
            n = list_ways_on(s, first + j, seen, n, waiting)
    while n > 0:
        n -= 1
        segment = waiting[n]
        lake = lake_of(s, segment)
        if lake == s.n_lakes:
            n = list_ways_on(s, segment, seen, n, waiting)
        elif has_landing(s, lake, segment):
            found |= 1 << lake
    return found


@kernel(i8(State, i8, i8, i8[::1]))
def offer_pairs(s, lake, n, actions):
    """Add all pairs of roads that a ferry can join but does not yet; return how many."""
    first = s.rules.first_action[Block.FERRY] + N_PAIRS * lake
    for pair in range(N_PAIRS):
        if pair != s.lakes[lake].pair and is_pair_of(s, lake, pair):
            actions[n] = first + pair
            n += 1
    return n


@at(offer, key=Phase.FERRY)
@kernel(i8(State, i8[::1]))
def offer_ferry(s, actions):
    """Write where the ferry on the tile just placed can go; passing is not allowed (FER-04)."""
    return offer_pairs(s, s.n_lakes - 1, 0, actions)


@kernel(i8(State, i8[::1]))
def list_moves(s, actions):
    """Write where ferries within reach can move, each once per placement (FER-08, FER-10)."""
    n = 0
    if s.n_lakes > 0:
        within_reach = lakes_within_reach(s)
        for lake in range(s.n_lakes):
            if within_reach >> lake & 1 != 0 and s.ferried >> lake & 1 == 0:
                n = offer_pairs(s, lake, n, actions)
    return n


@at(offer, key=Phase.FERRIES)
@kernel(i8(State, i8[::1]))
def offer_moves(s, actions):
    """Write where ferries can move, and leaving them where they are (FER-09)."""
    return add_pass(s, list_moves(s, actions), actions)


@kernel(b1(State))
def ask_for_ferry(s):
    """Ask for the ferry on a new lake, then for one move after the other (FER-11)."""
    if needs_ferry(s):
        s.phase = Phase.FERRY
        return True
    if list_moves(s, room_for(MAX_MOVES)) > 0:
        s.phase = Phase.FERRIES
        return True
    return False


@kernel(void(State, i8))
def set_ferry(s, action):
    """Place or move a ferry; roads join and split (FER-05).

    No tile has extended the roads (FER-14).
    """
    k = action - s.rules.first_action[Block.FERRY]
    lake = k // N_PAIRS
    features_join(s)
    s.lakes[lake].before = s.lakes[lake].pair
    s.lakes[lake].pair = k % N_PAIRS
    s.ferried |= 1 << lake
    rejoin_roads(s, lake)
    send_builders_home(s)


@at(answered, key=Phase.FERRY)
@at(answered, key=Phase.FERRIES)
@kernel(i8(State, i8))
def answer(s, action):
    """Place or move a ferry, or leave them all; the player may move more (FER-09)."""
    if action == s.rules.first_action[Block.PASS]:
        return FLOCKS
    set_ferry(s, action)
    s.phase = Phase.FERRIES
    return PENDING if features_joined(s) > 0 else FERRIES  # FER-24


@kernel(i8(State, i8, i8, i8, i8[::1]))
def list_ends(s, lake, pair, n, features):
    """Add the roads at both ends of a pair to n features; return how many there are then.

    If the pair is NO_FERRY, add none.
    """
    if pair == NO_FERRY:
        return n
    for end in range(N_ENDS):
        features[n + end] = feature_of(s, arm_at(s, lake, PAIR_SIDES[pair, end]))
    return n + N_ENDS


@at(touched_elsewhere, "ferries")
@kernel(i8(State, i8, i8[::1]))
def add_changed(s, n, features):
    """Add the roads that this placement's ferries join now or joined before (FER-13)."""
    for lake in range(s.n_lakes):
        if s.ferried >> lake & 1 != 0:
            n = list_ends(s, lake, s.lakes[lake].pair, n, features)
            n = list_ends(s, lake, s.lakes[lake].before, n, features)
    return n


@at(scoring_ends, "ferries", key=1)  # after King and Robber
@kernel(void(State))
def forget_moves(s):
    """Forget which ferries were placed or moved in this placement: scoring is over."""
    if s.ferried == 0:
        return
    for lake in range(s.n_lakes):
        s.lakes[lake].before = NO_FERRY
    s.ferried = 0

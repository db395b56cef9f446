"""Castles: small cities turned into castles, which score with their fief (docs/rules/castles.md).

A castle is a feature of kind CASTLE with its lords as figures; without figures, it no longer
scores. A castle built in this placement lies on the tile just placed and does not score yet
(CAS-12).

If some players make a town a castle and others score it, it remains a city until it is scored along
with all other features, since meeples may join it from Carcassonne (CAS-37, CAS-39). Until then,
its lords are in no ring of figures, so they do not count toward a majority.
"""

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for, words_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.core.answers import CASTLES, TOWNS, offer_yes_or_no
from carc_env.engine.core.bitset import Bits, add, has
from carc_env.engine.core.codes import Block, Figure, Kind, Phase, Stock
from carc_env.engine.core.features import (
    MAX_TOUCHED,
    cell_of,
    count_in,
    feature_of,
    is_buildable,
    is_complete,
    is_occupied,
    recount,
    tile_of,
    touched_features,
)
from carc_env.engine.core.fief import N_FIEF, fief_tile, is_in_fief, was_built_now
from carc_env.engine.core.figures import (
    ANY,
    N_PLACES,
    PLACE_SPOT,
    has_figure,
    is_lord_of,
    is_meeple,
    leaders,
    link,
    lords_of,
    majority,
    remove_all,
    send_home,
    strength,
    unlink,
)
from carc_env.engine.core.moments import answered, feature_scored, lacks_monks, offer, town_taken
from carc_env.engine.core.scoring import award, value
from carc_env.engine.core.seats import order_of, seat_at
from carc_env.engine.core.sizes import N_WORDS
from carc_env.engine.core.state import NO_SEGMENT, NO_TILE, SLOTS_PER_SEAT, State
from carc_env.engine.core.tiles import CAP, MAX_SEGMENTS_PER_TILE, N_SEGMENTS, SPOT_SEGMENT
from carc_env.sets.castles.record import MAX_CASTLES

N_TAKES = N_FIEF * N_PLACES
"""Size of the block of actions that choose a feature for a castle."""
NO_CASTLE = -1


# Towns and their occupiers' decisions.


@kernel(b1(State, i8))
def is_cap(s, segment):
    """Return whether a segment can form half of a castle (CAS-02)."""
    tile = s.tiles[tile_of(s, segment)]
    cap = CAP[tile.design, segment - tile.first_segment]
    return cap >= s.rules.castle_cap and is_buildable(s, tile_of(s, segment))


@kernel(b1(State, i8))
def is_town(s, segment):
    """Return whether a segment is part of a city that can become a castle (CAS-02, CAS-03)."""
    feature = feature_of(s, segment)
    return (
        s.features[feature].n_segments == 2
        and is_complete(s, feature)
        and is_cap(s, segment)
        and is_cap(s, s.segments[segment].next)
    )


@kernel(b1(State, i8, i8))
def shares_majority(s, town, seat):
    """Return whether a seat with figures in a town shares its majority, hills included.

    CAS-04, HS-03; mayors in a city without coats of arms tie at strength 0.
    """
    most = majority(s, town)
    return leaders(s, town) >> seat & 1 != 0 if most > 0 else strength(s, town, seat) == most


@kernel(i8(State, i8))
def deciders_on(s, segment):
    """Return, as bits, the seats with the majority in a segment's town; 0 for no town (CAS-34).

    The town's lords must be in its ring at that time, since they count.
    """
    town, found = feature_of(s, segment), 0
    if is_town(s, segment):
        for seat in range(s.rules.n_players):
            found |= (has_figure(s, town, seat) and shares_majority(s, town, seat)) << seat
    return found


@kernel(b1(State, i8, i8))
def decides_on(s, segment, seat):
    """Return whether a seat must decide on a town (CAS-04, CAS-08)."""
    has_token = s.players[seat].stock[Stock.TOKEN] > 0
    return has_token and deciders_on(s, segment) >> seat & 1 != 0


@at(offer, key=Phase.CASTLE)
@kernel(i8(State, i8[::1]))
def offer_castle(s, actions):
    """Write the two options for a town: a castle, or points (CAS-03)."""
    return offer_yes_or_no(s, actions)


@kernel(b1(State))
def ask_next(s):
    """Make the next seat with a town to decide on the decider; return False if there is none.

    Seats are asked clockwise from the turn player, each about the towns of the tile just placed.
    """
    tile = s.tiles[s.n_tiles - 1]
    first, n_segments = tile.first_segment, N_SEGMENTS[tile.design]
    k, j = 0, 0
    if s.town != NO_SEGMENT:
        k, j = order_of(s, s.decider), s.town - first + 1
    while k < s.rules.n_players:
        seat = seat_at(s, s.turn_player, k)
        while j < n_segments:
            if is_cap(s, first + j) and decides_on(s, first + j, seat):
                s.decider, s.town = seat, first + j
                s.phase = Phase.CASTLE
                return True
            j += 1
        k, j = k + 1, 0
    s.town = NO_SEGMENT
    return False


# Lords of a town before it becomes a castle.


@kernel(void(State, i8, i8))
def set_aside(s, town, seat):
    """Take a seat's meeples in a town out of the ring: they stay, whoever scores the town."""
    for figure in range(SLOTS_PER_SEAT * seat, SLOTS_PER_SEAT * (seat + 1)):
        segment = s.figures[figure].segment
        if segment != NO_SEGMENT and feature_of(s, segment) == town and is_meeple(figure):
            unlink(s, figure)


@kernel(void(State, i8))
def call_back(s, town):
    """Put a town's lords back into the ring."""
    for figure in range(SLOTS_PER_SEAT * s.rules.n_players):
        if is_lord_of(s, figure, town):
            link(s, figure)


@at(answered, key=Phase.CASTLE)
@kernel(i8(State, i8))
def decide_on_town(s, action):
    """Apply the decision on a town (CAS-07, CAS-38): lords pay, others wait for scoring.

    Other seats may also have to decide on it (CAS-08).
    """
    if action == s.rules.first_action[Block.ACCEPT]:
        s.players[s.decider].stock[Stock.TOKEN] -= 1
        set_aside(s, feature_of(s, s.town), s.decider)
    return TOWNS


@kernel(b1(State, i8))
def found_castle(s, segment):
    """Make a segment's town a castle; return False if all castles in the box are built."""
    n, town = s.n_castles, feature_of(s, segment)
    if n == MAX_CASTLES:
        return False
    call_back(s, town)
    s.features[town].kind = Kind.CASTLE
    count_in(s, town, 1)
    recount(s, Kind.CITY)
    s.castles[n].segment = segment
    s.n_castles = n + 1
    return True


@kernel(b1(State, i8))
def is_asked_about(s, segment):
    """Return whether the decider, or a seat after them, decides on a segment's town."""
    k, j = order_of(s, s.decider), s.town
    for seat in range(s.rules.n_players):
        own = order_of(s, seat)
        if (own > k or (own == k and segment >= j)) and decides_on(s, segment, seat):
            return True
    return False


@kernel(void(State, i8, i8, b1))
def settle(s, segment, lords, is_asked):
    """Set a town's lords aside again; found the castle once all its deciders have chosen one.

    All figures except the lords' then go home without points (CAS-34, CAS-42).
    """
    town = feature_of(s, segment)
    is_over = not (is_asked and is_asked_about(s, segment))
    is_scored = deciders_on(s, segment) != lords
    for seat in range(s.rules.n_players):
        if lords >> seat & 1 != 0:
            set_aside(s, town, seat)
    if is_over:
        town_taken(s, town)
        if not is_scored:
            remove_all(s, town, ANY, ANY)
            found_castle(s, segment)


@kernel(b1(State))
def ask_for_castles(s):
    """Ask the next seat that decides on a town; return False if there is none (CAS-06).

    Meanwhile, lords are in the rings of their towns: the majority counts all figures (CAS-34).
    """
    tile = s.tiles[s.n_tiles - 1]
    first, n_segments = tile.first_segment, N_SEGMENTS[tile.design]
    lords = room_for(MAX_SEGMENTS_PER_TILE)
    for j in range(n_segments):
        lords[j] = lords_of(s, feature_of(s, first + j))
        if lords[j] != 0:
            call_back(s, feature_of(s, first + j))
    is_asked = ask_next(s)
    for j in range(n_segments):
        if lords[j] != 0:
            settle(s, first + j, lords[j], is_asked)
    return is_asked


@kernel(void(State))
def found_scored(s):
    """Turn the towns that have been scored for other seats into castles (CAS-37)."""
    tile = s.tiles[s.n_tiles - 1]
    for segment in range(tile.first_segment, tile.first_segment + N_SEGMENTS[tile.design]):
        if lords_of(s, feature_of(s, segment)) != 0:
            found_castle(s, segment)


# Scoring of castles.


@kernel(void(State, Bits))
def mark_completed(s, marked):
    """Mark the features that the tile just placed completed, occupied or not (CAS-18, CAS-21)."""
    touched = room_for(MAX_TOUCHED)
    for k in range(touched_features(s, s.n_tiles - 1, touched)):
        if is_complete(s, touched[k]) and lacks_monks(s, touched[k]) == 0:
            add(marked, touched[k])


@kernel(i8(State, i8))
def castle_of(s, feature):
    """Return the number of a feature's castle, or NO_CASTLE."""
    for castle in range(s.n_castles):
        if feature_of(s, s.castles[castle].segment) == feature:
            return castle
    return NO_CASTLE


@kernel(b1(State, i8))
def waits(s, castle):
    """Check if a castle scores with the next completed feature in its fief (CAS-12, CAS-24)."""
    feature = feature_of(s, s.castles[castle].segment)
    return is_occupied(s, feature) and not was_built_now(s, s.castles[castle].segment)


@kernel(b1(State))
def has_waiting_castle(s):
    """Return whether any castle can score in this placement."""
    for castle in range(s.n_castles):
        if waits(s, castle):
            return True
    return False


@kernel(i8(State, i8, Bits))
def best_completed(s, castle, marked):
    """Return the best value among the marked features in the fief, or 0 (CAS-16, CAS-22)."""
    best = 0
    for i in range(N_FIEF):
        tile = fief_tile(s, s.castles[castle].segment, i)
        if tile == NO_TILE:
            continue
        first = s.tiles[tile].first_segment
        for segment in range(first, first + N_SEGMENTS[s.tiles[tile].design]):
            feature = feature_of(s, segment)
            if has(marked, feature):
                best = max(best, value(s, feature))
    return best


@kernel(b1(State, i8, i8))
def is_castle_in_fief(s, castle, other):
    """Return whether another castle lies in a castle's fief (CAS-23)."""
    own, segment = s.castles[castle].segment, s.castles[other].segment
    return is_in_fief(s, own, cell_of(s, segment)) or is_in_fief(
        s, own, cell_of(s, s.segments[segment].next)
    )


@kernel(b1(State))
def spread_points(s):
    """Let every waiting castle copy the points of a castle in its fief if higher (CAS-23)."""
    # The most points in a chain of castles count, so the order of castles does not matter.
    has_changed = False
    for castle in range(s.n_castles):
        if not waits(s, castle):
            continue
        for other in range(s.n_castles):
            points = s.castles[other].points
            if points > s.castles[castle].points and is_castle_in_fief(s, castle, other):
                s.castles[castle].points = points
                has_changed = True
    return has_changed


@kernel(void(State, i8))
def score_castle(s, castle):
    """Give all lords of a castle its points and send them home (CAS-11, CAS-24, CAS-36)."""
    feature = feature_of(s, s.castles[castle].segment)
    for seat in range(s.rules.n_players):
        if strength(s, feature, seat) > 0:
            award(s, seat, s.castles[castle].points, feature)
    feature_scored(s, feature)
    send_home(s, feature)


@kernel(void(State))
def forget_points(s):
    """Reset the points of all castles after scoring."""
    for castle in range(s.n_castles):
        s.castles[castle].points = 0


@kernel(void(State))
def score_best(s):
    """Score every castle with the best feature that was completed in its fief (CAS-22)."""
    marked = words_for(N_WORDS)
    mark_completed(s, marked)
    for castle in range(s.n_castles):
        if waits(s, castle):
            s.castles[castle].points = best_completed(s, castle, marked)
    while spread_points(s):
        continue
    for castle in range(s.n_castles):
        if s.castles[castle].points > 0:
            score_castle(s, castle)


# Castles whose lords choose.


@kernel(i8(State, i8, i8))
def feature_to_take(s, segment, take):
    """Return the feature on a spot in the fief of a segment's castle, or NO_SEGMENT."""
    tile = fief_tile(s, segment, take // N_PLACES)
    if tile == NO_TILE:
        return NO_SEGMENT
    placed = s.tiles[tile]
    spot = PLACE_SPOT[Figure.WAGON, take % N_PLACES]
    j = SPOT_SEGMENT[placed.design, placed.rotation, spot]
    return NO_SEGMENT if j < 0 else feature_of(s, placed.first_segment + j)


@kernel(i8(State, i8, Bits))
def points_to_take(s, feature, marked):
    """Return the points that a castle can score with a feature now.

    A completed feature is marked; a castle passes its points on. Anything else gives 0.
    """
    if has(marked, feature):
        return value(s, feature)
    castle = castle_of(s, feature)
    return 0 if castle == NO_CASTLE else s.castles[castle].points


@at(offer, key=Phase.CASTLE_CHOICE)
@kernel(i8(State, i8[::1]))
def offer_takes(s, actions):
    """Write the features that the decider may choose for a castle, each once; return how many.

    See CAS-22.
    """
    marked = words_for(N_WORDS)
    mark_completed(s, marked)
    own, n = s.town, 0
    for take in range(N_TAKES):
        feature = feature_to_take(s, own, take)
        if feature == NO_SEGMENT or points_to_take(s, feature, marked) == 0:
            continue
        is_first = feature != feature_of(s, own)
        for k in range(n):
            listed = actions[k] - s.rules.first_action[Block.TAKE]
            is_first &= feature_to_take(s, own, listed) != feature
        if is_first:
            actions[n] = s.rules.first_action[Block.TAKE] + take
            n += 1
    return n


@kernel(b1(State, i8, i8))
def is_first_lord(s, castle, seat):
    """Return whether a seat is the first lord of a castle, clockwise from the turn player."""
    feature = feature_of(s, s.castles[castle].segment)
    for k in range(order_of(s, seat)):
        before = seat_at(s, s.turn_player, k)
        if has_figure(s, feature, before):
            return False
    return has_figure(s, feature, seat)


@kernel(i8(State, i8[::1]))
def call_next_lord(s, actions):
    """Make the next lord whose castle has a choice the decider, and write the features.

    Return how many features there are, 0 when no castle is left.
    """
    for k in range(s.rules.n_players):
        seat = seat_at(s, s.turn_player, k)
        for castle in range(s.n_castles):
            if waits(s, castle) and is_first_lord(s, castle, seat):
                s.town, s.decider = s.castles[castle].segment, seat
                n = offer_takes(s, actions)
                if n > 0:
                    return n
    return 0


@kernel(b1(State))
def is_lords_choice(s):
    """Return whether the decider chooses for one of their own waiting castles."""
    castle = castle_of(s, feature_of(s, s.town))
    return castle != NO_CASTLE and waits(s, castle) and is_first_lord(s, castle, s.decider)


@kernel(void(State, i8))
def take_feature(s, action):
    """Score the decider's castle with the feature that an action names."""
    marked = words_for(N_WORDS)
    mark_completed(s, marked)
    feature = feature_to_take(s, s.town, action - s.rules.first_action[Block.TAKE])
    points = points_to_take(s, feature, marked)
    castle = castle_of(s, feature_of(s, s.town))
    s.castles[castle].points = points
    score_castle(s, castle)


@at(answered, key=Phase.CASTLE_CHOICE)
@kernel(i8(State, i8))
def answer_choice(s, action):
    """Score the castle with the feature that its lord chose; other castles may follow (CAS-22)."""
    take_feature(s, action)
    return CASTLES


@kernel(b1(State))
def score_chosen(s):
    """Score castles one after the other; return True if a lord must choose first (CAS-22)."""
    actions = room_for(N_TAKES)
    n = call_next_lord(s, actions)
    while n > 0:
        if n > 1:
            s.phase = Phase.CASTLE_CHOICE
            return True
        take_feature(s, actions[0])
        n = call_next_lord(s, actions)
    return False


@kernel(b1(State))
def score_castles(s):
    """Score castles with completed features in their fiefs; return True if a lord must choose."""
    if has_waiting_castle(s):
        if s.rules.asks_castles == 0:
            score_best(s)
        elif score_chosen(s):
            return True
    s.town = NO_SEGMENT
    forget_points(s)
    return False

"""The city of Carcassonne: entering its quarters, leaving them, and the count (COU).

Meeples that wait there stand on no segment. The record stores their number by seat and kind, since
no rule distinguishes a seat's equal figures in a quarter. A feature that is scored draws them from
the quarter for its kind: the player first chooses a tile of the feature, then the meeple and the
segment.
"""

import numpy as np

from carc_env.engine.compiler.jit import b1, i8, kernel, void
from carc_env.engine.compiler.memory import room_for, words_for
from carc_env.engine.compiler.moments import at
from carc_env.engine.compiler.python_ints import Numbers
from carc_env.engine.core.answers import FINISHED, LATE, PENDING, SCORING, add_pass, block_of
from carc_env.engine.core.bitset import Bits, add, has
from carc_env.engine.core.board import cell_of_place, place_action
from carc_env.engine.core.codes import (
    FIRST_FIGURE,
    MAX_PLAYERS,
    N_KINDS,
    N_MEEPLES,
    N_QUARTERS,
    Block,
    Figure,
    Kind,
    Phase,
    Quarter,
)
from carc_env.engine.core.elsewhere import chosen_tile, forget_cell
from carc_env.engine.core.features import (
    MAX_TOUCHED,
    feature_of,
    is_complete,
    is_occupied,
    kind_of,
    tile_of,
    touched_features,
)
from carc_env.engine.core.figures import (
    ANY,
    NO_BARN,
    SPOT_PLACE,
    STRENGTH,
    deploy,
    find_figure,
    leaders,
    segment_named,
    send_home,
    strength,
)
from carc_env.engine.core.moments import (
    answered,
    counts_as_scored,
    end_estimated,
    end_projected,
    figures_away,
    meeples_joined,
    offer,
    points_awarded,
    turn_interrupted,
    turn_resumed,
    waits_for_scoring,
)
from carc_env.engine.core.scoring import (
    POINTS_PER_CITY_OF_A_FIELD,
    is_hut,
    occupied_features,
    score_field,
    value_for,
)
from carc_env.engine.core.seats import order_of, seat_at
from carc_env.engine.core.sizes import N_WORDS
from carc_env.engine.core.state import (
    FIGURE_SLOTS,
    MAX_FIGURES,
    NO_FIGURE,
    NO_SEGMENT,
    SLOTS_PER_SEAT,
    State,
)
from carc_env.engine.core.tiles import N_SEGMENTS, SEGMENT_SPOT
from carc_env.sets.count.record import BY_PLAYER, CLOCKWISE, IN_PLAY
from carc_env.sets.russian_promos.record import WATER

NO_QUARTER = -1
POINTS_BESIDE_BARN = 1  # XCK-07
BARN_SLOT = FIGURE_SLOTS.index(Figure.BARN)
LEADS_TO = {
    Quarter.CASTLE: Kind.CITY,
    Quarter.MARKET: Kind.FIELD,
    Quarter.BLACKSMITH: Kind.ROAD,
    Quarter.CATHEDRAL: Kind.MONASTERY,  # an abbey or a shrine as well, but no garden (XCK-16)
}
"""Kind of feature that meeples join from each quarter (COU-11)."""
QUARTER_OF = np.full(N_KINDS, NO_QUARTER, np.int8).view(Numbers)
"""[kind of feature]: the quarter whose meeples can join it, or NO_QUARTER."""
for _quarter, _kind in LEADS_TO.items():
    QUARTER_OF[_kind] = _quarter

WELCOME: dict[Figure, tuple[Quarter, ...]] = {
    Figure.MEEPLE: tuple(Quarter),
    Figure.LARGE: tuple(Quarter),
    Figure.ABBOT: (Quarter.CATHEDRAL,),  # XCK-15
    Figure.MAYOR: (Quarter.CASTLE,),  # XCK-08
    Figure.WAGON: (Quarter.CASTLE, Quarter.BLACKSMITH, Quarter.CATHEDRAL),
    Figure.PHANTOM: tuple(Quarter),  # PHA-14
}
"""Quarters that each kind of meeple may enter (COU-09)."""
MAY_WAIT = np.zeros((N_MEEPLES, N_QUARTERS), np.bool_).view(Numbers)
for _figure, _quarters in WELCOME.items():
    MAY_WAIT[_figure, list(_quarters)] = True


@kernel(i8(State, i8, i8))
def n_waiting(s, seat, quarter):
    """Return how many meeples of a seat wait in a quarter."""
    n = 0
    for kind in range(N_MEEPLES):
        n += s.players[seat].waiting[quarter, kind]
    return n


@at(figures_away, "count")
@kernel(i8(State, i8, i8))
def n_in_carcassonne(s, seat, kind):
    """Return how many figures of a kind a seat has in Carcassonne."""
    n = 0
    if kind < N_MEEPLES:
        for quarter in range(N_QUARTERS):
            n += s.players[seat].waiting[quarter, kind]
    return n


# Leaving Carcassonne: before features are scored, and at the end of the game.


@kernel(b1(State, i8, i8))
def may_leave(s, seat, quarter):
    """Return whether a seat has meeples in a quarter that may leave it now (COU-13, COU-18)."""
    if quarter == NO_QUARTER or quarter == s.count:
        return False
    is_last = s.declined != IN_PLAY
    if is_last and s.rules.any_leaves_last == 0 and quarter != Quarter.MARKET:
        return False
    return n_waiting(s, seat, quarter) > 0


@kernel(b1(State, i8))
def may_be_joined(s, feature):
    """Return whether anybody may join a feature that is about to be scored (COU-15, MON-10)."""
    return is_occupied(s, feature) or s.rules.joins_unoccupied != 0


@kernel(b1(State, i8))
def is_new(s, barn):
    """Return whether a barn was placed on the tile just placed."""
    return tile_of(s, s.figures[barn].segment) == s.n_tiles - 1


@kernel(b1(State, i8))
def is_scored_now(s, feature):
    """Return whether the tile just placed lets a feature score: completed, or joined to a barn.

    COU-12, XCK-06, XCK-07. If features need no occupier (COU-15), a new barn is enough for a field.
    """
    if s.features[feature].kind == Kind.FIELD:
        barn = find_figure(s, feature, ANY, Figure.BARN)
        if barn == NO_FIGURE:
            return False
        has_farmers = find_figure(s, feature, ANY, NO_BARN) != NO_FIGURE
        return has_farmers or (s.rules.joins_unoccupied != 0 and is_new(s, barn))
    return is_complete(s, feature) and may_be_joined(s, feature)


@kernel(b1(State, Bits))
def mark_goals(s, goals):
    """Mark the features that are scored next: all unfinished ones at the end (COU-18).

    Before the end, return False if there are none.
    """
    if s.declined == IN_PLAY:
        touched, is_any = room_for(MAX_TOUCHED), False
        for k in range(touched_features(s, s.n_tiles - 1, touched)):
            if is_scored_now(s, touched[k]):
                is_any |= add(goals, touched[k])
        return is_any
    for feature in range(s.n_segments):
        is_there = s.features[feature].n_segments > 0
        if is_there and not is_complete(s, feature) and may_be_joined(s, feature):
            add(goals, feature)
    return True


@kernel(b1(State, i8, i8, Bits))
def is_open_to(s, seat, segment, goals):
    """Return whether a seat's meeples may leave their quarter for a segment: no hut (RUS-04)."""
    kind = kind_of(s, segment)
    if kind == Kind.MONASTERY and s.rules.russian_promos != 0 and is_hut(s, segment):
        return False
    return has(goals, feature_of(s, segment)) and may_leave(s, seat, QUARTER_OF[kind])


@kernel(b1(State, i8, i8, Bits))
def is_open_tile(s, seat, tile, goals):
    """Return whether a seat's meeples may go to a tile: not to the dragon's (COU-16, PD-06).

    Vodyanoy's tile is closed as well (RUS-14).
    """
    if s.tiles[tile].cell == s.dragon or tile == s.traps[WATER]:
        return False
    first = s.tiles[tile].first_segment
    for segment in range(first, first + N_SEGMENTS[s.tiles[tile].design]):
        if is_open_to(s, seat, segment, goals):
            return True
    return False


@kernel(b1(State, i8))
def has_leaver(s, seat):
    """Return whether a seat has meeples in any quarter that may leave it now."""
    for quarter in range(N_QUARTERS):
        if may_leave(s, seat, quarter):
            return True
    return False


@kernel(b1(State, i8, Bits))
def has_move(s, seat, goals):
    """Return whether a seat can move a meeple out of Carcassonne."""
    if not has_leaver(s, seat):
        return False
    for tile in range(s.n_tiles):
        if is_open_tile(s, seat, tile, goals):
            return True
    return False


@kernel(b1(State))
def is_empty(s):
    """Return whether nobody is waiting in Carcassonne."""
    n = 0
    for seat in range(s.rules.n_players):
        for quarter in range(N_QUARTERS):
            n += n_waiting(s, seat, quarter)
    return n == 0


@kernel(b1(State, i8, i8))
def ask_for_a_move(s, first, last):
    """Ask the next seat that can move a meeple out of Carcassonne; return False if there is none.

    The turn player comes last, as the n-th (COU-14).
    """
    goals = words_for(N_WORDS)
    if not is_empty(s) and mark_goals(s, goals):
        for behind in range(first, last + 1):
            s.decider = seat_at(s, s.turn_player, behind)
            if has_move(s, s.decider, goals):
                s.phase = Phase.JOIN
                return True
    s.decider = s.turn_player
    return False


@at(waits_for_scoring, "count")
@kernel(i8(State, i8))
def is_scored_last(s, feature):
    """Check if a field with a barn keeps its farmers until all last moves are over (XCK-07)."""
    return s.declined != IN_PLAY and s.features[feature].kind == Kind.FIELD


@kernel(void(State))
def score_beside_barns(s):
    """Score and send home the meeples that joined fields with barns in the last moves (XCK-07)."""
    for owner in range(s.rules.n_players):
        segment = s.figures[SLOTS_PER_SEAT * owner + BARN_SLOT].segment
        field = NO_SEGMENT if segment == NO_SEGMENT else feature_of(s, segment)
        if field != NO_SEGMENT and find_figure(s, field, ANY, NO_BARN) != NO_FIGURE:
            score_field(s, field, POINTS_BESIDE_BARN)
            send_home(s, field)


@kernel(b1(State, i8))
def ask_for_a_last_move(s, k):
    """Ask the next seat that has not declined, starting with the k-th clockwise (COU-19).

    Return False if all seats have declined or cannot move any meeple: then the game is over.
    """
    goals = words_for(N_WORDS)
    mark_goals(s, goals)
    for behind in range(k, k + s.rules.n_players):
        s.decider = seat_at(s, s.turn_player, behind % s.rules.n_players)
        if s.declined >> s.decider & 1 == 0 and has_move(s, s.decider, goals):
            s.phase = Phase.JOIN
            return True
    s.decider = s.turn_player
    s.declined, s.phase = IN_PLAY, Phase.GAME_OVER
    score_beside_barns(s)
    return False


@kernel(b1(State))
def ask_for_last_moves(s):
    """Begin the last moves of the game; return False if there are none (COU-18)."""
    if is_empty(s):
        return False
    s.declined = 0
    return ask_for_a_last_move(s, 0)


@at(offer, key=Phase.JOIN)
@kernel(i8(State, i8[::1]))
def offer_tiles(s, actions):
    """Write the tiles to which one of the decider's meeples may go, and declining (COU-16)."""
    goals = words_for(N_WORDS)
    mark_goals(s, goals)
    n = 0
    for tile in range(s.n_tiles):
        if is_open_tile(s, s.decider, tile, goals):
            actions[n] = place_action(s, s.tiles[tile].cell, 0)
            n += 1
    return add_pass(s, n, actions)


@at(offer, key=Phase.JOIN_SPOT)
@kernel(i8(State, i8[::1]))
def offer_meeples(s, actions):
    """Write which meeples can move from their quarters to which segments of the chosen tile."""
    goals = words_for(N_WORDS)
    mark_goals(s, goals)
    tile = s.tiles[chosen_tile(s)]
    design, rotation, first = tile.design, tile.rotation, tile.first_segment
    n = 0
    for j in range(N_SEGMENTS[design]):
        if not is_open_to(s, s.decider, first + j, goals):
            continue
        quarter = QUARTER_OF[kind_of(s, first + j)]
        for kind in range(N_MEEPLES):
            if s.players[s.decider].waiting[quarter, kind] > 0:
                place = SPOT_PLACE[kind, SEGMENT_SPOT[design, rotation, j]]
                actions[n] = s.rules.first_action[FIRST_FIGURE + kind] + place
                n += 1
    return n


@kernel(void(State, i8))
def join(s, action):
    """Move a meeple from its quarter to the segment of the chosen tile that an action names."""
    block = block_of(s, action)
    kind = block - FIRST_FIGURE
    segment = segment_named(s, chosen_tile(s), block, action)
    player = s.players[s.decider]
    player.waiting[QUARTER_OF[kind_of(s, segment)], kind] -= 1
    player.supply[kind] += 1
    deploy(s, s.decider, kind, segment)
    forget_cell(s)


@at(answered, key=Phase.JOIN)
@at(answered, key=Phase.JOIN_SPOT)
@kernel(i8(State, i8))
def answer_move(s, action):
    """Choose a tile, move a meeple there, or decline; then ask the next question.

    Before the end, each seat may move several meeples in a row (COU-14); at the end, seats move one
    meeple at a time in turn (COU-19).
    """
    has_declined = action == s.rules.first_action[Block.PASS]
    if s.phase == Phase.JOIN and not has_declined:
        s.chosen_cell = cell_of_place(s, action)
        s.phase = Phase.JOIN_SPOT
        return PENDING
    if not has_declined:
        join(s, action)
    k = order_of(s, s.decider)
    if s.declined != IN_PLAY:
        s.declined |= has_declined << s.decider
        return PENDING if ask_for_a_last_move(s, k + 1) else FINISHED
    if k == 0:
        k = s.rules.n_players
    if not has_declined and ask_for_a_move(s, k, k):
        return PENDING
    meeples_joined(s)  # RUS-09
    return PENDING if ask_for_a_move(s, k + 1, s.rules.n_players) else SCORING


# Entering Carcassonne after other seats have scored.


@kernel(b1(State, i8, i8, i8))
def consoles(s, kind, seat, feature):
    """Return whether points for a feature affect who may enter Carcassonne (COU-07, XCK-04).

    With one switch, points around a church do (DAR-09). With another, points that others score for
    a field do not if the tile only joined the field to a barn.
    """
    if kind == Kind.CHURCH:
        return s.rules.church_consoles != 0
    if kind != Kind.FIELD or seat == s.turn_player or s.rules.count_without_joins == 0:
        return kind <= Kind.CASTLE or kind == Kind.WATCHTOWER  # WT-15
    return is_new(s, find_figure(s, feature, ANY, Figure.BARN))


@at(points_awarded, "count")
@kernel(void(State, i8, i8, i8, i8))
def note_points(s, kind, seat, points, feature):
    """Note which seat scored for a feature because of the tile just placed (COU-04)."""
    if s.phase != Phase.GAME_OVER and points > 0 and consoles(s, kind, seat, feature):
        s.scored |= 1 << seat


@kernel(b1(State))
def ask_to_enter(s):
    """Ask whether a meeple enters Carcassonne; return False if none may (COU-04, COU-06)."""
    scored = s.scored
    s.scored = 0
    if scored == 0 or scored >> s.turn_player & 1 != 0 or s.entered != 0:
        return False
    if counts_as_scored(s) > 0:  # WR-07
        return False
    s.decider = s.turn_player
    for kind in range(N_MEEPLES):
        if s.players[s.decider].supply[kind] > 0:
            s.phase = Phase.ENTER
            return True
    return False


@at(offer, key=Phase.ENTER)
@kernel(i8(State, i8[::1]))
def offer_quarters(s, actions):
    """Write the quarters that each kind of meeple in hand can enter, and passing (COU-09)."""
    n = 0
    for kind in range(N_MEEPLES):
        for quarter in range(N_QUARTERS):
            if MAY_WAIT[kind, quarter] and s.players[s.decider].supply[kind] > 0:
                actions[n] = s.rules.first_action[Block.ENTER] + N_QUARTERS * kind + quarter
                n += 1
    return add_pass(s, n, actions)


@kernel(b1(State, i8))
def enter(s, action):
    """Let a meeple enter a quarter, or none; return True if the count can move (COU-05)."""
    if action == s.rules.first_action[Block.PASS]:
        return False
    chosen = action - s.rules.first_action[Block.ENTER]
    kind, quarter = chosen // N_QUARTERS, chosen % N_QUARTERS
    s.players[s.decider].supply[kind] -= 1
    s.players[s.decider].waiting[quarter, kind] += 1
    s.entered = s.rules.enters_each_part == 0
    if s.rules.count_move == BY_PLAYER:
        s.phase = Phase.COUNT
        return True
    s.count = (s.count + 1) % N_QUARTERS if s.rules.count_move == CLOCKWISE else quarter
    return False


@at(offer, key=Phase.COUNT)
@kernel(i8(State, i8[::1]))
def offer_count(s, actions):
    """Write the quarters to which the count may move, and leaving him where he is (COU-05)."""
    n = 0
    for quarter in range(N_QUARTERS):
        actions[n] = s.rules.first_action[Block.COUNT] + quarter
        n += quarter != s.count
    return add_pass(s, n, actions)


@kernel(void(State, i8))
def move_count(s, action):
    """Move the count, or leave him where he is (COU-05)."""
    if action != s.rules.first_action[Block.PASS]:
        s.count = action - s.rules.first_action[Block.COUNT]


@at(answered, key=Phase.ENTER)
@at(answered, key=Phase.COUNT)
@kernel(i8(State, i8))
def answer_entry(s, action):
    """Let a meeple enter Carcassonne, or move the count; then ask the next question (COU-05)."""
    if s.phase == Phase.ENTER:
        return PENDING if enter(s, action) else LATE
    move_count(s, action)
    return LATE


@at(turn_interrupted, "count")
@kernel(void(State))
def owe_entry(s):
    """Save, for the second part of the turn, whether a meeple has entered (COU-06)."""
    s.owed_entered = s.entered


@at(turn_resumed, "count")
@kernel(void(State))
def resume_entry(s):
    """Restore what was saved before the bazaar."""
    s.entered, s.owed_entered = s.owed_entered, 0


# Expected final points.

N_GAINS = MAX_PLAYERS * N_QUARTERS


@kernel(i8(State, i8))
def lost_beside_barn(s, feature):
    """Return how much less a field scores in the last moves if it contains a barn (XCK-07)."""
    if s.declined == IN_PLAY or find_figure(s, feature, ANY, Figure.BARN) == NO_FIGURE:
        return 0
    return (POINTS_PER_CITY_OF_A_FIELD - POINTS_BESIDE_BARN) * s.features[feature].shields


@at(end_projected, "count")
@kernel(void(State, i8[::1]))
def correct_farmers(s, points):
    """Correct the projected pay of farmers who joined a field with a barn in the last moves."""
    if s.rules.owned[Figure.BARN] == 0 or s.declined == IN_PLAY:
        return
    for owner in range(s.rules.n_players):
        barn = SLOTS_PER_SEAT * owner + BARN_SLOT
        if s.figures[barn].segment == NO_SEGMENT:
            continue
        field = feature_of(s, s.figures[barn].segment)
        if find_figure(s, field, ANY, Figure.BARN) == barn:  # the first of several barns in a field
            winners, lost = leaders(s, field), lost_beside_barn(s, field)
            for seat in range(s.rules.n_players):
                points[seat] -= lost * (winners >> seat & 1)


@kernel(i8(State, i8, i8))
def strength_waiting(s, feature, seat):
    """Return the strength that a seat's meeples waiting for a feature's kind would add to it."""
    quarter, total = QUARTER_OF[s.features[feature].kind], 0
    for kind in range(N_MEEPLES):
        each = s.features[feature].shields if kind == Figure.MAYOR else STRENGTH[kind]
        total += each * s.players[seat].waiting[quarter, kind]
    return total


@kernel(i8(State, i8))
def turn_to_leave(s, seat):
    """Return how many seats are asked before a seat can leave Carcassonne (COU-14)."""
    return (order_of(s, seat) - 1) % s.rules.n_players


@kernel(b1(State, i8, i8))
def may_still_join(s, seat, feature):
    """Return whether a seat can still be asked whether its meeples join a feature."""
    quarter = QUARTER_OF[s.features[feature].kind]
    if not may_leave(s, seat, quarter):
        return False
    if s.declined != IN_PLAY:
        return s.declined >> seat & 1 == 0
    is_asked = s.phase == Phase.JOIN or s.phase == Phase.JOIN_SPOT
    if is_asked and is_complete(s, feature):
        return turn_to_leave(s, seat) >= turn_to_leave(s, s.decider)
    return True


@kernel(i8(State, i8, i8))
def likely_gain(s, feature, seat):
    """Return the points for a feature, reduced if meeples are unlikely to join it.

    Features that are scored next keep their full points. For other features, the points depend on
    how much of the game is left, unless meeples may leave at its end.
    """
    points = value_for(s, feature, seat) - lost_beside_barn(s, feature)
    if s.declined != IN_PLAY or is_complete(s, feature):
        return points
    if s.rules.any_leaves_last != 0 or s.features[feature].kind == Kind.FIELD:
        return points // 2
    return points * s.n_bag // (s.n_bag + s.n_tiles)


@kernel(void(State, i8, i8[::1]))
def note_gains(s, feature, gains):
    """Note the best gain for seats that score a feature only if every eligible meeple joins it.

    ``gains`` holds a number for each seat and quarter.
    """
    quarter, winners = QUARTER_OF[s.features[feature].kind], leaders(s, feature)
    totals, most = room_for(MAX_PLAYERS), 1
    for seat in range(s.rules.n_players):
        totals[seat] = strength(s, feature, seat)
        if may_still_join(s, seat, feature):
            totals[seat] += strength_waiting(s, feature, seat)
        most = max(most, totals[seat])
    for seat in range(s.rules.n_players):
        if totals[seat] == most and winners >> seat & 1 == 0:
            place = N_QUARTERS * seat + quarter
            gains[place] = max(gains[place], likely_gain(s, feature, seat))


@at(end_estimated, "count")
@kernel(void(State, i8[::1]))
def add_gains(s, points):
    """Add, for each quarter, the most points that a seat's meeples there may still score.

    Each meeple costs a point as long as it could be useful elsewhere.
    """
    if is_empty(s):
        return
    features, gains = room_for(MAX_FIGURES), room_for(N_GAINS)
    gains[:] = 0
    for k in range(occupied_features(s, features)):
        quarter = QUARTER_OF[s.features[features[k]].kind]
        if quarter != NO_QUARTER and quarter != s.count:
            note_gains(s, features[k], gains)
    for seat in range(s.rules.n_players):
        for quarter in range(N_QUARTERS):
            points[seat] += gains[N_QUARTERS * seat + quarter]
            if s.n_bag > 0:
                points[seat] -= n_waiting(s, seat, quarter)

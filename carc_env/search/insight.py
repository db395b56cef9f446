"""The value with insight, which also sees relations between items in play.

In addition to the entries of the plain value, there are entries for unoccupied features, for what
would close a road or city, for fields that can join and the cities that they wait for, for
majorities, for figures that may be stuck, and for the last tiles of a game. ``insight_tables.py``
contains the tables.
"""

from carc_env.engine.compiler.jit import entry_point, i8, kernel, void
from carc_env.engine.compiler.memory import room_for, words_for
from carc_env.engine.core.bitset import Bits, add, has
from carc_env.engine.core.board import N_NEIGHBOURS, N_SIDES, STEP, neighbour, tile_at
from carc_env.engine.core.codes import MAX_PLAYERS, Figure, Kind, Phase
from carc_env.engine.core.features import cell_of, feature_of
from carc_env.engine.core.figures import seat_of
from carc_env.engine.core.scoring import is_hut, occupied_features
from carc_env.engine.core.sizes import MAX_SEGMENTS, N_WORDS
from carc_env.engine.core.state import MAX_FIGURES, NO_FIGURE, NO_TILE, State
from carc_env.engine.core.tiles import HALF_SEGMENT, SIDE_SEGMENT
from carc_env.engine.flow.evaluation import EVALUATION
from carc_env.search.features import (
    ALONE,
    MAX_ENTRIES,
    MAX_SHOWN,
    NOBODY,
    PLENTY,
    RIVAL,
    fit_step,
    lead_as_paid,
    link_to,
    stand,
    survey_seen,
    time_of,
    write_scores,
)
from carc_env.search.fit import (
    UNSEEN_ROOM,
    count_unseen,
    n_closing_at,
    n_fitting,
    n_fitting_at,
    pattern_of,
)
from carc_env.search.insight_tables import (
    CELLS,
    CENTRE_CELLS,
    CLOSING,
    FIELD_CITY,
    FIELD_LINK,
    FREE,
    FREE_FIELD,
    FREE_HANDS,
    HANDS,
    LATE,
    MARGIN,
    MAX_FREE,
    N_LATE,
    STUCK,
)
from carc_env.search.measures import MAX_CITIES, open_cities_beside
from carc_env.search.tables import N_FITS, N_RELATIONS, N_TIMES, also_shown
from carc_env.search.value import sum_of

MAX_SIDES_SHOWN = MAX_SHOWN + 2 * N_SIDES
"""Most roads, cities and fields that can be shown to a cell: two fields on a side with a road."""
N_LOOKS = 7
SEEN_ROOM = N_LOOKS * MAX_FIGURES
N_CELLS, LEAST, SECOND, CLOSERS, LINK, LINK_FIT, LINK_CITIES = (
    MAX_FIGURES * look for look in range(N_LOOKS)
)
"""Columns of the array with what is seen of occupied features, each at its entry figure's number.

The columns are: the number of open cells; the smallest and second smallest number of tiles that fit
an open cell; the smallest number of tiles that could close the feature at an open cell; the best
feature that it can be joined with at an open cell, the number of tiles that fit there, and the
number of complete cities of the field that it is joined with.
"""
ROAD, CITY, OTHER = range(3)
"""Feature kinds that tables distinguish."""


@kernel(i8(i8))
def sort_of(kind):
    """Return a feature kind as tables distinguish it."""
    return CITY if kind == Kind.CITY else ROAD if kind == Kind.ROAD else OTHER


@kernel(i8(i8))
def late_step(n):
    """Return the step for the tiles in the bag: 0, 1, 2, 3, up to 5, 7, 11, 15; N_LATE: more."""
    if n < 4:
        return n
    if n < 8:
        return 4 if n < 6 else 5
    return 6 if n < 12 else 7 if n < 16 else N_LATE


@kernel(i8(State, i8))
def n_in_hand(s, seat):
    """Return how many normal and large meeples a seat has in hand."""
    supply = s.players[seat].supply
    return supply[Figure.MEEPLE] + supply[Figure.LARGE]


# Features at open cells.


@kernel(i8(i8[::1], i8, i8))
def place_in(found, n, wanted):
    """Return the position of a number among the first n; n if it is not there."""
    for k in range(n):
        if found[k] == wanted:
            return k
    return n


@kernel(i8(State, i8, i8[::1]))
def list_shown(s, cell, features):
    """Write the features shown to an empty cell; return how many.

    A road or city is listed once for each side that shows it, but a field only once.
    """
    n = 0
    for side in range(N_SIDES):
        tile = tile_at(s, cell + STEP[side])
        if tile == NO_TILE:
            continue
        placed, opposite = s.tiles[tile], side ^ 2
        first, design, rotation = placed.first_segment, placed.design, placed.rotation
        j = SIDE_SEGMENT[design, rotation, opposite]
        if j >= 0:
            features[n] = feature_of(s, first + j)
            n += 1
        for half in range(2 * opposite, 2 * opposite + 2):
            j = HALF_SEGMENT[design, rotation, half]
            if j >= 0:
                features[n] = feature_of(s, first + j)
                n += place_in(features, n, features[n]) == n
    return also_shown(s, cell, features, n)


@kernel(void(i8[::1], i8, i8, i8))
def note_cell(seen, figure, n_fit, closers):
    """Note another open cell of a road or city, and how many tiles fit there or can close it."""
    seen[N_CELLS + figure] += 1
    if n_fit < seen[LEAST + figure]:
        seen[SECOND + figure], seen[LEAST + figure] = seen[LEAST + figure], n_fit
    else:
        seen[SECOND + figure] = min(seen[SECOND + figure], n_fit)
    seen[CLOSERS + figure] = min(seen[CLOSERS + figure], closers)


@kernel(i8(State, i8, i8[::1], i8[::1], i8[::1], Bits, i8[::1]))
def look_around(s, seat, unseen, seen, free, is_free, fits):
    """Write what occupied features have at open cells, and list the unoccupied features there.

    Returns the number of unoccupied features in ``free``. The set ``is_free`` contains all of them,
    and ``fits``, indexed by feature, gets the largest number of tiles that fit one of its open
    cells. Fields without a complete city are left out.
    """
    seen[:] = 0
    seen[LEAST:LINK] = PLENTY
    features = room_for(MAX_SIDES_SHOWN)
    n_free = 0
    for f in range(s.n_frontier):
        n, pattern = list_shown(s, s.frontier[f].cell, features), pattern_of(s.frontier[f].edges)
        n_fit = n_fitting_at(unseen, pattern)
        for k in range(n):
            found = s.features[features[k]]
            figure = found.figure
            if figure == NO_FIGURE:
                if found.kind == Kind.FIELD and found.shields == 0:
                    continue
                if not add(is_free, features[k]):
                    fits[features[k]] = max(fits[features[k]], n_fit)
                    continue
                fits[features[k]] = n_fit
                if n_free < MAX_FREE:
                    free[n_free] = features[k]
                    n_free += 1
                continue
            if found.kind != Kind.FIELD and place_in(features, k, features[k]) == k:
                closers = n_closing_at(unseen, pattern, found.kind == Kind.CITY)
                note_cell(seen, figure, n_fit, closers)
            for j in range(n):
                other = s.features[features[j]]
                if features[j] != features[k] and other.kind == found.kind:
                    link = link_to(s, features[j], seat)
                    if link > seen[LINK + figure]:
                        seen[LINK + figure], seen[LINK_FIT + figure] = link, n_fit
                        seen[LINK_CITIES + figure] = other.shields
    return n_free


# Entries.


@kernel(i8(State, i8, i8, i8, i8[::1], i8[::1], i8[::1]))
def add_free(s, seat, time, n_free, free, fits, entries):
    """Write the entries for unoccupied features and who could take them; return how many."""
    own, rivals = n_in_hand(s, seat) > 0, False
    for other in range(s.rules.n_players):
        rivals |= other != seat and n_in_hand(s, other) > 0
    for k in range(n_free):
        found, fit = s.features[free[k]], fit_step(fits[free[k]])
        if found.kind == Kind.FIELD:
            size = min(found.shields, 3)
            entries[2 * k] = FREE_FIELD[0] + (time * 4 + size) * N_FITS + fit
        else:
            size = min(found.n_tiles + found.shields, 4) - 1
            index = ((found.kind == Kind.CITY) * N_TIMES + time) * 4 + size
            index = index * 3 + max(1, min(found.n_open, 3)) - 1
            entries[2 * k] = FREE[0] + index * N_FITS + fit
        index = (sort_of(found.kind) * N_TIMES + time) * 4 + size
        index = (index * 2 + own) * 2 + rivals
        entries[2 * k + 1] = FREE_HANDS[0] + index * N_FITS + fit
    return 2 * n_free


@kernel(i8(State, i8, i8))
def owners(s, feature, seat):
    """Return a feature's occupants: 0 nobody, 1 the seat, 2 others, 3 both."""
    entry = s.features[feature].figure
    figure, found = entry, 0
    while figure != NO_FIGURE:
        found |= 1 if seat_of(figure) == seat else 2
        figure = s.figures[figure].next
        if figure == entry:
            break
    return found


@kernel(i8(i8[::1], i8, i8))
def margin_of(strengths, n_players, seat):
    """Return a seat's lead in strength on a feature, clipped to -2 to 2, plus 2."""
    best = 0
    for other in range(n_players):
        if other != seat:
            best = max(best, strengths[other])
    return max(-2, min(2, strengths[seat] - best)) + 2


@kernel(i8(State, i8, i8, i8, i8, i8[::1], i8[::1]))
def add_open(s, feature, relation, time, margin, seen, entries):
    """Write an occupied road's or city's entries; return how many."""
    found = s.features[feature]
    figure, is_city = found.figure, found.kind == Kind.CITY
    least, closers = fit_step(seen[LEAST + figure]), fit_step(seen[CLOSERS + figure])
    kind = is_city * N_RELATIONS + relation
    cells = (kind * N_TIMES + time) * 3 + max(1, min(seen[N_CELLS + figure], 3)) - 1
    entries[0] = CELLS[0] + (cells * N_FITS + least) * N_FITS + fit_step(seen[SECOND + figure])
    entries[1] = CLOSING[0] + (cells * N_FITS + closers) * 4 + min(found.n_tiles, 4) - 1
    stake = min((found.n_tiles + found.shields) // 2, 3)
    index = ((sort_of(found.kind) * 5 + margin) * N_TIMES + time) * 4 + stake
    entries[2] = MARGIN[0] + index * 4 + seen[LINK + figure]
    late = late_step(s.n_bag)
    if late == N_LATE:
        return 3
    index = (kind * N_LATE + late) * 4 + min(found.n_open, 3)
    entries[3] = LATE[0] + index * N_FITS + closers
    return 4


@kernel(i8(State, i8, i8, i8, i8, i8, i8[::1], Bits, i8[::1], i8[::1]))
def add_field(s, feature, seat, relation, time, margin, seen, is_free, fits, entries):
    """Write an occupied field's entries; return how many."""
    found = s.features[feature]
    figure, size, kind = found.figure, min(found.shields, 3), 2 * N_RELATIONS + relation
    spread, link = relation * N_TIMES + time, seen[LINK + figure]
    index = ((spread * 4 + size) * 4 + link) * 3 + min(seen[LINK_CITIES + figure], 2)
    entries[0] = FIELD_LINK[0] + index * N_FITS + fit_step(seen[LINK_FIT + figure])
    entries[1] = MARGIN[0] + (((OTHER * 5 + margin) * N_TIMES + time) * 4 + size) * 4 + link
    cities = room_for(MAX_CITIES)
    n_cities = open_cities_beside(s, feature, cities)
    n, late = 2, late_step(s.n_bag)
    if late < N_LATE:
        index = (kind * N_LATE + late) * 4 + size
        entries[n] = LATE[0] + index * N_FITS + n_cities
        n += 1
    for k in range(n_cities):
        who, fit = owners(s, cities[k], seat), 0
        if who > 0:
            fit = seen[LEAST + s.features[cities[k]].figure]
        elif has(is_free, cities[k]):
            fit = fits[cities[k]]
        entries[n] = FIELD_CITY[0] + (spread * 4 + who) * N_FITS + fit_step(fit)
        n += 1
    return n


@kernel(i8(State, i8, i8, i8, i8, i8[::1], i8[::1]))
def add_centre(s, feature, relation, time, least, unseen, entries):
    """Write an occupied monastery's or garden's entries; return how many."""
    cell, n_open = cell_of(s, feature), s.features[feature].n_open
    n_bad = 0
    for i in range(N_NEIGHBOURS):
        near = s.board[neighbour(cell, i)]
        n_bad += near < 0 and n_fitting(unseen, s.frontier[-near - 1].edges) < 4
    index = (relation * N_TIMES + time) * 9 + n_open
    entries[0] = CENTRE_CELLS[0] + index * 4 + min(n_bad, 3)
    late = late_step(s.n_bag)
    if late == N_LATE:
        return 1
    index = ((3 * N_RELATIONS + relation) * N_LATE + late) * 4 + min(n_open, 3)
    entries[1] = LATE[0] + index * N_FITS + fit_step(least)
    return 2


@kernel(i8(State, i8, i8, i8, i8, i8, i8[::1]))
def add_stuck(s, sort, seat, relation, time, fit, entries):
    """Write an entry for a figure that may be stuck and its owner's meeples; return 1 or 0."""
    if relation != ALONE and relation != RIVAL:
        return 0
    is_own = relation == ALONE
    owner = seat if is_own else (seat + 1) % s.rules.n_players
    index = ((sort * 2 + is_own) * N_TIMES + time) * 4 + min(n_in_hand(s, owner), 3)
    entries[0] = STUCK[0] + index * N_FITS + fit_step(fit)
    return 1


@kernel(i8(State, i8, i8, i8[::1]))
def add_hands(s, seat, time, entries):
    """Write an entry for a seat's meeples in hand and each opponent's; return how many."""
    n, own = 0, min(n_in_hand(s, seat), 7)
    for other in range(s.rules.n_players):
        if other != seat:
            entries[n] = HANDS[0] + (time * 8 + own) * 8 + min(n_in_hand(s, other), 7)
            n += 1
    return n


@kernel(i8(State, i8, i8[::1], i8[::1]))
def survey(s, seat, entries, points):
    """Write a state's entries for a seat, and the points that every seat would score now.

    It works like :func:`.features.survey`, whose entries come first.
    """
    write_scores(s, points)
    if s.phase == Phase.GAME_OVER:
        return 0
    unseen, seen = room_for(UNSEEN_ROOM), room_for(SEEN_ROOM)
    free, is_free, fits = room_for(MAX_FREE), words_for(N_WORDS), room_for(MAX_SEGMENTS)
    count_unseen(s, unseen)
    n_free = look_around(s, seat, unseen, seen, free, is_free, fits)
    least = seen[LEAST : LEAST + MAX_FIGURES]
    links = seen[LINK : LINK + MAX_FIGURES]
    link_fits = seen[LINK_FIT : LINK_FIT + MAX_FIGURES]
    features, strengths = room_for(MAX_FIGURES), room_for(MAX_PLAYERS)
    n_features = occupied_features(s, features)
    n = survey_seen(s, seat, features, n_features, unseen, least, links, link_fits, entries, points)
    time = time_of(s, N_TIMES)
    n += add_free(s, seat, time, n_free, free, fits, entries[n:])
    n += add_hands(s, seat, time, entries[n:])
    for k in range(n_features):
        feature = features[k]
        relation, kind = stand(s, feature, seat, strengths), s.features[feature].kind
        figure = s.features[feature].figure
        margin = margin_of(strengths, s.rules.n_players, seat)
        if relation == NOBODY:
            continue
        if kind == Kind.FIELD:
            n += add_field(
                s, feature, seat, relation, time, margin, seen, is_free, fits, entries[n:]
            )
        elif kind == Kind.ROAD or kind == Kind.CITY:
            n += add_open(s, feature, relation, time, margin, seen, entries[n:])
            closers = seen[CLOSERS + figure]
            n += add_stuck(s, sort_of(kind), seat, relation, time, closers, entries[n:])
        elif (kind == Kind.MONASTERY or kind == Kind.GARDEN) and not is_hut(s, feature):
            n += add_centre(s, feature, relation, time, least[figure], unseen, entries[n:])
            n += add_stuck(s, OTHER, seat, relation, time, least[figure], entries[n:])
    return n


@entry_point(EVALUATION)
def insight(s, seat, weights):
    """Return the points by which a seat is expected to be ahead at the end."""
    entries, points = room_for(MAX_ENTRIES), room_for(MAX_PLAYERS)
    n = survey(s, seat, entries, points)
    return lead_as_paid(s, seat, points) + sum_of(entries, n, weights)

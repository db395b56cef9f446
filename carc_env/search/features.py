"""Features of the learned value: indices of table entries, one or more for each item in play.

``survey`` writes the indices of all of a state's entries for a seat, and the points that every seat
would score now. The value is the lead plus the sum of the weights. This module contains the tables
that every game uses. Sets declare their tables in ``value.py``, and ``insight_tables.py`` contains
the additional tables of ``insight``.
"""

from math import prod

import numpy as np
import numpy.typing as npt

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.compiler.moments import close_moments
from carc_env.engine.core.board import N_NEIGHBOURS, N_SIDES, edge_at, neighbour
from carc_env.engine.core.codes import (
    EDGE_CITY,
    EDGE_ROAD,
    MAX_PLAYERS,
    N_FIGURES,
    Figure,
    Kind,
    Phase,
)
from carc_env.engine.core.features import cell_of, feature_of, segment_beside
from carc_env.engine.core.figures import figure_kind, figure_strength, seat_of
from carc_env.engine.core.moments import break_tie, end_projected
from carc_env.engine.core.scoring import is_hut, occupied_features
from carc_env.engine.core.state import MAX_FIGURES, NO_FIGURE, NO_SEGMENT, State
from carc_env.engine.flow.standings import add_claims, lead_of
from carc_env.search.fit import UNSEEN_ROOM, count_unseen, n_fitting
from carc_env.search.insight_tables import TABLES as INSIGHT
from carc_env.search.measures import cities_to_come
from carc_env.search.tables import (
    N_FITS,
    N_RELATIONS,
    N_TIMES,
    Table,
    also_shown,
    feature_surveyed,
    game_surveyed,
    lay_out,
    points_compared,
)

VERSION = 2
"""Version of the tables; weights from other versions are incompatible."""
N_FINE_TIMES = 20
N_PHASES = len(Phase)
MAX_SHOWN = 2 * N_SIDES
"""Most roads and cities that can be shown to a cell: two on a side that cities share (HS-40)."""
ALONE, AHEAD, TIED, BEHIND, RIVAL, NOBODY = range(N_RELATIONS + 1)
"""A seat's standing on a feature; those before NOBODY are table indices."""
NO_LINK, FREE_LINK, OWN_LINK, RIVAL_LINK = range(4)
"""The best feature that can be joined at an open cell, from the seat's perspective."""
MEEPLE_PRICE = 6.0
"""Initial value in points of a meeple in hand, before learning."""

_figures, _phases = (tuple(code.name for code in codes) for codes in (Figure, Phase))
_time, _n_in_hand, _ = np.ogrid[:N_FINE_TIMES, :8, :1]
_price = MEEPLE_PRICE * _n_in_hand * (_time + 0.5) / N_FINE_TIMES
_BASE = (
    Table("city", (2, N_RELATIONS, N_TIMES, 8, 3, 6, N_FITS)),
    Table("city_link", (N_RELATIONS, N_TIMES, 3, 4, N_FITS)),
    Table("road", (2, N_RELATIONS, N_TIMES, 7, 3, N_FITS)),
    Table("road_link", (N_RELATIONS, N_TIMES, 3, 4, N_FITS)),
    Table("centre", (2, N_RELATIONS, N_TIMES, 9, N_FITS)),
    Table("field", (N_RELATIONS, N_TIMES, 8, 4)),
    Table("field_growth", (N_RELATIONS, N_TIMES, 4, 5)),
    Table("meeples", (2, N_FINE_TIMES, 8, 2), MAX_PLAYERS, start=np.array([_price, -_price])),
    Table("figures", (2, N_FIGURES, N_TIMES, 2), MAX_PLAYERS * N_FIGURES, (1, _figures)),
    Table("special", (N_FIGURES, 2, N_TIMES, 3, N_FITS), labels=(0, _figures)),
    Table("stock", (2, 3, N_TIMES, 5), MAX_PLAYERS * 3),
    Table("phase", (2, N_PHASES, 5), 1, (1, _phases)),
)
close_moments("value")  # before the first kernel that calls them is compiled
LAYOUT = lay_out(_BASE, INSIGHT)
TABLES = {table.name: table.sizes for table in LAYOUT}
"""Table -> the sizes of its indices."""
LABELS = {table.name: table.labels for table in LAYOUT if table.labels}
"""Table -> an index that grows when systems are added, and the meanings of its values."""
OFFSETS: dict[str, int] = {table.name: table.first[0] for table in LAYOUT}
N_WEIGHTS = sum(prod(table.sizes) for table in LAYOUT)
MAX_ENTRIES = sum(table.most for table in LAYOUT)
"""Buffer size for a state's entries."""

(
    CITY,
    CITY_LINK,
    ROAD,
    ROAD_LINK,
    CENTRE,
    FIELD,
    FIELD_GROWTH,
    MEEPLES,
    FIGURES,
    SPECIAL,
    STOCK,
    PHASE,
) = (OFFSETS[table.name] for table in _BASE)
PLENTY = 10**6


@kernel(i8(State, i8))
def time_of(s, n):
    """Return the remaining part of the game on a scale of n steps; 0 at the end of the game."""
    return min(n - 1, n * s.n_bag // (s.n_bag + s.n_tiles))


@kernel(i8(i8))
def fit_step(n):
    """Return the step for a number of fitting tiles: 0, 1, 2 to 3, 4 to 7, 8 to 15, more."""
    if n < 2:
        return n
    if n < 8:
        return 2 if n < 4 else 3
    return 4 if n < 16 else 5


@kernel(i8(State, i8, i8, i8[::1]))
def stand(s, feature, seat, strengths):
    """Write every seat's strength on a feature; return the given seat's standing there."""
    for k in range(s.rules.n_players):
        strengths[k] = 0
    entry = s.features[feature].figure
    figure = entry
    while figure != NO_FIGURE:
        strengths[seat_of(figure)] += figure_strength(s, figure, feature)
        figure = s.figures[figure].next
        if figure == entry:
            break
    own, rival = strengths[seat], 0
    for k in range(s.rules.n_players):
        if k != seat:
            rival = max(rival, strengths[k])
    if own == 0:
        return RIVAL if rival > 0 else NOBODY
    if rival == 0:
        return ALONE
    if own == rival:
        return TIED
    return AHEAD if own > rival else BEHIND


@kernel(i8(State, i8, i8[::1]))
def winners(s, feature, strengths):
    """Return as bits the seats with the majority on a feature."""
    best, found = 1, 0
    for seat in range(s.rules.n_players):
        if strengths[seat] > best:
            best, found = strengths[seat], 0
        if strengths[seat] == best:
            found |= 1 << seat
    if found & (found - 1) != 0:
        return break_tie(s, feature, found)
    return found


@kernel(i8(State, i8, i8))
def link_to(s, feature, seat):
    """Return what joining a feature means to a seat."""
    if s.features[feature].figure == NO_FIGURE:
        return FREE_LINK
    return OWN_LINK if seat_of(s.features[feature].figure) == seat else RIVAL_LINK


@kernel(i8(State, i8, i8[::1]))
def list_open(s, f, features):
    """Write the roads and cities shown to the f-th free cell, for each side; return how many."""
    edges, cell, n = s.frontier[f].edges, s.frontier[f].cell, 0
    for side in range(N_SIDES):
        edge = edge_at(edges, side)
        if edge == EDGE_CITY or edge == EDGE_ROAD:
            segment = segment_beside(s, cell, side)
            if segment != NO_SEGMENT:
                features[n] = feature_of(s, segment)
                n += 1
    return also_shown(s, cell, features, n)


@kernel(void(State, i8, i8[::1], i8[::1], i8[::1], i8[::1]))
def look_around(s, seat, unseen, worst, links, link_fits):
    """Write the worst cell and best link of each occupied road and city, by its entry figure.

    ``worst`` is the smallest number of tiles that fit an open cell. ``links`` is the best other
    feature of the same kind that is shown to an open cell, and ``link_fits`` is the number of tiles
    that fit there.
    """
    features = room_for(MAX_SHOWN)
    for f in range(s.n_frontier):
        edges, n, n_fit = s.frontier[f].edges, list_open(s, f, features), -1
        for k in range(n):
            entry = s.features[features[k]].figure
            if entry == NO_FIGURE:
                continue
            if n_fit < 0:
                n_fit = n_fitting(unseen, edges)
            worst[entry] = min(worst[entry], n_fit)
            kind = s.features[features[k]].kind
            for j in range(n):
                if features[j] != features[k] and s.features[features[j]].kind == kind:
                    link = link_to(s, features[j], seat)
                    if link > links[entry]:
                        links[entry], link_fits[entry] = link, n_fit


@kernel(i8(State, i8, i8[::1]))
def worst_around(s, feature, unseen):
    """Return the smallest number of tiles that fit an empty cell around a monastery or garden."""
    cell = cell_of(s, feature)
    least = PLENTY
    for i in range(N_NEIGHBOURS):
        near = s.board[neighbour(cell, i)]
        if near < 0:
            least = min(least, n_fitting(unseen, s.frontier[-near - 1].edges))
    return least


@kernel(i8(State, i8, i8, i8, i8, i8[::1]))
def add_special(s, feature, seat, time, fit, entries):
    """Write an entry for each figure on a feature other than meeples; return how many.

    In a field, the number of cities beside it replaces the number of fitting tiles.
    """
    n = 0
    found = s.features[feature]
    place = found.kind == Kind.CITY
    if found.kind == Kind.FIELD:
        place, fit = 2, min(found.shields, N_FITS - 1)
    first = found.figure
    figure = first
    while True:
        kind = figure_kind(figure)
        if kind != Figure.MEEPLE and kind != Figure.LARGE:
            who = seat_of(figure) != seat
            index = ((kind * 2 + who) * N_TIMES + time) * 3 + place
            entries[n] = SPECIAL + index * N_FITS + fit
            n += 1
        figure = s.figures[figure].next
        if figure == first:
            return n


@kernel(i8(State, i8, i8, i8, i8, i8, i8, i8[::1]))
def add_feature(s, feature, relation, time, n_fit, link, link_fit, entries):
    """Write an occupied feature's entries; return how many."""
    found = s.features[feature]
    kind, fit = found.kind, fit_step(n_fit)
    spread = relation * N_TIMES + time
    if kind == Kind.CITY:
        index = (found.bonus > 0) * N_RELATIONS * N_TIMES + spread
        index = (index * 8 + min(found.n_tiles, 8) - 1) * 3 + min(found.shields, 2)
        entries[0] = CITY + (index * 6 + min(found.n_open, 5)) * N_FITS + fit
        size = min((found.n_tiles - 1) // 2, 2)
        entries[1] = CITY_LINK + ((spread * 3 + size) * 4 + link) * N_FITS + fit_step(link_fit)
        return 2
    if kind == Kind.ROAD:
        index = (found.bonus > 0) * N_RELATIONS * N_TIMES + spread
        index = (index * 7 + min(found.n_tiles, 7) - 1) * 3 + min(found.n_open, 2)
        entries[0] = ROAD + index * N_FITS + fit
        size = min((found.n_tiles - 1) // 2, 2)
        entries[1] = ROAD_LINK + ((spread * 3 + size) * 4 + link) * N_FITS + fit_step(link_fit)
        return 2
    if kind == Kind.FIELD:
        size = min(found.n_segments // 4, 3)
        entries[0] = FIELD + (spread * 8 + min(found.shields, 7)) * 4 + size
        entries[1] = (
            FIELD_GROWTH + (spread * 4 + min(found.shields, 3)) * 5 + (cities_to_come(s, feature))
        )
        return 2
    if (kind != Kind.MONASTERY and kind != Kind.GARDEN) or is_hut(s, feature):
        return 0
    is_abbot = figure_kind(found.figure) == Figure.ABBOT
    index = (is_abbot * N_RELATIONS * N_TIMES + spread) * 9 + found.n_open
    entries[0] = CENTRE + index * N_FITS + fit
    return 1


@kernel(i8(State, i8, i8[::1]))
def add_supplies(s, seat, entries):
    """Write the entries for all seats' items in hand; return how many."""
    time, fine = time_of(s, N_TIMES), time_of(s, N_FINE_TIMES)
    owned = s.rules.owned
    n = 0
    for other in range(s.rules.n_players):
        who = other != seat
        player = s.players[other]
        meeples = player.supply[Figure.MEEPLE] + player.supply[Figure.LARGE]
        has_abbot = player.supply[Figure.ABBOT] > 0
        index = (who * N_FINE_TIMES + fine) * 8 + min(meeples, 7)
        entries[n] = MEEPLES + 2 * index + has_abbot
        n += 1
        for kind in range(N_FIGURES):
            if owned[kind] > 0 and kind != Figure.MEEPLE and kind != Figure.ABBOT:
                index = (who * N_FIGURES + kind) * N_TIMES + time
                entries[n] = FIGURES + 2 * index + (player.supply[kind] > 0)
                n += 1
        for stock in range(3):
            if s.rules.stock[stock] > 0:
                index = (who * 3 + stock) * N_TIMES + time
                entries[n] = STOCK + 5 * index + min(player.stock[stock], 4)
                n += 1
    return n


@kernel(i8(State, i8, i8[::1], i8, i8[::1], i8[::1], i8[::1], i8[::1], i8[::1], i8[::1]))
def survey_seen(s, seat, features, n_features, unseen, worst, links, link_fits, entries, points):
    """Write what :func:`survey` writes about the given occupied features.

    :func:`look_around` must have run; for monasteries and gardens, ``worst`` is written here.
    ``points`` contains every seat's points; the game must not be over.
    """
    time = time_of(s, N_TIMES)
    strengths = room_for(MAX_PLAYERS)
    n = 0
    for k in range(n_features):
        feature = features[k]
        relation = stand(s, feature, seat, strengths)
        entry = s.features[feature].figure
        kind = s.features[feature].kind
        if kind == Kind.MONASTERY or kind == Kind.GARDEN:
            worst[entry] = worst_around(s, feature, unseen)
        if relation != NOBODY:
            add_claims(s, feature, winners(s, feature, strengths), points)
            n += add_feature(
                s,
                feature,
                relation,
                time,
                worst[entry],
                links[entry],
                link_fits[entry],
                entries[n:],
            )
            n += feature_surveyed(s, feature, seat, relation * N_TIMES + time, entries[n:])
        n += add_special(s, feature, seat, time, fit_step(worst[entry]), entries[n:])
    end_projected(s, points)
    n += add_supplies(s, seat, entries[n:])
    n += game_surveyed(s, seat, time, entries[n:])
    who = s.decider != seat
    entries[n] = PHASE + (who * N_PHASES + s.phase) * 5 + time // 2
    return n + 1


@kernel(void(State, i8[::1]))
def write_scores(s, points):
    """Write every seat's score."""
    for k in range(s.rules.n_players):
        points[k] = s.players[k].score


@kernel(i8(State, i8, i8[::1], i8[::1]))
def survey(s, seat, entries, points):
    """Write a state's entries for a seat, and the points that every seat would score now.

    Returns the number of entries. ``entries`` must have room for ``MAX_ENTRIES``, and ``points``
    for all seats. A game that is over has no entries.
    """
    write_scores(s, points)
    if s.phase == Phase.GAME_OVER:
        return 0
    unseen = room_for(UNSEEN_ROOM)
    count_unseen(s, unseen)
    worst, links, link_fits = room_for(MAX_FIGURES), room_for(MAX_FIGURES), room_for(MAX_FIGURES)
    worst[:], links[:], link_fits[:] = PLENTY, NO_LINK, 0
    look_around(s, seat, unseen, worst, links, link_fits)
    features = room_for(MAX_FIGURES)
    n = occupied_features(s, features)
    return survey_seen(s, seat, features, n, unseen, worst, links, link_fits, entries, points)


@kernel(i8(State, i8, i8[::1]))
def lead_as_paid(s, seat, points):
    """Return a seat's lead in the given points once promised points have been paid."""
    points_compared(s, points)
    return lead_of(s, seat, points)


def starting_weights() -> npt.NDArray[np.float32]:
    """Return initial weights with some basic knowledge, such as the value of figures in hand."""
    starts = (np.broadcast_to(np.asarray(table.start, np.float32), table.sizes) for table in LAYOUT)
    return np.concatenate([start.ravel() for start in starts])

"""What the learned value sees: indices of table entries, one or more for each thing in play.

Every table is a block of the weights. ``survey`` writes the indices of all entries that a state has
for a seat, and what everybody would score now; the value is the lead plus the sum of the weights.
"""

from math import prod

import numpy as np
import numpy.typing as npt

from carc_env.engine.compiler.jit import i8, kernel, void
from carc_env.engine.compiler.memory import room_for
from carc_env.engine.core.board import N_NEIGHBOURS, N_SIDES, edge_at, neighbour
from carc_env.engine.core.codes import (
    EDGE_CITY,
    EDGE_ROAD,
    FIRST_GOOD,
    MAX_PLAYERS,
    N_FIGURES,
    N_GOODS,
    Figure,
    Kind,
    Phase,
    Stock,
)
from carc_env.engine.core.features import (
    cell_of,
    centre_at,
    feature_of,
    is_complete,
    kind_of,
    segment_beside,
    shared_beside,
    tile_of,
)
from carc_env.engine.core.figures import figure_kind, figure_strength, seat_of
from carc_env.engine.core.moments import break_tie, end_projected
from carc_env.engine.core.rivals import building_at, rival_of
from carc_env.engine.core.scoring import occupied_features
from carc_env.engine.core.state import MAX_FIGURES, NO_DESIGN, NO_FIGURE, NO_SEAT, NO_SEGMENT, State
from carc_env.engine.core.tiles import CITIES_TOUCHED, N_DESIGNS, TILE_ID
from carc_env.engine.flow.standings import add_claims, lead_of
from carc_env.search import threats
from carc_env.search.fit import UNSEEN_ROOM, count_unseen, n_fitting
from carc_env.search.threats import N_TIMES
from carc_env.sets.hills_sheep.hills.kernels import n_on_hills, n_vineyards
from carc_env.sets.hills_sheep.hills.record import NO_HILLS
from carc_env.sets.hills_sheep.shepherd.kernels import flock_points, n_open_halves, pasture_of
from carc_env.sets.king_robber.record import NO_MARKERS
from carc_env.sets.traders.pigs.kernels import has_pig_herd

VERSION = 2
"""Of the tables: weights of another one mean something else."""
N_FINE_TIMES = 20
N_FITS = 6
N_PHASES = len(Phase)
MAX_SHOWN = 2 * N_SIDES
"""Roads and cities that can show to a cell: two at a side that cities share (HS-40)."""
N_FLOCKS = 12
"""Sizes of flocks, from no sheep; the last one stands for all larger ones."""
N_ROOMS = 5
"""Steps of the room that a flock's field has to grow."""
FREE_BUILDING, NEARER, AS_NEAR, FARTHER = range(4)
"""What the rival of a building is: unoccupied, or how near its completion, compared to it."""
ALONE, AHEAD, TIED, BEHIND, RIVAL, NOBODY = range(6)
"""How a seat stands on a feature; those before NOBODY are indices."""
N_RELATIONS = 5
NO_LINK, FREE_LINK, OWN_LINK, RIVAL_LINK = range(4)
"""The best that a feature can be joined with at an open cell, seen from the seat."""

TABLES = {
    "city": (2, N_RELATIONS, N_TIMES, 8, 3, 6, N_FITS),
    "city_link": (N_RELATIONS, N_TIMES, 3, 4, N_FITS),
    "road": (2, N_RELATIONS, N_TIMES, 7, 3, N_FITS),
    "road_link": (N_RELATIONS, N_TIMES, 3, 4, N_FITS),
    "centre": (2, N_RELATIONS, N_TIMES, 9, N_FITS),
    "field": (N_RELATIONS, N_TIMES, 8, 4),
    "field_growth": (N_RELATIONS, N_TIMES, 4, 5),
    "meeples": (2, N_FINE_TIMES, 8, 2),
    "figures": (2, N_FIGURES, N_TIMES, 2),
    "special": (N_FIGURES, 2, N_TIMES, 3, N_FITS),
    "stock": (2, 3, N_TIMES, 5),
    "goods": (N_GOODS, N_TIMES, 9, 4),
    "markers": (2, 3, N_TIMES, 6),
    "castle": (N_RELATIONS, N_TIMES),
    "lots": (3, N_DESIGNS),
    "phase": (2, N_PHASES, 5),
    "flock": (2, N_TIMES, N_FLOCKS),
    "pasture": (2, N_TIMES, N_ROOMS, 4),
    "hill": (N_RELATIONS, N_TIMES, 4, 3),
    "challenge": (N_RELATIONS, N_TIMES, 9, 4),
    "vineyard": (N_RELATIONS, N_TIMES, 9, 3),
    "pig_herd": (N_RELATIONS, N_TIMES, 4, 5),
    **threats.TABLES,
}
"""Each table with the sizes of its indices."""
LABELS: dict[str, tuple[int, list[str]]] = {
    "figures": (1, [figure.name for figure in Figure]),
    "special": (0, [figure.name for figure in Figure]),
    "lots": (1, [*TILE_ID]),
    "phase": (1, [phase.name for phase in Phase]),
}
"""Table -> an index that grows with new systems, and what its numbers stand for."""

_sizes = [prod(sizes) for sizes in TABLES.values()]
OFFSETS = dict(zip(TABLES, (sum(_sizes[:k]) for k in range(len(_sizes))), strict=True))
N_WEIGHTS = sum(_sizes)
MAX_ENTRIES = 5 * MAX_FIGURES + MAX_PLAYERS * (N_FIGURES + 5) + 24 + threats.MAX_ENTRIES
"""Room for the entries of a state."""

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
    GOODS,
    MARKERS,
    CASTLE,
    LOTS,
    PHASE,
    FLOCK,
    PASTURE,
    HILL,
    CHALLENGE,
    VINEYARD,
    PIG_HERD,
    THREATS,
    *_,
) = OFFSETS.values()

_PLENTY = 10**6
MEEPLE_PRICE = 6.0
"""Points that a meeple in hand is worth at the start, before anything is learned."""
SHEEP_PRICE = 0.8
"""Points that a sheep in a flock is worth until the end, before anything is learned."""


@kernel(i8(State, i8))
def time_of(s, n):
    """Return how much of the game is left in n steps, 0 at its end."""
    return min(n - 1, n * s.n_bag // (s.n_bag + s.n_tiles))


@kernel(i8(i8))
def fit_step(n):
    """Return a number of fitting tiles in steps: 0, 1, 2 to 3, 4 to 7, 8 to 15, more."""
    if n < 2:
        return n
    if n < 8:
        return 2 if n < 4 else 3
    return 4 if n < 16 else 5


@kernel(i8(State, i8, i8, i8[::1]))
def stand(s, feature, seat, strengths):
    """Write the strengths of all seats on a feature; return how a seat stands there."""
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
    """Return the seats with the majority on a feature as bits."""
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
    """Return what it means for a seat to join with a feature."""
    if s.features[feature].figure == NO_FIGURE:
        return FREE_LINK
    return OWN_LINK if seat_of(s.features[feature].figure) == seat else RIVAL_LINK


@kernel(void(State, i8, i8[::1], i8[::1], i8[::1], i8[::1]))
def look_around(s, seat, unseen, worst, links, link_fits):
    """Write for each occupied road and city, by its entry figure, its worst cell and best link.

    ``worst`` is the least number of tiles that fit an open cell; ``links`` what else of its kind
    shows to one of these, and ``link_fits`` how many tiles fit there.
    """
    features = room_for(MAX_SHOWN)
    for f in range(s.n_frontier):
        edges, cell = s.frontier[f].edges, s.frontier[f].cell
        n, n_fit = 0, -1
        for side in range(N_SIDES):
            edge = edge_at(edges, side)
            if edge == EDGE_CITY or edge == EDGE_ROAD:
                segment = segment_beside(s, cell, side)
                if segment != NO_SEGMENT:
                    features[n] = feature_of(s, segment)
                    n += 1
                if s.rules.hills != NO_HILLS:
                    segment = shared_beside(s, cell, side)
                    if segment != NO_SEGMENT:
                        features[n] = feature_of(s, segment)
                        n += 1
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
    """Return the least number of tiles that fit an empty cell around a monastery or garden."""
    cell = cell_of(s, feature)
    least = _PLENTY
    for i in range(N_NEIGHBOURS):
        near = s.board[neighbour(cell, i)]
        if near < 0:
            least = min(least, n_fitting(unseen, s.frontier[-near - 1].edges))
    return least


@kernel(i8(State, i8))
def cities_to_come(s, field):
    """Return how many cities beside a field are still open, up to 4."""
    found = room_for(4)
    n = 0
    segment = field
    while True:
        tile = s.tiles[tile_of(s, segment)]
        city = tile.first_segment
        touched = CITIES_TOUCHED[tile.design, segment - city]
        while touched != 0:
            if touched & 1:
                beside = feature_of(s, city)
                if kind_of(s, city) == Kind.CITY and not is_complete(s, beside):
                    is_new = True
                    for k in range(n):
                        is_new &= found[k] != beside
                    if is_new:
                        found[n] = beside
                        n += 1
                        if n == 4:
                            return n
            touched >>= 1
            city += 1
        segment = s.segments[segment].next
        if segment == field:
            return n


@kernel(i8(State, i8, i8, i8, i8, i8[::1]))
def add_special(s, feature, seat, time, fit, entries):
    """Write an entry for each figure on a feature that is no meeple; return how many.

    In a field the cities beside it stand where others have what fits.
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
    """Write the entries of an occupied feature; return how many."""
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
    if kind == Kind.CASTLE:
        entries[0] = CASTLE + spread
        return 1
    is_abbot = figure_kind(found.figure) == Figure.ABBOT
    index = (is_abbot * N_RELATIONS * N_TIMES + spread) * 9 + found.n_open
    entries[0] = CENTRE + index * N_FITS + fit
    return 1


@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_hill(s, feature, seat, spread, entries):
    """Write the entry of an occupied feature for who stands on its hills; return how many."""
    own, rival = n_on_hills(s, feature, seat) > 0, False
    for other in range(s.rules.n_players):
        rival |= other != seat and n_on_hills(s, feature, other) > 0
    kind = s.features[feature].kind
    if not (own or rival) or kind > Kind.MONASTERY:
        return 0
    entries[0] = HILL + (spread * 4 + kind - 1) * 3 + own + 2 * rival - 1
    return 1


@kernel(i8(State, i8, i8, i8[::1]))
def add_challenge(s, feature, spread, entries):
    """Write the entry of an occupied building beside a rival; return how many (CULT-06)."""
    cell, n_open = cell_of(s, feature), s.features[feature].n_open
    rival = rival_of(building_at(s, cell))
    for i in range(N_NEIGHBOURS):
        near = neighbour(cell, i)
        if building_at(s, near) == rival:
            other = s.features[centre_at(s, near)]
            if other.n_open == 0:
                return 0
            state = FREE_BUILDING
            if other.figure != NO_FIGURE:
                state = NEARER + (other.n_open >= n_open) + (other.n_open > n_open)
            entries[0] = CHALLENGE + (spread * 9 + n_open) * 4 + state
            return 1
    return 0


@kernel(i8(State, i8, i8, i8, i8[::1]))
def add_setting(s, feature, seat, spread, entries):
    """Write the entries of what surrounds an occupied feature, if it matters; return how many.

    Hills, rivals of shrines and monasteries, vineyards, the pig-herd.
    """
    kind, n = s.features[feature].kind, 0
    if s.rules.hills != NO_HILLS:
        n += add_hill(s, feature, seat, spread, entries)
    if kind == Kind.MONASTERY and s.rules.rivals != 0:
        n += add_challenge(s, feature, spread, entries[n:])
    if kind == Kind.MONASTERY and s.rules.vineyards != 0:
        n_near = n_vineyards(s, feature)
        if n_near > 0:
            index = spread * 9 + s.features[feature].n_open
            entries[n] = VINEYARD + index * 3 + min(n_near, 3) - 1
            n += 1
    if kind == Kind.FIELD and s.rules.pig_herd != 0 and has_pig_herd(s, feature):
        index = spread * 4 + min(s.features[feature].shields, 3)
        entries[n] = PIG_HERD + index * 5 + cities_to_come(s, feature)
        n += 1
    return n


@kernel(i8(State, i8, i8[::1]))
def add_supplies(s, seat, entries):
    """Write the entries of what everybody has in hand; return how many."""
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


@kernel(i8(State, i8, i8, i8[::1]))
def add_goods(s, seat, time, entries):
    """Write the entries of trade goods: how far ahead, and how many are still to come."""
    for good in range(N_GOODS):
        own, rival, n_taken = s.players[seat].stock[FIRST_GOOD + good], 0, 0
        for other in range(s.rules.n_players):
            count = s.players[other].stock[FIRST_GOOD + good]
            n_taken += count
            if other != seat:
                rival = max(rival, count)
        lead = min(max(own - rival, -4), 4) + 4
        entries[good] = GOODS + ((good * N_TIMES + time) * 9 + lead) * 4 + min(n_taken // 2, 3)
    return N_GOODS


@kernel(i8(State, i8, i8, i8[::1]))
def add_markers(s, seat, time, entries):
    """Write the entries of King and Robber: who has them."""
    for k in range(2):
        holder = 2
        for other in range(s.rules.n_players):
            if s.players[other].stock[Stock.KING + k] != 0:
                holder = other != seat
        entries[k] = MARKERS + ((k * 3 + holder) * N_TIMES + time) * 6
    return 2


@kernel(i8(State, i8))
def room_to_grow(s, field):
    """Return in steps at how many half sides a field is open: 0, 1 to 2, 3 to 5, 6 to 9, more."""
    n, segment = 0, field
    while n < 10:
        n += n_open_halves(s, segment)
        segment = s.segments[segment].next
        if segment == field:
            break
    return (n > 0) + (n > 2) + (n > 5) + (n > 9)


@kernel(i8(State, i8, i8, i8[::1]))
def add_flocks(s, seat, time, entries):
    """Write the entries of flocks: how many sheep each owner could herd now, and room to grow."""
    n = 0
    for other in range(s.rules.n_players):
        index, points = (other != seat) * N_TIMES + time, flock_points(s, other)
        entries[n] = FLOCK + index * N_FLOCKS + min(points, N_FLOCKS - 1)
        n += 1
        field = pasture_of(s, other)
        if field != NO_SEGMENT:
            index = index * N_ROOMS + room_to_grow(s, field)
            entries[n] = PASTURE + index * 4 + min(points // 3, 3)
            n += 1
    return n


@kernel(i8(State, i8, i8[::1]))
def add_lots(s, seat, entries):
    """Write the entries of the tiles on offer that were turned up: whose they are."""
    n = 0
    if s.bazaar.waits != 0 or s.bazaar.starter == NO_SEAT:
        return 0
    for k in range(s.rules.n_players):
        lot = s.bazaar.lots[k]
        if lot.design != NO_DESIGN:
            owner = lot.owner
            if k == s.bazaar.lot and s.bazaar.bidder != NO_SEAT:
                owner = s.bazaar.bidder
            whose = 2
            if owner != NO_SEAT:
                whose = owner != seat
            entries[n] = LOTS + whose * N_DESIGNS + lot.design
            n += 1
    return n


@kernel(i8(State, i8, i8[::1], i8[::1]))
def survey(s, seat, entries, points):
    """Write the entries of a state for a seat, and what everybody would score now.

    Returns how many entries; ``entries`` is room for ``MAX_ENTRIES``, ``points`` for all seats. A
    game that is over has none.
    """
    for k in range(s.rules.n_players):
        points[k] = s.players[k].score
    if s.phase == Phase.GAME_OVER:
        return 0
    unseen = room_for(UNSEEN_ROOM)
    count_unseen(s, unseen)
    worst, links, link_fits = room_for(MAX_FIGURES), room_for(MAX_FIGURES), room_for(MAX_FIGURES)
    worst[:], links[:], link_fits[:] = _PLENTY, NO_LINK, 0
    look_around(s, seat, unseen, worst, links, link_fits)
    time = time_of(s, N_TIMES)
    features, strengths = room_for(MAX_FIGURES), room_for(MAX_PLAYERS)
    n = 0
    for k in range(occupied_features(s, features)):
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
            n += add_setting(s, feature, seat, relation * N_TIMES + time, entries[n:])
        n += add_special(s, feature, seat, time, fit_step(worst[entry]), entries[n:])
    end_projected(s, points)
    n += add_supplies(s, seat, entries[n:])
    if s.rules.goods != 0:
        n += add_goods(s, seat, time, entries[n:])
    if s.rules.king_robber != NO_MARKERS:
        n += add_markers(s, seat, time, entries[n:])
    if s.rules.bazaars > 0:
        n += add_lots(s, seat, entries[n:])
    if s.rules.owned[Figure.SHEPHERD] > 0:
        n += add_flocks(s, seat, time, entries[n:])
    first = n
    n += threats.add_threats(s, seat, time, entries[n:])
    for k in range(first, n):
        entries[k] += THREATS
    who = s.decider != seat
    entries[n] = PHASE + (who * N_PHASES + s.phase) * 5 + time // 2
    return n + 1


@kernel(i8(State, i8, i8[::1]))
def lead_as_paid(s, seat, points):
    """Return by how many of these points a seat is ahead, once the highest bid is paid."""
    if s.bazaar.bidder != NO_SEAT:
        points[s.bazaar.bidder] -= s.bazaar.price
    return lead_of(s, seat, points)


def starting_weights() -> npt.NDArray[np.float32]:
    """Weights that know little: figures in hand and sheep are worth something until the end."""
    weights = np.zeros(N_WEIGHTS, np.float32)
    sizes = TABLES["meeples"]
    meeples = weights[MEEPLES : MEEPLES + prod(sizes)].reshape(sizes)
    time, n_in_hand = np.ogrid[: sizes[1], : sizes[2]]
    price = MEEPLE_PRICE * n_in_hand * (time + 0.5) / sizes[1]
    meeples[0], meeples[1] = price[..., None], -price[..., None]
    flocks = weights[FLOCK:PASTURE].reshape(TABLES["flock"])
    flocks[0, 1:], flocks[1, 1:] = (
        SHEEP_PRICE * np.arange(N_FLOCKS),
        -SHEEP_PRICE * np.arange(N_FLOCKS),
    )
    return weights

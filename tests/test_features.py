"""The encoding ``features``: its numbers agree with the naive oracle, its links with the tiles."""

from dataclasses import replace

import numpy as np
import pytest

from carc_env import Kind, Rules, Spot, Table
from carc_env.layout.encodings import make_encoding
from carc_env.layout.observations import feature_names, max_links
from carc_env.systems import figures_in_play
from tests.oracle import hills, naive
from tests.oracle.board import features_without_lords, occupied_cells
from tests.oracle.tiles import HALVES, SIDES, across, segments_of

RULES = {
    "base": Rules(n_players=3),
    "abbey-mayor": Rules.preset("abbey-mayor", n_players=4, view=20),
    "bridges": Rules.preset("bridges", n_players=2),
    "big-box": Rules.preset("big-box", n_players=2),
    "hills-sheep": Rules.preset("hills-sheep", n_players=2),
    "tunnel": Rules.preset("tunnel", n_players=2),
    "russian-promos": Rules.preset("russian-promos", n_players=2),
    "all": Rules.preset("all", n_players=3),
}
BIT = {spot: k for k, spot in enumerate((*SIDES, *HALVES, "mid"))}
"""Bit of each place in a link."""


def open_sides(position, feature):
    """Count the open sides of a road or city, or the empty cells around a building."""
    occupied = occupied_cells(position)
    if feature.kind in (Kind.MONASTERY, Kind.GARDEN):
        return len(feature.faces - occupied)
    return sum(
        across(segment.x, segment.y, side)[:2] not in occupied
        for tile in position.tiles
        for segment in segments_of(tile)
        if segment.place in feature.segments
        for side in segment.at
    )


def worth_complete(position, feature):
    """Return a feature's worth if it were complete, a building surrounded by tiles."""
    if feature.kind in (Kind.ROAD, Kind.CITY):
        return naive.value(position, replace(feature, is_complete=True), True)
    if feature.kind not in (Kind.MONASTERY, Kind.GARDEN):
        return naive.value(position, feature, True)
    now = naive.surrounded_points(position, feature)
    is_hut = naive.russian_promos.is_hut(position, *[tuple(next(iter(feature.tiles)))])
    then = 1 if is_hut else 9
    vines = feature.kind == Kind.MONASTERY and not is_hut
    more = hills.vineyard_points(position, replace(feature, is_complete=True)) if vines else 0
    before = hills.vineyard_points(position, feature) if vines else 0
    return naive.value(position, feature, True) - now - before + then + more


def expected(position, feature, seat):
    """Return the row of a feature for an observer, computed by the oracle."""
    rules, is_field = position.rules, feature.kind == Kind.FIELD
    is_built = feature.kind in (Kind.ROAD, Kind.CITY)
    row = dict.fromkeys(feature_names(rules), 0)
    row[feature.kind.name.lower()] = 1
    row["complete"] = feature.is_complete
    row["worth"] = naive.value(position, feature, True)
    row["worth complete"] = worth_complete(position, feature)
    row["tiles"] = len(feature.segments if is_field else feature.tiles)
    if is_field:
        complete = sum(city.is_complete for city in feature.cities)
        row["castles"] = sum(city.kind == Kind.CASTLE for city in feature.cities)
        row["unfinished"] = len(feature.cities) - complete - row["castles"]
        row["cities"] = complete + feature.is_below_walls
    elif feature.kind in (*(Kind.ROAD, Kind.CITY), Kind.MONASTERY, Kind.GARDEN):
        row["open"] = open_sides(position, feature)
        row["bonus"] = is_built and naive.counts_extra(position, feature)
        row["shields"] = feature.coats
    leaders = naive.majority(feature)
    for k in range(rules.n_players):
        other = (seat + k) % rules.n_players
        own = [figure for figure in feature.figures if figure.seat == other]
        row[f"leads {k}"] = other in leaders
        counted = [figure for figure in feature.meeples if figure.seat == other]
        row[f"strength {k}"] = sum(naive.strength(figure, feature) for figure in counted)
        for figure in figures_in_play(rules):
            row[f"{figure.name.lower()}s {k}"] = sum(one.figure == figure for one in own)
    return {name: min(255, int(n)) for name, n in row.items()}


def check(table, seat):
    """Compare all features and links of an observation with the oracle; return the kinds seen."""
    position, names = table.position(), feature_names(table.rules)
    seen = table.observe(seat, "features")
    n, n_links = int(seen["n_features"][0]), int(seen["n_links"][0])
    rows, links = seen["features"], seen["links"]
    assert not rows[n:].any() and (links[n_links:] == -1).all()
    found = features_without_lords(position)
    assert n == len(found)
    assert n_links == sum(len(feature.segments) for feature in found) <= max_links(table.rules)
    assert sorted({*links[:n_links, 1].tolist()}) == [*range(n)]
    first = [links[:n_links, 1].tolist().index(row) for row in range(n)]
    assert first == sorted(first)
    at = {(tile.x, tile.y): k for k, tile in enumerate(position.tiles)}
    rows_of = {}
    for tile, row, places in links[:n_links].tolist():
        rows_of |= {(tile, k): row for k in range(len(BIT)) if places >> k & 1}
    for feature in found:
        numbered = {
            rows_of[at[x, y], BIT[spot.name]] for x, y, spot in feature.segments if spot.name in BIT
        }
        if not numbered:
            continue  # enclosed by its tile, or of ``Kind.LINES``
        (row,) = numbered
        shown = dict(zip(names, rows[row].tolist(), strict=True))
        wanted = expected(position, feature, seat)
        if table.rules.tunnels or table.rules.ferries:
            shown["open"] = wanted["open"]  # ends at tunnel mouths and lakes are open, too
        odd = {name: (shown[name], n) for name, n in wanted.items() if shown[name] != n}
        assert not odd, (odd, feature)
    return {feature.kind for feature in found}


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_features_and_links_agree_with_the_naive_oracle(rules, n_games):
    kinds = set()
    for seed in range(n_games(2)):
        table = Table(rules, seed=seed)
        while not table.is_over:
            if len(table.position().tiles) % 9 == 0:
                kinds |= check(table, seat=table.decider)
            table.step(table.random_action() if seed else table.greedy_action())
        kinds |= check(table, seat=1)
    assert kinds >= {Kind.FIELD, Kind.ROAD, Kind.CITY, Kind.MONASTERY}


@pytest.mark.interpreted
def test_the_features_of_a_known_position():
    table = Table(Rules(), seed=1)
    table.step(table.legal_actions()[0])
    seen = table.observe(0, make_encoding(table.rules, "features"))
    assert seen["n_links"][0] >= seen["n_features"][0] >= 4
    assert (seen["tokens"] == table.observe(0, "tokens")["tokens"]).all()
    kinds = feature_names(table.rules)[:7]
    assert (seen["features"][: seen["n_features"][0], : len(kinds)].sum(1) == 1).all()
    assert Spot.mid.name in BIT and np.array_equal(seen["links"][0], [0, 0, 1])

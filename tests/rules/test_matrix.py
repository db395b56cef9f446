"""The first table of docs/rules/figures.md, row by row: which figures may stand where."""

import re
from itertools import product

import pytest

from carc_env.engine.core.codes import Figure, Phase
from carc_env.rules import Rules
from tests.oracle.tiles import FACTS

from .figures_page import WHO_MAY_STAND
from .looks import figures, in_supply, names, offered, sides_with
from .positions import START_LINE, Table, first_place
from .scenario import EXTRA_SHRINE, RIVER, TILES, play

EVERYTHING = Rules.preset("all", shepherds=True, phantom=True, auto_single=False)

TABLE = Table(
    "large_meeples: true, builders: true, pigs: true, mayors: true, wagons: true, barns: true, "
    "siege_tiles: both, rose_start: shuffled, crop_circle_tiles: both, special_monasteries: add",
    sets=", ".join(name for name in TILES if name not in ("river1", "river2", "count")),
)


def position(tiles, turn="A acts"):
    return f"""
        [carc_env position 1]
        [rules {EVERYTHING.to_yaml()}]
        [scores 0:0]
        [turn {turn}]
        {tiles}
        """


NEVER_FRESH = {*TILES["river1"], *TILES["river2"], *TILES["count"], EXTRA_SHRINE}
FRESH_TILES = [tile for tiles in TILES.values() for tile in tiles if tile not in NEVER_FRESH]


@pytest.mark.rule("GAR-01", "ABT-03", "MAY-02", "WAG-03", "INN-01", "INN-09", "TRA-05", "TRA-12")
@pytest.mark.parametrize("tile", FRESH_TILES)
def test_wag_02_where_the_figures_go_on_a_fresh_tile(tile):
    facts = FACTS[tile]
    rules = "" if facts["n"]["C2"] else "edition: C1, abbot: false"
    game = TABLE.played(START_LINE, turn=f"A places {tile}", rules=rules)
    game.apply(first_place(game))
    spots = offered(game, "meeple")
    is_monastic = any(word in tile for word in ("monastery", "shrine", "church", "hut"))
    assert ("mid" in spots) == is_monastic
    is_special = tile.startswith("mo-")
    assert ("lying" in spots) == is_special  # MON-03
    assert offered(game, "large") == spots != set()
    assert offered(game, "mayor") == spots & sides_with(game, "C")
    assert bool(offered(game, "mayor")) == ("C" in facts["edges"])
    roads_and_cities = spots & (sides_with(game, "R") | sides_with(game, "C"))
    assert offered(game, "wagon") == roads_and_cities | (spots & {"mid", "lying"})
    assert offered(game, "wagon") == spots & {"N", "E", "S", "W", "mid", "lying"}
    has_place = (is_monastic or "garden" in tile) and not rules
    lying = {"lying"} if is_special else set()
    assert offered(game, "abbot") == ({"mid"} | lying if has_place else set())
    assert offered(game, "builder") == offered(game, "pig") == offered(game, "barn") == set()


#: The river, which is on the board before all other tiles: at (0, 0) and to the west.
AFTER_THE_RIVER = "\n".join(RIVER) + "\n"

#: Kind of place -> the tiles already there, with figures on the same feature, the move that creates
#: the place, and the spot that names it.
PLACES = {
    "road": ("bg-monastery-road 0,1 r3: {on} S", "bg-straight 0,2 r1", "N"),
    "bridge": ("bg-monastery-road 0,1 r3: {on} S", "bg-monastery 0,2 r0", "N"),
    "city": ("bg-cap 0,1 r2: {on} S", "bg-span 0,2 r0", "N"),
    "field": ("bg-cap 0,1 r3: {on} Nw", "bg-monastery 0,2 r0", "Nw"),
    "point": (
        "bg-monastery 1,0 r0: {on} Nw\nbg-cap 1,1 r2",
        "bg-monastery 0,1 r0",
        "NE",
    ),
    "monastery": ("", "bg-monastery 0,1 r0", "mid"),
    "garden": ("", "bg-cap-garden 0,1 r2", "mid"),
    "abbey": (
        "bg-monastery 1,0 r0\nbg-cap 1,1 r1\nbg-monastery -1,1 r0\nbg-cap -1,2 r2\nbg-cap 0,2 r2",
        "am-abbey 0,1 r0",
        "mid",
    ),
}
#: Kind of place -> its column on the page, if the column has another name.
COLUMN = {"bridge": "road", "abbey": "monastery", "point": "corner point"}


def may_stand(figure, place):
    """Return the entry of the table on the page: free, own, any or no."""
    return WHO_MAY_STAND[figure][COLUMN.get(place, place)]


def stage(place, on=None):
    """Let A place the tile with the place, free or occupied; return the game and the spot."""
    tiles, move, spot = PLACES[place]
    tiles = tiles.format(on=on) if on else re.sub(r": \{on\} \w+", "", tiles)
    begins = "begins" if place == "abbey" else f"places {move.split()[0]}"
    return play(position(AFTER_THE_RIVER + tiles, turn=f"A {begins}"), move), spot


@pytest.mark.rule(
    "ABT-03",
    "MAY-02",
    "WAG-02",
    "WAG-03",
    "BARN-03",
    "TRA-05",
    "TRA-12",
    "BRI-11",
    "ABB-21",
    "INN-01",
    "XW-15",
)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("figure", WHO_MAY_STAND)
def test_gar_01_who_may_stand_on_what_is_free(figure, place):
    game, spot = stage(place)
    assert (f"{figure} {spot}" in names(game)) == (may_stand(figure, place) in ("free", "any"))


@pytest.mark.rule("TRA-12", "BARN-06", "BASE-06", "MAY-02")
@pytest.mark.parametrize("owner", ["A", "B"])
@pytest.mark.parametrize(("figure", "place"), list(product(WHO_MAY_STAND, list(PLACES)[:5])))
def test_tra_05_who_may_stand_where_somebody_stands(figure, place, owner):
    game, spot = stage(place, on=f"{owner} meeple")
    allowed = ("own", "any") if owner == "A" else ("any",)
    assert (f"{figure} {spot}" in names(game)) == (may_stand(figure, place) in allowed)


@pytest.mark.rule("TRA-12", "TRA-16", "MAY-15")
@pytest.mark.parametrize(
    ("place", "on", "figure", "may"),
    [
        ("road", "A wagon", "builder", True),
        ("road", "A large", "builder", True),
        ("city", "A mayor", "builder", True),
        ("city", "A wagon", "builder", True),
        ("city", "B meeple S, A large", "builder", True),
        ("city", "B mayor", "builder", False),
        ("field", "A large", "pig", True),
        ("field", "B meeple Nw, A meeple", "pig", True),
        ("field", "B large", "pig", False),
    ],
)
def test_tra_05_which_companion_a_builder_or_pig_needs(place, on, figure, may):
    game, spot = stage(place, on=on)
    assert (f"{figure} {spot}" in names(game)) == may


#: A's town without its second half.
TOWN = AFTER_THE_RIVER + "bg-cap 0,1 r2: A {lord} S"
LORDS = [figure for figure, row in WHO_MAY_STAND.items() if row["lord of a castle"] == "yes"]


@pytest.mark.rule("CAS-32", "CAS-42", "WAG-19")
@pytest.mark.parametrize("lord", LORDS)
@pytest.mark.parametrize("companion", ["", ", A builder S"])
def test_cas_07_who_may_become_the_lord_of_a_castle(lord, companion):
    tiles = TOWN.format(lord=lord) + companion
    game = play(position(tiles, turn="A places bg-cap"), "bg-cap 0,2 r0", "pass")
    if lord != "phantom":  # PHA-03
        game.apply("pass")
    assert (game.phase, game.decider, names(game)) == (Phase.CASTLE, 0, {"castle", "score"})
    game.apply("castle")
    assert figures(game) == {f"A {lord} 0,1 S"}
    assert in_supply(game, "A", Figure.BUILDER) == 1
    assert len(game.position().castles) == 1


#: Features of one or more segments with figures, the spot of the figures, and the final value of
#: each feature; the city has two coats of arms.
COATS = 2
STRENGTHS = {
    "city": ("bg-cap 0,1 r2: {on}\nam-city4-two-shields 0,2 r0", "S", 4),
    "road": ("bg-monastery-road 0,1 r3: {on}\nbg-straight 0,2 r1", "S", 2),
    "monastery": ("bg-monastery 0,1 r0: {on}", "mid", 3),
    "field": ("bg-cap 0,1 r2: {on}\nbg-cap 0,2 r0", "Nw", 3),
}


@pytest.mark.rule("BASE-17", "INN-01", "MAY-05", "ABT-17", "WAG-01", "TRA-05", "TRA-12")
@pytest.mark.parametrize("n_others", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("place", "own"),
    [
        *product(STRENGTHS, ["meeple", "large"]),
        *product(["city", "road", "monastery"], ["wagon"]),
        *product(["city"], ["mayor", "meeple builder", "mayor builder"]),
        ("monastery", "abbot"),
        ("road", "wagon builder"),
        ("field", "meeple pig"),
    ],
)
def test_base_16_how_strong_every_figure_is(place, own, n_others):
    tiles, spot, points = STRENGTHS[place]
    on_page = [WHO_MAY_STAND[figure]["strength"] for figure in own.split()]
    strength = sum(COATS if words == "coats of arms" else int(words) for words in on_page)
    on = [f"A {figure} {spot}" for figure in own.split()] + [f"B meeple {spot}"] * n_others
    game = play(position(AFTER_THE_RIVER + tiles.format(on=", ".join(on))))
    mine = points + ("pig" in own)
    assert game.standings == (
        mine if strength >= n_others else 0,
        points if 0 < n_others >= strength else 0,
    )

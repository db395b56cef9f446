"""The tables of docs/rules/figures.md, line by line: who may stand where, what a field is worth."""

import re
from itertools import product

import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.rules import Rules

from .figures_page import WHO_MAY_STAND
from .scenario import (
    RIVER,
    figures,
    in_supply,
    names,
    play,
    play_to_the_end,
    score_log,
)

EVERYTHING = Rules.preset("all", auto_single=False)


def position(tiles, turn="A acts", rules=EVERYTHING, headers=""):
    return f"""
        [carc_env position 1]
        [rules {rules.to_yaml()}]
        [scores 0:0]
        [turn {turn}]
        {headers}
        {tiles}
        """


# Who may stand where.

#: What follows the river: its tiles are at (0, 0) and in the west.
AFTER_THE_RIVER = "\n".join(RIVER) + "\n"

#: A kind of place -> the tiles before, with figures on the same feature, the move that brings the
#: place, and the spot that names it.
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
#: A kind of place -> its column on the page, where it has another name.
COLUMN = {"bridge": "road", "abbey": "monastery", "point": "corner point"}


def may_stand(figure, place):
    """What the page says: free, own, any or no."""
    return WHO_MAY_STAND[figure][COLUMN.get(place, place)]


def stage(place, on=None):
    """A has just placed the tile that has the place, which is free or has figures."""
    tiles, move, spot = PLACES[place]
    tiles = tiles.format(on=on) if on else re.sub(r": \{on\} \w+", "", tiles)
    begins = "begins" if place == "abbey" else f"places {move.split()[0]}"
    return play(position(AFTER_THE_RIVER + tiles, turn=f"A {begins}"), move), spot


@pytest.mark.rule(
    "GAR-01",
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
)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("figure", WHO_MAY_STAND)
def test_gar_01_who_may_stand_on_what_is_free(figure, place):
    game, spot = stage(place)
    assert (f"{figure} {spot}" in names(game)) == (may_stand(figure, place) in ("free", "any"))


@pytest.mark.rule("TRA-05", "TRA-12", "BARN-06", "BASE-06", "MAY-02")
@pytest.mark.parametrize("owner", ["A", "B"])
@pytest.mark.parametrize(("figure", "place"), list(product(WHO_MAY_STAND, list(PLACES)[:5])))
def test_tra_05_who_may_stand_where_somebody_stands(figure, place, owner):
    game, spot = stage(place, on=f"{owner} meeple")
    allowed = ("own", "any") if owner == "A" else ("any",)
    assert (f"{figure} {spot}" in names(game)) == (may_stand(figure, place) in allowed)


@pytest.mark.rule("TRA-05", "TRA-12", "TRA-16", "MAY-15")
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


#: A town of A's, but for its second half.
TOWN = AFTER_THE_RIVER + "bg-cap 0,1 r2: A {lord} S"
LORDS = [figure for figure, row in WHO_MAY_STAND.items() if row["lord of a castle"] == "yes"]


@pytest.mark.rule("CAS-07", "CAS-32", "CAS-42", "WAG-19")
@pytest.mark.parametrize("lord", LORDS)
@pytest.mark.parametrize("companion", ["", ", A builder S"])
def test_cas_07_who_may_become_the_lord_of_a_castle(lord, companion):
    tiles = TOWN.format(lord=lord) + companion
    game = play(position(tiles, turn="A places bg-cap"), "bg-cap 0,2 r0", "pass")
    assert (game.phase, game.decider, names(game)) == (Phase.CASTLE, 0, {"castle", "score"})
    game.apply("castle")
    assert figures(game) == {f"A {lord} 0,1 S"}
    assert in_supply(game, "A", Figure.BUILDER) == 1
    assert len(game.position().castles) == 1


#: Features of one segment or more that hold figures, and what each is worth at the end; the city
#: has two coats of arms.
COATS = 2
STRENGTHS = {
    "city": ("bg-cap 0,1 r2: {on}\nam-city4-two-shields 0,2 r0", "S", 4),
    "road": ("bg-monastery-road 0,1 r3: {on}\nbg-straight 0,2 r1", "S", 2),
    "monastery": ("bg-monastery 0,1 r0: {on}", "mid", 3),
    "field": ("bg-cap 0,1 r2: {on}\nbg-cap 0,2 r0", "Nw", 3),
}


@pytest.mark.rule("BASE-16", "BASE-17", "INN-01", "MAY-05", "ABT-17", "WAG-01", "TRA-05", "TRA-12")
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


# What a field is worth.

FIELDS = Rules(
    sets=("base", "traders"), barns=True, pigs=True, castles=True, auto_single=False, abbot=False
)

#: A road from west to east parts two fields. The northern one touches two complete cities and a
#: castle of B's; in the south there is a point for a barn and no city.
LAND = """
    bg-cap-straight 0,0 r0: {farmers}
    bg-straight -1,0 r0
    bg-straight -2,0 r0
    bg-straight 1,0 r0
    bg-cap 0,-1 r2
    bg-cap -1,-1 r0
    bg-cap -1,-2 r2
    bg-cap 1,-1 r0: B meeple N
    bg-cap-garden 1,-2 r2
    bg-monastery 0,1 r0
    bg-monastery 1,1 r0: {barn}
    """
CASTLE = "[castles 1,-1 N]\n[tokens 3:2]"

#: Farmers and pigs of A in the northern field, and by how much they raise each city and castle.
NO_PIG, PIG = "A meeple En", "A meeple En, A pig En"


def land(farmers, barn="", turn="A acts"):
    tiles = LAND.format(farmers=farmers, barn=barn)
    tiles = "\n".join(line.rstrip().removesuffix(":") for line in tiles.splitlines())
    return position(tiles, turn=turn, rules=FIELDS, headers=CASTLE)


def of_fields(game):
    """What the last action scored for fields, in order: seat and points."""
    return [(seat, points) for seat, points, kind in score_log(game) if kind == Kind.FIELD]


@pytest.mark.rule("BARN-24", "BASE-24", "TRA-13", "CAS-28")
@pytest.mark.parametrize(
    ("farmers", "scores"),
    [
        (NO_PIG, (10, 0)),
        (PIG, (13, 0)),
        (f"{PIG}, B meeple En", (13, 10)),
        (f"{PIG}, B meeple En, B pig En", (13, 13)),
        (f"{NO_PIG}, B meeple En, B pig En", (10, 13)),
        (f"{PIG}, B meeple En, B meeple En", (0, 10)),
    ],
)
def test_barn_24_farmers_at_the_end_of_the_game(farmers, scores):
    assert play(land(farmers)).standings == scores
    assert play_to_the_end(land(farmers)).scores == scores


@pytest.mark.rule("BARN-24", "BARN-10", "BARN-23", "TRA-14", "CAS-28")
@pytest.mark.parametrize(
    ("farmers", "scores"),
    [
        (NO_PIG, (10, 0)),
        (PIG, (13, 0)),
        (f"{PIG}, B meeple En", (13, 10)),
        (f"{NO_PIG}, B meeple En, B pig En", (10, 13)),
        (f"{PIG}, B meeple En, B meeple En", (0, 10)),
    ],
)
def test_barn_24_farmers_when_a_barn_is_placed(farmers, scores):
    game = play(
        land(farmers, turn="A places bg-monastery"), "bg-monastery -2,-1 r0", "barn SE", bag=()
    )
    assert game.is_over
    in_play = [(seat, points) for seat, points in zip("AB", scores, strict=True) if points]
    # At the end the barn itself adds its 4 points for each city and 5 for the castle.
    assert of_fields(game) == [*in_play, ("A", 13)]
    assert game.scores == (scores[0] + 13, scores[1])
    assert in_supply(game, "A", Figure.PIG) == in_supply(game, "B", Figure.PIG) == 1


@pytest.mark.rule("BARN-24", "BARN-17", "BARN-23", "TRA-14", "CAS-28")
@pytest.mark.parametrize(
    ("farmers", "scores"),
    [
        (NO_PIG, (4, 0)),
        (PIG, (7, 0)),
        (f"{PIG}, B meeple En", (7, 4)),
        (f"{NO_PIG}, B meeple En, B pig En", (4, 7)),
        (f"{PIG}, B meeple En, B meeple En", (0, 4)),
    ],
)
def test_barn_24_farmers_joined_to_the_field_of_a_barn(farmers, scores):
    text = land(farmers, barn="B barn NW", turn="A places bg-monastery-road")
    game = play(text, "bg-monastery-road 2,0 r0", "pass")
    assert game.scores == scores
    assert len(of_fields(game)) == len(score_log(game))
    assert figures(game) == {"B barn 1,1 NW", "B meeple 1,-1 N"}


@pytest.mark.rule("BARN-24", "BARN-20", "BARN-23", "CAS-28")
def test_barn_24_a_barn_at_the_end_of_the_game():
    # Its field reaches around the end of the road to the cities and the castle.
    tiles = LAND.format(farmers="", barn="B barn NW").replace("r0: \n", "r0\n")
    text = position(tiles + "bg-monastery-road 2,0 r0", rules=FIELDS, headers=CASTLE)
    assert play(text).standings == (0, 13)
    assert of_fields(play_to_the_end(text)) == [("B", 13)]

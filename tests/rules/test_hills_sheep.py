"""HS: hills with tiles below them, vineyards, and shepherds with their flocks."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from carc_env.engine import entry
from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.game.records import format_record, load_record
from carc_env.layout.observations import global_names
from carc_env.sets.hills_sheep.shepherd.kernels import TOKENS

from .looks import figures, in_supply, names, offered, score_log
from .positions import LAND, START_LINE, Table, by_cell, reread, then
from .scenario import TILES, play

pytestmark = pytest.mark.interpreted

ALL = "hills: true, vineyards: true, shepherds: true"
TABLE = Table(ALL, sets="base, hills")
position, played, at_the_end = TABLE.position, TABLE.played, TABLE.at_the_end

#: A road over three tiles; the outer two tiles have hills.
HILL_ROAD = {"0,0": "bg-cap-straight r0", "-1,0": "hs-straight-split-hill r0"}
HILL_ROAD |= {"1,0": "hs-cap-curve-left-hill r0"}
UNDER_ONE, UNDER_TWO = "[hidden ?]", "[hidden ? ?]"


def shepherds(game, seat):
    return in_supply(game, seat, Figure.SHEPHERD)


def shown(game, name):
    """Return one value of the observed globals by name."""
    numbers = dict(zip(global_names(game.rules), game.observe()["globals"], strict=True))
    return float(numbers[name])


# The set.


def test_hs_01_eighteen_tiles_a_shepherd_each_and_a_bag_of_tokens():
    tiles = [row for row in FACTS if row["set"] == "hills"]
    for edition in ("C1", "C2"):
        shows = Counter[str]()
        for row in tiles:
            for sign in ("hill", "vineyard", "monastery"):
                shows[sign] += row["n"][edition] * bool(row.get(sign))
        assert shows == {"hill": 8, "vineyard": 8, "monastery": 2}
    assert sum(facts["n"]["C2"] for facts in TILES["hills"].values()) == 18
    assert [int(n) for n in TOKENS] == [4, 5, 5, 2, 2]
    assert sum((k + 1) * int(n) for k, n in enumerate(TOKENS[:4])) == 37
    game = Game("hills-sheep", seed=1)
    assert (shepherds(game, "A"), shepherds(game, "B")) == (1, 1)
    assert game.position().sheep == ((), ())


@pytest.mark.rule("SET-06")
def test_hs_01_without_the_switches_its_tiles_are_ordinary():
    text = position(START_LINE, turn="A places hs-cap-gate-hill").replace(f"{ALL}, ", "")
    game = play(text, "hs-cap-gate-hill 0,-1 r2", bag=("bg-cap", "bg-curve"))
    assert (game.position().hidden, game.n_tiles_left) == ((), 2)
    assert not offered(game, "shepherd")


# Hills.


@pytest.mark.parametrize(("bag", "hidden"), [(("bg-cap", "bg-curve", "bg-monastery"), 1), ((), 0)])
def test_hs_02_a_tile_goes_under_the_hill(bag, hidden):
    game = played(START_LINE, "hs-cap-gate-hill 0,-1 r2", bag=bag)
    assert game.position().hidden == bag[:hidden]
    assert game.position().bag == bag[hidden:]
    assert reread(game).position().hidden == bag[:hidden]
    game.apply("pass")
    assert game.tile_in_hand == (bag[1] if bag else None)
    assert game.is_over == (not bag)


def test_hs_02_what_lies_there_never_comes_back_into_the_bag():
    game = Game("hills-sheep", seed=3)
    while not game.is_over:
        game.apply(game.legal_actions()[0])
    end = game.position()
    assert len(end.hidden) >= 5
    tiles = Counter(tile.tile for tile in end.tiles[1:])
    assert tiles + Counter(end.hidden) + Counter(end.aside) == Counter(game.draw)
    assert str(load_record(format_record(game))) == str(game)


#: A city of three tiles with B's knight in the south and A's in the east, on a hill.
CITY = (
    "bg-cap-straight 0,0 r0: B meeple N; bg-straight 1,0 r0",
    "hs-cap-gate-hill 1,-1 r3: A meeple W",
)


@pytest.mark.parametrize(("rules", "scores"), [("", (6, 0)), ("hills: false", (6, 6))])
def test_hs_03_the_meeple_on_the_hill_wins_the_tie(rules, scores):
    text = position(CITY, turn="A places bg-corner", headers=UNDER_ONE)
    if rules:
        text = text.replace("hills: true", rules).replace(f"{UNDER_ONE}\n", "")
    assert play(text, "bg-corner 0,-1 r1", "pass").scores == scores


@pytest.mark.rule("HS-04")
@pytest.mark.parametrize(("tiebreak", "scores"), [("any", (3, 3)), ("count", (3, 0))])
def test_hs_03_any_meeple_on_a_hill_or_most_of_them(tiebreak, scores):
    tiles = by_cell(
        HILL_ROAD, {"-1,0": "A meeple E, B meeple E", "0,0": "B meeple E", "1,0": "A meeple S"}
    )
    rules = f"hill_tiebreak: {tiebreak}"
    assert at_the_end(tiles, rules=rules, headers=UNDER_TWO) == scores


def test_hs_04_without_anybody_on_a_hill_the_tie_stays():
    tiles = by_cell(HILL_ROAD, {"0,0": "A meeple E, B meeple E"})
    assert at_the_end(tiles, headers=UNDER_TWO) == (3, 3)


def test_hs_05_a_hill_does_not_beat_a_greater_strength():
    tiles = by_cell(HILL_ROAD, {"-1,0": "A meeple E", "0,0": "B meeple E, B meeple E"})
    assert at_the_end(tiles, headers=UNDER_TWO) == (0, 3)


def test_hs_06_it_holds_for_fields_too():
    tiles = ("bg-cap-straight 0,0 r0", "hs-straight-split-hill -1,0 r0: A meeple Nw")
    tiles = (*tiles, "bg-straight 1,0 r0: B meeple Nw", "bg-cap 0,-1 r2")
    assert at_the_end(tiles, headers=UNDER_ONE) == (3, 0)


@pytest.mark.parametrize(
    ("on_the_hill", "beside", "scores"), [("mayor", "meeple", (3, 3)), ("meeple", "mayor", (3, 0))]
)
def test_hs_07_a_mayor_without_coats_gains_nothing(on_the_hill, beside, scores):
    tiles = (
        f"bg-cap-straight 0,0 r0: A {beside} N, B meeple N",
        "bg-straight 1,0 r0",
        f"hs-cap-gate-hill 1,-1 r3: A {on_the_hill} W",
        "bg-city3 0,-1 r1",
    )
    options = {"rules": "mayors: true", "sets": "base, abbey, hills", "headers": UNDER_ONE}
    assert at_the_end(tiles, **options) == scores


def test_xw_07_ties_are_between_sums_of_strength():
    tiles = by_cell(HILL_ROAD, {"-1,0": "A large E", "0,0": "B meeple E, B meeple E"})
    assert at_the_end(tiles, rules="large_meeples: true", headers=UNDER_TWO) == (3, 0)


@pytest.mark.rule("CAS-04")
def test_hs_03_only_who_wins_the_tie_decides_on_a_town():
    tiles = ("bg-cap-straight 0,0 r0: B meeple N, A meeple N", "bg-straight 1,0 r0")
    game = played(
        tiles,
        "hs-cap-gate-hill 0,-1 r2; pass",
        rules="castles: true",
        sets="base, bridges, hills",
        bag=("bg-cap",),
    )
    assert (game.phase, game.decider) == (Phase.CASTLE, 0)  # no figure is on the hill
    tiles = (f"{START_LINE}: B meeple N", "bg-straight 1,0 r0", "bg-straight -1,0 r0")
    tiles = (*tiles, "hs-cap-gate-hill 0,-1 r2: A meeple S")
    options = {"rules": "castles: true", "sets": "base, bridges, hills", "headers": UNDER_ONE}
    game = played(tiles, "pass", **options)
    then(game, "castle")
    assert figures(game) == {"A meeple 0,-1 S"}
    assert game.phase == Phase.PLACE_TILE


def test_hs_08_nobody_knows_what_lies_under_a_hill():
    game = played(START_LINE, "hs-cap-gate-hill 0,-1 r2; pass")
    assert len(game.position().hidden) == 1
    assert shown(game, "hidden") == 1 / 8
    copies = Counter(game.position().hidden) + Counter(game.position().bag)
    assert shown(game, "left bg-curve") == copies["bg-curve"] / 8
    seen = game.observe()
    under = set()
    for seed in range(20):
        game.reshuffle(seed)
        under.add(game.position().hidden)
        again = game.observe()
        assert all(np.array_equal(seen[key], again[key]) for key in seen)
    assert len(under) > 5


@pytest.mark.parametrize(("n_left", "phase"), [(2, Phase.PLACE_TILE), (3, Phase.BAZAAR_PICK)])
def test_hs_09_only_tiles_in_the_stack_count_for_a_bazaar(n_left, phase):
    game = played(
        START_LINE,
        "hs-cap-gate-hill 0,-1 r2; pass; bcb-bazaar 0,1 r0; pass",
        rules="bazaars: true",
        sets="base, bridges, hills",
        n_players=3,
        bag=("bg-curve", "bcb-bazaar", *("bg-cap",) * n_left),
    )
    assert game.phase == phase


def test_xw_14_a_garden_on_a_hill_is_a_garden():
    game = played(START_LINE, "hs-curve-split-hill-garden 1,0 r0", bag=("bg-cap", "bg-cap"))
    assert "abbot mid" in names(game)
    assert game.position().hidden == ("bg-cap",)


# Vineyards.


def around_monastery(n_vineyards, centre="bg-monastery 0,1 r0: A meeple mid"):
    """Return all tiles around (0, 1) but the last, bg-cap 0,2 r2, with some vineyards."""
    vineyards = (
        "hs-cap-pointed-vineyard -1,1 r3",
        "hs-cap-pointed-vineyard 1,1 r1",
        "hs-corner-vineyard -1,2 r2",
    )
    plain = ("bg-cap -1,1 r3", "bg-cap 1,1 r1", "bg-corner -1,2 r2")
    return [
        START_LINE,
        "bg-curve -1,0 r2; bg-curve 1,0 r1",
        *([centre] if centre else []),
        *vineyards[:n_vineyards],
        *plain[n_vineyards:],
        "bg-cap-garden 1,2 r2",
    ]


@pytest.mark.parametrize("n_vineyards", [0, 1, 3])
def test_hs_15_a_monastery_scores_three_for_each_vineyard(n_vineyards):
    game = played(around_monastery(n_vineyards), "bg-cap 0,2 r2; pass")
    assert game.scores == (9 + 3 * n_vineyards, 0)


def test_hs_16_nothing_for_an_incomplete_one():
    assert at_the_end(around_monastery(3)) == (8, 0)


def test_hs_17_one_vineyard_serves_all_monasteries_around_it():
    tiles = (
        START_LINE,
        "bg-monastery-road -1,0 r2; bg-straight 1,0 r0; bg-monastery-road 2,0 r0",
        "hs-cap-pointed-vineyard -1,1 r3; bg-monastery 0,1 r0: A meeple mid",
        "bg-monastery 1,1 r0: B meeple mid; bg-cap 2,1 r1",
        "bg-cap -1,2 r2; hs-cap-pointed-vineyard 0,2 r2; bg-cap 2,2 r2",
    )
    game = played(tiles, "bg-cap 1,2 r2; pass")
    assert game.scores == (15, 12)


@pytest.mark.rule("ABB-15")
def test_hs_18_an_abbey_counts_as_a_monastery():
    game = played(
        [*around_monastery(3, centre=""), "bg-cap 0,2 r2"],
        "am-abbey 0,1 r0; meeple mid",
        turn="A begins",
        rules="abbeys: true",
        sets="base, abbey, hills",
    )
    assert game.scores == (18, 0)


@pytest.mark.rule("XW-14")
def test_hs_18_a_shrine_counts_as_a_monastery():
    game = played(
        around_monastery(3, "cu-shrine 0,1 r0: A meeple mid"),
        "bg-cap 0,2 r2; pass",
        rules="shrines: true",
        sets="base, cult, hills",
    )
    assert game.scores == (18, 0)


@pytest.mark.rule("CAS-19")
def test_hs_19_a_castle_takes_the_full_value():
    tiles = (
        "bg-cap-straight 0,0 r0: A meeple N",
        "bg-cap 0,-1 r2",
        "bg-monastery-road 1,0 r0: B meeple mid",
        "bg-cap 1,-1 r0; hs-corner-vineyard 2,-1 r0",
        "bg-monastery 2,0 r0",
        "bg-monastery 2,1 r0; bg-monastery 1,1 r0",
    )
    game = played(
        tiles,
        "bg-monastery 0,1 r0; pass",
        headers=("[castles 0,0 N]", "[tokens 2:3]"),
        rules="castles: true",
        sets="base, bridges, hills",
    )
    assert game.scores == (12, 12)


@pytest.mark.rule("ABT-12")
def test_xhs_01_a_recall_counts_no_vineyards():
    game = played(
        around_monastery(3, "bg-monastery 0,1 r0: A abbot mid"),
        "bg-cap 0,2 r2; recall",
        rules="abbot_recall_completed: allow",
    )
    assert game.scores == (9, 0)


def test_xhs_02_vineyards_do_nothing_for_gardens():
    row = [f"bg-straight {x},{y} r0" for x, y in ((-1, 0), (1, 0), (-1, 1), (1, 1), (-1, 2))]
    tiles = (START_LINE, *row, "bg-straight-garden 0,1 r0: A abbot mid")
    game = played((*tiles, "hs-side-road-vineyard 0,2 r0"), "bg-straight 1,2 r0; pass")
    assert game.scores == (9, 0)


# Shepherds.


def test_hs_25_the_shepherd_goes_onto_a_field_of_the_tile():
    game = played(START_LINE, "bg-curve 1,0 r0")
    assert offered(game, "shepherd") == {"Nw", "Sw"}
    game = played(START_LINE, "bg-curve 1,0 r0", bag=("bg-straight", "bg-straight"))
    then(game, "shepherd Sw draws 1; bg-straight -1,0 r0; pass; bg-straight -2,0 r0")
    assert not offered(game, "shepherd")  # A has already placed one


def test_hs_26_he_draws_a_token_at_once():
    game = played(START_LINE, "bg-curve 1,0 r0; shepherd Nw draws 3")
    assert figures(game) == {"A shepherd 1,0 Nw"}
    assert (game.position().sheep, shepherds(game, "A")) == (((3,), ()), 0)
    assert game.moves[-1].token == 3
    assert reread(game).position().sheep == ((3,), ())
    assert shown(game, "three sheep 1") == pytest.approx(1 / 5)
    game = played(START_LINE, "bg-curve 1,0 r0; shepherd Nw draws 0")
    assert (figures(game), game.position().sheep, shepherds(game, "A")) == (set(), ((), ()), 1)
    assert (game.moves[-1].token, game.decider) == (0, 1)


def test_hs_27_farmers_and_shepherds_do_not_bar_each_other():
    tiles = (START_LINE, "bg-straight 1,0 r0: B meeple Nw")
    assert offered(played(tiles, "bg-straight 2,0 r0"), "shepherd") == {"Nw", "Es"}
    tiles = (START_LINE, "bg-straight 1,0 r0: B shepherd Nw")
    game = played(tiles, "bg-straight 2,0 r0", headers="[sheep B 2]")
    assert offered(game, "shepherd") == {"Es"}
    assert {"Nw", "Es"} <= offered(game, "meeple")


def test_hs_28_he_has_no_strength():
    tiles = (START_LINE, "bg-straight 1,0 r0: A meeple Nw, B shepherd Nw", "bg-cap 0,-1 r2")
    assert at_the_end(tiles, headers="[sheep B 4]") == (3, 0)


FLOCK = (START_LINE, "bg-straight 1,0 r0: A shepherd Nw")


def test_hs_29_who_extends_their_flocks_field_must_choose():
    game = played(FLOCK, "bg-straight 2,0 r0; meeple E", headers="[sheep A 2]")
    assert (game.phase, game.decider, names(game)) == (Phase.FLOCK, 0, {"grow", "herd"})
    assert names(reread(game)) == {"grow", "herd"}
    game = played(FLOCK, "bg-straight 2,0 r0; pass", headers="[sheep A 2]", seat="B")
    assert game.phase == Phase.PLACE_TILE
    game = played(FLOCK, "bg-monastery 0,1 r0; pass", headers="[sheep A 2]")
    assert game.phase == Phase.PLACE_TILE  # the tile is not part of the field


def test_hs_30_a_flock_grows_until_the_wolf_comes():
    game = played(FLOCK, "bg-straight 2,0 r0; pass; grow draws 3", headers="[sheep A 2]")
    assert game.position().sheep == ((2, 3), ())
    game = played(FLOCK, "bg-straight 2,0 r0; pass; grow draws 0", headers="[sheep A 2 3]")
    assert (game.position().sheep, figures(game), game.scores) == (((), ()), set(), (0, 0))
    assert [entry.n_chances(game._states, 0, kind) for kind in range(5)] == [4, 5, 5, 2, 2]


def test_hs_31_herding_scores_the_sheep():
    game = played(FLOCK, "bg-straight 2,0 r0; pass; herd", headers="[sheep A 1 2 4]")
    assert score_log(game) == [("A", 7, Kind.FLOCK)]
    assert game.last_scores[0].figure == Figure.SHEPHERD
    assert (game.scores, shepherds(game, "A"), figures(game)) == ((7, 0), 1, set())


@pytest.mark.parametrize(
    ("move", "scores"), [("herd", (4, 4)), ("grow draws 0", (0, 0)), ("grow draws 2", None)]
)
def test_hs_32_flocks_in_one_field_are_herded_together(move, scores):
    tiles = (START_LINE, "bg-straight 1,0 r0: A shepherd Nw, B shepherd Es")
    game = played(tiles, "bg-monastery-road 2,0 r0; pass", move, headers="[sheep A 1, B 3]")
    if scores is None:
        assert game.position().sheep == ((1, 2), (3,))
        return
    assert (game.scores, figures(game), game.position().sheep) == (scores, set(), ((), ()))


def test_hs_33_not_in_the_turn_in_which_he_was_placed():
    game = played(START_LINE, "bg-curve 1,0 r0; shepherd Nw draws 1")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


def test_hs_33_but_in_the_second_part_of_that_turn():
    game = played(
        (START_LINE, "bg-straight 1,0 r0: A meeple E, A builder E"),
        "bg-straight 2,0 r0; shepherd Nw draws 1; bg-straight 3,0 r0; pass",
        rules="builders: true",
        sets="base, traders, hills",
        bag=("bg-straight", "bg-curve", "bg-curve"),
    )
    assert (game.phase, game.decider) == (Phase.FLOCK, 0)
    then(game, "herd")
    assert (game.scores, game.turn_player) == ((1, 0), 1)


#: A field between the gate and the wall; another such tile in the west closes it.
GATE = f"{START_LINE}\nbg-city3-gate 0,-1 r0"
CLOSING = "bg-city3-gate-shield -1,-1 r2"


@pytest.mark.parametrize(
    ("seat", "moves", "points"),
    [
        ("B", "pass", 5),
        ("A", "pass; herd", 5),
        ("A", "pass; grow draws 1", 6),
        ("A", "pass; grow draws 0", 0),
    ],
)
def test_hs_34_a_closed_field_is_herded_at_once(seat, moves, points):
    game = played(f"{GATE}: A shepherd Ws", CLOSING, moves, seat=seat, headers="[sheep A 2 3]")
    assert (game.scores, figures(game)) == ((points, 0), set())


def test_hs_34_other_closed_fields_are_herded_before_the_question():
    tiles = f"{GATE}: B shepherd Ws, A shepherd Wn"
    game = played(tiles, CLOSING, "pass", headers="[sheep A 1, B 2]")
    assert (game.phase, game.scores) == (Phase.FLOCK, (0, 2))
    assert figures(game) == {"A shepherd 0,-1 Wn"}


def test_hs_35_a_shepherd_in_a_closed_field_is_herded_at_once():
    game = played(GATE, CLOSING, "shepherd Es draws 2")
    assert (game.scores, figures(game), shepherds(game, "A")) == ((2, 0), set(), 1)


def test_hs_36_at_the_end_they_score_nothing():
    assert at_the_end(FLOCK, headers="[sheep A 4 4]") == (0, 0)


@pytest.mark.rule("BARN-09")
def test_hs_37_a_barn_leaves_him_there():
    game = played(
        by_cell(LAND, {"-2,0": "A meeple Nw, B shepherd Nw"}, last="-1,0"),
        "barn NW",
        headers="[sheep B 3]",
        rules="barns: true",
        sets="base, abbey, hills",
    )
    assert game.scores == (6, 0)
    assert figures(game) == {"B shepherd -2,0 Nw", "A barn -1,0 NW"}


@pytest.mark.rule("W1T-01")
def test_hs_38_the_flock_comes_before_the_scoring():
    tiles = (f"{START_LINE}: A meeple E", "bg-straight 1,0 r0: A shepherd Nw")
    tiles = (*tiles, "bg-monastery-road -1,0 r2")
    game = played(tiles, "bg-monastery-road 2,0 r0; pass", headers="[sheep A 3]")
    assert (game.phase, game.scores) == (Phase.FLOCK, (0, 0))
    then(game, "herd")
    assert score_log(game) == [("A", 3, Kind.FLOCK), ("A", 4, Kind.ROAD)]


def test_hs_39_an_abbey_extends_no_field_but_closes_one():
    tiles = (
        START_LINE,
        "bg-cap-curve-left 1,0 r0",
        "bg-city3-gate 1,-1 r0: A shepherd Ws",
        "bg-cap 1,-2 r2; bg-monastery 0,-2 r0",
        "bg-straight -1,0 r0",
        "bg-monastery -1,-1 r0",
    )
    game = played(
        tiles,
        "am-abbey 0,-1 r0; pass",
        turn="A begins",
        headers="[sheep A 2 3]",
        rules="abbeys: true",
        sets="base, abbey, hills",
    )
    assert (game.scores, figures(game), game.phase) == ((5, 0), set(), Phase.PLACE_TILE)


#: Two cities that share the side facing (1, -1): A's in the south, B's in the north.
SHARED = (
    "bg-cap-straight 0,0 r0: A meeple N",
    "hs-corner-and-cap-shared-vineyard 0,-1 r0: B meeple N",
    "bg-cap 0,-2 r2",
)


def test_hs_40_a_city_tile_joins_the_two_cities_that_share_a_side():
    game = played(SHARED, "bg-cap 1,-1 r3; pass")
    assert (game.scores, figures(game)) == ((8, 8), set())


@pytest.mark.rule("CAS-02")
@pytest.mark.parametrize(
    ("rules", "sets"), [("", ""), (", castles: true, castle_base: any_end_segment", ", bridges")]
)
def test_hs_40_an_abbey_closes_both_without_joining_them_and_neither_is_half_a_castle(rules, sets):
    around = ("bg-straight 1,0 r0", "bg-straight 2,0 r0", "bg-monastery 2,-1 r0")
    game = played(
        (*SHARED, *around, "bg-monastery 1,-2 r0"),
        "am-abbey 1,-1 r0; pass",
        turn="A begins",
        rules=f"abbeys: true{rules}",
        sets=f"base, abbey, hills{sets}",
    )
    assert (game.scores, figures(game)) == ((4, 4), set())


def test_hs_41_the_halves_of_a_field_side_belong_to_two_fields():
    game = played(START_LINE, "hs-cap-pointed-vineyard 0,-1 r2")
    assert offered(game, "shepherd") == {"Nw", "Ne"}
    tiles = (START_LINE, "hs-cap-pointed-vineyard 0,-1 r2: B meeple Nw")
    assert "Nw" not in offered(played(tiles, "bg-monastery 0,-2 r0"), "meeple")
    tiles = (START_LINE, "hs-cap-pointed-vineyard 0,-1 r2: B meeple Nw, A meeple Ne")
    game = played((*tiles, "bg-monastery 0,-2 r0"), "pass", bag=())
    assert game.scores == (3, 3)  # both have the majority in the joined field


DRAGON = {"rules": "dragon: true, portals: true", "sets": "base, hills, princess"}


def test_xw_14_a_volcano_bars_figures_and_no_hill_and_no_vineyard():
    tiles = (START_LINE, "hs-cap-gate-hill 0,-1 r2", "bg-monastery 0,1 r0: A meeple mid")
    game = played(tiles, "pd-volcano 1,1 r0", headers=UNDER_ONE, **DRAGON)
    assert (game.position().dragon, offered(game, "shepherd")) == ((1, 1), set())


@pytest.mark.rule("W1T-03")
def test_hs_42_each_part_of_a_turn_has_its_own_decision():
    tiles = (START_LINE, "bg-straight 1,0 r0: A meeple E, A builder E, A shepherd Nw")
    game = played(
        tiles,
        "bg-straight 2,0 r0; pass; grow draws 1; bg-straight 3,0 r0; pass",
        headers="[sheep A 2]",
        rules="builders: true",
        sets="base, traders, hills",
        bag=("bg-straight", "bg-curve", "bg-curve"),
    )
    assert (game.phase, game.decider) == (Phase.FLOCK, 0)
    then(game, "herd")
    assert (game.scores, game.turn_player) == ((3, 0), 1)


@pytest.mark.rule("XHS-03", "W1T-02", "ABT-09")
def test_hs_43_he_is_placed_instead_of_any_other_figure():
    tiles = (START_LINE, "bg-monastery-road -1,0 r2: A abbot mid")
    game = played(tiles, "bg-curve 1,0 r0")
    assert {"recall", "shepherd Nw"} <= names(game)
    then(game, "shepherd Nw draws 1")
    assert (game.decider, figures(game)) == (1, {"A abbot -1,0 mid", "A shepherd 1,0 Nw"})


def test_hs_44_the_bag_is_known_and_draws_are_chance():
    text = position(FLOCK, turn="A places bg-straight", headers="[sheep A 4 4]")
    game = play(text)
    assert [entry.n_chances(game._states, 0, kind) for kind in range(5)] == [4, 5, 5, 0, 2]
    with pytest.raises(ValueError, match="no token with 4 sheep is left in the bag"):
        game.choose_token(4)
    with pytest.raises(ValueError, match="no token with 5 sheep"):
        game.choose_token(5)
    then(game, "bg-straight 2,0 r0; pass")
    drawn = Counter[int | None]()
    for seed in range(300):
        again = game.clone()
        again.reshuffle(seed)
        again.apply("grow")
        drawn[again.moves[-1].token] += 1
    assert set(drawn) == {0, 1, 2, 3}
    assert all(abs(drawn[n] / 300 - share / 16) < 0.1 for n, share in ((0, 2), (1, 4), (2, 5)))
    one, other = game.clone(), game.clone()
    one.apply("grow")
    other.apply("grow")
    assert one.moves[-1].token == other.moves[-1].token
    told = game.clone()
    told.choose_token(one.moves[-1].token)
    told.apply("grow")
    assert told._states.tobytes() == one._states.tobytes()  # both use the same numbers next

"""MW: the mage and the witch, who change the points of the road or city that each is on."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Good, Kind
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.position import Position
from carc_env.render import board_svg, board_text
from carc_env.rules import Rules
from tests.goods import goods_of

from .looks import asked, bag_of, figures, names, offered, score_log, seen_at
from .positions import RING, START_LINE, Table, carcassonne, end_of, reread, road, then
from .scenario import LORD, TILES

pytestmark = pytest.mark.interpreted

SETS = "base, mage"
TABLE = Table("mage_witch: true", sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end

#: A tile with a symbol that extends the start tile's road, and a tile that does not touch it.
CURVE = "mw-corner-curve 1,0 r0"
CAP = "bg-cap 0,-1 r2"


def where(game):
    """Return the places of the mage and the witch."""

    def told(place):
        return None if place is None else f"{place[0]},{place[1]} {place[2].name}"

    position: Position = game.position()
    return told(position.mage), told(position.witch)


def offers(game):
    """Return the places offered after each choice of a cell, such as ``mage 0,0 N``."""
    found = set()
    for name in names(game):
        if name.startswith("to "):
            found |= names(then(game.clone(), name))
    return found


def both(*places):
    """Return the actions that offer both figures at some places."""
    return {f"{who} {place}" for who in ("mage", "witch") for place in places}


def send(game, who, place):
    """Send the mage or the witch to a place."""
    return then(game, f"to {place.split()[0]}", f"{who} {place}")


def column(height, owner="A meeple"):
    """Return a city that runs north from 0,0, without its second tile, which is placed last."""
    spans = [f"bg-span-shield 0,{-y} r0" for y in range(2, height - 1)]
    beside = [f"bg-monastery 1,{-y} r0" for y in range(1, height)]
    return [
        f"{START_LINE}: {owner} N",
        "bg-straight 1,0 r0",
        *beside,
        f"bg-cap 0,{1 - height} r2",
        *spans,
    ]


#: The second tile of such a city, if it has at least three tiles.
SPAN = "bg-span 0,-1 r0"


# --- Tiles and targets --------------------------------------------------------------------------


@pytest.mark.parametrize(("edition", "n_gardens"), [("C1", 0), ("C2", 1)])
def test_mw_01_eight_tiles_and_two_figures_beside_the_board(edition, n_gardens):
    game = Game(Rules.preset("mage-witch", edition=edition, abbot=edition == "C2"), seed=1)
    drawn = [tile for tile in bag_of(game) if tile in TILES["mage"]]
    assert (len(bag_of(game)), len(drawn), len(set(drawn))) == (79, 8, 8)
    rows = {row["id"]: row for row in FACTS}
    assert all(rows[tile]["magic"] for tile in drawn)
    assert sum(rows[tile].get("garden", False) for tile in drawn) == n_gardens
    assert where(game) == (None, None)


def test_mw_01_without_them_in_play_the_symbols_mean_nothing():
    game = Table(sets=SETS).played([START_LINE], CURVE)
    assert asked(game) == "A FIGURE"
    with pytest.raises(ValueError, match="MW-01"):
        Table(sets=SETS).played([START_LINE], CURVE, headers="[mage 0,0 N]")


@pytest.mark.rule("W2T-02")
def test_mw_02_one_of_them_goes_somewhere_before_the_figure_action():
    game = played([START_LINE], CURVE)
    assert (asked(game), names(game)) == ("A MAGIC", {"to 0,0", "to 1,0"})
    assert offers(game) == both("0,0 N", "0,0 E", "1,0 N", "1,0 S")
    then(game, "to 0,0")
    assert (asked(game), names(game)) == ("A MAGIC_SPOT", both("0,0 N", "0,0 E"))
    assert names(reread(game)) == names(game)
    then(game, "witch 0,0 E")
    assert (asked(game), where(game)) == ("A FIGURE", (None, "0,0 E"))
    assert {"meeple N", "meeple S", "pass"} <= names(game)
    assert where(reread(game)) == where(game)


@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_mw_03_who_is_on_the_board_has_to_go_to_another_feature(edition):
    rules = f"edition: {edition}, abbot: false"
    game = played([START_LINE], CURVE, headers="[mage 0,0 E]", rules=rules)
    assert offers(game) == both("0,0 N", "1,0 N")
    send(game, "mage", "1,0 N")
    assert where(game) == ("1,0 N", None)


def test_mw_04_never_both_on_one_feature():
    game = played([START_LINE], CURVE, headers=["[mage 0,0 N]", "[witch 0,0 E]"])
    assert offers(game) == both("1,0 N")
    with pytest.raises(ValueError, match="MW-02"):
        played([START_LINE], turn="A places bg-cap", headers=["[mage 0,0 E]", "[witch 0,0 E]"])


#: All roads and cities are complete once the tile at 0,-1 is placed.
CLOSED = [
    START_LINE,
    *("bg-monastery-road 1,0 r0", "bg-monastery-road -1,0 r2"),
    *("bg-monastery 1,-1 r0", "bg-monastery 1,-2 r0", "bg-cap 0,-2 r2"),
]
CAPS = "mw-caps-opposite 0,-1 r0"


@pytest.mark.parametrize("who", ["mage", "witch"])
def test_mw_05_without_a_target_one_of_them_leaves_the_board(who):
    game = played(CLOSED, CAPS, headers=["[mage 0,0 N]", "[witch 0,-2 S]"])
    assert (asked(game), names(game)) == ("A MAGIC", {"mage off", "witch off"})
    assert names(reread(game)) == names(game)
    then(game, f"{who} off")
    left = {"mage": (None, "0,-2 S"), "witch": ("0,0 N", None)}[who]
    assert (asked(game), where(game)) == ("A FIGURE", left)


@pytest.mark.parametrize("headers", ["[mage 0,0 N]", "[witch 0,-2 S]", ""])
def test_mw_05_who_is_alone_goes_without_a_question(headers):
    tiles = [f"{START_LINE}: A meeple N", *CLOSED[1:]]
    game = played(tiles, CAPS, headers=headers)
    assert (asked(game), where(game)) == ("A FIGURE", (None, None))
    then(game, "pass")
    assert game.scores == (4, 0)


def test_mw_23_what_the_tile_completes_is_no_target():
    game = played([START_LINE], CAPS)
    assert offers(game) == both("0,-1 N", "0,0 E")


def test_mw_24_only_roads_and_cities():
    tiles = [START_LINE, "bg-monastery-road -1,0 r2", "bg-straight-garden 0,1 r0"]
    game = played(tiles, CURVE)
    assert offers(game) == both("0,0 N", "0,0 E", "-1,0 E", "0,1 E", "1,0 N", "1,0 S")
    with pytest.raises(ValueError, match="MW-24"):
        played(tiles, CURVE, headers="[mage -1,0 mid]")
    with pytest.raises(ValueError, match="MW-24"):
        played(tiles, CURVE, headers="[witch 0,0 Nw]")


@pytest.mark.rule("COU-23")
def test_mw_26_roads_and_cities_of_the_outer_tiles_of_carcassonne():
    game = played(
        carcassonne(),
        "mw-cap-junction -2,2 r0",
        rules="count: true",
        sets="base, count, mage",
        headers="[count castle]",
    )
    found = {name.partition(" ")[2] for name in offers(game)}
    on_outer_tiles = {place for place in found if not place.startswith("-2,2")}
    assert len(on_outer_tiles) >= 3
    assert any(place.startswith("-2,-1 ") for place in found)


# --- Separating mage and witch ------------------------------------------------------------------


def test_mw_06_a_plain_tile_that_joins_their_features_parts_them():
    game = played(column(3), SPAN, headers=["[mage 0,0 N]", "[witch 0,-2 S]"])
    assert (asked(game), offers(game)) == ("A MAGIC", both("0,0 E", "1,0 E"))
    assert (asked(reread(game)), game.scores) == ("A MAGIC", (0, 0))
    send(game, "witch", "1,0 E")
    assert (asked(game), where(game)) == ("A FIGURE", ("0,0 N", "1,0 E"))
    then(game, "pass")
    assert (game.scores, where(game)) == ((6 + 3, 0), (None, "1,0 E"))


@pytest.mark.rule("MW-05")
def test_mw_06_without_a_target_one_is_removed():
    tiles = [*CLOSED]
    game = played(tiles, "bg-span 0,-1 r0", headers=["[mage 0,0 N]", "[witch 0,-2 S]"])
    assert names(game) == {"mage off", "witch off"}
    then(game, "mage off; meeple N")
    assert (game.scores, where(game)) == ((3, 0), (None, None))


def test_mw_06_in_the_last_turn_as_well():
    game = played(column(3), SPAN, headers=["[mage 0,0 N]", "[witch 0,-2 S]"], bag=())
    assert asked(game) == "A MAGIC"
    send(game, "mage", "0,0 E")
    assert then(game, "pass").scores == (3, 0)
    assert (game.is_over, where(game)) == (True, ("0,0 E", None))


#: Two cities, at 0,0 and 0,-2; the cells to the left and right of the gap between them are empty.
WIDE = [
    START_LINE,
    *("bg-straight 1,0 r0", "bg-straight 2,0 r0", "bg-monastery 2,-1 r0"),
    *("bg-monastery 2,-2 r0", "bg-monastery 1,-2 r0", "bg-cap 0,-2 r2"),
]


def test_mw_07_a_tile_with_a_symbol_that_joins_them_asks_once():
    game = played(WIDE, "mw-span-two-gates 0,-1 r0", headers=["[mage 0,0 N]", "[witch 0,-2 S]"])
    assert asked(game) == "A MAGIC"
    send(game, "mage", "0,0 E")
    assert (asked(game), where(game)) == ("A FIGURE", ("0,0 E", "0,-2 S"))


@pytest.mark.rule("BRI-08")
def test_mw_06_so_does_the_bridge_that_a_tile_needs():
    tiles = [START_LINE, "bg-straight -1,0 r0", "bg-straight 1,0 r0"]
    tiles += ["bg-monastery-road -1,1 r2", "bg-monastery-road 1,1 r0"]
    game = played(
        tiles,
        "bg-monastery 0,1 r0",
        rules="bridges: true",
        sets="base, bridges, mage",
        headers=["[mage -1,1 E]", "[witch 1,1 W]"],
    )
    assert (asked(game), offers(game)) == ("A MAGIC", both("0,0 N", "-1,0 E", "0,0 E", "1,0 E"))
    send(game, "mage", "0,0 N")
    assert (asked(game), where(game)) == ("A FIGURE", ("0,0 N", "1,1 W"))


#: Two roads that end at tunnel mouths: one from 1,0 W to the crossing, one from 1,0 S to a
#: monastery.
DUG = [START_LINE, *("bg-junction -1,0 r0", "tu-two-tunnels 1,0 r0", "bg-monastery-road 1,1 r1")]
TUNNELS = Table("mage_witch: true, tunnels: true", sets="base, mage, tunnel")


@pytest.mark.rule("MW-06")
@pytest.mark.parametrize("is_early", [True, False])
def test_tun_20_a_token_that_joins_them_parts_them_before_the_scoring(is_early):
    tiles = [f"{START_LINE}: A meeple E", *DUG[1:]]
    headers = ["[mage 0,0 E]", "[witch 1,0 S]", "[tunnels 1,0 W A1]"]
    game = TUNNELS.played(tiles, CAP, headers=headers)
    token = "tunnel 1,0 S 1"
    then(game, token if is_early else f"pass; {token}")
    assert (asked(game), game.scores) == ("A MAGIC", (0, 0))
    assert ("[joined token]" in str(game)) != is_early
    assert offers(game) == both("-1,0 S", "-1,0 W")
    assert offers(reread(game)) == offers(game)
    send(game, "witch", "-1,0 S")
    if is_early:
        assert asked(game) == "A FIGURE"
        then(game, "pass")
    assert score_log(game) == [("A", 4 + 4, Kind.ROAD)]
    assert where(game) == (None, "-1,0 S")


@pytest.mark.rule("MW-06")
def test_tun_20_a_token_that_joins_others_asks_nothing():
    headers = ["[mage 0,0 E]", "[witch -1,0 S]", "[tunnels 1,0 W A1]"]
    game = TUNNELS.played(DUG, CAP, "tunnel 1,0 S 1", headers=headers)
    assert asked(game) == "A FIGURE"


@pytest.mark.rule("GOL-02", "X2-02")
def test_mw_06_behind_the_ingots_of_the_same_tile():
    tiles = [START_LINE, "bg-straight 1,0 r0", "bg-monastery-road 1,-1 r0"]
    game = played(
        [*tiles, "bg-monastery 1,-2 r0", "bg-cap 0,-2 r2"],
        "gm-span-straight 0,-1 r0",
        rules="gold: true",
        sets="base, gold, mage",
        headers=["[mage 0,0 N]", "[witch 0,-2 S]"],
    )
    assert asked(game) == "A INGOT"
    then(game, "ingot 0,0")
    assert asked(game) == "A MAGIC"
    send(game, "mage", "0,0 E")
    assert asked(game) == "A FIGURE"


# --- Points -------------------------------------------------------------------------------------


@pytest.mark.rule("MW-13")
def test_mw_08_a_point_more_for_each_tile_and_none_for_coats_of_arms():
    game = played(column(3), "bg-span-shield 0,-1 r0", "pass", headers="[mage 0,0 N]")
    assert score_log(game) == [("A", 8 + 3, Kind.CITY)]
    assert where(game) == (None, None)


@pytest.mark.parametrize(("length", "points"), [(3, 2), (4, 2), (5, 3), (6, 3)])
def test_mw_09_half_rounded_up_with_the_witch(length, points):
    game = played(road(length), end_of(length), "pass", headers="[witch 0,0 E]")
    assert (game.scores, where(game)) == ((points, 0), (None, None))


@pytest.mark.rule("X2-01")
def test_mw_10_an_inn_comes_before_the_witch():
    game = played(
        road(3),
        "ic-junction-inn 1,0 r2; pass",
        rules="inns: true",
        sets="base, inns, mage",
        headers="[witch 0,0 E]",
    )
    assert game.scores == (3, 0)


@pytest.mark.rule("MW-10", "X2-01")
@pytest.mark.parametrize(("who", "points"), [("mage", 2 + 2), ("witch", 1)])
def test_sie_20_a_siege_comes_before_both(who, points):
    game = played(
        [f"{START_LINE}: A meeple N"],
        "si-cap 0,-1 r2; pass",
        rules="siege: true, siege_tiles: both",
        sets="base, siege, mage",
        headers=f"[{who} 0,0 N]",
    )
    assert game.scores == (points, 0)


@pytest.mark.parametrize(("who", "points"), [("witch", 2), ("mage", 8)])
def test_mw_11_points_for_the_fairy_stay_whole(who, points):
    game = played(
        road(4),
        end_of(4),
        "pass",
        rules="fairy: true",
        sets="base, princess, mage",
        headers=[f"[{who} 0,0 E]", "[fairy 0,0 E]"],
    )
    assert sorted(score_log(game)) == sorted([("A", points, Kind.ROAD), ("A", 3, Kind.FAIRY)])


def test_mw_13_it_waits_beside_the_board_for_the_next_symbol():
    game = played(
        road(3), end_of(3), "pass", headers="[mage 0,0 E]", bag=("bg-cap", "mw-corner-curve")
    )
    assert where(game) == (None, None)
    then(game, "bg-cap 0,-1 r2; pass")
    assert where(game) == (None, None)


def test_mw_14_also_when_nobody_owned_the_feature():
    tiles = [START_LINE, *road(3)[1:]]
    game = played(tiles, end_of(3), "pass", headers=["[mage 0,0 E]", "[witch 0,0 N]"])
    assert (game.scores, where(game)) == ((0, 0), (None, "0,0 N"))


def test_mw_15_at_the_end_both_act_on_what_is_not_complete():
    inn = [*road(5)[:3], "ic-straight-inn-garden 2,0 r0"]
    options = {"rules": "inns: true", "sets": "base, inns, mage"}
    assert at_the_end(inn, headers="[mage 0,0 E]", **options) == (4, 0)
    assert at_the_end(inn, headers="[witch 0,0 E]", **options) == (0, 0)
    open_city = [f"{START_LINE}: A meeple N", "bg-span 0,-1 r0"]
    open_city += ["bg-city3 0,-2 r0", "bg-city3 0,-3 r0", "bg-city3-garden 0,-4 r0"]
    assert at_the_end(open_city) == (5, 0)
    assert at_the_end(open_city, headers="[witch 0,0 N]") == (3, 0)
    assert at_the_end(open_city, headers="[mage 0,0 N]") == (10, 0)


@pytest.mark.rule("INN-04")
def test_mw_15_the_mage_in_an_open_city_with_a_cathedral():
    tiles = [f"{START_LINE}: A meeple N", "ic-cathedral 0,-1 r0"]
    options = {"rules": "inns: true", "sets": "base, inns, mage"}
    assert at_the_end(tiles, headers="[mage 0,-1 N]", **options) == (2, 0)


def test_mw_16_everybody_with_the_majority_gets_the_changed_points():
    tiles = road(5)
    tiles[2] = "bg-straight 1,0 r0: B meeple E"
    game = played(tiles, end_of(5), "pass", headers="[witch 0,0 E]")
    assert game.scores == (3, 3)


@pytest.mark.parametrize(("who", "points"), [("mage", 8 + 4), ("witch", 4)])
def test_x2_01_first_the_inn_and_then_the_mage_or_the_witch(who, points):
    tiles = [*road(4)[:2], "ic-straight-inn-garden 1,0 r0"]
    game = played(
        tiles,
        "bg-monastery-road 2,0 r0; pass",
        rules="inns: true",
        sets="base, inns, mage",
        headers=f"[{who} 0,0 E]",
    )
    assert game.scores == (points, 0)


def test_mw_25_it_acts_on_all_that_its_feature_has_become():
    game = played(column(5), SPAN, "pass", headers="[mage 0,-4 S]")
    assert score_log(game) == [("A", 2 * (5 + 2) + 5, Kind.CITY)]


@pytest.mark.rule("MW-25")
def test_mw_20_on_which_tile_of_the_feature_it_stands_makes_no_difference():
    for place in ("0,0 E", "1,0 E", "-1,0 E"):
        game = played(road(4), end_of(4), "pass", headers=f"[mage {place}]")
        assert game.scores == (8, 0)
    game = played(road(4), "mw-cap-junction 2,0 r0")
    assert both("0,0 E", "1,0 E", "-1,0 E").isdisjoint(offers(game))
    game = played([START_LINE, "bg-straight 1,0 r0"], "mw-corner-curve 2,0 r0")
    assert both("0,0 E", "1,0 E", "2,0 S") <= offers(game)


@pytest.mark.rule("BASE-06")
def test_mw_21_they_occupy_nothing():
    headers = ["[mage 0,0 N]", "[witch 0,0 E]"]
    game = played([START_LINE], "bg-corner-curve 1,0 r0", headers=headers)
    assert {"N", "S"} <= offered(game, "meeple")
    then(game, "meeple S")
    assert figures(game) == {"A meeple 1,0 S"}


def test_mw_21_they_are_no_target_of_towers_and_princesses():
    headers = ["[mage 0,0 E]", "[witch 0,0 N]"]
    options = {"sets": "base, princess, tower, mage", "headers": headers}
    tiles = [START_LINE, "to-field-garden 0,1 r0"]
    game = played(tiles, "bg-straight 1,0 r0", "to 0,1; floor 0,1", rules="towers: true", **options)
    assert asked(game) == "B PLACE_TILE"
    assert where(game) == ("0,0 E", "0,0 N")
    game = played(tiles, "pd-cap-junction-princess 0,-1 r2", rules="princesses: true", **options)
    assert not {name for name in names(game) if name.startswith("to ")}


@pytest.mark.rule("KR-04")
def test_mw_22_sizes_for_the_king_are_counted_in_tiles():
    game = played(
        column(3),
        SPAN,
        "pass",
        rules="king_robber: true",
        sets="base, king, mage",
        headers="[witch 0,0 N]",
    )
    assert (game.scores, game.position().king) == ((3, 0), 0)


@pytest.mark.rule("TRA-01")
@pytest.mark.parametrize("who", ["mage", "witch"])
def test_mw_22_goods_are_what_they_are(who):
    game = played(
        column(3),
        "tb-span-wine 0,-1 r0",
        "pass",
        rules="goods: true",
        sets="base, traders, mage",
        headers=f"[{who} 0,0 N]",
    )
    assert goods_of(game, 0)[Good.WINE] == 1


@pytest.mark.rule("GOL-05")
def test_mw_22_ingots_are_taken_as_always():
    tiles = [*road(4)[:2], "gm-span-straight 1,0 r0"]
    game = played(
        tiles,
        end_of(4),
        "pass",
        rules="gold: true",
        sets="base, gold, mage",
        headers=["[witch 0,0 E]", "[gold 1,0 2]"],
    )
    assert (game.scores, game.position().ingots) == ((2, 0), (2, 0))


# --- With other sets ----------------------------------------------------------------------------

#: A castle on 0,1 and 0,2, and a road or city beside it that the last tile completes.
CASTLE = [START_LINE, *("bg-cap 0,1 r2", "bg-cap 0,2 r0: A meeple N"), "bg-monastery -1,1 r0"]


@pytest.mark.rule("XMW-01", "CAS-19")
@pytest.mark.parametrize(("who", "points"), [("mage", 4), ("witch", 1)])
def test_mw_17_a_castle_gets_the_changed_points_of_a_road(who, points):
    game = played(
        [*CASTLE, "bg-monastery-road 1,1 r2"],
        "bg-monastery-road 2,1 r0; pass",
        rules="castles: true",
        sets="base, bridges, mage",
        headers=[*LORD, f"[{who} 1,1 E]"],
    )
    assert score_log(game) == [("A", points, Kind.CASTLE)]
    assert where(game) == (None, None)


@pytest.mark.rule("MW-17", "CAS-19")
def test_xmw_01_a_city_of_twelve_is_worth_six_to_a_castle():
    spans = [f"bg-span-shield {x},1 r1" for x in (2, 3)]
    game = played(
        [*CASTLE, "bg-cap 1,1 r1: B meeple E", *spans],
        "bg-cap 4,1 r3; pass",
        rules="castles: true",
        sets="base, bridges, mage",
        headers=[*LORD, "[witch 3,1 E]"],
    )
    assert score_log(game) == [("B", 6, Kind.CITY), ("A", 6, Kind.CASTLE)]


@pytest.mark.parametrize("who", ["mage", "witch"])
def test_mw_18_a_town_that_becomes_a_castle_loses_them(who):
    game = played(
        [f"{START_LINE}: A meeple N"],
        CAP,
        "pass",
        rules="castles: true",
        sets="base, bridges, mage",
        headers=[f"[{who} 0,0 N]", "[tokens 3:3]"],
    )
    assert asked(game) == "A CASTLE"
    as_city = then(game.clone(), "score")
    assert as_city.scores == ({"mage": 6, "witch": 2}[who], 0)
    then(game, "castle")
    assert (game.scores, where(game)) == ((0, 0), (None, None))


@pytest.mark.rule("MW-20", "PD-17")
@pytest.mark.parametrize(
    ("magic", "eats", "left"),
    [
        (["[mage 0,0 N]", "[witch 0,0 E]"], "true", (None, None)),
        (["[mage 0,0 N]", "[witch 0,0 E]"], "false", ("0,0 N", "0,0 E")),
        (["[mage -1,0 E]"], "true", ("-1,0 E", None)),
    ],
)
def test_mw_19_the_dragon_eats_them_on_their_tile_not_on_their_feature(magic, eats, left):
    game = played(
        [START_LINE, "bg-straight -1,0 r0", "pd-straight-volcano 1,0 r0"],
        "pd-straight-dragon 2,0 r0; pass; dragon 0,0",
        rules=f"dragon: true, dragon_eats_magic: {eats}",
        sets="base, princess, mage",
        headers=["[dragon 1,0]", *magic],
    )
    assert where(game) == where(reread(game)) == left


def test_mw_19_who_was_eaten_is_not_where_the_dragon_has_been():
    tiles = [START_LINE, "pd-straight-volcano 1,0 r0", "pd-straight-dragon 2,0 r0"]
    with pytest.raises(ValueError, match="MW-02"):
        played(
            tiles,
            turn="A flies",
            rules="dragon: true",
            sets="base, princess, mage",
            headers=["[dragon 0,0]", "[flight 1,0 0,0]", "[mage 0,0 E]"],
        )


#: A's builder on the road of the start tile, which the tile with a symbol extends.
BUILDER = f"{START_LINE}: A meeple E, A builder E"


@pytest.mark.rule("MW-02")
def test_w2t_03_each_part_of_a_turn_asks():
    game = played(
        [BUILDER],
        CURVE,
        rules="builders: true",
        sets="base, traders, mage",
        bag=("mw-cap-junction", "bg-cap"),
    )
    send(game, "mage", "1,0 N")
    then(game, "pass; mw-cap-junction -1,0 r0")
    assert (asked(game), game.position().first_part) == ("A MAGIC", (1, 0))


@pytest.mark.rule("MW-02")
def test_w2t_04_whoever_bought_the_tile_is_asked():
    game = played(
        [START_LINE],
        "bcb-bazaar 0,1 r0; pass; pick 1; mw-corner-curve 1,0 r0",
        rules="bazaars: true, bazaar_mode: take",
        sets="base, bridges, mage",
        bag=("mw-corner-curve", "bg-curve", "bg-curve"),
    )
    assert asked(game) == "B MAGIC"
    assert game.position().is_bought


def test_w2t_05_an_abbey_shows_no_symbol():
    game = played(
        RING,
        "am-abbey 0,1 r0",
        turn="A begins",
        rules="abbeys: true, gold: true",
        sets="base, abbey, gold, mage",
        headers=["[abbeys 1:1]", "[mage 0,0 E]"],
    )
    assert (asked(game), game.position().gold) == ("A FIGURE", ())


@pytest.mark.rule("BASE-05")
def test_w2t_08_a_symbol_that_is_put_aside_calls_nobody():
    ends = ("bg-cap 0,-1 r2", "bg-monastery-road 1,0 r0", "bg-monastery-road -1,0 r2")
    game = played([START_LINE, *ends], "pass", bag=("mw-cap-junction", "bg-monastery"))
    assert game.position().aside.count("mw-cap-junction") == 1
    assert (game.tile_in_hand, where(game)) == ("bg-monastery", (None, None))


def test_x2_02_a_garden_or_a_bazaar_beside_it_changes_nothing():
    game = played([START_LINE], "mw-caps-adjacent-curve-garden 1,0 r0")
    assert asked(game) == "A MAGIC"
    send(game, "witch", "0,0 N")
    assert "abbot mid" in names(game)
    game = played(
        WIDE,
        "bcb-city4-bazaar 0,-1 r0",
        rules="bazaars: true",
        sets="base, bridges, mage",
        headers=["[mage 0,0 N]", "[witch 0,-2 S]"],
    )
    assert asked(game) == "A MAGIC"
    send(game, "mage", "0,0 E")
    assert asked(then(game, "pass")) == "B BAZAAR_PICK"


@pytest.mark.parametrize(
    ("turn", "headers", "reason"),
    [
        ("A enchants", "", "MW-06"),
        ("A acts", "[joined token]", "needs a turn that enchants"),
        ("A enchants", "[joined bridge]", "expected"),
        ("A enchants at 5,5", "", "no tile lies"),
    ],
)
def test_mw_02_positions_that_cannot_be(turn, headers, reason):
    with pytest.raises(ValueError, match=reason):
        played([START_LINE, "bg-straight 1,0 r0"], turn=turn, headers=headers)


def test_mw_03_no_cell_without_a_target():
    with pytest.raises(ValueError, match="neither the mage nor the witch can go"):
        played([START_LINE, "bg-monastery 0,1 r0", CURVE], turn="A enchants at 0,1")


# --- What players see ---------------------------------------------------------------------------


def test_mw_20_what_seats_see_of_them():
    game = played(road(4), end_of(4), headers=["[mage 1,0 E]", "[witch 0,0 N]"])
    for seat in (0, 1):
        assert seen_at(game, seat, "mage") == {"1,0": 2}
        assert seen_at(game, seat, "witch") == {"0,0": 1}
        assert set(seen_at(game, seat, "worth E").values()) == {8}


@pytest.mark.rule("MW-09")
@pytest.mark.parametrize(("owner", "chosen"), [("A meeple", "mage"), ("B meeple", "witch")])
def test_mw_08_the_greedy_player_helps_itself_and_halves_for_others(owner, chosen):
    tiles = [f"{START_LINE}: {owner} E", *(f"bg-straight {x},0 r0" for x in range(1, 6))]
    game = played(tiles, "mw-caps-opposite 0,-1 r0")
    then(game, game.name(game.greedy_action()))
    assert game.name(game.greedy_action()).startswith(chosen)


def test_mw_01_they_are_drawn_and_told():
    game = played(
        [START_LINE, "bg-straight 1,0 r0"], turn="A places bg-cap", headers="[mage 0,0 E]"
    )
    picture = board_svg(game.position())
    assert 'class="mage"' in picture and 'class="witch"' not in picture
    assert "mage at 0,0 E" in board_text(game.position())

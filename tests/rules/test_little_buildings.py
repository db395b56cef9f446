"""LB: sheds, houses and towers that add points to every feature scored on their tiles."""

from __future__ import annotations

from collections import Counter
from itertools import cycle

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game
from carc_env.render import board_svg, board_text
from carc_env.rules import Rules
from carc_env.words import SEATS

from .looks import bag_of, names, score_log, seen_at
from .positions import JOIN, LAND, RING, START_LINE, Table, by_cell, end_of, reread, road, then
from .scenario import LORD

pytestmark = pytest.mark.interpreted

TABLE = Table("little_buildings: true")
VARIANT = "little_building_points: 3/2/1"
ALL = {"build shed", "build house", "build tower"}
STRAIGHT = "bg-straight 1,0 r0"


def standing(*buildings: str, of: tuple[int, ...] = (3, 3)) -> list[str]:
    """Return the headers for buildings, such as ``"0,0 shed"``, that the seats placed in turn.

    ``of`` gives, for each seat, how many buildings of each kind it starts with.
    """
    left = [Counter(shed=n, house=n, tower=n) for n in of]
    seats = cycle(range(len(of)))
    for building in buildings:
        kind = building.split()[1]
        seat = next(seat for seat in seats if left[seat][kind] > 0)
        left[seat][kind] -= 1
    hands = ", ".join(
        f"{SEATS[seat]} {hand['shed']} {hand['house']} {hand['tower']}"
        for seat, hand in enumerate(left)
    )
    return [f"[built {', '.join(buildings)}]", f"[unbuilt {hands}]"]


def played(tiles, *moves, built=(), headers=(), table=TABLE, **options):
    """Play from a position with buildings."""
    told = [*headers, *(standing(*built) if built else ())]
    return table.played(tiles, *moves, headers=told, **options)


def at_the_end(tiles, *built, headers=(), table=TABLE, **options):
    """Return the final scores with buildings when nothing more is placed."""
    return table.at_the_end(tiles, headers=[*headers, *standing(*built)], **options)


def built(game: Game) -> list[str]:
    """Return the buildings on the board, such as ``1,0 shed``."""
    return [f"{b.x},{b.y} {b.kind}" for b in game.position().built]


def left(game: Game) -> list[tuple[int, ...]]:
    """Return the buildings that each seat has left."""
    return [*game.position().unbuilt]


def offers(game: Game) -> set[str]:
    """Return the building actions that are offered."""
    return {name for name in names(game) if name.startswith("build ")}


# --- Shares of the buildings --------------------------------------------------------------------


@pytest.mark.rule("LB-02")
@pytest.mark.parametrize(("n_players", "each"), [(2, 9), (3, 6), (4, 4), (5, 3), (6, 3)])
def test_lb_01_eighteen_are_shared_out_equally(n_players, each):
    game = Game(Rules.preset("little-buildings", n_players=n_players), seed=1)
    hands = left(game)
    assert [sum(hand) for hand in hands] == [each] * n_players
    assert all(sum(of_kind) <= 6 for of_kind in zip(*hands, strict=True))
    assert sorted(bag_of(game)) == sorted(bag_of(Game(Rules(n_players=n_players))))


@pytest.mark.parametrize("n_players", [2, 3, 4, 5, 6])
def test_lb_02_or_so_many_of_each_kind(n_players):
    rules = Rules.preset("little-buildings", n_players=n_players, little_building_share="per_kind")
    assert left(Game(rules, seed=1)) == [(6 // n_players,) * 3] * n_players


def test_lb_02_four_players_have_one_of_each_and_a_house_or_a_tower():
    game = Game(Rules.preset("little-buildings", n_players=4), seed=1)
    assert left(game) == [(1, 2, 1), (1, 2, 1), (1, 1, 2), (1, 1, 2)]
    assert "unbuilt" not in str(game)
    assert left(reread(game)) == left(game)
    then(game, game.name(game.legal_actions()[0]), "build house")
    assert left(reread(game))[0] == (1, 1, 1)


# --- Building -----------------------------------------------------------------------------------


@pytest.mark.rule("BASE-09")
def test_lb_03_one_of_them_goes_onto_the_tile_just_placed_instead_of_a_meeple():
    game = played([START_LINE], STRAIGHT)
    assert names(game) == {"meeple E", "meeple Nw", "meeple Es", "pass"} | ALL
    then(game, "build house")
    assert (built(game), left(game)) == (["1,0 house"], [(3, 2, 3), (3, 3, 3)])
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert built(reread(game)) == built(game)


def test_lb_03_one_option_for_each_kind_in_hand():
    headers = ["[built 0,0 shed]"]
    with pytest.raises(ValueError, match="LB-03"):
        played([START_LINE], STRAIGHT, headers=[*headers, "[unbuilt A 2 3 3]"])
    tiles = [START_LINE, "bg-straight -1,0 r0", "bg-straight -2,0 r0", "bg-straight -3,0 r0"]
    three = "[built -1,0 shed, -2,0 shed, -3,0 shed]"
    game = played(tiles, STRAIGHT, headers=[three, "[unbuilt A 0 3 3, B 3 3 3]"])
    assert offers(game) == ALL - {"build shed"}
    game = played(tiles, STRAIGHT, headers=[three, "[unbuilt A 3 3 3, B 0 3 3]"])
    assert offers(game) == ALL


def test_lb_03_without_them_in_play_there_are_none():
    assert offers(Table().played([START_LINE], STRAIGHT)) == set()
    with pytest.raises(ValueError, match="the rules have none"):
        Table().played([START_LINE], STRAIGHT, headers="[built 0,0 shed]")


@pytest.mark.rule("PD-06")
def test_lb_03_a_volcano_bars_figures_alone():
    table = Table("little_buildings: true, dragon: true", sets="base, princess")
    game = played([START_LINE], "pd-straight-volcano 1,0 r0", table=table)
    assert names(game) == {"pass"} | ALL


@pytest.mark.rule("PD-51")
def test_lb_03_who_must_send_a_knight_home_builds_nothing():
    rules = "little_buildings: true, princesses: true, princess_action:"
    tiles = [f"{START_LINE}: B meeple N"]
    for action, expected in (("must", set()), ("may", ALL)):
        table = Table(f"{rules} {action}", sets="base, princess")
        game = played(tiles, "pd-cap-junction-princess 0,-1 r2", table=table)
        assert offers(game) == expected
    then(game, "to 0,0; remove 0,0 N")
    assert (game.decider, built(game)) == (1, [])


@pytest.mark.rule("W2T-04")
def test_lb_03_who_bought_a_tile_builds_on_it():
    table = Table("little_buildings: true, bazaars: true, bazaar_mode: take", sets="base, bridges")
    game = played(
        [START_LINE],
        "bcb-bazaar 0,1 r0; pass; pick 1; bg-curve 1,0 r1",
        table=table,
        bag=("bg-curve", "bg-curve", "bg-curve"),
    )
    assert (game.decider, offers(game)) == (1, ALL)
    then(game, "build tower")
    assert left(game) == [(3, 3, 3), (3, 3, 2)]


@pytest.mark.rule("TRA-07", "TRA-09")
def test_lb_03_each_part_of_a_turn_may_build():
    table = Table("little_buildings: true, builders: true", sets="base, traders")
    tiles = [f"{START_LINE}: A meeple E, A builder E"]
    game = played(tiles, STRAIGHT, "build shed", table=table, bag=("bg-straight", "bg-cap"))
    assert game.position().first_part == (1, 0)
    then(game, "bg-straight 2,0 r0; build shed")
    assert built(game) == ["1,0 shed", "2,0 shed"]
    assert left(game)[0] == (1, 3, 3)


@pytest.mark.rule("BASE-18")
def test_lb_04_it_stays_when_what_it_stands_on_has_been_scored():
    game = played(road(3), end_of(3), "build shed")
    assert (game.scores, built(game)) == ((4, 0), ["1,0 shed"])
    assert left(game) == [(2, 3, 3), (3, 3, 3)]
    assert built(at_end(game)) == ["1,0 shed"]


def at_end(game):
    """Finish the game; everybody passes when they can."""
    while not game.is_over:
        passes = [action for action in game.legal_actions() if game.name(action) == "pass"]
        game.apply(passes[0] if passes else game.legal_actions()[0])
    return game


# --- What buildings add -------------------------------------------------------------------------


def test_lb_05_a_road_brings_one_more_for_each_on_its_tiles():
    game = played(road(5), end_of(5), "pass", built=["-1,0 shed", "1,0 tower"])
    assert score_log(game) == [("A", 5 + 2, Kind.ROAD)]


def test_lb_05_not_for_those_beside_it():
    tiles = [*road(3), "bg-monastery 0,1 r0"]
    game = played(tiles, end_of(3), "pass", built=["0,1 shed"])
    assert score_log(game) == [("A", 3, Kind.ROAD)]


def test_lb_05_a_city_brings_more_and_the_last_tile_may_add_to_it_at_once():
    tiles = [f"{START_LINE}: A meeple N", "bg-cap 0,-2 r2"]
    tiles += ["bg-monastery 1,0 r0", "bg-monastery 1,-1 r0", "bg-monastery 1,-2 r0"]
    tiles[2] = "bg-straight 1,0 r0"
    game = played(tiles, "bg-span 0,-1 r0", "build house", built=["0,-2 shed"])
    assert score_log(game) == [("A", 6 + 2, Kind.CITY)]


@pytest.mark.rule("LB-12")
def test_lb_05_a_tile_with_two_parts_of_a_feature_counts_once():
    tiles = [f"{START_LINE}: A meeple N", "bg-city3 0,-1 r0", "bg-corner 1,-1 r3"]
    game = played([*tiles, "bg-corner 0,-2 r1"], "bg-caps-adjacent 1,-2 r2", "build shed")
    assert score_log(game) == [("A", 2 * 5 + 1, Kind.CITY)]


MONASTERY, GARDEN = "bg-monastery 0,1 r0", "bg-straight-garden 0,1 r0"
#: The tiles around each of them, apart from the start tile.
AROUND = {
    MONASTERY: [line for line in RING if line != START_LINE],
    GARDEN: [f"bg-straight {x},{y} r0" for y in range(3) for x in (-1, 0, 1) if (x, y) > (0, 1)]
    + ["bg-straight -1,2 r0", "bg-straight -1,1 r0", "bg-straight -1,0 r0"],
}


def around(centre, owner):
    """Return the centre and all but the last of the tiles around it, then that last tile."""
    *tiles, last = AROUND[centre]
    return [START_LINE, f"{centre}: {owner}", *tiles], last


def test_lb_05_a_monastery_brings_more_for_those_on_its_nine_cells():
    tiles, last = around(MONASTERY, "A meeple mid")
    game = played(tiles, last, "build shed", built=["-1,0 shed", "0,1 tower"])
    assert score_log(game) == [("A", 9 + 3, Kind.MONASTERY)]
    game = played([*tiles, "bg-straight -2,0 r0"], last, "pass", built=["-2,0 shed"])
    assert score_log(game) == [("A", 9, Kind.MONASTERY)]


def on_an_abbey(move, **options):
    """Let A place an abbey in the ring and then make a move."""
    table = Table("little_buildings: true, abbeys: true", sets="base, abbey")
    options = {**options, "table": table, "turn": "A begins", "headers": ["[abbeys 1:1]"]}
    return played(RING, "am-abbey 0,1 r0", move, **options)


@pytest.mark.rule("ABB-15")
def test_lb_05_an_abbey_is_like_a_monastery():
    game = on_an_abbey("meeple mid", built=["1,0 shed"])
    assert score_log(game) == [("A", 9 + 1, Kind.MONASTERY)]


@pytest.mark.rule("INN-03")
def test_lb_06_an_open_road_with_an_inn_is_worth_what_they_add():
    table = Table("little_buildings: true, inns: true", sets="base, inns")
    tiles = [*road(4)[:2], "ic-straight-inn-garden 1,0 r0", "bg-straight 2,0 r0"]
    assert at_the_end(tiles, "1,0 shed", table=table) == (1, 0)
    city = [f"{START_LINE}: A meeple N", "ic-cathedral 0,-1 r0", "bg-straight 1,0 r0"]
    assert at_the_end(city, "0,-1 shed", table=table) == (1, 0)


@pytest.mark.rule("INN-02", "SIE-03")
def test_lb_06_inns_and_sieges_change_tiles_alone():
    table = Table("little_buildings: true, inns: true", sets="base, inns")
    tiles = [*road(4)[:2], "ic-straight-inn-garden 1,0 r0"]
    game = played(tiles, "bg-monastery-road 2,0 r0", "pass", table=table, built=["1,0 shed"])
    assert game.scores == (8 + 1, 0)


MAGIC = Table("little_buildings: true, mage_witch: true", sets="base, mage")


@pytest.mark.rule("LB-06", "X2-01")
@pytest.mark.parametrize(("who", "points"), [("witch", 2 + 1), ("mage", 8 + 1)])
def test_mw_11_they_come_behind_the_mage_and_the_witch(who, points):
    game = played(
        road(4), end_of(4), "pass", table=MAGIC, headers=[f"[{who} 0,0 E]"], built=["1,0 shed"]
    )
    assert score_log(game) == [("A", points, Kind.ROAD)]


@pytest.mark.rule("LB-06")
def test_x2_01_first_the_inn_then_the_mage_then_a_building():
    table = Table("little_buildings: true, mage_witch: true, inns: true", sets="base, inns, mage")
    tiles = [*road(4)[:2], "ic-straight-inn-garden 1,0 r0"]
    game = played(
        tiles,
        "bg-monastery-road 2,0 r0; pass",
        table=table,
        headers=["[mage 0,0 E]"],
        built=["1,0 shed"],
    )
    assert game.scores == (8 + 4 + 1, 0)


#: A field with a farmer beside one complete city.
FIELD = [f"{START_LINE}: A meeple En", "bg-cap 0,-1 r2", "bg-straight 1,0 r0"]


@pytest.mark.rule("BASE-24")
def test_lb_07_in_the_final_scoring_too():
    last = "bg-straight 3,0 r0"
    assert at_the_end([*FIELD, "bg-straight 2,0 r0", last], "1,0 shed") == (3 + 1, 0)
    monk = [START_LINE, "bg-monastery 0,1 r0: A meeple mid", "bg-straight 1,0 r0"]
    assert at_the_end(monk, "0,1 shed") == (3 + 1, 0)
    knight = [f"{START_LINE}: A meeple N", "bg-span 0,-1 r0", "bg-straight 1,0 r0"]
    assert at_the_end(knight, "0,-1 shed") == (2 + 1, 0)
    thief = [f"{START_LINE}: A meeple E", "bg-straight 1,0 r0", "bg-straight 2,0 r0"]
    assert at_the_end(thief, "1,0 shed") == (3 + 1, 0)


@pytest.mark.rule("BASE-24")
def test_lb_07_a_field_without_a_city_brings_what_they_add():
    tiles = [f"{START_LINE}: A meeple Es", "bg-straight 1,0 r0", "bg-straight 2,0 r0"]
    assert at_the_end(tiles, "1,0 tower") == (1, 0)


@pytest.mark.parametrize(("rules", "points"), [("", 3), (VARIANT, 6)])
def test_lb_08_a_tower_may_add_three_and_a_house_two(rules, points):
    stand = ["-1,0 shed", "1,0 house", "2,0 tower"]
    game = played(road(5), end_of(5), "pass", built=stand, rules=rules)
    assert score_log(game) == [("A", 5 + points, Kind.ROAD)]
    for kind, each in (("shed", 1), ("house", 2), ("tower", 3)):
        game = played(road(3), end_of(3), f"build {kind}", rules=rules)
        assert game.scores == (3 + (each if rules else 1), 0)


BARNS = Table("little_buildings: true, barns: true", sets="base, abbey")


@pytest.mark.rule("BARN-20")
def test_lb_09_a_barn_gets_them_at_the_end():
    tiles = by_cell(LAND, {"0,0": "A barn SE"}, last="-2,0")
    assert at_the_end(tiles, "1,1 shed", "0,1 house", table=BARNS) == (4 + 2, 0)


@pytest.mark.rule("BARN-10", "BARN-17")
def test_lb_09_so_do_farmers_whose_field_gets_a_barn_or_is_joined_to_one():
    tiles = by_cell(LAND, {"0,0": "B meeple Es"}, last="1,1")
    game = played(tiles, "barn NW", table=BARNS, built=["0,1 shed"])
    assert score_log(game) == [("B", 3 + 1, Kind.FIELD)]
    tiles = by_cell(LAND, {"0,0": "A barn SE", "-1,0": "B meeple Nw"}, last="1,1")
    game = played(tiles, JOIN, "pass", table=BARNS, built=["-1,0 tower"])
    assert score_log(game) == [("B", 3 + 1, Kind.FIELD)]


CASTLE = [START_LINE, "bg-cap 0,1 r2", "bg-cap 0,2 r0: A meeple N", "bg-monastery -1,1 r0"]
CASTLES = Table("little_buildings: true, castles: true", sets="base, bridges")


@pytest.mark.rule("CAS-19")
def test_lb_10_a_castle_gets_a_road_with_what_stands_there():
    tiles = [*CASTLE, "bg-monastery-road 1,1 r2: B meeple E", "bg-straight 2,1 r0"]
    tiles += ["bg-straight 3,1 r0"]
    game = played(
        tiles, "bg-monastery-road 4,1 r0; pass", table=CASTLES, headers=LORD, built=["2,1 shed"]
    )
    assert score_log(game) == [("B", 4 + 1, Kind.ROAD), ("A", 4 + 1, Kind.CASTLE)]


@pytest.mark.rule("CAS-18", "CAS-24")
def test_lb_10_but_nothing_of_its_own():
    tiles = [*CASTLE, "bg-monastery-road 1,1 r2"]
    game = played(
        tiles, "bg-monastery-road 2,1 r0; pass", table=CASTLES, headers=LORD, built=["0,1 shed"]
    )
    assert score_log(game) == [("A", 2, Kind.CASTLE)]


# --- Abbots and gardens -------------------------------------------------------------------------


@pytest.mark.rule("LB-11", "ABT-12", "ABT-09")
@pytest.mark.parametrize("centre", [MONASTERY, GARDEN])
def test_xlb_01_a_recall_gets_nothing_from_them(centre):
    tiles, _ = around(centre, "A abbot mid")
    game = played(tiles, "recall", built=["0,1 shed"])
    assert [points for _, points, _ in score_log(game)] == [8]


@pytest.mark.rule("LB-11", "GAR-06")
def test_xlb_02_a_garden_gets_them():
    tiles, last = around(GARDEN, "A abbot mid")
    game = played(tiles, last, "build shed", built=["0,1 tower"])
    assert score_log(game) == [("A", 9 + 2, Kind.GARDEN)]
    assert at_the_end(tiles, "0,1 shed") == (8 + 1, 0)


@pytest.mark.rule("LB-11", "ABT-09", "W2T-02")
def test_xlb_03_who_builds_does_nothing_else():
    tiles = [START_LINE, f"{GARDEN}: A abbot mid"]
    game = played(tiles, STRAIGHT)
    assert "recall" in names(game)
    then(game, "build shed")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    game = then(played(tiles, STRAIGHT), "recall")
    assert (game.phase, game.decider, built(game)) == (Phase.PLACE_TILE, 1, [])


# --- Who gets the points, and other actions -----------------------------------------------------


@pytest.mark.rule("BASE-17")
def test_lb_12_all_with_the_majority_get_them():
    tiles = road(5)
    tiles[2] = "bg-straight 1,0 r0: B meeple E"
    game = played(tiles, end_of(5), "pass", built=["1,0 shed"])
    assert game.scores == (6, 6)


@pytest.mark.rule("LB-04")
def test_lb_12_one_serves_many_features_and_scorings():
    tiles = [f"{START_LINE}: A meeple E", "bg-monastery-road -1,0 r2", "bg-straight 0,1 r0"]
    bag = ("bg-cap", "bg-monastery-road", "bg-curve", "bg-curve")
    game = played(tiles, "bg-cap-straight 1,0 r0", "build shed", bag=bag)
    then(game, "bg-cap 1,-1 r2; meeple S")
    assert score_log(game) == [("B", 4 + 1, Kind.CITY)]
    then(game, "bg-monastery-road 2,0 r0; pass")
    assert score_log(game) == [("A", 4 + 1, Kind.ROAD)]


def test_lb_12_two_features_of_a_tile_have_both_one_more():
    tiles = [START_LINE, "bg-cap-straight 1,0 r0: A meeple N, B meeple E", "bg-monastery 0,1 r0"]
    assert at_the_end(tiles, "1,0 shed") == (1 + 1, 2 + 1)


@pytest.mark.rule("PHA-07", "W2T-02")
def test_lb_13_a_second_figure_and_a_token_may_follow():
    table = Table("little_buildings: true, phantom: true, tunnels: true", sets="base, tunnel")
    game = played([START_LINE], "tu-two-tunnels 1,0 r0", "build shed", table=table)
    assert game.phase == Phase.SECOND
    assert {name.split()[0] for name in names(game)} == {"phantom", "tunnel", "pass"}
    then(reread(game), "pass")
    then(game, min(name for name in names(game) if name.startswith("phantom")))
    assert game.phase == Phase.TUNNEL
    assert {name.split()[0] for name in names(game)} == {"tunnel", "pass"}
    assert built(game) == ["1,0 shed"]


@pytest.mark.rule("ABB-08")
def test_lb_13_it_may_stand_on_an_abbey():
    assert built(on_an_abbey("build tower")) == ["0,1 tower"]


DRAGON = Table("little_buildings: true, dragon: true", sets="base, princess")


@pytest.mark.rule("PD-17")
def test_lb_14_the_dragon_leaves_them():
    tiles = [START_LINE, "bg-straight -1,0 r0", "pd-straight-volcano 1,0 r0"]
    game = played(
        tiles,
        "pd-straight-dragon 2,0 r0",
        "pass; dragon 0,0; dragon -1,0",
        table=DRAGON,
        headers=["[dragon 1,0]"],
        built=["-1,0 shed"],
    )
    assert built(game) == ["-1,0 shed"]


@pytest.mark.rule("FES-07")
def test_lb_04_nor_do_they_come_back_at_a_festival():
    table = Table("little_buildings: true, festival: true", sets="base, festival")
    tiles = [f"{START_LINE}: A meeple N", "bg-straight -1,0 r0"]
    game = played(tiles, "fe-cap-gate 0,-1 r2", table=table, built=["-1,0 shed"])
    assert {name for name in names(game) if name.startswith("to ")} == {"to 0,0"}


# --- Impossible positions -----------------------------------------------------------------------


@pytest.mark.rule("LB-03")
@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        (["[built 1,0 shed]"], "LB-01"),
        (["[built 5,5 shed]", "[unbuilt A 2 3 3]"], "LB-03"),
        (["[built 1,0 shed, 1,0 shed]", "[unbuilt A 1 3 3]"], "LB-03"),
        (["[built 0,0 shed]", "[unbuilt A 2 3 3]"], "LB-03"),
        (["[built 2,0 shed]", "[unbuilt A 2 3 3]"], "LB-03"),
        (["[unbuilt A 4 3 3, B 2 3 3]"], "LB-01"),
        (["[built 1,0 church]"], "expected a building"),
        (["[unbuilt A 3 3]"], "expected a seat"),
        (["[unbuilt C 3 3 3]"], "expected a seat"),
    ],
)
def test_lb_01_positions_that_cannot_be(headers, reason):
    tiles = [START_LINE, "bg-straight 1,0 r0", "bg-straight 2,0 r0"]
    with pytest.raises(ValueError, match=reason):
        played(tiles, headers=headers)


# --- What players see ---------------------------------------------------------------------------


def test_lb_05_what_seats_see_of_them():
    tiles = [*road(4), "bg-monastery 0,1 r0: B meeple mid"]
    for seat in (0, 1):
        game = played(tiles, "bg-straight 2,0 r0", built=["1,0 house"])
        assert set(seen_at(game, seat, "worth E").values()) == {4 + 1}
        assert seen_at(game, seat, "worth mid") == {"-1,0": 3, "0,1": 4 + 1}
        then(game, "build tower")
        assert set(seen_at(game, seat, "worth E").values()) == {4 + 2}
        assert seen_at(game, seat, "building") == {"1,0": 2, "2,0": 3}


def test_lb_03_the_greedy_player_builds_where_that_brings_most():
    tiles = [f"{START_LINE}: A meeple E, A meeple Es, A meeple En"]
    game = played(tiles, STRAIGHT, rules=VARIANT)
    assert game.name(game.greedy_action()) == "build tower"


def test_lb_01_they_are_drawn_and_told():
    game = played(road(4), "bg-straight 2,0 r0", "pass", built=["1,0 house"])
    picture = board_svg(game.position())
    assert 'data-building="house"' in picture
    assert "buildings: 1,0 house" in board_text(game.position())

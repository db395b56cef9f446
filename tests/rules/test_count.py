"""COU: the city of Carcassonne, the figures that enter and leave it, and the count."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Figure, Phase, Quarter
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.rules import Rules
from carc_env.words import SEATS

from .looks import asked, bag_of, figures, in_supply, meeples, names, offered, targets
from .positions import Table, carcassonne, reread, then
from .scenario import START, TILES, play

pytestmark = pytest.mark.interpreted

SETS = "base, count"
TABLE = Table("count: true", sets=SETS)
played = TABLE.played


def waits(*who):
    """Return the header for the waiting figures and their quarters."""
    return f"[quarters {', '.join(who)}]" if who else ""


def inside(game):
    """Return the waiting figures, such as ``A meeple market``."""
    return [
        f"{SEATS[w.seat]} {w.figure.name.lower()} {w.quarter.name.lower()}"
        for w in game.position().waiting
    ]


def count_at(game):
    return game.position().count


#: Moves that complete the city below `co-9` and the one beside `co-12`: two tiles, 4 points each.
CLOSE = "bg-cap -2,2 r0; pass"
CLOSE_EAST = "bg-cap 2,1 r3; pass"
#: Completes the road above `co-4`: two tiles, 2 points.
CLOSE_ROAD = "bg-monastery-road 1,-2 r3; pass"
#: A city of four tiles below `co-9`, which `bg-cap -2,5 r0` completes: 14 points.
LONG = ("bg-span -2,2 r0", "bg-span-shield -2,3 r0", "bg-span-shield -2,4 r0")
CLOSE_LONG = "bg-cap -2,5 r0; pass"
LONG_CELLS = {f"to -2,{y}" for y in range(1, 6)}


def cloister(what, last=""):
    """Return a building at (-1, -2), north of the city, and its surroundings without `last`."""
    around = {
        "-2,-2": "bg-cap -2,-2 r3",
        "0,-2": "bg-cap 0,-2 r1",
        "-2,-3": "bg-straight -2,-3 r0",
        "-1,-3": "bg-straight -1,-3 r0",
        "0,-3": "bg-straight 0,-3 r0",
    }
    around.pop(last, None)
    return [what, *around.values()] if what else [*around.values()]


CLOSE_CLOISTER = "bg-straight 0,-3 r0; pass"


def monastery(figure="", last="0,-3"):
    return cloister(f"bg-monastery -1,-2 r0: {figure}", last)


# --- The city and its quarters ------------------------------------------------------------------


@pytest.mark.rule("TILE-01")
@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_cou_01_twelve_tiles_replace_the_start_tile(edition):
    rules = Rules.preset("count", edition=edition, abbot=edition == "C2", auto_single=False)
    game = Game(rules, seed=1)
    laid = game.initial_position.tiles
    assert [(t.tile, t.x, t.y, t.rotation) for t in laid] == [
        (f"co-{4 * row + column + 1}", column - 2, row - 1, 0)
        for row in range(3)
        for column in range(4)
    ]
    drawn = bag_of(game)
    assert len(drawn) == 71
    assert drawn.count(START) == 3
    assert not set(drawn) & set(TILES["count"])


def test_cou_01_the_city_lies_there_without_the_count_as_well():
    game = Table(sets=SETS).played(carcassonne(co_9="B meeple S"), CLOSE)
    assert game.scores == (0, 4)
    assert game.phase == Phase.PLACE_TILE
    assert game.position().count is None


@pytest.mark.rule("COU-22", "TILE-01")
def test_cou_02_the_facts_of_the_block():
    rows = {row["id"]: row for row in FACTS if row["set"] == "count"}
    edges = "FKKR FKKK FKKK RFKK KKKF KKKK KKKK KFKK KKCF KKFK KKRK KCFK".split()
    assert [row["edges"] for row in rows.values()] == edges
    assert [t["edges"] for t in TILES["count"].values()] == edges
    assert [row["table"] for row in rows.values()] == [
        [x, y] for y in (-1, 0, 1) for x in (-2, -1, 0, 1)
    ]
    assert [name for name, row in rows.items() if row.get("closed")] == ["co-6", "co-7"]
    fields = [field for row in rows.values() for field in row["fields"]]
    assert len(fields) == 13
    assert all(field["carcassonne"] for field in fields)


def test_cou_03_the_count_begins_in_the_castle():
    game = Game(Rules.preset("count"), seed=1)
    assert count_at(game) == Quarter.CASTLE
    assert [quarter.name for quarter in Quarter] == ["CASTLE", "MARKET", "BLACKSMITH", "CATHEDRAL"]
    assert inside(game) == []


def test_cou_10_any_number_of_meeples_of_all_players_wait_in_a_quarter():
    who = ("A meeple market", "A meeple market", "B meeple market")
    game = played(carcassonne("bg-cap -2,2 r0"), headers=waits(*who))
    assert inside(game) == list(who)
    assert (meeples(game, "A"), meeples(game, "B")) == (5, 6)


# --- Into the city ------------------------------------------------------------------------------


@pytest.mark.rule("COU-03")
@pytest.mark.parametrize(
    ("knights", "scores", "may_enter"),
    [
        ("B meeple S", (0, 4), True),
        ("A meeple S, B meeple S", (4, 4), False),
        ("A meeple S", (4, 0), False),
        ("", (0, 0), False),
    ],
)
def test_cou_04_who_scores_only_for_others_may_put_a_meeple_in(knights, scores, may_enter):
    game = played(carcassonne(co_9=knights), CLOSE)
    assert game.scores == scores
    assert (game.phase == Phase.ENTER) == may_enter
    if may_enter:
        assert asked(game) == "A ENTER"
        assert {n for n in names(game) if " meeple " in n} == {
            f"enter meeple {quarter}" for quarter in ("castle", "market", "blacksmith", "cathedral")
        }
        then(game, "enter meeple castle")  # The count's quarter is open too.
        assert inside(game) == ["A meeple castle"]
        assert meeples(game, "A") == 6


def test_cou_04_nobody_must_and_nobody_can_without_a_meeple():
    game = then(played(carcassonne(co_9="B meeple S"), CLOSE), "pass")
    assert (game.phase, inside(game)) == (Phase.PLACE_TILE, [])
    empty = carcassonne(co_9="B meeple S", co_8=", ".join(["A meeple Ne"] * 7))
    options = {"rules": "abbot: false"}
    assert played(empty, CLOSE, **options).phase == Phase.PLACE_TILE
    # One meeple in the supply is enough.
    farmers = carcassonne("bg-cap -2,2 r0", co_9="B meeple S", co_8=", ".join(["A meeple Ne"] * 6))
    game = played(farmers, "pass", **options)
    assert "enter meeple market" in names(game)


def test_cou_04_points_for_one_feature_and_for_another():
    # One tile completes A's road and B's city. A scores as well, so A may not put a meeple in.
    tiles = carcassonne(
        "bg-monastery -3,1 r0", "bg-monastery-road -3,2 r2: A meeple E", co_9="B meeple S"
    )
    game = played(tiles, "bg-cap-junction -2,2 r0; pass")
    assert game.scores == (2, 4)
    assert game.phase == Phase.PLACE_TILE


LARGE_AT_MARKET = {"rules": "large_meeples: true", "headers": "[count market]"}


def test_cou_05_then_the_count_may_move():
    game = then(played(carcassonne(co_9="B meeple S"), CLOSE), "enter meeple market")
    assert asked(game) == "A COUNT"
    assert names(game) == {"count market", "count blacksmith", "count cathedral", "stay"}
    stays = then(game.clone(), "stay")
    assert (count_at(stays), stays.phase) == (Quarter.CASTLE, Phase.PLACE_TILE)
    then(game, "count market")
    assert (count_at(game), game.phase, game.turn_player) == (Quarter.MARKET, Phase.PLACE_TILE, 1)
    # The count moves from the quarter where he is.
    game = played(carcassonne(co_9="B meeple S"), CLOSE, "enter large castle", **LARGE_AT_MARKET)
    assert names(game) == {"count castle", "count blacksmith", "count cathedral", "stay"}


def test_cou_05_he_does_not_move_without_a_meeple():
    game = then(played(carcassonne(co_9="B meeple S"), CLOSE), "pass")
    assert (count_at(game), game.phase) == (Quarter.CASTLE, Phase.PLACE_TILE)


#: A's builder is on a road that ends at (-3, 2), west of the city below `co-9`.
BUILDER = (
    "bg-monastery -3,1 r0",
    "bg-straight -3,2 r0: A builder E; bg-straight -4,2 r0: A meeple E",
)
FIRST = "bg-cap-curve-left -2,2 r0; pass; enter meeple market; stay"


@pytest.mark.parametrize(("limit", "may_enter"), [("turn", False), ("placement", True)])
def test_cou_06_once_in_a_turn_or_in_each_part(limit, may_enter):
    tiles = carcassonne(*BUILDER, co_9="B meeple S", co_12="B meeple E")
    options = {"rules": f"builders: true, count_per_turn: {limit}", "bag": ("bg-cap", "bg-curve")}
    game = played(tiles, FIRST, **options)
    assert game.position().first_part == (-2, 2)
    reread(game)
    then(game, CLOSE_EAST)
    assert game.scores == (0, 8)
    assert (game.phase == Phase.ENTER) == may_enter
    if may_enter:
        then(game, "enter meeple market")
        assert inside(game) == ["A meeple market", "A meeple market"]


def test_cou_06_the_second_part_counts_if_nobody_went_in_the_first():
    tiles = carcassonne(*BUILDER, co_9="B meeple S", co_12="B meeple E")
    options = {"rules": "builders: true", "bag": ("bg-cap", "bg-curve")}
    game = played(tiles, "bg-cap-curve-left -2,2 r0; pass; pass", CLOSE_EAST, **options)
    assert asked(game) == "A ENTER"


@pytest.mark.parametrize("order", ["bazaar_first", "builder_first"])
@pytest.mark.parametrize("mode", ["take", "auction"])
def test_cou_06_a_turn_goes_on_behind_a_bazaar(order, mode):
    # The bazaar tile completes B's city and extends the road of A's builder.
    tiles = carcassonne(
        *("bg-monastery -3,1 r0", "bg-monastery -3,2 r0", "bg-monastery -3,3 r0"),
        *("bg-straight -2,3 r1: A builder N", "bg-straight -2,4 r1: A meeple N"),
        co_9="B meeple S",
        co_12="B meeple E",
    )
    rules = f"builders: true, bazaars: true, bazaar_mode: {mode}, bazaar_builder_order: {order}"
    bag = ("bg-curve", "bg-straight", "bg-cap", "bg-junction", "bg-crossroads")
    game = played(
        tiles,
        "bcb-cap-road-bazaar -2,2 r0; pass; enter meeple market; stay",
        rules=rules,
        sets="base, bridges, count",
        bag=bag,
    )
    if order == "bazaar_first":
        then(reread(game), "pick 1")
        then(game, "pick 1", *(["bid 0", "pass"] if mode == "auction" else []))
        then(game, "bg-curve -2,-2 r1; pass", *(["pick 1"] if mode == "take" else []))
        reread(game)
        then(game, "bg-straight 0,-2 r0; pass")
    assert (game.position().first_part, game.turn_player) == ((-2, 2), 0)
    then(game, CLOSE_EAST)
    assert game.scores == (0, 8)
    assert asked(game) == ("B PLACE_TILE" if order == "bazaar_first" else "B BAZAAR_PICK")


@pytest.mark.rule("TOW-30")
def test_cou_07_a_ransom_is_no_scoring():
    tiles = carcassonne("to-field-garden -1,-2 r0")
    options = {"rules": "towers: true", "sets": "base, tower, count"}
    headers = ("[floors 10:9]", "[towers -1,-2 1]", "[prisoners B holds A meeple]")
    game = played(
        tiles,
        "bg-cap -2,2 r0; ransom meeple from B; pass",
        scores="5:0",
        headers=headers,
        **options,
    )
    assert game.scores == (2, 3)
    assert (game.phase, game.turn_player) == (Phase.PLACE_TILE, 1)


PRINCESS = "base, princess, count"
FAIRY = {"rules": "fairy: true", "sets": PRINCESS}


def test_cou_07_the_points_of_the_fairy_do_not_count():
    # A gets 1 point at the beginning of the turn and may still put a meeple in.
    tiles = carcassonne("bg-monastery -1,-2 r0", co_9="B meeple S", co_10="A meeple Es")
    game = played(
        tiles,
        "pass; bg-cap -2,2 r0; pass",
        seat="B",
        headers="[fairy -1,1 Es]",
        bag=("bg-cap", "bg-curve"),
        **FAIRY,
    )
    assert game.scores == (1, 4)
    assert asked(game) == "A ENTER"


@pytest.mark.parametrize(
    ("knights", "scores", "may_enter"),
    [
        ("A meeple S, B large S", (3, 4), True),  # A gets only the 3 points of the fairy.
        ("A meeple S", (7, 0), False),
    ],
)
def test_cou_07_nor_those_for_the_feature(knights, scores, may_enter):
    options = {**FAIRY, "rules": "fairy: true, large_meeples: true"}
    of_a = " of A" if "B" in knights else ""
    game = played(carcassonne(co_9=knights), CLOSE, headers=f"[fairy -2,1 S{of_a}]", **options)
    assert game.scores == scores
    assert (game.phase == Phase.ENTER) == may_enter


@pytest.mark.parametrize("late_bridge", [False, True])
def test_cou_07_a_recall_is_no_scoring(late_bridge):
    tiles = carcassonne("bg-monastery -3,1 r0: A abbot mid", co_9="B meeple S")
    options = {}
    if late_bridge:
        options["rules"] = "bridges: true, bridge_timing: any_time_before_scoring"
        options["sets"] = "base, bridges, count"
    game = played(tiles, "bg-cap -2,2 r0; recall", **options)
    if late_bridge:
        assert game.phase == Phase.BRIDGE
        then(reread(game), "pass")
        then(game, "pass")
    assert game.scores == (4, 4)
    assert asked(game) == "A ENTER"


@pytest.mark.rule("XCK-08", "XCK-15", "XW-15", "HS-28")
def test_cou_09_who_may_stand_where():
    rules = "large_meeples: true, mayors: true, wagons: true, barns: true, builders: true, "
    rules += "pigs: true, shepherds: true"
    options = {"rules": rules, "sets": "base, traders, abbey, hills, count"}
    game = played(carcassonne(co_9="B meeple S"), CLOSE, **options)
    every = ("castle", "market", "blacksmith", "cathedral")
    allowed = {
        "meeple": every,
        "large": every,
        "mayor": ("castle",),
        "wagon": ("castle", "blacksmith", "cathedral"),
        "abbot": ("cathedral",),
    }
    wanted = {f"enter {who} {where}" for who, quarters in allowed.items() for where in quarters}
    assert names(game) == wanted | {"pass"}
    for name in sorted(wanted):
        entered = then(game.clone(), name)
        assert inside(entered) == [name.replace("enter", "A")]
        assert entered.position() == reread(entered).position()


@pytest.mark.parametrize(
    ("move", "begins", "goes_to", "ends"),
    [
        ("clockwise", "castle", "cathedral", "MARKET"),
        ("clockwise", "cathedral", "market", "CASTLE"),
        ("follow", "castle", "cathedral", "CATHEDRAL"),
        ("follow", "castle", "castle", "CASTLE"),
    ],
)
def test_cou_30_the_count_walks_by_himself(move, begins, goes_to, ends):
    options = {"rules": f"count_move: {move}", "headers": f"[count {begins}]"}
    game = played(carcassonne(co_9="B meeple S"), CLOSE, f"enter meeple {goes_to}", **options)
    assert game.phase == Phase.PLACE_TILE
    assert count_at(game).name == ends


@pytest.mark.rule("CULT-07")
def test_cou_31_the_loser_of_a_challenge_may_put_a_meeple_in():
    tiles = carcassonne(
        "cu-shrine -1,-2 r0: B meeple mid; bg-cap -2,-2 r3; bg-cap 0,-2 r1",
        "bg-cap -2,-3 r0; bg-monastery -1,-3 r0: A meeple mid",
    )
    options = {"rules": "shrines: true", "sets": "base, cult, count"}
    game = played(tiles, "bg-cap 0,-3 r0; pass", **options)
    assert game.scores == (0, 9)
    assert asked(game) == "A ENTER"
    assert meeples(game, "A") == 7


# --- Out of the city ----------------------------------------------------------------------------


def sources(kind):
    """Return tiles with a feature of A, moves that complete it, its cells, quarter and points."""
    return {
        "city": (carcassonne(co_9="A meeple S"), CLOSE, {"-2,1", "-2,2"}, "castle", 4),
        "road": (carcassonne(co_4="A meeple N"), CLOSE_ROAD, {"1,-1", "1,-2"}, "blacksmith", 2),
        "monastery": (
            carcassonne(*monastery("A meeple mid")),
            CLOSE_CLOISTER,
            {"-1,-2"},
            "cathedral",
            9,
        ),
    }[kind]


@pytest.mark.rule("COU-12", "COU-17")
@pytest.mark.parametrize("kind", ["city", "road", "monastery"])
@pytest.mark.parametrize("quarter", ["castle", "market", "blacksmith", "cathedral"])
def test_cou_11_every_quarter_has_its_features(kind, quarter):
    tiles, moves, cells, right, points = sources(kind)
    count = "market" if quarter != "market" else "castle"
    headers = (f"[count {count}]", waits(f"B meeple {quarter}", f"B meeple {quarter}"))
    game = played(tiles, moves, headers=headers)
    if quarter != right:
        assert game.scores == (points, 0)
        assert game.phase == Phase.PLACE_TILE
        assert inside(game) == [f"B meeple {quarter}"] * 2
        return
    assert asked(game) == "B JOIN"
    assert names(game) == {"pass", *(f"to {cell}" for cell in cells)}
    reread(game)
    cell = sorted(cells)[0]
    then(game, f"to {cell}")
    assert asked(game) == "B JOIN_SPOT"
    (spot,) = names(game)
    reread(game)
    then(game, spot)
    assert asked(game) == "B JOIN"  # B may go on, one meeple at a time.
    then(game, f"to {cell}", spot)
    assert game.scores == (0, points)
    assert asked(game) == "A ENTER"
    assert (inside(game), figures(game)) == ([], set())
    assert (meeples(game, "A"), meeples(game, "B")) == (7, 7)


@pytest.mark.parametrize(("n", "scores"), [(0, (14, 0)), (1, (14, 14)), (2, (0, 14))])
def test_cou_12_then_majorities_are_compared(n, scores):
    headers = ("[count market]", waits("B meeple castle", "B meeple castle"))
    game = played(carcassonne(*LONG, co_9="A meeple S"), CLOSE_LONG, headers=headers)
    for _ in range(n):
        then(game, "to -2,3; meeple N")
    if n < 2:
        then(game, "pass")
    assert game.scores == scores
    assert inside(game) == ["B meeple castle"] * (2 - n)


def test_cou_12_the_turn_player_moves_as_well_and_then_may_not_put_one_in():
    headers = ("[count market]", waits("A meeple castle"))
    game = played(carcassonne(co_9="B meeple S"), CLOSE, headers=headers)
    assert asked(game) == "A JOIN"
    passed = then(game.clone(), "pass")
    assert (passed.scores, asked(passed)) == ((0, 4), "A ENTER")
    then(game, "to -2,2; meeple N")
    assert (game.scores, game.phase) == ((4, 4), Phase.PLACE_TILE)


def test_cou_13_nobody_leaves_the_quarter_of_the_count():
    game = played(carcassonne(co_9="A meeple S"), CLOSE, headers=waits("B meeple castle"))
    assert game.scores == (4, 0)
    assert inside(game) == ["B meeple castle"]


@pytest.mark.rule("W1T-06")
def test_cou_14_the_turn_player_is_the_last():
    who = waits("A meeple castle", "B meeple castle", "B large castle", "C meeple castle")
    options = {"rules": "large_meeples: true", "n_players": 3}
    game = played(carcassonne(co_9="A meeple S"), CLOSE, headers=("[count market]", who), **options)
    seen = [asked(game)]
    for move in ("to -2,1; large S", "pass", "pass", "to -2,2; meeple N"):
        then(game, move)
        seen.append(asked(game))
    assert seen == ["B JOIN", "B JOIN", "C JOIN", "A JOIN", "B PLACE_TILE"]
    assert game.scores == (4, 4, 0)
    assert inside(game) == ["B meeple castle", "C meeple castle"]


@pytest.mark.rule("CULT-13")
@pytest.mark.parametrize("building", ["bg-monastery -1,-2 r0", "cu-shrine -1,-2 r0"])
@pytest.mark.parametrize("joins", [False, True])
def test_cou_15_nobody_comes_to_what_nobody_occupies(building, joins):
    options = {
        "rules": f"shrines: true, count_join_unoccupied: {str(joins).lower()}",
        "sets": "base, cult, count",
        "headers": waits("B meeple cathedral"),
    }
    game = played(carcassonne(*cloister(building, "0,-3")), CLOSE_CLOISTER, **options)
    assert (game.phase == Phase.JOIN) == joins
    if joins:
        then(game, "to -1,-2; meeple mid")
        assert (game.scores, asked(game)) == ((0, 9), "A ENTER")
    else:
        assert (game.scores, inside(game)) == ((0, 0), ["B meeple cathedral"])


def test_cult_13_no_challenge_arises_from_the_quarter_of_the_cathedral():
    tiles = carcassonne(
        "cu-shrine -1,-2 r0; bg-cap -2,-2 r3; bg-cap 0,-2 r1",
        "bg-cap -2,-3 r0; bg-monastery -1,-3 r0: A meeple mid",
    )
    options = {"rules": "shrines: true", "sets": "base, cult, count"}
    game = played(tiles, "bg-cap 0,-3 r0; pass", headers=waits("B meeple cathedral"), **options)
    assert game.scores == (0, 0)
    assert figures(game) == {"A meeple -1,-3 mid"}


def test_cou_16_to_any_tile_of_the_feature():
    headers = ("[count market]", waits("B meeple castle"))
    game = played(carcassonne(*LONG, co_9="A meeple S"), CLOSE_LONG, headers=headers)
    assert names(game) == {"pass", *LONG_CELLS}


@pytest.mark.rule("COU-16")
def test_pd_06_but_not_to_the_dragons():
    headers = ("[count market]", "[dragon -2,3]", waits("B meeple castle"))
    tiles = carcassonne(LONG[0], "pd-cap-volcano -2,3 r0", co_9="A meeple S")
    game = played(tiles, "pass", headers=headers, rules="dragon: true", sets=PRINCESS)
    assert names(game) == {"pass", "to -2,1", "to -2,2"}


def test_cou_16_two_features_of_a_tile_and_two_kinds_of_meeples():
    # One tile completes both a road and a city of A.
    tiles = carcassonne(
        "bg-monastery -3,1 r0", "bg-monastery-road -3,2 r2: A meeple E", co_9="A meeple S"
    )
    who = waits("B meeple castle", "B mayor castle", "B large blacksmith", "B wagon castle")
    options = {"rules": "large_meeples: true, mayors: true, wagons: true"}
    game = played(
        tiles, "bg-cap-junction -2,2 r0; pass", headers=("[count market]", who), **options
    )
    assert names(game) == {"pass", "to -2,1", "to -2,2", "to -3,2"}
    assert names(then(game.clone(), "to -3,2")) == {"large E"}
    assert names(then(game, "to -2,2")) == {"meeple N", "mayor N", "wagon N", "large W"}


@pytest.mark.rule("PD-36")
@pytest.mark.parametrize(("own", "other"), ["AB", "BA"])
def test_xw_05_a_meeple_that_comes_has_no_fairy(own, other):
    who = waits(f"{other} meeple castle", f"{other} meeple castle")
    headers = ("[count market]", who, "[fairy -2,1 S]")
    game = played(carcassonne(*LONG, co_9=f"{own} meeple S"), CLOSE_LONG, headers=headers, **FAIRY)
    then(game, "to -2,1; meeple S")
    game = reread(game)
    assert f"[fairy -2,1 S of {own}]" in str(game)
    then(game, "to -2,1; meeple S")
    assert game.scores == ((3, 14) if own == "A" else (14, 3))


def test_pd_41_the_fairy_does_not_go_to_who_waits():
    tiles = carcassonne("bg-monastery -1,-2 r0: A meeple mid")
    game = played(tiles, "bg-cap -2,2 r0", headers=waits("A meeple castle"), **FAIRY)
    assert {n for n in names(game) if n.startswith("to ")} == {"to -1,-2"}


@pytest.mark.rule("HS-03")
@pytest.mark.parametrize(
    ("spot", "scores"), [("-2,2; meeple N", (0, 4)), ("-2,1; meeple S", (4, 4))]
)
def test_xw_06_who_comes_to_a_hill_wins_the_tie(spot, scores):
    options = {"rules": "hills: true", "sets": "base, hills, count"}
    headers = ("[count market]", waits("B meeple castle"))
    game = played(
        carcassonne(co_9="A meeple S"),
        "hs-caps-opposite-hill -2,2 r0; pass",
        headers=headers,
        **options,
    )
    then(game, f"to {spot}")
    assert game.scores == scores


TOWN = ("bg-cap 2,-1 r0: A meeple N",)


@pytest.mark.rule("COU-26", "XCK-09")
@pytest.mark.parametrize("answer", ["castle", "score"])
def test_cas_39_to_a_town_that_is_scored_never_to_a_castle(answer):
    options = {"rules": "castles: true", "headers": ("[count market]", waits("B meeple castle"))}
    game = played(carcassonne(*TOWN), "bg-cap 2,-2 r2; pass", answer, **options)
    if answer == "castle":
        assert game.phase == Phase.PLACE_TILE
        assert (game.scores, inside(game)) == ((0, 0), ["B meeple castle"])
    else:
        assert names(game) == {"pass", "to 2,-1", "to 2,-2"}
        then(game, "to 2,-2; meeple S")
        assert game.scores == (4, 4)


SHARED = Table(
    "count: true, castles: true, flier: true", sets="base, bridges, count, flier", n_players=3
)
REST_OF_TOWN = "bg-cap 0,-4 r2"


def shared(
    knights,
    waiting,
    *moves,
    half="bg-cap",
    below="bg-monastery 0,-2 r0",
    beside="bg-monastery 1,-3 r0",
    headers=(),
    **options,
):
    """Let B complete a town north of the city, with figures of several players; then decide."""
    tiles = carcassonne(below, f"{half} 0,-3 r0: {knights}", beside)
    who = waits(*waiting.split(", ")) if waiting else ""
    headers = ("[count market]", who, *headers)
    return SHARED.played(tiles, REST_OF_TOWN, "pass", *moves, seat="B", headers=headers, **options)


def saved(game):
    """Return the game loaded from its own saved state."""
    again = Game(game.rules, seed=0)
    again.load_state(game.save_state())
    assert str(again) == str(game)
    return reread(game)


C_WAITS = "C meeple castle, C meeple castle"


@pytest.mark.rule("COU-26", "CAS-37", "FLY-22", "COU-12")
@pytest.mark.parametrize(
    ("moves", "scores"),
    [
        (["to 0,-4; meeple S", "to 0,-3; meeple N"], (0, 0, 4)),
        (["to 0,-4; meeple S", "pass"], (4, 0, 4)),
        (["pass"], (4, 0, 0)),
    ],
)
def test_cas_39_to_a_town_that_one_scores_and_another_makes_a_castle(moves, scores):
    tiles = carcassonne(
        "bg-monastery -1,-2 r0", "bg-monastery -1,-3 r0", "bg-cap 0,-3 r0: B meeple N"
    )
    headers = ("[count market]", waits("C meeple castle", "C meeple castle"))
    bag = ("bg-cap", "bg-curve", "bg-curve")
    game = SHARED.played(tiles, "fl-field-n 0,-2 r0", headers=headers, bag=bag)
    then(game, "fly meeple rolls 1; meeple N", REST_OF_TOWN, "pass")
    assert (asked(game), names(game)) == ("B CASTLE", {"castle", "score"})
    then(game, "castle")
    assert asked(game) == "A CASTLE"
    game = saved(game)
    then(game, "score")
    assert asked(game) == "C JOIN"
    assert names(game) == {"pass", "to 0,-3", "to 0,-4"}
    assert game.standings == (4, 0, 0)  # the lord scores nothing
    for move in moves:
        game = saved(game)
        then(game, move)
    assert game.scores == scores
    assert figures(game) == {"B meeple 0,-3 N"}
    position = game.position()
    assert (len(position.castles), position.tokens, position.lords) == (1, (3, 2, 3), ())
    assert meeples(game, "C") + len(inside(game)) == 7
    assert asked(game) == "B ENTER"


@pytest.mark.rule("COU-26", "CAS-36")
def test_cas_39_to_no_town_that_all_make_a_castle():
    game = shared("A meeple N, B meeple N", C_WAITS, "castle; castle")
    assert (asked(game), inside(game)) == ("C PLACE_TILE", ["C meeple castle"] * 2)
    assert figures(game) == {"A meeple 0,-3 N", "B meeple 0,-3 N"}


@pytest.mark.rule("CAS-08", "COU-26")
def test_cas_39_also_if_one_without_a_token_has_to_score():
    game = shared("A meeple N, B meeple N", C_WAITS, "castle", headers=["[tokens 0:3:3]"])
    assert asked(game) == "C JOIN"
    then(game, "to 0,-4; meeple S; pass")
    assert (game.scores, figures(game)) == ((4, 0, 4), {"B meeple 0,-3 N"})


@pytest.mark.rule("CAS-37", "COU-14")
def test_cas_39_whoever_makes_it_a_castle_may_join_those_who_score():
    waiting = "A meeple castle, B meeple castle, B meeple castle, C meeple castle"
    game = shared("A meeple N, B meeple N", waiting, "castle; score")
    assert asked(game) == "C JOIN"
    then(game, "pass")
    assert asked(game) == "A JOIN"
    then(game, "pass")
    assert asked(game) == "B JOIN"  # the turn player comes last
    then(game, "to 0,-3; meeple N")
    game = saved(game)
    assert figures(game) == {"A meeple 0,-3 N", "B meeple 0,-3 N"}  # B has two there
    then(game, "to 0,-3; meeple N")
    assert (game.scores, figures(game)) == ((0, 4, 0), {"B meeple 0,-3 N"})
    assert meeples(game, "B") == 6  # one is the lord, the two that joined have returned


@pytest.mark.rule("CAS-34", "CAS-37")
@pytest.mark.parametrize(
    ("moves", "scores"), [("pass", (0, 4, 0)), ("to 0,-4; meeple S; to 0,-4; meeple S", (0, 0, 4))]
)
def test_cas_39_a_minority_may_get_help(moves, scores):
    knights = ", ".join(f"{seat} meeple N" for seat in "AABBC")
    game = shared(knights, C_WAITS, "score; castle", moves)
    assert (game.scores, figures(game)) == (scores, {"A meeple 0,-3 N"})


@pytest.mark.rule("CAS-37", "COU-14")
def test_cas_39_four_players_of_whom_two_score():
    knights, waiting = "A meeple N, B meeple N, D meeple N", f"{C_WAITS}, D meeple castle"
    game = shared(knights, waiting, "castle", n_players=4)
    assert asked(game) == "D CASTLE"
    then(game, "score")
    assert asked(game) == "A CASTLE"
    then(game, "score")
    assert asked(game) == "C JOIN"
    then(game, "to 0,-4; meeple S; pass")
    assert asked(game) == "D JOIN"
    then(saved(game), "to 0,-4; meeple S")
    everybody = then(game.clone(), "pass")
    assert (everybody.scores, figures(everybody)) == ((4, 0, 4, 4), {"B meeple 0,-3 N"})
    then(game, "to 0,-4; meeple S")
    assert (game.scores, figures(game)) == ((0, 0, 0, 4), {"B meeple 0,-3 N"})


@pytest.mark.rule("MAY-10", "XCK-08")
def test_cas_39_a_mayor_who_scores_nothing_leaves_the_town_to_who_comes():
    options = {"rules": "mayors: true", "sets": "base, abbey, bridges, count, flier"}
    game = shared("A mayor N, B mayor N", "C mayor castle", "castle; score", **options)
    assert asked(game) == "C JOIN"
    then(game, "to 0,-4; mayor S")
    assert (game.scores, figures(game)) == ((0, 0, 0), {"B mayor 0,-3 N"})
    game = shared("A mayor N, B mayor N", "C meeple castle", "castle; score", **options)
    then(game, "to 0,-4; meeple S")
    assert (game.scores, figures(game)) == ((0, 0, 4), {"B mayor 0,-3 N"})


WATCHED = {
    "rules": "watchtowers: true",
    "sets": "base, bridges, count, flier, watchtowers",
    "half": "wt-cap-gate-figures",
    "below": "bg-monastery-road 0,-2 r1",
}


@pytest.mark.rule("WT-04", "WT-14", "CAS-37")
@pytest.mark.parametrize(
    ("moves", "scores"),
    [
        ("pass", (4 + 2 * 2, 0, 0)),
        ("to 0,-3; meeple N; pass", (4 + 2 * 3, 0, 4 + 2 * 3)),
        ("to 0,-4; meeple S; to 0,-3; meeple N", (2 * 4, 0, 4 + 2 * 4)),
    ],
)
def test_cas_39_the_watchtower_belongs_to_the_same_scoring(moves, scores):
    game = shared("A meeple N, B meeple N", C_WAITS, "castle; score", moves, **WATCHED)
    assert (game.scores, figures(game)) == (scores, {"B meeple 0,-3 N"})


@pytest.mark.rule("WT-11")
def test_cas_37_the_town_is_a_city_until_it_is_scored():
    options = {**WATCHED, "half": "wt-cap-gate-cities"}
    game = shared("A meeple N, B meeple N", "", "castle; score", **options)
    assert game.scores == (4 + 2, 0, 0)


@pytest.mark.rule("PD-36")
@pytest.mark.parametrize(("seat", "scores"), [("A", (7, 0, 0)), ("B", (4, 0, 0))])
def test_cas_39_the_fairy_beside_one_who_scores(seat, scores):
    options = {"rules": "fairy: true", "sets": "base, bridges, princess, count, flier"}
    headers = [f"[fairy 0,-3 N of {seat}]"]
    game = shared("A meeple N, B meeple N", "", "castle; score", headers=headers, **options)
    assert game.scores == scores


@pytest.mark.rule("CAS-10", "CAS-37")
def test_gol_15_the_ingots_of_a_shared_town_stay_for_its_lord():
    options = {"rules": "gold: true", "sets": "base, bridges, count, flier, gold"}
    options |= {"beside": "gm-monastery-corner 1,-3 r0", "headers": ["[gold 0,-3 1]"]}
    game = shared("A meeple N, B meeple N", "", "castle; score", **options)
    assert (game.scores, game.position().ingots) == ((4, 0, 0), (0, 0, 0))


@pytest.mark.parametrize(
    ("phase", "lords", "why"),
    [
        ("CASTLE", "C meeple 0,-3 N", "does not decide"),
        ("JOIN", "C meeple 0,-3 N", "no such figure"),
        ("CASTLE", "A meeple 0,-3 N", "CASTLES"),  # A has not decided yet
        ("CASTLE", "B meeple 0,-2 mid", "no town"),
        ("CASTLE", "B bishop 0,-3 N", "expected a lord"),
        ("JOIN", "A meeple 0,-3 N, B meeple 0,-3 N", "CASTLES|UNSCORED|nobody"),
    ],
)
def test_cas_37_lords_are_who_has_decided(phase, lords, why):
    moves = ["castle"] if phase == "CASTLE" else ["castle; score"]
    game = shared("A meeple N, B meeple N", C_WAITS, *moves)
    assert game.phase.name == phase
    text = str(game).replace("[lords B meeple 0,-3 N]", f"[lords {lords}]")
    text = text.replace("[tokens 3:2:3]", "[tokens 2:2:2]")
    with pytest.raises(ValueError, match=why):
        play(text)


def test_cas_37_nobody_is_a_lord_at_another_time():
    game = shared("A meeple N, B meeple N", C_WAITS, "castle")
    text = str(game).replace("[turn B decides]", "[turn B acts]").replace("[town A 0,-4 S]\n", "")
    with pytest.raises(ValueError, match="sound"):
        play(text)


@pytest.mark.rule("COU-26")
def test_xck_09_nobody_comes_to_a_castle_that_is_scored():
    tiles = carcassonne("bg-cap 2,-1 r0: A meeple N", "bg-cap 2,-2 r2", "bg-monastery 3,-1 r0")
    headers = ("[count market]", "[castles 2,-1 N]", "[tokens 2:3]", waits("B meeple castle"))
    game = played(tiles, CLOSE_ROAD, seat="B", rules="castles: true", headers=headers)
    assert game.scores == (2, 0)  # The road is in the castle's fief.
    assert inside(game) == ["B meeple castle"]


def test_cou_26_points_of_a_castle_console_its_neighbour():
    tiles = carcassonne("bg-cap 2,-1 r0: A meeple N", "bg-cap 2,-2 r2", "bg-monastery 3,-1 r0")
    headers = ("[castles 2,-1 N]", "[tokens 2:3]")
    game = played(tiles, CLOSE_ROAD, seat="B", rules="castles: true", headers=headers)
    assert asked(game) == "B ENTER"


@pytest.mark.rule("W1T-01", "KR-15")
def test_cou_29_first_out_then_scoring_wagons_and_in():
    options = {
        "rules": "wagons: true, king_robber: true",
        "sets": "base, king, count",
        "n_players": 3,
        "headers": ("[count market]", waits("C meeple castle")),
    }
    tiles = carcassonne("bg-monastery -3,1 r0", co_9="B wagon S")
    game = played(tiles, CLOSE, **options)
    seen = [(asked(game), game.scores, game.position().king)]
    for move in ("pass", "home", "enter meeple market", "count cathedral"):
        then(game, move)
        seen.append((asked(game), game.scores, game.position().king))
    assert seen == [
        ("C JOIN", (0, 0, 0), None),
        ("B WAGON", (0, 4, 0), 0),
        ("A ENTER", (0, 4, 0), 0),
        ("A COUNT", (0, 4, 0), 0),
        ("B PLACE_TILE", (0, 4, 0), 0),
    ]


@pytest.mark.rule("W1T-06")
def test_w1t_01_a_turn_with_a_dragon_that_completes_a_city():
    options = {
        "rules": "dragon: true, king_robber: true",
        "sets": "base, king, princess, count",
        "n_players": 3,
        "headers": ("[count market]", "[dragon -3,0]", waits("C meeple castle")),
    }
    tiles = carcassonne("pd-volcano -3,0 r0", co_9="B meeple S")
    game = played(tiles, "pd-cap-dragon-garden -2,2 r0; meeple En", **options)
    seen = [asked(game)]
    steps = ("-2,0", "-2,-1", "-1,-1", "0,-1", "1,-1", "1,0")
    for move in (*(f"dragon {step}" for step in steps), "to -2,2; meeple N"):
        then(game, move)
        seen.append(asked(game))
    flight = [f"{seat} FLIGHT" for seat in "ABCABC"]
    assert seen == [*flight, "C JOIN", "A ENTER"]
    assert (game.scores, game.position().king) == ((0, 4, 4), 0)
    then(game, "enter meeple castle; stay")
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.rule("WAG-04")
def test_xck_17_a_wagon_that_came_moves_on():
    headers = waits("B wagon blacksmith")
    game = played(carcassonne(co_4="A meeple N"), CLOSE_ROAD, headers=headers, rules="wagons: true")
    then(game, "to 1,-2; wagon S")
    assert game.scores == (2, 2)
    assert asked(game) == "B WAGON"
    assert targets(game) == {"1,-2 mid"}
    assert figures(then(game, "wagon 1,-2 mid")) == {"B wagon 1,-2 mid"}


@pytest.mark.rule("ABB-15", "COU-11")
def test_xck_01_from_the_cathedral_to_an_abbey():
    options = {
        "rules": "abbeys: true",
        "sets": "base, abbey, count",
        "headers": ("[abbeys 1:1]", waits("B meeple cathedral", "B abbot cathedral")),
        "turn": "A begins",
    }
    game = played(carcassonne(*cloister("")), "am-abbey -1,-2 r0; meeple mid", **options)
    assert names(game) == {"pass", "to -1,-2"}
    then(game, "to -1,-2; abbot mid; to -1,-2; meeple mid")
    assert game.scores == (0, 9)
    assert in_supply(game, "B", Figure.ABBOT) == 1


@pytest.mark.rule("XGM-01")
def test_cou_11_from_the_cathedral_to_a_shrine():
    options = {"rules": "shrines: true", "sets": "base, cult, count"}
    tiles = carcassonne(*cloister("cu-shrine -1,-2 r0: A meeple mid", "0,-3"))
    game = played(tiles, CLOSE_CLOISTER, headers=waits("B meeple cathedral"), **options)
    then(game, "to -1,-2; meeple mid")
    assert game.scores == (9, 9)


@pytest.mark.parametrize("figure", ["abbot", "meeple"])
def test_xck_16_from_the_cathedral_to_no_garden(figure):
    tiles = carcassonne(
        "bg-cap-garden -1,-2 r0: B abbot mid",
        "bg-cap -1,-3 r2",
        "bg-cap -2,-2 r3; bg-cap 0,-2 r1",
        "bg-monastery -2,-3 r0",
    )
    game = played(tiles, "bg-monastery 0,-3 r0; pass", headers=waits(f"A {figure} cathedral"))
    assert game.scores == (0, 9)
    assert asked(game) == "A ENTER"


# --- Fields and barns ---------------------------------------------------------------------------


BARNS = {"rules": "barns: true", "sets": "base, abbey, count"}
#: A barn fits at the north-west corner of (-1, -2), where these tiles meet two others.
MEADOW = ("bg-cap -2,-2 r3", "bg-straight -2,-3 r0")
NORTH_FARMER = "bg-straight -1,-3 r0: B meeple Es"


@pytest.mark.rule("XCK-05", "COU-08", "COU-21")
def test_xck_04_a_barn_that_scores_for_others_only():
    game = played(carcassonne(*MEADOW, NORTH_FARMER), "bg-monastery -1,-2 r0; barn NW", **BARNS)
    assert game.scores == (0, 3)  # For Carcassonne; the barn's later points do not matter.
    assert asked(game) == "A ENTER"
    assert figures(game) == {"A barn -1,-2 NW"}


#: A barn in the north; `bg-monastery-road 1,-2 r3` joins the eastern field to the barn's field.
BARN = (*MEADOW, "bg-straight -1,-3 r0", "bg-monastery -1,-2 r0: {} barn NW")


def joined(barn, farmers, **options):
    tiles = carcassonne(*[line.format(barn) for line in BARN], f"bg-monastery 2,0 r0: {farmers}")
    return played(tiles, CLOSE_ROAD, **{**BARNS, **options})


@pytest.mark.rule("XCK-05", "COU-08", "COU-21")
@pytest.mark.parametrize(
    ("counts", "farmers", "scores", "may_enter"),
    [
        ("true", "B meeple Nw", (0, 1), True),
        ("false", "B meeple Nw", (0, 1), False),
        ("true", "A meeple Nw, B meeple Nw", (1, 1), False),
    ],
)
def test_xck_04_a_connection_that_scores_for_others_only(counts, farmers, scores, may_enter):
    game = joined("A", farmers, rules=f"barns: true, count_on_connection: {counts}")
    assert game.scores == scores
    assert (game.phase == Phase.ENTER) == may_enter


@pytest.mark.rule("COU-04")
def test_xck_04_a_barn_that_brings_nobody_points_consoles_nobody():
    # A field in the east, beyond a road, touches no city.
    east = ("bg-straight 2,-1 r1", "bg-straight 2,0 r1", "bg-monastery 3,-1 r0: B meeple {}")
    tiles = carcassonne(*[line.format("Nw") for line in east])
    game = played(tiles, "bg-monastery 3,0 r0; barn NW", **BARNS)
    assert (game.scores, figures(game)) == ((0, 0), {"A barn 3,0 NW"})
    assert game.phase == Phase.PLACE_TILE


def test_xck_04_own_points_for_a_connection_are_points():
    # A gets 1 point for the farmer, and B gets 2 for the road.
    tiles = carcassonne(*[line.format("B") for line in BARN], "bg-monastery 2,0 r0: A meeple Nw")
    tiles = [line.replace("co-4 1,-1 r0:", "co-4 1,-1 r0: B meeple N") for line in tiles]
    rules = "barns: true, count_on_connection: false"
    game = played(tiles, CLOSE_ROAD, **{**BARNS, "rules": rules})
    assert game.scores == (1, 2)
    assert game.phase == Phase.PLACE_TILE


@pytest.mark.rule("COU-11", "COU-12")
def test_xck_06_from_the_market_to_a_field_that_is_scored():
    headers = ("[count castle]", waits("A meeple market", "A meeple market"))
    game = played(
        carcassonne(*MEADOW, NORTH_FARMER),
        "bg-monastery -1,-2 r0; barn NW",
        headers=headers,
        **BARNS,
    )
    assert asked(game) == "A JOIN"
    cells = {"-2,-1", "-1,-1", "0,-1", "1,-1", "-2,-2", "-1,-2", "-2,-3", "-1,-3"}
    assert names(game) == {"pass", *(f"to {cell}" for cell in cells)}
    then(game, "to -1,-1; meeple Nw; to -2,-3; meeple Es")
    assert game.scores == (3, 0)
    assert figures(game) == {"A barn -1,-2 NW"}
    assert (meeples(game, "A"), meeples(game, "B"), inside(game)) == (7, 7, [])


@pytest.mark.rule("XCK-06")
def test_xck_07_from_the_market_to_the_field_of_a_barn_that_is_joined():
    headers = waits("A meeple market", "A meeple market")
    game = joined("B", "B meeple Nw", headers=headers)
    then(game, "to -1,-3; meeple Es; to 2,0; meeple Nw")
    assert game.scores == (1, 0)
    assert figures(game) == {"B barn -1,-2 NW"}


#: B's barn in a field that touches Carcassonne and two more complete cities.
THREE_CITIES = (
    *("bg-cap -2,-2 r3", "bg-cap -3,-2 r1", "bg-cap -2,-3 r0", "bg-cap -2,-4 r2"),
    "bg-monastery -1,-2 r0: B barn NW",
    "bg-monastery -1,-3 r0",
)


@pytest.mark.rule("XCK-02", "COU-18", "COU-21", "BARN-22")
@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_xck_07_from_the_market_to_the_field_of_a_barn_at_the_end(edition):
    abbot = "" if edition == "C2" else ", abbot: false"
    options = {**BARNS, "rules": f"barns: true, edition: {edition}{abbot}"}
    game = played(
        carcassonne(*THREE_CITIES), "pass", headers=waits("A meeple market"), bag=(), **options
    )
    assert asked(game) == "A JOIN"
    stays = then(game.clone(), "pass")
    assert (stays.is_over, stays.scores) == (True, (0, 12))
    then(game, "to -1,-3; meeple Nw")
    assert (game.is_over, game.scores) == (True, (3, 12))
    assert figures(game) == {"B barn -1,-2 NW"}


@pytest.mark.rule("COU-19")
def test_xck_07_the_majority_of_all_who_came_there_at_the_end_is_scored():
    who = waits("A meeple market", "A meeple market", "B meeple market")
    game = played(carcassonne(*THREE_CITIES), "pass", headers=who, bag=(), **BARNS)
    seen = [(asked(game), game.scores)]
    for _ in range(2):
        then(game, "to -1,-3; meeple Nw")
        seen.append((asked(game), game.scores))
    assert seen == [("B JOIN", (0, 0)), ("A JOIN", (0, 0)), ("A JOIN", (0, 0))]
    then(game, "to -1,-3; meeple Nw")
    assert (game.is_over, game.scores) == (True, (3, 12))
    assert figures(game) == {"B barn -1,-2 NW"}


@pytest.mark.rule("COU-21")
def test_xck_02_for_a_barn_carcassonne_is_a_complete_city():
    tiles = [line for line in THREE_CITIES if line.split()[1] not in ("-3,-2",)]
    game = played(carcassonne(*tiles), "pass", bag=(), **BARNS)
    assert game.scores == (0, 8)


def test_xck_03_carcassonne_has_no_place_for_a_barn():
    tiles = carcassonne("bg-monastery -3,0 r0", "bg-monastery -4,0 r0", "bg-monastery -4,1 r0")
    game = played(tiles, "bg-monastery -3,1 r0", **BARNS)
    assert offered(game, "barn") == {"NW"}


@pytest.mark.rule("COU-22")
@pytest.mark.parametrize("n_cities", [0, 1])
@pytest.mark.parametrize(("helper", "more"), [("", 0), (", A pig Nw", 1)])
def test_cou_21_for_farmers_it_is_a_complete_city(n_cities, helper, more):
    east = ("bg-monastery 2,0 r0: A meeple Nw" + helper,)
    tiles = carcassonne(*east, *(["bg-cap 2,1 r3", "bg-monastery 3,0 r0"] if n_cities else []))
    game = played(tiles, "pass", bag=(), rules="pigs: true", sets="base, traders, count")
    assert game.scores == ((1 + n_cities) * (3 + more), 0)


@pytest.mark.rule("XPH-02")
@pytest.mark.parametrize(("needs_pigs", "points"), [("false", 4), ("true", 3)])
def test_cou_21_with_a_pig_herd_as_well(needs_pigs, points):
    tiles = carcassonne("r2-source 2,-1 r2: A meeple Nw", "r2-bend-pigherd 3,-1 r0")
    rules = f"count_with_river: allow, pigherd_needs_traders: {needs_pigs}"
    game = played(tiles, "pass", bag=(), rules=rules, sets="base, river2, count")
    assert game.scores == (points, 0)


# --- The end ------------------------------------------------------------------------------------


@pytest.mark.rule("COU-17")
@pytest.mark.parametrize(
    ("edition", "final", "may_leave"),
    [("C1", None, True), ("C2", None, False), ("C2", "any", True), ("C1", "market", False)],
)
def test_cou_18_at_the_end_from_all_quarters_or_from_the_market(edition, final, may_leave):
    rules = f"edition: {edition}" + (", abbot: false" if edition == "C1" else "")
    rules += f", count_final: {final}" if final else ""
    who = ("A meeple castle", "B meeple blacksmith", "A meeple cathedral", "B meeple market")
    tiles = carcassonne(
        "bg-monastery -1,-2 r0: B meeple mid",
        "bg-monastery 2,0 r0: A meeple Nw",
        "bg-cap 2,1 r3",
        co_9="B meeple S",
        co_4="A meeple N",
    )
    game = played(tiles, "pass", headers=("[count market]", waits(*who)), bag=(), rules=rules)
    assert game.is_over != may_leave
    if not may_leave:
        assert {*inside(game)} == {*who}
        return
    assert asked(game) == "B JOIN"
    assert names(game) == {"pass", "to 1,-1"}
    reread(game)
    then(game, "to 1,-1; meeple N")
    assert asked(game) == "A JOIN"
    assert names(game) == {"pass", "to -2,1", "to -1,-2"}
    then(game, "to -2,1; meeple S; to -1,-2; meeple mid")
    # Both score 1 for the city, 1 for the road and 4 for the monastery with its three neighbours.
    # A's field touches two cities.
    assert game.is_over
    assert game.scores == (1 + 1 + 4 + 6, 1 + 1 + 4)


@pytest.mark.rule("COU-15")
@pytest.mark.parametrize("joins", [False, True])
def test_cou_18_at_the_end_too_only_to_what_is_occupied(joins):
    rules = f"count_join_unoccupied: {str(joins).lower()}"
    tiles = carcassonne("bg-monastery 2,0 r0: B meeple Nw")
    game = played(tiles, "pass", headers=waits("A meeple market"), bag=(), rules=rules)
    assert ("to -2,0" in names(game)) == joins
    assert {"to 2,0", "to 1,0", "to 1,1", "to 1,-1", "to 0,1"} <= names(game)
    then(game, "to 2,0; meeple Nw")
    assert (game.is_over, game.scores) == (True, (3, 3))


def test_cou_18_not_to_what_is_complete():
    rules = "count_final: any, count_join_unoccupied: true"
    tiles = carcassonne("bg-cap -2,2 r0", "bg-monastery -1,-2 r0", co_12="B meeple E")
    game = played(
        tiles, "pass", headers=("[count market]", waits("A meeple castle")), bag=(), rules=rules
    )
    assert names(game) == {"pass", "to 1,1"}


def test_cou_19_one_move_each_until_all_have_passed():
    who = ["A meeple market"] * 2 + ["B meeple market"] * 3
    tiles = carcassonne("bg-monastery 2,0 r0: A meeple Nw")
    game = played(tiles, "pass", seat="B", headers=waits(*who), bag=())
    seen = [asked(game)]
    for move in ("to 2,0; meeple Nw", "to 1,0; meeple Ne", "pass", "to 2,0; meeple Nw"):
        then(game, move)
        reread(game)
        seen.append(asked(game))
    assert seen == ["A JOIN", "B JOIN", "A JOIN", "B JOIN", "B JOIN"]
    then(game, "to 1,-1; meeple Ne")
    assert game.is_over
    assert game.scores == (0, 3)
    assert inside(game) == ["A meeple market"]


@pytest.mark.rule("COU-13")
def test_cou_19_the_count_still_bars_his_quarter():
    tiles = carcassonne("bg-monastery 2,0 r0: A meeple Nw")
    headers = ("[count market]", waits("B meeple market"))
    game = played(tiles, "pass", headers=headers, bag=())
    assert (game.is_over, game.scores) == (True, (3, 0))


def test_cou_20_who_stays_inside_scores_nothing():
    who = [f"A meeple {q}" for q in ("castle", "market", "blacksmith", "cathedral")]
    game = played(carcassonne("bg-cap -2,2 r0"), "pass", headers=waits(*who), bag=())
    assert (game.is_over, game.scores) == (True, (0, 0))
    assert len(inside(game)) == 4


# --- The tiles around the city ------------------------------------------------------------------


def test_cou_23_the_outer_tiles_show_ordinary_features():
    game = played(carcassonne(), "bg-cap -2,2 r0; meeple N")
    assert game.scores == (4, 0)
    game = played(carcassonne(), "bg-monastery-road 0,2 r1; meeple N")
    assert game.scores == (2, 0)
    # A meeple goes onto the tile just placed, not onto one of the twelve city tiles.
    game = played(carcassonne(), "bg-span -2,2 r0")
    assert names(game) == {"pass", "meeple N", "meeple En", "meeple Ws"}


@pytest.mark.rule("COU-26")
def test_cou_23_no_castle_is_built_with_its_caps():
    options = {"rules": "castles: true"}
    game = played(carcassonne(co_9="A meeple S"), CLOSE, **options)
    assert game.scores == (4, 0)
    options = {"rules": "castles: true, castle_base: any_end_segment"}
    game = played(carcassonne(co_12="A meeple E"), CLOSE_EAST, **options)
    assert game.scores == (4, 0)


@pytest.mark.rule("XW-12", "PD-14", "PD-16")
def test_cou_24_the_dragon_flies_over_the_outer_tiles_only():
    headers = ("[dragon -3,0]", waits("A meeple castle", "B meeple cathedral"))
    tiles = carcassonne("pd-volcano -3,0 r0", co_9="B meeple S", co_1="A meeple W")
    options = {"rules": "dragon: true", "sets": PRINCESS}
    game = played(tiles, "pd-cap-dragon-garden 2,1 r3; pass", headers=headers, **options)
    then(game, "dragon -2,0")
    assert names(game) == {"dragon -2,-1", "dragon -2,1"}
    then(game, "dragon -2,1")
    assert figures(game) == {"A meeple -2,-1 W"}
    then(game, "dragon -1,1")
    assert names(game) == {"dragon 0,1"}
    then(game, "dragon 0,1; dragon 1,1")
    assert names(game) == {"dragon 1,0", "dragon 2,1"}
    then(game, "dragon 1,0")
    assert inside(game) == ["A meeple castle", "B meeple cathedral"]


@pytest.mark.rule("TOW-33")
def test_xw_12_no_tower_reaches_into_the_city():
    tiles = carcassonne("to-field-garden 0,-2 r0", "bg-cap -2,2 r0", co_11="B meeple S")
    headers = ("[floors 8:10]", "[towers 0,-2 2]", waits("B meeple castle"))
    options = {"rules": "towers: true", "sets": "base, tower, count"}
    game = played(tiles, "to 0,-2; floor 0,-2", headers=headers, **options)
    # Three floors reach the figure on `co-11`, across the city.
    assert names(game) == {"pass", "to 0,1"}
    assert names(then(game, "to 0,1")) == {"remove 0,1 S"}


@pytest.mark.rule("XW-12")
def test_tow_33_nobody_in_the_city_is_a_target():
    tiles = carcassonne("to-field-garden 0,-2 r0", "bg-cap -2,2 r0")
    headers = ("[floors 8:10]", "[towers 0,-2 2]", waits("B meeple castle", "B meeple market"))
    options = {"rules": "towers: true", "sets": "base, tower, count"}
    game = played(tiles, "to 0,-2; floor 0,-2", headers=headers, **options)
    assert game.phase == Phase.PLACE_TILE


@pytest.mark.rule("PD-52")
def test_xw_12_nor_does_a_princess():
    tiles = carcassonne("bg-monastery -1,-2 r0", co_9="B meeple S")
    options = {"rules": "princesses: true", "sets": PRINCESS}
    headers = waits("B meeple castle", "A meeple castle")
    game = played(tiles, "pd-city3-princess -2,2 r0", headers=headers, **options)
    assert {n for n in names(game) if n.startswith("to ")} == {"to -2,1"}
    assert names(then(game, "to -2,1")) == {"remove -2,1 S"}


@pytest.mark.rule("COU-23", "PD-70")
def test_pd_71_a_portal_leads_to_the_outer_tiles():
    tiles = carcassonne(co_4="B meeple N")
    options = {"rules": "portals: true", "sets": PRINCESS}
    game = played(tiles, "pd-cap-curve-left-portal -2,2 r0", **options)
    cells = {"-2,-1", "-1,-1", "0,-1", "1,-1", "-2,0", "1,0", "-2,1", "-1,1", "0,1", "1,1"}
    assert {n for n in names(game) if n.startswith("to ")} == {f"to {cell}" for cell in cells}
    assert names(then(game.clone(), "to -2,-1")) == {"meeple W", "meeple Nw", "meeple Sw"}
    assert "meeple N" not in names(then(game.clone(), "to 1,-1"))
    assert figures(then(game, "to -2,-1; meeple W")) == {"B meeple 1,-1 N", "A meeple -2,-1 W"}


@pytest.mark.rule("ABT-13", "GAR-04")
@pytest.mark.parametrize(
    "building", ["bg-monastery -1,-2 r0: A meeple mid", "bg-cap-garden -1,-2 r0: A abbot mid"]
)
def test_cou_25_the_twelve_cells_are_neighbours(building):
    game = played(carcassonne(building, "bg-cap -2,2 r0"), "pass", bag=())
    assert game.scores == (4, 0)


@pytest.mark.rule("ABT-13")
def test_cou_25_a_recall_counts_them():
    game = played(carcassonne("bg-monastery -1,-2 r0: A abbot mid"), "bg-cap -2,-2 r3; recall")
    assert game.scores == (5, 0)


@pytest.mark.rule("ABB-03")
def test_cou_25_an_abbey_fills_a_hole_beside_them():
    options = {"rules": "abbeys: true", "sets": "base, abbey, count", "headers": "[abbeys 1:1]"}
    tiles = carcassonne("bg-cap -2,-2 r3", "bg-cap 0,-2 r1", "bg-straight -2,-3 r0")
    game = played(tiles, "bg-straight -1,-3 r0; pass", **options)
    assert names(game) == {"draw", "am-abbey -1,-2 r0"}


@pytest.mark.rule("KR-09")
def test_kr_11_it_is_one_more_city_for_the_king():
    tiles = carcassonne(
        *("bg-cap -2,2 r0", "bg-cap 2,1 r3", "bg-monastery -1,-2 r0"),
        *("bg-cap -1,-3 r0", "bg-cap -1,-4 r2"),
    )
    options = {"rules": "king_robber: true", "sets": "base, king, count"}
    game = played(tiles, "pass", headers="[king B]", bag=(), turn="A acts", **options)
    assert game.scores == (0, 4)


@pytest.mark.rule("KR-02")
def test_kr_11_it_makes_nobody_king():
    options = {"rules": "king_robber: true", "sets": "base, king, count"}
    game = played(carcassonne(co_9="B meeple S"), "bg-span -2,2 r0; pass", **options)
    assert game.position().king is None
    game = played(carcassonne(co_9="B meeple S"), CLOSE, **options)
    assert game.position().king == 0


@pytest.mark.parametrize("river", ["river1", "river2"])
def test_cou_28_with_a_river_only_if_it_is_wanted(river):
    sets = ("base", river, "count")
    with pytest.raises(ValueError, match="COU-28"):
        Rules(sets=sets, count=True)
    rules = Rules(sets=sets, count=True, count_with_river="allow", auto_single=False)
    game = Game(rules, seed=1)
    first = game.initial_position.tiles
    assert len(first) == 13
    assert (first[-1].x, first[-1].y, first[-1].rotation) == (2, -1, 2)
    assert first[-1].tile == {"river1": "rv-source", "river2": "r2-source"}[river]
    assert len(bag_of(game)) == 71 + 11
    assert {name.split()[1] for name in names(game)} == {"3,-1"}


def test_cou_27_abbots_wagons_and_mayors_leave_like_others():
    options = {"rules": "mayors: true, wagons: true"}
    headers = ("[count market]", waits("B mayor castle", "B wagon castle"))
    game = played(carcassonne(*LONG, co_9="A meeple S"), CLOSE_LONG, headers=headers, **options)
    then(game, "to -2,1; mayor S")
    then(game, "pass")
    assert game.scores == (0, 14)  # The mayor counts both coats of arms.
    assert in_supply(game, "B", Figure.MAYOR) == 1
    assert inside(game) == ["B wagon castle"]
    game = played(
        carcassonne(*monastery("A meeple mid")), CLOSE_CLOISTER, headers=waits("B abbot cathedral")
    )
    then(game, "to -1,-2; abbot mid")
    assert game.scores == (9, 9)

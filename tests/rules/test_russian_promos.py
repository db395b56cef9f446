"""RUS, XRP: a hut that scores for empty neighbours, and two traps for meeples."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.engine.core.state import BOARD
from carc_env.game.game import Game
from carc_env.layout.observations import global_names, plane_names
from carc_env.render import board_svg, board_text
from carc_env.rules import Rules
from carc_env.systems.places import cell_of
from carc_env.words import SEATS

from .looks import asked, bag_of, figures, in_supply, meeples, names, offered, score_log, targets
from .positions import RING, START_LINE, Table, carcassonne, reread, row, then
from .scenario import TILES

pytestmark = pytest.mark.interpreted

SETS = "base, russian"
TABLE = Table("russian_promos: true", sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end

HUT = "ru-yaga-hut"
CROSSROADS = "ru-road-end-and-three-way"
TREE = "ru-straight-razboynik"
WATER = "ru-vodyanoy"
ALL = "solovei_reach: all"

CAP = "bg-cap 0,-1 r2"
"""A tile that completes the city of the start tile and touches no road."""


def tree(x):
    """Return the tree tile on the road from west to east."""
    return f"{TREE} {x},0 r0"


def trapped(game):
    """Return the trapped figures as the notation writes them."""
    return [f"{SEATS[t.seat]} {t.figure.name.lower()} {t.trap}" for t in game.position().trapped]


def releases(game):
    return {name for name in names(game) if name.startswith("free ")}


# --- The set ------------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_rus_01_four_tiles(edition):
    game = Game(Rules.preset("russian-promos", edition=edition, abbot=edition == "C2"), seed=1)
    drawn = [tile for tile in bag_of(game) if tile in TILES["russian"]]
    assert (len(bag_of(game)), sorted(drawn)) == (75, sorted(TILES["russian"]))


@pytest.mark.rule("SET-06")
def test_rus_01_without_the_switch_the_tiles_are_like_any_others():
    game = Table(sets=SETS).played(row(2, x1="A meeple E"), tree(2), "pass")
    assert figures(game) == {"A meeple 1,0 E"}
    with pytest.raises(ValueError, match="the rules have no traps"):
        Table(sets=SETS).played(row(2), tree(2), headers="[trapped A meeple tree]")


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ("[trapped A meeple water]", "RUS-09"),
        ("[trapped A abbot tree]", "never catches it"),
        ("[trapped A meeple tree, A builder tree]", "never catches it"),
        ("[trapped C meeple tree]", "seats"),
        (f"[trapped {', '.join(['A meeple tree'] * 8)}]", "supply"),
        ("[trapped A meeple hut]", "expected a trapped figure"),
        ("[spared 1]", "RUS-07"),
        ("[spared x]", "expected a number"),
        ("[spared 99]", "RUS-07"),
    ],
)
def test_rus_01_what_cannot_be_in_traps(headers, why):
    with pytest.raises(ValueError, match=why):
        played([*row(1), tree(1)], turn="A places bg-cap", headers=headers)


# --- The hut ------------------------------------------------------------------------------------


def test_rus_02_a_meeple_goes_into_the_hut_as_into_a_monastery():
    game = played([START_LINE], f"{HUT} 0,1 r0")
    assert offered(game, "meeple") == {"mid", "Nw"}
    assert figures(then(game, "meeple mid")) == {"A meeple 0,1 mid"}


@pytest.mark.rule("X2-10")
def test_rus_02_it_is_worth_what_is_empty_around_it():
    tiles = [START_LINE, f"{HUT} 0,1 r0: A meeple mid", "bg-straight 1,0 r0"]
    assert at_the_end(tiles) == (7, 0)


def test_rus_03_surrounded_it_brings_a_point():
    tiles = [*RING[:-1], f"{HUT} 0,1 r0: A meeple mid"]
    game = played(tiles, RING[-1], "pass", seat="B")
    assert score_log(game) == [("A", 1, Kind.MONASTERY)]
    assert (figures(game), meeples(game, "A")) == (set(), 7)


@pytest.mark.rule("HS-15")
def test_rus_03_no_vineyard_adds_to_it():
    hills = Table("russian_promos: true, vineyards: true", sets="base, hills, russian")
    tiles = [*RING[:-2], f"{HUT} 0,1 r0: A meeple mid", RING[-1]]
    game = hills.played(tiles, "hs-side-road-vineyard 0,2 r0", "pass", seat="B")
    assert score_log(game) == [("A", 1, Kind.MONASTERY)]


@pytest.mark.rule("CULT-03", "CULT-06")
def test_rus_04_no_shrine_challenges_it():
    table = Table("russian_promos: true, shrines: true", sets="base, cult, russian")
    tiles = [
        START_LINE,
        *("bg-straight -1,0 r0", "bg-straight 1,0 r0"),
        *("bg-cap -1,1 r3", "bg-cap 1,1 r1"),
        *("bg-cap -1,2 r3", f"{HUT} 0,2 r0: B meeple mid", "bg-cap 1,2 r1"),
        "cu-shrine-road 0,3 r3",
    ]
    game = table.played(tiles, "cu-shrine 0,1 r0", "meeple mid")
    assert score_log(game) == [("A", 9, Kind.MONASTERY)]
    assert figures(game) == {"B meeple 0,2 mid"}


@pytest.mark.rule("CULT-12")
def test_rus_04_nobody_draws_with_a_shrine_in_it():
    table = Table(
        "russian_promos: true, shrines: true, portals: true", sets="base, cult, princess, russian"
    )
    game = table.played([*RING, f"{HUT} 0,1 r0"], "pd-cap-curve-left-portal 0,-1 r2")
    assert "to 0,1" in names(game)
    assert "meeple mid" not in names(then(game, "to 0,1"))


@pytest.mark.rule("RUS-04", "WAG-14")
def test_xrp_02_a_wagon_may_move_into_it():
    table = Table("russian_promos: true, wagons: true", sets="base, abbey, russian")
    tiles = [f"{START_LINE}: A wagon E", "bg-monastery-road -1,0 r2", f"{HUT} 0,1 r0"]
    game = table.played(tiles, "bg-monastery-road 1,0 r0", "pass")
    assert asked(game) == "A WAGON"
    assert "0,1 mid" in targets(game)
    assert figures(then(game, "wagon 0,1 mid")) == {"A wagon 0,1 mid"}


@pytest.mark.rule("ABT-06")
def test_rus_16_the_abbot_may_be_there_and_scores_what_it_is_worth_now():
    tiles = [START_LINE, f"{HUT} 0,1 r0: A abbot mid", "bg-straight 1,0 r0"]
    game = played(tiles, "bg-straight -1,0 r0", "recall")
    assert score_log(game) == [("A", 6, Kind.MONASTERY)]
    assert "mid" in offered(played([START_LINE], f"{HUT} 0,1 r0"), "abbot")


# --- The crossroads -----------------------------------------------------------------------------


def test_rus_05_three_branches_are_one_road_and_the_fourth_ends_at_the_stone():
    game = played([START_LINE], f"{CROSSROADS} 1,0 r0")
    assert offered(game, "meeple") == {"N", "E", "Nw", "Ne", "Es", "Sw"}
    tiles = [f"{START_LINE}: B meeple E", f"{CROSSROADS} 1,0 r0: A meeple N"]
    game = played(tiles, "bg-monastery-road 1,-1 r3", "pass")
    assert score_log(game) == [("A", 2, Kind.ROAD)]
    assert figures(game) == {"B meeple 0,0 E"}


# --- The tree of Solovei ------------------------------------------------------------------------


def test_rus_06_who_is_on_the_road_of_the_tree_gets_into_it():
    game = played(row(3, x1="A meeple E, B meeple Es"), tree(3))
    assert (trapped(game), asked(game)) == (["A meeple tree"], "A FIGURE")
    assert figures(game) == {"B meeple 1,0 Es"}
    assert (meeples(game, "A"), game.scores) == (6, (0, 0))
    reread(game)


def test_rus_06_the_road_passes_behind_the_tree():
    game = played([*row(1), tree(1)], "bg-straight 2,0 r0", "pass")
    assert game.position().trapped == ()
    tiles = [START_LINE, tree(1), "bg-monastery-road -1,0 r2"]
    game = played(tiles, "bg-monastery-road 2,0 r0", "meeple W")
    assert (trapped(game), score_log(game)) == (["A meeple tree"], [])


def test_rus_06_later_when_a_road_is_connected():
    tiles = [START_LINE, tree(1), "bg-monastery 1,1 r0", "bg-straight 2,1 r1: B meeple N"]
    assert trapped(played(tiles, CAP)) == []
    game = played(tiles, "bg-curve 2,0 r0")
    assert (trapped(game), asked(game)) == (["B meeple tree"], "A FIGURE")


@pytest.mark.rule("RUS-10")
def test_rus_06_later_when_a_meeple_is_added():
    game = played([*row(1), tree(1)], "bg-straight 2,0 r0", "meeple E")
    assert (trapped(game), figures(game)) == (["A meeple tree"], set())


@pytest.mark.parametrize(
    ("rules", "taken", "left"),
    [("", ["B meeple tree"], {"A meeple 1,0 E"}), (ALL, ["A meeple tree", "B meeple tree"], set())],
)
def test_rus_07_only_the_nearest_or_all(rules, taken, left):
    game = played(row(4, x1="A meeple E", x3="B meeple E"), tree(4), rules=rules)
    assert (trapped(game), figures(game)) == (taken, left)
    assert game.position().spared == len(left)
    then(reread(game), "pass")


def test_rus_07_in_each_direction():
    tiles = [
        *row(3, x0="A meeple E", x2="A meeple E"),
        *(f"bg-cap {x},1 r2" for x in (2, 3, 4)),
        "bg-straight 4,0 r0: B meeple E; bg-straight 5,0 r0: B meeple E",
    ]
    game = played(tiles, tree(3))
    assert trapped(game) == ["A meeple tree", "B meeple tree"]
    assert figures(game) == {"A meeple 0,0 E", "B meeple 5,0 E"}


def test_rus_07_of_several_that_are_as_near_all():
    """At the stone, the eastern road ends; the other three branches are one road."""
    tiles = [
        START_LINE,
        f"{CROSSROADS} 1,0 r1",
        "bg-straight 1,-1 r1: A meeple N",
        "bg-straight 1,1 r1: B meeple N",
        "bg-straight 1,2 r1: B meeple N",
    ]
    game = played(tiles, tree(-1))
    assert trapped(game) == ["A meeple tree", "B meeple tree"]
    assert figures(game) == {"B meeple 1,2 N"}


def test_rus_07_who_stands_before_the_tree_is_nearest():
    game = played(row(2, x0="B meeple E", x1="B meeple E"), tree(2))
    assert trapped(game) == ["B meeple tree"]
    tiles = [
        *row(1, x0="B meeple E"),
        f"{TREE} 1,0 r0: A meeple E",
        "bg-straight 2,0 r0: B meeple E",
    ]
    game = played(tiles, "bg-straight 3,0 r0", "pass")
    assert (trapped(game), len(figures(game))) == (["A meeple tree"], 2)


def test_rus_07_the_others_stay_until_the_road_grows():
    game = played(
        row(3, x0="A meeple E", x2="B meeple E"),
        f"{tree(3)}; pass",
        bag=("bg-cap", "bg-straight", "bg-cap"),
    )
    then(game, CAP, "pass")
    assert (trapped(game), figures(game)) == (["B meeple tree"], {"A meeple 0,0 E"})
    then(game, "bg-straight 4,0 r0")
    assert trapped(game) == ["A meeple tree", "B meeple tree"]
    assert game.position().spared == 0


@pytest.mark.rule("FLY-06")
def test_rus_07_or_until_somebody_comes_to_it():
    """A flies two tiles north and lands farther from the tree than B, so the tree takes B."""
    table = Table("russian_promos: true, flier: true", sets="base, flier, russian")
    tiles = [*row(3, x1="B meeple E"), tree(3), "bg-straight -1,0 r0"]
    stays = table.played(tiles, "bg-monastery 1,1 r0", "pass", headers="[spared 1]")
    assert (trapped(stays), stays.position().spared) == ([], 1)
    tiles.append("bg-monastery 0,1 r0")
    game = table.played(
        tiles, "fl-field-n 0,2 r0", "fly meeple rolls 2; meeple E", headers="[spared 1]"
    )
    assert (trapped(game), figures(game)) == (["B meeple tree"], {"A meeple 0,0 E"})


@pytest.mark.rule("TRA-06", "XW-02")
@pytest.mark.parametrize(
    ("on", "rules", "taken", "left"),
    [
        ({"x1": "A builder E", "x2": "A meeple E"}, "", ["A meeple tree"], set()),
        ({"x1": "A meeple E", "x2": "A builder E"}, "", ["A builder tree"], {"A meeple 1,0 E"}),
        (
            {"x1": "A meeple E", "x2": "A builder E"},
            ALL,
            ["A meeple tree", "A builder tree"],
            set(),
        ),
    ],
)
def test_rus_08_a_builder_is_trapped_or_goes_home_with_his_meeple(on, rules, taken, left):
    table = Table("russian_promos: true, builders: true", sets="base, traders, russian")
    game = table.played(row(3, **on), tree(3), rules=rules)
    assert (trapped(game), figures(game)) == (taken, left)
    assert in_supply(game, "A", Figure.BUILDER) == ("A builder tree" not in taken)
    game = then(reread(game), "pass")
    assert game.position().first_part == (3, 0)  # the tile extended the builder's road


# --- The water of Vodyanoy ----------------------------------------------------------------------


AT_WATER = [START_LINE, "bg-straight 1,0 r0"]
"""The cell 1,-1 is north of the second tile; it adjoins the start tile and the cell above that."""
THERE = f"{WATER} 1,-1 r0"


def test_rus_09_the_water_takes_all_meeples_around_it():
    tiles = [f"{START_LINE}: A meeple N", "bg-straight 1,0 r0: B meeple E, A meeple Es"]
    tiles += ["bg-straight -1,0 r0: B meeple Es"]
    game = played(tiles, THERE)
    assert trapped(game) == ["A meeple water", "A meeple water", "B meeple water"]
    assert figures(game) == {"B meeple -1,0 Es"}
    reread(game)


@pytest.mark.rule("TRA-06")
def test_rus_09_a_builder_that_is_alone_goes_home():
    table = Table("russian_promos: true, builders: true, pigs: true", sets="base, traders, russian")
    tiles = [f"{START_LINE}: A meeple E, B meeple Es, B pig Es", "bg-straight 1,0 r0"]
    tiles += ["bg-straight -1,0 r0: A builder E"]
    game = table.played(tiles, THERE)
    assert (trapped(game), figures(game)) == (["A meeple water", "B meeple water"], set())
    assert in_supply(game, "A", Figure.BUILDER) == in_supply(game, "B", Figure.PIG) == 1


def test_rus_09_special_figures_stay_beside_meeples_farther_away():
    table = Table("russian_promos: true, builders: true", sets="base, traders, russian")
    tiles = [f"{START_LINE}: A builder E", "bg-straight 1,0 r0", "bg-straight -1,0 r0: A meeple E"]
    game = table.played(tiles, THERE)
    assert (trapped(game), len(figures(game))) == ([], 2)


@pytest.mark.rule("CAS-31")
def test_rus_09_lords_stay():
    table = Table("russian_promos: true, castles: true", sets="base, bridges, russian")
    tiles = [f"{START_LINE}: B meeple N", CAP, "bg-straight 1,0 r0"]
    game = table.played(tiles, THERE, headers=["[castles 0,0 N]", "[tokens 3:2]"])
    assert (trapped(game), figures(game)) == ([], {"B meeple 0,0 N"})


@pytest.mark.rule("TOW-22", "PD-40")
def test_rus_09_a_meeple_on_a_tower_is_taken_and_the_tower_is_open():
    table = Table(
        "russian_promos: true, towers: true, fairy: true", sets="base, princess, tower, russian"
    )
    tiles = [START_LINE, "to-field-garden 0,1 r0", "bg-straight -1,0 r0"]
    headers = ["[floors 8:10]", "[towers 0,1 2 B meeple]", "[fairy 0,1 top]"]
    game = table.played(tiles, f"{WATER} 1,1 r0", headers=headers)
    (tower,) = game.position().towers
    assert (trapped(game), tower.figure) == (["B meeple water"], None)
    assert not game.position().fairy_on_top


@pytest.mark.rule("RUS-09")
def test_xrp_01_an_abbot_is_taken_as_well():
    tiles = [START_LINE, "bg-straight 1,0 r0", "bg-monastery 1,1 r0: A abbot mid"]
    game = played(tiles, f"{WATER} 2,1 r0")
    assert trapped(game) == ["A abbot water"]
    assert "free water abbot" not in names(game)


@pytest.mark.rule("RUS-09")
def test_rus_10_who_is_placed_beside_the_water_is_trapped_before_the_scoring():
    game = played([*AT_WATER, THERE], CAP)
    assert trapped(game) == []
    then(game, "meeple S")
    assert (trapped(game), score_log(game)) == (["A meeple water"], [])
    assert (game.scores, asked(game)) == ((0, 0), "B PLACE_TILE")


@pytest.mark.rule("RUS-06", "RUS-09")
@pytest.mark.parametrize(
    ("traps", "trap"), [((tree(1), THERE), "tree"), ((THERE, tree(1)), "water")]
)
def test_rus_10_whom_both_reach_gets_into_the_trap_that_was_placed_first(traps, trap):
    game = played("\n".join([START_LINE, CAP, *traps]), "bg-straight 2,0 r0", "meeple E")
    assert trapped(game) == [f"A meeple {trap}"]


@pytest.mark.rule("PHA-06")
def test_rus_10_before_the_second_figure_whose_place_is_free_then():
    game = played([*AT_WATER, THERE], CAP, "meeple S", rules="phantom: true")
    assert (trapped(game), asked(game)) == (["A meeple water"], "A SECOND")
    assert "phantom S" in names(game)
    game = then(reread(game), "phantom S")
    assert trapped(game) == ["A meeple water", "A phantom water"]


@pytest.mark.rule("RUS-14", "COU-12", "COU-16")
def test_rus_09_who_comes_from_carcassonne_is_trapped_before_the_scoring():
    """A city runs from (-2, 1) to (-2, 3) beside Vodyanoy; B waits in the castle quarter."""
    table = Table("russian_promos: true, count: true", sets="base, count, russian")
    tiles = carcassonne("bg-span -2,2 r0", "bg-monastery -3,2 r0", co_9="A meeple S")
    headers = ("[count market]", "[quarters B meeple castle]")
    game = table.played([*tiles, f"{WATER} -3,3 r0"], "bg-cap -2,3 r0", "pass", headers=headers)
    assert (asked(game), names(game)) == ("B JOIN", {"pass", "to -2,1", "to -2,2", "to -2,3"})
    then(game, "to -2,2; meeple N")
    assert (trapped(game), game.scores) == (["B meeple water"], (6, 0))


@pytest.mark.rule("COU-14")
def test_rus_09_and_behind_the_moves_of_each_seat():
    """A is asked after B, who is already trapped in the water."""
    table = Table("russian_promos: true, count: true", sets="base, count, russian")
    tiles = carcassonne("bg-span -2,2 r0", "bg-monastery -3,2 r0", co_9="A meeple S")
    headers = ("[count market]", "[quarters A meeple castle, B meeple castle]")
    game = table.played([*tiles, f"{WATER} -3,3 r0"], "bg-cap -2,3 r0", "pass", headers=headers)
    then(game, "to -2,2; meeple N")
    assert (trapped(game), asked(game)) == (["B meeple water"], "A JOIN")


@pytest.mark.rule("WAG-04")
def test_rus_10_a_wagon_that_moves_beside_the_water_is_trapped():
    table = Table("russian_promos: true, wagons: true", sets="base, abbey, russian")
    tiles = [*(START_LINE, "bg-monastery-road 1,0 r0", THERE), "bg-straight -1,0 r0: A wagon E"]
    game = table.played(tiles, "bg-monastery-road -2,0 r2", "pass")
    assert asked(game) == "A WAGON"
    then(game, "wagon 0,0 N")
    assert (trapped(game), asked(game)) == (["A wagon water"], "B PLACE_TILE")
    assert score_log(game) == []


@pytest.mark.rule("RUS-10", "GOL-06", "GOL-07")
def test_x2_08_gold_goes_to_who_leads_behind_the_traps():
    """A leads with two knights until one of them is trapped."""
    table = Table("russian_promos: true, gold: true", sets="base, gold, russian")
    tiles = [
        *(f"{START_LINE}: B meeple N", "gm-two-curves -1,0 r0"),
        *("bg-straight 1,0 r0", "bg-monastery 1,-1 r0"),
        *(
            "bg-monastery 1,-2 r0",
            "bg-cap 0,-3 r2: A meeple S",
            "bg-span-shield 0,-2 r0: A meeple N",
        ),
    ]
    span = "bg-span 0,-1 r0"
    game = table.played(tiles, span, "pass", headers="[gold 0,0 1]")
    assert (game.stock(0)["ingots"], game.stock(1)["ingots"]) == (1, 0)
    tiles.insert(4, f"{WATER} 1,-4 r0")
    tiles[4:5] = ["bg-monastery 1,-3 r0", f"{WATER} 1,-4 r0"]
    game = table.played(tiles, "bg-span 0,-1 r0", "pass", headers=["[gold 0,0 2]"])
    assert trapped(game) == ["A meeple water"]
    assert (game.stock(0)["ingots"], game.stock(1)["ingots"]) == (1, 1)


@pytest.mark.rule("RUS-10")
def test_tun_05_a_token_comes_before_the_traps():
    table = Table("russian_promos: true, tunnels: true", sets="base, tunnel, russian")
    tiles = [
        START_LINE,
        tree(-1),
        "tu-two-tunnels 1,0 r0",
        "bg-monastery-road 1,1 r1: B meeple N",
    ]
    game = table.played(tiles, CAP, "meeple S", headers="[tunnels 1,0 W A1]")
    assert (asked(game), trapped(game)) == ("A TUNNEL", [])
    then(game, "tunnel 1,0 S 1")
    assert trapped(game) == ["B meeple tree"]


@pytest.mark.rule("FER-05")
def test_rus_10_again_behind_a_ferry():
    table = Table("russian_promos: true, ferries: true", sets="base, ferries, russian")
    tiles = [START_LINE, tree(-1), "bg-cap 0,1 r2", "bg-straight 1,1 r1: B meeple N"]
    game = table.played(tiles, "fr-lake-three 1,0 r1", "pass")
    assert (asked(game), trapped(game)) == ("A FERRY", [])
    then(game, "ferry 1,0 SW")
    assert trapped(game) == ["B meeple tree"]


# --- Trapped and released -----------------------------------------------------------------------

IN_BOTH = "[trapped A meeple tree, A meeple water, B meeple water]"
BOTH = [START_LINE, tree(1), f"{WATER} 1,1 r0"]


@pytest.mark.rule("W2T-02")
def test_rus_11_instead_of_placing_a_figure_one_may_come_home():
    game = played(BOTH, "bg-straight -1,0 r0", headers=IN_BOTH)
    assert releases(reread(game)) == {"free tree meeple", "free water meeple"}
    other = then(game.clone(), "free tree meeple")
    assert trapped(other) == ["A meeple water", "B meeple water"]
    then(game, "free water meeple")
    assert (trapped(game), asked(game)) == (["A meeple tree", "B meeple water"], "B PLACE_TILE")
    assert meeples(game, "A") == 6


def test_rus_11_a_builder_comes_home_as_well():
    table = Table("russian_promos: true, builders: true", sets="base, traders, russian")
    game = table.played(BOTH, "bg-straight -1,0 r0", headers="[trapped A builder tree]")
    then(game, "free tree builder")
    assert in_supply(game, "A", Figure.BUILDER) == 1


def test_rus_11_in_a_trap_a_meeple_is_on_no_feature():
    game = played(BOTH, "bg-straight -1,0 r0", headers=IN_BOTH)
    assert "E" in offered(game, "meeple")
    tiles = [*BOTH, "bg-monastery-road -1,0 r2"]
    game = played(tiles, "bg-monastery-road 2,0 r0", "pass", headers=IN_BOTH)
    assert score_log(game) == []


@pytest.mark.rule("RUS-11", "W2T-02")
def test_pha_07_the_phantom_may_follow_a_release():
    table = Table("russian_promos: true, phantom: true", sets=SETS)
    game = table.played(BOTH, "bg-straight -1,0 r0", "free tree meeple", headers=IN_BOTH)
    assert game.phase == Phase.SECOND
    assert "phantom E" in names(game)


@pytest.mark.rule("RUS-09")
def test_pha_14_the_phantom_is_trapped():
    table = Table("russian_promos: true, phantom: true", sets=SETS)
    game = table.played([*AT_WATER, THERE], CAP, "pass", "phantom S")
    assert trapped(game) == ["A phantom water"]


@pytest.mark.parametrize(
    ("tile", "taken", "free"),
    [
        (f"{TREE} 3,0 r0", ["A meeple tree", "A meeple water"], {"free water meeple"}),
        ("bg-cap 0,-1 r2", ["A meeple water"], {"free water meeple"}),
    ],
)
def test_rus_12_not_out_of_a_trap_just_placed(tile, taken, free):
    tiles = [*row(3, x0="A meeple E"), f"{WATER} 2,1 r0"]
    game = played(tiles, tile, headers="[trapped A meeple water]")
    assert (trapped(game), releases(game)) == (taken, free)


@pytest.mark.parametrize(
    ("rules", "scores", "final"),
    [
        ("", "0:0", (-2, -2)),
        ("", "3:9", (1, 7)),
        ("score_floor: true", "0:1", (0, 0)),
        ("score_floor: true", "5:1", (3, 0)),
    ],
)
def test_rus_13_each_meeple_in_the_water_costs_two_points(rules, scores, final):
    assert at_the_end(BOTH, headers=IN_BOTH, rules=rules, scores=scores) == final


def test_rus_13_all_of_a_seat_are_told_together():
    game = played(
        BOTH,
        "bg-straight -1,0 r0; pass",
        headers="[trapped A meeple water, A meeple water, A meeple tree]",
        bag=(),
    )
    assert (game.is_over, game.scores) == (True, (-4, 0))
    assert score_log(game) == [("A", -4, Kind.TRAP)]


def test_rus_14_nobody_is_placed_in_the_water():
    game = played([START_LINE], f"{WATER} 0,1 r0")
    assert names(game) == {"pass"}


@pytest.mark.rule("PD-65")
def test_rus_14_no_portal_leads_there():
    table = Table("russian_promos: true, portals: true", sets="base, princess, russian")
    game = table.played([START_LINE, f"{WATER} 0,1 r0"], "pd-cap-curve-left-portal 0,-1 r2")
    assert "to 0,0" in names(game)
    assert "to 0,1" not in names(game)


@pytest.mark.rule("RUS-14")
def test_fly_15_nobody_lands_in_the_water():
    table = Table("russian_promos: true, flier: true", sets="base, flier, russian")
    tiles = [START_LINE, "bg-monastery-road 1,0 r0", f"{WATER} 2,0 r0"]
    game = table.played(tiles, "fl-straight-e -1,0 r0", "fly meeple rolls 3")
    assert (asked(game), meeples(game, "A")) == ("B PLACE_TILE", 7)


@pytest.mark.rule("XPH-02")
@pytest.mark.parametrize(("rules", "points"), [("", 4), ("pigherd_needs_traders: true", 3)])
def test_rus_14_its_field_has_a_pig_herd(rules, points):
    fields = ("bg-monastery -1,-1 r0", f"{WATER} -2,-1 r0", "bg-monastery -3,-1 r0")
    tiles = [START_LINE, CAP, *fields, "bg-monastery -4,-1 r0: A meeple Nw"]
    assert at_the_end(tiles, rules=rules) == (points, 0)


@pytest.mark.rule("PD-15")
def test_rus_15_the_dragon_eats_who_is_in_a_trap():
    table = Table("russian_promos: true, dragon: true", sets="base, princess, russian")
    tiles = [START_LINE, tree(1), "pd-straight-volcano 2,0 r0"]
    game = table.played(
        tiles,
        "pd-straight-dragon 3,0 r0",
        "pass",
        headers=["[dragon 2,0]", "[trapped A meeple tree, B meeple tree]"],
    )
    then(game, "dragon 1,0")
    assert (trapped(game), meeples(game, "A"), meeples(game, "B")) == ([], 7, 7)


@pytest.mark.rule("HOUSE-03")
def test_rus_15_a_safe_wagon_stays_there():
    table = Table(
        "russian_promos: true, dragon: true, wagons: true, house_wagon_safe: true",
        sets="base, abbey, princess, russian",
    )
    tiles = [START_LINE, tree(1), "pd-straight-volcano 2,0 r0"]
    game = table.played(
        tiles,
        "pd-straight-dragon 3,0 r0",
        "pass",
        headers=["[dragon 2,0]", "[trapped A wagon tree, B meeple tree]"],
    )
    assert trapped(then(game, "dragon 1,0")) == ["A wagon tree"]


TOWERS = Table("russian_promos: true, towers: true", sets="base, tower, russian")


@pytest.mark.rule("TOW-06", "TOW-11")
def test_rus_15_a_tower_captures_who_is_in_a_trap():
    tiles = [START_LINE, "to-field-garden 0,1 r0", f"{WATER} 1,1 r0"]
    headers = "[trapped A meeple water, B meeple water, B meeple water]"
    game = TOWERS.played(tiles, "bg-straight -1,0 r0", "to 0,1; floor 0,1", headers=headers)
    assert names(game) == {"to 1,1", "pass"}
    then(game, "to 1,1")
    assert names(reread(game)) == {"seize meeple 1,1 from A", "seize meeple 1,1 from B"}
    own = then(game.clone(), "seize meeple 1,1 from A")
    assert (meeples(own, "A"), own.position().prisoners) == (7, ())
    then(game, "seize meeple 1,1 from B")
    assert trapped(game) == ["A meeple water", "B meeple water"]
    assert [(p.captor, p.seat) for p in game.position().prisoners] == [(0, 1)]


@pytest.mark.rule("TOW-07")
def test_rus_15_a_tower_does_not_reach_beyond_its_height_nor_builders():
    tiles = [START_LINE, "to-field-garden 0,1 r0", "bg-monastery 1,1 r0", f"{WATER} 2,1 r0"]
    game = TOWERS.played(
        tiles, "bg-straight -1,0 r0", "to 0,1; floor 0,1", headers="[trapped B meeple water]"
    )
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.rule("RUS-15")
def test_fes_07_a_meeple_in_a_trap_comes_back():
    table = Table("russian_promos: true, festival: true", sets="base, festival, russian")
    game = table.played(BOTH, "fe-cap-gate-right -1,0 r0", headers=IN_BOTH)
    assert releases(game) == {"free tree meeple", "free water meeple"}
    assert meeples(then(game, "free tree meeple"), "A") == 6


FAIRY = Table("russian_promos: true, fairy: true", sets="base, princess, russian")


@pytest.mark.rule("PD-30", "PD-34", "PD-40")
def test_rus_15_the_fairy_comes_to_a_meeple_in_a_trap():
    game = FAIRY.played(
        BOTH, "bg-straight -1,0 r0", headers=IN_BOTH, bag=("bg-cap", "bg-cap", "bg-cap", "bg-cap")
    )
    assert {"to 1,0", "to 1,1"} <= names(game)
    assert names(then(game, "to 1,1")) == {"fairy trap 1,1"}
    then(game, "fairy trap 1,1")
    position = reread(game).position()
    assert (position.fairy, position.fairy_on_top, position.fairy_seat) == ((1, 1), True, 0)
    then(game, CAP, "pass")
    assert (asked(game), game.scores) == ("A PLACE_TILE", (1, 0))
    then(game, "bg-cap -1,1 r2")
    assert "to 1,1" not in names(game)
    then(game, "free water meeple")
    assert (game.position().fairy, game.position().fairy_on_top) == ((1, 1), False)


@pytest.mark.rule("PD-44")
def test_rus_15_the_fairy_comes_to_a_meeple_whom_the_tile_just_placed_has_caught():
    tiles = [f"{START_LINE}: A meeple En", "bg-cap 0,1 r2"]
    game = FAIRY.played(tiles, f"{WATER} 1,1 r0", bag=("bg-cap",) * 3)
    then(game, "to 1,1; fairy trap 1,1")
    assert reread(game).position().fairy == (1, 1)


@pytest.mark.rule("PD-31", "PD-35")
def test_rus_15_the_fairy_on_the_tile_of_a_trap_is_beside_all_there():
    headers = "[trapped A meeple water, A meeple water, B meeple water]"
    on_tile = "fairy_placement: on_tile"
    game = FAIRY.played(
        BOTH, "bg-straight -1,0 r0", headers=headers, rules=on_tile, bag=("bg-cap",) * 3
    )
    then(game, "to 1,1; fairy trap 1,1", CAP, "pass")
    assert game.scores == (2, 1)


@pytest.mark.parametrize(
    "headers", ["[fairy 1,1 top of A]", "[fairy 0,0 top of A]", "[fairy 1,1 top]"]
)
def test_rus_15_where_the_fairy_cannot_be(headers):
    with pytest.raises(ValueError, match=r"fairy|RUS-15"):
        FAIRY.played(BOTH, "bg-straight -1,0 r0", headers=headers)


# --- Display ------------------------------------------------------------------------------------


def test_rus_11_who_is_in_traps_is_shown():
    game = played(BOTH, "bg-straight -1,0 r0", headers=IN_BOTH)
    seen = game.observe(0)
    planes = plane_names(game.rules)
    for name, (x, y) in {"tree": (1, 0), "water": (1, 1)}.items():
        board = seen["board"][planes.index(name)]
        assert board.sum() == 1
        row_, column = divmod(cell_of(x, y), BOARD)
        s = game.states[0]
        assert board[row_ - int(s.view_row), column - int(s.view_column)] == 1
    numbers = dict(zip(global_names(game.rules), seen["globals"].tolist(), strict=True))
    assert numbers["meeples 0 tree"] == pytest.approx(1 / 7)
    assert numbers["meeples 1 water"] == pytest.approx(1 / 7)
    assert numbers["meeples 1 tree"] == 0


def test_rus_11_who_is_in_traps_is_drawn_and_told():
    position = played(BOTH, "bg-straight -1,0 r0", headers=IN_BOTH).position()
    assert board_svg(position).count('class="trapped"') == 3
    assert "in the water: A meeple, B meeple" in board_text(position)


@pytest.mark.parametrize("cell", ["1,0", "1,1"])
def test_rus_15_the_fairy_is_drawn_beside_a_meeple_in_a_trap(cell):
    game = FAIRY.played(BOTH, "bg-straight -1,0 r0", headers=IN_BOTH)
    position = then(game, f"to {cell}; fairy trap {cell}").position()
    assert board_svg(position).count('class="fairy"') == 1
    assert f"fairy at {cell} in the trap" in board_text(position)

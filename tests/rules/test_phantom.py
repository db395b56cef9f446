"""PHA: the phantom, a meeple that may follow the figure action."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import bag_of, figures, in_supply, names, offered, score_log
from .positions import RING, START_LINE, Table, carcassonne, reread, then
from .scenario import PORTAL

pytestmark = pytest.mark.interpreted

TABLE = Table("phantom: true")
played, at_the_end = TABLE.played, TABLE.at_the_end
TOWERS = Table("phantom: true, towers: true", sets="base, tower")
DRAGONS = Table(
    "phantom: true, dragon: true, fairy: true, princesses: true, portals: true",
    sets="base, princess",
)
COUNT = Table("phantom: true, count: true", sets="base, count")

BESIDE = "bg-cap-straight 1,0 r0"
"""A tile beside the start tile with a city N, the road E, and the fields En and Es."""
FOUNDATION = "to-field-garden 0,1 r0"
PRINCESS = "pd-cap-junction-princess 0,-1 r2"


def phantoms(game: Game, seat: str) -> int:
    return in_supply(game, seat, Figure.PHANTOM)


def follows(game: Game) -> bool:
    """Return whether A is asked for a second figure."""
    return (game.phase, game.decider) == (Phase.SECOND, 0)


def test_pha_01_every_player_has_one_and_no_tiles_come_with_it():
    game = Game(Rules.preset("phantom", n_players=3))
    assert [phantoms(game, seat) for seat in "ABC"] == [1, 1, 1]
    assert sorted(bag_of(game)) == sorted(bag_of(Game(Rules(n_players=3))))


@pytest.mark.rule("TURN-03")
def test_pha_02_it_may_follow_on_another_free_feature_of_the_tile():
    game = played(START_LINE, BESIDE, "meeple N")
    assert follows(game)
    assert names(reread(game)) == {"phantom E", "phantom En", "phantom Es", "pass"}
    stays = then(game.clone(), "pass")
    assert (stays.decider, phantoms(stays, "A"), figures(stays)) == (1, 1, {"A meeple 1,0 N"})
    then(game, "phantom E")
    assert figures(game) == {"A meeple 1,0 N", "A phantom 1,0 E"}
    assert (game.phase, game.decider, phantoms(game, "A")) == (Phase.PLACE_TILE, 1, 0)


def test_pha_02_nobody_is_asked_without_a_phantom_or_without_a_place_for_it():
    assert not follows(played(f"{START_LINE}: A phantom Es", BESIDE, "meeple N"))
    taken = f"{START_LINE}: B meeple N, B meeple Es, B meeple En, B meeple E"
    assert not follows(played(taken, "bg-straight 1,0 r0", "pass"))


def test_pha_03_it_may_be_the_only_figure():
    game = played(START_LINE, BESIDE, "pass")
    assert names(game) == {"phantom N", "phantom E", "phantom En", "phantom Es", "pass"}


def test_pha_04_placed_first_nobody_follows():
    game = played(START_LINE, BESIDE)
    assert offered(game, "phantom") == {"N", "E", "En", "Es"}
    then(game, "phantom N")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


def test_pha_05_it_occupies_scores_and_returns_like_a_meeple():
    tiles = [START_LINE, "bg-junction -1,0 r3: A phantom E"]
    game = played(tiles, "bg-junction 1,0 r1")
    assert "W" not in offered(game, "meeple")
    then(game, "pass")
    assert (score_log(game), phantoms(game, "A")) == ([("A", 3, Kind.ROAD)], 1)


@pytest.mark.rule("XPT-02", "MAY-06")
@pytest.mark.parametrize(("rival", "scores"), [("meeple", (3, 3)), ("mayor", (3, 3))])
def test_pha_05_its_strength_is_one(rival, scores):
    table = Table("phantom: true, mayors: true", sets="base, abbey")
    tiles = [START_LINE, f"bg-span-shield 0,-1 r0: A {rival} N, B phantom N"]
    assert table.at_the_end(tiles) == scores


@pytest.mark.rule("XPT-02", "ABB-21")
def test_pha_05_it_may_stand_on_an_abbey():
    table = Table("phantom: true, abbeys: true", sets="base, abbey")
    game = table.played(RING, "am-abbey 0,1 r0", turn="A begins", headers="[abbeys 1:1]")
    assert "phantom mid" in names(game)
    assert offered(then(game, "pass"), "phantom") == {"mid"}


@pytest.mark.rule("BASE-06")
def test_pha_06_the_first_figure_occupies_for_it():
    tiles = [START_LINE, "bg-city3 0,-1 r0", "bg-corner 0,-2 r1", "bg-corner 1,-2 r2"]
    game = played(tiles, "bg-caps-adjacent 1,-1 r3")
    assert {"N", "W"} <= offered(game, "meeple")
    then(game, "meeple N")
    assert follows(game)
    assert not offered(game, "phantom") & {"N", "W"}


@pytest.mark.rule("XPT-01")
@pytest.mark.parametrize(
    ("figure", "tile", "action"),
    [
        ("A meeple E", BESIDE, "builder E"),
        ("A meeple Es", BESIDE, "pig Es"),
        ("", "bg-curve-garden 1,0 r1", "abbot mid"),
        ("", "bg-straight 1,0 r0", "barn SW"),
        ("", BESIDE, "recall"),
    ],
)
def test_pha_07_any_figure_action_on_the_tile_may_come_before_it(figure, tile, action):
    table = Table("phantom: true, builders: true, pigs: true, barns: true")
    abbot = "A abbot mid" if action == "recall" else ""
    tiles = [f"{START_LINE}: {figure}", f"bg-straight-garden -1,0 r0: {abbot}"]
    game = table.played([*tiles, "bg-cap 0,1 r2", "bg-cap 1,1 r2"], tile, action)
    assert follows(game)


@pytest.mark.rule("PD-30")
def test_pha_07_the_fairy_may_come_before_it():
    game = DRAGONS.played(f"{START_LINE}: A meeple Es", BESIDE, "to 0,0; fairy 0,0 Es")
    assert follows(game)
    assert game.position().fairy == (0, 0)


@pytest.mark.rule("TOW-02", "TOW-06")
@pytest.mark.parametrize("captures", [True, False])
def test_pha_07_a_floor_may_come_before_it_with_a_capture_or_without(captures):
    tiles = [f"{START_LINE}: B meeple N", FOUNDATION]
    game = TOWERS.played(tiles, "bg-straight -1,0 r0", "to 0,1; floor 0,1")
    then(game, "to 0,0; remove 0,0 N" if captures else "pass")
    assert follows(game)
    assert len(game.position().prisoners) == captures


@pytest.mark.rule("PD-55")
def test_pha_08_not_behind_a_princess():
    tiles = [f"{START_LINE}: B meeple N"]
    game = DRAGONS.played(tiles, PRINCESS, "to 0,0; remove 0,0 N")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert follows(DRAGONS.played(tiles, PRINCESS, "pass"))


@pytest.mark.rule("BRI-10")
def test_pha_08_nor_behind_a_bridge_that_follows_a_princess():
    table = Table(
        "phantom: true, princesses: true, bridges: true, bridge_timing: any_time_before_scoring",
        sets="base, princess",
    )
    around_a_hole = ["bg-curve -1,0 r3", "bg-straight -1,1 r1", "bg-curve -1,2 r2"]
    around_a_hole += ["bg-straight 0,2 r0", "bg-curve 1,2 r1", "bg-straight 1,1 r1"]
    tiles = [START_LINE, "bg-cap 0,-1 r2", "bg-cap 1,-1 r2: B meeple S", *around_a_hole]
    princess = "pd-cap-junction-princess 1,0 r0"
    game = table.played(tiles, princess, "to 1,-1; remove 1,-1 S")
    assert names(reread(game)) == {"bridge 1,1 EW", "pass"}
    then(game, "pass")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)
    assert follows(table.played(tiles, princess, "meeple E; bridge 1,1 EW"))


@pytest.mark.rule("TOW-17", "TOW-18")
def test_pha_09_it_may_close_an_open_tower_but_build_none():
    headers = ["[floors 9:10]", "[towers 0,1 1]"]
    game = TOWERS.played(
        [START_LINE, FOUNDATION], "bg-straight -1,0 r0", "pass; to 0,1", headers=headers
    )
    assert game.phase == Phase.SECOND_SPOT
    assert names(reread(game)) == {"top phantom 0,1"}
    then(game, "top phantom 0,1")
    tower = game.position().towers[0]
    assert (tower.seat, tower.figure, phantoms(game, "A")) == (0, Figure.PHANTOM, 0)
    moves = "to 0,1; floor 0,1; to 0,1; top phantom 0,1"
    at_once = TOWERS.played([START_LINE], FOUNDATION, moves)
    assert reread(at_once).position().towers == game.position().towers
    bare = TOWERS.played([START_LINE, FOUNDATION], "bg-straight -1,0 r0", "pass")
    assert follows(bare)
    assert "to 0,1" not in names(bare)


@pytest.mark.rule("PD-65")
def test_pha_11_a_portal_leads_one_figure():
    tiles = [START_LINE, "bg-monastery 0,1 r0"]
    used = DRAGONS.played(tiles, PORTAL, "to 0,0; meeple N")
    assert follows(used)
    assert names(reread(used)) == {"phantom N", "phantom Ne", "phantom Nw", "phantom S", "pass"}
    free = DRAGONS.played(tiles, PORTAL, "meeple S")
    assert {"to 0,0", "to 0,1"} <= names(free)
    then(free, "to 0,1")
    assert names(reread(free)) == {"phantom mid", "phantom Nw"}
    then(free, "phantom mid")
    assert figures(free) == {"A meeple -1,0 S", "A phantom 0,1 mid"}
    assert free.decider == 1


@pytest.mark.rule("GAR-01")
def test_pha_12_not_in_a_garden():
    game = played(START_LINE, "bg-straight-garden 1,0 r0", "pass")
    assert offered(game, "phantom") == {"E", "Es", "Nw"}


@pytest.mark.rule("PD-03")
def test_pha_13_in_a_field_but_not_on_a_volcano():
    assert "Es" in offered(played(START_LINE, BESIDE, "meeple N"), "phantom")
    game = DRAGONS.played(START_LINE, "pd-curve-volcano 1,0 r1", "pass")
    assert (game.phase, game.decider) == (Phase.PLACE_TILE, 1)


@pytest.mark.rule("TRA-12", "TRA-13")
def test_pha_13_a_pig_joins_it_in_a_field():
    pigs = Table("phantom: true, pigs: true", sets="base, traders")
    tiles = (START_LINE, "bg-cap 0,1 r2", "bg-straight 1,0 r0: A phantom Nw")
    game = pigs.played(tiles, "bg-straight 2,0 r0")
    assert offered(game, "pig") == {"Nw"}


@pytest.mark.rule("TOW-06", "TOW-25")
def test_pha_14_it_is_captured_and_bought_back_in_time_to_follow():
    tiles = [f"{START_LINE}: B phantom N", FOUNDATION]
    game = TOWERS.played(
        tiles,
        "bg-straight -1,0 r0",
        "to 0,1; floor 0,1; to 0,0; remove 0,0 N; pass",
        scores="0:5",
        bag=("bg-straight", "bg-cap"),
    )
    assert [(p.captor, p.seat, p.figure) for p in reread(game).position().prisoners] == [
        (0, 1, Figure.PHANTOM)
    ]
    then(game, "bg-straight 1,0 r0; ransom phantom from A; meeple E")
    assert (game.phase, game.decider, game.scores) == (Phase.SECOND, 1, (3, 2))


@pytest.mark.rule("PD-15")
def test_pha_14_the_dragon_eats_it():
    tiles = [START_LINE, "pd-straight-volcano 1,0 r0", "bg-straight 2,0 r0: B phantom E"]
    game = DRAGONS.played(tiles, "pd-straight-dragon 3,0 r0", "pass; pass", headers="[dragon 1,0]")
    then(game, "dragon 2,0")
    assert (figures(game), phantoms(game, "B")) == (set(), 1)


@pytest.mark.rule("PD-52")
def test_pha_14_a_princess_sends_it_home():
    game = DRAGONS.played([f"{START_LINE}: B phantom N"], PRINCESS, "to 0,0; remove 0,0 N")
    assert (figures(game), phantoms(game, "B")) == (set(), 1)


@pytest.mark.rule("COU-09", "COU-14")
def test_pha_14_it_waits_in_carcassonne_and_comes_out():
    game = COUNT.played(carcassonne(co_9="B meeple S"), "bg-cap -2,2 r0", "pass; pass")
    quarters = ("castle", "market", "blacksmith", "cathedral")
    assert {f"enter phantom {quarter}" for quarter in quarters} <= names(game)
    then(game, "enter phantom castle; count market")
    assert (phantoms(game, "A"), phantoms(game, "B")) == (0, 1)
    game = COUNT.played(
        carcassonne(co_9="B meeple S"),
        "bg-cap -2,2 r0",
        "pass",
        headers=["[count market]", "[quarters A phantom castle]"],
    )
    assert game.phase == Phase.JOIN
    then(game, "to -2,2; phantom N")
    assert game.scores == (4, 4)


@pytest.mark.rule("CAS-10")
def test_pha_14_it_becomes_a_lord_with_its_town():
    table = Table("phantom: true, castles: true")
    game = table.played(f"{START_LINE}: A phantom N", "bg-cap 0,-1 r2", "pass; castle")
    assert (len(game.position().castles), figures(game)) == (1, {"A phantom 0,0 N"})


@pytest.mark.rule("TRA-06")
@pytest.mark.parametrize("figure", ["A phantom E", ""])
def test_pha_15_a_builder_stays_with_it_alone(figure):
    table = Table("phantom: true, builders: true, towers: true", sets="base, tower")
    tiles = [f"{START_LINE}: A meeple E, A builder E", FOUNDATION, f"bg-straight 1,0 r0: {figure}"]
    moves = "to 0,1; floor 0,1; to 0,0; remove 0,0 E"
    game = table.played(tiles, "bg-straight -1,0 r0", moves, seat="B")
    assert ("A builder 0,0 E" in figures(game)) == bool(figure)


@pytest.mark.rule("TRA-07")
def test_pha_16_home_from_the_first_part_it_may_follow_in_the_second():
    table = Table("phantom: true, builders: true")
    tiles = [
        f"{START_LINE}: A phantom N, A meeple E, A builder E",
        "bg-curve 1,0 r1",
        "bg-curve 1,-1 r0",
    ]
    game = table.played(tiles, "bg-cap-curve-left 0,-1 r2", "pass", bag=("bg-cap", "bg-cap"))
    assert (game.scores, phantoms(game, "A")) == ((4, 0), 1)
    then(game, "bg-cap 0,1 r2; meeple S")
    assert follows(game)
    assert game.position().first_part == (0, -1)


def test_pha_17_both_figures_of_a_turn_are_scored_apart():
    tiles = [START_LINE, "bg-junction -1,0 r3", "bg-cap 0,-1 r2", "bg-cap 1,-1 r2"]
    game = played(tiles, "bg-cap-junction 1,0 r0", "meeple N; phantom W")
    assert sorted(score_log(game)) == [("A", 3, Kind.ROAD), ("A", 4, Kind.CITY)]
    assert (game.scores, phantoms(game, "A"), figures(game)) == ((7, 0), 1, set())


@pytest.mark.rule("COU-04")
def test_pha_18_its_points_are_its_owners():
    """A's road with the phantom scores 2 and B's city 4, so A has points of their own."""
    tiles = carcassonne(
        "bg-monastery -3,1 r0", "bg-monastery-road -3,2 r2: A phantom E", co_9="B meeple S"
    )
    game = COUNT.played(tiles, "bg-cap-junction -2,2 r0; pass")
    assert (game.scores, game.phase) == ((2, 4), Phase.PLACE_TILE)

"""GAR: gardens, which are separate features for abbots only."""

from collections import Counter

import pytest

from carc_env.engine.core.codes import Kind
from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import abbots, bag_of, names, score_log
from .positions import START_LINE, Table, first_place
from .scenario import GARDEN_TILES, LAST_NEIGHBOUR, TILES, play, play_to_the_end, surrounded

TABLE = Table()
position, played = TABLE.position, TABLE.played


def just_placed(tile):
    """Let A place the tile somewhere beside the start tile and return the game."""
    game = played(START_LINE, turn=f"A places {tile}")
    game.apply(first_place(game))
    return game


def on_the_middle(game):
    return {name for name in names(game) if name.endswith(" mid")}


@pytest.mark.parametrize("tile", GARDEN_TILES)
def test_gar_01_a_garden_takes_abbots_only(tile):
    game = just_placed(tile)
    assert on_the_middle(game) == {"abbot mid"}
    assert any(name.startswith("meeple") for name in names(game))


@pytest.mark.parametrize("tile", GARDEN_TILES)
def test_gar_01_without_an_abbot_in_supply_a_garden_takes_nothing(tile):
    game = played(
        "bg-cap-straight 0,0 r0; bg-monastery-road 1,0 r0: A abbot mid", turn=f"A places {tile}"
    )
    game.apply(first_place(game))
    assert on_the_middle(game) == set()
    assert {"recall", "pass"} <= names(game)


def test_gar_01_a_garden_leaves_the_other_features_of_its_tile_alone():
    plain = just_placed("bg-straight")
    garden = just_placed("bg-straight-garden")
    assert names(garden) == names(plain) | {"abbot mid"}


#: Positions with corners, gaps and all kinds of edges along the border.
SOME_POSITIONS = {
    "the start": "bg-cap-straight 0,0 r0",
    "a closed city": """
        bg-cap-straight 0,0 r0
        bg-cap-straight 0,-1 r2
        bg-junction 1,0 r0
        """,
    "around a monastery": """
        bg-cap-straight 0,0 r0
        bg-monastery 0,1 r0
        bg-straight -1,0 r0; bg-cap-junction 1,0 r0; bg-cap-curve-right 2,0 r1
        bg-city3-gate -2,0 r2
        bg-corner-curve -2,-1 r1
        bg-junction 1,1 r3
        bg-span-shield 0,-1 r0
        """,
}


@pytest.mark.parametrize("tiles", SOME_POSITIONS.values(), ids=SOME_POSITIONS)
@pytest.mark.parametrize("garden", GARDEN_TILES)
def test_gar_02_a_garden_is_no_edge(garden, tiles):
    plain = garden.removesuffix("-garden")
    assert plain in TILES["base"]
    places = [
        {name.removeprefix(tile) for name in names(played(f"{tiles}", turn=f"A places {tile}"))}
        for tile in (garden, plain)
    ]
    assert places[0] == places[1]
    assert len(places[0]) >= 2


@pytest.mark.rule("GAR-04")
def test_gar_03_the_eighth_neighbour_completes_a_garden():
    seven = play(surrounded("garden", 7, "A abbot mid"), "pass")
    assert (seven.scores, abbots(seven, "A")) == ((0, 0), 0)
    text = surrounded("garden", 7, "A abbot mid", turn="A places bg-straight")
    eight = play(text, LAST_NEIGHBOUR["garden"], "pass")
    assert score_log(eight) == [("A", 9, Kind.GARDEN)]
    assert (eight.scores, abbots(eight, "A")) == ((9, 0), 1)


def test_gar_03_an_abbot_placed_in_a_garden_that_fills_the_last_gap_scores_at_once():
    game = played(
        """
        bg-cap-straight 0,0 r0; bg-straight -1,0 r0; bg-straight 1,0 r0
        bg-straight -1,1 r0; bg-straight 1,1 r0
        bg-straight -1,2 r0; bg-straight 0,2 r0; bg-straight 1,2 r0
        """,
        "bg-straight-garden 0,1 r0; abbot mid",
        seat="B",
    )
    assert (game.scores, abbots(game, "B")) == ((0, 9), 1)


@pytest.mark.parametrize("n_neighbours", range(1, 8))
def test_gar_04_an_incomplete_garden_is_worth_its_cell_and_its_neighbours(n_neighbours):
    game = play_to_the_end(surrounded("garden", n_neighbours, "A abbot mid"))
    assert score_log(game) == [("A", 1 + n_neighbours, Kind.GARDEN)]
    assert game.scores == (1 + n_neighbours, 0)


def test_gar_05_a_garden_scores_as_a_garden_not_as_a_monastery():
    garden = play_to_the_end(surrounded("garden", 4, "A abbot mid"))
    monastery = play_to_the_end(surrounded("monastery", 4, "A abbot mid"))
    assert score_log(garden) == [("A", 5, Kind.GARDEN)]
    assert score_log(monastery) == [("A", 5, Kind.MONASTERY)]


def test_gar_07_any_tile_in_any_of_the_eight_cells_counts_as_neighbour():
    text = position(
        """
        bg-cap-straight 0,0 r0
        bg-straight-garden 0,1 r0: A abbot mid
        bg-cap-straight -1,0 r0; bg-curve 1,0 r0
        bg-monastery-road -1,1 r2; bg-crossroads 1,1 r0
        bg-monastery 0,2 r0; bg-cap-garden -1,2 r3
        """,
        turn="A places bg-curve-garden",
    )
    assert play(text).standings == (8, 0)
    game = play(text, "bg-curve-garden 1,2 r2", "pass")
    assert (game.scores, abbots(game, "A")) == ((9, 0), 1)


def test_gar_07_tiles_further_away_do_not_count():
    text = surrounded("garden", 3, "A abbot mid") + "\nbg-straight 2,0 r0\nbg-straight 3,0 r0"
    assert play(text, "recall").scores == (4, 0)


def test_gar_08_the_base_game_has_eight_garden_tiles():
    found = Counter(tile for tile in bag_of(Game(seed=2)) if tile in GARDEN_TILES)
    assert found == dict.fromkeys(GARDEN_TILES, 1)
    assert found.total() == 8


def test_gar_09_the_first_edition_has_neither_gardens_nor_abbots():
    game = Game(Rules(edition="C1", abbot=False), seed=2)
    assert not any(tile.endswith("-garden") for tile in bag_of(game))
    assert len(bag_of(game)) == 71
    assert (abbots(game, "A"), abbots(game, "B")) == (0, 0)
    with pytest.raises(ValueError, match="abbot"):
        Rules(edition="C1", abbot=True)


def test_gar_10_an_unoccupied_garden_can_be_completed_and_pays_nobody():
    text = surrounded("garden", 7, "", turn="A places bg-straight")
    game = play(text, LAST_NEIGHBOUR["garden"])
    assert on_the_middle(game) == set()
    game.apply("pass")
    assert (game.scores, score_log(game)) == ((0, 0), [])

"""WIN: the third winter edition; ``test_abbot`` also runs most of its tests under it."""

import pytest

from carc_env.game.game import Game
from carc_env.rules import Rules

from .looks import abbots, bag_of, figures, meeples, names
from .positions import START_LINE, Table, first_place
from .scenario import GARDEN_TILES, LAST_NEIGHBOUR, START, play, play_to_the_end, surrounded

TABLE = Table("edition: WE3")
position, played = TABLE.position, TABLE.played


def test_win_01_supply_and_stack_are_those_of_the_base_game():
    game = Game(Rules(edition="WE3"), seed=1)
    assert [(meeples(game, seat), abbots(game, seat)) for seat in "AB"] == [(7, 1)] * 2
    assert len(bag_of(game)) == 71
    assert Rules.preset("winter") == Rules(edition="WE3")


def test_win_01_the_abbot_is_optional():
    game = Game(Rules(edition="WE3", abbot=False), seed=1)
    assert (abbots(game, "A"), "recall" in game.layout.blocks) == (0, False)


def test_win_01_placing_completing_recalling_and_the_end():
    text = surrounded("garden", 7, "A abbot mid", turn="B places bg-straight")
    game = play(text, LAST_NEIGHBOUR["garden"], "pass", edition="WE3")
    assert (game.scores, abbots(game, "A")) == ((9, 0), 1)
    text = surrounded("garden", 5, "A abbot mid")
    assert play(text, "recall", edition="WE3").scores == (6, 0)
    assert play_to_the_end(text, edition="WE3").scores == (6, 0)


@pytest.mark.parametrize("garden", GARDEN_TILES)
def test_win_01_a_garden_changes_nothing_about_where_a_tile_fits(garden):
    plain, with_garden = (
        played("bg-cap-straight 0,0 r0; bg-junction 1,0 r0", turn=f"A places {tile}")
        for tile in (garden.removesuffix("-garden"), garden)
    )
    assert {name.split(" ", 1)[1] for name in names(plain)} == {
        name.split(" ", 1)[1] for name in names(with_garden)
    }


@pytest.mark.parametrize("tile", [*GARDEN_TILES, "bg-monastery", "bg-monastery-road"])
def test_win_02_meeples_go_on_monasteries_but_not_on_gardens(tile):
    game = played(START_LINE, turn=f"A places {tile}")
    game.apply(first_place(game))
    assert ("meeple mid" in names(game)) == ("monastery" in tile)
    assert "abbot mid" in names(game)
    others = {n for n in names(game) if n.startswith("meeple") and not n.endswith("mid")}
    assert others
    game.apply(sorted(others)[0])
    assert len(figures(game)) == 1


@pytest.mark.parametrize(("switch", "n_gardens"), [("as_C2", 8), ("none", 0)])
def test_win_03_which_winter_tiles_carry_gardens(switch, n_gardens):
    game = Game(Rules(edition="WE3", winter_gardens=switch), seed=1)
    tiles = (START, *bag_of(game))
    assert sum(tile in GARDEN_TILES for tile in tiles) == n_gardens
    assert len(tiles) == 72
    assert abbots(game, "A") == 1


def test_win_03_the_default_uses_the_tile_facts_of_the_second_edition():
    assert Rules(edition="WE3").winter_gardens == "as_C2"
    winter, second = Game(Rules(edition="WE3"), seed=1), Game(Rules(), seed=1)
    assert sorted(bag_of(winter)) == sorted(bag_of(second))

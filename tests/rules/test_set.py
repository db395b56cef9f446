"""SET: the contents of the box, what each player gets, and that absent systems stay silent."""

from collections import Counter
from itertools import chain, product
from typing import get_type_hints

import numpy as np
import pytest

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.game.game import Game
from carc_env.layout.actions import action_layout
from carc_env.rules import Rules
from carc_env.systems import systems_in
from carc_env.words import SEATS
from tests.goods import goods_of

from .looks import abbots, bag_of, in_supply, meeples, names, score_log
from .positions import first_place
from .scenario import ABBEY, BROKEN, GARDEN_TILES, START, TILES, first_tiles, play, set_of_tiles

SYSTEMS = ("tiles", "abbeys", "mayors", "barns", "wagons")


SWITCHES = [name for name, hint in get_type_hints(Rules).items() if hint is bool]


def words_in_play(rules):
    """Return the first words of all actions that the systems in play declare."""
    layout = action_layout(rules)
    found = {first_word(layout.name(run.first)) for run in layout.blocks.values()}
    for question in chain(*(system.questions for system in systems_in(rules))):
        answers = question.passing, question.accepting, question.declining
        found |= {*map(first_word, answers)}
    return found.union(["to"] * rules.chooses_cells, ["abbey"] * rules.abbeys)


def first_word(name):
    return name.split()[0]


def systems(switched_on, **others):
    """Return rules with some of the five systems of Abbey & Mayor."""
    on = dict(zip(SYSTEMS, switched_on, strict=True))
    sets = ("base", "abbey") if on.pop("tiles") else ("base",)
    return Rules(sets=sets, **on, **others)


@pytest.mark.rule("SET-06")
@pytest.mark.parametrize("switched_on", list(product((False, True), repeat=5)))
def test_set_01_every_subset_of_the_five_systems_plays_to_the_end(switched_on):
    tiles, abbeys, mayors, barns, wagons = switched_on
    game = Game(systems(switched_on, auto_single=False), seed=sum(switched_on))
    assert len(bag_of(game)) == 71 + 12 * tiles
    assert game.position().abbeys == ((1, 1) if abbeys else ())
    figures_in_play = (Figure.MAYOR, Figure.BARN, Figure.WAGON)
    assert [in_supply(game, "B", f) for f in figures_in_play] == [mayors, barns, wagons]
    expected = {"tile", "meeple", "pass", "abbot", "recall"}
    for words, is_on in (
        ({"abbey", "draw"}, abbeys),
        ({"mayor"}, mayors),
        ({"barn"}, barns),
        ({"wagon", "home"}, wagons),
    ):
        expected |= words if is_on else set()
    seen = set()
    phases = set()
    while not game.is_over:
        phases.add(game.phase)
        words = {name.split()[0] for name in names(game)}
        for word in words:
            is_tile = word in TILES["base"] or word in TILES["abbey"]
            seen.add("abbey" if word == "am-abbey" else "tile" if is_tile else word)
        game.apply(game.random_action())
    assert seen <= expected
    assert {"tile", "meeple", "pass"} <= seen
    assert ("mayor" in seen) == mayors
    assert (Phase.DRAW_OR_ABBEY not in phases) or abbeys
    assert (Phase.WAGON not in phases) or wagons
    assert Phase.WAGON_SPOT not in phases
    laid = [tile.tile for tile in game.position().tiles]
    assert sum(tile != "am-abbey" for tile in laid) + len(game.position().aside) == 72 + 12 * tiles


def seen_in(game):
    """Play a random game to the end; return the first words of its actions and other events."""
    tiles = [tile for name in game.rules.sets for tile in TILES[name]]
    seen = set()
    while not game.is_over:
        seen |= {"tile" if word in tiles else word for word in map(first_word, names(game))}
        seen |= {"second part"} if game.position().first_part else set()
        game.apply(game.random_action())
        seen |= {"tokens"} if any(sum(goods_of(game, seat).values()) for seat in (0, 1)) else set()
        seen |= {"points for goods"} if Kind.GOODS in {log[2] for log in score_log(game)} else set()
    return seen


@pytest.mark.rule("SET-06", "TILE-01")
@pytest.mark.parametrize("switched_on", list(product((False, True), repeat=5)))
@pytest.mark.filterwarnings("ignore:.* has no effect")
def test_set_01_every_subset_of_traders_and_river_plays_to_the_end(switched_on):
    traders, builders, pigs, goods, river = switched_on
    sets = ("base", *["traders"] * traders, *["river1"] * river)
    rules = Rules(sets=sets, builders=builders, pigs=pigs, goods=goods, auto_single=False)
    expected = {"tile", "meeple", "pass", "abbot", "recall"}
    expected |= {"builder", "second part"} if builders else set()
    expected |= {"pig"} if pigs else set()
    expected |= {"tokens", "points for goods"} if goods and traders else set()
    seen = set()
    for seed in range(20):
        game = Game(rules, seed=seed)
        assert len(bag_of(game)) == 71 + 24 * traders + 12 * river
        assert [in_supply(game, "B", f) for f in (Figure.BUILDER, Figure.PIG)] == [builders, pigs]
        seen |= seen_in(game)
        laid = {tile.tile for tile in game.position().tiles}
        assert (not laid & TILES["traders"].keys(), not laid & TILES["river1"].keys()) == (
            not traders,
            not river,
        )
        n_gone = len(game.position().tiles) + len(game.position().aside)
        assert n_gone == len(bag_of(game)) + 1
        if seen == expected:
            break
    assert seen == expected


@pytest.mark.rule("SET-06")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.filterwarnings("ignore:.* has no effect")
def test_set_01_random_subsets_of_everything_play_to_the_end(seed):
    chosen = np.random.default_rng(seed)
    sets = [name for name in TILES if name != "base" and chosen.random() < 0.5]
    is_on = {name: bool(chosen.random() < 0.5) for name in SWITCHES}
    n_players = int(chosen.integers(2, 7))
    options = {"sets": ("base", *sets), "count_with_river": "allow"}
    rules = Rules(n_players=n_players, **options, **is_on)
    game = Game(rules, seed=seed)
    tiles = {*chain(*(TILES[name] for name in rules.sets)), *BROKEN}
    seen = set()
    while not game.is_over:
        for word in map(first_word, names(game)):
            seen.add("abbey" if word == ABBEY else "tile" if word in tiles else word)
        game.apply(game.random_action())
    assert {"tile", "meeple", "pass"} <= seen <= words_in_play(rules)
    assert Counter(bag_of(game)) == set_of_tiles(rules) - Counter(first_tiles(rules))
    assert not game.problems()


def test_set_02_six_players_have_every_figure_of_the_box():
    game = Game(Rules.preset("abbey-mayor", n_players=6), seed=1)
    kinds = (Figure.MAYOR, Figure.WAGON, Figure.BARN)
    assert [[in_supply(game, seat, kind) for kind in kinds] for seat in "ABCDEF"] == [[1, 1, 1]] * 6
    assert game.position().abbeys == (1,) * 6
    with pytest.raises(ValueError, match="n_players"):
        Rules.preset("abbey-mayor", n_players=7)


def test_set_02_six_players_lack_nothing():
    game = Game(Rules(n_players=6), seed=1)
    assert [(meeples(game, seat), abbots(game, seat)) for seat in "ABCDEF"] == [(7, 1)] * 6


def test_set_02_seven_players_are_refused():
    with pytest.raises(ValueError, match="n_players"):
        Rules(n_players=7)


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_set_03_the_stack_is_the_multiset_of_the_tile_facts(seed):
    expected = set_of_tiles(Rules()) - Counter([START])
    assert Counter(bag_of(Game(seed=seed))) == expected


def test_set_03_the_draw_order_is_a_uniform_permutation():
    n_games, n = 2000, 71
    orders = [bag_of(Game(seed=seed)) for seed in range(n_games)]

    # Every place in the order is equally likely to hold each of the 8 curves.
    expected = n_games * 8 / n
    curves = [sum(order[place] == "bg-curve" for order in orders) for place in range(n)]
    chi2 = sum((count - expected) ** 2 for count in curves) / (expected * (1 - 8 / n))
    assert 30 < chi2 < 120  # 70 degrees of freedom

    # The first and the last place hold each design in proportion to its number of copies.
    for place in (0, -1):
        found = Counter(order[place] for order in orders)
        chi2 = 0.0
        for tile, facts in TILES["base"].items():
            expected = n_games * (facts["n"]["C2"] - (tile == START)) / n
            chi2 += (found[tile] - expected) ** 2 / expected
        assert 8 < chi2 < 70  # 31 degrees of freedom

    # Neighbours in the order are alike as often as chance predicts.
    copies = [facts["n"]["C2"] - (tile == START) for tile, facts in TILES["base"].items()]
    expected = n_games * sum(c * (c - 1) for c in copies) / n
    alike = sum(order[i] == order[i + 1] for order in orders for i in range(n - 1))
    assert abs(alike - expected) < 5 * expected**0.5


@pytest.mark.rule("SET-04", "GAR-08", "TILE-01", "BASE-02", "BRI-02", "KR-01")
@pytest.mark.parametrize(
    ("options", "has_gardens"),
    [
        ({}, True),
        ({"edition": "C1", "abbot": False}, False),
        ({"edition": "WE3"}, True),
        ({"edition": "WE3", "winter_gardens": "none"}, False),
    ],
)
@pytest.mark.parametrize(
    ("name", "n_tiles", "n_gardens"),
    [
        ("inns", 18, 2),
        ("traders", 24, 2),
        ("abbey", 12, 1),
        ("bridges", 12, 1),
        ("king", 5, 1),
    ],
)
def test_set_03_the_tiles_of_a_set_are_shuffled_into_the_stack(
    name, n_tiles, n_gardens, options, has_gardens
):
    rules = Rules(sets=("base", name), **options)
    bag = Counter(bag_of(Game(rules, seed=1)))
    assert bag == set_of_tiles(rules) - Counter([START])
    new = Counter({tile: n for tile, n in bag.items() if tile in TILES[name]})
    assert (new.total(), bag.total()) == (n_tiles, 71 + n_tiles)
    gardens = [tile for tile in new.elements() if tile.endswith("-garden")]
    assert len(gardens) == n_gardens * has_gardens
    # The stack holds a tile either with its garden or without, never both.
    assert not new.keys() & {tile.removesuffix("-garden") for tile in gardens}


ONE_EACH = {
    "large_meeples": Figure.LARGE,
    "builders": Figure.BUILDER,
    "pigs": Figure.PIG,
    "mayors": Figure.MAYOR,
    "wagons": Figure.WAGON,
    "barns": Figure.BARN,
}


@pytest.mark.rule("INN-01", "TRA-05", "TRA-12", "MAY-01", "WAG-01", "BARN-01", "BASE-01", "SET-06")
@pytest.mark.parametrize("switch", ONE_EACH)
@pytest.mark.parametrize("n_players", [2, 6])
def test_set_02_every_player_has_one_of_each_special_figure_in_play(n_players, switch):
    game = Game(Rules(n_players=n_players, **{switch: True}), seed=1)
    for seat in SEATS[:n_players]:
        expected = {figure: int(name == switch) for name, figure in ONE_EACH.items()}
        assert {figure: in_supply(game, seat, figure) for figure in expected} == expected
        assert meeples(game, seat) == 7


def test_set_05_without_the_abbot_the_garden_tiles_stay_in_the_stack():
    with_abbot, without = (Game(Rules(abbot=abbot), seed=3) for abbot in (True, False))
    assert sum(tile in GARDEN_TILES for tile in bag_of(without)) == 8
    assert Counter(bag_of(without)) == Counter(bag_of(with_abbot))
    assert abbots(without, "A") == abbots(without, "B") == 0


@pytest.mark.parametrize("tile", GARDEN_TILES)
def test_set_05_without_the_abbot_a_garden_offers_nothing(tile):
    game = play(
        f"""
        [carc_env position 1]
        [rules {{n_players: 2, abbot: false, auto_single: false}}]
        [scores 0:0]
        [turn A places {tile}]
        bg-cap-straight 0,0 r0
        """
    )
    game.apply(first_place(game))
    assert not any(name.endswith("mid") for name in names(game))
    assert "pass" in names(game)


def test_set_06_the_plain_base_game_knows_only_tiles_meeples_and_pass():
    game = Game(Rules(abbot=False, auto_single=False), seed=5)
    seen = set()
    phases = set()
    while not game.is_over:
        phases.add(game.phase)
        words = {name.split()[0] for name in names(game)}
        seen |= {"tile" if word.startswith("bg-") else word for word in words}
        game.apply(game.random_action())
    assert seen == {"tile", "meeple", "pass"}
    assert phases == {Phase.PLACE_TILE, Phase.FIGURE}

"""Whole games by the oracle alone: nothing in them is ever impossible."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from carc_env.engine.core.codes import Kind, Phase, Spot
from carc_env.position import Castle, PlacedTile
from carc_env.rules import Rules

from . import naive, river, turns
from .board import features
from .positions import position
from .problems import order_problems, problems
from .tiles import FACTS, tile_counts

VARIANTS = [
    Rules(n_players=3, small_city_points=2, auto_single=False),
    Rules.preset("abbey-mayor", n_players=2, auto_single=False),
    Rules.preset("bridges", n_players=3, castle_choice="ask", auto_single=False),
    Rules.preset("traders", n_players=3, auto_single=False),
    Rules.preset("all", n_players=2, auto_single=False),
    Rules.preset(
        "all",
        n_players=4,
        bazaar_builder_order="builder_first",
        bridge_limit="per_turn",
        builder_bridge_trigger="any_extension",
        auto_single=False,
    ),
]

pytestmark = pytest.mark.once


def first_turn(rules, seed):
    """Make the position in which a game begins."""
    start = river.start_tile(rules)
    stack = sorted((Counter(tile_counts(rules)) - Counter([start])).elements())
    random.Random(seed).shuffle(stack)
    if start == river.SOURCE:  # BASE-40
        stack.sort(key=lambda tile: (not river.is_river_tile(tile), tile == river.LAKE))
    made = replace(position(f"{start} 0 0 0", **rules.to_dict()), bag=tuple(stack))
    return turns.next_turn(made, rules.n_players - 1)


def play(rules, seed):
    """Play at random; yield every position."""
    rng = random.Random(seed)
    made = first_turn(rules, seed)
    while made.phase != Phase.GAME_OVER:
        yield made
        made = turns.following(made, rng.choice(sorted(turns.legal(made))))
    yield made


def quarter_turned(made):
    """Turn the whole board clockwise, figures dropped."""
    tiles = [
        PlacedTile(
            t.tile,
            -t.y,
            t.x,
            (t.rotation + 1) % FACTS[t.tile]["rot"],
            {"NS": "EW", "EW": "NS", None: None}[t.bridge],
        )
        for t in made.tiles
    ]
    castles = [Castle(-c.y, c.x, Spot((c.spot + 1) % 4)) for c in made.castles]
    return replace(made, figures=(), tiles=tuple(tiles), castles=tuple(castles))


def counted(made):
    return Counter(
        (f.kind, len(f.segments), len(f.tiles), f.coats, f.is_complete, naive.value(made, f, True))
        for f in features(made)
    )


@pytest.mark.parametrize("rules", VARIANTS, ids=lambda rules: rules.to_yaml())
def test_random_games_have_no_problems(rules):
    *before, last = play(rules, seed=0)
    assert len(before) > 140
    for made in [*before[::3], last]:
        assert problems(made) == []
    assert counted(last) == counted(quarter_turned(last))
    assert order_problems(last) == []
    assert sum(last.scores) > 20 or rules.bazaars


@pytest.mark.parametrize("n_players", [2, 4])
def test_scoring_moves_points_from_the_projection_to_the_scores_and_no_more(n_players):
    rules = Rules.preset("abbey-mayor", n_players=n_players, barns=False, auto_single=False)
    before = None
    for made in play(rules, n_players):
        if before is not None and made.phase != Phase.FIGURE and before.phase == Phase.FIGURE:
            passed = turns.following(before, "pass")
            assert naive.projected_scores(before) == projected(passed)
        before = made


def projected(made):
    return made.scores if made.phase == Phase.GAME_OVER else naive.projected_scores(made)


@pytest.mark.parametrize("mode", ["auction", "take"])
def test_baz_11_everybody_ends_a_bazaar_with_exactly_one_tile(mode):
    """A bought tile that fits nowhere would be put aside; in these games none is."""
    rules = Rules(
        n_players=3, sets=("base", "bridges"), bazaars=True, bazaar_mode=mode, auto_single=False
    )
    n_bazaars, tiles, was_on = 0, Counter(), False
    for made in play(rules, 7):
        if made.is_bought and made.phase == Phase.PLACE_TILE:
            tiles[made.turn_player] += 1
        elif was_on and made.bazaar is None:
            assert tiles == Counter({0: 1, 1: 1, 2: 1})
            n_bazaars, tiles = n_bazaars + 1, Counter()
        was_on = made.bazaar is not None
    assert n_bazaars > 1


def test_the_start_of_a_game():
    made = first_turn(Rules.preset("bridges", n_players=5), 0)
    assert (made.phase, made.turn_player) == (Phase.PLACE_TILE, 0)
    assert len(made.bag) == 95 - 1
    assert (made.abbeys, made.bridges, made.tokens) == ((1,) * 5, (2,) * 5, (2,) * 5)
    assert {f.kind for f in features(made)} == {Kind.CITY, Kind.ROAD, Kind.FIELD}

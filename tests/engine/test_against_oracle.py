"""Compare random games with the naive oracle, which shares no code with the engine."""

import random
from collections import Counter

import pytest

from carc_env import Game, Rules
from carc_env.engine.core.codes import Phase
from scripts.golden import PLAN
from tests.covers import cover
from tests.engine.short_games import SHORT_GAMES, begun, marks
from tests.oracle import builders, castles, naive, turns
from tests.oracle.board import completed
from tests.oracle.comparison import compare_legal, compare_move, compare_the_rest, with_token
from tests.oracle.problems import order_problems
from tests.oracle.tiles import segments_of

VARIANTS = [Rules.from_dict(rules) for rules in PLAN["oracle"]]
QUICK = cover({rules: {*rules.sets} for rules in VARIANTS if len(rules.sets) <= 6})
"""Rules that cover every tile set in games of a few sets each; all other rules are long tests."""

FULL_CHECK_EVERY = 8
"""Legal actions and their results are compared at every decision, the rest at every eighth."""
N_TRIED = 4
"""Number of placements that a player tries, half of the time, to find the most eventful one."""
N_SHORT_GAMES = 8


def choose(rng, position, names):
    """Choose an action, mostly at random.

    With purely random choices, games would have few towns, second parts and pigs.
    """
    if position.phase == Phase.PLACE_TILE and rng.random() < 0.5:
        tried = rng.sample(names, min(N_TRIED, len(names)))
        return max(tried, key=lambda name: n_events(turns.following(position, name)))
    if position.phase == Phase.FIGURE and rng.random() < 0.5:
        companions = [name for name in names if name.split()[0] in ("builder", "pig")]
        if companions:
            return rng.choice(companions)
        last = position.tiles[-1]
        cities = {s.spot.name for s in segments_of(last) if s.kind == naive.Kind.CITY}
        return rng.choice([name for name in names if name.split()[-1] in cities] or names)
    if position.phase == Phase.CASTLE and rng.random() < 0.5:
        return "castle"
    return rng.choice(names)


def n_events(position):
    """Count what the last tile has completed, extended for a builder or joined to a barn."""
    if position.phase != Phase.FIGURE:
        return 0
    n_completed = sum(3 if castles.is_town(position, f) else 1 for f in completed(position))
    n_completed += len(naive.barn_fields(position))
    return n_completed + 3 * builders.noted(position).has_extended


def play_and_compare(game, seed):
    """Play at random to the end; return the number of decisions compared and a count of marks."""
    rng = random.Random(seed)
    n_compared = 0
    met = Counter()
    position = game.position()
    while not game.is_over:
        compare_legal(game, position)
        if n_compared % FULL_CHECK_EVERY == 0:
            compare_the_rest(game, position)
        met.update(marks(position))
        name = choose(rng, position, sorted(map(game.name, game.legal_actions())))
        n_moves = len(game.moves)
        game.apply(name)
        position = compare_move(game, position, with_token(game, n_moves, name))
        n_compared += 1
    return n_compared, met


@pytest.mark.interpreted
@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(rules, id=rules.to_yaml(), marks=[pytest.mark.long][rules in QUICK :])
        for rules in VARIANTS
    ],
)
def test_a_random_game_agrees_with_the_naive_oracle(rules):
    """The test plays one game per variant; ``make soak`` also compares some of its games."""
    game = Game(rules, seed=0)
    n_compared, _ = play_and_compare(game, 0)
    assert n_compared > 60
    assert order_problems(game.position()) == []


@pytest.mark.interpreted
@pytest.mark.parametrize("name", SHORT_GAMES)
def test_a_short_game_comes_to_what_is_rare_and_agrees_with_the_naive_oracle(name):
    short = SHORT_GAMES[name]
    _, met = play_and_compare(begun(short, short.seed), short.seed)
    assert {*met} >= short.comes_to


@pytest.mark.long
@pytest.mark.parametrize("name", SHORT_GAMES)
def test_more_short_games_agree_with_the_naive_oracle(name):
    for seed in range(N_SHORT_GAMES):
        play_and_compare(begun(SHORT_GAMES[name], seed), seed)

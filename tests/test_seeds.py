"""Runs with different seeds share no deck, and training shares no deck with evaluation."""

import ast
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from carc_env.agents import make_agent, play_match
from carc_env.agents.dataset import Recipe
from carc_env.agents.value_config import ValueConfig
from carc_env.agents.value_learner import EVALUATION_SEED, ValueLearner

from carc_env import Rules
from carc_env.envs.aec import CarcassonneAEC
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.seeds import PREFIX, Stream, seed_of, seeds_of

ROOT = Path(__file__).parent.parent
RULES = Rules(view=12)
COUNTING = (ast.Add, ast.Sub, ast.Mult)


class Listener:
    """Records the seeds of self-play games instead of playing them."""

    def __init__(self, seeds):
        self.seeds = seeds

    def play(self, _, seeds):
        """Record the seeds; return no games."""
        self.seeds += seeds
        return []

    def close(self):
        """Do nothing."""


def single(seed, _):
    env = CarcassonneEnv(RULES)
    for given in (seed, None, None):
        env.reset(seed=given)


def aec(seed, _):
    env = CarcassonneAEC(RULES)
    for given in (seed, None, None):
        env.reset(seed=given)


def vector(seed, _):
    env = CarcassonneVectorEnv(64, RULES)
    for given in (seed, None):
        env.reset(seed=given)


def sb3(seed, _):
    pytest.importorskip("stable_baselines3", reason="install carc_env[train]")
    from carc_env.agents.sb3_env import CarcassonneVecEnv

    env = CarcassonneVecEnv(CarcassonneVectorEnv(64, RULES, autoreset_mode="SameStep"))
    env.seed(seed)
    env.reset()


def value(seed, decks):
    config = ValueConfig(rules=RULES, seed=seed, round_games=64, eval_against=())
    learner = ValueLearner(config)
    learner.close()
    learner._rounds = Listener(decks)
    learner.update()
    learner.update()


def data(seed, _):
    recipe = Recipe(RULES, agents=("random",), teacher="one-ply", explore=0, games=2, seed=seed)
    recipe.make(0)
    recipe.make(1)


def match(seed, _):
    play_match([make_agent("random")] * 2, ["a", "b"], RULES, 32, seed=seed)


def checks(*_):
    learner = ValueLearner(ValueConfig(rules=RULES, eval_games=32, eval_against=("random",)))
    learner.close()
    learner.update()


LEARNED = (single, aec, vector, sb3, value, data)
N_DECKS = {single: 3, aec: 3, vector: 128, sb3: 64, value: 64, match: 16}


@pytest.mark.parametrize("play", [*LEARNED, match], ids=lambda play: play.__name__)
def test_runs_of_different_seeds_share_no_deck(decks_of, play):
    runs = [decks_of(play, seed) for seed in (0, 1, 2, 2**32, 2**32 + 1)]
    assert all(len(decks) == N_DECKS.get(play, 4) for decks in runs)
    assert not any(a & b for a, b in combinations(runs, 2))


@pytest.mark.parametrize("play", LEARNED, ids=lambda play: play.__name__)
def test_nothing_is_learned_from_a_deck_that_is_evaluated(decks_of, play):
    """It holds even for equal seeds, because the seeds of matches are often small."""
    seeds = (0, 1, 77, EVALUATION_SEED)
    learned = set.union(*(decks_of(play, seed) for seed in seeds))
    evaluated = set.union(*(decks_of(match, seed) for seed in seeds), decks_of(checks, None))
    assert len(evaluated) == 4 * 16
    assert not learned & evaluated


# Streams.


@pytest.mark.once
def test_seeds_are_those_of_earlier_versions():
    """If these numbers change, raise ``DECKS`` in ``carc_env.seeds``."""
    assert seeds_of(0, 2) == [5939681024431335905, 1132637154290828024]
    assert seed_of(Stream.EVALUATION, 0, 0) == 10393062599822960897
    sequence = np.random.SeedSequence(7, spawn_key=(PREFIX, 4, 5))
    assert seed_of(Stream.TASKS, 7, 5) == int(sequence.generate_state(1, np.uint64)[0])


@pytest.mark.once
def test_a_longer_list_begins_with_the_shorter_one():
    assert seeds_of(3, 9)[:4] == seeds_of(3, 4)


@pytest.mark.once
def test_a_child_that_others_spawn_has_other_seeds():
    children = np.random.SeedSequence(5).spawn(8)
    theirs = {int(seed) for one in children for seed in one.generate_state(8, np.uint64)}
    ours = {seed_of(stream, 5, k) for stream in Stream for k in range(8)}
    assert len(ours) == 8 * len(Stream) and not ours & theirs


@pytest.mark.once
def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match="a seed must be 0 or more, got -3"):
        seeds_of(-3, 2)


# Source code.


def names_in(node):
    """Return the variable or attribute in an operand, also if it is indexed or inside ``int``."""
    if isinstance(node, ast.Subscript):
        return names_in(node.value)
    if isinstance(node, ast.Call) and names_in(node.func) == "int":
        return "".join(map(names_in, node.args))
    return getattr(node, "id", "") + getattr(node, "attr", "")


def counted_seeds(text):
    """Return the lines that add to a seed, subtract from it or multiply it."""
    return sorted(
        node.lineno
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, COUNTING)
        for part in ("left", "right", "target", "value")
        if "seed" in names_in(getattr(node, part, None)).lower()
    )


@pytest.mark.once
@pytest.mark.parametrize("folder", ["carc_env/envs", "carc_env/game", "agents", "scripts"])
def test_no_seed_is_counted_up(folder):
    """``seed + 1`` could be the seed of another run."""
    lines = "a = seed + i", "self.seed += 1", "b = 2 * c", "d = int(seeds[k]) - 1"
    assert counted_seeds("\n".join(lines)) == [1, 2, 4]
    files = sorted((ROOT / folder).rglob("*.py"))
    found = {file.name: lines for file in files if (lines := counted_seeds(file.read_text()))}
    assert files and not found

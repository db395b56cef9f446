"""Whom a learner plays against: when, how often, and what a checkpoint keeps of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from carc_env import Rules, Table

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")
from carc_env.agents.config import NetworkConfig, TrainConfig  # noqa: E402
from carc_env.agents.learner import Learner  # noqa: E402
from carc_env.agents.networks import Network  # noqa: E402
from carc_env.agents.pool import Pool, Spell, Stand, read_word  # noqa: E402

from tests.resuming import check_resuming, finished  # noqa: E402

RULES = Rules(view=12)
TINY = NetworkConfig(channels=4, blocks=1, hidden=8)
SMALL = TrainConfig(
    rules=RULES,
    network=TINY,
    total_steps=1024,
    n_envs=4,
    n_steps=32,
    batch_size=64,
    threads=1,
    eval_every=100_000,
    eval_games=2,
    eval_against=("random",),
    opponents=("random@0-50", "self@40-100", "past@0-100"),
    past_every=256,
    by_rating=True,
)


def network(seed: int) -> Network:
    torch.manual_seed(seed)
    return Network(RULES, TINY)


def met(pool: Pool, n: int = 4000) -> Counter[str]:
    random = np.random.default_rng(0)
    return Counter(pool.members[pool.deal(random)].spell.name for _ in range(n))


def test_words_say_who_and_when() -> None:
    assert read_word("greedy") == Spell("greedy", 0, 1)
    assert read_word("search:sims=20@30-100") == Spell("search:sims=20", 0.3, 1)
    for word in ("greedy@50-50", "greedy@10-101"):
        with pytest.raises(ValueError, match="expected @FIRST-LAST in percent"):
            read_word(word)
    with pytest.raises(ValueError, match="there is none after 40% of the run"):
        Pool(["random@0-40", "greedy@50-100"], RULES)
    with pytest.raises(ValueError, match="there is none after 0%"):
        Pool(["past"], RULES)
    with pytest.raises(ValueError, match="'gredy' is neither built in"):
        Pool(["gredy"], RULES)


def test_each_part_of_a_run_has_its_opponents() -> None:
    pool = Pool(["random@0-50", "greedy@30-100"], RULES)
    found = {}
    for pool.done in (0.0, 0.4, 0.5, 1.0):
        found[pool.done] = {*met(pool)}
    assert found == {0.0: {"random"}, 0.4: {"random", "greedy"}, 0.5: {"greedy"}, 1.0: {"greedy"}}


def test_by_rating_whoever_is_seldom_beaten_is_met_more_often() -> None:
    pool = Pool(["random", "greedy"], RULES, by_rating=True)
    assert met(pool)["greedy"] == pytest.approx(2000, abs=150)
    for _ in range(300):
        pool.note(0, 1.0)
        pool.note(1, 0.0)
    assert met(pool)["random"] == pytest.approx(4000 * 0.1 / 1.2, abs=100)
    pool.by_rating = False
    assert met(pool)["random"] == pytest.approx(2000, abs=150)


def test_the_oldest_copy_gives_way_and_the_network_itself_is_followed() -> None:
    pool, net = Pool(["self", "past"], RULES), network(0)
    pool.follow(net)
    assert {*met(pool)} == {"self"}  # there are no copies yet
    kept = []
    for seed in range(6):
        net.load_state_dict(network(seed).state_dict())
        pool.keep(net)
        kept.append(net.tile_head.weight.clone())
    first, *past = [member.agent for member in pool.members]
    assert isinstance(first, Stand) and first.agent is not None and first.agent.network is net
    weights = [stand.agent.network.tile_head.weight for stand in past]  # type: ignore[union-attr]
    for weight, number in zip(weights, (4, 5, 2, 3), strict=True):
        assert torch.equal(weight, kept[number])
    assert met(pool)["self"] == pytest.approx(800, abs=120)


def test_a_place_that_nobody_has_taken_cannot_play() -> None:
    with pytest.raises(RuntimeError, match="this opponent has no network yet"):
        Stand().act(Table(RULES, seed=0))


def test_a_run_with_a_pool_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    whole = finished(Learner(SMALL), tmp_path / "half.ckpt", n_rows=6)
    games = [member.n_games for member in whole._pool.members]
    assert whole._pool.n_kept == 4 and games[0] > 0
    assert check_resuming(whole, tmp_path / "half.ckpt").steps == 1024

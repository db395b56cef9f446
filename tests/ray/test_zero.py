"""Games of self-play with a network on a cluster: the same run as in one process."""

import numpy as np
import pytest

pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` runs these tests")
torch = pytest.importorskip("torch", reason="torch is not installed")
from carc_env.agents.config import NetworkConfig, ZeroConfig  # noqa: E402
from carc_env.agents.zero import GamesOnCluster, ZeroLearner  # noqa: E402

from carc_env import Rules  # noqa: E402

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("local_ray")]


def test_a_run_on_a_cluster_is_the_same():
    config = ZeroConfig(
        rules=Rules(view=14),
        network=NetworkConfig(channels=4, blocks=1, hidden=8),
        total_steps=400,
        n_envs=1,
        round_games=2,
        sims=3,
        batch_size=32,
        eval_games=2,
        gate_games=2,
        threads=1,
    )
    runs = [ZeroLearner(config), ZeroLearner(config, GamesOnCluster(config.threads))]
    for run in runs:
        while not run.is_done:
            run.update()
    for one, other in zip(*(run.replay.games for run in runs), strict=True):
        assert np.array_equal(one.actions, other.actions)
    assert runs[0].curve == runs[1].curve

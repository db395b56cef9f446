"""Games of self-play on a cluster: the same run as in threads."""

import numpy as np
import pytest
from carc_env.agents.cluster import ClusterGames
from carc_env.agents.value_config import ValueConfig
from carc_env.agents.value_learner import ValueLearner

from tests.resuming import finished

pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` runs these tests")
pytestmark = [pytest.mark.once, pytest.mark.usefixtures("local_ray")]


@pytest.mark.parametrize("share", [0.0, 0.7])
def test_a_run_on_a_cluster_is_the_same(share):
    config = ValueConfig(total_games=10, round_games=5, eval_every=100, eval_games=2, threads=1)
    config = config.replace(greedy_share=share)
    runs = [ValueLearner(config), ValueLearner(config, ClusterGames(config.rules))]
    assert np.array_equal(*(finished(run).weights for run in runs))

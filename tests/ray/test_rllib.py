"""The RLlib code of the docs page: only legal actions, all points, and weights that change."""

from pathlib import Path
from typing import Any

import pytest

from tests.test_readme import blocks

ray = pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` runs these tests")
pytestmark = [pytest.mark.once, pytest.mark.usefixtures("local_ray")]

PAGE = Path(__file__).parents[2] / "docs/ray.md"


def test_the_code_of_the_page_learns_from_legal_actions_and_all_points() -> None:
    (code,) = (block.code for block in blocks(PAGE) if block.language == "python")
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(code.replace("4_096", "256").replace("512", "128").partition("for _")[0], names)
    algorithm = names["algorithm"]
    before = algorithm.get_module("all").policy.weight.clone()
    losses = algorithm.train()["learners"]["all"]
    assert losses["num_module_steps_trained"] >= 256
    assert (algorithm.get_module("all").policy.weight != before).any()
    sampled = algorithm.env_runner_group.foreach_env_runner(
        lambda worker: worker.sample(num_episodes=1), local_env_runner=False
    )
    algorithm.stop()
    for game in (game for of_worker in sampled for game in of_worker):
        for episode in game.agent_episodes.values():
            for k, action in enumerate(episode.get_actions()):
                assert episode.get_observations(k)["action_mask"][action]
    env, earned, deciders = names["make_env"](None), {}, set()
    (seen, _), over = env.reset(seed=3), {"__all__": False}
    while not over["__all__"]:
        ((agent, observation),) = seen.items()
        deciders.add(agent)
        seen, rewards, over, *_ = env.step({agent: int(observation["action_mask"].argmax())})
        for name in deciders & {*rewards}:  # RLlib drops the rewards of others
            earned[name] = earned.get(name, 0.0) + rewards[name]
    table = env.env.table
    assert [earned[name] for name in env.env.possible_agents] == list(table.scores)
    assert sum(table.scores) > 0

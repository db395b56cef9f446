"""The vector environment for Stable-Baselines3: games, buffers, answers, and a training run."""

from pathlib import Path

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: install carc_env[train]")
pytest.importorskip("sb3_contrib", reason="training needs sb3-contrib: install carc_env[train]")

from carc_env.agents.sb3_env import CarcassonneVecEnv  # noqa: E402
from pettingzoo.utils import BaseWrapper  # noqa: E402
from sb3_contrib import MaskablePPO  # noqa: E402
from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from sb3_contrib.common.wrappers import ActionMasker  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecCheckNan, VecMonitor, VecNormalize  # noqa: E402

from carc_env import Rules, carcassonne_v1  # noqa: E402
from carc_env.envs.single_agent import CarcassonneEnv  # noqa: E402
from carc_env.envs.vector import CarcassonneVectorEnv  # noqa: E402
from carc_env.layout.encodings import Sparse  # noqa: E402
from carc_env.seeds import seeds_of  # noqa: E402

pytestmark = pytest.mark.once

ROOT = Path(__file__).parent.parent
N = 4


class Passer:
    """Agent for many tables that uses the first legal place and never places a figure."""

    def act(self, table):
        passing = table.layout.first("pass")
        return passing if table.is_legal(passing) else table.legal_actions()[0]

    def act_many(self, tables):
        return [self.act(table) for table in tables]


class BagExtractor(BaseFeaturesExtractor):
    """Sums one vector for each plane that is not zero."""

    def __init__(self, space, n_features):
        super().__init__(space, 16)
        self.bag = torch.nn.EmbeddingBag(n_features + 1, 16, mode="sum", padding_idx=n_features)

    def forward(self, observations):
        return self.bag(observations["indices"].long())


def make(num_envs=N, **settings):
    env = CarcassonneVectorEnv(num_envs, autoreset_mode="SameStep", **settings)
    return CarcassonneVecEnv(env)


def random_actions(env, rng):
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in env.env_method("action_masks")])


def assert_same(ours, theirs):
    assert ours.keys() == theirs.keys()
    for key, rows in theirs.items():
        np.testing.assert_array_equal(ours[key], rows, err_msg=key)
        assert ours[key].dtype == rows.dtype


@pytest.mark.parametrize(
    "settings",
    [
        {"rules": {"view": 20}},
        {"rules": {"n_players": 3, "view": 16}, "opponents": ["greedy", Passer()]},
        {"rules": {"view": 20}, "encoding": "tokens", "reward": "margin", "legal_list": True},
        {"encoding": "sparse", "reward": "score_delta", "opponents": Passer(), "seat": 1},
        {"rules": {"view": 20}, "encoding": "tokens", "observe_mask": True, "legal_list": True},
    ],
    ids=["planes", "three", "tokens", "sparse", "mask"],
)
def test_games_are_those_of_monitored_single_environments(settings):
    theirs = DummyVecEnv([lambda: Monitor(CarcassonneEnv(**settings))] * N)
    ours = make(**settings)
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    rng, n_ended = np.random.default_rng(0), 0
    assert ours.seed(7) == seeds_of(7, N)
    theirs._seeds = seeds_of(7, N)  # its seed() would count up
    seen, wanted = ours.reset(), theirs.reset()
    assert_same(seen, wanted)
    for _ in range(250):
        masks = get_action_masks(theirs)
        np.testing.assert_array_equal(get_action_masks(ours), masks)
        before, actions = seen, random_actions(ours, rng)
        seen, rewards, dones, infos = ours.step(actions)
        assert_same(before, wanted)  # the step has not changed it
        wanted, *others, their_infos = theirs.step(actions)
        assert_same(seen, wanted)
        for one, other in zip((rewards, dones), others, strict=True):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype
        for done, info, their_info in zip(dones, infos, their_infos, strict=True):
            if not done:
                assert info == {}
                continue
            n_ended += 1
            assert_same(info["terminal_observation"], their_info["terminal_observation"])
            for key in ("seat", "scores", "TimeLimit.truncated"):
                assert info[key] == their_info[key]
            assert info["episode"].keys() == their_info["episode"].keys()
            for key in "rl":
                assert info["episode"][key] == their_info["episode"][key]
    assert n_ended >= N
    ours.close()


def test_masks_can_be_asked_for_some_games():
    env = make()
    env.seed(1)
    env.reset()
    masks = env.env_method("action_masks")
    assert masks.shape == (N, env.action_space.n) and masks.dtype == np.bool_
    assert masks.any(axis=1).all()
    assert np.shares_memory(masks, env.env.action_masks())  # nothing is copied
    for indices, rows in ((2, [2]), ([3, 1], [3, 1]), (range(2), [0, 1])):
        found = env.env_method("action_masks", indices=indices)
        np.testing.assert_array_equal(found, masks[rows])
    assert is_masking_supported(env)


def test_the_same_seed_gives_the_same_games():
    env = make(rules={"view": 16})
    seen = []
    for _ in range(2):
        env.seed(5)
        seen.append({name: rows.copy() for name, rows in env.reset().items()})
    assert_same(*seen)
    later = env.reset()
    assert not np.array_equal(later["globals"], seen[0]["globals"])


def test_attributes_are_those_of_the_vector_environment():
    env = make(rules={"view": 16}, opponents="greedy")
    assert env.get_attr("rules") == [Rules(view=16)] * N
    assert env.get_attr("rules", indices=[1]) == [Rules(view=16)]
    assert env.has_attr("action_masks") and not env.has_attr("envs")
    env.set_attr("copy", True)
    assert env.env.copy is True
    with pytest.raises(ValueError, match="all games share 'copy': set it without indices"):
        env.set_attr("copy", False, indices=0)
    with pytest.raises(AttributeError, match="action_masks and render, not 'table'"):
        env.env_method("table", 0)
    assert env.env_is_wrapped(Monitor) == [True] * N
    assert env.env_is_wrapped(VecMonitor, indices=[0, 1]) == [False] * 2


def test_games_are_drawn():
    env = make(2, rules={"view": 16}, render_mode="ansi")
    env.reset()
    assert len(env.env_method("render")) == 2
    assert len(env.env_method("render", indices=1)) == 1
    pytest.importorskip("resvg_py", reason="pictures need resvg-py: install carc_env[render]")
    env = make(2, rules={"view": 16}, render_mode="rgb_array")
    env.reset()
    pictures = env.get_images()
    assert len(pictures) == 2 and all(picture.shape[2] == 3 for picture in pictures)
    assert env.render().ndim == 3


def test_what_stable_baselines_cannot_learn_from_is_refused():
    with pytest.raises(ValueError, match="autoreset_mode='SameStep'"):
        CarcassonneVecEnv(CarcassonneVectorEnv(2))
    with pytest.raises(ValueError, match="with opponents instead of 'self'"):
        make(2, opponents="self")
    env = make(2)
    env.set_options({"state": b""})
    with pytest.raises(ValueError, match="games have no options"):
        env.reset()


def test_an_illegal_action_leaves_everything_as_it_was():
    env = make(rules={"view": 16})
    env.seed(3)
    seen = env.reset()
    kept = {name: rows.copy() for name, rows in seen.items()}
    actions = random_actions(env, np.random.default_rng(0))
    illegal = actions.copy()
    illegal[1] = np.flatnonzero(~env.env_method("action_masks")[1])[0]
    with pytest.raises(ValueError, match="game 1: action"):
        env.step(illegal)
    assert_same(seen, kept)
    env.step(actions)
    assert_same(seen, kept)


class Mover(Passer):
    """Wrongly plays its action on the given table."""

    def act(self, table):
        action = super().act(table)
        table.step(action)
        return action


def test_mistakes_of_opponents_are_told():
    env = make(rules={"view": 16}, opponents=Mover(), seat=1)
    with pytest.raises(ValueError, match=r"Mover at seat 0, who decided .* has changed the table"):
        env.reset()


def test_wrappers_of_stable_baselines_take_it():
    checked = VecCheckNan(make(rules={"view": 16}), raise_exception=True)
    env = VecNormalize(checked, norm_obs_keys=["globals"])
    rng = np.random.default_rng(0)
    env.reset()
    for _ in range(100):
        seen, rewards, *_ = env.step(random_actions(env, rng))
        assert np.isfinite(rewards).all() and np.abs(seen["globals"]).max() <= env.clip_obs


@pytest.mark.parametrize("encoding", ["planes", "tokens", "sparse"])
def test_maskable_ppo_learns_from_what_the_games_showed(encoding):
    """Its rollout contains the observations, masks and actions of single environments."""
    settings = {"rules": Rules(view=12), "encoding": encoding, "reward": "score_delta"}
    envs = make(**settings), make_vec_env(lambda: CarcassonneEnv(**settings), N)
    policy = {"net_arch": [8]}
    if encoding == "sparse":
        policy["features_extractor_class"] = BagExtractor
        policy["features_extractor_kwargs"] = {"n_features": Sparse(settings["rules"]).n_features}
    options = {"n_steps": 64, "batch_size": 128, "n_epochs": 1, "seed": 3, "device": "cpu"}
    learners = []
    for env in envs:
        learner = MaskablePPO("MultiInputPolicy", env, policy_kwargs=policy, **options)
        before = [parameter.clone() for parameter in learner.policy.parameters()]
        learner.env._seeds = seeds_of(3, N)  # DummyVecEnv would count up
        learner.learn(64 * N)
        after = list(learner.policy.parameters())
        assert any((a != b).any() for a, b in zip(after, before, strict=True))
        learners.append(learner)
    ours, theirs = (learner.rollout_buffer for learner in learners)
    assert_same(ours.observations, theirs.observations)
    for name in ("action_masks", "actions", "rewards", "episode_starts", "advantages"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    legal = ours.action_masks.reshape(-1, ours.mask_dims)
    assert legal[np.arange(len(legal)), ours.actions.astype(int).ravel()].all()
    records = [[(e["r"], e["l"]) for e in learner.ep_info_buffer] for learner in learners]
    assert len(records[0]) > 0 and records[0] == records[1]


class SB3ActionMaskWrapper(BaseWrapper, gymnasium.Env):
    """The wrapper from PettingZoo's tutorial on MaskablePPO, verbatim."""

    def reset(self, seed=None, options=None):
        super().reset(seed, options)
        self.observation_space = super().observation_space(self.possible_agents[0])["observation"]
        self.action_space = super().action_space(self.possible_agents[0])
        return self.observe(self.agent_selection), {}

    def step(self, action):
        current_agent = self.agent_selection
        super().step(action)
        next_agent = self.agent_selection
        return (
            self.observe(next_agent),
            self._cumulative_rewards[current_agent],
            self.terminations[current_agent],
            self.truncations[current_agent],
            self.infos[current_agent],
        )

    def observe(self, agent):
        return super().observe(agent)["observation"]

    def action_mask(self):
        return super().observe(self.agent_selection)["action_mask"]


def learned_with_the_wrapper(**settings):
    """Train as in that tutorial; return the learner's observation space and number of steps."""
    env = carcassonne_v1.env(Rules(view=12, deck_size=4), **settings)
    wrapped = SB3ActionMaskWrapper(env)
    wrapped.reset(seed=1)
    masked = ActionMasker(wrapped, SB3ActionMaskWrapper.action_mask)
    learner = MaskablePPO("MultiInputPolicy", masked, n_steps=32, batch_size=32, device="cpu")
    learner.learn(64)
    return learner.observation_space, learner.num_timesteps


@pytest.mark.usefixtures("one_thread")
def test_the_wrapper_of_pettingzoo_learns_from_a_flat_board():
    space, n_steps = learned_with_the_wrapper(flat_board=True)
    assert n_steps == 64
    (length,) = space["board"].shape
    assert length == CarcassonneEnv(Rules(view=12)).observation_space["board"].shape[0]
    trap = pytest.raises(RuntimeError, match="Calculated padded input size per channel")
    with trap, pytest.warns(UserWarning, match="Treating image space as channels-last"):
        learned_with_the_wrapper()  # docs/faq.md quotes this message


def test_policies_are_evaluated():
    env = make(rules={"view": 12})
    learner = MaskablePPO("MultiInputPolicy", env, policy_kwargs={"net_arch": [8]}, device="cpu")
    returns, lengths = evaluate_policy(learner, env, 6, return_episode_rewards=True)
    assert len(returns) == 6 and set(returns) <= {-1.0, 0.0, 1.0}
    assert all(20 <= length <= 150 for length in lengths)

"""Training with RLlib: self-play PPO, with games played by workers on a Ray cluster.

RLlib uses :class:`SelfPlayEnv`, which adapts the PettingZoo environment to RLlib's multi-agent API,
and :class:`NetworkModule`, this package's network with an action mask. One network plays all seats.
Checkpoints have the format of :mod:`carc_env.agents.checkpoint`, like those of ``carc-env train
maskable-ppo``: ``make_agent`` can play them, and they contain no pickles. Requires the ``ray``
extra.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import torch
from pydantic import PositiveInt
from ray.rllib.algorithms import ppo
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis import ValueFunctionAPI
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from torch import Tensor

from carc_env import carcassonne_v1
from carc_env.layout.encodings import Planes
from carc_env.seeds import Stream, seed_of

from .checkpoint import Arrays, CheckpointError, read_checkpoint
from .config import NetworkConfig, PPOConfig
from .curve import Row
from .network_agent import NETWORK, NetworkAgent, load_network, words_as_arrays
from .networks import Network, Words
from .run import Run

NAME = "train_rllib.py"
"""Name of the script."""
MODULE = "network"
"""RLlib's name for the module that plays every seat."""
PREFIX = "network."
"""Prefix of parameter names: the attribute of :class:`NetworkModule`."""
OPTIMISER = f"{MODULE}_default_optimizer"
"""RLlib's name for Adam."""
GAME_SUMS = ("games", "score", "best_score")
"""Sums that workers keep over finished games."""
LOSSES = {
    "policy_loss": "policy_loss",
    "value_loss": "vf_loss",
    "entropy": "entropy",
    "kl": "mean_kl_loss",
    "explained": "vf_explained_var",
}
"""RLlib's update results that are recorded in the curve."""
UNUSED_BITS = 33
"""Number of seed bits to drop: RLlib adds to the rest, and the sum must stay below 2**32."""
PAUSE = 1.0
"""Seconds between checks for a live worker after all have died."""
ADAM = ("exp_avg", "exp_avg_sq", "step")


@dataclass(frozen=True)
class RllibConfig(PPOConfig):
    """All settings of a training run with RLlib."""

    folder: str = "runs/rllib"
    """Folder for checkpoints, the learning curve and logs."""
    address: str = ""
    """Address of a Ray cluster as host:port, or auto. Default: a local Ray on this machine."""
    workers: PositiveInt = 2
    """Processes that play games, each on its own CPU."""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    """Kind and size of the network."""
    total_steps: int = 400_000
    """Decisions over all seats, including those before a checkpoint."""
    opponents: tuple[str, ...] = ("self",)
    """One network plays all seats; no other value is allowed."""
    n_envs: int = 32
    """Games in parallel, divided among the workers."""
    n_steps: int = 128
    """Decisions per game between updates."""
    checkpoint_every: int = 4_000
    """Steps between checkpoints."""
    eval_every: int = 40_000
    """Steps between evaluations; there is also one before the first and after the last step."""
    eval_games: int = 100
    """Games per opponent; the decks are always the same, each played from every seat."""
    eval_against: tuple[str, ...] = ("random",)
    """Evaluation opponents: names (docs/ladder.md) or checkpoints."""

    MARK: ClassVar[dict[str, Any]] = {"recipe": NAME}
    NO_MARK: ClassVar[str] = f"not a checkpoint of {NAME}"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.opponents != ("self",):
            raise ValueError(f"opponents must be only self, got {' '.join(self.opponents)}")
        if self.n_envs % self.workers:
            raise ValueError(
                f"n_envs must be a multiple of workers = {self.workers}, got {self.n_envs}"
            )
        if self.batch_size > self.n_envs * self.n_steps:
            raise ValueError(
                f"batch_size must not be more than n_envs * n_steps = "
                f"{self.n_envs * self.n_steps}, got {self.batch_size}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return all settings except ``address`` and ``overwrite`` as plain values."""
        plain = super().to_dict()
        del plain["address"]
        return plain


class SelfPlayEnv(MultiAgentEnv):  # type: ignore[misc]
    """:class:`CarcassonneAEC` for RLlib: the dicts contain only the deciding agent.

    An observation is ``{"board", "globals", "action_mask"}``: flat planes (uint8), numbers
    (float32) and a mask (int8), as in :mod:`carc_env.layout.encodings`. Every agent gets a reward
    at every step. The last step's ``infos`` contain each agent's ``score``.

    Parameters
    ----------
    config : mapping
        ``rules`` (a :class:`Rules`), ``reward`` as in :mod:`carc_env.envs.rewards`, and
        ``reward_scale``, a factor for rewards; ``seed``, that of the run; and ``steps``, the step
        count at which its games begin. RLlib turns it into an ``EnvContext``, which identifies the
        worker.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        self._scale = config["reward_scale"]
        self._numbers = config["seed"], config["steps"], getattr(config, "worker_index", 0)
        self.env = carcassonne_v1.env(rules=config["rules"], reward=config["reward"])
        self.possible_agents = self.env.possible_agents
        self.agents = self.possible_agents
        self.action_spaces = self.env.action_spaces
        self._encoding = Planes(config["rules"], flat_board=True, action_mask=True)
        self.observation_spaces = dict.fromkeys(self.agents, self._encoding.space())
        self._owed: dict[str, float] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new game.

        RLlib increments seeds from worker to worker and, within a worker, from game to game, so
        some would occur twice. Here a seed is only the number of a game within its worker.
        """
        run, *numbers = self._numbers
        own = None if seed is None else seed_of(Stream.TRAINING, run, *numbers, seed)
        self.env.reset(seed=own, options=options)
        self._owed = dict.fromkeys(self.agents, 0.0)
        return self._observe([self.env.agent_selection]), {}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Apply the deciding agent's action.

        RLlib drops an agent's rewards before its first decision, for example what an opponent's
        figure costs it, so they are added to the reward for that decision.
        """
        decider = self.env.agent_selection
        self.env.step(int(action_dict[decider]))
        is_over = self.env.table.is_over
        seen = self._observe(self.agents if is_over else [self.env.agent_selection])
        scores = zip(self.agents, self.env.table.scores, strict=True)
        infos = {agent: {"score": score} for agent, score in scores if is_over}
        rewards = {agent: points * self._scale for agent, points in self.env.rewards.items()}
        for agent in [*self._owed]:
            if agent == decider or is_over:
                rewards[agent] += self._owed.pop(agent)
            else:
                self._owed[agent] += rewards.pop(agent)
        return seen, rewards, {"__all__": is_over}, {"__all__": False}, infos

    def _observe(self, agents: list[str]) -> dict[str, Arrays]:
        seats = {agent: self.possible_agents.index(agent) for agent in agents}
        return {
            agent: self.env.table.observe(seat, self._encoding) for agent, seat in seats.items()
        }

    def close(self) -> None:
        """Do nothing: there is nothing to close."""


MODEL = "rules", "config", "precision"
"""The arguments of the network."""


class NetworkModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """:class:`Network` as an RLModule; masked actions get the lowest possible logit.

    ``model_config`` contains the network's arguments by name, along with RLlib's own.
    """

    def setup(self) -> None:
        """Create the network."""
        rules, config, precision = (self.model_config[name] for name in MODEL)
        self.network = Network(rules, config, precision)

    def _judge(self, batch: dict[str, Any]) -> tuple[Tensor, Tensor]:
        seen = batch[Columns.OBS]
        logits, values = self.network(seen["board"], seen["globals"])
        legal = seen["action_mask"].bool()
        return logits.masked_fill(~legal, torch.finfo(logits.dtype).min), values[:, 0]

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Tensor]:
        return {Columns.ACTION_DIST_INPUTS: self._judge(batch)[0]}

    def _forward_train(self, batch: dict[str, Any], **_: Any) -> dict[str, Tensor]:
        logits, values = self._judge(batch)
        return {Columns.ACTION_DIST_INPUTS: logits, Columns.EMBEDDINGS: values}

    def compute_values(self, batch: dict[str, Any], embeddings: Tensor | None = None) -> Tensor:
        """Return values, shape (B,); ``embeddings`` come from an earlier forward pass."""
        return self._judge(batch)[1] if embeddings is None else embeddings


def count_scores(episode: Any, metrics_logger: Any, **_: Any) -> None:
    """Add a finished game to the sums from which :meth:`RllibLearner.update` computes means."""
    scores = [episode.get_infos(-1, agent)[agent]["score"] for agent in episode.agent_ids]
    for name, value in zip(GAME_SUMS, (1, np.mean(scores), max(scores)), strict=True):
        metrics_logger.log_value(name, value, reduce="sum")


def ppo_config(config: RllibConfig, steps: int = 0) -> ppo.PPOConfig:
    """Return RLlib's PPO settings, with one module, for a run that continues after ``steps``."""
    rules = config.rules
    return (
        ppo.PPOConfig()
        .api_stack(enable_rl_module_and_learner=True, enable_env_runner_and_connector_v2=True)
        .environment(
            SelfPlayEnv,
            env_config={
                "rules": rules,
                "reward": config.scheme,
                "reward_scale": config.reward_scale,
                "seed": config.seed,
                "steps": steps,
            },
            disable_env_checking=True,  # the check plays actions that the mask forbids
        )
        .env_runners(
            num_env_runners=config.workers,
            num_envs_per_env_runner=config.n_envs // config.workers,
            sample_timeout_s=None,  # the first start on a machine compiles the engine
        )
        .multi_agent(policies={MODULE}, policy_mapping_fn=lambda *_, **__: MODULE)
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={
                    MODULE: RLModuleSpec(
                        module_class=NetworkModule,
                        model_config={
                            **{"rules": rules, "config": config.network},
                            "precision": config.precision,
                        },
                    )
                }
            )
        )
        .training(
            train_batch_size_per_learner=config.n_envs * config.n_steps,
            minibatch_size=config.batch_size,
            num_epochs=config.n_epochs,
            lr=config.learning_rate,
            gamma=config.gamma,
            lambda_=config.gae_lambda,
            clip_param=config.clip_range,
            vf_clip_param=float("inf"),
            entropy_coeff=config.entropy_weight,
            vf_loss_coeff=config.value_weight,
            use_kl_loss=False,
            grad_clip=config.max_grad_norm,
        )
        .fault_tolerance(restart_failed_env_runners=True, delay_between_env_runner_restarts_s=0.0)
        .callbacks(on_episode_end=count_scores)
        .debugging(
            seed=seed_of(Stream.TRAINING, config.seed, steps) >> UNUSED_BITS, log_level="ERROR"
        )
    )


class RllibLearner(Run[RllibConfig]):
    """A training run; :meth:`update` plays one round and learns. Ray must be connected.

    All learned state is in this process. Workers that die are replaced; in the meantime, the other
    workers' games complete the round.

    Parameters
    ----------
    config : RllibConfig
        All settings; the caller is responsible for ``folder``, ``overwrite`` and ``address``.
    curve : sequence of rows
        The results of :meth:`update` so far, if the run is resumed.
    """

    SETTINGS = RllibConfig

    def __init__(self, config: RllibConfig, curve: Sequence[Row] = ()) -> None:
        super().__init__(config, config.rules)
        self.curve = [*curve]
        self.steps = int(self.curve[-1]["steps"]) if self.curve else 0
        torch.set_num_threads(config.threads)
        self.algorithm = ppo_config(config, self.steps).build_algo()

    @classmethod
    def resume(
        cls, path: str | os.PathLike[str], config: RllibConfig | None = None, *_: Any
    ) -> Self:
        """Resume from a checkpoint: its network, optimiser and curve, but new games.

        Parameters
        ----------
        path : path
            A file written by :meth:`save`.
        config : RllibConfig, optional
            Settings to continue with; the rules and network must be those of the checkpoint.
            Default: the checkpoint's settings.

        Raises
        ------
        CheckpointError
            The file is refused, or has other rules or another network.
        """
        meta, arrays = read_checkpoint(path)
        saved = RllibConfig.saved(path, meta)
        config = config or saved
        saved.check_goes_on(path, config, cls.FIXED)
        network = Network(config.rules, config.network, config.precision)
        load_network(path, network, arrays)
        try:
            curve = [{name: v + 0 for name, v in row.items()} for row in meta["curve"]]
            adam = _adam_state(network, arrays)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise CheckpointError(path, f"its training state is not valid: {error!r}") from error
        learner = cls(config, curve)
        learner._load(network, adam)
        return learner

    @property
    def n_parameters(self) -> int:
        """Number of learned parameters."""
        return sum(array.size for array in self._parameters().values())

    @property
    def agent(self) -> NetworkAgent:
        """An agent with a copy of the current network."""
        network = Network(self.rules, self.config.network, self.config.precision)
        parameters = self._parameters().items()
        network.load_state_dict({name: torch.from_numpy(array) for name, array in parameters})
        return NetworkAgent(network, self.rules)

    def evaluated(self) -> NetworkAgent:
        """Return the agent to evaluate, in this process."""
        return self.agent

    def learn(self) -> Row:
        """Play ``n_steps`` decisions in every game and learn from them.

        Returns
        -------
        dict
            ``workers``, the number alive; RLlib's update results (``LOSSES``); ``games``, the
            number that ended; and if any did, ``score`` and ``best_score``, means over all seats
            and over the winners.
        """
        result = self.algorithm.train()
        while not (played := _number(result["env_runners"], "num_env_steps_sampled")):
            time.sleep(PAUSE)  # all workers died at once; new ones are starting
            result = self.algorithm.train()
        games, *sums = (_number(result["env_runners"], name) for name in GAME_SUMS)
        self.steps += int(played)
        row: Row = {
            "workers": self.algorithm.env_runner_group.num_healthy_remote_workers(),
            "games": games,
        }
        told = result["learners"][MODULE]
        row |= {name: float(told[theirs]) for name, theirs in LOSSES.items()}
        if games:
            row |= {name: total / games for name, total in zip(GAME_SUMS[1:], sums, strict=True)}
        return row

    def close(self) -> None:
        """End the workers."""
        self.algorithm.stop()

    # Saving and restoring the run.

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the learned state; games in progress are not saved."""
        arrays: Arrays = {NETWORK + name: array for name, array in self._parameters().items()}
        arrays |= words_as_arrays(Words.of([self.rules]))
        adam = self._learner_state()["optimizer"][OPTIMISER]["state"]["state"]
        for k, entry in adam.items():
            arrays |= {f"adam/{k}/{name}": np.asarray(entry[name], np.float32) for name in ADAM}
        return {}, arrays

    def _load(self, network: Network, adam: dict[int, Arrays]) -> None:
        """Load parameters and averages into RLlib's learner, and parameters into all workers."""
        optimiser = self._learner_state()["optimizer"]
        optimiser[OPTIMISER]["state"]["state"] = adam
        parameters = network.state_dict().items()
        weights = {PREFIX + name: tensor.numpy() for name, tensor in parameters}
        state = {"rl_module": {MODULE: weights}}
        self.algorithm.learner_group.set_state({"learner": {**state, "optimizer": optimiser}})
        # Algorithm.set_state would skip workers that are still busy loading their first weights.
        self.algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.set_state(state))

    def _learner_state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.algorithm.learner_group.get_state()["learner"]
        return state

    def _parameters(self) -> Arrays:
        module = self._learner_state()["rl_module"][MODULE]
        return {name.removeprefix(PREFIX): array for name, array in module.items()}


def _number(metrics: dict[str, Any], name: str) -> float:
    """Return a sum over the last iteration; if nothing was added, RLlib gives NaN or no value."""
    value = float(metrics.get(name, 0))
    return 0 if math.isnan(value) else value


def _adam_state(network: Network, arrays: Arrays) -> dict[int, Arrays]:
    """Return Adam's averages and step count for each parameter, in parameter order."""
    state = {}
    for k, parameter in enumerate(network.parameters()):
        state[k] = {name: arrays[f"adam/{k}/{name}"] for name in ADAM}
        if any(state[k][name].shape != parameter.shape for name in ("exp_avg", "exp_avg_sq")):
            raise ValueError(f"the averages of parameter {k} have another shape")
    return state

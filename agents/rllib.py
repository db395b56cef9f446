"""Training with RLlib: PPO by self-play, its games played by workers anywhere on a Ray cluster.

RLlib sees :class:`SelfPlayEnv`, the PettingZoo environment as its multi-agent API wants it, and
:class:`NetworkModule`, the network of this package behind the mask. One network plays all seats.
Checkpoints are files of :mod:`carc_env.agents.checkpoint`, as those of ``carc-env train ppo``: an
agent that ``make_agent`` plays, and no pickle. Needs the extra ``ray``.
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
from .network_agent import NETWORK, NetworkAgent, load_network
from .networks import Network
from .run import Run

NAME = "train_rllib.py"
"""Of the script."""
MODULE = "network"
"""RLlib's name for what plays every seat."""
PREFIX = "network."
"""Of the names of parameters: the attribute of :class:`NetworkModule`."""
OPTIMISER = f"{MODULE}_default_optimizer"
"""RLlib's name for Adam."""
GAME_SUMS = ("games", "score", "best_score")
"""What workers add up over finished games."""
LOSSES = {
    "policy_loss": "policy_loss",
    "value_loss": "vf_loss",
    "entropy": "entropy",
    "kl": "mean_kl_loss",
    "explained": "vf_explained_var",
}
"""What a row of the curve takes from what RLlib says about an update."""
UNUSED_BITS = 33
"""Of a seed: RLlib adds to what is left, and it must still be less than 2**32 then."""
PAUSE = 1.0
"""Seconds between two looks for a worker, when all have died."""
ADAM = ("exp_avg", "exp_avg_sq", "step")


@dataclass(frozen=True)
class RllibConfig(PPOConfig):
    """All settings of a training run with RLlib."""

    folder: str = "runs/rllib"
    """Where checkpoints, curve and logs go."""
    address: str = ""
    """host:port of a Ray cluster, or auto. Default: a Ray of its own on this machine."""
    workers: int = 2
    """Processes that play games, each on a CPU of its own."""
    network: NetworkConfig = field(default_factory=NetworkConfig)
    """Which network, and how large."""
    total_steps: int = 400_000
    """Decisions of all seats, those before a checkpoint included."""
    opponents: tuple[str, ...] = ("self",)
    """One network plays all seats; there is nothing else to choose."""
    n_envs: int = 32
    """Games at once, shared by the workers."""
    n_steps: int = 128
    """Decisions in each game between two updates."""
    checkpoint_every: int = 4_000
    """Steps between checkpoints."""
    eval_every: int = 40_000
    """Steps between evaluations; one comes before the first step, one behind the last."""
    eval_games: int = 100
    """Games against each agent, the same decks every time, each from every seat."""
    eval_against: tuple[str, ...] = ("random",)
    """Whom to evaluate against: names (docs/ladder.md) or checkpoints."""

    MARK: ClassVar[dict[str, Any]] = {"recipe": NAME}
    NO_MARK: ClassVar[str] = f"not a checkpoint of {NAME}"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.opponents != ("self",):
            raise ValueError(f"opponents must be self alone, got {' '.join(self.opponents)}")
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
        """All settings as plain values, but for ``address`` and ``overwrite``: said each time."""
        plain = super().to_dict()
        del plain["address"]
        return plain


class SelfPlayEnv(MultiAgentEnv):  # type: ignore[misc]
    """:class:`CarcassonneAEC` for RLlib: only the agent that decides is in the dicts.

    An observation is ``{"board", "globals", "action_mask"}``: flat planes, uint8, the rest float32
    and int8, as in :mod:`carc_env.layout.encodings`. Rewards reach every agent at every step.
    ``infos`` of the last step hold the ``score`` of each agent.

    Parameters
    ----------
    config : mapping
        ``rules`` (a :class:`Rules`), ``reward`` as in :mod:`carc_env.envs.rewards`, and
        ``reward_scale``, by which rewards are multiplied; ``seed`` of the run, and ``steps`` at
        which its games begin. RLlib makes an ``EnvContext`` of it, which knows the worker.
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

        RLlib counts seeds up from worker to worker, and in each from game to game, so that some are
        given twice: a seed is only a number here, among the games of a worker.
        """
        run, *numbers = self._numbers
        own = None if seed is None else seed_of(Stream.TRAINING, run, *numbers, seed)
        self.env.reset(seed=own, options=options)
        self._owed = dict.fromkeys(self.agents, 0.0)
        return self._observe([self.env.agent_selection]), {}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Carry out the decision of the agent that decides.

        RLlib drops what an agent earns before its first decision, for instance where a rival's
        figure costs it standing: it is paid with that decision.
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
        """Nothing is open."""


MODEL = "rules", "config", "precision"
"""What the network is made of."""


class NetworkModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]
    """:class:`Network` as an RLModule: logits of what the mask forbids are as low as can be.

    ``model_config`` holds the arguments of the network by name, among others of RLlib's.
    """

    def setup(self) -> None:
        """Make the network."""
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
        """Values, shape (B,); ``embeddings`` are those that the forward pass has found already."""
        return self._judge(batch)[1] if embeddings is None else embeddings


def count_scores(episode: Any, metrics_logger: Any, **_: Any) -> None:
    """Add a finished game to the sums that :meth:`RllibLearner.update` makes means of."""
    scores = [episode.get_infos(-1, agent)[agent]["score"] for agent in episode.agent_ids]
    for name, value in zip(GAME_SUMS, (1, np.mean(scores), max(scores)), strict=True):
        metrics_logger.log_value(name, value, reduce="sum")


def ppo_config(config: RllibConfig, steps: int = 0) -> ppo.PPOConfig:
    """RLlib's settings for a run that goes on after some steps: PPO, one module for all seats."""
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
    """A training run; :meth:`update` does one round of games and learning. Ray must be connected.

    All that is learned is in this process. Workers that die are replaced, and a round takes what
    the others play until it is full.

    Parameters
    ----------
    config : RllibConfig
        All settings; ``folder``, ``overwrite`` and ``address`` are left to the caller.
    curve : sequence of rows
        What :meth:`update` returned so far, in a run that goes on.
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
        """Go on from a checkpoint: its network, optimiser and curve, but new games.

        Parameters
        ----------
        path : path
            What :meth:`save` wrote.
        config : RllibConfig, optional
            Settings to go on with; rules and network must be those of the checkpoint. Default: all
            as in the checkpoint.

        Raises
        ------
        CheckpointError
            The file is refused, or of other rules or another network.
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
        """Numbers that are learned."""
        return sum(array.size for array in self._parameters().values())

    @property
    def agent(self) -> NetworkAgent:
        """What has been learned so far, as an agent; a copy."""
        network = Network(self.rules, self.config.network, self.config.precision)
        parameters = self._parameters().items()
        network.load_state_dict({name: torch.from_numpy(array) for name, array in parameters})
        return NetworkAgent(network, self.rules)

    def evaluated(self) -> NetworkAgent:
        """Who is evaluated, in this process."""
        return self.agent

    def learn(self) -> Row:
        """Play ``n_steps`` decisions in every game and learn from them.

        Returns
        -------
        dict
            ``workers``, alive; what RLlib says about the update (``LOSSES``); ``games`` that ended,
            and if there were any, ``score`` and ``best_score``, means over all seats and over the
            winners.
        """
        result = self.algorithm.train()
        while not (played := _number(result["env_runners"], "num_env_steps_sampled")):
            time.sleep(PAUSE)  # all workers died at once; new ones are on their way
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

    # The run as a file.

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """What was learned; games begin anew."""
        arrays: Arrays = {NETWORK + name: array for name, array in self._parameters().items()}
        adam = self._learner_state()["optimizer"][OPTIMISER]["state"]["state"]
        for k, entry in adam.items():
            arrays |= {f"adam/{k}/{name}": np.asarray(entry[name], np.float32) for name in ADAM}
        return {}, arrays

    def _load(self, network: Network, adam: dict[int, Arrays]) -> None:
        """Put parameters and averages into RLlib's learner, and the parameters into all workers."""
        optimiser = self._learner_state()["optimizer"]
        optimiser[OPTIMISER]["state"]["state"] = adam
        parameters = network.state_dict().items()
        weights = {PREFIX + name: tensor.numpy() for name, tensor in parameters}
        state = {"rl_module": {MODULE: weights}}
        self.algorithm.learner_group.set_state({"learner": {**state, "optimizer": optimiser}})
        # Algorithm.set_state would leave out workers that are still busy with their first weights.
        self.algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.set_state(state))

    def _learner_state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.algorithm.learner_group.get_state()["learner"]
        return state

    def _parameters(self) -> Arrays:
        module = self._learner_state()["rl_module"][MODULE]
        return {name.removeprefix(PREFIX): array for name, array in module.items()}


def _number(metrics: dict[str, Any], name: str) -> float:
    """A sum over the last iteration; RLlib gives NaN, or nothing, where nothing was added."""
    value = float(metrics.get(name, 0))
    return 0 if math.isnan(value) else value


def _adam_state(network: Network, arrays: Arrays) -> dict[int, Arrays]:
    """Adam's averages of each parameter and its step count, in the order of the parameters."""
    state = {}
    for k, parameter in enumerate(network.parameters()):
        state[k] = {name: arrays[f"adam/{k}/{name}"] for name in ADAM}
        if any(state[k][name].shape != parameter.shape for name in ("exp_avg", "exp_avg_sq")):
            raise ValueError(f"the averages of parameter {k} have another shape")
    return state

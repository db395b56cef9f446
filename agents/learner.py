"""PPO on Carcassonne: one update at a time, with the complete state in a file.

Between two updates, the state of a run consists of the parameters, the optimiser, counters, the
random generators of torch, numpy and every environment, the games in progress, and the curve so
far. ``Learner.save`` writes it and ``Learner.resume`` restores it, so a resumed run computes what
the uninterrupted run would have computed (on the same machine, with the same number of threads).
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.callbacks import BaseCallback

from carc_env.envs.distributions import RulesDistribution
from carc_env.rules import Rules

from .checkpoint import Arrays
from .config import TrainConfig
from .curve import Row, passed
from .device import device_called
from .evaluation import labelled
from .learned import (
    adam_arrays,
    network_arrays,
    random_numbers,
    restore_adam,
    restore_random,
)
from .network_agent import NetworkAgent, begin_with, load_network
from .policy import BoardPolicy, maskable_ppo
from .pool import Pool
from .run import Run
from .sb3_env import CarcassonneVecEnv, losses_of
from .settings import distribution_of
from .training_env import TrainingEnv

RECENT_GAMES = 200
"""Number of training games over which scores and win rates are averaged."""


class Learner(Run[TrainConfig]):
    """A training run; :meth:`update` does one round of playing and learning.

    Parameters
    ----------
    config : TrainConfig
        All settings.
    distribution : RulesDistribution, optional
        Draws the rules of training games; ``config.rules`` gets its layout.
    tests : mapping of str to Rules, optional
        The rules of evaluations, by name. Default: some that ``distribution`` draws.
    """

    SETTINGS = TrainConfig
    FIXED = ("rules", "network", "n_envs", "opponents")

    def __init__(
        self,
        config: TrainConfig,
        distribution: RulesDistribution | None = None,
        tests: Mapping[str, Rules] | None = None,
    ) -> None:
        distribution = distribution or distribution_of(config)
        config = self.settings_for(config, distribution)
        super().__init__(config, config.rules, distribution, tests and labelled(tests))
        device = device_called(config.device)
        torch.set_num_threads(config.threads)
        torch.distributions.Distribution.set_default_validate_args(False)
        self._pool = Pool(config.opponents, config.rules, by_rating=config.by_rating)
        self._games = TrainingEnv(
            config.n_envs,
            distribution or config.rules,
            self._pool.opponents,
            config.scheme,
            config.reward_scale,
            num_threads=config.threads,
            deal=self._pool.deal,
        )
        self._watch = _Watch(self._games, self._pool)
        self._env = CarcassonneVecEnv(self._games)
        self._ppo = maskable_ppo(config, self._env, device)
        assert isinstance(self._ppo.policy, BoardPolicy)
        self.network = self._ppo.policy.network
        self._pool.follow(self.network)
        self._ppo._setup_learn(config.total_steps, self._watch)  # resets the environments
        self.agent = NetworkAgent(self.network, config.rules)

    def begin_with(self, path: str | os.PathLike[str]) -> None:
        """Begin with a network's learned parameters, see :func:`.network_agent.begin_with`.

        The network's value is kept if ``reward`` is "margin", the quantity that imitation learns;
        otherwise it is reset to 0.
        """
        begin_with(path, self.network, self.config.network)
        self.network.cool(self.config.init_temperature)
        if self.config.reward != "margin":
            self.network.forget_value()

    def evaluated(self) -> NetworkAgent:
        """Return the current network."""
        self._ppo.policy.set_training_mode(False)
        return self.agent

    def warm_up(self) -> None:
        """Begin with the network that ``init`` names, if any."""
        if self.config.init:
            self.begin_with(self.config.init)

    def close(self) -> None:
        """End the threads that run the games."""
        self._env.close()

    def learn(self) -> Row:
        """Play ``n_steps`` decisions in every game and learn from them.

        Returns
        -------
        dict
            ``score``, ``rival_score`` and ``win_rate``, which are means over the last training
            games, and the update's :func:`.sb3_env.losses_of`.
        """
        before, ppo = self.steps, self._ppo
        self._pool.done = before / self.config.total_steps
        ppo.collect_rollouts(self._env, self._watch, ppo.rollout_buffer, self.config.n_steps)
        self.steps = ppo.num_timesteps
        ppo._update_current_progress_remaining(self.steps, self.config.total_steps)
        ppo.train()
        if passed(self.config.past_every, before, self.steps):
            self._pool.keep(self.network)
        return {**self._watch.means(), **losses_of(ppo)}

    # Saving and restoring the run.

    def state(self) -> tuple[dict[str, Any], Arrays]:
        """Return the learned state, opponents, games and all random number states."""
        games, rest = self._games.save()
        pool, past = self._pool.save()
        numbers, random = random_numbers()
        plain = {
            "updates": self._ppo._n_updates,
            "recent": [list(result) for result in self._watch.recent],
            "envs": rest,
            "pool": pool,
            "episode_starts": np.asarray(self._ppo._last_episode_starts, int).tolist(),
            "numpy": numbers,
        }
        arrays = {"games": np.stack([np.frombuffer(game, np.uint8) for game in games])}
        arrays |= random | network_arrays(self.network) | past
        return plain, arrays | adam_arrays(self._ppo.policy.optimizer)

    def restore(self, path: str | os.PathLike[str], meta: dict[str, Any], arrays: Arrays) -> None:
        """Restore the result of :meth:`state`."""
        load_network(path, self.network, arrays)
        super().restore(path, meta, arrays)
        ppo = self._ppo
        ppo.num_timesteps, ppo._n_updates = self.steps, int(meta["updates"])
        self._watch.recent.extend((own, rival) for own, rival in meta["recent"])
        self._pool.restore(meta["pool"], arrays, self.network)
        games = [game.tobytes() for game in arrays["games"]]
        ppo._last_obs = self._env.keep(self._games.restore(games, meta["envs"]))
        ppo._last_episode_starts = np.array(meta["episode_starts"], bool)
        restore_adam(ppo.policy.optimizer, arrays)
        restore_random(meta["numpy"], arrays)


class _Watch(BaseCallback):
    """Counts steps and keeps the results of the latest games."""

    def __init__(self, games: TrainingEnv, pool: Pool) -> None:
        super().__init__()
        self.recent: deque[tuple[int, int]] = deque(maxlen=RECENT_GAMES)
        self._games, self._pool = games, pool

    def _on_step(self) -> bool:
        for i, info in enumerate(self.locals["infos"]):
            if "scores" in info:  # the game is over
                rivals = list(info["scores"])
                own = rivals.pop(info["seat"])
                self.recent.append((own, max(rivals)))
                won = 0.5 if own == max(rivals) else float(own > max(rivals))
                self._pool.note(self._games.met[i], won)
        return True

    def means(self) -> Row:
        """Return means over the latest games; empty before the first game has ended."""
        if not self.recent:
            return {}
        own, rival = np.array(self.recent).T
        return {
            "score": float(own.mean()),
            "rival_score": float(rival.mean()),
            "win_rate": float((own > rival).mean()),
        }

"""PPO on Carcassonne: one update at a time, with everything that decides the next one in a file.

The state of a run at the boundary between two updates is: parameters, optimiser, counters, the
random generators of torch, numpy and every environment, the games in progress, and the curve so
far. :meth:`Learner.save` writes it, :meth:`Learner.resume` restores it, so a resumed run computes
what the uninterrupted one would have (same machine, same number of threads).
"""

from __future__ import annotations

import os
from collections import deque
from functools import partial
from typing import Any, Self

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger

from carc_env.envs.naming import make_agent
from carc_env.rules import Rules
from carc_env.seeds import DECKS

from .checkpoint import Arrays, CheckpointError, read_checkpoint, write_checkpoint
from .config import TrainConfig, saved_config
from .curve import Row, passed
from .device import device_called
from .evaluation import evaluate
from .learned import adam_arrays, network_arrays, random_numbers, restore_adam, restore_random
from .network_agent import NetworkAgent, begin_with, load_network
from .policy import BoardPolicy
from .pool import Pool
from .sb3_env import CarcassonneVecEnv, losses_of
from .training_env import TrainingEnv

RECENT_GAMES = 200
"""Scores and win rates of the training games are means over so many."""
FIXED = ("rules", "network", "n_envs", "opponents")
"""Settings that a resumed run cannot change: what is in the file has their shape."""


class Learner:
    """A training run; :meth:`update` does one round of games and learning.

    Parameters
    ----------
    config : TrainConfig
        All settings.
    """

    def __init__(self, config: TrainConfig) -> None:
        device = device_called(config.device)
        torch.set_num_threads(config.threads)
        torch.distributions.Distribution.set_default_validate_args(False)
        self.config = config
        self.curve: list[Row] = []
        self._pool = Pool(config.opponents, config.rules, by_rating=config.by_rating)
        self._rivals = {spec: make_agent(spec, config.rules) for spec in config.eval_against}
        self._games = TrainingEnv(
            config.n_envs,
            config.rules,
            [member.agent for member in self._pool.members],
            config.scheme,
            config.reward_scale,
            num_threads=config.threads,
            deal=self._pool.deal,
        )
        self._watch = _Watch(self._games, self._pool)
        self._env = CarcassonneVecEnv(self._games)
        self._ppo = MaskablePPO(
            BoardPolicy,
            self._env,
            learning_rate=partial(_linear, config.learning_rate, config.final_learning_rate),
            n_steps=config.n_steps,
            batch_size=config.batch_size,
            n_epochs=config.n_epochs,
            gamma=config.gamma,
            gae_lambda=config.gae_lambda,
            clip_range=config.clip_range,
            ent_coef=config.entropy_weight,
            vf_coef=config.value_weight,
            max_grad_norm=config.max_grad_norm,
            policy_kwargs={
                **{"rules": config.rules, "network": config.network},
                "precision": config.precision,
            },
            seed=config.seed,
            device=device,
        )
        self._ppo.set_logger(Logger(None, []))
        assert isinstance(self._ppo.policy, BoardPolicy)
        self._network = self._ppo.policy.network
        self._pool.follow(self._network)
        self._ppo._setup_learn(config.total_steps, self._watch)  # resets the environments
        self.agent = NetworkAgent(self._network, config.rules)

    def begin_with(self, path: str | os.PathLike[str]) -> None:
        """Take over what a network has learned, see :func:`.network_agent.begin_with`.

        Its value stays if rewards are of the final margin, as what imitates has learned it, and
        begins at 0 otherwise.
        """
        begin_with(path, self._network, self.config.network)
        self._network.cool(self.config.init_temperature)
        if self.config.reward != "margin":
            self._network.forget_value()

    @property
    def steps(self) -> int:
        """Decisions so far."""
        return int(self._ppo.num_timesteps)

    @property
    def is_done(self) -> bool:
        """Whether all steps are done, or the last evaluation gave ``stop_at_win_rate``."""
        return self.config.is_done(self.curve)

    @property
    def n_parameters(self) -> int:
        """Numbers that are learned."""
        return sum(parameter.numel() for parameter in self._network.parameters())

    def close(self) -> None:
        """End the threads of the games."""
        self._env.close()

    def update(self) -> Row:
        """Play ``n_steps`` decisions in every game, learn from them, evaluate when it is due.

        The first call evaluates, before anything is learned.

        Returns
        -------
        dict
            The new row of ``curve``: ``steps``; means over the last training games, ``score``,
            ``rival_score``, ``win_rate``; :func:`.sb3_env.losses_of` the update; with an
            evaluation, what :func:`.evaluation.evaluate` gives.
        """
        if not self.curve:
            self.curve.append({"steps": 0, **self._evaluate()})
            return self.curve[-1]
        before = self.steps
        ppo = self._ppo
        self._pool.done = before / self.config.total_steps
        ppo.collect_rollouts(self._env, self._watch, ppo.rollout_buffer, self.config.n_steps)
        ppo._update_current_progress_remaining(self.steps, self.config.total_steps)
        ppo.train()
        if passed(self.config.past_every, before, self.steps):
            self._pool.keep(self._network)
        row: Row = {"steps": self.steps, **self._watch.means(), **losses_of(ppo)}
        is_last = self.steps >= self.config.total_steps
        if is_last or passed(self.config.eval_every, before, self.steps):
            row |= self._evaluate()
        self.curve.append(row)
        return row

    def _evaluate(self) -> Row:
        """Games against each agent of ``eval_against``; leaves all random numbers alone."""
        self._ppo.policy.set_training_mode(False)
        config = self.config
        return evaluate(self.agent, self._rivals, config.rules, config.eval_games, config.records)

    # The run as a file.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint; the folder must exist."""
        games, rest = self._games.save()
        pool, past = self._pool.save()
        numbers, random = random_numbers()
        meta = {
            "rules": self.config.rules.to_dict(),
            "network": self.config.to_dict()["network"],
            "config": self.config.to_dict(),
            "steps": self.steps,
            "updates": self._ppo._n_updates,
            "curve": self.curve,
            "decks": DECKS,
            "recent": [list(result) for result in self._watch.recent],
            "envs": rest,
            "pool": pool,
            "episode_starts": np.asarray(self._ppo._last_episode_starts, int).tolist(),
            "numpy": numbers,
        }
        arrays: Arrays = {
            "games": np.stack([np.frombuffer(game, np.uint8) for game in games]),
            **random,
        }
        arrays |= network_arrays(self._network) | past
        write_checkpoint(path, meta, arrays | adam_arrays(self._ppo.policy.optimizer))

    @classmethod
    def resume(cls, path: str | os.PathLike[str], config: TrainConfig | None = None) -> Self:
        """Go on where :meth:`save` was called.

        Parameters
        ----------
        path : path
            The checkpoint.
        config : TrainConfig, optional
            Settings to go on with. Default: those of the checkpoint.

        Raises
        ------
        CheckpointError
            The file is refused, or the settings change what a resumed run cannot change.
        """
        meta, arrays = read_checkpoint(path)
        saved = saved_config(path, meta)
        config = config or saved
        for name in FIXED:
            before, now = getattr(saved, name), getattr(config, name)
            if before != now:
                is_rules = isinstance(before, Rules)
                change = before.differences(now) if is_rules else f"{before} -> {now}"
                raise CheckpointError(path, f"{name} cannot change when a run goes on: {change}")
        learner = cls(config)
        try:
            load_network(path, learner._network, arrays)
            learner._restore(meta, arrays)
        except CheckpointError:
            raise
        except (KeyError, TypeError, ValueError, IndexError, RuntimeError) as error:
            raise CheckpointError(path, f"its training state is not valid: {error!r}") from error
        return learner

    def _restore(self, meta: dict[str, Any], arrays: Arrays) -> None:
        ppo = self._ppo
        ppo.num_timesteps, ppo._n_updates = int(meta["steps"]), int(meta["updates"])
        self.curve = [dict(row) for row in meta["curve"]]
        self._watch.recent.extend((own, rival) for own, rival in meta["recent"])
        self._pool.restore(meta["pool"], arrays, self._network)
        games = [game.tobytes() for game in arrays["games"]]
        ppo._last_obs = self._env.keep(self._games.restore(games, meta["envs"]))
        ppo._last_episode_starts = np.array(meta["episode_starts"], bool)
        restore_adam(ppo.policy.optimizer, arrays)
        restore_random(meta["numpy"], arrays)


class _Watch(BaseCallback):
    """Looks on while games are played: counts steps and keeps the results of the last games."""

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
        """Means over the last games; none before the first has ended."""
        if not self.recent:
            return {}
        own, rival = np.array(self.recent).T
        return {
            "score": float(own.mean()),
            "rival_score": float(rival.mean()),
            "win_rate": float((own > rival).mean()),
        }


def _linear(first: float, last: float, remaining: float) -> float:
    """From ``first`` to ``last`` as what remains goes from 1 to 0."""
    return last + (first - last) * remaining

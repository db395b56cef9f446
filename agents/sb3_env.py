"""The vector environment in the form required by Stable-Baselines3 and MaskablePPO."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv

from carc_env.choices import check_seed
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.layout.encodings import Arrays
from carc_env.seeds import seeds_of

FOR_EVERY_GAME = ("action_masks", "render")
"""Vector environment methods whose results cover all games at once."""

LOSSES = {
    "policy_loss": ("train/policy_gradient_loss", 1.0),
    "value_loss": ("train/value_loss", 1.0),
    "entropy": ("train/entropy_loss", -1.0),
    "kl": ("train/approx_kl", 1.0),
    "clip_fraction": ("train/clip_fraction", 1.0),
    "explained": ("train/explained_variance", 1.0),
}
"""Stable-Baselines3's update results that are recorded in the curve, and their factors."""

Indices = Any
"""None for all games, an index, or an iterable of indices."""
Step = tuple[Arrays, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]


class CarcassonneVecEnv(VecEnv):
    """All games of a :class:`CarcassonneVectorEnv` at once, without wrapping each game.

    ``env_method("action_masks")`` is a bool array of shape (num_envs, n_actions). The next step
    overwrites this array. Observations stay unchanged for one step longer, because
    Stable-Baselines3 stores an observation only after the following step.

    Infos are empty until a game ends; then they contain

    ======================== =====================================================================
    ``terminal_observation`` the last observation of the game
    ``episode``              ``r``, ``l`` and ``t`` as ``Monitor`` gives them: the sum of rewards,
                             the number of decisions, seconds since the environment was made
    ``TimeLimit.truncated``  False
    ``seat``, ``scores``     the learner's seat (int); every seat's score (tuple of int)
    ======================== =====================================================================

    Parameters
    ----------
    env : CarcassonneVectorEnv
        An environment with ``autoreset_mode="SameStep"`` and opponents.

    Raises
    ------
    ValueError
        Games do not restart in the step that ends them, or the learner decides for every seat.
    """

    actions: npt.NDArray[np.int64]

    def __init__(self, env: CarcassonneVectorEnv) -> None:
        if env.autoreset_mode != AutoresetMode.SAME_STEP:
            raise ValueError(
                "Stable-Baselines3 begins a game in the step that ends the previous one: make "
                "the vector environment with autoreset_mode='SameStep'"
            )
        if env.is_self_play:
            raise ValueError(
                "Stable-Baselines3 treats all decisions of a game as those of one player: make "
                "the vector environment with opponents instead of 'self'"
            )
        self.env = env
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)
        self._kept, self._next = _empty(env.observation_space), _empty(env.observation_space)
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._started = time.time()

    def reset(self) -> Arrays:
        """Restart all games, with the seeds from :meth:`seed` if it was called.

        Raises
        ------
        ValueError
            Options are given: games have none.
        """
        if any(self._options):
            raise ValueError(f"games have no options, got {self._options}")
        seen, _ = self.env.reset(seed=self._seeds)
        self._reset_seeds()
        self._returns[:], self._lengths[:] = 0.0, 0
        return self.keep(seen)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """At the next reset, give game i seed i of :func:`carc_env.seeds.seeds_of`.

        Parameters
        ----------
        seed : int, optional
            A seed from 0 to 2**64 - 1. Default: a random seed.

        Raises
        ------
        ValueError
            The seed is out of range.
        """
        self._seeds: list[int | None] = [*seeds_of(check_seed(seed), self.num_envs)]
        return self._seeds

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Store the actions, shape (num_envs,)."""
        self.actions = actions

    def step_wait(self) -> Step:
        """Apply the actions; games that end are restarted."""
        seen, rewards, dones, _, info = self.env.step(self.actions)
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(dones).tolist():
            final = info["final_info"]
            n_players = (
                self.env.rules.n_players if "n_players" not in final else final["n_players"][i]
            )
            infos[i] = {
                "terminal_observation": info["final_obs"][i],
                "episode": {
                    "r": round(float(self._returns[i]), 6),
                    "l": int(self._lengths[i]),
                    "t": round(time.time() - self._started, 6),
                },
                "TimeLimit.truncated": False,
                "seat": int(final["seat"][i]),
                "scores": tuple(final["scores"][i, :n_players].tolist()),
            }
        self._returns[dones], self._lengths[dones] = 0.0, 0
        return self.keep(seen), rewards.astype(np.float32), dones, infos

    def keep(self, seen: Arrays) -> Arrays:
        """Copy the observations to buffers that stay unchanged until the step after the next."""
        self._kept, self._next = self._next, self._kept
        for name, rows in seen.items():
            np.copyto(self._kept[name], rows)
        return dict(self._kept)

    def close(self) -> None:
        """End the threads."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute of the vector environment, repeated for each game requested."""
        return [getattr(self.env, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute of the vector environment.

        Raises
        ------
        ValueError
            Indices are given: an attribute belongs to all games.
        """
        if indices is not None:
            raise ValueError(f"all games share {attr_name!r}: set it without indices")
        setattr(self.env, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> Any:
        """Return a method's results for each game: an array of masks or a tuple of pictures.

        Raises
        ------
        AttributeError
            The method is neither ``action_masks`` nor ``render``.
        """
        if method_name not in FOR_EVERY_GAME:
            raise AttributeError(
                f"games support {' and '.join(FOR_EVERY_GAME)}, not {method_name!r}: there is no "
                "environment for each of them; use the attribute env"
            )
        answers = getattr(self.env, method_name)(*method_args, **method_kwargs)
        if indices is None:
            return answers
        chosen = list(self._get_indices(indices))
        return answers[chosen] if isinstance(answers, np.ndarray) else [answers[i] for i in chosen]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Indices = None) -> list[bool]:
        """Return True for ``Monitor``, whose data is in the infos; there is no other wrapper."""
        is_monitor = issubclass(wrapper_class, Monitor)
        return [is_monitor] * len(list(self._get_indices(indices)))

    def get_images(self) -> list[Any]:
        """Return a picture of each game."""
        return list(self.env.render())


def losses_of(learner: BaseAlgorithm) -> dict[str, float]:
    """Return the statistics that Stable-Baselines3 logged for the last PPO update."""
    said = learner.logger.name_to_value
    found = {
        name: factor * float(said[theirs])
        for name, (theirs, factor) in LOSSES.items()
        if theirs in said
    }
    return {name: value for name, value in found.items() if math.isfinite(value)}


def _empty(space: Any) -> Arrays:
    return {name: np.zeros(box.shape, box.dtype) for name, box in space.items()}

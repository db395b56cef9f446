"""The Gymnasium environment as the learner uses it: a denser reward, results, a state to save."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from carc_env.encodings import Arrays
from carc_env.opponents import Opponent
from carc_env.rules import Rules
from carc_env.single_agent import CarcassonneEnv

Reward = Literal["outcome", "score_delta", "margin", "projected"]


class TrainingEnv(CarcassonneEnv):
    """:class:`CarcassonneEnv` with a random seat for each game, and more about it.

    ``info["result"]`` of the last step is (own score, best score of a rival).

    Parameters
    ----------
    rules, opponents
        As for :class:`CarcassonneEnv`.
    reward : {"outcome", "score_delta", "margin", "projected"}
        ``"projected"`` is the change of the own *projected* final score, less ``rival_weight``
        times that of the best rival: a figure pays when it is placed and not first when its feature
        is scored.
    reward_scale : float
        Rewards are multiplied by it.
    rival_weight : float
        Only for ``"projected"``. At 1 rewards add up to the margin, at 0 to the own score. What
        rivals gain is mostly noise to a beginner: small weights learn faster.
    """

    def __init__(
        self,
        rules: Rules,
        opponents: str | Opponent | Sequence[str | Opponent],
        reward: Reward,
        reward_scale: float = 1.0,
        rival_weight: float = 1.0,
    ) -> None:
        self.is_projected = reward == "projected"
        self.reward_scale, self.rival_weight = reward_scale, rival_weight
        super().__init__(
            rules, opponents, seat="random", reward="margin" if reward == "projected" else reward
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begin a new game."""
        seen = super().reset(seed=seed, options=options)
        self._prospect = self._weigh(self.table.standings)
        return seen

    def step(self, action: np.int64 | int) -> tuple[Arrays, float, bool, bool, dict[str, Any]]:
        """Carry out the learner's decision and the opponents' ones that follow."""
        observation, reward, terminated, truncated, info = super().step(action)
        if self.is_projected:
            prospect = self._weigh(self.table.standings)
            reward, self._prospect = prospect - self._prospect, prospect
        if terminated:
            info["result"] = self._own_and_rival(self.table.scores)
        return observation, reward * self.reward_scale, terminated, truncated, info

    def _own_and_rival(self, scores: tuple[int, ...]) -> tuple[int, int]:
        return scores[self.seat], max(s for k, s in enumerate(scores) if k != self.seat)

    def _weigh(self, scores: tuple[int, ...]) -> float:
        own, rival = self._own_and_rival(scores)
        return own - self.rival_weight * rival

    def save(self) -> tuple[bytes, dict[str, Any]]:
        """The game as bytes, and all else as plain values: the next steps are a function of it."""
        return self.table.save_state(), {
            "seat": self.seat,
            "prospect": self._prospect,
            "random": self.np_random.bit_generator.state,
        }

    def restore(self, game: bytes, rest: dict[str, Any]) -> Arrays:
        """Go to what :meth:`save` returned and give the observation there.

        Raises
        ------
        ValueError, KeyError
            The bytes are not a state under these rules, or a value is missing.
        """
        self.table.load_state(game)
        self._seat = int(rest["seat"])
        self._ledger.open(self.table)
        self._prospect = float(rest["prospect"])
        self.np_random.bit_generator.state = rest["random"]
        return self._observe()

"""The vector environment as the learner uses it: a denser reward, opponents dealt out, a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from carc_env.envs.games import players_around
from carc_env.envs.opponents import Opponent, seat_opponents
from carc_env.envs.vector import CarcassonneVectorEnv, Step
from carc_env.layout.encodings import Arrays
from carc_env.rules import Rules

Reward = Literal["outcome", "score_delta", "margin", "projected"]


class TrainingEnv(CarcassonneVectorEnv):
    """:class:`CarcassonneVectorEnv` with a random seat for each game, and more about it.

    Games begin anew in the step that ends them.

    Parameters
    ----------
    num_envs : int
        Number of games.
    rules : Rules
        What is played.
    opponents : sequence of str or Opponent
        Names of built-in players, or players, dealt out to the games in turn: one of them plays all
        other seats of a game.
    reward : {"outcome", "score_delta", "margin", "projected"}
        ``"projected"`` is the change of the own *projected* final score, less ``rival_weight``
        times that of the best rival: a figure pays when it is placed and not first when its feature
        is scored.
    reward_scale : float
        Rewards are multiplied by it.
    rival_weight : float
        Only for ``"projected"``. At 1 rewards add up to the margin, at 0 to the own score. What
        rivals gain is mostly noise to a beginner: small weights learn faster.
    num_threads : int
        Threads that share the games; results do not depend on it.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules,
        opponents: Sequence[str | Opponent],
        reward: Reward,
        reward_scale: float = 1.0,
        rival_weight: float = 1.0,
        num_threads: int = 1,
    ) -> None:
        self._line_ups = [seat_opponents(rival, rules.n_players - 1) for rival in opponents]
        self.is_projected = reward == "projected"
        self.reward_scale, self.rival_weight = reward_scale, rival_weight
        super().__init__(
            num_envs,
            rules,
            reward="margin" if reward == "projected" else reward,
            autoreset_mode=AutoresetMode.SAME_STEP,
            num_threads=num_threads,
        )

    def line_up(self, i: int) -> list[Opponent]:
        """The opponents in game i, clockwise from the learner."""
        return self._line_ups[i % len(self._line_ups)]

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begin new games."""
        seen = super().reset(seed=seed, options=options)
        self._prospects = self._weigh(self._games.standings())
        return seen

    def step(self, actions: npt.NDArray[np.int64]) -> Step:
        """Carry out the learner's decisions and the opponents' ones that follow."""
        seats = self.seats.copy()
        observations, rewards, ended, truncated, info = super().step(actions)
        if self.is_projected:
            prospects = self._weigh(self._games.standings())
            reached = prospects.copy()
            if ended.any():
                reached[ended] = self._weigh(info["final_info"]["scores"], seats)[ended]
            rewards, self._prospects = reached - self._prospects, prospects
        return observations, rewards * self.reward_scale, ended, truncated, info

    def _weigh(
        self, scores: npt.NDArray[Any], seats: npt.NDArray[np.int64] | None = None
    ) -> npt.NDArray[np.float64]:
        """The own score less what the best rival's counts; shape (num_envs,)."""
        own, rival = own_and_rival(scores, self.seats if seats is None else seats)
        return own - self.rival_weight * rival

    def save(self) -> tuple[list[bytes], list[dict[str, Any]]]:
        """Every game as bytes, and all else as plain values: the next steps are a function of it.

        What is in the books is saved too: opponents may have scored before the first decision.
        """
        games = [self.table(i).save_state() for i in range(self.num_envs)]
        rest = [
            {
                "seat": int(lane["seat"]),
                "booked": lane["scores"].tolist(),
                "random": random.bit_generator.state,
            }
            for lane, random in zip(self._games.lanes, self._randoms, strict=True)
        ]
        return games, rest

    def restore(self, games: Sequence[bytes], rest: Sequence[dict[str, Any]]) -> Arrays:
        """Go to what :meth:`save` returned and give the observations there.

        Raises
        ------
        ValueError, KeyError
            There are more or fewer games, bytes are not a state under these rules, or a value is
            missing.
        """
        for i, game, saved in zip(range(self.num_envs), games, rest, strict=True):
            seat = int(saved["seat"])
            players = players_around(seat, self.line_up(i))
            self._games.restore(i, game, players, seat=seat, booked=saved["booked"])
            self._randoms[i].bit_generator.state = saved["random"]
        self._play()
        self._prospects = self._weigh(self._games.standings())
        return self._observe()


def own_and_rival(
    scores: npt.NDArray[Any], seats: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The score of a seat and the best of all others, for each row of (n, n_players) scores."""
    is_own = np.arange(scores.shape[1]) == seats[:, None]
    return scores[is_own], np.where(is_own, np.iinfo(scores.dtype).min, scores).max(axis=1)

"""The learner's vector environment: assigned opponents, scaled rewards, a saveable state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from carc_env.envs.games import is_inside, players_around
from carc_env.envs.naming import seat_opponents
from carc_env.envs.opponents import Opponent
from carc_env.envs.rewards import RewardLike
from carc_env.envs.vector import SELF, CarcassonneVectorEnv, Step
from carc_env.layout.encodings import Arrays, EncodingLike
from carc_env.rules import Rules


class TrainingEnv(CarcassonneVectorEnv):
    """:class:`CarcassonneVectorEnv` with a random seat in each game, and more information.

    Games restart in the step that ends them.

    Parameters
    ----------
    num_envs : int
        Number of games.
    rules : Rules
        The rules of the games.
    opponents : sequence of str or Opponent
        Players or their specs, assigned to the games in turn: one of them plays all other seats in
        a game. With ``["self"]``, the learner decides for every seat.
    reward, encoding, legal_list, out
        As for the vector environment.
    reward_scale : float
        A factor for rewards.
    num_threads : int
        Number of threads among which the games are divided; results do not depend on it.
    deal : callable, optional
        Returns the index of the opponent for a new game, given the game's random generator.
        Default: game i has opponent ``i % len(opponents)``.

    Attributes
    ----------
    dealt, met : list of int
        For each game, the index of its opponent, and of the opponent in the previous game.
    """

    def __init__(
        self,
        num_envs: int,
        rules: Rules,
        opponents: Sequence[str | Opponent],
        reward: RewardLike,
        reward_scale: float = 1.0,
        encoding: EncodingLike = "planes",
        legal_list: bool = False,
        num_threads: int = 1,
        deal: Callable[[np.random.Generator], int] | None = None,
        out: Arrays | None = None,
    ) -> None:
        is_self_play = [*opponents] == [SELF]
        self._line_ups = [
            [] if is_self_play else seat_opponents(rival, rules) for rival in opponents
        ]
        self._deal = deal
        self.dealt = [i % len(opponents) for i in range(num_envs)]
        self.met = [*self.dealt]
        self.reward_scale = reward_scale
        super().__init__(
            num_envs,
            rules,
            SELF if is_self_play else "random",  # line_up chooses the players
            reward=reward,
            encoding=encoding,
            legal_list=legal_list,
            autoreset_mode=AutoresetMode.SAME_STEP,
            num_threads=num_threads,
            out=out,
        )
        rivals = [rival for line_up in self._line_ups for rival in line_up]
        self._has_guests = not all(is_inside(rival) for rival in rivals)

    def line_up(self, i: int) -> list[Opponent]:
        """The opponents in game i, clockwise from the learner."""
        return self._line_ups[self.dealt[i]]

    def _begin(self, which: npt.NDArray[np.bool_]) -> None:
        for i in np.flatnonzero(which).tolist():
            self.met[i] = self.dealt[i]
            if self._deal is not None:
                self.dealt[i] = self._deal(self._randoms[i])
        super()._begin(which)

    def step(self, actions: npt.NDArray[np.int64]) -> Step:
        """Apply the learner's decisions, then the opponents' decisions that follow."""
        observations, rewards, ended, truncated, info = super().step(actions)
        return observations, rewards * self.reward_scale, ended, truncated, info

    def save(self) -> tuple[list[bytes], list[dict[str, Any]]]:
        """Return every game as bytes and other state as plain values, which determine later steps.

        This includes pending rewards, since opponents may have scored before the first decision.
        """
        games = [self.table(i).save_state() for i in range(self.num_envs)]
        rest = [
            {
                "seat": int(lane["seat"]),
                "booked": lane["scores"].tolist(),
                "random": random.bit_generator.state,
                "opponent": opponent,
            }
            for lane, random, opponent in zip(
                self._games.lanes, self._randoms, self.dealt, strict=True
            )
        ]
        return games, rest

    def restore(self, games: Sequence[bytes], rest: Sequence[dict[str, Any]]) -> Arrays:
        """Restore the result of :meth:`save` and return the observations.

        Raises
        ------
        ValueError, KeyError
            The number of games differs, the bytes are not a state under these rules, or a value is
            missing.
        """
        with self._changed():
            for i, game, saved in zip(range(self.num_envs), games, rest, strict=True):
                seat = None if self.is_self_play else int(saved["seat"])
                self.dealt[i] = self.met[i] = range(len(self._line_ups))[int(saved["opponent"])]
                players: list[Opponent | None] = [None] * self.rules.n_players
                if seat is not None:
                    players = players_around(seat, self.line_up(i))
                self._games.restore(i, game, players, seat=seat, booked=saved["booked"])
                self._randoms[i].bit_generator.state = saved["random"]
            self._play()
        return self._observe()

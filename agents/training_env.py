"""The learner's vector environment: assigned opponents, scaled rewards, a saveable state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from carc_env.envs.distributions import Dealer, RulesDistribution
from carc_env.envs.games import is_inside, players_around
from carc_env.envs.naming import LineUps
from carc_env.envs.opponents import Opponent
from carc_env.envs.rewards import RewardLike
from carc_env.envs.starts import Start
from carc_env.envs.vector import SELF, CarcassonneVectorEnv, Step
from carc_env.layout.encodings import Arrays
from carc_env.rules import Rules


class TrainingEnv(CarcassonneVectorEnv):
    """:class:`CarcassonneVectorEnv` with a random seat in each game, and more information.

    Games restart in the step that ends them.

    Parameters
    ----------
    num_envs : int
        Number of games.
    rules : Rules or RulesDistribution
        The rules of the games, or where each game draws its rules from.
    opponents : sequence of str or Opponent
        Players or their specs, assigned to the games in turn: one of them plays all other seats in
        a game. With ``["self"]``, the learner decides for every seat.
    reward
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
        rules: Rules | RulesDistribution,
        opponents: Sequence[str | Opponent],
        reward: RewardLike,
        reward_scale: float = 1.0,
        num_threads: int = 1,
        deal: Callable[[np.random.Generator], int] | None = None,
    ) -> None:
        is_self_play = [*opponents] == [SELF]
        most = Dealer(rules).rules
        self._line_ups = [LineUps(rival, most) for rival in opponents if not is_self_play]
        self._deal = deal
        self.dealt = [i % len(opponents) for i in range(num_envs)]
        self.met = [*self.dealt]
        self.reward_scale = reward_scale
        super().__init__(
            num_envs,
            rules,
            SELF if is_self_play else "random",  # line_up chooses the players
            reward=reward,
            autoreset_mode=AutoresetMode.SAME_STEP,
            num_threads=num_threads,
        )
        rivals = [rival for line_ups in self._line_ups for rival in line_ups.under(most)]
        self._has_guests = not all(is_inside(rival) for rival in rivals)

    def line_up(self, i: int) -> list[Opponent]:
        """The opponents in game i, clockwise from the learner."""
        if self.is_self_play:
            return []
        return self._line_ups[self.dealt[i]].under(self.rules_of(i))

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

        All games have the same number of bytes.
        This includes pending rewards, since opponents may have scored before the first decision.
        """
        games = [self.table(i).save_state() for i in range(self.num_envs)]
        rest = [
            {
                "seat": int(lane["seat"]),
                "size": len(game),
                "booked": lane["scores"].tolist(),
                "owed": lane["owed"].tolist(),
                "random": random.bit_generator.state,
                "opponent": opponent,
            }
            for game, lane, random, opponent in zip(
                games, self._games.lanes, self._randoms, self.dealt, strict=True
            )
        ]
        longest = max(map(len, games))
        return [game.ljust(longest, b"\0") for game in games], rest

    def restore(self, games: Sequence[bytes], rest: Sequence[dict[str, Any]]) -> Arrays:
        """Restore the result of :meth:`save` and return the observations.

        Raises
        ------
        ValueError, KeyError
            The number of games differs, the bytes are not a state under these rules, or a value is
            missing.
        """
        with self._changed():
            for i, padded, saved in zip(range(self.num_envs), games, rest, strict=True):
                game = padded[: saved.get("size", len(padded))]
                seat = None if self.is_self_play else int(saved["seat"])
                n = max(1, len(self._line_ups))
                self.dealt[i] = self.met[i] = range(n)[int(saved["opponent"])]
                rules = Start(game, self.rules).rules
                self._games.turn_to(i, rules)
                players: list[Opponent | None] = [None] * rules.n_players
                if seat is not None:
                    players = players_around(seat, self.line_up(i))
                self._games.restore(i, game, players, seat=seat, booked=saved["booked"])
                self._games.lanes["owed"][i] = saved.get("owed", 0.0)
                self._randoms[i].bit_generator.state = saved["random"]
                if "rules" in self._infos:
                    self._infos["rules"][i] = rules
            self._play()
        return self._observe()

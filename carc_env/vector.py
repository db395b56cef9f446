"""Many games as one Gymnasium vector environment: ``gymnasium.make_vec`` makes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from carc_env import rewards
from carc_env.display import Renderer
from carc_env.engine.lanes import NO_ACTION
from carc_env.games import Games, players_around
from carc_env.illegal import IllegalAction, check_illegal_action
from carc_env.observations import observation_space
from carc_env.opponents import Opponent, learner_seat, seat_opponents
from carc_env.rules import Rules
from carc_env.table import Table

VectorObservation = dict[str, npt.NDArray[Any]]
Step = tuple[
    VectorObservation,
    npt.NDArray[np.float64],
    npt.NDArray[np.bool_],
    npt.NDArray[np.bool_],
    dict[str, Any],
]


class CarcassonneVectorEnv(VectorEnv[VectorObservation, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many games of :class:`carc_env.single_agent.CarcassonneEnv` in one array of states.

    Game i does exactly what a single environment with the seed of game i does. Observations and
    ``info["action_mask"]`` are buffers that the next call writes again: copy what you keep, or
    pass ``copy=True``.

    Parameters
    ----------
    num_envs : int
        Number of games.
    rules, opponents, seat, reward, illegal_action
        As for the single environment. Opponents that are no built-in players are shared by all
        games and asked one game after the other.
    autoreset_mode : AutoresetMode
        What follows the end of a game: the next step begins a new one (default), the same step
        does, or nothing, until ``reset(options={"reset_mask": ...})``.
    num_threads : int
        Threads that share the games; results do not depend on it.
    copy : bool
        Return copies of the buffers.
    render_mode : {"rgb_array", "ansi"}, optional
        What :meth:`render` returns for each game.

    Raises
    ------
    ValueError
        An argument is none of the values above.
    """

    def __init__(
        self,
        num_envs: int = 1,
        rules: Rules | dict[str, Any] | None = None,
        opponents: str | Opponent | Sequence[str | Opponent] = "random",
        seat: int | Literal["random"] = "random",
        reward: Literal["outcome", "score_delta", "margin"] = "outcome",
        illegal_action: IllegalAction = "raise",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        num_threads: int = 1,
        copy: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.rules = Rules.of(rules)
        n_players = self.rules.n_players
        if render_mode not in (None, "rgb_array", "ansi"):
            raise ValueError(
                f"render_mode must be 'rgb_array', 'ansi' or None, got {render_mode!r}"
            )
        self.fixed_seat = learner_seat(seat, n_players)
        self.opponents = seat_opponents(opponents, n_players - 1)
        self.illegal_action = check_illegal_action(illegal_action)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.copy, self.render_mode, self.num_envs = copy, render_mode, num_envs
        self.metadata = {
            "render_modes": ["rgb_array", "ansi"],
            "render_fps": 4,
            "autoreset_mode": self.autoreset_mode,
        }
        self._reward_scheme = rewards.scheme(reward)
        self._games = Games(self.rules, num_envs, num_threads=num_threads)
        self._has_ended = np.zeros(num_envs, np.bool_)
        self._rewarded = np.zeros((num_envs, n_players), np.int64)
        self._randoms = [seeding.np_random()[0] for _ in range(num_envs)]
        self.single_observation_space = observation_space(self.rules, flat_board=True)
        self.single_action_space = spaces.Discrete(self._games.masks.shape[1])
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def seats(self) -> npt.NDArray[np.int64]:
        """Shape (num_envs,): where the learner sits in each game."""
        seats: npt.NDArray[np.int64] = self._games.lanes["seat"]
        return seats

    def table(self, i: int) -> Table:
        """Game i, to look at; clone it before playing on it."""
        return self._games.table(i)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Shape (num_envs, n_actions): True for the legal actions."""
        return self._games.masks.view(np.bool_)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[VectorObservation, dict[str, Any]]:
        """Begin new games; opponents before the learners have moved already.

        Parameters
        ----------
        seed : int or sequence of int, optional
            Game i gets ``seed + i`` or its own number; without one its sequence of games goes on.
        options : dict, optional
            ``{"reset_mask": mask}`` begins only some games anew; shape (num_envs,), bool.

        Raises
        ------
        ValueError
            The mask or the seeds have another shape.
        """
        mask = np.ones(self.num_envs, np.bool_)
        if options and "reset_mask" in options:
            mask = np.asarray(options["reset_mask"])
            if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
                raise ValueError(
                    f"reset_mask must be bool, of shape ({self.num_envs},), with a True value"
                )
        seeds = [None] * self.num_envs if seed is None else seed
        if isinstance(seeds, int):
            seeds = [seeds + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} games")
        for i in np.flatnonzero(mask).tolist():
            if seeds[i] is not None:
                self._randoms[i] = seeding.np_random(seeds[i])[0]
        self._begin(np.flatnonzero(mask))
        self._games.show()
        return self._observe(), self._info()

    def step(self, actions: npt.NDArray[np.int64]) -> Step:
        """Carry out the learners' decisions and the opponents' ones that follow.

        Actions of games that begin anew in this step are ignored.

        Raises
        ------
        ValueError
            An action is not legal and ``illegal_action`` is ``"raise"``, or a game is over and
            ``autoreset_mode`` is disabled; nothing has changed.
        """
        games, begins = self._games, self._has_ended
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be integers of shape ({self.num_envs},), got {actions.dtype} of "
                f"shape {actions.shape}"
            )
        if self.autoreset_mode == AutoresetMode.DISABLED and begins.any():
            raise ValueError(f"game {begins.argmax()} is over: reset it with a reset_mask")
        games.lanes["action"] = np.where(begins, NO_ACTION, actions)
        lost = self._drop_illegal()
        self._play()
        ended = (games.is_over | lost) & ~begins
        rewards = self._rewards(ended, lost)
        rewards[begins] = 0.0
        if begins.any():
            self._begin(np.flatnonzero(begins))
        info: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and ended.any():
            info = self._final(ended)
            self._begin(np.flatnonzero(ended))
        else:
            self._has_ended = ended.copy()
        games.show()
        truncated = np.zeros(self.num_envs, np.bool_)
        return self._observe(), rewards, ended, truncated, info | self._info()

    def _begin(self, which: npt.NDArray[np.intp]) -> None:
        """Begin some games anew, up to the first decision of their learners."""
        n_players = self.rules.n_players
        for i in which.tolist():
            seed = int(self._randoms[i].integers(2**64, dtype=np.uint64))
            drawn = int(self._randoms[i].integers(n_players))
            seat = drawn if self.fixed_seat is None else self.fixed_seat
            self._games.lanes[i]["seat"] = seat
            self._games.begin(i, seed, players_around(seat, self.opponents))
            self._games.play(slice(i, i + 1))
        self._has_ended[which] = False
        self._rewarded[which] = 0
        self._ask_opponents()

    def _play(self) -> None:
        self._games.play()
        self._ask_opponents()

    def _ask_opponents(self) -> None:
        """Let opponents outside of the kernel decide until every learner is asked."""
        games = self._games
        while True:
            deciders = games.states["decider"]
            waiting = np.flatnonzero((games.lanes["n_legal"] > 0) & (deciders != self.seats))
            if not waiting.size:
                return
            for i in waiting.tolist():
                table = games.table(i)
                clockwise = (table.decider - int(self.seats[i])) % self.rules.n_players
                action = self.opponents[clockwise - 1].act(table)
                table.check_legal(action)
                games.lanes[i]["action"] = action
                games.play(slice(i, i + 1))

    def _drop_illegal(self) -> npt.NDArray[np.bool_]:
        """Deal with illegal actions; returns which games they lose."""
        games = self._games
        lost = np.zeros(self.num_envs, np.bool_)
        while (i := games.illegal_lane()) is not None:
            action, games.lanes[i]["action"] = int(games.lanes[i]["action"]), NO_ACTION
            if self.illegal_action == "raise":
                games.lanes["action"] = NO_ACTION
                try:
                    games.table(i).check_legal(action)
                except ValueError as error:
                    raise ValueError(f"game {i}: {error}") from None
            lost[i] = self.illegal_action == "lose"
        return lost

    def _rewards(
        self, ended: npt.NDArray[np.bool_], lost: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.float64]:
        """The learners' rewards for what was scored since the last ones; often nothing was."""
        games, before = self._games, self._rewarded
        found = np.zeros(self.num_envs)
        for i in np.flatnonzero((games.scores != before).any(axis=1) | ended).tolist():
            after = tuple(games.scores[i].tolist())
            scheme = self._reward_scheme(tuple(before[i].tolist()), after, bool(games.is_over[i]))
            found[i] = -1.0 if lost[i] else scheme[self.seats[i]]
            before[i] = after
        return found

    def _final(self, ended: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """The last observations and infos of games that begin anew in the step that ends them."""
        self._games.show()
        final_obs = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended).tolist():
            final_obs[i] = {key: value[i].copy() for key, value in self._buffers().items()}
        final_info = {key: value.copy() for key, value in self._info().items()}
        for key in [key for key in final_info if key.startswith("_")]:
            final_info[key] = ended.copy()
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }

    def _buffers(self) -> VectorObservation:
        games = self._games
        return {"board": games.boards.reshape(self.num_envs, -1), "globals": games.globals}

    def _observe(self) -> VectorObservation:
        buffers = self._buffers()
        return {key: value.copy() for key, value in buffers.items()} if self.copy else buffers

    def _info(self) -> dict[str, Any]:
        masks = self._games.masks
        found = {
            "action_mask": masks.copy() if self.copy else masks,
            "seat": self.seats.copy(),
            "scores": self._games.scores.copy(),
        }
        return found | {f"_{key}": np.ones(self.num_envs, np.bool_) for key in found}

    def render(self) -> tuple[Any, ...]:
        """A picture or text for each game."""
        renderer = Renderer(self.render_mode)
        return tuple(renderer.render(self.table(i).position()) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self._games.close()

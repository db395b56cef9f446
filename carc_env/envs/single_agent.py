"""The Gymnasium environment: one learner, with opponents in the other seats."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from carc_env.choices import check_choice, whole_seed
from carc_env.envs.display import RENDER_MODES, Renderer
from carc_env.envs.distributions import Dealer, RulesDistribution
from carc_env.envs.illegal import IGNORED_ACTION, ILLEGAL_ACTION, LOSS, IllegalAction
from carc_env.envs.naming import LineUps
from carc_env.envs.opponents import Opponent, act, check_seat, learner_seat
from carc_env.envs.rewards import Ledger, RewardLike
from carc_env.envs.starts import MAX_BEGINNINGS, Start, ended_early, start_of
from carc_env.game.archive import Archive
from carc_env.game.game import Game
from carc_env.game.table import Table
from carc_env.layout.encodings import Arrays, EncodingLike, make_encoding
from carc_env.layout.observations import n_seats
from carc_env.layout.screens import Screen
from carc_env.rules import Rules, RulesLike

NOT_READY = (
    "no game is in progress, or an opponent failed in the middle of a step: call reset() first"
)


class CarcassonneEnv(gymnasium.Env[Arrays, np.int64]):
    """Carcassonne for one learner; registered as ``carc_env/Carcassonne-v1``.

    The observation is ``{"board", "globals"}`` from the learner's point of view, with the board
    planes as one vector, cell by cell: ``board.reshape(view, view, n_planes)``. For other
    encodings, see :mod:`carc_env.layout.encodings`. The mask of legal actions is in
    ``info["action_mask"]`` (int8) and in :meth:`action_masks` (bool), where sb3-contrib's
    MaskablePPO looks for it. ``info["scores"]`` is by seat, and the learner's seat may change from
    game to game: ``info["scores"][info["seat"]]`` is the learner's score.

    Parameters
    ----------
    rules : Rules, str, dict or RulesDistribution, optional
        Rules or what :meth:`Rules.of` accepts: a preset, or a dict of fields. Default: the base
        game with abbot for two players. A distribution of rules
        (:mod:`carc_env.envs.distributions`) draws them for each game; then ``info`` says which
        rules are played (``"rules"``, ``"n_players"``) and after how many other games
        (``"n_games_before"``), and the scores of absent seats are 0.
    opponents : str, Opponent, or a sequence of them
        An agent spec, such as ``"greedy"`` (see :mod:`carc_env.envs.naming`), or any object with
        ``act(table)``. Give one for all other seats, or one per seat, clockwise from the learner.
    seat : int or "random"
        The learner's seat; seat 0 begins. ``"random"`` draws a seat for each game.
    reward : {"outcome", "score_delta", "margin", "projected"} or object
        The reward scheme, see :mod:`carc_env.envs.rewards`. A step's reward includes the effects of
        the opponents' decisions.
    illegal_action : {"raise", "noop", "lose"}
        The effect of an action outside the mask: ``"raise"`` raises a ``ValueError``, ``"noop"``
        does nothing, and ``"lose"`` ends the game with -1. The last two are for API checkers that
        step without masks.
    encoding : {"planes", "tokens", "sparse", "features"}, class or object
        The observation encoding.
    observe_mask, legal_list : bool
        Add the mask, and the padded list, of legal actions to the observation.
    render_mode : {"rgb_array", "ansi", "human"}, optional
        What :meth:`render` returns or shows.
    render_options : mapping, optional
        Options for pictures, see :class:`carc_env.envs.display.Renderer`.
    records : path, optional
        A folder for the records of finished games; it is created if necessary.
    games_per_rules : int
        Number of consecutive games under the same rules, if ``rules`` is a distribution.

    Raises
    ------
    ValueError
        An argument has an invalid value.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        rules: RulesLike | RulesDistribution = None,
        opponents: str | Opponent | Sequence[str | Opponent] = "random",
        seat: int | Literal["random"] = "random",
        reward: RewardLike = "outcome",
        illegal_action: IllegalAction = "raise",
        encoding: EncodingLike = "planes",
        observe_mask: bool = False,
        legal_list: bool = False,
        render_mode: str | None = None,
        render_options: Mapping[str, Any] | None = None,
        records: str | os.PathLike[str] | None = None,
        games_per_rules: int = 1,
    ) -> None:
        self._dealer = Dealer(rules, 1, games_per_rules)
        self.rules = self._dealer.rules
        self.fixed_seat = learner_seat(seat, self.rules)
        self._line_ups = LineUps(opponents, self.rules)
        self.opponents = self._line_ups.under(self.rules)
        self.illegal_action = check_choice("illegal_action", illegal_action, ILLEGAL_ACTION)
        self.render_mode = render_mode
        self.reward = reward
        self._ledger = Ledger(reward, self.rules.n_players)
        form = make_encoding(
            self.rules,
            encoding,
            # Stable-Baselines3 treats any three-dimensional uint8 box as an image.
            flat_board=True,
            action_mask=observe_mask,
            legal_list=legal_list,
        )
        self._renderer = Renderer(render_mode, render_options)
        self._screen = Screen(form)
        self._archive = None if records is None else Archive(records)
        self._table = (Table if records is None else Game)(self.rules, seed=0)
        self._seat = self.fixed_seat or 0
        self._is_going = False
        self.observation_space = form.space()  # type: ignore[assignment]
        self.action_space = spaces.Discrete(self._table.layout.n_actions)

    @property
    def table(self) -> Table:
        """The game in progress, for search and analysis; clone it before you play on it."""
        return self._table

    @property
    def seat(self) -> int:
        """The learner's seat in this game."""
        return self._seat

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the bool mask of legal actions, shape (n_actions,).

        When no game is in progress, only ``IGNORED_ACTION`` is True, so that every mask contains an
        action.
        """
        masks = self._table.action_mask(self._seat).view(np.bool_)
        if not self._is_going:
            masks[:] = False
            masks[IGNORED_ACTION] = True
        return masks

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begin a new game; opponents who decide before the learner have already done so.

        Parameters
        ----------
        seed : int, optional
            The same seed gives the same games; without one, the sequence of games continues.
        options : dict, optional
            ``{"state": state}`` begins at a ``Position`` or a state saved by
            :meth:`Table.save_state`. ``{"rules": rules}`` plays by these rules instead of drawn
            ones.

        If opponents end a game before the learner is asked, another game begins, with the next seed
        and seat in the sequence.

        Raises
        ------
        TypeError
            The seed is not an integer.
        ValueError
            The seed is negative, an option is unknown, the state is refused, or its game is over;
            nothing has changed. Also raised if opponents have ended ``MAX_BEGINNINGS`` games in a
            row; then no game is in progress.
        """
        start = start_of(options or {}, self.rules)
        if start is not None:
            start.check_unfinished()
        fixed = self._dealer.read((options or {}).get("rules"), start)
        if seed is not None:
            seed = whole_seed(seed)
        self._is_going = False
        super().reset(seed=seed)
        self._dealer.restart(0, fixed, is_seeded=seed is not None)
        for _ in range(MAX_BEGINNINGS):
            scores = self._begin(start)
            self._play_opponents()
            if not self._table.is_over:
                break
        else:
            raise ValueError(ended_early(self._seat))
        self._is_going = True
        self._ledger.open(self._table, scores)
        if self.render_mode == "human":
            self.render()
        return self._observe(), self._info()

    def _begin(self, start: Start | None) -> tuple[int, ...]:
        """Begin the next game in the sequence; return its initial scores."""
        self._play_by(self._dealer.deal(0, self.np_random, start))
        game_seed = int(self.np_random.integers(2**64, dtype=np.uint64))
        drawn_seat = int(self.np_random.integers(self.rules.n_players))
        self._seat = (
            drawn_seat if self.fixed_seat is None else check_seat(self.fixed_seat, self.rules)
        )
        if start is None:
            self._table.reset(game_seed)
        else:
            start.lead(self._table, game_seed)
        return self._table.scores

    def _play_by(self, rules: Rules) -> None:
        """Change to other rules in the same layout."""
        if rules == self._table.rules:
            return
        self.rules = rules
        self.opponents = self._line_ups.under(rules)
        self._ledger = Ledger(self.reward, rules.n_players)
        self._table = (Table if self._archive is None else Game)(rules, seed=0)

    def step(self, action: np.int64 | int) -> tuple[Arrays, float, bool, bool, dict[str, Any]]:
        """Carry out the learner's decision and the opponents' decisions that follow.

        Raises
        ------
        ValueError
            The action is not legal and ``illegal_action`` is ``"raise"``; nothing has changed.
        ResetNeeded
            No game is in progress, or an opponent failed in the middle of the last step or reset.
        """
        if not self._is_going:
            raise ResetNeeded(NOT_READY)
        lost, reward = False, 0.0
        if not self._table.is_legal(action):
            if self.illegal_action == "raise":
                self._table.check_legal(action)
            lost = self.illegal_action == "lose"
            reward = LOSS if lost else 0.0
        else:
            self._is_going = False
            self._table.step_unchecked(int(action))
            self._play_opponents()
            self._is_going = True
            reward = self._ledger.give(self._table)[self._seat]
        if self.render_mode == "human":
            self.render()
        if self._archive is not None and self._table.is_over:
            self._archive.keep(self._table)
        self._is_going = not (self._table.is_over or lost)
        return self._observe(), reward, not self._is_going, False, self._info()

    def _play_opponents(self) -> None:
        """Let opponents decide until the learner is asked or the game is over."""
        while not self._table.is_over and self._table.decider != self._seat:
            clockwise = (self._table.decider - self._seat) % self.rules.n_players
            self._table.step_unchecked(act(self.opponents[clockwise - 1], self._table))

    def _observe(self) -> Arrays:
        self._table.show(self._screen, self._seat)
        if not self._is_going:
            self._screen.show_one(0, IGNORED_ACTION)
        return self._screen.copy()

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self.action_masks().view(np.int8),
            "seat": self._seat,
            "scores": self._table.scores + (0,) * (n_seats(self.rules) - self.rules.n_players),
            **self._dealer.told(0, self.rules),
        }

    def __copy__(self) -> CarcassonneEnv:
        return copy.deepcopy(self)

    def render(self) -> Any:
        """Render in ``render_mode``: return pixels or text, or show a window and return None."""
        return self._renderer.render(self._table.position())

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

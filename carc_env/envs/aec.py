"""The PettingZoo environment: agents decide in turn. This module contains no rules."""

from __future__ import annotations

import copy
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable

from carc_env.choices import check_choice, whole_seed
from carc_env.envs.display import RENDER_MODES, Renderer
from carc_env.envs.distributions import Dealer, RulesDistribution
from carc_env.envs.illegal import ILLEGAL_ACTION, LOSS, IllegalAction
from carc_env.envs.rewards import Ledger, RewardLike
from carc_env.envs.starts import start_of
from carc_env.game.archive import Archive
from carc_env.game.game import Game
from carc_env.game.table import Table
from carc_env.layout.encodings import EncodingLike, make_encoding
from carc_env.layout.observations import n_seats
from carc_env.layout.screens import Screen
from carc_env.rules import Rules, RulesLike

API_TEST_OPTION = "options"
"""A meaningless option that PettingZoo's ``api_test`` passes to every environment."""
NOT_READY = "no game is in progress: call reset() first"


class CarcassonneAEC(AECEnv):  # type: ignore[misc]
    """Carcassonne for 2 to 6 agents, ``player_0`` to ``player_{n-1}``.

    Each agent observes ``{"observation": {"board", "globals"}, "action_mask"}`` from its own point
    of view (:mod:`carc_env.layout.encodings`). The mask is int8 and all zeros for agents that are
    not deciding. ``agent_selection`` is the agent that decides next, which is not always the turn
    player.

    Parameters
    ----------
    rules : Rules, str, dict or RulesDistribution, optional
        Rules or what :meth:`Rules.of` accepts: a preset, or a dict of fields. Default: the base
        game with abbot for two players. A distribution of rules
        (:mod:`carc_env.envs.distributions`) draws them for each game. Then the infos say which
        rules are played (``"rules"``, ``"n_players"``) and after how many other games
        (``"n_games_before"``), ``agents`` are those of the game, and ``possible_agents`` those of
        the game with the most players.
    render_mode : {"rgb_array", "ansi", "human"}, optional
        What :meth:`render` returns or shows.
    reward : {"outcome", "score_delta", "margin", "projected"} or object
        The reward scheme, see :mod:`carc_env.envs.rewards`.
    illegal_action : {"raise", "noop", "lose"}
        The effect of an action outside the mask. ``"raise"`` raises a ``ValueError``. ``"noop"``
        does nothing, and the same agent decides again. ``"lose"`` ends the game, with -1 for the
        offender and 0 for the others. The last two are for API checkers and for learners that do
        not use masks.
    encoding : {"planes", "tokens", "sparse", "features"}, class or object
        Encoding of the inner observation, see :mod:`carc_env.layout.encodings`.
    legal_list : bool
        Add the padded list of legal actions to the inner observation: ``"legal"`` and
        ``"n_legal"``.
    render_options : mapping, optional
        Options for pictures, see :class:`carc_env.envs.display.Renderer`.
    records : path, optional
        A folder for the records of finished games; it is created if necessary.
    games_per_rules : int
        Number of consecutive games under the same rules, if ``rules`` is a distribution.
    flat_board : bool
        Return the planes as one vector, as the Gymnasium environment does. Without it,
        Stable-Baselines3 mistakes the board for an image, and its policies fail.

    Raises
    ------
    ValueError
        An argument has an invalid value.
    """

    metadata = {  # noqa: RUF012 - the base class defines it this way
        "name": "carcassonne_v1",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 4,
    }

    def __init__(
        self,
        rules: RulesLike | RulesDistribution = None,
        render_mode: str | None = None,
        reward: RewardLike = "outcome",
        illegal_action: IllegalAction = "raise",
        encoding: EncodingLike = "planes",
        legal_list: bool = False,
        render_options: Mapping[str, Any] | None = None,
        records: str | os.PathLike[str] | None = None,
        flat_board: bool = False,
        games_per_rules: int = 1,
    ) -> None:
        super().__init__()
        self._dealer = Dealer(rules, 1, games_per_rules)
        self.rules = self._dealer.rules
        self.render_mode = render_mode
        self.reward = reward
        self.illegal_action = check_choice("illegal_action", illegal_action, ILLEGAL_ACTION)
        self._ledger = Ledger(reward, self.rules.n_players)
        form = make_encoding(self.rules, encoding, legal_list=legal_list, flat_board=flat_board)
        if flat_board and not form.flat_board:
            raise ValueError(
                "flat_board=True needs an encoding that was also made with flat_board=True"
            )
        self._renderer = Renderer(render_mode, render_options)
        self._screen = Screen(form)
        self._archive = None if records is None else Archive(records)
        self._table = (Table if records is None else Game)(self.rules, seed=0)
        self._random: np.random.Generator | None = None
        self.agents: list[str] = []
        self.possible_agents = [f"player_{seat}" for seat in range(n_seats(self.rules))]
        self.terminations: dict[str, bool] = {}
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        n_actions = self._table.layout.n_actions
        mask_space = spaces.Box(0, 1, (n_actions,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": form.space(), "action_mask": mask_space})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(n_actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's observation space; each call returns the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return an agent's action space; each call returns the same object."""
        return self.action_spaces[agent]

    @property
    def table(self) -> Table:
        """The game in progress, for search and analysis; clone it before you play on it."""
        return self._table

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game; a seed starts a new sequence of games, else the sequence continues.

        Parameters
        ----------
        seed : int, optional
            The same seed gives the same games.
        options : dict, optional
            ``{"state": state}`` begins at a ``Position`` or a state saved by
            :meth:`Table.save_state`. If that game is over, all agents are terminated.
            ``{"rules": rules}`` plays by these rules instead of drawn ones.

        Raises
        ------
        TypeError
            The seed is not an integer; nothing has changed.
        ValueError
            The seed is negative, an option is unknown, or the state is refused; nothing has
            changed.
        """
        options = {k: v for k, v in (options or {}).items() if k != API_TEST_OPTION}
        start = start_of(options, self.rules)
        fixed = self._dealer.read(options.get("rules"), start)
        random = self._random
        if seed is not None or random is None:
            random, _ = seeding.np_random(None if seed is None else whole_seed(seed))
        self._random = random
        self._dealer.restart(0, fixed, is_seeded=seed is not None)
        self._play_by(self._dealer.deal(0, random, start))
        game_seed = int(random.integers(2**64, dtype=np.uint64))
        if start is None:
            self._table.reset(game_seed)
        else:
            start.lead(self._table, game_seed)
        self._begin()

    def _play_by(self, rules: Rules) -> None:
        """Change to other rules in the same layout."""
        if rules == self._table.rules:
            return
        self.rules = rules
        self._ledger = Ledger(self.reward, rules.n_players)
        self._table = (Table if self._archive is None else Game)(rules, seed=0)

    def _told(self) -> dict[str, Any]:
        """Return what the infos say about drawn rules."""
        return self._dealer.told(0, self.rules)

    def _begin(self) -> None:
        self.agents = self.possible_agents[: self.rules.n_players]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, self._table.is_over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: self._told() for agent in self.agents}
        self.agent_selection = self.possible_agents[self._table.decider]
        self._ledger.open(self._table, self._table.scores)
        if self.render_mode == "human":
            self.render()

    def _check_begun(self) -> None:
        if self._random is None:
            raise ResetNeeded(NOT_READY)

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable:
        """Yield the deciding agent until the game is over and all agents have been notified.

        Raises
        ------
        ResetNeeded
            No game has begun.
        """
        self._check_begun()
        return super().agent_iter(max_iter)

    def last(
        self, observe: bool = True
    ) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Return observation, reward since the agent's last decision, terminated, truncated, info.

        All five refer to ``agent_selection``. If ``observe`` is False, the observation is None.

        Raises
        ------
        ResetNeeded
            No game has begun.
        """
        self._check_begun()
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> dict[str, Any]:
        """Return an agent's observation; each call returns new arrays.

        Raises
        ------
        ResetNeeded
            No game has begun.
        ValueError
            No agent has this name.
        """
        self._check_begun()
        playing = self.possible_agents[: self.rules.n_players]
        if agent not in playing:
            raise ValueError(f"no agent is called {agent!r}; agents: {playing}")
        seat = self._seats[agent]
        self._table.show(self._screen, seat)
        if self.terminations.get(agent, True):
            self._screen.hide_actions()
        return {"observation": self._screen.copy(), "action_mask": self._screen.mask.copy()}

    def step(self, action: int | None) -> None:
        """Carry out the decision of ``agent_selection``.

        Raises
        ------
        ValueError
            The action is not legal and ``illegal_action`` is ``"raise"``; nothing has changed.
        ResetNeeded
            No game has begun, or the game is over and all agents have been notified.
        """
        if not self.agents:
            raise ResetNeeded(NOT_READY)
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.infos[agent] = self._told()
        if action is None or not self._table.is_legal(action):
            self._answer_illegal(agent, action)
            return
        self._table.step_unchecked(int(action))
        self._cumulative_rewards[agent] = 0.0
        self._give_rewards(self._ledger.give(self._table))
        if self._table.is_over:
            self._end()
            if self._archive is not None:
                self._archive.keep(self._table)
        else:
            self.agent_selection = self.possible_agents[self._table.decider]
        if self.render_mode == "human":
            self.render()

    def _give_rewards(self, earned: list[float]) -> None:
        self.rewards = dict(zip(self.agents, earned, strict=True))
        if any(earned):
            self._accumulate_rewards()

    def _end(self) -> None:
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[self._table.decider]

    def _answer_illegal(self, agent: str, action: int | None) -> None:
        if self.illegal_action == "raise":
            self._table.check_legal(action)
        self._cumulative_rewards[agent] = 0.0
        lost = self.illegal_action == "lose"
        offence = LOSS if lost else 0.0
        self._give_rewards([offence if a == agent else 0.0 for a in self.agents])
        self.infos[agent] = {"illegal_action": action} | self._told()
        if lost:
            self._end()

    def __copy__(self) -> CarcassonneAEC:
        return copy.deepcopy(self)

    def render(self) -> Any:
        """Render in ``render_mode``: return an RGB array or text, or show a window and return None.

        Raises
        ------
        ResetNeeded
            No game has begun.
        """
        self._check_begun()
        return self._renderer.render(self._table.position())

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

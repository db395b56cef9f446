"""Many games as one Gymnasium vector environment, created by ``gymnasium.make_vec``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NoReturn, SupportsIndex

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from carc_env.choices import check_choice, whole_seed
from carc_env.engine.sight.lanes import NO_ACTION
from carc_env.envs.display import Renderer
from carc_env.envs.distributions import Dealer, RulesDistribution
from carc_env.envs.games import Games, is_inside, players_around
from carc_env.envs.illegal import IGNORED_ACTION, ILLEGAL_ACTION, LOSS, IllegalAction
from carc_env.envs.naming import LineUps
from carc_env.envs.opponents import Opponent, ask, check_seat, learner_seat
from carc_env.envs.rewards import RewardLike
from carc_env.envs.starts import MAX_BEGINNINGS, Start, ended_early
from carc_env.game.archive import Archive
from carc_env.game.game import Game
from carc_env.game.table import Table
from carc_env.layout.encodings import Arrays, EncodingLike, make_encoding
from carc_env.layout.observations import n_seats
from carc_env.layout.screens import space_of_many
from carc_env.rules import Rules, RulesLike
from carc_env.seeds import seeds_of

SELF = "self"
"""Value of ``opponents`` for self-play: every seat is asked."""
RENDER_MODES = ("rgb_array", "ansi")
NOT_AN_ACTION = -1
"""Replaces all smaller numbers, some of which the engine reads as commands."""
OPTIONS = ("reset_mask", "states", "rules")
"""Reset options."""
NOT_READY = (
    "no games are in progress, or an opponent failed in the middle of a step: call reset() for "
    "all games, without a reset_mask"
)

Step = tuple[
    Arrays,
    npt.NDArray[np.float64],
    npt.NDArray[np.bool_],
    npt.NDArray[np.bool_],
    dict[str, Any],
]


class CarcassonneVectorEnv(VectorEnv[Arrays, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """Many games of :class:`carc_env.envs.single_agent.CarcassonneEnv` in one array of states.

    Game i behaves exactly like a single environment with game i's seed, which is seed number i from
    :func:`carc_env.seeds.seeds_of`. In *self-play* (``opponents="self"``), the agent decides for
    every seat: the observation and the mask belong to ``info["seat"]``, and a step's reward is what
    that seat has earned since it was last asked. At the end of a game, it is the reward of the seat
    that decided last. ``info["rewards"]`` contains what every seat earned in the step, whether or
    not it decides again.

    Observations and the arrays in ``info`` are buffers that the next call overwrites: copy whatever
    you want to keep, or pass ``copy=True``. Rewards, terminations and truncations are new arrays.
    ``info["scores"]`` is by seat; the learner's seat may differ in each game, so
    ``info["scores"][np.arange(num_envs), info["seat"]]`` gives the learners' scores.

    Parameters
    ----------
    num_envs : int
        Number of games.
    rules, opponents, seat, reward, illegal_action, encoding, observe_mask, legal_list
        As for the single environment. With a distribution of rules, every game draws its own;
        ``info`` has ``"rules"``, ``"n_players"`` and ``"n_games_before"``, and entries of absent
        seats are 0. ``opponents`` may also be ``"self"``. All games share
        opponents that are not built in. An opponent with ``act_many(tables)`` is asked about all
        games at once; an opponent with only ``act(table)`` is asked about one game at a time.
    autoreset_mode : AutoresetMode
        When a new game follows a finished one: in the next step (default), in the same step, or
        only after ``reset(options={"reset_mask": ...})``.
    num_threads : int
        Number of threads that share the games; results do not depend on it.
    copy : bool
        Return copies of the buffers.
    render_mode : {"rgb_array", "ansi"}, optional
        What :meth:`render` returns for each game.
    render_options : mapping, optional
        Options for pictures, see :class:`carc_env.envs.display.Renderer`.
    records : path, optional
        A folder for the records of finished games; it is created if necessary.
    games_per_rules : int
        Number of consecutive games of a row under the same rules, if ``rules`` is a distribution.
    out : dict of ndarray, optional
        Your own arrays for observations, used instead of the environment's buffers, for example
        pinned memory for GPU transfers or shared memory. The keys are some or all of the names in
        ``observation_space``. Shapes and dtypes must match, and the arrays must be C-contiguous.
        Arrays aligned to 64 bytes are fastest.

    Raises
    ------
    ValueError
        An argument has an invalid value, or an array in ``out`` does not match.
    """

    closed = True  # until there are threads to stop

    def __init__(
        self,
        num_envs: int = 1,
        rules: RulesLike | RulesDistribution = None,
        opponents: str | Opponent | Sequence[str | Opponent] = "random",
        seat: int | Literal["random"] = "random",
        reward: RewardLike = "outcome",
        illegal_action: IllegalAction = "raise",
        encoding: EncodingLike = "planes",
        observe_mask: bool = False,
        legal_list: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        num_threads: int = 1,
        copy: bool = False,
        render_mode: str | None = None,
        render_options: Mapping[str, Any] | None = None,
        records: str | os.PathLike[str] | None = None,
        out: Arrays | None = None,
        games_per_rules: int = 1,
    ) -> None:
        self._dealer = Dealer(rules, num_envs, games_per_rules)
        self.rules = self._dealer.rules
        n_players = n_seats(self.rules)
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self._renderer = Renderer(render_mode, render_options)
        self._archive = None if records is None else Archive(records)
        self._recorded: dict[int, Game] = {}
        self.fixed_seat = learner_seat(seat, self.rules)
        self.is_self_play = isinstance(opponents, str) and opponents == SELF
        if self.is_self_play and self.fixed_seat is not None:
            raise ValueError(f"in self-play every seat decides: leave out seat={seat!r}")
        self._rivals = None if self.is_self_play else LineUps(opponents, self.rules)
        self.opponents = self._rivals.under(self.rules) if self._rivals else []
        self.illegal_action = check_choice("illegal_action", illegal_action, ILLEGAL_ACTION)
        modes = [mode.value for mode in AutoresetMode]
        self.autoreset_mode = AutoresetMode(
            check_choice("autoreset_mode", getattr(autoreset_mode, "value", autoreset_mode), modes)
        )
        self.copy, self.render_mode, self.num_envs = copy, render_mode, num_envs
        self.metadata = {
            "render_modes": list(RENDER_MODES),
            "render_fps": 4,
            "autoreset_mode": self.autoreset_mode,
        }
        form = make_encoding(
            self.rules, encoding, flat_board=True, action_mask=observe_mask, legal_list=legal_list
        )
        games = Games(self.rules, num_envs, form, reward=reward, num_threads=num_threads, out=out)
        self._games, self._buffers = games, games.seen
        self._actions, self._n_legal = games.lanes["action"], games.lanes["n_legal"]
        self._earned = games.lanes["reward"]
        self._infos = {
            "action_mask": games.canvas.masks,
            "seat": games.lanes["seat"],
            "scores": games.scores,
            "rewards": games.lanes["rewards"][:, :n_players],
        }
        if self._dealer.varies:
            self._infos |= {
                "rules": np.full(num_envs, None, object),
                "n_players": games.states["rules"]["n_players"],
                "n_games_before": np.zeros(num_envs, np.int64),
            }
        self._infos |= {f"_{key}": np.ones(num_envs, np.bool_) for key in self._infos}
        self._randoms = [seeding.np_random()[0] for _ in range(num_envs)]
        self._starts: list[Start | None] = [None] * num_envs
        self._has_ended = np.zeros(num_envs, np.bool_)
        self._none = np.zeros(num_envs, np.bool_)
        self._is_ready = False
        line_ups = [self.line_up(i) for i in range(num_envs)]
        # Decisions inside the kernel leave no trace, so with records all players are asked from
        # outside the kernel.
        self._has_guests = self._archive is not None or not all(
            is_inside(rival) for rivals in line_ups for rival in rivals
        )
        self.single_observation_space = form.space()
        self.single_action_space = spaces.Discrete(games.canvas.masks.shape[1])
        self.observation_space = space_of_many(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.closed = False

    @property
    def seats(self) -> npt.NDArray[np.int64]:
        """The observing seat in each game, shape (num_envs,)."""
        seats: npt.NDArray[np.int64] = self._games.lanes["seat"]
        return seats

    def line_up(self, i: int) -> list[Opponent]:
        """Return game i's opponents, clockwise from the learner; subclasses may override it."""
        return self._rivals.under(self.rules_of(i)) if self._rivals else []

    def rules_of(self, i: int) -> Rules:
        """Return the rules of game i."""
        return self._games.rules_of[i]

    def table(self, i: int) -> Table:
        """Return game i as it is until the next step; clone it to play on it or to keep it.

        Raises
        ------
        ResetNeeded
            No games are in progress, or an opponent failed in the middle of the last step.
        """
        if not self._is_ready:
            raise ResetNeeded(NOT_READY)
        return self._games.table(i)

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions as a bool buffer, shape (num_envs, n_actions)."""
        masks: npt.NDArray[np.bool_] = self._games.canvas.masks.view(np.bool_)
        return masks

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | npt.NDArray[np.integer] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Arrays, dict[str, Any]]:
        """Begin new games; opponents who decide before the learners have already done so.

        Parameters
        ----------
        seed : int, sequence or array of int, optional
            Game i gets seed number i from :func:`carc_env.seeds.seeds_of` or from the given
            sequence. Without a seed, or with None in the sequence, game i's sequence of games
            continues.
        options : dict, optional
            ``{"reset_mask": mask}`` restarts only some games; the mask is bool, shape (num_envs,).
            The other games continue, and their ``info["rewards"]`` is 0. ``{"states": states}``
            makes game i begin at ``states[i]``, which is a ``Position``, a state saved by
            :meth:`Table.save_state`, or None for a new game. States for games that continue are
            ignored. Later games in the same row also begin at its state, until the row is next
            reset. ``{"rules": rules}`` fixes the rules of all games until the rows are next reset;
            a list gives the rules of each game, or None to draw them.

        If opponents end a game before the learner is asked, another game begins, with the next seed
        and seat in the sequence.

        Raises
        ------
        TypeError
            A seed is not an integer.
        ValueError
            The mask, the seeds or the states have the wrong length, a seed is negative, an option
            is unknown, or a state is refused, has other rules than those given, or its game is
            over; nothing has changed. Also
            raised if opponents have ended ``MAX_BEGINNINGS`` games in a row; then no games are in
            progress.
        ResetNeeded
            The mask restarts only some games, but the others have not begun, or an opponent failed
            in the middle of the last step; nothing has changed.
        """
        options = options or {}
        for option in options:
            check_choice("an option of reset", option, OPTIONS)
        mask = self._reset_mask(options)
        starts = self._read_starts(options, mask)
        fixed = self._read_rules(options, starts)
        if not (self._is_ready or mask.all()):
            raise ResetNeeded(NOT_READY)
        seeds = self._read_seeds(seed)
        with self._changed():
            for i in np.flatnonzero(mask).tolist():
                if (own := seeds[i]) is not None:
                    self._randoms[i] = seeding.np_random(own)[0]
                self._starts[i] = starts[i]
                self._dealer.restart(i, fixed[i], is_seeded=own is not None)
            self._begin(mask)
            self._play()
            self._begin_again(mask)
            self._has_ended[mask] = False
            self._infos["rewards"][~mask] = 0.0
        return self._observe(), self._info()

    @contextmanager
    def _changed(self) -> Iterator[None]:
        """Mark all games as not in progress unless the block runs to completion."""
        self._is_ready = False
        yield
        self._is_ready = True

    def _read_seeds(self, seed: Any) -> list[int | None]:
        """Return each game's seed from a reset's seed; None if the game's sequence continues."""
        if seed is None:
            return [None] * self.num_envs
        if np.ndim(seed) == 0:
            return [*seeds_of(seed, self.num_envs)]
        if len(seed) != self.num_envs:
            raise ValueError(f"{len(seed)} seeds for {self.num_envs} games")
        return [None if one is None else whole_seed(one) for one in seed]

    def _reset_mask(self, options: dict[str, Any]) -> npt.NDArray[np.bool_]:
        """Return which games the reset options restart, bool, shape (num_envs,)."""
        mask = np.asarray(options.get("reset_mask", np.ones(self.num_envs, np.bool_)))
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ValueError(
                f"reset_mask must be bool, of shape ({self.num_envs},), with a True value"
            )
        return mask

    def _read_starts(
        self, options: dict[str, Any], mask: npt.NDArray[np.bool_]
    ) -> list[Start | None]:
        """Return where the masked games begin, from the reset options; None for a new game."""
        given = options.get("states", [None] * self.num_envs)
        if not isinstance(given, list | tuple) or len(given) != self.num_envs:
            raise ValueError(
                f"states must be a list of {self.num_envs}, one for each game, None for a new one"
            )
        read: dict[int, Start | None] = {id(None): None}
        for i in np.flatnonzero(mask).tolist():
            if id(given[i]) in read:
                continue
            try:
                start = read[id(given[i])] = Start(given[i], self.rules)
                start.check_unfinished()
            except ValueError as error:
                raise ValueError(f"states[{i}]: {error}") from None
        return [read.get(id(one)) for one in given]

    def _read_rules(
        self, options: dict[str, Any], starts: Sequence[Start | None]
    ) -> list[Rules | None]:
        """Return the rules that the reset options fix for each game; None for drawn ones."""
        given = options.get("rules")
        each = given if isinstance(given, list | tuple) else [given] * self.num_envs
        if len(each) != self.num_envs:
            raise ValueError(f"{len(each)} rules for {self.num_envs} games")
        kinds: dict[tuple[int, int], Rules | None] = {}
        for one, start in zip(each, starts, strict=True):
            if (key := (id(one), id(start))) not in kinds:
                kinds[key] = self._dealer.read(one, start)
        return [kinds[id(one), id(start)] for one, start in zip(each, starts, strict=True)]

    def step(self, actions: npt.NDArray[np.int64]) -> Step:
        """Carry out the decisions of the observing seats and the opponents' decisions that follow.

        Actions for games that restart in this step are ignored; the masks of these games allow only
        ``IGNORED_ACTION``.

        Raises
        ------
        ValueError
            An action is not legal and ``illegal_action`` is ``"raise"``, or a game is over and
            ``autoreset_mode`` is disabled; nothing has changed. Also raised if opponents have ended
            ``MAX_BEGINNINGS`` games in a row before the learner was asked; then no games are in
            progress.
        ResetNeeded
            No games are in progress, or an opponent failed in the middle of the last step.
        """
        if not self._is_ready:
            raise ResetNeeded(NOT_READY)
        begins = self._has_ended
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be integers of shape ({self.num_envs},), got {actions.dtype} of "
                f"shape {actions.shape}"
            )
        any_begins = bool(begins.any())
        if any_begins and self.autoreset_mode == AutoresetMode.DISABLED:
            raise ValueError(f"game {begins.argmax()} is over: reset it with a reset_mask")
        self._actions[:] = actions
        np.maximum(self._actions, NOT_AN_ACTION, out=self._actions)
        if any_begins:
            self._actions[begins] = NO_ACTION
        lost = self._drop_illegal(actions)
        with self._changed():
            if any_begins:
                self._begin(begins)
            self._play()
            if any_begins:
                self._begin_again(begins)
            ended, rewards = self._n_legal == 0, self._earned.copy()
            if lost is not None:
                ended |= lost
                rewards[lost] = LOSS
                self._infos["rewards"][lost, self.seats[lost]] = LOSS
            if ended.any():
                self._games.show_one(ended, IGNORED_ACTION)
            info = self._info()
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                if ended.any():
                    info = self._begin_ended(ended, info)
            else:
                self._has_ended = ended.copy()
        return self._observe(), rewards, ended, self._none.copy(), info

    def _begin(self, which: npt.NDArray[np.bool_]) -> None:
        """Begin some games at their starts; they have yet to be played to their first decision."""
        for i in np.flatnonzero(which).tolist():
            start = self._starts[i]
            rules = self._dealer.deal(i, self._randoms[i], start)
            n_players = rules.n_players
            self._games.turn_to(i, rules)
            seed = int(self._randoms[i].integers(2**64, dtype=np.uint64))
            drawn = int(self._randoms[i].integers(n_players))
            seat = None
            players: list[Opponent | None] = [None] * n_players
            if not self.is_self_play:
                seat = drawn if self.fixed_seat is None else check_seat(self.fixed_seat, rules)
                if self._archive is None:
                    players = players_around(seat, self.line_up(i))
            self._recorded.pop(i, None)
            if self._archive is not None and start is None:
                self._recorded[i] = Game(rules, seed=seed)
            if start is None:
                self._games.begin(i, seed, players, seat=seat, rules=rules)
            else:
                self._games.begin_at(i, start.states(seed), players, seat=seat, rules=rules)
            if self._dealer.varies:
                self._infos["rules"][i] = rules
                self._infos["n_games_before"][i] = self._dealer.n_before[i]

    def _begin_again(self, which: npt.NDArray[np.bool_]) -> None:
        """Replace new games that opponents have already ended."""
        for _ in range(1, MAX_BEGINNINGS):
            over = which & (self._n_legal == 0)
            if not over.any():
                return
            self._begin(over)
            self._play()
        over = which & (self._n_legal == 0)
        if over.any():
            i = int(over.argmax())
            raise ValueError(f"game {i}: {ended_early(int(self.seats[i]))}")

    def _play(self) -> None:
        self._carry_out()
        if self._has_guests:
            self._ask_guests()

    def _carry_out(self) -> None:
        """Let the kernel play on, and add the actions to the records."""
        if self._archive is not None:
            for i, game in list(self._recorded.items()):
                if self._actions[i] < 0:
                    continue
                # An opponent who chooses at random draws from the game's random numbers, which
                # later decide dice and tokens: what is recorded plays on from the game itself.
                game.states[:] = self._games.states[i : i + 1]
                game.step_unchecked(int(self._actions[i]))
                if game.is_over:
                    self._archive.keep(self._recorded.pop(i))
        self._games.play()

    def _ask_guests(self) -> None:
        """Let opponents outside the kernel decide until every learner is asked."""
        games = self._games
        while waiting := np.flatnonzero(games.lanes["waits"]).tolist():
            tables = [games.table(i) for i in waiting]
            guests = [self._guest(i, table) for i, table in zip(waiting, tables, strict=True)]
            self._actions[waiting] = ask(guests, tables)
            self._carry_out()

    def _guest(self, i: int, table: Table) -> Opponent:
        """Return the opponent who decides in game i."""
        clockwise = (table.decider - int(self.seats[i])) % table.rules.n_players
        return self.line_up(i)[clockwise - 1]

    def _drop_illegal(self, actions: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_] | None:
        """Handle illegal actions, if any; return the games that they lose."""
        games = self._games
        if (i := games.illegal_lane()) is None:
            return None
        lost = np.zeros(self.num_envs, np.bool_)
        while i is not None:
            self._actions[i] = NO_ACTION
            if self.illegal_action == "raise":
                self._actions[:] = NO_ACTION
                try:
                    games.table(i).check_legal(int(actions[i]))
                except ValueError as error:
                    raise ValueError(f"game {i}: {error}") from None
            lost[i] = self.illegal_action == "lose"
            self._earned[i], games.lanes["rewards"][i] = 0.0, 0.0
            i = games.illegal_lane()
        return lost

    def _begin_ended(self, ended: npt.NDArray[np.bool_], info: dict[str, Any]) -> dict[str, Any]:
        """Restart games in the step that ended them; their last observations go into the info."""
        final_obs = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended).tolist():
            final_obs[i] = {key: rows[i].copy() for key, rows in self._buffers.items()}
        final_info = {
            key: ended.copy() if key.startswith("_") else value.copy()
            for key, value in info.items()
        }
        self._begin(ended)
        self._play()
        self._begin_again(ended)
        return self._info() | {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }

    def _observe(self) -> Arrays:
        if self.copy:
            return {key: rows.copy() for key, rows in self._buffers.items()}
        return dict(self._buffers)

    def _info(self) -> dict[str, Any]:
        if self.copy:
            return {key: rows.copy() for key, rows in self._infos.items()}
        return dict(self._infos)

    def render(self) -> tuple[Any, ...]:
        """Return a picture or text for each game; there are none before :meth:`reset`."""
        if not self._is_ready:
            raise ResetNeeded(NOT_READY)
        return tuple(self._renderer.render(self.table(i).position()) for i in range(self.num_envs))

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(
            "this environment cannot be copied or pickled, because its games share buffers: make "
            "another environment, or clone the tables"
        )

    def close_extras(self, **kwargs: Any) -> None:
        """Stop the threads."""
        self._games.close()

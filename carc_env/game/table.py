"""A game as environments and agents use it: fast, without names and without a log."""

from __future__ import annotations

import hashlib
import operator
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple, Self, SupportsIndex

import numpy as np
import numpy.typing as npt

from carc_env.choices import check_seed
from carc_env.engine import entry
from carc_env.engine.compiler.jit import without_lookup
from carc_env.engine.core.codes import Figure, Phase, Problem
from carc_env.engine.core.state import NO_DESIGN, STATE, new_states, states_from_bytes
from carc_env.engine.core.tiles import N_DESIGNS, TILE_ID
from carc_env.game.conversion import read_position
from carc_env.game.soundness import check_record
from carc_env.layout.actions import action_layout
from carc_env.layout.encodings import Arrays, Encoding, EncodingLike, shared_encoding
from carc_env.layout.screens import Screen
from carc_env.layout.template import legal_buffer, template
from carc_env.position import Position
from carc_env.rules import Layout, Rules, RulesLike
from carc_env.search.players import GreedyPlayer
from carc_env.systems import SYSTEMS, figures_in_play, supplies_of

is_listed, mask_of, observe, step = map(
    without_lookup, (entry.is_listed, entry.mask_of, entry.observe, entry.step)
)

STATE_HEADER = b"carc_env state 1"
_FORM = hashlib.sha256(repr(STATE.fields).encode()).hexdigest()[:16]


def _form_of(rules: Rules) -> bytes:
    """Return what a saved state says about its fields, and about a shared layout."""
    return f"{_FORM} {rules.layout.digest}".encode() if rules.layout else _FORM.encode()


def rules_saved(saved: bytes) -> Rules | None:
    """Return the rules in a saved state, with a layout of their own; None if there are none."""
    parts = saved.split(b"\n", 4)
    if len(parts) < 5 or parts[0] != STATE_HEADER:
        return None
    return Rules.from_yaml(parts[3].decode())


NUMBERS: dict[int, int] = {
    code: number for system in SYSTEMS for code, number in system.outcomes.items()
}
"""The number that a move reports for each chance outcome other than a tile draw."""


def _outcome(code: int) -> str | int:
    """Return the name of an outcome that :mod:`carc_env.search.draws` lists."""
    return TILE_ID[code] if code < N_DESIGNS else NUMBERS[code - N_DESIGNS]


class _Chance(NamedTuple):
    """A step that waits for an outcome of chance; see :mod:`carc_env.search.draws`."""

    before: bytes
    """The record that the step starts from."""
    progress: tuple[int, ...]
    outcomes: dict[str | int, tuple[int, float]]
    """The code and the probability of each outcome."""


class Table:
    """A game played by action number.

    Parameters
    ----------
    rules : Rules, str or dict, optional
        Rules or what :meth:`Rules.of` accepts: a preset, or a dict of fields. Default: the base
        game with abbot for two players.
    seed : int, optional
        Shuffles the bag. Default: a random seed.
    """

    _n_legal: int
    _chance: _Chance | None = None

    def __init__(self, rules: RulesLike = None, *, seed: int | None = None) -> None:
        self._adopt(Rules.of(rules), new_states(1))
        self.reset(seed)

    @classmethod
    def at(cls, rules: Rules, states: npt.NDArray[Any]) -> Self:
        """Return a table that shares the record, shape (1,), of a game under the rules, unchecked.

        Use the table only while the record stays the same, or clone it to play on. A
        :class:`carc_env.Game` created this way has action names but no log.
        """
        table = cls.__new__(cls)
        table._adopt(rules, states)
        table._list_legal()
        return table

    @classmethod
    def side_by_side(
        cls,
        rules: RulesLike | list[Rules],
        seeds: Sequence[int] | npt.NDArray[np.integer],
    ) -> tuple[list[Self], npt.NDArray[Any]]:
        """Return new games with the given seeds, and the array, shape (n,), of all their records.

        ``rules`` are those of all games, or a list with those of each game.

        Playing on a table changes its record in the array; don't change the array yourself, and
        don't load saved states.
        """
        given = rules if isinstance(rules, list) else [Rules.of(rules)] * len(seeds)
        games = [(one, int(seed)) for one, seed in zip(given, seeds, strict=True)]
        states = states_from_bytes(
            b"".join(cls(one, seed=seed)._states.tobytes() for one, seed in games)
        )
        return [cls.at(one, states[i : i + 1]) for i, (one, _) in enumerate(games)], states

    def _adopt(self, rules: Rules, states: npt.NDArray[Any]) -> None:
        self.rules = rules
        self.layout = action_layout(rules)
        self._buffer = legal_buffer()
        self._seats = range(rules.n_players)
        self._hold(states)

    def _hold(self, states: npt.NDArray[Any]) -> None:
        """Store a record, with views of frequently read fields (reading a record is slow)."""
        self._states = states
        self._phase, self._decider = states["phase"], states["decider"]
        self._game = object()
        self._points = states["players"]["score"][0, : self.rules.n_players]

    def reset(self, seed: int | None = None) -> None:
        """Begin a new game under the same rules."""
        self._begin(seed)
        self._settle()

    def in_layout(self, layout: Layout | None) -> Table:
        """Return a copy of the game in another layout, or in its own: only the numbers differ.

        Raises
        ------
        ValueError
            The layout has no room for the rules, or another view.
        """
        rules = self.rules.replace(layout=layout)
        states = states_from_bytes(self._states.tobytes())
        states["rules"] = template(rules)["rules"]
        return Table.at(rules, states)

    def step(self, action: SupportsIndex) -> None:
        """Carry out a legal action and, with ``auto_single``, any decisions with only one choice.

        Raises
        ------
        ValueError
            The action is not legal; the message gives the action, the phase and the number of
            legal actions. The game is unchanged.
        """
        self.check_legal(action)
        self.step_unchecked(operator.index(action))

    def step_unchecked(self, action: int) -> None:
        """Carry out an action as :meth:`step` does, without checking that it is legal."""
        self._n_legal = step(self._states, 0, action, self._buffer)

    # Chance.

    @classmethod
    def before_first_draw(cls, rules: RulesLike = None, *, seed: int | None = None) -> Table:
        """Return a new game whose first tile is still to be drawn, see :meth:`draws`.

        The seed matters only with ``deck_size``: it decides which tiles are left out, and everybody
        knows these.
        """
        from carc_env.search import draws

        rules, states = Rules.of(rules), draws.memory.filled(0)
        draws.set_up_game(states, np.uint64(check_seed(seed)), template(rules))
        return cls._up_to_chance(rules, draws.BEGIN)

    def afterstate(self, action: SupportsIndex) -> Table:
        """Return a copy of the game after a legal action, stopped before chance decides anything.

        If the action draws a tile or a token, or rolls a die, the copy waits for :meth:`deal`.
        Otherwise, it is at the next decision. Whatever nobody knows, in the bag or face down, is in
        an order of its own there: the copy depends on public information alone. As in :meth:`step`,
        decisions with only one choice follow.

        Raises
        ------
        ValueError
            The action is not legal.

        Examples
        --------
        >>> table = Table(seed=1)
        >>> after = table.afterstate(table.legal_actions()[0])
        >>> after.draws()  # the figure action is next
        {}
        >>> after = after.afterstate(after.legal_actions()[0])
        >>> len(after.draws()), round(sum(after.draws().values()), 9)
        (32, 1.0)
        >>> after.deal("bg-cap")
        >>> after.tile_in_hand, after.draws()
        ('bg-cap', {})
        """
        from carc_env.search import draws

        self.check_legal(action)
        draws.memory.filled(self._states.view(np.uint8))
        return Table._up_to_chance(self.rules, operator.index(action))

    @classmethod
    def _up_to_chance(cls, rules: Rules, action: int) -> Table:
        """Return a game after an action that is carried out in the thread's record BEFORE."""
        from carc_env.search import draws

        draws.forget_hidden(draws.memory.states)
        table = Table.__new__(Table)
        table._adopt(rules, draws.memory.states)
        table._advance(np.array((action, 0, 0), np.int64))
        return table

    def _advance(self, progress: npt.NDArray[np.int64]) -> None:
        """Go on with a step to the next outcome of chance, or to the next decision."""
        from carc_env.search import draws

        states = draws.memory.states
        codes, weights = np.empty((2, draws.MAX_CODES), np.int64)
        n = draws.advance(states, progress, codes, weights, self._buffer)
        self._hold(draws.memory.after())
        self._chance, self._n_legal = None, int(progress[draws.N_LEGAL])
        if n > 0:
            shares = (weights[:n] / weights[:n].sum()).tolist()
            listed = zip(codes[:n].tolist(), shares, strict=True)
            named = {_outcome(code): (code, share) for code, share in listed}
            before = draws.memory.before()
            self._chance, self._n_legal = _Chance(before, tuple(progress.tolist()), named), 0

    def draws(self) -> dict[str | int, float]:
        """Return the outcomes of chance that the game waits for, with their probabilities.

        It waits only if it comes from :meth:`afterstate` or :meth:`before_first_draw`: after
        :meth:`step`, everything is drawn, and the result is empty.

        The outcomes are the ids of tiles that can be drawn or turned up in a bazaar; the numbers of
        sheep on a token, 0 for a wolf; or the numbers on a die. The probabilities are exact, given
        what everybody knows, and sum to 1. A tile that lies face down, such as one under a hill, is
        no outcome; its design can still be drawn. Tiles that cannot be placed are outcomes; after
        one of them, the next tile is drawn.
        """
        if self._chance is None:
            return {}
        return {outcome: share for outcome, (_, share) in self._chance.outcomes.items()}

    def deal(self, outcome: str | int) -> None:
        """Let chance decide on one of the outcomes in :meth:`draws`.

        The game goes on to the next outcome of chance, or to the next decision. Tiles that nobody
        can see remain in an order of their own, the same for the same outcomes: :meth:`reshuffle`
        before you use them.

        Raises
        ------
        ValueError
            The game does not wait for this outcome. The game is unchanged.
        """
        from carc_env.search import draws

        if self._chance is None or outcome not in self._chance.outcomes:
            expected = ", ".join(map(str, self.draws())) or "nothing: call afterstate first"
            raise ValueError(f"{outcome!r} cannot be drawn now; possible: {expected}")
        states = draws.memory.filled(np.frombuffer(self._chance.before, np.uint8))
        progress = np.array(self._chance.progress, np.int64)
        draws.choose(states, progress, self._chance.outcomes[outcome][0])
        self._advance(progress)

    def _begin(self, seed: int | None) -> None:
        self._chance = None
        self._game = object()
        entry.begin(self._states, 0, template(self.rules), np.uint64(check_seed(seed)))

    def _settle(self) -> None:
        """Make decisions with only one choice, if the rules say so, and list the legal actions."""
        self._n_legal = entry.settle_game(self._states, 0, self._buffer)

    def _list_legal(self) -> None:
        if self._chance is not None:
            self._n_legal = 0
            return
        self._n_legal = entry.legal(self._states, 0, self._buffer)

    def is_legal(self, action: SupportsIndex) -> bool:
        """Return whether an action is legal now; only integers can be legal."""
        try:
            number = operator.index(action)
        except TypeError:
            return False
        if not 0 <= number < self.layout.n_actions:
            return False
        return bool(is_listed(self._buffer, self._n_legal, number))

    def check_legal(self, action: SupportsIndex | None) -> None:
        """Raise the ``ValueError`` of :meth:`step` if an action is not legal."""
        if action is None or not self.is_legal(action):
            reason = f"there are {self._n_legal} legal actions, see the action mask"
            if self._chance is not None:
                reason = "chance comes first, see draws and deal"
            if not isinstance(action, SupportsIndex):
                reason = f"an action is an int, not of type {type(action).__name__}"
            raise ValueError(
                f"action {action} is not legal for seat {self.decider} in phase {self.phase.name}: "
                f"{reason}"
            )

    def legal_actions(self) -> list[int]:
        """Return the decider's legal actions in ascending order; empty if the game is over."""
        return sorted(self._buffer[: self._n_legal].tolist())

    def action_mask(self, seat: int | None = None) -> npt.NDArray[np.int8]:
        """Return the legal-action mask of a seat or the decider, int8, shape (n_actions,)."""
        self._check_seat(seat)
        mask = np.empty(self.layout.n_actions, np.int8)
        is_asked = seat is None or seat == self.decider
        mask_of(self._buffer, self._n_legal if is_asked else 0, mask)
        return mask

    def observe(self, seat: int | None = None, encoding: EncodingLike = "planes") -> Arrays:
        """Return a seat's observation, by default the decider's; each call returns new arrays.

        Parameters
        ----------
        seat : int, optional
            The observer.
        encoding : EncodingLike
            The encoding: a name, a class or an object, see :mod:`carc_env.layout.encodings`.

        Raises
        ------
        ValueError
            There is no such seat or encoding, or the encoding is for different rules.
        """
        if not isinstance(encoding, Encoding):
            encoding = shared_encoding(self.rules, encoding)
        screen = Screen(encoding)
        self.show(screen, seat)
        return screen.rows

    def show(self, screen: Screen, seat: int | None = None) -> None:
        """Write a seat's observation to a screen; fast if the screen is used for this table only.

        Raises
        ------
        ValueError
            The screen is for different rules.
        """
        self._check_seat(seat)
        screen.turn_to(self._game, self.rules)
        who = self.decider if seat is None else seat
        observe(self._states, 0, who, self._buffer[: self._n_legal], screen.canvas)
        if screen.has_own:
            screen.write_own_of(self, who)

    def _check_seat(self, seat: int | None) -> None:
        if seat is not None and seat not in self._seats:
            raise ValueError(f"seat must be 0 to {self.rules.n_players - 1}, got {seat!r}")

    def _check_running(self) -> None:
        if self._n_legal == 0:
            reason = "the game is over" if self._chance is None else "chance comes first: call deal"
            raise ValueError(f"there is no action because {reason}")

    def _check_dealt(self) -> None:
        if self._chance is not None:
            raise ValueError("a game that waits for chance cannot be written: call deal first")

    def greedy_action(self) -> int:
        """Return the built-in greedy player's action.

        Raises
        ------
        ValueError
            The game is over.
        """
        self._check_running()
        return GreedyPlayer().act(self)

    def random_action(self) -> int:
        """Return a uniformly random legal action, drawn with the game's random numbers.

        Nothing else changes; these random numbers are used only for random actions.

        Raises
        ------
        ValueError
            The game is over.
        """
        self._check_running()
        return int(self._buffer[entry.random_number(self._states, 0, self._n_legal)])

    def clone(self) -> Self:
        """Return an independent copy; the same actions lead to the same game, draws included."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._hold(states_from_bytes(self._states.tobytes()))
        other._buffer = self._buffer.copy()
        return other

    __copy__ = clone

    def reshuffle(self, seed: int) -> None:
        """Use the seed to reorder the tiles that nobody can see, in the bag or face down."""
        entry.reshuffle(self._states, 0, np.uint64(check_seed(seed)))

    # Properties of the game.

    @property
    def states(self) -> npt.NDArray[Any]:
        """The game's record, shape (1,), for kernels; do not change it."""
        return self._states

    @property
    def phase(self) -> Phase:
        """The question that the decider must answer."""
        return Phase(int(self._phase[0]))

    @property
    def is_over(self) -> bool:
        """Whether the game is over and finally scored."""
        return bool(self._phase.item() == Phase.GAME_OVER)

    @property
    def decider(self) -> int:
        """The seat that decides now."""
        return int(self._decider.item())

    @property
    def turn_player(self) -> int:
        """The seat whose turn it is."""
        return int(self._states[0].turn_player)

    @property
    def tile_in_hand(self) -> str | None:
        """The drawn tile that is not yet placed, if any."""
        hand = int(self._states[0].hand)
        return TILE_ID[hand] if hand != NO_DESIGN else None

    @property
    def n_tiles_left(self) -> int:
        """Number of tiles left in the bag."""
        return int(self._states[0].n_bag)

    @property
    def scores(self) -> tuple[int, ...]:
        """Every seat's points so far; final once the game is over."""
        return tuple(self._points.tolist())

    @property
    def standings(self) -> tuple[int, ...]:
        """Every seat's points if the game ended now."""
        out = np.zeros((1, self.rules.n_players), np.int64)
        entry.standings(self._states, out)
        return tuple(out[0].tolist())

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats with the most points: a win can be shared (BASE-28). Empty before the end."""
        best = max(self.scores)
        return tuple(p for p, score in enumerate(self.scores) if score == best and self.is_over)

    def supply(self, seat: int) -> dict[Figure, int]:
        """Return how many figures of each kind a seat has in its supply."""
        self._check_seat(seat)
        supply = self._states[0].players[seat].supply.tolist()
        return {figure: supply[figure] for figure in figures_in_play(self.rules)}

    def stock(self, seat: int) -> dict[str, int]:
        """Return what else a seat holds or has collected, besides figures: ``{"abbeys": 1}``."""
        self._check_seat(seat)
        stock = self._states[0].players[seat].stock.tolist()
        return {supply.name: stock[supply.stock] for supply in supplies_of(self.rules)}

    def position(self) -> Position:
        """Return the position, including the bag order.

        Raises
        ------
        ValueError
            The game waits for :meth:`deal`.
        """
        self._check_dealt()
        return read_position(self.rules, self._states, 0)

    def problems(self) -> Problem:
        """Return what is wrong with the state; no flags if it is sound."""
        return Problem(int(entry.problems(self._states, 0)))

    # The state as bytes.

    def save_state(self) -> bytes:
        """Return the complete game as bytes, including hidden and random parts.

        Raises
        ------
        ValueError
            The game waits for :meth:`deal`.
        """
        self._check_dealt()
        rules = self.rules.plain.to_yaml().encode()
        body = b"\n".join((_form_of(self.rules), rules, self._states.tobytes()))
        return b"\n".join((STATE_HEADER, f"{zlib.crc32(body):08x}".encode(), body))

    def load_state(self, saved: bytes) -> None:
        """Load a state that :meth:`save_state` returned under the same rules.

        Raises
        ------
        ValueError
            The bytes are truncated, edited, from another version or for different rules, or the
            state cannot occur in a game; the table is unchanged.
        """
        parts = saved.split(b"\n", 4)
        if len(parts) < 5 or parts[0] != STATE_HEADER:
            raise ValueError(f"not a saved state: it does not begin with {STATE_HEADER.decode()!r}")
        _, check, layout, rules, content = parts
        if layout.partition(b" ")[0] != _FORM.encode():
            raise ValueError("the state was saved by another version of carc_env")
        body = b"\n".join((layout, rules, content))
        if check != f"{zlib.crc32(body):08x}".encode():
            raise ValueError("the saved state was cut off or edited: its checksum is wrong")
        if change := Rules.from_yaml(rules.decode()).differences(self.rules.plain):
            raise ValueError(f"the state was saved under other rules (there -> here): {change}")
        if layout != _form_of(self.rules):
            raise ValueError("the state was saved in another layout than the game has here")
        if len(content) != STATE.itemsize:
            raise ValueError("the saved state does not hold exactly one game")
        states = states_from_bytes(content)
        try:
            check_record(self.rules, states)
        except ValueError as error:
            raise ValueError(f"the saved state is not sound: {error}") from error
        self._hold(states)
        self._chance = None
        self._list_legal()

    def __getstate__(self) -> dict[str, Any]:
        made_anew = ("layout", "_buffer", "_seats", "_phase", "_decider", "_points", "_game")
        fields = {k: v for k, v in self.__dict__.items() if k not in made_anew}
        return {**fields, "_states": self._states.tobytes()}

    def __setstate__(self, fields: dict[str, Any]) -> None:
        # Arrays are not pickled: some ways of pickling would make all copies share memory.
        self._adopt(fields["rules"], states_from_bytes(fields["_states"]))
        self.__dict__.update({k: v for k, v in fields.items() if k != "_states"})
        self._list_legal()

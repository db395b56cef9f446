"""One game for people and for search: legal actions with names, apply, clone, scores, text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from carc_env.actions import N_ROTATIONS, action_layout
from carc_env.engine import batch
from carc_env.engine.codes import Figure, Kind, Phase
from carc_env.engine.problems import Problem
from carc_env.engine.state import BOARD
from carc_env.engine.tiles import DESIGN, TILE_ID
from carc_env.notation import SEATS, format_place, format_position
from carc_env.position import PlacedTile, Position
from carc_env.rules import Rules
from carc_env.setup import (
    coordinates_of,
    legal_buffer,
    read_position,
    set_up,
    template,
    total_in_bag,
)

MAX_SEED = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Move:
    """A decision that was carried out; the name is as people read it."""

    turn: int
    """Number of the turn, from 0."""
    turn_player: int
    seat: int
    """Who decided; need not be the turn player."""
    name: str
    scores: tuple[int, ...]
    """Scores of all seats after it."""
    aside: tuple[str, ...] = ()
    """Tiles put aside just before it (BASE-05)."""


@dataclass(frozen=True, slots=True)
class Score:
    """Points that a seat got for a feature."""

    seat: int
    points: int
    kind: Kind


class Game:
    """A game of Carcassonne.

    Parameters
    ----------
    rules : Rules, optional
        Default: the base game with abbot for two players.
    seed : int, optional
        Shuffles the bag; without it a random seed is taken. 0 to 2**64 - 1.
    draw : sequence of str, optional
        The tiles of the bag in the order in which they are drawn, instead of a shuffled bag. Must
        be all tiles of the game but the start tile.

    Raises
    ------
    ValueError
        ``draw`` does not hold the tiles of the game, or the seed is out of range.
    """

    def __init__(
        self,
        rules: Rules | None = None,
        *,
        seed: int | None = None,
        draw: Sequence[str] | None = None,
    ) -> None:
        self.rules = rules or Rules()
        if seed is None:
            seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        if not 0 <= seed <= MAX_SEED:
            raise ValueError(f"seed must be from 0 to 2**64 - 1, got {seed}")
        states = template(self.rules).copy()
        if draw is None:
            batch.begin(states, 0, template(self.rules), np.uint64(seed))
        else:
            states[0].rng = seed
            _order_bag(states, draw)
            batch.begin_ordered(states, 0)
        self._adopt(states)

    def _adopt(self, states: npt.NDArray[Any]) -> None:
        self._states = states
        self._layout = action_layout(self.rules)
        self._buffer = legal_buffer()
        self._moves: list[Move] = []
        self._scores: list[Score] = []
        self.initial_position = read_position(self.rules, states, 0)
        is_new = len(self.initial_position.tiles) == 1
        self._n_drawn_before = 0 if is_new else len(self.drawn)
        self._take_single_choices()

    @classmethod
    def from_position(cls, position: Position, *, seed: int = 0) -> Self:
        """A game that goes on from a position; ``seed`` shuffles the bag where it is unknown.

        Raises
        ------
        ValueError
            The position breaks a rule; the message says which tile or figure and why.
        """
        game = cls.__new__(cls)
        game.rules = position.rules
        game._adopt(set_up(position, seed))
        return game

    def clone(self) -> Self:
        """An independent copy; the same actions lead to the same game, draws included."""
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._states = self._states.copy()
        other._buffer = legal_buffer()
        other._moves = self._moves.copy()
        other._scores = self._scores.copy()
        return other

    def reshuffle(self, seed: int) -> None:
        """Put what nobody can see, the rest of the bag, into another order (for search)."""
        batch.reshuffle(self._states, 0, np.uint64(seed))

    # What is on the table.

    @property
    def phase(self) -> Phase:
        """The question that the decider has to answer."""
        return Phase(int(self._states[0].phase))

    @property
    def is_over(self) -> bool:
        """Whether the game is over and finally scored."""
        return self.phase == Phase.GAME_OVER

    @property
    def decider(self) -> int:
        """The seat that decides now."""
        return int(self._states[0].decider)

    @property
    def turn_player(self) -> int:
        """The seat whose turn it is."""
        return int(self._states[0].turn_player)

    @property
    def tile_in_hand(self) -> str | None:
        """The tile drawn and not yet placed."""
        hand = int(self._states[0].hand)
        return TILE_ID[hand] if hand >= 0 else None

    @property
    def n_tiles_left(self) -> int:
        """Tiles in the bag."""
        return int(self._states[0].n_bag)

    @property
    def drawn(self) -> tuple[str, ...]:
        """All tiles drawn so far, in order, those put aside included."""
        drawn = self._states[0].bag[self.n_tiles_left : total_in_bag(self.rules)][::-1]
        return tuple(TILE_ID[design] for design in drawn)

    @property
    def scores(self) -> tuple[int, ...]:
        """Points of every seat so far; final ones when the game is over."""
        return tuple(int(p.score) for p in self._states[0].players[: self.rules.n_players])

    @property
    def standings(self) -> tuple[int, ...]:
        """Points that every seat would end with if the game were over now."""
        out = np.zeros(self.rules.n_players, np.int64)
        batch.standings(self._states, 0, out)
        return tuple(int(points) for points in out)

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats with most points; several share a win (BASE-28). Empty before the end."""
        best = max(self.scores)
        return tuple(p for p, score in enumerate(self.scores) if score == best and self.is_over)

    def supply(self, seat: int) -> dict[Figure, int]:
        """Figures of a seat that are not on the board."""
        return {figure: int(self._states[0].players[seat].supply[figure]) for figure in Figure}

    @property
    def moves(self) -> tuple[Move, ...]:
        """All decisions so far, those with a single choice included."""
        return tuple(self._moves)

    @property
    def last_scores(self) -> tuple[Score, ...]:
        """What the last :meth:`apply` scored, in order."""
        return tuple(self._scores)

    def position(self) -> Position:
        """The position with the order of the bag."""
        return read_position(self.rules, self._states, 0)

    def problems(self) -> Problem:
        """What is wrong with the state; no flags for a sound one."""
        return Problem(int(batch.problems(self._states, 0)))

    def __str__(self) -> str:
        return format_position(self.position())

    def __repr__(self) -> str:
        status = "over" if self.is_over else f"{SEATS[self.decider]} to {self.phase.name.lower()}"
        return f"<Game {':'.join(map(str, self.scores))}, {status}, {self.n_tiles_left} in the bag>"

    # Actions.

    def legal_actions(self) -> list[int]:
        """The legal actions of the decider, ascending; empty when the game is over."""
        n = batch.legal(self._states, 0, self._buffer)
        return sorted(int(action) for action in self._buffer[:n])

    def action_mask(self) -> npt.NDArray[np.int8]:
        """Shape (n_actions,): 1 for legal actions, else 0."""
        mask = np.zeros(self._layout.n_actions, np.int8)
        batch.legal_mask(self._states, 0, self._buffer, mask)
        return mask

    def name(self, action: int) -> str:
        """An action in the words of the notation, such as ``bg-cap 0,-1 r2`` or ``meeple N``.

        Raises
        ------
        ValueError
            The action is outside of the action space.
        """
        if self._layout.block_of(action).name != "tile" or self.tile_in_hand is None:
            return self._layout.name(action)
        row, column = divmod(action // N_ROTATIONS, self.rules.view)
        s = self._states[0]
        cell = (row + int(s.view_row)) * BOARD + column + int(s.view_column)
        x, y = coordinates_of(cell)
        return format_place(PlacedTile(self.tile_in_hand, x, y, action % N_ROTATIONS))

    def action(self, name: str) -> int:
        """The legal action that has a name.

        Raises
        ------
        ValueError
            No legal action has the name; the message lists a few that there are.
        """
        names = {self.name(action): action for action in self.legal_actions()}
        if name not in names:
            some = ", ".join(list(names)[:8]) or "none, the game is over"
            raise ValueError(
                f"{name!r} is not legal for {SEATS[self.decider]} in phase {self.phase.name} "
                f"({len(names)} legal actions: {some}{', ...' if len(names) > 8 else ''})"
            )
        return names[name]

    def apply(self, action: int | str) -> None:
        """Carry out a legal action, by number or by name, and then decisions with a single choice.

        Raises
        ------
        ValueError
            The action is not legal; the message gives the phase and the number of legal actions.
            The game is unchanged.
        """
        if isinstance(action, str):
            action = self.action(action)
        legal = self.legal_actions()
        if action not in legal:
            raise ValueError(
                f"action {action} is not legal for {SEATS[self.decider]} in phase "
                f"{self.phase.name} ({len(legal)} legal actions)"
            )
        self._scores = []
        self._carry_out(action)
        self._take_single_choices()

    def _carry_out(self, action: int) -> None:
        s = self._states[0]
        who = (int(s.turn), self.turn_player, self.decider)
        name = self.name(action)
        aside = self.drawn[self._n_drawn_before : -1]
        self._n_drawn_before = len(self.drawn)
        batch.apply(self._states, 0, action)
        self._moves.append(Move(*who, name, self.scores, aside))
        self._scores += [
            Score(int(e.seat), int(e.points), Kind(int(e.kind)))
            for e in s.events[: int(s.n_events)]
        ]

    def _take_single_choices(self) -> None:
        while self.rules.auto_single and len(legal := self.legal_actions()) == 1:
            self._carry_out(legal[0])


def _order_bag(states: npt.NDArray[Any], draw: Sequence[str]) -> None:
    """Put the bag into a given draw order."""
    s = states[0]
    n = int(s.n_bag)
    for tile in draw:
        if tile not in DESIGN:
            raise ValueError(f"draw: unknown tile {tile!r}")
    designs = [DESIGN[tile] for tile in draw]
    if sorted(designs) != sorted(s.bag[:n]):
        raise ValueError(
            f"draw must hold the {n} tiles of the game but the start tile, each as often as the "
            f"set has it; it holds {len(designs)}"
        )
    s.bag[:n] = designs[::-1]

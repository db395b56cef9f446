"""The players of seats without a learner, and how to ask them."""

from __future__ import annotations

import operator
from collections.abc import Sequence, Sized
from typing import Any, Literal, Protocol, runtime_checkable

import numpy.typing as npt

from carc_env.engine.core.state import states_from_bytes
from carc_env.game.table import Table
from carc_env.rules import Rules
from carc_env.search.players import GreedyPlayer, InsightPlayer, OnePly, ValuePlayer


@runtime_checkable
class Opponent(Protocol):
    """Any object that can play a seat."""

    def act(self, table: Table) -> int:
        """Return a legal action for ``table.decider``. Do not change the table; clone it instead.

        You may call the table's ``random_action()``, which draws from the game's random numbers.
        """


@runtime_checkable
class BatchOpponent(Protocol):
    """A player that can decide at many tables at once."""

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        """Return a legal action for the decider of each table."""


class ContractError(ValueError):
    """An agent gave no legal action or changed a table; the message gives agent and reason."""


class RandomPlayer:
    """Chooses uniformly among the legal actions, with the game's random numbers."""

    def act(self, table: Table) -> int:
        """Return a random legal action."""
        return table.random_action()


TRUSTED = frozenset((RandomPlayer, GreedyPlayer, ValuePlayer, InsightPlayer, OnePly))
"""Players whose actions are not checked."""

Noted = tuple[npt.NDArray[Any], bytes, int]
"""A table's record, the record's bytes, and the seat that is asked."""


def check_opponent(opponent: object) -> None:
    """Raise a ``ValueError`` if an object cannot play."""
    if isinstance(opponent, type):
        raise ValueError(
            f"an opponent must be an object, but {opponent!r} is a class: make an instance of it"
        )
    if not callable(getattr(opponent, "act", None)):
        raise ValueError(f"an opponent needs a method act(table), but {opponent!r} has none")


def act(player: Opponent, table: Table) -> int:
    """Return a player's action at one table.

    Raises
    ------
    ContractError
        The action is not legal, or the player has changed the table.
    """
    if type(player) in TRUSTED:
        return player.act(table)
    before = _note(table)
    return _accept(player, player.act(table), table, before)


def act_many(player: Opponent, tables: Sequence[Table]) -> list[int]:
    """Return a player's actions at many tables; a player with ``act_many`` is asked only once.

    Raises
    ------
    ContractError
        The player has not given a legal action for each table, or has changed one of them.
    """
    if not isinstance(player, BatchOpponent):
        return [act(player, table) for table in tables]
    before = [_note(table) for table in tables]
    actions = player.act_many(tables)
    if not isinstance(actions, Sized) or len(actions) != len(tables):
        found = f"{len(actions)} actions" if isinstance(actions, Sized) else repr(actions)
        seats = ", ".join(map(str, sorted({seat for _, _, seat in before})))
        raise ContractError(
            f"{_name(player)} at seat {seats}: act_many gave {found} for {len(tables)} tables"
        )
    return [
        _accept(player, action, table, noted)
        for action, table, noted in zip(actions, tables, before, strict=True)
    ]


def _note(table: Table) -> Noted:
    """Return what is needed to check a table after a player has been asked."""
    return table.states, table.states.tobytes(), table.decider


def _accept(player: Opponent, action: Any, table: Table, before: Noted) -> int:
    """Return a player's action if it is legal and the table is unchanged."""
    # Cloning for each decision would cost as much, and would let a random player draw the same
    # number again and again.
    states, content, seat = before
    if table.states is not states or _is_changed(states, content):
        raise ContractError(
            f"{_name(player)} at seat {seat}, who decided {action}, has changed the table: "
            "clone a table to play on it"
        )
    try:
        table.check_legal(action)
    except ValueError as error:
        raise ContractError(f"{_name(player)}: {error}") from None
    return operator.index(action)


def _name(player: Opponent) -> str:
    """Return a player's name for messages."""
    return str(getattr(player, "name", type(player).__name__))


def _is_changed(states: npt.NDArray[Any], content: bytes) -> bool:
    """Return whether a game differs from its saved bytes by more than its random numbers."""
    if states.tobytes() == content:
        return False
    before = states_from_bytes(content)
    before["rng"] = states["rng"]
    return states.tobytes() != before.tobytes()


def ask(players: Sequence[Opponent], tables: Sequence[Table]) -> list[int]:
    """Return each player's action at its table; a player with several tables is asked once.

    Raises
    ------
    ValueError
        A player gave no legal action at one of its tables, or changed a table.
    """
    places: dict[int, list[int]] = {}
    for k, player in enumerate(players):
        places.setdefault(id(player), []).append(k)
    actions: dict[int, int] = {}
    for where in places.values():
        chosen = act_many(players[where[0]], [tables[k] for k in where])
        actions |= zip(where, chosen, strict=True)
    return [actions[k] for k in range(len(tables))]


def learner_seat(seat: int | Literal["random"], rules: Rules) -> int | None:
    """Return the learner's seat, or None if each game draws one.

    Raises
    ------
    ValueError
        There is no such seat, or the tiles run out before the seat's first turn.
    """
    return None if seat == "random" else check_seat(seat, rules)


def check_seat(seat: int, rules: Rules) -> int:
    """Return a seat in which a learner can decide.

    Raises
    ------
    ValueError
        There is no such seat, or the tiles run out before the seat's first turn.
    """
    if seat not in range(rules.n_players):
        raise ValueError(f"seat must be 0 to {rules.n_players - 1} or 'random', got {seat!r}")
    if rules.deck_size is not None and rules.deck_size <= seat:
        raise ValueError(
            f"seat {seat} never decides in a game of deck_size={rules.deck_size}: choose a lower "
            "seat or more tiles"
        )
    return int(seat)

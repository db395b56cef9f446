"""Who plays the other seats of the single-agent environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol, runtime_checkable

from carc_env.choices import check_choice
from carc_env.table import Table


@runtime_checkable
class Opponent(Protocol):
    """Anything that can play a seat."""

    def act(self, table: Table) -> int:
        """A legal action for ``table.decider``. The table must not be changed: clone it."""


@runtime_checkable
class BatchOpponent(Protocol):
    """A player that can decide at many tables at once."""

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        """A legal action for the decider of each table."""


class RandomPlayer:
    """Uniformly random among the legal actions, with the random numbers of the game."""

    def act(self, table: Table) -> int:
        """A random legal action."""
        return table.random_action()


class GreedyPlayer:
    """One-ply search on the projected final score, tile and figure together."""

    def act(self, table: Table) -> int:
        """The action that looks best one ply ahead."""
        return table.greedy_action()


BUILT_IN: dict[str, type[RandomPlayer] | type[GreedyPlayer]] = {
    "random": RandomPlayer,
    "greedy": GreedyPlayer,
}


def make_opponent(opponent: str | Opponent) -> Opponent:
    """A built-in opponent by name, or the object itself.

    Raises
    ------
    ValueError
        No opponent has the name.
    """
    if isinstance(opponent, str):
        return BUILT_IN[check_choice("opponent", opponent, BUILT_IN)]()
    if isinstance(opponent, type):
        raise ValueError(f"an opponent is an object, {opponent!r} is a class: make one of it")
    if not isinstance(opponent, Opponent):
        raise ValueError(f"an opponent needs a method act(table), {opponent!r} has none")
    return opponent


def act_many(player: Opponent, tables: Sequence[Table]) -> list[int]:
    """The actions of a player at many tables; one with ``act_many`` is asked once.

    Raises
    ------
    ValueError
        The player has not given one action for each table.
    """
    if isinstance(player, BatchOpponent):
        actions = player.act_many(tables)
        if len(actions) != len(tables):
            name = type(player).__name__
            raise ValueError(
                f"{name}.act_many gave {len(actions)} actions for {len(tables)} tables"
            )
        return actions
    return [player.act(table) for table in tables]


def ask(players: Sequence[Opponent], tables: Sequence[Table]) -> list[int]:
    """The action of each player at the table in the same place; who is there often is asked once.

    Raises
    ------
    ValueError
        A player has not given one action for each of its tables.
    """
    places: dict[int, list[int]] = {}
    for k, player in enumerate(players):
        places.setdefault(id(player), []).append(k)
    actions: dict[int, int] = {}
    for where in places.values():
        chosen = act_many(players[where[0]], [tables[k] for k in where])
        actions |= zip(where, chosen, strict=True)
    return [actions[k] for k in range(len(tables))]


def learner_seat(seat: int | Literal["random"], n_players: int) -> int | None:
    """The seat of a learner, None for one that is drawn in each game.

    Raises
    ------
    ValueError
        There is no such seat.
    """
    if seat == "random":
        return None
    if seat not in range(n_players):
        raise ValueError(f"seat must be 0 to {n_players - 1} or 'random', got {seat!r}")
    return int(seat)


def seat_opponents(
    opponents: str | Opponent | Sequence[str | Opponent], n_opponents: int
) -> list[Opponent]:
    """One opponent for each of the other seats, clockwise from the learner.

    Raises
    ------
    ValueError
        Unknown names or a wrong number of opponents.
    """
    if isinstance(opponents, str) or not isinstance(opponents, Sequence):
        opponents = [opponents] * n_opponents
    if len(opponents) != n_opponents:
        raise ValueError(f"opponents: {n_opponents} seats to fill, got {len(opponents)} players")
    return [make_opponent(opponent) for opponent in opponents]

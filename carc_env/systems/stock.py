"""Supplies: how much of something every player has in hand, as text and in the record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import Stock
from carc_env.position import Position
from carc_env.rules import Rules
from carc_env.systems.declaring import Fields, Text
from carc_env.words import Page, format_scores


def stock_text(word: str, each: Callable[[Rules], int]) -> Text:
    """Return a header with numbers by seat; without the header, everybody has the full number."""

    def read(page: Page) -> Fields:
        return {word: page.stock(word, each(page.rules))}

    def write(position: Position) -> Iterator[str]:
        if numbers := getattr(position, word):
            yield f"{word} {format_scores(numbers)}"

    return Text((word,), read, write)


def stock_in_hand(s: Any, stock: Stock) -> tuple[int, ...]:
    """Return how many of a thing every seat has, empty if it is not in play."""
    n_seats = int(s.rules.n_players) if s.rules.unit[stock] else 0
    return tuple(s.players["stock"][:n_seats, stock].tolist())


def put_in_hand(states: npt.NDArray[Any], stock: Stock, numbers: tuple[int, ...]) -> None:
    """Write how many of a thing every seat has."""
    for player, n in zip(states[0].players, numbers, strict=False):
        player.stock[stock] = n


def check_stock(what: str, in_hand: tuple[int, ...], each: int, rules: Rules) -> None:
    """Raise a ``ValueError`` if a seat has fewer than zero or more than ``each``."""
    if len(in_hand) != rules.n_players * (each > 0):
        raise ValueError(f"{len(in_hand)} numbers of {what} for {rules.n_players} players")
    if any(not 0 <= n <= each for n in in_hand):
        raise ValueError(f"{what} {in_hand} in hand: every seat has 0 to {each}")


def check_sum(what: str, in_hand: tuple[int, ...], n_laid: int, each: int) -> None:
    """Raise a ``ValueError`` if the things in hand and on the board do not add up."""
    if sum(in_hand) + n_laid != each * len(in_hand):
        raise ValueError(
            f"{what} {in_hand} in hand and {n_laid} on the board: every seat has {each} in total"
        )

"""Hills & Sheep: shepherds and their flocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy.typing as npt

from carc_env.engine.core.codes import Block, Figure, Outcome, Phase, Problem, Stock
from carc_env.position import Position
from carc_env.sets.hills_sheep.shepherd.kernels import TOKENS, WOLF
from carc_env.systems.declaring import (
    Actions,
    Fields,
    Question,
    Record,
    Stance,
    Supply,
    System,
    Text,
)
from carc_env.systems.stock import put_in_hand, stock_in_hand
from carc_env.words import SEATS, NotationError, Page, parse_seat

NAMES = ("one sheep", "two sheep", "three sheep", "four sheep")
"""Names of the tokens that lie beside shepherds."""
SHEEP = (Stock.SHEEP_1, Stock.SHEEP_2, Stock.SHEEP_3, Stock.SHEEP_4)


def _supply(kind: int) -> Supply:
    n = int(TOKENS[kind])
    return Supply(SHEEP[kind], NAMES[kind], lambda _: 0, lambda _: n, "sheep", kind + 1)


def _read(page: Page) -> Fields:
    seats: list[tuple[int, ...]] = [()] * (page.rules.n_players if page.rules.shepherds else 0)
    for line, text in page.listed("sheep"):
        letter, *tokens = text.split()
        seat = parse_seat(letter, line)
        if seat >= len(seats) or not tokens or not set(tokens) <= {"1", "2", "3", "4"}:
            raise NotationError(line, f"expected a seat and its tokens as 'A 1 3', found {text!r}")
        if seats[seat]:
            raise NotationError(line, f"the sheep of {letter} are named twice")
        seats[seat] = tuple(sorted(map(int, tokens)))
    return {"sheep": tuple(seats)}


def _write(position: Position) -> Iterator[str]:
    flocks = [
        f"{SEATS[seat]} {' '.join(map(str, tokens))}"
        for seat, tokens in enumerate(position.sheep)
        if tokens
    ]
    if flocks:
        yield f"sheep {', '.join(flocks)}"


def _of_record(states: npt.NDArray[Any], i: int) -> Fields:
    by_kind = [stock_in_hand(states[i], stock) for stock in SHEEP]
    return {
        "sheep": tuple(
            tuple(kind + 1 for kind, n in enumerate(numbers) for _ in range(n))
            for numbers in zip(*by_kind, strict=True)
        )
    }


def _into_record(states: npt.NDArray[Any], position: Position) -> None:
    rules = position.rules
    if len(position.sheep) != rules.n_players * rules.shepherds:
        raise ValueError(f"sheep of {len(position.sheep)} seats for {rules.n_players} players")
    for kind in range(WOLF):
        held = tuple(tokens.count(kind + 1) for tokens in position.sheep)
        if sum(held) > TOKENS[kind]:
            raise ValueError(f"{sum(held)} tokens with {NAMES[kind]}: there are {TOKENS[kind]}")
        put_in_hand(states, SHEEP[kind], held)
    for seat, tokens in enumerate(position.sheep):
        has_shepherd = any(
            figure.seat == seat and figure.figure == Figure.SHEPHERD for figure in position.figures
        )
        if has_shepherd != bool(tokens):
            raise ValueError(
                f"seat {seat}: a shepherd and [sheep ...] go together, write both (HS-26)"
            )


SHEPHERDS = System(
    name="hills-sheep",
    is_on=lambda rules: rules.shepherds,
    switches=("shepherds",),
    figures={Figure.SHEPHERD: Stance("the field at a half-edge, or an enclosed one")},
    questions=(
        Question(
            Phase.FLOCK,
            "tends",
            "GROW OR HERD",
            "turn player",
            accepting="grow",
            declining="herd",
            asks="Do you draw a token for your flock, or herd it in for its points?",
        ),
    ),
    actions=(
        Actions(Block.ACCEPT, "let the flock grow"),
        Actions(Block.DECLINE, "herd the flock"),
    ),
    supplies=tuple(map(_supply, range(WOLF))),
    outcomes={
        Outcome.ONE_SHEEP: 1,
        Outcome.TWO_SHEEP: 2,
        Outcome.THREE_SHEEP: 3,
        Outcome.FOUR_SHEEP: 4,
        Outcome.WOLF: 0,
    },
    brought={"shepherd": "draws", "grow": "draws"},
    problems={
        Problem.FLOCKS: "sheep and shepherds are inconsistent, there are more tokens than the "
        "bag had, or a flock in a closed field was not herded (HS-26, HS-34)"
    },
    text=Text(("sheep",), _read, _write),
    record=Record(_of_record, _into_record),
)

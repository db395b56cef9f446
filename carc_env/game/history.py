"""A game from its first decision to its last: its positions and the sources of its points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from carc_env.game.game import Game, Score

OTHER = "payments"
"""The source of points that no feature scored: bazaar payments and ransoms."""


@dataclass(frozen=True, slots=True)
class Step:
    """A decision in a game, with the decisions that followed automatically."""

    game: Game
    """The game after the decision. The next step changes this object: clone it to keep it."""
    n_moves: int
    """Number of logged moves made so far."""
    scored: tuple[Score, ...]
    paid: tuple[int, ...]
    """Points that seats received or paid outside scoring."""


def steps_of(game: Game) -> Iterator[Step]:
    """Yield all decisions of a game that stores its moves, from the start of its log."""
    again = Game.from_position(game.initial_position)
    before = again.scores
    for k, move in enumerate(game.moves):
        if len(again.moves) > k:
            continue
        again.apply(move)
        scored = again.last_scores
        gained = [after - old for after, old in zip(again.scores, before, strict=True)]
        for score in scored:
            gained[score.seat] -= score.points
        before = again.scores
        yield Step(again, len(again.moves), scored, tuple(gained))


@dataclass(frozen=True)
class Account:
    """Where a game's points came from.

    Attributes
    ----------
    sources
        Each seat's points by source: feature kinds and goods in lower case, and payments.
    course
        The scores of all seats after each turn.
    """

    sources: tuple[Counter[str], ...]
    course: tuple[tuple[int, ...], ...]


def account_of(game: Game) -> Account:
    """Return the sources of a game's points, and when they were scored."""
    sources: tuple[Counter[str], ...] = tuple(Counter() for _ in game.scores)
    course: dict[int, tuple[int, ...]] = {}
    for step in steps_of(game):
        for score in step.scored:
            sources[score.seat][score.kind.name.lower()] += score.points
        for seat, points in enumerate(step.paid):
            if points:
                sources[seat][OTHER] += points
        course[game.moves[step.n_moves - 1].turn] = step.game.scores
    return Account(sources, tuple(course.values()))

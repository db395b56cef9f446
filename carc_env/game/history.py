"""A game from its first decision to its last: where it stood, and where its points came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from carc_env.game.game import Game, Score

OTHER = "payments"
"""The source of points that no feature brought: what was paid in a bazaar, or as a ransom."""


@dataclass(frozen=True, slots=True)
class Step:
    """A decision of a game, with those that followed by themselves."""

    game: Game
    """As it stands after the decision; it is played on for the next step: clone it to keep it."""
    n_moves: int
    """How many moves of the log are made."""
    scored: tuple[Score, ...]
    paid: tuple[int, ...]
    """What seats got, or gave, besides what was scored."""


def steps_of(game: Game) -> Iterator[Step]:
    """All decisions of a game that knows its moves, from where its log begins."""
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
    """Where the points of a game came from.

    Attributes
    ----------
    sources
        For every seat the points by source: kinds of features and goods in lower case, and what
        was paid.
    course
        The scores of all seats after each turn.
    """

    sources: tuple[Counter[str], ...]
    course: tuple[tuple[int, ...], ...]


def account_of(game: Game) -> Account:
    """Where the points of a game came from, and when."""
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

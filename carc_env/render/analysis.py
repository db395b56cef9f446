"""An agent's opinion of a position: as text, and drawn on the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from carc_env.engine.core.codes import Phase
from carc_env.game.game import Game
from carc_env.render.legal import Mark
from carc_env.render.picture import board_svg


class Thought(Protocol):
    """An agent's opinion of one action, as ``analyse`` returns it."""

    @property
    def action(self) -> int:
        """The action."""

    @property
    def value(self) -> float:
        """The decider's expected final lead, in points."""

    @property
    def visits(self) -> int:
        """Number of times that the action was examined."""


def analysis_text(game: Game, lines: Sequence[Thought], n: int = 10) -> str:
    """Return the best actions, one per line: value, visits, name.

    Parameters
    ----------
    game : Game
        The game in which the actions are legal.
    lines : sequence
        The result of ``agent.analyse(game)``, best action first.
    n : int
        Number of actions to list; the remaining actions are only counted.
    """
    told = [f"{line.value:+7.2f} {line.visits:9,}  {game.name(line.action)}" for line in lines[:n]]
    if len(lines) > n:
        told.append(f"... and {len(lines) - n} more")
    return "\n".join(["   lead    visits  action", *told])


def analysis_svg(
    game: Game,
    lines: Sequence[Thought],
    n: int = 10,
    *,
    width: int | None = None,
    height: int | None = None,
) -> str:
    """Return the board with the best actions drawn on it: ghosts of tiles or figures, and values.

    If several placements share a cell, the best one is drawn. Actions without a location (bids,
    passing) appear only in :func:`analysis_text`.

    Parameters
    ----------
    game, lines, n
        As for :func:`analysis_text`.
    width, height
        As for :func:`carc_env.render.board_svg`.

    Returns
    -------
    str
        An SVG document; marks are groups with the class ``mark``.
    """
    best = lines[0].action if lines else None
    marks: dict[object, Mark] = {}
    for line in lines[:n]:
        mark = _mark(game, line, is_best=line.action == best)
        if mark is not None:
            marks.setdefault((mark.x, mark.y, mark.spot), mark)
    drawn = sorted(marks.values(), key=lambda mark: mark.is_best)
    return board_svg(game.position(), width=width, height=height, marks=drawn)


def _mark(game: Game, line: Thought, *, is_best: bool) -> Mark | None:
    """Return an action's mark; None if the action has no location."""
    choice = game.choice(line.action)
    text = f"{line.value:+.1f}"
    if choice.cell is not None and game.phase == Phase.PLACE_TILE and choice.rotation is not None:
        x, y = choice.cell
        return Mark(x, y, text, is_best, tile=game.tile_in_hand, rotation=choice.rotation)
    if choice.figure is not None and choice.spot is not None:
        last = game.position().tiles[-1]
        x, y = choice.cell or (last.x, last.y)
        return Mark(x, y, text, is_best, figure=choice.figure, spot=choice.spot)
    if choice.cell is not None:
        return Mark(*choice.cell, text, is_best)
    return None

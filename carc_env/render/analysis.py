"""What an agent thinks of a position: as text, and drawn over the board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from carc_env.engine.core.codes import Phase
from carc_env.game.game import Game
from carc_env.render.legal import Mark
from carc_env.render.picture import board_svg


class Thought(Protocol):
    """What an agent thinks of one action; whatever ``analyse`` gives has these."""

    @property
    def action(self) -> int:
        """The action."""

    @property
    def value(self) -> float:
        """By how many points the decider expects to be ahead at the end."""

    @property
    def visits(self) -> int:
        """How often it was looked at."""


def analysis_text(game: Game, lines: Sequence[Thought], n: int = 10) -> str:
    """The best actions, one a line: value, visits, name.

    Parameters
    ----------
    game : Game
        Where they can be taken.
    lines : sequence
        What ``agent.analyse(game)`` gave, the best action first.
    n : int
        How many are told; of the others only how many there are.
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
    """The board with the best actions drawn over it: ghosts of tiles or figures, and their values.

    Of several placements on a cell the best one is drawn. Actions without a place (bids, passing)
    are told by :func:`analysis_text` only.

    Parameters
    ----------
    game, lines, n
        As for :func:`analysis_text`.
    width, height
        As for :func:`carc_env.render.board_svg`.

    Returns
    -------
    str
        An SVG document; marks are groups of the class ``mark``.
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
    """The mark of an action; None for one without a place."""
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

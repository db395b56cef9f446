"""Films of games, for sharing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO

from carc_env.position import Position
from carc_env.render import board_rgb
from carc_env.render.film import Frame, write_gif
from carc_env.render.picture import neutral_svgs
from carc_env.web.play import Decision, Start, repeat

WIDTH, HEIGHT = 720, 540
FPS = 3.0


def film_of(start: Start, decisions: Sequence[Decision], *, tell: Callable[[int], None]) -> bytes:
    """Return a GIF of a game from its beginning to the last of the given decisions.

    Parameters
    ----------
    start : Start
        The beginning of the game.
    decisions : sequence of Decision
        The decisions. A decision gets a frame if a tile or a figure has moved after it.
    tell : callable
        Called after each decision with the number of decisions finished so far.
    """
    game = start.game()
    positions = [game.position()]
    for decision in decisions:
        repeat(game, decision)
        positions.append(game.position())

    def frames() -> Iterator[Frame]:
        before = None
        for done, position in enumerate(positions):
            if (now := _lies(position)) != before:
                yield board_rgb(position, width=WIDTH, height=HEIGHT)
            before = now
            tell(done)

    target = BytesIO()
    write_gif(target, frames(), FPS, board_rgb(positions[-1], width=WIDTH, height=HEIGHT))
    return target.getvalue()


def _lies(position: Position) -> tuple[object, ...]:
    """Return the tiles and figures on the board."""
    neutral = tuple(svg for svg, _ in neutral_svgs(position))
    return tuple(position.tiles), tuple(position.figures), tuple(position.castles), neutral

"""How the rule tests write a position down, play from it and play on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from carc_env.game.game import Game
from carc_env.position import Position

from .looks import names
from .scenario import START, do, each, in_order, play, play_to_the_end

START_LINE = f"{START} 0,0 r0"

#: Eight tiles around the hole at (0, 1), with fields towards it and to the outside. The road
#: through the start tile is open at both ends.
RING = (
    START_LINE,
    "bg-straight -1,0 r0",
    "bg-straight 1,0 r0",
    "bg-curve -1,1 r0",
    "bg-curve 1,1 r3",
    "bg-curve -1,2 r2",
    "bg-straight 0,2 r0",
    "bg-curve 1,2 r1",
)

#: A road from west to east parts two fields. The northern one touches two complete cities, the
#: southern one touches one, which can also be a castle. A barn can stand at (-1, 0) NW in the
#: north, at (0, 0) SE in the south.
LAND = {
    "0,0": "bg-cap-straight r0",
    "-1,0": "bg-straight r0",
    "-2,0": "bg-straight r0",
    "1,0": "bg-straight r0",
    "0,-1": "bg-cap r2",
    "-1,-1": "bg-cap r0",
    "-1,-2": "bg-cap r2",
    "-2,-1": "bg-monastery r0",
    "0,1": "bg-cap r2",
    "0,2": "bg-cap-garden r0",
    "1,1": "bg-monastery r0",
}
#: The tile that ends the road and joins both fields around it.
JOIN = "bg-monastery-road 2,0 r0"


def carcassonne(*tiles: str, **figures: str) -> list[str]:
    """The twelve tiles of the city with figures, ``co_9="B meeple S"``, and tiles beside them."""
    lines = [
        f"co-{4 * row + x + 3} {x},{row - 1} r0: {figures.pop(f'co_{4 * row + x + 3}', '')}"
        for row in range(3)
        for x in range(-2, 2)
    ]
    assert not figures
    return [*lines, *tiles]


def row(length: int, **by_cell: str) -> list[str]:
    """A road from the start tile to the east; ``x3="A meeple E"`` puts figures on tiles."""
    tiles = [START_LINE, *(f"bg-straight {x},0 r0" for x in range(1, length))]
    return [f"{tile}: {by_cell.get(f'x{x}', '')}" for x, tile in enumerate(tiles)]


def road(length: int, owner: str = "A meeple") -> list[str]:
    """A road that ends in the west, at (-1, 0), all but its last tile."""
    start, *more = row(length - 2, x0=f"{owner} E")
    return [start, "bg-monastery-road -1,0 r2", *more]


def end_of(length: int) -> str:
    """The last tile of :func:`road`."""
    return f"bg-monastery-road {length - 2},0 r0"


def by_cell(
    tiles: dict[str, str], figures: dict[str, str] | None = None, last: str | None = None
) -> list[str]:
    """The lines of tiles by cell, with figures by cell; the tile at ``last`` comes last."""
    lines = []
    for cell, design in tiles.items():
        tile, rotation = design.split()
        lines.append(f"{tile} {cell} {rotation}: {(figures or {}).get(cell, '')}")
    return in_order(lines, last)


def without(tiles: dict[str, str], *cells: str) -> dict[str, str]:
    return {cell: tile for cell, tile in tiles.items() if cell not in cells}


class Table:
    """Positions with the rules that the tests of a file have in common.

    Parameters
    ----------
    always : str
        Rules of every position, as the notation writes them: ``"castles: true"``.
    rules : str
        Further rules of the positions that name no others.
    sets : str
        Sets of the positions that name no others: ``"base, abbey"``.
    n_players : int
        Players of the positions that name no other number.
    """

    def __init__(
        self, always: str = "", rules: str = "", sets: str = "base", n_players: int = 2
    ) -> None:
        self.always = always
        self.rules = rules
        self.sets = sets
        self.n_players = n_players

    def position(
        self,
        tiles: str | Iterable[str],
        turn: str = "A acts",
        rules: str | None = None,
        sets: str | None = None,
        n_players: int | None = None,
        scores: str | None = None,
        headers: str | Iterable[str] = (),
        auto_single: bool = False,
    ) -> str:
        """Write a position down.

        Parameters
        ----------
        tiles : str or iterable of str
            Tiles with their figures, by lines, of which semicolons part some: ``"bg-cap 0,0 r0;
            bg-straight 1,0 r0: A meeple E"``. Those of a text come in the order in which they are
            laid; any others are brought into one. A colon without figures behind it goes.
        turn : str
            Who does what next.
        rules : str, optional
            Rules besides those of every position; they may name the sets as well.
        sets : str, optional
            Sets in play.
        n_players : int, optional
            Number of players.
        scores : str, optional
            All points; by default nobody has any.
        headers : str or iterable of str
            Further lines in brackets.
        auto_single : bool
            Whether single actions are done without a question.
        """
        if n_players is None:
            n_players = self.n_players
        rules = self.rules if rules is None else rules
        switches = (
            f"n_players: {n_players}",
            "" if "sets:" in rules else f"sets: [{sets or self.sets}]",
            self.always,
            rules,
            f"auto_single: {str(auto_single).lower()}",
        )
        lines = _lines(tiles)
        return "\n".join(
            (
                "[carc_env position 1]",
                f"[rules {{{', '.join(filter(None, switches))}}}]",
                f"[scores {scores or ':'.join('0' * n_players)}]",
                f"[turn {turn}]",
                *_lines(headers),
                *(lines if isinstance(tiles, str) else in_order(lines)),
            )
        )

    def played(
        self,
        tiles: str | Iterable[str],
        *moves: str,
        seat: str = "A",
        bag: tuple[str, ...] | None = None,
        edition: str | None = None,
        **options: Any,
    ) -> Game:
        """Play moves from a position, such as ``"bg-cap 0,-1 r2; pass"``.

        Unless ``turn`` is given, the seat places the tile of the first move; if that places none,
        the tile has just been placed and the seat acts. ``bag`` and ``edition`` are those of
        :func:`~tests.rules.scenario.play`, all other options those of :meth:`position`.
        """
        options.setdefault("turn", _turn(seat, *each(moves)))
        return play(self.position(tiles, **options), *each(moves), bag=bag, edition=edition)

    def at_the_end(self, tiles: str | Iterable[str], **options: Any) -> tuple[int, ...]:
        """The scores when nothing more is placed; the standings announce them."""
        text = self.position(tiles, **options)
        game = play_to_the_end(text)
        assert game.scores == play(text).standings
        return game.scores


def _turn(seat: str, move: str = "", *_: str) -> str:
    """What a seat does first: a tile is placed by its name, a cell and a rotation."""
    words = move.split()
    is_tile = len(words) == 3 and words[2][0] == "r"
    return f"{seat} places {words[0]}" if is_tile else f"{seat} acts"


def _lines(text: str | Iterable[str]) -> list[str]:
    """Lines, of which semicolons part some; without colons that nothing follows."""
    lines = text.splitlines() if isinstance(text, str) else text
    return [line.removesuffix(":") for line in each(lines) if line]


def first_place(game: Game) -> str:
    """One of the legal placements, always the same one."""
    return game.name(game.legal_actions()[0])


def headers(game: Game) -> set[str]:
    """The lines of the position in brackets, without the brackets."""
    return {line[1:-1] for line in str(game).splitlines() if line.startswith("[")}


def then(game: Game, *moves: str) -> Game:
    """Play on: ``then(game, "bg-cap 0,-1 r2; pass")``."""
    for move in each(moves):
        do(game, move)
    return game


def known(game: Game) -> Position:
    """What can be known of a game; tiles out of the game are in no order."""
    position = game.position()
    return replace(position, aside=tuple(sorted(position.aside)))


def reread(game: Game) -> Game:
    """The game as it goes on from its own position, written down and read again."""
    again = play(str(game))
    assert known(again) == known(game)
    assert names(again) == names(game)
    return again

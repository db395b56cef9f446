"""Helpers that write a position, play moves from it and continue the game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from carc_env.game.game import Game
from carc_env.position import Position

from .looks import names
from .scenario import START, do, each, in_order, play, play_to_the_end

START_LINE = f"{START} 0,0 r0"

#: Eight tiles around the hole at (0, 1). There is field both inside and outside the ring. The
#: road through the start tile is open at both ends.
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

#: A road from west to east separates two fields. The northern field touches two complete cities.
#: The southern field touches one, which can also be a castle. A barn can be placed at (-1, 0) NW
#: in the north and at (0, 0) SE in the south.
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
#: The tile that ends the road and joins both fields around the road's end.
JOIN = "bg-monastery-road 2,0 r0"


def carcassonne(*tiles: str, **figures: str) -> list[str]:
    """Return the twelve city tiles and more tiles; ``co_9="B meeple S"`` places a figure."""
    lines = [
        f"co-{4 * row + x + 3} {x},{row - 1} r0: {figures.pop(f'co_{4 * row + x + 3}', '')}"
        for row in range(3)
        for x in range(-2, 2)
    ]
    assert not figures
    return [*lines, *tiles]


def row(length: int, **by_cell: str) -> list[str]:
    """Return a road from the start tile to the east; ``x3="A meeple E"`` places a figure."""
    tiles = [START_LINE, *(f"bg-straight {x},0 r0" for x in range(1, length))]
    return [f"{tile}: {by_cell.get(f'x{x}', '')}" for x, tile in enumerate(tiles)]


def road(length: int, owner: str = "A meeple") -> list[str]:
    """Return all but the last tile of a road that ends in the west, at (-1, 0)."""
    start, *more = row(length - 2, x0=f"{owner} E")
    return [start, "bg-monastery-road -1,0 r2", *more]


def end_of(length: int) -> str:
    """Return the last tile of :func:`road`."""
    return f"bg-monastery-road {length - 2},0 r0"


def by_cell(
    tiles: dict[str, str], figures: dict[str, str] | None = None, last: str | None = None
) -> list[str]:
    """Return the lines for tiles and figures by cell; the tile at ``last`` comes last."""
    lines = []
    for cell, design in tiles.items():
        tile, rotation = design.split()
        lines.append(f"{tile} {cell} {rotation}: {(figures or {}).get(cell, '')}")
    return in_order(lines, last)


def without(tiles: dict[str, str], *cells: str) -> dict[str, str]:
    return {cell: tile for cell, tile in tiles.items() if cell not in cells}


class Table:
    """Positions with the rules that the tests of a file share.

    Parameters
    ----------
    always : str
        Rules of every position, in the notation: ``"castles: true"``.
    rules : str
        More rules, for positions that don't pass their own.
    sets : str
        Sets, for positions that don't pass their own: ``"base, abbey"``.
    n_players : int
        Number of players, for positions that don't pass their own.
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
        """Return the text of a position.

        Parameters
        ----------
        tiles : str or iterable of str
            Tiles with their figures, separated by line breaks or semicolons: ``"bg-cap 0,0 r0;
            bg-straight 1,0 r0: A meeple E"``. The tiles of a string keep their order; the tiles
            of any other iterable are sorted into an order in which they can be placed. A colon
            that no figures follow is removed.
        turn : str
            The seat and what it does next.
        rules : str, optional
            Rules in addition to those of every position; they may also name the sets.
        sets : str, optional
            Sets in play.
        n_players : int, optional
            Number of players.
        scores : str, optional
            Points of all players; 0 each by default.
        headers : str or iterable of str
            More header lines, with their brackets.
        auto_single : bool
            Whether the game takes an action by itself if it is the only legal one.
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

        Unless ``turn`` is given, the seat places the tile of the first move. If the first move
        places no tile, the tile has just been placed and the seat acts. ``bag`` and ``edition``
        are passed to :func:`~tests.rules.scenario.play`, all other options to :meth:`position`.
        """
        options.setdefault("turn", _turn(seat, *each(moves)))
        return play(self.position(tiles, **options), *each(moves), bag=bag, edition=edition)

    def at_the_end(self, tiles: str | Iterable[str], **options: Any) -> tuple[int, ...]:
        """Return the final scores if nothing more is placed; the standings must equal them."""
        text = self.position(tiles, **options)
        game = play_to_the_end(text)
        assert game.scores == play(text).standings
        return game.scores


def _turn(seat: str, move: str = "", *_: str) -> str:
    """Return the turn header; a move of tile, cell and rotation places a tile."""
    words = move.split()
    is_tile = len(words) == 3 and words[2][0] == "r"
    return f"{seat} places {words[0]}" if is_tile else f"{seat} acts"


def _lines(text: str | Iterable[str]) -> list[str]:
    """Split a text at line breaks and semicolons and drop colons that nothing follows."""
    lines = text.splitlines() if isinstance(text, str) else text
    return [line.removesuffix(":") for line in each(lines) if line]


def first_place(game: Game) -> str:
    """Return one of the legal placements, always the same one."""
    return game.name(game.legal_actions()[0])


def headers(game: Game) -> set[str]:
    """Return the header lines of the position, without their brackets."""
    return {line[1:-1] for line in str(game).splitlines() if line.startswith("[")}


def then(game: Game, *moves: str) -> Game:
    """Play more moves: ``then(game, "bg-cap 0,-1 r2; pass")``."""
    for move in each(moves):
        do(game, move)
    return game


def known(game: Game) -> Position:
    """Return the known position of a game: the tiles out of the game are sorted."""
    position = game.position()
    return replace(position, aside=tuple(sorted(position.aside)))


def reread(game: Game) -> Game:
    """Return the game read from its own written position; both must agree."""
    again = play(str(game))
    assert known(again) == known(game)
    assert names(again) == names(game)
    return again

"""What a seat sees, as text: the position, what the tiles show, the question and the answers.

The position is in the notation (``docs/notation.md``), without anything that is hidden: the unseen
tiles are counts. :func:`read_view` sets the position up again from the text alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from typing import Literal, get_args

from carc_env.choices import check_choice
from carc_env.engine.core.codes import Kind, Phase
from carc_env.engine.core.state import NO_FIGURE
from carc_env.engine.core.tiles import ABBEY, DESIGN, ROWS
from carc_env.game.game import Game
from carc_env.game.notation import POSITION_HEADER, format_position, parse_position
from carc_env.game.table import Table
from carc_env.position import UNKNOWN_TILE, Position
from carc_env.render.text import picture_of
from carc_env.systems import QUESTIONS
from carc_env.systems.looks import fields_of, looks_of
from carc_env.systems.places import cell_from_view, named
from carc_env.web.features import about_feature, unseen
from carc_env.words import SEATS, counted, format_cell, format_scores, format_segment

Length = Literal["short", "long"]
LENGTHS: tuple[Length, ...] = get_args(Length)
MANY = 8
"""With more tile placements than this, a view groups them by cell."""


def text_view(
    table: Table,
    seat: int | None = None,
    length: Length = "short",
    known: Collection[str] = (),
) -> str:
    """Return what a seat sees, as text.

    Parameters
    ----------
    table : Table
        The game.
    seat : int, optional
        The observer. Default: the decider. Only the decider's view lists actions.
    length : {"short", "long"}
        ``"long"`` adds a picture of the board and a list of the occupied features.
    known : collection of str
        Tiles that need no explanation, because the reader has seen one: :func:`tiles_in`.

    Raises
    ------
    ValueError
        There is no such seat or length.
    """
    check_choice("length", length, LENGTHS)
    game = table if isinstance(table, Game) else Game.at(table.rules, table.states)
    position = game.position()
    seats = range(position.rules.n_players)
    who = game.decider if seat is None else seat
    if who not in seats:
        raise ValueError(f"seat must be 0 to {len(seats) - 1}, got {seat!r}")
    question = "\n".join(_question(game, position, who))
    return f"You are {SEATS[who]}.\n\n{board_view(game, length, known)}\n\n{question}"


def board_view(game: Game, length: Length = "short", known: Collection[str] = ()) -> str:
    """Return what everybody sees, without a question; for the arguments, see :func:`text_view`."""
    position = game.position()
    parts = [
        format_position(as_seen(position)).rstrip(),
        "\n".join([f"In hand: {_hands(game)}.", f"Unseen: {_unseen(position)}."]),
    ]
    if length == "long":
        parts += [picture_of(position), "\n".join(["Occupied features:", *_features(game)])]
    if new := [tile for tile in tiles_in(position) if tile not in known]:
        parts.append("\n".join(["Tiles in rotation r0:", *map(explained, new)]))
    return "\n\n".join(parts)


def as_seen(position: Position) -> Position:
    """Return a position without what is hidden: the draw order and tiles that lie face down."""
    bazaar = position.bazaar
    if bazaar is not None and bazaar.waits:
        lots = tuple(replace(lot, tile=UNKNOWN_TILE) for lot in bazaar.offer)
        bazaar = replace(bazaar, offer=lots)
    hidden = (UNKNOWN_TILE,) * len(position.hidden)
    return replace(position, bag=None, bazaar=bazaar, hidden=hidden)


def read_view(text: str, seed: int = 0) -> Game:
    """Return a game in the last position of a text; the seed shuffles what is hidden.

    Raises
    ------
    ValueError
        The text contains no position, or one that breaks a rule.
    """
    _, found, rest = text.rpartition(f"[{POSITION_HEADER}]")
    if not found:
        raise ValueError("the text contains no position")
    position, _, _ = f"{found}{rest}".partition("\n\n")
    return Game.from_position(parse_position(position), seed=seed)


def tiles_in(position: Position) -> dict[str, None]:
    """Return the tiles that everybody sees, each once: on the board, in hand and on offer."""
    found = dict.fromkeys(tile.tile for tile in position.tiles)
    if position.tile_in_hand:
        found[position.tile_in_hand] = None
    if position.bazaar is not None and not position.bazaar.waits:
        found |= dict.fromkeys(lot.tile for lot in position.bazaar.offer)
    return found


@cache
def explained(tile: str) -> str:
    """Return what a tile shows, in rotation r0."""
    row = ROWS[DESIGN[tile]]
    parts = (f"sides {row['edges']}", looks_of(row), f"fields {fields_of(row)}")
    return f"{tile}: {'; '.join(part for part in parts if not part.endswith(' ') and part)}"


def _hands(game: Game) -> str:
    """Return what every seat has left or has collected."""
    told = []
    for seat in range(game.rules.n_players):
        has = {figure.name.lower(): n for figure, n in game.supply(seat).items()}
        things = [f"{thing} {n}" for thing, n in (has | game.stock(seat)).items() if n]
        told.append(f"{SEATS[seat]} {', '.join(things) or 'nothing'}")
    return "; ".join(told)


def _unseen(position: Position) -> str:
    found = unseen(position)
    counts = ", ".join(f"{n} {tile}" for tile, n in sorted(found.items()))
    return counted(found.total(), "tile") + (f": {counts}" if counts else "")


def _features(game: Game) -> Iterator[str]:
    """Yield a line for each feature with figures: its figures, its points and what is open."""
    s = game.states[0]
    held = s.figures["segment"][s.figures["next"] != NO_FIGURE]
    for number in sorted({*s.segments["feature"][held].tolist()}):
        segment = s.segments[number]
        tile = int(segment.tile)
        facts = about_feature(game, tile, number - int(s.tiles[tile].first_segment))
        leaders = " ".join(SEATS[seat] for seat in facts["leaders"]) or "nobody"
        cells = ", ".join(format_cell(tuple(one["cell"])) for one in facts["open"])
        worth = "" if facts["kind"] == Kind.CASTLE.name else f", worth {facts['now']} now"
        worth += f", {facts['full']} when complete" if "full" in facts else ""
        yield (
            f"{facts['kind'].lower()} at {format_segment(named(s, number))}: strength "
            f"{format_scores(tuple(facts['strengths']))}, majority {leaders}{worth}"
            + (f", open at {cells}" if cells else "")
        )


# The question and its answers.


def _question(game: Game, position: Position, who: int) -> Iterator[str]:
    if position.phase == Phase.GAME_OVER:
        yield f"The game is over, {format_scores(position.scores)}."
        return
    if who != game.decider:
        yield f"{SEATS[game.decider]} decides now."
        return
    held = f"You hold {position.tile_in_hand}. " if position.tile_in_hand else ""
    yield f"Question: {held}{QUESTIONS[position.phase].asks}"
    yield from legal_names(game)


def legal_names(game: Game) -> Iterator[str]:
    """Yield lines with the names of all legal actions; many placements are grouped by cell."""
    placed, others = _placements(game)
    if sum(map(len, placed.values())) > MANY:
        tile = _placed_tile(game)
        yield f"Place {tile} at one of these cells, in one of the rotations after the cell:"
        yield "; ".join(f"{cell} {' '.join(turns)}" for cell, turns in placed.items())
        cell, turns = next(iter(placed.items()))
        yield f"Example: {tile} {cell} {turns[0]}."
        if others:
            yield f"Other actions: {', '.join(others)}"
        return
    tile = _placed_tile(game)
    names = [f"{tile} {cell} {turn}" for cell, turns in placed.items() for turn in turns]
    yield f"Actions: {', '.join([*names, *others])}"


def _placements(game: Game) -> tuple[dict[str, list[str]], list[str]]:
    """Return the rotations of tile placements by cell, and the names of other legal actions."""
    actions = game.legal_actions()
    if game.phase not in (Phase.PLACE_TILE, Phase.DRAW_OR_ABBEY):
        return {}, [game.name(action) for action in actions]
    block, (x, y) = game.layout.blocks["tile"], cell_from_view(game.states[0], 0, 0)
    placed: dict[str, list[str]] = {}
    others = []
    for action in actions:
        if not 0 <= action - block.first < block.size:
            others.append(game.name(action))
            continue
        column, row, turn = _cell_of(action - block.first, game.rules.view)
        placed.setdefault(f"{x + column},{y + row}", []).append(turn)
    return placed, others


@lru_cache(1 << 14)
def _cell_of(k: int, view: int) -> tuple[int, int, str]:
    """Return column, row and rotation of a placement, see :mod:`carc_env.systems.base`."""
    row, column = divmod(k // 4, view)
    return column, row, f"r{k % 4}"


def _placed_tile(game: Game) -> str:
    return str(ABBEY["id"] if game.phase == Phase.DRAW_OR_ABBEY else game.tile_in_hand)

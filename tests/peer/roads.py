"""Apply to our game, by hand, what they do on roads against our rules.

Their ferries also move on a road that a token of the same placement has joined (TUN-12). Their
builder may stay alone on a road when a ferry cuts it off from all meeples of its owner (FER-15).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from carc_env.engine import entry
from carc_env.engine.core.codes import AT_A_CELL, Figure, Kind, Phase, Spot
from carc_env.engine.core.figures import N_FIGURES
from carc_env.game.game import Game, Score
from carc_env.position import Place, PlacedFigure, Position
from carc_env.sets.tunnel.record import NO_MOUTH
from carc_env.words import parse_cell
from tests.oracle import labyrinth
from tests.oracle.board import MEEPLES, feature_at
from tests.oracle.ferries import roads_on
from tests.peer.translate import Cell, figures

POINTS_PER_BUILDER = 2

LAYING = (Phase.FIGURE, Phase.SECOND, Phase.TUNNEL)
"""Phases in which players place tokens."""

# Ferries and a token.


def steps(game: Game, actions: Sequence[int]) -> Iterator[int]:
    """Yield the decisions of an action; on another tile, usually first the cell, then the spot."""
    first, *others = actions
    yield first
    for action in others:
        if game.phase in AT_A_CELL:  # otherwise the cell had only this spot
            yield action


def carry_out(game: Game, actions: Sequence[int]) -> None:
    """Carry out all decisions of an action."""
    for step in steps(game, actions):
        game.apply(step)


def without_token(game: Game, actions: Sequence[int]) -> tuple[int, Game] | None:
    """Return the token's mouth, and our game after actions as if the token had not joined roads.

    Our game then asks for ferries. None if that changes nothing.
    """
    plain, there = game.clone(), game.clone()
    carry_out(plain, actions)
    s = there._states[0]
    if there.name(actions[0]).startswith("tunnel ") and plain.phase not in LAYING:
        s.phase = Phase.FIGURE  # in this phase, the same decision follows a token
        there._list_legal()
        there.apply(actions[0])
        s.phase = Phase.TUNNEL
        there._list_legal()
        actions = [there.action("pass")]
    mouth, s.new_mouth = int(s.new_mouth), NO_MOUTH
    if mouth == NO_MOUTH:
        return None
    carry_out_unextended(there, actions)
    if there.phase != Phase.FERRIES or _choices(there) == _choices(plain):
        return None
    return mouth, there


def carry_out_unextended(game: Game, actions: Sequence[int]) -> None:
    """Carry out all decisions of an action, but restore what the tile extends (TUN-12).

    Otherwise, the roads that the token has joined would count as extended by the tile.
    """
    s = game._states[0]
    extends = int(s.extends)
    carry_out(game, actions)
    s.extends = extends


def _choices(game: Game) -> set[str]:
    return {game.name(action) for action in game.legal_actions()} if not game.is_over else set()


# Builders.


def stranded(game: Game, rows: Iterable[Sequence[Any]]) -> list[PlacedFigure]:
    """Return their builders without a meeple on an open road; in our game, they have gone home."""
    position = game.position()
    builders = {figure for figure in figures(rows) if figure.figure == Figure.BUILDER}
    return [
        figure
        for figure in builders - set(position.figures)
        for road in [feature_at(position, figure.x, figure.y, figure.spot)]
        if road.kind == Kind.ROAD and not road.is_complete and not road.has(figure.seat, *MEEPLES)
    ]


def put_back(game: Game, builder: PlacedFigure) -> None:
    """Put a builder back where it stood."""
    tiles = [(tile.x, tile.y) for tile in game.position().tiles]
    figure = builder.seat * N_FIGURES + builder.figure
    entry.put(game._states, 0, figure, tiles.index((builder.x, builder.y)), builder.spot)
    game._list_legal()


def n_scored(events: Iterable[Sequence[Any]]) -> int:
    """Return how many builders come home from roads in the events of a message."""
    gone = [row for row in events if row[0] == "returned" and row[1] == "Builder"]
    return sum(place[2] == "Road" for _, _, _, place, *_ in gone)


def with_builders(ours: Score, theirs: Score, n_builders: int) -> bool:
    """Return whether builders on a road account for their higher score of it (LAB-09)."""
    more = theirs.points - ours.points
    is_same = ours.kind == theirs.kind == Kind.ROAD and ours.seat == theirs.seat
    return is_same and more in range(2, 2 * n_builders + 1, POINTS_PER_BUILDER)


def is_castle_for(ours: Score, theirs: Score, raised: set[tuple[int, int]]) -> bool:
    """Return whether a castle takes the points of a road for which they give more than we do."""
    is_castle = ours.kind == theirs.kind == Kind.CASTLE and ours.seat == theirs.seat
    return is_castle and (ours.points, theirs.points) in raised


def beside_builders(names: Iterable[str], last: Cell, position: Position) -> set[str]:
    """Return our actions that put a meeple on a labyrinth arm with a builder and no meeple."""
    builders = {(f.x, f.y, f.spot) for f in position.figures if f.figure == Figure.BUILDER}
    kinds = {figure.name.lower() for figure in MEEPLES}
    places = {name: _place_of(name, last) for name in names if name.split()[0] in kinds}
    own = {place for tile in position.tiles for place in roads_on(tile)} if builders else set()
    arms = {place: labyrinth.arm_of(position, place) for place in own & {*places.values()}}
    return {name for name, place in places.items() if builders & arms.get(place, set())}


def _place_of(name: str, last: Cell) -> Place:
    """Return where an action puts a meeple; its name may contain the cell (``meeple N at 0,1``)."""
    _, spot, *cell = name.split()
    return (*(parse_cell(cell[-1]) if cell else last), Spot[spot])


def wagons_into_mazes(names: Iterable[str], position: Position) -> set[str]:
    """Return the moves of a wagon into a maze that has meeples on its arms."""
    roads = [feature_at(position, *maze) for maze in labyrinth.mazes(position)]
    places = [place for road in roads if road.meeples for place in road.segments]
    taken = {*places} & {*labyrinth.mazes(position)}
    return {*names} & {f"wagon {x},{y} {at.name}" for x, y, at in taken}

"""Helpers that read a game: the decision, the legal actions, the figures and the supplies."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.engine.core.state import BOARD
from carc_env.game.game import Game
from carc_env.layout.observations import plane_names
from carc_env.systems.places import cell_of
from carc_env.words import SEATS
from tests.oracle.tiles import FACTS


def decision(game: Game) -> tuple[Phase, str]:
    """Return the phase and the seat that decides: ``(Phase.BAZAAR_BID, "C")``."""
    return game.phase, SEATS[game.decider]


def asked(game: Game) -> str:
    """Return the seat that decides and the phase: ``"A FIGURE"``."""
    return f"{SEATS[game.decider]} {game.phase.name}"


def bag_of(game: Game) -> tuple[str, ...]:
    """Return the tiles that a game has drawn and will draw, in order."""
    return (*game.drawn, *(game.position().bag or ()))


def names(game: Game) -> set[str]:
    """Return the names of the legal actions."""
    return {game.name(action) for action in game.legal_actions()}


def figures(game: Game) -> set[str]:
    """Return the figures on the board, such as ``A meeple 0,-1 N``."""
    return {
        f"{SEATS[f.seat]} {f.figure.name.lower()} {f.x},{f.y} {f.spot.name}"
        for f in game.position().figures
    }


def score_log(game: Game) -> list[tuple[str, int, Kind]]:
    """Return what the last action scored, in order: seat, points, kind of feature."""
    return [(SEATS[score.seat], score.points, score.kind) for score in game.last_scores]


def meeples(game: Game, seat: str) -> int:
    """Return the number of normal meeples in a seat's supply."""
    return in_supply(game, seat, Figure.MEEPLE)


def abbots(game: Game, seat: str) -> int:
    """Return the number of abbots in a seat's supply."""
    return in_supply(game, seat, Figure.ABBOT)


def in_supply(game: Game, seat: str, figure: Figure) -> int:
    """Return the number of figures of one kind in a seat's supply, 0 if it is not in play."""
    return game.supply(SEATS.index(seat)).get(figure, 0)


def offered(game: Game, figure: str) -> set[str]:
    """Return the spots where a kind of figure can be placed: ``{"N", "Es"}`` for meeples."""
    words = [name.split() for name in names(game)]
    return {word[1] for word in words if word[0] == figure and len(word) == 2}


def sides_with(game: Game, edge: str) -> set[str]:
    """Return the sides of the tile just placed that show a kind of edge."""
    tile = game.position().tiles[-1]
    edges = FACTS[tile.tile]["edges"]
    return {side for i, side in enumerate("NESW") if edges[(i - tile.rotation) % 4] == edge}


def targets(game: Game) -> set[str]:
    """Return the spots to which the wagon can move, such as ``0,-1 S``, in either edition.

    The first edition asks for the cell first, so each cell is tried in a copy of the game.
    """
    if game.phase != Phase.WAGON:
        return set()
    assert "home" in names(game)
    found = set()
    for name in names(game) - {"home"}:
        if name.startswith("to "):
            there = game.clone()
            there.apply(name)
            assert there.phase == Phase.WAGON_SPOT
            spots = names(there)
            assert spots
            assert all(spot.startswith(f"wagon {name[3:]} ") for spot in spots)
            found |= {spot.removeprefix("wagon ") for spot in spots}
        else:
            found.add(name.removeprefix("wagon "))
    return found


def bridges_offered(game: Game) -> set[str]:
    """Return the bridges that can be built now, as cell and direction."""
    return {name.removeprefix("bridge ") for name in names(game) if name.startswith("bridge ")}


def builders(game: Game, seat: str) -> int:
    return in_supply(game, seat, Figure.BUILDER)


def mayors(game: Game, seat: str) -> int:
    return in_supply(game, seat, Figure.MAYOR)


def wagons(game: Game, seat: str) -> int:
    return in_supply(game, seat, Figure.WAGON)


def seen_at(game: Game, seat: int, plane: str) -> dict[str, int]:
    """Return the nonzero bytes of a plane in a seat's observation, by cell."""
    board, s = game.observe(seat)["board"], game.states[0]
    layer = board[plane_names(game.rules).index(plane)]
    found = {}
    for tile in game.position().tiles:
        line, column = divmod(cell_of(tile.x, tile.y), BOARD)
        if value := int(layer[line - int(s.view_row), column - int(s.view_column)]):
            found[f"{tile.x},{tile.y}"] = value
    return found

"""How the rule tests look at a game: who may do what, where everything stands, who has what."""

from __future__ import annotations

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.engine.core.state import BOARD
from carc_env.game.game import Game
from carc_env.layout.observations import plane_names
from carc_env.systems.places import cell_of
from carc_env.words import SEATS
from tests.oracle.tiles import FACTS


def decision(game: Game) -> tuple[Phase, str]:
    """What is decided by whom: ``(Phase.BAZAAR_BID, "C")``."""
    return game.phase, SEATS[game.decider]


def asked(game: Game) -> str:
    """Who is asked for what: ``"A FIGURE"``."""
    return f"{SEATS[game.decider]} {game.phase.name}"


def bag_of(game: Game) -> tuple[str, ...]:
    """What a game has drawn and will draw, in order."""
    return (*game.drawn, *(game.position().bag or ()))


def names(game: Game) -> set[str]:
    """The legal actions by name."""
    return {game.name(action) for action in game.legal_actions()}


def figures(game: Game) -> set[str]:
    """The figures on the board, such as ``A meeple 0,-1 N``."""
    return {
        f"{SEATS[f.seat]} {f.figure.name.lower()} {f.x},{f.y} {f.spot.name}"
        for f in game.position().figures
    }


def score_log(game: Game) -> list[tuple[str, int, Kind]]:
    """What the last action scored, in order: seat, points, kind of feature."""
    return [(SEATS[score.seat], score.points, score.kind) for score in game.last_scores]


def meeples(game: Game, seat: str) -> int:
    """Normal meeples in the supply of a seat."""
    return in_supply(game, seat, Figure.MEEPLE)


def abbots(game: Game, seat: str) -> int:
    """Abbots in the supply of a seat."""
    return in_supply(game, seat, Figure.ABBOT)


def in_supply(game: Game, seat: str, figure: Figure) -> int:
    """Figures of one kind in the supply of a seat, 0 for a kind that is not in play."""
    return game.supply(SEATS.index(seat)).get(figure, 0)


def offered(game: Game, figure: str) -> set[str]:
    """The spots that the action of placing a figure offers: ``{"N", "Es"}`` for meeples."""
    words = [name.split() for name in names(game)]
    return {word[1] for word in words if word[0] == figure and len(word) == 2}


def sides_with(game: Game, edge: str) -> set[str]:
    """The sides of the tile just placed that show a kind of edge."""
    tile = game.position().tiles[-1]
    edges = FACTS[tile.tile]["edges"]
    return {side for i, side in enumerate("NESW") if edges[(i - tile.rotation) % 4] == edge}


def targets(game: Game) -> set[str]:
    """Where the wagon that waits may go, such as ``0,-1 S``, under either edition.

    The first edition asks for the cell first; every cell is looked up in a copy of the game.
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
    """The bridges that can be built now: cell and direction."""
    return {name.removeprefix("bridge ") for name in names(game) if name.startswith("bridge ")}


def builders(game: Game, seat: str) -> int:
    return in_supply(game, seat, Figure.BUILDER)


def mayors(game: Game, seat: str) -> int:
    return in_supply(game, seat, Figure.MAYOR)


def wagons(game: Game, seat: str) -> int:
    return in_supply(game, seat, Figure.WAGON)


def seen_at(game: Game, seat: int, plane: str) -> dict[str, int]:
    """What a seat sees in a plane: bytes by cell, if they are not 0."""
    board, s = game.observe(seat)["board"], game.states[0]
    layer = board[plane_names(game.rules).index(plane)]
    found = {}
    for tile in game.position().tiles:
        line, column = divmod(cell_of(tile.x, tile.y), BOARD)
        if value := int(layer[line - int(s.view_row), column - int(s.view_column)]):
            found[f"{tile.x},{tile.y}"] = value
    return found

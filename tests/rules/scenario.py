"""Helpers that play moves from a position in our notation.

They don't use the engine's tile tables: like the oracle, they read the tile files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from carc_env.engine.core.codes import Phase
from carc_env.game.game import Game
from carc_env.game.notation import parse_position
from carc_env.position import UNKNOWN_TILE, Position
from carc_env.rules import TILE_SETS, Rules
from tests.oracle.comparison import ComparedGame
from tests.oracle.tiles import FACTS, tile_counts

BROKEN = {tile: facts["instead_of"] for tile, facts in FACTS.items() if "instead_of" in facts}
"""Tiles whose road a tunnel breaks -> the tiles that they replace (TUN-16)."""
TILES = {
    name: {t: f for t, f in FACTS.items() if f.get("set") == name and t not in BROKEN}
    for name in TILE_SETS
}
"""Facts about the tiles of each set, keyed by the set names of the rules."""

START = "bg-cap-straight"
SOURCE, LAKE = "rv-source", "rv-lake"
FORK, VOLCANO_LAKE = "r2-fork", "r2-lake-volcano"
ROSE = "wr-cap-gate-all"
EXTRA_SHRINE = "cu-shrine-cap-two-roads"
GARDEN_TILES = tuple(tile for tile in TILES["base"] if tile.endswith("-garden"))

#: Tiles for the cell west of the start tile: a volcano, where the dragon starts, and a portal.
VOLCANO = "pd-straight-volcano -1,0 r0"
PORTAL = "pd-cap-curve-left-portal -1,0 r2"

#: A castle at (0, 1).
LORD = ["[castles 0,1 S]", "[tokens 2:3]"]

#: The tile that is never in the bag: every player holds one.
ABBEY = "am-abbey"

#: A whole river, from its source to the lake; its first three tiles run straight to the west.
RIVER = (
    "rv-source 0,0 r0",
    "rv-straight -1,0 r0",
    "rv-straight -2,0 r0",
    "rv-monastery-road -3,0 r0",
    "rv-bend -4,0 r2",
    "rv-bend-garden -4,-1 r0",
    "rv-road-bridge -5,-1 r0",
    "rv-caps-opposite -6,-1 r0",
    "rv-cap-gate -7,-1 r0",
    "rv-corner-bend -8,-1 r2",
    "rv-road-bend -8,-2 r0",
    "rv-lake -9,-2 r2",
)

#: Seven tiles that, with the start tile, surround a garden at (0, 1): three rows of straight
#: roads.
_AROUND_GARDEN = (
    "bg-straight -1,0 r0",
    "bg-straight 1,0 r0",
    "bg-straight -1,1 r0",
    "bg-straight 1,1 r0",
    "bg-straight -1,2 r0",
    "bg-straight 0,2 r0",
    "bg-straight 1,2 r0",
)

#: Seven tiles that, with the start tile, surround a monastery at (0, 1): a road leads around it,
#: with fields towards the middle.
_AROUND_MONASTERY = (
    "bg-straight -1,0 r0",
    "bg-straight 1,0 r0",
    "bg-curve -1,1 r0",
    "bg-curve -1,2 r2",
    "bg-straight 0,2 r0",
    "bg-curve 1,2 r1",
    "bg-curve 1,1 r3",
)
LAST_NEIGHBOUR = {"garden": "bg-straight 1,2 r0", "monastery": "bg-curve 1,1 r3"}


def surrounded(
    place: str, n_neighbours: int, figures: str, turn: str = "A acts", rules: str = ""
) -> str:
    """Return a position with a garden or monastery at (0, 1) that has some neighbours.

    The start tile in the north is the first neighbour. If only one neighbour is missing, it is
    ``LAST_NEIGHBOUR[place]``. If the river is in play, the whole river is on the board, and its
    first two tiles are neighbours.
    """
    centre, around = {
        "garden": ("bg-straight-garden 0,1 r0", _AROUND_GARDEN),
        "monastery": ("bg-monastery 0,1 r0", _AROUND_MONASTERY),
    }[place]
    first: tuple[str, ...] = ("bg-cap-straight 0,0 r0",)
    others = around[: n_neighbours - 1]
    if "river1" in rules:
        assert n_neighbours >= 2, "the river has two tiles beside it"
        first, others = RIVER, ("bg-monastery 1,0 r0", *around[2:])[: n_neighbours - 2]
    rules = ", ".join(filter(None, ("n_players: 2, auto_single: false", rules)))
    return "\n".join(
        (
            "[carc_env position 1]",
            f"[rules {{{rules}}}]",
            "[scores 0:0]",
            f"[turn {turn}]",
            *first,
            f"{centre}: {figures}" if figures else centre,
            *others,
        )
    )


def each(texts: Iterable[str]) -> list[str]:
    """Return the moves or tiles one by one; semicolons separate several in one text."""
    return [part.strip() for text in texts for part in text.split(";")]


def in_order(tiles: Iterable[str], last: str | None = None) -> list[str]:
    """Sort tile lines into an order in which they can be placed; the cell ``last`` comes last.

    Every tile but the first touches an earlier one, and an abbey touches four. Where there is a
    choice, the tiles keep their order.
    """
    lines = each(tiles)
    waiting = [line for line in lines if line.split()[1] != last]
    final = [line for line in lines if line.split()[1] == last]
    laid: list[str] = []
    cells: set[tuple[int, int]] = set()
    while waiting:
        for line in waiting:
            x, y = map(int, line.split()[1].split(","))
            touching = len({(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & cells)
            if not laid or touching >= (4 if line.startswith(ABBEY) else 1):
                break
        else:
            raise AssertionError(f"cannot be laid: {waiting}")
        waiting.remove(line)
        laid.append(line)
        cells.add((x, y))
    return laid + final


def play(
    text: str, *moves: str, bag: tuple[str, ...] | None = None, edition: str | None = None
) -> Game:
    """Play moves from a position and return the game.

    Parameters
    ----------
    text : str
        The position in our notation.
    moves : str
        Names of the actions, in order.
    bag : tuple of str, optional
        The tiles that are still to be drawn, in order; all other tiles are out of the game.
        River tiles come first, the lake last among them. Default: the rest of the set, shuffled.
    edition : str, optional
        Edition to play instead of the one in the text.
    """
    position = parse_position(text)
    if edition is not None:
        position = replace(position, rules=position.rules.replace(edition=edition))
    if bag is not None:
        position = replace(position, bag=bag, aside=tuple(_rest(position, bag)))
    game = ComparedGame.from_position(position)
    for move in moves:
        do(game, move)
    return game


def do(game: Game, move: str) -> None:
    """Make a move; ``grow draws 3`` also sets the sheep token that it draws, 0 for a wolf.

    ``fly large rolls 2`` also sets what the die shows.
    """
    for verb in (" draws ", " rolls "):
        name, is_told, token = move.partition(verb)
        if is_told:
            game.choose_token(int(token), name)
            move = name
    game.apply(move)


def play_to_the_end(text: str, edition: str | None = None) -> Game:
    """Let A pass in a position with no tiles left and return the finished game."""
    game = play(text, "pass", bag=(), edition=edition)
    while game.phase in (Phase.SECOND, Phase.TUNNEL, Phase.FERRIES):
        do(game, "pass")
    assert game.is_over
    return game


def _rest(position: Position, bag: tuple[str, ...]) -> Iterator[str]:
    """Return the tiles that are not on the board, in hand, on offer or in the bag.

    For each unknown tile under a hill, one tile is left out, beginning with the first.
    """
    rest = set_of_tiles(position.rules)
    rest.subtract([tile.tile for tile in position.tiles])
    if position.bazaar is not None:
        rest.subtract([lot.tile for lot in position.bazaar.offer])
    rest.subtract(bag)
    rest.subtract(position.hidden)
    if position.tile_in_hand is not None:
        rest[position.tile_in_hand] -= 1
    return islice(rest.elements(), position.hidden.count(UNKNOWN_TILE), None)


def set_of_tiles(rules: Rules) -> Counter[str]:
    """Count all land tiles in play, including the start tile, as the oracle does."""
    return Counter(tile_counts(rules))


def first_tiles(rules: Rules) -> list[str]:
    """Return the tiles that are on the table before the first turn."""
    city = list(TILES["count"]) if "count" in rules.sets else []
    if city and "roses" in rules.sets and rules.rose_start == "beside":
        city.append(ROSE)
    if "river2" in rules.sets:
        return [*city, "r2-source"]
    if "river1" in rules.sets:
        return [*city, SOURCE]
    has_rose = "roses" in rules.sets and rules.rose_start != "shuffled"
    return city or [ROSE if has_rose else START]


def stack(rules: Rules, *first: str) -> list[str]:
    """Return all tiles that are drawn: ``first``, then the others in an order that is allowed.

    River tiles come before all others, the fork first and the lake last among them. If the river
    is in play, ``first`` must therefore begin with river tiles.
    """
    rest = set_of_tiles(rules)
    rest.subtract([*first_tiles(rules), *first])
    return [*first, *sorted(rest.elements(), key=place_in_stack)]


def place_in_stack(tile: str) -> int:
    """Return the rank of a tile in the stack: the fork, other river tiles, the lake, the rest."""
    if tile not in TILES["river1"] | TILES["river2"]:
        return 3
    return 0 if tile == FORK else 2 if tile in (LAKE, VOLCANO_LAKE) else 1

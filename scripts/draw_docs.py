"""Draw the pictures of the documentation: ``python scripts/draw_docs.py``.

``docs/images/board.png``: a game of three greedy players a few tiles before its end.
``docs/images/abbey-mayor.png``: the same with Abbey & Mayor and four players.
``docs/images/bridges.png``: an auction with Bridges, Castles & Bazaars, late in a game of three
greedy players who build castles wherever they can.
``docs/images/opening.png``: the position that docs/env.md uses as an example of the notation.
"""

from __future__ import annotations

from pathlib import Path

import tyro

from carc_env import Game, Rules
from carc_env.engine.codes import Phase
from carc_env.notation import parse_position
from carc_env.records import replace_file
from carc_env.render import board_png

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
SEED = 10
N_TILES_LEFT = 4
ABBEY_MAYOR = Rules.preset("abbey-mayor", n_players=4)
BRIDGES = Rules.preset("bridges", n_players=3)
BRIDGES_SEED = 51
N_TILES_AT_AUCTION = 30

OPENING = """
[carc_env position 1]
[rules {}]
[scores 0:0]
[turn A places bg-curve]
bg-cap-straight 0,0 r0
bg-corner-curve 0,-1 r1: A meeple E
bg-monastery 0,1 r0: B abbot mid
bg-straight 1,0 r0: B meeple Nw
"""


def late_game(rules: Rules, seed: int = SEED) -> Game:
    """A game of greedy players just before one of its last tiles is placed."""
    game = Game(rules, seed=seed)
    while game.n_tiles_left > N_TILES_LEFT or game.phase != Phase.PLACE_TILE:
        game.apply(game.greedy_action())
    return game


def late_auction(rules: Rules, seed: int) -> Game:
    """A game in whose auction one tile is sold and the next one has been overbid."""
    game = Game(rules, seed=seed)
    while not (game.n_tiles_left < N_TILES_AT_AUCTION and is_second_lot(game)):
        game.apply("castle" if game.phase == Phase.CASTLE else game.greedy_action())
    game.apply("bid 3")
    game.apply("bid 5")
    return game


def is_second_lot(game: Game) -> bool:
    """Whether the bidding for the second tile of an auction is about to be opened."""
    bazaar = game.position().bazaar if game.phase == Phase.BAZAAR_BID else None
    return bazaar is not None and [lot.owner is None for lot in bazaar.offer].count(False) == 1


def main() -> None:
    """Draw all pictures anew."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    opening = Game.from_position(parse_position(OPENING))
    pictures = {
        "board.png": board_png(late_game(Rules(n_players=3)).position(), width=1400),
        "abbey-mayor.png": board_png(late_game(ABBEY_MAYOR).position(), width=1400),
        "bridges.png": board_png(late_auction(BRIDGES, BRIDGES_SEED).position(), width=1400),
        "opening.png": board_png(opening.position(), width=640),
    }
    for name, content in pictures.items():
        replace_file(IMAGES / name, content)
        print(f"written: docs/images/{name} ({len(content) / 1000:.0f} kB)")


if __name__ == "__main__":
    tyro.cli(main)

"""Draw the pictures of the documentation: ``python scripts/draw_docs.py``.

``docs/images/board.png``: a game of three greedy players a few tiles before its end.
``docs/images/abbey-mayor.png``: the same with Abbey & Mayor and four players.
``docs/images/bridges.png``: an auction with Bridges, Castles & Bazaars, late in a game of three
greedy players who build castles wherever they can.
``docs/images/opening.png``: the position that docs/notation.md uses as an example of the notation.
``docs/images/river.png``: a game with the River soon after its lake.
``docs/images/traders.png``: the second part of a turn with Traders & Builders.
``docs/images/count.png``: Carcassonne with those who wait there, and the count.
``docs/images/<set>-tiles.png``: the tiles of each set.
``docs/images/tiles.png``: every tile of every set once.
``docs/images/observation.png``: planes, globals and action mask of a base game, by ``diagram.py``.
``docs/images/complexity.png``: sizes of game trees, by ``complexity.py``.
``docs/images/throughput.png``: what ``throughput.py`` has measured.
``docs/images/film.gif``: the last turns of a game of the preset `all`, three `value` agents.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import tyro
from carc_env.agents import make_agent
from complexity import complexity_plot
from diagram import observation_diagram
from PIL import Image
from throughput import read_throughput, throughput_plot

from carc_env import Game, Rules
from carc_env.engine.core.codes import Figure, Phase
from carc_env.engine.core.tiles import ABBEY, FACTS
from carc_env.game.notation import parse_position
from carc_env.game.records import replace_file
from carc_env.position import Position
from carc_env.render import board_png, board_rgb, tile_svg
from carc_env.render import palette as p
from carc_env.render.lettering import text_svg, text_width
from carc_env.render.raster import png_from_svg
from carc_env.render.shapes import SIZE, number
from carc_env.render.tile_art import CLIP
from carc_env.rules import TILE_SETS

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
SEED = 10
N_TILES_LEFT = 4
ABBEY_MAYOR = Rules.preset("abbey-mayor", n_players=4)
BRIDGES = Rules.preset("bridges", n_players=3)
BRIDGES_SEED = 51
N_TILES_AT_AUCTION = 30
RIVER = Rules.preset("river", n_players=2)
RIVER_SEED = 2
N_TILES_AFTER_LAKE = 6
TRADERS = Rules.preset("traders", n_players=3)
TRADERS_SEED = 3
N_TILES_IN_SECOND_PART = 58

SHEET_COLUMNS, SHEET_GAP, LABEL_HEIGHT = 6, 10.0, 18.0
LABEL_SIZE, SHEET_COLORS = 5.0, 128
CONTACT_COLUMNS, CONTACT_SCALE = 16, 0.5

FILM = Rules.preset("all", n_players=3)
FILM_SEED = 4
FILM_SIZE, FILM_COLORS, FILM_FPS = (960, 640), 96, 2
N_FRAMES, N_LAST_FRAMES = 40, 8

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

LITTLE_BUILDINGS = """
[carc_env position 1]
[rules {preset: little-buildings}]
[scores 9:6]
[built 0,-1 tower, -1,0 shed, 1,0 house, 1,1 tower]
[unbuilt A 2 3 2, B 3 2 2]
[turn A places bg-curve]
bg-cap-straight 0,0 r0: A meeple N
bg-city3 0,-1 r0
bg-cap-curve-left -1,0 r2: B meeple N
bg-straight 1,0 r0: A meeple Es
bg-monastery 0,1 r0: B meeple mid
bg-cap-garden 1,1 r2
bg-straight 2,0 r0: A meeple E
"""

IN_CARCASSONNE = (
    *("A large castle", "A meeple castle", "B mayor castle", "C meeple castle"),
    *("A meeple market", "B meeple market", "B meeple market", "C meeple market", "C large market"),
    *("A wagon blacksmith", "C meeple blacksmith", "B meeple cathedral", "C abbot cathedral"),
)
CARCASSONNE = f"""
[carc_env position 1]
[rules {{preset: count, n_players: 3, large_meeples: true, mayors: true, wagons: true}}]
[scores 21:14:32]
[count market]
[quarters {", ".join(IN_CARCASSONNE)}]
[turn A moves the count]
co-1 -2,-1 r0
co-2 -1,-1 r0: A meeple Nw
co-3 0,-1 r0
co-4 1,-1 r0
co-5 -2,0 r0
co-6 -1,0 r0
co-7 0,0 r0
co-8 1,0 r0
co-9 -2,1 r0
co-10 -1,1 r0
co-11 0,1 r0: B meeple S
co-12 1,1 r0: C meeple E
bg-curve -3,-1 r2
bg-monastery -3,0 r0: A abbot mid
bg-corner-shield 2,1 r3
bg-straight 1,-2 r1: B wagon N
"""


def late_game(rules: Rules, seed: int = SEED) -> Game:
    """Return a game of greedy players just before one of its last tiles is placed."""
    game = Game(rules, seed=seed)
    while game.n_tiles_left > N_TILES_LEFT or game.phase != Phase.PLACE_TILE:
        game.apply(game.greedy_action())
    return game


def late_auction(rules: Rules, seed: int) -> Game:
    """Return a game in whose auction one tile is sold and the next one has been overbid."""
    game = Game(rules, seed=seed)
    while not (game.n_tiles_left < N_TILES_AT_AUCTION and is_second_lot(game)):
        game.apply("castle" if game.phase == Phase.CASTLE else game.greedy_action())
    game.apply("bid 3")
    game.apply("bid 5")
    return game


def is_second_lot(game: Game) -> bool:
    """Return whether the bidding for the second tile of an auction is about to open."""
    bazaar = game.position().bazaar if game.phase == Phase.BAZAAR_BID else None
    return bazaar is not None and [lot.owner is None for lot in bazaar.offer].count(False) == 1


def game_by_the_river(rules: Rules, seed: int) -> Game:
    """Return a game of greedy players some tiles after the lake."""
    game = Game(rules, seed=seed)
    n_river = sum(row["n"][rules.edition] for row in FACTS if row["set"] == "river1")
    while (
        len(game.position().tiles) < n_river + N_TILES_AFTER_LAKE or game.phase != Phase.PLACE_TILE
    ):
        game.apply(game.greedy_action())
    return game


def game_in_second_part(rules: Rules, seed: int) -> Game:
    """Return a game of greedy players in the second part of a turn, with a pig on the board."""
    game = Game(rules, seed=seed)
    while game.n_tiles_left > N_TILES_IN_SECOND_PART or not is_second_part(game):
        game.apply(game.greedy_action())
    return game


def is_second_part(game: Game) -> bool:
    """Return whether a second tile is about to be placed while a builder and a pig are out."""
    position = game.position()
    figures = {figure.figure for figure in position.figures}
    is_second = position.first_part is not None and position.phase == Phase.PLACE_TILE
    return is_second and {Figure.BUILDER, Figure.PIG} <= figures


def film(rules: Rules, seed: int) -> bytes:
    """Return a GIF of the last decisions of a game of `value` agents, in the last colours."""
    game, agent = Game(rules, seed=seed), make_agent("value")
    positions = []
    while not game.is_over:
        positions.append(game.position())
        game.apply(agent.act(game))
    shown = [*positions[-N_FRAMES:], *[game.position()] * N_LAST_FRAMES]
    frames = [
        Image.fromarray(board_rgb(position, width=FILM_SIZE[0], height=FILM_SIZE[1]))
        for position in shown
    ]
    palette = frames[-1].quantize(FILM_COLORS)
    flat = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    content = io.BytesIO()
    duration = round(1000 / FILM_FPS)
    flat[0].save(content, "GIF", save_all=True, append_images=flat[1:], duration=duration, loop=0)
    return content.getvalue()


def designs_of(name: str) -> list[dict[str, Any]]:
    """Return the designs of a set, in the order of its file, and the abbey of Abbey & Mayor."""
    rows = [row for row in FACTS if row["set"] == name]
    return rows + [ABBEY] * (name == "abbey")


def tile_sheet(name: str) -> bytes:
    """Return a PNG file with the designs of a set, their names, and how many copies there are."""
    designs = designs_of(name)
    n_rows = -(-len(designs) // SHEET_COLUMNS)
    step_x, step_y = SIZE + SHEET_GAP, SIZE + SHEET_GAP + LABEL_HEIGHT
    width, height = SHEET_COLUMNS * step_x + SHEET_GAP, n_rows * step_y + SHEET_GAP
    parts = []
    for i, design in enumerate(designs):
        tile, n = design["id"], max(design["n"].values())
        row, column = divmod(i, SHEET_COLUMNS)
        x, y = SHEET_GAP + column * step_x, SHEET_GAP + row * step_y
        labels = [
            text_svg(text, SIZE / 2, SIZE + 10 + 8 * k, LABEL_SIZE, color=p.INK, anchor="middle")
            for k, text in enumerate(label_of(f"{tile} x {n}" if n > 1 else tile))
        ]
        parts.append(
            f'<g transform="translate({number(x)} {number(y)})"><g clip-path="url(#tile-clip)">'
            f"{tile_svg(tile)}</g>{''.join(labels)}</g>"
        )
    return with_few_colors(
        png_from_svg(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width:g}" height="{2 * height:g}"'
            f' viewBox="0 0 {width:g} {height:g}"><defs>{CLIP}</defs>'
            f'<rect width="{width:g}" height="{height:g}" fill="{p.PAPER}"/>{"".join(parts)}</svg>'
        )
    )


def with_few_colors(png: bytes) -> bytes:
    """Return a picture with a palette, at about a third of its size."""
    picture, file = Image.open(io.BytesIO(png)).convert("RGB"), io.BytesIO()
    picture.quantize(SHEET_COLORS, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()


def contact_sheet() -> bytes:
    """Return every design once, in rows that begin with the name of the set, as a PNG file."""
    step, left = SIZE + SHEET_GAP, SIZE + SHEET_GAP
    parts, y = [], SHEET_GAP
    for name in dict.fromkeys(row["set"] for row in FACTS):
        tiles = [row["id"] for row in FACTS if row["set"] == name]
        letters = min(14.0, 14.0 * SIZE / (text_width(name, 14.0) + SHEET_GAP))
        parts.append(text_svg(name, SHEET_GAP, y + SIZE / 2, letters, color=p.INK))
        for i, tile in enumerate(tiles):
            row, column = divmod(i, CONTACT_COLUMNS)
            place = f"translate({number(left + column * step)} {number(y + row * step)})"
            clipped = f'<g clip-path="url(#tile-clip)">{tile_svg(tile)}</g>'
            parts.append(f'<g transform="{place}">{clipped}</g>')
        y += -(-len(tiles) // CONTACT_COLUMNS) * step + SHEET_GAP
    width = left + CONTACT_COLUMNS * step
    return png_from_svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * CONTACT_SCALE:g}"'
        f' height="{y * CONTACT_SCALE:g}" viewBox="0 0 {width:g} {y:g}"><defs>{CLIP}</defs>'
        f'<rect width="{width:g}" height="{y:g}" fill="{p.PAPER}"/>{"".join(parts)}</svg>'
    )


def label_of(tile: str) -> list[str]:
    """Return the name of a design in as few lines as the width of a tile allows."""
    lines = [""]
    for part in tile.split("-"):
        longer = f"{lines[-1]}-{part}" if lines[-1] else part
        if lines[-1] and text_width(longer + "-", LABEL_SIZE) > SIZE:
            lines[-1] += "-"
            lines.append(part)
        else:
            lines[-1] = longer
    return lines


def position_of(text: str) -> Position:
    """Return a possible position, completed where its text leaves things open."""
    return Game.from_position(parse_position(text)).position()


def main() -> None:
    """Draw all pictures again."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    opening = Game.from_position(parse_position(OPENING))
    pictures = {
        "board.png": board_png(late_game(Rules(n_players=3)).position(), width=1400),
        "abbey-mayor.png": board_png(late_game(ABBEY_MAYOR).position(), width=1400),
        "bridges.png": board_png(late_auction(BRIDGES, BRIDGES_SEED).position(), width=1400),
        "count.png": board_png(position_of(CARCASSONNE), width=1200),
        "opening.png": board_png(opening.position(), width=640),
        "river.png": board_png(game_by_the_river(RIVER, RIVER_SEED).position(), width=1000),
        "little-buildings.png": board_png(position_of(LITTLE_BUILDINGS), width=900),
        "traders.png": board_png(game_in_second_part(TRADERS, TRADERS_SEED).position(), width=1400),
        **{f"{name}-tiles.png": tile_sheet(name) for name in TILE_SETS},
        "tiles.png": contact_sheet(),
        "observation.png": observation_diagram(),
        "complexity.png": complexity_plot(),
        "throughput.png": throughput_plot(read_throughput()),
        "film.gif": film(FILM, FILM_SEED),
    }
    for name, content in pictures.items():
        replace_file(IMAGES / name, content)
        print(f"written: docs/images/{name} ({len(content) / 1000:.0f} kB)")


if __name__ == "__main__":
    tyro.cli(main)

"""Pictures of positions: SVG, pixels, plain text, and a window.

Everything is drawn from the tile facts. SVG and text need only the package itself; pixels and the
window need the ``carc_env[render]`` extra.
"""

from carc_env.render.analysis import analysis_svg, analysis_text
from carc_env.render.legal import Mark, legal_marks
from carc_env.render.picture import Look, board_png, board_rgb, board_svg
from carc_env.render.sites import stand_of
from carc_env.render.text import board_text, tile_text
from carc_env.render.tile_art import tile_svg
from carc_env.render.window import Window

__all__ = [
    "Look",
    "Mark",
    "Window",
    "analysis_svg",
    "analysis_text",
    "board_png",
    "board_rgb",
    "board_svg",
    "board_text",
    "legal_marks",
    "stand_of",
    "tile_svg",
    "tile_text",
]

"""All colours in one place: the ground is muted, so that figures stand out."""

from __future__ import annotations

INK = "#3b3128"
FAINT_INK = "#8c7f6e"
PAPER = "#ece5d6"
CARD = "#f8f4ea"
CARD_LINE = "#d8cdb8"
ACCENT = "#b5842b"

GRASS = "#a9bf72"
GRASS_LIGHT = "#b7ca83"
GRASS_DARK = "#8ea65b"
TREE = ("#6f8f4c", "#7c9a52", "#66864c", "#86a05a")
TREE_DARK = "#4f6b38"

CITY_GROUND = "#d6a878"
CITY_SHADE = "#c6946a"
SHADE = "#33210f"
WALL_LINE = "#57483a"
WALL_STONE = "#9f917c"
WALL_LIGHT = "#ddd3bf"
PLASTER = ("#f4e8cf", "#efe0c2", "#f7eedb", "#ead9ba")
ROOF = ("#b4563c", "#c26744", "#a64b38", "#cc7a4e")
ROOF_DARK = ("#93422f", "#a15237", "#883a2c", "#ab6240")

ROAD = "#f3ead3"
ROAD_EDGE = "#9a8760"
RIVER = "#7db1cc"
RIVER_EDGE = "#5585a0"
RIVER_LIGHT = "#b5d5e3"
RIVER_GLEAM = "#86b9d2"

STONE = "#e6dccb"
CLOTH_RED = "#b5402f"
GOLD = "#d9a93c"
SHIELD_BLUE = "#2f5f9e"
SHIELD_WHITE = "#f6f1e4"
WINE = "#7c2d4a"
WINE_DARK = "#54162f"
WINE_LIGHT = "#a65a74"
STRAW = "#8a6418"
TEAL = "#2f7f95"
TEAL_DARK = "#1d5666"
TEAL_LIGHT = "#8cc7d2"
LEAD = "#9b948a"
LEAD_DARK = "#6f6960"
ASH = "#bdb6ad"
SLIT = "#5f5346"
GATE = "#6b4a33"
SLATE = "#66788c"
COPPER = "#5f9a83"
SLATE_DARK = "#47566a"
PRECINCT = "#cdb9a0"
PRECINCT_SHADE = "#b59f85"
COURT = "#e0d5c0"
COURT_SHADE = "#c8bba1"
HEDGE = "#5f8446"
HEDGE_DARK = "#3f5c30"
CHAIN = "#ffd75e"
WHEEL = "#e9d3a2"
SNOUT = "#f2b8ae"
LEAF = "#5f8a3e"
BACK = "#54677c"
BACK_LINE = "#72869b"
SAND = "#e3cf9f"
SAND_SHADE = "#c9b17c"
CANVAS = ("#3f6fa8", "#c0503a", LEAF, "#8a5a9e")
FRUIT = ("#c8452f", "#e8c547", "#6f8f4c", "#d2527a")

SEATS = ("#cf3a2b", "#2c6cb8", "#f2c230", "#3d3a3a", "#2f9e63", "#d978b0")
"""Player colours by seat: red, blue, yellow, black, green, pink."""

SEATS_DARK = ("#5e140d", "#102f57", "#6b4f06", "#0d0d0d", "#0d4428", "#662047")
"""Figure outline colours by seat."""

SEATS_LETTER = ("#ffffff", "#ffffff", "#4a3703", "#ffffff", "#ffffff", "#4a1233")
"""Letter colours on figures by seat."""

"""How the rule tests speak: play moves from a position in our notation, then look at the table.

Nothing here knows the engine; the tile table is written out from the tile facts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.game.game import Game
from carc_env.game.notation import parse_position
from carc_env.position import UNKNOWN_TILE, Position
from carc_env.rules import Rules
from carc_env.words import SEATS
from tests.oracle.comparison import ComparedGame


class TileFacts(NamedTuple):
    """Edges N, E, S, W as stored; number of distinct rotations; copies in two editions."""

    edges: str
    n_rotations: int
    n_c1: int
    n_c2: int


START = "bg-cap-straight"

BASE_TILES = {
    "bg-monastery": TileFacts("FFFF", 1, 4, 4),
    "bg-monastery-road": TileFacts("FFFR", 4, 2, 2),
    "bg-cap-straight": TileFacts("CRFR", 4, 4, 4),
    "bg-city4-shield": TileFacts("CCCC", 1, 1, 1),
    "bg-city3-gate-shield": TileFacts("CCCR", 4, 2, 2),
    "bg-city3-gate": TileFacts("CCCR", 4, 1, 1),
    "bg-span-shield": TileFacts("CFCF", 2, 2, 2),
    "bg-span": TileFacts("CFCF", 2, 1, 1),
    "bg-corner": TileFacts("CCFF", 4, 3, 2),
    "bg-corner-garden": TileFacts("CCFF", 4, 0, 1),
    "bg-corner-shield": TileFacts("CCFF", 4, 2, 1),
    "bg-corner-shield-garden": TileFacts("CCFF", 4, 0, 1),
    "bg-corner-curve": TileFacts("CCRR", 4, 3, 3),
    "bg-corner-curve-shield": TileFacts("CCRR", 4, 2, 2),
    "bg-city3": TileFacts("CCCF", 4, 3, 2),
    "bg-city3-garden": TileFacts("CCCF", 4, 0, 1),
    "bg-city3-shield": TileFacts("CCCF", 4, 1, 1),
    "bg-cap-curve-right": TileFacts("CRRF", 4, 3, 3),
    "bg-cap-junction": TileFacts("CRRR", 4, 3, 3),
    "bg-cap-curve-left": TileFacts("CFRR", 4, 3, 3),
    "bg-cap": TileFacts("CFFF", 4, 5, 4),
    "bg-cap-garden": TileFacts("CFFF", 4, 0, 1),
    "bg-caps-opposite": TileFacts("CFCF", 2, 3, 2),
    "bg-caps-opposite-garden": TileFacts("CFCF", 2, 0, 1),
    "bg-caps-adjacent": TileFacts("CCFF", 4, 2, 1),
    "bg-caps-adjacent-garden": TileFacts("CCFF", 4, 0, 1),
    "bg-crossroads": TileFacts("RRRR", 1, 1, 1),
    "bg-junction": TileFacts("FRRR", 4, 4, 4),
    "bg-curve": TileFacts("FFRR", 4, 9, 8),
    "bg-curve-garden": TileFacts("FFRR", 4, 0, 1),
    "bg-straight": TileFacts("FRFR", 2, 8, 7),
    "bg-straight-garden": TileFacts("FRFR", 2, 0, 1),
}
GARDEN_TILES = tuple(tile for tile in BASE_TILES if tile.endswith("-garden"))

SOURCE, LAKE = "rv-source", "rv-lake"

RIVER_TILES = {
    "rv-source": TileFacts("FFFV", 4, 1, 1),
    "rv-lake": TileFacts("FFFV", 4, 1, 1),
    "rv-caps-opposite": TileFacts("CVCV", 2, 1, 1),
    "rv-cap-gate": TileFacts("CVRV", 4, 1, 1),
    "rv-monastery-road": TileFacts("FVRV", 4, 1, 1),
    "rv-road-bridge": TileFacts("RVRV", 2, 1, 1),
    "rv-straight": TileFacts("FVFV", 2, 2, 2),
    "rv-corner-bend": TileFacts("CCVV", 4, 1, 1),
    "rv-road-bend": TileFacts("RRVV", 4, 1, 1),
    "rv-bend": TileFacts("FFVV", 4, 2, 1),
    "rv-bend-garden": TileFacts("FFVV", 4, 0, 1),
}

INNS_TILES = {
    "ic-cathedral": TileFacts("CCCC", 1, 2, 2),
    "ic-monastery-two-roads": TileFacts("FRFR", 2, 1, 1),
    "ic-caps-four": TileFacts("CCCC", 1, 1, 0),
    "ic-caps-four-garden": TileFacts("CCCC", 1, 0, 1),
    "ic-caps-three": TileFacts("CCCF", 4, 1, 1),
    "ic-caps-opposite-crossing": TileFacts("CRCR", 2, 1, 1),
    "ic-corner-shield-and-cap": TileFacts("CCCF", 4, 1, 1),
    "ic-cap-long": TileFacts("CFFF", 4, 1, 1),
    "ic-cap-gate": TileFacts("CFRF", 4, 1, 1),
    "ic-corner-gate-right": TileFacts("CCRF", 4, 1, 1),
    "ic-span-two-gates-shield": TileFacts("CRCR", 2, 1, 1),
    "ic-corner-gate-left-inn": TileFacts("CCFR", 4, 1, 1),
    "ic-cap-curve-left-inn": TileFacts("CFRR", 4, 1, 1),
    "ic-corner-curve-shield-inn": TileFacts("CCRR", 4, 1, 1),
    "ic-junction-inn": TileFacts("FRRR", 4, 1, 1),
    "ic-straight-inn": TileFacts("FRFR", 2, 1, 0),
    "ic-straight-inn-garden": TileFacts("FRFR", 2, 0, 1),
    "ic-curve-inn": TileFacts("FFRR", 4, 1, 1),
    "ic-two-curves": TileFacts("RRRR", 2, 1, 1),
}

TRADERS_TILES = {
    "tb-corner-grain": TileFacts("CCFF", 4, 1, 1),
    "tb-corner-wine": TileFacts("CCFF", 4, 1, 1),
    "tb-span-cloth-and-cap": TileFacts("CCCF", 4, 1, 1),
    "tb-span-wine-and-cap": TileFacts("CCCF", 4, 1, 1),
    "tb-city3-grain": TileFacts("CCCF", 4, 1, 1),
    "tb-corner-cloth-two-caps": TileFacts("CCCC", 4, 1, 1),
    "tb-corner-cloth-two-gates-split": TileFacts("CCRR", 4, 1, 1),
    "tb-corner-wine-two-gates": TileFacts("CCRR", 4, 1, 0),
    "tb-corner-wine-two-gates-garden": TileFacts("CCRR", 4, 0, 1),
    "tb-corner-cloth-gate-cap": TileFacts("CCCR", 4, 1, 1),
    "tb-corner-grain-gate-cap": TileFacts("CCCR", 4, 1, 1),
    "tb-corner-cloth-gate-right": TileFacts("CCRF", 4, 1, 0),
    "tb-corner-cloth-gate-right-garden": TileFacts("CCRF", 4, 0, 1),
    "tb-corner-wine-gate-right-split": TileFacts("CCRF", 4, 1, 1),
    "tb-city3-wine-gate": TileFacts("CCCR", 4, 1, 1),
    "tb-corner-wine-corner": TileFacts("CCCC", 4, 1, 1),
    "tb-span-wine": TileFacts("CFCF", 2, 1, 1),
    "tb-cap-gate-right": TileFacts("CRFF", 4, 1, 1),
    "tb-span-grain-gate": TileFacts("CFCR", 4, 1, 1),
    "tb-span-wine-gate": TileFacts("CFCR", 4, 1, 1),
    "tb-span-wine-two-gates": TileFacts("CRCR", 2, 1, 1),
    "tb-monastery-three-roads": TileFacts("FRRR", 4, 1, 1),
    "tb-corner-grain-gate-left": TileFacts("CCFR", 4, 1, 1),
    "tb-corner-grain-gate-left-split": TileFacts("CCFR", 4, 1, 1),
    "tb-cap-gate-overpass": TileFacts("CFRR", 4, 1, 1),
    "tb-roads-overpass": TileFacts("RRRR", 1, 1, 1),
}

ABBEY_TILES = {
    "am-city4-two-shields": TileFacts("CCCC", 1, 1, 1),
    "am-spans-crossing-shield": TileFacts("CCCC", 2, 1, 1),
    "am-span-and-bridged-cap-shield": TileFacts("CCCF", 4, 1, 1),
    "am-caps-adjacent-two-gates": TileFacts("CCRR", 4, 1, 1),
    "am-monastery-four-roads": TileFacts("RRRR", 1, 1, 1),
    "am-cap-gate-left": TileFacts("CFFR", 4, 1, 1),
    "am-cap-curve-right-touching": TileFacts("CRRF", 4, 1, 1),
    "am-cap-curve-left-touching": TileFacts("CFRR", 4, 1, 1),
    "am-cap-triangle-shield": TileFacts("CFFF", 4, 1, 1),
    "am-road-end": TileFacts("FFFR", 4, 1, 0),
    "am-road-end-garden": TileFacts("FFFR", 4, 0, 1),
    "am-road-three-way": TileFacts("FRRR", 4, 1, 1),
    "am-span-tunnel-shield": TileFacts("CRCR", 4, 1, 1),
}

BRIDGES_TILES = {
    "bcb-city4-bazaar": TileFacts("CCCC", 1, 2, 2),
    "bcb-caps-three-gate": TileFacts("CCCR", 4, 1, 1),
    "bcb-span-bazaar": TileFacts("CFCF", 2, 1, 1),
    "bcb-cap-triangle-gate": TileFacts("CFRF", 4, 1, 0),
    "bcb-cap-triangle-gate-garden": TileFacts("CFRF", 4, 0, 1),
    "bcb-cap-road-bazaar": TileFacts("CFRF", 4, 1, 1),
    "bcb-bazaar": TileFacts("FFFF", 1, 1, 1),
    "bcb-span-monastery": TileFacts("CFCF", 2, 1, 1),
    "bcb-monastery-straight": TileFacts("FRFR", 2, 1, 1),
    "bcb-road-bazaar-inn": TileFacts("FFFR", 4, 1, 1),
    "bcb-roads-bazaar": TileFacts("FRFR", 2, 1, 1),
    "bcb-roads-bazaar-inn": TileFacts("FRFR", 4, 1, 1),
}

KING_TILES = {
    "kr-cap-monastery": TileFacts("CFFF", 4, 1, 1),
    "kr-cap-gate-left": TileFacts("CFFR", 4, 1, 0),
    "kr-cap-gate-left-garden": TileFacts("CFFR", 4, 0, 1),
    "kr-cap-gate-left-curve": TileFacts("CRRR", 4, 1, 1),
    "kr-corner-two-gates-split": TileFacts("CCRR", 4, 1, 1),
    "kr-spans-crossing": TileFacts("CCCC", 1, 1, 1),
}

CULT_TILES = {
    "cu-shrine": TileFacts("FFFF", 1, 1, 1),
    "cu-shrine-cap": TileFacts("CFFF", 4, 1, 1),
    "cu-shrine-road": TileFacts("FFFR", 4, 1, 1),
    "cu-shrine-cap-road": TileFacts("CFRF", 4, 1, 1),
    "cu-shrine-two-roads": TileFacts("FRFR", 2, 1, 1),
    "cu-shrine-cap-two-roads": TileFacts("CRFR", 4, 0, 0),
}

RIVER_2_TILES = {
    "r2-source": TileFacts("FFFV", 4, 1, 1),
    "r2-cap-river-end": TileFacts("CFVF", 4, 1, 1),
    "r2-lake-volcano": TileFacts("FFFV", 4, 1, 1),
    "r2-fork": TileFacts("FVVV", 4, 1, 1),
    "r2-span-over-river": TileFacts("CVCV", 2, 1, 1),
    "r2-monastery": TileFacts("FVFV", 2, 1, 1),
    "r2-road-bridge-inn": TileFacts("RVRV", 2, 1, 1),
    "r2-cap-gate": TileFacts("CVRV", 4, 1, 1),
    "r2-bend": TileFacts("FFVV", 4, 1, 0),
    "r2-bend-garden": TileFacts("FFVV", 4, 0, 1),
    "r2-corner-bend-shield": TileFacts("CCVV", 4, 1, 1),
    "r2-bend-pigherd": TileFacts("FFVV", 4, 1, 1),
    "r2-road-bend": TileFacts("RRVV", 4, 1, 1),
}
FORK, VOLCANO_LAKE = "r2-fork", "r2-lake-volcano"
EXTRA_SHRINE = "cu-shrine-cap-two-roads"

TOWER_TILES = {
    "to-cap": TileFacts("CFFF", 4, 2, 2),
    "to-field": TileFacts("FFFF", 1, 1, 0),
    "to-field-garden": TileFacts("FFFF", 1, 0, 1),
    "to-monastery": TileFacts("FFFF", 1, 1, 1),
    "to-curve-split": TileFacts("FFRR", 4, 1, 0),
    "to-curve-split-garden": TileFacts("FFRR", 4, 0, 1),
    "to-junction": TileFacts("FRRR", 4, 1, 1),
    "to-two-curves": TileFacts("RRRR", 2, 1, 1),
    "to-crossroads": TileFacts("RRRR", 1, 1, 1),
    "to-span-straight": TileFacts("CRCR", 2, 1, 1),
    "to-cap-road": TileFacts("CFRF", 4, 1, 1),
    "to-cap-curve-left": TileFacts("CFRR", 4, 1, 1),
    "to-cap-straight-touching": TileFacts("CRFR", 4, 1, 1),
    "to-corner": TileFacts("CCFF", 4, 1, 1),
    "to-corner-gate-right-split": TileFacts("CCRF", 4, 1, 1),
    "to-caps-adjacent": TileFacts("CCFF", 4, 1, 1),
    "to-caps-opposite-straight": TileFacts("CRCR", 2, 1, 1),
    "to-city3-gate": TileFacts("CCCR", 4, 1, 1),
    "to-city3-shield-and-cap": TileFacts("CCCC", 4, 1, 1),
}

HILLS_TILES = {
    "hs-cap-pointed-vineyard": TileFacts("CFFF", 4, 2, 2),
    "hs-corner-and-cap-shared-vineyard": TileFacts("CCCF", 4, 2, 2),
    "hs-corner-hill": TileFacts("CCFF", 4, 1, 1),
    "hs-caps-adjacent-hill": TileFacts("CCFF", 4, 1, 1),
    "hs-corner-vineyard": TileFacts("CCFF", 4, 1, 1),
    "hs-caps-opposite-hill": TileFacts("CFCF", 2, 1, 1),
    "hs-caps-opposite-touching-vineyard": TileFacts("CFCF", 2, 1, 1),
    "hs-cap-gate-hill": TileFacts("CFRF", 4, 1, 1),
    "hs-cap-curve-right-hill": TileFacts("CRRF", 4, 1, 1),
    "hs-cap-curve-right-monastery": TileFacts("CRRF", 4, 1, 1),
    "hs-monastery-road-and-curve": TileFacts("FRRR", 4, 1, 1),
    "hs-caps-adjacent-gate-vineyard": TileFacts("CCFR", 4, 1, 1),
    "hs-straight-split-hill": TileFacts("FRFR", 2, 1, 1),
    "hs-curve-split-hill": TileFacts("FFRR", 4, 1, 0),
    "hs-curve-split-hill-garden": TileFacts("FFRR", 4, 0, 1),
    "hs-cap-curve-left-hill": TileFacts("CFRR", 4, 1, 1),
    "hs-side-road-vineyard": TileFacts("FRRR", 4, 1, 1),
}

PRINCESS_TILES = {
    "pd-volcano": TileFacts("FFFF", 1, 1, 1),
    "pd-two-curves-portal": TileFacts("RRRR", 2, 1, 1),
    "pd-road-end-volcano": TileFacts("FFFR", 4, 1, 1),
    "pd-cap-dragon": TileFacts("CFFF", 4, 1, 0),
    "pd-cap-dragon-garden": TileFacts("CFFF", 4, 0, 1),
    "pd-cap-volcano": TileFacts("CFFF", 4, 1, 1),
    "pd-monastery-three-roads-dragon": TileFacts("FRRR", 4, 1, 1),
    "pd-junction-dragon": TileFacts("FRRR", 4, 1, 1),
    "pd-junction-portal": TileFacts("FRRR", 4, 1, 1),
    "pd-cap-junction-princess": TileFacts("CRRR", 4, 1, 1),
    "pd-corner-shield-and-cap-long-princess": TileFacts("CCCF", 4, 1, 1),
    "pd-city3-princess": TileFacts("CCCF", 4, 1, 1),
    "pd-city3-shield-portal": TileFacts("CCCF", 4, 1, 1),
    "pd-city3-monastery-dragon": TileFacts("CCCF", 4, 1, 1),
    "pd-curve-dragon": TileFacts("FFRR", 4, 2, 2),
    "pd-curve-volcano": TileFacts("FFRR", 4, 1, 1),
    "pd-straight-dragon": TileFacts("FRFR", 2, 1, 1),
    "pd-straight-volcano": TileFacts("FRFR", 2, 1, 1),
    "pd-corner-split-princess": TileFacts("CCFF", 4, 1, 1),
    "pd-corner-dragon": TileFacts("CCFF", 4, 1, 1),
    "pd-corner-princess": TileFacts("CCFF", 4, 1, 0),
    "pd-corner-princess-garden": TileFacts("CCFF", 4, 0, 1),
    "pd-caps-adjacent-volcano": TileFacts("CCFF", 4, 1, 1),
    "pd-span-shield-dragon": TileFacts("CFCF", 2, 1, 1),
    "pd-corner-curve-princess": TileFacts("CCRR", 4, 1, 1),
    "pd-corner-curve-portal": TileFacts("CCRR", 4, 1, 1),
    "pd-span-tunnel-dragon": TileFacts("CRCR", 2, 1, 1),
    "pd-cap-curve-left-dragon": TileFacts("CFRR", 4, 1, 1),
    "pd-cap-curve-left-portal": TileFacts("CFRR", 4, 1, 1),
    "pd-cap-curve-right-dragon": TileFacts("CRRF", 4, 1, 1),
    "pd-cap-curve-right-portal": TileFacts("CRRF", 4, 1, 1),
}

#: K is a side that joins another one of the twelve, which are laid out before the game.
COUNT_TILES = {
    "co-1": TileFacts("FKKR", 1, 1, 1),
    "co-2": TileFacts("FKKK", 1, 1, 1),
    "co-3": TileFacts("FKKK", 1, 1, 1),
    "co-4": TileFacts("RFKK", 1, 1, 1),
    "co-5": TileFacts("KKKF", 1, 1, 1),
    "co-6": TileFacts("KKKK", 1, 1, 1),
    "co-7": TileFacts("KKKK", 1, 1, 1),
    "co-8": TileFacts("KFKK", 1, 1, 1),
    "co-9": TileFacts("KKCF", 1, 1, 1),
    "co-10": TileFacts("KKFK", 1, 1, 1),
    "co-11": TileFacts("KKRK", 1, 1, 1),
    "co-12": TileFacts("KCFK", 1, 1, 1),
}

FESTIVAL_TILES = {
    "fe-span-and-cap": TileFacts("CCCF", 4, 1, 1),
    "fe-corner-corner": TileFacts("CCCC", 2, 1, 1),
    "fe-cap-gate": TileFacts("CFRF", 4, 1, 1),
    "fe-cap-gate-right": TileFacts("CRFF", 4, 1, 1),
    "fe-caps-opposite-crossing": TileFacts("CRCR", 2, 1, 1),
    "fe-cap-curve-right": TileFacts("CRRF", 4, 1, 1),
    "fe-monastery-curve-split": TileFacts("FFRR", 4, 1, 1),
    "fe-cap-gate-left": TileFacts("CFFR", 4, 1, 1),
    "fe-cap-curve-left": TileFacts("CFRR", 4, 1, 1),
    "fe-two-curves": TileFacts("RRRR", 2, 1, 1),
}

GOLD_TILES = {
    "gm-monastery-curve": TileFacts("FFRR", 4, 1, 1),
    "gm-monastery-corner": TileFacts("CCFF", 4, 1, 1),
    "gm-monastery-corner-curve": TileFacts("CCRR", 4, 1, 1),
    "gm-monastery-two-curves": TileFacts("RRRR", 2, 1, 1),
    "gm-two-curves": TileFacts("RRRR", 2, 1, 1),
    "gm-corner-curve": TileFacts("CCRR", 4, 1, 1),
    "gm-span-straight": TileFacts("CRCR", 2, 1, 1),
    "gm-roads-overpass": TileFacts("RRRR", 1, 1, 1),
}
FLIER_TILES = {
    "fl-field-ne": TileFacts("FFFF", 4, 1, 0),
    "fl-field-ne-garden": TileFacts("FFFF", 4, 0, 1),
    "fl-field-n": TileFacts("FFFF", 4, 1, 1),
    "fl-straight-se": TileFacts("FRFR", 4, 1, 1),
    "fl-straight-n": TileFacts("FRFR", 4, 1, 1),
    "fl-straight-e": TileFacts("FRFR", 4, 1, 1),
    "fl-curve-ne": TileFacts("FFRR", 4, 1, 1),
    "fl-curve-s": TileFacts("FFRR", 4, 1, 1),
    "fl-curve-w": TileFacts("FFRR", 4, 1, 1),
}

SIEGE_TILES = {
    "si-city3": TileFacts("CCCF", 4, 1, 1),
    "si-corner-gate-right": TileFacts("CCRF", 4, 1, 1),
    "si-cap-gate": TileFacts("CFRF", 4, 1, 1),
    "si-cap-curve-right": TileFacts("CRRF", 4, 1, 1),
    "si-corner-gate-left": TileFacts("CCFR", 4, 1, 1),
    "si-cap-curve-left": TileFacts("CFRR", 4, 1, 1),
    "si-cap": TileFacts("CFFF", 4, 1, 1),
    "si-cap-straight": TileFacts("CRFR", 4, 1, 1),
    "si-corner": TileFacts("CCFF", 4, 1, 1),
    "si-corner-curve": TileFacts("CCRR", 4, 1, 1),
}
CATHARS = ("si-cap", "si-cap-straight", "si-corner", "si-corner-curve")

#: The tables of all sets, by the names that the rules have for them.
TUNNEL_TILES = {
    "tu-cap-three-tunnels": TileFacts("CRRR", 4, 1, 1),
    "tu-cap-two-tunnels": TileFacts("CRFR", 4, 1, 1),
    "tu-two-tunnels": TileFacts("FFRR", 4, 1, 1),
    "tu-three-tunnels-road-end": TileFacts("RRRR", 4, 1, 1),
}
FERRIES_TILES = {
    "fr-cap-lake-three": TileFacts("CRRR", 4, 3, 3),
    "fr-lake-three": TileFacts("FRRR", 4, 4, 4),
    "fr-lake-four": TileFacts("RRRR", 1, 1, 1),
}
#: The same tiles with a road that a tunnel breaks: they take the places of those on the right.
BROKEN = {
    "tu-span-tunnel-shield": "am-span-tunnel-shield",
    "tu-span-tunnel-dragon": "pd-span-tunnel-dragon",
}

MAGE_TILES = {
    "mw-cap-junction": TileFacts("CRRR", 4, 1, 1),
    "mw-corner-curve": TileFacts("CCRR", 4, 1, 1),
    "mw-caps-three-gate": TileFacts("CCCR", 4, 1, 1),
    "mw-span-two-gates": TileFacts("CRCR", 2, 1, 1),
    "mw-caps-opposite": TileFacts("CFCF", 2, 1, 1),
    "mw-city3-gate": TileFacts("CCCR", 4, 1, 1),
    "mw-cap-gate-right-curve": TileFacts("CRRR", 4, 1, 1),
    "mw-caps-adjacent-curve": TileFacts("CCRR", 4, 1, 0),
    "mw-caps-adjacent-curve-garden": TileFacts("CCRR", 4, 0, 1),
}

WATCHTOWER_TILES = {
    "wt-caps-adjacent-gate-shields": TileFacts("CCRF", 4, 1, 1),
    "wt-cap-monasteries": TileFacts("CFFF", 4, 1, 1),
    "wt-cap-gate-cities": TileFacts("CFRF", 4, 2, 2),
    "wt-cap-gate-figures": TileFacts("CFRF", 4, 1, 1),
    "wt-cap-straight-split-touching-roads": TileFacts("CRFR", 4, 1, 1),
    "wt-corner-two-gates-figures": TileFacts("CCRR", 4, 1, 1),
    "wt-caps-opposite-touching-cities": TileFacts("CFCF", 2, 1, 1),
    "wt-caps-opposite-touching-gate-shields": TileFacts("CFCR", 4, 1, 1),
    "wt-cap-gate-left-roads": TileFacts("CFFR", 4, 1, 1),
    "wt-straight-split-monasteries": TileFacts("FRFR", 2, 1, 1),
    "wt-curve-split-roads": TileFacts("FFRR", 4, 1, 1),
}

ROSE = "wr-cap-gate-all"
ROSE_TILES = {
    "wr-corner-ne": TileFacts("CCFF", 4, 1, 1),
    "wr-caps-adjacent-se": TileFacts("CCFF", 4, 1, 1),
    "wr-span-nw": TileFacts("CFCF", 2, 1, 1),
    ROSE: TileFacts("CFRF", 4, 1, 1),
    "wr-curve-all": TileFacts("FFRR", 4, 1, 1),
    "wr-cap-curve-left-sw": TileFacts("CFRR", 4, 1, 1),
}
CORN_TILES = {
    "cc-city-corner": TileFacts("CCFF", 4, 1, 1),
    "cc-city-caps-adjacent": TileFacts("CCFF", 4, 1, 1),
    "cc-field-cap-road-right": TileFacts("CRFF", 4, 1, 1),
    "cc-road-curve": TileFacts("FFRR", 4, 1, 1),
    "cc-field-cap-curve-left": TileFacts("CFRR", 4, 1, 1),
    "cc-road-junction": TileFacts("FRRR", 4, 1, 1),
    "cc-road-curve-and-end": TileFacts("FRRR", 4, 1, 1),
    "cc-road-curve-and-two-ends": TileFacts("RRRR", 4, 1, 1),
    "cc-field-cap-road": TileFacts("CFRF", 4, 1, 1),
    "cc-field-cap-two-roads": TileFacts("CRFR", 4, 1, 1),
    "cc-city-caps-opposite-touching": TileFacts("CFCF", 2, 1, 1),
    "cc-city-corner-corner": TileFacts("CCCC", 2, 1, 1),
}
DARMSTADT_TILES = {
    "da-city4": TileFacts("CCCC", 1, 1, 1),
    "da-church-four-roads": TileFacts("RRRR", 1, 1, 1),
    "da-church-curve": TileFacts("FFRR", 4, 1, 1),
}
CORN_TILES_I = tuple(CORN_TILES)[:6]

RUSSIAN_TILES = {
    "ru-yaga-hut": TileFacts("FFFF", 1, 1, 1),
    "ru-road-end-and-three-way": TileFacts("RRRR", 4, 1, 1),
    "ru-straight-razboynik": TileFacts("FRFR", 2, 1, 1),
    "ru-vodyanoy": TileFacts("FFFF", 1, 1, 1),
}
LABYRINTH_TILES = {"la-maze": TileFacts("RRRR", 1, 2, 2)}

MONASTERY_TILES = {
    "mo-monastery": TileFacts("FFFF", 1, 4, 4),
    "mo-monastery-road": TileFacts("FFFR", 4, 2, 2),
}

SETS = {
    "base": BASE_TILES,
    "river1": RIVER_TILES,
    "inns": INNS_TILES,
    "traders": TRADERS_TILES,
    "abbey": ABBEY_TILES,
    "bridges": BRIDGES_TILES,
    "king": KING_TILES,
    "cult": CULT_TILES,
    "river2": RIVER_2_TILES,
    "hills": HILLS_TILES,
    "princess": PRINCESS_TILES,
    "tower": TOWER_TILES,
    "count": COUNT_TILES,
    "festival": FESTIVAL_TILES,
    "gold": GOLD_TILES,
    "siege": SIEGE_TILES,
    "flier": FLIER_TILES,
    "tunnel": TUNNEL_TILES,
    "ferries": FERRIES_TILES,
    "mage": MAGE_TILES,
    "watchtowers": WATCHTOWER_TILES,
    "roses": ROSE_TILES,
    "corn": CORN_TILES,
    "darmstadt": DARMSTADT_TILES,
    "russian": RUSSIAN_TILES,
    "labyrinth": LABYRINTH_TILES,
    "monasteries": MONASTERY_TILES,
}
ALL_TILES = {tile: facts for tiles in SETS.values() for tile, facts in tiles.items()}

#: The tile that is in no bag: every player has one of their own.
ABBEY = "am-abbey"

#: A whole river, from its source to the lake; the first three tiles flow straight to the west.
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

#: Seven tiles that surround a garden at (0, 1) together with the start tile: three rows of
#: straight roads.
_AROUND_GARDEN = (
    "bg-straight -1,0 r0",
    "bg-straight 1,0 r0",
    "bg-straight -1,1 r0",
    "bg-straight 1,1 r0",
    "bg-straight -1,2 r0",
    "bg-straight 0,2 r0",
    "bg-straight 1,2 r0",
)

#: The same for a monastery: a road that leads around it, with fields towards the middle.
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
    """A position with a garden or monastery at (0, 1) that has some neighbours.

    The start tile in the north is the first neighbour; with all but one the cell of
    ``LAST_NEIGHBOUR[place]`` is empty. With the river in play the whole of it lies there, and its
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


def in_order(tiles: Iterable[str], last: str | None = None) -> list[str]:
    """Tile lines in an order in which they can be laid, the one at the cell ``last`` as the last.

    Every tile but the first touches one before it, an abbey touches four. Where there is a choice
    the order stays as it was.
    """
    waiting = [line for line in tiles if line.split()[1] != last]
    final = [line for line in tiles if line.split()[1] == last]
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
    """The game after some moves from a position.

    Parameters
    ----------
    text : str
        The position in our notation.
    moves : str
        Names of the actions, one after the other.
    bag : tuple of str, optional
        The tiles that are still to be drawn, in order; all others are out of the game. River
        tiles come first, the lake as the last of them. Default: the rest of the set, shuffled.
    edition : str, optional
        Play it under another edition than the text says.
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
    """Make a move; ``grow draws 3`` says which sheep token it draws, 0 for a wolf.

    ``fly large rolls 2`` says what the die shows.
    """
    for verb in (" draws ", " rolls "):
        name, is_told, token = move.partition(verb)
        if is_told:
            game.choose_token(int(token), name)
            move = name
    game.apply(move)


def play_to_the_end(text: str, edition: str | None = None) -> Game:
    """The finished game when A passes in a position after which no tile is left."""
    game = play(text, "pass", bag=(), edition=edition)
    while game.phase in (Phase.SECOND, Phase.TUNNEL, Phase.FERRIES):
        do(game, "pass")
    assert game.is_over
    return game


def _rest(position: Position, bag: tuple[str, ...]) -> Iterator[str]:
    """Tiles that are neither on the board nor in hand nor on offer nor in the bag.

    As many as lie under hills unseen are left out: the first ones.
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
    """All land tiles of the sets, the start tile included, by the written-out tables."""
    is_c1 = rules.edition == "C1" or rules.winter_gardens == "none"
    found = Counter(
        {
            tile: facts.n_c1 if is_c1 else facts.n_c2
            for name in rules.sets
            for tile, facts in SETS[name].items()
        }
    )
    found[EXTRA_SHRINE] += "cult" in rules.sets and rules.cult_extra_tile
    found -= Counter({tile: 1 for tile in SIEGE_TILES if tile not in besiegers_of(rules)})
    if rules.crop_circle_tiles != "both":
        left_out = {
            tile
            for tile in CORN_TILES
            if (tile in CORN_TILES_I) == (rules.crop_circle_tiles == "II")
        }
        found -= Counter(left_out)
    found["bg-monastery"] -= rules.darmstadt_out * ("darmstadt" in rules.sets)
    is_replaced = "count" in rules.sets or first_tiles(rules) == [ROSE]
    found[START] -= is_replaced and not rules.count_start_tile
    if "labyrinth" in rules.sets:
        found["la-maze"] = rules.labyrinth_tiles
    if {"river1", "river2"} <= set(rules.sets):
        found -= Counter([SOURCE, LAKE])
    if "monasteries" in rules.sets and rules.special_monasteries == "replace":
        found -= Counter({tile: found[tile] for tile in ("bg-monastery", "bg-monastery-road")})
    if rules.tunnels and rules.tunnel_breaks_road:
        for broken, whole in BROKEN.items():
            found[broken] = found.pop(whole, 0)
    return +found


def besiegers_of(rules: Rules) -> set[str]:
    """The siege tiles that the rules have where they have the set."""
    chosen = {"cathars": set(CATHARS), "both": set(SIEGE_TILES)}
    return chosen.get(rules.siege_tiles, set(SIEGE_TILES) - set(CATHARS))


def first_tiles(rules: Rules) -> list[str]:
    """The tiles that lie on the table before the first turn."""
    city = list(COUNT_TILES) if "count" in rules.sets else []
    if city and "roses" in rules.sets and rules.rose_start == "beside":
        city.append(ROSE)
    if "river2" in rules.sets:
        return [*city, "r2-source"]
    if "river1" in rules.sets:
        return [*city, SOURCE]
    has_rose = "roses" in rules.sets and rules.rose_start != "shuffled"
    return city or [ROSE if has_rose else START]


def stack(rules: Rules, *first: str) -> list[str]:
    """All tiles that are drawn, some of them first, the others in an order that is allowed.

    With the river its tiles come before all others, the fork is the first and the lake the last
    of them, so ``first`` has to begin with them.
    """
    rest = set_of_tiles(rules)
    rest.subtract([*first_tiles(rules), *first])
    return [
        *first,
        *sorted(rest.elements(), key=place_in_stack),
    ]


def place_in_stack(tile: str) -> int:
    """When a tile is drawn: first the fork, then rivers, the lake, and the others."""
    if tile not in RIVER_TILES | RIVER_2_TILES:
        return 3
    return 0 if tile == FORK else 2 if tile in (LAKE, VOLCANO_LAKE) else 1


def bag_of(game: Game) -> tuple[str, ...]:
    """What a game has drawn and will draw, in order."""
    return (*game.drawn, *(game.position().bag or ()))


def names(game: Game) -> set[str]:
    """The legal actions by name."""
    return {game.name(action) for action in game.legal_actions()}


def first_place(game: Game) -> str:
    """One of the legal placements, always the same one."""
    return game.name(game.legal_actions()[0])


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
    """The sides of the tile just placed that show a kind of edge, by the written-out tables."""
    tile = game.position().tiles[-1]
    edges = ALL_TILES[tile.tile].edges
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

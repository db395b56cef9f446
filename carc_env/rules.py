"""The rules of a game: the sets, the figures and the variant switches, checked at construction."""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property, lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, Self, TypeAlias, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
import yaml

from carc_env.choices import check_choice, close_to
from carc_env.engine.core.codes import FIGURE_SPOTS, MAX_PLAYERS, N_MEEPLES, Figure, Spot
from carc_env.engine.core.tiles import (
    BONUS,
    BUILDING,
    CIRCLE,
    DESIGN,
    FACTS,
    FORKED_RIVER_SET,
    GOOD,
    HAS_DARMSTADTIUM,
    IS_BAZAAR,
    IS_BESIEGED,
    IS_CHURCH,
    IS_CLOSED,
    IS_FESTIVAL,
    IS_HILL,
    IS_PORTAL,
    IS_TOWER,
    IS_VINEYARD,
    IS_VOLCANO,
    N_DESIGNS,
    NO_GOOD,
    PRINCESS,
    RIVER_SET,
    ROWS,
    SHRINE,
    START_DESIGN,
    tile_counts,
)
from carc_env.plain_yaml import read_yaml

# : Sets of land tiles whose rules the engine knows.
TILE_SETS = (
    *("base", RIVER_SET, "inns", "traders", "abbey", "bridges", "king"),
    "cult",
    FORKED_RIVER_SET,
    "hills",
    "princess",
    "tower",
    "count",
    "festival",
    "gold",
    "siege",
    "flier",
    "tunnel",
    "ferries",
    "mage",
    "watchtowers",
    "roses",
    "corn",
    "darmstadt",
    "russian",
    "labyrinth",
    "monasteries",
)

_ALL: dict[str, Any] = {
    "sets": TILE_SETS[: TILE_SETS.index("king") + 1],
    **dict.fromkeys(("large_meeples", "inns", "builders", "pigs", "goods"), True),
    **dict.fromkeys(("abbeys", "mayors", "barns", "wagons"), True),
    **dict.fromkeys(("bridges", "castles", "bazaars", "king_robber"), True),
}

_PRINCESS: dict[str, Any] = dict.fromkeys(("dragon", "fairy", "princesses", "portals"), True)

# : Named starting points for :meth:`Rules.preset`.
PRESETS: dict[str, dict[str, Any]] = {
    "base": {},
    "inns": {"sets": ("base", "inns"), "large_meeples": True, "inns": True},
    "traders": {"sets": ("base", "traders"), "builders": True, "pigs": True, "goods": True},
    "river": {"sets": ("base", RIVER_SET)},
    "abbey-mayor": {
        "sets": ("base", "abbey"),
        "abbeys": True,
        "mayors": True,
        "barns": True,
        "wagons": True,
    },
    "bridges": {
        "sets": ("base", "abbey", "bridges"),
        "abbeys": True,
        "mayors": True,
        "barns": True,
        "wagons": True,
        "bridges": True,
        "castles": True,
        "bazaars": True,
    },
    "king-robber": {"sets": ("base", "king"), "king_robber": True},
    "hills-sheep": {
        "sets": ("base", "hills"),
        **dict.fromkeys(("hills", "vineyards", "shepherds"), True),
    },
    "all": _ALL,
    "shrines": {"sets": ("base", "cult"), "shrines": True},
    "river-2": {"sets": ("base", FORKED_RIVER_SET)},
    "big-box": {
        **_ALL,
        "sets": TILE_SETS[: TILE_SETS.index("count") + 1],
        "shrines": True,
        **dict.fromkeys(("hills", "vineyards", "shepherds"), True),
        **_PRINCESS,
        "towers": True,
        "count": True,
        "count_with_river": "allow",
    },
    "princess-dragon": {"sets": ("base", "princess"), **_PRINCESS},
    "tower": {"sets": ("base", "tower"), "towers": True},
    "count": {"sets": ("base", "count"), "count": True},
    "festival": {"sets": ("base", "festival"), "festival": True},
    "phantom": {"phantom": True},
    "gold": {"sets": ("base", "gold"), "gold": True},
    "siege": {"sets": ("base", "siege"), "siege": True},
    "flier": {"sets": ("base", "flier"), "flier": True},
    "tunnel": {"sets": ("base", "tunnel"), "tunnels": True},
    "ferries": {"sets": ("base", "ferries"), "ferries": True},
    "mage-witch": {"sets": ("base", "mage"), "mage_witch": True},
    "minis": {
        "sets": ("base", *TILE_SETS[TILE_SETS.index("festival") : TILE_SETS.index("mage") + 1]),
        **dict.fromkeys(("festival", "phantom", "gold", "siege", "flier"), True),
        **dict.fromkeys(("tunnels", "ferries", "mage_witch"), True),
    },
    "watchtowers": {"sets": ("base", "watchtowers"), "watchtowers": True},
    "wind-roses": {"sets": ("base", "roses"), "wind_roses": True},
    "corn-circles": {"sets": ("base", "corn"), "crop_circles": True},
    "darmstadt": {"sets": ("base", "darmstadt"), "darmstadt": True},
    "little-buildings": {"little_buildings": True},
    "russian-promos": {"sets": ("base", "russian"), "russian_promos": True},
    "labyrinth": {"sets": ("base", "labyrinth"), "labyrinth": True},
    "monasteries": {"sets": ("base", "monasteries")},
    "promos": {
        "sets": (
            "base",
            *TILE_SETS[TILE_SETS.index("watchtowers") : TILE_SETS.index("monasteries") + 1],
        ),
        **dict.fromkeys(("watchtowers", "wind_roses", "crop_circles", "darmstadt"), True),
        **dict.fromkeys(("little_buildings", "russian_promos", "labyrinth"), True),
    },
    "first-edition": {"edition": "C1", "abbot": False},
    "winter": {"edition": "WE3"},
}

# : Switch -> (design,) whether the switch affects a tile.
ON_TILES = {
    "inns": BONUS[:N_DESIGNS].any(1),
    "goods": (GOOD[:N_DESIGNS] != NO_GOOD).any(1),
    "bazaars": IS_BAZAAR[:N_DESIGNS],
    "hills": IS_HILL[:N_DESIGNS],
    "vineyards": IS_VINEYARD[:N_DESIGNS],
    "shrines": BUILDING[:N_DESIGNS] == SHRINE,
    "dragon": IS_VOLCANO[:N_DESIGNS],
    "princesses": PRINCESS[:N_DESIGNS] >= 0,
    "portals": IS_PORTAL[:N_DESIGNS],
    "towers": IS_TOWER[:N_DESIGNS],
    "count": IS_CLOSED[:N_DESIGNS],
    "festival": IS_FESTIVAL[:N_DESIGNS],
    "gold": np.array([row.get("goldmine", False) for row in ROWS]),
    "siege": IS_BESIEGED[:N_DESIGNS],
    "flier": np.array(["flier" in row for row in ROWS]),
    "tunnels": np.array([any(r.get("mouth") for r in row.get("roads", ())) for row in ROWS]),
    "ferries": np.array([row.get("ferry", False) for row in ROWS]),
    "mage_witch": np.array([row.get("magic", False) for row in ROWS]),
    "watchtowers": np.array(["watchtower" in row for row in ROWS]),
    "wind_roses": np.array(["wind_rose" in row for row in ROWS]),
    "crop_circles": CIRCLE[:N_DESIGNS] > 0,
    "darmstadt": HAS_DARMSTADTIUM[:N_DESIGNS] | IS_CHURCH[:N_DESIGNS],
    "russian_promos": np.array(["hut" in row or "trap" in row for row in ROWS]),
    "labyrinth": np.array([any(r.get("maze") for r in row.get("roads", ())) for row in ROWS]),
}

BROKEN = {k: DESIGN[row["instead_of"]] for k, row in enumerate(ROWS) if "instead_of" in row}
"""Design -> the one that it replaces if tunnels break roads (TUN-16)."""

MONASTERY_DESIGNS = tuple(DESIGN[name] for name in ("bg-monastery", "bg-monastery-road"))
"""The monasteries of the base game, which special ones can replace (MON-02)."""

BOX = np.array([row.get("box", "") for row in ROWS])
"""Design -> its box, if its set came in several boxes that can be chosen."""

MIN_PLAYERS = 2
MIN_VIEW, MAX_VIEW = 12, 48
MAX_YAML = 10_000
"""Most characters of rules as text; all switches take about 3,000."""
MAX_BID_LIMIT = 100


@dataclass(frozen=True, eq=False, repr=False)
class Rules:
    """The rules of one game; everything else (action layout, spaces, bag) is a function of it.

    Switches of a system that is off are allowed and have no effect. A system that is on is also
    allowed if no tile in play is affected; a ``UserWarning`` then warns of it.

    Raises
    ------
    ValueError
        A field has a value that is not allowed, or two fields contradict each other; the message
        names the field and the allowed values.
    """

    n_players: int = 2
    """Number of seats, 2 to 6 (BASE-01)."""
    sets: tuple[str, ...] = ("base",)
    """Sets of land tiles in play, always in the order of ``TILE_SETS``."""
    edition: Literal["C2", "C1", "WE3"] = "C2"
    """Second, first, or third winter edition: decides tile counts and gardens (GAR-08, GAR-09)."""
    abbot: bool = True
    """Every player has an abbot (ABT-01). The first edition has none (GAR-09)."""
    winter_gardens: Literal["as_C2", "none"] = "as_C2"
    """Gardens under ``edition="WE3"`` (WIN-03)."""
    deck_size: int | None = None
    """Number of tiles that are drawn in a game. None: all. The others lie open beside the table
    from the beginning (BASE-29)."""
    small_city_points: Literal[4, 2] = 4
    """Points for a complete city of two tiles without coats of arms (BASE-13)."""
    abbot_recall_completed: Literal["forbid", "allow"] = "forbid"
    """May an abbot be recalled from a place that the tile just placed completed (ABT-14)?"""
    abbot_recall_second_part: Literal["allow", "forbid"] = "allow"
    """May an abbot placed in the first part of a turn be recalled in the second (ABT-21)?"""
    abbot_recall_lying: Literal["allow", "forbid"] = "allow"
    """May an abbot that lies on a special monastery be recalled (XGM-04)?"""
    large_meeples: bool = False
    """Every player has a large meeple (INN-01)."""
    inns: bool = False
    """Inns and cathedrals count (INN-02, INN-04)."""
    builders: bool = False
    """Every player has a builder (TRA-05)."""
    pigs: bool = False
    """Every player has a pig (TRA-12)."""
    goods: bool = False
    """A player who completes a city gets its trade goods (TRA-01)."""
    builder_bridge_trigger: Literal["tile_must_join", "any_extension"] = "tile_must_join"
    """Does a bridge that lengthens the builder's road grant a second part, even if the tile just
    placed is not part of it (BRI-23)?

    Both values are equivalent: a bridge is built between free ends (BRI-06), so it lengthens no
    road.
    """
    abbeys: bool = False
    """Every player has an abbey tile (ABB-01)."""
    mayors: bool = False
    """Every player has a mayor (MAY-01)."""
    barns: bool = False
    """Every player has a barn (BARN-01)."""
    wagons: bool = False
    """Every player has a wagon (WAG-01)."""
    abbey_endgame: Literal["one_round", "until_blocked", "none"] = "one_round"
    """Use of remaining abbeys when the land tiles are used up (ABB-20)."""
    wagon_adjacency: Literal["C2", "C1"] | None = None
    """Range of a scored wagon: around its tile (C2, WAG-05) or along links (C1, WAG-20).

    None: as in the edition, see :attr:`wagon_range`.
    """
    bridges: bool = False
    """Every player has bridges (BRI-01)."""
    castles: bool = False
    """Every player has castle tokens (CAS-01)."""
    bazaars: bool = False
    """Bazaar tiles start a bazaar (BAZ-01)."""
    bridge_timing: Literal["before_figure", "any_time_before_scoring"] = "before_figure"
    """Time at which an optional bridge may be built (BRI-10)."""
    bridge_limit: Literal["per_placement", "per_turn"] = "per_placement"
    """Players may build one bridge in each part of a double turn, or one in both together (BRI-20).

    The placement of a bought tile is a turn of its own (BAZ-15).
    """
    castle_base: Literal["semicircle", "any_end_segment"] = "semicircle"
    """One-sided city segments that can be half of a castle (CAS-02)."""
    castle_fief: Literal["flanks", "row"] = "flanks"
    """The flanks of a castle whose tiles lie side by side: north and south of it, or west and east
    (CAS-15)."""
    castle_choice: Literal["best", "ask"] = "best"
    """If several features are completed in its fief, a castle takes the best one, or its lord's
    owner chooses (CAS-22)."""
    wagon_from_castle: Literal["fief", "neighbours"] = "fief"
    """Range of a wagon that was lord of a castle (WAG-17)."""
    bazaar_mode: Literal["auction", "take"] = "auction"
    """The tiles of a bazaar are auctioned, or taken free of charge one after the other (BAZ-23)."""
    bazaar_overbid: Literal["allow", "forbid"] = "allow"
    """May a bid exceed the bidder's score (BAZ-12, BAZ-13, BAZ-30)?"""
    bazaar_next_chooser: Literal["clockwise", "seller_again"] = "clockwise"
    """Chooser after a sale: the next player without a tile, or the seller (BAZ-09)."""
    bazaar_builder_order: Literal["bazaar_first", "builder_first"] = "bazaar_first"
    """Which comes first: a bazaar, or the second part of a double turn (BAZ-20, BAZ-21)."""
    bazaar_unplaceable: Literal["redraw", "skip"] = "redraw"
    """If a bought tile has no place, its buyer draws another one, or places none (BAZ-27)."""
    # An auction has three kinds of decisions, tile, bid and deal: one action for tile and opening
    # bid would need 126 numbers instead of 27.
    bazaar_bid_limit: int = 20
    """The highest bid; the rules have no limit, but an action space needs one."""
    king_robber: bool = False
    """The player who completes the largest city is King, and the one who completes the longest road
    is Robber Baron (KR-02, KR-06)."""
    king_robber_scoring: Literal["per_feature", "ten_each", "fifteen_forty", "running"] = (
        "per_feature"
    )
    """What King and Robber Baron score. At the end: 1 point for every complete city or road, 10
    points each, or 15 points each and 40 for both. Or, during play: points for every city or road
    that is completed (KR-16)."""
    hills: bool = False
    """A hidden tile goes under every hill tile (HS-02), and hills break ties (HS-03)."""
    hill_tiebreak: Literal["any", "count"] = "any"
    """Who wins a tie: the tied players with a meeple on a hill, or those with the most meeples
    there (HS-03)."""
    vineyards: bool = False
    """A complete monastery scores more for vineyards around it (HS-15)."""
    shepherds: bool = False
    """Every player has a shepherd (HS-25)."""
    shrines: bool = False
    """Shrines and monasteries stay apart, and challenge each other (CULT-03, CULT-06)."""
    cult_extra_tile: bool = False
    """The sixth shrine, which was in one box only (CULT-01)."""
    challenge_loser_wagon: bool = False
    """A wagon that loses a challenge may move on as if it had been scored (CULT-19)."""
    river_uturn: Literal["two_bends", "clear_ahead"] = "two_bends"
    """The river may not bend twice to the same side (BASE-41). Or the cell beyond each of its open
    ends must be empty, as must all cells around it except those beside the new tile (RIV2-04)."""
    river_inn_needs_inns: bool = True
    """The inn of The River II counts only if inns count (RIV2-09)."""
    pigherd_needs_traders: bool = False
    """The pig-herd of The River II helps farmers only if pigs are in play (RIV2-10)."""
    abbey_during_river: Literal["forbid", "allow"] = "forbid"
    """May abbeys be placed while tiles of The River II are still in the bag (RIV2-15)?"""
    house_pigherd_barn: bool = False
    """House rule: the pig-herd gives a barn in its field 1 more point for each city (HOUSE-05)."""
    dragon: bool = False
    """The dragon goes to each new volcano, and dragon tiles make it fly (PD-03, PD-09)."""
    dragon_timing: Literal["before_scoring", "after_scoring"] = "before_scoring"
    """When the dragon flies: before or after the scoring (PD-09)."""
    dragon_tiles_before_volcano: Literal["withhold", "plain"] = "withhold"
    """Before the first volcano, dragon tiles are not drawn, or the dragon does not fly after them
    (PD-07)."""
    fairy: bool = False
    """Players may move the fairy instead of placing a figure (PD-30)."""
    fairy_placement: Literal["next_to", "on_tile"] = "next_to"
    """The fairy stands beside one meeple, or on a tile with all meeples there (PD-31, PD-35)."""
    fairy_in_castle: bool | None = None
    """May the fairy stand beside the lord of a castle (XPD-14)? None: not in the first edition."""
    fairy_on_tower: Literal["allow", "forbid"] = "allow"
    """May the fairy stand beside a meeple on a tower (PD-42)?"""
    princesses: bool = False
    """A princess returns a knight to the supply, instead of the figure action (PD-50)."""
    princess_action: Literal["may", "must"] = "may"
    """Must a princess return a knight, or may the player decline (PD-51)?"""
    portals: bool = False
    """A meeple may go from a magic portal to any other tile (PD-65)."""
    towers: bool = False
    """Every player has tower floors; a new floor may capture a meeple (TOW-01, TOW-06)."""
    tower_top_capture: Literal["allow", "forbid"] = "allow"
    """May a meeple on a tower be captured from another tower (TOW-20)?"""
    tower_top_dragon: Literal["allow", "forbid"] = "allow"
    """Does the dragon eat meeples on towers (TOW-21)?"""
    ransom_timing: Literal["figure", "turn_start"] = "figure"
    """When players may buy a prisoner back: in the figure action, or as soon as they have drawn the
    tile (TOW-25)."""
    house_mayor_safe_tower: bool = False
    """House rule: towers do not capture mayors (HOUSE-02)."""
    house_wagon_safe: bool = False
    """House rule: wagons are safe from the dragon and from towers (HOUSE-03)."""
    house_wagon_roll: bool = False
    """House rule: wagons may move on over complete features (HOUSE-01)."""
    count: bool = False
    """Meeples enter the quarters of Carcassonne. They leave them for features, except from the
    count's quarter (COU-03)."""
    count_per_turn: Literal["turn", "placement"] = "turn"
    """How often a player's meeples may enter Carcassonne: once per turn, or once in each part of it
    (COU-06)."""
    count_join_unoccupied: bool = False
    """May meeples from Carcassonne join unoccupied features (COU-15)?"""
    count_final: Literal["market", "any"] | None = None
    """The quarters that meeples leave at the end of the game (COU-18).

    None: all of them in the first edition, else the market.
    """
    count_move: Literal["player", "clockwise", "follow"] = "player"
    """Who moves the count when a meeple enters Carcassonne: its player; or he goes to the next
    quarter by himself, or follows the meeple (COU-30)."""
    count_on_connection: bool = True
    """May a meeple enter Carcassonne because a field was joined to a barn (XCK-04)?"""
    count_with_river: Literal["refuse", "allow"] = "refuse"
    """Carcassonne together with a river, which then begins beside it (COU-28)."""
    block_buildable: bool = False
    """May players place barns on the corners of Carcassonne, and may its caps be halves of castles
    (XCK-03)?"""
    count_start_tile: bool = False
    """If Carcassonne or the orange wind rose replaces the start tile, is that tile shuffled into
    the bag (COU-01, WR-01)?"""
    festival: bool = False
    """On a festival tile, a player may take back a figure instead of placing one (FES-02)."""
    festival_return: Literal["figure", "meeple"] = "figure"
    """What players may take back there: any figure, or only meeples (FES-03)."""
    phantom: bool = False
    """Every player has a phantom, which may be placed as a second figure (PHA-01)."""
    gold: bool = False
    """Gold mines provide ingots, which lie on tiles until somebody scores there (GOL-02)."""
    gold_choice: Literal["auto", "ask"] = "auto"
    """If a player may take an ingot from several tiles, is it one that the most other players could
    also take, or does the player choose (GOL-08)?"""
    gold_castle: bool = True
    """Does a castle take the ingots of its six cells when it scores (GOL-15)?"""
    siege: bool = False
    """A city with an army on one of its tiles is besieged (SIE-02), and knights may escape from it
    (SIE-09)."""
    siege_tiles: Literal["besiegers", "cathars", "both"] = "besiegers"
    """The tiles of the set ``siege``: the six of The Besiegers, the four of The Cathars (also sold
    as Siege), or all (SIE-01)."""
    siege_field_double: Literal["all", "base_only"] = "all"
    """If a besieged city counts double for fields, are the extra points of a pig doubled, too
    (SIE-06)?"""
    siege_escape: Literal["siege_tile", "any_tile"] = "siege_tile"
    """Which tile of a besieged city a monastery must lie beside: a siege tile, or any tile
    (SIE-10)."""
    escape_per: Literal["part", "turn"] = "part"
    """May a knight escape at the end of each part of a turn, or only at the end of the whole turn
    (SIE-15)?"""
    flier: bool = False
    """On a tile with a flying machine, a meeple may fly one to three tiles instead of being placed
    on it (FLY-03)."""
    flier_landing: Literal["must", "may"] = "must"
    """Must a meeple that flies land if it can, or may its player take it back (FLY-09)?"""
    flier_figures: Literal["all", "basic"] = "all"
    """Which figures may fly: all meeples, or only normal and large ones (FLY-12)."""
    tunnels: bool = False
    """Every player has tokens. Two tokens of a pair on tunnel mouths join the roads there
    (TUN-07)."""
    tunnel_sets: Literal["3/2", "2/1", "1/1"] = "3/2"
    """How many pairs of tokens each player has with two and with three players. With more players,
    each has one pair (TUN-02)."""
    tunnel_breaks_road: bool | None = None
    """Are roads that run under a city in other sets broken there, with two mouths (TUN-16)? None:
    yes if ``tunnels`` are in play.

    Without ``tunnels`` it is always None.
    """
    ferries: bool = False
    """Roads end at lakes, and a ferry joins two of them at each lake (FER-05)."""
    ferry_without_meeple: Literal["place", "skip"] = "place"
    """Does every new lake get its ferry, or only if a meeple stands on one of the roads of its tile
    (FER-04)?"""
    mage_witch: bool = False
    """The mage and the witch change the points of the road or city that each of them is on (MW-08,
    MW-09)."""
    dragon_eats_magic: bool = True
    """Does the dragon eat the mage and the witch on its tile (MW-19)?"""
    watchtowers: bool = False
    """Watchtowers give points to meeples near them whose road or city is completed (WT-03)."""
    wind_roses: bool = False
    """A tile with a quarter of a wind rose scores in that quarter of the plane (WR-04)."""
    rose_start: Literal["start_tile", "beside", "shuffled"] = "start_tile"
    """Where the orange rose begins: as the start tile, or in the bag. With a river or Carcassonne,
    it is always in the bag, unless ``"beside"`` puts it beside Carcassonne (WR-09)."""
    count_ignores_rose: bool = True
    """May a player who scored only for a wind rose send a meeple to Carcassonne (WR-07)?"""
    crop_circles: bool = False
    """After a tile with a corn circle, all players may add a meeple beside one of theirs, or all
    take one back (CRN-03)."""
    crop_circle_tiles: Literal["II", "I", "both"] = "II"
    """The tiles of the set ``corn``: the six of Corn Circles II, the six of Corn Circles I, or all
    (CRN-01)."""
    crop_add: Literal["may", "must"] = "may"
    """If meeples are added, may each player do so, or must each who can (CRN-06)?"""
    darmstadt: bool = False
    """The player with the most meeples around a completed church scores (DAR-05). A complete city
    with the Darmstadtium scores more (DAR-03)."""
    darmstadt_out: Literal[0, 2] = 0
    """Number of monasteries that the tiles of the set ``darmstadt`` replace (DAR-02)."""
    count_ignores_church: bool = True
    """May a player send a meeple to Carcassonne if only others scored, apart from the points around
    a church (DAR-09)?"""
    little_buildings: bool = False
    """Every player has little buildings, which increase all points scored on their tiles
    (LB-05)."""
    little_building_share: Literal["total", "per_kind"] = "total"
    """What each of four players has: four buildings, or one of each kind (LB-02)."""
    little_building_points: Literal["1/1/1", "3/2/1"] = "1/1/1"
    """Points of a tower, a house and a shed (LB-08)."""
    russian_promos: bool = False
    """The hut of Baba Yaga scores the empty cells around it (RUS-02). Solovei and Vodyanoy trap
    figures (RUS-06, RUS-09)."""
    solovei_reach: Literal["nearest", "all"] = "nearest"
    """Which figures the tree of Solovei traps each time: the nearest on its road in each direction,
    or all (RUS-07)."""
    score_floor: bool = False
    """Does a score stay at 0 or above when Vodyanoy takes points (RUS-13)?"""
    labyrinth: bool = False
    """Each arm of a labyrinth can be occupied on its own, and meeples on its road score points
    (LAB-05, LAB-07). Without the switch, its tile is an ordinary road (LAB-03)."""
    labyrinth_tiles: Literal[1, 2] = 1
    """How many tiles the set ``labyrinth`` has: that of one edition, or those of both (LAB-01)."""
    witch_halves_labyrinth: bool = False
    """Does the witch also halve the points for meeples on the road of a labyrinth (MW-12)?"""
    special_monasteries: Literal["replace", "add"] = "replace"
    """Do the tiles of the set ``monasteries`` replace the monasteries of the base game, or are they
    added (MON-02)?"""
    view: int = 32
    """Width and height of the view of the board in cells; an even number. The table ends there
    (docs/actions.md)."""
    auto_single: bool = True
    """The engine takes decisions with a single legal choice."""
    layout: Layout | None = None
    """The layout of actions and observations that the game shares with games under other rules.
    None: a layout of its own."""

    def __new__(cls, *_: Any, **switches: Any) -> Self:
        """Refuse unknown switches by name."""
        if not switches.keys() <= _hints().keys():
            names = [f.name for f in fields(cls)]
            for name in switches:
                check_choice("switch", name, names)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        self._check_sets()
        object.__setattr__(self, "sets", tuple(name for name in TILE_SETS if name in self.sets))
        self._check_int("n_players", MIN_PLAYERS, MAX_PLAYERS)
        self._check_int("view", MIN_VIEW, MAX_VIEW)
        self._check_int("bazaar_bid_limit", 1, MAX_BID_LIMIT)
        if self.view % 2:
            raise ValueError(f"view must be even, got {self.view}")
        for name, values in _choices().items():
            check_choice(name, getattr(self, name), values)
        self._check_deck_size()
        if self.layout is not None:
            object.__setattr__(self, "layout", Layout.of(self.layout))
        if not self.tunnels:  # files from before 0.3.0 have False, which means the same there
            object.__setattr__(self, "tunnel_breaks_road", None)
        if self.has_carcassonne and self.has_river and self.count_with_river == "refuse":
            raise ValueError(
                "the publisher advises against the city of Carcassonne together with a river "
                "(COU-28): leave a set out, or set count_with_river='allow'"
            )
        if self.edition == "C1" and self.abbot:
            raise ValueError(
                "edition='C1' needs abbot=False: the first edition has no abbot, but abbot is "
                "True by default; write Rules(edition='C1', abbot=False) or "
                "Rules.preset('first-edition'), in YAML {edition: C1, abbot: false}"
            )
        if self.winter_gardens == "none" and self.edition != "WE3":
            raise ValueError(
                f"winter_gardens='none' needs edition='WE3', but edition is {self.edition!r}"
            )
        self._warn_of_systems_without_tiles()

    @cached_property
    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, f.name) for f in fields(self))

    @cached_property
    def _hash(self) -> int:
        return hash(self._values)

    def __eq__(self, other: object) -> bool:
        # Every game looks up what belongs to its rules, so both are kept.
        if not isinstance(other, Rules):
            return NotImplemented
        return self is other or (self._hash == other._hash and self._values == other._values)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        """Return the fields that differ from their defaults; all would fill a screen."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        default = {f.name: f.default for f in fields(self)}
        said = (f"{name}={v!r}" for name, v in values.items() if v != default[name])
        return f"Rules({', '.join(said)})"

    def __getstate__(self) -> dict[str, Any]:
        # What is kept is left out: texts have other hashes in other processes.
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def _check_int(self, name: str, low: int, high: int) -> None:
        value = getattr(self, name)
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"{name} must be an int from {low} to {high}, got {value!r}")

    def _check_deck_size(self) -> None:
        if self.deck_size is None:
            return
        if self.has_river:
            raise ValueError(
                f"deck_size={self.deck_size!r} together with a river: its tiles are drawn first, "
                "so none of them can be left out; leave out the river or deck_size"
            )
        counts = self.tile_counts
        n_start = counts[IS_CLOSED[:N_DESIGNS]].sum() if self.has_carcassonne else 1
        self._check_int("deck_size", 1, int(counts.sum() - n_start))

    def _check_sets(self) -> None:
        if not isinstance(self.sets, (tuple, list)):
            raise ValueError(f"sets must be a tuple of names such as ('base',), got {self.sets!r}")
        for name in self.sets:
            is_switch = isinstance(getattr(self, str(name), None), bool)
            if is_switch and name not in TILE_SETS and not close_to(name, TILE_SETS):
                raise ValueError(f"{name!r} is not a set of tiles but a switch: write {name}=True")
            check_choice("each of sets", name, TILE_SETS)
        if "base" not in self.sets or len(set(self.sets)) != len(self.sets):
            raise ValueError(f"sets must name 'base' and no set twice, got {self.sets!r}")

    def _warn_of_systems_without_tiles(self) -> None:
        in_play = self.tile_counts > 0
        for name, has_it in ON_TILES.items():
            if getattr(self, name) and not (has_it & in_play).any():
                shown = {FACTS[k]["set"] for k in np.flatnonzero(has_it)}
                sets = sorted(shown, key=TILE_SETS.index)
                warnings.warn(
                    f"{name}=True has no effect: no tile of sets={self.sets!r} is affected by "
                    f"it; add {' or '.join(map(repr, sets))} to sets, or leave {name} off",
                    stacklevel=_frames_to_the_caller(),
                )

    @cached_property
    def tile_column(self) -> Literal["C1", "C2"]:
        """The column of tile counts in the tile facts that this edition uses (WIN-03)."""
        return "C1" if self.edition == "C1" or self.winter_gardens == "none" else "C2"

    @property
    def tile_counts(self) -> npt.NDArray[np.int64]:
        """Number of copies of each design in play, the start tile included, by design number."""
        return self._tile_counts.copy()

    @cached_property
    def _tile_counts(self) -> npt.NDArray[np.int64]:
        counts = tile_counts(self.sets, self.tile_column, has_promos=self.cult_extra_tile)
        if (self.has_rose_start or self.has_carcassonne) and not self.count_start_tile:
            counts[START_DESIGN] -= 1  # COU-01, WR-01
        for switch in ("siege_tiles", "crop_circle_tiles"):  # SIE-01, CRN-01
            chosen, boxes = getattr(self, switch), get_args(_hints()[switch])
            if chosen != "both":
                counts[np.isin(BOX, boxes) & (chosen != BOX)] = 0
        if "darmstadt" in self.sets:
            counts[DESIGN["bg-monastery"]] -= self.darmstadt_out
        mazes = ON_TILES["labyrinth"]
        counts[mazes] = np.minimum(counts[mazes], self.labyrinth_tiles)  # LAB-01
        if self.lets_lie and self.special_monasteries == "replace":
            counts[list(MONASTERY_DESIGNS)] = 0  # MON-02
        if self.breaks_roads:
            for broken, whole in BROKEN.items():
                counts[broken], counts[whole] = counts[whole], 0
        return counts

    @property
    def breaks_roads(self) -> bool:
        """``tunnel_breaks_road`` with None resolved (TUN-16)."""
        return self.tunnels and self.tunnel_breaks_road is not False

    @property
    def lets_lie(self) -> bool:
        """Whether meeples can lie on some monasteries (MON-03)."""
        return "monasteries" in self.sets

    @property
    def wagon_range(self) -> Literal["C1", "C2"]:
        """``wagon_adjacency`` with None resolved."""
        return self.wagon_adjacency or ("C1" if self.edition == "C1" else "C2")

    @property
    def has_river(self) -> bool:
        """Whether the game begins with a river (BASE-40)."""
        return RIVER_SET in self.sets or self.has_forked_river

    @property
    def has_forked_river(self) -> bool:
        """Whether the river forks, as in The River II (RIV2-01)."""
        return FORKED_RIVER_SET in self.sets

    @property
    def has_pig_herd(self) -> bool:
        """Whether pig-herds help farmers (RIV2-10, RUS-14)."""
        is_there = self.has_forked_river or self.russian_promos
        return is_there and (self.pigs or not self.pigherd_needs_traders)

    @property
    def has_bonuses(self) -> bool:
        """Whether some inns or cathedrals count (INN-02, RIV2-09)."""
        return self.inns or (self.has_forked_river and not self.river_inn_needs_inns)

    @property
    def lets_fairy_into_castles(self) -> bool:
        """``fairy_in_castle`` with None resolved (XPD-14)."""
        if self.fairy_in_castle is not None:
            return self.fairy_in_castle
        return self.edition != "C1"

    @property
    def lets_fairy_onto_towers(self) -> bool:
        """Whether there is a fairy, there are towers, and ``fairy_on_tower`` allows it (PD-42)."""
        return self.fairy and self.towers and self.fairy_on_tower == "allow"

    @property
    def acts_elsewhere(self) -> bool:
        """Whether a figure action can affect another tile than the one just placed."""
        return self.fairy or self.princesses or self.portals or self.towers or self.festival

    @property
    def has_carcassonne(self) -> bool:
        """Whether the city of Carcassonne lies on the table instead of the start tile (COU-01)."""
        return "count" in self.sets

    @property
    def has_rose_start(self) -> bool:
        """Whether the orange rose lies on the table instead of the start tile (WR-01, WR-09)."""
        is_free = not (self.has_river or self.has_carcassonne)
        return "roses" in self.sets and is_free and self.rose_start != "shuffled"

    @property
    def has_rose_beside(self) -> bool:
        """Whether it lies beside Carcassonne (WR-09)."""
        return {"roses", "count"} <= {*self.sets} and self.rose_start == "beside"

    @property
    def has_count(self) -> bool:
        """Whether the count and the quarters of Carcassonne are in play (COU-03)."""
        return self.count and self.has_carcassonne

    @property
    def last_to_leave(self) -> Literal["market", "any"]:
        """``count_final`` with None resolved (COU-18)."""
        return self.count_final or ("any" if self.edition == "C1" else "market")

    @property
    def chooses_cells(self) -> bool:
        """Whether a cell can be chosen first, and then what happens there."""
        chooses = (self.acts_elsewhere, self.has_count, self.siege, self.flier, self.mage_witch)
        return any(chooses) or self.crop_circles

    @property
    def shared_spots(self) -> tuple[Spot, ...]:
        """The spots on which several figures can stand (FLY-06, CRN-07)."""
        if self.crop_circles:
            return self.spots_of(Figure.MEEPLE)
        return self.spots_of(Figure.WAGON) if self.flier else ()

    def spots_of(self, figure: Figure) -> tuple[Spot, ...]:
        """Return the spots that a kind of figure can stand on, or lie (MON-03), in action order."""
        return tuple(spot for spot in FIGURE_SPOTS[figure] if spot != Spot.lying or self.lets_lie)

    @property
    def meeples(self) -> tuple[Figure, ...]:
        """The kinds of meeples that players have, in the order of their codes."""
        has = {
            Figure.MEEPLE: True,
            Figure.LARGE: self.large_meeples,
            Figure.ABBOT: self.abbot,
            Figure.MAYOR: self.mayors,
            Figure.WAGON: self.wagons,
            Figure.PHANTOM: self.phantom,
        }
        return tuple(kind for kind, is_there in has.items() if is_there)

    @property
    def n_meeples_named(self) -> int:
        """Number of kinds of meeples that actions about prisoners or Carcassonne name.

        These are all kinds, except the phantom if nobody has one: the number without it is the
        original one.
        """
        return N_MEEPLES if self.phantom else int(Figure.PHANTOM)

    @property
    def floors_each(self) -> int:
        """Floors that a player begins with (TOW-01)."""
        return {2: 10, 3: 9, 4: 7, 5: 6, 6: 5}[self.n_players] if self.towers else 0

    @property
    def tunnel_pairs(self) -> int:
        """Pairs of tokens for tunnels that a player begins with (TUN-02)."""
        of_two, of_three = map(int, self.tunnel_sets.split("/"))
        return {2: of_two, 3: of_three}.get(self.n_players, 1) if self.tunnels else 0

    @property
    def buildings_dealt(self) -> tuple[tuple[int, int, int], ...]:
        """Sheds, houses and towers of every seat at the beginning (LB-01, LB-02).

        If four players have one of each, the first two get a house of those left over, the others a
        tower, so that their points differ by at most one.
        """
        if not self.little_buildings:
            return ()
        each = 6 // self.n_players
        if self.n_players == 4 and self.little_building_share == "total":
            return ((1, 2, 1), (1, 2, 1), (1, 1, 2), (1, 1, 2))
        return ((each,) * 3,) * self.n_players

    @property
    def bridges_each(self) -> int:
        """Bridges that a player begins with (BRI-01)."""
        return self._share_of_twelve if self.bridges else 0

    @property
    def tokens_each(self) -> int:
        """Castle tokens that a player begins with (CAS-01)."""
        return self._share_of_twelve if self.castles else 0

    @property
    def _share_of_twelve(self) -> int:
        return 3 if self.n_players <= 4 else 2

    @property
    def has_auctions(self) -> bool:
        """Whether bazaars are held by auction (BAZ-23)."""
        return self.bazaars and self.bazaar_mode == "auction"

    @classmethod
    def preset(cls, name: str, **overrides: Any) -> Self:
        """Return rules by name; keyword arguments override single fields.

        Raises
        ------
        ValueError
            Unknown preset or unknown switch.
        """
        return cls(**{**PRESETS[check_choice("preset", name, PRESETS)], **overrides})

    @classmethod
    def from_dict(cls, switches: dict[str, Any] | str) -> Self:
        """Return rules from a mapping of field names, or from the name of a preset.

        In a mapping, ``preset`` names the preset that the other fields change: ``{"preset": "all",
        "n_players": 4}``.

        Raises
        ------
        ValueError
            It is neither, a name is unknown, or a value is not allowed.
        """
        if isinstance(switches, str):
            return cls.preset(switches)
        if not isinstance(switches, dict):
            raise ValueError(
                f"rules must be the name of a preset or a mapping of switches, got {switches!r}"
            )
        for name in switches:
            check_choice("switch", name, ("preset", *(f.name for f in fields(cls))))
        changes = {**switches}
        return cls.preset(changes.pop("preset", "base"), **changes)

    @classmethod
    def of(cls, rules: RulesLike) -> Rules:
        """Return the rules themselves, those of :meth:`from_dict`, or the default ones for None.

        Raises
        ------
        ValueError
            The argument is none of these.
        """
        if rules is None:
            return cls()
        return rules if isinstance(rules, Rules) else cls.from_dict(rules)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values, ready for YAML or JSON."""
        values = {name: getattr(self, name) for name in SWITCHES}
        shared = {"layout": self.layout.to_plain()} if self.layout else {}
        return {**values, "sets": list(self.sets), **shared}

    def to_yaml(self) -> str:
        """Return one flow mapping on one line, with the fields that differ from the defaults."""
        return _yaml_of(self)

    @classmethod
    def from_yaml(cls, text: str) -> Self:
        """Read rules that :meth:`to_yaml` or a person wrote; see :meth:`from_dict` for the format.

        Raises
        ------
        ValueError
            The text is too long, no YAML for rules, or its switches are not valid.
        """
        if isinstance(text, str) and len(text) > MAX_YAML:  # parsing a megabyte takes a minute
            raise ValueError(f"rules of {len(text):,} characters, more than {MAX_YAML:,}")
        return cls.from_dict(read_yaml("rules", text))

    def changes(self) -> dict[str, Any]:
        """Return the fields that differ from the defaults, as plain values."""
        default = Rules().to_dict()
        return {k: v for k, v in self.to_dict().items() if k == "layout" or v != default[k]}

    @property
    def laid_out(self) -> tuple[Rules, ...]:
        """The rules that the layout has room for; without a shared layout, these rules."""
        return self.layout.covers if self.layout else (self,)

    @property
    def room(self) -> Rules:
        """What the sizes of action blocks depend on: of all rules in the layout together."""
        return self.layout.room if self.layout else self

    @cached_property
    def plain(self) -> Rules:
        """The same rules with a layout of their own."""
        return self.replace(layout=None) if self.layout else self

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed; unknown names raise ``ValueError``."""
        return replace(self, **changes)

    def differences(self, other: Rules) -> str:
        """Return the fields in which other rules differ: ``n_players: 2 -> 4, view: 20 -> 24``."""
        pairs = [(f.name, getattr(self, f.name), getattr(other, f.name)) for f in fields(self)]
        return ", ".join(f"{name}: {own!r} -> {its!r}" for name, own, its in pairs if own != its)


class Layout:
    """The actions, planes and globals of several rules together.

    Games under all of these rules, and under any others that need nothing more, can have it as
    their ``layout``. Then every action, plane and global has the same number in all of them.

    Parameters
    ----------
    rules : Rules, str or dict
        The rules that it has room for; there can be many.
    shows_rules : bool
        Whether the globals say which rules are played.

    Raises
    ------
    ValueError
        There are no rules, or their views differ.

    Attributes
    ----------
    covers : tuple of Rules
        The rules, without duplicates.
    n_players : int
        The most seats under any of them.
    view : int
        The size of their view.
    """

    def __init__(self, *rules: RulesLike, shows_rules: bool = True) -> None:
        plain = {"layout": None, "auto_single": True, "deck_size": None}
        found = (Rules.of(one).replace(**plain) for one in rules)
        self.covers: tuple[Rules, ...] = (*dict.fromkeys(found),)
        if len(views := {one.view for one in self.covers}) != 1:
            raise ValueError(
                f"a layout needs rules, all with the same view, but their views are {sorted(views)}"
            )
        self.shows_rules = shows_rules
        self.view = self.covers[0].view
        self.n_players = max(one.n_players for one in self.covers)
        self._key = (self.covers, shows_rules)
        self._hash = hash(self._key)

    @classmethod
    def everything(
        cls, n_players: int | Sequence[int] = 2, *, view: int = 32, shows_rules: bool = True
    ) -> Layout:
        """Return a layout with room for all sets and switches.

        Parameters
        ----------
        n_players : int or sequence of int
            The numbers of players that it has room for.
        view : int
            The size of the view.
        shows_rules : bool
            Whether the globals say which rules are played.
        """
        return _everything(counts_of(n_players), view, shows_rules)

    @classmethod
    def of(cls, layout: Layout | dict[str, Any] | list[Any]) -> Layout:
        """Return the layout itself, or the one that :meth:`to_plain` describes.

        Raises
        ------
        ValueError
            It is neither.
        """
        if isinstance(layout, Layout):
            return layout
        hidden = isinstance(layout, dict) and layout.keys() == {"hides_rules"}
        rules = layout["hides_rules"] if isinstance(layout, dict) and hidden else layout
        if not isinstance(rules, list | tuple):
            raise ValueError(f"a layout must be a Layout or a list of rules, got {layout!r}")
        return cls(*rules, shows_rules=not hidden)

    @cached_property
    def room(self) -> Rules:
        """The rules together, as far as the sizes of action blocks depend on them."""
        return _Room.of_covers(self.covers)

    @cached_property
    def digest(self) -> str:
        """A short text that only equal layouts share, for saved states."""
        text = f"{self.shows_rules} {[one.to_yaml() for one in self.covers]}"
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_plain(self) -> list[Any] | dict[str, list[Any]]:
        """Return the rules as plain values, ready for YAML or JSON.

        If the globals do not say which rules are played, it is ``{"hides_rules": rules}``.
        """
        rules = [one.changes() for one in self.covers]
        return rules if self.shows_rules else {"hides_rules": rules}

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Layout) and self._key == other._key)

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        # The hash differs between processes, and most pickles of one process share an object.
        return _layout_of, self._key

    def __repr__(self) -> str:
        return f"Layout of {len(self.covers)} rules for up to {self.n_players} players"


def counts_of(n_players: int | Sequence[int]) -> tuple[int, ...]:
    """Return one or several numbers of players as a tuple.

    Raises
    ------
    ValueError
        There is none.
    """
    found = tuple(np.atleast_1d(n_players).tolist())
    if not found:
        raise ValueError("n_players must be a number of players, or several")
    return found


@lru_cache(maxsize=64)
def _layout_of(covers: tuple[Rules, ...], shows_rules: bool) -> Layout:
    return Layout(*covers, shows_rules=shows_rules)


@lru_cache(maxsize=64)
def _everything(numbers: tuple[int, ...], view: int, shows_rules: bool) -> Layout:
    flags = {name: True for name, hint in _hints().items() if hint is bool}
    most: dict[str, Any] = {
        **flags,
        "sets": TILE_SETS,
        "count_with_river": "allow",
        "flier_figures": "all",
        "special_monasteries": "add",
        "labyrinth_tiles": 2,
        "castle_choice": "ask",
        "gold_choice": "ask",
        "bridge_timing": "any_time_before_scoring",
        "siege_tiles": "both",
        "crop_circle_tiles": "both",
        "bazaar_bid_limit": MAX_BID_LIMIT,
        "view": view,
    }
    kinds: tuple[dict[str, Any], ...] = (
        {},
        {"sets": tuple(name for name in TILE_SETS if name != FORKED_RIVER_SET)},
        {"tunnel_breaks_road": False},
        {"edition": "C1", "abbot": False},
        {"edition": "WE3"},
        {"edition": "WE3", "winter_gardens": "none"},
    )
    rules = (Rules(**{**most, **kind}, n_players=n) for n in numbers for kind in kinds)
    # The globals of the base game come first, where they lie together in memory.
    return Layout(
        *(Rules(n_players=n, view=view) for n in numbers), *rules, shows_rules=shows_rules
    )


class _Room(Rules):
    """The rules of a layout together, as far as the sizes of action blocks depend on them."""

    _covers: tuple[Rules, ...]

    @classmethod
    def of_covers(cls, covers: tuple[Rules, ...]) -> Rules:
        """Return a switch as on if it is on in any of the rules, and the highest of all numbers."""
        room: Rules = object.__new__(cls)
        for f in fields(Rules):
            values = [getattr(one, f.name) for one in covers]
            is_ordered = all(isinstance(value, int) for value in values)
            room.__dict__[f.name] = max(values) if is_ordered else values[0]
        if any(one.flier_figures == "all" for one in covers if one.flier):
            room.__dict__["flier_figures"] = "all"
        room.__dict__["sets"] = tuple(n for n in TILE_SETS if any(n in one.sets for one in covers))
        room.__dict__["_covers"] = covers
        return room

    @property
    def tile_counts(self) -> npt.NDArray[np.int64]:
        """The most copies of each design."""
        most: npt.NDArray[np.int64] = np.max([one.tile_counts for one in self._covers], axis=0)
        return most

    @property
    def tunnel_pairs(self) -> int:
        """The most pairs of tokens for tunnels; they depend on the number of players."""
        return max(one.tunnel_pairs for one in self._covers)


@lru_cache(maxsize=256)
def _yaml_of(rules: Rules) -> str:
    """Return the result of :meth:`Rules.to_yaml`: every saved state and position asks for it."""
    changed = rules.changes()
    return yaml.safe_dump(changed, default_flow_style=True, width=10**6, sort_keys=False).strip()


@cache
def _hints() -> dict[str, Any]:
    """Return the type of each field of :class:`Rules`: every new object asks for them."""
    return get_type_hints(Rules)


@cache
def _choices() -> dict[str, tuple[Any, ...]]:
    found: dict[str, tuple[Any, ...]] = {}
    for name, hint in _hints().items():
        kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        listed = [v for kind in kinds for v in get_args(kind)]
        listed += [False, True] * (bool in kinds) + [None] * (NoneType in kinds and len(kinds) > 1)
        if listed and name not in ("sets", "layout", "deck_size"):
            found[name] = tuple(listed)
    return found


SWITCHES = tuple(f.name for f in fields(Rules) if f.name != "layout")
"""Names of the fields that decide how the game is played."""
CHOICES = _choices()
"""Values of each switch that has only a few."""

RulesLike: TypeAlias = Rules | dict[str, Any] | str | None
"""Arguments that :meth:`Rules.of` accepts."""


def _frames_to_the_caller() -> int:
    """Return the ``stacklevel`` with which a warning points to the caller of this package."""
    own = ("carc_env", "dataclasses")
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in own:
        level, frame = level + 1, frame.f_back
    return level

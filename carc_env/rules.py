"""What is being played: the sets, the figures and the variant switches, checked at construction."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

import yaml

from carc_env.choices import check_choice
from carc_env.engine.codes import MAX_PLAYERS, Phase
from carc_env.engine.tiles import RIVER_SET

#: Sets of land tiles that the engine knows the rules of.
SETS = ("base", RIVER_SET, "inns", "traders", "abbey", "bridges")

#: Named starting points for :meth:`Rules.preset`.
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
    "all": {
        "sets": SETS,
        **dict.fromkeys(("large_meeples", "inns", "builders", "pigs", "goods"), True),
        **dict.fromkeys(("abbeys", "mayors", "barns", "wagons"), True),
        **dict.fromkeys(("bridges", "castles", "bazaars"), True),
    },
    "first-edition": {"edition": "C1", "abbot": False},
    "winter": {"edition": "WE3"},
}

MIN_PLAYERS = 2
MIN_VIEW, MAX_VIEW = 12, 48
MAX_BID_LIMIT = 100


@dataclass(frozen=True)
class Rules:
    """The rules of one game; everything else (action layout, spaces, bag) is a function of it.

    Switches of a system that is off are allowed and have no effect.

    Raises
    ------
    ValueError
        A field has a value that is not allowed, or two fields contradict each other; the message
        names the field and the allowed values.
    """

    n_players: int = 2
    """Number of seats, 2 to 6 (BASE-01)."""
    sets: tuple[str, ...] = ("base",)
    """Sets of land tiles in play."""
    edition: Literal["C2", "C1", "WE3"] = "C2"
    """Second, first, or third winter edition: decides tile counts and gardens (GAR-08, GAR-09)."""
    abbot: bool = True
    """Every player has an abbot (ABT-01). The first edition has none (GAR-09)."""
    winter_gardens: Literal["as_C2", "none"] = "as_C2"
    """Gardens under ``edition="WE3"`` (WIN-03)."""
    small_city_points: Literal[4, 2] = 4
    """Points for a complete city of two tiles without coats of arms (BASE-13)."""
    abbot_recall_completed: Literal["forbid", "allow"] = "forbid"
    """May an abbot be recalled from a place that this very tile completed (ABT-14)?"""
    abbot_recall_second_part: Literal["allow", "forbid"] = "allow"
    """May an abbot placed in the first part of a turn be recalled in the second (ABT-21)?"""
    large_meeples: bool = False
    """Every player has a large meeple (INN-01)."""
    inns: bool = False
    """Inns and cathedrals count (INN-02, INN-04)."""
    builders: bool = False
    """Every player has a builder (TRA-05)."""
    pigs: bool = False
    """Every player has a pig (TRA-12)."""
    goods: bool = False
    """Whoever completes a city gets its trade goods (TRA-01)."""
    builder_bridge_trigger: Literal["tile_must_join", "any_extension"] = "tile_must_join"
    """Does a bridge that lengthens the builder's road bring a second part, even if the tile just
    placed is no part of it (BRI-23)?

    Both values are the same: a bridge is built between free ends (BRI-06), so it lengthens no road.
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
    """What happens to abbeys left when the land tiles are used up (ABB-20)."""
    wagon_adjacency: Literal["C2", "C1"] | None = None
    """Where a scored wagon may go: around its tile (C2, WAG-05) or along links (C1, WAG-20).

    None: as the edition has it, see :attr:`wagon_range`.
    """
    bridges: bool = False
    """Every player has bridges (BRI-01)."""
    castles: bool = False
    """Every player has castle tokens (CAS-01)."""
    bazaars: bool = False
    """Bazaar tiles start a bazaar (BAZ-01)."""
    bridge_timing: Literal["before_figure", "any_time_before_scoring"] = "before_figure"
    """When an optional bridge may be built (BRI-10)."""
    bridge_limit: Literal["per_placement", "per_turn"] = "per_placement"
    """One bridge in each part of a builder's turn, or in both together (BRI-20).

    The placement of a bought tile is a turn of its own (BAZ-15).
    """
    castle_base: Literal["semicircle", "any_end_segment"] = "semicircle"
    """Which one-sided city segments can be half of a castle (CAS-02)."""
    castle_fief: Literal["flanks", "row"] = "flanks"
    """The fief of a castle whose tiles lie side by side: north and south, or west and east of it
    (CAS-15)."""
    castle_choice: Literal["best", "ask"] = "best"
    """Of several features a castle takes the best one, or its lord is asked (CAS-22)."""
    wagon_from_castle: Literal["fief", "neighbours"] = "fief"
    """Where a wagon may go that was lord of a castle (WAG-17)."""
    bazaar_mode: Literal["auction", "take"] = "auction"
    """The tiles of a bazaar are auctioned, or taken for nothing one after the other (BAZ-23)."""
    bazaar_overbid: Literal["allow", "forbid"] = "allow"
    """May a bid exceed the bidder's score (BAZ-12, BAZ-13, BAZ-30)?"""
    bazaar_next_chooser: Literal["clockwise", "seller_again"] = "clockwise"
    """Who chooses after a sale: the next player without a tile, or the seller (BAZ-09)."""
    bazaar_builder_order: Literal["bazaar_first", "builder_first"] = "bazaar_first"
    """Order of a bazaar and the second part of a builder's turn (BAZ-20, BAZ-21)."""
    bazaar_unplaceable: Literal["redraw", "skip"] = "redraw"
    """A bought tile without a place: draw another one, or place none (BAZ-27)."""
    bazaar_bid_limit: int = 20
    """The highest bid; the rules know none, but an action space needs one."""
    house_wagon_roll: bool = False
    """House rule: wagons may roll on over complete features (HOUSE-01)."""
    view: int = 32
    """Width and height of the window on the board, even; the table ends there (docs/env.md)."""
    auto_single: bool = True
    """Decisions with a single legal choice are taken by the engine."""

    def __new__(cls, *_: Any, **switches: Any) -> Self:
        """Refuse unknown switches by name."""
        known = [f.name for f in fields(cls)]
        for name in switches:
            if name not in known:
                raise ValueError(f"unknown switch {name!r}; switches: {', '.join(known)}")
        return super().__new__(cls)

    def __post_init__(self) -> None:
        if not isinstance(self.sets, (tuple, list)):
            raise ValueError(f"sets must be a tuple of names such as ('base',), got {self.sets!r}")
        object.__setattr__(self, "sets", tuple(self.sets))
        self._check_int("n_players", MIN_PLAYERS, MAX_PLAYERS)
        self._check_int("view", MIN_VIEW, MAX_VIEW)
        self._check_int("bazaar_bid_limit", 1, MAX_BID_LIMIT)
        if self.view % 2:
            raise ValueError(f"view must be even, got {self.view}")
        for name, hint in get_type_hints(Rules).items():
            if hint is bool:
                check_choice(name, getattr(self, name), (True, False))
            elif get_origin(hint) is Literal:
                check_choice(name, getattr(self, name), get_args(hint))
        check_choice("wagon_adjacency", self.wagon_adjacency, (None, "C2", "C1"))
        self._check_sets()
        if self.edition == "C1" and self.abbot:
            raise ValueError(
                "abbot=True contradicts edition='C1': the first edition has no abbot; "
                "pass abbot=False or edition='C2'"
            )
        if self.winter_gardens == "none" and self.edition != "WE3":
            raise ValueError(
                f"winter_gardens='none' needs edition='WE3', but edition is {self.edition!r}"
            )

    def _check_int(self, name: str, low: int, high: int) -> None:
        value = getattr(self, name)
        if type(value) is not int or not low <= value <= high:
            raise ValueError(f"{name} must be an int from {low} to {high}, got {value!r}")

    def _check_sets(self) -> None:
        known = ", ".join(repr(s) for s in SETS)
        for name in self.sets:
            if name not in SETS:
                raise ValueError(f"sets: unknown set {name!r}; known sets: {known}")
        if "base" not in self.sets or len(set(self.sets)) != len(self.sets):
            raise ValueError(f"sets must name 'base' and no set twice, got {self.sets!r}")

    @cached_property
    def tile_column(self) -> Literal["C1", "C2"]:
        """The column of tile counts in the tile facts that this edition uses (WIN-03)."""
        return "C1" if self.edition == "C1" or self.winter_gardens == "none" else "C2"

    @property
    def wagon_range(self) -> Literal["C1", "C2"]:
        """``wagon_adjacency`` with None resolved."""
        return self.wagon_adjacency or ("C1" if self.edition == "C1" else "C2")

    @property
    def has_river(self) -> bool:
        """Whether the game begins with the River (BASE-40)."""
        return RIVER_SET in self.sets

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

    @cached_property
    def phases(self) -> tuple[Phase, ...]:
        """The phases that can occur."""
        can_occur = {
            Phase.DRAW_OR_ABBEY: self.abbeys,
            Phase.BRIDGE: self.bridges and self.bridge_timing == "any_time_before_scoring",
            Phase.CASTLE: self.castles,
            Phase.CASTLE_CHOICE: self.castles and self.castle_choice == "ask",
            Phase.WAGON: self.wagons,
            Phase.WAGON_SPOT: self.wagons,
            Phase.BAZAAR_PICK: self.bazaars,
            Phase.BAZAAR_BID: self.has_auctions,
            Phase.BAZAAR_DEAL: self.has_auctions,
        }
        return tuple(phase for phase in Phase if can_occur.get(phase, True))

    @classmethod
    def preset(cls, name: str, **overrides: Any) -> Self:
        """Rules by name; keyword arguments override single fields.

        Raises
        ------
        ValueError
            Unknown preset or unknown switch.
        """
        if name not in PRESETS:
            raise ValueError(f"unknown preset {name!r}; presets: {', '.join(PRESETS)}")
        return cls.from_dict({**PRESETS[name], **overrides})

    @classmethod
    def from_dict(cls, switches: dict[str, Any]) -> Self:
        """Rules from a mapping of field names; unknown names raise ``ValueError``."""
        return cls(**switches)

    @classmethod
    def of(cls, rules: Rules | dict[str, Any] | None) -> Rules:
        """The rules themselves, or from a mapping of fields, or the default ones for None.

        Raises
        ------
        ValueError
            It is none of these.
        """
        if rules is None:
            return cls()
        if isinstance(rules, dict):
            return cls.from_dict(rules)
        if not isinstance(rules, Rules):
            raise ValueError(f"rules must be Rules or a dict of its fields, got {rules!r}")
        return rules

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values, ready for YAML or JSON."""
        return {**asdict(self), "sets": list(self.sets)}

    def to_yaml(self) -> str:
        """One flow mapping on one line, fields that differ from the defaults only."""
        default = Rules().to_dict()
        changed = {k: v for k, v in self.to_dict().items() if v != default[k]}
        return yaml.safe_dump(
            changed, default_flow_style=True, width=10**6, sort_keys=False
        ).strip()

    @classmethod
    def from_yaml(cls, text: str) -> Self:
        """Read what :meth:`to_yaml` or a person wrote.

        Raises
        ------
        ValueError
            The text is no YAML mapping, or its switches are not valid.
        """
        try:
            switches = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ValueError(f"rules are not valid YAML: {error}") from error
        if not isinstance(switches, dict):
            raise ValueError(f"rules must be a YAML mapping, got {text!r}")
        return cls.from_dict(switches)

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed; unknown names raise ``ValueError``."""
        return replace(self, **changes)

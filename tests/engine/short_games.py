"""The ends of games, on boards where something rare is near, for the comparison with the oracle."""

import random
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from carc_env import Game, Rules
from carc_env.engine.core.codes import Figure, Phase
from carc_env.game.notation import parse_position
from tests.oracle import watchtowers, wind_roses
from tests.oracle.bazaars import is_bazaar_tile
from tests.oracle.board import features
from tests.oracle.tiles import tile_counts

ALL = {"sets": ("base", "abbey", "bridges"), "bridges": True, "castles": True, "bazaars": True}
CITIES = ("bg-city4-shield", "bcb-city4-bazaar", "am-city4-two-shields", "bcb-city4-bazaar")
BAZAARS = ("bcb-roads-bazaar", "bcb-road-bazaar-inn", "bcb-roads-bazaar-inn", "bcb-span-bazaar")
AUCTION = {"bazaar_pick", "bazaar_bid", "bazaar_deal"}
BUILDERS = {
    "sets": ("base", "traders", "bridges"),
    **dict.fromkeys(("builders", "pigs", "goods", "large_meeples", "wagons"), True),
    **dict.fromkeys(("bridges", "bazaars"), True),
}
#: A city with the builder of the first seat and a road with that of the second.
TWO_BUILDERS = """
    bg-cap-straight 0,0 r0
    bg-city4-shield 0,-1 r0: A large N
    bg-span 0,-2 r0: A builder N
    bg-straight 1,0 r0: B meeple E
    bg-straight 2,0 r0: B builder E
    """
ONE_TOWN = """
    bg-cap-straight 0,0 r0
    bg-cap 0,-1 r2
    """
#: Every free cell touches a city or the road: fields need a bridge (BRI-08, BRI-09).
WALLS = """
    bg-cap-straight 0,0 r0
    bg-city4-shield 0,-1 r0
    bg-city3 0,1 r1
    """


class ShortGame(NamedTuple):
    """The end of a game, on a board where something rare is near."""

    rules: Rules
    board: str
    """Tiles with their figures, and castles, in the notation."""
    tiles: tuple[str, ...]
    """The tile in hand and those that are drawn after it."""
    n_more: int
    """How many more are in the bag, drawn at random; all others are aside."""
    comes_to: set[str]
    """What some of the games come to, see :func:`marks`."""


SHORT_GAMES = {
    # No city is open for the tiles of the bazaar, and bazaar tiles are drawn instead (BAZ-18).
    "delayed bazaars": ShortGame(
        Rules(n_players=4, **ALL, auto_single=False),
        ONE_TOWN,
        ("bcb-bazaar", *CITIES, *BAZAARS),
        12,
        AUCTION,
    ),
    "delayed bazaars, taken": ShortGame(
        Rules(n_players=3, **ALL, bazaar_mode="take", auto_single=False),
        ONE_TOWN,
        ("bcb-bazaar", *CITIES[:3], *BAZAARS, CITIES[3]),
        12,
        {"bazaar_pick"},
    ),
    "skipped tiles": ShortGame(
        Rules(n_players=4, **ALL, bazaar_unplaceable="skip", auto_single=False),
        ONE_TOWN,
        ("bcb-bazaar", *CITIES, *BAZAARS),
        8,
        AUCTION,
    ),
    # The bazaars use up the bag (BAZ-28, BAZ-29), and abbeys are left (ABB-20).
    "the end of the bag": ShortGame(
        Rules(n_players=2, **ALL, abbeys=True, auto_single=False),
        """
            bg-cap-straight 0,0 r0
            bg-cap 0,-1 r2
            bg-cap 1,-1 r2
            bg-monastery 2,-1 r0
            bg-cap 2,0 r1
            bg-monastery 0,1 r0
            bg-caps-opposite 1,1 r0
            """,
        ("bcb-bazaar", *CITIES[:2], "bcb-roads-bazaar"),
        2,
        {"draw_or_abbey", *AUCTION},
    ),
    "walls": ShortGame(
        Rules(n_players=2, **ALL, auto_single=False),
        WALLS,
        ("bg-monastery", "bcb-bazaar", "bg-monastery", "bg-monastery", "bg-monastery"),
        8,
        AUCTION,
    ),
    "walls, a bridge after the figure": ShortGame(
        Rules(
            n_players=3,
            **ALL,
            bridge_timing="any_time_before_scoring",
            bazaar_unplaceable="skip",
            auto_single=False,
        ),
        WALLS,
        ("bcb-bazaar", "bg-monastery", "bg-monastery", "bg-monastery", "bg-monastery"),
        8,
        {"bridge", *AUCTION},
    ),
    # One tile completes two towns (CAS-03, GAPS C7).
    "two towns": ShortGame(
        Rules(n_players=2, **ALL, wagons=True, castle_choice="ask", auto_single=False),
        """
            bg-cap-straight 0,0 r0: B wagon N
            bg-straight 1,0 r0
            bg-cap 1,-1 r3: A meeple W
            """,
        ("bg-caps-adjacent",),
        8,
        {"castle", "wagon"},
    ),
    # One tile completes a road and a city in the fiefs of two castles (CAS-22, CAS-23).
    "what castles take": ShortGame(
        Rules(n_players=2, **ALL, wagons=True, castle_choice="ask", auto_single=False),
        """
            [castles 0,0 N, 0,-2 N]
            [tokens 2:2]
            bg-cap-straight 0,0 r0
            bg-cap 0,-1 r2: B wagon S
            bg-monastery-road -1,0 r2
            bg-span 1,-1 r0
            bg-cap 1,-2 r2
            bg-cap 0,-2 r0: A meeple N
            bg-cap 0,-3 r2
            """,
        ("bg-cap-junction",),
        8,
        {"castle_choice", "wagon"},
    ),
    # The cathedral completes a city that reaches into the fief of a castle (CAS-19, MAY-14).
    "a cathedral": ShortGame(
        Rules(
            n_players=2,
            sets=("base", "inns"),
            large_meeples=True,
            inns=True,
            mayors=True,
            wagons=True,
            castles=True,
            auto_single=False,
        ),
        """
            [castles 1,0 E]
            [tokens 2:3]
            bg-cap-straight 0,0 r0
            bg-straight -1,0 r0
            bg-corner-shield -1,-1 r0: A wagon N
            bg-cap -1,-2 r2
            bg-cap 0,-2 r2
            ic-cap-gate 1,0 r1
            bg-cap 1,-1 r3: B mayor W
            bg-cap-straight 2,0 r3: A large W
            """,
        ("ic-cathedral",),
        8,
        {"figure", "wagon"},
    ),
    # A bazaar and the second part of its turn, in both orders (BAZ-20 to BAZ-22).
    "bazaar first": ShortGame(
        Rules(n_players=2, **BUILDERS, castles=True, bridge_limit="per_turn", auto_single=False),
        TWO_BUILDERS,
        ("bcb-city4-bazaar", "bg-curve", "bg-city3", *BAZAARS, "bcb-city4-bazaar"),
        12,
        {*AUCTION, "owed", "owed behind another", "part of a round"},
    ),
    "builder first": ShortGame(
        Rules(
            n_players=2,
            **BUILDERS,
            castles=True,
            bazaar_builder_order="builder_first",
            bridge_limit="per_turn",
            auto_single=False,
        ),
        TWO_BUILDERS,
        ("bcb-city4-bazaar", "bg-curve", "bg-city3", *BAZAARS, "bcb-city4-bazaar"),
        12,
        {*AUCTION, "waits", "waits before another", "part of a round"},
    ),
    "builder first, taken": ShortGame(
        Rules(
            n_players=3,
            **BUILDERS,
            bazaar_builder_order="builder_first",
            bazaar_overbid="forbid",
            auto_single=False,
        ),
        TWO_BUILDERS,
        ("bcb-city4-bazaar", "bg-city3", "bg-span-shield", "bg-curve", *BAZAARS),
        8,
        {"bazaar_pick", "waits", "part of a round"},
    ),
    # A second figure onto a tower and through a portal (PHA-09, PHA-11).
    "phantoms, towers and portals": ShortGame(
        Rules(
            n_players=2,
            sets=("base", "princess", "tower"),
            abbot=False,
            phantom=True,
            dragon=True,
            portals=True,
            towers=True,
            auto_single=False,
        ),
        f"""
            [floors 10:5]
            [towers 0,1 5]
            [prisoners {", ".join(["B holds A meeple"] * 5)}]
            bg-cap-straight 0,0 r0: A meeple E
            to-field-garden 0,1 r0
            bg-monastery 1,1 r0: A meeple mid
            """,
        ("pd-straight-volcano", "pd-curve-volcano", "pd-junction-portal", "pd-two-curves-portal"),
        8,
        {"second", "second_spot"},
    ),
    # Who has all their figures on the board or in prison captures somebody (TOW-24).
    "prisoners of two kinds": ShortGame(
        Rules(
            n_players=2,
            sets=("base", "tower"),
            abbot=False,
            phantom=True,
            towers=True,
            auto_single=False,
        ),
        f"""
            [floors 10:4]
            [towers 0,1 6]
            [prisoners {", ".join(["B holds A meeple"] * 5)}, B holds A phantom]
            bg-cap-straight 0,0 r0: B meeple N
            to-field-garden 0,1 r0
            bg-monastery 1,1 r0: B meeple mid
            bg-straight 1,0 r0: A meeple E
            bg-straight -1,0 r0: A meeple Nw
            """,
        ("bg-straight", "bg-straight"),
        4,
        {"capture", "exchange"},
    ),
    # The first part uses up the bag (BASE-22), and an abbey is left (TRA-11).
    "an abbey in the second part": ShortGame(
        Rules(
            n_players=2,
            **BUILDERS | {"sets": ("base", "traders", "abbey", "bridges")},
            abbeys=True,
            auto_single=False,
        ),
        f"""{TWO_BUILDERS}
            bg-monastery 1,-2 r0
            bg-monastery 2,-1 r0
            """,
        ("bg-city3",),
        0,
        {"abbey in a second part"},
    ),
    # The second part may take back the abbot of the first, or not (ABT-21).
    "the abbot of the first part": ShortGame(
        Rules(
            n_players=2,
            **BUILDERS,
            abbot_recall_second_part="forbid",
            abbot_recall_completed="allow",
            auto_single=False,
        ),
        TWO_BUILDERS,
        ("bg-city3-garden", "bg-corner-garden", "bg-straight-garden", "bg-curve-garden"),
        4,
        {"abbot of the first part"},
    ),
    # One tile completes a city and the road around it, and ingots lie on both (GOL-08).
    "a choice of ingots": ShortGame(
        Rules.preset("gold", gold_choice="ask", auto_single=False),
        """
            [gold 0,0 2, 1,0 1, 2,0 1]
            bg-cap-straight 0,0 r0: A meeple E, B meeple N
            bg-monastery-road 1,0 r0
            bg-curve -1,0 r2
            bg-curve -1,-1 r3
            gm-monastery-curve 2,0 r2
            gm-monastery-corner 0,1 r2
            bg-monastery-road 2,-1 r3
            bg-cap 0,2 r0
            """,
        ("bg-cap-junction", "gm-two-curves", "bg-cap-junction", "bg-cap-junction"),
        12,
        {"ingot", "share"},
    ),
    # Knights of both in a besieged city with a monastery beside it (SIE-09, SIE-10).
    "a way out": ShortGame(
        Rules.preset("siege", siege_escape="any_tile", auto_single=False),
        """
            bg-cap-straight 0,0 r0: A meeple N, B meeple N
            bg-monastery 0,1 r0
            si-city3 0,-1 r0
            bg-city3 0,-2 r0
            bg-corner-shield 1,-1 r3
            bg-caps-adjacent 1,-2 r2: A meeple W, A meeple S
            """,
        ("bg-straight", "bg-curve", "bg-straight"),
        8,
        {"escape", "escape_spot"},
    ),
    # Many tiles to land on, and a phantom that flies as well; some share a place (FLY-06, FLY-16).
    "flights": ShortGame(
        Rules.preset(
            "flier",
            sets=("base", "tower", "festival", "flier"),
            phantom=True,
            large_meeples=True,
            builders=True,
            towers=True,
            festival=True,
            flier_landing="may",
            auto_single=False,
        ),
        """
            [towers 0,1 2]
            [floors 9:9]
            bg-cap-straight 0,0 r0: A meeple N, A large N, B meeple N, A meeple E, A builder E
            to-field-garden 0,1 r0: B abbot mid
            bg-straight 1,0 r0
            bg-straight -1,0 r0
            bg-monastery 1,1 r0: A meeple mid, B meeple mid
            bg-monastery -1,1 r0
            """,
        ("fl-straight-e", "fl-straight-n", "fe-cap-gate", "fl-field-n", "fl-curve-ne"),
        8,
        {"landing", "second", "capture", "elsewhere"},
    ),
    # Mouths on the roads of both builders (TUN-12), and a bazaar between parts (TUN-04).
    "tokens and builders": ShortGame(
        Rules(
            n_players=2,
            sets=("base", "traders", "bridges", "king", "tunnel"),
            tunnels=True,
            king_robber=True,
            **dict.fromkeys(("builders", "wagons", "bazaars", "castles"), True),
            auto_single=False,
        ),
        """
            [tunnels 1,0 W A1, 0,2 W B1]
            bg-cap-straight 0,0 r0: A meeple E, A builder E
            bg-straight -1,0 r0
            tu-two-tunnels 1,0 r0
            bg-monastery-road 1,1 r1: B meeple N
            bg-monastery 0,1 r0
            tu-cap-two-tunnels 0,2 r2
            bg-junction 1,2 r0: B meeple W, B builder W
            """,
        ("bcb-roads-bazaar", "bg-curve", "tu-cap-three-tunnels", "bg-junction"),
        12,
        {"tunnel", "part after a token", "token before a bazaar"},
    ),
    # Ferries on the roads of both builders (FER-14), which can cut them off (FER-15).
    "ferries and builders": ShortGame(
        Rules(
            n_players=2,
            sets=("base", "traders", "bridges", "king", "tunnel", "ferries"),
            ferries=True,
            tunnels=True,
            king_robber=True,
            **dict.fromkeys(("builders", "wagons", "castles"), True),
            auto_single=False,
        ),
        """
            [ferries 1,0 EW, -1,1 NE]
            bg-cap-straight 0,0 r0: A meeple E
            bg-curve -1,0 r3
            fr-lake-three 1,0 r0
            bg-straight 2,0 r0: A builder E
            fr-lake-three -1,1 r3: B meeple S
            bg-straight -1,2 r1
            """,
        ("bg-straight", "fr-lake-four", "bg-junction", "bg-curve"),
        12,
        {"ferry", "ferries"},
    ),
    # Mage and witch at two mouths of one tunnel, whose second token joins their roads (TUN-20).
    "mage, witch and a tunnel": ShortGame(
        Rules(
            n_players=2,
            sets=("base", "tunnel", "mage"),
            tunnels=True,
            mage_witch=True,
            auto_single=False,
        ),
        """
            [tunnels 1,0 W A1]
            [mage 0,0 E]
            [witch 1,0 S]
            bg-cap-straight 0,0 r0: A meeple E
            bg-junction -1,0 r0
            tu-two-tunnels 1,0 r0
            bg-monastery-road 1,1 r1
            """,
        ("bg-cap", "mw-cap-junction", "bg-curve", "mw-corner-curve"),
        12,
        {"magic", "magic_spot", "parted behind a token"},
    ),
    # Towers below Carcassonne, which pay who comes out of it (WT-14), and a tile in its quarter,
    # which keeps others from going in (WR-07).
    "towers and a rose": ShortGame(
        Rules(
            n_players=3,
            sets=("base", "traders", "bridges", "count", "watchtowers", "roses"),
            count=True,
            watchtowers=True,
            wind_roses=True,
            count_ignores_rose=False,
            **dict.fromkeys(("builders", "large_meeples", "castles", "bridges"), True),
            auto_single=False,
        ),
        """
            [count market]
            [quarters B meeple castle, C large blacksmith]
            co-1 -2,-1 r0: B meeple W
            co-2 -1,-1 r0
            co-3 0,-1 r0
            co-4 1,-1 r0
            co-5 -2,0 r0
            co-6 -1,0 r0
            co-7 0,0 r0
            co-8 1,0 r0
            co-9 -2,1 r0: B meeple S
            co-10 -1,1 r0
            co-11 0,1 r0: C meeple S
            co-12 1,1 r0
            wr-cap-gate-all -1,-2 r1
            bg-monastery -3,1 r0
            bg-monastery -3,2 r0
            bg-monastery -3,3 r0
            wt-cap-gate-figures -2,3 r0: A meeple N
            """,
        (
            *("bg-span", "wr-cap-curve-left-sw", "wt-straight-split-monasteries", "wr-curve-all"),
            *("wt-cap-monasteries", "wr-span-nw", "bg-monastery-road", "bg-cap"),
        ),
        10,
        {"join", "enter", "points of a tower", "a tile in its quarter"},
    ),
    # Many farmers, some on one spot, with a tower that captures one of them and a festival that
    # takes one back (CRN-07, FLY-06).
    "corn circles": ShortGame(
        Rules.preset(
            "corn-circles",
            sets=("base", "traders", "tower", "festival", "corn"),
            crop_circle_tiles="both",
            large_meeples=True,
            builders=True,
            pigs=True,
            phantom=True,
            towers=True,
            festival=True,
            auto_single=False,
        ),
        """
            bg-cap-straight 0,0 r0: A meeple En, A large En, A phantom En
            bg-monastery 0,1 r0: B meeple Nw, B large Nw
            bg-straight 1,0 r0: A pig Nw
            bg-cap-junction -1,0 r0: B meeple S
            """,
        ("cc-field-cap-road", "to-junction", "cc-road-curve", "fe-two-curves"),
        12,
        {"circle", "sow", "sow_spot", "reap", "reap_spot"},
    ),
    # One tile completes the road of a labyrinth and a city in a castle's fief (LAB-07, CAS-22).
    "thieves and castles": ShortGame(
        Rules(
            n_players=2,
            sets=("base", "traders", "gold", "mage", "labyrinth"),
            labyrinth=True,
            labyrinth_tiles=2,
            castle_choice="ask",
            mage_witch=True,
            gold_choice="ask",
            **dict.fromkeys(("builders", "wagons", "castles", "gold"), True),
            auto_single=False,
        ),
        """
            [castles 0,0 N]
            [tokens 3:2]
            [witch 1,0 N]
            bg-cap-straight 0,0 r0: A meeple E
            bg-cap 0,-1 r2: B meeple S
            bg-junction -1,0 r0
            la-maze 1,0 r0: A builder N
            bg-junction 2,0 r0: B wagon W
            bg-monastery-road 1,1 r1
            bg-monastery-road 2,-1 r0
            bg-monastery 0,-2 r0
            bg-cap 1,-2 r2
            """,
        ("bg-cap-curve-right", "la-maze", "bg-junction", "bg-curve", "bg-straight"),
        12,
        {"castle_choice", "thieves"},
    ),
    # Arms that lead over a lake and through a tunnel, to other tiles too (LAB-11, X2-06).
    "arms of a labyrinth": ShortGame(
        Rules(
            n_players=2,
            sets=("base", "princess", "flier", "tunnel", "ferries", "labyrinth"),
            labyrinth=True,
            labyrinth_tiles=2,
            **dict.fromkeys(("portals", "flier", "phantom", "tunnels", "ferries", "wagons"), True),
            auto_single=False,
        ),
        """
            [tunnels 1,-1 E A1]
            [ferries 2,0 EW]
            bg-cap-straight 0,0 r0
            la-maze 1,0 r0
            fr-lake-three 2,0 r0
            bg-straight 3,0 r0: B meeple E
            tu-two-tunnels 1,-1 r3
            bg-straight 1,1 r1: A wagon N
            """,
        ("pd-junction-portal", "bg-straight", "la-maze", "pd-two-curves-portal", "bg-junction"),
        12,
        {"ferries", "tunnel", "elsewhere"},
    ),
    # Pigs in the fields of barns, and in a field that a barn is about to come to (TRA-13 to 17).
    "pigs and barns": ShortGame(
        Rules(
            n_players=3,
            **BUILDERS,
            barns=True,
            castles=True,
            auto_single=False,
        ),
        """
            bg-cap-straight 0,0 r0
            bg-monastery 0,1 r0
            bg-cap -1,1 r3
            bg-cap -2,1 r1
            bg-cap -1,2 r3
            bg-cap -2,2 r1
            bg-monastery 0,2 r0
            bg-monastery 1,1 r0
            bg-monastery 1,2 r0: A barn NW
            bg-straight 1,0 r0: A meeple Nw
            bg-straight -1,0 r0: B meeple Nw
            bg-straight -2,0 r0: A pig Nw
            """,
        ("bg-monastery-road", "bg-cap-junction", "bg-monastery-road", "bg-curve", "bg-junction"),
        12,
        {"pig beside a barn"},
    ),
}
N_SHORT_GAMES = 8


def marks(position):
    """List what is rare about a position, its phase first."""
    yield position.phase.name.lower()
    bazaar, part = position.bazaar, position.first_part
    if part is not None:
        if position.phase == Phase.DRAW_OR_ABBEY:
            yield "abbey in a second part"
        if any(f.figure == Figure.ABBOT and (f.x, f.y) == part for f in position.figures):
            yield "abbot of the first part"
        if position.has_dug:
            yield "part after a token"
    if position.had_dug:
        yield "token before a bazaar"
    if position.thieves:
        yield "thieves"
    if position.joined:
        yield "parted behind a token"
    if bazaar is not None:
        if part is not None and not bazaar.waits:
            yield "part of a round"
        if bazaar.owed is not None:
            yield "owed behind another" if position.delayed else "owed"
        if bazaar.waits:
            yield "waits before another" if is_in_hand(position, is_bazaar_tile) else "waits"
    if watchtowers.points(position):
        yield "points of a tower"
    if wind_roses.has_scored(position):
        yield "a tile in its quarter"
    if any(field.barns and field.passing != field.meeples for field in features(position)):
        yield "pig beside a barn"


def is_in_hand(position, kind):
    """Tell whether the tile in hand is of a kind."""
    return position.tile_in_hand is not None and kind(position.tile_in_hand)


def begun(short, seed):
    """Begin one of the short games; the seed decides the bag, and what is drawn at random."""
    hand, *first = short.tiles
    made = parse_position(
        f"""
        [carc_env position 1]
        [rules {short.rules.to_yaml()}]
        [scores {":".join("0" * short.rules.n_players)}]
        [turn A places {hand}]
        {short.board}
        """
    )
    left = Counter(tile_counts(short.rules)) - Counter(tile.tile for tile in made.tiles)
    left.subtract(short.tiles)
    left = sorted(left.elements())
    random.Random(seed).shuffle(left)
    bag, aside = (*first, *left[: short.n_more]), tuple(left[short.n_more :])
    game = Game.from_position(replace(made, bag=bag, aside=aside))
    game.states["rng"] = seed
    return game

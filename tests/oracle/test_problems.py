"""Impossible positions, which the oracle describes and the engine refuses.

Also positions that are consistent although no game reaches them.
"""

from collections import Counter
from dataclasses import replace

import pytest

from carc_env import Game, Rules
from carc_env.engine.core.codes import Figure, Phase, Quarter, Spot
from carc_env.game.notation import parse_position
from carc_env.position import Castle, Ferried, Lot, PlacedTile, Waiting
from tests.rules.positions import START_LINE, Table, carcassonne

from . import river
from .problems import order_problems, problems, unplayed
from .tiles import tile_counts

pytestmark = pytest.mark.once


def board(rules, turn, headers, *tiles, n_players=2):
    """Return a position with the start tile and other tiles."""
    return Table().position(
        "\n".join((START_LINE, *tiles)),
        turn=turn,
        rules=rules,
        n_players=n_players,
        headers=headers,
        auto_single=True,
    )


def city(rules, turn, headers, *tiles, **figures):
    """Return a position with the city of Carcassonne and other tiles."""
    return Table("count: true", sets="base, count").position(
        "\n".join(carcassonne(*tiles, **figures)),
        turn=turn,
        rules=rules,
        headers=headers,
        auto_single=True,
    )


ABBEY_MAYOR = "sets: [base, abbey], abbeys: true, mayors: true, barns: true, wagons: true"
CASTLES = "castles: true"
BAZAARS = "sets: [base, bridges], bazaars: true"
BUILDERS = "builders: true, pigs: true, barns: true"
RUN = "sets: [base, bridges], builders: true, bazaars: true, bazaar_mode: take"
TOWN = ("bg-cap 0,-1 r2", "bg-monastery 0,1 r0")
BLOCK = (
    "bg-monastery 0,1 r0",
    "bg-cap -1,1 r3",
    "bg-cap -2,1 r1",
    "bg-cap -1,2 r3",
    "bg-cap -2,2 r1",
    "bg-monastery 0,2 r0",
    "bg-monastery 1,1 r0",
    "bg-monastery 1,2 r0",
)
HOLE = (
    "bg-cap 0,-1 r2",
    "bg-cap 1,-1 r2",
    "bg-monastery 2,-1 r0",
    "bg-cap 2,0 r1",
    "bg-monastery 0,1 r0",
    "bg-cap 1,1 r0",
)
ROAD = ("bg-straight 1,0 r0: A meeple E", "bg-straight 2,0 r0: A builder E", "bg-straight 3,0 r0")
CITY = ("bg-city4-shield 0,-1 r0: A meeple N", "bg-span 0,-2 r0: A builder N")
OFFER = "bg-curve, bg-cap, bg-junction"

#: Tiles that are aside if only Carcassonne and one monastery are on the board.
UNDRAWN = sorted(
    (
        Counter(tile_counts(Rules.preset("count")))
        - Counter(["bg-monastery", *(tile.tile for tile in river.CITY)])
    ).elements()
)

#: Valid positions.
BOARDS = {
    "base": board("", "A acts", "", "bg-monastery 0,1 r0", "bg-cap-garden 1,1 r1"),
    "order": board("", "A acts", "", "bg-monastery 0,1 r0: B meeple mid", "bg-cap 1,1 r1"),
    "view": board(
        "view: 12",
        "A acts",
        "",
        *[f"bg-monastery 0,{y} r0" for y in range(1, 5)],
        "bg-span 0,5 r1",
        "bg-span-shield 0,6 r1",
        "bg-span-shield 0,7 r1",
        *[f"bg-straight 0,{y} r0" for y in range(8, 12)],
    ),
    "hand": board("", "A places bg-cap", "", *HOLE[:1]),
    "walls": board(
        "",
        "A places bg-cap",
        "",
        "bg-cap 0,1 r2",
        "bg-city3-gate 1,0 r0",
        "bg-city3-gate-shield -1,0 r2",
        "bg-city4-shield 0,-1 r0",
    ),
    "barns": board(ABBEY_MAYOR, "A places bg-curve", "", *BLOCK),
    "hole": board(ABBEY_MAYOR, "A begins", "", *HOLE),
    "abbey": board(ABBEY_MAYOR, "A acts", "[abbeys 0:1]", *HOLE, "am-abbey 1,0 r0"),
    "last round": board(ABBEY_MAYOR, "A begins", "[last round 1]", *HOLE),
    "wagons": board(
        ABBEY_MAYOR,
        "A moves",
        "[wagons A 0,0 E, B 1,0 W]",
        "bg-monastery-road -1,0 r2",
        "bg-junction 1,0 r0",
    ),
    "castle": board(CASTLES, "A acts", "[castles 0,0 N]\n[tokens 2:3]", *TOWN),
    "town": board(CASTLES, "A decides", "[town A 0,-1 S]\n[tokens 3:3]", f"{TOWN[0]}: A meeple S"),
    "choice": board(
        f"{CASTLES}, castle_choice: ask",
        "A takes",
        "[castles 0,0 N]\n[tokens 3:2]\n[town B 0,0 N]",
        "bg-cap 0,-1 r2: B meeple S",
        "bg-monastery-road -1,0 r2",
        "bg-span 1,-1 r0",
        "bg-cap 1,-2 r2",
        "bg-cap-junction 1,0 r0",
    ),
    "bridge": board(
        "bridges: true", "A acts", "[bridges 2:3]\n[bridged]", "bg-monastery 0,1 r0 bridge EW"
    ),
    "late bridge": board(
        "bridges: true, bridge_timing: any_time_before_scoring",
        "A bridges",
        "",
        "bg-monastery 0,1 r0",
    ),
    "picks": board(
        BAZAARS, "A picks", f"[bazaar A: {OFFER}]\n[auction B]", "bcb-bazaar 0,1 r0", n_players=3
    ),
    "bids": board(
        BAZAARS,
        "A bids",
        f"[bazaar A: {OFFER}]\n[auction B 2: 2 B next C]",
        "bcb-bazaar 0,1 r0",
        n_players=3,
    ),
    "deals": board(
        BAZAARS,
        "A deals",
        f"[bazaar A: {OFFER}]\n[auction B 2: 5 C]",
        "bcb-bazaar 0,1 r0",
        n_players=3,
    ),
    "takes": board(
        f"{BAZAARS}, bazaar_mode: take",
        "B picks",
        f"[bazaar A takes: {OFFER}]",
        "bcb-bazaar 0,1 r0",
        n_players=3,
    ),
    "taken": board(
        f"{BAZAARS}, bazaar_mode: take",
        "B places bg-curve",
        "[bazaar A takes: bg-cap, bg-junction]\n[bought]",
        "bcb-bazaar 0,1 r0",
        n_players=3,
    ),
    "round": board(
        BAZAARS,
        "B places bg-curve",
        "[bazaar A: bg-cap C, bg-junction A]\n[bought]",
        "bcb-bazaar 0,1 r0",
        n_players=3,
    ),
    "debts": board(BAZAARS, "A acts", "", "bcb-bazaar 0,1 r0").replace("0:0", "-1:0"),
    "builders": board("builders: true", "A acts", "", *ROAD),
    "second part": board("builders: true", "A places bg-curve", "[second part 3,0]", *ROAD),
    "owed": board(
        RUN,
        "B picks",
        "[bazaar A takes: bg-cap, bg-junction]\n[owed -1,-1]",
        *CITY,
        "bcb-city4-bazaar -1,-1 r0",
    ),
    "waits": board(
        f"{RUN}, bazaar_builder_order: builder_first",
        "A places bg-curve",
        "[bazaar A waits: bg-cap, bg-junction]\n[second part -1,-1]",
        *CITY,
        "bcb-city4-bazaar -1,-1 r0",
    ),
    "pigs": board(
        BUILDERS,
        "A acts",
        "",
        *BLOCK[:1],
        "bg-cap -1,1 r3: A meeple Nw",
        BLOCK[2],
        "bg-cap -1,2 r3: A pig Nw",
        *BLOCK[4:],
    ),
    "goods": board(
        "sets: [base, traders], goods: true",
        "A acts",
        "[wine 2:0]\n[cloth 0:1]",
        "tb-span-wine 0,-1 r0",
        "tb-span-wine-gate 0,-2 r0",
        "tb-span-cloth-and-cap 0,-3 r0",
        "bg-cap 0,-4 r2",
        "bg-monastery 1,-1 r0",
    ),
    "king": board("king_robber: true", "A acts", "[king A]", *TOWN),
    "tunnel": board(
        "sets: [base, tunnel], tunnels: true",
        "A digs",
        "[tunnels 1,0 W A1]",
        "tu-two-tunnels 1,0 r0",
        "bg-cap 0,-1 r2",
    ),
    "ferries": board(
        "sets: [base, ferries], ferries: true",
        "A steers",
        "[ferries 1,0 EW]",
        "fr-lake-three 1,0 r0",
        "bg-straight -1,0 r0",
    ),
    "magic": board(
        "sets: [base, mage], mage_witch: true",
        "A enchants",
        "[mage 0,0 N]",
        "mw-corner-curve 1,0 r0",
    ),
    "buildings": board(
        "little_buildings: true",
        "A acts",
        "[built 1,0 shed]\n[unbuilt A 2 3 3]",
        "bg-straight 1,0 r0",
        "bg-straight 2,0 r0",
    ),
    "river": board("sets: [base, river1]", "A acts", "", "rv-bend -1,0 r2").replace(
        "bg-cap-straight", "rv-source"
    ),
    "count": city(
        "abbot: false",
        "A acts",
        "[count market]\n[quarters A meeple castle, B meeple market]",
        "bg-cap -2,2 r0",
    ),
    "leaves": city(
        "",
        "A joins",
        "[count market]\n[quarters B meeple castle]\n[leaves B]",
        "bg-cap -2,2 r0",
        co_9="A meeple S",
    ),
    "enters": city("abbot: false", "A enters", "", "bg-cap -2,2 r0"),
    "moves the count": city(
        "", "A moves the count", "[quarters A meeple castle]\n[entered]", "bg-cap -2,2 r0"
    ),
    "last moves": city(
        "",
        "B joins",
        "[quarters A meeple market, B meeple market]\n[leaves B at the end]\n[declined A]\n[bag]\n"
        f"[aside {' '.join(UNDRAWN)}]",
        "bg-monastery 2,0 r0: A meeple Nw",
    ),
}


def edited(name, *edits):
    """Return a position after edits of its text (``old -> new``, ``+ line``) or its fields."""
    text, fields = BOARDS[name], {}
    for edit in edits:
        if isinstance(edit, dict):
            fields |= edit
        elif edit.startswith("+ "):
            text += f"\n{edit[2:]}"
        else:
            old, new = edit.split(" -> ")
            assert old in text
            text = text.replace(old, new, 1)
    made = parse_position(text)
    if fields.get("bazaar"):
        fields = fields | {"bazaar": replace(made.bazaar, **fields["bazaar"])}
    if "rules" in fields:
        fields = fields | {"rules": made.rules.replace(**fields["rules"])}
    return replace(made, **fields)


@pytest.mark.parametrize("name", BOARDS)
def test_nothing_is_wrong(name):
    assert problems(edited(name)) == unplayed(edited(name)) == []


@pytest.mark.parametrize(
    ("name", "edit", "words"),
    [
        ("base", "+ bg-monastery 1,0 r0", "do not match"),
        ("base", "+ bg-monastery 3,3 r0", "not connected"),
        ("base", {"tiles": 2 * (PlacedTile("bg-cap-straight", 0, 0, 0),)}, "2 tiles lie on"),
        ("view", "+ bg-monastery 1,1 r0", "5 copies of bg-monastery"),
        ("view", "+ bg-straight 0,12 r0", "beyond the rim"),
        ("base", {"rules": {"edition": "C1", "abbot": False}}, "not part of this game"),
        ("base", "bg-cap-straight 0,0 -> bg-cap-junction 0,0", "the first tile"),
        ("base", {"tile_in_hand": "bg-cap"}, "in hand in phase FIGURE"),
        ("base", {"scores": (1, 2, 3)}, "3 scores"),
        ("base", {"turn_player": 7}, "turn_player is 7"),
        ("base", {"decider": 1}, "seat 1 decides in"),
        ("base", "0,1 r0 -> 0,1 r0: A meeple N", "on no segment"),
        ("base", "0,1 r0 -> 0,1 r0: A abbot Nw", "stands on a FIELD"),
        ("base", "1,1 r1 -> 1,1 r1: A meeple mid", "stands on a GARDEN"),
        ("base", "0,1 r0 -> 0,1 r0: A mayor mid", "1 MAYOR too many"),
        ("base", "0,1 r0 -> 0,1 r0: A builder Nw, A meeple Nw", "1 BUILDER too many"),
        (
            "castle",
            ("[castles 0,0 N]\n[tokens 2:3]\n -> \n", "0,-1 r2 -> 0,-1 r2: A meeple S"),
            "still holds",
        ),
        ("walls", "places bg-cap -> places bg-monastery", "fits nowhere and should be aside"),
        ("hand", "[turn A places bg-cap] -> [over A]\n[bag bg-curve]", "is over with 1 tiles"),
        ("hand", "+ [bag bg-curve]", "are lost"),
        # Abbey & Mayor:
        ("abbey", "0,-1 r2 -> 0,-1 r2\nam-abbey 0,-2 r0", "does not fill a hole"),
        ("abbey", "[abbeys 0:1] -> [abbeys 1:1]", "1 abbeys on the board"),
        ("hole", {"abbeys": (2, 0)}, "abbeys in hand"),
        ("hole", {"abbeys": ()}, "0 hands of abbeys"),
        ("hole", "\nbg-cap 1,1 r0 -> ", "can place no abbey"),
        ("barns", "1,1 r0 -> 1,1 r0: A barn NE", "not open field"),
        ("barns", "1,2 r0 -> 1,2 r0: A barn Nw", "at no corner"),
        ("barns", "1,2 r0 -> 1,2 r0: A meeple NW", "on no segment"),
        (
            "barns",
            ("1,2 r0 -> 1,2 r0: A barn NW", "-1,2 r3 -> -1,2 r3: A barn NE"),
            "1 BARN too many",
        ),
        (
            "barns",
            ("1,2 r0 -> 1,2 r0: A barn NW", "0,1 r0 -> 0,1 r0: B meeple Nw"),
            "share a field",
        ),
        ("barns", "0,1 r0 -> 0,1 r0: A mayor mid", "stands on a MONASTERY"),
        ("barns", "0,1 r0 -> 0,1 r0: A wagon Nw", "stands on a FIELD"),
        ("wagons", {"wagons": ()}, "no wagon waits"),
        ("wagons", {"phase": Phase.FIGURE}, "2 wagons wait in phase FIGURE"),
        ("wagons", "A 0,0 E, B 1,0 W -> B 1,0 W, A 0,0 E", "wrong order"),
        ("wagons", "-1,0 r2 -> -1,0 r2: A wagon mid", "more on the board"),
        ("wagons", "A moves -> A moves to 4,4", "cannot go"),
        ("wagons", {"wagon_target": (1, 0)}, "in phase WAGON"),
        ("wagons", {"decider": 1}, "decides in"),
        ("last round", {"rules": {"abbey_endgame": "none"}}, "no last round"),
        ("last round", "last round 1 -> last round 2", "2 seats are still"),
        ("last round", "A begins -> A places bg-cap", "land tiles left"),
        ("last round", "A begins -> A acts", "was placed in the last round"),
        # Bridges, Castles & Bazaars:
        ("bridge", "+ bg-cap 0,2 r0 bridge NS", "does not end on fields"),
        ("bridge", "bridge EW -> bridge NS", "do not match"),
        ("bridge", "2:3 -> 3:3", "1 bridges on the board"),
        ("bridge", "2:3 -> 1:4", "bridges in hand"),
        ("bridge", {"bridges": ()}, "0 hands of bridges"),
        ("base", {"bridges": (3, 3)}, "2 hands of bridges"),
        ("bridge", (" bridge EW -> ", "2:3 -> 3:3"), "or beside it"),
        ("bridge", "A acts -> A places bg-cap", "is noted in phase PLACE_TILE"),
        ("late bridge", {"rules": {"bridge_timing": "before_figure"}}, "can build no bridge"),
        ("castle", "0,0 N -> 0,0 N, 0,-1 S", "is named twice"),
        ("castle", "0,0 N -> 0,0 E", "no city of this game"),
        ("castle", {"rules": {"castles": False}}, "no city of this game"),
        ("castle", "0,-1 r2 -> 0,-1 r0", "no former town"),
        ("castle", "\nbg-monastery 0,1 r0 -> ", "before its town was decided on"),
        ("castle", "2:3 -> 4:1", "tokens in hand"),
        ("castle", "2:3 -> 3:3", "1 castles and (3, 3)"),
        ("castle", "0,-1 r2 -> 0,-1 r2: B meeple S", "seat 1 has 1 castles"),
        ("castle", {"tokens": ()}, "0 hands of castles"),
        ("castle", "0,-1 r2 -> 0,-1 r2: A abbot S", "stands on a CITY"),
        ("castle", {"castles": (Castle(0, 0, Spot.N, 5),)}, "has points in phase"),
        ("town", {"decider": 1}, "cannot decide"),
        ("town", "3:3 -> 0:3", "cannot decide"),
        ("town", "A 0,-1 S -> A 0,0 N", "cannot decide"),
        ("town", {"town": None}, "the town is None"),
        ("town", {"phase": Phase.FIGURE}, "in phase FIGURE"),
        ("town", {"decider": 7}, "decider is 7"),
        ("choice", {"decider": 0}, "cannot choose"),
        ("choice", ": B meeple S -> ", "cannot choose"),
        ("choice", {"rules": {"castle_choice": "best"}}, "no lord is ever asked"),
        ("choice", "[castles 0,0 N] -> [castles 0,0 N =6]", "cannot have taken"),
        ("picks", {"turn_player": 1}, "holds the bazaar"),
        ("picks", {"bazaar": None}, "no bazaar in phase"),
        ("picks", {"rules": {"bazaars": False}}, "are no bazaars"),
        ("picks", {"rules": {"bazaar_mode": "take"}}, "nothing is auctioned"),
        ("picks", ", bg-junction -> ", "2 tiles are on offer"),
        ("picks", "bg-curve -> bg-curve B", "have tiles"),
        ("picks", "bg-curve, bg-cap -> bg-curve C, bg-cap C", "the seats [2, 2] have tiles"),
        ("picks", {"bazaar": {"lot": 1}}, "is for sale in phase"),
        ("bids", {"bazaar": {"lot": 4}}, "is not for sale"),
        ("bids", {"bazaar": {"bidder": None}}, "seat None bids 2"),
        ("bids", {"bazaar": {"price": 30}}, "cannot have bid 30"),
        ("bids", {"decider": 1}, "is asked after"),
        ("bids", {"rules": {"bazaar_overbid": "forbid"}}, "cannot have bid 2"),
        ("picks", {"decider": 0}, "decides for the chooser"),
        ("deals", {"bazaar": {"bidder": 1}}, "deals with seat 1"),
        ("deals", {"decider": 0}, "deals with seat 2"),
        ("deals", {"bazaar": {"price": None, "bidder": None}}, "nobody has made a bid"),
        ("picks", {"bazaar": {"starter": 3}}, "names a seat that nobody has"),
        ("picks", {"bazaar": {"offer": (Lot("ic-cap-gate"),) * 3}}, "not part of this game"),
        ("takes", {"turn_player": 2, "decider": 2}, "cannot be left"),
        ("takes", {"decider": 2}, "takes for seat"),
        ("takes", {"bazaar": {"chooser": 1}}, "after its end"),
        ("taken", "bcb-bazaar -> bg-monastery", "no bazaar tile lies"),
        ("taken", {"phase": Phase.DRAW_OR_ABBEY, "tile_in_hand": None}, "goes on in phase"),
        ("round", ", bg-junction A -> ", "one tile for each"),
        ("round", {"turn_player": 2, "decider": 2}, "one tile for each"),
        ("base", {"is_bought": True}, "no bazaar in phase"),
        ("base", {"delayed": (1,)}, "no bazaar in phase"),
        # Traders & Builders, King & Robber Baron, the River:
        ("builders", ": A meeple E -> ", "without a meeple"),
        ("builders", ": A meeple E -> : B meeple E", "without a meeple"),
        ("builders", "A builder E -> A builder Nw", "stands on a FIELD"),
        ("builders", {"rules": {"builders": False}}, "1 BUILDER too many"),
        ("second part", {"rules": {"builders": False}}, "no builders"),
        ("second part", "part 3,0 -> part 2,0", "came between"),
        ("second part", "part 3,0 -> part 4,0", "no tile at"),
        ("second part", {"has_extended": True}, "no third part"),
        ("second part", {"phase": Phase.GAME_OVER, "tile_in_hand": None}, "second part in phase"),
        ("builders", {"first_part": (3, 0)}, "no tile at"),
        ("builders", {"has_extended": True}, "an extension is noted"),
        ("owed", "-1,-1] -> 0,-1]", "cannot be owed"),
        ("owed", {"rules": {"bazaar_builder_order": "builder_first"}}, "cannot be owed"),
        ("owed", {"bazaar": {"owed_bridged": True}}, "an earlier part"),
        ("owed", {"bazaar": {"owed": None, "owed_bridged": True}}, "built in no first part"),
        ("owed", {"bazaar": {"owed": None, "owed_ransomed": True}}, "paid in no first part"),
        ("owed", {"rules": {"builders": False}}, "no builders"),
        ("waits", {"first_part": None}, "waits for nothing"),
        ("waits", "part -1,-1 -> part 0,-1", "bazaar of (0, -1) waits"),
        ("waits", {"rules": {"bazaar_builder_order": "bazaar_first"}}, "waits for nothing"),
        ("waits", {"bazaar": {"starter": 1}}, "waits for seat"),
        ("waits", {"bazaar": {"chooser": 1}}, "face down are auctioned"),
        ("waits", ", bg-junction -> ", "1 tiles wait for 2 seats"),
        ("pigs", ": A meeple Nw -> ", "without a meeple"),
        ("pigs", "A pig -> B pig", "without a meeple"),
        ("pigs", {"rules": {"pigs": False}}, "1 PIG too many"),
        ("goods", "wine 2:0 -> wine 3:0", "tokens of WINE for 2"),
        ("goods", {"goods": ((2, 0, 1), (0, -1, 0))}, "tokens of GRAIN for 0"),
        ("goods", {"goods": ()}, "0 hands of goods"),
        ("king", "[king A] -> ", "nobody has the king"),
        ("king", {"robber": 0}, "0 has the robber"),
        ("king", {"king": 2}, "nobody is the seat 2"),
        ("king", {"rules": {"king_robber": False}}, "0 has the king"),
        ("river", "rv-bend -1,0 r2 -> rv-straight 0,-1 r0", "does not continue"),
        ("river", "+ rv-road-bend -1,-1 r3", "does not continue"),
        ("river", "rv-source -> bg-cap-straight", "first tile"),
        ("river", {"bag": ("bg-cap", "rv-lake")}, "the bag begins with"),
        ("river", {"bag": ("rv-lake", "rv-straight")}, "the bag begins with"),
        # The Tunnel:
        ("tunnel", "1,0 W A1 -> 1,0 W C1", "seat 2 has no pair 1"),
        ("tunnel", "1,0 W A1 -> 1,0 W A2", "seat 0 has begun pair 2 first"),
        ("tunnel", "1,0 W A1 -> 0,0 E A1", "1 tokens lie at (0, 0"),
        ("tunnel", "1,0 W A1 -> 1,0 W A1, 1,0 W B1", "2 tokens lie at (1, 0"),
        ("tunnel", "1,0 W A1 -> 1,0 W A1, 1,0 S B1", "seat 0 can lay no token"),
        ("tunnel", ("A digs -> A acts", {"dug_at": (1, 0, Spot.W)}), "a token was laid at (1, 0"),
        ("tunnel", ("A digs -> A acts", {"has_dug": True}), "laid in no part of this turn"),
        ("tunnel", {"has_dug": True, "dug_at": (1, 0, Spot.W)}, "seat 0 can lay no token"),
        ("tunnel", {"had_dug": True}, "a token was laid in no first part"),
        ("base", {"has_dug": True}, "a token was laid by nobody"),
        # The Ferries:
        ("ferries", "1,0 EW -> 0,0 EW", "1 ferries lie at (0, 0)"),
        ("ferries", "1,0 EW -> 1,0 EW, 1,0 ES", "2 ferries lie at (1, 0)"),
        ("ferries", "1,0 EW -> 1,0 NE", "joins no roads"),
        ("ferries", "[ferries 1,0 EW] -> ", "ferries lie at []"),
        ("ferries", "1,0 EW -> 1,0 ES", "seat 0 can move no ferry"),
        ("ferries", "A steers -> A ferries", "no ferry is due"),
        ("ferries", {"ferried": (Ferried(1, 0, "EW"),)}, "cannot be, with"),
        ("ferries", {"ferried": (Ferried(1, 0),)}, "cannot be, with"),
        ("ferries", ("A steers -> A acts", {"ferried": (Ferried(1, 0, "ES"),)}), "in phase FIGURE"),
        ("ferries", {"ferried": (Ferried(1, 0, "ES"),)}, "seat 0 can move no ferry"),
        # Mage & Witch:
        ("magic", "mage_witch: true -> mage_witch: false", "is in play"),
        ("magic", {"mage": (0, 0, Spot.W)}, "the mage is on no segment"),
        ("magic", {"mage": (0, 0, Spot.En)}, "the mage is on a field"),
        ("magic", "mw-corner-curve -> bg-corner-curve", "nothing calls"),
        ("magic", {"joined": "token"}, "nothing calls"),
        (
            "magic",
            ("A enchants -> A acts", {"witch": (0, 0, Spot.N)}),
            "mage and witch are on one feature",
        ),
        ("magic", ("A enchants -> A acts", {"joined": "token"}), "nobody is asked"),
        ("magic", {"phase": Phase.MAGIC_SPOT, "chosen_cell": (5, 5)}, "neither of them can go"),
        # Little Buildings:
        ("buildings", {"rules": {"little_buildings": False}}, "2 hands of little buildings"),
        ("base", {"unbuilt": ((3, 3, 3), (3, 3, 3))}, "2 hands of little buildings"),
        ("buildings", "A 2 3 3 -> A 3 3 3", "1 sheds on tiles"),
        ("buildings", "A 2 3 3 -> A 2 4 3, B 3 2 3", "more than"),
        ("buildings", {"unbuilt": ((-1, 3, 3), (6, 3, 3))}, "buildings in hand"),
        ("buildings", "1,0 shed -> 0,0 shed", "nobody has placed the tile at (0, 0)"),
        ("buildings", "1,0 shed -> 5,0 shed", "nobody has placed the tile at (5, 0)"),
        ("buildings", "1,0 shed -> 2,0 shed", "the figure action is to come"),
        (
            "buildings",
            "1,0 shed]\n[unbuilt A 2 3 3 -> 1,0 shed, 1,0 house]\n[unbuilt A 2 2 3",
            "two buildings stand on one tile",
        ),
        # The Count of Carcassonne:
        ("count", "co-5 -2,0 -> co-5 -3,0", "one of 12 lies elsewhere"),
        ("count", "co-5 -2,0 r0\n -> \n", "one of 12 lies elsewhere"),
        ("count", "+ co-5 -3,0 r0", "2 copies of co-5"),
        ("count", {"count": None}, "the count stands in None"),
        ("base", {"count": Quarter.CASTLE}, "the count is not in play"),
        ("count", {"rules": {"count": False}}, "the count is not in play"),
        ("base", {"waiting": (Waiting(0, Quarter.CASTLE, Figure.MEEPLE),)}, "is not in play"),
        ("count", "B meeple market -> B wagon market", "may not wait there"),
        ("count", "B meeple market -> B builder market", "may not wait there"),
        ("count", "B meeple market -> B mayor castle", "1 MAYOR too many"),
        ("count", "[quarters -> [quarters" + 7 * " A meeple castle,", "1 MEEPLE too many"),
        ("count", {"waiting": (Waiting(2, Quarter.CASTLE, Figure.MEEPLE),)}, "belongs to nobody"),
        ("count", {"scored": (1,)}, "have scored in phase FIGURE"),
        ("leaves", {"scored": (2,)}, "names a seat that nobody has"),
        ("count", {"leaves_last": True}, "the last moves are going on in phase FIGURE"),
        ("count", {"declined": (0,)}, "before the last moves"),
        ("count", {"had_entered": True}, "in no first part"),
        ("count", {"has_entered": True}, "a meeple has entered before phase FIGURE"),
        ("leaves", "count market -> count castle", "seat 1 can move nobody"),
        ("leaves", "B meeple castle -> B meeple cathedral", "seat 1 can move nobody"),
        ("leaves", "leaves B -> leaves A", "seat 0 can move nobody"),
        ("leaves", ": A meeple S -> ", "seat 1 can move nobody"),
        ("leaves", "A joins -> A joins at -1,1", "can move nobody to (-1, 1)"),
        ("leaves", {"phase": Phase.FIGURE}, "seat 1 decides in"),
        ("enters", "+ [quarters" + 6 * " A meeple castle," + " A meeple castle]", "could enter"),
        ("enters", {"has_entered": True}, "a meeple has entered before phase ENTER"),
        ("enters", "-2,2 r0 -> -2,2 r0: A meeple N", "still holds"),
        ("enters", {"decider": 1}, "seat 1 decides in"),
        ("moves the count", "A meeple castle -> B meeple castle", "nobody of seat 0 has entered"),
        ("moves the count", {"rules": {"count_move": "follow"}}, "the count moves by himself"),
        ("moves the count", {"rules": {"count_per_turn": "placement"}}, "in each part"),
        ("moves the count", "[entered]\n -> ", "nobody has entered in this turn"),
        (
            "last moves",
            "[bag]\n[aside bg-cap -> [bag bg-cap]\n[aside",
            "the last moves are going on",
        ),
        ("last moves", "declined A -> declined B", "seat 1 has passed already"),
        ("last moves", "B at the end -> B", "before the last moves"),
        ("last moves", ": A meeple Nw -> ", "seat 1 can move nobody"),
        ("last moves", "[quarters -> [count market]\n[quarters", "seat 1 can move nobody"),
    ],
)
def test_what_is_impossible_is_refused(name, edit, words):
    made = edited(name, *(edit if isinstance(edit, tuple) else (edit,)))
    assert words in " / ".join(problems(made))
    with pytest.raises(ValueError):
        Game.from_position(made)


@pytest.mark.parametrize(
    ("name", "edit", "words"),
    [
        ("base", "0,1 r0 -> 0,1 r0: A meeple Nw, B meeple mid", "2 figures stand"),
        ("base", "0,0 r0 -> 0,0 r0: A meeple N", "start tile"),
        ("base", "1,1 r1 -> 1,1 r1: A abbot mid", "just placed"),
        ("base", "0:0 -> -1:0", "the scores are"),
        ("debts", {"rules": {"bazaar_mode": "take"}}, "the scores are"),
        ("debts", {"rules": {"bazaar_overbid": "forbid"}}, "the scores are"),
        ("taken", {"is_bought": False}, "no bought one is aside"),
        ("goods", "[wine 2:0] -> ", "tokens of WINE for 2"),
        ("goods", "\nbg-monastery 1,-1 r0 -> ", "tokens of WINE for 0"),
        ("river", "A acts -> A places bg-cap", "land tiles were drawn"),
        ("river", "A acts -> A places rv-lake", "the lake was drawn"),
    ],
)
def test_what_no_game_comes_to(name, edit, words):
    made = edited(name, edit)
    assert words in " / ".join(unplayed(made))
    assert problems(made) == []
    Game.from_position(made)


@pytest.mark.parametrize(
    ("name", "edit", "order", "words"),
    [
        ("order", {}, (0, 1, 2), ""),
        ("order", "A acts -> B acts", (0, 1, 2), "another seat"),
        ("order", {"figures": ()}, (0, 2, 1), "placed as tile 1"),
        ("abbey", {}, range(8), ""),
        ("abbey", "[abbeys 0:1] -> [abbeys 1:0]", range(8), "has its abbey in hand"),
        ("abbey", {}, (*range(6), 7, 6), "placed as tile 6"),
        ("bridge", "+ bg-curve 1,1 r1", (0, 1, 2), ""),
        ("bridge", "+ bg-curve 1,1 r1", (0, 2, 1), "placed as tile 1"),
        ("bridge", " bridge EW -> \nbg-curve 1,1 r1", (0, 1, 2), "placed as tile 2"),
        ("river", "+ rv-straight -1,-1 r1", (0, 1, 2), ""),
        ("river", "+ rv-straight -1,-1 r1", (0, 2, 1), "placed as tile 1"),
    ],
)
def test_the_order_of_the_tiles(name, edit, order, words):
    made = edited(name, edit)
    found = order_problems(replace(made, tiles=tuple(made.tiles[i] for i in order)))
    assert words in " / ".join(found) if words else found == []

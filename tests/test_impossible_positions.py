"""Positions with one error: a position that no game reaches is refused with a sentence."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Problem
from carc_env.game.game import Game
from carc_env.game.notation import parse_position
from carc_env.game.reasons import SENTENCES
from carc_env.rules import Rules
from tests.rules.positions import RING, START_LINE, Table, carcassonne
from tests.rules.scenario import set_of_tiles

pytestmark = pytest.mark.interpreted

TABLE = Table(rules="dragon: true, fairy: true", sets="base, princess")
ROW = [
    START_LINE,
    "pd-straight-volcano 1,0 r0",
    "pd-straight-dragon 2,0 r0",
    "bg-straight 3,0 r0",
    "bg-straight 4,0 r0",
]
FLOWN = [START_LINE, "bg-straight -1,0 r0", *ROW[1:3]]
FLIGHT = ("[dragon 0,0]", "[flight 1,0 0,0]")
TOWERS = {"rules": "towers: true", "sets": "base, princess, tower"}
FOUNDATION = [START_LINE, "to-curve-split-garden 1,0 r0", "bg-straight -1,0 r0: B meeple E"]
HELD = "B holds A meeple, B holds A meeple"
CAPTURE = ("[towers 1,0 2]", "[capture 1,0]")
BRIDGES = {"rules": "bridges: true", "sets": "base, bridges"}
BRIDGED = [START_LINE, "bg-cap 0,1 r2 bridge EW", "bg-straight 1,0 r0", "bg-straight 2,0 r0"]
BAZAARS = {"rules": "bazaars: true", "sets": "base, bridges"}
ON_SALE = "[bazaar A: bg-curve, bg-cap]"
WAGONS = {"rules": "wagons: true", "sets": "base, abbey"}
BUILDERS = {"rules": "builders: true, bridges: true", "sets": "base, traders, bridges"}
BUILT = [START_LINE, "bg-straight 1,0 r0: A meeple E"]
ABBEYS = {"rules": "abbeys: true", "sets": "base, abbey"}
KING = {"rules": "king_robber: true", "sets": "base, king"}
TOWN = [START_LINE, "bg-cap 0,-1 r2", "bg-monastery 0,1 r0"]
SHEEP = {"rules": "hills: true, shepherds: true", "sets": "base, hills"}
COUNT = {"rules": "count: true", "sets": "base, count"}
CITY = carcassonne("bg-cap -2,2 r0")
"""The last tile placed has completed the city below `co-9`."""
HELD_CITY = carcassonne("bg-cap -2,2 r0", co_9="A meeple S")
COMES = ("[count market]", "[quarters B meeple castle]", "[leaves B]")
FIELD = carcassonne("bg-monastery 2,0 r0: A meeple Nw")
ASIDE = set_of_tiles(Rules.preset("count"))
ASIDE.subtract([line.split()[0] for line in FIELD])
LAST = ("[bag]", f"[aside {' '.join(ASIDE.elements())}]", "[quarters B meeple market]")
FLYING = {"rules": "count: true, dragon: true, fairy: true", "sets": "base, princess, count"}
VOLCANO = carcassonne("pd-volcano -3,0 r0", "pd-straight-dragon -1,-2 r0")
HILLS = [START_LINE, "hs-straight-split-hill 1,0 r0"]


def after(tiles: list[str], *headers: str, turn: str = "A acts", **options: str) -> str:
    """Return the text of a position with the tiles in this order."""
    return TABLE.position("\n".join(tiles), turn=turn, headers=headers, **options)


SOUND = {
    "an abbey was just placed": after([*RING, "am-abbey 0,1 r0"], "[abbeys 0:1]", **ABBEYS),
    "the city is just complete, and the King still to be given": after(TOWN[:2], **KING),
    "the city is complete and has its King": after(TOWN, "[king A]", **KING),
    "the dragon waits on its volcano": after(ROW[:2], "[dragon 1,0]"),
    "it has not flown yet": after(ROW[:3], "[dragon 1,0]"),
    "it has flown": after(ROW, "[dragon 4,0]"),
    "it flies": after(FLOWN, *FLIGHT, turn="A flies"),
    "no dragon tile before the dragon, but as a switch": after(
        [START_LINE, "pd-straight-dragon 1,0 r0"],
        rules="dragon: true, dragon_tiles_before_volcano: plain",
    ),
    "a capture": after(FOUNDATION, "[floors 8:10]", *CAPTURE, turn="A captures", **TOWERS),
    "a tile lies under the hill": after(HILLS, "[hidden ?]", **SHEEP),
    "a ransom is paid": after(FOUNDATION, "[ransomed]", **TOWERS),
    "a bridge of this turn": after(BRIDGED[:2], "[bridges 2:3]", "[bridged]", **BRIDGES),
    "a bazaar": after(
        [START_LINE, "bcb-roads-bazaar 1,0 r0"], ON_SALE, "[auction B]", turn="A picks", **BAZAARS
    ),
    "meeples wait": after(CITY, "[count market]", "[quarters A meeple castle]", **COUNT),
    "a meeple comes out": after(HELD_CITY, *COMES, turn="A joins", **COUNT),
    "to a tile": after(HELD_CITY, *COMES, turn="A joins at -2,1", **COUNT),
    "a meeple goes in": after(CITY, turn="A enters", **COUNT),
    "the count moves": after(
        CITY, "[quarters A meeple castle]", "[entered]", turn="A moves the count", **COUNT
    ),
    "the last moves": after(FIELD, *LAST, "[leaves B at the end]", turn="B joins", **COUNT),
    "a wagon was scored": after(
        [
            START_LINE,
            "bg-monastery-road 1,0 r0",
            "bg-monastery-road -1,0 r2",
            "bg-monastery -1,1 r0",
        ],
        "[wagons A 0,0 E]",
        turn="A moves",
        **WAGONS,
    ),
}

WRONG = {
    "ABB-06: the abbey just placed is still in hand": (
        after([*RING, "am-abbey 0,1 r0"], "[abbeys 1:0]", **ABBEYS),
        "A has just placed the abbey at 0,1 and has none left in hand",
    ),
    "KR-02: nobody has the King": (
        after(TOWN, **KING),
        "nobody has the king, although a city was completed: write [king A]",
    ),
    "TOW-06: more prisoners than floors": (
        after(FOUNDATION, "[floors 9:9]", "[towers 1,0 2]", f"[prisoners {HELD}]", **TOWERS),
        "B holds 2 prisoners, but has placed 1 floors: correct [floors ...] (TOW-06)",
    ),
    "TOW-06: the floor just placed has captured nobody yet": (
        after(
            FOUNDATION,
            "[floors 8:10]",
            "[prisoners A holds B meeple, A holds B meeple]",
            *CAPTURE,
            turn="A captures",
            **TOWERS,
        ),
        "A holds 2 prisoners, but has placed 2 floors, the last of them just now",
    ),
    "TOW-02: a floor on the tile just placed": (
        after(FOUNDATION[:2], "[floors 9:10]", "[towers 1,0 1]", **TOWERS),
        "tower at 1,0: its tile was placed last, and nothing can stand on it yet (TOW-02)",
    ),
    "TOW-02: two floors on the tile placed last": (
        after(
            FOUNDATION[:2], *("[floors 9:9]", "[towers 1,0 2]"), turn="B places bg-cap", **TOWERS
        ),
        "and one floor at most can stand on it yet (TOW-02)",
    ),
    "PD-44: the fairy beside a meeple of this figure action": (
        after(
            [START_LINE, "bg-straight 1,0 r0: A meeple E"], "[fairy 1,0 E]", turn="B places bg-cap"
        ),
        "the fairy is at 1,0, where the last tile was placed",
    ),
    "HS-02: a hill without a tile below": (
        after([*HILLS, "hs-cap-curve-left-hill 2,0 r0"], "[hidden ?]", **SHEEP),
        "1 tiles under 2 hills, although the bag is not empty: write [hidden ? ?] (HS-02)",
    ),
    "PD-02: the dragon without a volcano": (
        after([START_LINE, "bg-straight 1,0 r0"], "[dragon 1,0]"),
        "the dragon is at 1,0, but no volcano on the board has summoned it",
    ),
    "PD-03: a volcano without the dragon": (after(ROW[:2]), "write [dragon 1,0]"),
    "PD-03: a volcano just placed, the dragon elsewhere": (
        after(ROW[:2], "[dragon 0,0]"),
        "the dragon is on the volcano at 1,0 until the next dragon tile is placed, not at 0,0",
    ),
    "PD-20: it does not leave a volcano by itself": (
        after([*ROW[:2], "bg-straight 2,0 r0"], "[dragon 2,0]", turn="B places bg-cap"),
        "the dragon is on the volcano at 1,0",
    ),
    "PD-09: it has not flown before the figure action": (
        after(ROW[:3], "[dragon 0,0]"),
        "the dragon is on the volcano at 1,0",
    ),
    "PD-11: a flight begins where the dragon was": (
        after(ROW[:3], "[dragon 1,0]", "[flight 0,0 1,0]", turn="A flies"),
        "the dragon is on the volcano at 1,0",
    ),
    "PD-08: nothing flies without a dragon tile": (
        after([*ROW[:2], "bg-straight 2,0 r0"], *FLIGHT, turn="A flies"),
        "is no dragon tile (PD-08)",
    ),
    "PD-12: not over the fairy": (
        after(ROW[:3], "[dragon 2,0]", "[flight 1,0 2,0]", "[fairy 2,0]", turn="A flies"),
        "onto the fairy's cell",
    ),
    "PD-15: whom it has met is gone": (
        after(
            [f"{START_LINE}: B meeple E", *ROW[1:2], "bg-cap 0,1 r2", "pd-straight-dragon 2,0 r0"],
            "[dragon 0,1]",
            "[flight 1,0 0,0 0,1]",
            turn="A flies",
        ),
        "B meeple at 0,0 E: the dragon has been there in this flight",
    ),
    "PD-07: a dragon tile before a volcano": (
        after([START_LINE, "pd-straight-dragon 1,0 r0"]),
        "stays in the bag until a volcano",
    ),
    "PD-07: a dragon tile in hand before a volcano": (
        after([START_LINE], turn="A places pd-straight-dragon"),
        "stays in the bag until a volcano",
    ),
    "TOW-06: a capture without a floor": (
        after(FOUNDATION, "[floors 10:8]", *CAPTURE, turn="A captures", **TOWERS),
        "A captures, but has all 10 floors in hand",
    ),
    "TOW-25: a ransom before the turn began": (
        after(FOUNDATION, "[ransomed]", turn="A places bg-cap", **TOWERS),
        "no ransom can have been paid in this turn yet (TOW-25)",
    ),
    "BRI-03: no bridge where one was built": (
        after(BRIDGED, "[bridges 2:3]", "[bridged]", **BRIDGES),
        "no bridge is on or beside the tile placed in this turn (BRI-03)",
    ),
    "BAZ-01: a bazaar without its tile": (
        after(
            [START_LINE, "bg-straight 1,0 r0"], ON_SALE, "[auction B]", turn="A picks", **BAZAARS
        ),
        "1 bazaars, but 0 bazaar tiles on the board",
    ),
    "WAG-04: a wagon of what was not scored": (
        after(
            [START_LINE, "bg-monastery-road 1,0 r0", "bg-monastery 1,1 r0"],
            "[wagons A 0,0 E]",
            turn="A moves",
            **WAGONS,
        ),
        "[wagons A 0,0 E]: its feature is not complete",
    ),
    "HS-26: one seat, one flock": (
        after([f"{START_LINE}: A shepherd Se"], "[sheep A 1, A 2]", **SHEEP),
        "named twice",
    ),
    "TRA-09: an extension before the action": (
        after(BUILT, "[extended]", **BUILDERS),
        "Problem.TURN: 64>: [extended] before the figure action is over",
    ),
    "TRA-07: an extension without builders": (
        after(BUILT, "[extended]", rules="large_meeples: true", sets="base, inns"),
        "need builders in play (TRA-07)",
    ),
    "TRA-08: no third part": (
        after(BUILT, "[extended]", "[second part 1,0]", **BUILDERS),
        "there is no third part (TRA-08)",
    ),
    "TRA-10: a second part names the first": (
        after([*BUILT, "bg-straight 2,0 r0"], "[second part 2,0]", **BUILDERS),
        "must name the tile that was placed just before this part",
    ),
    "BRI-03: a bridge before the tile": (
        after(BRIDGED[:2], "[bridges 2:3]", "[bridged]", turn="A places bg-cap", **BRIDGES),
        "[bridged] is allowed in the figure action",
    ),
    "ABB-20: a last round with tiles in the bag": (
        after(BUILT, "[last round 1]", rules="abbeys: true", sets="base, abbey"),
        "[last round ...] needs abbeys, an empty bag",
    ),
    "COU-01: a tile of the city is missing": (
        after([line for line in CITY if "co-5" not in line], **COUNT),
        "the first tiles must be co-1 -2,-1 r0, co-2 -1,-1 r0",
    ),
    "COU-01: one lies elsewhere": (
        after([line.replace("co-9 -2,1", "co-9 -3,1") for line in CITY], **COUNT),
        "the first tiles must be co-1",
    ),
    "COU-01: one is turned": (
        after([line.replace("co-6 -1,0 r0", "co-6 -1,0 r1") for line in CITY], **COUNT),
        "the first tiles must be co-1",
    ),
    "COU-01: the start tile is used": (
        after([START_LINE, "bg-cap 0,-1 r2"], **COUNT),
        "the first tiles must be co-1",
    ),
    "COU-01: and it is out of the game": (
        after(
            carcassonne(
                *("bg-cap-straight 2,1 r3", "bg-cap-straight 2,2 r1"),
                *("bg-cap-straight -2,2 r0", "bg-cap-straight -3,-1 r0"),
            ),
            **COUNT,
        ),
        "bg-cap-straight: 1 more than the set has",
    ),
    "COU-03: the count in no quarter": (
        after(CITY, "[count tavern]", **COUNT),
        "expected a quarter from castle, market, blacksmith, cathedral: 'tavern'",
    ),
    "COU-03: the count is not in play": (
        after(CITY, "[quarters A meeple castle]", rules="count: false", sets="base, count"),
        "a meeple is, or may go, in Carcassonne, but the rules have no count",
    ),
    "COU-04: scored before the scoring": (
        after(CITY, "[scored B]", **COUNT),
        "[scored ...], [entered] or moves at the end do not match the turn (COU-04",
    ),
    "COU-04: nobody is left who could go in": (
        after(
            CITY,
            f"[quarters {', '.join(['A meeple castle'] * 7)}]",
            turn="A enters",
            rules="count: true, abbot: false",
            sets="base, count",
        ),
        "no meeple in the supply could go into Carcassonne (COU-04)",
    ),
    "COU-05: the count moves, and nobody of theirs is inside": (
        after(CITY, "[quarters B meeple castle]", "[entered]", turn="A moves the count", **COUNT),
        "do not match the turn (COU-04",
    ),
    "COU-06: the count moves, and nobody has entered": (
        after(CITY, "[quarters A meeple castle]", turn="A moves the count", **COUNT),
        "who moves the count has put a meeple into Carcassonne: write [entered]",
    ),
    "COU-06: entered before the scoring": (
        after(CITY, "[quarters A meeple castle]", "[entered]", **COUNT),
        "[entered]: no meeple can have gone into Carcassonne in this turn yet",
    ),
    "COU-06: a second meeple in a turn": (
        after(CITY, "[quarters A meeple castle]", "[entered]", turn="A enters", **COUNT),
        "[scored ...], [entered] or moves at the end do not match the turn",
    ),
    "COU-06: it does not matter where each part has its own": (
        after(
            CITY,
            *("[quarters A meeple castle]", "[entered]"),
            turn="A moves the count",
            rules="count: true, count_per_turn: placement",
            sets="base, count",
        ),
        "[scored ...], [entered] or moves at the end do not match the turn",
    ),
    "COU-06: no turn goes on": (
        after(CITY, "[entered before]", **COUNT),
        "[entered before] needs [owed ...]",
    ),
    "COU-09: a mayor in the market": (
        after(
            CITY, "[quarters A mayor market]", rules="count: true, mayors: true", sets="base, count"
        ),
        "mayor in the market: it may not go there (COU-09)",
    ),
    "COU-09: an abbot in the castle": (
        after(CITY, "[quarters A abbot castle]", **COUNT),
        "abbot in the castle: it may not go there (COU-09)",
    ),
    "HS-28: a shepherd in the market": (
        after(
            CITY,
            "[quarters A shepherd market]",
            rules="count: true, shepherds: true",
            sets="base, hills, count",
        ),
        "shepherd in the market: it may not go there (COU-09)",
    ),
    "COU-10: more than a player has": (
        after(CITY, f"[quarters {', '.join(['A meeple castle'] * 8)}]", **COUNT),
        "meeple in the castle: none is left in the supply of A",
    ),
    "COU-11: from the quarter of another kind": (
        after(
            HELD_CITY, COMES[0], "[quarters B meeple cathedral]", COMES[2], turn="A joins", **COUNT
        ),
        "B cannot move a meeple out of Carcassonne: none waits in the quarter",
    ),
    "COU-12: nothing is scored": (
        after(
            carcassonne("bg-monastery -1,-2 r0", co_9="A meeple S"), *COMES, turn="A joins", **COUNT
        ),
        "B cannot move a meeple out of Carcassonne",
    ),
    "COU-13: from the quarter of the count": (
        after(HELD_CITY, *COMES[1:], turn="A joins", **COUNT),
        "B cannot move a meeple out of Carcassonne: none waits in the quarter of what is "
        "scored, or the count is there (COU-12, COU-13)",
    ),
    "COU-14: nobody says who is asked": (
        after(HELD_CITY, *COMES[:2], turn="A joins", **COUNT),
        "[leaves ...] goes with a turn that joins",
    ),
    "COU-15: to what nobody occupies": (
        after(CITY, *COMES, turn="A joins", **COUNT),
        "B cannot move a meeple out of Carcassonne",
    ),
    "COU-16: to a tile of something else": (
        after(HELD_CITY, *COMES, turn="A joins at -1,1", **COUNT),
        "no meeple can go to -1,1 from Carcassonne (COU-16)",
    ),
    "COU-18: from the castle at the end": (
        after(
            carcassonne("bg-monastery 2,0 r0", co_9="A meeple S"),
            *("[count market]", *LAST[:2], "[quarters B meeple castle]", "[leaves B at the end]"),
            turn="B joins",
            **COUNT,
        ),
        "B cannot move a meeple out of Carcassonne",
    ),
    "COU-19: the last moves before the bag is empty": (
        after(FIELD, LAST[2], "[leaves B at the end]", turn="B joins", **COUNT),
        "moves at the end do not match the turn",
    ),
    "COU-19: somebody has passed before the end": (
        after(CITY, "[declined A]", **COUNT),
        "[declined ...] belongs to moves at the end of the game (COU-19)",
    ),
    "COU-19: who has passed is asked again": (
        after(FIELD, *LAST, "[leaves B at the end]", "[declined B]", turn="B joins", **COUNT),
        "[declined ...]: B is asked again (COU-19)",
    ),
    "COU-24: the dragon flew over the middle of the city": (
        after(VOLCANO, "[dragon -1,0]", "[flight -3,0 -2,0 -1,0]", turn="A flies", **FLYING),
        "the dragon is at -1,0, in the middle of Carcassonne (COU-24)",
    ),
    "COU-24: it stays there": (
        after([*VOLCANO, "bg-monastery -3,1 r0"], "[dragon 0,0]", **FLYING),
        "the dragon is at 0,0, in the middle of Carcassonne (COU-24)",
    ),
    "PD-41: the fairy is inside": (
        after(CITY, "[fairy 0,0]", **FLYING),
        "the fairy is at 0,0, in the middle of Carcassonne (COU-24)",
    ),
    "COU-23: a meeple stands on the closed tiles": (
        after(carcassonne("bg-cap -2,2 r0", co_6="A meeple mid"), **COUNT),
        "meeple of seat 0 at -1,0 mid: this spot names no segment of the tile",
    ),
    "COU-26: a castle with a cap of the city": (
        after(
            [*CITY, "bg-monastery -1,2 r0"],
            *("[castles -2,1 S]", "[tokens 2:3]"),
            rules="count: true, castles: true",
            sets="base, count",
        ),
        "castle at -2,1 S: there is no city that can be a castle (CAS-02)",
    ),
    "XCK-03: a barn at the walls": (
        after(
            carcassonne("bg-monastery -3,0 r0: A barn SE", "bg-monastery -3,1 r0"),
            rules="count: true, barns: true",
            sets="base, abbey, count",
        ),
        "barn of seat 0 at -3,0 SE: no four fields meet there",
    ),
    "COU-28: the source of the river lies elsewhere": (
        after(
            carcassonne("rv-source 2,0 r2"),
            turn="A places rv-bend",
            rules="count: true, count_with_river: allow",
            sets="base, river1, count",
        ),
        "co-12 1,1 r0, rv-source 2,-1 r2",
    ),
    "COU-29: somebody goes in before the scoring": (
        after(HELD_CITY, turn="A enters", **COUNT),
        "complete is the city at -2,1 S, whose figures were scored and sent home at once",
    ),
    "COU-30: a count who walks by himself": (
        after(
            CITY,
            *("[quarters A meeple castle]", "[entered]"),
            turn="A moves the count",
            rules="count: true, count_move: follow",
            sets="base, count",
        ),
        "phase COUNT cannot occur under these rules",
    ),
    "XW-05: the fairy beside one of two": (
        after(
            carcassonne("bg-span -2,2 r0", co_9="A meeple S, B meeple S"),
            "[fairy -2,1 S]",
            **FLYING,
        ),
        "fairy at -2,1 S: meeples of several seats stand there, add of and the seat",
    ),
    "HS-29: no flock was extended": (
        after(BUILT, turn="A tends", **SHEEP),
        "has not extended the field of the turn player's",
    ),
}


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_nothing_is_wrong_here(text: str) -> None:
    Game.from_position(parse_position(text))


@pytest.mark.parametrize(("text", "said"), WRONG.values(), ids=WRONG)
def test_one_thing_wrong_is_told_in_a_sentence(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as caught:
        Game.from_position(parse_position(text))
    assert said in str(caught.value)


def test_every_problem_has_a_sentence() -> None:
    assert {*SENTENCES, Problem.TURN, Problem.UNSCORED} == {*Problem}

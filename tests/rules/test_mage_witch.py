"""MW: the mage and the witch, who change the points of the road or city that each is on."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Good, Kind
from carc_env.engine.core.state import BOARD
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.layout.observations import plane_names
from carc_env.position import Position
from carc_env.render import board_svg, board_text
from carc_env.rules import Rules
from carc_env.systems.places import cell_of
from carc_env.words import SEATS
from tests.goods import goods_of

from .positions import START_LINE, Table, carcassonne, reread, then
from .scenario import MAGE_TILES, bag_of, figures, names, offered, score_log

pytestmark = pytest.mark.interpreted

SETS = "base, mage"
TABLE = Table("mage_witch: true", sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end

#: A tile with a symbol at the road of the start tile, and one that has nothing to do with it.
CURVE = "mw-corner-curve 1,0 r0"
CAP = "bg-cap 0,-1 r2"


def asked(game):
    """Who decides, and on what."""
    return f"{SEATS[game.decider]} {game.phase.name}"


def where(game):
    """Where the mage is, and the witch."""

    def told(place):
        return None if place is None else f"{place[0]},{place[1]} {place[2].name}"

    position: Position = game.position()
    return told(position.mage), told(position.witch)


def offers(game):
    """Where they may go, once the cell is chosen: such as ``mage 0,0 N``."""
    found = set()
    for name in names(game):
        if name.startswith("to "):
            found |= names(then(game.clone(), name))
    return found


def both(*places):
    """The offer of both of them at some places."""
    return {f"{who} {place}" for who in ("mage", "witch") for place in places}


def send(game, who, place):
    """Send one of them somewhere."""
    return then(game, f"to {place.split()[0]}", f"{who} {place}")


def row(length, owner="A meeple", last=True):
    """A road from 0,0 to the east, all but its last tile; it ends in the west."""
    tiles = [f"{START_LINE}: {owner} E", "bg-monastery-road -1,0 r2"]
    return [*tiles, *(f"bg-straight {x},0 r0" for x in range(1, length - 2))]


def end_of(length):
    """The last tile of a road of so many tiles."""
    return f"bg-monastery-road {length - 2},0 r0"


def column(height, owner="A meeple", first=""):
    """A city from 0,0 to the north, all but its last tile, which is the second one."""
    spans = [f"bg-span 0,{-y} r0" for y in range(2, height - 1)]
    beside = [f"bg-monastery 1,{-y} r0" for y in range(1, height)]
    start = f"{START_LINE}: {owner} N" if owner else START_LINE
    return [start, "bg-straight 1,0 r0", *beside, f"bg-cap 0,{1 - height} r2", *spans]


#: The second tile of such a city, of three tiles or more.
SPAN = "bg-span 0,-1 r0"


# --- Tiles and targets --------------------------------------------------------------------------


@pytest.mark.rule("MW-01")
@pytest.mark.parametrize(("edition", "n_gardens"), [("C1", 0), ("C2", 1)])
def test_mw_01_eight_tiles_and_two_figures_beside_the_board(edition, n_gardens):
    game = Game(Rules.preset("mage-witch", edition=edition, abbot=edition == "C2"), seed=1)
    drawn = [tile for tile in bag_of(game) if tile in MAGE_TILES]
    assert (len(bag_of(game)), len(drawn), len(set(drawn))) == (79, 8, 8)
    rows = {row["id"]: row for row in FACTS}
    assert all(rows[tile]["magic"] for tile in drawn)
    assert sum(rows[tile].get("garden", False) for tile in drawn) == n_gardens
    assert where(game) == (None, None)


@pytest.mark.rule("MW-01")
def test_mw_01_without_them_in_play_the_symbols_mean_nothing():
    game = Table(sets=SETS).played([START_LINE], CURVE)
    assert asked(game) == "A FIGURE"
    with pytest.raises(ValueError, match="MW-01"):
        Table(sets=SETS).played([START_LINE], CURVE, headers="[mage 0,0 N]")


@pytest.mark.rule("MW-02", "W2T-02")
def test_mw_02_one_of_them_goes_somewhere_before_the_figure_action():
    game = played([START_LINE], CURVE)
    assert (asked(game), names(game)) == ("A MAGIC", {"to 0,0", "to 1,0"})
    assert offers(game) == both("0,0 N", "0,0 E", "1,0 N", "1,0 S")
    then(game, "to 0,0")
    assert (asked(game), names(game)) == ("A MAGIC_SPOT", both("0,0 N", "0,0 E"))
    assert names(reread(game)) == names(game)
    then(game, "witch 0,0 E")
    assert (asked(game), where(game)) == ("A FIGURE", (None, "0,0 E"))
    assert {"meeple N", "meeple S", "pass"} <= names(game)
    assert where(reread(game)) == where(game)


@pytest.mark.rule("MW-03")
@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_mw_03_who_is_on_the_board_has_to_go_to_another_feature(edition):
    rules = f"edition: {edition}, abbot: false"
    game = played([START_LINE], CURVE, headers="[mage 0,0 E]", rules=rules)
    assert offers(game) == both("0,0 N", "1,0 N")
    send(game, "mage", "1,0 N")
    assert where(game) == ("1,0 N", None)


@pytest.mark.rule("MW-04")
def test_mw_04_never_both_on_one_feature():
    game = played([START_LINE], CURVE, headers=["[mage 0,0 N]", "[witch 0,0 E]"])
    assert offers(game) == both("1,0 N")
    with pytest.raises(ValueError, match="MW-02"):
        played([START_LINE], turn="A places bg-cap", headers=["[mage 0,0 E]", "[witch 0,0 E]"])


#: All roads and cities are complete when the tile at 0,-1 lies.
CLOSED = [
    START_LINE,
    *("bg-monastery-road 1,0 r0", "bg-monastery-road -1,0 r2"),
    *("bg-monastery 1,-1 r0", "bg-monastery 1,-2 r0", "bg-cap 0,-2 r2"),
]
CAPS = "mw-caps-opposite 0,-1 r0"


@pytest.mark.rule("MW-05")
@pytest.mark.parametrize("who", ["mage", "witch"])
def test_mw_05_without_a_target_one_of_them_leaves_the_board(who):
    game = played(CLOSED, CAPS, headers=["[mage 0,0 N]", "[witch 0,-2 S]"])
    assert (asked(game), names(game)) == ("A MAGIC", {"mage off", "witch off"})
    assert names(reread(game)) == names(game)
    then(game, f"{who} off")
    left = {"mage": (None, "0,-2 S"), "witch": ("0,0 N", None)}[who]
    assert (asked(game), where(game)) == ("A FIGURE", left)


@pytest.mark.rule("MW-05")
@pytest.mark.parametrize("headers", ["[mage 0,0 N]", "[witch 0,-2 S]", ""])
def test_mw_05_who_is_alone_goes_without_a_question(headers):
    tiles = [f"{START_LINE}: A meeple N", *CLOSED[1:]]
    game = played(tiles, CAPS, headers=headers)
    assert (asked(game), where(game)) == ("A FIGURE", (None, None))
    then(game, "pass")
    assert game.scores == (4, 0)


@pytest.mark.rule("MW-23")
def test_mw_23_what_the_tile_completes_is_no_target():
    game = played([START_LINE], CAPS)
    assert offers(game) == both("0,-1 N", "0,0 E")


@pytest.mark.rule("MW-24")
def test_mw_24_only_roads_and_cities():
    tiles = [START_LINE, "bg-monastery-road -1,0 r2", "bg-straight-garden 0,1 r1"]
    game = played(tiles, CURVE)
    assert offers(game) == both("0,0 N", "0,0 E", "0,1 N", "1,0 N", "1,0 S") - both("0,1 N") | both(
        *(["0,1 E"] if "mage 0,1 E" in offers(game) else ["0,1 N"])
    )
    with pytest.raises(ValueError, match="MW-24"):
        played(tiles, CURVE, headers="[mage -1,0 mid]")
    with pytest.raises(ValueError, match="MW-24"):
        played(tiles, CURVE, headers="[witch 0,0 Nw]")


@pytest.mark.rule("MW-26", "COU-23")
def test_mw_26_roads_and_cities_of_the_outer_tiles_of_carcassonne():
    game = played(
        carcassonne(),
        "mw-cap-junction -2,2 r0",
        rules="count: true",
        sets="base, count, mage",
        headers="[count castle]",
    )
    found = {name.partition(" ")[2] for name in offers(game)}
    on_outer_tiles = {place for place in found if not place.startswith("-2,2")}
    assert len(on_outer_tiles) >= 3
    assert any(place.startswith("-2,-1 ") for place in found)


# --- Who has to part ----------------------------------------------------------------------------


@pytest.mark.rule("MW-06")
def test_mw_06_a_plain_tile_that_joins_their_features_parts_them():
    game = played(column(3), SPAN, headers=["[mage 0,0 N]", "[witch 0,-2 S]"])
    assert (asked(game), offers(game)) == ("A MAGIC", both("0,0 E", "1,0 E"))
    assert (asked(reread(game)), game.scores) == ("A MAGIC", (0, 0))
    send(game, "witch", "1,0 E")
    assert (asked(game), where(game)) == ("A FIGURE", ("0,0 N", "1,0 E"))
    then(game, "pass")
    assert (game.scores, where(game)) == ((6 + 3, 0), (None, "1,0 E"))


@pytest.mark.rule("MW-06", "MW-05")
def test_mw_06_without_a_target_one_is_removed():
    tiles = [*CLOSED]
    game = played(tiles, "bg-span 0,-1 r0", headers=["[mage 0,0 N]", "[witch 0,-2 S]"])
    assert names(game) == {"mage off", "witch off"}
    then(game, "mage off; meeple N")
    assert (game.scores, where(game)) == ((3, 0), (None, None))


@pytest.mark.rule("MW-06")
def test_mw_06_in_the_last_turn_as_well():
    game = played(column(3), SPAN, headers=["[mage 0,0 N]", "[witch 0,-2 S]"], bag=())
    assert asked(game) == "A MAGIC"
    send(game, "mage", "0,0 E")
    assert then(game, "pass").scores == (3, 0)
    assert (game.is_over, where(game)) == (True, ("0,0 E", None))


@pytest.mark.rule("MW-07")
def test_mw_07_a_tile_with_a_symbol_that_joins_them_asks_once():
    game = played(
        column(3), "mw-span-two-gates 0,-1 r0", headers=["[mage 0,0 N]", "[witch 0,-2 S]"]
    )
    assert asked(game) == "A MAGIC"
    send(game, "mage", "0,0 E")
    assert (asked(game), where(game)) == ("A FIGURE", ("0,0 E", "0,-2 S"))


#: Two roads, one from the west and one from the east, which a bridge over the tile between joins.
GAP = [
    START_LINE,
    *("bg-monastery -1,1 r0", "bg-monastery 0,1 r0"),
    *("bg-monastery-road -2,1 r2", "bg-monastery-road 1,1 r0"),
]


@pytest.mark.rule("MW-06", "BRI-10", "W2T-01")
def test_mw_06_a_bridge_joins_them_too():
    headers = ["[mage -1,0 E]", "[witch 1,0 W]", "[bridges 3:3]"]
    tiles = ["bg-cap-straight 0,1 r2", "bg-monastery-road -1,0 r2", "bg-monastery-road 1,0 r0"]
    tiles = [f"{START_LINE}", *tiles] if False else _between()
    options = {"rules": "bridges: true", "sets": "base, bridges, mage", "headers": headers}
    game = played(tiles, "bg-monastery 0,0 r0; bridge 0,0 EW", **options)
    assert asked(game) == "A MAGIC"
    send(game, "witch", "0,3 E")
    assert (asked(game), where(game)) == ("A FIGURE", ("-1,0 E", "0,3 E"))


def _between():
    raise NotImplementedError

"""Players at corn circles: they look ahead through the answers of all seats."""

from carc_env.search.players import GreedyPlayer, ValuePlayer
from tests.rules.positions import START_LINE, Table

TABLE = Table("crop_circles: true, crop_circle_tiles: both", sets="base, corn")
CROWD = ", ".join(["B meeple E"] * 6)
"""B has no other meeple in hand, so only A can add a knight."""
CITY = (
    f"{START_LINE}: A meeple N, B meeple N, {CROWD}",
    "bg-city4-shield 0,-1 r0",
    "bg-span-shield 0,-2 r0",
    "bg-span-shield 0,-3 r0",
    "bg-span 0,-4 r0",
)


def test_they_let_a_rival_alone_take_somebody_back():
    game = TABLE.played([f"{START_LINE}: B meeple E"], "cc-road-curve 1,0 r0; pass")
    for player in (GreedyPlayer(), ValuePlayer(rules=game.rules)):
        assert game.name(player.act(game)) == "all reap"


def test_they_see_who_alone_can_add_a_meeple():
    game = TABLE.played(CITY, "cc-city-corner -1,-1 r0; pass")
    assert game.name(ValuePlayer(rules=game.rules).act(game)) == "all sow"


def test_who_may_add_a_meeple_does_so_where_that_brings_the_majority():
    game = TABLE.played(CITY, "cc-city-corner -1,-1 r0; pass; all sow")
    for player in (GreedyPlayer(), ValuePlayer(rules=game.rules)):
        assert game.name(player.act(game)) == "to 0,0"


def test_who_has_to_take_one_back_leaves_those_who_bring_more():
    tiles = [f"{START_LINE}: B meeple N", *CITY[1:], "bg-cap 0,1 r2: B meeple S"]
    game = TABLE.played(tiles, "cc-city-corner -1,-1 r0; pass; all reap")
    assert game.decider == 1
    for player in (GreedyPlayer(), ValuePlayer(rules=game.rules)):
        assert game.name(player.act(game)) == "to 0,1"

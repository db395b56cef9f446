"""TUN: tunnel mouths, and tokens that join the roads there."""

from __future__ import annotations

import pytest

from carc_env.engine.core.codes import Kind
from carc_env.engine.core.tiles import FACTS
from carc_env.game.game import Game
from carc_env.render import board_svg, board_text
from carc_env.rules import Rules
from carc_env.words import SEATS

from .looks import asked, bag_of, figures, names, offered, score_log, seen_at
from .positions import START_LINE, Table, reread, then
from .scenario import BROKEN, TILES

pytestmark = pytest.mark.interpreted

SETS = "base, tunnel"
TABLE = Table("tunnels: true", sets=SETS)
played, at_the_end = TABLE.played, TABLE.at_the_end


def land(start="", more=""):
    """Return roads that lead to tunnel mouths, with figures on the start tile.

    A three-tile road runs from a crossing to 1,0 W. Two two-tile roads run from 1,1 to 1,0 S and
    from 1,2 to 0,2 E. A fourth road has an open end at 0,2 W.
    """
    return [
        f"{START_LINE}: {start}",
        "bg-junction -1,0 r0",
        "tu-two-tunnels 1,0 r0",
        "bg-monastery-road 1,1 r1",
        "bg-monastery 0,1 r0",
        "tu-cap-two-tunnels 0,2 r2",
        "bg-monastery-road 1,2 r0",
        *([more] if more else []),
    ]


MOUTHS = ("1,0 W", "1,0 S", "0,2 E", "0,2 W")

#: A tile that touches no road.
CAP = "bg-cap 0,-1 r2"


def on_mouths(game):
    """Return the tokens on the board as the notation writes them."""
    return {f"{t.x},{t.y} {t.spot.name} {SEATS[t.seat]}{t.pair}" for t in game.position().tunnels}


def tokens(game):
    """Return the tokens that may be placed."""
    return {name.removeprefix("tunnel ") for name in names(game) if name.startswith("tunnel ")}


def in_hand(game, seat):
    return game.stock(SEATS.index(seat))["tunnel tokens"]


def laid(*lying):
    return f"[tunnels {', '.join(lying)}]"


@pytest.mark.parametrize("edition", ["C1", "C2"])
def test_tun_01_four_tiles_with_ten_mouths(edition):
    game = Game(Rules.preset("tunnel", edition=edition, abbot=edition == "C2"), seed=1)
    drawn = bag_of(game)
    assert len(drawn) == 75
    assert {tile for tile in drawn if tile in TILES["tunnel"]} == set(TILES["tunnel"])
    rows = {row["id"]: row for row in FACTS if row["id"] in TILES["tunnel"]}
    n_mouths = [sum(road.get("mouth", False) for road in rows[t]["roads"]) for t in TILES["tunnel"]]
    assert n_mouths == [3, 2, 2, 3]


def test_tun_01_without_tunnels_in_play_a_road_ends_at_a_mouth():
    tiles = land("A meeple E")
    tiles.remove("tu-two-tunnels 1,0 r0")
    tiles.remove("bg-monastery-road 1,1 r1")
    game = Table(sets=SETS).played(tiles, "tu-two-tunnels 1,0 r0; pass")
    assert (score_log(game), tokens(game)) == ([("A", 3, Kind.ROAD)], set())


@pytest.mark.parametrize(
    ("sets", "pairs"),
    [("3/2", (3, 2, 1, 1, 1)), ("2/1", (2, 1, 1, 1, 1)), ("1/1", (1, 1, 1, 1, 1))],
)
def test_tun_02_pairs_of_tokens_by_players(sets, pairs):
    for n_players, n_pairs in zip(range(2, 7), pairs, strict=True):
        game = Game(Rules.preset("tunnel", n_players=n_players, tunnel_sets=sets), seed=1)
        assert [in_hand(game, SEATS[seat]) for seat in range(n_players)] == [
            2 * n_pairs
        ] * n_players


def test_tun_02_three_of_two_is_the_default():
    assert Rules.preset("tunnel").tunnel_sets == "3/2"
    with pytest.raises(ValueError, match="tunnel_sets"):
        Rules.preset("tunnel", tunnel_sets="4/4")


@pytest.mark.parametrize(
    ("lying", "why"),
    [
        (("1,0 W A1", "1,0 W B1"), "TUN-03"),
        (("1,0 W A1", "1,0 S A1", "0,2 E A1"), "TUN-02"),
        (("0,0 E A1",), "TUN-03"),
        (("1,0 W A2",), "TUN-02"),
    ],
)
def test_tun_02_tokens_that_cannot_lie_like_this(lying, why):
    with pytest.raises(ValueError, match=why):
        played(land(), turn="A places bg-cap", headers=laid(*lying))


def test_tun_02_no_more_pairs_than_a_player_has():
    with pytest.raises(ValueError, match="1 pairs each"):
        played(land(), turn="A places bg-cap", headers=laid("1,0 W A1", "1,0 S A2"), n_players=4)


def test_tun_03_on_any_free_mouth_beside_all_else():
    game = played(land(), CAP)
    assert tokens(game) == {f"{mouth} 1" for mouth in MOUTHS}
    assert {"meeple S", "pass"} <= names(game)
    then(game, "tunnel 1,0 S 1")
    assert (asked(game), tokens(game)) == ("A FIGURE", set())
    assert {"meeple S", "pass"} <= names(game)
    assert (on_mouths(game), in_hand(game, "A"), in_hand(game, "B")) == ({"1,0 S A1"}, 5, 6)
    assert "\n[tunnels 1,0 S A1]\n[dug 1,0 S]\n" in str(game)
    assert on_mouths(reread(game)) == {"1,0 S A1"}


def test_tun_03_also_on_the_tile_just_placed_and_far_away():
    row = [f"bg-straight {x},0 r0" for x in range(1, 7)]
    tiles = [START_LINE, *row, "tu-three-tunnels-road-end -1,0 r1"]
    game = played(tiles, "tu-two-tunnels 7,0 r0")
    assert tokens(game) == {f"{m} 1" for m in ("-1,0 N", "-1,0 S", "-1,0 W", "7,0 S", "7,0 W")}


def test_tun_03_a_mouth_with_a_token_is_not_free():
    game = played(land(), CAP, headers=laid("1,0 W B1", "0,2 E A1"))
    free = {"1,0 S", "0,2 W"}
    assert tokens(game) == {f"{mouth} {pair}" for mouth in free for pair in (1, 2)}


def test_tun_03_no_token_left_or_no_mouth_free():
    three = {"n_players": 4, "headers": laid("1,0 W A1", "1,0 S A1", "0,2 E B1")}
    assert tokens(played(land(), CAP, **three)) == set()
    assert tokens(played(land(), CAP, seat="B", **three)) == {"0,2 W 1"}
    full = laid("1,0 W A1", "1,0 S B1", "0,2 E A1", "0,2 W B1")
    game = played(land(), CAP, "pass", headers=full)
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.rule("W2T-03")
def test_tun_04_once_in_a_turn():
    game = played(land(), CAP, "tunnel 1,0 S 1; pass", bag=("bg-cap-straight",))
    assert asked(game) == "B PLACE_TILE"
    then(game, "bg-cap-straight 0,-2 r0")
    assert tokens(game) == {f"{mouth} 1" for mouth in MOUTHS if mouth != "1,0 S"}


#: A's builder is in the city north of the start tile; a tile that extends it starts a second part.
BUILDS = ("A meeple N, A builder N", "bg-span 0,-1 r0")


@pytest.mark.rule("W2T-03")
def test_tun_04_once_in_both_parts_of_a_builders_turn():
    start, span = BUILDS
    rules, bag = "builders: true", ("bg-span-shield", "bg-curve")
    game = played(land(start), span, "tunnel 1,0 S 1; pass", rules=rules, bag=bag)
    assert (asked(game), tokens(game)) == ("A PLACE_TILE", set())
    assert "\n[dug now]\n" in str(game)
    then(reread(game), "bg-span-shield 0,-2 r0")
    then(game, "bg-span-shield 0,-2 r0")
    assert (asked(game), tokens(game)) == ("A FIGURE", set())
    then(game, "pass")
    assert asked(game) == "B PLACE_TILE"


@pytest.mark.rule("W2T-03")
def test_tun_04_in_the_second_part_if_not_in_the_first():
    start, span = BUILDS
    rules, bag = "builders: true", ("bg-span-shield",)
    game = played(land(start), span, "pass; pass; bg-span-shield 0,-2 r0", rules=rules, bag=bag)
    assert tokens(game) == {f"{mouth} 1" for mouth in MOUTHS}


@pytest.mark.rule("BAZ-20")
@pytest.mark.parametrize(
    ("token", "may_lay"), [("tunnel 1,0 S 1; pass", False), ("pass; pass", True)]
)
def test_tun_04_a_bazaar_between_the_parts_changes_nothing(token, may_lay):
    tiles = land("A meeple E, A builder E")
    tiles.remove("bg-junction -1,0 r0")
    table = Table("tunnels: true, bazaars: true, builders: true", sets="base, bridges, tunnel")
    game = table.played(tiles, "bcb-roads-bazaar -1,0 r0", token)
    assert asked(game) == "B BAZAAR_PICK"
    assert ("[dug now, before]" in str(game)) != may_lay
    while "[second part -1,0]" not in str(game):
        game = reread(game)
        game.apply(sorted(names(game))[0])
    assert ("[dug now]" in str(game)) != may_lay
    game.apply(next(iter(names(game))))
    assert (tokens(game) != set()) == may_lay


@pytest.mark.parametrize(
    "note", ["[dug now]", "[dug 1,0 W]", "[dug before]", "[tunnels 1,0 W B1]\n[dug 1,0 W]"]
)
def test_tun_04_notes_that_cannot_be(note):
    headers = note if note.startswith("[t") else f"{laid('0,2 E A1')}\n{note}"
    with pytest.raises(ValueError, match="TUN-04"):
        played(land(), turn="A places bg-cap", headers=headers)
    with pytest.raises(ValueError, match="TUN-04"):
        played([*land(), CAP], turn="A acts", headers=headers)


@pytest.mark.parametrize("figure", ["meeple S", "pass"])
def test_tun_05_before_or_after_the_figure(figure):
    game = played(land(), CAP, figure)
    assert asked(game) == "A TUNNEL"
    assert names(game) == {"pass", *(f"tunnel {mouth} 1" for mouth in MOUTHS)}
    assert asked(reread(game)) == "A TUNNEL"
    then(game, "tunnel 0,2 W 1")
    assert (asked(game), on_mouths(game)) == ("B PLACE_TILE", {"0,2 W A1"})


def test_tun_05_nobody_needs_to():
    game = played(land(), CAP, "pass; pass")
    assert (asked(game), on_mouths(game)) == ("B PLACE_TILE", set())


@pytest.mark.rule("PHA-02")
def test_tun_05_before_and_behind_the_second_figure():
    game = played(land(), CAP, "meeple S", rules="phantom: true")
    assert asked(game) == "A SECOND"
    assert "1,0 W 1" in tokens(game)
    assert asked(then(game.clone(), "pass")) == "A TUNNEL"
    game = then(reread(game), "tunnel 1,0 W 1")
    assert (asked(game), tokens(game)) == ("A SECOND", set())
    assert asked(then(game, "pass")) == "B PLACE_TILE"


@pytest.mark.rule("PHA-10")
@pytest.mark.parametrize("landing", ["phantom E", None])
def test_tun_05_behind_the_flight_of_the_second_figure(landing):
    """The start tile is east of the flying machine; nothing is north of it."""
    flights = Table("flier: true, tunnels: true, phantom: true", sets="base, flier, tunnel")
    machine = "fl-straight-e" if landing else "fl-straight-n"
    game = flights.played(land(), f"{machine} -2,0 r0; meeple Es; fly phantom rolls 2")
    if landing:
        then(game, landing)
    assert asked(game) == "A TUNNEL"


def test_tun_05_before_the_dragon_and_the_scoring():
    game = played(land("A meeple E"), CAP, "pass", headers=laid("1,0 W A1"))
    assert (asked(game), game.scores) == ("A TUNNEL", (0, 0))
    then(game, "tunnel 0,2 E 1")
    assert game.scores == (5, 0)


@pytest.mark.parametrize("headers", ["", laid("1,0 W A1"), laid("1,0 W B1", "0,2 E A1")])
def test_tun_06_a_road_is_open_at_a_mouth_without_a_pair(headers):
    tiles = land("A meeple E")
    tiles.remove("bg-junction -1,0 r0")
    game = played(tiles, "bg-junction -1,0 r0; pass; pass", headers=headers)
    assert (game.scores, figures(game)) == ((0, 0), {"A meeple 0,0 E"})


def test_tun_06_also_where_both_ends_are_mouths():
    game = played(
        [START_LINE, "tu-two-tunnels 1,0 r0"], "tu-cap-two-tunnels -1,0 r0; meeple E; pass"
    )
    assert game.scores == (0, 0)
    assert "A meeple -1,0 E" in figures(game)


@pytest.mark.rule("TUN-10", "TUN-11")
def test_tun_07_two_tokens_of_a_pair_join_two_roads():
    game = played(land("A meeple E"), CAP, "tunnel 0,2 E 1; pass", headers=laid("1,0 W A1"))
    assert score_log(game) == [("A", 5, Kind.ROAD)]
    assert (game.scores, figures(game)) == ((5, 0), set())
    assert on_mouths(game) == {"1,0 W A1", "0,2 E A1"}


@pytest.mark.parametrize("lying", ["1,0 W B1", "1,0 W A2"])
def test_tun_07_only_tokens_of_the_same_pair(lying):
    headers = laid(lying) if "B" in lying else laid("1,0 W A2", "0,2 W A1")
    game = played(land("A meeple E"), CAP, "tunnel 0,2 E 1; pass", headers=headers)
    assert game.scores == (0, 0)


def test_tun_07_which_of_two_half_laid_pairs_makes_a_difference():
    headers = laid("1,0 W A1", "1,0 S A2")
    moves = {pair: f"tunnel 0,2 E {pair}; pass" for pair in (1, 2, 3)}
    won = [
        played(land("A meeple E"), CAP, moves[pair], headers=headers).scores[0] for pair in moves
    ]
    assert won == [5, 0, 0]


def test_tun_07_the_road_goes_on_at_its_other_ends():
    game = played(land("A meeple E"), CAP, "tunnel 0,2 W 1; pass", headers=laid("1,0 W A1"))
    assert (game.scores, figures(game)) == ((0, 0), {"A meeple 0,0 E"})
    assert game.standings == (4, 0)


@pytest.mark.rule("TUN-10")
def test_tun_08_two_mouths_of_one_tile_which_counts_once():
    game = played(land("A meeple E"), CAP, "tunnel 1,0 S 1; pass", headers=laid("1,0 W A1"))
    assert score_log(game) == [("A", 4, Kind.ROAD)]


def test_tun_08_a_road_through_several_tunnels():
    """The road runs from the crossing via 1,0 W, 0,2 W and a third mouth, -1,2 E, to 0,2 E."""
    more = "tu-cap-three-tunnels -1,2 r0"
    lying = laid("1,0 W A1", "0,2 W A1", "-1,2 E A2")
    game = played(land("A meeple E", more), CAP, "tunnel 0,2 E 2; pass", headers=lying)
    assert score_log(game) == [("A", 5 + 1, Kind.ROAD)]


def test_tun_08_both_ends_of_one_road():
    tiles = [START_LINE + ": A meeple E", "tu-two-tunnels 1,0 r0"]
    last = "tu-cap-two-tunnels -1,0 r0"
    game = played(tiles, last, "tunnel -1,0 E 1; pass", headers=laid("1,0 W A1"))
    assert score_log(game) == [("A", 3, Kind.ROAD)]


@pytest.mark.parametrize("seat", ["A", "B"])
def test_tun_09_tunnels_serve_everyone(seat):
    lying = laid("1,0 W A1")
    game = played(land(f"{seat} meeple E"), CAP, "tunnel 0,2 E 1; pass", headers=lying)
    assert score_log(game) == [(seat, 5, Kind.ROAD)]


def test_tun_09_a_road_grows_through_the_tunnel_of_another_player():
    lying = laid("1,0 W B1", "0,2 W B1")
    game = played(land("A meeple E"), "bg-junction -1,2 r0; pass; pass", headers=lying)
    assert score_log(game) == [("A", 5, Kind.ROAD)]


@pytest.mark.rule("TUN-18")
def test_tun_10_tiles_between_the_mouths_do_not_count():
    """The mouths are two or more rows apart, but only tiles that show the road count."""
    game = played(land("A meeple E"), CAP, "tunnel 0,2 E 1; pass", headers=laid("1,0 W A1"))
    assert game.scores == (5, 0)
    above = [*land("A meeple E"), "bg-cap 0,3 r0"]
    assert played(above, CAP, "tunnel 0,2 E 1; pass", headers=laid("1,0 W A1")).scores == (5, 0)


def test_tun_11_a_far_road_is_scored_beside_one_that_the_tile_completes():
    tiles = land("A meeple E")
    tiles[6] = "bg-monastery-road 1,2 r0: B meeple W"
    game = played(tiles, CAP, "tunnel 0,2 E 1; pass", headers=laid("1,0 W A1"))
    assert sorted(score_log(game)) == [("A", 5, Kind.ROAD), ("B", 5, Kind.ROAD)]


@pytest.mark.rule("TUN-05", "TUN-11")
def test_fly_23_a_token_completes_the_road_where_somebody_has_landed():
    flights = Table("flier: true, tunnels: true", sets="base, flier, tunnel")
    game = flights.played(
        land(), "fl-straight-e -2,0 r0", "fly meeple rolls 2; meeple E", headers=laid("1,0 W A1")
    )
    assert (asked(game), score_log(game)) == ("A TUNNEL", [])
    then(game, "tunnel 0,2 E 1")
    assert (score_log(game), figures(game)) == ([("A", 5, Kind.ROAD)], set())


def test_tun_11_a_wagon_may_move_on_from_there():
    game = played(
        land("A wagon E"),
        CAP,
        "pass; tunnel 0,2 E 1",
        headers=laid("1,0 W A1"),
        rules="wagons: true",
    )
    assert (game.scores, asked(game)) == ((5, 0), "A WAGON")


def test_tun_11_a_castle_takes_what_the_token_completes():
    """A lord scores what is completed in the castle's fief, which includes the mouth's tile."""
    tiles = [
        f"{START_LINE}: A meeple N",
        "bg-cap 0,-1 r2",
        "bg-junction -1,0 r0: B meeple E; tu-two-tunnels 1,0 r0",
        "bg-monastery-road 1,1 r1",
    ]
    game = played(
        tiles,
        "bg-monastery 0,1 r0",
        "tunnel 1,0 S 1; pass",
        headers=f"{laid('1,0 W A1')}\n[castles 0,0 N]\n[tokens 2:3]",
        rules="castles: true",
    )
    assert sorted(score_log(game)) == [("A", 4, Kind.CASTLE), ("B", 4, Kind.ROAD)]


@pytest.mark.rule("TUN-18", "KR-08")
@pytest.mark.parametrize(("before", "robber"), [(4, "A"), (5, "B"), (6, "B")])
def test_tun_11_king_and_robber_look_at_it(before, robber):
    """TUN-18: the length of a road is its number of tiles, wherever they are."""
    table = Table("tunnels: true, king_robber: true", sets="base, king, tunnel")
    complete = [
        "bg-junction 2,2 r3",
        *(f"bg-straight {x},2 r0" for x in range(3, before + 1)),
        f"bg-junction {before + 1},2 r0",
    ]
    game = table.played(
        [*land("A meeple E"), *complete],
        CAP,
        "tunnel 0,2 E 1; pass",
        headers=f"{laid('1,0 W A1')}\n[robber B]",
    )
    assert game.scores == (5, 0)
    holder = game.position().robber
    assert SEATS[holder] == robber


@pytest.mark.rule("KR-06")
def test_tun_11_the_robber_waits_for_the_first_road_that_a_token_completes():
    """Nobody has the marker before scoring, though the road away from the new tile is complete."""
    table = Table("tunnels: true, king_robber: true", sets="base, king, tunnel")
    game = table.played(land(), CAP, "tunnel 0,2 E 1", headers=laid("1,0 S A1"))
    assert (asked(game), game.position().robber) == ("A FIGURE", None)
    again = reread(game)
    again.load_state(game.save_state())
    again.apply("pass")
    assert again.position().robber == 0


def test_tun_12_a_token_extends_nothing_for_the_builder():
    """The token joins a mouth of the tile just placed to the builder's road."""
    tiles = land("A meeple E, A builder E")
    tiles.remove("tu-cap-two-tunnels 0,2 r2")
    tiles.remove("bg-monastery-road 1,2 r0")
    moves = ("tu-cap-two-tunnels 0,2 r2", "tunnel 0,2 E 1; pass")
    rules = "builders: true"
    game = played(tiles, *moves, headers=laid("1,0 W A1"), rules=rules)
    assert asked(game) == "B PLACE_TILE"
    after = played(tiles, moves[0], "pass; tunnel 0,2 E 1", headers=laid("1,0 W A1"), rules=rules)
    assert asked(after) == "B PLACE_TILE"


@pytest.mark.parametrize("moves", ["tunnel 1,0 S 1; pass", "pass; tunnel 1,0 S 1"])
def test_tun_12_what_the_tile_extends_counts_nevertheless(moves):
    tiles = land("A meeple N, A builder N")
    bag = ("bg-span-shield",)
    game = played(tiles, "bg-span 0,-1 r0", moves, rules="builders: true", bag=bag)
    assert asked(game) == "A PLACE_TILE"
    assert "[second part 0,-1]" in str(game)


@pytest.mark.rule("TRA-05")
def test_tun_12_a_builder_may_join_a_road_that_a_token_has_just_made_ones_own():
    tiles = land("A meeple E")
    tiles.remove("tu-cap-two-tunnels 0,2 r2")
    tiles.remove("bg-monastery-road 1,2 r0")
    game = played(
        tiles, "tu-cap-two-tunnels 0,2 r2", headers=laid("1,0 W A1"), rules="builders: true"
    )
    assert offered(game, "builder") == set()
    then(game, "tunnel 0,2 E 1")
    assert offered(game, "builder") == {"E"}


def test_tun_13_the_joined_road_is_occupied_and_nobody_leaves():
    tiles = land("B meeple E")
    tiles.remove("tu-cap-two-tunnels 0,2 r2")
    tiles.remove("bg-monastery-road 1,2 r0")
    game = played(tiles, "tu-cap-two-tunnels 0,2 r2", headers=laid("1,0 W A1"))
    assert {"E", "W"} <= offered(game, "meeple")
    then(game, "tunnel 0,2 E 1")
    assert offered(game, "meeple") & {"E", "W"} == {"W"}
    assert figures(game) == {"B meeple 0,0 E"}


def test_tun_13_two_thieves_share_a_road():
    tiles = land("B meeple E")
    tiles.remove("tu-cap-two-tunnels 0,2 r2")
    tiles.remove("bg-monastery-road 1,2 r0")
    moves = ("tu-cap-two-tunnels 0,2 r2", "meeple E; tunnel 0,2 E 1")
    game = played(tiles, *moves, headers=laid("1,0 W A1"), bag=("bg-monastery-road",))
    assert figures(game) == {"B meeple 0,0 E", "A meeple 0,2 E"}
    assert game.standings == (4, 4)
    then(game, "bg-monastery-road 1,2 r0; pass; pass")
    assert game.scores == (5, 5)


@pytest.mark.rule("PHA-05")
def test_tun_13_no_phantom_follows_onto_it():
    tiles = land("B meeple E")
    tiles.remove("tu-cap-two-tunnels 0,2 r2")
    tiles.remove("bg-monastery-road 1,2 r0")
    start = {"headers": laid("1,0 W A1"), "rules": "phantom: true"}
    game = played(tiles, "tu-cap-two-tunnels 0,2 r2", "tunnel 0,2 E 1; meeple W", **start)
    assert asked(game) == "A SECOND"
    assert not offered(game, "phantom") & {"E", "W"}
    free = played(tiles, "tu-cap-two-tunnels 0,2 r2", "meeple W", **start)
    assert offered(free, "phantom") & {"E", "W"} == {"E"}


@pytest.mark.rule("INN-02")
@pytest.mark.parametrize(("inns", "points"), [("true", 10), ("false", 5)])
def test_tun_14_an_inn_anywhere_on_it_doubles_the_whole(inns, points):
    tiles = land("A meeple E")
    tiles[6] = "ic-straight-inn-garden 1,2 r0\nbg-monastery-road 2,2 r0"
    lines = "\n".join(tiles).splitlines()
    game = played(
        lines,
        CAP,
        "tunnel 0,2 E 1; pass",
        headers=laid("1,0 W A1"),
        rules=f"inns: {inns}",
        sets="base, inns, tunnel",
    )
    assert game.scores == ((points // 5) * 6, 0)


@pytest.mark.rule("TUN-06")
def test_tun_15_at_the_end_a_road_with_a_single_token_is_not_complete():
    assert at_the_end(land("A meeple E"), headers=laid("1,0 W A1")) == (3, 0)


@pytest.mark.rule("INN-03")
def test_tun_15_so_an_inn_there_takes_all():
    tiles = land("A meeple E")
    tiles[1] = "ic-straight-inn-garden -1,0 r0\nbg-junction -2,0 r0"
    options = {"rules": "inns: true", "sets": "base, inns, tunnel"}
    lines = "\n".join(tiles).splitlines()
    assert at_the_end(lines, headers=laid("1,0 W A1"), **options) == (0, 0)


def test_tun_15_tokens_stay_when_a_road_was_scored():
    game = played(land("A meeple E"), CAP, "tunnel 0,2 E 1; pass", headers=laid("1,0 W A1"))
    assert on_mouths(game) == {"1,0 W A1", "0,2 E A1"}
    assert in_hand(game, "A") == 4
    assert on_mouths(reread(game)) == on_mouths(game)


#: Tile on which a road runs under a city -> its set.
UNDER = {"tu-span-tunnel-shield": "abbey", "tu-span-tunnel-dragon": "princess"}


@pytest.mark.rule("XTU-01", "TILE-09")
@pytest.mark.parametrize(("broken", "whole"), BROKEN.items())
def test_tun_16_roads_under_cities_are_broken(broken, whole):
    sets = UNDER[broken]
    rules = Rules(sets=("base", sets, "tunnel"), tunnels=True)
    for breaks in (None, True):
        drawn = bag_of(Game(rules.replace(tunnel_breaks_road=breaks), seed=1))
        assert broken in drawn and whole not in drawn
    plain = bag_of(Game(rules.replace(tunnel_breaks_road=False), seed=1))
    assert whole in plain and broken not in plain
    off = bag_of(Game(rules.replace(tunnels=False, sets=("base", sets)), seed=1))
    assert whole in off and broken not in off


@pytest.mark.rule("XTU-01", "TILE-09")
@pytest.mark.parametrize("broken", BROKEN)
def test_tun_16_with_two_mouths(broken):
    sets = UNDER[broken]
    game = Table("tunnels: true", sets=f"base, {sets}, tunnel").played(
        [f"{START_LINE}: A meeple E", "bg-junction -1,0 r0"], f"{broken} 1,0 r0"
    )
    assert tokens(game) == {"1,0 E 1", "1,0 W 1"}
    assert "E" in offered(game, "meeple") and "W" not in offered(game, "meeple")
    then(game, "pass; pass")
    assert (game.scores, game.standings) == ((0, 0), (3, 0))


@pytest.mark.rule("TILE-04")
def test_tun_16_otherwise_the_road_runs_on():
    game = TABLE.played(
        [f"{START_LINE}: A meeple E", "bg-junction -1,0 r0"],
        "am-span-tunnel-shield 1,0 r0; pass",
        sets="base, abbey, tunnel",
        rules="tunnel_breaks_road: false",
    )
    assert (tokens(game), asked(game)) == (set(), "B PLACE_TILE")
    game = TABLE.played(
        [f"{START_LINE}: A meeple E", "bg-junction -1,0 r0", "am-span-tunnel-shield 1,0 r0"],
        "bg-junction 2,0 r0; pass",
        sets="base, abbey, tunnel",
        rules="tunnel_breaks_road: false",
    )
    assert score_log(game) == [("A", 4, Kind.ROAD)]


def test_tun_17_tokens_are_no_figures():
    game = played(land(), CAP, "tunnel 1,0 W 1; pass", headers=laid("0,2 E B1"))
    assert figures(game) == set()
    assert game.standings == (0, 0)


def test_tun_17_the_festival_ignores_them():
    sets = "base, festival, tunnel"
    game = played(
        [START_LINE, "tu-two-tunnels 1,0 r0"],
        "fe-two-curves -1,0 r1",
        rules="festival: true",
        sets=sets,
        headers=laid("1,0 W A1"),
    )
    assert not {name for name in names(game) if name.startswith("to ")}


def test_tun_17_a_thief_stands_on_the_road_and_not_on_the_mouth():
    game = played([START_LINE], "tu-two-tunnels 1,0 r0", headers="")
    assert {"S", "W"} <= offered(game, "meeple")
    game = played([START_LINE], "tu-two-tunnels 1,0 r0; tunnel 1,0 W 1")
    assert {"S", "W"} <= offered(game, "meeple")


def test_tun_19_a_mouth_may_be_left_blocked_on_purpose():
    """A places a token on B's road and keeps the other token of the pair in hand."""
    game = played(land("B meeple E"), CAP, "tunnel 1,0 W 1; pass", bag=("bg-cap-straight",))
    then(game, "bg-cap-straight 0,-2 r0")
    assert not {name for name in tokens(game) if name.startswith("1,0 W")}


def seen_at_sides(game, seat, kind):
    """Return what a seat sees in the planes of a kind: bytes by cell and side."""
    planes = {side: seen_at(game, seat, f"{kind} {side}") for side in "NESW"}
    return {f"{cell} {side}": n for side, plane in planes.items() for cell, n in plane.items()}


def test_tun_07_what_seats_see_of_mouths_and_tokens():
    lying = laid("1,0 W A1", "0,2 E A1", "0,2 W B2", "1,0 S B1")
    game = played(land(), CAP, headers=lying)
    numbers = {"1,0 S": 1, "1,0 W": 2, "0,2 W": 3, "0,2 E": 4}
    assert seen_at_sides(game, 0, "mouth") == seen_at_sides(game, 1, "mouth") == numbers
    assert seen_at_sides(game, 0, "token") == {"1,0 W": 1, "0,2 E": 1, "1,0 S": 4, "0,2 W": 5}
    assert seen_at_sides(game, 1, "token") == {"1,0 W": 4, "0,2 E": 4, "1,0 S": 1, "0,2 W": 2}
    worth = seen_at_sides(game, 0, "worth")
    assert {worth["-1,0 E"], worth["0,0 W"], worth["0,2 E"], worth["1,2 W"]} == {5}


def test_tun_07_the_greedy_player_completes_a_road_of_its_own_and_no_other():
    for seat, wanted in (("A", "tunnel 0,2 E 1"), ("B", None)):
        game = played(land(f"{seat} meeple E"), CAP, "pass", headers=laid("1,0 W A1"))
        chosen = game.name(game.greedy_action())
        assert (chosen == "tunnel 0,2 E 1") == (wanted is not None)


def test_tun_07_tokens_are_drawn_and_told():
    game = played(land(), CAP, headers=laid("1,0 W A1", "0,2 E A1", "0,2 W B1"))
    picture = board_svg(game.position())
    assert picture.count('<g class="token"') == 3
    assert 'data-x="0" data-y="2" data-spot="W" data-seat="1" data-pair="1"' in picture
    text = board_text(game.position())
    assert "tunnels: 1,0 W A1, 0,2 W B1, 0,2 E A1" in text
    assert "4 tunnel tokens" in text and "5 tunnel tokens" in text

"""The changes that the replay makes to our game by hand, on small boards."""

from __future__ import annotations

from typing import Any

import pytest

from carc_env.engine.core.codes import Kind, Phase
from carc_env.game.game import Game, Score
from carc_env.game.notation import parse_position
from tests.peer import draws
from tests.peer.differences import Skip, left_out, moves_elsewhere
from tests.peer.logs import read_logs
from tests.peer.replay import Match, Report
from tests.peer.translate import DATA
from tests.rules.looks import names
from tests.rules.positions import Table, carcassonne, then


def beside(game: Game, **message: Any) -> Match:
    """Return a match that has our game at a given state and has reached a given message."""
    [log] = read_logs(DATA / "logs" / "a_2p-0000.jsonl.xz")
    match = Match(log, Report())
    match.game = game
    match._last = game.position().tiles[-1].x, game.position().tiles[-1].y
    log.messages[:] = [{"phase": "ActionPhase", "act": "PASS", "st": {}} | message]
    match._line = 2
    return match


# Ferries on a road that a token has joined.

TO_THE_LAKE = """
[carc_env position 1]
[rules {sets: [base, tunnel, ferries], tunnels: true, ferries: true, fairy: true}]
[scores 0:0]
[ferries 1,0 EW]
[tunnels 2,0 W A1]
[turn A places tu-cap-two-tunnels]
bg-cap-straight 0,0 r0: A meeple N
fr-lake-three 1,0 r0
tu-two-tunnels 2,0 r0
bg-monastery 3,0 r0: A abbot mid
"""
"""A road from the lake to a mouth; the tile to place has two other mouths and does not touch it."""

TOKEN = "tunnel 0,-1 E 1"


@pytest.mark.parametrize(
    ("before", "last", "points"),
    [
        ("pass", TOKEN, 0),
        (TOKEN, "pass", 0),  # they skip the rest of the figure action
        (TOKEN, "recall", 2),
        (TOKEN, "fairy 0,0 N", 0),  # this takes two of our decisions
    ],
)
def test_ferries_go_on_whatever_follows_a_token(before: str, last: str, points: int):
    game = then(Game.from_position(parse_position(TO_THE_LAKE)), "tu-cap-two-tunnels 0,-1 r2")
    match = beside(then(game, before))
    match._apply(match._legal()[last], "ChangeFerriesPhase")
    assert names(match.game) == {"ferry 1,0 ES", "ferry 1,0 SW", "pass"}
    assert match._ours == ([Score(0, points, Kind.MONASTERY)] if points else [])
    match._apply(match._legal()["ferry 1,0 SW"], "CommitActionPhase")
    assert match.game.phase == Phase.PLACE_TILE
    assert match._report.skipped == {Skip.FERRY_BEHIND_TOKEN: 1}


@pytest.mark.parametrize("phase", ["CommitActionPhase", "RussianPromosTrapPhase"])
def test_no_ferry_goes_on_unless_theirs_do(phase: str):
    game = Game.from_position(parse_position(TO_THE_LAKE))
    then(game, f"tu-cap-two-tunnels 0,-1 r2; {TOKEN}")
    match = beside(game, st={"phase": phase})
    match._log.messages.append({"st": {"phase": "CommitActionPhase"}})
    match._apply(match._legal()["pass"], phase)
    assert match.game.phase == Phase.PLACE_TILE
    assert match._report.skipped == {}


def test_what_a_token_has_joined_extends_nothing_for_a_builder():
    text = TO_THE_LAKE.replace("fairy", "builders").replace("A meeple N", "A meeple E, A builder E")
    text = text.replace("[ferries ", "[ferries -1,-1 EW, ").replace(
        "fr-lake-three", "bg-curve -1,0 r2\nfr-lake-three -1,-1 r0\nfr-lake-three"
    )
    game = Game.from_position(parse_position(text))
    match = beside(then(game, f"tu-cap-two-tunnels 0,-1 r2; {TOKEN}"))
    match._apply(match._legal()["pass"], "ChangeFerriesPhase")
    match._apply(match._legal()["ferry -1,-1 SW"], "ChangeFerriesPhase")
    match._apply(match._legal()["ferry 1,0 SW"], "CommitActionPhase")
    assert (match.game.phase, match.game.decider) == (Phase.PLACE_TILE, 1)


# Towns with several meeples.

TWO_TOWNS = """
[carc_env position 1]
[rules {sets: [base, bridges], castles: true, n_players: 3}]
[scores 0:0:0]
[turn A places bg-caps-opposite]
bg-cap-straight 0,0 r0: A meeple N, A meeple N
bg-curve 1,0 r0
bg-monastery 1,-1 r0
bg-monastery 1,-2 r0
bg-cap 0,-2 r2: B meeple S
"""
"""The tile to place completes a town of A, with two meeples, and a town of B."""


@pytest.mark.parametrize(("active", "found"), [(1, ("score", Skip.SHARED_TOWN)), (0, None)])
def test_a_shared_town_is_scored_unless_they_ask_its_seat(active: int, found: object):
    game = Game.from_position(parse_position(TWO_TOWNS))
    then(game, "bg-caps-opposite 0,-1 r0; pass")
    assert (game.phase, game.decider) == (Phase.CASTLE, 0)
    assert left_out(game, {"phase": "CastlePhase", "active": active}) == found


@pytest.mark.parametrize(("seat", "legal"), [(1, "CASTLE 0 -1 N"), (0, "CASTLE 0 -1 S")])
def test_a_shared_town_that_they_offer_is_compared(seat: int, legal: str):
    game = Game.from_position(parse_position(TWO_TOWNS))
    then(game, "bg-caps-opposite 0,-1 r0; pass")
    message = {"phase": "CastlePhase", "player": seat, "act": "PASS", "legal": [legal, "PASS"]}
    match = beside(game, **message, st={"phase": "CommitActionPhase"})
    assert match._decide_towns(match._log.messages[0])
    assert match._report.differences == []
    assert match._report.skipped == {1: {Skip.SHARED_TOWN: 1}, 0: {Skip.AFTER_DECLINED: 1}}[seat]
    assert match.game.phase == Phase.PLACE_TILE


# Cities beside an abbey.

SIDE = """
[carc_env position 1]
[rules {sets: [base, abbey, hills], abbeys: true}]
[scores 0:0]
[turn A acts]
hs-corner-and-cap-shared-vineyard 0,-1 r1
"""
"""Two cities that both open onto the south side."""
BOTH = {"meeple E at 0,-1", "meeple W at 0,-1", "pass"}


@pytest.mark.parametrize(
    ("tiles", "moves", "kind", "found"),
    [
        ("am-abbey 0,0 r0", BOTH, Kind.CITY, {"meeple W at 0,-1"}),
        ("am-abbey 0,0 r0", BOTH, Kind.ROAD, set()),
        # The second city also reaches another side of the abbey.
        (
            "bg-corner -1,-1 r1\nbg-corner -1,0 r0\nam-abbey 0,0 r0",
            {"meeple W at 0,-1"},
            Kind.CITY,
            set(),
        ),
        (
            "bg-straight 1,0 r1\nam-abbey 0,0 r0",
            {"meeple N at 1,0"},
            Kind.ROAD,
            {"meeple N at 1,0"},
        ),
        ("bg-straight 1,0 r0\nam-abbey 0,0 r0", {"meeple E at 1,0"}, Kind.ROAD, set()),
        ("bg-corner 0,0 r0", BOTH, Kind.CITY, set()),  # one city
    ],
)
def test_moves_that_they_do_not_ask_about(tiles: str, moves: set[str], kind: Kind, found: set[str]):
    assert moves_elsewhere(moves, parse_position(SIDE + tiles), kind) == found


# Traps that sleep.

WATERSIDE = Table("russian_promos: true, count: true", sets="base, count, russian")


@pytest.mark.parametrize(
    ("message", "trapped", "scores"),
    [
        ({"phase": "CocScoringPhase"}, False, (6, 6)),
        ({"phase": "CocScoringPhase"}, True, (6, 0)),  # their traps act too
        ({"phase": "CocScoringPhase", "act": "COMMIT"}, False, (6, 0)),
    ],
)
def test_traps_sleep_where_theirs_do(
    message: dict[str, str], trapped: bool, scores: tuple[int, ...]
):
    """B joins a city of A, beside Vodyanoy, and could move another meeple there."""
    tiles = carcassonne("bg-span -2,2 r0", "bg-monastery -3,2 r0", co_9="A meeple S")
    headers = ("[count market]", "[quarters B meeple castle, B meeple castle]")
    placed = [*tiles, "ru-vodyanoy -3,3 r0"]
    game = WATERSIDE.played(placed, "bg-cap -2,3 r0", "pass", headers=headers)
    game = Game.from_position(then(game, "to -2,2; meeple N").position())
    figures = [["SmallFollower", 1, -3, 3, "Vodyanoy", "I"]] if trapped else []
    match = beside(game, **message, st={"figs": figures})
    match._apply(match._legal()["pass"], "TilePhase")
    assert match.game.scores == scores
    assert match.game._states[0].traps.tolist() == game._states[0].traps.tolist()
    assert match._report.skipped[Skip.TRAPS_ASLEEP] == (scores == (6, 6))


# Abbots that fly.

HUT = """
[carc_env position 1]
[rules {sets: [base, flier, russian], flier: true, russian_promos: true, auto_single: false}]
[scores 0:0]
[turn A places fl-field-n]
bg-cap-straight 0,0 r0
ru-yaga-hut 0,1 r0
bg-monastery 0,2 r0
"""


@pytest.mark.parametrize(
    ("name", "phase", "n_skipped"), [("abbot", "PLACE_TILE", 1), ("meeple", "LANDING", 0)]
)
def test_an_abbot_comes_home_from_above_the_hut(name: str, phase: str, n_skipped: int):
    game = Game.from_position(parse_position(HUT))
    then(game, "fl-field-n 0,3 r0")
    state = {"phase": "CommitActionPhase", "ev": [["flier", 0, 3, 2]]}
    match = beside(game, player=0, st=state)
    supply = game.supply(0)
    theirs = set(match._legal())
    assert match._take(match._log.messages[0], theirs, f"fly {name}")
    assert match._report.differences == []
    assert (match.game.phase.name, match.game.supply(0)) == (phase, supply)
    assert match._report.skipped == ({Skip.ABBOT_IN_HUT: 1} if n_skipped else {})
    assert not match.game._states[0].rules.may_come_down


# Die rolls and sheep.


def test_a_message_holds_the_sheep_of_a_shepherd_and_the_die_of_a_flight():
    messages: list[dict[str, Any]] = [
        {"phase": "ActionPhase", "st": {"ev": [["deployed", "Shepherd", 0, []]]}},
        {
            "phase": "PhantomPhase",
            "st": {"ev": [["flier", 0, 1, 2], ["token", "SHEEP_3X", [0, 1, "Field", "I"]]]},
        },
        {"phase": "CommitActionPhase", "st": {}},
        {"phase": "ShepherdPhase", "st": {"ev": [["token", "WOLF", [0, 1, "Field", "I"]]]}},
    ]
    assert draws.sheep_at(messages, 0) == 1
    assert draws.chance(messages, 0, "shepherd Es") == 3
    assert draws.chance(messages, 1, "fly phantom") == 2
    assert draws.chance(messages, 0, "pass") is None
    assert draws.chance(messages, 2, "shepherd Es") is None
    assert draws.chance(messages, 3, "grow") == 0

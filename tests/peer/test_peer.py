"""Games of an independent engine: bundled records, logs where they are at hand, the translation."""

from collections.abc import Callable
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from carc_env.engine.codes import Figure, Kind, Spot
from carc_env.game import Score
from carc_env.position import Castle, Lot, PlacedFigure, PlacedTile
from carc_env.records import load, parse_record
from tests.peer import translate
from tests.peer.differences import (
    LAST_ROUND,
    Skip,
    all_bids,
    is_other_round,
    last_round_skips,
    without_neighbour_bridges,
)
from tests.peer.logs import Log, read_logs
from tests.peer.replay import Match, Report, replay_logs
from tests.peer.slice import record_of
from tests.peer.translate import DATA, UnknownWord

RECORDS = sorted(DATA.glob("*.carc"))
LOGS = Path(__file__).parents[3] / "shared" / "oracle"
CONFIGS = ("a_2p", "aw_2p", "b_2p", "b_4p", "bw_2p", "bw_4p", "c_3p", "cn_3p", "cw_3p")

BARN_SCORES = ("placed", "connected")

SETUP = {
    "sets": {"basic:2": 1},
    "elements": {"small-follower": 7, "abbot": 1, "farmers": True, "garden": True},
    "rules": {"wagon-move": "C2", "tiny-city-scoring": "4", "bazaar-no-auction": False},
    "players": 3,
    "start": translate.START,
}


def logs(config: str, n: int) -> list[Log]:
    """The first games of a configuration; skips the test where there are none."""
    path = LOGS / f"{config}.tar.xz"
    if not path.exists():
        pytest.skip("the logs of the independent engine are not beside the repository")
    return list(islice(read_logs(path), n))


# Bundled records.


def test_records_are_bundled():
    assert len(RECORDS) == 26
    assert sum(path.stat().st_size for path in RECORDS) < 160_000


@pytest.mark.needs_jit
@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_record_replays_to_the_scores_of_the_independent_engine(path: Path):
    text = path.read_text(encoding="utf-8")
    record = parse_record(text)
    game = load(text)
    ours = {move.turn: move.scores for move in game.moves}
    theirs = {d.turn: d.scores for d in record.decisions if d.scores is not None}
    assert ours == theirs
    assert game.scores == record.scores
    assert game.is_over


# Logs.


@pytest.mark.needs_jit
@pytest.mark.parametrize("config", CONFIGS)
def test_logs_show_no_difference(config: str, n_games: Callable[[int], int]):
    report = replay_logs(logs(config, n_games(3)))[config]
    assert report.differences == []
    assert report.n_compared > 100 * report.n_games
    assert report.n_states > report.n_compared


@pytest.mark.needs_jit
@pytest.mark.parametrize("config", CONFIGS)
def test_bundled_records_are_those_of_the_logs(config: str):
    [log] = logs(config, 1)
    assert record_of(log) == (DATA / f"{config}-0000.carc").read_text(encoding="utf-8")


def _lose_a_legal_action(messages: list[dict[str, Any]]) -> None:
    messages[0]["legal"].pop()


def _change_a_score(messages: list[dict[str, Any]]) -> None:
    messages[5]["st"]["scores"][0] += 1


def _change_a_supply(messages: list[dict[str, Any]]) -> None:
    messages[5]["st"]["supply"][1]["Abbot"] = 0


def _lose_the_figures(messages: list[dict[str, Any]]) -> None:
    messages[-1]["st"]["figs"].pop()


def _lose_a_tile(messages: list[dict[str, Any]]) -> None:
    messages[5]["st"]["pack"] -= 1


def _lose_an_event(messages: list[dict[str, Any]]) -> None:
    scoring = [m for m in messages if any(e[0] == "score" for e in m["st"].get("ev", []))]
    scoring[0]["st"]["ev"] = []


def _lose_an_abbey(messages: list[dict[str, Any]]) -> None:
    del messages[5]["st"]["supply"][1]["ABBEY_TILE"]


def _move_a_barn(messages: list[dict[str, Any]]) -> None:
    [barn, *_] = [row for row in messages[-1]["st"]["figs"] if row[0] == "Barn"]
    barn[2] += 1


def _lose_a_barn_place(messages: list[dict[str, Any]]) -> None:
    [legal, *_] = [m["legal"] for m in messages if any("Barn" in a for a in m["legal"])]
    legal[:] = [action for action in legal if "Barn" not in action]


def _lose_a_wagon_move(messages: list[dict[str, Any]]) -> None:
    [line, *_] = [m for m in messages if m["phase"] == "WagonPhase" and len(m["legal"]) > 1]
    line["legal"].remove("PASS")


def _lose_an_abbey_place(messages: list[dict[str, Any]]) -> None:
    [line, *_] = [m for m in messages if m["phase"] == "AbbeyPhase"]
    line["legal"] = ["PASS"]


def _lose_a_bridge_in_hand(messages: list[dict[str, Any]]) -> None:
    messages[0]["st"]["supply"][2]["BRIDGE"] -= 1


def _turn_a_bridge(messages: list[dict[str, Any]]) -> None:
    [token, *_] = [
        e for m in messages for e in m["st"].get("ev", []) if e[:2] == ["token", "BRIDGE"]
    ]
    token[2][3] = "NS" if token[2][3] == "WE" else "WE"


def _lose_an_optional_bridge(messages: list[dict[str, Any]]) -> None:
    [legal, *_] = [m["legal"] for m in messages if m["legal"][0].startswith("BRIDGE")]
    del legal[0]


def _lose_a_castle_token(messages: list[dict[str, Any]]) -> None:
    messages[0]["st"]["supply"][0]["CASTLE"] = 2


def _lose_a_castle(messages: list[dict[str, Any]]) -> None:
    [line, *_] = [m for m in messages if m["act"].startswith("CASTLE")]
    line["st"]["ev"] = []


def _lose_a_town(messages: list[dict[str, Any]]) -> None:
    [line, *_] = [m for m in messages if m["phase"] == "CastlePhase"]
    line["legal"] = ["PASS"]
    line["act"] = "PASS"


def _exchange_the_offer(messages: list[dict[str, Any]]) -> None:
    [line, *_] = [m for m in messages if m["st"]["phase"] == "BazaarPhase"]
    line["st"]["bazaar"].reverse()


def _change_an_owner(messages: list[dict[str, Any]]) -> None:
    [line, *_] = [m for m in messages if m["phase"] == "TilePhase" and m["st"].get("bazaar")]
    line["st"]["bazaar"][0][3] = line["player"]


def _raise_a_price(messages: list[dict[str, Any]]) -> None:
    [line, *_] = [m for m in messages if m["act"].startswith("BAZAAR_SELECT")]
    line["st"]["bazaar"][line["st"]["auctioned"]][1] += 1


def _bid_nothing(messages: list[dict[str, Any]]) -> None:
    [line, *_] = [m for m in messages if m["act"].startswith("BAZAAR_BID")]
    line["legal"].append("BAZAAR_BID 0 0")


def _lose_a_pick(messages: list[dict[str, Any]]) -> None:
    [line, *_] = [m for m in messages if m["act"].startswith("BAZAAR_SELECT")]
    line["legal"] = [text for text in line["legal"] if text.split()[1] == line["act"].split()[1]]


@pytest.mark.needs_jit
@pytest.mark.parametrize(
    ("change", "config", "what"),
    [
        (_lose_a_legal_action, "a_2p", "legal actions"),
        (_change_a_score, "a_2p", "scores"),
        (_change_a_supply, "a_2p", "supplies"),
        (_lose_the_figures, "a_2p", "figures on the board"),
        (_lose_a_tile, "a_2p", "tiles left"),
        (_lose_an_event, "a_2p", "features scored"),
        (_lose_an_abbey, "b_4p", "abbeys"),
        (_move_a_barn, "b_4p", "figures on the board"),
        (_lose_a_barn_place, "b_4p", "legal actions"),
        (_lose_a_wagon_move, "b_4p", "legal actions"),
        (_lose_an_abbey_place, "b_4p", "legal actions"),
        (_lose_a_bridge_in_hand, "c_3p", "bridges in hand"),
        (_turn_a_bridge, "c_3p", "bridges on the board"),
        (_lose_an_optional_bridge, "c_3p", "legal actions"),
        (_lose_a_castle_token, "c_3p", "castle tokens"),
        (_lose_a_castle, "c_3p", "castles"),
        (_lose_a_town, "c_3p", "legal actions"),
        (_exchange_the_offer, "c_3p", "offer"),
        (_change_an_owner, "c_3p", "offer"),
        (_raise_a_price, "c_3p", "auction"),
        (_bid_nothing, "c_3p", "legal actions"),
        (_lose_a_pick, "c_3p", "legal actions"),
        (_lose_a_pick, "cn_3p", "legal actions"),
    ],
)
def test_a_changed_log_is_noticed(
    change: Callable[[list[dict[str, Any]]], None], config: str, what: str
):
    log = deepcopy(logs(config, 1)[0])
    change(log.messages)
    report = Report()
    assert not Match(log, report).play()
    assert [difference.what for difference in report.differences] == [what]


@pytest.mark.needs_jit
def test_changed_final_tiles_are_noticed():
    log = deepcopy(logs("a_2p", 1)[0])
    log.end["discarded"].append(log.end["placed"].pop()[0])
    report = Report()
    assert not Match(log, report).play()
    whats = [difference.what for difference in report.differences]
    assert whats == ["placed tiles", "discarded tiles"]


@pytest.mark.needs_jit
def test_a_last_round_that_they_repeat_is_left_out_by_name():
    report = replay_logs(logs("bw_4p", 2)[1:])["bw_4p"]
    assert report.differences == []
    assert report.skipped[Skip.TAKEN_BACK] == report.skipped[Skip.OTHER_ROUND] == 6
    assert report.compared["AbbeyEndGamePhase"] == 1


@pytest.mark.needs_jit
@pytest.mark.parametrize(
    ("config", "number", "reason", "n"),
    [
        ("cw_3p", 1, Skip.WAGON_FROM_CASTLE, 1),
        ("cw_3p", 2, Skip.NEIGHBOUR_BRIDGE, 1),
        ("cw_3p", 8, Skip.ONE_TOWN, 1),
        ("cw_3p", 10, Skip.ONE_TOWN, 1),
        ("cn_3p", 0, Skip.PICKED_AHEAD, 6),
        ("cn_3p", 0, Skip.LAST_LOT, 6),
    ],
)
def test_what_they_do_not_ask_is_left_out_by_name(config: str, number: int, reason: Skip, n: int):
    report = replay_logs(logs(config, number + 1)[number:])[config]
    assert report.differences == []
    assert report.skipped[reason] == n


@pytest.mark.parametrize("name", ["game.txt", "."])
def test_paths_without_logs_are_refused(tmp_path: Path, name: str):
    with pytest.raises(ValueError, match=r"\.jsonl"):
        list(read_logs(tmp_path / name))


def test_a_log_that_is_cut_off_is_refused(tmp_path: Path):
    path = tmp_path / "0000.jsonl"
    path.write_text('{"type": "setup"}\n{"i": 0}\n')
    with pytest.raises(ValueError, match="from a setup to an end"):
        list(read_logs(path))


# What their last round of abbeys repeats.


def last_round(answers: str) -> list[dict[str, Any]]:
    """Messages of seats that decline, such as ``1``, or place their abbey, such as ``1!``."""
    acts = {"": "PASS", "!": "TILE AM/A 0 1 0"}
    return [
        {"phase": LAST_ROUND, "player": int(answer[0]), "act": acts[answer[1:]]}
        for answer in answers.split()
    ]


@pytest.mark.parametrize(
    ("answers", "left_out"),
    [
        ("1 2 0", {}),
        ("1 2! 3", {}),
        ("1 1 1!", {0: Skip.TAKEN_BACK, 1: Skip.TAKEN_BACK}),
        ("1 0 1 0 1! 0", dict.fromkeys(range(4), Skip.TAKEN_BACK)),
        (
            "1 2 0 1 2! 0",
            {1: Skip.TAKEN_BACK, 2: Skip.TAKEN_BACK, 3: Skip.ASKED_AGAIN},
        ),
        ("1 2! 0 1 0!", {2: Skip.TAKEN_BACK, 3: Skip.ASKED_AGAIN}),
        ("1 2! 1", {2: Skip.ASKED_AGAIN}),
        ("1 2! 1!", {}),
    ],
)
def test_last_round(answers: str, left_out: dict[int, Skip]):
    assert last_round_skips(last_round(answers)) == left_out


def test_other_phases_are_no_last_round():
    messages = [{**line, "phase": "AbbeyPhase"} for line in last_round("1 1 1!")]
    assert last_round_skips(messages) == {}


def test_the_end_is_compared_whatever_was_repeated():
    messages = last_round("1 2! 1")
    for line, phase in zip(messages, [LAST_ROUND, LAST_ROUND, "GameOverPhase"], strict=True):
        line["st"] = {"phase": phase}
    skips = last_round_skips(messages)
    assert [is_other_round(messages, k, skips) for k in range(3)] == [False, True, False]


# What they do not know.


def test_bridges_on_neighbours_are_left_out():
    names = {"bridge 2,-1 NS", "bridge 2,-1 EW", "bridge 3,-1 NS", "meeple N", "pass"}
    assert names - without_neighbour_bridges(names, (2, -1)) == {"bridge 3,-1 NS"}


@pytest.mark.parametrize(
    ("act", "bids"),
    [
        ("BAZAAR_SELECT 1 2", {"bid 0", "bid 1", "bid 2", "bid 3", "bid 4", "bid 5"}),
        ("BAZAAR_BID 0 4", {"bid 4", "bid 5", "pass"}),
        ("PASS", {"bid 4", "bid 5", "pass"}),
        ("BAZAAR_BUY", {"buy", "sell"}),
        ("BAZAAR_SELL", {"buy", "sell"}),
    ],
)
def test_all_bids(act: str, bids: set[str]):
    offer = [["BA/L", 3, 1, None], ["BA/C", 5, None, 2]]
    assert all_bids(act, offer, limit=5) == bids


# The translation.


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        (("BA/C", 0, -1, 2), PlacedTile("bg-cap", 0, -1, 2)),
        (("BA/Ccc", 3, 4, 2), PlacedTile("bg-city3", 3, 4, 1)),
        (("BA/RFr", 0, 1, 3), PlacedTile("bg-straight", 0, 1, 1)),
        (("BA/Cccc+", 0, 1, 3), PlacedTile("bg-city4-shield", 0, 1, 0)),
        (("BA/L", 0, 1, 2), PlacedTile("bg-monastery", 0, 1, 0)),
    ],
)
def test_placed_tile(theirs: tuple[str, int, int, int], ours: PlacedTile):
    assert translate.placed_tile(*theirs) == ours


def test_every_tile_has_its_own_counterpart():
    ours = [tile for tile, _ in translate.TILES.values()]
    assert len(set(ours)) == len(ours)


@pytest.mark.parametrize(
    ("feature", "place", "ours"),
    [
        ("City", "_N", Spot.E),
        ("City", "NWSE", Spot.N),
        ("Road", "SE", Spot.E),
        ("Road", "SW", Spot.S),
        ("Road", "WE", Spot.E),
        ("Road", "W", Spot.W),
        ("Field", "NL.NR", Spot.Nw),
        ("Field", "NR.EL", Spot.Ne),
        ("Field", "ER.SL.SR.WL", Spot.Es),
        ("Field", "NL.WR", Spot.Nw),
        ("Field", "WL.WR", Spot.Ws),
        ("Field", "II", Spot.in1),
        ("Monastery", "I", Spot.mid),
        ("Garden", "I", Spot.mid),
        ("Castle", "W", Spot.W),
    ],
)
def test_spot(feature: str, place: str, ours: Spot):
    assert translate.spot(feature, place) == ours


def test_sides_are_in_our_order():
    for theirs, ours in translate.SIDES.items():
        letters = set("NESW") - set(theirs) if theirs[0] == "_" else set(theirs)
        assert ours == "".join(side for side in "NESW" if side in letters)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("TILE BA/RFr -1 0 2", "bg-straight -1,0 r0"),
        ("MEEPLE SmallFollower 0 -1 City _N", "meeple E"),
        ("MEEPLE SmallFollower 2 -1 City _N", "meeple E at 2,-1"),
        ("MEEPLE Abbot 0 -1 Garden I", "abbot mid"),
        ("RETURN ABBOT_RETURN 1.abbot.1 2 -2 Monastery I", "recall"),
        ("TILE BA/RFr -1 0 2 BRIDGE -2 0 NS", "bg-straight -1,0 r0"),
        ("BRIDGE 2 -1 NS", "bridge 2,-1 NS"),
        ("BRIDGE 0 -1 WE", "bridge 0,-1 EW"),
        ("BAZAAR_BID 1 3", "bid 3"),
        ("BAZAAR_BUY", "buy"),
        ("BAZAAR_SELL", "sell"),
        ("PASS", "pass"),
    ],
)
def test_action_name(theirs: str, ours: str):
    assert translate.action_name(theirs, last=(0, -1)) == ours


@pytest.mark.parametrize("rotation", range(4))
def test_the_abbey_has_one_rotation(rotation: int):
    name = translate.action_name(f"TILE AM/A 3 -4 {rotation}", (0, -1), "AbbeyPhase")
    assert name == "am-abbey 3,-4 r0"


@pytest.mark.parametrize(
    ("phase", "ours"),
    [
        ("ActionPhase", "pass"),
        ("AbbeyPhase", "draw"),
        ("AbbeyEndGamePhase", "draw"),
        ("WagonPhase", "home"),
        ("TilePhase", "aside"),
        ("CastlePhase", "score"),
        ("BazaarPhase", "pass"),
    ],
)
def test_pass_has_a_name_in_each_phase(phase: str, ours: str):
    assert translate.action_name("PASS", (0, 0), phase) == ours


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("MEEPLE Mayor 2 -1 City _N", "mayor E"),
        ("MEEPLE Wagon 2 -1 Monastery I", "wagon mid"),
        ("MEEPLE Barn 2 -1 Field NL.WR", "barn NW"),
        ("MEEPLE Barn 3 -1 Field NL.WL.WR", "barn NE"),
        ("MEEPLE Barn 3 0 Field NL.WR", "barn SE"),
        ("MEEPLE Barn 2 0 Field NL.NR.WR", "barn SW"),
        ("MEEPLE Barn 1 0 Field NL.WR", "barn Nw at 1,0"),
    ],
)
def test_action_name_of_new_figures(theirs: str, ours: str):
    assert translate.action_name(theirs, last=(2, -1)) == ours


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("MEEPLE Wagon 2 -1 Road SW", "wagon 2,-1 S"),
        ("MEEPLE Wagon -3 4 Monastery I", "wagon -3,4 mid"),
    ],
)
def test_a_wagon_move_names_the_cell_even_if_it_was_placed_last(theirs: str, ours: str):
    assert translate.action_name(theirs, (2, -1), "WagonPhase") == ours


@pytest.mark.parametrize(
    ("corner", "x", "y"), [(Spot.NW, 0, 0), (Spot.NE, 1, 0), (Spot.SE, 1, 1), (Spot.SW, 0, 1)]
)
def test_a_barn_has_one_name(corner: Spot, x: int, y: int):
    [theirs] = translate.figures([["Barn", 1, x, y, "Field", "NL.WR"]])
    assert translate.one_name(PlacedFigure(1, Figure.BARN, 0, 0, corner)) == theirs


def test_other_figures_keep_their_name():
    wagon = PlacedFigure(0, Figure.WAGON, 1, 2, Spot.mid)
    assert translate.one_name(wagon) == wagon


@pytest.mark.parametrize(
    "text",
    [
        "TILE XX/RFr 0 1 0",
        "TILE BA/RFr 0 1 0 TOWER 0 1 NS",
        "TILE BA/RFr 0 1 0 BRIDGE 0 1 EW",
        "BRIDGE 0 1 EW",
        "MEEPLE Shepherd 0 0 Field NL.NR",
        "MEEPLE SmallFollower 0 0 Tower I",
        "MEEPLE SmallFollower 0 0 Road NX",
        "MEEPLE SmallFollower 0 0 Field NL.XX",
        "RETURN PRINCESS 1.abbot.1 2 -2 Monastery I",
        "JUMP 1",
    ],
)
def test_unknown_actions_are_refused(text: str):
    with pytest.raises(UnknownWord, match="no translation for"):
        translate.action_name(text, last=(0, 0))


def test_a_town_is_named_by_its_segment_on_the_last_tile():
    assert translate.town("CASTLE 0 -1 S") == (0, -1, Spot.S)


def test_a_choice_in_a_bazaar_has_a_tile_and_a_bid():
    assert translate.lot("BAZAAR_SELECT 2 3") == (2, 3)


@pytest.mark.parametrize(
    ("read", "text"), [(translate.town, "BRIDGE 0 1 NS"), (translate.lot, "BAZAAR_BID 2 3")]
)
def test_other_actions_are_neither(read: Callable[[str], object], text: str):
    with pytest.raises(UnknownWord, match=text):
        read(text)


def test_bridges_and_castles_are_those_of_the_events():
    events = [
        ["token", "BRIDGE", [-1, 2, "Road", "WE"]],
        ["token", "CASTLE", [3, 3, "Castle", "W"]],
        ["castle", [0, -1, "Castle", "S"], [0, 0, "Castle", "N"]],
        ["token", "BRIDGE", [4, 0, "Road", "NS"]],
    ]
    assert translate.bridges(events) == {(-1, 2): "EW", (4, 0): "NS"}
    assert translate.castles(events) == [{(0, -1, Spot.S), (0, 0, Spot.N)}]


@pytest.mark.parametrize("castle", [Castle(0, -1, Spot.S), Castle(0, 0, Spot.N)])
def test_a_castle_has_two_ends(castle: Castle):
    assert translate.both_ends(castle) == {(0, -1, Spot.S), (0, 0, Spot.N)}


def test_the_sides_of_a_castle_lie_opposite():
    assert translate.both_ends(Castle(2, 1, Spot.E)) == {(2, 1, Spot.E), (3, 1, Spot.W)}


def test_a_bazaar_with_owners_price_and_bidder():
    rows = [["BA/L", 3, None, 2], ["BA/C", 1, 0, None]]
    assert translate.offer(rows) == [Lot("bg-monastery", 2), Lot("bg-cap")]
    assert translate.auction(rows, 1) == (1, 1, 0)
    assert translate.auction(rows, None) == (None, None, None)


def test_figures_are_sorted():
    rows = [["Abbot", 1, 2, 0, "Garden", "I"], ["SmallFollower", 0, -1, 3, "Road", "NS"]]
    assert translate.figures(rows) == [
        PlacedFigure(0, Figure.MEEPLE, -1, 3, Spot.N),
        PlacedFigure(1, Figure.ABBOT, 2, 0, Spot.mid),
    ]


def test_supply_names_what_the_log_leaves_out():
    assert translate.supply({"SmallFollower": 3})[Figure.ABBOT] == 0
    assert translate.supply({"SmallFollower": 3})[Figure.MEEPLE] == 3


def test_abbeys_bridges_and_castle_tokens_are_no_figures():
    counts = {"SmallFollower": 3, "Barn": 1, "ABBEY_TILE": 1, "BRIDGE": 2, "CASTLE": 3}
    assert translate.supply(counts) == {
        Figure.MEEPLE: 3, Figure.LARGE: 0, Figure.ABBOT: 0, Figure.MAYOR: 0, Figure.WAGON: 0,
        Figure.BARN: 1,
    }  # fmt: skip


def test_fields_scored_with_a_barn_are_fields():
    events = [["score", [0, 6, f"field.barn-{how}", [0, 0, "Field", "NL"]]] for how in BARN_SCORES]
    assert translate.scores(events) == [Score(0, 6, Kind.FIELD)] * 2


def test_castles_score_like_features():
    events = [["score", [2, 5, "castle", [1, 1, "Castle", "N"]], [0, 0, "castle.empty", []]]]
    assert translate.scores(events) == [Score(2, 5, Kind.CASTLE)]


def test_scores_leave_out_what_gave_nothing():
    pointer = [0, 0, "City", "N"]
    events = [
        ["turn", 1],
        ["score", [1, 4, "city", pointer], [0, 4, "city", pointer]],
        ["score-final", [0, 0, "field", pointer]],
        ["score-final", [0, 2, "road.incomplete", pointer]],
    ]
    assert translate.scores(events) == [
        Score(1, 4, Kind.CITY),
        Score(0, 4, Kind.CITY),
        Score(0, 2, Kind.ROAD),
    ]


def test_rules_of_a_setup():
    rules = translate.rules(SETUP)
    assert (rules.n_players, rules.sets, rules.abbot) == (3, ("base",), True)
    assert (rules.small_city_points, rules.auto_single) == (4, False)


def test_rules_without_abbot_and_with_small_cities_of_2():
    elements = {name: n for name, n in SETUP["elements"].items() if name != "abbot"}
    setup = {**SETUP, "elements": elements, "rules": {"tiny-city-scoring": "2"}}
    rules = translate.rules(setup)
    assert (rules.abbot, rules.small_city_points) == (False, 2)


def test_rules_of_abbey_and_mayor():
    elements = {**SETUP["elements"], "abbey": 1, "mayor": 1, "wagon": 1, "barn": 1}
    sets = {"basic:2": 1, "abbey-and-mayor:2": 1}
    rules = translate.rules({**SETUP, "sets": sets, "elements": elements})
    assert rules.sets == ("base", "abbey")
    assert rules.abbeys and rules.mayors and rules.wagons and rules.barns
    assert (rules.abbey_endgame, rules.wagon_adjacency) == ("one_round", "C2")


@pytest.mark.parametrize(("without", "mode"), [(False, "auction"), (True, "take")])
def test_rules_of_bridges_castles_and_bazaars(without: bool, mode: str):
    elements = {**SETUP["elements"], "bridge": 1, "castle": 1, "bazaar": True}
    sets = {"basic:2": 1, "bridges-castles-and-bazaars:2": 1}
    variants = {"bazaar-no-auction": without}
    rules = translate.rules({**SETUP, "sets": sets, "elements": elements, "rules": variants})
    assert rules.sets == ("base", "bridges")
    assert rules.bridges and rules.castles and rules.bazaars
    assert rules.bazaar_mode == mode


def test_rules_of_wagons_are_left_alone_without_wagons():
    assert translate.rules(SETUP).wagon_adjacency is None


def test_unknown_rules_of_wagons_are_refused_with_wagons():
    elements = {**SETUP["elements"], "wagon": 1}
    setup = {**SETUP, "elements": elements, "rules": {"wagon-move": "C3"}}
    with pytest.raises(UnknownWord, match="rule 'wagon-move=C3'"):
        translate.rules(setup)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("sets", {"basic:2": 1, "count:1": 1}, "set 'count:1 x1'"),
        ("sets", {"basic:2": 2}, "set 'basic:2 x2'"),
        ("elements", {**SETUP["elements"], "wagon": 2}, "element 'wagon=2'"),
        ("elements", {**SETUP["elements"], "dragon": 1}, "element 'dragon=1'"),
        ("elements", {**SETUP["elements"], "small-follower": 8}, "element 'small-follower=8'"),
        ("rules", {"tiny-city-scoring": "3"}, "rule 'tiny-city-scoring=3'"),
        ("rules", {"gq11-pig-herd": "pig"}, "rule 'gq11-pig-herd=pig'"),
        ("start", [], "start"),
    ],
)
def test_unknown_setups_are_refused(key: str, value: object, message: str):
    with pytest.raises(UnknownWord, match=message):
        translate.rules({**SETUP, key: value})

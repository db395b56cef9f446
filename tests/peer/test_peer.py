"""Games of an independent engine: bundled records, logs where they are at hand, the translation."""

from collections.abc import Callable
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from carc_env.engine.codes import Figure, Good, Kind, Spot
from carc_env.game import Score
from carc_env.notation import parse_position
from carc_env.position import Castle, Lot, PlacedFigure, PlacedTile, Position
from carc_env.records import load, parse_record
from tests.peer import translate, turning
from tests.peer.differences import (
    LAST_ROUND,
    Skip,
    all_bids,
    builders_in_complete_features,
    cells_ahead,
    decision_skip,
    is_other_round,
    last_round_skips,
    missing_bazaar,
    rivers_near_tiles,
    without_neighbour_bridges,
)
from tests.peer.draws import begins_second_part, draw_order, n_in_stack, stack_sizes, waiting_bazaar
from tests.peer.logs import Log, read_logs
from tests.peer.replay import Match, Report, replay_logs
from tests.peer.slice import record_of
from tests.peer.translate import DATA, UnknownWord

RECORDS = sorted(DATA.glob("*.carc"))
LOGS = Path(__file__).parents[3] / "shared" / "oracle"
CONFIGS = (
    "a_2p", "aw_2p", "b_2p", "b_4p", "bw_2p", "bw_4p", "c_3p", "cn_3p", "cw_3p",
    "d_2p", "dw_2p", "e_2p", "ew_4p", "r_2p",
)  # fmt: skip

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
    assert len(RECORDS) == 31
    assert sum(path.stat().st_size for path in RECORDS) < 200_000


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


@pytest.mark.parametrize("config", CONFIGS)
def test_logs_show_no_difference(config: str, n_games: Callable[[int], int]):
    report = replay_logs(logs(config, n_games(3)))[config]
    assert report.differences == []
    assert report.n_compared > 100 * report.n_games
    assert report.n_states > 100 * report.n_games


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


def _lose_a_builder_place(messages: list[dict[str, Any]]) -> None:
    [legal, *_] = [m["legal"] for m in messages if any("Builder" in a for a in m["legal"])]
    legal[:] = [action for action in legal if "Builder" not in action]


def _lose_a_pig_place(messages: list[dict[str, Any]]) -> None:
    [legal, *_] = [m["legal"] for m in messages if any("Pig" in a for a in m["legal"])]
    legal[:] = [action for action in legal if "Pig" not in action]


def _lose_the_goods(messages: list[dict[str, Any]]) -> None:
    [hand, *_] = [hand for m in messages for hand in m["st"]["supply"] if "WINE" in hand]
    del hand["WINE"]


def _forget_a_second_part(messages: list[dict[str, Any]]) -> None:
    [line, *_] = [m for m in messages if ["double-turn"] in m["st"].get("ev", [])]
    line["st"]["ev"].remove(["double-turn"])


def _begin_a_second_part(messages: list[dict[str, Any]]) -> None:
    [line, *_] = [m for m in messages if ["turn", 1] in m["st"].get("ev", [])]
    line["st"]["ev"].append(["double-turn"])


def _turn_back_the_river(messages: list[dict[str, Any]]) -> None:
    bends = [m for m in messages if m["act"].startswith(("TILE RI.1/II", "TILE RI.1/RrII"))]
    [legal] = [m["legal"] for m in bends if len(m["legal"]) == 1][:1]
    name, tile, x, y, rotation = legal[0].split()
    legal.append(f"{name} {tile} {x} {y} {(int(rotation) + 1) % 4}")


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
        (_lose_a_builder_place, "d_2p", "legal actions"),
        (_lose_a_pig_place, "d_2p", "legal actions"),
        (_lose_the_goods, "dw_2p", "goods"),
        (_forget_a_second_part, "dw_2p", "first part"),
        (_begin_a_second_part, "d_2p", "first part"),
        (_turn_back_the_river, "r_2p", "legal actions"),
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


def test_changed_final_tiles_are_noticed():
    log = deepcopy(logs("a_2p", 1)[0])
    log.end["discarded"].append(log.end["placed"].pop()[0])
    report = Report()
    assert not Match(log, report).play()
    whats = [difference.what for difference in report.differences]
    assert whats == ["placed tiles", "discarded tiles"]


def test_a_last_round_that_they_repeat_is_left_out_by_name():
    report = replay_logs(logs("bw_4p", 2)[1:])["bw_4p"]
    assert report.differences == []
    assert report.skipped[Skip.TAKEN_BACK] == report.skipped[Skip.OTHER_ROUND] == 6
    assert report.compared["AbbeyEndGamePhase"] == 1


@pytest.mark.parametrize(
    ("config", "number", "reason", "n"),
    [
        ("cw_3p", 1, Skip.WAGON_FROM_CASTLE, 1),
        ("cw_3p", 2, Skip.NEIGHBOUR_BRIDGE, 1),
        ("cw_3p", 8, Skip.ONE_TOWN, 1),
        ("cw_3p", 10, Skip.ONE_TOWN, 1),
        ("cn_3p", 0, Skip.PICKED_AHEAD, 6),
        ("cn_3p", 0, Skip.LAST_LOT, 6),
        ("d_2p", 2, Skip.COMPLETE_FEATURE, 1),
        ("e_2p", 10, Skip.ONE_BAZAAR, 1),
        ("ew_4p", 5, Skip.ABBEY_FOR_BOUGHT, 2),
        ("r_2p", 2, Skip.RIVER_NEAR_TILES, 1),
    ],
)
def test_what_they_do_not_ask_is_left_out_by_name(config: str, number: int, reason: Skip, n: int):
    report = replay_logs(logs(config, number + 1)[number:])[config]
    assert report.differences == []
    assert report.skipped[reason] == n


def test_a_game_with_a_bazaar_taken_out_is_no_record():
    [*_, log] = logs("e_2p", 11)
    with pytest.raises(ValueError, match="taken out"):
        record_of(log)


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


def position(sets: str, tiles: str) -> Position:
    """A position with these tiles, the last one just placed by A."""
    head = f"[carc_env position 1]\n[rules {{sets: [{sets}]}}]\n[scores 0:0]\n[turn A acts]"
    return parse_position(f"{head}\n{tiles}")


def test_builders_in_complete_features_are_found():
    tiles = "bg-cap-straight 0,0 r0: A meeple N\nbg-cap-curve-right 0,-1 r2"
    names = {"builder S", "builder N", "meeple S", "pass"}
    found = builders_in_complete_features(names, (0, -1), position("base, traders", tiles))
    assert found == {"builder S"}


RIVER_TILES = """\
rv-source 0,0 r0
rv-straight -1,0 r0
rv-bend -2,0 r2
rv-caps-opposite -2,-1 r1
rv-bend-garden -2,-2 r3
rv-straight -1,-2 r0"""


@pytest.mark.parametrize(
    ("name", "is_near"),
    [
        ("rv-road-bend 0,-2 r0", True),
        ("rv-road-bend 0,-2 r1", False),
        ("rv-cap-gate 0,-2 r0", False),
        ("bg-monastery 0,-1 r0", False),
        ("aside", False),
    ],
)
def test_rivers_near_tiles_are_found(name: str, is_near: bool):
    board = position("base, river1", RIVER_TILES)
    assert rivers_near_tiles({name}, board) == ({name} if is_near else set())


def test_the_river_wants_five_cells_ahead():
    ahead = {(1, -1), (1, 1), (2, 0), (2, -1), (2, 1)}
    assert cells_ahead(0, 0, "E", occupied=set()) == ahead
    assert cells_ahead(0, 0, "E", occupied={(1, 0)}) == set()


@pytest.mark.parametrize(
    ("phase", "act", "owner", "reason"),
    [
        ("AbbeyPhase", "PASS", 1, Skip.ABBEY_FOR_BOUGHT),
        ("AbbeyPhase", "PASS", 0, None),
        ("AbbeyPhase", "TILE AM/A 0 1 0", 1, None),
        ("BazaarPhase", "PASS", 1, None),
        ("CommitAbbeyPassPhase", "COMMIT", 1, Skip.COMMIT),
    ],
)
def test_an_abbey_is_no_choice_for_a_bought_tile(
    phase: str, act: str, owner: int, reason: Skip | None
):
    before = {"turn": 1, "bazaar": [["BA/L", 3, None, owner]]}
    assert decision_skip({"phase": phase, "act": act}, before) == reason


BAZAAR, OTHER = "TILE BB/F.b 0 1 0", "TILE BA/C 0 1 0"


def turn_in_parts(
    first: str, second: str | None, *, n_left: int, opens: bool
) -> list[dict[str, Any]]:
    """Messages of a turn that places one or two tiles and perhaps opens a bazaar for two."""
    messages = [
        {"act": first, "st": {"phase": "CommitActionPhase", "pack": n_left}},
    ]
    if second:
        n_left -= 1
        begin = {"phase": "TilePhase", "pack": n_left, "ev": [["double-turn"]]}
        messages += [
            {"act": "COMMIT", "st": begin},
            {"act": second, "st": {"phase": "CommitActionPhase", "pack": n_left}},
        ]
    shown = {"phase": "BazaarPhase", "pack": n_left - 2, "bazaar": [["BA/L", 0, None, None]] * 2}
    over = {"phase": "TilePhase", "pack": n_left - 1, "ev": [["turn", 1]]}
    return [*messages, {"act": "COMMIT", "st": shown if opens else over}]


@pytest.mark.parametrize(
    ("first", "second", "n_left", "opens", "reasons"),
    [
        (BAZAAR, None, 9, True, [None]),
        (BAZAAR, None, 1, False, [None]),
        (BAZAAR, OTHER, 9, True, [None, None]),
        (OTHER, BAZAAR, 9, True, [None, None]),
        (BAZAAR, BAZAAR, 9, True, [None, Skip.ONE_BAZAAR]),
        (BAZAAR, OTHER, 2, False, [Skip.STACK_USED_UP, None]),
        (BAZAAR, OTHER, 1, False, [None, None]),
        (OTHER, OTHER, 2, False, [None, None]),
    ],
)
def test_bazaars_that_they_do_not_hold(
    first: str, second: str | None, n_left: int, opens: bool, reasons: list[Skip | None]
):
    messages = turn_in_parts(first, second, n_left=n_left, opens=opens)
    placements = [k for k, line in enumerate(messages) if line["act"].startswith("TILE")]
    assert [missing_bazaar(messages, k, 2) for k in placements] == reasons


def test_they_hold_no_bazaar_in_the_round_of_another():
    [line, *_] = turn_in_parts(BAZAAR, None, n_left=9, opens=False)
    line["st"]["bazaar"] = []
    assert missing_bazaar([line], 0, 2) == Skip.ONE_BAZAAR


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
        ("MEEPLE BigFollower 2 -1 Road SW", "large S"),
        ("MEEPLE Builder 2 -1 Road WE", "builder E"),
        ("MEEPLE Pig 2 -1 Field SR.WL", "pig Sw"),
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
    counts = {"SmallFollower": 3, "Barn": 1, "ABBEY_TILE": 1, "BRIDGE": 2, "CASTLE": 3, "WINE": 2}
    assert translate.supply(counts) == {
        Figure.MEEPLE: 3, Figure.LARGE: 0, Figure.ABBOT: 0, Figure.MAYOR: 0, Figure.WAGON: 0,
        Figure.BUILDER: 0, Figure.PIG: 0, Figure.BARN: 1,
    }  # fmt: skip


def test_goods_name_what_the_log_leaves_out():
    counts = {"SmallFollower": 3, "CLOTH": 2, "WINE": 1}
    assert translate.goods(counts) == {Good.WINE: 1, Good.GRAIN: 0, Good.CLOTH: 2}


def test_goods_score_at_no_place():
    events = [["score-final", [1, 10, "trade-goods", None]]]
    assert translate.scores(events) == [Score(1, 10, Kind.GOODS)]


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


TRADERS = {
    "sets": {"basic:2": 1, "inns-and-cathedrals:2": 1, "traders-and-builders:2": 1},
    "elements": {
        **SETUP["elements"],
        "big-follower": 1, "cathedral": True, "inn": True,
        "builder": 1, "pig": 1, "traders": True,
    },
}  # fmt: skip


def test_rules_of_inns_and_traders():
    rules = translate.rules(SETUP | TRADERS)
    assert rules.sets == ("base", "inns", "traders")
    assert rules.large_meeples and rules.inns
    assert rules.builders and rules.pigs and rules.goods
    assert rules.builder_bridge_trigger == "tile_must_join"


def test_their_bazaar_comes_after_the_second_part():
    elements = {**TRADERS["elements"], "bridge": 1, "castle": 1, "bazaar": True}
    sets = {**TRADERS["sets"], "bridges-castles-and-bazaars:2": 1}
    rules = translate.rules({**SETUP, "sets": sets, "elements": elements})
    assert rules.bazaar_builder_order == "builder_first"


@pytest.mark.parametrize(("element", "missing"), [("inn", "cathedral"), ("cathedral", "inn")])
def test_half_of_a_switch_is_refused(element: str, missing: str):
    elements = {**SETUP["elements"], element: True}
    with pytest.raises(UnknownWord, match=f"element without '{missing}'"):
        translate.rules({**SETUP, "elements": elements})


RIVER = {
    "sets": {"basic:2": 1, "river/1:2": 1},
    "elements": {**SETUP["elements"], "river": True},
    "start": translate.SOURCE,
}


def test_rules_of_the_river():
    assert translate.rules(SETUP | RIVER).sets == ("base", "river1")


@pytest.mark.parametrize(("river", "start"), [(RIVER, translate.START), ({}, translate.SOURCE)])
def test_the_river_begins_at_its_source(river: dict[str, Any], start: object):
    with pytest.raises(UnknownWord, match="start"):
        translate.rules({**SETUP, **river, "start": start})


# Their board turned as ours lies.


@pytest.mark.parametrize(("start", "turns"), [(translate.START, 0), (translate.SOURCE, 2)])
def test_our_start_tile_is_not_turned(start: list[dict[str, Any]], turns: int):
    assert translate.board_turns(start) == turns
    [tile] = start
    laid = translate.placed_tile(tile["tile"], 0, 0, tile["rotation"] + turns)
    assert laid.rotation == 0


@pytest.mark.parametrize(
    ("turns", "text", "turned"),
    [
        (1, "TILE BA/RFr 2 -1 3", "TILE BA/RFr 1 2 0"),
        (2, "TILE BA/RFr 2 -1 3", "TILE BA/RFr -2 1 1"),
        (3, "TILE BA/RFr 2 -1 3", "TILE BA/RFr -1 -2 2"),
        (1, "TILE BA/L 2 -1 0 BRIDGE 3 -1 WE", "TILE BA/L 1 2 1 BRIDGE 1 3 NS"),
        (1, "MEEPLE SmallFollower 2 -1 City NW", "MEEPLE SmallFollower 1 2 City NE"),
        (2, "MEEPLE SmallFollower 2 -1 Road _W", "MEEPLE SmallFollower -2 1 Road _E"),
        (1, "MEEPLE Mayor 0 0 City NWSE", "MEEPLE Mayor 0 0 City NWSE"),
        (1, "MEEPLE Pig 0 0 Field NL.WL.WR", "MEEPLE Pig 0 0 Field NL.NR.EL"),
        (2, "MEEPLE Pig 0 0 Field EL.ER.SL", "MEEPLE Pig 0 0 Field NL.WL.WR"),
        (3, "MEEPLE Pig 0 0 Field II", "MEEPLE Pig 0 0 Field II"),
        (1, "MEEPLE Barn 2 -1 Field NL.NR.WR", "MEEPLE Barn 2 2 Field NL.WR"),
        (2, "MEEPLE Barn 2 -1 Field NL.NR.WR", "MEEPLE Barn -1 2 Field NL.WR"),
        (1, "RETURN ABBOT_RETURN 1.a.1 2 -1 Garden I", "RETURN ABBOT_RETURN 1.a.1 1 2 Garden I"),
        (1, "BRIDGE 2 -1 NS", "BRIDGE 1 2 WE"),
        (1, "CASTLE 2 -1 N", "CASTLE 1 2 E"),
        (2, "BAZAAR_BID 1 3", "BAZAAR_BID 1 3"),
        (2, "PASS", "PASS"),
    ],
)  # fmt: skip
def test_turned_action(turns: int, text: str, turned: str):
    assert turning.action(text, turns) == turned


@pytest.mark.parametrize(
    ("event", "turned"),
    [
        (["tile", "BA/RFr", 2, -1, 3], ["tile", "BA/RFr", -2, 1, 1]),
        (
            ["deployed", "Barn", 0, [2, -1, "Field", "NL.WR"]],
            ["deployed", "Barn", 0, [-1, 2, "Field", "NL.WR"]],
        ),
        (
            ["returned", "Pig", 0, [2, -1, "Field", "SL"], False],
            ["returned", "Pig", 0, [-2, 1, "Field", "NL"], False],
        ),
        (
            ["score", [0, 2, "road", [0, 3, "Road", "W"]], [1, 2, "road", [0, 3, "Road", "W"]]],
            ["score", [0, 2, "road", [0, -3, "Road", "E"]], [1, 2, "road", [0, -3, "Road", "E"]]],
        ),
        (
            ["score-final", [1, 10, "trade-goods", None]],
            ["score-final", [1, 10, "trade-goods", None]],
        ),
        (["token", "BRIDGE", [1, 2, "Road", "NS"]], ["token", "BRIDGE", [-1, -2, "Road", "NS"]]),
        (
            ["castle", [0, 1, "Castle", "S"], [0, 2, "Castle", "N"]],
            ["castle", [0, -1, "Castle", "N"], [0, -2, "Castle", "S"]],
        ),
        (["token-received", 0, "WINE", 2], ["token-received", 0, "WINE", 2]),
        (["double-turn"], ["double-turn"]),
    ],
)
def test_turned_event(event: list[Any], turned: list[Any]):
    assert turning.event(event, 2) == turned


@pytest.mark.parametrize(
    "text",
    ["MEEPLE Pig 0 0 Field NL.XX", "MEEPLE SmallFollower 0 0 Road NX", "BRIDGE 0 0 EW"],
)
def test_unknown_places_are_not_turned(text: str):
    with pytest.raises(UnknownWord, match="no translation for"):
        turning.action(text, 1)


def test_a_log_turned_all_the_way_is_the_same():
    [log] = logs("r_2p", 1)
    once = turning.turned_log(log, 1)
    assert once.messages[0]["act"] != log.messages[0]["act"]
    around = turning.turned_log(turning.turned_log(once, 1), 2)
    pairs = [(m["act"], n["act"]) for m, n in zip(around.messages, log.messages, strict=True)]
    assert all(ours == theirs for ours, theirs in pairs if "Barn" not in theirs)
    assert around.end == log.end


# Their draw order and their stacks.


@pytest.mark.parametrize(
    ("first", "opens", "shown"), [(BAZAAR, True, 3), (BAZAAR, False, None), (OTHER, True, None)]
)
def test_a_bazaar_waits_for_the_second_part(first: str, opens: bool, shown: int | None):
    assert waiting_bazaar(turn_in_parts(first, OTHER, n_left=9, opens=opens), 1) == shown


def test_both_parts_of_a_turn_know_where_the_second_begins():
    messages = turn_in_parts(OTHER, OTHER, n_left=9, opens=False)
    messages += turn_in_parts(OTHER, None, n_left=7, opens=False)
    found = [begins_second_part(messages, k) for k in range(len(messages))]
    assert found == [1, 1, 1, 1, None, None]


def test_a_second_part_without_tile_is_over_at_once():
    messages = turn_in_parts(OTHER, OTHER, n_left=9, opens=False)
    messages[1]["st"]["ev"].append(["turn", 1])
    assert begins_second_part(messages, 2) is None


def test_no_bazaar_waits_in_the_round_of_another():
    messages = turn_in_parts(BAZAAR, OTHER, n_left=9, opens=True)
    messages[1]["st"]["bazaar"] = []
    assert waiting_bazaar(messages, 1) is None


def test_tiles_of_a_bazaar_that_waits_are_drawn_before_those_of_the_second_part():
    names = ["BB/F.b", "BA/C", "BA/L", "BA/RRRR", "BA/CRRR"]
    header = {"draw": names, "st": {"pack": 4}}
    messages = turn_in_parts(BAZAAR, OTHER, n_left=4, opens=True)
    ours = [names[0], names[2], names[3], names[1], names[4]]
    assert draw_order(Log(header, messages, {})) == [translate.tile_id(name) for name in ours]


def test_stacks_of_the_river():
    names = ["RI.1/II", "RI.1/IFI", "RI.1/I.e", "BA/C", "BA/L", "BA/L"]
    sizes = stack_sizes([translate.tile_id(name) for name in names])
    assert sizes == (2, 1, 3)
    assert [n_in_stack(n, sizes) for n in range(7)] == [0, 1, 2, 3, 1, 1, 2]


def test_more_tiles_than_there_are_have_no_stack():
    with pytest.raises(ValueError, match="7 tiles left of 6"):
        n_in_stack(7, (2, 1, 3))


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

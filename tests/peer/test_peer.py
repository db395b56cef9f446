"""Bundled logs and records of an independent engine, and the results of replaying them."""

import json
import lzma
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from carc_env.engine.core.codes import Figure, Kind, Quarter, Stock
from carc_env.game.game import Game, Score
from carc_env.game.notation import parse_position
from carc_env.game.records import load_record, parse_record
from carc_env.position import Position, Prisoner, Waiting
from tests.peer import translate, turning
from tests.peer.differences import (
    LAST_ROUND,
    Skip,
    answers_beyond_limits,
    castle_of_castle,
    decision_skip,
    is_kept_from_opening,
    is_other_round,
    is_short_of_tiles,
    last_round_skips,
    neighbour_bridges,
)
from tests.peer.draws import begins_second_part, draw_order, n_in_stack, stack_sizes, waiting_bazaar
from tests.peer.inside import capture, captures_only_inside, has_fairy_inside, is_inside
from tests.peer.logs import Log, read_logs
from tests.peer.replay import Match, Report
from tests.peer.slice import record_of, short_log
from tests.peer.translate import DATA, UnknownWord

SETUP = {
    "sets": {"basic:2": 1},
    "elements": {"small-follower": 7, "abbot": 1, "farmers": True, "garden": True},
    "rules": {"wagon-move": "C2", "tiny-city-scoring": "4", "bazaar-no-auction": False},
    "players": 3,
    "start": translate.START,
}

RIVER_SETUP = {
    "sets": {"basic:2": 1, "river/1:2": 1},
    "elements": {**SETUP["elements"], "river": True},
    "start": translate.SOURCE,
}

RECORDS = sorted(DATA.glob("*.carc"))
LOGS = sorted((DATA / "logs").iterdir())
Lines = list[dict[str, Any]]


@cache
def bundled(name: str) -> Log:
    """Return a bundled log; do not change it, because it is cached."""
    [log] = read_logs(DATA / "logs" / f"{name}.jsonl.xz")
    return log


def name_of(path: Path) -> str:
    """Return the configuration and the number of a bundled log."""
    return path.name.partition(".")[0]


def setup_of(path: Path) -> dict[str, Any]:
    """Return the setup of a bundled log without reading the game."""
    with lzma.open(path) as file:
        setup: dict[str, Any] = json.loads(file.readline())["setup"]
    return setup


def parts_of(setup: dict[str, Any]) -> set[tuple[str, ...]]:
    """Return the sets, elements and rules of a setup."""
    kinds = ("sets", "elements", "rules")
    return {(kind, name, str(value)) for kind in kinds for name, value in setup[kind].items()}


def replayed(log: Log) -> Report:
    """Replay one game and return the report on it."""
    report = Report()
    Match(log, report).play()
    return report


# Bundled games.


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_record_replays_to_the_scores_of_the_independent_engine(path: Path):
    text = path.read_text(encoding="utf-8")
    record = parse_record(text)
    game = load_record(text)
    ours = {move.turn: move.scores for move in game.moves}
    theirs = {d.turn: d.scores for d in record.decisions if d.scores is not None}
    assert ours == theirs
    assert game.scores == record.scores
    assert game.is_over


RARE = {
    "bw_4p-0001": {Skip.TAKEN_BACK: 6, Skip.OTHER_ROUND: 6},
    "cn_3p-0000": {
        Skip.PICKED_AHEAD: 6, Skip.LAST_LOT: 6, Skip.TURN_OF_PICK: 6, Skip.PICKED_OWNER: 38,
    },
    "cw_3p-0008": {Skip.AFTER_DECLINED: 1},
    "cw_3p-0010": {Skip.ONE_TOWN: 1},
    "e_2p-0010": {Skip.ONE_BAZAAR: 1},
    "cou_4p-0001": {Skip.AFTER_LEAVING: 3, Skip.TURN_AT_THE_END: 3},
    "couv_3p-0001": {Skip.AFTER_LEAVING: 5, Skip.TURN_AFTER_ABBEYS: 1, Skip.TURN_AT_THE_END: 2},
    "couv_3p-0017": {Skip.AFTER_LEAVING: 3},
    "ew_4p-0000": {Skip.DRAWN_LATER: 1},
    "ew_4p-0005": {Skip.ABBEY_FOR_BOUGHT: 2},
    "ew_4p-0036": {Skip.ASKED_AGAIN: 1, Skip.OTHER_ROUND: 1},
    "flx_3p-0001": {Skip.DRAWN_LATER: 1, Skip.FAIRY_STAYS: 4},
    "flx_3p-0002": {Skip.SHARED_TOWN: 2, Skip.SECOND_ONLY: 2},
    "frx_3p-0013": {Skip.FERRY_BEHIND_TOKEN: 1},
    "frx_3p-0060": {Skip.FERRY_BEHIND_TOKEN: 1, Skip.BUILDER_ALONE: 4},
    "frx_3p-0018": {Skip.BESIDE_BUILDER: 1, Skip.BUILDER_IN_BONUS: 1},
    "frx_3p-0023": {Skip.BUILDER_ALONE: 16},
    "gmx_3p-0019": {Skip.MAGIC_IN_CASTLE: 47},
    "gmx_3p-0031": {Skip.OTHER_INGOTS: 1, Skip.TAKEN_BACK: 3, Skip.OTHER_ROUND: 3},
    "krx_3p-0001": {Skip.TURNED_BOARD: 1},
    "lbx_3p-0006": {
        Skip.ONE_TOWN: 1, Skip.AFTER_LEAVING: 7, Skip.ABBOT_IN_HUT: 1, Skip.BUILDER_BESIDE: 1,
        Skip.TURN_AT_THE_END: 3,
    },
    "lbx_3p-0008": {Skip.BRIDGE_OVER_TREE: 407},
    "lbx_3p-0014": {
        Skip.AFTER_LEAVING: 8, Skip.ABBOT_IN_HUT: 1, Skip.PART_AT_THE_END: 1,
        Skip.TURN_AT_THE_END: 1,
    },
    "lbx_3p-0050": {Skip.AFTER_LEAVING: 5, Skip.WATCHTOWERS_TOGETHER: 1, Skip.TRAPS_ASLEEP: 2},
    "ph_2p-0001": {Skip.SECOND_ONLY: 2},
    "phx_3p-0000": {Skip.TOWERS_ONLY: 1},
    "r2_2p-0036": {Skip.TURNED_BOARD: 1},
    "r_2p-0002": {Skip.TURNED_BOARD: 1},
    "ru_2p-0033": {Skip.ABBOT_IN_HUT: 1},
    "six_3p-0037": {Skip.ROUND_AGAIN: 1},
    "tow_4p-0035": {Skip.ONLY_RANSOM: 1},
    "v_4p-0052": {Skip.ABBOT_IN_HUT: 2},
    "vx_4p-0001": {
        Skip.DRAWN_LATER: 1, Skip.BEFORE_SHEEP: 6, Skip.FAIRY_STAYS: 10, Skip.TOWERS_ONLY: 1,
        Skip.AFTER_LEAVING: 27, Skip.FAIRY_INSIDE: 129, Skip.SECOND_ONLY: 4,
        Skip.SHARED_TOWN: 1, Skip.DONE_BY_HAND: 3, Skip.POINTS_BY_HAND: 4,
        Skip.WAGON_INTO_MAZE: 2, Skip.WATCHTOWERS_TOGETHER: 2,
    },
    "vx_4p-0002": {
        Skip.BEFORE_SHEEP: 1, Skip.FAIRY_STAYS: 4, Skip.TOWERS_ONLY: 1, Skip.AFTER_LEAVING: 22,
        Skip.FAIRY_INSIDE: 117, Skip.FAIRY_ALONE: 1, Skip.SECOND_ONLY: 1, Skip.DONE_BY_HAND: 5,
        Skip.POINTS_BY_HAND: 3, Skip.JOINED_BY_TOKEN: 7, Skip.BUILDER_IN_BONUS: 3,
    },
    "vx_4p-0003": {
        Skip.BEFORE_SHEEP: 9, Skip.FAIRY_STAYS: 8, Skip.TOWERS_ONLY: 1, Skip.AFTER_LEAVING: 20,
        Skip.FAIRY_INSIDE: 118, Skip.SECOND_ONLY: 1, Skip.BEFORE_CAPTURE: 2,
        Skip.CAPTURE_INSIDE: 5, Skip.DONE_BY_HAND: 5, Skip.POINTS_BY_HAND: 4,
        Skip.ABBOT_IN_HUT: 1, Skip.BUILDER_ALONE: 1, Skip.TURN_AT_THE_END: 2,
    },
    "vx_4p-0007": {
        Skip.BEFORE_SHEEP: 4, Skip.FAIRY_STAYS: 3, Skip.AFTER_LEAVING: 15, Skip.FAIRY_INSIDE: 220,
        Skip.SECOND_ONLY: 2, Skip.DONE_BY_HAND: 5, Skip.POINTS_BY_HAND: 9,
        Skip.ABBOT_IN_HUT: 1, Skip.BUILDER_BESIDE: 1, Skip.CONSOLED_FOR_BUILDER: 2,
    },
    "vx_4p-0033": {
        Skip.BEFORE_SHEEP: 3, Skip.FAIRY_STAYS: 6, Skip.AFTER_LEAVING: 28, Skip.FAIRY_INSIDE: 139,
        Skip.FAIRY_OF_MOVED: 8, Skip.SECOND_ONLY: 2, Skip.SHARED_TOWN: 1, Skip.DONE_BY_HAND: 4,
        Skip.ABBOT_IN_HUT: 1, Skip.BUILDER_IN_BONUS: 1,
    },
    "vx_4p-0041": {
        Skip.SECOND_ONLY: 1, Skip.BEFORE_SHEEP: 3, Skip.SHARED_TOWN: 2, Skip.FAIRY_INSIDE: 5,
    },
    "w_4p-0003": {
        Skip.AFTER_LEAVING: 3, Skip.TURN_AT_THE_END: 2, Skip.FAIRY_INSIDE: 33,
        Skip.CAPTURE_INSIDE: 1, Skip.BEFORE_CAPTURE: 1, Skip.DONE_BY_HAND: 5,
        Skip.POINTS_BY_HAND: 8,
    },
    "wt_2p-0017": {Skip.WATCHTOWERS_TOGETHER: 1},
    "wx_4p-0003": {
        Skip.AFTER_LEAVING: 14, Skip.TURN_AT_THE_END: 5, Skip.FAIRY_INSIDE: 97,
        Skip.CAPTURE_INSIDE: 2, Skip.DONE_BY_HAND: 2, Skip.POINTS_BY_HAND: 3,
        Skip.CASTLE_OF_CASTLE: 1,
    },
    "wx_4p-0007": {
        Skip.AFTER_LEAVING: 20, Skip.FAIRY_INSIDE: 89, Skip.DONE_BY_HAND: 2,
        Skip.POINTS_BY_HAND: 4, Skip.LAST_BAZAAR: 1,
    },
    "wx_4p-0067": {
        Skip.AFTER_LEAVING: 17, Skip.TURN_AFTER_ABBEYS: 1, Skip.TURN_AT_THE_END: 1,
        Skip.FAIRY_INSIDE: 119, Skip.DONE_BY_HAND: 6, Skip.POINTS_BY_HAND: 9,
        Skip.TAKEN_BACK: 2, Skip.OTHER_ROUND: 2, Skip.SHARED_SIDE: 2,
    },
}  # fmt: skip
"""Bundled log -> number of skips for each reason that occurs in a few games only."""

FREQUENT = {
    Skip.COMMIT, Skip.ONLY_PASS, Skip.BEFORE_SCORING, Skip.BEFORE_DRAWING, Skip.AFTER_WAGON,
    Skip.AFTER_CIRCLE,
    Skip.NEIGHBOUR_BRIDGE, Skip.WAGON_FROM_CASTLE, Skip.COMPLETE_FEATURE, Skip.LIMITED_BID,
    Skip.LYING_WAGON, Skip.NO_POINTS, Skip.GOODS_TOGETHER, Skip.OFFER_ORDER, Skip.ABBOT_INSIDE
}  # fmt: skip


SHORT = {
    "cn_3p-0000": (42, {
        Skip.LAST_LOT, Skip.OFFER_ORDER, Skip.PICKED_AHEAD, Skip.PICKED_OWNER, Skip.TURN_OF_PICK
    }),
    "couv_3p-0017": (21, {Skip.ONLY_PASS}),
    "cw_3p-0008": (105, {Skip.AFTER_DECLINED}),
    "e_2p-0010": (342, {Skip.ONE_BAZAAR}),
    "d_2p-0000": (322, {Skip.GOODS_TOGETHER}),
    "ew_4p-0005": (593, {Skip.ABBEY_FOR_BOUGHT}),
    "ew_4p-0036": (550, {Skip.ASKED_AGAIN}),
    "frx_3p-0018": (246, {Skip.BESIDE_BUILDER, Skip.BUILDER_IN_BONUS}),
    "frx_3p-0060": (334, {Skip.BUILDER_ALONE, Skip.FERRY_BEHIND_TOKEN}),
    "gmx_3p-0019": (128, {Skip.MAGIC_IN_CASTLE}),
    "gmx_3p-0031": (161, {Skip.OTHER_INGOTS}),
    "hsv_3p-0007": (21, {Skip.BEFORE_SCORING, Skip.COMMIT}),
    "lbx_3p-0006": (41, {Skip.COMPLETE_FEATURE, Skip.NO_POINTS, Skip.ONE_TOWN}),
    "lbx_3p-0008": (184, {Skip.BRIDGE_OVER_TREE}),
    "lbx_3p-0014": (695, {Skip.ABBOT_IN_HUT, Skip.PART_AT_THE_END}),
    "lbx_3p-0050": (539, {Skip.TRAPS_ASLEEP, Skip.WATCHTOWERS_TOGETHER}),
    "r_2p-0002": (21, {Skip.TURNED_BOARD}),
    "six_3p-0037": (657, {Skip.ROUND_AGAIN}),
    "tow_4p-0035": (278, {Skip.ONLY_RANSOM}),
    "v_4p-0052": (21, set()),
    "vx_4p-0001": (277, {Skip.DRAWN_LATER, Skip.WAGON_INTO_MAZE}),
    "vx_4p-0002": (461, {
        Skip.AFTER_LEAVING, Skip.FAIRY_ALONE, Skip.FAIRY_STAYS, Skip.JOINED_BY_TOKEN,
        Skip.POINTS_BY_HAND, Skip.TOWERS_ONLY, Skip.WAGON_FROM_CASTLE
    }),
    "vx_4p-0007": (712, {Skip.BUILDER_BESIDE, Skip.CONSOLED_FOR_BUILDER}),
    "vx_4p-0033": (808, {Skip.FAIRY_OF_MOVED}),
    "vx_4p-0041": (95, {
        Skip.AFTER_CIRCLE, Skip.AFTER_WAGON, Skip.BEFORE_DRAWING, Skip.BEFORE_SHEEP,
        Skip.FAIRY_INSIDE, Skip.LIMITED_BID, Skip.NEIGHBOUR_BRIDGE, Skip.SECOND_ONLY,
        Skip.SHARED_TOWN
    }),
    "w_4p-0003": (127, {
        Skip.ABBOT_INSIDE, Skip.BEFORE_CAPTURE, Skip.CAPTURE_INSIDE, Skip.DONE_BY_HAND
    }),
    "wx_4p-0003": (755, {Skip.CASTLE_OF_CASTLE}),
    "wx_4p-0007": (1013, {Skip.LAST_BAZAAR}),
    "wx_4p-0067": (1014, {
        Skip.OTHER_ROUND, Skip.SHARED_SIDE, Skip.TAKEN_BACK, Skip.TURN_AFTER_ABBEYS,
        Skip.TURN_AT_THE_END
    }),
}  # fmt: skip
"""Bundled log -> number of messages in its beginning, and the reasons to skip that it adds.

Together, these beginnings cover every set, every switch and every reason to skip.
"""


@pytest.mark.parametrize("name", SHORT)
def test_the_beginning_of_a_log_shows_no_difference_and_what_is_skipped_is_named(name: str):
    n, added = SHORT[name]
    report = Report()
    Match(bundled(name), report).replay(n)
    assert report.differences == []
    assert {*report.skipped} >= added


def test_the_beginnings_have_every_reason_to_skip_and_every_part_of_a_setup():
    added = [reason for _, reasons in SHORT.values() for reason in reasons]
    elsewhere = {Skip.AFTER_DIFFERENCE, Skip.LYING_WAGON}  # in games that are not bundled
    assert {*added} == {*Skip} - elsewhere
    assert len(added) == len({*added})
    parts = {name_of(path): parts_of(setup_of(path)) for path in LOGS}
    assert set().union(*(parts[name] for name in SHORT)) == set().union(*parts.values())


@pytest.mark.long
@pytest.mark.parametrize("path", LOGS, ids=name_of)
def test_log_shows_no_difference_and_what_is_skipped_is_named(path: Path):
    name = name_of(path)
    report = replayed(bundled(name))
    assert report.differences == []
    assert report.n_compared > 100
    assert report.n_states > 100
    rare = {reason: n for reason, n in report.skipped.items() if reason not in FREQUENT}
    assert rare == RARE.get(name, {})


@pytest.mark.parametrize("path", LOGS, ids=name_of)
def test_a_setup_is_translated(path: Path):
    n_players = int(name_of(path).partition("p-")[0][-1])
    assert translate.rules(setup_of(path)).n_players == n_players


def test_every_reason_to_skip_is_bundled_or_follows_a_difference():
    rare = {reason for skipped in RARE.values() for reason in skipped}
    assert set(Skip) - rare - FREQUENT == {Skip.AFTER_DIFFERENCE}


def test_what_was_compared_adds_up():
    told = yaml.safe_load((DATA / "compared.yaml").read_text(encoding="utf-8"))
    n_games, n_decisions, n_states, n_differences = (
        sum(row) for row in zip(*told["configurations"].values(), strict=True)
    )
    page = (DATA.parents[2] / "docs/developers/peer.md").read_text(encoding="utf-8")
    assert f"{n_games:,} games were compared: {n_decisions:,} decisions" in page
    assert f"{n_states:,} states, with no difference" in page and n_differences == 0
    uncounted = {"AFTER_DIFFERENCE", "CASTLE_OF_CASTLE", "LAST_BAZAAR"}
    assert {*told["left_out"]} == {*Skip.__members__} - uncounted
    for row in told["left_out"].values():
        if row["where"] != "all":
            assert sum(row["where"].values()) == row["n"]
            assert {*row["where"]} <= {*told["configurations"]}


@pytest.mark.parametrize("name", ["fl_2p-0001", "hsv_3p-0007"])
def test_two_replays_of_a_log_are_the_same(name: str):
    matches = [Match(bundled(name), Report()) for _ in range(2)]
    assert all(match.play() for match in matches)
    one, other = (match.game.moves for match in matches)
    assert one == other
    assert any(move.token is not None for move in one)


def test_the_end_of_a_log_that_was_cut_off_on_purpose_is_not_compared(tmp_path: Path):
    log = bundled("a_2p-0000")
    path = tmp_path / "0000.jsonl.xz"
    path.write_bytes(short_log(log, 100))
    [short] = read_logs(path)
    assert (len(short.messages), short.is_cut, log.is_cut) == (99, True, False)
    assert replayed(short).differences == []


@pytest.mark.long
def test_the_logs_hold_all_words_that_are_translated():
    words = set()
    for path in LOGS:
        [log] = read_logs(path)
        for line in log.messages:
            words |= {word for text in line["legal"] for word in text.split()}
            words |= {row[4] for row in line["st"]["figs"]}
            rows = [row for event in line["st"].get("ev", []) for row in event[1:]]
            words |= {row[2].partition(".")[0] for row in rows if is_score(row)}
            words |= {name for hand in line["st"]["supply"] for name in hand}
            words |= {f"{line['phase']} {text}" for text in line["legal"]}
            words.add(line["st"]["phase"])
    tables = (
        translate.FIGURES, translate.KINDS, translate.ACTIONS, translate.SIDES, translate.ENCLOSED,
        translate.GOODS, translate.BRIDGES, translate.PHASES, translate.QUARTERS,
        {f"{phase} PASS" for phase in translate.PASSES}
    )  # fmt: skip
    assert {word for table in tables for word in table} - words == set()


def is_score(row: object) -> bool:
    """Return whether a part of an event is the score of a seat."""
    if not isinstance(row, list) or len(row) != 4 or "." in str(row[0]):
        return False
    return isinstance(row[1], int)


@pytest.mark.long
@pytest.mark.parametrize(
    "path", [path for path in RECORDS if (DATA / "logs" / f"{path.stem}.jsonl.xz").exists()]
)
def test_bundled_records_are_those_of_the_logs(path: Path):
    assert record_of(bundled(path.stem)) == path.read_text(encoding="utf-8")


def test_a_game_with_a_bazaar_taken_out_is_no_record():
    with pytest.raises(ValueError, match="mended"):
        record_of(bundled("e_2p-0010"))


@pytest.mark.parametrize("name", ["game.txt", "."])
def test_paths_without_logs_are_refused(tmp_path: Path, name: str):
    with pytest.raises(ValueError, match=r"\.jsonl"):
        list(read_logs(tmp_path / name))


def test_a_log_that_is_cut_off_is_refused(tmp_path: Path):
    path = tmp_path / "0000.jsonl"
    path.write_text('{"type": "setup"}\n{"i": 0}\n')
    with pytest.raises(ValueError, match="from a setup to an end"):
        list(read_logs(path))


# Changed logs.


def first(messages: Lines, **has: str) -> dict[str, Any]:
    """Return the first message whose phase, action or next phase begins with these words."""
    for line in messages:
        values = {"phase": line["phase"], "act": line["act"], "to": line["st"]["phase"]}
        if all(values[key].startswith(text) for key, text in has.items()):
            return line
    raise AssertionError(f"no message has {has}")


def without(word: str, phase: str = "") -> Callable[[Lines], None]:
    """Return a change that removes the legal actions with a word where they first occur."""

    def change(messages: Lines) -> None:
        for line in messages:
            left = [action for action in line["legal"] if word not in action]
            if line["phase"].startswith(phase) and len(left) < len(line["legal"]):
                line["legal"] = left
                return
        raise AssertionError(f"{word} is never offered")

    return change


def with_state(index: int, *path: str | int, value: object) -> Callable[[Lines], None]:
    """Return a change that puts another value into the state after a message."""

    def change(messages: Lines) -> None:
        *way, last = path
        place = messages[index]["st"]
        for key in way:
            place = place[key]
        assert place[last] != value
        place[last] = value

    return change


def _lose_an_event(messages: Lines) -> None:
    scoring = [m for m in messages if any(e[0] == "score" for e in m["st"].get("ev", []))]
    scoring[0]["st"]["ev"] = []


def _move_a_barn(messages: Lines) -> None:
    [barn, *_] = [row for row in messages[-1]["st"]["figs"] if row[0] == "Barn"]
    barn[2] += 1


def _turn_a_bridge(messages: Lines) -> None:
    events = [event for line in messages for event in line["st"].get("ev", [])]
    [token, *_] = [event for event in events if event[:2] == ["token", "BRIDGE"]]
    token[2][3] = "NS" if token[2][3] == "WE" else "WE"


def _lose_a_castle(messages: Lines) -> None:
    first(messages, act="CASTLE")["st"]["ev"] = []


def _lose_a_town(messages: Lines) -> None:
    first(messages, phase="CastlePhase").update(legal=["PASS"], act="PASS")


def _exchange_the_offer(messages: Lines) -> None:
    first(messages, to="BazaarPhase")["st"]["bazaar"].reverse()


def _change_an_owner(messages: Lines) -> None:
    [line, *_] = [m for m in messages if m["phase"] == "TilePhase" and m["st"].get("bazaar")]
    line["st"]["bazaar"][0][3] = line["player"]


def _raise_a_price(messages: Lines) -> None:
    line = first(messages, act="BAZAAR_SELECT")
    line["st"]["bazaar"][line["st"]["auctioned"]][1] += 1


def _bid_nothing(messages: Lines) -> None:
    first(messages, act="BAZAAR_BID")["legal"].append("BAZAAR_BID 0 0")


def _lose_a_bid(messages: Lines) -> None:
    line = first(messages, act="BAZAAR_BID")
    assert len(line["legal"]) > 2
    line["legal"] = ["PASS", line["act"]]


def _lose_a_pick(messages: Lines) -> None:
    line = first(messages, act="BAZAAR_SELECT")
    line["legal"] = [text for text in line["legal"] if text.split()[1] == line["act"].split()[1]]


def _lose_the_goods(messages: Lines) -> None:
    [hand, *_] = [hand for m in messages for hand in m["st"]["supply"] if "WINE" in hand]
    del hand["WINE"]


def _forget_a_second_part(messages: Lines) -> None:
    [line, *_] = [m for m in messages if ["double-turn"] in m["st"].get("ev", [])]
    line["st"]["ev"].remove(["double-turn"])


def _begin_a_second_part(messages: Lines) -> None:
    [line, *_] = [m for m in messages if ["turn", 1] in m["st"].get("ev", [])]
    line["st"]["ev"].append(["double-turn"])


def _turn_back_the_river(messages: Lines) -> None:
    bends = [m for m in messages if m["act"].startswith(("TILE RI.1/II", "TILE RI.1/RrII"))]
    [legal] = [m["legal"] for m in bends if len(m["legal"]) == 1][:1]
    name, tile, x, y, rotation = legal[0].split()
    legal.append(f"{name} {tile} {x} {y} {(int(rotation) + 1) % 4}")


def _lose_who_waits(messages: Lines) -> None:
    line = first(messages, to="CocCountPhase")
    line["st"]["figs"] = [row for row in line["st"]["figs"] if row[4] != translate.QUARTER]


@pytest.mark.once
@pytest.mark.parametrize(
    ("change", "name", "what"),
    [
        (without("PASS", "ActionPhase"), "a_2p-0000", "legal actions"),
        (with_state(5, "scores", 0, value=99), "a_2p-0000", "scores"),
        (with_state(5, "supply", 1, "Abbot", value=0), "a_2p-0000", "supplies"),
        (with_state(-1, "figs", value=[]), "a_2p-0000", "figures on the board"),
        (with_state(5, "pack", value=1), "a_2p-0000", "tiles left"),
        (_lose_an_event, "a_2p-0000", "features scored"),
        (with_state(5, "supply", 1, "ABBEY_TILE", value=0), "b_4p-0000", "abbeys"),
        (_move_a_barn, "b_4p-0000", "figures on the board"),
        (without("Barn"), "b_4p-0000", "legal actions"),
        (without("PASS", "WagonPhase"), "b_4p-0000", "legal actions"),
        (without("AM/A"), "b_4p-0000", "legal actions"),
        (with_state(0, "supply", 2, "BRIDGE", value=2), "c_3p-0000", "bridges in hand"),
        (_turn_a_bridge, "c_3p-0000", "bridges on the board"),
        (without("BRIDGE", "ActionPhase"), "c_3p-0000", "legal actions"),
        (with_state(0, "supply", 0, "CASTLE", value=2), "c_3p-0000", "castle tokens"),
        (_lose_a_castle, "c_3p-0000", "castles"),
        (_lose_a_town, "c_3p-0000", "legal actions"),
        (_exchange_the_offer, "c_3p-0000", "offer"),
        (_change_an_owner, "c_3p-0000", "offer"),
        (_raise_a_price, "c_3p-0000", "auction"),
        (_bid_nothing, "c_3p-0000", "legal actions"),
        (_lose_a_bid, "c_3p-0000", "legal actions"),
        (_lose_a_pick, "c_3p-0000", "legal actions"),
        (_lose_a_pick, "cn_3p-0000", "legal actions"),
        (without("Builder"), "d_2p-0000", "legal actions"),
        (without("Pig"), "d_2p-0000", "legal actions"),
        (_lose_the_goods, "dw_2p-0000", "goods"),
        (_forget_a_second_part, "dw_2p-0000", "first part"),
        (_begin_a_second_part, "d_2p-0000", "first part"),
        (_turn_back_the_river, "r_2p-0002", "legal actions"),
        (with_state(5, "count", value="QUARTER_MARKET"), "cou_4p-0001", "count"),
        (_lose_who_waits, "cou_4p-0001", "quarters"),
        (without("QUARTER_MARKET", "CocFollowerPhase"), "cou_4p-0001", "legal actions"),
        (without("QUARTER_MARKET", "CocCountPhase"), "cou_4p-0001", "legal actions"),
        (without("FROM", "CocScoringPhase"), "cou_4p-0001", "legal actions"),
        (without("FROM", "CocFinalScoringPhase"), "cou_4p-0001", "legal actions"),
        (with_state(5, "pack_all", value=99), "w_4p-0003", "tiles left in all"),
        (without("Tower I", "TowerCapturePhase"), "w_4p-0003", "legal actions"),
    ],
)
def test_a_changed_log_is_noticed(change: Callable[[Lines], None], name: str, what: str):
    log = deepcopy(bundled(name))
    change(log.messages)
    assert [difference.what for difference in replayed(log).differences] == [what]


def test_a_die_of_which_a_log_says_nothing_is_noticed():
    log = deepcopy(bundled("fl_2p-0001"))
    rolls = [event for m in log.messages for event in m["st"].get("ev", []) if event[0] == "flier"]
    rolls[0][:] = ["turn", 0]
    assert "what chance brings" in {difference.what for difference in replayed(log).differences}


def test_changed_final_tiles_are_noticed():
    log = deepcopy(bundled("a_2p-0000"))
    log.end["discarded"].append(log.end["placed"].pop()[0])
    whats = [difference.what for difference in replayed(log).differences]
    assert whats == ["placed tiles", "discarded tiles"]


# Towns of several seats that one tile completes.


def turn_into_castle(line: dict[str, Any], ends: list[tuple[int, int, str]]) -> None:
    """Replace the pass in a message: the player turns a town into a castle instead."""
    x, y, side = ends[0]
    st = line["st"]
    line["act"] = f"CASTLE {x} {y} {side}"
    st["supply"][line["player"]]["CASTLE"] -= 1
    st["ev"] = [["castle", *([*end[:2], "Castle", end[2]] for end in ends)]]
    for figure in st["figs"]:
        if tuple(figure[2:4] + figure[5:]) in ends:
            figure[4] = "Castle"


def castles_of_two_seats() -> Log:
    """Return a game up to a tile that completes a town each of seats 2 and 0, both made castles."""
    log = deepcopy(bundled("cw_3p-0008"))
    line = first(log.messages, phase="CastlePhase", act="PASS")
    del log.messages[log.messages.index(line) + 1 :]
    turn_into_castle(line, [(-1, -2, "W"), (-2, -2, "E")])
    line["st"] |= {"phase": "CastlePhase", "active": 0}
    other = deepcopy(line) | {"player": 0, "legal": ["CASTLE -1 -2 S", "PASS"]}
    other["st"] |= {"phase": "CommitActionPhase", "active": 1}
    turn_into_castle(other, [(-1, -2, "S"), (-1, -1, "N")])
    log.messages.append(other)
    return log


def test_seats_with_towns_are_asked_one_after_the_other():
    log, report = castles_of_two_seats(), Report()
    match = Match(log, report)
    match.replay()
    assert report.differences == []
    assert report.compared["CastlePhase"] == sum(
        line["phase"] == "CastlePhase" for line in log.messages
    )
    assert {Skip.ONE_TOWN, Skip.AFTER_DECLINED}.isdisjoint(report.skipped)
    assert len(match.game.position().castles) == 2
    assert [move.name for move in match.game.moves[-2:]] == ["castle", "castle"]


@pytest.mark.parametrize(
    ("change", "what"),
    [({"legal": ["PASS"], "act": "PASS"}, "legal actions"), ({"player": 2}, "towns")],
)
def test_another_answer_of_the_second_seat_is_noticed(change: dict[str, Any], what: str):
    log, report = castles_of_two_seats(), Report()
    log.messages[-1] |= change
    Match(log, report).replay()
    assert report.differences[0].what == what


def test_a_seat_that_they_forget_to_ask_after_a_castle_is_noticed():
    log = deepcopy(bundled("cw_3p-0008"))
    line = first(log.messages, phase="CastlePhase", act="PASS")
    turn_into_castle(line, [(-1, -2, "W"), (-2, -2, "E")])
    whats = [difference.what for difference in replayed(log).differences]
    assert {"scores", "decider", "phase"} <= set(whats)


@pytest.mark.parametrize("side", ["E", "S"])
def test_who_has_turned_a_town_with_the_last_token_is_not_asked_again(side: str):
    log, report = deepcopy(bundled("cw_3p-0010")), Report()
    [line] = [m for m in log.messages if m["phase"] == "CastlePhase" and len(m["legal"]) == 3]
    del log.messages[log.messages.index(line) :]
    match = Match(log, report)
    match.replay()
    position = match.game.position()
    match.game._states[0].players[1].stock[Stock.TOKEN] = 1
    line["act"] = f"CASTLE -5 -1 {side}"
    assert match._decide_towns(line)
    assert report.differences == []
    assert len(match.game.position().castles) == len(position.castles) + 1


# Repetitions in their last round of abbeys.


def last_round(answers: str) -> list[dict[str, Any]]:
    """Return messages of seats that decline, as in ``1``, or place their abbey, as in ``1!``."""
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
        ("1 2 0 1 2! 0", {1: Skip.TAKEN_BACK, 2: Skip.TAKEN_BACK, 3: Skip.ASKED_AGAIN}),
        ("1 2! 0 1 0!", {2: Skip.TAKEN_BACK, 3: Skip.ASKED_AGAIN}),
        ("1 2! 1", {2: Skip.ASKED_AGAIN}),
        ("1 2! 1!", None),
        ("1 2 0 1 2! 0! 1!", None),
    ],
)
def test_last_round(answers: str, left_out: dict[int, Skip] | None):
    assert last_round_skips(last_round(answers)) == left_out


def test_other_phases_are_no_last_round():
    messages = [{**line, "phase": "AbbeyPhase"} for line in last_round("1 1 1!")]
    assert last_round_skips(messages) == {}


def test_the_end_is_compared_whatever_was_repeated():
    messages = last_round("1 2! 1")
    for line, phase in zip(messages, [LAST_ROUND, LAST_ROUND, "GameOverPhase"], strict=True):
        line["st"] = {"phase": phase}
    skips = last_round_skips(messages) or {}
    assert [is_other_round(messages, k, skips) for k in range(3)] == [False, True, False]


# Decisions that they do not know.


def test_bridges_on_neighbours_are_found():
    names = {"bridge 2,-1 NS", "bridge 2,-1 EW", "bridge 3,-1 NS", "meeple N", "pass"}
    assert neighbour_bridges(names, (2, -1)) == {"bridge 3,-1 NS"}


def position(sets: str, tiles: str) -> Position:
    """Return a position with these tiles; A has just placed the last one."""
    head = f"[carc_env position 1]\n[rules {{sets: [{sets}]}}]\n[scores 0:0]\n[turn A acts]"
    return parse_position(f"{head}\n{tiles}")


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


@pytest.mark.parametrize(
    ("price", "points", "kept"),
    [
        (None, -1, "0"), (None, 0, "0"), (None, 2, "0 1 2"), (None, 9, "0 1 2 3"),
        (1, 9, "2 3 4 buy"), (1, 3, "2 3 buy"), (1, 1, "buy"), (2, 1, ""),
    ]
)  # fmt: skip
def test_answers_beyond_their_limits_are_found(price: int | None, points: int, kept: str):
    names = {*(f"bid {n}" for n in range(9)), "buy", "sell", "pass"}
    left = {"sell", "pass", *(w if w == "buy" else f"bid {w}" for w in kept.split())}
    found = answers_beyond_limits(names, price, points)
    assert names - found == left | ({"buy"} if price is None else set())


BAZAAR, OTHER = "TILE BB/F.b 0 1 0", "TILE BA/C 0 1 0"


def turn_in_parts(
    first: str, second: str | None, *, n_left: int, opens: bool
) -> list[dict[str, Any]]:
    """Return the messages of a turn that places one or two tiles and may open a bazaar for two."""
    messages = [{"act": first, "st": {"phase": "CommitActionPhase", "pack": n_left}}]
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
    ("first", "second", "kept"),
    [
        (BAZAAR, None, [False]),
        (BAZAAR, OTHER, [False, False]),
        (OTHER, BAZAAR, [False, False]),
        (BAZAAR, BAZAAR, [False, True]),
        (OTHER, OTHER, [False, False]),
    ],
)
def test_bazaars_that_they_do_not_hold(first: str, second: str | None, kept: list[bool]):
    messages = turn_in_parts(first, second, n_left=9, opens=True)
    placements = [k for k, line in enumerate(messages) if line["act"].startswith("TILE")]
    assert [is_kept_from_opening(messages, k) for k in placements] == kept


@pytest.mark.parametrize(
    ("first", "second", "n_left", "short"),
    [
        (BAZAAR, OTHER, 3, [False, False]),  # after the second part, one for each player
        (BAZAAR, OTHER, 2, [True, False]),  # after the second part, one too few
        (BAZAAR, OTHER, 1, [False, False]),  # too few even before the second part
        (BAZAAR, None, 2, [False]),
        (OTHER, BAZAAR, 2, [False, False]),
    ],
)
def test_bazaars_of_the_last_tiles(first: str, second: str | None, n_left: int, short: list[bool]):
    messages = turn_in_parts(first, second, n_left=n_left, opens=n_left > 2)
    for line in messages:
        line["st"]["scores"] = [0, 0]
    placements = [k for k, line in enumerate(messages) if line["act"].startswith("TILE")]
    assert [is_short_of_tiles(messages, k) for k in placements] == short


LORD = Score(0, 9, Kind.CASTLE)


@pytest.mark.parametrize(
    ("theirs", "found"),
    [
        ([Score(0, 4, Kind.CASTLE), Score(1, 9, Kind.CASTLE)], Score(0, 4, Kind.CASTLE)),
        ([Score(0, 4, Kind.CASTLE), Score(1, 9, Kind.GARDEN)], None),  # not from another castle
        ([Score(2, 4, Kind.CASTLE), Score(1, 9, Kind.CASTLE)], None),  # the castle of another seat
        ([Score(0, 12, Kind.CASTLE), Score(1, 9, Kind.CASTLE)], None),  # more than ours
        ([LORD, Score(1, 9, Kind.CASTLE)], None),
    ],
)
def test_castles_that_take_less_than_from_another_castle(theirs: list[Score], found: Score | None):
    ours = Counter([LORD, Score(1, 9, Kind.CASTLE)])
    assert castle_of_castle(ours, Counter(theirs)) == ((LORD, found) if found else None)


def test_they_hold_no_bazaar_in_the_round_of_another():
    [line, *_] = turn_in_parts(BAZAAR, None, n_left=9, opens=False)
    line["st"]["bazaar"] = []
    assert is_kept_from_opening([line], 0)


# The translation.


def test_every_tile_has_its_own_counterpart():
    ours = Counter(tile for tile, _ in translate.TILES.values())
    alike = {"wt-cap-gate-cities": 2}  # copies with separate names
    alike |= {"mo-monastery": 4, "mo-monastery-road": 2}  # each has its own picture
    assert {tile: n for tile, n in ours.items() if n > 1} == alike


@pytest.mark.parametrize(
    "text",
    [
        "TILE XX/RFr 0 1 0",
        "TILE BA/RFr 0 1 0 TOWER 0 1 NS",
        "TILE BA/RFr 0 1 0 BRIDGE 0 1 EW",
        "BRIDGE 0 1 EW",
        "MEEPLE Ringmaster 0 0 Field NL.NR",
        "MEEPLE SmallFollower 0 0 Quarter QUARTER_STABLE",
        "MEEPLE SmallFollower 0 0 Road N FROM QUARTER_STABLE",
        "MEEPLE SmallFollower 0 0 Road N VIA QUARTER_CASTLE",
        "COUNT QUARTER_STABLE",
        "MEEPLE SmallFollower 0 0 Road NX",
        "MEEPLE SmallFollower 0 0 Field NL.XX",
        "RETURN FLYING_MACHINE 1.abbot.1 2 -2 Monastery I",
        "JUMP 1",
    ],
)
def test_unknown_actions_are_refused(text: str):
    with pytest.raises(UnknownWord, match="no translation for"):
        translate.action_name(text, last=(0, 0))


@pytest.mark.parametrize(
    ("read", "text"), [(translate.town, "BRIDGE 0 1 NS"), (translate.lot, "BAZAAR_BID 2 3")]
)
def test_other_actions_are_neither(read: Callable[[str], object], text: str):
    with pytest.raises(UnknownWord, match=text):
        read(text)


def test_rules_without_abbot_and_with_small_cities_of_2():
    elements = {name: n for name, n in SETUP["elements"].items() if name != "abbot"}
    setup = {**SETUP, "elements": elements, "rules": {"tiny-city-scoring": "2"}}
    rules = translate.rules(setup)
    assert (rules.abbot, rules.small_city_points) == (False, 2)


@pytest.mark.parametrize(("element", "missing"), [("inn", "cathedral"), ("cathedral", "inn")])
def test_half_of_a_switch_is_refused(element: str, missing: str):
    elements = {**SETUP["elements"], element: True}
    with pytest.raises(UnknownWord, match=f"'{element} without {missing}'"):
        translate.rules({**SETUP, "elements": elements})


@pytest.mark.parametrize(
    ("river", "start"), [(RIVER_SETUP, translate.START), ({}, translate.SOURCE)]
)
def test_the_river_begins_at_its_source(river: dict[str, Any], start: object):
    with pytest.raises(UnknownWord, match="start"):
        translate.rules({**SETUP, **river, "start": start})


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
        ("elements", {**SETUP["elements"], "phantom": 2}, "element 'phantom=2'"),
        ("elements", {**SETUP["elements"], "small-follower": 8}, "element 'small-follower=8'"),
        ("rules", {"tiny-city-scoring": "3"}, "rule 'tiny-city-scoring=3'"),
        ("rules", {"gq11-pig-herd": "pig"}, "rule 'gq11-pig-herd=pig'"),
        ("start", [], "start"),
    ],
)
def test_unknown_setups_are_refused(key: str, value: object, message: str):
    with pytest.raises(UnknownWord, match=message):
        translate.rules({**SETUP, key: value})


# Their board, turned to match ours.


@pytest.mark.parametrize(("start", "turns"), [(translate.START, 0), (translate.SOURCE, 2)])
def test_our_start_tile_is_not_turned(start: list[dict[str, Any]], turns: int):
    assert translate.board_turns(start) == turns
    [tile] = start
    laid = translate.placed_tile(tile["tile"], 0, 0, tile["rotation"] + turns)
    assert laid.rotation == 0


@pytest.mark.parametrize(
    "text", ["MEEPLE Pig 0 0 Field NL.XX", "MEEPLE SmallFollower 0 0 Road NX", "BRIDGE 0 0 EW"]
)
def test_unknown_places_are_not_turned(text: str):
    with pytest.raises(UnknownWord, match="no translation for"):
        turning.action(text, 1)


@pytest.mark.parametrize("name", ["c_3p-0000", "e_2p-0010", "r_2p-0002"])
def test_two_quarter_turns_are_a_half_turn(name: str):
    log = bundled(name)
    once = turning.turned_log(log, 1)
    assert once.messages[0]["act"] != log.messages[0]["act"]
    assert turning.turned_log(once, 1) == turning.turned_log(log, 2)


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


def test_king_and_robber_are_no_figures_and_score_at_no_place():
    assert not any(translate.supply({"KING": 1, "ROBBER": 1}).values())
    events = [["score-final", [1, 6, "king", None], [0, 9, "robber", None]]]
    assert translate.scores(events) == [Score(1, 6, Kind.KING), Score(0, 9, Kind.ROBBER)]


# Carcassonne.


def test_the_city_lies_there_instead_of_the_start_tile():
    setup = {**SETUP, "sets": {"basic:2": 1, "count": 1}, "start": translate.CARCASSONNE}
    setup["elements"] = {**SETUP["elements"], "count": 1}
    rules = translate.rules(setup)
    assert (rules.count, rules.count_start_tile, rules.count_with_river) == (True, True, "allow")
    with pytest.raises(UnknownWord, match="start"):
        translate.rules({**setup, "start": translate.START})
    with pytest.raises(UnknownWord, match="start"):
        translate.rules({**setup, "elements": {**setup["elements"], "river": True}})


def test_a_capture_that_they_decline_changes_nothing():
    log, report = deepcopy(bundled("w_4p-0003")), Report()
    [line, *_] = [m for m in log.messages if captures_only_inside(m) and m["act"] != "PASS"]
    before = log.messages[log.messages.index(line) - 1]
    del log.messages[log.messages.index(line) + 1 :]
    line["act"] = "PASS"
    line["st"] |= {key: before["st"][key] for key in ("figs", "prisoners", "supply")}
    line["st"]["ev"] = []
    Match(log, report).replay()
    assert report.differences == []


def test_a_meeple_that_they_forget_to_capture_is_noticed():
    log = deepcopy(bundled("w_4p-0003"))
    [line, *_] = [m for m in log.messages if m["act"].startswith("CAPTURE") and is_inside(m["act"])]
    line["st"]["ev"] = []
    assert {"quarters"} <= {difference.what for difference in replayed(log).differences}


def test_points_for_the_fairy_inside_are_theirs():
    log = deepcopy(bundled("w_4p-0003"))
    scored = [m for m in log.messages if has_fairy_inside(m["st"]) and "fairy.turn" in str(m["st"])]
    scored[0]["st"]["ev"] = []
    assert "scores" in {difference.what for difference in replayed(log).differences}


@pytest.mark.parametrize(
    ("events", "waiting", "prisoners", "supplies"),
    [
        (
            [["returned", "SmallFollower", 0, [0, 0, "Quarter", "QUARTER_CASTLE"], True]],
            [Waiting(1, Quarter.MARKET, Figure.MEEPLE)],
            [Prisoner(1, 0, Figure.MEEPLE)],
            [6, 6],
        ),
        (
            [
                ["captured", "SmallFollower", 1, [0, 0, "Quarter", "QUARTER_MARKET"]],
                ["exchange", ["SmallFollower", 1], ["SmallFollower", 0]],
            ],
            [Waiting(0, Quarter.CASTLE, Figure.MEEPLE)],
            [],
            [6, 7],
        ),
    ],
)
def test_who_is_captured_inside_goes_home_or_is_exchanged(
    events: list[Any], waiting: list[Waiting], prisoners: list[Prisoner], supplies: list[int]
):
    game = Game({"preset": "count", "sets": ["base", "tower", "count"], "towers": True}, seed=1)
    first, second = game._states[0].players[:2]
    first.waiting[Quarter.CASTLE, Figure.MEEPLE] = second.waiting[Quarter.MARKET, Figure.MEEPLE] = 1
    second.prisoners[0, Figure.MEEPLE] = 1
    first.supply[Figure.MEEPLE], second.supply[Figure.MEEPLE] = 5, 6
    capture(game, 0, events)
    position = game.position()
    assert (list(position.waiting), list(position.prisoners)) == (waiting, prisoners)
    assert [game.supply(seat)[Figure.MEEPLE] for seat in range(2)] == supplies

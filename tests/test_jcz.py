"""Saves of JCloisterZone 5 become games: made here of the messages in logs of its games."""

import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from carc_env.__main__ import main
from carc_env.game.jcz import SaveError, load_jcz, players_of_jcz, read_jcz
from carc_env.game.records import format_record, load_record, parse_record
from tests.peer.logs import Log, read_logs

pytestmark = pytest.mark.once

LOGS = Path(__file__).parent / "data" / "peer" / "logs"
NAMES = (
    "a_2p-0000",
    "aw_2p-0000",
    "b_4p-0000",
    "c_3p-0000",
    "cn_3p-0000",
    "cou_4p-0001",
    "couv_3p-0017",
    "d_2p-0000",
    "fe_2p-0000",
    "go_2p-0001",
    "fl_2p-0001",
    "kr_2p-0000",
    "lb_2p-0001",
    "la_2p-0007",
    "mw_2p-0007",
    "cc_2p-0012",
    "da_2p-0015",
    "ph_2p-0001",
    "r_2p-0002",
    "si_2p-0000",
    "tu_2p-0001",
)


def log_of(name: str) -> Log:
    (log,) = read_logs(LOGS / f"{name}.jsonl.xz")
    return log


IDS = {
    "SmallFollower": "small",
    "BigFollower": "big",
    "Abbot": "abbot",
    "Mayor": "mayor",
    "Wagon": "wagon",
    "Builder": "builder",
    "Pig": "pig",
    "Barn": "barn",
    "Phantom": "phantom",
}


def message_of(line: dict[str, Any]) -> dict[str, Any]:
    """What was sent for a line of a log, which says it in fewer words."""
    kind, *words = line["act"].split()
    payload: dict[str, Any] = {}
    if kind == "TILE":
        tile, x, y, rotation, *_ = words
        rotated = f"R{90 * int(rotation)}"
        payload = {"tileId": tile, "rotation": rotated, "position": [int(x), int(y)]}
    elif kind == "MEEPLE":
        figure, x, y, feature, place, *_ = words
        pointer = {"position": [int(x), int(y)], "feature": feature, "location": place}
        payload = {"pointer": pointer, "meepleId": f"{line['player']}.{IDS[figure]}.1"}
        for event in line["st"].get("ev", []):
            if event[0] == "flier":  # a number below 1, of whose three parts it is the distance
                payload["random"] = (event[-1] - 0.5) / 3
    elif kind == "COUNT":
        payload = {"figureId": "count.1", "to": {"location": words[0], "feature": "Quarter"}}
    elif kind == "RETURN":
        payload = {"source": words[0]}
        if words[0] in ("FESTIVAL", "SIEGE_ESCAPE", "CORN_CIRCLE", "TRAP"):
            number, x, y, feature, place = words[1:]
            pointer = {"position": [int(x), int(y)], "feature": feature, "location": place}
            payload["pointer"] = {"featurePointer": pointer, "meepleId": number}
    elif kind == "GOLD":
        payload = {"token": ["a class", kind], "pointer": [int(word) for word in words]}
    elif kind == "BUILDING":
        name, *cell = words
        payload = {"token": ["a class", name], "pointer": [int(word) for word in cell]}
    elif kind in ("MAGE", "WITCH"):
        x, y, feature, place = words
        to = {"position": [int(x), int(y)], "feature": feature, "location": place}
        payload = {"figureId": f"{kind.lower()}.1", "to": to}
    elif kind in ("BAZAAR_SELECT", "BAZAAR_BID"):
        payload = {"supplyIndex": int(words[0]), "price": int(words[1])}
    elif kind == "CIRCLE":
        payload = {"value": words[0]}
    elif kind in ("BAZAAR_BUY", "BAZAAR_SELL"):
        payload = {"value": kind.removeprefix("BAZAAR_")}
    elif kind in ("BRIDGE", "CASTLE"):
        x, y, place = words
        pointer = {"position": [int(x), int(y)], "feature": "", "location": place}
        payload = {"token": ["a class", kind], "pointer": pointer}
    elif kind == "TUNNEL":
        token, x, y, place = words
        pointer = {"position": [int(x), int(y)], "feature": "Road", "location": place}
        payload = {"token": ["a class", token], "pointer": pointer}
    elif kind == "FERRY":
        x, y, place = words
        pointer = {"position": [int(x), int(y)], "feature": "Road", "location": place}
        payload = {"token": ["a class", kind], "pointer": pointer}
    types = {
        "TILE": "PLACE_TILE",
        "MEEPLE": "DEPLOY_MEEPLE",
        "RETURN": "RETURN_MEEPLE",
        "COUNT": "MOVE_NEUTRAL_FIGURE",
        "CIRCLE": "CIRCLE_REMOVE_OR_DEPLOY",
        "MAGE": "MOVE_NEUTRAL_FIGURE",
        "WITCH": "MOVE_NEUTRAL_FIGURE",
        "BRIDGE": "PLACE_TOKEN",
        "BUILDING": "PLACE_TOKEN",
        "GOLD": "PLACE_TOKEN",
        "CASTLE": "PLACE_TOKEN",
        "TUNNEL": "PLACE_TOKEN",
        "FERRY": "PLACE_TOKEN",
        "BAZAAR_SELECT": "BAZAAR_BID",
        "BAZAAR_BUY": "BAZAAR_BUY_OR_SELL",
        "BAZAAR_SELL": "BAZAAR_BUY_OR_SELL",
    }
    return {"type": types.get(kind, kind), "payload": payload, "player": line["player"]}


def save_of(log: Log) -> dict[str, Any]:
    """What the program would have saved of a game."""
    setup = log.header["setup"]
    return {
        "appVersion": "5.12.0",
        "gameId": "game",
        "name": "",
        "initialRandom": 0.5,
        "clock": 0,
        "setup": {name: setup[name] for name in ("sets", "elements", "rules", "start")},
        "players": [{"name": f"player {seat}", "slot": seat} for seat in range(setup["players"])],
        "replay": [message_of(line) for line in log.messages],
    }


@pytest.fixture
def save() -> dict[str, Any]:
    return save_of(log_of("a_2p-0000"))


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_game_has_the_scores_that_it_had_there(name: str) -> None:
    log = log_of(name)
    game = load_jcz(json.dumps(save_of(log)))
    assert game.is_over
    assert list(game.scores) == log.end["scores"]
    assert game.rules.auto_single and game.rules.view == type(game.rules)().view
    assert load_record(format_record(game)).moves == game.moves


def test_a_tile_whose_road_tunnels_break_is_ours_with_two_mouths() -> None:
    log = log_of("frx_3p-0018")
    game = load_jcz(json.dumps(save_of(log)))
    tiles = [tile.tile for tile in game.position().tiles]
    assert game.is_over and len(tiles) == len(log.end["placed"])
    assert "tu-span-tunnel-shield" in tiles and "am-span-tunnel-shield" not in tiles


def test_players_keep_their_names(save: dict[str, Any], tmp_path: Path) -> None:
    path, record = tmp_path / "game.jcz", tmp_path / "game.carc"
    path.write_text(json.dumps(save), encoding="utf-8")
    assert main(["show", str(path), "--record", str(record)]) == 0
    named = ("player 0", "player 1")
    assert players_of_jcz(json.dumps(save)) == parse_record(record.read_text()).players == named


def test_an_unfinished_game_goes_as_far_as_it_went(save: dict[str, Any]) -> None:
    save["replay"] = save["replay"][:40]
    game = load_jcz(json.dumps(save))
    placed = [line for line in save["replay"] if line["type"] == "PLACE_TILE"]
    assert not game.is_over
    assert len(game.position().tiles) == 1 + len(placed)


def test_saves_are_read_from_files(save: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "game.jcz"
    path.write_text(json.dumps(save), encoding="utf-8")
    assert read_jcz(path).is_over
    path.write_bytes(b"\xff\x00")
    with pytest.raises(SaveError, match="not a text file"):
        read_jcz(path)


def test_what_is_not_here_is_named(save: dict[str, Any]) -> None:
    save["setup"]["sets"]["crop-circles"] = 1
    save["setup"]["elements"]["vodyanoy"] = 1
    with pytest.raises(
        SaveError, match=r"set crop-circles, element vodyanoy=1; it has the sets ba"
    ):
        load_jcz(json.dumps(save))


def test_a_rule_that_is_not_here_is_named(save: dict[str, Any]) -> None:
    save["setup"]["rules"]["tiny-city-scoring"] = "0"
    with pytest.raises(SaveError, match="tiny-city-scoring=0"):
        load_jcz(json.dumps(save))


def test_an_abbot_needs_gardens(save: dict[str, Any]) -> None:
    del save["setup"]["elements"]["garden"]
    with pytest.raises(SaveError, match="abbot without garden"):
        load_jcz(json.dumps(save))


def begun(save: dict[str, Any], sets: list[str], **elements: Any) -> dict[str, Any]:
    """A save of a game in which nothing has happened."""
    save["replay"] = []
    needed = {"small-follower": 7, "farmers": True}
    save["setup"] |= {"sets": dict.fromkeys(sets, 1), "elements": needed | elements, "rules": {}}
    return save


def test_without_abbots_there_need_be_no_gardens(save: dict[str, Any]) -> None:
    game = load_jcz(json.dumps(begun(save, ["basic:2"])))
    assert not game.rules.abbot


def test_inns_need_cathedrals_where_a_tile_has_one(save: dict[str, Any]) -> None:
    bazaars = "bridges-castles-and-bazaars:2"
    game = load_jcz(json.dumps(begun(save, ["basic:2", bazaars], inn=True)))
    assert game.rules.inns
    with pytest.raises(SaveError, match="inn without cathedral"):
        load_jcz(json.dumps(begun(save, ["basic:2", "inns-and-cathedrals:2"], inn=True)))


def test_places_without_a_feature_are_understood(save: dict[str, Any]) -> None:
    whole = load_jcz(json.dumps(save))
    for line in save["replay"]:
        pointer = line["payload"].get("pointer", {})
        if pointer.get("feature") in ("City", "Road", "Field", "Monastery"):
            del pointer["feature"]
    assert load_jcz(json.dumps(save)).moves == whole.moves


def test_a_save_of_a_setup_alone_is_no_game(save: dict[str, Any]) -> None:
    del save["replay"], save["players"]
    with pytest.raises(SaveError, match="a setup, but no game"):
        load_jcz(json.dumps(save))


@pytest.mark.parametrize("name", ["a_2p-0000", "c_3p-0000"])
def test_a_damaged_save_is_refused_or_read(name: str) -> None:
    """Whatever is taken out or replaced anywhere, nothing but a ``SaveError`` comes of it."""
    whole = save_of(log_of(name))
    whole["replay"] = whole["replay"][:60]  # with an auction in one of the games
    dice, text = random.Random(name), json.dumps(whole)
    for _ in range(100):
        damaged = json.loads(text)
        place: Any = damaged
        while isinstance(place, dict | list) and place:
            key = dice.choice([*(place if isinstance(place, dict) else range(len(place)))])
            if dice.random() < 0.3 or not isinstance(place[key], dict | list):
                if dice.random() < 0.3:
                    del place[key]
                else:
                    place[key] = dice.choice([None, -1, 10**30, "", "x", [], {}, [[]], True, 0.5])
                break
            place = place[key]
        with suppress(SaveError):
            load_jcz(json.dumps(damaged))


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ({"type": "BAZAAR_BID", "payload": {"supplyIndex": 7}}, "message 1: there is no such tile"),
        ({"type": "FLOCK_EXPAND_OR_SCORE", "payload": {}}, "knows no FLOCK_EXPAND_OR_SCORE"),
        ({"type": "RETURN_MEEPLE", "payload": {"source": "PRINCESS"}}, "PRINCESS"),
        ({"type": "DEPLOY_MEEPLE", "payload": {}}, "message 1, DEPLOY_MEEPLE: 'pointer'"),
    ],
)
def test_a_message_that_is_not_known_is_named(
    save: dict[str, Any], message: dict[str, Any], said: str
) -> None:
    save["replay"].insert(0, message)
    with pytest.raises(SaveError, match=said):
        load_jcz(json.dumps(save))


def test_a_placement_that_is_not_legal_is_told_with_its_message(save: dict[str, Any]) -> None:
    first = next(line for line in save["replay"] if line["type"] == "PLACE_TILE")
    first["payload"]["position"] = [9, 9]
    with pytest.raises(SaveError, match=r"message 1, PLACE_TILE: .* is not legal"):
        load_jcz(json.dumps(save))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"setup": 3}', '{"setup": {"sets": {}, "elements": []}}', "null"]
)
def test_what_is_no_save_is_refused(text: str) -> None:
    with pytest.raises(SaveError):
        load_jcz(text)


def test_more_tiles_than_there_are_are_refused(save: dict[str, Any]) -> None:
    tile = {"type": "PLACE_TILE", "payload": {"tileId": "BA/L", "rotation": "R0", "position": [0]}}
    save["replay"] += [tile] * 9
    with pytest.raises(SaveError, match="more tiles were placed"):
        load_jcz(json.dumps(save))


def test_last_moves_in_another_order_are_told(save: dict[str, Any]) -> None:
    """There they begin behind the last player with an abbey, here behind the last tile."""
    with pytest.raises(SaveError, match="by our rules it is C who moves here"):
        load_jcz(json.dumps(save_of(log_of("couv_3p-0001"))))


def test_of_the_neutral_figures_only_the_count_is_read(save: dict[str, Any]) -> None:
    save["replay"].insert(0, {"type": "MOVE_NEUTRAL_FIGURE", "payload": {"figureId": "fairy.1"}})
    with pytest.raises(SaveError, match=r"does not read moves of fairy\.1"):
        load_jcz(json.dumps(save))

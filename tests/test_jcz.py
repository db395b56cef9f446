"""JCloisterZone 5 saves become games: saves made from game logs, and saves of its client."""

import json
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from carc_env.__main__ import main
from carc_env.game.game import Game
from carc_env.game.jcloisterzone import SETS, SOURCE, STARTS, TILES
from carc_env.game.jcz import SaveError, load_jcz, players_of_jcz, read_jcz
from carc_env.game.records import format_record, load_record, parse_record
from carc_env.rules import ON_TILES, Rules
from tests.peer.logs import Log, read_logs

pytestmark = pytest.mark.once

LOGS = Path(__file__).parent / "data" / "peer" / "logs"
NAMES = (
    "a_2p-0000 aw_2p-0000 b_4p-0000 c_3p-0000 cn_3p-0000 cou_4p-0001 couv_3p-0017 d_2p-0000 "
    "fe_2p-0000 go_2p-0001 fl_2p-0001 kr_2p-0000 lb_2p-0001 la_2p-0007 mw_2p-0007 cc_2p-0012 "
    "da_2p-0015 ph_2p-0001 r_2p-0002 si_2p-0000 tu_2p-0001"
).split()


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
    """Return the message that was sent for a line of a log, which is shorter."""
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
            if event[0] == "flier":  # below 1: the third it falls in is the distance
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
    """Return the save that the program would have written for a game."""
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
    """Turn a save into that of a game in which nothing has happened; return it."""
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
    """Whatever is removed or replaced anywhere, only a ``SaveError`` can result."""
    whole = save_of(log_of(name))
    whole["replay"] = whole["replay"][:60]  # with an auction in one of the two games
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
    """There they begin after the last player with an abbey, here after the last tile."""
    with pytest.raises(SaveError, match="by our rules it is C who moves here"):
        load_jcz(json.dumps(save_of(log_of("couv_3p-0001"))))


def test_of_the_neutral_figures_only_the_count_is_read(save: dict[str, Any]) -> None:
    save["replay"].insert(0, {"type": "MOVE_NEUTRAL_FIGURE", "payload": {"figureId": "fairy.1"}})
    with pytest.raises(SaveError, match=r"does not read moves of fairy\.1"):
        load_jcz(json.dumps(save))


# Saves as the client writes them: without what its sets enforce and without rules at their
# defaults. A game without gardens is one of the first edition.


def client_save(
    sets: str = "",
    elements: dict[str, Any] | None = None,
    replay: str = "",
    rules: dict[str, Any] | None = None,
    edition: int = 2,
    end: int | None = None,
    start: list[dict[str, Any]] | None = None,
    players: int = 2,
) -> str:
    """Return a save of the client; ``replay`` has short forms of the messages of two players."""
    gardens = {"abbot": 1, "garden": True} if edition == 2 else {}
    begin = next((STARTS[name] for name in sets.split() if name in STARTS), None)
    save = {
        "appVersion": "5.12.0",
        "gameId": "1",
        "name": "",
        "initialRandom": 0.25,
        "created": "2024-01-01T00:00:00.000Z",
        "clock": 9,
        "setup": {
            "sets": dict.fromkeys([f"basic:{edition}", *sets.split()], 1),
            "elements": {"small-follower": 7, "farmers": True} | gardens | (elements or {}),
            "rules": rules or {},
            "timer": None,
            "start": start or begin or [{"tile": "BA/RCr", "x": 0, "y": 0, "rotation": 0}],
            "options": {},
        },
        "players": [{"name": f"P{k}", "slot": k, "clientId": "x"} for k in range(players)],
        "replay": [
            {"type": kind, "payload": payload, "player": turn % 2, "clock": 1}
            for turn, words in enumerate(filter(None, replay.split(";")))
            for kind, payload in sent(words.split(), turn % 2)
        ],
    }
    if end is not None:
        save["gameAnnotations"] = {"drawOrder": [], "endTurn": end}
    return json.dumps(save)


def sent(words: list[str], player: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the messages of one turn: a tile, then the figure, escape or token if there is one."""
    tile, x, y, rotation, *rest = words
    place = {"tileId": tile, "rotation": f"R{rotation}", "position": [int(x), int(y)]}
    yield "PLACE_TILE", place
    if rest:
        what, feature, *cell, location = rest
        pointer = {"position": [*map(int, cell)], "location": location, "feature": feature}
        if what == "escape":
            yield "PASS", {}
            held = {"featurePointer": pointer, "meepleId": f"{player}.small.1"}
            yield "RETURN_MEEPLE", {"source": "SIEGE_ESCAPE", "pointer": held}
        elif what.startswith("TUNNEL"):
            yield "PLACE_TOKEN", {"token": what, "pointer": pointer}
            yield "PASS", {}
        else:
            yield "DEPLOY_MEEPLE", {"pointer": pointer, "meepleId": f"{player}.{what}.1"}
    else:
        yield "PASS", {}
    yield "COMMIT", {"random": 0.5}


@pytest.mark.parametrize("edition", [1, 2])
def test_a_game_with_the_river_begins_at_its_source(edition: int) -> None:
    game = load_jcz(client_save(f"river/1:{edition}", edition=edition, start=SOURCE))
    assert (game.n_tiles_left, game.rules.has_river) == (82, True)


@pytest.mark.parametrize(
    ("sets", "switch"),
    [
        ("wind-roses", "wind_roses"),
        ("watchtowers", "watchtowers"),
        ("flier:2", "flier"),
        ("corn-circles/1", "crop_circles"),
        ("corn-circles/2", "crop_circles"),
        ("labyrinth", "labyrinth"),
        ("darmstadt", "darmstadt"),
        ("russian-promos/2013 russian-promos/2016", "russian_promos"),
        ("monasteries", "lets_lie"),
    ],
)
def test_what_sets_enforce_is_in_play(sets: str, switch: str) -> None:
    assert getattr(load_jcz(client_save(sets)).rules, switch)


@pytest.mark.parametrize("name", [name for name in SETS if not name.startswith(("basic", "river"))])
def test_no_set_is_opened_with_its_rules_off(name: str) -> None:
    """A set alone turns on the rules that it enforces, or it is refused."""
    edition = 1 if name.endswith(":1") else 2
    try:
        rules = load_jcz(client_save(name, edition=edition)).rules
    except SaveError as error:
        assert name.removesuffix(":1").removesuffix(":2").partition("/")[0] in str(error)
        return
    needed = [k for k, tiles in ON_TILES.items() if (rules.tile_counts[: len(tiles)] * tiles).any()]
    assert all(getattr(rules, switch) for switch in needed)
    assert needed or rules.lets_lie


def test_a_hut_scores_as_the_promos_have_it() -> None:
    sets = "russian-promos/2013 russian-promos/2016"
    replay = "RU/L 0 1 0 small YagaHut 0 1 I; BA/C 0 -1 180"
    assert load_jcz(client_save(sets, replay=replay, end=2)).scores == (8, 0)


ARMS = (
    "LA/Rrrr 1 0 0; BA/RRR 1 -1 0 small Road 1 -1 S; BA/RRR 2 0 0 small Road 2 0 W; "
    "BA/RRR 1 1 90; BA/RRR -1 0 0"
)


def test_two_meeples_stand_on_arms_of_a_labyrinth() -> None:
    assert load_jcz(client_save("labyrinth", replay=ARMS)).scores == (10, 10)
    with pytest.raises(SaveError, match="message 8, DEPLOY_MEEPLE"):
        load_jcz(client_save("labyrinth", replay=ARMS, rules={"labyrinth-variant": "basic"}))


def test_a_rule_that_is_left_out_is_the_default_of_the_client() -> None:
    siege = {"escape": True}
    escape = (
        "BA/CFc.1 0 -1 90 small City 0 -1 NS; SI.BE/CcR 0 -2 180; BA/L 0 1 0 escape City 0 -1 NS"
    )
    assert load_jcz(client_save("siege/besiegers", siege, escape)).rules.siege_escape == "any_tile"
    with pytest.raises(SaveError, match="message 9, RETURN_MEEPLE"):
        variant = {"espace-variant": "siege-tile"}
        load_jcz(client_save("siege/besiegers", siege, escape, variant))
    sets, elements = "abbey-and-mayor:2 tunnel", {"tunnel": 1, "abbey": 1}
    mouth = "AM/CRcr+ 0 -1 90 TUNNEL_A Road 0 -1 E"
    assert load_jcz(client_save(sets, elements, mouth)).rules.tunnel_breaks_road
    with pytest.raises(SaveError, match="message 2, PLACE_TOKEN"):
        load_jcz(client_save(sets, elements, mouth, {"tunnelize-other-expansions": False}))


def test_rules_of_sets_that_are_not_here_mean_nothing() -> None:
    """Early versions of the client wrote all rules."""
    rules = {"gq11-pig-herd": "pig", "labyrinth-variant": "basic", "wagon-move": "C1"}
    assert load_jcz(client_save(rules=rules)).rules == load_jcz(client_save()).rules


def test_the_default_game_of_the_client_is_one_of_the_first_edition() -> None:
    game = load_jcz(client_save(edition=1))
    assert (game.rules.edition, game.rules.abbot, game.n_tiles_left) == ("C1", False, 70)
    assert not any(tile.endswith("-garden") for tile in game.draw)


def test_first_editions_have_plain_twins_for_tiles_with_gardens() -> None:
    """The second edition has a curve with a garden among its nine."""
    curves = "; ".join(f"BA/Rr {1 + k // 2} {(k + 1) // 2} {180 * (k % 2)}" for k in range(9))
    game = load_jcz(client_save(edition=1, replay=curves))
    assert [tile.tile for tile in game.position().tiles[1:]] == ["bg-curve"] * 9
    with pytest.raises(SaveError, match="more tiles were placed than these sets have: bg-curve"):
        load_jcz(client_save(edition=2, replay=curves))


def test_all_tiles_of_first_editions_have_a_name() -> None:
    ours = tuple({SETS[name]: None for name in SETS if name.endswith(":1")})
    game = Game(Rules(sets=ours, edition="C1", abbot=False))
    assert len(ours) == 13
    assert {*game.draw} <= {tile for tile, _ in TILES.values()}


def test_a_game_that_ends_early_is_scored() -> None:
    """A save can specify after how many tiles the game ends."""
    replay = "BA/L 0 1 0 small Monastery 0 1 I; BA/RFr 1 0 0; BA/C 0 -1 180"
    game = load_jcz(client_save(edition=1, replay=replay, end=3))
    assert (game.is_over, game.scores) == (True, (3, 0))
    assert not load_jcz(client_save(edition=1, replay=replay)).is_over


def test_the_herd_of_the_river_needs_its_element() -> None:
    sets, traders = "river/2:2 traders-and-builders:2", {"pig": 1, "pig-herd": True}
    assert not load_jcz(client_save("river/2:2", start=SOURCE)).rules.has_pig_herd
    assert load_jcz(client_save(sets, traders, start=SOURCE)).rules.has_pig_herd
    with pytest.raises(SaveError, match="carc_env does not have elements pig without pig-herd"):
        load_jcz(client_save(sets, {"pig": 1}, start=SOURCE))


@pytest.mark.parametrize(
    ("told", "missing"),
    [
        ({"elements": {"barn": 2}}, "element barn=2 (only barn=1)"),
        ({"elements": {"wagon": 2}}, "element wagon=2 (only wagon=1)"),
        ({"elements": {"shepherd": 2}}, "element shepherd=2 (only shepherd=1)"),
        ({"elements": {"mage": 1}}, "elements mage without witch"),
        ({"elements": {"abbot": 1, "garden": True}, "edition": 1}, "elements abbot in a first ed"),
        ({"sets": "gq11"}, "set gq11; it has the sets basic, inns-and-cathedrals, "),
        ({"sets": "river/1:1", "start": SOURCE}, "sets of two editions"),
        ({"sets": "russian-promos/2013"}, "sets without russian-promos/2016"),
        ({"sets": "goldmines"}, "tiles of goldmines without gold"),
        ({"players": 1}, "a game for 1 player (only 2 to 6)"),
        ({"rules": {"tiny-city-scoring": "3"}}, "rule tiny-city-scoring=3 (only tiny-city-scoring"),
        ({"start": [*STARTS["wind-roses"], *SOURCE]}, "start WR/CFR at 0,0 and RI/s at 0,0"),
    ],
)
def test_what_is_missing_is_said_in_a_sentence(told: dict[str, Any], missing: str) -> None:
    with pytest.raises(SaveError, match=re.escape(f"carc_env does not have {missing}")):
        load_jcz(client_save(**told))


def test_hidden_tiles_are_told_to_be_missing() -> None:
    with pytest.raises(
        SaveError, match="cannot read a save with hills: it does not contain what lies under them"
    ):
        load_jcz(client_save("hills-and-sheep:2", {"hill": True}))

"""The web server: whole games, wrong messages, restarts, other origins, and hidden information."""

import asyncio
import json
import re
import resource
import socket
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from carc_env import Game, Rules, format_record, load_record, parse_position
from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.engine.core.tiles import FACTS, N_SEGMENTS
from carc_env.game.records import parse_record
from carc_env.position import Position
from carc_env.render import board_svg
from carc_env.rules import PRESETS, SWITCHES, TILE_SETS
from carc_env.sets import ROOMS, read_all
from carc_env.systems import QUESTIONS, SYSTEMS, figure_actions, systems_in
from carc_env.systems.declaring import Anchor
from carc_env.web import hub as hubs
from carc_env.web import play as plays
from carc_env.web import view as views
from carc_env.web.__main__ import Settings
from carc_env.web.art import drawing
from carc_env.web.choices import rules_offered
from carc_env.web.features import about_feature
from carc_env.web.film import film_of
from carc_env.web.guests import check_name
from carc_env.web.hub import Reader
from carc_env.web.journal import Journal
from carc_env.web.messages import MAX_TEXT, parse
from carc_env.web.odds import Odds, fits
from carc_env.web.parts import BY_QUESTION, parts_of
from carc_env.web.play import Play, Sitter, Start, sitters_for, sources
from carc_env.web.texts import texts
from carc_env.web.view import changes, view_of
from tests.full_disk import full_disk
from tests.soak import random_rules
from tests.test_count_looks import Even
from tests.test_jcz import log_of, save_of
from tests.web_server import PERSONS, Page, page, serving

pytestmark = pytest.mark.once

STATIC = Path(hubs.__file__).parent / "static"
PAIR = (Sitter("Ann"), Sitter("Ben"))


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with serving(tmp_path_factory.mktemp("games")) as found:
        yield found


@pytest.fixture(scope="module")
def open_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    names = Settings(host="0.0.0.0").known_names
    with serving(tmp_path_factory.mktemp("open"), hosts=names, by_address=True) as found:
        yield found


@pytest.fixture
def tab(port: int) -> Iterator[Page]:
    with page(port) as found:
        yield found


def played(rules: Rules, n: int, seed: int = 1) -> Play:
    """Return a play after up to ``n`` random decisions."""
    play, random = (
        Play(Start(rules, seed), tuple(Sitter(f"P{k}") for k in range(rules.n_players))),
        Random(seed),
    )
    while play.ply < n and not play.game.is_over:
        play.act(random.choice(play.game.legal_actions()))
    return play


# ------------------------------------------------------------------------------- whole games


@pytest.mark.parametrize("preset", ["base", "all"])
def test_a_whole_game_by_random_messages(tab, preset):
    random = Random(preset)
    tab.begin(preset=preset, seed=3)
    while not tab.view["over"]:
        tab.act(random)
    assert tab.view["winners"] and tab.view["seed"] == "3"
    assert [sum(row.values()) for row in tab.view["sources"]] == tab.view["scores"]
    tab.ask("save", format="record", ply=tab.view["ply"])
    game = load_record(tab.hear("saved")["text"])
    assert list(game.scores) == tab.view["scores"]


def test_a_game_begins_with_every_switch_named(tab):
    rules = Rules.preset("big-box").to_dict()
    tab.begin(preset="big-box", **{**rules, "sets": list(rules["sets"])})
    assert "towers: true" in tab.view["rules"] and tab.view["phase"] == "PLACE_TILE"


def test_agents_play_to_the_end(tab):
    seats = [{"name": "Value", "agent": "value"}, {"name": "Greedy", "agent": "greedy"}]
    tab.begin(seats, deck_size=8)
    tab.ask("pace", delay=0)
    tab.hear("state", when=lambda _: tab.view["over"])
    tab.ask("review")
    review = tab.hear("review")
    assert [row["seat"] for row in review["seats"]] == [0, 1]
    assert all(0 <= row["accuracy"] <= 100 for row in review["seats"])
    assert all(v["lost"] >= 0 and sum(v["chance"]) == pytest.approx(1) for v in review["verdicts"])


def test_undo_goes_back_to_the_decision_of_a_person(tab):
    tab.begin([{"name": "Ann"}, {"name": "Greedy", "agent": "greedy"}], seed=5)
    tab.ask("pace", delay=0)
    before = [tab.view["tiles"], tab.view["actions"], tab.view["log"]]
    random = Random(1)
    while len(tab.view["tiles"]) < 6:
        tab.act(random)
        tab.wait_for_a_person()
    while tab.view["ply"]:
        tab.ask("undo")
        tab.hear("state", when=lambda m: "version" in m["view"])
    assert [tab.view["tiles"], tab.view["actions"], tab.view["log"]] == before
    tab.ask("undo")
    assert tab.hear("error")["why"] == "no_undo"


@pytest.mark.parametrize("seed", range(4))
def test_what_is_taken_back_draws_the_same_token_again(seed, tmp_path):
    """HS-44: undo never changes a draw, not even after a restart."""
    play = played(Rules.preset("hills-sheep"), 150, seed)
    actions, tokens = play.actions, play.tokens
    assert sum(token is not None for token in tokens) > 3
    journal = Journal(tmp_path)
    journal.write_all("0" * 10, play)
    for again in (play, journal.read("0" * 10)):
        for ply in (100, 50, 0):
            again.rewind(ply)
            for action in actions[ply:]:
                again.act(action)
            assert again.tokens == tokens


def test_what_was_drawn_is_told_whatever_the_random_numbers():
    """An opened record shows the tokens of its game, both in a film and at earlier decisions."""
    play = played(Rules.preset("hills-sheep"), 24, seed=2)
    assert any(token is not None for token in play.tokens)
    other = Play(replace(play.start, draw=play.game.draw, seed=99), PAIR)
    for decision in play.decisions:
        other.act(*decision)
    assert [other.at(ply).position() for ply in (8, 16, 24)] == [
        play.at(ply).position() for ply in (8, 16, 24)
    ]
    films = [film_of(one.start, play.decisions, tell=int) for one in (play, other)]
    assert films[0] == films[1]


def test_a_rematch_has_the_same_deck_and_other_seats_for_all_tabs(port, tab):
    tab.begin(seed=9)
    first = tab.view["hand"]
    with page(port) as other:
        other.ask("open", game=tab.game)
        other.hear("state")
        old = tab.game
        tab.ask("rematch", deck="same")
        assert other.hear("asked")["what"] == "rematch"  # the game is not over
        other.ask("agree", yes=True)
        for one in (tab, other):
            one.hear("state", when=lambda m: m["full"])
            assert one.view["hand"] == first
            assert [sitter["name"] for sitter in one.view["sitters"]] == ["Ben", "Ann"]
        assert tab.game == other.game != old


def test_a_rematch_may_have_another_deck(tab):
    tab.begin(seed=9)
    first, hands = tab.view["hand"], set()
    for _ in range(5):
        tab.ask("rematch", deck="new")
        tab.hear("state", when=lambda m: m["full"])
        hands.add(tab.view["hand"])
    assert hands != {first}


def test_a_seat_changes_hands_while_agents_move(tab):
    tab.begin([{"name": "A", "agent": "greedy"}, {"name": "B", "agent": "random"}])
    tab.ask("pace", delay=0)
    for agent in ("value", None, "random", "greedy"):
        tab.ask("seat", seat=0, agent=agent)
        tab.hear("state", when=lambda m: "sitters" in m["view"])
        assert tab.view["sitters"][0]["agent"] == agent
    if not tab.view["over"]:  # the agents may have finished before the last change
        tab.hear("state", when=lambda _: tab.view["over"])


def test_two_tabs_see_one_game(port, tab):
    tab.begin(seed=2)
    with page(port) as other:
        other.ask("open", game=tab.game)
        other.hear("state")
        random = Random(2)
        for k in range(12):
            mover, looker = ((tab, other), (other, tab))[k % 2]
            mover.act(random)
            looker.wait_for(mover.view["ply"])
        assert tab.view == other.view
        other.ask("act", ply=0, action=other.view["actions"][0]["action"])
        assert other.hear("error")["why"] == "gone_on"


def test_a_restart_brings_games_back(tmp_path):
    random = Random(4)
    with serving(tmp_path) as port, page(port) as tab:
        tab.begin(preset="all", seed=4)
        for _ in range(40):
            tab.act(random)
        tab.ask("undo")
        tab.hear("state", when=lambda m: "version" in m["view"])
        game, left = tab.game, tab.view
    file = tmp_path / f"{game}.jsonl"
    file.write_text(file.read_text() + '{"do": "bg-')  # as if the power failed during the write
    with serving(tmp_path) as port, page(port) as tab:
        tab.ask("games")
        assert [row["game"] for row in tab.hear("games")["games"]] == [game]
        tab.ask("open", game=game)
        tab.hear("state")
        assert {**tab.view, "version": 0} == {**left, "version": 0}
        tab.act(random)


def test_a_decision_that_cannot_be_saved_is_not_taken(tmp_path, caplog):
    with serving(tmp_path) as port, page(port) as tab:
        tab.begin(seed=4)
        tab.act(Random(1))
        action, ply = tab.view["actions"][0]["action"], tab.view["ply"]
        with full_disk():
            tab.ask("act", ply=ply, action=action)
            assert tab.hear("error")["why"] == "not_saved"
        assert f"{tab.game}.jsonl" in caplog.text and tab.view["ply"] == ply
        tab.act(Random(1))
        view, game = tab.view, tab.game
    with serving(tmp_path) as port, page(port) as tab:
        tab.ask("open", game=game)
        tab.hear("state")
        assert {**tab.view, "version": view["version"]} == view


def test_an_agent_waits_where_its_decision_cannot_be_saved(tmp_path, caplog):
    with serving(tmp_path) as port, page(port) as tab:
        tab.begin([{"name": "A", "agent": "greedy"}, {"name": "B", "agent": "greedy"}])
        with full_disk():
            tab.ask("pace", delay=0)
            assert tab.hear("error")["why"] == "not_saved"
            assert tab.hear("pace")["paused"]
        tab.ask("pace", delay=0)
        tab.hear("state", when=lambda _: tab.view["over"])


def test_a_deleted_game_can_be_restored_for_a_while(tmp_path, monkeypatch):
    monkeypatch.setattr(hubs, "KEPT", 0.2)
    with serving(tmp_path) as port, page(port) as tab:
        tab.begin(seed=4)
        tab.act(Random(1))
        view, game = tab.view, {"game": tab.game}
        tab.ask("delete", **game)
        tab.hear("left")
        assert [row["deleted"] for row in tab.hear("games")["games"]] == [True]
        tab.ask("open", **game)
        assert tab.hear("error")["why"] == "no_such_game"
        tab.ask("restore", **game)
        assert [row["deleted"] for row in tab.hear("games")["games"]] == [False]
        tab.ask("open", **game)
        tab.hear("state")
        assert tab.view == view
        tab.ask("delete", **game)
        tab.hear("games", when=lambda m: m["games"] == [])
        tab.ask("restore", **game)
        assert tab.hear("error")["why"] == "no_such_game"
    assert [*tmp_path.iterdir()] == []


def test_a_deleted_game_is_forgotten_when_the_server_ends(tmp_path):
    with serving(tmp_path) as port, page(port) as tab:
        tab.begin()
        kept = tab.game
        tab.begin()
        tab.ask("delete", game=tab.game)
        tab.hear("games")
    assert [path.name for path in tmp_path.iterdir()] == [f"{kept}.jsonl"]
    Journal(tmp_path).delete(kept)  # as if by a server that was then killed
    assert Journal(tmp_path).ids() == [] and [*tmp_path.iterdir()] == []


def test_deleting_another_game_leaves_the_one_that_is_looked_at(tab):
    tab.begin()
    other = tab.game
    tab.begin()
    tab.ask("delete", game=other)
    tab.hear("games")
    tab.act(Random(1))


# ---------------------------------------------------------------------- what cannot be shown


def fail(*_: Any, **__: Any) -> Any:
    raise ValueError("not enough values to unpack")


@pytest.mark.parametrize("part", ["_figures", "neutral_svgs", "stock", "parts_of", "_spot"])
def test_a_game_goes_on_where_a_part_of_it_cannot_be_drawn(tmp_path, monkeypatch, caplog, part):
    whole = getattr(views, part)

    def raises(*args: Any) -> Any:
        found = [one.position() if isinstance(one, Game) else one for one in args]
        is_new = any(isinstance(one, Position) and len(one.tiles) == 1 for one in found)
        return whole(*args) if is_new else fail()

    monkeypatch.setattr(views, part, raises)
    random = Random(4)
    with serving(tmp_path) as port, page(port) as tab:
        tab.begin(seed=4)
        while len(tab.view["tiles"]) < 5:
            ply = tab.view["ply"]
            while not tab.view["actions"]:
                tab.hear("state", "error")
            tab.ask("act", ply=ply, action=random.choice(tab.view["actions"])["action"])
            while tab.view["ply"] == ply:
                tab.hear("state", "error")
        tab.ask("undo")
        tab.skip_to("state")
        game, told = tab.game, [m for m in tab.heard if m["is"] == "error"]
    assert {m["why"] for m in told} == {"not_drawn"} and all("play on" in m["text"] for m in told)
    assert caplog.text.count("Traceback") == 1 and "unpack" in caplog.text and game in caplog.text
    with serving(tmp_path) as port, page(port) as tab:
        tab.ask("open", game=game)
        tab.skip_to("state")
        monkeypatch.undo()
        tab.ask("open", game=game)
        tab.skip_to("entered")
        tab.hear("state")
        tab.act(random)
        assert len(tab.view["figures"]) == sum(
            line["move"]["word"] == "figure" for line in tab.view["log"]
        )


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.* has no effect:UserWarning")
@pytest.mark.parametrize("seed", range(4))
def test_every_position_of_random_games_can_be_shown(seed, caplog):
    """The test prefers rare actions, so that pieces meet that seldom do."""
    random, seen = Random(seed), Counter[str]()
    rules = random_rules(random)
    play = Play(Start(rules, seed), sitters_for(rules.n_players))
    while not play.game.is_over and play.ply < 250:
        legal = play.game.legal_actions()
        kinds = [play.game.choice(action).kind for action in legal]
        (k,) = random.choices(range(len(legal)), [1 / (1 + seen[kind]) ** 2 for kind in kinds])
        seen[kinds[k]] += 1
        play.act(legal[k])
        assert view_of(play, play.ply, Even())["tiles"]
        if seen[kinds[k]] <= 3:
            assert board_svg(play.game.position(), legal=True, owners=True)
    assert caplog.text == "" and len(seen) > 5


def test_a_position_that_cannot_be_shown_can_be_left(tmp_path, monkeypatch, caplog):
    whole, stuck = hubs.view_of, set[int]()

    def view_of(play: Play, ply: int, *rest: Any) -> Any:
        return fail() if ply in stuck else whole(play, ply, *rest)

    monkeypatch.setattr(hubs, "view_of", view_of)
    with serving(tmp_path) as port, page(port) as tab:
        tab.begin(seed=4)
        tab.act(Random(4))
        ply, action, before = tab.view["ply"], tab.view["actions"][0]["action"], tab.view["actions"]
        stuck.add(ply + 1)
        tab.ask("act", ply=ply, action=action)
        assert tab.hear("error", "state")["is"] == "state"
        assert tab.view["actions"] == [] and tab.view["ply"] == ply + 1
        assert tab.hear("error")["why"] == "not_shown"
        game = tab.game
        tab.ask("look", ply=ply + 1)
        assert "Nothing is lost" in tab.hear("error")["text"]
        tab.ask("save", format="position", ply=ply + 1)
        assert parse_position(tab.hear("saved")["text"]).tiles
    with serving(tmp_path) as port, page(port) as tab:
        tab.ask("open", game=game)
        tab.hear("state")
        assert tab.hear("error")["why"] == "not_shown" and tab.view["canUndo"]
        tab.ask("undo")
        tab.hear("state")
        assert tab.view["ply"] == ply and tab.view["actions"] == before
        stuck.clear()
        tab.act(Random(4))
    assert caplog.text.count("no position can be shown") == 2


def test_a_log_that_cannot_be_told_leaves_the_game_playable(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(plays, "parts_of", fail)
    with serving(tmp_path) as port, page(port) as tab:
        tab.begin(seed=4)
        tab.act(Random(4))
        assert tab.view["log"][-1]["move"]["word"] == "named"
        game = tab.game
    assert "cannot be told in the log" in caplog.text
    assert Journal(tmp_path).read(game).ply == 1


def test_a_picture_that_cannot_be_drawn_is_told(tab, monkeypatch, caplog):
    monkeypatch.setattr(hubs, "board_svg", fail)
    tab.begin()
    tab.ask("save", format="svg", ply=0)
    assert tab.hear("error")["why"] == "not_shown" and "unpack" in caplog.text


# -------------------------------------------------------------------------- hidden information


def test_nothing_hidden_is_sent(tab):
    random = Random(6)
    tab.begin(preset="all", seed=123_456_789)
    for _ in range(40):
        tab.act(random)
        for kind in ("position", "svg"):
            tab.ask("save", format=kind, ply=tab.view["ply"])
            tab.hear("saved", "error")
    tab.ask("save", format="record", ply=tab.view["ply"])
    assert "tile order" in tab.hear("error")["text"]
    sent = "\n".join(tab.texts[1:])
    assert "123456789" not in sent and "[bag" not in sent and "[draw" not in sent


def test_the_view_does_not_depend_on_the_order_of_the_bag():
    play = played(Rules(), 20)
    one = view_of(play, play.ply, Odds(play.rules))
    play.game.reshuffle(99)
    assert view_of(play, play.ply, Odds(play.rules)) == one


def test_face_down_tiles_are_only_counted_and_the_log_names_what_was_picked():
    rules = Rules.preset("all", bazaar_builder_order="builder_first")
    random, seen = Random(0), set()
    for seed in range(20):
        play = Play(Start(rules, seed), PAIR)
        while not play.game.is_over and play.ply < 200:
            before, action = play.game.position().bazaar, random.choice(play.game.legal_actions())
            play.act(action)
            if before and play.log[-1]["move"]["word"] == "pick":
                picked = before.offer[play.log[-1]["move"]["number"] - 1].tile
                assert play.log[-1]["move"]["tile"] == picked
                seen.add("pick")
            if play.game.states[0].bazaar.starter >= 0:
                bazaar = view_of(play, play.ply, Even())["bazaar"]
                assert not (bazaar["lots"] and bazaar["waits"])
                assert bool(bazaar["faceDown"]) == bazaar["waits"]
                seen.add(bazaar["waits"])
        if seen == {True, False, "pick"}:
            return
    raise AssertionError("no bazaar has waited")


# ----------------------------------------------------------------------------- wrong messages


def test_random_bytes_and_wrong_json_get_an_error_each(tab):
    random = np.random.default_rng(0)
    wrong: list[str | bytes] = [random.bytes(int(n)) for n in random.integers(0, 200, 100)]
    wrong += ["", "{", "[]", "null", "1e999", '{"do": 3}', '{"do": "dance"}', "[" * 5000]
    wrong += [
        json.dumps({"do": "act", "ply": ply, "action": 1}) for ply in (-1, 1.5, "0", None, 1e9)
    ]
    wrong += [json.dumps({"do": "open", "game": game}) for game in ("../../etc", "", "a" * 10**5)]
    wrong += ['{"do": "games", "more": 1}', '{"do": "art", "keys": []}', '{"do": "undo"}']
    for text in wrong:
        tab.socket.send(text)
        assert tab.hear("error")["text"]
    tab.begin()
    tab.act(Random(0))


def random_message(random: Random) -> str | bytes:
    """Return bytes, text, or a message with some wrong fields."""
    kind = random.random()
    if kind < 0.3:
        return random.randbytes(random.randrange(60))
    if kind < 0.4:
        return "".join(chr(random.randrange(32, 1000)) for _ in range(random.randrange(40)))
    values = [None, True, -1, 3, 400, 1.5, "", "a" * 30, "../../x", [], ["b"], {}, {"name": "x"}]
    words = "seats seed text game ply action agent seat delay paused tile segment keys format more"
    does = "load open leave games delete act undo seat pace look feature coach review art save x"
    named = {
        name: random.choice(values) for name in random.sample(words.split(), random.randrange(4))
    }
    return json.dumps({"do": random.choice(does.split()), **named})


def test_random_messages_do_not_end_the_server(tab):
    random = Random(1)
    tab.begin()
    for k in range(2_000):
        tab.socket.send(random_message(random))
        if k % 50 == 49:
            tab.ask("art", keys=["b"])
            tab.skip_to("art")
    tab.ask("games")
    assert tab.skip_to("games")["games"]


@pytest.mark.long
def test_no_random_message_comes_as_a_surprise(tmp_path, caplog):
    """The test needs no connection, so it can send many; it reopens the game after leaving it."""

    async def talk(n: int, asked: dict[str, Any]) -> Counter[str]:
        hub, reader, random, told = hubs.Hub(Journal(tmp_path)), Reader(), Random(2), Counter()
        for _ in range(n):
            if reader.room is None:
                await hub.handle(reader, json.dumps(asked))
            await hub.handle(reader, random_message(random))
            while not reader.queue.empty():
                message = json.loads(await reader.next_message())
                told[message["is"]] += 1
                assert "something went wrong" not in message.get("text", "")
                if message["is"] == "entered":
                    asked = {"do": "open", "game": message["game"]}
        await hub.close()
        return told

    told = asyncio.run(talk(100_000, {"do": "new", "rules": {}, "seats": PERSONS, "seed": 1}))
    assert told["error"] > 90_000 and {*told} >= {"entered", "state", "games", "pace", "art"}, told
    assert "has failed" not in caplog.text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "Invalid JSON"),
        ('{"do": "act", "ply": 1}', "action: Field required"),
        ('{"do": "act", "ply": "1", "action": 1}', "ply: Input should be a valid integer"),
        ('{"do": "new", "rules": {}, "seats": [{"name": "A"}]}', "seats: List should have"),
        (json.dumps({"do": "load", "text": "x" * (MAX_TEXT + 1)}), "text: String should have"),
    ],
)
def test_a_wrong_message_is_told_by_its_field(text, told):
    with pytest.raises(ValueError, match=told):
        parse(text)


def test_wrong_rules_and_agents_are_refused(tab):
    for rules in ({"bridgs": True}, {"preset": "none"}, {"view": 13}, {"sets": ["inns"]}):
        tab.ask("new", rules=rules, seats=PERSONS)
        assert tab.hear("error")["text"]
    for agent in ("nobody", "os:system", "/etc/passwd"):
        tab.ask("new", rules={}, seats=[{"name": "A"}, {"name": "B", "agent": agent}])
        assert tab.hear("error")["text"]


@pytest.mark.parametrize(
    "agent", ["value:weights=/etc/passwd", "one-ply:evaluation=os:x", "mcts:sims=x"]
)
def test_options_of_agents_are_refused(agent):
    with pytest.raises(ValueError, match=agent.partition(":")[0]):
        check_name(agent, [])


@pytest.mark.parametrize(
    ("agent", "option", "most"),
    [
        ("search", "seconds", 10),
        ("search", "sims", 1_000_000),
        ("search", "threads", 1),
        ("mcts", "seconds", 10),
        ("mcts", "sims", 5_000),
        ("mcts", "threads", 1),
    ],
)
def test_what_takes_an_agent_long_is_limited(agent, option, most):
    check_name(f"{agent}:{option}={most}", [])
    with pytest.raises(ValueError, match=f"{option} must be at most {most:,}"):
        check_name(f"{agent}:{option}={most + 1}", [])


def test_the_starter_of_the_server_may_allow_other_agents():
    check_name("my_bots:Bold", ["my_bots:Bold"])
    with pytest.raises(ValueError, match="--agents"):
        check_name("my_bots:Bold", [])


def test_illegal_actions_leave_the_game_as_it_is(tab):
    view = dict(tab.begin())
    legal = {a["action"] for a in view["actions"]}
    for action in (k for k in (0, 7, 4113, 99_999) if k not in legal):
        tab.ask("act", ply=0, action=action)
        assert tab.hear("error")["text"]
    assert tab.view == view


def test_big_records_are_refused_and_the_server_goes_on(port, tab):
    tab.ask("load", text="#" * (10 * 2**20))
    assert "text" in tab.hear("error")["text"]
    with page(port) as other:
        with pytest.raises(ConnectionClosed):
            other.ask("load", text="#" * (17 * 2**20))
            other.hear("state")
    tab.begin()


def test_records_and_positions_are_opened(tab):
    game = Game(Rules.preset("all"), seed=8)
    for _ in range(60):
        game.apply(game.greedy_action())
    tab.ask("load", text=format_record(game))
    tab.hear("state")
    assert tab.view["scores"] == list(game.scores)
    tab.ask("save", format="position", ply=tab.view["ply"])
    text = tab.hear("saved", "error").get("text")
    assert parse_position(text).scores == game.scores
    for given in (text, f"\ufeff# from a file\n{text}".replace(" ", "\xa0")):
        tab.ask("load", text=given)
        tab.hear("state")
        assert tab.view["ply"] == 0 and tab.view["scores"] == list(game.scores)
    tab.ask("load", text=format_record(game).replace("bg-", "xx-", 1))
    assert "line" in tab.hear("error")["text"]
    tab.ask("load", text="\x00\ufffd no game")
    assert tab.hear("error")["why"] == "no_record"


def test_names_stay_in_records(tab):
    game = Game(seed=8)
    while not game.is_over:
        game.apply(game.greedy_action())
    names = ["Zoë #1", "Ben\u2028\x85\x1b"]
    tab.ask("load", text=format_record(game, names))
    tab.hear("state")
    assert [sitter["name"] for sitter in tab.view["sitters"]] == names
    tab.ask("save", format="record", ply=tab.view["ply"])
    assert parse_record(tab.hear("saved")["text"]).players == (*names,)


def test_saves_of_jcloisterzone_are_opened(tab):
    log = log_of("a_2p-0000")
    tab.ask("load", text=json.dumps(save_of(log), indent=1))
    tab.hear("state")
    assert tab.view["over"] and tab.view["scores"] == log.end["scores"]
    assert [sitter["name"] for sitter in tab.view["sitters"]] == ["player 0", "player 1"]
    tab.ask("load", text=json.dumps({**save_of(log), "setup": {"x" * 900: 1}}))
    refused = tab.hear("error")
    assert 20 < len(refused["text"]) <= hubs.MAX_SAID and refused["why"] == "no_save"
    assert refused["told"]["what"].startswith("not a save of JCloisterZone 5: it has no 'sets'")


def test_a_game_that_is_not_there_is_told_without_paths(tab):
    tab.ask("open", game="0" * 10)
    error = tab.hear("error")
    assert error["why"] == "no_such_game" and "/" not in error["text"]


def test_every_refusal_has_a_text():
    code = Path(hubs.__file__).read_text()
    named = set(re.findall(r'Refused\("(\w+)"', code)) | {
        f"{errand}_at_work" for errand in ("coach", "film", "puzzle")
    }
    english = texts("en")
    assert {f"error.{why}" for why in named} == {k for k in english if k.startswith("error.")}


def test_a_reader_that_does_not_read_is_cut_off():
    reader = Reader()
    for _ in range(hubs.QUEUE):
        reader.tell("state")
    assert not reader.is_slow.is_set()
    reader.tell("state")
    assert reader.is_slow.is_set() and reader.queue.qsize() == hubs.QUEUE
    reader = Reader()
    for _ in range(20):
        reader.tell("saved", text="x" * 2**20)
    assert reader.is_slow.is_set() and reader.n_bytes < hubs.QUEUE_BYTES


def test_who_stops_reading_costs_neither_memory_nor_others(port, tab):
    keys = [f"t:{row['id']}:{rotation}" for row in FACTS for rotation in range(4)][:200]
    n, random = 100, Random(1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tab.begin(seed=2)
    with page(port, max_queue=1) as slow:
        slow.ask("open", game=tab.game)
        slow.hear("state")
        for k in range(n):
            slow.ask("art", keys=keys)
            if k % 5 == 0:
                tab.act(random)
        heard = {"is": "error"}
        while heard["is"] == "error":  # the game cannot be deleted until the other page is cut off
            tab.ask("delete", game=tab.game)
            heard = tab.hear("games", "error")
        with pytest.raises(ConnectionClosed):
            for _ in range(n * len(keys) // hubs.DRAWN_AT_ONCE):
                assert slow.hear("art")["drawings"]
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before  # in kB
    assert grown < 8 * hubs.QUEUE_BYTES / 1024


# ------------------------------------------------------------------------------ other origins


def test_pages_of_other_origins_are_refused(port):
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{port + 1}"):
        with pytest.raises(InvalidStatus) as refused:
            connect(f"ws://127.0.0.1:{port}/talk", origin=origin)
        assert refused.value.response.status_code == 403
    with page(port, origin=f"http://127.0.0.1:{port}") as own:
        own.begin()


def fetch(port: int, path: str, **headers: str) -> tuple[int, str]:
    try:
        with urlopen(Request(f"http://127.0.0.1:{port}{path}", headers=headers)) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_other_hosts_and_files_outside_are_refused(port):
    assert fetch(port, "/")[0] == 200
    assert fetch(port, "/", Host="evil.example")[0] == 403
    for path in (
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static//etc/passwd",
        "/etc/passwd",
    ):
        assert fetch(port, path)[0] == 404


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("192.168.1.5:8000", 200),
        ("[fe80::1]:8000", 200),
        (socket.gethostname(), 200),
        ("games.example.org", 403),
        ("evil.example", 403),
        ("192.168.1.5.evil.example", 403),
        ("[fe80::1", 403),
        ("", 403),
    ],
)
def test_an_open_server_answers_to_its_names_and_to_addresses(open_port, host, status):
    """Somebody else's name could lead here, and its pages would then be let in."""
    found, text = fetch(open_port, "/", Host=host)
    assert found == status, text
    if host == "evil.example":
        assert text.endswith("--names evil.example")


def test_the_page_needs_no_network(port):
    files = [file for file in STATIC.rglob("*") if file.is_file()]
    for file in files:
        status, text = fetch(port, f"/static/{file.relative_to(STATIC)}")
        assert status == 200
        assert "https://" not in text
        assert "http://" not in text.replace("http://www.w3.org/", "")


# ------------------------------------------------------------------------------- what is shown


def test_every_text_is_there_in_both_languages():
    english, german = (texts(x) for x in ("en", "de"))
    assert english.keys() == german.keys()
    own = json.loads((STATIC / "lang/en.json").read_text())
    of_sets = [told["en"] for told in read_all("words.json", ROOMS)]
    assert sum(map(len, (own, *of_sets))) == len(english) > len(own)  # no key occurs twice
    for key, text in english.items():
        assert set(part.split("}")[0] for part in text.split("{")[1:]) == set(
            part.split("}")[0] for part in german[key].split("{")[1:]
        ), key
    offered = rules_offered()
    wanted = [f"switch.{row['name']}" for row in offered["switches"]]
    wanted += [f"system.{row['system']}" for row in offered["switches"]]
    wanted += [box["title"] for box in offered["boxes"]]
    wanted += [f"set.{name}" for name in TILE_SETS] + [f"preset.{name}" for name in PRESETS]
    wanted += [f"kind.{kind.name}" for kind in Kind if kind != Kind.NOTHING]
    wanted += [f"ask.{phase.name}" for phase in Phase if phase != Phase.GAME_OVER]
    wanted += [f"stock.{supply.symbol}" for system in SYSTEMS for supply in system.supplies]
    assert [key for key in wanted if key not in (*english, "stock.")] == []


def test_every_kind_of_action_has_its_words():
    english, rules = texts("en"), Rules.preset("flier")  # several meeples share a spot
    wanted = {"move.to", "log.to"}
    for question in QUESTIONS.values():
        answers = {question.passing, question.accepting, question.declining}
        wanted |= {
            f"{key}.{word}" for word in answers - {*BY_QUESTION[1:]} for key in ("do", "log")
        }
    actions = [found for system in SYSTEMS for found in system.actions]
    for found in (*actions, *map(figure_actions, Figure)):
        choice = found.at(0, rules)
        if choice.kind in BY_QUESTION:
            continue
        word = parts_of(choice, choice.kind)["word"]
        is_place = choice.spot is not None or found.anchor not in (
            None,
            Anchor.CHOSEN,
            Anchor.DECIDER,
        )
        wanted |= {f"log.{word}", f"{'move' if is_place else 'do'}.{word}"}
    assert sorted(wanted - english.keys()) == [] and len(wanted) > 50


def test_every_text_that_the_page_names_is_in_the_tables():
    english = texts("en")
    named = {
        key
        for file in STATIC.glob("*.js")
        for key in re.findall(r"\bt\(\"([\w.-]+)\"", file.read_text())
    }
    assert len(named) > 80
    assert sorted(named - english.keys()) == []


NOTED = re.compile(r"log\.(token|turn|aside\.tile|look|empty)")
"""Log entries that are not about a player, and labels."""
SECOND_PERSON = {"has": "have", "is": "are", "passes": "pass"}


@pytest.mark.parametrize("language", ["en", "de"])
def test_sentences_about_a_player_have_a_form_for_you(language):
    """If a text does more than call or list a name, it never reads "You wins" or "You's turn"."""
    table = texts(language)
    listed = re.compile(r"(?:^|: |\(|; |with |mit )\{(?:who|bidder|from)\}(?=$|[,:.)]| \()")
    you, subjects = {"en": "You", "de": "Du"}[language], set()
    for key, text in table.items():
        names = re.findall(r"\{(?:who|bidder|from)\}", text)
        if len(listed.findall(text)) == len(names):
            continue
        own = table[f"{key[:-4]}.you.one" if key.endswith(".one") else f"{key}.you"]
        subjects.add(key)
        [verb], [bent] = re.findall(r"\{who\} (\w+)", text), re.findall(rf"\b{you} (\w+)", own)
        if key.startswith("end.draw"):  # several players win
            assert (verb, bent) in {("share", "share"), ("teilen", "teilst")}
        elif language == "en":
            assert bent == SECOND_PERSON.get(verb, verb.removesuffix("s")), key
        else:
            assert bent.endswith(("st", "tzt")) and not verb.endswith("en"), key
    told = {key for key in table if key.startswith("log.")}
    assert subjects >= {"log.pass", "log.ransom", "end.won", "end.won.one", "ask.waits"}
    assert all("{who}" in table[key] for key in told if not NOTED.match(key) and ".you" not in key)


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_question_reads_well_without_the_call(language):
    """The page can omit the name: "Ada, where ...?" becomes "Where ...?"."""
    table = texts(language)
    asked = [text for key, text in table.items() if re.match(r"ask\.[A-Z]|say\.turn", key)]
    called = [text for text in asked if "{who}" in text]
    assert len(called) >= 20
    assert all(re.match(r"\{who\}, \w", text) and text.count("{who}") == 1 for text in called)


@pytest.mark.parametrize("language", ["en", "de"])
def test_counted_things_have_a_text_for_one(language):
    table = texts(language)
    counted = [key for key, text in table.items() if re.search(r"\{n\} \w", text)]
    assert len(counted) > 15
    assert [key for key in counted if f"{key}.one" not in table] == []


def test_all_switches_are_offered():
    asked = {row["name"] for row in rules_offered()["switches"]} | {"n_players", "sets"}
    assert asked == {*SWITCHES}


def test_a_switch_that_may_follow_others_offers_all_that_it_can_be():
    values = {row["name"]: row.get("values") for row in rules_offered()["switches"]}
    for name in ("fairy_in_castle", "tunnel_breaks_road"):
        assert values[name] == [False, True, None]
    assert values["count_final"] == ["market", "any", None]


def test_every_box_is_offered_with_what_usually_comes_with_it():
    offered = rules_offered()
    assert sorted(name for box in offered["boxes"] for name in box["sets"]) == sorted(TILE_SETS[1:])
    systems = Counter(name for box in offered["boxes"] for name in box["systems"])
    assert set(systems.values()) == {1}
    assert {row["system"] for row in offered["switches"]} - {*systems} == {"base", "abbot"}
    alone = {
        "set.abbey": "abbey-mayor",
        "set.princess": "princess-dragon",
        "preset.phantom": "phantom",
    }
    for box in offered["boxes"]:
        rules = Rules(sets=("base", *box["sets"]), **dict.fromkeys(box["on"], True))
        if box["title"] in alone:
            assert rules == Rules.preset(alone[box["title"]])
    together = {name: True for box in offered["boxes"] for name in box["on"]}
    assert systems_in(Rules(sets=TILE_SETS, **together, count_with_river="allow")) == SYSTEMS


def test_changes_say_all_that_is_new():
    play = played(Rules.preset("all"), 60)
    shown: dict[str, Any] = json.loads(json.dumps(view_of(play, 0, Even())))
    for ply in (5, 6, 30, 12, 60):
        view = json.loads(json.dumps(view_of(play, ply, Even())))
        for key, value in changes(shown, view).items():
            grows = key in ("tiles", "log")
            shown[key] = shown[key][: value["keep"]] + value["add"] if grows else value
        assert shown == view


def test_looking_back_shows_what_was():
    play, odds = Play(Start(Rules(), 3), PAIR), Even()
    seen = []
    random = Random(3)
    for _ in range(50):
        view = view_of(play, play.ply, odds)
        seen.append((view["tiles"], view["actions"], view["scores"], view["log"]))
        play.act(random.choice(play.game.legal_actions()))
    for ply in (49, 0, 17, 16, 31):
        view = view_of(play, ply, odds)
        assert (view["tiles"], view["actions"], view["scores"], view["log"]) == seen[ply]


LANDMARKS = ("cities", "castles")


@pytest.mark.parametrize(
    "rules",
    [
        Rules(),
        Rules(sets=("base", "river1", "bridges", "siege"), bridges=True, siege=True),
        Rules(sets=("base", "bridges"), bridges=True, little_buildings=True),
    ],
    ids=lambda rules: rules.sets[-1],
)
def test_features_are_told_as_the_engine_counts_them(rules):
    """The leaders and values on the page add up to the projected scores.

    If a bridge is possible, a tile reserves a segment for it, which belongs to no feature.
    """
    for seed in range(2):
        game = played(rules, 80, seed).game
        s = game.states[0]
        points, extents = list(game.scores), {}
        forms = s.tiles["design"][: int(s.n_tiles)].tolist()
        segments = [(t, k) for t, form in enumerate(forms) for k in range(int(N_SEGMENTS[form]))]
        for tile, segment in segments:
            told = about_feature(game, tile, segment)
            extent = tuple(map(tuple, told["extent"]))
            assert (tile, segment) in extent
            if extent not in extents:
                for seat in told["leaders"]:
                    points[seat] += told["now"]
                scored = [term["n"] for term in told.get("terms", ()) if term["of"] in LANDMARKS]
                assert len(told["cities"]) == sum(scored)
            extents[extent] = len(extent)
        assert tuple(points) == game.standings
        assert sum(extents.values()) == len(segments)
        for tile, form in enumerate(forms):
            with pytest.raises(ValueError, match="has no segment"):
                about_feature(game, tile, int(N_SEGMENTS[form]))


def test_what_herding_gives_is_told_before():
    """HS-32: herding scores the sheep of all flocks in the field."""
    text = """
    [carc_env position 1]
    [rules {sets: [base, hills], shepherds: true}]
    [scores 0:0]
    [sheep A 1 3, B 2]
    [turn A tends]
    bg-cap-straight 0,0 r0
    bg-straight 1,0 r0: A shepherd Nw
    bg-straight -1,0 r0: B shepherd Nw
    bg-straight 2,0 r0
    """
    play = Play(Start(parse_position(text).rules, 1, position=text), PAIR)
    assert view_of(play, 0, Even())["flock"] == 6
    play.act(play.game.action("herd"))
    assert view_of(play, 1, Even())["flock"] is None
    assert play.game.scores == (6, 6)


def test_a_score_is_explained():
    play = played(Rules(), 10_000, seed=2)
    gained = [g for entry in play.log for g in entry.get("gained", ())]
    for g in gained:
        if g["kind"] == "ROAD":
            assert g["points"] == g["tiles"]
        elif g["kind"] == "CITY":
            assert g["points"] == (g["tiles"] + g["shields"]) * (1 if g["open"] else 2)
        elif g["kind"] == "FIELD":
            assert g["points"] == 3 * g["cities"]
        else:
            assert g["points"] == g["tiles"]
    assert {g["kind"] for g in gained} >= {"ROAD", "CITY", "FIELD", "MONASTERY"}
    assert [sum(row.values()) for row in sources(play.log, 2)] == list(play.game.scores)


def test_chances_add_up_and_grow_with_the_lead():
    for fit in fits():
        n = fit.rules.n_players
        level = fit.chances(np.zeros(n), 30)
        assert level == pytest.approx([1 / n] * n)
        ahead = [fit.chances(np.array([x] + [-x] * (n - 1)), 30)[0] for x in (0.0, 5.0, 30.0)]
        late = fit.chances(np.array([10.0] + [-10.0] * (n - 1)), 0)[0]
        early = fit.chances(np.array([10.0] + [-10.0] * (n - 1)), 60)[0]
        assert ahead == sorted(ahead) and late > early


@pytest.mark.parametrize("key", ["b", "x:king", "f:0:WAGON", "t:bg-cap:3", "t:bg-monastery:1:NS"])
def test_drawings(key):
    found = drawing(key)
    assert found["svg"].startswith("<") and len(found["box"].split()) == 4
    if key.startswith("t:"):
        assert len(found["map"]) == 2500
        letters = set(found["map"]) - {"."}
        assert letters <= set("abcdefgh"[: len(found["kinds"])]) and letters


@pytest.mark.parametrize(
    "key", ["", "t:nothing:0", "t:bg-cap:9", "f:6:MEEPLE", "x:../x", "t:bg-cap"]
)
def test_unknown_drawings(key):
    with pytest.raises(ValueError, match="no drawing"):
        drawing(key)


@pytest.mark.parametrize("language", ["en", "de"])
def test_a_preset_named_after_an_expansion_names_all_that_it_brings(language):
    table = texts(language)
    for name, preset in rules_offered()["presets"].items():
        label = table[f"preset.{name}"]
        inside = [
            table[box["title"]]
            for box in rules_offered()["boxes"]
            if {*box["sets"]} <= {*preset["sets"]} and all(preset[key] for key in box["on"])
        ]
        if any(label.startswith(title) for title in inside):
            assert all(title in label for title in inside), (name, inside)

"""Seats that links own, and servers that need a token: permissions and secrets."""

import json
import socket
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from http.client import HTTPConnection
from pathlib import Path
from random import Random

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from carc_env.web.__main__ import TOKEN, Settings, run
from carc_env.web.app import COOKIE
from carc_env.web.messages import parse
from tests.web_server import PERSONS, page, serving

pytestmark = pytest.mark.once

WORD = "friends-only"


def invite(tab, seat):
    """Return the key that a page gets for a seat."""
    tab.ask("invite", seat=seat)
    return tab.hear("invited")["key"]


def refused(tab, what, **content):
    tab.ask(what, **content)
    return tab.hear("error")["why"]


def act_of(tab):
    return {"ply": tab.view["ply"], "action": tab.view["actions"][0]["action"]}


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def test_a_link_owns_one_seat_and_all_others_watch(folder):
    with serving(folder) as port, page(port) as host, page(port) as friend, page(port) as third:
        host.begin(seed=3)
        third.ask("open", game=host.game)
        third.hear("state")
        third.act(Random(1))  # nobody has been invited yet, so everybody may play
        host.wait_for(1)
        while host.view["decider"] == 0:
            host.act(Random(1))
        key = invite(host, 1)
        friend.ask("open", game=host.game, keys=[key, "no key at all"])
        told = {"owned": [0, 1], "mine": [1], "here": [0, 1], "isHost": False}
        assert friend.hear("seats") == {"is": "seats", **told}
        friend.hear("state")
        assert refused(host, "act", **act_of(host)) == "not_your_seat"
        third.wait_for(host.view["ply"])
        wanted = {"undo": {}, "rematch": {"deck": "new"}, "agree": {"yes": True}}
        wanted["seat"] = {"seat": 0, "agent": "greedy"}
        wanted |= {"pace": {"delay": 0}, "invite": {"seat": 0}, "act": act_of(third)}
        for what, content in wanted.items():
            assert refused(third, what, **content) == "watches", what
        for what, content in (("seat", {"agent": "value"}), ("invite", {})):
            assert refused(friend, what, seat=0, **content) == "not_your_seat"
        third.ask("leave")
        assert refused(third, "delete", game=host.game) == "not_your_game"
        friend.act(Random(1))
        assert third.view["log"] == host.view["log"]  # spectators have seen everything public
        friend.ask("undo")
        friend.hear("state", when=lambda m: "version" in m["view"])


def test_owners_come_back_after_a_restart_and_on_to_the_rematch(folder):
    with serving(folder) as port, page(port) as host:
        host.begin(seed=3)
        key, game = invite(host, 1), host.game
        own = next(m["keys"] for m in host.heard if m["is"] == "keys")
    with serving(folder) as port, page(port) as host, page(port) as friend:
        for one, keys, mine in ((host, own, [0]), (friend, [key], [1])):
            one.ask("open", game=game, keys=keys)
            assert one.hear("seats")["mine"] == mine
            one.hear("state")
        host.ask("rematch", deck="same")
        assert friend.hear("asked")["name"] == "Ann"
        friend.ask("agree", yes=True)
        for one, mine in ((host, [1]), (friend, [0])):
            one.hear("rematch")
            last = [message for message in one.heard if message["is"] == "seats"][-1]
            assert last["mine"] == mine and one.game != game
        friend.act(Random(1))
        again, ply = friend.game, friend.view["ply"]
    with serving(folder) as port, page(port) as friend, page(port) as thief:
        friend.ask("open", game=again, keys=[key])
        assert friend.hear("seats")["mine"] == [0]
        friend.hear("state")
        assert friend.view["ply"] == ply
        newer = invite(friend, 0)  # the old link no longer owns anything
        thief.ask("open", game=again, keys=[key])
        assert thief.hear("seats")["mine"] == []
        thief.ask("open", game=again, keys=[newer])
        assert thief.hear("seats")["mine"] == [0]


def test_a_seat_that_an_agent_leaves_belongs_to_whoever_sent_it_away(folder):
    with serving(folder) as port, page(port) as host, page(port) as friend:
        host.begin([*PERSONS, {"name": "Greedy", "agent": "greedy"}])
        friend.ask("open", game=host.game, keys=[invite(host, 1)])
        friend.hear("state")
        assert refused(host, "invite", seat=2) == "not_a_seat"
        assert refused(friend, "seat", seat=2, agent="value") == "not_host"
        assert refused(friend, "pace", delay=0) == "not_host"
        host.ask("seat", seat=2, agent=None)
        assert host.hear("seats", when=lambda m: 2 in m["owned"])["mine"] == [0, 2]
        assert refused(friend, "seat", seat=2, agent="value") == "not_your_seat"
        keys = [key for m in host.heard if m["is"] == "keys" for key in m["keys"]]
        game = host.game
    with serving(folder) as port, page(port) as host:
        host.ask("open", game=game, keys=keys)
        assert host.hear("seats")["mine"] == [0, 2]
        host.hear("state")
        assert [player["agent"] for player in host.view["sitters"]] == [None, None, None]


def test_taking_back_a_decision_of_somebody_else_needs_their_consent(folder):
    with serving(folder) as port, page(port) as host, page(port) as friend, page(port) as third:
        host.begin(seed=3)
        key, game = invite(host, 1), host.game
        for one, keys in ((friend, [key]), (third, [])):
            one.ask("open", game=game, keys=keys)
            one.hear("state")
        host.act(Random(1))
        friend.wait_for(1)
        host.ask("undo")  # no decision has followed
        host.wait_for(0)
        while host.view["decider"] == 0:
            host.act(Random(1))
        ply = host.view["ply"]
        friend.wait_for(ply)
        friend.ask("undo")
        assert friend.hear("asking")
        assert host.hear("asked")["what"] == "undo"
        host.ask("agree", yes=False)
        assert friend.hear("disagreed")
        assert refused(third, "agree", yes=True) == "watches"
        assert refused(host, "agree", yes=True) == "gone_on"
        assert friend.view["ply"] == ply
        friend.ask("undo")
        friend.hear("asking")
        host.ask("agree", yes=True)
        friend.wait_for(ply - 1)
        host.ask("leave")
        assert friend.hear("seats", when=lambda m: m["here"] == [1])
        assert refused(friend, "undo") == "absent"


def test_two_pages_of_an_open_game_ask_each_other(folder):
    with serving(folder) as port, page(port) as one, page(port) as other:
        one.begin(seed=3)
        other.ask("open", game=one.game)
        other.hear("state")
        one.act(Random(1))
        other.wait_for(1)
        other.ask("undo")
        one.hear("asked")
        one.ask("leave")
        assert other.hear("asked", when=lambda m: m["what"] is None)
        other.ask("undo")  # nobody else is here
        other.wait_for(0)


def test_only_owners_delete_and_restore_a_protected_game(folder):
    with serving(folder) as port, page(port) as host, page(port) as third:
        host.begin()
        game, key = host.game, invite(host, 1)
        host.ask("leave")
        assert refused(third, "delete", game=game, keys=["guessed"]) == "not_your_game"
        host.ask("delete", game=game, keys=[key])
        assert [row["deleted"] for row in host.hear("games")["games"]] == [True]
        assert refused(third, "restore", game=game) == "not_your_game"
        host.ask("restore", game=game, keys=[key])
        assert [row["protected"] for row in host.hear("games")["games"]] == [True]


def test_keys_are_told_to_one_page_and_kept_as_hashes(folder, caplog):
    with serving(folder) as port, page(port) as host, page(port) as third:
        host.begin([{"name": "Ann"}, {"name": "Ben"}], seed=5)
        third.ask("open", game=host.game)
        third.hear("state")
        keys = [invite(host, 1), *next(m["keys"] for m in host.heard if m["is"] == "keys")]
        third.hear("seats", when=lambda m: m["owned"] == [0, 1])
        for kind in ("position", "svg"):
            third.ask("save", format=kind, ply=third.view["ply"])
            third.hear("saved")
        third.ask("games")
        third.hear("games")
        locks = [sha256(key.encode()).hexdigest() for key in keys]
        told, kept = "".join(third.texts), (folder / f"{host.game}.jsonl").read_text()
    assert len(set(keys)) == 3 and all(len(key) >= 20 for key in keys)
    assert not any(secret in told for secret in (*keys, *locks))
    assert not any(key in kept + caplog.text for key in keys) and all(
        lock in kept for lock in locks
    )


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("invite.seat", {"do": "invite", "seat": 6}),
        ("invite.seat", {"do": "invite", "seat": "1"}),
        ("open.keys", {"do": "open", "game": "0" * 10, "keys": "abc"}),
        ("open.keys.0", {"do": "open", "game": "0" * 10, "keys": ["x" * 101]}),
        ("delete.keys", {"do": "delete", "game": "0" * 10, "keys": ["x"] * 13}),
    ],
)
def test_wrong_keys_and_seats_are_told_by_their_field(field, message):
    with pytest.raises(ValueError, match=rf"^{field}: "):
        parse(json.dumps(message))


# --------------------------------------------------------------------------------------- token


def answer(port, path, **headers):
    with closing(HTTPConnection("127.0.0.1", port, timeout=600)) as link:
        link.request("GET", path, headers=headers)
        got = link.getresponse()
        return got.status, got.read().decode(), {k.lower(): v for k, v in got.getheaders()}


def test_a_token_is_asked_for_once(folder):
    with serving(folder, token=WORD) as port:
        for path in ("/", "/static/main.js", "/?token=friends-0nly", "/?token="):
            status, text, _ = answer(port, path)
            assert status == 403 and "?token=" in text and WORD not in text
        for wrong in ({}, {"Cookie": f"{COOKIE}=friends"}):
            with pytest.raises(InvalidStatus) as no:
                connect(f"ws://127.0.0.1:{port}/talk", additional_headers=wrong)
            assert no.value.response.status_code == 403
        status, _, headers = answer(port, f"/?token={WORD}")
        assert (status, headers["location"]) == (303, "/")
        for part in ("HttpOnly", "SameSite=lax", WORD):
            assert part in headers["set-cookie"]
        cookie = {"Cookie": headers["set-cookie"].partition(";")[0]}
        assert answer(port, "/", **cookie)[0] == 200
        assert answer(port, "/", Host="evil.example", **cookie)[0] == 403
        with page(port, additional_headers=cookie) as tab:
            assert tab.hello["token"] == WORD
            tab.begin()


@pytest.mark.parametrize(
    ("host", "token", "names", "is_asked", "by_address"),
    [
        ("127.0.0.1", None, (), False, False),
        ("127.0.0.1", WORD, (), True, False),
        ("0.0.0.0", None, (), True, True),
        ("0.0.0.0", None, ("games.example.org",), False, False),
        ("0.0.0.0", WORD, ("games.example.org",), True, False),
    ],
)
def test_the_network_needs_a_token_or_named_hosts(folder, host, token, names, is_asked, by_address):
    settings = Settings(host=host, token=token, names=names, data=folder)
    made = settings.token_needed()
    assert (made is not None, settings.by_address) == (is_asked, by_address)
    assert made == (token or made) and made == settings.token_needed()  # after a restart, too
    assert ("games.example.org" in settings.known_names) == bool(names)
    assert (socket.gethostname().lower() in settings.known_names) == by_address
    if kept := [*folder.iterdir()]:
        assert token is None and kept[0].stat().st_mode & 0o077 == 0 and TOKEN.fullmatch(made)


def test_an_empty_token_is_made_anew_and_another_file_named(folder, capsys):
    """A killed process or a full disk can leave an empty file."""
    settings, path = Settings(host="0.0.0.0", data=folder, browser=False), folder / "token"
    for left in ("", "\n"):
        path.write_text(left)
        made = settings.token_needed()
        assert TOKEN.fullmatch(made) and path.read_text() == made == settings.token_needed()
    path.write_bytes(b"\xff\xfe no token")
    assert run(settings) == 1
    assert "(the file token there contains none: delete it, and a new" in capsys.readouterr().err


@pytest.mark.parametrize("token", ["short", "with blank here", "päßword-long"])
def test_a_token_that_no_address_can_hold_is_refused(token, capsys):
    assert run(Settings(browser=False, token=token)) == 2
    assert capsys.readouterr().err.startswith("--token must have 8 or more")


def test_the_server_prints_the_address_with_its_token(folder: Path):
    command = [sys.executable, "-u", "-m", "carc_env.web", "--no-browser", "--host", "0.0.0.0"]
    with subprocess.Popen(
        [*command, "--data", str(folder)], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        first, second = server.stdout.readline(), server.stdout.readline()
        server.terminate()
    word = (folder / "token").read_text()
    assert f"?token={word} " in first and "with its token, can play" in second

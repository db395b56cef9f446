"""Games in the terminal: scripted answers for every phase, commands, and bad input."""

import io
import random
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from carc_env.agents.commands import play
from carc_env.agents.commands.play import Session, Terminal, action_of
from rich.console import Console

from carc_env import Game, Kind, Phase, Rules, Score, Spot, read_record
from carc_env.__main__ import main
from carc_env.game.records import parse_record
from carc_env.systems import QUESTIONS, phases_of
from carc_env.web import __main__ as page

pytestmark = pytest.mark.once


def shown() -> Console:
    return Console(file=io.StringIO(), width=100, highlight=False)


def text_of(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def script(*answers: str) -> Callable[[str], str]:
    """Return a function that reads one answer after another and then reaches the end of input."""
    left = iter(answers)

    def read(_: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return read


def test_every_phase_has_a_question() -> None:
    asked = {phase for phase, question in QUESTIONS.items() if question.asks}
    assert asked == {*Phase} - {Phase.GAME_OVER}


RULES = Rules.of(
    {
        "preset": "all",
        "n_players": 3,
        "bridge_timing": "any_time_before_scoring",
        "wagon_adjacency": "C1",
        "castle_choice": "ask",
    }
)
SEED = 2
"""Seed of a game in which every phase occurs."""


class Typist:
    """Plays like greedy or at random, and answers with all words, some words, or a number."""

    def __init__(self, seed: int) -> None:
        self.random, self.manner = random.Random(seed), random.Random(seed)
        self.phases: set[Phase] = set()
        self.session: Session | None = None

    def choose(self, game: Game) -> int:
        """Return the action to type; it often leads to rare phases."""
        legal = game.legal_actions()
        action = game.greedy_action() if self.random.random() < 0.8 else self.random.choice(legal)
        if game.phase == Phase.CASTLE:
            return legal[0]
        if game.phase == Phase.WAGON:
            return self.random.choice(legal)
        wagons = [k for k in legal if "wagon" in game.name(k)] if game.phase == Phase.FIGURE else []
        return wagons[0] if wagons and self.random.random() < 0.7 else action

    def __call__(self, prompt: str) -> str:
        assert self.session is not None
        game = self.session.game
        assert prompt.startswith("ABCDEF"[game.decider])
        self.phases.add(game.phase)
        if self.manner.random() < 0.1:
            return "nonsense"
        action = self.choose(game)
        name = game.name(action)
        if name.startswith(("bid ", "pick ")):
            return name.partition(" ")[2]
        if game.phase == Phase.PLACE_TILE and self.manner.random() < 0.5:
            return name.partition(" ")[2]
        is_auction = game.phase in (Phase.BAZAAR_PICK, Phase.BAZAAR_BID)
        if is_auction or self.manner.random() < 0.5:
            return name
        return str(game.legal_actions().index(action) + 1)


@pytest.mark.parametrize(
    ("rules", "seed", "words"),
    [
        pytest.param(
            *(RULES, SEED, ("is not a choice now", "wins by", "auction", "king")),
            marks=pytest.mark.long,
        ),
        (Rules.preset("hills-sheep", n_players=3), 0, ("is not a choice now", "flock")),
    ],
    ids=["all", "flocks"],
)
def test_a_whole_game_is_played_by_typing(rules: Rules, seed: int, words: tuple[str, ...]) -> None:
    wanted, guide = Game(rules, seed=seed), Typist(seed)
    while not wanted.is_over:
        wanted.apply(guide.choose(wanted))
    typist, console = Typist(seed), shown()
    session = Session(Game(rules, seed=seed), [None] * 3, ["person"] * 3, console, typist)
    typist.session = session
    assert session.play()
    assert session.game.moves == wanted.moves
    assert typist.phases == {*phases_of(rules)} - {Phase.GAME_OVER}
    told = text_of(console)
    for word in words:
        assert word in told


def test_a_person_plays_agents_by_name(tmp_path: Path) -> None:
    arguments = Terminal(players=("person", "greedy"), seed=3, records=tmp_path)
    console = shown()

    class First:
        def __call__(self, _: str) -> str:
            return "1"

    assert play.play_text(arguments, console, First()) == 0
    (path,) = tmp_path.iterdir()
    game = read_record(path)
    assert game.is_over and parse_record(path.read_text()).players == ("person", "greedy")
    assert "B (greedy): " in text_of(console)


def test_commands_beside_decisions(tmp_path: Path) -> None:
    console = shown()
    game = Game(seed=7)
    path = tmp_path / "so far.carc"
    answers = ("undo", "1", "undo", "legend", "?", "list", "hint", "board", "save", f"save {path}")
    session = Session(game, [None, None], ["person"] * 2, console, script(*answers))
    assert not session.play()
    assert session.game.moves == game.moves[: len(session.game.moves)]
    told = text_of(console)
    for words in ("nothing to take back", "visits", "Name a file", "saved: ", "The game ends here"):
        assert words in told
    assert not read_record(path).is_over


def test_quit_ends_the_game() -> None:
    session = Session(Game(seed=1), [None, None], ["a", "b"], shown(), script("quit", "1"))
    assert not session.play()
    assert len(session.game.moves) == 0


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("0", "choose a number from 1 to"),
        ("999", "choose a number from 1 to"),
        ("-1", "is not a choice now"),
        ("bg-city3 99,99 r0", "is not a choice now"),
        ("bg-city3 0,-1 r9", "did you mean"),
        ("[bold]", "is not a choice now"),
        ("²", "is not a choice now"),
    ],
)
def test_bad_answers_are_refused_with_a_reason(answer: str, said: str) -> None:
    game = Game(seed=7)
    with pytest.raises(ValueError, match=said.replace("[", r"\[")):
        action_of(game, answer)


def test_answers_mean_what_they_say() -> None:
    game = Game(seed=7)
    wanted = game.action("bg-city3 0,1 r1")
    for answer in ("bg-city3 0,1 r1", "  0,1   r1 ", "4"):
        assert action_of(game, answer) == wanted


def test_the_wrong_number_of_players_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    rules = "{n_players: 3}"
    assert main(["play", "--text", "--rules", rules, "--players", "person", "greedy"]) == 1
    assert "for 3 players" in capsys.readouterr().err
    assert main(["play", "--text", "--players", "person", "nobody"]) == 1
    assert "'nobody'" in capsys.readouterr().err


def test_a_score_is_told_in_words() -> None:
    words = {play.told(Score(1, 4, kind)) for kind in (Kind.GOODS, Kind.KING)}
    assert words == {"B gets 4 for goods", "B gets 4 for the King"}
    assert play.told(Score(0, 8, Kind.CITY, (1, -2, Spot.N))) == "A gets 8 for a city at 1,-2"


def test_what_the_server_cannot_listen_on_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", "--port", "99999"]) == 2
    assert "--port must be from 0 to 65535, got 99999" in capsys.readouterr().err
    folder = str(tmp_path / "games")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert main(["play", "--port", port, "--data", folder, "--no-browser"]) == 1
    assert f"port {port} (Address already in use): choose another" in capsys.readouterr().err
    (tmp_path / "file").touch()
    assert main(["play", "--data", str(tmp_path / "file"), "--no-browser"]) == 1
    assert "choose another --data" in capsys.readouterr().err


def test_names_of_the_server() -> None:
    assert page.Settings().known_names == ("127.0.0.1", "localhost", "::1")
    assert page.Settings(host="::1").is_local and not page.Settings(host="::").is_local
    assert socket.gethostname().lower() in page.Settings(host="0.0.0.0").known_names
    named = page.Settings(host="0.0.0.0", names=("Games.example.org",)).known_names
    assert named == ("127.0.0.1", "localhost", "::1", "games.example.org")  # and no others


def test_an_open_server_says_what_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(page.uvicorn.Server, "run", lambda _, sockets: sockets[0].close())
    for host, is_open in (("127.0.0.1", False), ("0.0.0.0", True)):
        assert main(["play", "--host", host, "--data", str(tmp_path), "--no-browser"]) == 0
        told = capsys.readouterr().out
        assert ("Open to the network" in told) == ("All others are refused" in told) == is_open
        assert ("?token=" in told) == is_open


def test_the_page_gets_the_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[page.Settings] = []
    monkeypatch.setattr(page, "serve", asked.append)
    assert main(["play", "--port", "8123", "--no-browser"]) == 0
    assert [(given.port, given.browser) for given in asked] == [(8123, False)]

"""Games in the terminal: every phase by scripted answers, commands, and bad input."""

import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest

for _package in ("rich", "tyro"):
    pytest.importorskip(_package, reason="the commands need it: install carc_env[arena]")

from carc_env.agents.commands import play  # noqa: E402
from carc_env.agents.commands.play import QUESTIONS, Arguments, Session, action_of  # noqa: E402
from rich.console import Console  # noqa: E402

from carc_env import Game, Phase, Rules, read_record  # noqa: E402
from carc_env.__main__ import main  # noqa: E402

pytestmark = pytest.mark.once


def shown() -> Console:
    return Console(file=io.StringIO(), width=100, highlight=False)


def text_of(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def script(*answers: str) -> Callable[[str], str]:
    """Reads the answers one after the other, then finds the end of the input."""
    left = iter(answers)

    def read(_: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return read


def test_every_phase_has_a_question() -> None:
    assert {*QUESTIONS} == {*Phase} - {Phase.GAME_OVER}


class Typist:
    """Answers at random, sometimes by words, by a number, or by less than all words."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.phases: set[Phase] = set()
        self.session: Session | None = None

    def __call__(self, prompt: str) -> str:
        assert self.session is not None
        game = self.session.game
        assert prompt.startswith("ABCDEF"[game.decider])
        self.phases.add(game.phase)
        legal = game.legal_actions()
        k = self.random.randrange(len(legal))
        if game.phase in (Phase.CASTLE, Phase.DRAW_OR_ABBEY):  # what is rare is wanted
            k = 0
        name = game.name(legal[k])
        if self.random.random() < 0.1:
            return "nonsense"
        if name.startswith(("bid ", "pick ")):
            return name.partition(" ")[2]
        if game.phase == Phase.PLACE_TILE and self.random.random() < 0.5:
            return name.partition(" ")[2]
        return name if self.random.random() < 0.5 else str(k + 1)


def test_whole_games_of_all_sets_are_played_by_typing() -> None:
    phases: set[Phase] = set()
    for seed in range(4):
        rules = Rules.of(
            {"preset": "all", "n_players": 3, "bridge_timing": "before_figure"}
            | ({"castle_choice": "ask"} if seed % 2 else {})
        )
        typist, console = Typist(seed), shown()
        game = Game(rules, seed=seed)
        session = Session(game, [None] * 3, ["person"] * 3, console, typist)
        typist.session = session
        assert session.play()
        phases |= typist.phases
        told = text_of(console)
        assert "is no choice now" in told
        assert "win" in told and "points" in told
    assert phases >= {*QUESTIONS} - {Phase.CASTLE_CHOICE, Phase.BRIDGE}


def test_a_person_plays_agents_by_name(tmp_path: Path) -> None:
    arguments = Arguments(players=("person", "greedy"), seed=3, records=tmp_path)
    console = shown()

    class First:
        def __call__(self, _: str) -> str:
            return "1"

    assert play.play_text(arguments, console, First()) == 0
    (path,) = tmp_path.iterdir()
    game = read_record(path)
    assert game.is_over
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
    for words in ("nothing to take back", "visits", "Say where", "saved: ", "The game ends here"):
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
        ("-1", "is no choice now"),
        ("bg-city3 99,99 r0", "is no choice now"),
        ("bg-city3 0,-1 r9", "did you mean"),
        ("[bold]", "is no choice now"),
        ("²", "is no choice now"),
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


def test_without_the_page_the_browser_is_not_opened(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(play, "WEB", "carc_env_nowhere.page")
    monkeypatch.setattr(play, "find_spec", lambda name: None)
    assert main(["play"]) == 1
    told = capsys.readouterr().err
    assert "carc_env[web]" in told and "--text" in told


def test_the_page_gets_the_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    class Page:
        @staticmethod
        def main(arguments: list[str]) -> int:
            return 40 + len(arguments)

    monkeypatch.setattr(play, "find_spec", lambda name: object())
    monkeypatch.setattr(play, "import_module", lambda name: Page)
    assert main(["play", "--port", "0"]) == 42

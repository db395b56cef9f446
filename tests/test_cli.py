"""The command line: what it prints, writes and refuses."""

import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

import pytest
from carc_env.agents.commands import play, recipe, show, task
from carc_env.agents.commands.together import NO_RULE

import carc_env
from carc_env import (
    Game,
    Layout,
    Rules,
    format_position,
    format_record,
    read_record,
    write_record,
)
from carc_env.__main__ import COMMANDS, NOBODY_READS, TRAINED_BY, main
from carc_env.game.history import OTHER, account_of, steps_of
from carc_env.layout.actions import action_layout
from carc_env.layout.observations import global_names, plane_names
from carc_env.plain_output import ERRORS, print_anywhere
from carc_env.render import board_text
from carc_env.web.play import play_of_record

pytestmark = pytest.mark.once


@pytest.fixture(scope="module")
def game() -> Game:
    game = Game("all", seed=5)
    while not game.is_over:
        game.apply(game.greedy_action())
    return game


@pytest.fixture
def record(game: Game, tmp_path: Path) -> Path:
    path = tmp_path / "game.carc"
    write_record(path, game)
    return path


@pytest.fixture
def young(tmp_path: Path) -> Path:
    """Write the record of a game with only a few decisions; return its path."""
    game = Game(seed=7)
    for _ in range(4):
        game.apply(game.greedy_action())
    path = tmp_path / "young.carc"
    write_record(path, game)
    return path


def test_without_a_command_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    assert all(f"  {name} " in told for name in COMMANDS)


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"carc_env {carc_env.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [(["shwo"], "show"), (["train", "valeu"], "value"), (["task", "lst"], "list")],
)
def test_what_was_meant_is_guessed(
    arguments: list[str], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert f"did you mean '{meant}'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        *([name] for name in COMMANDS if name != "train"),
        *(["task", name] for name in task.COMMANDS),
        *(["train", name] for name in TRAINED_BY),
    ],
    ids=" ".join,
)
def test_help_is_plain_text_of_80_columns(
    command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with suppress(SystemExit):
        assert main([*command, "--help"]) == 0
    told = capsys.readouterr().out
    assert " ".join(command) in told
    lines = [line for line in told.splitlines() if not line.startswith("usage: ")]
    assert max(map(len, lines)) <= 80
    assert not re.search(r"``|:\w+:`|\n::", told)


NO_CALLS = """
import sys
from pathlib import Path
from carc_env.__main__ import COMMANDS, TRAINED_BY, main
from carc_env.web.app import _greeting
from carc_env.web.cards import cards_told
from carc_env.web.hub import Hub
from carc_env.web.journal import Journal

main(["--version"])
for command in [[name] for name in COMMANDS] + [["train", name] for name in TRAINED_BY]:
    try:
        main([*command, "--help"])
    except SystemExit as ended:
        assert ended.code == 0
_greeting(Hub(Journal(Path(sys.argv[1]))), None)
cards_told("en")
"""


def test_help_the_version_and_the_first_screen_compile_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_CALLS, tmp_path / "games"],
        env={**os.environ, "CARC_ENV_CACHE_DIR": str(tmp_path / "kernels")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert not (tmp_path / "kernels").exists()


def test_help_names_what_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for command in ("play", "task evaluate"):
        with pytest.raises(SystemExit):
            main([*command.split(), "--help"])
    told = capsys.readouterr().out
    places = [*fields(play.Arguments), *fields(play.Terminal), *fields(play.page.Settings)]
    options = {place.name for place in places} - {"terminal"}
    assert {f"--{name}" for name in options} <= {*re.findall(r"--\w+", told)}
    assert "TASK AGENT\n" in told


def test_options_of_the_terminal_and_the_page_are_kept_apart(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["play", "--seed", "3"]) == 2
    assert main(["play", "--text", "--port", "8000"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "--players, --rules, --seed and --records are for the terminal: add --text",
        "options of the browser do not go with --text: leave either out",
    ]


def test_a_missing_file_of_weights_names_the_agent(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "value:weights=nowhere.npz", "greedy", "--games", "2"]) == 1
    assert "agent 'value:weights=nowhere.npz': " in capsys.readouterr().out


def test_output_that_nobody_reads_ends_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """An example is ``carc-env doctor | head -1``."""
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["doctor"]) == NOBODY_READS


@pytest.mark.parametrize("arguments", [["nosuch"], ["train"], ["train", "nosuch"]])
def test_an_unknown_command_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert "nosuch" in capsys.readouterr().err or arguments == ["train"]


def test_help_on_training_names_what_can_be_trained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--help"]) == 0
    told = capsys.readouterr().out
    assert "carc-env train value CONFIG" in told and "carc-env train maskable-ppo" in told


def test_the_doctor_refuses_what_it_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["doctor", "--nosuch"])
    assert stopped.value.code == 2
    assert "kernels: " not in capsys.readouterr().out


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "train"])
def test_every_command_is_there(name: str) -> None:
    assert importlib.util.find_spec(f"carc_env.agents.commands.{name}") is not None


def test_recipes_are_listed_and_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "__init__.py").touch()
    (tmp_path / "guess.py").write_text(text := '"""Guess.\n\nMore."""\n\nprint("é")\n', "utf-8")
    monkeypatch.setattr(recipe, "files", lambda name: tmp_path)
    assert main(["recipe"]) == 0
    assert capsys.readouterr().out.split() == ["guess", "Guess."]
    (tmp_path / "guess.py").rename(tmp_path / "first_guess.py")
    for name in ("first_guess", "first-guess"):
        assert main(["recipe", name]) == 0
        assert capsys.readouterr().out == text
    with pytest.raises(SystemExit, match="did you mean 'first_guess'"):
        main(["recipe", "first-gess"])


def test_the_package_is_a_command() -> None:
    call = [sys.executable, "-m", "carc_env", "doctor"]
    run = subprocess.run(call, capture_output=True, text=True, check=True)
    assert run.stdout.startswith("carc_env ") and "kernels: " in run.stdout


def test_the_doctor_says_how_to_install_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from carc_env.agents.commands import doctor

    monkeypatch.setattr(doctor, "installed", lambda name: None if name == "choix" else "1.0")
    assert main(["doctor"]) == 0
    assert "missing choix: pip install 'carc_env[arena]'" in capsys.readouterr().out
    assert {"resvg-py", "pillow"} <= {*doctor.required()["web"]}
    assert {"starlette", "tyro"} <= {*doctor.required()[""]}
    monkeypatch.setattr(doctor, "installed", lambda name: None)
    assert main(["doctor"]) == 1
    assert "the page itself is part of the core): not installed" in capsys.readouterr().out


@pytest.mark.parametrize("sets", [("tower", "count"), ("count", "tower")])
def test_the_rules_for_two_sets_are_those_of_their_pages(
    sets: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["together", *sets]) == 0
    title, *rules, tested = capsys.readouterr().out.splitlines()
    assert title == "The Tower with The Count of Carcassonne"
    assert "COU-07" in rules[0] and "](" not in rules[0]
    assert re.search(r"\d+ of \d+ replayed games", tested)


def test_two_sets_without_a_special_rule_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["together", "river", "festival"]) == 0
    assert NO_RULE in capsys.readouterr().out


@pytest.mark.parametrize(
    ("sets", "reason"),
    [(("towers", "count"), "did you mean 'tower'"), (("tower", "tower"), "two different sets")],
)
def test_pairs_of_sets_that_are_none_are_refused(sets: tuple[str, str], reason: str) -> None:
    with pytest.raises(SystemExit, match=reason):
        main(["together", *sets])


def test_the_account_of_a_game_adds_up(game: Game) -> None:
    account = account_of(game)
    assert tuple(sum(points.values()) for points in account.sources) == game.scores
    assert account.course[-1] == game.scores
    assert OTHER in Counter(source for points in account.sources for source in points)
    *_, last = steps_of(game)
    assert last.game.scores == game.scores and last.n_moves == len(game.moves)


def test_show_tells_the_board_and_the_points(
    record: Path, game: Game, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(record)]) == 0
    told = capsys.readouterr().out
    final = ":".join(map(str, game.scores))
    assert f"game over, {final}: " in told and "monastery" in told
    assert str(max(game.scores)) in told


def test_show_goes_back_in_a_game(record: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(record), "--at", "0"]) == 0
    assert "game over" not in capsys.readouterr().out
    assert main(["show", str(record), "--at", "100000"]) == 1
    assert "--at must be" in capsys.readouterr().out


def test_decisions_are_counted_as_on_the_page(game: Game) -> None:
    play = play_of_record(format_record(game), None)
    assert 0 < play.ply < len(game.moves)  # the game makes some moves by itself
    for n in (0, 1, play.ply // 2, play.ply):
        assert show.game_at(game, n).moves == play.at(n).moves
    with pytest.raises(ValueError, match=f"--at must be 0 to {play.ply}, got"):
        show.game_at(game, play.ply + 1)


def test_show_takes_a_position(game: Game, tmp_path: Path) -> None:
    path = tmp_path / "position.txt"
    path.write_text(format_position(game.initial_position), encoding="utf-8")
    assert main(["show", str(path)]) == 0


def test_show_writes_pictures_films_and_plots(young: Path, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    pytest.importorskip("matplotlib")
    pillow = pytest.importorskip("PIL.Image")
    folder, film, plot = tmp_path / "pictures", tmp_path / "g.gif", tmp_path / "points.png"
    wanted = ["--pictures", str(folder), "--film", str(film), "--plot", str(plot)]
    assert main(["show", str(young), *wanted, "--width", "320", "--height", "240"]) == 0
    n_pictures = len(list(folder.glob("*.png")))
    with pillow.open(film) as gif:
        assert gif.size == (320, 240)
        assert 2 <= gif.n_frames <= n_pictures
    with pillow.open(plot) as picture:
        assert picture.size[0] > 500


def test_a_film_as_mp4_is_made_by_ffmpeg(
    young: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("resvg_py")
    program = tmp_path / "ffmpeg"
    counts = "import sys; print(len(sys.stdin.buffer.read()), file=open(sys.argv[-1][5:], 'w'))"
    program.write_text(f"#!{sys.executable}\n{counts}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr(show.shutil, "which", lambda name: str(program))
    film = tmp_path / "g.mp4"
    assert main(["show", str(young), "--film", str(film), "--width", "320", "--height", "240"]) == 0
    n_bytes = int(film.read_text())
    assert n_bytes > 0 and n_bytes % (320 * 240 * 3) == 0


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="needs the program ffmpeg")
def test_a_film_as_mp4_is_one(
    young: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("resvg_py")
    size = ["--width", "321", "--height", "241"]  # the format needs even sizes
    film = tmp_path / "a:b.mp4"
    assert main(["show", str(young), "--film", str(film), *size]) == 0
    assert film.read_bytes()[4:8] == b"ftyp"
    (tmp_path / "folder.mp4").mkdir()
    assert main(["show", str(young), "--film", str(tmp_path / "folder.mp4"), *size]) == 1
    said = capfd.readouterr()
    assert "Is a directory" in said.err and "ffmpeg failed" in said.out


def test_show_says_what_is_wrong(
    young: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(show.shutil, "which", lambda name: None)
    assert main(["show", str(young), "--film", str(tmp_path / "g.mp4")]) == 1
    assert "ffmpeg" in capsys.readouterr().out
    assert main(["show", str(young), "--film", "g.avi"]) == 2
    assert main(["show", str(young), "--fps", "0"]) == 2
    assert main(["show", str(tmp_path / "nowhere.carc")]) == 1
    (tmp_path / "bad.carc").write_text("[carc_env game 1]\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["show", str(tmp_path / "bad.carc")]) == 1
    assert "cut off" in capsys.readouterr().out
    (tmp_path / "binary.carc").write_bytes(b"\xff\xfe\x00")
    assert main(["show", str(tmp_path / "binary.carc")]) == 1


@pytest.mark.parametrize(
    ("command", "option", "name"),
    [("show", "--film", "x.gif"), ("show", "--plot", "x.png"), ("analyse", "--svg", "x.svg")],
)
def test_a_missing_folder_is_told_before_anything_is_done(
    command: str, option: str, name: str, young: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = young.parent / "nowhere" / name
    assert main([command, str(young), option, str(path)]) == 2
    said = " ".join(capsys.readouterr().out.split())
    assert said == f"{option}: there is no folder {path.parent}: create it, or name another one"


def test_analyse_tells_what_an_agent_thinks(
    young: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    svg = tmp_path / "thought.svg"
    assert main(["analyse", str(young), "--svg", str(svg)]) == 0
    assert "visits" in capsys.readouterr().out
    assert 'class="mark"' in svg.read_text(encoding="utf-8")
    assert main(["analyse", str(young), "--all"]) == 0
    assert "points lost per decision" in capsys.readouterr().out
    assert main(["analyse", str(young), "--agent", "random"]) == 1
    assert "does not analyse" in capsys.readouterr().out


def test_notebooks_show_positions_and_games(game: Game) -> None:
    assert game._repr_svg_().startswith("<svg")
    assert game.position()._repr_svg_() == game._repr_svg_()


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "gbk"])
@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        (["show", "FILE"], "Zo"),
        (["show", "FILE", "--at", "2"], "#"),
        (["analyse", "FILE", "--at", "2"], "lead"),
        (["play", "--text", "--players", "person", "greedy"], "#"),
        (["benchmark", "--list"], "game"),
        (["doctor"], "numba"),
        (["show", "no-such-file-\udcff"], r"\udcff"),
    ],
)
def test_every_command_writes_in_every_encoding(
    command: list[str], wanted: str, encoding: str, young: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows pipes, ``LC_ALL=C`` and ``PYTHONIOENCODING`` choose one without the board's signs."""
    write_record(young, read_record(young), ["Zo\xeb \u2603", "\u738b\u001b[31m"])
    streams = [io.TextIOWrapper(io.BytesIO(), encoding, write_through=True) for _ in range(2)]
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    main([str(young) if word == "FILE" else word for word in command])
    said = b"".join(stream.buffer.getvalue() for stream in streams).decode(encoding)
    assert wanted in said and "Traceback" not in said and "\x1b" not in said


def test_the_board_keeps_its_shape_in_ascii(game: Game) -> None:
    """A single ASCII character replaces each character of the board."""
    print_anywhere()
    text = board_text(game.position())
    plain = text.encode("ascii", ERRORS).decode()
    assert [*map(len, plain.splitlines())] == [*map(len, text.splitlines())]
    assert plain != text and not re.search(r"\\[ux]", plain)


# What agents see and do.


def rows_of(told: str, name: str) -> list[list[str]]:
    """Return the rows of a table that ``observe`` printed, headings first."""
    lines = told.partition(f"\n{name}\n\n")[2].partition("\n\n")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [rows[0], *rows[2:]]


@pytest.mark.parametrize("words", ["base", "tower", "{preset: all, n_players: 3}"])
def test_observe_lists_every_plane_global_and_action(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["observe", words]) == 0
    told, rules = capsys.readouterr().out, Rules.from_yaml(words)
    heading, *blocks = rows_of(told, "actions")
    assert heading[:3] == ["block", "first", "size"]
    found = {row[0].strip("`"): tuple(int(n.replace(",", "")) for n in row[1:3]) for row in blocks}
    layout = action_layout(rules)
    assert found == {run.name: (run.first, run.size) for run in layout.blocks.values()}
    n_planes = [(int(row[0]), "#" in row[1]) for row in rows_of(told, "planes")[1:]]
    counted = sum(n * (rules.n_players if is_of_a_seat else 1) for n, is_of_a_seat in n_planes)
    assert counted == len(plane_names(rules))
    assert sum(int(row[0]) for row in rows_of(told, "globals")[1:]) == len(global_names(rules))
    assert f"{len(plane_names(rules))} planes" in told and f"{layout.n_actions:,} actions" in told


def test_observe_lists_all_names(capsys: pytest.CaptureFixture[str]) -> None:
    rules = Rules.preset("tower", layout=Layout("tower", "inns"))
    assert (
        main(["observe", "tower", "--layout", "[tower, inns]", "--only", "globals", "--names"]) == 0
    )
    lines = capsys.readouterr().out.partition("\nglobals\n\n")[2].splitlines()
    assert lines == [f"{k:>6}  {name}" for k, name in enumerate(global_names(rules))]


def test_observe_prints_one_table_and_refuses_unknown_rules(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["observe", "tower", "--only", "planes"]) == 0
    told = capsys.readouterr().out
    assert "`foundation`, `tower`, `top`, `capturing`" in told and "\nactions\n" not in told
    assert main(["observe", "towre"]) == 1
    assert "did you mean 'tower'?" in capsys.readouterr().out

"""User files: encodings, byte order marks, unusual blanks, and ``~`` in paths."""

import json
import re
from pathlib import Path

import gymnasium
import pytest
import tyro
from carc_env.agents.commands.game_file import read_game
from carc_env.agents.commands.train_value import train
from carc_env.agents.curve import read_csv
from carc_env.agents.value_config import ValueConfig

from carc_env import (
    Game,
    NotationError,
    Rules,
    format_position,
    format_record,
    parse_position,
    read_record,
    write_record,
)
from carc_env.__main__ import main
from carc_env.engine.compiler.cache import cache_root
from carc_env.envs.naming import make_agent
from carc_env.files import read_text, user_path
from carc_env.game.archive import Archive
from carc_env.game.jcz import SaveError, read_jcz
from carc_env.plain_json import read_json
from carc_env.web import __main__ as web

pytestmark = pytest.mark.once
ROOT = Path(__file__).parents[1]

GAME = Game({"deck_size": 3}, seed=1)
while not GAME.is_over:
    GAME.apply(GAME.greedy_action())
SAVE = {
    "setup": {
        "sets": {"basic:2": 1},
        "elements": {"small-follower": 7, "farmers": True},
        "rules": {},
        "start": [{"tile": "BA/RCr", "x": 0, "y": 0, "rotation": 0}],
    },
    "players": [{"name": "Ada"}, {"name": "Zo\xeb"}],
    "replay": [],
}
ENCODED = {
    "utf-8": lambda text: text.encode(),
    "with CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "with CR": lambda text: text.replace("\n", "\r").encode(),
    "with a mark": lambda text: text.encode("utf-8-sig"),
    "as PowerShell writes": lambda text: text.replace("\n", "\r\n").encode("utf-16"),
    "utf-16, big end first": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
}


@pytest.mark.parametrize("encoded", ENCODED.values(), ids=ENCODED)
def test_files_are_read_as_windows_writes_them(tmp_path, encoded):
    """The files are records, positions, saves, settings and curves."""

    def put(name, text):
        path = tmp_path / name
        path.write_bytes(encoded(text))
        return path

    record = put("game.carc", format_record(GAME, ("Ada", "Zo\xeb")))
    assert read_record(record).moves == read_game(record).moves == GAME.moves
    assert str(read_game(put("position.txt", str(GAME)))) == str(GAME)
    assert not read_jcz(put("game.jcz", json.dumps(SAVE, indent=1, ensure_ascii=False))).is_over
    assert ValueConfig.read(put("settings.yaml", "# Zo\xeb\nseed: 7\n")).seed == 7
    assert read_csv(put("curve.csv", "steps,a\n1,2\n")) == [{"steps": 1.0, "a": 2.0}]


@pytest.mark.parametrize("change", ["\ufeff{}", "{}\n\n", " {}"])
@pytest.mark.parametrize("blank", ["\t", "\xa0", "  ", " \u3000"])
def test_pasted_text_may_have_other_blanks_and_a_mark(change, blank):
    position = change.format(format_position(GAME.position()).replace(" ", blank))
    assert parse_position(position) == GAME.position()
    assert Rules.from_yaml("\ufeffn_players: 3") == Rules(n_players=3)
    assert read_json("it", "\ufeff[1]") == read_json("it", b"\xef\xbb\xbf[1]") == [1]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("Zo\xeb".encode("latin-1"), r"not a text file in UTF-8: byte 2 is wrong; save it again"),
        ("a".encode("utf-16-le"), "not a text file in UTF-8: it contains null bytes"),
        (b"\xff\xfe\x00", "not a text file"),
    ],
)
def test_other_encodings_are_named(tmp_path, content, problem):
    path = tmp_path / "game"
    path.write_bytes(content)
    for read, kind in (
        (read_text, ValueError),
        (read_record, NotationError),
        (read_jcz, SaveError),
    ):
        with pytest.raises(kind, match=problem):
            read(path)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Yield a home folder; the current directory is another one, in which no ``~`` may appear."""
    (tmp_path / "home").mkdir()
    (tmp_path / "here").mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "here")
    yield tmp_path / "home"
    assert not [*(tmp_path / "here").iterdir()]


@pytest.mark.parametrize(
    ("variable", "folder"),
    [("CARC_ENV_CACHE_DIR", "cache/kernels"), ("XDG_CACHE_HOME", "cache/carc_env/kernels")],
)
def test_the_cache_may_be_in_a_folder_at_home(home, monkeypatch, variable, folder):
    monkeypatch.delenv("CARC_ENV_CACHE_DIR", raising=False)
    monkeypatch.setenv(variable, "~/cache")
    assert cache_root() == home / folder
    monkeypatch.setenv(variable, "~nobody-of-this-name/cache")  # no system can expand this
    assert cache_root().parts[0] == "~nobody-of-this-name"


def test_commands_read_and_write_at_home(home):
    write_record(home / "game.carc", GAME)
    assert main(["show", "~/game.carc", "--record=~/again.carc"]) == 0
    assert (home / "again.carc").read_text() == (home / "game.carc").read_text()
    assert tyro.cli(web.Settings, args=["--data=~/games"]).data == home / "games"


@pytest.mark.parametrize("folder", ["agents", "scripts", "carc_env/web"])
def test_no_option_is_a_path_as_it_was_typed(folder):
    """Path options of commands have the type ``UserPath``, which expands ``~``."""
    for path in (ROOT / folder).rglob("*.py"):
        if "import tyro" in (text := path.read_text(encoding="utf-8")):
            assert not re.findall(
                r"(?m)^    \w+: (?:(?:Annotated|tuple|[\w.]*Positional)\[)*Path\b.*", text
            ), path


def test_runs_and_what_they_learned_are_at_home(home):
    pytest.importorskip("matplotlib")
    config = ValueConfig(folder="~/run", total_games=2, round_games=2, eval_games=2, threads=1)
    train(config)
    assert (home / "run" / "latest.ckpt").is_file()
    again = config.replace(folder="~/more", init="~/run/value.npz")
    assert train(again.replace(total_games=4), Path("~/run/latest.ckpt"))[0].games == 4
    assert make_agent("value:weights=~/more/value.npz", Rules())


def test_python_reads_and_writes_at_home(home):
    write_record("~/game.carc", GAME)
    assert read_record("~/game.carc").moves == read_game(Path("~/game.carc")).moves == GAME.moves
    kept = Archive("~/games").keep(GAME)
    assert kept.parent == user_path("~/games") == home / "games"
    with gymnasium.make("carc_env/Carcassonne-v1", records="~/more"):
        assert (home / "more").is_dir()
    for word in ("~/none.npz", "value:weights=~/none.npz"):
        with pytest.raises(ValueError, match=r"neither built in|No such file"):
            make_agent(word)

"""Golden games: changed rules, draws or notation show up as differences in ``tests/golden``.

If the change is intended, run ``python scripts/golden.py`` to rewrite the files.
"""

import pytest
import yaml

from carc_env.envs.registration import ENV_ID
from carc_env.game.records import format_record, parse_record, read_record
from scripts.golden import ENVIRONMENTS, FOLDER, GAMES, shown, write_all

FILES = sorted(FOLDER.glob("*.carc"))


@pytest.mark.interpreted
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_golden_game_replays_to_the_same_scores_and_the_same_text(file):
    text = file.read_text(encoding="utf-8")
    game = read_record(file)
    assert game.is_over
    assert game.scores == parse_record(text).scores
    assert game.rules == GAMES[file.stem][0]
    assert format_record(game) == text


def test_the_script_writes_exactly_the_golden_files(tmp_path):
    (tmp_path / "no-longer-in-the-list.carc").touch()
    write_all(tmp_path)
    written = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    files = [*FILES, FOLDER / "environments.yaml"]
    assert sorted(written) == sorted(file.name for file in files)
    for file in files:
        assert written[file.name] == file.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_shows_what_its_id_promises(name):
    (pinned,) = yaml.safe_load((FOLDER / "environments.yaml").read_text(encoding="utf-8")).items()
    assert pinned[0] == ENV_ID
    assert shown(ENVIRONMENTS[name]) == pinned[1][name], "docs/citing.md says what to do"


def test_the_golden_games_hold_what_is_rare():
    texts = "".join(file.read_text(encoding="utf-8") for file in FILES)
    for rare in (" aside ", " recall", " abbot mid", " meeple mid"):
        assert rare in texts

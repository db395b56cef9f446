"""The soak run: it covers the rules that it claims to cover, finds errors, and resumes."""

import random
from pathlib import Path

import pytest

from carc_env import Table
from carc_env.rules import CHOICES, SWITCHES, TILE_SETS
from tests import soak

pytestmark = [pytest.mark.once, pytest.mark.filterwarnings("ignore:.* has no effect")]


def test_random_rules_have_every_value_of_every_switch() -> None:
    rng = random.Random(0)
    drawn = [soak.random_rules(rng).to_dict() for _ in range(400)]
    for name in SWITCHES:
        if name != "sets":
            values = (CHOICES | soak.NUMBERS)[name]
            assert {rules[name] for rules in drawn} == {*values}, name
    assert {name for rules in drawn for name in rules["sets"]} == {*TILE_SETS}


@pytest.mark.long
def test_a_part_is_played_once_and_told(tmp_path: Path) -> None:
    n = 34  # its first game, which the oracle follows, is a short one
    played = soak.play_part(n, 500, tmp_path)
    assert played.n_decisions >= 500 and played.n_twins == played.n_decisions // soak.TWIN_EVERY
    assert played.n_copies and played.n_records and played.n_oracle
    assert soak.kept(tmp_path) == {n: played}
    assert f"{played.n_decisions:,} decisions of {played.n_games} games" in soak.report({n: played})


def test_what_goes_wrong_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Table, "reshuffle", lambda table, seed: table.step(table.random_action()))
    with pytest.raises(AssertionError):
        soak.play_part(0, 500, tmp_path)
    told = (tmp_path / "failed-00000.txt").read_text(encoding="utf-8")
    assert told.startswith("rules {") and "\nactions [" in told and "check_twin" in told
    assert soak.kept(tmp_path) == {}


@pytest.mark.long  # compiles kernels that check bounds
def test_parts_that_are_there_are_not_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ["--decisions", "300", "--part", "300", "--workers", "1", "--folder", str(tmp_path)]
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "0")  # so that the test restores it
    assert soak.main(asked) == 0 and "part 1 of 1" in capsys.readouterr().out
    assert soak.main(asked) == 0
    told = capsys.readouterr().out
    assert told.startswith("1 of 1 parts are in ") and "part 1 of 1" not in told

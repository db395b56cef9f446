"""The commands that make endgames and ask agents about them."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import make_endgames
import numpy as np
import pytest
import regret
from carc_env.agents.endgames import Recipe

from carc_env import Rules
from carc_env.game.endgames import shipped_endgames, unpack

pytestmark = pytest.mark.once

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
RULES = "{abbot: false}"


@pytest.fixture
def arguments(tmp_path):
    """Return arguments for a few endgames that are solved quickly."""
    return make_endgames.Arguments(
        rules=RULES, positions=4, out=tmp_path / "few.npz", tiles=(0, 1), workers=1
    )


@pytest.mark.long
def test_a_set_is_what_its_recipe_makes_however_many_workers_there_are(arguments, capsys):
    assert make_endgames.make(arguments) == 0
    assert "4 endgames" in capsys.readouterr().out
    found = unpack("few", arguments.out.read_bytes())
    recipe = Recipe(Rules.from_yaml(RULES), (0, 1))
    assert found.about.items() >= recipe.to_dict().items()
    assert [endgame.number for endgame in found.endgames] == [0, 1, 2, 3]
    assert found.endgames[3].position == recipe.make(3).endgame.position
    other = replace(arguments, out=arguments.out.with_name("other.npz"))
    call = [sys.executable, str(SCRIPTS / "make_endgames.py"), "--rules", RULES, "--positions", "4"]
    call += ["--tiles", "0", "1", "--workers", "2", "--out", str(other.out)]
    subprocess.run(call, check=True, capture_output=True)
    assert other.out.read_bytes() == arguments.out.read_bytes()
    assert sorted(path.name for path in arguments.out.parent.iterdir()) == ["few.npz", "other.npz"]


def test_what_was_done_is_gone_on_with(arguments, monkeypatch, capsys):
    whole = replace(arguments, out=arguments.out.with_name("whole.npz"))
    make_endgames.make(whole)

    def cut_off(work, numbers, n_workers):
        yield from (work(number) for number, _ in zip(numbers, range(2), strict=False))

    with monkeypatch.context() as patch:
        patch.setattr(make_endgames, "spread", cut_off)  # as a signal does
        make_endgames.make(arguments)
    assert not arguments.out.exists()
    part = arguments.out.with_name("few.npz.part")
    assert len(unpack("part", part.read_bytes()).endgames) == 2
    with pytest.raises(ValueError, match=r"begun with other arguments .*: seed 0 -> 1"):
        make_endgames.make(replace(arguments, seed=1))
    with pytest.raises(ValueError, match="rules: abbot"):
        make_endgames.make(replace(arguments, rules="base"))
    make_endgames.make(arguments)
    assert "2 endgames were made before" in capsys.readouterr().out
    assert arguments.out.read_bytes() == whole.out.read_bytes()
    assert not part.exists()


def test_no_file_is_replaced(arguments, monkeypatch, capsys):
    arguments.out.write_text("of somebody else")
    monkeypatch.setattr(sys, "argv", ["make_endgames.py", "--out", str(arguments.out)])
    assert make_endgames.main() == 2
    assert "already exists" in capsys.readouterr().out
    part = arguments.out.with_name("few.npz.part")
    arguments.out.rename(part)
    assert make_endgames.main() == 1
    assert "few.npz.part holds no solved endgames" in capsys.readouterr().out
    assert part.read_text() == "of somebody else"


@pytest.mark.parametrize(
    "wrong", [["--positions", "0"], ["--seed", "-1"], ["--out", "no/where.npz"], ["--tiles", "-1"]]
)
def test_arguments_that_make_nothing_are_refused(wrong, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["make_endgames.py", *wrong])
    assert make_endgames.main() in (1, 2)
    assert wrong[0].removeprefix("--") in capsys.readouterr().out


def test_regrets_of_a_file_are_told_and_written(arguments, tmp_path, monkeypatch, capsys):
    pytest.importorskip("scipy")
    make_endgames.make(arguments)
    call = ["regret.py", "greedy", "random", "--sets", str(arguments.out), "--positions", "3"]
    call += ["--json", str(tmp_path / "told.json"), "--markdown"]
    monkeypatch.setattr(sys, "argv", call)
    assert regret.main() == 0
    lines = capsys.readouterr().out.splitlines()
    (head,) = (line for line in lines if "best actions" in line)
    assert head.startswith("| agent | regret |")
    assert sum(line.startswith(("| greedy |", "| random |")) for line in lines) == 2
    told = json.loads((tmp_path / "told.json").read_text())[str(arguments.out)]
    greedy, chance = told["regrets"]
    assert (greedy["agent"], greedy["n"], chance["tau"]) == ("greedy", 3, None)
    given = [answer["regret"] for answer in told["answers"] if answer["agent"] == "greedy"]
    assert greedy["regret"]["value"] == pytest.approx(np.mean(given))


def test_what_is_in_the_sets_is_told(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["regret.py", "--markdown", "--sets", "base-2"])
    assert regret.main() == 0
    rows = [line.split(" | ") for line in capsys.readouterr().out.splitlines() if "|" in line]
    of_kinds = [int(row[-2]) for row in rows[2:-1]]
    assert sum(of_kinds) == int(rows[-1][-2]) == len(shipped_endgames()["base-2"].endgames)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["greedy", "--sets", "bas-2"], "did you mean 'base-2'"),
        (["greedi"], "did you mean 'greedy'"),
        (["greedy", "--positions", "0"], "--positions must be at least 1"),
        (["greedy", "--json", "no/where.json"], "there is no folder no"),
    ],
)
def test_questions_that_make_no_sense_are_refused(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["regret.py", *words])
    assert regret.main() in (1, 2)
    assert message in capsys.readouterr().out

"""The comparison with other environments, which measures those that are installed."""

import compare
import numpy as np
import pytest

from carc_env import Rules
from carc_env.layout.observations import board_shape, global_names

pytestmark = pytest.mark.once

ABSENT = compare.Contender(
    "absent", "Nobody", "nothing", "nobody", lambda: pytest.fail("opened"), ("no_such_package",)
)


@pytest.mark.parametrize("contender", compare.CONTENDERS, ids=lambda contender: contender.key)
def test_everything_that_is_installed_is_measured(contender):
    if missing := contender.missing():
        pytest.skip(f"needs {', '.join(missing)}")
    (speed,) = compare.measure([contender], n_rounds=2, seconds=0.001)
    assert speed.key == contender.key
    assert speed.steps_per_s > 0


@pytest.mark.parametrize("through", ["aec", "gymnasium"])
@pytest.mark.parametrize("name", ["base", "all"])
def test_our_bytes_are_those_of_the_planes_the_globals_and_the_mask(through, name):
    rules = Rules() if name == "base" else Rules.preset("all", n_players=4)
    contender = next(c for c in compare.CONTENDERS if c.key == f"{through}_{name}")
    numbers = len(global_names(rules))
    n_actions = compare.carcassonne_v1.env(rules=rules).action_spaces["player_0"].n
    assert contender.open()[1] == np.prod(board_shape(rules)) + 4 * numbers + n_actions


def test_what_is_not_installed_is_left_out_with_a_message(capsys):
    ours = compare.CONTENDERS[0]
    assert compare.installed([ABSENT, ours]) == [ours]
    message = capsys.readouterr().err
    assert "left out: Nobody nothing (no_such_package not installed; pip install" in message


def test_keys_are_unique():
    keys = [contender.key for contender in compare.CONTENDERS]
    assert len(set(keys)) == len(keys)


def test_actions_of_many_games_are_legal_and_uniform():
    lists = [[1, 3, -1, -1], [-1] * 4, [0, 1, 2, 3], [3, -1, -1, -1]]
    observed = {"legal": np.array(lists), "n_legal": np.array([[2], [0], [4], [1]])}
    rng = np.random.default_rng(1)
    actions = np.array([compare.pick_listed(observed, rng) for _ in range(4_000)])
    assert (actions[:, 1] == -1).all()
    shares = np.array([np.bincount(actions[:, i], minlength=4) for i in (0, 2, 3)]) / 4_000
    expected = [[0, 0.5, 0, 0.5], [0.25] * 4, [0, 0, 0, 1]]
    assert shares == pytest.approx(np.array(expected), abs=0.04)


def test_the_table_has_a_line_for_each_beside_the_first(capsys):
    speeds = [
        compare.Speed("a", "Ours", "1.0", "go", 40_000.0, 70_510.0),
        compare.Speed("b", "Theirs", "2.0", "chess", 1_234.5, 99.0),
    ]
    compare.show(speeds)
    assert "0.0309" in capsys.readouterr().out
    assert compare.markdown_of(speeds).splitlines() == [
        "| package | game | speed | bytes/step |",
        "| --- | --- | --: | --: |",
        "| Ours 1.0 | go | 1 | 70,510 |",
        "| Theirs 2.0 | chess | 0.0309 | 99 |",
    ]


@pytest.mark.parametrize("options", [["--rounds", "0"], ["--seconds", "0"]])
def test_bad_options_are_refused(options):
    with pytest.raises(SystemExit, match="must be positive"):
        compare.tyro.cli(compare.main, args=options)

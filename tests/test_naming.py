"""Agent specs: a name with options, which are read from the signature of the agent's factory."""

import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import gymnasium
import pytest
from carc_env.agents import make_agent, register_agent

from carc_env import Rules
from carc_env.envs import naming
from carc_env.envs.naming import parse_agent, seat_opponents
from carc_env.envs.opponents import GreedyPlayer, RandomPlayer
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.game.table import Table

pytestmark = pytest.mark.once


class Acting:
    def act(self, table: Table) -> int:
        return table.random_action()


@dataclass
class Bold(Acting):
    """An agent with an option of each type."""

    nerve: int = 1
    share: float = 0.5
    calm: bool = False
    mood: Literal["good", "bad"] = "good"
    limit: int | None = None
    table: Any = ()
    rules: Rules | None = None
    seed: int = 0


class Plain(Acting):
    def __init__(self, first, second=2.5):  # type: ignore[no-untyped-def]
        self.first, self.second = first, second


BOTS = """
class Bot:
    def __init__(self, depth: int = 1) -> None:
        if depth < 1:
            raise ValueError(f"depth must be positive, got {depth}")
        self.depth = depth
    def act(self, table):
        return table.legal_actions()[0]

LIMIT = 3
"""


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "ENTRY_POINTS", {**naming.ENTRY_POINTS})
    register_agent("bold", Bold)
    register_agent("plain", f"{__name__}:Plain")


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Write a module to the current directory, where Python does not look for modules."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "my_bots.py").write_text(BOTS)
    (tmp_path / "broken_bots.py").write_text("import nothing_of_this_name")
    yield "my_bots"
    for module in ("my_bots", "broken_bots"):
        sys.modules.pop(module, None)


def test_names_without_options() -> None:
    assert type(make_agent("random")) is RandomPlayer
    assert type(make_agent("greedy")) is GreedyPlayer
    assert make_agent("bold") == Bold()
    agent = Acting()
    assert make_agent(agent) is agent


def test_options_have_the_types_of_the_signature() -> None:
    agent = make_agent("bold:nerve=-3,share=2,calm=true,mood=bad,limit=7")
    assert agent == Bold(-3, 2.0, True, "bad", 7)
    assert isinstance(agent, Bold) and isinstance(agent.share, float)
    assert make_agent("bold:limit=none,calm=False") == Bold()
    plain = make_agent("plain:first=a=b,second=1e-3")
    assert isinstance(plain, Plain)
    assert (plain.first, plain.second) == ("a=b", 0.001)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("blod", r"agent 'blod' is neither built in .*; did you mean 'bold'\?"),
        ("blod:nerve=3", "did you mean 'bold'"),
        ("runs/none.ckpt", r"nor a checkpoint file nor a class module:Class or file.py:Class$"),
        ("bold:nerv=3", r"option must be one of 'nerve', .*; got 'nerv'; did you mean 'nerve'\?"),
        ("bold:rules=all", "option must be one of"),
        ("bold:nerve=1.5", r"option 'nerve' must be a whole number, got '1\.5'"),
        ("bold:share=much", "option 'share' must be a number, got 'much'"),
        ("bold:share=inf", "option 'share' must be a finite number, got 'inf'"),
        ("bold:calm=1", "option 'calm' must be true or false, got '1'"),
        ("bold:mood=so", "option 'mood' must be one of good, bad, got 'so'"),
        ("bold:limit=x", "option 'limit' must be a whole number or none, got 'x'"),
        ("bold:table=x", "option 'table' must be an object"),
        ("bold:nerve", "expected option=value, found 'nerve'"),
        ("bold:nerve=1,nerve=2", "option 'nerve' is given twice"),
        ("plain", "agent 'plain' needs the options first"),
        ("random:seed=1", "agent 'random:seed=1' has no options, got 'seed'"),
    ],
)
def test_words_that_say_nobody(word: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent(word)


def test_rules_and_seed_are_handed_on() -> None:
    rules = Rules(view=16)
    assert make_agent("bold", rules, seed=5) == Bold(rules=rules, seed=5)
    assert make_agent("bold:seed=3", rules) == Bold(rules=rules, seed=3)
    assert parse_agent("bold").takes_seed
    assert not parse_agent("greedy").takes_seed


def test_a_class_of_ones_own_in_the_current_directory(bots: str) -> None:
    agent = make_agent(f"{bots}:Bot?depth=4")
    assert vars(agent) == {"depth": 4}
    assert vars(make_agent(f"{bots}:Bot")) == {"depth": 1}
    for word, message in [
        (f"{bots}:Bot?depth=0", "depth must be positive, got 0"),
        (f"{bots}:Bott", r"module 'my_bots' has no 'Bott'; did you mean 'Bot'\?"),
        (f"{bots}:LIMIT", "is neither a class nor a function: 3"),
        ("your_bots:Bot", "there is no module 'your_bots' in .* or on Python's search path"),
        ("greedi:depth", r"there is no module 'greedi' .*; did you mean 'greedy'\?"),
    ]:
        with pytest.raises(ValueError, match=message):
            make_agent(word)
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):
        make_agent("broken_bots:Bot")


def test_a_class_in_a_file(tmp_path: Path) -> None:
    for folder, depth in (("one", 1), ("other", 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bots.py").write_text(BOTS.replace("int = 1", f"int = {depth}"))
    words = [f"{tmp_path}/{name}/bots.py:Bot" for name in ("one", "other")]
    assert [vars(make_agent(word)) for word in words] == [{"depth": 1}, {"depth": 2}]
    spec = parse_agent(f"{words[1]}?depth=4")
    code = "import pickle, sys, carc_env; print(pickle.load(sys.stdin.buffer).{}depth)"
    for given, calls in ((spec, "make()."), (spec.make(), "")):  # as sent to workers
        done = subprocess.run(
            [sys.executable, "-c", code.format(calls)],
            input=pickle.dumps(given),
            capture_output=True,
            check=True,
        )
        assert done.stdout.split() == [b"4"]
    for word, message in [
        (f"{tmp_path}/none.py:Bot", r"there is no file .*none\.py"),
        (f"{words[0]}t", r"bots\.py' has no 'Bott'; did you mean 'Bot'\?"),
    ]:
        with pytest.raises(ValueError, match=message):
            make_agent(word)


@pytest.mark.parametrize("name", ["self", "a:b", "", "a b"])
def test_names_that_cannot_be_given(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name of an agent"):
        register_agent(name, Bold)


def test_what_cannot_play_is_refused() -> None:
    register_agent("numb", object)
    with pytest.raises(ValueError, match=r"needs a method act\(table\)"):
        make_agent("numb")


def test_who_is_named_twice_is_made_once() -> None:
    first, second, third = seat_opponents(["bold", "greedy", "bold"], Rules(n_players=4))
    assert first is third and first is not second


def test_every_environment_takes_the_same_words(bots: str) -> None:
    word, rules = f"{bots}:Bot?depth=4", Rules(view=16)
    for env in (
        CarcassonneEnv(rules, word),
        CarcassonneVectorEnv(2, rules, [word]),
        gymnasium.make("carc_env/Carcassonne-v1", rules=rules, opponents=word).unwrapped,
    ):
        assert [vars(opponent) for opponent in env.opponents] == [{"depth": 4}]
    envs = CarcassonneVectorEnv(2, rules, word)
    envs.reset(seed=1)

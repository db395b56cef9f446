"""Agents, matches between them, and checkpoint files of trained agents (without torch)."""

import hashlib
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from carc_env.agents import (
    CheckpointError,
    act_many,
    make_agent,
    play_game,
    play_match,
    read_checkpoint,
    write_checkpoint,
)
from carc_env.agents.arena import first_places, leads
from carc_env.agents.intervals import Estimate, mean_interval, share_interval, wilson

from carc_env import Rules
from carc_env.envs.opponents import Opponent, act
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.game import records
from carc_env.game.table import Table

EVALUATE = ("-m", "carc_env", "evaluate")


class Counting:
    """A random agent that can act at many tables at once; it records the number of tables."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def act(self, table: Table) -> int:
        return table.random_action()

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        self.batches.append(len(tables))
        return [table.random_action() for table in tables]


def first_legal(table: Table) -> int:
    return table.legal_actions()[0]


class First:
    """Takes the first legal action, without random numbers."""

    def act(self, table: Table) -> int:
        return first_legal(table)


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_built_in_agents_take_legal_actions(name: str) -> None:
    agent = make_agent(name)
    assert isinstance(agent, Opponent)
    table = Table(Rules(), seed=1)
    for _ in range(12):
        action = agent.act(table)
        assert table.is_legal(action)
        table.step(action)


def test_unknown_agent_is_named_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'gredy' is neither .*; did you mean 'greedy'"):
        make_agent("gredy")


def test_greedy_beats_random(n_games: Callable[[int], int]) -> None:
    games = 2 * (n_games(600) // 2)
    match = play_match([make_agent("greedy"), make_agent("random")], ["greedy", "random"],
                       Rules(), games, seed=5)  # fmt: skip
    greedy, random = match.standings
    assert greedy.win_rate.value >= 0.99
    assert greedy.score.value > 75
    assert random.wins + random.draws + random.losses == games
    assert random.wins == greedy.losses


def test_every_deck_is_played_from_every_seat() -> None:
    """If the agents draw no random numbers, swapping the seats gives the same game."""
    match = play_match([First(), First()], ["a", "b"], Rules(view=16), 4)
    assert match.scores.shape == (2, 2, 2)
    np.testing.assert_array_equal(match.scores[:, 0], match.scores[:, 1, ::-1])
    assert match.n_games == 4
    first_deck, second_deck = match.scores[:, 0]
    assert tuple(first_deck) != tuple(second_deck)


@pytest.mark.parametrize("n_players", [3, 6])
def test_seats_rotate_for_more_players(n_players: int) -> None:
    agents, names = [First()] * n_players, list("abcdef"[:n_players])
    match = play_match(agents, names, Rules(n_players=n_players, view=16), n_players)
    for seating in range(n_players):
        by_seat = np.roll(match.scores[0, seating], seating)
        np.testing.assert_array_equal(by_seat, match.scores[0, 0])


def test_a_match_is_a_function_of_its_seed() -> None:
    agents = [make_agent("random")] * 2
    one, same, other = (
        play_match(agents, ["a", "b"], Rules(view=16), 4, seed=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.scores, same.scores)
    assert (one.scores != other.scores).any()


def test_agents_are_asked_about_all_their_tables_at_once() -> None:
    agent = Counting()
    finished: list[None] = []
    play_match([agent, make_agent("random")], ["c", "r"], Rules(view=16), 8,
               on_game=lambda: finished.append(None))  # fmt: skip
    assert max(agent.batches) >= 4
    assert len(finished) == 8
    tables = [Table(Rules(), seed=k) for k in range(2)]
    assert len(act_many(First(), tables)) == 2


@pytest.mark.parametrize(
    ("n_agents", "games", "message"),
    [(3, 4, "2 seats need 2 agents"), (2, 3, "multiple of 2"), (2, 0, "positive multiple")],
)
def test_matches_that_do_not_fit_are_refused(n_agents: int, games: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play_match([First()] * n_agents, ["x"] * n_agents, Rules(), games)


def test_a_match_as_json() -> None:
    match = play_match([First(), make_agent("random")], ["first", "random"], Rules(view=16), 4)
    read = json.loads(json.dumps(match.to_dict()))
    assert Rules.from_dict(read["rules"]) == match.rules
    assert read["games"] == 4
    assert [agent["agent"] for agent in read["agents"]] == ["first", "random"]
    assert read["agents"][0]["win_rate"]["value"] == first_places(match.scores)[:, :, 0].mean()
    assert read["agents"][1]["lead"]["value"] == -read["agents"][0]["lead"]["value"]
    np.testing.assert_array_equal(read["scores"], match.scores)


def test_a_shared_first_place_is_shared() -> None:
    scores = np.array([[7, 7, 3, 7], [1, 2, 3, 4], [5, 5, 0, 0]])
    shared = [[1 / 3, 1 / 3, 0, 1 / 3], [0, 0, 0, 1], [0.5, 0.5, 0, 0]]
    np.testing.assert_allclose(first_places(scores), shared)
    np.testing.assert_allclose(leads(scores)[1], [-2, -2 / 3, 2 / 3, 2])
    assert first_places(np.array([[4, 4]])).tolist() == [[0.5, 0.5]]


def test_wilson_interval() -> None:
    """The bounds match numbers worked out by hand: z = 1.96, z2 = 3.8415."""
    half = wilson(5, 10)  # middle 0.5, half width 1.96 / 1.38415 * sqrt(0.025 + 0.0096) = 0.2634
    assert (half.value, half.low, half.high) == pytest.approx((0.5, 0.2366, 0.7634), abs=1e-4)
    sure = wilson(200, 200)  # lower bound n / (n + z2)
    assert (sure.low, sure.high) == (pytest.approx(200 / 203.8415, abs=1e-6), 1.0)
    assert wilson(0, 200).high == pytest.approx(3.8415 / 203.8415, abs=1e-6)
    assert wilson(0, 200).low == 0.0
    with pytest.raises(ValueError, match="3 successes in 2 trials"):
        wilson(3, 2)


def test_share_interval() -> None:
    """Agresti-Coull intervals add two decks won and two lost: 9 of 14, spread 0.4792 / sqrt(14)."""
    found = share_interval([1, 1, 1, 1, 1, 1, 1, 0, 0, 0])
    assert (found.value, found.low, found.high) == pytest.approx((0.7, 0.3919, 0.8938), abs=1e-4)
    assert share_interval([1] * 50) == Estimate(1.0, pytest.approx(0.9126, abs=1e-4), 1.0)
    halves = share_interval([0.5] * 50)  # seats decide each deck: 54 decks, spread sqrt(1 / 54)
    assert halves.high - 0.5 == pytest.approx(1.96 * (1 / 54) ** 0.5 / 54**0.5, abs=1e-4)


def test_share_intervals_hold_what_they_promise() -> None:
    """If a deck's games are correlated, 2 to 4 in 100 intervals miss: at most what 95% allows."""
    rng = np.random.default_rng(3)
    for chance in (0.5, 0.9):
        of_deck = rng.beta(4 * chance, 4 * (1 - chance), size=(400, 40, 1))
        games = rng.random((400, 40, 2)) < of_deck
        found = [share_interval(decks.mean(axis=1)) for decks in games]
        assert np.mean([e.low <= chance <= e.high for e in found]) >= 0.93


@pytest.mark.parametrize("chance", [0.5, 0.8, 0.97])
def test_share_intervals_of_200_decks_and_more_until_they_are_narrow(chance: float) -> None:
    """Stopping at 5 points, as the ladder does, costs at most one point of the 95% coverage."""
    rng = np.random.default_rng(4)
    hits = []
    for _ in range(1000):
        won = rng.binomial(2, rng.beta(2 * chance, 2 * (1 - chance), size=600)) / 2
        n = 200
        while n < 600:
            found = share_interval(won[:n])
            if max(found.high - found.value, found.value - found.low) <= 0.05:
                break
            n += 10
        hits.append(found.low <= chance <= found.high)
    assert np.mean(hits) >= 0.93


def test_an_interval_over_several_line_ups() -> None:
    """Line-ups share decks, so that two equal line-ups contain no more evidence than one."""
    won = np.random.default_rng(5).random(60)
    one, same = share_interval(won), share_interval([won, won])
    assert (same.value, same.low, same.high) == pytest.approx((one.value, one.low, one.high))
    other = mean_interval([won, 1 - won])  # one line-up gains what the other loses
    assert other.high - other.low == pytest.approx(0, abs=1e-12)
    half = share_interval([won, [*won[:30], *[np.nan] * 30]])
    assert half.value == pytest.approx((won.mean() + won[:30].mean()) / 2)
    assert half.high - half.low > one.high - one.low
    lead, leads_ = mean_interval(won), mean_interval([won, won])
    assert (leads_.low, leads_.high) == pytest.approx((lead.low, lead.high))


def test_mean_interval() -> None:
    """The values 1, 2, 3, 4 have mean 2.5, deviation 1.2910 and standard error 0.6455."""
    found = mean_interval([1, 2, 3, 4])
    assert (found.value, found.low, found.high) == pytest.approx((2.5, 1.2348, 3.7652), abs=1e-4)
    assert mean_interval([7.0]) == mean_interval([7.0, 7.0])


class Changes(First):
    """Applies its action to the table itself, which is not allowed."""

    def act(self, table: Table) -> int:
        action = super().act(table)
        table.step(action)
        return action


class PutsBack(First):
    """Tries its action on the table and then restores the state, which is not allowed either."""

    name = "searcher"

    def act(self, table: Table) -> int:
        saved, action = table.save_state(), super().act(table)
        table.step(action)
        table.load_state(saved)
        return action


class Answers:
    """Always gives the same answer."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, table: Table) -> int:
        answer: int = self.answer
        return answer


class AnswersMany(Answers):
    """Always gives the same answer for a list of tables."""

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        answer: list[int] = self.answer
        return answer


ACTLESS = "an opponent needs a method act(table)"
ILLEGAL = r"is not legal for seat 0 in phase \w+:"
NO_INT = f"{ILLEGAL} an action is an int, not of type"
MISTAKES = [
    (Changes(), r"Changes at seat 0, who decided \d+, has changed the table: clone a table"),
    (PutsBack(), r"searcher at seat 0, who decided \d+, has changed the table: clone a table"),
    (Answers(-1), f"Answers: action -1 {ILLEGAL} there are"),
    (Answers("pass"), f"Answers: action pass {NO_INT} str"),
    (Answers(2056.0), rf"Answers: action 2056\.0 {NO_INT} float"),
    (Answers(None), f"Answers: action None {NO_INT} NoneType"),
    (object(), re.escape(ACTLESS)),
    (type("Numb", (), {"act": 3})(), re.escape(ACTLESS)),
    (First, "is a class: make an instance of it"),
]
RULES = Rules(view=16)
INTERFACES: dict[str, Callable[[Any], object]] = {
    "gymnasium": lambda rival: CarcassonneEnv(RULES, rival, seat=1).reset(seed=1),
    "vector": lambda rival: CarcassonneVectorEnv(2, RULES, rival, seat=1).reset(seed=1),
    "match": lambda rival: play_match([rival, rival], ["a", "b"], RULES, 4),
    "game": lambda rival: play_game([rival, rival], RULES, seed=1),
}


@pytest.mark.parametrize("play", INTERFACES.values(), ids=INTERFACES)
@pytest.mark.parametrize(("rival", "words"), MISTAKES)
def test_mistakes_of_opponents_have_the_same_words_everywhere(
    play: Callable[[Any], object], rival: Any, words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        play(rival)


@pytest.mark.parametrize("play", ["vector", "match"])
@pytest.mark.parametrize(("answer", "words"), [([1], "1 actions"), ([1] * 3, "3"), (None, "None")])
def test_one_action_is_wanted_for_each_table(play: str, answer: Any, words: str) -> None:
    with pytest.raises(ValueError, match=f"AnswersMany at seat 0: act_many gave {words}"):
        INTERFACES[play](AnswersMany(answer))


@pytest.mark.parametrize("play", INTERFACES.values(), ids=INTERFACES)
def test_opponents_may_ask_the_table_what_built_in_players_would_do(
    play: Callable[[Any], object],
) -> None:
    """A random action consumes random numbers of the game, but does not change the game."""
    play(Counting())
    table, twin = Table(RULES, seed=1), Table(RULES, seed=1)
    for _ in range(5):
        action = act(Counting(), table)
        assert action == act(make_agent("random"), twin)
        table.step(action)
        twin.step(action)
    assert table.save_state() == twin.save_state()


def test_a_game_with_its_record() -> None:
    game = play_game([make_agent("greedy"), First()], Rules(view=16), seed=3)
    assert game.is_over
    assert records.load_record(records.format_record(game)).scores == game.scores


# Checkpoint files.

META = {"rules": Rules(view=16).to_dict(), "curve": [{"steps": 1}], "big": 2**100}
ARRAYS = {
    "weights": np.arange(6, dtype=np.float32).reshape(2, 3),
    "random": np.arange(5, dtype=np.uint8),
    "scalar": np.array(2.5),
}


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    path = tmp_path / "a.ckpt"
    write_checkpoint(path, META, ARRAYS)
    return path


def test_checkpoint_round_trip(checkpoint: Path) -> None:
    meta, arrays = read_checkpoint(checkpoint)
    assert meta == META
    assert arrays.keys() == ARRAYS.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, ARRAYS[name], strict=True)
    assert [p.name for p in checkpoint.parent.iterdir()] == [checkpoint.name]


@pytest.mark.parametrize("size", [0, 5, 30, 100, 300, -1])
def test_a_checkpoint_that_is_cut_off_is_refused(checkpoint: Path, size: int) -> None:
    checkpoint.write_bytes(checkpoint.read_bytes()[:size])
    with pytest.raises(CheckpointError, match=r"a\.ckpt: (cut off|line 2|not a checkpoint)"):
        read_checkpoint(checkpoint)


def test_a_checkpoint_that_is_edited_is_refused_wherever_it_is(checkpoint: Path) -> None:
    good = checkpoint.read_bytes()
    for at in range(0, len(good), 7):
        checkpoint.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        with pytest.raises(CheckpointError, match=r"a\.ckpt: "):
            read_checkpoint(checkpoint)
    checkpoint.write_bytes(good.replace(b'"curve"', b'"curxe"'))
    with pytest.raises(CheckpointError, match="edited or damaged: the checksum in line 2"):
        read_checkpoint(checkpoint)
    checkpoint.write_bytes(good + b"x")
    with pytest.raises(CheckpointError, match="edited or damaged"):
        read_checkpoint(checkpoint)


def test_a_checkpoint_of_another_version_is_refused(checkpoint: Path) -> None:
    checkpoint.write_bytes(checkpoint.read_bytes().replace(b"checkpoint 1\n", b"checkpoint 2\n"))
    with pytest.raises(CheckpointError, match=r"line 1 gives version 2, .* only reads version 1"):
        read_checkpoint(checkpoint)


def test_pickles_are_never_loaded(checkpoint: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
            return Path.touch, (checkpoint.with_name("ran"),)  # type: ignore[return-value]

    for content in (pickle.dumps(Evil()), b"PK\x03\x04" + bytes(100)):
        checkpoint.write_bytes(content)
        with pytest.raises(CheckpointError, match=r"not a checkpoint: .* never loaded"):
            read_checkpoint(checkpoint)
    assert not checkpoint.with_name("ran").exists()
    with pytest.raises(ValueError, match="'x' is of type object"):
        write_checkpoint(checkpoint, {}, {"x": np.array([Evil()])})


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ({"a": {"dtype": "|O", "shape": [1]}}, "is of type '|O'"),
        ({"a": {"dtype": "<f4", "shape": [10**12]}}, "reaches past the end"),
        ({"a": {"dtype": "<f4", "shape": [-1]}}, "cannot have the shape"),
        ({}, "bytes are left over"),
        ([], "line 3 is not valid"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(checkpoint: Path, table: object, reason: str) -> None:
    """They are refused even with a correct checksum, which anyone can compute."""
    body = json.dumps({"meta": {}, "arrays": table}).encode() + b"\n" + bytes(8)
    identity = f"carc_env checkpoint 1\n{hashlib.sha256(body).hexdigest()} {len(body)}\n"
    checkpoint.write_bytes(identity.encode() + body)
    with pytest.raises(CheckpointError) as refusal:
        read_checkpoint(checkpoint)
    assert "line 3 is not valid" in str(refusal.value)
    assert reason in str(refusal.value)


@pytest.mark.once
def test_agents_can_be_imported_without_torch() -> None:
    code = "import carc_env.agents, sys; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.once
def test_evaluate_script(tmp_path: Path) -> None:
    result = tmp_path / "match.json"
    command = [*EVALUATE, "greedy", "random", "--games", "6", "--json", str(result)]
    command += ["--rules", "{n_players: 3, view: 16}"]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 games" in done.stdout
    assert "95% intervals" in done.stdout
    read = json.loads(result.read_text())
    assert [agent["agent"] for agent in read["agents"]] == ["greedy", "random", "random"]
    assert np.array(read["scores"]).shape == (2, 3, 3)


@pytest.mark.once
def test_evaluate_script_explains_what_is_wrong() -> None:
    command = [sys.executable, *EVALUATE, "greedy", "random", "--games", "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "error: the number of games must be a positive multiple of 2" in done.stdout
    command = [sys.executable, *EVALUATE, "greedy", "random", "--threads", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--threads must be at least 1, got 0" in done.stdout

"""Custom encodings work in every interface, however much of them the engine draws."""

import copy
import functools
import pickle

import numpy as np
import pytest
from gymnasium import spaces

from carc_env import Rules, Table, carcassonne_v1
from carc_env.engine.compiler.jit import entry_point, i8, void
from carc_env.engine.core.state import States
from carc_env.envs.single_agent import CarcassonneEnv
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.layout import encodings
from carc_env.layout.encodings import Encoding, Planes, Tokens, make_encoding, register_encoding

N = 3
RULES = Rules(n_players=3, view=12)


def points_box(n_players):
    return spaces.Box(-np.inf, np.inf, (n_players,), np.float32)


class Forecast(Tokens):
    """Encode the tokens and the standings, starting with the observer's."""

    def boxes(self):
        return super().boxes() | {"forecast": points_box(self.rules.n_players)}

    def write(self, rows, table, seat):
        rows["forecast"][:] = np.roll(table.standings, -seat)


class Occupied(Planes):
    """Encode which cells have a tile, without the planes from which this is computed."""

    def boxes(self):
        return {"occupied": spaces.Box(0, 1, (self.rules.view, self.rules.view), np.uint8)}

    def write(self, rows, table, seat):
        board = rows["board"].reshape(self.rules.view, self.rules.view, -1)
        rows["occupied"][:] = board[..., 0]


@entry_point(void(States, i8[::1], i8[::1], i8[:, ::1]))
def write_scores(states, seats, which, out):
    """Write the scores by seat, starting with the observer's."""
    for k in range(which.shape[0]):
        s, seat = states[which[k]], seats[which[k]]
        for place in range(s.rules.n_players):
            out[which[k], place] = s.players[(seat + place) % s.rules.n_players].score


class ByKernel(Encoding):
    """Encode only the scores, with a kernel over all games; the engine draws nothing."""

    def boxes(self):
        return {"scores": spaces.Box(-(2**31), 2**31, (self.rules.n_players,), np.int64)}

    def write_many(self, arrays, states, seats, which):
        write_scores(states, seats, which, arrays["scores"])


class Counted(Encoding):
    """Count how often each row is written."""

    def boxes(self):
        return {"n": spaces.Box(0, 10_000, (1,), np.int64)}

    def write(self, rows, table, seat):
        rows["n"] += 1


def forecast_of(table, seat):
    wanted = table.observe(seat, "tokens")
    return wanted | {"forecast": np.roll(table.standings, -seat).astype(np.float32)}


def occupied_of(table, seat):
    return {"occupied": table.observe(seat)["board"][0]}


def scores_of(table, seat):
    return {"scores": np.roll(table.scores, -seat)}


OWN = {Forecast: forecast_of, Occupied: occupied_of, ByKernel: scores_of}
"""Encodings, each with what it should show."""
each_own = pytest.mark.parametrize(("own", "shown"), OWN.items(), ids=lambda x: x.__name__)


@pytest.fixture
def n_steps(n_games):
    """Return the number of steps to play: a whole game, or only a few steps if they are slow."""
    return 10_000 if n_games(4000) == 4000 else 12


def assert_same(found, wanted):
    assert found.keys() == wanted.keys()
    for name, rows in wanted.items():
        assert (found[name].dtype, found[name].shape) == (rows.dtype, rows.shape), name
        np.testing.assert_array_equal(found[name], rows, name)


@each_own
def test_under_pettingzoo(own, shown, n_steps):
    # PettingZoo's planes are not a flat vector, so Occupied asks for one.
    encoding = own(RULES, flat_board=True)
    env = carcassonne_v1.env(rules=RULES, encoding=encoding)
    env.reset(seed=1)
    for k in range(n_steps):
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert_same(seen["observation"], shown(env.table, seat))
            assert np.array_equal(seen["action_mask"], env.table.action_mask(seat))
        if env.table.is_over:
            break
        env.step(env.table.random_action())
        if k == 9:
            env = pickle.loads(pickle.dumps(copy.deepcopy(env)))


@each_own
def test_under_gymnasium(own, shown, n_steps):
    env = CarcassonneEnv(RULES, "greedy", encoding=own, observe_mask=True, legal_list=True)
    seen, info = env.reset(seed=2)
    over = False
    for _ in range(n_steps):
        assert env.observation_space.contains(seen)
        (n,) = seen.pop("n_legal")
        assert sorted(seen.pop("legal")[:n]) == np.flatnonzero(seen["action_mask"]).tolist()
        assert np.array_equal(seen.pop("action_mask"), info["action_mask"])
        assert_same(seen, shown(env.table, env.seat))
        if over:
            break
        seen, _, over, _, info = env.step(env.table.random_action())


class Passer:
    """Agent that places the tile at the first legal place and never places a figure."""

    def act(self, table):
        passing = table.layout.first("pass")
        return passing if table.is_legal(passing) else table.legal_actions()[0]


def rows_of(seen, i):
    return {name: rows[i] for name, rows in seen.items()}


@each_own
@pytest.mark.parametrize("opponents", ["self", ["random", Passer()]], ids=["self", "guests"])
def test_many_games_at_once(own, shown, opponents, n_steps):
    """It works in self-play and with opponents outside the kernel, for which games wait."""
    env = CarcassonneVectorEnv(N, RULES, opponents, encoding=own, num_threads=2)
    seen, info = env.reset(seed=3)
    n_ended = 0
    for _ in range(n_steps):
        assert env.observation_space.contains(seen)
        for i, seat in enumerate(info["seat"].tolist()):
            assert_same(rows_of(seen, i), shown(env.table(i), seat))
        seen, _, ended, _, info = env.step(info["action_mask"].argmax(axis=1))
        n_ended += ended.sum()
        if n_ended > N:
            break
    env.close()


@each_own
def test_final_observations(own, shown):
    """A restarted game's final observation is that of the same game without the restart."""
    envs = [
        CarcassonneVectorEnv(N, RULES, "self", encoding=own, autoreset_mode=mode)
        for mode in ("SameStep", "NextStep")
    ]
    (_, info), _ = (env.reset(seed=4) for env in envs)
    ended = np.zeros(N, bool)
    while not ended.any():
        actions = info["action_mask"].argmax(axis=1)
        (seen, _, ended, _, info), (last, _, _, _, told) = (env.step(actions) for env in envs)
    for i in range(N):
        seat = int(told["seat"][i])
        assert_same(rows_of(last, i), shown(envs[1].table(i), seat))
        assert_same(rows_of(seen, i), shown(envs[0].table(i), int(info["seat"][i])))
        if ended[i]:
            assert_same(info["final_obs"][i], rows_of(last, i))


@pytest.mark.parametrize("opponents", ["self", Passer()], ids=["self", "guests"])
def test_rows_are_written_once_for_each_new_observation(opponents):
    """Rows stay untouched if only other games are reset, or if the action does nothing."""
    env = CarcassonneVectorEnv(
        N, RULES, opponents, encoding=Counted, autoreset_mode="Disabled", illegal_action="noop"
    )
    seen, info = env.reset(seed=5)
    assert seen["n"].tolist() == [[1], [1], [1]]
    seen, info = env.reset(options={"reset_mask": np.array([False, True, False])})
    assert seen["n"].tolist() == [[1], [2], [1]]
    actions = info["action_mask"].argmax(axis=1)
    actions[0] = env.single_action_space.n - 1
    assert env.step(actions)[0]["n"].tolist() == [[1], [3], [2]]


def test_tables_take_names_classes_and_objects():
    table = Table(RULES, seed=1)
    for encoding in ("tokens", Tokens, Tokens(RULES)):
        assert_same(table.observe(1, encoding), table.observe(1, make_encoding(RULES, "tokens")))
    for encoding in (Forecast, Forecast(RULES), functools.partial(Forecast)):
        assert_same(table.observe(1, encoding), forecast_of(table, 1))
    with pytest.raises(ValueError, match="did you mean 'tokens'"):
        table.observe(0, "token")


def test_an_encoding_gets_a_name(monkeypatch):
    monkeypatch.setattr(encodings, "ENCODINGS", {**encodings.ENCODINGS})
    register_encoding("forecast", Forecast)
    register_encoding("forecast", Forecast)
    env = CarcassonneEnv(RULES, encoding="forecast")
    assert_same(env.reset(seed=1)[0], forecast_of(env.table, env.seat))
    with pytest.raises(ValueError, match=r"there is already an encoding 'forecast': .*Forecast"):
        register_encoding("forecast", Occupied)
    with pytest.raises(
        ValueError, match="must be one of 'planes', 'tokens', 'sparse', 'features', 'forecast'"
    ):
        make_encoding(RULES, "pixels")


@pytest.mark.parametrize("make", [CarcassonneEnv, CarcassonneVectorEnv, carcassonne_v1.env])
def test_objects_that_do_not_fit_are_refused(make):
    with pytest.raises(ValueError, match=r"has other rules .* view: 20 -> 12"):
        make(rules=RULES, encoding=Forecast(Rules(n_players=3, view=20)))
    with pytest.raises(
        ValueError, match=r"this Forecast leaves them out: make it with action_mask"
    ):
        make(rules=RULES, encoding=Forecast(RULES), legal_list=True)
    with pytest.raises(ValueError, match=r"or a subclass of Encoding or an object of one; got 3"):
        make(rules=RULES, encoding=3)
    make(rules=RULES, encoding=Forecast(RULES, legal_list=True), legal_list=True)


class Forgetful(Tokens):
    """Declares an array but never writes it."""

    def boxes(self):
        return super().boxes() | {"forecast": points_box(self.rules.n_players)}


def test_an_array_that_nobody_writes_is_refused():
    with pytest.raises(NotImplementedError, match=r"Forgetful.*define write\(rows, table, seat\)"):
        Table(RULES, seed=1).observe(0, Forgetful)

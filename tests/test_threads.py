"""Threads that share work: none continues after the call that began it, however the call ends."""

import multiprocessing
import signal
import time
from threading import Timer, main_thread

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from carc_env import Table
from carc_env.envs import games
from carc_env.envs.vector import CarcassonneVectorEnv
from carc_env.search import expectimax, mcts
from carc_env.search.evaluation import GREEDY
from carc_env.threads import Threads

SOON = 0.02
"""Seconds."""


def interrupt():
    """Do what Ctrl-C does."""
    signal.pthread_kill(main_thread().ident, signal.SIGINT)


def test_results_come_in_order_and_an_error_waits_for_the_others():
    threads, ended = Threads(2), []

    def job(k):
        if k == 3:
            raise RuntimeError("no idea")
        time.sleep(SOON)
        ended.append(k)
        return 2 * k

    assert threads.each(job, (4, 5, 6)) == [8, 10, 12]
    with pytest.raises(RuntimeError, match="no idea"):
        threads.each(job, (3, 7))
    assert sorted(ended) == [4, 5, 6, 7]
    assert threads.each(job, (8, 9)) == [16, 18]
    threads.close()
    threads.close()


@pytest.mark.parametrize("n_signals", [1, 3])
def test_no_thread_goes_on_after_an_interrupt(n_signals):
    threads, begun, ended = Threads(2), set(), set()

    def job(k):
        begun.add(k)
        for _ in range(n_signals if k == 0 else 0):
            interrupt()
            time.sleep(SOON)
        time.sleep(SOON)
        ended.add(k)

    with pytest.raises(KeyboardInterrupt):
        threads.each(job, range(9))
    assert begun == ended != {*range(9)}


def test_jobs_are_told_to_end_early():
    threads, told = Threads(2), []

    def job(k):
        if k == 0:
            interrupt()
        while not told:
            time.sleep(SOON)

    with pytest.raises(KeyboardInterrupt):
        threads.each(job, range(2), stop=lambda: told.append(True))
    assert told == [True]


@pytest.mark.once
@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="processes cannot be forked here"
)
def test_a_forked_child_searches_with_threads_of_its_own():
    agent, table = expectimax.Expectimax(GREEDY, nodes=500, threads=2), Table(seed=1)
    action = agent.act(table)
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("fork")
    child = context.Process(target=lambda: theirs.send(agent.act(table)))
    child.start()
    assert ours.poll(60) and ours.recv() == action
    child.join()


class Alarm(Exception):
    """Raised by a signal handler, as in code with a time limit."""


def ring(*_):
    raise Alarm


@pytest.fixture
def alarm():
    """Return a function that sets off an alarm after some seconds; leave no alarm at the end."""
    before = signal.signal(signal.SIGALRM, ring)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("way", [KeyboardInterrupt, Alarm])
def test_after_an_interrupted_step_games_are_what_their_seed_says(way, alarm, monkeypatch):
    ours, theirs = (CarcassonneVectorEnv(4, num_threads=n) for n in (2, 1))
    _, info = ours.reset(seed=1)
    actions = info["action_mask"].argmax(axis=1)
    play, begun, ended = games.play_lanes, [], []
    ways = {KeyboardInterrupt: Timer(SOON, interrupt).start, Alarm: lambda: alarm(SOON)}

    def slow(*share):
        begun.append(True)
        if len(begun) == 2:
            ways[way]()
        time.sleep(3 * SOON)
        ended.append(True)
        return play(*share)

    with monkeypatch.context() as patch, pytest.raises(way):
        patch.setattr(games, "play_lanes", slow)
        ours.step(actions)
    assert begun == ended == [True, True]
    with pytest.raises(ResetNeeded):
        ours.step(actions)
    for env in (ours, theirs):
        env.reset(seed=1)
    time.sleep(4 * SOON)
    assert ours._games.states.tobytes() == theirs._games.states.tobytes()
    for env in (ours, theirs):
        env.step(actions)
    assert ours._games.states.tobytes() == theirs._games.states.tobytes()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_step_that_is_interrupted_anywhere_leaves_no_games(mode, monkeypatch):
    """An alarm between two lines of Python does not leave games half begun."""
    env = CarcassonneVectorEnv(1, {"deck_size": 1}, seat=0, autoreset_mode=mode)
    _, info = env.reset(seed=1)
    while mode == "NextStep" and not env._has_ended.any():
        _, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))
    begin = env._begin

    def interrupted(which):
        begin(which)
        raise Alarm

    monkeypatch.setattr(env, "_begin", interrupted)
    with pytest.raises(Alarm):
        while True:
            _, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))
    with pytest.raises(ResetNeeded):
        env.step(np.zeros(1, np.int64))


@pytest.mark.parametrize(
    ("module", "part", "make"),
    [
        (expectimax, "answer", lambda sims: expectimax.Expectimax(GREEDY, threads=2, nodes=sims)),
        (mcts, "grow", lambda sims: mcts.Mcts(GREEDY, threads=2, sims=sims)),
    ],
    ids=["search", "mcts"],
)
def test_an_interrupted_search_ends_soon_and_leaves_no_trace(
    module, part, make, alarm, monkeypatch
):
    many, few, table = make(20_000), make(100), Table(seed=2)
    quick, begun, ended = getattr(module, part), [], []

    def slow(*arguments):
        begun.append(True)
        if len(begun) == 1:
            alarm(SOON)
        time.sleep(2 * SOON)
        ended.append(True)
        return quick(*arguments)

    with monkeypatch.context() as patch, pytest.raises(Alarm):
        patch.setattr(module, part, slow)
        many.act(table)
    assert begun and begun == ended and many.n_nodes < 10_000
    monkeypatch.setattr(many, "_limits", few._limits)
    assert many.look(table) == few.look(table)

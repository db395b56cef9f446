"""Slow agents, the coach and films run in processes that cannot stall or end play."""

import asyncio
import base64
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from PIL import Image

from carc_env.web import hub as hubs
from carc_env.web.workers import WorkerDied, Workers, WorkFailed
from tests.web_server import PATIENCE, Page, late, page, serving, slow

pytestmark = pytest.mark.once


@pytest.fixture
def port(short_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(hubs, "GRACE", 0.0)
    agents = [slow(short_path), late(short_path), f"{late(short_path)},end=true"]
    with serving(short_path / "games", agents=agents) as found:
        yield found


@pytest.fixture
def tab(port: int) -> Iterator[Page]:
    with page(port) as found:
        yield found


def wait_for(file: Path) -> None:
    end = time.monotonic() + PATIENCE
    while not file.exists():
        assert time.monotonic() < end, f"{file} has not come"
        time.sleep(0.02)


def begin_with(tab: Page, agent: str) -> None:
    """Begin a game in which an agent moves first."""
    tab.ask("new", rules={}, seats=[{"name": "Agent", "agent": agent}, {"name": "Ann"}], seed=1)
    tab.ask("pace", delay=0)
    tab.hear("state")


def test_others_play_on_while_somebody_thinks(port: int, tab: Page, short_path: Path):
    begin_with(tab, slow(short_path))
    wait_for(short_path / "begun")
    random = Random(1)
    with page(port) as other:
        begin_with(other, "value")
        for _ in range(10):
            other.wait_for_a_person()
            other.act(random)
        other.ask("coach", ply=other.view["ply"])
        assert other.skip_to("coach")["lines"]
    assert tab.view["ply"] == 0
    (short_path / "go").touch()
    tab.wait_for_a_person()
    tab.act(random)


def test_a_worker_that_is_killed_is_told_and_play_goes_on(tab: Page, short_path: Path):
    begin_with(tab, slow(short_path))
    wait_for(short_path / "begun")
    killed = multiprocessing.active_children()
    assert len(killed) == 1
    (short_path / "go").touch()
    killed[0].kill()
    assert "has ended with status -9" in tab.hear("error")["text"]
    tab.wait_for_a_person()
    tab.act(Random(1))
    tab.wait_for_a_person()


def test_processes_end_with_the_server(short_path: Path):
    with serving(short_path / "games", agents=[slow(short_path)]) as port, page(port) as tab:
        begin_with(tab, slow(short_path))
        wait_for(short_path / "begun")
        left = multiprocessing.active_children()
    assert len(left) == 1
    end = time.monotonic() + PATIENCE
    while left[0].is_alive():  # until the thread that waits for it has noticed its end
        assert time.monotonic() < end
        time.sleep(0.02)


def test_an_agent_that_cannot_play_is_refused(tab: Page):
    tab.ask("new", rules={}, seats=[{"name": "A", "agent": "mcts:sims=0"}, {"name": "B"}])
    assert "sims" in tab.hear("error")["text"]


def test_the_server_itself_imports_no_network(tab: Page, monkeypatch: pytest.MonkeyPatch):
    """Importing torch takes seconds, during which all games would stop."""
    monkeypatch.delitem(sys.modules, "carc_env.agents.network_agent", raising=False)
    tab.ask("new", rules={}, seats=[{"name": "A"}, {"name": "B", "agent": "corrected:path=x"}])
    assert "may not set the option 'path'" in tab.hear("error")["text"]
    assert "carc_env.agents.network_agent" not in sys.modules


@pytest.mark.parametrize("can_play", [True, False])
def test_nobody_plays_the_old_game_while_agents_get_ready(
    tab: Page, short_path: Path, can_play: bool
):
    tab.begin()
    old, agent = tab.game, late(short_path) if can_play else f"{late(short_path)},end=true"
    tab.ask("new", rules={}, seats=[{"name": "A"}, {"name": "B", "agent": agent}])
    tab.hear("left")
    assert tab.hear("preparing")["agents"] == [agent]
    (short_path / "go").touch()
    if can_play:
        tab.hear("ready")
        tab.hear("state")
        assert tab.game != old
    else:
        assert "as asked" in tab.hear("error")["text"]
        assert tab.game == old and [m["is"] for m in tab.heard[-4:-1]] == [
            "entered",
            "seats",
            "state",
        ]
        tab.act(Random(1))


def test_a_film_of_a_game(tab: Page):
    begin_with(tab, "value")
    random = Random(1)
    for _ in range(8):
        tab.wait_for_a_person()
        tab.act(random)
    tab.wait_for_a_person()
    tab.ask("save", format="gif", ply=tab.view["ply"])
    tab.ask("save", format="gif", ply=tab.view["ply"])
    assert "already" in tab.hear("error")["text"]
    film = Image.open(BytesIO(base64.b64decode(tab.hear("saved")["text"])))
    assert film.format == "GIF" and film.n_frames > 8
    told = [m["done"] for m in tab.heard if m["is"] == "filming"]
    assert told[0] == 0 and told == sorted(told)


@pytest.mark.parametrize("how", ["close", "leave", "undo", "pause", "seat"])
def test_nobody_thinks_on_for_whom_nobody_waits(
    port: int, tab: Page, short_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
):
    seats = [{"name": "Ann"}, {"name": "Agent", "agent": slow(short_path)}]
    tab.ask("new", rules={}, seats=seats, seed=1)
    tab.hear("state")
    tab.ask("pace", delay=0)
    while tab.view["decider"] == 0:
        tab.act(Random(1))
    wait_for(short_path / "begun")
    (thinker,) = multiprocessing.active_children()
    if how == "close":
        tab.socket.close()
    else:
        what = {"pause": "pace"}.get(how, how)
        pause, seat = {"delay": 0, "paused": True}, {"seat": 1, "agent": None}
        tab.ask(what, **{"pause": pause, "seat": seat}.get(how, {}))
    end = time.monotonic() + PATIENCE
    while thinker.is_alive():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_review_goes_on_where_it_was_when_somebody_looks_again(
    port: int, tab: Page, short_path: Path
):
    tab.begin([{"name": "A", "agent": "greedy"}, {"name": "B", "agent": "greedy"}], deck_size=6)
    tab.ask("pace", delay=0)
    tab.hear("state", when=lambda _: tab.view["over"])
    tab.ask("review")
    done = tab.hear("reviewing")["done"]
    game = tab.game
    tab.ask("leave")
    with page(port) as other:
        other.ask("open", game=game)
        assert other.hear("reviewing")["done"] in (done + 1, done + 2, done + 3)
        assert other.hear("review")["verdicts"]


# --------------------------------------------------------------------------- the workers alone


def fail(kind: type[Exception]) -> None:
    raise kind("as asked")


def count(n: int, *, tell) -> int:
    for k in range(n):
        tell(k)
    return n


@pytest.fixture
def workers() -> Iterator[Workers]:
    found = Workers(1, grace=0.0)
    yield found
    found.close()


def test_no_work_goes_to_a_process_that_was_just_killed(
    workers: Workers, monkeypatch: pytest.MonkeyPatch
):
    async def go() -> tuple[int, int]:
        before = await workers.do(os.getpid)
        (worker,) = workers._all
        monkeypatch.setattr(type(worker._process), "is_alive", lambda _: True)
        worker.stop_unless(asyncio.get_running_loop().create_future())
        return before, await workers.do(os.getpid)

    before, after = asyncio.run(go())
    assert before != after


def test_results_failures_and_words_come_back(workers: Workers):
    async def go() -> tuple[int, list[int]]:
        with pytest.raises(ValueError, match="as asked"):
            await workers.do(fail, UnicodeError)
        with pytest.raises(WorkFailed, match="KeyError: 'as asked'") as failed:
            await workers.do(fail, KeyError)
        assert "in fail" in failed.value.__notes__[0]
        heard: list[int] = []
        return await workers.do(count, 3, told=heard.append), heard

    assert asyncio.run(go()) == (3, [0, 1, 2])


def test_a_new_process_follows_one_that_died(workers: Workers):
    async def go() -> tuple[int, int]:
        first = await workers.do(os.getpid)
        with pytest.raises(WorkerDied, match="status 3"):
            await workers.do(os._exit, 3)
        return first, await workers.do(os.getpid)

    first, second = asyncio.run(go())
    assert os.getpid() != first != second


def wait(file: Path) -> int:
    """Create a file to show that work has begun, then wait for another file."""
    file.with_suffix(".begun").touch()
    wait_for(file)
    return os.getpid()


async def begun(workers: Workers, file: Path) -> asyncio.Task[int]:
    """Return a task that has begun and ends when the file exists."""
    task = asyncio.create_task(workers.do(wait, file, whose="first"))
    while not file.with_suffix(".begun").exists():
        await asyncio.sleep(0.01)
    return task


def test_work_that_nobody_waits_for_is_ended(workers: Workers, tmp_path: Path):
    async def go() -> tuple[int, int]:
        before = await workers.do(os.getpid)
        task = await begun(workers, tmp_path / "never")
        task.cancel()
        return before, await workers.do(os.getpid)

    before, after = asyncio.run(go())
    assert before != after


def test_work_that_ends_soon_keeps_its_process(tmp_path: Path):
    async def go() -> tuple[int, int]:
        before = await workers.do(os.getpid)
        task = await begun(workers, tmp_path / "go")
        task.cancel()
        (tmp_path / "go").touch()
        return before, await workers.do(os.getpid)

    workers = Workers(1, grace=PATIENCE)
    try:
        before, after = asyncio.run(go())
    finally:
        workers.close()
    assert before == after


def test_who_was_served_longest_ago_is_served_next(workers: Workers, tmp_path: Path):
    served = []

    async def ask(whose: str) -> None:
        await workers.do(os.getpid, whose=whose)
        served.append(whose)

    async def go() -> None:
        task = await begun(workers, tmp_path / "go")
        asking = "first", "first", "second", "second", "third"
        waiting = [asyncio.create_task(ask(who)) for who in asking]
        given_up = asyncio.create_task(ask("given up"))
        await asyncio.sleep(0)
        given_up.cancel()
        (tmp_path / "go").touch()
        await asyncio.gather(task, *waiting)

    asyncio.run(go())
    assert served == ["second", "third", "first", "second", "first"]

"""Matches on Ray give the same result as without it, whatever happens to the workers."""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from carc_env.agents import cluster, make_agent
from carc_env.agents.arena import (
    TABLES_AT_ONCE,
    MatchResult,
    Played,
    Player,
    match_result,
    play_decks,
    play_match,
    shares,
)

from carc_env import Rules
from carc_env.game.table import Table

ray = pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` runs these tests")
pytestmark = pytest.mark.once

GAMES = 2 * TABLES_AT_ONCE + 6
"""Enough games for three shares, of which the last is small."""


class KillsItsWorkers:
    """Agent that plays at random and kills up to ``n_kills`` workers in mid-match, one by one."""

    def __init__(self, folder: Path, n_kills: int) -> None:
        self.folder, self.n_kills, self.n_asked = folder, n_kills, 0

    def act_many(self, tables: Sequence[Table]) -> list[int]:
        self.n_asked += 1
        if self.n_asked == 20 and self.may_kill():
            os.kill(os.getpid(), signal.SIGKILL)
        return [table.random_action() for table in tables]

    def may_kill(self) -> bool:
        """Use up one of the kills, if any is left, and write the process id into its file."""
        for k in range(self.n_kills):
            with suppress(FileExistsError), (self.folder / str(k)).open("x") as file:
                file.write(str(os.getpid()))
                return True
        return False

    def act(self, table: Table) -> int:
        return self.act_many([table])[0]


class Raises:
    def act(self, table: Table) -> int:
        raise ValueError(f"no idea in phase {table.phase.name}")


def on_cluster(
    agents: list[Player], names: list[str], rules: Rules, n_games: int, seed: int = 0
) -> MatchResult:
    """Return the result of a match whose shares are tasks of a cluster."""
    work = partial(play_decks, agents, names, rules, seed=seed)
    played: list[Played] = []
    for share in cluster.spread(work, shares(n_games, rules.n_players)):
        played += share
    return match_result(names, rules, seed, played)


def killed(folder: Path) -> list[int]:
    """Return the process ids of the workers that were killed."""
    return [int(path.read_text()) for path in folder.iterdir()]


@pytest.mark.parametrize("n_players", [2, 3])
def test_the_result_is_the_one_without_ray(local_ray: None, n_players: int) -> None:
    rules = Rules(n_players=n_players, view=16)
    names = ["greedy", "random", "random"][:n_players]
    agents = [make_agent(name) for name in names]
    here = play_match(agents, names, rules, GAMES // 6 * 6, seed=3)
    there = on_cluster(agents, names, rules, GAMES // 6 * 6, seed=3)
    assert there.to_dict() == here.to_dict()


def test_workers_that_die_lose_no_game(local_ray: None, tmp_path: Path) -> None:
    names, rules = ["mortal", "random"], Rules(view=16)
    random = make_agent("random")
    there = on_cluster([KillsItsWorkers(tmp_path, 3), random], names, rules, GAMES, seed=1)
    assert len({*killed(tmp_path), os.getpid()}) == 4
    here = play_match([random, random], names, rules, GAMES, seed=1)
    assert there.to_dict() == here.to_dict()


def test_games_that_kill_every_worker_are_given_up(
    local_ray: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "RETRIES", 1)
    agents = [KillsItsWorkers(tmp_path, 100), make_agent("random")]
    with pytest.raises(ConnectionError, match="2 workers died over the same games"):
        on_cluster(agents, ["mortal", "random"], Rules(view=16), 2)
    assert len(killed(tmp_path)) == 2


def test_errors_of_agents_arrive(local_ray: None) -> None:
    with pytest.raises(ValueError, match=r"agent .a. failed at deck 0 .*: no idea in phase"):
        on_cluster([Raises()] * 2, ["a", "b"], Rules(view=16), 2)

"""Task hashes, which show whether a published task has changed; it never should.

For each task, ``tasks.json`` stores

- its settings and all its rule switches as plain values; a switch added by a later version is
  ignored as long as the other hashes stay the same,
- hashes of its plane, global and action names, its evaluation decks, whole games in its
  environments, its endgames, and its opponents' play,
- its *fingerprint*, a hash of everything above.

Opponents are frozen with the task. If ``value`` gets stronger, its games change, and tasks with
this opponent need a new version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Protocol

import gymnasium
import numpy as np

from carc_env.envs.naming import make_agent
from carc_env.envs.opponents import act
from carc_env.game.game import Game
from carc_env.game.records import format_record
from carc_env.layout.actions import action_layout
from carc_env.layout.observations import global_names, plane_names
from carc_env.rules import Rules
from carc_env.tasks import Task

N_DECKS, N_GAMES = 20, 2
"""Number of decks that are hashed, and number of games played in the task's environment."""
STRIDE = 7919
"""A prime: decision k of a game picks the legal action with index k times this, modulo their
number."""


def frozen_of(task: Task) -> dict[str, Any]:
    """Return the data about a task that ``tasks.json`` stores."""
    switches = task.rules.to_dict()
    settings = {**asdict(task), "rules": task.rules.to_yaml(), "budgets": [*task.budgets]}
    settings["rivals"] = [*task.rivals]
    del settings["title"]
    found = {"settings": settings, "hashes": hashes_of(task)}
    return {"fingerprint": _hash([json.dumps(found)]), "switches": switches, **found}


def differences(task: Task, frozen: dict[str, Any]) -> list[str]:
    """Describe how a task differs from its frozen data."""
    now = frozen_of(task)
    parts = ("settings", "hashes", "switches")
    pairs = [
        (f"{part}: {name}", before, now[part].get(name))
        for part in parts
        for name, before in frozen[part].items()
    ]
    found = [f"{name}: {before!r} -> {after!r}" for name, before, after in pairs if before != after]
    if not found and now["fingerprint"] != frozen["fingerprint"]:
        found = ["it asks for more than before"]
    return found


def hashes_of(task: Task) -> dict[str, str]:
    """Return a task's hashes, by the names of what they cover."""
    rules = task.rules
    actions = action_layout(rules)
    names = [*plane_names(rules), *global_names(rules)]
    found = {
        "names": _hash([*names, *(actions.name(k) for k in range(actions.n_actions))]),
        "decks": _hash(tile for k in range(N_DECKS) for tile in task.deck(k)),
        "games": _games(task),
        **{f"rival {name}": game_of(task, name) for name in task.rivals},
    }
    if (solved := task.solved()) is not None:
        found["endgames"] = _hash(
            f"{end.position}{end.actions}{end.values.round(6).tolist()}" for end in solved.endgames
        )
    return found


def _games(task: Task) -> str:
    """Return the hash of whole games in a task's environment."""
    envs = gymnasium.make_vec(task.id, num_envs=N_GAMES)
    said, running = hashlib.sha256(), np.ones(N_GAMES, np.bool_)
    seen, info = envs.reset(seed=task.number)
    for k in range(10_000):
        for array in (*(seen[key] for key in sorted(seen)), info["action_mask"], info["seat"]):
            said.update(np.ascontiguousarray(array[running]).tobytes())
        legal = [np.flatnonzero(mask) for mask in info["action_mask"]]
        actions = np.array([found[STRIDE * k % found.size] for found in legal])
        seen, rewards, ends, _, info = envs.step(actions)
        said.update(np.round(rewards[running], 6).tobytes())
        running &= ~ends
        if not running.any():
            envs.close()
            return said.hexdigest()[:16]
    raise AssertionError(f"{task.name}: a game does not end")


class Decked(Protocol):
    """A task with rules and evaluation decks."""

    @property
    def rules(self) -> Rules:
        """The rules of its games."""

    def deck_seed(self, deck: int) -> int:
        """Return the game seed for a deck."""


def game_of(task: Decked, rival: str) -> str:
    """Return the hash of a game in which an opponent plays against itself."""
    player, game = make_agent(rival, task.rules), Game(task.rules, seed=task.deck_seed(0))
    while not game.is_over:
        game.step(act(player, game))
    return _hash([format_record(game).partition("[draw")[2]])


def _hash(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]

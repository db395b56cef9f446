"""Task hashes, which show whether a published task has changed; it never should.

For each task, ``tasks.json`` stores

- its settings and all its rule switches as plain values; a switch added by a later version is
  ignored as long as the other hashes stay the same,
- the layout of a distribution of rules, a hash of rules drawn from it, and all test rules,
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
from dataclasses import fields
from typing import Any

import numpy as np

from carc_env.envs.naming import make_agent
from carc_env.envs.opponents import act
from carc_env.game.game import Game
from carc_env.game.records import format_record
from carc_env.layout.actions import action_layout
from carc_env.layout.observations import global_names, plane_names
from carc_env.rules import Rules
from carc_env.tasks import Task, vector_of

N_DECKS, N_GAMES, N_MIXED_GAMES, N_DRAWS = 20, 2, 6, 200
"""Number of decks that are hashed, of games played in the task's environment, under drawn rules or
others, and of rules drawn from a distribution."""
STRIDE = 7919
"""A prime: decision k of a game picks the legal action with index k times this, modulo their
number."""


def frozen_of(task: Task) -> dict[str, Any]:
    """Return the data about a task that ``tasks.json`` stores."""
    found = {"settings": settings_of(task), "hashes": hashes_of(task)}
    switches = task.env_rules.plain.to_dict()
    return {"fingerprint": fingerprint_in(found), "switches": switches, **found}


def fingerprint_in(frozen: dict[str, Any]) -> str:
    """Return the fingerprint that follows from frozen data."""
    return _hash([json.dumps({name: frozen[name] for name in ("settings", "hashes")})])


def settings_of(task: Task) -> dict[str, Any]:
    """Return a task's settings as plain values."""
    rules = task.env_rules
    settings = {one.name: getattr(task, one.name) for one in fields(task) if one.name != "title"}
    settings |= {"rules": rules.plain.to_yaml(), "budgets": [*task.budgets]}
    settings["rivals"] = [*task.rivals]
    settings["tests"] = {name: one.to_yaml() for name, one in task.tests.items()}
    if rules.layout:
        settings["layout"] = [one.to_yaml() for one in rules.layout.covers]
    settings |= {"held_out": [*task.held_out], "anchors": {**task.anchors}}
    # Tasks that were frozen before had no such settings.
    for name in ("tests", "n_adapting", "held_out", "anchors"):
        if not settings[name]:
            del settings[name]
    return settings


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
    rules = task.env_rules
    actions = action_layout(rules)
    names = [*plane_names(rules), *global_names(rules)]
    decks = [(task.rules_of(k), task.deck_seed(k)) for k in range(len(task.test_rules))]
    found = {
        "names": _hash([*names, *(actions.name(k) for k in range(actions.n_actions))]),
        "decks": _hash(tile for k in range(N_DECKS) for tile in task.deck(k)),
        "games": _games(task),
        **{f"rival {name}": games_of(decks, name) for name in task.met},
    }
    if not isinstance(task.rules, Rules):
        random = np.random.default_rng(task.number)
        found["draws"] = _hash(task.rules.sample(random).plain.to_yaml() for _ in range(N_DRAWS))
    if (solved := task.solved()) is not None:
        found["endgames"] = _hash(
            f"{end.position}{end.actions}{end.values.round(6).tolist()}" for end in solved.endgames
        )
    return found


def _games(task: Task) -> str:
    """Return the hash of whole games in a task's environment."""
    n_games = N_GAMES if isinstance(task.rules, Rules) else N_MIXED_GAMES
    envs = vector_of(task, n_games)
    said, running = hashlib.sha256(), np.ones(n_games, np.bool_)
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


def games_of(decks: Iterable[tuple[Rules, int]], rival: str) -> str:
    """Return the hash of games in which an opponent plays against itself, given rules and seeds."""
    return _hash(_moves(rules, seed, rival) for rules, seed in decks)


def _moves(rules: Rules, seed: int, rival: str) -> str:
    player, game = make_agent(rival, rules), Game(rules, seed=seed)
    while not game.is_over:
        game.step(act(player, game))
    return format_record(game).partition("[draw")[2]


def _hash(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]

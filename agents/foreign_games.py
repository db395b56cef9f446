r"""Games on a task's decks that were played elsewhere, checked move by move.

A file contains one line of JSON per game:

    {"rival": "greedy", "deck": 0, "seat": 1, "record": "[carc_env game 1]\n..."}

The record uses the notation of docs/notation.md, on the evaluation deck with that number. The agent
had the given seat, and the opponent all others. The games count like games played here if they are
complete and every opponent move is the one that the opponent would play in that position.
``random`` may play any move.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from carc_env.envs.naming import make_agent
from carc_env.envs.opponents import Opponent, RandomPlayer, act
from carc_env.game.game import Game, made_move
from carc_env.game.records import load_record
from carc_env.plain_json import read_json
from carc_env.tasks import Task

Scores = dict[str, list[list[list[int]]]]
"""Scores as in :class:`carc_env.agents.task_results.Result`."""
KEYS = {"rival", "deck", "seat", "record"}


def checked_games(task: Task, lines: Iterable[str]) -> Scores:
    """Return the scores of the games in a file.

    Raises
    ------
    ValueError
        A game is refused, or one is missing; the message names it.
    """
    rivals = {
        (name, rules): make_agent(name, rules) for name in task.met for rules in task.test_rules
    }
    found: dict[tuple[str, int, int], list[int]] = {}
    for number, line in enumerate(lines, start=1):
        values = read_json(f"line {number}", line)
        rival, deck, seat = key = _key(task, number, values)
        where = f"line {number}, deck {deck} from seat {seat} against {rival}"
        if key in found:
            raise ValueError(f"{where}: this game was listed before")
        try:
            found[key] = _scores(
                task, rivals[rival, task.rules_of(deck)], deck, seat, values["record"]
            )
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
    return _complete(task, found)


def _key(task: Task, number: int, values: Any) -> tuple[str, int, int]:
    """Return the key (opponent, deck, seat) of the game on a line."""
    if not isinstance(values, dict) or {*values} != KEYS:
        raise ValueError(f"line {number}: expected an object with {', '.join(sorted(KEYS))}")
    rival, deck, seat = values["rival"], values["deck"], values["seat"]
    allowed = {
        "rival": (rival, task.met),
        "deck": (deck, range(task.n_decks)),
        "seat": (seat, range(task.env_rules.n_players)),
    }
    for name, (value, known) in allowed.items():
        if isinstance(value, bool) or value not in known:
            raise ValueError(f"line {number}: {name} {value!r} does not exist in {task.name}")
    if seat >= (n := task.rules_of(deck).n_players):
        raise ValueError(f"line {number}: deck {deck} has {n} seats, not a seat {seat}")
    if not isinstance(values["record"], str):
        raise ValueError(f"line {number}: the record must be a text")
    return rival, deck, seat


def _scores(task: Task, rival: Opponent, deck: int, seat: int, record: str) -> list[int]:
    """Return a game's scores, clockwise from the agent."""
    game, rules = load_record(record), task.rules_of(deck)
    if difference := game.rules.plain.differences(rules.plain):
        raise ValueError(f"it has other rules (there -> here): {difference}")
    if game.draw != task.deck(deck):
        raise ValueError("its tiles are in another order than those of the deck")
    if not game.is_over:
        raise ValueError("the game is not over")
    again = Game(rules, draw=game.draw)
    for k, move in enumerate(game.moves):
        is_asked = len(again.moves) == k and move.seat != seat
        if is_asked and not isinstance(rival, RandomPlayer):
            wanted = again.name(act(rival, again))
            if wanted != move.name:
                raise ValueError(
                    f"decision {k + 1} is {move.name!r}, but the opponent plays {wanted!r}"
                )
        made_move(again, k, move.name, move.token)
    return [*game.scores[seat:], *game.scores[:seat]]


def _complete(task: Task, found: dict[tuple[str, int, int], list[int]]) -> Scores:
    """Return scores by opponent and deck; each needs all seats and the same number of decks."""
    if not found:
        raise ValueError("there are no games")
    n_decks = 1 + max(deck for _, deck, _ in found)
    seats = [range(task.rules_of(deck).n_players) for deck in range(n_decks)]
    for rival in task.met:
        for deck in range(n_decks):
            for seat in seats[deck]:
                if (rival, deck, seat) not in found:
                    raise ValueError(f"deck {deck} from seat {seat} against {rival} is missing")
    return {
        rival: [[found[rival, deck, seat] for seat in seats[deck]] for deck in range(n_decks)]
        for rival in task.met
    }

"""Making questions about the rules: play games, and let the engine ask and answer.

The questions of a set come from games under its preset, in which half of the actions are random.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

import numpy as np

from carc_env.engine.core.codes import Phase
from carc_env.engine.core.state import NO_FIGURE
from carc_env.engine.core.tiles import ROWS
from carc_env.envs.text.questions import KINDS, Kind, Question
from carc_env.envs.text.view import as_seen
from carc_env.game.game import Game
from carc_env.game.notation import format_position
from carc_env.position import Place
from carc_env.rules import Rules
from carc_env.sets import SETS, read_all
from carc_env.systems import QUESTIONS, phases_of
from carc_env.systems.declaring import System
from carc_env.systems.places import figures_on, named, segment_at, segments_of
from carc_env.web.deeds import PLACING
from carc_env.web.worth import feature_of
from carc_env.words import FIGURE_OF, SEATS, format_scores, format_segment

EACH: dict[Kind, int] = {"legal": 3, "points": 3, "owner": 2, "next": 2}
"""Number of questions of each kind about a set."""
N = sum(EACH.values())
MAX_TILES = 30
"""Most tiles on the board, to keep positions short."""
ENOUGH, MAX_GAMES = 10, 400
"""Games after which questions of other kinds replace those of a rare kind, and most games."""
MAX_DECISIONS = 20
"""Decisions of a game that are tried for each kind."""
N_CHOICES = 4
N_ORDERS = 4
"""Orders of the hidden tiles that an answer must not depend on."""
PRESET_OF = {
    "abbot": "base",
    "river2": "river-2",
    **dict.fromkeys(("abbey", "mayor", "barn", "wagon"), "abbey-mayor"),
    **dict.fromkeys(("bridges", "castles", "bazaars"), "bridges"),
}
"""Presets of rooms that are not called like them."""
ROOMS_ASKED = tuple(dict.fromkeys(room.split(".")[0] for room in SETS))
"""The rooms of all sets."""


@dataclass(frozen=True)
class Subject:
    """What belongs to a set: its phases, the first words of its actions, its figures and tiles."""

    phases: frozenset[Phase]
    words: frozenset[str]
    designs: frozenset[int]

    def concerns(self, game: Game, name: str = "") -> bool:
        """Return whether a decision, or an action with this name, is about the set."""
        return game.phase in self.phases or name.partition(" ")[0] in self.words

    def shows(self, game: Game, feature: int) -> bool:
        """Return whether a feature has tiles or figures of the set."""
        s = game.states[0]
        tiles = s.tiles["design"][s.segments["tile"][segments_of(s, feature)]].tolist()
        figures = {figure.name.lower() for _, figure in figures_on(s, feature)}
        return bool(self.designs & {*tiles} or self.words & figures)


def subject_of(room: str, rules: Rules) -> Subject:
    """Return what belongs to the set of a room, which the rules enable."""
    inside = [one for one in SETS if one.split(".")[0] == room]
    systems = [
        system
        for one in inside
        for system in vars(import_module(f"carc_env.sets.{one}.surface")).values()
        if isinstance(system, System)
    ]
    actions = [one for system in systems for one in system.actions if one.when(rules)]
    words = {(one.word or one.at(0, rules).kind).split(" ")[0] for one in actions}
    words |= {figure.name.lower() for system in systems for figure in system.figures}
    own = {name for file in read_all("tiles.json", (room,)) for name in file["sets"]}
    return Subject(
        frozenset(question.phase for system in systems for question in system.questions),
        frozenset(words - {"accept", "decline"}),
        frozenset(k for k, row in enumerate(ROWS) if row["set"] in own),
    )


def make_questions(room: str, seed: int = 0) -> list[Question]:
    """Return the questions about a set.

    Raises
    ------
    ValueError
        The games yield too few questions.
    """
    rules = Rules.preset(PRESET_OF.get(room, room.replace("_", "-")))
    subject, rng = subject_of(room, rules), random.Random(f"{room} {seed}")
    found: dict[Kind, list[Question]] = {kind: [] for kind in KINDS}
    spare: list[Question] = []
    for number in range(MAX_GAMES):
        for kind, question in _of_game(room, rules, subject, rng, number):
            kept = found[kind] if len(found[kind]) < EACH[kind] else spare
            if _is_new(question, [*found[kind], *spare]):
                kept.append(question)
        if all(len(found[kind]) == EACH[kind] for kind in KINDS):
            break
        # After many games, another question about the set is better than none of a kind.
        if number >= ENOUGH and sum(map(len, found.values())) + len(spare) >= N:
            break
    questions = [question for kind in KINDS for question in found[kind]]
    questions += sorted(spare, key=lambda question: KINDS.index(question.kind))
    if len(questions) < N:
        raise ValueError(f"{room}: only {len(questions)} questions in {MAX_GAMES} games")
    return questions[:N]


def _is_new(question: Question, others: list[Question]) -> bool:
    """Return whether a question has its own position, and no answer is too frequent."""
    answers = Counter(other.answer for other in others if other.kind == question.kind)
    limit = 2 if question.kind == "legal" else 3
    is_used = any(other.position == question.position for other in others)
    return not is_used and answers[question.answer] < limit


def _of_game(
    room: str, rules: Rules, subject: Subject, rng: random.Random, number: int
) -> Iterator[tuple[Kind, Question]]:
    """Yield at most one question of each kind from a game, in random order of decisions."""
    game, tables = Game(rules, seed=number), []
    while not game.is_over and int(game.states[0].n_tiles) < MAX_TILES:
        if game.legal_actions():
            tables.append(game.clone())
        is_random = rng.random() < 0.5
        game.apply(game.random_action() if is_random else game.greedy_action())
    rng.shuffle(tables)
    makers = {"legal": _legal, "points": _points, "owner": _owner, "next": _next}
    for kind in KINDS:
        for table in tables[:MAX_DECISIONS]:
            if told := makers[kind](table, subject, rng):
                position = format_position(as_seen(table.position()))
                yield kind, Question(room, kind, position, *told)
                break


Told = tuple[str, str]
"""A question and its answer."""


def _legal(game: Game, subject: Subject, rng: random.Random) -> Told | None:
    names = [game.name(action) for action in game.legal_actions()]
    is_own = game.phase in PLACING and bool(subject.designs & {_hand(game)})
    wrong = [name for name in _illegal(game, names) if is_own or subject.concerns(game, name)]
    right = [name for name in names if is_own or subject.concerns(game, name)]
    if not right or not wrong:
        return None
    is_legal = rng.random() < 0.5
    name = rng.choice(right if is_legal else wrong)
    asks = f"May {SEATS[game.decider]} take the action `{name}` now? Answer [[yes]] or [[no]]."
    return asks, "yes" if is_legal else "no"


def _hand(game: Game) -> int:
    return int(game.states[0].hand)


def _illegal(game: Game, names: list[str]) -> list[str]:
    """Return names of the same form as legal ones, or of figures, that are not legal."""
    if game.phase in PLACING:
        cells = {tuple(name.split(" ")[:2]) for name in names if name.count(" ") == 2}
        turned = {f"{tile} {cell} r{turn}" for tile, cell in cells for turn in range(4)}
        return sorted(name for name in turned - {*names} if not _is_twin(name, names))
    forms = {name.partition(" ")[0] for name in names}
    runs = [run for run in game.layout.blocks.values() if run.size < 200 and run.name != "tile"]
    if game.phase == Phase.FIGURE:
        forms |= {figure.name.lower() for figure in game.supply(game.decider)}
    absent = {*FIGURE_OF} - {figure.name.lower() for figure in game.supply(game.decider)}
    found = {game.name(run.first + k) for run in runs for k in range(run.size)} - {*names}
    words = {name: name.split(" ") for name in found if " " in name}
    return sorted(n for n, parts in words.items() if parts[0] in forms and absent.isdisjoint(parts))


def _is_twin(name: str, names: list[str]) -> bool:
    """Return whether a placement looks like a legal one, since the tile is symmetric."""
    place, turn = name[:-1], int(name[-1])
    n_distinct = next(row["rot"] for row in ROWS if row["id"] == name.partition(" ")[0])
    return f"{place}{turn % n_distinct}" in names


def _after(game: Game, action: int, seed: int = 0) -> Game:
    """Return the game after an action; the seed orders what is hidden."""
    other = game.clone()
    other.reshuffle(seed)
    other.states[0].rng = seed
    other.apply(action)
    return other


def _is_certain(game: Game, action: int, tell: Callable[[Game], object]) -> bool:
    """Return whether something about the game after an action does not depend on chance."""
    return len({tell(_after(game, action, seed)) for seed in range(N_ORDERS)}) == 1


def _points(game: Game, subject: Subject, rng: random.Random) -> Told | None:
    actions = game.legal_actions()
    for action in rng.sample(actions, len(actions)):
        name, after = game.name(action), _after(game, action)
        if after.scores == game.scores:
            continue
        is_own = subject.concerns(game, name) or any(
            score.place and subject.shows(after, _feature_at(after, score.place))
            for score in after.last_scores
        )
        if is_own and _is_certain(game, action, lambda other: other.scores):
            asks = (
                f"{SEATS[game.decider]} takes the action `{name}`. What are the scores of all "
                "players when the next question is asked? Decisions with a single choice are made "
                f"automatically. Answer with the scores in order, such as "
                f"[[{format_scores(game.scores)}]]."
            )
            return asks, format_scores(after.scores)
    return None


def _feature_at(game: Game, place: Place) -> int:
    s = game.states[0]
    _, segment = segment_at(s, game.position(), place, str(place))
    return int(s.segments[segment].feature)


def _owner(game: Game, subject: Subject, rng: random.Random) -> Told | None:
    s = game.states[0]
    held = np.unique(s.segments["feature"][s.figures["segment"][s.figures["next"] != NO_FIGURE]])
    for feature in rng.sample(held.tolist(), held.size):
        if not subject.shows(game, feature):
            continue
        found = feature_of(game, feature)
        # A feature with a single owner is interesting only if others are, or strength is.
        seats = {seat for seat, _ in found.figures}
        if len(seats) == 1 and rng.random() < 0.7:
            continue
        answer = " ".join(SEATS[seat] for seat in found.leaders) or "nobody"
        asks = (
            f"Who has the majority on the {found.kind.name.lower()} at "
            f"`{format_segment(named(s, feature))}` now? Answer with the letters of all players "
            "who would get its points, such as [[A]] or [[A B]], or with [[nobody]]."
        )
        return asks, answer
    return None


def _next(game: Game, subject: Subject, rng: random.Random) -> Told | None:
    if not subject.phases and not subject.words:
        return None
    actions = game.legal_actions()
    for action in rng.sample(actions, min(len(actions), 12)):
        name, after = game.name(action), _after(game, action)
        phase, seat = after.phase, after.decider
        is_own = phase in subject.phases or subject.concerns(game, name)
        if phase == Phase.GAME_OVER or not is_own:
            continue
        if not _is_certain(game, action, lambda other: (other.phase, other.decider)):
            continue
        right = f"{SEATS[seat]}: {QUESTIONS[phase].asks}"
        wrong = {
            f"{SEATS[who]}: {QUESTIONS[other].asks}"
            for other in phases_of(game.rules)
            for who in range(game.rules.n_players)
            if other != Phase.GAME_OVER
        }
        choices = [right, *rng.sample(sorted(wrong - {right}), N_CHOICES - 1)]
        rng.shuffle(choices)
        listed = "\n".join(f"{k}. {choice}" for k, choice in enumerate(choices, start=1))
        asks = (
            f"{SEATS[game.decider]} takes the action `{name}`. Which question is asked next, and "
            "to whom? Decisions with a single choice are made automatically. Answer with a number, "
            f"such as [[1]].\n{listed}"
        )
        return asks, str(choices.index(right) + 1)
    return None

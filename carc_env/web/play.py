"""One game at the table: its players, its decisions, and how to take them back."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from carc_env.engine.core.codes import Figure, Kind
from carc_env.engine.core.state import BOARD
from carc_env.engine.core.tiles import N_SEGMENTS, SPOT_SEGMENT
from carc_env.game.game import Game, Score
from carc_env.game.jcz import load_jcz, players_of_jcz
from carc_env.game.notation import format_position, parse_position
from carc_env.game.records import load_record, parse_record
from carc_env.rules import Rules
from carc_env.systems.places import cell_of
from carc_env.web.beside import Held, held, paid, side_effects
from carc_env.web.owners import Owners
from carc_env.web.parts import ground_of, named, parts_of
from carc_env.web.worth import SUMS, feature_of, scored_terms
from carc_env.words import SEATS

Decision = tuple[int, int | None]
"""An action, and the sheep on the token that it drew: 0 for a wolf, None if no token was drawn."""
KEYFRAME = 16
"""Number of decisions between the copies of the game that are kept for looking back quickly."""
MAX_NAME = 24
"""Length limit for a player's name, in characters."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Sitter:
    """A player in a seat: an agent by name, or a person if the agent is None."""

    name: str
    agent: str | None = None


@dataclass(frozen=True)
class Start:
    """The beginning of a game: a position as text, a draw order, or a seed for the deck."""

    rules: Rules
    seed: int = 0
    draw: tuple[str, ...] | None = None
    position: str | None = None

    @cached_property
    def rules_text(self) -> str:
        """The rules as text."""
        return self.rules.to_yaml()

    def game(self) -> Game:
        """Return a new game with this beginning.

        Raises
        ------
        ValueError
            The position or the draw order does not fit these rules.
        """
        if self.position is not None:
            return Game.from_position(parse_position(self.position), seed=self.seed)
        if self.draw is not None:
            return Game(self.rules, draw=self.draw, seed=self.seed)
        return Game(self.rules, seed=self.seed)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for a file."""
        values: dict[str, Any] = {"rules": self.rules.to_dict(), "seed": self.seed}
        if self.draw is not None:
            values["draw"] = list(self.draw)
        if self.position is not None:
            values["position"] = self.position
        return values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Start:
        """Parse the result of :meth:`to_dict`.

        Raises
        ------
        ValueError, KeyError, TypeError
            A part is missing or has the wrong type.
        """
        seed, draw, position = values["seed"], values.get("draw"), values.get("position")
        if type(seed) is not int or not isinstance(position, str | None):
            raise ValueError(f"a game cannot begin with seed {seed!r}, position {position!r}")
        return cls(
            Rules.from_dict(values["rules"]),
            seed,
            None if draw is None else tuple(map(str, draw)),
            position,
        )


@dataclass(frozen=True)
class Origin:
    """The decision at which a variation branches off from another game."""

    game: str
    ply: int
    """Number of decisions that the variation shares with that game."""
    shows_deck: bool
    """Whether that game was over, so that the order of all tiles is known."""


@dataclass
class Play:
    """A game with its players and all decisions, which can be taken back and shown again.

    Attributes
    ----------
    start
        The beginning of the game.
    sitters
        The players, by seat.
    origin
        The game that this game is a variation of, if any.
    actions
        The decisions in order, without automatic decisions.
    tokens
        The sheep on the token that each decision drew: 0 for a wolf, None if no token was drawn.
    deciders
        The seat that made each decision.
    game
        The game's current state.
    log
        One line per move, see :meth:`_note`.
    owners
        The seat owners, if the game is protected.
    """

    start: Start
    sitters: tuple[Sitter, ...]
    origin: Origin | None = None
    actions: list[int] = field(default_factory=list)
    tokens: list[int | None] = field(default_factory=list)
    deciders: list[int] = field(default_factory=list)
    game: Game = field(init=False)
    log: list[dict[str, Any]] = field(default_factory=list)
    owners: Owners = field(default_factory=Owners)
    version: int = 0
    """Changes whenever a decision is taken back, so that outdated opinions can be recognized."""

    def __post_init__(self) -> None:
        if len(self.sitters) != self.start.rules.n_players:
            raise ValueError(
                f"{len(self.sitters)} players for a game of {self.start.rules.n_players}"
            )
        self._begin()

    def _begin(self) -> None:
        self.game = self.start.game()
        self.actions, self.tokens, self.deciders, self.log = [], [], [], []
        self._keyframes: dict[int, Game] = {}
        self._note(0, 0)

    @property
    def rules(self) -> Rules:
        """The game's rules."""
        return self.start.rules

    @property
    def ply(self) -> int:
        """Number of decisions made."""
        return len(self.actions)

    @property
    def decisions(self) -> list[Decision]:
        """All decisions, with the tokens that they drew."""
        return [*zip(self.actions, self.tokens, strict=True)]

    @property
    def agents(self) -> set[str]:
        """The names of all agents in the game."""
        return {sitter.agent for sitter in self.sitters if sitter.agent is not None}

    @property
    def names(self) -> tuple[str, ...]:
        """The players' names."""
        return tuple(sitter.name for sitter in self.sitters)

    @property
    def next_agent(self) -> str | None:
        """Name of the agent that decides next; None for a person or when the game is over."""
        return None if self.game.is_over else self.sitters[self.game.decider].agent

    def act(self, action: int, token: int | None = None) -> None:
        """Carry out a legal action; ``token`` is the number of sheep that it draws, if known.

        Raises
        ------
        ValueError
            The action is not legal; the game is unchanged.
        """
        self.game.check_legal(action)
        if token is not None:
            self.game.choose_token(token, self.game.name(action))
        n_moves, seat = len(self.game.moves), self.game.decider
        if self.ply % KEYFRAME == 0:
            self._keyframes[self.ply] = self.game.clone()
        before = held(self.game), self.game.scores, self._lot()
        self.game.apply(action)
        self.actions.append(action)
        self.tokens.append(self.game.moves[n_moves].token)
        self.deciders.append(seat)
        self._note(n_moves, self.ply, *before)

    def _lot(self) -> tuple[str | None, ...] | None:
        """Return the tiles of the bazaar in progress, the one for sale first."""
        if not self.game.phase.name.startswith("BAZAAR"):
            return None
        bazaar = self.game.position().bazaar
        assert bazaar is not None
        return tuple(lot.tile for lot in bazaar.offer)

    def _note(
        self,
        n_before: int,
        ply: int,
        had: Held | None = None,
        scores: Sequence[int] = (),
        lots: Sequence[str | None] | None = None,
    ) -> None:
        """Add new moves to the log, with everything that the last of them has changed.

        ``had``, ``scores`` and ``lots`` are what all seats had before, and the tiles of the bazaar.
        """
        new = self.game.moves[n_before:]
        for k, move in enumerate(new):
            entry: dict[str, Any] = {
                "ply": ply,
                "turn": move.turn,
                "player": move.turn_player,
                "seat": move.seat,
                "move": named(move.name),
                "scores": list(move.scores),
            }
            if move.aside:
                entry["aside"] = list(move.aside)
            if move.token is not None:
                entry["token"] = move.token
            try:
                entry["move"] = parts_of(move.choice, move.name) | ground_of(self.game, move.choice)
                if entry["move"]["word"] == "pick" and lots:
                    entry["move"]["tile"] = lots[entry["move"]["number"] - 1]
                if k == len(new) - 1:
                    entry["gained"] = explained(self.game)
                    if had is not None:
                        entry["beside"] = side_effects(had, held(self.game), entry)
                        entry["paid"] = paid(scores, entry)
                        entry["isAuction"] = lots is not None
            except Exception:  # the log is only for reading, so the game continues
                _LOG.exception("decision %d, %s, cannot be told in the log", ply, move.name)
            self.log.append(entry)

    def at(self, ply: int) -> Game:
        """Return the game after a number of decisions; do not change it.

        Raises
        ------
        ValueError
            The game has fewer decisions.
        """
        if ply > self.ply:
            raise ValueError(f"the game has {self.ply} decisions, there is no number {ply}")
        if ply == self.ply:
            return self.game
        first = ply - ply % KEYFRAME
        game = self._keyframes[first].clone()
        for decision in self.decisions[first:ply]:
            repeat(game, decision)
        return game

    def log_until(self, ply: int) -> list[dict[str, Any]]:
        """Return the log lines for the first ``ply`` decisions."""
        return [entry for entry in self.log if entry["ply"] <= ply]

    def undo_to(self) -> int | None:
        """Return how many decisions precede the last one by a person; None if there is none."""
        own = range(self.origin.ply if self.origin else 0, self.ply)
        mine = [k for k in own if self.sitters[self.deciders[k]].agent is None]
        return mine[-1] if mine else None

    def rewind(self, ply: int) -> None:
        """Take back all but the first ``ply`` decisions.

        A player who then makes the same decisions draws the same tokens, so taking back gains
        nothing.
        """
        kept = self.decisions[:ply]
        self._begin()
        self.version += 1
        for action, token in kept:
            self.act(action, token)

    @property
    def shows_deck(self) -> bool:
        """Whether people may know the order of all tiles."""
        return self.game.is_over or (self.origin is not None and self.origin.shows_deck)

    def until(self, ply: int) -> Play:
        """Return the same game with only its first ``ply`` decisions.

        Raises
        ------
        ValueError
            The game has fewer decisions.
        """
        return self._repeated(self.start, self.sitters, ply)

    def branch(self, own_id: str, ply: int, sitters: tuple[Sitter, ...], seed: int) -> Play:
        """Return a variation: the same game up to some decision, to be continued from there.

        Tiles drawn so far stay as they were. Hidden tiles are reordered, so that a variation
        reveals nothing about the game.

        Parameters
        ----------
        own_id : str
            This game's name.
        ply : int
            Number of decisions to keep.
        sitters : tuple of Sitter
            The players in the variation.
        seed : int
            Seed for the new order.

        Raises
        ------
        ValueError
            The game has fewer decisions, or it began with face-down tiles and is not over.
        """
        start = self.start if self.shows_deck else self._start_with_other_luck(seed)
        return self._repeated(start, sitters, ply, Origin(own_id, ply, self.shows_deck))

    def _repeated(
        self,
        start: Start,
        sitters: tuple[Sitter, ...],
        ply: int,
        origin: Origin | None = None,
    ) -> Play:
        self.at(ply)  # refuses decisions that were not made
        play = Play(start, sitters, origin)
        for action, token in self.decisions[:ply]:
            play.act(action, token)
        return play

    def _start_with_other_luck(self, seed: int) -> Start:
        game = self.game.clone()
        game.reshuffle(seed)
        if self.start.position is None:
            return replace(self.start, seed=seed, draw=game.draw)
        begun = game.initial_position
        bag = game.draw[len(game.draw) - len(begun.bag or ()) :]
        if sorted(bag) != sorted(begun.bag or ()):
            raise ValueError(
                "a game that began with tiles face down has variations only when it is over"
            )
        return replace(self.start, seed=seed, position=format_position(replace(begun, bag=bag)))

    def swapped(self, seed: int | None = None) -> Play:
        """Return a new game with the same beginning, with everybody moved on by one seat.

        With a seed, the game begins anew with another deck.
        """
        owners = self.owners.moved_on(len(self.sitters))
        start = self.start if seed is None else Start(self.rules, seed)
        return Play(start, (*self.sitters[1:], self.sitters[0]), owners=owners)

    def reseat(self, seat: int, agent: str | None, name: str | None = None) -> None:
        """Give a seat to an agent, or to a person, and perhaps another name."""
        if not 0 <= seat < len(self.sitters):
            raise ValueError(f"there are {len(self.sitters)} seats, there is no seat {seat}")
        changed = Sitter(name or self.sitters[seat].name, agent)
        self.sitters = (*self.sitters[:seat], changed, *self.sitters[seat + 1 :])


def repeat(game: Game, decision: Decision) -> None:
    """Repeat an earlier decision, with the token that it drew."""
    action, token = decision
    if token is not None:
        game.choose_token(token, game.name(action))
    game.step_unchecked(action)


def sitters_for(n_players: int) -> tuple[Sitter, ...]:
    """Return one person per seat, named after the seat's letter."""
    return tuple(Sitter(SEATS[seat]) for seat in range(n_players))


def play_of_record(text: str, sitters: Sequence[Sitter] | None) -> Play:
    """Return the game in a record, by default with the players that the record names.

    Raises
    ------
    NotationError
        The text is not a record, or it was edited; the message gives the line and the reason.
    """
    return _again(load_record(text), sitters, parse_record(text).players)


def play_of_save(text: str, sitters: Sequence[Sitter] | None) -> Play:
    """Return the game in a JCloisterZone 5 save, which is a JSON object; players as for a record.

    Raises
    ------
    SaveError
        The text is not a save, or the save has unsupported parts.
    """
    return _again(load_jcz(text), sitters, players_of_jcz(text))


def _again(done: Game, sitters: Sequence[Sitter] | None, names: Sequence[str]) -> Play:
    """Return a game that has already been played."""
    draw = (*done.drawn, *(done.position().bag or ()))
    named = tuple(Sitter(name[:MAX_NAME]) for name in names)
    found = tuple(sitters or named or sitters_for(done.rules.n_players))
    play = Play(Start(done.rules, draw=draw), found)
    for action, token in _decisions(play, done):
        play.act(action, token)
    return play


def _decisions(play: Play, done: Game) -> Iterator[tuple[int, int | None]]:
    """Yield the decisions in a game that was played, with the tokens drawn."""
    for k, move in enumerate(done.moves):
        if len(play.game.moves) == k:
            yield play.game.action(move.name), move.token


def play_of_position(text: str, sitters: Sequence[Sitter] | None, seed: int) -> Play:
    """Return a game that continues a position.

    Raises
    ------
    ValueError
        The text is not a position, or the position breaks a rule.
    """
    rules = parse_position(text).rules
    start = Start(rules, seed, position=text)
    return Play(start, tuple(sitters or sitters_for(rules.n_players)))


FINAL = (Kind.FIELD, Kind.GOODS, Kind.KING, Kind.ROBBER, Kind.GOLD)
"""Kinds that are scored at the end of the game, besides incomplete features."""


def explained(game: Game) -> list[dict[str, Any]]:
    """Return the parts of the last scores; those of the final scoring are marked ``final``."""
    found: list[dict[str, Any]] = []
    for score in game.last_scores:
        told = explain(game, score)
        if game.is_over and ((found and found[-1].get("final")) or _is_final(game, score)):
            told["final"] = True
        found.append(told)
    return found


def _is_final(game: Game, score: Score) -> bool:
    number = _feature_at(game, score)
    is_open = number is not None and int(game.states[0].features[number].n_open) > 0
    return score.kind in FINAL or is_open


def _feature_at(game: Game, score: Score) -> int | None:
    """Return the number of the feature that was scored."""
    if score.place is None:
        return None
    x, y, spot = score.place
    s = game.states[0]
    placed = s.tiles[int(s.board[cell_of(x, y)]) - 1]
    segment = int(placed.first_segment) + int(SPOT_SEGMENT[placed.design, placed.rotation, spot])
    return int(s.segments[segment].feature)


def _features_on(s: Any, tile: int) -> list[int]:
    """Return the numbers of the features on a tile."""
    first, n = int(s.tiles[tile].first_segment), int(N_SEGMENTS[s.tiles[tile].design])
    return [int(s.segments[segment].feature) for segment in range(first, first + n)]


def _taken(game: Game, score: Score) -> tuple[Kind, int] | None:
    """Return the kind and number of the feature whose points a castle has taken."""
    s = game.states[0]
    n_tiles = int(s.n_tiles)
    row, column = divmod(int(s.tiles[n_tiles - 1].cell), BOARD)
    near = _features_on(s, n_tiles - 1)
    scored = [other for other in game.last_scores if other.kind not in (Kind.CASTLE, Kind.FIELD)]
    near += [number for other in scored if (number := _feature_at(game, other)) is not None]
    own = len(near)
    for tile in range(n_tiles - 1):
        y, x = divmod(int(s.tiles[tile].cell), BOARD)
        near += _features_on(s, tile) if max(abs(y - row), abs(x - column)) == 1 else []
    for k, number in enumerate(near):
        feature = feature_of(game, number)
        is_edged = feature.kind in (Kind.ROAD, Kind.CITY)
        is_taken = feature.is_complete and feature.kind in SUMS and feature.kind != Kind.FIELD
        if is_taken and not (is_edged and k >= own) and scored_terms(game, number, score.points):
            return feature.kind, number
    return None


def explain(game: Game, score: Score) -> dict[str, Any]:
    """Return the parts of a score, for a sentence such as "city, 5 tiles, 1 coat of arms: 12"."""
    told: dict[str, Any] = {"seat": score.seat, "points": score.points, "kind": score.kind.name}
    told["source"] = "BARN" if score.figure == Figure.BARN else score.kind.name
    if score.figure is not None:
        told["figure"] = score.figure.name
    if score.place is None:
        return told
    x, y, spot = score.place
    told["place"] = [x, y, spot.name]
    number = _feature_at(game, score)
    assert number is not None
    feature = game.states[0].features[number]
    if score.kind == Kind.CASTLE and (taken := _taken(game, score)):
        told["took"], number = taken[0].name, taken[1]
        told["terms"] = scored_terms(game, number, score.points)
    if score.kind not in SUMS:
        return told
    if terms := scored_terms(game, number, score.points):
        told["terms"] = terms
    if score.kind in (Kind.CITY, Kind.ROAD):
        told["open"] = int(feature.n_open)
        told["cathedrals" if score.kind == Kind.CITY else "inns"] = int(feature.bonus)
    return told | {term["of"]: term["n"] for term in terms}


def sources(log: Sequence[dict[str, Any]], n_players: int) -> list[dict[str, int]]:
    """Return every seat's points by source; points moved by bids and sales are ``auction``."""
    found: list[dict[str, int]] = [{} for _ in range(n_players)]
    for line in log:
        for gained in line.get("gained", ()):
            mine, source = found[gained["seat"]], gained["source"]
            mine[source] = mine.get(source, 0) + gained["points"]
    last = log[-1]["scores"] if log else [0] * n_players
    for seat, points in enumerate(found):
        if rest := last[seat] - sum(points.values()):
            points["AUCTION"] = rest
    return found

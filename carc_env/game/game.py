"""A game with names, for people and for search: legal actions, apply, clone, scores, text."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, SupportsIndex

import numpy.typing as npt

from carc_env.choices import check_seed
from carc_env.engine import entry
from carc_env.engine.core.codes import Figure, Kind, Outcome, Phase
from carc_env.engine.core.state import (
    NO_CELL,
    NO_DESIGN,
    NO_FIGURE,
    NO_OUTCOME,
    NO_SEGMENT,
    states_from_bytes,
)
from carc_env.engine.core.tiles import (
    ABBEY,
    ABBEY_DESIGN,
    DESIGN,
    N_DISTINCT_ROTATIONS,
    PRINTED,
    TILE_ID,
)
from carc_env.game.conversion import set_up
from carc_env.game.notation import format_place, format_position, parse_place
from carc_env.game.table import NUMBERS, Table
from carc_env.layout.template import difference, template, total_in_bag
from carc_env.position import Cell, Place, PlacedTile, Position
from carc_env.rules import Rules, RulesLike
from carc_env.systems import QUESTIONS, systems_in
from carc_env.systems.declaring import Anchor, Choice, name_of
from carc_env.systems.designs import check_bag_order
from carc_env.systems.places import cell_from_view, cell_of_tile, coordinates_of, named
from carc_env.words import SEATS, NotationError, format_cell


@dataclass(frozen=True, slots=True)
class Move:
    """A decision that was carried out, with its name for people."""

    turn: int
    """Turn number, counted from 0."""
    turn_player: int
    seat: int
    """The player who decided; not always the turn player."""
    name: str
    scores: tuple[int, ...]
    """Scores of all seats after the move."""
    aside: tuple[str, ...] = ()
    """Tiles set aside just before the move (BASE-05)."""
    token: int | None = None
    """The chance outcome: the sheep on the drawn token, 0 for a wolf (HS-26), or the distance that
    a meeple flies (FLY-04)."""
    choice: Choice = field(kw_only=True, repr=False, compare=False)
    """The same action as a :class:`Choice`."""


@dataclass(frozen=True, slots=True)
class Score:
    """Points that a seat scored for a feature or for goods."""

    seat: int
    points: int
    kind: Kind
    place: Place | None = None
    """Location of one segment of the feature, ``(x, y, spot)``; None for goods."""
    figure: Figure | None = None
    """The figure that scored; None for figures of several kinds and for goods."""


class Game(Table):
    """A game of Carcassonne with named actions and a log of its moves.

    Parameters
    ----------
    rules : Rules, str or dict, optional
        Rules or what :meth:`Rules.of` accepts: a preset, or a dict of fields. Default: the base
        game with abbot for two players.
    seed : int, optional
        Shuffles the bag, 0 to 2**64 - 1. Default: a random seed.
    draw : sequence of str, optional
        The bag's tiles in draw order, used instead of a shuffled bag. It must contain all of the
        game's tiles except the start tile; with ``deck_size``, the first ones are left out.

    Raises
    ------
    ValueError
        ``draw`` does not match the game's tiles, or the seed is out of range.
    """

    def __init__(
        self,
        rules: RulesLike = None,
        *,
        seed: int | None = None,
        draw: Sequence[str] | None = None,
    ) -> None:
        if draw is None:
            super().__init__(rules, seed=seed)
            return
        rules = Rules.of(rules)
        self._adopt(rules, states_from_bytes(template(rules).tobytes()))
        self._states[0].rng = check_seed(seed)
        _order_bag(self._states, draw)
        entry.begin_ordered(self._states, 0)
        self._open_log(self._left_out())
        self._settle()

    @classmethod
    def from_position(cls, position: Position, *, seed: int = 0) -> Self:
        """Return a game that continues a position; ``seed`` shuffles a bag of unknown order.

        Raises
        ------
        ValueError
            The position breaks a rule; the message names the tile or figure and the reason.
        """
        game = cls.__new__(cls)
        game._adopt(position.rules, set_up(position, seed))
        game._open_log(game._aside())
        game._settle()
        return game

    def reset(self, seed: int | None = None) -> None:
        """Begin a new game under the same rules, with an empty log."""
        self._begin(seed)
        self._open_log(self._left_out())
        self._settle()

    def load_state(self, saved: bytes) -> None:
        """Load a saved state, see :meth:`Table.load_state`; the log restarts from there."""
        super().load_state(saved)
        self._open_log(self._aside())

    def _open_log(self, aside: Counter[str]) -> None:
        """Start a new log; the given tiles were set aside earlier."""
        self._moves: list[Move] = []
        self._scores: list[Score] = []
        self._aside_before = aside
        self.initial_position = self.position()

    def clone(self) -> Self:
        """Return an independent copy with its log; the same actions lead to the same game."""
        other = super().clone()
        other._moves = self._moves.copy()
        other._scores = self._scores.copy()
        return other

    __copy__ = clone

    @property
    def drawn(self) -> tuple[str, ...]:
        """All tiles drawn so far, in order, including those set aside."""
        drawn = self._states[0].bag[self.n_tiles_left : total_in_bag(self.rules)][::-1]
        return tuple(TILE_ID[design] for design in drawn.tolist())

    @property
    def draw(self) -> tuple[str, ...]:
        """The game's whole bag in draw order: the tiles already drawn and those to come."""
        return (*self.drawn, *(self.position().bag or ()))

    @property
    def is_from_beginning(self) -> bool:
        """Whether the log begins at the start of a game under these rules."""
        new = Game(self.rules, draw=self.draw)
        return replace(self.initial_position, bag=None) == replace(new.initial_position, bag=None)

    def _left_out(self) -> Counter[str]:
        """Return the tiles that were left out before the first draw."""
        return Counter(self.drawn[: int(self._states[0].rules.n_left_out)])

    def _aside(self) -> Counter[str]:
        """Return the drawn tiles that are not on the board, in hand or on offer."""
        s = self._states[0]
        placed = PRINTED[s.tiles["design"][1 : int(s.n_tiles)]]
        on_offer = s.bazaar.lots["design"]
        kept = placed[placed != ABBEY_DESIGN].tolist() + on_offer[on_offer != NO_DESIGN].tolist()
        kept += s.bag[s.hidden[: int(s.n_hidden)]].tolist()
        kept += [s.hand] if s.hand != NO_DESIGN else []
        return Counter(self.drawn) - Counter(TILE_ID[design] for design in kept)

    @property
    def moves(self) -> tuple[Move, ...]:
        """All decisions so far, including those with only one choice."""
        return tuple(self._moves)

    @property
    def last_scores(self) -> tuple[Score, ...]:
        """The scores from the last :meth:`apply`, in order."""
        return tuple(self._scores)

    def __str__(self) -> str:
        return format_position(self.position())

    def __repr__(self) -> str:
        status = "over" if self.is_over else f"{SEATS[self.decider]} to {self.phase.name.lower()}"
        return f"<Game {':'.join(map(str, self.scores))}, {status}, {self.n_tiles_left} in the bag>"

    def _repr_svg_(self) -> str:
        """Return a picture of the position, for notebooks."""
        return self.position()._repr_svg_()

    def name(self, action: int) -> str:
        """Return an action's name in the notation, such as ``bg-cap 0,-1 r2`` or ``meeple N``.

        Raises
        ------
        ValueError
            The action is outside the action space.
        """
        run = self.layout.block_of(operator.index(action))
        question, choice = QUESTIONS[self.phase], self.choice(action)
        if run.name == "tile" and choice.cell is not None:
            if self.phase not in (Phase.PLACE_TILE, Phase.DRAW_OR_ABBEY):
                return f"to {format_cell(choice.cell)}"
            tile = ABBEY["id"] if self.phase == Phase.DRAW_OR_ABBEY else self.tile_in_hand
            return format_place(PlacedTile(tile or "tile", *choice.cell, choice.rotation or 0))
        if run.name in ("pass", "accept", "decline"):
            words = (question.passing, question.accepting, question.declining)
            return words[("pass", "accept", "decline").index(run.name)]
        if run.actions.anchor is None:
            return self.layout.name(action)
        return name_of(choice, run.actions.word)

    def choice(self, action: SupportsIndex) -> Choice:
        """Return an action as its parts: cell on the table, rotation, figure, spot and so on.

        Raises
        ------
        ValueError
            The action is outside the action space.
        """
        run = self.layout.block_of(operator.index(action))
        choice, anchor = self.layout.choice(operator.index(action)), run.actions.anchor
        if choice.seat is not None:
            choice = replace(choice, seat=(self.decider + choice.seat) % self.rules.n_players)
        if choice.figure is not None and choice.spot is not None:
            return replace(choice, cell=self._chosen_cell or self._last_cell)
        if choice.cell is None or anchor is None:
            return choice
        if anchor == Anchor.MOUTH:
            return self._at_mouth(choice, choice.cell[0])
        if anchor == Anchor.LAKE:
            return self._at_lake(choice, choice.cell[0])
        return replace(choice, cell=self._on_table(choice.cell, anchor))

    def _at_mouth(self, choice: Choice, number: int) -> Choice:
        """Return a choice with a tunnel mouth's location; it is unchanged if there is none yet."""
        s = self._states[0]
        if number >= s.n_mouths:
            return choice
        x, y, spot = named(s, int(s.mouths[number].segment))
        return replace(choice, cell=(x, y), spot=spot)

    def _at_lake(self, choice: Choice, number: int) -> Choice:
        """Return a choice with a lake's cell; it is unchanged if there is none yet."""
        s = self._states[0]
        if number >= s.n_lakes:
            return choice
        return replace(choice, cell=cell_of_tile(s, int(s.lakes[number].tile)))

    def _on_table(self, cell: Cell, anchor: Anchor) -> Cell:
        """Convert a cell relative to an anchor to table coordinates; unchanged without one."""
        s = self._states[0]
        if anchor == Anchor.VIEW:
            return cell_from_view(s, *cell)
        if anchor == Anchor.FIEF:
            if self.phase != Phase.CASTLE_CHOICE:
                return cell
            return coordinates_of(entry.cell_of_fief(self._states, 0, cell[0]))
        origins = {
            Anchor.LAST_TILE: self._last_cell,
            Anchor.CHOSEN: self._chosen_cell,
            Anchor.DRAGON: None if s.dragon == NO_CELL else coordinates_of(int(s.dragon)),
            Anchor.WAGON: self.decider_wagon,
        }
        x, y = origins[anchor] or (0, 0)
        return x + cell[0], y + cell[1]

    @property
    def _chosen_cell(self) -> Cell | None:
        """The cell chosen for a figure."""
        cell = int(self._states[0].chosen_cell)
        return None if cell == NO_CELL else coordinates_of(cell)

    @property
    def _last_cell(self) -> Cell:
        """The cell of the last placed tile, if it lies there."""
        s = self._states[0]
        return coordinates_of(int(s.tiles[int(s.n_tiles) - 1].cell))

    @property
    def decider_wagon(self) -> Cell | None:
        """The cell that the moves of the decider's wagon are relative to; None without a wagon."""
        s = self._states[0]
        if s.wagon_cell != NO_CELL:
            return coordinates_of(int(s.wagon_cell))
        segment = int(s.players[self.decider].wagon_from)
        if segment == NO_SEGMENT:
            return None
        return coordinates_of(int(s.tiles[s.segments[segment].tile].cell))

    def action(self, wanted: str | Choice) -> int:
        """Return the legal action with the given name, or with the parts of a :class:`Choice`.

        Raises
        ------
        ValueError
            No legal action has this name or these parts; the message lists a few legal actions.
        """
        word = self.name if isinstance(wanted, str) else self.choice
        found = {word(action): action for action in self.legal_actions()}
        if wanted not in found:
            names = [self.name(action) for action in found.values()]
            some = ", ".join(names[:8]) or "none, because the game is over"
            raise ValueError(
                f"{wanted!r} is not legal for {SEATS[self.decider]} in phase {self.phase.name} "
                f"({len(names)} legal actions: {some}{', ...' if len(names) > 8 else ''})"
                f"{_twin_hint(wanted, names)}"
            )
        return found[wanted]

    def apply(self, action: int | str | Choice | Move) -> None:
        """Carry out a legal action, then any decisions with only one choice.

        Parameters
        ----------
        action : int, str, Choice or Move
            The action's number, name or parts, or a move from a log. To replay a whole log, see
            :meth:`replay`.

        Raises
        ------
        ValueError
            The action is not legal, or the move belongs to a seat other than the decider. The
            message gives the phase and the number of legal actions. The game is unchanged.
        """
        if isinstance(action, Move):
            if action.seat != self.decider:
                raise ValueError(
                    f"{action.name!r} is a move of {SEATS[action.seat]}, but "
                    f"{SEATS[self.decider]} decides in phase {self.phase.name}"
                )
            made_move(self, len(self._moves), action.name, action.token)
            return
        number = self.action(action) if isinstance(action, str | Choice) else action
        self.step(number)

    def choose_token(self, sheep: int, action: str = "grow") -> None:
        """Choose the next sheep token to be drawn, as replaying a record does.

        If the action is a flight, choose the next roll of the flying machine die instead.

        Parameters
        ----------
        sheep : int
            The number of sheep on the token, 1 to 4, or 0 for a wolf; for a flight, the distance in
            cells, 1 to 3.
        action : str
            The name of the action that draws or rolls. Default: an action that draws.

        Raises
        ------
        ValueError
            The bag has no such token, or the die has no such number.
        """
        verb, codes = _brought_by(action, self.rules)
        if sheep not in codes:
            raise ValueError(
                f"there is no token with {sheep} sheep"
                if verb == "draws"
                else f"the die never {verb} {sheep}"
            )
        if entry.n_chances(self._states, 0, codes[sheep]) == 0:
            raise ValueError(f"no token with {sheep} sheep is left in the bag")
        self._states[0].next_token = codes[sheep]

    def replay(self, moves: Sequence[Move]) -> None:
        """Carry out a log from its beginning; moves already made are only compared.

        Moves that the game makes automatically, with ``auto_single``, are compared as well. To copy
        a game that began at a position, call ``replay(game.moves)`` on
        ``Game.from_position(game.initial_position)``.

        Raises
        ------
        ValueError
            A move is not legal, or its seat, name or scores differ. The game stops where the logs
            diverge.
        """
        for k, move in enumerate(moves):
            made = made_move(self, k, move.name, move.token)
            if (made.seat, made.name, made.scores) != (move.seat, move.name, move.scores):
                raise ValueError(f"move {k + 1} is {made} here, but {move} in the log")

    def step_unchecked(self, action: int) -> None:
        """Carry out an action as :meth:`apply` does, without checking that it is legal."""
        self._scores = []
        self._carry_out(action)
        self._settle()

    def _carry_out(self, action: int) -> None:
        s = self._states[0]
        who = (int(s.turn), self.turn_player, self.decider)
        name, choice = self.name(action), self.choice(action)
        all_aside = self._aside()
        new = all_aside - self._aside_before
        self._aside_before = all_aside
        aside = tuple(sorted(new.elements(), key=self.drawn.index)) if new else ()
        entry.apply(self._states, 0, action)
        s.next_token = NO_OUTCOME
        token = NUMBERS.get(int(s.token))
        self._moves.append(Move(*who, name, self.scores, aside, token, choice=choice))
        self._scores += [_score(s, event) for event in s.events[: int(s.n_events)]]

    def _settle(self) -> None:
        self._list_legal()
        while self.rules.auto_single and self._n_legal == 1:
            self._carry_out(int(self._buffer[0]))
            self._list_legal()


def _brought_by(action: str, rules: Rules) -> tuple[str, dict[int, Outcome]]:
    """Return how records report an action's chance outcome, and the outcome codes by number."""
    word = action.split(" ")[0]
    for system in systems_in(rules):
        if word in system.brought:
            return system.brought[word], {n: code for code, n in system.outcomes.items()}
    return "draws", {}


def _twin_hint(wanted: object, legal: Collection[str]) -> str:
    """Return a hint if the tile looks the same in a legal rotation."""
    try:
        place = parse_place(str(wanted), line=1)
    except NotationError:
        return ""
    rotation = place.rotation % int(N_DISTINCT_ROTATIONS[DESIGN.get(place.tile, ABBEY_DESIGN)])
    twin = format_place(replace(place, rotation=rotation))
    if twin not in legal:
        return ""
    return f"; {place.tile} looks the same in r{place.rotation} as in r{rotation}: write {twin!r}"


def _score(s: Any, event: Any) -> Score:
    """Return a score that the engine recorded; call it before the next tile is placed."""
    feature, figure = int(event.feature), int(event.figure)
    return Score(
        int(event.seat),
        int(event.points),
        Kind(int(event.kind)),
        None if feature == NO_SEGMENT else named(s, feature),
        None if figure == NO_FIGURE else Figure(figure),
    )


def made_move(game: Game, k: int, name: str, token: int | None = None) -> Move:
    """Return the k-th move of a log, making it now unless the game already made it automatically.

    ``token`` is the move's chance outcome, see :attr:`Move.token`.

    Raises
    ------
    ValueError
        The move is not legal.
    """
    if len(game.moves) == k:
        action = game.action(name)
        if token is not None:
            game.choose_token(token, name)
        game.apply(action)
    return game.moves[k]


def _order_bag(states: npt.NDArray[Any], draw: Sequence[str]) -> None:
    """Put the bag into the given draw order."""
    s = states[0]
    n = int(s.n_bag)
    for tile in draw:
        if tile not in DESIGN:
            raise ValueError(f"draw: unknown tile {tile!r}")
    designs = [DESIGN[tile] for tile in draw]
    if odd := difference(draw, (TILE_ID[design] for design in s.bag[:n])):
        raise ValueError(
            f"draw must hold the {n} tiles of the game except the start tile, each as often as "
            f"the set has it: {odd}"
        )
    check_bag_order(designs)
    s.bag[:n] = designs[::-1]

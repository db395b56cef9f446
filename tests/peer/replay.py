"""Replay games of an independent engine in ours and compare them at every decision.

Usage: ``python -m tests.peer.replay PATH...``, where a path is a ``.jsonl``, ``.jsonl.xz`` or
``.tar.xz`` file or a folder of such files.

Before each decision, the replay compares the legal actions. After it, the replay compares:

- the scores and their sources, King and Robber
- the supplies, and the abbeys, bridges, castle, goods and tunnel tokens in hand
- the figures, trapped figures, mage, witch, bridges, castles, gold, tunnels, ferries and little
  buildings on the board
- the tile in hand, the tiles left and the bazaar
- the turn player, and whether the turn is in its second part

At the end, it compares the scores and all tiles. The exit status is 1 if there is a difference and
2 if a log cannot be translated.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from carc_env.engine import entry
from carc_env.engine.core.codes import Figure, Kind, Phase
from carc_env.game.game import Game, Score
from carc_env.position import Place, Position, halves_of
from carc_env.systems.designs import start_tiles
from carc_env.systems.places import named
from carc_env.words import format_cell
from tests.goods import goods_of
from tests.oracle.king_robber import MARKERS, complete, size_of_largest
from tests.oracle.wind_roses import rose_in_force
from tests.peer import fairies, ingots, inside, promos, roads, translate
from tests.peer.differences import (
    COMMIT_PHASES,
    LAST_ROUND,
    ONLY_CHOICES,
    TRAP,
    Skip,
    castle_of_castle,
    decision_skip,
    does_nothing,
    is_behind,
    is_kept_from_opening,
    is_other_round,
    is_shared_town,
    is_short_of_tiles,
    last_round_skips,
    left_out,
    second_left_out,
    state_skip,
    their_own_actions,
    unknown_actions,
)
from tests.peer.draws import (
    chance,
    draw_order,
    event_names,
    n_in_stack,
    sheep_at,
    stack_sizes,
    waiting_bazaar,
)
from tests.peer.logs import Log, read_logs
from tests.peer.translate import SHEEP
from tests.peer.turning import turned_log, with_broken_roads

ADDED_UP = dict(
    zip(translate.ADDED_UP, (Skip.GOODS_TOGETHER, Skip.WATCHTOWERS_TOGETHER), strict=True)
)
"""Kind of score that we add up -> reason to compare fewer scores than they list."""
CHOOSE_CELLS = (
    *(Phase.MAGIC, Phase.FIGURE, Phase.CAPTURE, Phase.SECOND, Phase.JOIN, Phase.ESCAPE),
    *(Phase.SOW, Phase.REAP),
)
"""Phases in which we choose a cell first and they do not."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference between our game and theirs."""

    config: str
    game: int
    line: int
    """Line of the log, from 1."""
    what: str
    ours: object
    theirs: object
    position: str
    """Our position at that point."""

    def __str__(self) -> str:
        where = f"{self.config} game {self.game:04} line {self.line}"
        return f"{where}: {self.what}\n    ours:   {self.ours}\n    theirs: {self.theirs}"


@dataclass
class Report:
    """Comparison results for the games of a configuration."""

    n_games: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    """Number of decisions compared, each with all legal actions, by phase."""
    n_states: int = 0
    skipped: Counter[Skip] = field(default_factory=Counter)
    examples: dict[Skip, int] = field(default_factory=dict)
    """Reason -> first game in which something was skipped for it."""
    differences: list[Difference] = field(default_factory=list)

    @property
    def n_compared(self) -> int:
        """Number of decisions compared."""
        return self.compared.total()

    def skip(self, reason: Skip, game: int, n: int = 1) -> None:
        """Count ``n`` skips for a reason in a game."""
        if n:
            self.skipped[reason] += n
            self.examples.setdefault(reason, game)

    def lines(self, config: str) -> Iterable[str]:
        """Yield the lines of the printed report."""
        phases = ", ".join(f"{phase} {n:,}" for phase, n in sorted(self.compared.items()))
        yield (
            f"{config}: {self.n_games} games, {self.n_compared:,} decisions compared ({phases}), "
            f"{self.n_states:,} states compared, {len(self.differences)} differences"
        )
        for reason, n in sorted(self.skipped.items()):
            yield f"  skipped {n:,}, first in game {self.examples[reason]:04}: {reason}"
        for number, difference in enumerate(self.differences):
            yield f"  {difference}"
            if number == 0:
                yield "\n".join(f"    | {row}" for row in difference.position.splitlines())


@dataclass(frozen=True, slots=True)
class Pick:
    """A tile that they took from a bazaar; ``number`` counts the tiles that were free, from 1."""

    line: dict[str, Any]
    number: int
    n_free: int


class Match:
    """One of their games, replayed in our engine.

    Attributes
    ----------
    game : Game
        Our game, up to the last message replayed.
    skips : dict
        Messages of their last round that have no counterpart, by index.
    is_mended : bool
        Whether our game was changed by hand to follow theirs.
    """

    def __init__(self, log: Log, report: Report) -> None:
        rules = translate.rules(log.header["setup"])
        self._turns = translate.board_turns(log.header["setup"]["start"])
        log = turned_log(log, self._turns)
        if rules.breaks_roads:
            log = with_broken_roads(log)
        draw = draw_order(log)
        self.game = Game(rules, draw=draw)
        self.is_mended = False
        skips = last_round_skips(log.messages)
        self.skips = skips or {}
        self._goes_round_again = skips is None
        self._log = log
        self._report = report
        self._line = 1
        self._last: translate.Cell = (0, 0)
        self._st: dict[str, Any] = log.header["st"]
        """Their state before the message."""
        self._picks: dict[int, Pick] = {}
        """Picks that our game makes later, by seat."""
        self._bridges: dict[translate.Cell, translate.Direction] = {}
        self._castles: list[frozenset[Place]] = []
        self._ours: list[Score] = []
        self._theirs: list[Score] = []
        self._first_part: translate.Cell | None = None
        """Cell of the first part's tile, during the second part of one of their turns."""
        self._stacks = stack_sizes(draw)
        self._held: str | None = None
        """Our action that waits until they have captured a meeple inside Carcassonne."""
        self._last_action: tuple[Game, int] | None = None
        """Our game before the last action, and that action, if the rules include gold."""
        self._is_tree_bridged = False
        """Whether a bridge leads over the tree; nothing is compared from then on."""
        self._sheep_at = -1
        """Index of the message that draws the sheep of the last shepherd."""
        self._mouth: int | None = None
        """Mouth of this placement's token, while ferries move as if it had joined nothing."""
        self._is_consoled = False
        """Whether they ask for a meeple into Carcassonne only because a builder scored points."""
        self._is_equal = True

    def play(self) -> bool:
        """Replay up to the end or to the first difference; return whether there was none."""
        self.replay()
        self._line += 1
        if self._is_equal and not self._is_tree_bridged and not self._log.is_cut:
            self._compare_end()
        return self._is_equal

    def replay(self, n_messages: int | None = None) -> None:
        """Replay all messages, or the first ``n_messages``, up to the first difference."""
        self._report.n_games += 1
        messages = self._log.messages
        self._skip(Skip.TURNED_BOARD, self._turns > 0)
        waits = [waiting_bazaar(messages, index) is not None for index in range(len(messages))]
        self._skip(Skip.DRAWN_LATER, sum(waits))
        self._compare_state(self._log.header["st"])
        for index, line in enumerate(messages[:n_messages]):
            self._line += 1
            if self._goes_round_again and line["phase"] == LAST_ROUND:
                self._goes_round_again = False
                self._go_round_again()
            if not self._is_equal:
                self._skip(Skip.AFTER_DIFFERENCE)
            elif self._is_tree_bridged:
                self._skip(Skip.BRIDGE_OVER_TREE)
            elif index in self.skips:
                self._skip(self.skips[index])
                self._look(index)
            elif self._answer(index):
                self._keep_from_opening(index)
                self._is_tree_bridged = promos.bridges_tree(self.game, line["act"])
                if not self._is_tree_bridged:
                    self._look(index)
            self._st = line["st"]

    @property
    def _index(self) -> int:
        """Index of the message that is carried out."""
        return self._line - 2

    def _skip(self, reason: Skip, n: int = 1) -> None:
        self._report.skip(reason, self._log.number, n)

    def _answer(self, index: int) -> bool:
        """Carry out a message if it decides anything; return whether that was possible."""
        line = self._log.messages[index]
        if self._held:
            return self._go_on_behind_capture(line)
        if self._is_consoled and line["phase"] in inside.ENTRY_PHASES:
            inside.enter(self.game, line["player"], line["act"])
            return True
        if line["act"].startswith("TOWER ") and inside.captures_only_inside(
            self._log.messages[index + 1]
        ):
            return self._hold(line)
        reason = decision_skip(line, self._st)
        if reason != Skip.ABBEY_FOR_BOUGHT and not self._catch_up(line):
            return False
        if reason:
            self._skip(reason)
            return True
        return self._decide(line)

    def _look(self, index: int) -> None:
        """Compare the state after a message if our game has a counterpart."""
        line = self._log.messages[index]
        events = line["st"].get("ev", [])
        scores = translate.scores(events)
        if inside.has_fairy_inside(self._st):
            scores = self._award_fairy(scores)
        n_builders = 0
        if self.game.rules.watchtowers:
            n_builders = self._award_builders(events, scores)
        self._theirs += [score for score in scores if score.points]
        self._skip(Skip.NO_POINTS, sum(not score.points for score in scores))
        self._bridges |= translate.bridges(events)
        self._castles += translate.castles(events)
        self._note_part(line)
        self._strand_builders(line)
        if is_other_round(self._log.messages, index, self.skips):
            self._skip(Skip.OTHER_ROUND)
        elif reason := state_skip(self._log.messages, index):
            self._skip(reason)
        elif index < self._sheep_at:
            self._skip(Skip.BEFORE_SHEEP)
        elif self._held:
            self._skip(Skip.BEFORE_CAPTURE)
        elif self._picks and line["st"]["phase"] == "BazaarPhase":
            self._skip(Skip.PICKED_AHEAD)
        elif self._settle(line["st"]):
            self._lower_castles()
            self._count_builders(events)
            self._share_as_they_do(line["st"])
            self._is_consoled = self._enters_by_hand(line["st"], n_builders)
            if not self._is_consoled:
                self._compare_state(line["st"])

    def _enters_by_hand(self, st: dict[str, Any], n_builders: int) -> bool:
        """Return whether they offer a meeple into Carcassonne only because a builder scored."""
        asks = st["phase"] in inside.ENTRY_PHASES
        is_new = n_builders > 0 and self.game.phase != Phase.ENTER
        by_hand = asks and (self._is_consoled or is_new)
        self._skip(Skip.CONSOLED_FOR_BUILDER, by_hand)
        self.is_mended |= by_hand
        return by_hand

    def _lower_castles(self) -> None:
        """Lower the points that castles took from other castles if theirs took less (CAS-22)."""
        while found := castle_of_castle(Counter(self._ours), Counter(self._theirs)):
            our, their = found
            self.is_mended = True
            self._skip(Skip.CASTLE_OF_CASTLE)
            self._ours[self._ours.index(our)] = their
            inside.award(self.game, our.seat, their.points - our.points)

    def _count_builders(self, events: list[list[Any]]) -> None:
        """Give points for builders on labyrinth roads, to castles as well (LAB-09)."""
        n_builders = roads.n_scored(events) if self.game.rules.labyrinth else 0
        ours, theirs = Counter(self._ours), Counter(self._theirs)
        pairs = list(product((ours - theirs).elements(), (theirs - ours).elements()))
        raised = [pair for pair in pairs if roads.with_builders(*pair, n_builders)]
        points = {(our.points, their.points) for our, their in raised}
        raised += [pair for pair in pairs if roads.is_castle_for(*pair, points)]
        for our, their in raised:
            self.is_mended = True
            self._skip(Skip.BUILDER_IN_BONUS)
            self._ours[self._ours.index(our)] = their
            inside.award(self.game, our.seat, their.points - our.points)

    def _award_builders(self, events: list[list[Any]], scores: list[Score]) -> int:
        """Give points for builders beside watchtowers, which we do not award; return how many.

        Remove these points from ``scores``.
        """
        found = list(translate.watched_builders(events, self._st["figs"]))
        for seat, points in found:
            self.is_mended = True
            self._skip(Skip.BUILDER_BESIDE)
            inside.award(self.game, seat, points)
            scores.remove(Score(seat, points, Kind.WATCHTOWER))
        return len(found)

    def _next_phase(self, phase: str) -> str:
        """Return their phase after a message, or the following one if only a trap acts in it."""
        states = (line["st"]["phase"] for line in self._log.messages[self._index :])
        return next(name for name in states if name != TRAP) if phase == TRAP else phase

    def _strand_builders(self, line: dict[str, Any]) -> None:
        """Leave builders on roads that a ferry has cut off, if they do so (FER-15)."""
        if not line["act"].startswith("FERRY"):
            return
        for builder in roads.stranded(self.game, line["st"]["figs"]):
            self.is_mended = True
            self._skip(Skip.BUILDER_ALONE)
            roads.put_back(self.game, builder)

    def _leave_fairy_alone(self, st: dict[str, Any]) -> None:
        """Leave the fairy beside nobody if they do, although another meeple stays beside ours."""
        if self.game.rules.fairy and fairies.loses_one(self.game, self._st, st):
            self.is_mended = True
            self._skip(Skip.FAIRY_ALONE)
            fairies.leave_alone(self.game)

    def _share_as_they_do(self, st: dict[str, Any]) -> None:
        """Give each seat the ingots of their game, if another choice of ours leads to them."""
        if not self.game.rules.gold or self._last_action is None:
            return
        seats = range(self.game.rules.n_players)
        ours = [self.game.stock(seat)["ingots"] for seat in seats]
        theirs = [counts.get(translate.INGOT, 0) for counts in st["supply"]]
        if ours != theirs and tuple(theirs) in ingots.shares(*self._last_action):
            self.is_mended = True
            self._skip(Skip.OTHER_INGOTS)
            ingots.give(self.game, theirs)

    def _note_part(self, line: dict[str, Any]) -> None:
        """Note whether their turn is in its second part; a bazaar follows that part (BAZ-21)."""
        for name in event_names(line):
            if name == "double-turn":
                self._first_part = self._last
            elif name == "turn":
                self._first_part = None
        if line["st"]["phase"] == "BazaarPhase":
            self._first_part = None

    def _keep_from_opening(self, index: int) -> None:
        """Treat a bazaar tile as bought, so that it starts nothing, if they hold no bazaar."""
        messages, game = self._log.messages, self.game
        if not messages[index]["act"].startswith("TILE") or game.position().is_bought:
            return
        for reason, holds in (
            (Skip.ONE_BAZAAR, is_kept_from_opening(messages, index)),
            (Skip.LAST_BAZAAR, is_short_of_tiles(messages, index)),
        ):
            if holds:
                game._states["is_bought"] = 1
                self.is_mended = True
                self._skip(reason)

    def _go_round_again(self) -> None:
        """Extend our last round to match theirs, for an abbey of a seat that had declined."""
        n_answers = sum(line["phase"] == LAST_ROUND for line in self._log.messages)
        self.game._states["last_round"] += self.game.rules.n_players * n_answers
        self.is_mended = True
        self._skip(Skip.ROUND_AGAIN)

    def _catch_up(self, line: dict[str, Any]) -> bool:
        """Pass decisions that they do not ask for; return whether our game reaches their phase."""
        phase = line["phase"]
        if phase not in translate.PHASES and phase not in COMMIT_PHASES:
            raise translate.UnknownWord("phase", phase)
        while is_behind(self.game, line):
            if not self._leave_out("pass", self._second_skip(self._st) or Skip.ONLY_PASS, phase):
                return False
        return True

    def _settle(self, st: dict[str, Any]) -> bool:
        """Answer decisions that they skip before a state; return whether that was possible."""
        if reason := self._second_skip(st):
            self._leave_out("pass", reason, st["phase"])
        while found := left_out(self.game, st):
            if not self._leave_out(*found, st["phase"]):
                return False
        if self.game.phase == Phase.BAZAAR_PICK and st["phase"] == "TilePhase":
            return self._pick_late()
        if st["phase"] == "CocFinalScoringPhase" != self._st["phase"]:
            self._begin_last_moves(int(st["turn"]))
        return True

    def _second_skip(self, st: dict[str, Any]) -> Skip | None:
        """Return why only we ask for a second figure; None if we do not ask or they ask too."""
        if self.game.phase != Phase.SECOND:
            return None
        return second_left_out(set(self._legal()), st)

    def _begin_last_moves(self, last: int) -> None:
        """Begin the last moves after a given seat; ours begin after the seat of the last tile."""
        game, n_players = self.game, self.game.rules.n_players
        if game.phase != Phase.JOIN or game.turn_player == (last + 1) % n_players:
            return
        self.is_mended = True
        self._skip(Skip.TURN_AFTER_ABBEYS)
        s = game._states[0]
        s.turn_player = (last + 1) % n_players
        for behind in range(n_players):
            s.decider = (s.turn_player + behind) % n_players
            game._list_legal()
            if len(game.legal_actions()) > 1:
                return

    def _leave_out(self, name: str, reason: Skip, phase: str) -> bool:
        """Take an action that they do not ask for; return whether that was possible."""
        names = set(self._legal())
        if name not in names or (len(names) > 1 and reason in ONLY_CHOICES):
            self._differ("phase", f"{self.game.phase.name}: {', '.join(sorted(names))}", phase)
            return False
        self._apply(self.game.action(name), phase)
        self._skip(reason)
        return True

    def _legal(self) -> dict[str, int | tuple[int, int]]:
        """Return our legal actions by name, without those that they do not know."""
        names: dict[str, Any] = {
            self.game.name(action): action for action in self.game.legal_actions()
        }
        names |= self._elsewhere(names)
        for reason, unknown in unknown_actions(self.game, set(names), self._last):
            self._skip(reason, len(unknown))
            names = {name: n for name, n in names.items() if name not in unknown}
        return names

    def _elsewhere(self, names: dict[str, int]) -> dict[str, Any]:
        """Return our figure actions on other tiles, usually as two decisions: cell and spot.

        Remove the actions that choose a cell from ``names``.
        """
        found: dict[str, Any] = {}
        if self.game.phase == Phase.LANDING:
            cell = format_cell(self.game.position().chosen_cell or (0, 0))
            return {f"{name} at {cell}": names.pop(name) for name in [*names]}
        cells = [name for name in names if name.startswith("to ")]
        for cell in cells if self.game.phase in CHOOSE_CELLS else ():
            there = self.game.clone()
            first = names.pop(cell)
            entry.apply(there._states, 0, first)
            there._list_legal()
            for action in there.legal_actions():
                name = there.name(action)
                is_figure = not name.startswith(translate.NAMES_WITH_CELLS)
                name = f"{name} at {cell[3:]}" if is_figure else translate.one_name_of_action(name)
                found[name] = first, int(action)
        return found

    def _decide(self, line: dict[str, Any]) -> bool:
        """Compare a decision and carry it out; return whether that was possible."""
        phase, act = line["phase"], line["act"]
        if phase == "CastlePhase":
            return self._decide_towns(line)
        if act.startswith("BAZAAR_SELECT"):
            return self._choose_lot(line)
        theirs = {self._name(text, phase) for text in line["legal"]}
        name = self._name(act, phase)
        if not self._take(line, theirs, name):
            return False
        if act.startswith("TILE"):
            _, _, x, y, *_ = act.split()
            self._last = int(x), int(y)
        return True

    def _name(self, text: str, phase: str) -> str:
        """Return our name of an action; of the token pairs in hand, we offer only the next one."""
        name = translate.action_name(text, self._last, phase)
        if text.startswith(("RETURN PRINCESS", "RETURN FESTIVAL", "CAPTURE")):
            return self._name_of_one(text, name)
        if not name.startswith("tunnel "):
            return name
        *words, letter = name.split()
        seat, position = self.game.decider, self.game.position()
        laid = translate.tunnels(self._st["tunnels"])
        own = {(t.x, t.y, t.spot): t.pair for t in position.tunnels if t.seat == seat}
        known = [own[place] for place, token in laid.items() if token == (seat, letter)]
        return " ".join([*words, str(known[0] if known else max(own.values(), default=0) + 1)])

    def _name_of_one(self, text: str, name: str) -> str:
        """Return the name of a removal, with the kind of figure if several share the spot."""
        names = {self.game.name(action): action for action in self.game.legal_actions()}
        names |= self._elsewhere(names)
        whole = translate.name_of_one(text, name)
        return whole if whole in names else name

    # Their actions inside Carcassonne.

    def _act_inside(self, line: dict[str, Any]) -> None:
        """Do by hand what we forbid; our game then passes."""
        self.is_mended = True
        self._skip(Skip.DONE_BY_HAND)
        if line["act"].startswith("FAIRY"):
            inside.put_fairy(self.game, line["st"]["fairy"])
        else:
            inside.capture(self.game, line["player"], line["st"]["ev"])

    def _hold(self, line: dict[str, Any]) -> bool:
        """Compare the choice of a tower, but delay it until a capture that only they allow."""
        theirs = {translate.action_name(text, self._last, line["phase"]) for text in line["legal"]}
        self._held = translate.action_name(line["act"], self._last, line["phase"])
        return self._held in self._compare_choices(line, theirs)

    def _go_on_behind_capture(self, line: dict[str, Any]) -> bool:
        """Apply a tower's capture inside Carcassonne by hand, then build its floor."""
        self._skip(Skip.CAPTURE_INSIDE, sum(map(inside.is_inside, line["legal"])))
        if inside.is_inside(line["act"]):
            self._act_inside(line)
        name, self._held = self._held, None
        self._apply(self._legal()[name], line["st"]["phase"])
        return True

    def _award_fairy(self, scores: list[Score]) -> list[Score]:
        """Give points for the fairy inside Carcassonne; return the scores that we award as well."""
        for score in scores:
            if score.kind == Kind.FAIRY:
                self._skip(Skip.POINTS_BY_HAND)
                inside.award(self.game, score.seat, score.points)
        return [score for score in scores if score.kind != Kind.FAIRY]

    def _decide_towns(self, line: dict[str, Any]) -> bool:
        """Decide on all towns of a seat; they let the seat turn only one of them into a castle."""
        towns = {translate.town(text) for text in line["legal"] if text != "PASS"}
        chosen = None if line["act"] == "PASS" else translate.town(line["act"])
        while self.game.phase == Phase.CASTLE:
            town = self.game.position().town
            if town not in towns and is_shared_town(self.game):
                if not self._leave_out("score", Skip.SHARED_TOWN, line["phase"]):
                    return False
                continue
            if self.game.decider != line["player"]:
                break
            theirs = {"castle", "score"} if town in towns else {"score"}
            if chosen and town != chosen:
                self._skip(Skip.ONE_TOWN)
            if not self._take(line, theirs, "castle" if town == chosen else "score"):
                return False
            towns.discard(town)
        # A seat that has used its last token is not asked about another town (CAS-08).
        unasked = towns if self.game.stock(line["player"])["tokens"] else set()
        self._compare_sets("towns", [], unasked)
        return not unasked and self._leave_towns(line)

    def _leave_towns(self, line: dict[str, Any]) -> bool:
        """Score the towns of seats that they no longer ask after another seat has declined."""
        is_last = line["act"] == "PASS" and line["st"]["phase"] != "CastlePhase"
        while is_last and self.game.phase == Phase.CASTLE:
            reason = Skip.SHARED_TOWN if is_shared_town(self.game) else Skip.AFTER_DECLINED
            if not self._leave_out("score", reason, line["phase"]):
                return False
        return True

    def _choose_lot(self, line: dict[str, Any]) -> bool:
        """Compare the choice of a bazaar tile, then the opening bid, which is our next decision."""
        choices = [translate.lot(text) for text in line["legal"]]
        lot, price = translate.lot(line["act"])
        free = sorted({number for number, _ in choices})
        if self.game.rules.bazaar_mode == "take":
            self._picks[line["player"]] = Pick(line, free.index(lot) + 1, len(free))
            return True
        if not self._take(line, {f"pick {number + 1}" for number in free}, f"pick {lot + 1}"):
            return False
        bids = {f"bid {bid}" for number, bid in choices if number == lot}
        return self._take(line, bids, f"bid {price}")

    def _pick_late(self) -> bool:
        """Pick the tile that they picked before the placements that we have made since."""
        if (pick := self._picks.pop(self.game.decider, None)) is None:
            return self._leave_out("pick 1", Skip.LAST_LOT, "BazaarPhase")
        theirs = {f"pick {number + 1}" for number in range(pick.n_free)}
        return self._take(pick.line, theirs, f"pick {pick.number}")

    def _take(self, line: dict[str, Any], theirs: set[str], name: str) -> bool:
        """Compare the decider and the legal actions, then act; return whether that was possible."""
        ours = self._compare_choices(line, theirs)
        if inside.is_inside(line["act"]):
            self._act_inside(line)
            name = "pass"
        elif does_nothing(name, self.game.position()):
            name = "pass"
        if name not in ours:
            return False
        self._leave_fairy_alone(line["st"])
        self._apply_with_luck(name, ours[name], line["st"]["phase"])
        if promos.lands_in_hut(self.game):
            self._come_home(line["st"]["phase"])
        return True

    def _apply_with_luck(self, name: str, action: Any, phase: str) -> None:
        """Carry out an action with their die roll or sheep, which may be in a later message."""
        n_moves = len(self.game.moves)
        token = chance(self._log.messages, self._index, name)
        if token is not None:
            self.game.choose_token(token, name)
        if name.startswith("shepherd "):
            self._sheep_at = sheep_at(self._log.messages, self._index)
        self._apply(action, phase)
        tokens = [move.token for move in self.game.moves[n_moves:] if move.token is not None]
        self._compare("what chance brings", tokens, [] if token is None else [token])

    def _come_home(self, phase: str) -> None:
        """Let a flying abbot come home, because they do not let it land in a hut (RUS-16)."""
        self.is_mended = True
        self._skip(Skip.ABBOT_IN_HUT)
        promos.let_come_home(self.game, may=True)
        self._apply(self.game.action("pass"), phase)
        promos.let_come_home(self.game, may=False)

    def _goes_on_with_ferries(self, actions: Sequence[int], phase: str) -> bool:
        """Carry out an action as if its token had joined nothing, if they let ferries move then.

        The token joins its roads again before the last action, which leads to the scoring.
        """
        s = self.game._states[0]
        if self._next_phase(phase) != "ChangeFerriesPhase" or not self.game.rules.tunnels:
            if self._mouth is not None:
                s.new_mouth, self._mouth = self._mouth, None
            return False
        if self._mouth is not None:
            roads.carry_out_unextended(self.game, actions)
            return True
        there = roads.without_token(self.game, actions)
        if there is None:
            return False
        self.is_mended = True
        self._skip(Skip.FERRY_BEHIND_TOKEN)
        self._mouth, self.game = there
        return True

    def _lets_traps_sleep(self, actions: Sequence[int]) -> bool:
        """Carry out an action with no trap acting, if their traps sleep where ours would act."""
        if not self.game.rules.russian_promos:
            return False
        line = self._log.messages[self._index]
        there = promos.with_traps_asleep(self.game, actions, line)
        if there is None:
            return False
        self.is_mended = True
        self._skip(Skip.TRAPS_ASLEEP)
        self.game = there
        return True

    def _compare_choices(
        self, line: dict[str, Any], theirs: set[str]
    ) -> dict[str, int | tuple[int, int]]:
        """Compare the decider and the legal actions; return ours by name."""
        ours = self._legal()
        for reason, unknown in their_own_actions(theirs, self.game.position()):
            self._skip(reason, len(unknown))
            theirs = theirs - unknown
        if len(moved := fairies.to_moved(self._st, self._last) & set(ours) - theirs) == 1:
            self._skip(Skip.FAIRY_OF_MOVED)
            ours = {name: action for name, action in ours.items() if name not in moved}
        self._compare("decider", self.game.decider, line["player"])
        self._compare_sets("legal actions", set(ours), theirs)
        self._report.compared[line["phase"]] += 1
        return ours

    def _apply(self, action: int | tuple[int, int], phase: str) -> None:
        """Carry out an action; ``phase`` is their phase after it."""
        actions = action if isinstance(action, tuple) else (action,)
        if not self._goes_on_with_ferries(actions, phase) and not self._lets_traps_sleep(actions):
            for step in roads.steps(self.game, actions):
                if self.game.rules.gold:
                    self._last_action = self.game.clone(), step
                self.game.apply(step)
        self._note_scores()

    def _note_scores(self) -> None:
        for score in self.game.last_scores:
            if score.points:  # their events do not give the place and the figure in our terms
                self._ours.append(Score(score.seat, score.points, score.kind))

    def _compare_state(self, st: dict[str, Any]) -> None:
        game, position = self.game, self.game.position()
        self._report.n_states += 1
        self._compare("scores", list(game.scores), st["scores"])
        ours, theirs = map(translate.added_up, (self._ours, self._theirs))
        self._compare_sets("features scored", ours, theirs)
        for kind, reason in ADDED_UP.items():
            n_less = sum(score.kind == kind for score in self._theirs)
            self._skip(reason, n_less - sum(score.kind == kind for score in theirs))
        self._ours, self._theirs = [], []
        self._compare_hands(st["supply"])
        self._compare_board(position, st["figs"])
        self._compare_bazaar(position, st)
        self._compare_markers(position, st)
        self._compare_dragon(position, st)
        self._compare_towers(position, st)
        self._compare_flocks(position, st)
        self._compare_gold(position, st)
        self._compare_tunnels(position, st)
        self._compare_ferries(position, st)
        self._compare_magic(position, st)
        self._compare_rose(position, st)
        self._compare_buildings(position, st)
        self._compare("trapped", list(position.trapped), translate.trapped(st["figs"]))
        self._compare_count(position, st)
        self._compare("circle", translate.CIRCLES.get(game.phase), st.get("circle"))
        drawn = translate.tile_id(st["drawn"]) if "drawn" in st else None
        self._compare("tile in hand", game.tile_in_hand, drawn)
        self._compare_bag(position, st)
        self._compare("is over", game.is_over, st["phase"] == "GameOverPhase")
        if not game.is_over:
            if st["phase"] == "CocFinalScoringPhase" and position.first_part is None:
                self._skip(Skip.PART_AT_THE_END, self._first_part is not None)
            else:
                self._compare("first part", position.first_part, self._first_part)
            self._compare("turn player", game.turn_player, self._turn_player(st))
            self._compare("decider", game.decider, st["active"])
        phases = translate.PHASES.get(st["phase"])
        if phases and game.phase not in phases:
            self._differ("phase", game.phase.name, st["phase"])

    def _compare_bag(self, position: Position, st: dict[str, Any]) -> None:
        """Compare the number of tiles left in all, and in the stack that they draw from."""
        left, is_less = _n_left(self.game, position), "pack_all" in st
        if is_less:
            self._compare("tiles left in all", left, st["pack_all"])
        is_withheld = is_less and self.game.rules.dragon and left <= self._stacks[-1]  # PD-07
        if not is_withheld:
            self._compare("tiles left", n_in_stack(left, self._stacks), st["pack"])

    def _turn_player(self, st: dict[str, Any]) -> int:
        """Return the seat whose turn it is with us, according to their state.

        Without an auction, our turns begin with the pick, theirs only after all picks.
        """
        if self.game.rules.bazaar_mode == "take" and st["phase"] == "BazaarPhase":
            self._skip(Skip.TURN_OF_PICK)
            return int(st["active"])
        if st["phase"] == "CocFinalScoringPhase":
            self._skip(Skip.TURN_AT_THE_END)
            return int(st["turn"] + 1) % self.game.rules.n_players
        return int(st["turn"])

    def _compare_hands(self, theirs: list[dict[str, int]]) -> None:
        game, seats = self.game, range(self.game.rules.n_players)
        self._compare(
            "supplies",
            [_without_zeros(game.supply(seat)) for seat in seats],
            [_without_zeros(translate.supply(counts)) for counts in theirs],
        )
        for what, name, word in (
            ("abbeys", "abbeys", translate.ABBEY),
            ("bridges in hand", "bridges", translate.BRIDGE),
            ("castle tokens", "tokens", translate.TOKEN),
            ("floors", "floors", translate.FLOOR),
            ("ingots", "ingots", translate.INGOT),
            *((name.lower(), name.lower(), name) for name in translate.MARKERS),
        ):
            ours = [game.stock(seat).get(name, 0) for seat in seats]
            self._compare(what, ours, [counts.get(word, 0) for counts in theirs])
        self._compare(
            "tunnel tokens",
            [game.stock(seat).get("tunnel tokens", 0) for seat in seats],
            [sum(counts.get(word, 0) for word in translate.DIGGERS) for counts in theirs],
        )
        self._compare(
            "goods", [goods_of(game, seat) for seat in seats], list(map(translate.goods, theirs))
        )

    def _compare_board(self, position: Position, theirs: list[list[Any]]) -> None:
        self._compare_sets(
            "figures on the board",
            translate.sort_figures(map(translate.one_name, position.figures)),
            translate.figures(theirs),
        )
        bridges = {(tile.x, tile.y): tile.bridge for tile in position.tiles if tile.bridge}
        self._compare_sets("bridges on the board", bridges.items(), self._bridges.items())
        self._compare("castles", list(map(translate.both_ends, position.castles)), self._castles)

    def _compare_markers(self, position: Position, st: dict[str, Any]) -> None:
        """Compare the holders of King and Robber, the largest size and the number of features."""
        for name, kind in MARKERS.items():
            if name in st:
                found = complete(position, kind)
                ours = [getattr(position, name), size_of_largest(found), len(found)]
                self._compare(f"{name} and what it is for", ours, st[name])

    def _compare_dragon(self, position: Position, st: dict[str, Any]) -> None:
        """Compare dragon and fairy, and the cells that the dragon has visited in its flight."""
        if position.rules.dragon:
            theirs = st.get("dragon")
            self._compare("dragon", position.dragon, tuple(theirs) if theirs else None)
            left = set(position.flown[:-1])  # without its current cell
            visited = {tuple(cell) for cell in st.get("visited", ())}
            self._compare("cells left in the flight", left, visited)
        if position.rules.fairy:
            fairy = translate.fairy(fairies.without_moved(st))
            self._skip(Skip.FAIRY_OF_MOVED, fairy != translate.fairy(st.get("fairy")))
            ours = (position.fairy, position.fairy_beside, position.fairy_on_top)
            self._compare("fairy", ours, fairy)

    def _compare_towers(self, position: Position, st: dict[str, Any]) -> None:
        """Compare tower heights, meeples on towers, prisoners and whether a ransom was paid."""
        if not position.rules.towers:
            return
        heights = [(tower.x, tower.y, tower.height) for tower in position.towers]
        self._compare("towers", sorted(heights), translate.heights(st["towers"]))
        tops = [
            (tower.seat, tower.figure, tower.x, tower.y)
            for tower in position.towers
            if tower.figure is not None
        ]
        self._compare("meeples on towers", sorted(tops), translate.tops(st["figs"]))
        prisoners = translate.prisoners(st.get("prisoners", []))
        self._compare("prisoners", list(position.prisoners), prisoners)
        self._compare("is the ransom paid", position.has_ransomed, st.get("ransomed", False))

    def _compare_flocks(self, position: Position, st: dict[str, Any]) -> None:
        """Compare the sheep of every shepherd and the number of tiles under hills."""
        self._compare("tiles under hills", len(position.hidden), st.get("hidden", 0))
        if "flocks" not in st:
            return
        flocks = {(x, y): sorted(map(SHEEP.get, tokens)) for x, y, _, tokens in st["flocks"]}
        ours = {
            (figure.x, figure.y): list(position.sheep[figure.seat])
            for figure in position.figures
            if figure.figure == Figure.SHEPHERD
        }
        self._compare("flocks", ours, flocks)

    def _compare_gold(self, position: Position, st: dict[str, Any]) -> None:
        """Compare the number of ingots on each cell."""
        ours = [[pile.x, pile.y, pile.ingots] for pile in position.gold]
        self._compare("gold", sorted(ours), sorted(st.get("gold", [])))

    def _compare_magic(self, position: Position, st: dict[str, Any]) -> None:
        """Compare where the mage and the witch are; theirs stay on a town that becomes a castle."""
        castles = {place for c in position.castles for place in halves_of((c.x, c.y, c.spot))}
        for who in ("mage", "witch"):
            ours, theirs = getattr(position, who), translate.magic(st.get(who))
            if ours is None and theirs in castles:
                self._skip(Skip.MAGIC_IN_CASTLE)
            else:
                self._compare(who, ours, theirs)

    def _compare_rose(self, position: Position, st: dict[str, Any]) -> None:
        """Compare the cell and the rotation of the wind rose in force."""
        if "rose" in st:
            self._compare_sets(
                "wind rose", [rose_in_force(position)], [translate.rose(position, *st["rose"])]
            )

    def _compare_buildings(self, position: Position, st: dict[str, Any]) -> None:
        """Compare the little buildings on the board and those that each seat has left."""
        ours = {((b.x, b.y), b.kind) for b in position.built}
        self._compare_sets("buildings", ours, translate.buildings(st.get("buildings", ())))
        if position.rules.little_buildings:
            theirs = list(map(translate.unbuilt, st["supply"]))
            self._compare("buildings left", [*position.unbuilt], theirs)

    def _compare_tunnels(self, position: Position, st: dict[str, Any]) -> None:
        """Compare free mouths, pairs of tokens and whether a token was placed."""
        theirs: defaultdict[Any, set[Any]] = defaultdict(set)
        for place, token in translate.tunnels(st.get("tunnels", ())).items():
            theirs[token].add(place)
        ours: defaultdict[Any, set[Any]] = defaultdict(set)
        ours[None] = mouths_on(self.game)
        for t in position.tunnels:
            ours[t.seat, t.pair].add((t.x, t.y, t.spot))
            ours[None].discard((t.x, t.y, t.spot))
        self._compare_sets("free mouths", ours.pop(None), theirs.pop(None, set()))
        found = [
            {(key[0], frozenset(places)) for key, places in pairs.items()}
            for pairs in (ours, theirs)
        ]
        self._compare_sets("pairs of tokens", *found)
        self._compare("was a token laid", position.has_dug, st.get("tunnel_placed", False))

    def _compare_ferries(self, position: Position, st: dict[str, Any]) -> None:
        """Compare the sides of ferries, and which ferries have moved in this part of the turn."""
        ours = {(ferry.x, ferry.y): ferry.sides for ferry in position.ferries}
        self._compare("ferries", ours, translate.ferries(st.get("ferries", ())))
        rows = st.get("ferries_moved", ())
        moved = [(x, y, translate.sides(before)) for x, y, before, _ in rows]
        if position.phase in (Phase.FERRY, Phase.FERRIES):
            own = [(f.x, f.y, f.before) for f in position.ferried if f.before]
            self._compare_sets("ferries moved", own, moved)

    def _compare_count(self, position: Position, st: dict[str, Any]) -> None:
        """Compare the quarter of the count and the meeples that wait in the quarters."""
        if position.rules.has_count:
            count = translate.look_up(translate.QUARTERS, "quarter", st["count"])
            self._compare("count", position.count, count)
            self._compare("quarters", list(position.waiting), translate.waiting(st["figs"]))

    def _compare_bazaar(self, position: Position, st: dict[str, Any]) -> None:
        """Compare a bazaar that has begun."""
        ours, theirs = position.bazaar, st.get("bazaar")
        if ours is not None and ours.waits:
            ours = None
        self._compare("is in a bazaar", ours is not None, theirs is not None)
        if ours is None or theirs is None:
            return
        lots, offer = list(ours.offer), translate.offer(theirs)
        if ours.takes:
            self._skip(Skip.PICKED_OWNER, sum(lot.owner is not None for lot in offer))
            offer = [replace(lot, owner=None) for lot in offer]
        if st["phase"] != "BazaarPhase" and lots != offer:
            self._skip(Skip.OFFER_ORDER)
            self._compare_sets("offer", lots, offer)
        else:
            self._compare("offer", lots, offer)
        auction = translate.auction(theirs, st.get("auctioned"))
        self._compare("auction", (ours.lot, ours.price, ours.bidder), auction)

    def _compare_end(self) -> None:
        position = self.game.position()
        end = self._log.end
        self._compare("phase at the end", self.game.phase, Phase.GAME_OVER)
        self._compare("final scores", list(self.game.scores), end["scores"])
        placed = [
            replace(translate.placed_tile(*row), bridge=self._bridges.get((row[1], row[2])))
            for row in end["placed"]
        ]
        start = start_tiles(position.rules)[-1].tile
        placed = [translate.own_source(tile, start) for tile in placed]
        self._compare_sets("placed tiles", list(position.tiles), placed)
        discarded = [translate.tile_id(name) for name in end["discarded"]]
        self._compare("discarded tiles", sorted(position.aside), sorted(discarded))

    def _compare_sets(self, what: str, ours: Iterable[object], theirs: Iterable[object]) -> None:
        """Compare regardless of order and report only what the other side lacks."""
        mine, yours = Counter(ours), Counter(theirs)
        if mine != yours:
            self._differ(what, list((mine - yours).elements()), list((yours - mine).elements()))

    def _compare(self, what: str, ours: object, theirs: object) -> None:
        if ours != theirs:
            self._differ(what, ours, theirs)

    def _differ(self, what: str, ours: object, theirs: object) -> None:
        self._is_equal = False
        where = (self._log.config, self._log.number, self._line)
        self._report.differences.append(Difference(*where, what, ours, theirs, str(self.game)))


def _n_left(game: Game, position: Position) -> int:
    """Return the number of tiles left, including those face down for a bazaar."""
    bazaar = position.bazaar
    return game.n_tiles_left + (len(bazaar.offer) if bazaar and bazaar.waits else 0)


def mouths_on(game: Game) -> set[Place]:
    """Return the tunnel mouths on the board."""
    s = game._states[0]
    return {named(s, int(mouth.segment)) for mouth in s.mouths[: int(s.n_mouths)]}


def _without_zeros(supply: dict[Figure, int]) -> dict[str, int]:
    return {figure.name: n for figure, n in supply.items() if n}


def replay_logs(logs: Iterable[Log]) -> dict[str, Report]:
    """Compare games and return a report for each configuration."""
    reports: dict[str, Report] = {}
    for log in logs:
        report = reports.setdefault(log.config, Report())
        Match(log, report).play()
        if sys.stderr.isatty():
            print(f"\r{log.config} {log.number:04}", end="\r", file=sys.stderr, flush=True)
    return reports


def main() -> int:
    """Compare the games in the paths on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    paths = parser.parse_args().paths
    begin = time.perf_counter()
    try:
        reports = replay_logs(log for path in paths for log in read_logs(path))
    except (ValueError, OSError, tarfile.TarError) as error:
        parser.error(str(error))
    for config, report in reports.items():
        print("\n".join(report.lines(config)))
    print(f"{time.perf_counter() - begin:.0f} s")
    return int(any(report.differences for report in reports.values()))


if __name__ == "__main__":
    sys.exit(main())

"""Replay games of an independent engine in ours and compare at every decision.

``python -m tests.peer.replay PATH...`` with a ``.jsonl``, a ``.tar.xz`` or a folder of them.
Before each decision the legal actions are compared, after it the scores and what gave them, the
supplies, abbeys in hand, figures on the board, the tile in hand, the tiles left and whose turn it
is; at the end the scores and all tiles. Exits 1 if there is a difference and 2 if a log cannot be
translated.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from carc_env.engine.codes import Figure, Phase
from carc_env.game import Game, Score
from tests.peer import translate
from tests.peer.differences import (
    COMMIT_PHASES,
    Skip,
    decision_skip,
    is_behind,
    is_other_round,
    last_round_skips,
    state_skip,
)
from tests.peer.logs import Log, read_logs


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that we see differently."""

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
    """What was compared in the games of a configuration."""

    n_games: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    """Decisions with all their legal actions, by phase."""
    n_states: int = 0
    skipped: Counter[Skip] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)

    @property
    def n_compared(self) -> int:
        """Decisions compared."""
        return self.compared.total()

    def lines(self, config: str) -> Iterable[str]:
        """The report as people read it."""
        phases = ", ".join(f"{phase} {n:,}" for phase, n in sorted(self.compared.items()))
        yield (
            f"{config}: {self.n_games} games, {self.n_compared:,} decisions compared ({phases}), "
            f"{self.n_states:,} states compared, {len(self.differences)} differences"
        )
        for reason, n in sorted(self.skipped.items()):
            yield f"  skipped {n:,}: {reason}"
        for number, difference in enumerate(self.differences):
            yield f"  {difference}"
            if number == 0:
                yield "\n".join(f"    | {row}" for row in difference.position.splitlines())


class Match:
    """One game of theirs beside ours.

    Attributes
    ----------
    game : Game
        Our game, as far as it was replayed.
    skips : dict
        Messages of their last round that have no counterpart, by index.
    """

    def __init__(self, log: Log, report: Report) -> None:
        rules = translate.rules(log.header["setup"])
        draw = [translate.tile_id(name) for name in log.header["draw"]]
        self.game = Game(rules, draw=draw)
        self.skips = last_round_skips(log.messages)
        self._log = log
        self._report = report
        self._line = 1
        self._last = (0, 0)
        self._ours: list[Score] = []
        self._theirs: list[Score] = []
        self._is_equal = True

    def play(self) -> bool:
        """Replay up to the end or to the first line with a difference; whether there was none."""
        self._report.n_games += 1
        self._compare_state(self._log.header["st"])
        for index, line in enumerate(self._log.messages):
            self._line += 1
            if not self._is_equal:
                self._report.skipped[Skip.AFTER_DIFFERENCE] += 1
            elif index in self.skips:
                self._report.skipped[self.skips[index]] += 1
                self._look(index)
            elif self._answer(line):
                self._look(index)
        self._line += 1
        if self._is_equal:
            self._compare_end()
        return self._is_equal

    def _answer(self, line: dict[str, Any]) -> bool:
        """Carry out a message, if it decides anything; whether that was possible."""
        if not self._catch_up(line):
            return False
        if reason := decision_skip(line):
            self._report.skipped[reason] += 1
            return True
        return self._decide(line)

    def _look(self, index: int) -> None:
        """Compare the state after a message, if there is one of ours."""
        line = self._log.messages[index]
        self._theirs += translate.scores(line["st"].get("ev", []))
        if is_other_round(self._log.messages, index, self.skips):
            self._report.skipped[Skip.OTHER_ROUND] += 1
        elif reason := state_skip(line):
            self._report.skipped[reason] += 1
        else:
            self._compare_state(line["st"])

    def _catch_up(self, line: dict[str, Any]) -> bool:
        """Take the decision that they left out, if it is none; whether we are in their phase."""
        phase = line["phase"]
        if phase not in translate.PHASES and phase not in COMMIT_PHASES:
            raise translate.UnknownWord("phase", phase)
        while is_behind(self.game, line):
            names = [self.game.name(action) for action in self.game.legal_actions()]
            if names != ["pass"]:
                self._differ("phase", f"{self.game.phase.name}: {', '.join(names)}", phase)
                return False
            self._apply(self.game.action("pass"))
            self._report.skipped[Skip.ONLY_PASS] += 1
        return True

    def _decide(self, line: dict[str, Any]) -> bool:
        """Compare a decision and carry it out; whether that was possible."""
        game = self.game
        ours = {game.name(action): action for action in game.legal_actions()}
        phase = line["phase"]
        theirs = {translate.action_name(text, self._last, phase) for text in line["legal"]}
        self._compare("decider", game.decider, line["player"])
        self._compare_sets("legal actions", set(ours), theirs)
        self._report.compared[phase] += 1
        name = translate.action_name(line["act"], self._last, phase)
        if name not in ours:
            return False
        self._apply(ours[name])
        if line["act"].startswith("TILE"):
            self._last = tuple(line["msg"]["payload"]["position"])
        return True

    def _apply(self, action: int) -> None:
        self.game.apply(action)
        self._ours += [score for score in self.game.last_scores if score.points]

    def _compare_state(self, st: dict[str, Any]) -> None:
        game, seats = self.game, range(self.game.rules.n_players)
        self._report.n_states += 1
        self._compare("scores", list(game.scores), st["scores"])
        self._compare_sets("features scored", self._ours, self._theirs)
        self._ours, self._theirs = [], []
        self._compare(
            "supplies",
            [_without_zeros(game.supply(seat)) for seat in seats],
            [_without_zeros(translate.supply(counts)) for counts in st["supply"]],
        )
        self._compare(
            "abbeys",
            [game.abbeys(seat) for seat in seats],
            [translate.abbeys(counts) for counts in st["supply"]],
        )
        self._compare_sets(
            "figures on the board",
            translate.sort_figures(map(translate.one_name, game.position().figures)),
            translate.figures(st["figs"]),
        )
        drawn = translate.tile_id(st["drawn"]) if "drawn" in st else None
        self._compare("tile in hand", game.tile_in_hand, drawn)
        self._compare("tiles left", game.n_tiles_left, st["pack"])
        self._compare("is over", game.is_over, st["phase"] == "GameOverPhase")
        if not game.is_over:
            self._compare("turn player", game.turn_player, st["turn"])
            self._compare("decider", game.decider, st["active"])
        if st["phase"] in translate.PHASES:
            self._compare("phase", game.phase, translate.PHASES[st["phase"]])

    def _compare_end(self) -> None:
        position = self.game.position()
        end = self._log.end
        self._compare("phase at the end", self.game.phase, Phase.GAME_OVER)
        self._compare("final scores", list(self.game.scores), end["scores"])
        placed = [translate.placed_tile(*row) for row in end["placed"]]
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


def _without_zeros(supply: dict[Figure, int]) -> dict[str, int]:
    return {figure.name: n for figure, n in supply.items() if n}


def replay_logs(logs: Iterable[Log]) -> dict[str, Report]:
    """Compare games; a report for each configuration."""
    reports: dict[str, Report] = {}
    for log in logs:
        report = reports.setdefault(log.config, Report())
        Match(log, report).play()
        if sys.stderr.isatty():
            print(f"\r{log.config} {log.number:04}", end="\r", file=sys.stderr, flush=True)
    return reports


def main() -> int:
    """Compare the games of the paths on the command line."""
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

"""Write games of an independent engine as our own records.

``python -m tests.peer.slice PATH... --games N --out tests/data/peer`` takes the first N games of
each path. A game is written only if it was replayed without a difference and the scores that the
record gives after every turn are those of the log.
"""

from __future__ import annotations

import argparse
from itertools import islice
from pathlib import Path

from carc_env.records import format_record, parse_record
from tests.peer.differences import last_round_skips
from tests.peer.logs import Log, read_logs
from tests.peer.replay import Match, Report
from tests.peer.translate import DATA

Scores = tuple[int, ...]


def turn_scores(log: Log) -> list[Scores]:
    """Their scores after every turn; after the last one the final scores."""
    found = []
    skips = last_round_skips(log.messages)
    for line in (line for index, line in enumerate(log.messages) if index not in skips):
        is_turn_over = any(event[0] == "turn" for event in line["st"].get("ev", []))
        if is_turn_over or line["st"]["phase"] == "GameOverPhase":
            found.append(tuple(line["st"]["scores"]))
    return found


def record_of(log: Log) -> str:
    """The record of a game, with the scores of the independent engine.

    Raises
    ------
    ValueError
        The engines see the game differently.
    """
    report = Report()
    match = Match(log, report)
    if not match.play():
        raise ValueError(f"the game differs: {report.differences[0]}")
    if match.is_mended:
        raise ValueError(f"{log.config} game {log.number:04}: mended, so it is no game of ours")
    text = format_record(match.game)
    record = parse_record(text)
    ours = [decision.scores for decision in record.decisions if decision.scores is not None]
    theirs = turn_scores(log)
    if ours != theirs or record.scores != tuple(log.end["scores"]):
        raise ValueError(f"{log.config} game {log.number:04}: scores {ours}, theirs {theirs}")
    source = f"# Game {log.number} of {log.config}, played by an independent engine."
    return f"{source}\n# All scores are those of that engine.\n{text}"


def main() -> None:
    """Write the games of the paths on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--games", type=int, default=6, help="from each path (default: 6)")
    parser.add_argument("--out", type=Path, default=DATA, help="folder for the records")
    arguments = parser.parse_args()
    for path in arguments.paths:
        for log in islice(read_logs(path), arguments.games):
            file = arguments.out / f"{log.config}-{log.number:04}.carc"
            file.write_text(record_of(log), encoding="utf-8")
            print(file)


if __name__ == "__main__":
    main()

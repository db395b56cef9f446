"""Write games of an independent engine as our own records or as short logs.

``python -m tests.peer.slice PATH... --games 0 8`` takes two games from each path. A record is
written only if the replay shows no difference and the scores after every turn match the log. With
``--logs``, the log is written instead, reduced to what the replay reads. With ``--lines``, only the
beginning of the log is written.
"""

from __future__ import annotations

import argparse
import json
import lzma
from pathlib import Path

from carc_env.game.records import format_record, parse_record
from tests.peer.differences import last_round_skips
from tests.peer.logs import CUT, Log, read_logs
from tests.peer.replay import Match, Report
from tests.peer.translate import DATA

Scores = tuple[int, ...]

HEADER = ("config", "game", "draw", "st")
SETUP = ("sets", "elements", "rules", "players", "start")
LINE = ("phase", "player", "act", "legal", "st")
"""Keys that the replay reads from the header, from the setup in it and from a message."""


def turn_scores(log: Log) -> list[Scores]:
    """Return their scores after every turn; the last ones are the final scores."""
    found = []
    skips = last_round_skips(log.messages) or {}
    for line in (line for index, line in enumerate(log.messages) if index not in skips):
        is_turn_over = any(event[0] == "turn" for event in line["st"].get("ev", []))
        if is_turn_over or line["st"]["phase"] == "GameOverPhase":
            found.append(tuple(line["st"]["scores"]))
    return found


def record_of(log: Log) -> str:
    """Return the record of a game, with the scores of the independent engine.

    Raises
    ------
    ValueError
        The engines differ on the game, or our game is incomplete or was changed by hand.
    """
    report = Report()
    match = Match(log, report)
    if not match.play():
        raise ValueError(f"the game differs: {report.differences[0]}")
    if match.is_mended or log.is_cut:
        raise ValueError(f"{log.config} game {log.number:04}: mended or cut off: no game of ours")
    text = format_record(match.game)
    record = parse_record(text)
    ours = [decision.scores for decision in record.decisions if decision.scores is not None]
    theirs = turn_scores(log)
    if ours != theirs or record.scores != tuple(log.end["scores"]):
        raise ValueError(f"{log.config} game {log.number:04}: scores {ours}, theirs {theirs}")
    source = f"# Game {log.number} of {log.config}, played by an independent engine."
    return f"{source}\n# All scores are those of that engine.\n{text}"


def short_log(log: Log, n_lines: int | None = None) -> bytes:
    """Return a compressed log with only what the replay reads, or only its first lines."""
    setup = {key: value for key, value in log.header["setup"].items() if key in SETUP}
    lines = [{key: value for key, value in line.items() if key in LINE} for line in log.messages]
    header = {"type": "setup"} | {key: log.header[key] for key in HEADER} | {"setup": setup}
    rows = [header, *lines, log.end]
    if n_lines is not None:
        rows = [*rows[:n_lines], {"type": CUT}]
    text = "\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    return lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)


def main() -> None:
    """Write games from the paths on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--games", type=int, nargs="+", default=[0], help="numbers (default: 0)")
    parser.add_argument("--logs", action="store_true", help="write logs instead of records")
    parser.add_argument("--lines", type=int, help="lines of a log (default: all)")
    parser.add_argument("--out", type=Path, default=DATA, help="folder to write to")
    arguments = parser.parse_args()
    for log in (log for path in arguments.paths for log in read_logs(path)):
        if log.number in arguments.games:
            name = f"{log.config}-{log.number:04}"
            file = arguments.out / f"{name}{'.jsonl.xz' if arguments.logs else '.carc'}"
            text = short_log(log, arguments.lines) if arguments.logs else record_of(log).encode()
            file.write_bytes(text)
            print(file)


if __name__ == "__main__":
    main()

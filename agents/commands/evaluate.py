"""Play a match between agents: the same decks from every seat, results with intervals.

    carc-env evaluate greedy random --games 600
    carc-env evaluate imitation greedy --json match.json
    carc-env evaluate greedy random --rules "{n_players: 4}"  one against three
    carc-env evaluate greedy random --rules all               with seven sets
    carc-env evaluate greedy random --rules everything    other rules each deck
    carc-env evaluate my.py:Agent value --sprt 0 10 --games 40000    until clear
    carc-env evaluate greedy random --games 100000 --workers 16 on all cores
    carc-env evaluate greedy random --games 100000 --ray --address HOST:PORT

An agent is a name with options, a checkpoint, or ``package.module:Class?option=3``: docs/ladder.md.
If there are fewer agents than seats, the last one takes the remaining seats. A match is a
tournament with a single line-up; with a ``--folder``, it continues where it was interrupted. On a
Ray cluster (``ray`` extra) the results are the same; if a worker dies, another one plays its games.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Annotated

import tyro

from carc_env.arguments import UserPath
from carc_env.game.records import replace_file

from ..arena import Arena, MatchResult, RulesOfDecks, check_match, match_result, seats_of
from ..report import match_rows, rich_table, sprt_words, times_of
from ..sprt import Sprt
from ..tournament import Tournament, line_ups, make_players
from .game_file import no_folder
from .program import read_arguments
from .tournament import AGENTS, Machines, carry_out, console, play, rules_for


@dataclass(frozen=True)
class Arguments:
    """Play a match between agents: the same decks from every seat."""

    agents: Annotated[tuple[str, ...], tyro.conf.Positional, AGENTS]
    """Agents: names, checkpoints, or package.module:Class?option=3."""
    games: int = 200
    """Number of games; a multiple of the number of players."""
    seed: int = 0
    """Seed that shuffles the decks."""
    rules: str | None = None
    """A preset such as "all", YAML such as "{preset: all, n_players: 3}", or a distribution.

    Default: those of the first checkpoint, or the base game for two.
    """
    sprt: tuple[float, float] | None = None
    """elo0 elo1: stop as soon as one of these hypotheses about the first agent is accepted."""
    json: UserPath | None = None
    """Write the result, including all scores, to this file."""
    folder: UserPath | None = None
    """Keep the games in this folder, and continue from those already there."""
    records: str | None = None
    """Folder for the game records."""
    machines: Machines = field(default_factory=lambda: Machines(workers=1, threads=2))
    """Machines that play the games."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words; None if there is none."""
        return no_folder(json=self.json) or self.machines.problem


def match_between(
    agents: tuple[str, ...],
    rules: RulesOfDecks,
    games: int,
    seed: int,
    sprt: Sprt | None = None,
    records: bool = False,
) -> Tournament:
    """Return a new tournament of one line-up; the last agent takes the remaining seats.

    Raises
    ------
    ValueError, ImportError
        An agent is unknown or refused, or the numbers do not fit the rules.
    """
    n_seats = seats_of(rules, seed, games)
    (line_up,) = line_ups(agents, n_seats, "table")
    players = make_players(agents, rules, seed)
    check_match([players[name] for name in line_up], line_up, n_seats, games)
    arena = Arena(players, rules, seed, records)
    return Tournament(arena, [line_up], games // n_seats, sprt)


def result_of(tournament: Tournament) -> MatchResult:
    """Return the result of the games played."""
    arena = tournament.arena
    return match_result(tournament.line_ups[0], arena.rules, arena.seed, tournament.played)


def show(tournament: Tournament) -> None:
    """Print the result; each number is followed by its 95% interval."""
    match = result_of(tournament)
    title = f"{match.n_games} games, every deck from every seat; 95% intervals"
    console.print(rich_table(match_rows(match, times_of(tournament.played)), title))
    if (words := sprt_words(tournament)) is not None:
        console.print(words)


def run(arguments: Arguments) -> int:
    """Play the match and print its result; return the exit status.

    Raises
    ------
    ValueError, OSError, ImportError, WorkerError
        An agent is unknown or refused, or an agent, a worker or a cluster failed.
    """
    tournament = match_between(
        arguments.agents,
        rules_for(arguments.agents, arguments.rules),
        arguments.games,
        arguments.seed,
        None if arguments.sprt is None else Sprt(*arguments.sprt),
        arguments.records is not None,
    )
    status = play(tournament, arguments.machines, arguments.folder, arguments.records)
    if tournament.played:
        show(tournament)
    if status:
        console.print("Interrupted; with a --folder, the same command would continue from here.")
    elif arguments.json is not None:
        times = {name: asdict(time) for name, time in times_of(tournament.played).items()}
        result = {**result_of(tournament).to_dict(), "seconds_a_move": times}
        replace_file(arguments.json, (json.dumps(result) + "\n").encode())
        console.print(f"All results, including the score of each game, are in {arguments.json}")
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = read_arguments(Arguments, arguments, "evaluate", __doc__)
    return carry_out(given.problem, given.agents, partial(run, given))

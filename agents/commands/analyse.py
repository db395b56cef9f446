"""Show an agent's opinion of a position, or of every decision of a game.

    carc-env analyse position.txt              the best actions by expectimax
    carc-env analyse game.carc --at 40 --svg after.svg    drawn on the board
    carc-env analyse game.carc --all           points lost at each decision

FILE is a record, a position or a save of JCloisterZone 5: docs/records.md. Agents that can analyse:
value, one-ply, search, mcts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.progress import track

from carc_env.arguments import UserPath
from carc_env.envs.naming import make_agent
from carc_env.game.game import Game
from carc_env.game.records import replace_file
from carc_env.render import analysis_svg, analysis_text
from carc_env.words import SEATS, counted

from .game_file import FAILURES, no_folder, read_game
from .program import read_arguments
from .show import game_at

console = Console(highlight=False, soft_wrap=True)


@dataclass(frozen=True)
class Arguments:
    """Ask an agent for its opinion."""

    file: Annotated[UserPath, tyro.conf.Positional]
    """A record, a position, or a save of JCloisterZone 5."""
    agent: str = "value"
    """Agent to ask."""
    at: int | None = None
    """Number of recorded decisions to play first. Default: all of them."""
    best: int = 10
    """Number of actions to list."""
    svg: UserPath | None = None
    """Draw the best actions over the board and write this file."""
    all: bool = False
    """Go through the whole record instead, and list the loss at each decision."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words; None if there is none."""
        return no_folder(svg=self.svg)


def analyst(word: str, game: Game) -> Any:
    """Return the agent, which must be able to analyse.

    Raises
    ------
    ValueError
        The agent cannot analyse.
    """
    agent = make_agent(word, game.rules)
    if not callable(getattr(agent, "analyse", None)):
        raise ValueError(f"{word!r} plays but does not analyse: choose value, search or mcts")
    return agent


def losses_of(game: Game, agent: Any) -> list[tuple[int, int, float, str, str]]:
    """Return each decision's number, seat, points lost, move and best move."""
    again = Game.from_position(game.initial_position)
    found: list[tuple[int, int, float, str, str]] = []
    for k, move in enumerate(track(game.moves, "thinking", console=console, transient=True)):
        if len(again.moves) > k:
            continue
        action = again.action(move.name)
        lines = agent.analyse(again)
        worth = {line.action: line.value for line in lines}
        best = lines[0]
        lost = best.value - worth.get(action, best.value)
        found.append((len(found) + 1, again.decider, lost, move.name, again.name(best.action)))
        again.step(action)
    return found


def show_losses(game: Game, agent: Any) -> None:
    """Print each player's losses and the decisions that lost the most."""
    found = losses_of(game, agent)
    for seat in range(game.rules.n_players):
        own = [lost for _, who, lost, _, _ in found if who == seat]
        mean = sum(own) / max(len(own), 1)
        console.print(
            f"{SEATS[seat]}: {counted(len(own), 'decision')}, {mean:.2f} points lost per decision"
        )
    console.print("The costliest decisions:")
    for number, seat, lost, played, best in sorted(found, key=lambda line: -line[2])[:10]:
        text = f"{number:4} {SEATS[seat]}  {lost:5.1f}  {played}, better {best}"
        console.print(text, markup=False)


def run(arguments: Arguments) -> None:
    """Run the command.

    Raises
    ------
    ValueError, OSError, ImportError
        The file is damaged, the agent cannot analyse, or the game is over.
    """
    game = read_game(arguments.file)
    agent = analyst(arguments.agent, game)
    if arguments.all:
        show_losses(game, agent)
        return
    game = game_at(game, arguments.at)
    lines = agent.analyse(game)
    console.print(analysis_text(game, lines, arguments.best), markup=False)
    if arguments.svg is not None:
        replace_file(arguments.svg, analysis_svg(game, lines, arguments.best).encode())
        console.print(f"written: {arguments.svg}", markup=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = read_arguments(Arguments, arguments, "analyse", __doc__)
    if given.problem is not None:
        console.print(given.problem, markup=False)
        return 2
    try:
        run(given)
    except FAILURES as error:
        console.print(f"error: {error}", markup=False)
        return 1
    return 0

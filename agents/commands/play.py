"""Play against agents: in the browser, or with ``--text`` in the terminal.

    carc-env play                              in the browser
    carc-env play --text                       in the terminal, against value
    carc-env play --text --players person value greedy --rules all
    carc-env play --text --players person person --seed 7 --records games

A player is "person", an agent name with options, or a checkpoint: docs/ladder.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from rich.columns import Columns
from rich.console import Console
from rich.text import Text

from carc_env.choices import did_you_mean
from carc_env.engine.core.codes import Kind, Phase
from carc_env.envs.naming import make_agent
from carc_env.envs.opponents import Opponent, act
from carc_env.game.archive import Archive
from carc_env.game.game import Game, Score
from carc_env.game.history import account_of
from carc_env.game.records import format_record, write_record
from carc_env.render import analysis_text, board_text, tile_text
from carc_env.render.palette import SEATS as COLORS
from carc_env.render.panel import winner_words
from carc_env.rules import Rules
from carc_env.systems import QUESTIONS
from carc_env.web import __main__ as page
from carc_env.words import SEATS, format_cell

from .game_file import FAILURES
from .program import read_arguments
from .show import show_points

PERSON = "person"
COACH = "value"
"""The agent that gives hints."""

LEGEND = """\
 #  city    .  field    ─ │ ┼  road    ~  river    M  monastery, or an abbey within walls
 *  garden  +  coat of arms    i  inn    K  cathedral    %  bazaar    w g t  wine, grain, cloth
 S  shrine    p  pig-herd    h  hill    v  vineyard    V  volcano    D  dragon    O  magic portal
 Q  princess    $  gold mine
 ═ ║  bridge    ^  castle    A to F  figures of the players: A a meeple, a a farmer, {A} large,
 (A) abbot, <A> mayor, [A] wagon, [a] a wagon that moves, !A! builder, @A@ pig, /A\\ barn,
?A? shepherd
Columns and rows are numbered at the rim: 3,-1 is column 3, row -1; x grows to the east, y to the
south. r0 to r3 are clockwise quarter turns of the tile as it is shown."""

HELP = """\
Answer with the number of a choice or with its words; for a tile "3,-1 r2" is enough, in an auction
the points alone. Commands: legend, board, list (all choices), hint, undo, save FILE, quit."""

OF_NO_FEATURE = {
    Kind.GOODS: "goods",
    Kind.KING: "the King",
    Kind.ROBBER: "the Robber Baron",
    Kind.FAIRY: "the fairy",
    Kind.GOLD: "gold",
    Kind.CHURCH: "meeples around a church",
}
"""Names for other sources of points."""

STYLES = {
    "#": "color(173)",
    ".": "color(107)",
    "~": "color(39)",
    "+": "bold color(33)",
    "^": "color(250)",
    "*": "color(170)",
    **dict.fromkeys("─│└┌┐┘┬┤┴├┼╵╶╷╴═║╫╪", "bold white"),
    **dict.fromkeys("MK%iwgt", "bold yellow"),
}
LETTER_STYLES = STYLES | {
    letter: f"bold white on {color}" if seat == 3 else f"bold {color}"
    for seat, color in enumerate(COLORS)
    for letter in (SEATS[seat], SEATS[seat].lower())
}


@dataclass(frozen=True)
class Terminal:
    """Terminal options (with --text)."""

    players: tuple[str, ...] = (PERSON, COACH)
    """Players, seat by seat: "person" or an agent."""
    rules: str | None = None
    """A preset such as "all", or YAML such as "{preset: all, n_players: 3}"."""
    seed: int | None = None
    """Seed that shuffles the bag. Default: a different game each time."""
    records: str | None = None
    """Folder for the game record."""


@dataclass(frozen=True)
class Arguments:
    """Play in the browser or in the terminal."""

    text: bool = False
    """Play in the terminal."""
    terminal: Terminal = field(default_factory=Terminal)
    """Terminal options (with --text)."""
    browser: page.Settings = field(default_factory=page.Settings)
    """Browser options (without --text)."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words; None if there is none."""
        if self.text and self.browser != page.Settings():
            return "options of the browser do not go with --text: leave either out"
        if not self.text and self.terminal != Terminal():
            return "--players, --rules, --seed and --records are for the terminal: add --text"
        return None


class Quit(Exception):
    """The person wants to quit."""


def action_of(game: Game, answer: str) -> int:
    """Return the legal action that an answer means: a list number, a name, or the end of a name.

    Raises
    ------
    ValueError
        The answer matches no action; the message lists possible answers.
    """
    legal = game.legal_actions()
    names = {game.name(action): action for action in legal}
    answer = " ".join(answer.split())
    tile = game.tile_in_hand if game.phase == Phase.PLACE_TILE else "am-abbey"
    for words in (answer, f"{tile} {answer}", f"bid {answer}", f"pick {answer}"):
        if words in names:
            return names[words]
    if answer.isdecimal() and not has_numbers(names):
        if not 1 <= int(answer) <= len(legal):
            raise ValueError(f"choose a number from 1 to {len(legal)}, got {answer}")
        return legal[int(answer) - 1]
    some = ", ".join([*names][:4]) + (", ..." if len(names) > 4 else "")
    raise ValueError(f"{answer!r} is not a choice now{did_you_mean(answer, names)}. Answer {some}")


def has_numbers(names: Sequence[str] | dict[str, int]) -> bool:
    """Return whether the choices are themselves numbers: bids, or tiles in a bazaar."""
    return any(name.startswith(("bid ", "pick ")) for name in names)


def colored(page: str) -> Text:
    """Return a text board in colours; the lines before the first empty one are unchanged."""
    head, gap, picture = page.partition("\n\n")
    text = Text(head + gap)
    for style, letters in groupby(picture, LETTER_STYLES.get):
        text.append("".join(letters), style)
    return text


def told(score: Score) -> str:
    """Return a score in words."""
    what = OF_NO_FEATURE.get(score.kind, f"a {score.kind.name.lower()}")
    where = "" if score.place is None else f" at {format_cell(score.place[:2])}"
    return f"{SEATS[score.seat]} gets {score.points} for {what}{where}"


class Session:
    """A game between people and agents in the terminal.

    Parameters
    ----------
    game : Game
        The game.
    players : sequence of Opponent or None
        The players by seat; None is a person.
    names : sequence of str
        The players' names.
    console : Console
        Where to print.
    read : callable
        Asks a person: takes a prompt, returns the answer, and raises ``EOFError`` at the end of
        input.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[Opponent | None],
        names: Sequence[str],
        console: Console,
        read: Callable[[str], str],
    ) -> None:
        self.game = game
        self._players, self._names = players, names
        self._console, self._read = console, read
        self._before: list[Game] = []

    def play(self) -> bool:
        """Play the game; return False if a person quit before the end."""
        self._say(LEGEND)
        self._say(HELP)
        try:
            while not self.game.is_over:
                self._turn()
        except (Quit, EOFError):
            self._say("The game ends here.")
            return False
        self._show_board()
        self._say(winner_words(self.game.position()))
        show_points(account_of(self.game), self.game.scores, self._names, self._console)
        return True

    def _turn(self) -> None:
        """Let the seat to move decide, and print the result."""
        game, seat = self.game, self.game.decider
        player = self._players[seat]
        if player is None:
            self._ask()
            return
        action = act(player, game)
        name = game.name(action)
        self._carry_out(action)
        self._say(f"{SEATS[seat]} ({self._names[seat]}): {name}")

    def _carry_out(self, action: int) -> None:
        self.game.apply(action)
        for score in self.game.last_scores:
            self._say(f"  {told(score)}")

    def _ask(self) -> None:
        """Ask a person until the game has changed."""
        self._show_board()
        self._show_choices()
        commands: dict[str, Callable[[str], bool]] = {
            "quit": self._quit,
            "undo": self._undo,
            "board": lambda _: True,
            "legend": lambda _: self._say(LEGEND),
            "list": lambda _: self._show_choices(),
            "hint": self._hint,
            "save": self._save,
        } | dict.fromkeys(("", "?", "help"), lambda _: self._say(HELP))
        while True:
            answer = self._read(f"{SEATS[self.game.decider]}> ").strip()
            word, _, rest = answer.partition(" ")
            if word in commands:
                if commands[word](rest):
                    return
                continue
            try:
                action = action_of(self.game, answer)
            except ValueError as error:
                self._say(str(error))
                continue
            self._before.append(self.game.clone())
            self._carry_out(action)
            return

    def _quit(self, _: str) -> bool:
        raise Quit

    def _undo(self, _: str) -> bool:
        """Undo back to the previous question to a person; return whether there is one."""
        if not self._before:
            return self._say("There is nothing to take back.")
        self.game = self._before.pop()
        return True

    def _hint(self, _: str) -> bool:
        """Show the coach's opinion."""
        coach = make_agent(COACH, self.game.rules)
        lines = coach.analyse(self.game)  # type: ignore[attr-defined]
        return self._say(analysis_text(self.game, lines, 5))

    def _save(self, path: str) -> bool:
        """Write the record so far."""
        if not path:
            return self._say("Name a file: save FILE")
        try:
            write_record(path, self.game, self._names)
        except OSError as error:
            return self._say(f"not saved: {error}")
        return self._say(f"saved: {path}")

    def _show_board(self) -> None:
        self._console.print(colored(board_text(self.game.position())))

    def _show_choices(self) -> bool:
        """Print the question and list the choices."""
        game = self.game
        self._say(f"\n{QUESTIONS[game.phase].asks}")
        if game.phase == Phase.PLACE_TILE and game.tile_in_hand is not None:
            self._show_tile(game.tile_in_hand)
        names = [game.name(action) for action in game.legal_actions()]
        if not has_numbers(names):
            names = [f"{number:3} {name}" for number, name in enumerate(names, start=1)]
        self._console.print(Columns([Text(name) for name in names]))
        return False

    def _show_tile(self, tile: str) -> None:
        """Show the tile in hand in its four rotations."""
        turns = [tile_text(tile, rotation) for rotation in range(4)]
        head = "   ".join(f"{f'r{rotation}':7}" for rotation in range(4))
        rows = ["   ".join(parts) for parts in zip(*turns, strict=True)]
        self._console.print(colored("\n".join([head, "", *rows])))

    def _say(self, words: str) -> bool:
        """Print a line; return False, since nothing has changed."""
        self._console.print(words, markup=False)
        return False


def play_text(
    arguments: Terminal,
    console: Console | None = None,
    read: Callable[[str], str] = input,
) -> int:
    """Play a game in the terminal; return the exit status.

    Raises
    ------
    ValueError, OSError, ImportError
        The players do not fit the rules, or one is unknown or refused.
    """
    rules = Rules() if arguments.rules is None else Rules.from_yaml(arguments.rules)
    n_players = len(arguments.players)
    if arguments.rules is None or "n_players" not in arguments.rules:
        rules = rules.replace(n_players=n_players)
    if rules.n_players != n_players:
        raise ValueError(
            f"the rules are for {rules.n_players} players, but --players names {n_players}"
        )
    players = [None if name == PERSON else make_agent(name, rules) for name in arguments.players]
    archive = None if arguments.records is None else Archive(arguments.records)
    shown = console or Console(highlight=False)
    session = Session(Game(rules, seed=arguments.seed), players, arguments.players, shown, read)
    session.play()
    if archive is not None:
        record = format_record(session.game, arguments.players)
        shown.print(f"written: {archive.keep_record(record)}", markup=False)
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = read_arguments(Arguments, arguments, "play", __doc__)
    if given.problem is not None:
        print(given.problem, file=sys.stderr)
        return 2
    if not given.text:
        return page.run(given.browser)
    try:
        return play_text(given.terminal)
    except FAILURES as error:
        print(f"error: {error}", file=sys.stderr)
        return 1

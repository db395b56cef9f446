"""Show a game as text, pictures, a film or statistics.

    carc-env show game.carc                     the board as text, and points
    carc-env show game.carc --at 40             as it stood after 40 decisions
    carc-env show game.carc --pictures FOLDER   a PNG for every decision
    carc-env show game.carc --film game.gif     or .mp4, with ffmpeg
    carc-env show game.carc --plot points.png   points over time and by source
    carc-env show game.jcz --record game.carc   a game of JCloisterZone 5

FILE is a record, a position or a save of JCloisterZone 5: docs/records.md.
"""

from __future__ import annotations

import io
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro
from rich.console import Console
from rich.markup import escape
from rich.progress import track
from rich.table import Table as Grid

from carc_env.arguments import UserPath
from carc_env.extras import check_installed, extras_named
from carc_env.game.game import Game
from carc_env.game.history import Account, account_of, steps_of
from carc_env.game.records import replace_file, write_record
from carc_env.position import Position
from carc_env.render import board_png, board_rgb, board_text
from carc_env.render.film import Frame, held, write_gif
from carc_env.render.palette import SEATS as COLORS
from carc_env.words import SEATS, counted, printable

from .game_file import FAILURES, no_folder, read_game_and_players
from .program import read_arguments

console = Console(highlight=False, soft_wrap=True)


@dataclass(frozen=True)
class Arguments:
    """Show a game."""

    file: Annotated[UserPath, tyro.conf.Positional]
    """A record, a position, or a save of JCloisterZone 5."""
    at: int | None = None
    """Show the game after this many decisions, counted as in the browser.

    Default: all of them.
    """
    pictures: UserPath | None = None
    """Folder for PNG files, one per decision."""
    film: UserPath | None = None
    """File for a film of the game: .gif, or .mp4 if ffmpeg is installed."""
    plot: UserPath | None = None
    """File for a plot of the points over time and by source."""
    record: UserPath | None = None
    """Write the game to this file as a record, for example to convert a JCloisterZone game."""
    width: int = 960
    """Pixels of pictures and films."""
    height: int = 720
    """Pixels of pictures and films."""
    fps: float = 4.0
    """Decisions per second in a film."""
    legal: bool = False
    """Mark possible placements."""
    owners: bool = False
    """Tint features in the colour of the player with the majority."""

    @property
    def problem(self) -> str | None:
        """The problem with these options, in words; None if there is none."""
        if self.film is not None and self.film.suffix not in (".gif", ".mp4"):
            return f"--film must end with .gif or .mp4, got {self.film}"
        if not 0 < self.fps <= 100:
            return f"--fps must be more than 0 and at most 100, got {self.fps}"
        return no_folder(film=self.film, plot=self.plot, record=self.record)


def game_at(game: Game, n_decisions: int | None) -> Game:
    """Return the game after the given number of logged decisions, not counting automatic ones.

    Raises
    ------
    ValueError
        The game has fewer decisions.
    """
    if n_decisions is None:
        return game
    if n_decisions == 0:
        return Game.from_position(game.initial_position)
    n = 0
    for n, step in enumerate(steps_of(game), start=1):
        if n == n_decisions:
            return step.game
    raise ValueError(f"--at must be 0 to {n}, got {n_decisions}")


def positions_of(game: Game) -> Iterator[Position]:
    """Yield the game's first position and the position after each decision."""
    yield game.initial_position
    for step in steps_of(game):
        yield step.game.position()


def write_pictures(folder: Path, game: Game, look: dict[str, Any]) -> int:
    """Write a PNG for each decision; return the number of files."""
    folder.mkdir(parents=True, exist_ok=True)
    n = 0
    for position in _tracked(positions_of(game), game):
        replace_file(folder / f"{n:04d}.png", board_png(position, **look))
        n += 1
    return n


def write_film(path: Path, game: Game, fps: float, look: dict[str, Any]) -> None:
    """Write a film of a game, as a GIF or, with ffmpeg, as an MP4.

    Raises
    ------
    ValueError
        ffmpeg is missing or failed.
    """
    frames = (board_rgb(position, **look) for position in _tracked(positions_of(game), game))
    last = board_rgb(game.position(), **look)
    if path.suffix == ".mp4":
        _write_mp4(path, held(frames, last, fps), fps)
    else:
        film = io.BytesIO()
        write_gif(film, frames, fps, last)
        replace_file(path, film.getvalue())


def _tracked(positions: Iterator[Position], game: Game) -> Iterable[Position]:
    """Yield the positions, with a progress bar."""
    n = 1 + sum(1 for _ in steps_of(game))
    return track(positions, "drawing", total=n, console=console, transient=True)


def _write_mp4(path: Path, frames: Iterator[Frame], fps: float) -> None:
    if (ffmpeg := shutil.which("ffmpeg")) is None:
        raise ValueError("an .mp4 needs the program ffmpeg: install it, or ask for a .gif")
    first = next(frames)
    height, width = first.shape[:2]
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:g}"]
    target = ["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", f"file:{path}"]
    command = [ffmpeg, "-y", "-loglevel", "error", *source, "-i", "-", *target]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        if process.stdin is None:
            raise ValueError("ffmpeg accepts no frames")
        with suppress(BrokenPipeError):  # ffmpeg has failed and printed the reason
            for frame in chain([first], frames):
                process.stdin.write(frame.tobytes())
            process.stdin.close()
        if process.wait():
            raise ValueError(f"ffmpeg failed with status {process.returncode}")


def sources_in(account: Account) -> list[str]:
    """Return all sources of points, largest first."""
    total: Counter[str] = Counter()
    for points in account.sources:
        total.update(points)
    return [source for source, _ in total.most_common()]


def show_points(
    account: Account, scores: tuple[int, ...], players: Sequence[str], where: Console = console
) -> None:
    """Print the points by source and player; players are named if names are given."""
    letters = SEATS[: len(scores)]
    names = players or [""] * len(scores)
    heads = [f"{seat} {name}".rstrip() for seat, name in zip(letters, names, strict=True)]
    grid = Grid("points", *(escape(printable(head)) for head in heads))
    for column in grid.columns[1:]:
        column.justify = "right"
    for source in sources_in(account):
        grid.add_row(source, *(str(points[source]) for points in account.sources))
    grid.add_row("all", *map(str, scores), style="bold")
    where.print(grid)


def draw_points(path: Path, account: Account) -> None:
    """Plot the points over time, and by source and player.

    Raises
    ------
    ImportError
        matplotlib is not installed.
    """
    with extras_named():
        from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    course, bars = figure.subplots(1, 2)
    sources = sources_in(account)
    n_seats = len(account.sources)
    for seat, points in enumerate(account.sources):
        label = f"player {SEATS[seat]}"
        scores = [0, *(after[seat] for after in account.course)]
        course.plot(scores, color=COLORS[seat], label=label, drawstyle="steps-post")
        places = np.arange(len(sources)) + (seat - (n_seats - 1) / 2) * 0.8 / n_seats
        heights = [points[source] for source in sources]
        bars.bar(places, heights, 0.8 / n_seats, color=COLORS[seat], label=label)
    course.set(xlabel="turn", ylabel="points")
    course.legend()
    bars.set_xticks(range(len(sources)), sources, rotation=30)
    bars.set_ylabel("points")
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix[1:] or "png")
    replace_file(path, picture.getvalue())


def run(arguments: Arguments) -> None:
    """Run the command.

    Raises
    ------
    ValueError, OSError, ImportError
        The file is damaged, an output cannot be written, or an extra is not installed.
    """
    whole, players = read_game_and_players(arguments.file)
    game = game_at(whole, arguments.at)
    if arguments.pictures is not None or arguments.film is not None:
        check_installed("resvg_py", "PIL")
    if arguments.plot is not None:
        check_installed("matplotlib")
    look = {
        "width": arguments.width,
        "height": arguments.height,
        "legal": arguments.legal,
        "owners": arguments.owners,
    }
    console.print(board_text(game.position()), markup=False)
    account = account_of(game)
    if account.course:
        show_points(account, game.scores, players)
    if arguments.record is not None:
        write_record(arguments.record, game, players)
        console.print(f"written: {arguments.record}", markup=False)
    if arguments.pictures is not None:
        n = write_pictures(arguments.pictures, game, look)
        console.print(f"written: {counted(n, 'picture')} in {arguments.pictures}", markup=False)
    if arguments.film is not None:
        write_film(arguments.film, game, arguments.fps, look)
        console.print(f"written: {arguments.film}", markup=False)
    if arguments.plot is not None:
        draw_points(arguments.plot, account)
        console.print(f"written: {arguments.plot}", markup=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    given = read_arguments(Arguments, arguments, "show", __doc__)
    if given.problem is not None:
        console.print(given.problem, markup=False)
        return 2
    try:
        run(given)
    except FAILURES as error:
        console.print(f"error: {error}", markup=False)
        return 1
    return 0

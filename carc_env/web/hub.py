"""All games and their viewers: handles messages, lets agents move, reports changes.

Everything here runs on the single event loop, except slow work. Agents that search or query a
network, the coach and films work on copies in separate processes (:mod:`.workers`); drawings and
files are handled in a thread. So no search can stall play, and a result that arrives after the game
has moved on is dropped.
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import os
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from carc_env.engine.compiler import progress
from carc_env.engine.compiler.jit import prepare_kernels
from carc_env.envs import opponents
from carc_env.envs.opponents import Opponent
from carc_env.game.game import Game
from carc_env.game.jcz import SaveError
from carc_env.game.notation import BOM, first_line, format_position
from carc_env.game.puzzles import Puzzle, format_puzzle, is_source, parse_puzzle
from carc_env.game.records import format_record
from carc_env.game.table import Table
from carc_env.render import board_svg
from carc_env.rules import Rules
from carc_env.web import messages as m
from carc_env.web.art import drawing
from carc_env.web.coach import MISTAKE, Verdict, judge, losses, opinion, posed, summary
from carc_env.web.exercises import Exercise, Trial
from carc_env.web.features import about_feature, areas
from carc_env.web.film import film_of
from carc_env.web.guests import QUICK, check_agent, check_word, decide, seat_agent
from carc_env.web.history import PAGE, Entry, History, about
from carc_env.web.journal import Journal, Unkept, line_of
from carc_env.web.odds import Odds
from carc_env.web.owners import Owners
from carc_env.web.play import (
    Decision,
    Play,
    Sitter,
    Start,
    play_of_position,
    play_of_record,
    play_of_save,
)
from carc_env.web.puzzles import next_name, puzzle_asked
from carc_env.web.reasons import figure_called, why_not
from carc_env.web.texts import texts
from carc_env.web.tutorial import Lesson
from carc_env.web.view import View, changes, view_of
from carc_env.web.workers import WorkerDied, Workers

QUEUE, QUEUE_BYTES = 256, 16 * 2**20
"""Limits on the messages queued for a slow reader, and on their total bytes, before it is
disconnected."""
MAX_GAMES = 1000
DEFAULT_DELAY = 500
FRAMES_TOLD = 5
"""Decisions between two progress reports on a film."""
DRAWN_AT_ONCE = 25
"""Drawings per message, so that the first of many appear soon."""
GRACE = 3.0
"""Seconds that an agent may keep thinking when nobody is waiting for it any more."""
KEPT = 60.0
"""Seconds for which a deleted game can be restored."""
MAX_SAID = 300
"""Length limit for an error message, in characters."""
MAX_BRANCHES = 30
"""Maximum number of variations of a game, including nested ones."""
NOT_IN_EXERCISES = (
    *(m.Undo, m.Rematch, m.Agree, m.Seat, m.Pace, m.Invite),
    *(m.Coach, m.Review, m.Branch, m.Branches),
)
WITHOUT_KERNELS = (m.Leave, m.Games, m.About, m.Delete, m.Restore, m.Art)
"""Requests that need no rules engine, which may still have to be compiled."""
FOR_OWNERS = (m.Act, m.Undo, m.Rematch, m.Agree, m.Seat, m.Pace, m.Invite)
"""Requests that only seat owners may make in a protected game."""
LOOK_BACK = 20
"""How many decisions to go back, from one that cannot be shown, to find one that can."""
LOOK = 0.08
"""Seconds between agents' moves as displayed."""
_LOG = logging.getLogger(__name__)
T = TypeVar("T")
P = ParamSpec("P")


class Refused(ValueError):
    """A request cannot be carried out now; the page shows the reason in its own language.

    Parameters
    ----------
    why : str
        The reason's key among the page's texts, without ``error.``.
    **told : str
        The text's parameters.
    """

    def __init__(self, why: str, **told: str) -> None:
        super().__init__(texts("en")[f"error.{why}"].format_map(told))
        self.why, self.told = why, told


@dataclass(eq=False)
class Reader:
    """A page that is looking at a game, and the messages waiting to be sent to it."""

    queue: asyncio.Queue[str] = field(default_factory=lambda: asyncio.Queue(QUEUE))
    room: Room | None = None
    seen: View | None = None
    n_bytes: int = 0
    """Bytes queued."""
    is_slow: asyncio.Event = field(default_factory=asyncio.Event)
    keys: set[str] = field(default_factory=set)
    """The secrets that prove which seats it owns in its game."""
    listed: m.Games = field(default_factory=lambda: m.Games(do="games"))
    """Its most recent request for a list of games."""
    errands: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    """Slow work of which each page can have one at a time: ``coach``, ``film``, ``puzzle``."""

    def tell(self, kind: str, **content: Any) -> None:
        """Queue a message; a reader whose queue is full is marked for disconnection."""
        text = json.dumps({"is": kind, **content})
        if self.queue.full() or self.n_bytes + len(text) > QUEUE_BYTES:
            self.is_slow.set()
            return
        self.n_bytes += len(text)
        self.queue.put_nowait(text)

    @property
    def seats(self) -> frozenset[int]:
        """The seats that it owns."""
        return self.room.play.owners.opened_by(self.keys) if self.room else frozenset()

    async def next_message(self) -> str:
        """Return the message that has waited longest, as soon as there is one."""
        text = await self.queue.get()
        self.n_bytes -= len(text)
        return text


@dataclass(eq=False)
class Question:
    """What a player asks the others: to take back a decision of theirs, or to begin again.

    Attributes
    ----------
    message
        The request.
    reader
        The page that makes it.
    waiting
        The pages that have not agreed yet.
    """

    message: m.Undo | m.Rematch
    reader: Reader
    waiting: set[Reader]


@dataclass(eq=False)
class Room:
    """A game, its viewers, and the task in which its agents move."""

    id: str
    play: Play
    odds: Odds
    journal: Journal | Unkept
    exercise: Exercise | None = None
    readers: set[Reader] = field(default_factory=set)
    quick: dict[str, Opponent] = field(default_factory=dict)
    """The agents that need no process, by name."""
    delay: int = DEFAULT_DELAY
    paused: bool = False
    shown_at: float = 0.0
    task: asyncio.Task[None] | None = None
    review: asyncio.Task[None] | None = None
    judged: list[Verdict | None] = field(default_factory=list)
    """The verdicts so far in the current review, by decision."""
    reviewed: dict[str, Any] | None = None
    made_by: dict[int, Reader] = field(default_factory=dict)
    """The page that made each decision, if it is known."""
    question: Question | None = None
    faults: set[str] = field(default_factory=set)
    """Parts of views that could not be created and have been logged."""


def _not_saved() -> dict[str, str]:
    """Return the error for a file that cannot be written; the log names the file."""
    refused = Refused("not_saved")
    return {"text": str(refused), "why": refused.why}


def _refuse_face_down(game: Game) -> None:
    """Refuse a position with a face-down bazaar."""
    bazaar = game.position().bazaar
    if bazaar is not None and bazaar.waits:
        raise Refused("bazaar_hidden")


def _line(room_id: str, play: Play, odds: Odds) -> dict[str, Any]:
    """Return the facts to compare between a game and its variations."""
    return {
        "game": room_id,
        "origin": play.origin and {"game": play.origin.game, "ply": play.origin.ply},
        "ply": play.ply,
        "over": play.game.is_over,
        "scores": list(play.game.scores),
        "odds": odds.of(play.game),
        "leads": odds.leads(play.game),
    }


def _source(play: Play, ply: int) -> str:
    """Return where a decision in a game comes from, for use as a puzzle's source."""
    source = f"{', '.join(play.names)}, decision {ply + 1}"
    return source if is_source(source) else f"a game, decision {ply + 1}"


def _brief(text: str, limit: int = MAX_SAID) -> str:
    """Shorten a message so that it does not cover the page, no matter how much it quotes."""
    return text if len(text) <= limit else f"{text[: limit - 4]} ..."


def _compile_for(
    loop: asyncio.AbstractEventLoop, done: asyncio.Future[None], tell: Callable[[float], None]
) -> None:
    """Compile the rules engine in a thread; report progress and the end to the event loop."""

    def call(back: Callable[[T], None], content: T) -> None:
        with suppress(RuntimeError):  # the server has ended in the meantime
            loop.call_soon_threadsafe(back, content)

    listener = partial(call, tell)
    progress.listeners.append(listener)
    try:
        prepare_kernels()
        call(done.set_result, None)
    except Exception as error:  # it is passed on
        call(done.set_exception, error)
    finally:
        progress.listeners.remove(listener)


class Hub:
    """All games.

    Parameters
    ----------
    journal : Journal
        The game storage.
    allowed : sequence of str
        Agents that may take a seat besides the registered agents.
    """

    def __init__(self, journal: Journal, allowed: Sequence[str] = ()) -> None:
        texts("en")  # read now: errors must be reported even if no file can be opened
        self.journal, self.allowed = journal, allowed
        self.history = History(journal)
        self.rooms: dict[str, Room] = {}
        self._thinkers = Workers(max(2, os.cpu_count() or 1), GRACE)
        self._coach, self._cutter = Workers(1, GRACE), Workers(1, GRACE)
        self._painter = ThreadPoolExecutor(1, "painter")
        self._errands: set[asyncio.Task[None]] = set()
        self._deleted: dict[str, asyncio.TimerHandle] = {}
        self._closed: dict[str, dict[str, Any]] = {}  # games listed next to others, but not open
        self._kernels: asyncio.Future[None] | None = None
        self._percent: int | None = None  # of the rules engine, if it had to be compiled
        self._waiting: set[Reader] = set()  # for the rules engine

    async def close(self) -> None:
        """End all tasks; games are kept, except deleted games."""
        for game_id, timer in self._deleted.items():
            timer.cancel()
            self.journal.forget(game_id)
        tasks = [*self._errands]
        tasks += [t for room in self.rooms.values() for t in (room.task, room.review) if t]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for workers in (self._thinkers, self._coach, self._cutter):
            workers.close()
        self._painter.shutdown(wait=False, cancel_futures=True)

    async def _aside(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run work in the thread reserved for it."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._painter, partial(work, *args, **kwargs))

    def compile(self) -> asyncio.Future[None]:
        """Start compiling the rules engine, unless that is done or in progress.

        The thread ends with the process, so that Ctrl-C need not wait for it.
        """
        if self._kernels is None or (self._kernels.done() and self._kernels.exception()):
            loop = asyncio.get_running_loop()
            self._kernels, self._percent = loop.create_future(), None
            work = loop, self._kernels, self._note_compiled
            Thread(target=_compile_for, args=work, daemon=True).start()
        return self._kernels

    def _note_compiled(self, part: float) -> None:
        """Show all waiting pages how much of the rules engine is compiled."""
        percent = round(100 * part)
        if percent != self._percent:
            self._percent = percent
            for reader in self._waiting:
                reader.tell("compiling", percent=percent)

    async def _prepare(self, reader: Reader) -> None:
        """Wait until the rules engine is compiled, and show the page how far that is."""
        kernels = self.compile()
        if kernels.done():
            return
        if self._percent is not None:  # the next report may take a while
            reader.tell("compiling", percent=self._percent)
        self._waiting.add(reader)
        try:
            await asyncio.shield(kernels)
        finally:
            self._waiting.remove(reader)
        if self._percent is not None:
            reader.tell("ready")

    # ------------------------------------------------------------------------------ messages

    async def handle(self, reader: Reader, text: str | bytes) -> None:
        """Handle a message from a page; only that page is told about errors."""
        try:
            message = m.parse(text)
            if not isinstance(message, WITHOUT_KERNELS):
                await self._prepare(reader)
            await self._carry_out(reader, message)
        except Refused as error:
            reader.tell("error", text=str(error), why=error.why, told=error.told)
        except OSError:
            _LOG.exception("a game cannot be saved")
            reader.tell("error", **_not_saved())
        except (ValueError, ImportError, WorkerDied) as error:
            reader.tell("error", text=_brief(str(error)))
        except Exception:
            _LOG.exception("a message could not be carried out")
            reader.tell("error", text="something went wrong on the server; see its log")

    async def _carry_out(self, reader: Reader, message: m.Message) -> None:
        match message:
            case m.New():
                await self._new(reader, message)
            case m.Load():
                await self._load(reader, message)
            case m.Lesson():
                await self._teach(reader, message)
            case m.Puzzle():
                found = await self._aside(puzzle_asked, message.called)
                await self._pose(reader, *found, message.name)
            case m.NextPuzzle():
                wanted = message.pool, message.difficulty, message.after
                called = await self._aside(next_name, *wanted)
                await self._pose(reader, *await self._aside(puzzle_asked, called), message.name)
            case m.ReadPuzzle():
                puzzle = await self._aside(parse_puzzle, message.text)
                await self._pose(reader, puzzle, {}, message.name)
            case m.Open():
                self._enter(reader, await self._room(reader, message.game), message.keys)
            case m.Leave():
                self.leave(reader)
            case m.Games():
                reader.listed = message
                await self._list(reader)
            case m.About():
                reader.tell("about", **about(message.name, await self._games_of_their_own()))
            case m.Delete():
                await self._delete(reader, message)
            case m.Restore():
                await self._restore(reader, message)
            case m.Art():
                await self._paint(reader, message.keys)
            case _:
                await self._in_game(reader, message)

    async def _in_game(self, reader: Reader, message: m.Message) -> None:
        if (room := reader.room) is None:
            raise Refused("no_game")
        if room.exercise is not None and isinstance(message, NOT_IN_EXERCISES):
            raise Refused("exercise")
        if isinstance(message, FOR_OWNERS):
            self._check_owner(reader, room)
        match message:
            case m.Act():
                self._act(reader, room, message)
            case m.Undo():
                if self._needs_consent(reader, room):
                    self._ask_others(reader, room, message)
                else:
                    self._undo(room)
            case m.Rematch():
                if not room.play.game.is_over and self._others(reader, room):
                    self._ask_others(reader, room, message)
                else:
                    await self._rematch(reader, room, message)
            case m.Agree():
                await self._agree(reader, room, message)
            case m.Seat():
                await self._reseat(reader, room, message)
            case m.Invite():
                self._invite(reader, room, message.seat)
            case m.Pace():
                self._check_host(reader, room)
                room.delay, room.paused = message.delay, message.paused
                if room.paused:
                    self._think_no_more(room)
                self._show(room)
                self._tell_all(room, "pace", delay=room.delay, paused=room.paused)
                self._let_agents_move(room)
            case m.Look():
                reader.tell("look", view=self._view(room, message.ply)[0])
            case m.Areas():
                found = areas(room.play.at(message.ply), message.places)
                wanted = message.model_dump(exclude={"do"})
                reader.tell("areas", **wanted, areas=found)
            case m.Feature():
                told = about_feature(room.play.at(message.ply), message.tile, message.segment)
                wanted = message.model_dump(exclude={"do"})
                reader.tell("feature", wanted=wanted, feature=told)
            case m.Why():
                self._explain(reader, room, message)
            case m.Coach():
                game = room.play.at(message.ply).clone()
                self._start(reader, "coach", self._advise(reader, room, message.ply, game))
            case m.Review():
                self._review(reader, room)
            case m.Retry():
                await self._retry(reader, room, message.ply)
            case m.Again() | m.Answer():
                self._turn_back(room, message)
            case m.Branch():
                await self._branch(reader, room, message)
            case m.Branches():
                reader.tell("branches", lines=await self._family(room))
            case m.Save(format="puzzle"):
                self._save_puzzle(reader, room, message.ply)
            case m.Save(format="gif"):
                room.play.at(message.ply)  # refuses decisions that were not made
                decisions = room.play.decisions[: message.ply]
                self._start(reader, "film", self._film(reader, room.play.start, decisions))
            case m.Save():
                reader.tell("saved", format=message.format, text=self._saved(room, message))

    def _explain(self, reader: Reader, room: Room, message: m.Why) -> None:
        """Explain why a click does nothing."""
        if message.ply != room.play.ply or room.play.game.is_over:
            raise Refused("gone_on")
        figure = None if message.figure is None else figure_called(message.figure)
        reason = why_not(room.play.game, (message.x, message.y), message.segment, figure)
        reader.tell("why", ply=message.ply, reason=reason)

    def _start(self, reader: Reader, name: str, errand: Coroutine[Any, Any, None]) -> None:
        """Start slow work for a page, unless the same work is already in progress."""
        if name in reader.errands and not reader.errands[name].done():
            errand.close()
            raise Refused(f"{name}_at_work")
        reader.errands[name] = self._run(errand)

    def _run(self, errand: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a task in the background; it ends with the server."""
        task = asyncio.get_running_loop().create_task(errand)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)
        return task

    # --------------------------------------------------------------------------------- rooms

    async def _new(self, reader: Reader, message: m.New) -> None:
        rules = Rules.from_dict({**message.rules, "n_players": len(message.seats)})
        seed = secrets.randbits(53) if message.seed is None else message.seed
        sitters = self._sitters(message.seats)
        play = Play(Start(rules, seed), sitters)
        self._enter(reader, await self._add(reader, play))

    def _sitters(self, seats: Sequence[m.SeatWish]) -> tuple[Sitter, ...]:
        for seat in seats:
            if seat.agent is not None:
                check_word(seat.agent, self.allowed)
        return tuple(Sitter(seat.name, seat.agent) for seat in seats)

    async def _load(self, reader: Reader, message: m.Load) -> None:
        sitters = None if message.seats is None else self._sitters(message.seats)
        text = message.text.removeprefix(BOM).lstrip()
        if text.startswith("{"):
            try:
                play = await self._aside(play_of_save, text, sitters)
            except SaveError as error:
                raise Refused("no_save", what=_brief(str(error), MAX_SAID // 2)) from error
        elif (first := await self._aside(first_line, text)).startswith("[carc_env position"):
            seed = secrets.randbits(53)
            play = await self._aside(play_of_position, text, sitters, seed)
        elif first.startswith("[carc_env"):
            play = await self._aside(play_of_record, text, sitters)
        else:
            raise Refused("no_record")
        self._enter(reader, await self._add(reader, play))

    async def _teach(self, reader: Reader, message: m.Lesson) -> None:
        lesson = await self._aside(Lesson.begin, message.step, message.name)
        self._enter(reader, await self._exercise(lesson))

    async def _pose(self, reader: Reader, puzzle: Puzzle, about: dict[str, Any], name: str) -> None:
        trial = await self._aside(partial(Trial.of_puzzle, puzzle, name, **about))
        await self._try(reader, trial)

    async def _retry(self, reader: Reader, room: Room, ply: int) -> None:
        """Retry a reviewed decision, if a person made it."""
        play, reviewed = room.play, room.reviewed
        if reviewed is None or all(verdict["ply"] != ply for verdict in reviewed["verdicts"]):
            raise Refused("not_reviewed")
        if play.sitters[play.deciders[ply]].agent is not None:
            raise Refused("not_a_person")
        about = {"task": "retry", "game": room.id, "ply": ply}
        before = play.actions[ply]
        trial = Trial(play.until(ply), about, _source(play, ply), before=before)
        await self._try(reader, trial)

    async def _try(self, reader: Reader, trial: Trial) -> None:
        room = await self._exercise(trial)
        self._enter(reader, room)
        self._have_judged(room, trial)

    def _have_judged(self, room: Room, trial: Trial) -> None:
        """Have all actions judged, unless that is done or in progress."""
        if trial.lines is None and (room.review is None or room.review.done()):
            room.review = asyncio.get_running_loop().create_task(self._settle(room, trial))

    async def _settle(self, room: Room, trial: Trial) -> None:
        try:
            trial.settle(await self._coach.do(losses, trial.game.clone(), whose=room.id))
        except Exception as error:
            _LOG.exception("a decision cannot be judged")
            refused = Refused("not_judged", what=_brief(str(error)))
            self._tell_all(room, "error", text=str(refused), why=refused.why, told=refused.told)
            trial.again()
        self._tell_exercise(room, trial)

    def _turn_back(self, room: Room, message: m.Again | m.Answer) -> None:
        """Go back to the decision being tried, with or without its answer."""
        trial = room.exercise
        if not isinstance(trial, Trial):
            raise Refused("no_trial")
        if isinstance(message, m.Again):
            trial.again()
        elif trial.lines is None:
            raise Refused("judging")
        else:
            trial.answer()
        self._tell_exercise(room, trial)

    def _tell_exercise(self, room: Room, exercise: Exercise) -> None:
        self._show(room)
        self._tell_all(room, "exercise", **exercise.told())

    async def _add(self, reader: Reader, play: Play) -> Room:
        """Add a new game."""
        quick = await self._seat_meanwhile_away(reader, play)
        room = await self._new_room(play, self.journal)
        room.quick = quick
        return room

    async def _exercise(self, exercise: Exercise) -> Room:
        """Add a game that is not saved; agents do not move there."""
        room = await self._new_room(exercise.play, Unkept())
        room.exercise, room.paused = exercise, True
        return room

    async def _new_room(self, play: Play, journal: Journal | Unkept) -> Room:
        if len(self.rooms) >= MAX_GAMES:
            self._forget_idle()
        room = Room(secrets.token_hex(5), play, await self._aside(Odds, play.rules), journal)
        journal.write_all(room.id, play)
        self.rooms[room.id] = room
        return room

    async def _rematch(self, reader: Reader, room: Room, message: m.Rematch) -> None:
        """Start again, seats moved on by one; all viewers of the game go there."""
        others = room.readers - {reader}
        seed = secrets.randbits(53) if message.deck == "new" else None
        again = await self._add(reader, room.play.swapped(seed))
        again.delay = room.delay
        for one in (reader, *(others & room.readers)):
            self._enter(one, again, one.keys)
            one.tell("rematch", before=room.id, deck=message.deck)

    async def _branch(self, reader: Reader, room: Room, message: m.Branch) -> None:
        """Start a variation of a game; only the page that requests it goes there."""
        if room.play.at(message.ply).is_over:
            raise Refused("over")
        if len(await self._aside(self.journal.family, room.id)) > MAX_BRANCHES:
            raise Refused("too_many_branches")
        sitters = room.play.sitters
        if not message.agents:
            sitters = tuple(replace(sitter, agent=None) for sitter in sitters)
        seed = secrets.randbits(53)
        play = await self._aside(room.play.branch, room.id, message.ply, sitters, seed)
        again = await self._add(reader, play)
        again.delay = room.delay
        self._enter(reader, again)

    async def _family(self, room: Room) -> list[dict[str, Any]]:
        """Return the comparison between a game and its variations."""
        lines = []
        for room_id in await self._aside(self.journal.family, room.id):
            if (other := self.rooms.get(room_id)) is not None:
                lines.append(_line(room_id, other.play, room.odds))
                continue
            if room_id not in self._closed:
                play = await self._aside(self.journal.read, room_id)
                self._closed[room_id] = _line(room_id, play, room.odds)
            lines.append(self._closed[room_id])
        return lines

    async def _seat_meanwhile_away(self, reader: Reader, play: Play) -> dict[str, Opponent]:
        """Seat a game's agents, without leaving a page that waits for slow agents in another game.

        If the agents cannot play, the page returns to its game.
        """
        before = reader.room
        if play.agents - QUICK:
            self._send_away(reader)
        try:
            return await self._seat(reader, play.agents, play.rules)
        except Exception:
            if before is not None and reader.room is None and before.id in self.rooms:
                self._enter(reader, before, reader.keys)
            raise

    async def _seat(self, reader: Reader, names: Set[str], rules: Rules) -> dict[str, Opponent]:
        """Check that agents are allowed and able to play; return the fast ones by name."""
        quick = {}
        if slow := sorted(names - QUICK):
            reader.tell("preparing", agents=slow)
        for name in sorted(names):
            if name in QUICK:
                quick[name] = await self._aside(seat_agent, name, rules)
            else:
                await self._thinkers.do(check_agent, name, rules, self.allowed, whose=reader)
        if slow:
            reader.tell("ready")
        return quick

    def _forget_idle(self) -> None:
        """Drop games without viewers from memory; their files stay."""
        for room in [room for room in self.rooms.values() if not room.readers]:
            self._close_room(room)
        if len(self.rooms) >= MAX_GAMES:
            raise Refused("too_many")

    def _close_room(self, room: Room) -> None:
        self._think_no_more(room)
        self._review_no_more(room)
        del self.rooms[room.id]

    async def _room(self, reader: Reader, room_id: str) -> Room:
        """Return an open game, or load it from its file."""
        if room_id not in self.rooms:
            if room_id not in self.journal:
                raise Refused("no_such_game")
            play = await self._aside(self.journal.read, room_id)
            self._closed.pop(room_id, None)
            odds = await self._aside(Odds, play.rules)
            quick = await self._seat_meanwhile_away(reader, play)
            self.rooms.setdefault(room_id, Room(room_id, play, odds, self.journal, quick=quick))
        return self.rooms[room_id]

    async def _entries(self) -> list[Entry]:
        """Return all games in the folder."""
        return await self._aside(self.history.entries)

    async def _games_of_their_own(self) -> list[Entry]:
        """Return games that count for players' ratings: neither deleted nor variations."""
        found = await self._entries()
        return [one for one in found if one.game not in self._deleted and not one.is_branch]

    async def _list(self, reader: Reader) -> None:
        """Send a page the games that it has requested, most recently changed first."""
        wanted = reader.listed
        words = wanted.text.casefold().split()
        found = [
            entry
            for entry in await self._entries()
            if entry.is_like(words, wanted.state, wanted.set_name)
        ]
        rows = []
        for entry in found[wanted.first : wanted.first + PAGE]:
            row = entry.told() | {"deleted": entry.game in self._deleted}
            if room := self.rooms.get(entry.game):
                row["scores"] = list(room.play.game.scores)
            rows.append(row)
        reader.tell("games", games=rows, first=wanted.first, of=len(found))

    async def _delete(self, reader: Reader, message: m.Delete) -> None:
        room_id = message.game
        if room_id not in self.journal:
            raise Refused("no_such_game")
        await self._check_key(room_id, message.keys)
        room = self.rooms.get(room_id)
        if room and room.readers - {reader}:
            raise Refused("looked_at")
        if room_id not in self.journal:
            raise Refused("no_such_game")  # another request was faster
        if room and reader.room is room:
            self._send_away(reader)
        if room:
            self._close_room(room)
        self.journal.delete(room_id)
        later = asyncio.get_running_loop().call_later
        self._deleted[room_id] = later(KEPT, self._forget, reader, room_id)
        await self._list(reader)

    async def _restore(self, reader: Reader, message: m.Restore) -> None:
        if message.game in self._deleted:
            await self._check_key(message.game, message.keys)
        if (timer := self._deleted.pop(message.game, None)) is None:
            raise Refused("no_such_game")
        timer.cancel()
        self.journal.restore(message.game)
        await self._list(reader)

    def _forget(self, reader: Reader, room_id: str) -> None:
        """Remove a deleted game, and notify the page that deleted it."""
        del self._deleted[room_id]
        self.journal.forget(room_id)
        self._run(self._list(reader))

    def _enter(self, reader: Reader, room: Room, keys: Iterable[str] = ()) -> None:
        self.leave(reader)
        reader.room, reader.seen, reader.keys = room, None, set(keys)
        room.readers.add(reader)
        told = room.exercise and room.exercise.told()
        origin = room.play.origin and {"game": room.play.origin.game, "ply": room.play.origin.ply}
        pace = {"delay": room.delay, "paused": room.paused}
        reader.tell("entered", game=room.id, **pace, exercise=told, origin=origin)
        self._tell_seats(room, room.readers)
        if room.reviewed is not None:
            reader.tell("review", **room.reviewed)
        elif room.judged:
            self._review(reader, room)
        self._show(room)
        self._let_agents_move(room)

    def leave(self, reader: Reader) -> None:
        """Make a page leave its game; agents stop thinking in a game without viewers."""
        if reader.room is not None:
            room, reader.room, reader.seen = reader.room, None, None
            room.readers.discard(reader)
            self._answered(room, reader)
            self._tell_seats(room, room.readers)
            if coach := reader.errands.pop("coach", None):
                coach.cancel()
            if not room.readers:
                self._think_no_more(room)
                self._review_no_more(room)
                if not room.journal.keeps and room.id in self.rooms:
                    self._close_room(room)

    def forget(self, reader: Reader) -> None:
        """Disconnect a page, and end work that is done for it alone."""
        self.leave(reader)
        for errand in reader.errands.values():
            errand.cancel()

    def _think_no_more(self, room: Room) -> None:
        """Stop the current agent's thinking."""
        if room.task is not None:
            room.task.cancel()
        room.task = None

    def _review_no_more(self, room: Room) -> None:
        """Stop a review; it continues from there when somebody looks again."""
        if room.review is not None:
            room.review.cancel()
        room.review = None

    def _send_away(self, reader: Reader) -> None:
        """Make a page leave its game."""
        self.leave(reader)
        reader.tell("left")

    # -------------------------------------------------------------------------------- owners

    def _check_owner(self, reader: Reader, room: Room) -> None:
        """Refuse a page that owns no seat in a protected game."""
        if room.play.owners.is_protected and not reader.seats:
            raise Refused("watches")

    def _check_host(self, reader: Reader, room: Room) -> None:
        """Refuse to let a guest change what concerns the whole table."""
        if not room.play.owners.is_host(reader.keys):
            raise Refused("not_host")

    def _check_seat(self, reader: Reader, room: Room, seat: int) -> None:
        """Refuse a page that does not own a seat in a protected game; anyone may use agents' seats.

        Raises
        ------
        Refused
            Somebody else owns the seat.
        """
        owners = room.play.owners
        if seat in owners.locks and seat not in reader.seats:
            raise Refused("not_your_seat", name=room.play.sitters[seat].name)

    async def _check_key(self, room_id: str, keys: Iterable[str]) -> None:
        """Refuse a page without a key to a protected game, which must not be shown now."""
        if room := self.rooms.get(room_id):
            owners = room.play.owners
        else:
            owners = Owners(await self._aside(self.journal.locks, room_id))
        if owners.is_protected and not owners.opened_by(keys):
            raise Refused("not_your_game")

    def _tell_seats(self, room: Room, readers: Iterable[Reader]) -> None:
        """Tell pages which seats are owned, which of them they own, and whose owners are here."""
        owners = room.play.owners
        here = sorted(set().union(*(other.seats for other in room.readers)))
        for reader in readers:
            mine, is_host = sorted(reader.seats), owners.is_host(reader.keys)
            reader.tell("seats", owned=sorted(owners.locks), mine=mine, here=here, isHost=is_host)

    def _lock(self, room: Room, seat: int) -> str:
        """Return a new key for a seat; its lock is stored with the game."""
        before = dict(room.play.owners.locks)
        key = room.play.owners.give(seat)
        try:
            lock = room.play.owners.locks[seat]
            room.journal.add(room.id, {"lock": lock, "seat": seat})
        except OSError:
            room.play.owners.locks = before
            raise
        return key

    def _own(self, reader: Reader, room: Room, seats: Iterable[int], *others: str) -> None:
        """Make a page the owner of seats, and the holder of other keys."""
        keys = [*others, *(self._lock(room, seat) for seat in seats)]
        reader.keys |= {*keys}
        reader.tell("keys", game=room.id, keys=keys)

    def _invite(self, reader: Reader, room: Room, seat: int) -> None:
        """Give a seat away; on the first invitation, the inviter gets the other people's."""
        sitters = room.play.sitters
        if seat >= len(sitters) or sitters[seat].agent is not None:
            raise Refused("not_a_seat")
        self._check_seat(reader, room, seat)
        if not room.play.owners.is_protected:
            host = room.play.owners.appoint()
            room.journal.add(room.id, {"host": room.play.owners.host})
            persons = [k for k, sitter in enumerate(sitters) if sitter.agent is None and k != seat]
            self._own(reader, room, persons, host)
        reader.tell("invited", game=room.id, seat=seat, key=self._lock(room, seat))
        self._tell_seats(room, room.readers)

    # ---------------------------------------------------------------------------------- play

    def _show(self, room: Room) -> None:
        """Notify all viewers of changes."""
        if not room.readers:
            return
        view, fault = self._last_view(room)
        for reader in room.readers:
            if view is not None:
                reader.tell("state", view=changes(reader.seen, view), full=reader.seen is None)
                reader.seen = view
            if fault is not None:
                reader.tell("error", text=str(fault), why=fault.why, told=fault.told)

    def _last_view(self, room: Room) -> tuple[View | None, Refused | None]:
        """Return the last view of a game that can be created, and the reason if it is incomplete.

        A view of an earlier decision offers no actions.
        """
        now = room.play.ply
        for ply in range(now, max(now - LOOK_BACK, 0) - 1, -1):
            try:
                view, is_whole = self._view(room, ply)
            except Refused:
                continue
            if ply < now:
                return view | {"ply": now, "actions": []}, Refused("not_shown")
            return view, None if is_whole else Refused("not_drawn")
        return None, Refused("not_shown")

    def _view(self, room: Room, ply: int) -> tuple[View, bool]:
        """Return the view of a game after a number of decisions, and whether it is complete.

        Raises
        ------
        ValueError
            The game has fewer decisions.
        Refused
            The game cannot be shown at all.
        """
        faults = set[str]()

        def failed(part: str) -> None:
            faults.add(part)
            if part not in room.faults:
                _LOG.exception("game %s, decision %d: no %s can be shown", room.id, ply, part)
            room.faults.add(part)

        room.play.at(ply)  # refuses decisions that were not made
        try:
            return view_of(room.play, ply, room.odds, failed), not faults
        except Exception as error:
            failed("position")
            raise Refused("not_shown") from error

    def _tell_all(self, room: Room, kind: str, **content: Any) -> None:
        for reader in room.readers:
            reader.tell(kind, **content)

    def _act(self, reader: Reader, room: Room, message: m.Act) -> None:
        exercise = room.exercise
        is_answered = exercise is not None and exercise.state != "open"
        if message.ply != room.play.ply or is_answered:
            raise Refused("gone_on")
        if room.play.next_agent is not None:
            raise Refused("not_a_person")
        self._check_seat(reader, room, room.play.game.decider)
        if exercise is not None:
            room.play.game.check_legal(message.action)
            exercise.hear(message.action)
        self._carry(room, message.action)
        room.made_by[message.ply] = reader
        if exercise is not None:
            self._tell_all(room, "exercise", **exercise.told())
        if isinstance(exercise, Trial):
            self._have_judged(room, exercise)
        self._let_agents_move(room)

    def _carry(self, room: Room, action: int) -> None:
        self._ask_no_more(room)
        name = room.play.game.name(action)
        room.play.act(action)
        try:
            room.journal.add(room.id, line_of(name, room.play.tokens[-1]))
        except OSError:
            room.play.rewind(room.play.ply - 1)  # as in the file
            raise
        # Fast agents move faster than anybody can follow, so the page shows only some of their
        # moves.
        now, goes_on = time.monotonic(), room.play.next_agent in room.quick
        if not goes_on or room.paused or now - room.shown_at > LOOK:
            room.shown_at = now
            self._show(room)
        if room.play.game.is_over:
            room.journal.finish(room.id, room.play)

    # ------------------------------------------------------------------------------- consent

    def _others(self, reader: Reader, room: Room) -> set[Reader]:
        """Return the pages of the other people who play in a game."""
        if not room.play.owners.is_protected:
            return room.readers - {reader}
        return {one for one in room.readers if one.seats - reader.seats}

    def _needs_consent(self, reader: Reader, room: Room) -> bool:
        """Return whether taking back the last decision of a person concerns anybody else."""
        if (ply := room.play.undo_to()) is None:
            return False
        if not room.play.owners.is_protected:
            return bool(self._others(reader, room)) and room.made_by.get(ply) is not reader
        seat = room.play.deciders[ply]
        if seat in reader.seats:
            return False
        if not any(seat in other.seats for other in room.readers):
            raise Refused("absent", name=room.play.sitters[seat].name)
        return True

    def _ask_others(self, reader: Reader, room: Room, message: m.Undo | m.Rematch) -> None:
        """Ask the other players whether a request may be carried out."""
        room.question = Question(message, reader, self._others(reader, room))
        name = ", ".join(room.play.sitters[seat].name for seat in sorted(reader.seats))
        for other in room.question.waiting:
            other.tell("asked", what=message.do, name=name)
        reader.tell("asking")

    async def _agree(self, reader: Reader, room: Room, message: m.Agree) -> None:
        question = room.question
        if question is None or reader not in question.waiting:
            raise Refused("gone_on")
        if not message.yes:
            self._ask_no_more(room)
            question.reader.tell("disagreed")
            return
        for one in [one for one in question.waiting if one is reader or one.seats <= reader.seats]:
            if one is reader or reader.seats:
                question.waiting.discard(one)
                one.tell("asked", what=None)
        if question.waiting:
            return
        self._ask_no_more(room)
        if isinstance(question.message, m.Undo):
            self._undo(room)
        else:
            await self._rematch(question.reader, room, question.message)

    def _ask_no_more(self, room: Room) -> None:
        """Drop the open question: it is answered, or the game has moved on."""
        if room.question is not None:
            room.question = None
            self._tell_all(room, "asked", what=None)

    def _answered(self, room: Room, reader: Reader) -> None:
        """Drop a question that somebody asked, or has not answered, who leaves."""
        if room.question is not None and reader in (room.question.reader, *room.question.waiting):
            self._ask_no_more(room)

    def _undo(self, room: Room) -> None:
        ply = room.play.undo_to()
        if ply is None:
            raise Refused("no_undo")
        room.journal.add(room.id, {"undo": ply})
        self._think_no_more(room)
        room.play.rewind(ply)
        room.judged, room.reviewed = [], None
        self._show(room)
        self._let_agents_move(room)

    async def _reseat(self, reader: Reader, room: Room, message: m.Seat) -> None:
        owners, seat = room.play.owners, message.seat
        self._check_seat(reader, room, seat)
        if seat not in owners.locks:
            self._check_host(reader, room)
        if (name := message.agent) is not None:
            check_word(name, self.allowed)
            room.quick |= await self._seat(reader, {name}, room.play.rules)
        self._check_seat(reader, room, seat)  # may have changed hands in the meantime
        if room.play.game.decider == seat:
            self._think_no_more(room)
        room.play.reseat(seat, name, message.name)
        called = {} if message.name is None else {"name": message.name}
        room.journal.add(room.id, {"seat": seat, "agent": name, **called})
        if name is None and owners.is_protected and seat not in owners.locks:
            self._own(reader, room, (seat,))
            self._tell_seats(room, room.readers)
        self._show(room)
        self._let_agents_move(room)

    def _let_agents_move(self, room: Room) -> None:
        """Start moving for agents, unless that is already in progress."""
        if room.task is None or room.task.done():
            room.task = asyncio.get_running_loop().create_task(self._moves(room))

    async def _moves(self, room: Room) -> None:
        """Let agents move as long as it is an agent's turn and somebody is watching."""
        died_at = None
        while room.readers and not room.paused and (name := room.play.next_agent) is not None:
            await asyncio.sleep(room.delay / 1000)
            play, ply, version = room.play, room.play.ply, room.play.version
            table = play.game.clone()
            table.reshuffle(secrets.randbits(64))
            self._tell_all(room, "thinking", seat=play.game.decider)
            try:
                action = await self._choice(room, name, table)
            except Exception as error:
                _LOG.exception("agent %s has failed", name)
                sitter = play.sitters[play.game.decider].name
                self._tell_all(room, "error", text=_brief(f"{sitter} has failed: {error}"))
                if isinstance(error, WorkerDied) and died_at != (ply, version):
                    died_at = ply, version  # try again, in a new process
                    continue
                self._pause(room)
                return
            is_current = (play.ply, play.version) == (ply, version) and not room.paused
            if not (is_current and play.next_agent == name):
                continue
            try:
                self._carry(room, action)
            except OSError:
                _LOG.exception("a game cannot be saved")
                self._tell_all(room, "error", **_not_saved())
                self._pause(room)

    def _pause(self, room: Room) -> None:
        """Stop agents until somebody wants them to move."""
        room.paused = True
        self._tell_all(room, "pace", delay=room.delay, paused=True)

    async def _choice(self, room: Room, name: str, table: Table) -> int:
        """Return an agent's decision, computed here if the agent is fast."""
        if name in room.quick:
            return int(opponents.act(room.quick[name], table))
        return await self._thinkers.do(decide, name, room.play.rules, table, whose=room.id)

    # ----------------------------------------------------------------------------- opinions

    async def _advise(self, reader: Reader, room: Room, ply: int, game: Game) -> None:
        try:
            lines = await self._coach.do(opinion, game, whose=room.id)
        except Exception as error:
            _LOG.exception("the coach has failed")
            reader.tell("error", text=_brief(f"the coach has failed: {error}"))
            return
        reader.tell("coach", ply=ply, version=room.play.version, lines=lines)

    def _review(self, reader: Reader, room: Room) -> None:
        if not room.play.game.is_over:
            raise Refused("not_over")
        if room.reviewed is not None:
            reader.tell("review", **room.reviewed)
        elif room.review is None or room.review.done():
            room.review = asyncio.get_running_loop().create_task(self._go_through(room))

    async def _go_through(self, room: Room) -> None:
        """Review a game and report progress to all viewers."""
        play, version = room.play, room.play.version
        for ply in range(len(room.judged), play.ply):
            game, action = play.at(ply).clone(), play.actions[ply]
            try:
                found = await self._coach.do(judge, game, ply, action, whose=room.id)
            except Exception as error:
                _LOG.exception("a review has failed")
                self._tell_all(room, "error", text=_brief(f"the review has failed: {error}"))
                return
            if play.version != version:
                return
            room.judged.append(found)
            self._tell_all(room, "reviewing", done=ply + 1, of=play.ply)
        verdicts = [verdict for verdict in room.judged if verdict is not None]
        room.reviewed = {
            "mistake": MISTAKE,
            "seats": summary(verdicts, play.rules.n_players),
            "verdicts": [verdict.to_dict() for verdict in verdicts],
        }
        accuracy = [row["accuracy"] for row in room.reviewed["seats"]]
        self._tell_all(room, "review", **room.reviewed)
        try:
            self.journal.note_review(room.id, play, accuracy)
        except OSError:
            _LOG.exception("a review cannot be saved")
            self._tell_all(room, "error", **_not_saved())

    async def _film(self, reader: Reader, start: Start, decisions: Sequence[Decision]) -> None:
        """Make a film of a game and report progress."""

        def told(done: int) -> None:
            if done % FRAMES_TOLD == 0:
                reader.tell("filming", done=done, of=len(decisions))

        try:
            film = await self._cutter.do(film_of, start, decisions, told=told, whose=reader)
            reader.tell("saved", format="gif", text=base64.b64encode(film).decode())
        except Exception as error:
            _LOG.exception("a film has failed")
            reader.tell("error", text=_brief(f"the film cannot be made: {error}"))

    def _save_puzzle(self, reader: Reader, room: Room, ply: int) -> None:
        """Return a decision as a puzzle: one that was tried, or (slower) any decision in a game."""
        if isinstance(trial := room.exercise, Trial):
            if trial.state not in ("tried", "answered"):
                raise Refused("try_first")
            reader.tell("saved", format="puzzle", text=format_puzzle(trial.posed()))
            return
        game = room.play.at(ply).clone()
        if game.is_over or len(game.legal_actions()) < 2:
            raise Refused("no_choice")
        _refuse_face_down(game)
        self._start(reader, "puzzle", self._make_puzzle(reader, game, _source(room.play, ply)))

    async def _make_puzzle(self, reader: Reader, game: Game, source: str) -> None:
        try:
            puzzle = await self._coach.do(posed, game, source, whose=reader)
            reader.tell("saved", format="puzzle", text=format_puzzle(puzzle))
        except Exception as error:
            _LOG.exception("a puzzle cannot be made")
            refused = Refused("not_judged", what=_brief(str(error)))
            reader.tell("error", text=str(refused), why=refused.why, told=refused.told)

    async def _paint(self, reader: Reader, keys: Sequence[str]) -> None:
        wanted = [*dict.fromkeys(keys)]
        for k in range(0, len(wanted), DRAWN_AT_ONCE):
            drawn: dict[str, Any] = {}
            for key in wanted[k : k + DRAWN_AT_ONCE]:
                try:
                    drawn[key] = await self._aside(drawing, key)
                except ValueError as error:
                    reader.tell("error", text=str(error))
            reader.tell("art", drawings=drawn)

    def _saved(self, room: Room, message: m.Save) -> str:
        """Return a game as text; while it continues, without hidden information."""
        game = room.play.at(message.ply)
        if message.format == "record":
            if not room.play.shows_deck:
                raise Refused("record_hidden")
            return format_record(room.play.game, room.play.names)
        position = replace(game.position(), bag=None)
        if message.format == "svg":
            try:
                return board_svg(position)
            except Exception as error:
                _LOG.exception(
                    "game %s, decision %d: no picture can be drawn", room.id, message.ply
                )
                raise Refused("not_shown") from error
        _refuse_face_down(game)
        return format_position(position)

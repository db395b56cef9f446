"""The page's requests: one class per message, validated strictly before anything is done.

A message is a JSON object whose ``do`` names its class. Unknown fields, wrong types and numbers out
of range are refused with a message that names the field.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from carc_env.choices import MAX_SEED
from carc_env.game.puzzles import HARDEST
from carc_env.plain_json import first_problem
from carc_env.rules import SWITCHES
from carc_env.web.play import MAX_NAME
from carc_env.web.tutorial import STEPS

MAX_TEXT = 1_000_000
"""Length limit for a pasted record or position, in characters; a whole game with all sets has about
20,000."""
MAX_SWITCHES = len(("preset", *SWITCHES))
MAX_KEYS = 200
"""Maximum number of drawings per request."""
MAX_MESSAGE = 16 * 2**20
"""Size limit for a message, in bytes; a page that sends more is disconnected."""

GameId = Annotated[str, Field(pattern=r"^[0-9a-f]{10}$")]
PlayerName = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
Ply = Annotated[int, Field(ge=0, le=100_000)]
SpotName = Annotated[str, Field(max_length=10)]
Keys = Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=12)]


class Message(BaseModel):
    """Base class of all messages."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SeatWish(Message):
    """A request for a seat's player: an agent, by name, or a person."""

    name: PlayerName
    agent: Annotated[str, Field(max_length=100)] | None = None


Seats = Annotated[list[SeatWish], Field(min_length=2, max_length=6)]


class New(Message):
    """Start a new game."""

    do: Literal["new"]
    rules: Annotated[dict[str, Any], Field(max_length=MAX_SWITCHES)]
    seats: Seats
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None


class Load(Message):
    """Open a record or a JCloisterZone save, or continue a position; all are given as text."""

    do: Literal["load"]
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
    seats: Seats | None = None


class Lesson(Message):
    """Start a tutorial step, counted from 0; ``name`` is the player's name."""

    do: Literal["lesson"]
    step: Annotated[int, Field(ge=0, lt=len(STEPS))]
    name: PlayerName


class Puzzle(Message):
    """Try a puzzle: a given day's, such as ``2026-11-24``, or one by its name."""

    do: Literal["puzzle"]
    called: Annotated[str, Field(max_length=40)]
    name: PlayerName


class NextPuzzle(Message):
    """Try the next puzzle of a given difficulty after another puzzle in the same set."""

    do: Literal["next_puzzle"]
    pool: Literal["base-2", "everything-2", "hills-sheep-2", "princess-dragon-2", "tower-2"]
    difficulty: Annotated[int, Field(ge=1, le=HARDEST)]
    after: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    name: PlayerName


class ReadPuzzle(Message):
    """Try a puzzle given as text."""

    do: Literal["read_puzzle"]
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
    name: PlayerName


class Retry(Message):
    """Retry a decision from a reviewed game."""

    do: Literal["retry"]
    ply: Ply


class Again(Message):
    """Take back the attempt."""

    do: Literal["again"]


class Answer(Message):
    """Show the value of every action that can be tried."""

    do: Literal["answer"]


class Branch(Message):
    """Play on from an earlier decision, without changing the game."""

    do: Literal["branch"]
    ply: Ply
    agents: bool
    """Whether the game's agents play on; otherwise, people play all seats."""


class Branches(Message):
    """List the game and all its variations."""

    do: Literal["branches"]


class Open(Message):
    """Go to an existing game; ``keys`` are the keys for seats in it."""

    do: Literal["open"]
    game: GameId
    keys: Keys = []


class Leave(Message):
    """Stop looking at any game."""

    do: Literal["leave"]


class Games(Message):
    """List games that contain all words in a text, one page at a time, from a given number on."""

    do: Literal["games"]
    text: Annotated[str, Field(max_length=100)] = ""
    state: Literal["any", "running", "over"] = "any"
    set_name: Annotated[str, Field(max_length=20)] | None = None
    first: Annotated[int, Field(ge=0, le=1_000_000)] = 0


class About(Message):
    """Report how well the player with the given name has played."""

    do: Literal["about"]
    name: Annotated[str, Field(min_length=1, max_length=MAX_NAME)]


class Delete(Message):
    """Delete a game; it can be restored for a while."""

    do: Literal["delete"]
    game: GameId
    keys: Keys = []


class Restore(Message):
    """Restore a game that was just deleted."""

    do: Literal["restore"]
    game: GameId
    keys: Keys = []


class Act(Message):
    """Take an action; ``ply`` is the number of decisions before it, as far as the page knows."""

    do: Literal["act"]
    ply: Ply
    action: Annotated[int, Field(ge=0, le=100_000)]


class Undo(Message):
    """Take back everything since a person's last decision.

    If somebody else made it, they are asked first.
    """

    do: Literal["undo"]


class Rematch(Message):
    """Play again, with everybody moved on by one seat; in mid-game, the others are asked first."""

    do: Literal["rematch"]
    deck: Literal["same", "new"]


class Agree(Message):
    """Answer what another player has asked."""

    do: Literal["agree"]
    yes: bool


class Seat(Message):
    """Give a seat to another player."""

    do: Literal["seat"]
    seat: Annotated[int, Field(ge=0, le=5)]
    agent: Annotated[str, Field(max_length=100)] | None
    name: PlayerName | None = None
    """The seat's new name; it stays if there is none."""


class Invite(Message):
    """Give a seat a new key: the key's holder plays there, and the game is protected."""

    do: Literal["invite"]
    seat: Annotated[int, Field(ge=0, le=5)]


class Pace(Message):
    """Set how fast agents move."""

    do: Literal["pace"]
    delay: Annotated[int, Field(ge=0, le=10_000)]
    """Milliseconds between agents' moves."""
    paused: bool = False


class Look(Message):
    """Show the game after a number of decisions."""

    do: Literal["look"]
    ply: Ply


class Areas(Message):
    """List the features at given places, ``[x, y, spot]``; by default all those with figures."""

    do: Literal["areas"]
    ply: Ply
    places: Annotated[list[tuple[int, int, SpotName]], Field(max_length=100)] | None = None


class Feature(Message):
    """Explain a segment's feature."""

    do: Literal["feature"]
    ply: Ply
    tile: Annotated[int, Field(ge=0, le=1000)]
    segment: Annotated[int, Field(ge=0, le=50)]


Coordinate = Annotated[int, Field(ge=-100, le=100)]


class Why(Message):
    """Explain why a click on the board does nothing now."""

    do: Literal["why"]
    ply: Ply
    x: Coordinate
    y: Coordinate
    segment: Annotated[int, Field(ge=0, le=50)] | None = None
    figure: Annotated[str, Field(max_length=20)] | None = None


class Coach(Message):
    """Show the search's opinion of the legal actions."""

    do: Literal["coach"]
    ply: Ply


class Review(Message):
    """Step through a finished game decision by decision."""

    do: Literal["review"]


class Art(Message):
    """Send drawings by their keys."""

    do: Literal["art"]
    keys: Annotated[
        list[Annotated[str, Field(max_length=60)]], Field(min_length=1, max_length=MAX_KEYS)
    ]


class Save(Message):
    """Save a record, a position, its picture, a film of the game so far, or a puzzle."""

    do: Literal["save"]
    format: Literal["record", "position", "puzzle", "svg", "gif"]
    ply: Ply


Any_ = Annotated[
    New
    | Load
    | Lesson
    | Puzzle
    | NextPuzzle
    | ReadPuzzle
    | Retry
    | Again
    | Answer
    | Branch
    | Branches
    | Open
    | Leave
    | Games
    | About
    | Delete
    | Restore
    | Act
    | Undo
    | Rematch
    | Agree
    | Seat
    | Invite
    | Pace
    | Look
    | Areas
    | Feature
    | Why
    | Coach
    | Review
    | Art
    | Save,
    Field(discriminator="do"),
]
_ADAPTER: TypeAdapter[Message] = TypeAdapter(Any_)


def parse(text: str | bytes) -> Message:
    """Return the parsed message.

    Raises
    ------
    ValueError
        The text is not JSON or not a message; the error names the invalid field and the reason.
    """
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError as error:
        raise ValueError(first_problem(error)) from None

"""The tutorial: base-game positions with tasks for newcomers.

The page's texts include those for each step: ``tutorial.<name>.do`` before the player acts,
``.done`` after the right action, and ``.else`` after any other action.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from carc_env.game.game import Game
from carc_env.rules import Rules
from carc_env.web.exercises import Exercise
from carc_env.web.play import Play, Sitter, play_of_position

PUPIL, OTHER = 0, "Ada"
"""The pupil's seat, and the name of the opponent, who never moves."""
ANY: tuple[str, ...] = ()


@dataclass(frozen=True)
class Step:
    """A position with a task.

    Attributes
    ----------
    name
        The name of the step's texts.
    position
        The position in the notation, without the first line; the pupil is A.
    ways
        The right actions for each decision, by name or first word; empty if any action is right.
    last
        The tiles that are left for the step, if all others are out of the game.
    """

    name: str
    position: str
    ways: tuple[tuple[str, ...], ...]
    last: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The complete position."""
        aside = " ".join(_tiles_but(self.last)) if self.last else ""
        return f"[carc_env position 1]\n{self.position.replace('ASIDE', aside)}"


def _tiles_but(used: Sequence[str]) -> list[str]:
    """Return all tiles in the bag except the given tiles."""
    game = Game(Rules(abbot=False))
    bag = Counter((*game.drawn, *(game.position().bag or ())))
    return sorted((bag - Counter(used)).elements())


_LAST = ("bg-straight", "bg-straight", "bg-cap", "bg-cap", "bg-cap", "bg-curve")
"""The tiles of the last step, except the start tile; all others are out of the game."""
STEPS = (
    Step(
        "edges",
        """[rules {abbot: false}]
[scores 0:0]
[turn A places bg-curve]
bg-cap-straight 0,0 r0
""",
        (("bg-curve 1,0", "bg-curve -1,0"),),
    ),
    Step(
        "thief",
        """[rules {abbot: false}]
[scores 0:0]
[turn A acts]
bg-cap-straight 0,0 r0
bg-curve 1,0 r0
""",
        (("meeple S",),),
    ),
    Step(
        "road",
        """[rules {abbot: false}]
[scores 0:0]
[turn A places bg-junction]
bg-cap-straight 0,0 r0: A meeple E
bg-curve 1,0 r0
bg-junction -1,0 r0: B meeple S
""",
        (("bg-junction 1,1",), ANY),
    ),
    Step(
        "city",
        """[rules {abbot: false}]
[scores 4:0]
[turn A places bg-cap]
bg-cap-straight 0,0 r0
bg-straight 1,0 r0: B meeple E
bg-corner-shield 0,-1 r1: A meeple E
bg-curve -1,0 r2
""",
        (("bg-cap 1,-1",), ANY),
    ),
    Step(
        "monk",
        """[rules {abbot: false}]
[scores 12:3]
[turn A places bg-monastery]
bg-cap-straight 0,0 r0
bg-straight 1,0 r0
bg-curve -1,0 r2: B meeple N
bg-cap-curve-left 0,-1 r2
""",
        (ANY, ("meeple mid",)),
    ),
    Step(
        "monastery",
        """[rules {abbot: false}]
[scores 12:3]
[turn A places bg-curve]
bg-cap-straight 0,0 r0
bg-straight -1,0 r0
bg-straight 1,0 r0
bg-monastery 0,1 r0: A meeple mid
bg-cap -1,1 r3
bg-cap 1,1 r1
bg-straight -1,2 r0: B meeple E
bg-straight 0,2 r0
""",
        (("bg-curve 1,2",), ANY),
    ),
    Step(
        "farmer",
        """[rules {abbot: false}]
[scores 21:6]
[turn A acts]
bg-cap-straight 0,0 r0
bg-cap 0,-1 r2
bg-straight 1,0 r0: B meeple E
bg-cap 1,-1 r0
bg-cap 1,-2 r2
bg-straight 2,0 r0
""",
        (("meeple Nw",),),
    ),
    Step(
        "share",
        """[rules {abbot: false}]
[scores 21:14]
[turn A places bg-corner]
bg-cap-straight 0,0 r0: B meeple N
bg-straight 1,0 r0
bg-cap 1,-1 r3: A meeple W
bg-curve -1,0 r2
""",
        (("bg-corner 0,-1",), ANY),
    ),
    Step(
        "garden",
        """[rules {}]
[scores 27:20]
[turn A acts]
bg-cap-straight 0,0 r0
bg-straight 1,0 r0: B meeple E
bg-monastery 0,1 r0: B abbot mid
bg-curve-garden -1,0 r3
""",
        (("abbot",),),
    ),
    Step(
        "recall",
        """[rules {}]
[scores 27:24]
[turn A acts]
bg-cap-straight 0,0 r0
bg-straight 1,0 r0: B meeple E
bg-monastery 0,1 r0
bg-curve-garden -1,0 r3: A abbot mid
bg-cap -1,-1 r0
bg-cap 0,-1 r2
bg-curve -1,1 r1
""",
        (("recall",),),
    ),
    Step(
        "end",
        """[rules {abbot: false}]
[scores 33:31]
[bag]
[aside ASIDE]
[turn A places bg-curve]
bg-cap-straight 0,0 r0
bg-cap 0,-1 r2
bg-straight 1,0 r0: B meeple E
bg-cap 1,-1 r0
bg-cap 1,-2 r2
bg-straight 2,0 r0: A meeple Nw
""",
        (ANY, ANY),
        _LAST,
    ),
)


@dataclass
class Lesson(Exercise):
    """A step in progress; its state becomes ``done``, or ``else`` after a wrong action."""

    step: int
    play: Play
    state: str = "open"

    @classmethod
    def begin(cls, step: int, pupil: str) -> Lesson:
        """Begin a step."""
        sitters = Sitter(pupil), Sitter(OTHER, "greedy")
        return cls(step, play_of_position(STEPS[step].text, sitters, seed=step))

    def hear(self, action: int) -> None:
        """Judge an action that is about to be carried out."""
        ways = STEPS[self.step].ways
        k, name = self.play.ply, self.play.game.name(action)
        if ways[k] and not any(f"{name} ".startswith(f"{way} ") for way in ways[k]):
            self.state = "else"
        elif k + 1 == len(ways):
            self.state = "done"

    def told(self) -> dict[str, Any]:
        """Return the page's data."""
        return {
            "task": "lesson",
            "step": self.step,
            "of": len(STEPS),
            "name": STEPS[self.step].name,
            "state": self.state,
            "points": self.play.game.scores[PUPIL] - self.play.at(0).scores[PUPIL],
        }

"""Write docs/mistakes.md: positions in which agents go wrong, with what their moves are worth.

    python scripts/mistakes.py

The positions are solved endgames; ``MISTAKES`` says which, who is asked, and what there is to see.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import tyro
from carc_env.agents.report import Rows, markdown
from carc_env.agents.tournament import make_players
from PIL import Image

from carc_env.envs.naming import AgentSpec
from carc_env.envs.opponents import act
from carc_env.game.endgames import Endgame, shipped_endgames
from carc_env.game.records import replace_file
from carc_env.render import Mark, board_png

ROOT = Path(__file__).resolve().parents[1]
PAGE, IMAGES = ROOT / "docs/mistakes.md", ROOT / "docs/images"
AGENTS = ("greedy", "value", "insight", "imitation", "search:seconds=1")
WIDTH, COLORS = 1000, 96
INTRODUCTION = """\
# What agents do wrong

These are positions in which agents give points away. They come from the
[solved endgames](./endgames.md), where every move has an exact value: how many points the player to
move can expect to be ahead at the end. A sign in a picture shows what a tile there is worth, the
orange one is the best. `python scripts/mistakes.py` writes this page.

Nearly all large mistakes of agents that look one move ahead are about *fields*, and about the reply
of somebody else: who can still join what to what, and which empty cell that takes. Smaller ones are
cities that could have been kept open, and plans that take two turns. `search` and `mcts` solve the
last two tiles, so they give nothing away here; what they do wrong lies earlier in the game.
"""


@dataclass(frozen=True)
class Mistake:
    """A position, and what there is to see."""

    title: str
    of_set: str
    number: int
    words: str

    @property
    def picture(self) -> str:
        """The name of its file."""
        return f"mistake-{self.of_set}-{self.number}.png"


MISTAKES = (
    Mistake(
        "A city that could have stayed open",
        "base-2",
        22,
        "A waits for the last tile of a large city: the cap that is left fits, and brings 26 "
        "points instead of 12. A tile of B's in that place costs A 14 points and brings B more "
        "than anything else. `greedy` counts what B has after the move, not what A will do next.",
    ),
    Mistake(
        "The cell in which two fields meet",
        "base-2",
        132,
        "The last tile is a monastery. At -4,6 it joins the fields of A, whose two farmers there "
        "then outnumber B's one: B loses a field that is worth 12. A junction below that cell "
        "brings few points, but no monastery fits beside it any more.",
    ),
    Mistake(
        "A farmer for the turn after the next",
        "base-2",
        247,
        "A places now, and also the last tile of all. A farmer outside, at -6,-3, is worth "
        "nothing yet. Each of the two tiles that are left can join its field with the large one "
        "of B, and B cannot prevent both: A shares 24 points. Who looks one move ahead sees a "
        "meeple less in hand, and points nowhere.",
    ),
    Mistake(
        "One's own field overlooked",
        "base-2",
        422,
        "The garden is worth 7 points in one cell and 6 in the other, where the tile also joins "
        "two fields of B and brings 18 more. The network has learned to like gardens.",
    ),
    Mistake(
        "The same with towers",
        "tower-2",
        480,
        "The one tile left is a monastery. Where B does nothing about it, it lies at 3,0, takes 7 "
        "points there, and joins A's field with B's, which A wins with more farmers. The junction "
        "at 3,1 makes that impossible.",
    ),
    Mistake(
        "A ransom in time",
        "tower-2",
        346,
        "B has no figure in hand, so it looks as if nothing could happen on the last tile. But B "
        "may ransom the abbot, and with the garden at 4,4 B's farmers come to a field with 24 "
        "points. `value` has a table for prisoners, but none for what a ransom makes possible.",
    ),
    Mistake(
        "Three players, and a field for two of them",
        "base-3",
        128,
        "C will share B's field, 21 points for each. A lead counts from the strongest rival, so A "
        "must keep C out, who would be that rival. Agents that look one move ahead see a road "
        "with one more tile instead.",
    ),
)


def chosen(endgame: Endgame, agents: tuple[str, ...], of_set: str) -> dict[str, int]:
    """What each agent does, as the place of an action in the endgame."""
    rules, found = shipped_endgames()[of_set].rules, {}
    for name in agents:
        if name == "imitation" and of_set != "base-2":
            continue  # it plays no other rules
        game = endgame.game(seed=endgame.number)
        player = make_players([name], rules)[name]
        agent = player.make(rules, seed=1) if isinstance(player, AgentSpec) else player
        found[name] = game.legal_actions().index(act(agent, game))
    return found


def picture(endgame: Endgame, actions: set[int]) -> bytes:
    """The position with the value of some actions, as a PNG."""
    game, best = endgame.game(), int(endgame.values.argmax())
    marks = []
    for place in sorted(actions | {best}, key=lambda place: place == best):
        choice = game.choice(game.legal_actions()[place])
        assert choice.cell is not None and choice.rotation is not None  # all place a tile
        text = f"{endgame.values[place]:+.1f}"
        marks.append(Mark(*choice.cell, text, place == best, game.tile_in_hand, choice.rotation))
    drawn = Image.open(io.BytesIO(board_png(endgame.parsed(), width=WIDTH, marks=marks)))
    content = io.BytesIO()
    drawn.convert("RGB").quantize(COLORS).save(content, "PNG", optimize=True)
    return content.getvalue()


def part(mistake: Mistake) -> tuple[str, bytes]:
    """What the page says of a mistake, and its picture."""
    endgames = shipped_endgames()[mistake.of_set].endgames
    endgame = next(one for one in endgames if one.number == mistake.number)
    actions = chosen(endgame, AGENTS, mistake.of_set)
    rows: Rows = [["tile", "worth", "whose choice"]]
    for place in sorted({*actions.values()}, key=lambda place: -endgame.values[place]):
        who = ", ".join(f"`{name}`" for name, chosen in actions.items() if chosen == place)
        rows.append([f"`{endgame.actions[place]}`", f"{endgame.values[place]:+.1f}", who])
    position = endgame.parsed()
    left = ", ".join(f"`{tile}`" for tile in position.bag or ())
    text = (
        f"## {mistake.title}\n\n![{mistake.title}](images/{mistake.picture})\n\n"
        f"`{mistake.of_set}`, number {mistake.number}: {'ABC'[position.decider]} places "
        f"`{position.tile_in_hand}`; left in the bag: {left}.\n\n{mistake.words}\n\n"
        f"{markdown(rows)}"
    )
    return text, picture(endgame, set(actions.values()))


def main() -> None:
    """Write the page and its pictures."""
    parts = [INTRODUCTION]
    for mistake in MISTAKES:
        text, drawn = part(mistake)
        parts.append(text)
        replace_file(IMAGES / mistake.picture, drawn)
    replace_file(PAGE, "\n".join(parts).encode())


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)

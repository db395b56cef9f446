"""Write the examples of mistakes in docs/endgames.md, with the value of each agent's choice.

    python scripts/mistakes.py

The positions are solved endgames; ``MISTAKES`` lists them with their explanations.
"""

from __future__ import annotations

import io
import re
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
PAGE, IMAGES = ROOT / "docs/endgames.md", ROOT / "docs/images"
AGENTS = ("greedy", "value", "insight", "imitation", "search:seconds=1")
WIDTH, COLORS = 1000, 96
FIGURES = re.compile(
    r"(<!-- figures of mistakes.py -->\n)(.*?)(<!-- end of figures -->)", re.DOTALL
)


@dataclass(frozen=True)
class Mistake:
    """A position, and its explanation."""

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
        "Keep the opponent's city open",
        "base-2",
        22,
        "A waits for the last tile of a large city. The remaining cap fits and would raise its "
        "score from 12 to 26 points. A tile of B in that cell costs A 14 points and scores most "
        "for B. `greedy` counts B's score after the move, but not A's reply.",
    ),
    Mistake(
        "The cell where two fields meet",
        "base-2",
        132,
        "The last tile is a monastery. At -4,6 it joins the fields of A, whose two farmers then "
        "outnumber B's farmer there, and B loses a field worth 12 points. A junction below that "
        "cell scores little, but then no monastery fits.",
    ),
    Mistake(
        "A farmer two turns ahead",
        "base-2",
        247,
        "A places this tile and the very last one. A farmer at -6,-3 scores nothing yet. But "
        "each of the two remaining tiles can join its field to the large field of B, and B cannot "
        "block both, so A shares 24 points. An agent that looks one move ahead only sees that it "
        "has one meeple less.",
    ),
    Mistake(
        "Your own field",
        "base-2",
        422,
        "The garden scores 7 points in one cell and 6 in the other. In the second cell, the tile "
        "also joins two fields of B, for 18 more points. The network has learned to prefer the "
        "garden.",
    ),
    Mistake(
        "Block the joining tile",
        "tower-2",
        480,
        "The only remaining tile is a monastery. Unless B prevents it, A places it at 3,0, scores "
        "7 points and joins the field of A to the field of B, which A wins with more farmers. A "
        "junction at 3,1 blocks it.",
    ),
    Mistake(
        "A ransom in time",
        "tower-2",
        346,
        "B has no figure left, so the last tile seems harmless. But B may ransom the abbot. With "
        "the garden at 4,4, B's farmers then reach a field worth 24 points. `value` has a table "
        "for prisoners, but none for the consequences of a ransom.",
    ),
    Mistake(
        "Keep a third player out",
        "base-3",
        128,
        "C is about to share B's field, with 21 points for each. A lead counts from the strongest "
        "opponent, which would be C, so A must keep C out. Agents that look one move ahead extend "
        "a road instead.",
    ),
)


def chosen(endgame: Endgame, agents: tuple[str, ...], of_set: str) -> dict[str, int]:
    """Return each agent's choice, as the place of an action in the endgame."""
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
    """Return the position with the value of some actions, as a PNG."""
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
    """Return the section of a mistake, and its picture."""
    endgames = shipped_endgames()[mistake.of_set].endgames
    endgame = next(one for one in endgames if one.number == mistake.number)
    actions = chosen(endgame, AGENTS, mistake.of_set)
    rows: Rows = [["tile", "value", "chosen by"]]
    for place in sorted({*actions.values()}, key=lambda place: -endgame.values[place]):
        who = ", ".join(f"`{name}`" for name, chosen in actions.items() if chosen == place)
        rows.append([f"`{endgame.actions[place]}`", f"{endgame.values[place]:+.1f}", who])
    position = endgame.parsed()
    left = ", ".join(f"`{tile}`" for tile in position.bag or ())
    text = (
        f"### {mistake.title}\n\n![{mistake.title}](images/{mistake.picture})\n\n"
        f"`{mistake.of_set}`, number {mistake.number}: {'ABC'[position.decider]} places "
        f"`{position.tile_in_hand}`; left in the bag: {left}.\n\n{mistake.words}\n\n"
        f"{markdown(rows)}"
    )
    return text, picture(endgame, set(actions.values()))


def main() -> None:
    """Write the examples and their pictures."""
    parts = []
    for mistake in MISTAKES:
        text, drawn = part(mistake)
        parts.append(text)
        replace_file(IMAGES / mistake.picture, drawn)
    page = PAGE.read_text(encoding="utf-8")
    page = FIGURES.sub(lambda found: found[1] + "\n".join(parts) + found[3], page)
    replace_file(PAGE, page.encode())


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)

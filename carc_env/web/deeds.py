"""The effect of a click on the board, as a word for which the page has an icon and a sentence."""

from __future__ import annotations

from carc_env.engine import entry
from carc_env.engine.core.codes import Phase
from carc_env.game.game import Game
from carc_env.systems.declaring import Choice

PLACING = (Phase.PLACE_TILE, Phase.DRAW_OR_ABBEY)
"""Questions in which a cell means tile placement; in all others, it is chosen for a later step."""
BY_FIGURE = {
    Phase.FIGURE: "here",
    Phase.LANDING: "here",
    Phase.SECOND: "here",
    Phase.JOIN_SPOT: "join",
    Phase.WAGON_SPOT: "wagon",
    Phase.SOW_SPOT: "here",
}
"""Effects of placing a figure on a spot; on a previously chosen tile, it goes through a portal."""


def deeds_of(game: Game, action: int, captures: bool) -> list[str]:
    """Return the possible effects of an action at its location on the board.

    Parameters
    ----------
    game : Game
        The game.
    action : int
        A legal action that names a location.
    captures : bool
        Whether a tower is capturing now.
    """
    choice = game.choice(action)
    if choice.rotation is None:
        return [_deed(game.phase, choice, captures)]
    if game.phase in PLACING:
        return []
    states = game.states.copy()
    entry.apply(states, 0, action)
    then = Game.at(game.rules, states)
    after = [_deed(then.phase, then.choice(a), captures) for a in then.legal_actions()]
    return [*dict.fromkeys(after)]


def _deed(phase: Phase, choice: Choice, captures: bool) -> str:
    if choice.figure is not None and choice.figure.name.lower() == choice.kind:
        return BY_FIGURE.get(phase, "portal")
    if choice.kind in ("remove", "remove one", "unseat", "seize"):
        return "capture" if captures else "princess"
    return choice.kind.split()[0]

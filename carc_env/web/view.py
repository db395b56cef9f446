"""The view of a game for the page: plain values that become JSON, without hidden information."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from carc_env.game.game import Game
from carc_env.position import Position
from carc_env.render.declaring import area_of
from carc_env.render.figure_art import lies
from carc_env.render.picture import neutral_svgs, standing_in
from carc_env.render.sites import is_maze, stand_on_board
from carc_env.sets import said_in
from carc_env.systems import QUESTIONS, figures_in_play, markers_of
from carc_env.systems.declaring import Choice
from carc_env.web.beside import bridge_of_tile, stock, worth
from carc_env.web.deeds import PLACING, deeds_of
from carc_env.web.features import unseen
from carc_env.web.parts import ON_MAZE, ground_of, named, parts_of
from carc_env.web.play import Play, sources

CROWD_STEP, COURT_STEP = 8.0, 13.0
LISTS = ("tiles", "log")
"""Fields that grow at the end, of which only the new parts are sent."""
TOLD = said_in("page", "told")

View = dict[str, Any]


class Chances(Protocol):
    """Any object that computes every seat's chance of winning."""

    def of(self, game: Game) -> list[float]:
        """Return every seat's chance."""


def view_of(
    play: Play, ply: int, odds: Chances, failed: Callable[[str], None] | None = None
) -> View:
    """Return the view of a game after a number of decisions.

    Parameters
    ----------
    play : Play
        The game.
    ply : int
        Number of decisions.
    odds : Chances
        Computes every seat's chance of winning.
    failed : callable, optional
        Called with the name of a part that cannot be created, while the exception is being handled.
        The view then shows that part as in a new game, or an action by name only. Without this
        argument, the exception is raised.

    Raises
    ------
    ValueError
        The game has fewer decisions.
    """
    game = play.at(ply)
    position = game.position()
    log = play.log_until(ply)
    ends = game.is_over

    def shown(name: str, make: Callable[[Game, Position], Any]) -> Any:
        try:
            return make(game, position)
        except Exception:
            if failed is None:
                raise
            failed(name)
            new = Game(play.rules, seed=0)
            return make(new, new.position())

    def action(number: int) -> dict[str, Any]:
        try:
            return _action(game, position, number)
        except Exception:
            if failed is None:
                raise
            failed("actions")
            return {"action": number, **named(game.name(number))}

    told = {
        "ply": ply,
        "plies": play.ply,
        "version": play.version,
        "sitters": [{"name": s.name, "agent": s.agent} for s in play.sitters],
        "rules": play.start.rules_text,
        "figuresInPlay": [figure.name for figure in figures_in_play(play.rules)],
        "isRecord": play.start.position is None and play.shows_deck,
        "over": ends,
        "winners": list(game.winners),
        "seed": _seed_of(play),
        "phase": position.phase.name,
        "decider": position.decider,
        "turnPlayer": position.turn_player,
        "secondPart": position.first_part is not None,
        "lastRound": position.last_round,
        "hand": position.tile_in_hand,
        "left": game.n_tiles_left,
        "tiles": [[t.tile, t.x, t.y, t.rotation % 4, t.bridge] for t in position.tiles],
        "scores": list(game.scores),
        "standings": list(game.standings),
        "actions": [] if ends else [*map(action, game.legal_actions())],
        "sources": sources(log, play.rules.n_players) if ends else None,
        "odds": shown("odds", lambda game, _: odds.of(game)),
        "log": log,
        "canUndo": play.undo_to() is not None,
    }
    told |= {name: shown(name, make) for name, make in DRAWN.items()}
    for of_set in TOLD:
        told |= shown(of_set.__module__, of_set)
    return told


def _seed_of(play: Play) -> str | None:
    """Return a finished game's seed as text, since the page cannot represent 64-bit numbers."""
    is_hidden = not play.game.is_over or play.start.draw or play.start.position
    return None if is_hidden else str(play.start.seed)


def _by_seat(make: Callable[[Game, Position, int], Any]) -> Callable[[Game, Position], list[Any]]:
    """Return a function that builds a list with one entry per seat."""
    return lambda game, position: [make(game, position, k) for k in range(game.rules.n_players)]


def _supply(game: Game, seat: int) -> dict[str, int]:
    return {figure.name: n for figure, n in game.supply(seat).items()}


def _target(position: Position) -> list[int] | None:
    """Return the cell that the question is about."""
    about = QUESTIONS[position.phase].about
    cell = getattr(position, about) if about is not None else None
    return list(cell) if isinstance(cell, tuple) else None


# ------------------------------------------------------------------------------ on the board


def _figures(position: Position) -> list[dict[str, Any]]:
    """Return all figures with locations in board units; those that share one stand side by side."""
    found = [
        {
            "seat": figure.seat,
            "figure": figure.figure.name,
            "at": [figure.x, figure.y, figure.spot.name],
            "x": round(x, 1),
            "y": round(y, 1),
            "lies": lies(figure.figure, kind),
            "waits": k >= len(position.figures),
            "on": ON_MAZE if is_maze(t.tile, t.rotation, figure.spot, t.bridge) else kind.name,
        }
        for k, (figure, t, kind, (x, y)) in enumerate(standing_in(position))
    ]
    return sorted(found, key=lambda f: f["y"])


# ------------------------------------------------------------------------------------ actions


def _action(game: Game, position: Position, action: int) -> dict[str, Any]:
    """Return an action by number and in parts, with a cell or area if the board shows it.

    Actions that concern the whole chosen tile are not shown there; the page asks about them below
    it.
    """
    choice = game.choice(action)
    told = {"action": action, **parts_of(choice, game.name(action))}
    if choice.cell is not None:
        told |= {"deeds": deeds_of(game, action, position.captures is not None)}
    if choice.kind == "tile" and game.phase in PLACING:
        told |= {"brings": bridge_of_tile(game, position, action)}
    if told["word"] in ("score", "take"):
        told |= {"worth": worth(game, action)}
    if choice.spot is not None:
        return told | _spot(game, position, choice)
    if (area := area_of(choice)) is not None:
        left, top, right, bottom = area
        return told | {"x": (left + right) / 2, "y": (top + bottom) / 2, "area": [*area]}
    if choice.cell == position.chosen_cell:
        told.pop("cell", None)
    return told


def _spot(game: Game, position: Position, choice: Choice) -> dict[str, Any]:
    """Return where a figure would stand, and on what."""
    if choice.cell is None or choice.spot is None:
        return {}
    x, y = stand_on_board(position, choice.cell, choice.spot)
    return {"x": round(x, 1), "y": round(y, 1), **ground_of(game, choice)}


DRAWN: dict[str, Callable[[Game, Position], Any]] = {
    "unseen": lambda _, position: dict(sorted(unseen(position).items())),
    "figures": lambda _, position: _figures(position),
    "neutral": lambda _, position: "".join(svg for svg, *_ in neutral_svgs(position)),
    "target": lambda _, position: _target(position),
    "supplies": _by_seat(lambda game, _, seat: _supply(game, seat)),
    "stocks": _by_seat(lambda game, _, seat: stock(game, seat)),
    "markers": _by_seat(lambda _, position, seat: list(markers_of(position, seat))),
}
"""Parts of a view that a game can do without."""


def changes(old: View | None, new: View) -> View:
    """Return the changes to a view: whole fields, and for growing lists only the new part."""
    if old is None:
        return new
    changed: View = {}
    for key, value in new.items():
        before = old.get(key)
        if value == before:
            continue
        if key in LISTS and before is not None:
            kept = _common(before, value)
            changed[key] = {"keep": kept, "add": value[kept:]}
        else:
            changed[key] = value
    return changed


def _common(old: list[Any], new: list[Any]) -> int:
    """Return the length of two lists' common beginning."""
    for k, (a, b) in enumerate(zip(old, new, strict=False)):
        if a != b:
            return k
    return min(len(old), len(new))

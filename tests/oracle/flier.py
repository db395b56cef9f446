"""Flying machines (docs/rules/flier.md): boarding, landing, and figures that share a place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from carc_env.engine.core.codes import Figure, Kind, Phase, Spot
from carc_env.position import PlacedFigure, Position
from carc_env.words import SEATS

from . import dragon, naive
from .board import MEEPLES, features, occupied_cells
from .tiles import FACTS, Cell

COMPASS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
STEPS = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
FACES = {1, 2, 3}


def way(position: Position) -> tuple[int, int] | None:
    """Return the step per cell of a flight from the tile just placed (FLY-02, FLY-04)."""
    last = position.tiles[-1]
    if not position.rules.flier or "flier" not in FACTS[last.tile]:
        return None
    printed = COMPASS.index(FACTS[last.tile]["flier"])
    letters = [STEPS[letter] for letter in COMPASS[(printed + 2 * last.rotation) % 8]]
    return sum(dx for dx, _ in letters), sum(dy for _, dy in letters)


def kinds(position: Position) -> set[Figure]:
    """Return the kinds of figures that can fly (FLY-12)."""
    is_basic = position.rules.flier_figures == "basic"
    return {Figure.MEEPLE, Figure.LARGE} if is_basic else set(MEEPLES)


def flights(position: Position) -> set[str]:
    """Return the names for boarding the machine just placed from supply (FLY-03, FLY-18).

    Only the phantom can board as second figure, and only one figure flies in each part of a turn
    (FLY-16).
    """
    if way(position) is None or position.used == "machine" or dragon.bars_meeples(position):
        return set()
    in_hand = naive.supply(position, position.decider)
    able = {kind for kind in kinds(position) if in_hand[kind] > 0}
    if position.phase == Phase.SECOND:
        able &= {Figure.PHANTOM}
    return {f"fly {kind.name.lower()}" for kind in able}


def flown(position: Position, name: str, distance: int) -> Position | None:
    """Let a meeple fly by the die roll; return ``None`` if it cannot land (FLY-05, FLY-08)."""
    (x, y), (dx, dy) = dragon.last_cell(position), way(position) or (0, 0)
    if position.rules.phantom and position.phase == Phase.FIGURE:
        position = replace(position, used="machine")
    position = replace(
        position,
        phase=Phase.LANDING,
        chosen_cell=(x + distance * dx, y + distance * dy),
        flies=Figure[name.split()[1].upper()],
    )
    return position if landings(position) else None


def landings(position: Position) -> set[Spot]:
    """Return where the flying meeple may land, occupied or not (FLY-06, FLY-07, FLY-11)."""
    assert position.flies is not None
    if position.chosen_cell not in occupied_cells(position) - dragon.barred(position):
        return set()
    fit = naive.MAY_STAND[position.flies] - {Kind.FIELD, Kind.CASTLE}
    return {
        spot
        for feature in features(position)
        if feature.kind in fit and not feature.is_complete
        for x, y, spot in feature.segments
        if (x, y) == position.chosen_cell
    }


def legal_landings(position: Position) -> set[str]:
    """Return the names of the landings, and ``pass`` if the meeple may return instead (FLY-09)."""
    assert position.flies is not None
    names = {f"{position.flies.name.lower()} {spot.name}" for spot in landings(position)}
    return names | {"pass"} if position.rules.flier_landing == "may" else names


def is_second(position: Position) -> bool:
    """Return whether the second figure flies, so the figure action did not use the machine."""
    return position.rules.phantom and position.used != "machine"


def landed(position: Position, name: str) -> Position:
    """Put the meeple where it lands, unless it returns."""
    cell, seat = position.chosen_cell, position.decider
    position = replace(position, flies=None, chosen_cell=None, phase=Phase.FIGURE)
    if name == "pass":
        return position
    assert cell is not None
    kind, spot = name.split()
    figure = PlacedFigure(seat, Figure[kind.upper()], *cell, Spot[spot])
    return replace(position, figures=(*position.figures, figure))


# --- Figures that share a place -----------------------------------------------------------------


def others_there(position: Position, figure: PlacedFigure, among: set[Figure]) -> bool:
    """Return whether a figure of another kind or seat shares a figure's place."""
    place = (figure.x, figure.y, figure.spot)
    rules = position.rules
    return (rules.flier or rules.crop_circles) and any(
        (f.x, f.y, f.spot) == place and (f.seat, f.figure) != (figure.seat, figure.figure)
        for f in position.figures
        if f.figure in among
    )


def removal(position: Position, figure: PlacedFigure) -> str:
    """Return the name for removing a meeple: its place, with its kind and seat if necessary."""
    cell, spot = f"{figure.x},{figure.y}", figure.spot.name
    is_on_field = naive.feature_at(position, figure.x, figure.y, figure.spot).kind == Kind.FIELD
    is_alone = is_on_field and not position.rules.crop_circles  # CRN-07
    if is_alone or not others_there(position, figure, set(MEEPLES)):
        return f"remove {cell} {spot}"
    return f"remove {figure.figure.name.lower()} {cell} {spot} from {SEATS[figure.seat]}"


def removed(position: Position, name: str) -> PlacedFigure:
    """Return the meeple that a removal name refers to."""
    return next(f for f in position.figures if f.figure in MEEPLES and removal(position, f) == name)


# --- Impossible positions -----------------------------------------------------------------------


def reachable(position: Position) -> set[Cell]:
    """Return the cells that the machine on the tile just placed can reach."""
    (x, y), step = dragon.last_cell(position), way(position)
    return {(x + n * step[0], y + n * step[1]) for n in FACES} if step else set()


def wrong_flights(position: Position) -> Iterator[str]:
    """Report meeples that fly or land although they cannot."""
    if (position.phase == Phase.LANDING) != (position.flies is not None):
        yield f"{position.flies} flies in phase {position.phase.name}"
    if position.flies is None or position.phase != Phase.LANDING:
        return
    if position.flies not in kinds(position):
        yield f"{position.flies.name} does not fly"
    elif naive.supply(position, position.decider)[position.flies] < 1:
        yield f"{position.flies.name} is not in the supply"
    if position.chosen_cell not in reachable(position):
        yield f"no machine leads to {position.chosen_cell}"
    elif not landings(position):
        yield f"nobody lands at {position.chosen_cell}"
    if is_second(position) and position.flies != Figure.PHANTOM:
        yield f"{position.flies.name} flies as second figure"

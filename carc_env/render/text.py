r"""A position as plain text: for terminals, logs and bug reports.

A tile takes seven columns and three rows: ``#`` city, ``.`` field, lines for roads, ``~`` river,
``M`` monastery, ``S`` shrine, ``*`` garden, ``+`` coat of arms, ``i`` inn, ``K`` cathedral, ``%``
bazaar, ``h`` hill, ``v`` vineyard, ``p`` pig herd, ``V`` volcano, ``D`` dragon, ``O`` portal, ``Q``
princess, ``&`` festival, ``Z`` siege, ``J`` flying machine, ``L`` labyrinth, ``l`` a special
monastery, ``y`` hut, ``s`` Solovei's tree, ``z`` Vodyanoy's water, and ``w g t`` for wine, grain
and textiles; the abbey is an ``M`` within walls, ``:`` the ground of Carcassonne, with the quarters
``H`` castle, ``$`` market, ``Y`` blacksmith and ``X`` cathedral. Double lines from side to side are
bridges, and ``^`` is a castle court. Figures are shown by their players' letters, A to F: ``A`` is
a meeple, ``a`` a farmer, ``{A}`` a large meeple, ``{a}`` a large meeple as a farmer, ``(A)`` an
abbot, ``<A>`` a mayor, ``[A]`` a wagon, ``[a]`` a scored wagon waiting where it stood, ``!A!`` a
builder, ``@A@`` a pig, ``?A?`` a shepherd, and ``/A\`` a barn at a corner of its tile. Above the
picture, ``+`` precedes what a player has left to place besides meeples, followed by the goods that
they have collected.
"""

from __future__ import annotations

from functools import cache

from carc_env.engine.core.codes import SIDE_SPOTS, Figure, Phase
from carc_env.engine.core.tiles import DESIGN, ROWS, SIDES
from carc_env.position import PlacedFigure, PlacedTile, Position
from carc_env.render.declaring import courts_in, drawings, waiting_in
from carc_env.render.figure_art import LETTERS, figure_form, lies
from carc_env.render.panel import marked_seats, supply_of, winner_words
from carc_env.render.plan import Axis, Plan, plan_of, turned_axis
from carc_env.render.shapes import SIZE, Point, turn
from carc_env.render.sites import kind_of, sites_of, stand_of
from carc_env.render.survey import CELLS, CITY, PRECINCT, ROAD, STEP, ground
from carc_env.systems import QUESTIONS, figures_in_play, markers_of
from carc_env.words import counted, format_cell, format_scores

TILE_COLUMNS, TILE_ROWS = 7, 3
MIDDLE = (1, 3)

LINES = {
    frozenset("NS"): "│",
    frozenset("EW"): "─",
    frozenset("NE"): "└",
    frozenset("ES"): "┌",
    frozenset("SW"): "┐",
    frozenset("NW"): "┘",
    frozenset("ESW"): "┬",
    frozenset("NSW"): "┤",
    frozenset("NEW"): "┴",
    frozenset("NES"): "├",
    frozenset("NESW"): "┼",
    frozenset("N"): "╵",
    frozenset("E"): "╶",
    frozenset("S"): "╷",
    frozenset("W"): "╴",
}

RIM = {"N": (0, 3), "E": (1, 6), "S": (2, 3), "W": (1, 0)}
BESIDE_RIM = {(0, 3): (0, 4), (1, 6): (1, 5), (2, 3): (2, 4), (1, 0): (1, 1)}
"""Where signs move that would otherwise hide things at a side."""

ARMS: dict[str, tuple[tuple[int, int], ...]] = {
    "N": ((0, 3),),
    "E": ((1, 4), (1, 5), (1, 6)),
    "S": ((2, 3),),
    "W": ((1, 0), (1, 1), (1, 2)),
}


# A bridge, and how it looks where a straight road passes below it.
SPANS: dict[Axis, tuple[str, str, str]] = {"NS": ("║", "─", "╫"), "EW": ("═", "│", "╪")}

RIM_LETTERS = {"C": "#", "K": ":"}
LETTERS_OF_BASE = {"monastery": "M", "garden": "*", "shield": "+"}


def board_text(position: Position) -> str:
    """Return a position as text without colours or control codes, ending without a newline.

    The first lines list the scores and who moves next, and :func:`picture_of` follows.
    """
    return "\n".join([*_header(position), "", picture_of(position)])


def picture_of(position: Position) -> str:
    """Return the board as text, with column and row coordinates at its rim."""
    xs, ys = [t.x for t in position.tiles], [t.y for t in position.tiles]
    west, north = min(xs), min(ys)
    columns, rows = max(xs) - west + 1, max(ys) - north + 1
    page = [[" "] * (columns * TILE_COLUMNS) for _ in range(rows * TILE_ROWS)]
    courts, waiting = courts_in(position), waiting_in(position)
    for tile in position.tiles:
        here = [(spot.name, courts.get((tile.x, tile.y, spot))) for spot in SIDE_SPOTS]
        letters = tuple((side, court.letter) for side, court in here if court)
        lines = _tile_rows(tile.tile, tile.rotation % 4, tile.bridge, letters)
        top, left = (tile.y - north) * TILE_ROWS, (tile.x - west) * TILE_COLUMNS
        for r, line in enumerate(_with_figures(lines, tile, position.figures, waiting)):
            page[top + r][left : left + TILE_COLUMNS] = line
    rim = max(len(str(y)) for y in (north, max(ys)))
    head = " " * (rim + 1) + "".join(f"{west + c:^{TILE_COLUMNS}}" for c in range(columns))
    picture = [head.rstrip()]
    for r, line in enumerate(page):
        label = str(north + r // TILE_ROWS) if r % TILE_ROWS == MIDDLE[0] else ""
        picture.append(f"{label:>{rim}} {''.join(line)}".rstrip())
    return "\n".join(picture)


def _header(position: Position) -> list[str]:
    """Return the players' supplies, and what happens next."""
    marked = marked_seats(position)
    scores = []
    for seat, score in enumerate(position.scores):
        mark = ">" if seat in marked else " "
        scores.append(f"{mark} {LETTERS[seat]} {score:4d}  ({_supply(position, seat)})")
    task = f"{LETTERS[position.decider]} {_task(position)}"
    if position.phase == Phase.GAME_OVER:
        task = f"game over, {format_scores(position.scores)}: {winner_words(position)}"
    task += "".join(drawing.turn(position) for drawing in drawings())
    if position.bag is not None:
        task += f", {counted(len(position.bag), 'tile')} left"
    task += "".join(drawing.state(position) for drawing in drawings())
    return [*scores, task, *(line for drawing in drawings() for line in drawing.lines(position))]


def _supply(position: Position, seat: int) -> str:
    """Return what a player has left, and what they have collected."""
    has = [counted(supply_of(position, seat, Figure.MEEPLE), "meeple")]
    for figure in figures_in_play(position.rules)[1:]:
        has += [figure.name.lower()] * supply_of(position, seat, figure)
    for drawing in drawings():
        if (thing := drawing.thing) and (n := thing.left(position, seat)):
            has.append(counted(n, thing.name))
        has += drawing.has(position, seat)
    has += markers_of(position, seat)
    collected = ", ".join(thing for d in drawings() for thing in d.collected(position, seat))
    return " + ".join(has) + (f"; {collected}" if collected else "")


def _task(position: Position) -> str:
    """Return what the decider must do."""
    told = (drawing.task(position) for drawing in drawings())
    if task := next(filter(None, told), ""):
        return task
    if position.phase == Phase.FIGURE:
        return "may place a figure"
    question = QUESTIONS[position.phase]
    about = getattr(position, question.about or "", None)
    what = format_cell(about) if isinstance(about, tuple) else about or ""
    return f"{question.verb} {what}".rstrip()


def _with_figures(
    lines: tuple[str, ...],
    tile: PlacedTile,
    figures: tuple[PlacedFigure, ...],
    waiting: tuple[PlacedFigure, ...],
) -> list[list[str]]:
    """Return a tile's rows with its figures, each as close to its location as space permits."""
    rows = [list(line) for line in lines]
    taken: set[tuple[int, int]] = set()
    tokens = [(figure, _token(figure, tile)) for figure in figures if _is_on(figure, tile)]
    tokens += [(w, _token(w, tile).lower()) for w in waiting if _is_on(w, tile)]
    for figure, token in tokens:
        stand = stand_of(tile.tile, tile.rotation, figure.spot, tile.bridge)
        r, c = _free_cell(stand, len(token), taken)
        for k, letter in enumerate(token):
            rows[r][c + k] = letter
            taken.add((r, c + k))
    return rows


def _is_on(figure: PlacedFigure, tile: PlacedTile) -> bool:
    return (figure.x, figure.y) == (tile.x, tile.y)


def _token(figure: PlacedFigure, tile: PlacedTile) -> str:
    brackets = figure_form(figure.figure).brackets
    letter = LETTERS[figure.seat]
    kind = kind_of(tile.tile, tile.rotation, figure.spot, tile.bridge)
    return brackets[:1] + (letter.lower() if lies(figure.figure, kind) else letter) + brackets[1:]


def _free_cell(spot: Point, width: int, taken: set[tuple[int, int]]) -> tuple[int, int]:
    """Return row and first column of the free run nearest to a spot on the tile."""
    choices = [
        (r, c)
        for r in range(TILE_ROWS)
        for c in range(TILE_COLUMNS - width + 1)
        if not any((r, c + k) in taken for k in range(width))
    ]

    def gap(cell: tuple[int, int]) -> float:
        y = (cell[0] + 0.5) / TILE_ROWS * SIZE - spot[1]
        x = (cell[1] + width / 2) / TILE_COLUMNS * SIZE - spot[0]
        return x * x + y * y

    return min(choices, key=gap)


def tile_text(tile: str, rotation: int = 0) -> tuple[str, ...]:
    """Return a tile's rows without figures, after ``rotation`` clockwise quarter turns."""
    return _tile_rows(tile, rotation % 4, None, ())


@cache
def _tile_rows(
    tile: str, rotation: int, bridge: Axis | None, courts: tuple[tuple[str, str], ...]
) -> tuple[str, ...]:
    """Return a tile without figures: the ground at every letter, then roads, bridge and signs.

    ``courts`` lists sides and the character that replaces the city ground there.
    """
    plan = plan_of(tile, turned_axis(bridge, rotation))
    for drawing in drawings():
        if tile in drawing.designs:
            return drawing.designs[tile]
    labels, ground_of = ground(plan), dict(courts)
    cities = [
        ground_of.get(_turned("".join(SIDES[side] for side in city.sides), rotation), "#")
        for city in plan.cities
    ]
    rows = []
    for r in range(TILE_ROWS):
        row = []
        for c in range(TILE_COLUMNS):
            x, y = turn(_spot(r, c), -rotation % 4)
            label = labels[int(y / STEP) % CELLS, int(x / STEP) % CELLS]
            if CITY <= label < ROAD:
                row.append(cities[label - CITY])
            else:
                row.append(":" if label == PRECINCT else ".")
        rows.append(row)
    # A side's content decides what may lie next to it, so it is shown exactly, not as sampled.
    for side, letter in zip(SIDES, ROWS[DESIGN[tile]]["edges"], strict=True):
        turned = _turned(side, rotation)
        r, c = RIM[turned]
        rows[r][c] = ground_of.get(turned, RIM_LETTERS.get(letter, "."))
    _draw_ways(rows, tile, rotation)
    _draw_bridge(rows, bridge)
    _draw_signs(rows, plan, rotation)
    return tuple("".join(row) for row in rows)


def _spot(r: int, c: int) -> Point:
    return (c + 0.5) / TILE_COLUMNS * SIZE, (r + 0.5) / TILE_ROWS * SIZE


def _turned(letters: str, rotation: int) -> str:
    return "".join(SIDES[(SIDES.index(letter) + rotation) % 4] for letter in letters)


def _draw_ways(rows: list[list[str]], tile: str, rotation: int) -> None:
    """Draw the river, then the roads on top; a city hides roads under it, but not those over it."""
    facts = ROWS[DESIGN[tile]]
    above = "" if facts.get("crossing") == "road over city" else "#"
    river = _turned(facts.get("river", ""), rotation)
    roads = _turned("".join(road["at"] for road in facts.get("roads", [])), rotation)
    for sides, is_river in ((river, True), (roads, False)):
        for side in sides:
            for r, c in ARMS[side]:
                if rows[r][c] != above:
                    rows[r][c] = "~" if is_river else ("│" if side in "NS" else "─")
        if sides and rows[MIDDLE[0]][MIDDLE[1]] != above:
            rows[MIDDLE[0]][MIDDLE[1]] = "~" if is_river else LINES[frozenset(sides)]


def _draw_bridge(rows: list[list[str]], bridge: Axis | None) -> None:
    """Draw a bridge from side to side, above everything; a straight road below it shows through."""
    if bridge is None:
        return
    span, road, crossing = SPANS[bridge]
    for side in bridge:
        for r, c in ARMS[side]:
            rows[r][c] = span
    middle = rows[MIDDLE[0]][MIDDLE[1]]
    rows[MIDDLE[0]][MIDDLE[1]] = crossing if middle == road else span


def _draw_signs(rows: list[list[str]], plan: Plan, rotation: int) -> None:
    letters = LETTERS_OF_BASE.copy()
    for drawing in drawings():
        letters |= drawing.letters
    signs = [(kind, spot) for kind, spot, _ in plan.buildings]
    signs += [(thing.kind, thing.spot) for thing in sites_of(plan.tile, plan.bridge).things]
    for kind, spot in signs:
        if kind in letters:
            x, y = turn(spot, rotation)
            cell = min(int(y / SIZE * TILE_ROWS), 2), min(int(x / SIZE * TILE_COLUMNS), 6)
            r, c = BESIDE_RIM.get(cell, cell)
            rows[r][c] = letters[kind]

r"""A position as plain text: for terminals, logs and bug reports.

A tile takes seven columns and three rows: ``#`` city, ``.`` field, lines for roads, ``~`` river,
``M`` monastery, ``S`` shrine, ``*`` garden, ``+`` coat of arms, ``i`` inn, ``K`` cathedral, ``%``
bazaar, ``h`` hill, ``v`` vineyard, ``p`` the pig-herd, ``V`` volcano, ``D`` dragon, ``O`` portal,
``Q`` princess, and ``w g t`` for wine, grain and textiles;
the abbey is an ``M`` within walls. Double lines from side to side are bridges, ``^`` is the court
of a castle. Figures are the letters A to F of their players: ``A`` a meeple, ``a`` a farmer,
``{A}`` a large meeple, ``{a}`` one as a farmer, ``(A)`` an abbot, ``<A>`` a mayor, ``[A]`` a wagon,
``[a]`` a scored wagon that waits where it stood, ``!A!`` a builder, ``@A@`` a pig, ``?A?`` a
shepherd, ``/A\`` a barn at a corner of its tile. Above the picture, ``+`` is followed by what a
player has left to place besides meeples, then by the goods that they have collected.
"""

from __future__ import annotations

from functools import cache

from carc_env.engine.core.codes import SIDE_SPOTS, Figure, Good, Kind, Phase
from carc_env.engine.core.state import DRAGON_STEPS
from carc_env.engine.core.tiles import DESIGN, ROWS, SIDES
from carc_env.position import Bazaar, PlacedFigure, PlacedTile, Position, Tower, halves_of
from carc_env.render.figure_art import FARMERS, LETTERS
from carc_env.render.panel import can_build, marked_seats, supply_of, winner_words
from carc_env.render.plan import Axis, Plan, plan_of, turned_axis
from carc_env.render.shapes import SIZE, Point, turn
from carc_env.render.sites import CELLS, CITY, ROAD, STEP, ground, kind_of, sites_of, stand_of
from carc_env.systems import figures_in_play, markers_of
from carc_env.words import format_cell, format_scores

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
"""Where signs go that would hide what lies at a side."""

ARMS: dict[str, tuple[tuple[int, int], ...]] = {
    "N": ((0, 3),),
    "E": ((1, 4), (1, 5), (1, 6)),
    "S": ((2, 3),),
    "W": ((1, 0), (1, 1), (1, 2)),
}


BRACKETS = {
    Figure.MEEPLE: ("", ""),
    Figure.LARGE: ("{", "}"),
    Figure.ABBOT: ("(", ")"),
    Figure.MAYOR: ("<", ">"),
    Figure.WAGON: ("[", "]"),
    Figure.BUILDER: ("!", "!"),
    Figure.PIG: ("@", "@"),
    Figure.BARN: ("/", "\\"),
    Figure.SHEPHERD: ("?", "?"),
}

# A bridge, and how it looks where a straight road passes below.
SPANS: dict[Axis, tuple[str, str, str]] = {"NS": ("║", "─", "╫"), "EW": ("═", "│", "╪")}

ABBEY_ROWS = ("╔═════╗", "║ M   ║", "╚═════╝")


def board_text(position: Position) -> str:
    """A position as text without colours or control codes, ending without a newline.

    The first lines tell the scores and who is to move; the picture has the coordinates of columns
    and rows at its rim, x to the east and y to the south.
    """
    xs, ys = [t.x for t in position.tiles], [t.y for t in position.tiles]
    west, north = min(xs), min(ys)
    columns, rows = max(xs) - west + 1, max(ys) - north + 1
    page = [[" "] * (columns * TILE_COLUMNS) for _ in range(rows * TILE_ROWS)]
    for tile in position.tiles:
        top, left = (tile.y - north) * TILE_ROWS, (tile.x - west) * TILE_COLUMNS
        for r, line in enumerate(_with_figures(tile, position)):
            page[top + r][left : left + TILE_COLUMNS] = line
    rim = max(len(str(y)) for y in (north, max(ys)))
    head = " " * (rim + 1) + "".join(f"{west + c:^{TILE_COLUMNS}}" for c in range(columns))
    picture = [head.rstrip()]
    for r, line in enumerate(page):
        label = str(north + r // TILE_ROWS) if r % TILE_ROWS == MIDDLE[0] else ""
        picture.append(f"{label:>{rim}} {''.join(line)}".rstrip())
    return "\n".join([*_header(position), "", *picture])


def _header(position: Position) -> list[str]:
    """Who has what, and what happens next."""
    marked = marked_seats(position)
    scores = []
    for seat, score in enumerate(position.scores):
        n_meeples = supply_of(position, seat, Figure.MEEPLE)
        supply = f"{n_meeples} meeple{'s' * (n_meeples != 1)}"
        for figure in figures_in_play(position.rules)[1:]:
            supply += f" + {figure.name.lower()}" * supply_of(position, seat, figure)
        if position.abbeys:
            supply += " + abbey" * position.abbeys[seat]
        for thing, in_hand in (("bridge", position.bridges), ("castle", position.tokens)):
            if in_hand and (n := in_hand[seat]):
                supply += f" + {n} {thing}{'s' * (n != 1)}"
        if position.floors:
            supply += f" + {position.floors[seat]} floor{'s' * (position.floors[seat] != 1)}"
        held = [q for q in position.prisoners if q.captor == seat]
        supply += "".join(f" + prisoner {LETTERS[q.seat]} {q.figure.name.lower()}" for q in held)
        if position.sheep and (tokens := position.sheep[seat]):
            supply += f" + {sum(tokens)} sheep"
        supply += "".join(f" + {marker}" for marker in markers_of(position, seat))
        supply += _goods(position, seat)
        scores.append(f"{'>' if seat in marked else ' '} {LETTERS[seat]} {score:4d}  ({supply})")
    task = f"{LETTERS[position.decider]} {_task(position)}"
    if position.phase == Phase.GAME_OVER:
        task = f"game over, {format_scores(position.scores)}: {winner_words(position)}"
    if position.first_part is not None:
        task += " in the second part of the turn"
    elif position.has_extended:
        task += ", a second part follows"
    if position.bag is not None:
        task += f", {len(position.bag)} tiles left"
    if position.last_round is not None and position.phase != Phase.GAME_OVER:
        task += f", last round, {position.last_round} to come"
    if position.dragon is not None:
        task += "; dragon at {},{}".format(*position.dragon)
    if position.fairy is not None:
        beside = "" if position.fairy_beside is None else f" {position.fairy_beside.name}"
        beside += " on the tower" * position.fairy_on_top
        task += "; fairy at {},{}".format(*position.fairy) + beside
    bazaar = [] if position.bazaar is None else _bazaar(position.bazaar)
    if position.delayed:
        bazaar.append(f"bazaars to come: {', '.join(LETTERS[seat] for seat in position.delayed)}")
    towers = [_tower(tower) for tower in position.towers]
    return [*scores, task, *bazaar, *([f"towers: {', '.join(towers)}"] if towers else [])]


def _tower(tower: Tower) -> str:
    """Where a tower stands, its floors, and who closes it."""
    top = "" if tower.seat is None else f" closed by {LETTERS[tower.seat]}"
    return f"{format_cell((tower.x, tower.y))} {tower.height} floors{top}"


def _goods(position: Position, seat: int) -> str:
    """What a player has collected, if anything."""
    if not position.goods:
        return ""
    counts = [f"{position.goods[seat][good]} {good.name.lower()}" for good in Good]
    counts = [count for count in counts if not count.startswith("0 ")]
    return "; " + ", ".join(counts) if counts else ""


def _task(position: Position) -> str:
    """What the decider has to do."""
    if position.phase == Phase.DRAW_OR_ABBEY:
        return "places the abbey or " + ("draws" if position.last_round is None else "passes")
    if position.phase == Phase.PLACE_TILE:
        return f"places {position.tile_in_hand}"
    if position.phase in (Phase.WAGON, Phase.WAGON_SPOT):
        wagon = position.wagons[0]
        task = f"moves the wagon from {wagon.x},{wagon.y} {wagon.spot.name}"
        if position.wagon_target is not None:
            task += " to {},{}".format(*position.wagon_target)
        return task
    if position.phase == Phase.BRIDGE:
        return "may build a bridge"
    if position.phase == Phase.CAPTURE and position.captures is not None:
        return f"may capture from the tower at {format_cell(position.captures)}"
    if position.phase == Phase.EXCHANGE:
        return "chooses the prisoner that comes back"
    if position.phase == Phase.FLIGHT:
        return f"moves the dragon, step {len(position.flown)} of {DRAGON_STEPS}"
    if position.phase == Phase.ELSEWHERE:
        return "acts at {},{}".format(*(position.chosen_cell or ()))
    if position.phase == Phase.FLOCK:
        return "lets the flock grow or herds it"
    if position.phase == Phase.FIGURE:
        return "may place a figure" + (" or build a bridge" if can_build(position) else "")
    if position.town is not None:
        x, y, spot = position.town
        if position.phase == Phase.CASTLE:
            return f"makes the town at {x},{y} {spot.name} a castle or scores it"
        return f"chooses a feature for the castle at {x},{y} {spot.name}"
    return _task_in_bazaar(position, position.bazaar)


def _task_in_bazaar(position: Position, bazaar: Bazaar | None) -> str:
    if bazaar is None or bazaar.lot is None:
        takes = bazaar is not None and bazaar.takes
        return "takes a tile of the bazaar" if takes else "chooses a tile of the bazaar"
    tile = bazaar.offer[bazaar.lot].tile
    if bazaar.bidder is None:
        return f"opens the bidding for {tile}"
    if position.phase == Phase.BAZAAR_BID:
        return f"bids more than {bazaar.price} for {tile} or passes"
    return f"buys {tile} for {bazaar.price} or sells it to {LETTERS[bazaar.bidder]}"


def _bazaar(bazaar: Bazaar) -> list[str]:
    """Whose bazaar it is, the tiles on offer, and the bidding."""
    whose = LETTERS[bazaar.starter]
    if bazaar.resumes != bazaar.starter:
        whose += f" in the turn of {LETTERS[bazaar.resumes]}"
    if bazaar.waits:
        return [f"bazaar of {whose}: {len(bazaar.offer)} tiles face down"]
    lots = [
        f"{number} {lot.tile}" + ("" if lot.owner is None else f" for {LETTERS[lot.owner]}")
        for number, lot in enumerate(bazaar.offer, start=1)
    ]
    lines = [f"bazaar of {whose}: {', '.join(lots) or 'all tiles taken'}"]
    if bazaar.owed is not None:
        lines.append(f"then the second part of the turn of {LETTERS[bazaar.resumes]}")
    if bazaar.chooser is not None and bazaar.lot is not None:
        bid = "no bid yet"
        if bazaar.bidder is not None:
            bid = f"highest bid {bazaar.price} by {LETTERS[bazaar.bidder]}"
        lines.append(f"{LETTERS[bazaar.chooser]} has chosen {bazaar.lot + 1}, {bid}")
    return lines


def _with_figures(tile: PlacedTile, position: Position) -> list[list[str]]:
    """The rows of a tile with the figures on it, each as close to its place as there is room."""
    castles = {half for c in position.castles for half in halves_of((c.x, c.y, c.spot))}
    courts = tuple(spot.name for spot in SIDE_SPOTS if (tile.x, tile.y, spot) in castles)
    rows = [list(line) for line in _tile_rows(tile.tile, tile.rotation % 4, tile.bridge, courts)]
    taken: set[tuple[int, int]] = set()
    tokens = [(figure, _token(figure, tile)) for figure in position.figures if _is_on(figure, tile)]
    tokens += [(w, _token(w, tile).lower()) for w in position.wagons if _is_on(w, tile)]
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
    left, right = BRACKETS[figure.figure]
    letter = LETTERS[figure.seat]
    kind = kind_of(tile.tile, tile.rotation, figure.spot, tile.bridge)
    is_farmer = figure.figure in FARMERS and kind == Kind.FIELD
    return left + (letter.lower() if is_farmer else letter) + right


def _free_cell(spot: Point, width: int, taken: set[tuple[int, int]]) -> tuple[int, int]:
    """Row and first column of the free stretch nearest to a spot on the tile."""
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
    """The rows of a tile without figures, ``rotation`` clockwise quarter turns from its layout."""
    return _tile_rows(tile, rotation % 4, None, ())


@cache
def _tile_rows(
    tile: str, rotation: int, bridge: Axis | None, castles: tuple[str, ...]
) -> tuple[str, ...]:
    """A tile without figures: the ground sampled at every letter, then roads, bridge and signs.

    ``castles`` are the sides of the halves of castles on it.
    """
    plan = plan_of(tile, turned_axis(bridge, rotation))
    if plan.abbey is not None:
        return ABBEY_ROWS
    labels = ground(plan)
    courts = [
        i
        for i, city in enumerate(plan.cities)
        if _turned("".join(SIDES[side] for side in city.sides), rotation) in castles
    ]
    rows = []
    for r in range(TILE_ROWS):
        row = []
        for c in range(TILE_COLUMNS):
            x, y = turn(_spot(r, c), -rotation % 4)
            label = labels[int(y / STEP) % CELLS, int(x / STEP) % CELLS]
            is_court = label - CITY in courts
            row.append("^" if is_court else "#" if CITY <= label < ROAD else ".")
        rows.append(row)
    # What lies at a side decides what may lie next to it: shown exactly, not as sampled.
    for side, letter in zip(SIDES, ROWS[DESIGN[tile]]["edges"], strict=True):
        turned = _turned(side, rotation)
        r, c = RIM[turned]
        rows[r][c] = "^" if turned in castles else "#" if letter == "C" else "."
    _draw_ways(rows, tile, rotation)
    _draw_bridge(rows, bridge)
    _draw_signs(rows, plan, rotation)
    return tuple("".join(row) for row in rows)


def _spot(r: int, c: int) -> Point:
    return (c + 0.5) / TILE_COLUMNS * SIZE, (r + 0.5) / TILE_ROWS * SIZE


def _turned(letters: str, rotation: int) -> str:
    return "".join(SIDES[(SIDES.index(letter) + rotation) % 4] for letter in letters)


def _draw_ways(rows: list[list[str]], tile: str, rotation: int) -> None:
    """The river, then the roads over it; a city hides what is under it."""
    facts = ROWS[DESIGN[tile]]
    river = _turned(facts.get("river", ""), rotation)
    roads = _turned("".join(road["at"] for road in facts.get("roads", [])), rotation)
    for sides, is_river in ((river, True), (roads, False)):
        for side in sides:
            for r, c in ARMS[side]:
                if rows[r][c] != "#":
                    rows[r][c] = "~" if is_river else ("│" if side in "NS" else "─")
        if sides and rows[MIDDLE[0]][MIDDLE[1]] != "#":
            rows[MIDDLE[0]][MIDDLE[1]] = "~" if is_river else LINES[frozenset(sides)]


def _draw_bridge(rows: list[list[str]], bridge: Axis | None) -> None:
    """From side to side, above everything; a straight road below shows in the middle."""
    if bridge is None:
        return
    span, road, crossing = SPANS[bridge]
    for side in bridge:
        for r, c in ARMS[side]:
            rows[r][c] = span
    middle = rows[MIDDLE[0]][MIDDLE[1]]
    rows[MIDDLE[0]][MIDDLE[1]] = crossing if middle == road else span


def _draw_signs(rows: list[list[str]], plan: Plan, rotation: int) -> None:
    signs = [
        ("S" if plan.is_shrine else "M", plan.monastery),
        ("%", plan.bazaar),
        ("K", plan.cathedral),
    ]
    letters = {"garden": "*", "shield": "+", "inn": "i", "wine": "w", "grain": "g", "cloth": "t"}
    letters |= {"hill": "h", "vineyard": "v", "volcano": "V", "dragon-sign": "D"}
    letters |= {"portal": "O", "princess": "Q"}
    letters["pig-herd"] = "p"
    for thing in sites_of(plan.tile, plan.bridge).things:
        if thing.kind in letters:
            signs.append((letters[thing.kind], thing.spot))
    for sign, spot in signs:
        if spot is not None:
            x, y = turn(spot, rotation)
            cell = min(int(y / SIZE * TILE_ROWS), 2), min(int(x / SIZE * TILE_COLUMNS), 6)
            r, c = BESIDE_RIM.get(cell, cell)
            rows[r][c] = sign

"""What the page is shown of a game: plain values that become JSON, nothing hidden among them."""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

from carc_env.engine.core.codes import Kind, Phase
from carc_env.engine.core.tiles import ABBEY
from carc_env.game.game import Game
from carc_env.position import Bazaar, Place, PlacedFigure, PlacedTile, Position, halves_of
from carc_env.render import palette
from carc_env.render.castle_art import castle_svg, frame_svg, stand_of_lords
from carc_env.render.figure_art import FARMERS
from carc_env.render.picture import neutral_svgs
from carc_env.render.shapes import SIZE, Point
from carc_env.render.sites import kind_of, stand_of
from carc_env.systems import figures_in_play, markers_of
from carc_env.systems.declaring import Choice
from carc_env.systems.shepherd import NAMES as SHEEP_TOKENS
from carc_env.web.features import unseen
from carc_env.web.play import Play, sources

CROWD_STEP, COURT_STEP = 8.0, 13.0
LISTS = ("tiles", "log")
"""Fields that grow at their end, of which only what is new is sent."""

View = dict[str, Any]


class Chances(Protocol):
    """Whoever tells how likely everybody is to win."""

    def of(self, game: Game) -> list[float]:
        """The chance of every seat."""


def view_of(play: Play, ply: int, odds: Chances) -> View:
    """How a game stood after some decisions.

    Raises
    ------
    ValueError
        It has not got that far.
    """
    game = play.at(ply)
    position = game.position()
    log = play.log_until(ply)
    ends = game.is_over
    target = position.wagon_target or position.chosen_cell
    return {
        "ply": ply,
        "plies": play.ply,
        "version": play.version,
        "sitters": [{"name": s.name, "agent": s.agent} for s in play.sitters],
        "rules": play.start.rules_text,
        "figuresInPlay": [figure.name for figure in figures_in_play(play.rules)],
        "isRecord": play.start.position is None,
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
        "unseen": dict(sorted(unseen(position).items())),
        "tiles": [[t.tile, t.x, t.y, t.rotation % 4, t.bridge] for t in position.tiles],
        "figures": _figures(position),
        "castles": _castles(position),
        "town": frame_svg(position.town, palette.SEATS[position.decider])
        if position.town
        else None,
        "neutral": "".join(svg for svg, *_ in neutral_svgs(position)),
        "target": list(target) if target else None,
        "scores": list(game.scores),
        "standings": list(game.standings),
        "supplies": [_supply(game, seat) for seat in range(play.rules.n_players)],
        "stocks": [_stock(game, seat) for seat in range(play.rules.n_players)],
        "prisoners": [_prisoners(position, seat) for seat in range(play.rules.n_players)],
        "markers": [list(markers_of(position, seat)) for seat in range(play.rules.n_players)],
        "flock": _flock(game),
        "bazaar": None if position.bazaar is None else _bazaar(position.bazaar),
        "actions": [] if ends else [_action(game, position, a) for a in game.legal_actions()],
        "sources": sources(log, play.rules.n_players) if ends else None,
        "odds": odds.of(game),
        "log": log,
        "canUndo": play.undo_to() is not None,
    }


def _seed_of(play: Play) -> str | None:
    """The seed of a finished game, as text: the page has no numbers of 64 bits."""
    is_hidden = not play.game.is_over or play.start.draw or play.start.position
    return None if is_hidden else str(play.start.seed)


def _supply(game: Game, seat: int) -> dict[str, int]:
    return {figure.name: n for figure, n in game.supply(seat).items()}


def _stock(game: Game, seat: int) -> dict[str, int]:
    """What a seat has besides figures; of its sheep how many they are in all."""
    apart = ("king", "robber", *SHEEP_TOKENS)
    stock = {name: n for name, n in game.stock(seat).items() if name not in apart}
    if sheep := game.position().sheep:
        stock["sheep"] = sum(sheep[seat])
    return stock


def _flock(game: Game) -> int | None:
    """What herding would give to who is asked, other flocks of the field included (HS-32)."""
    if game.phase != Phase.FLOCK:
        return None
    herded = game.clone()
    herded.apply("herd")
    scores = (score for score in herded.last_scores if score.kind == Kind.FLOCK)
    return next(score.points for score in scores if score.seat == game.decider)


def _prisoners(position: Position, seat: int) -> list[dict[str, Any]]:
    """Whom a seat holds."""
    return [
        {"seat": prisoner.seat, "figure": prisoner.figure.name}
        for prisoner in position.prisoners
        if prisoner.captor == seat
    ]


def _bazaar(bazaar: Bazaar) -> dict[str, Any]:
    """A bazaar; tiles that lie face down are only counted."""
    lots = [{"tile": lot.tile, "owner": lot.owner} for lot in bazaar.offer]
    return {
        "starter": bazaar.starter,
        "waits": bazaar.waits,
        "faceDown": len(lots) if bazaar.waits else 0,
        "lots": [] if bazaar.waits else lots,
        "takes": bazaar.takes,
        "chooser": bazaar.chooser,
        "lot": bazaar.lot,
        "price": bazaar.price,
        "bidder": bazaar.bidder,
    }


# ------------------------------------------------------------------------------ on the board


def _castles(position: Position) -> list[str]:
    """All castles as drawings in board units, with the banners of their lords."""
    drawn = []
    for castle in position.castles:
        halves = halves_of((castle.x, castle.y, castle.spot))
        seats = tuple(f.seat for f in position.figures if (f.x, f.y, f.spot) in halves)
        drawn.append(castle_svg(halves[0], seats))
    return drawn


def _figures(position: Position) -> list[dict[str, Any]]:
    """All figures with where they stand in board units; those that share a place side by side."""
    tiles = {(tile.x, tile.y): tile for tile in position.tiles}
    courts = {
        half: stand_of_lords(castle)
        for castle in position.castles
        for half in halves_of((castle.x, castle.y, castle.spot))
    }
    everyone = [(f, False) for f in position.figures] + [(w, True) for w in position.wagons]
    stands = [_stand(figure, tiles[figure.x, figure.y], courts) for figure, _ in everyone]
    shares, seen = Counter(spot for _, spot in stands), Counter[Point]()
    found = []
    for (figure, waits), (kind, spot) in zip(everyone, stands, strict=True):
        step = COURT_STEP if kind == Kind.CASTLE else CROWD_STEP
        aside = (seen[spot] - (shares[spot] - 1) / 2) * step
        seen[spot] += 1
        found.append(
            {
                "seat": figure.seat,
                "figure": figure.figure.name,
                "at": [figure.x, figure.y, figure.spot.name],
                "x": round(spot[0] + aside, 1),
                "y": round(spot[1], 1),
                "lies": kind == Kind.FIELD and figure.figure in FARMERS,
                "waits": waits,
                "on": kind.name,
            }
        )
    return sorted(found, key=lambda f: f["y"])


def _stand(
    figure: PlacedFigure, tile: PlacedTile, courts: dict[Place, Point]
) -> tuple[Kind, Point]:
    """What a figure stands on, and where on the board."""
    place = (figure.x, figure.y, figure.spot)
    if place in courts:
        return Kind.CASTLE, courts[place]
    facts = (tile.tile, tile.rotation, figure.spot, tile.bridge)
    x, y = stand_of(*facts)
    return kind_of(*facts), (figure.x * SIZE + x, figure.y * SIZE + y)


# ------------------------------------------------------------------------------------ actions


ON_TOWERS = ("floor", "top", "unseat", "fairy top")
"""What is done with the tower of the chosen tile: buttons, not places."""


def _action(game: Game, position: Position, action: int) -> dict[str, Any]:
    """An action in parts: its number and kind, and its name or where on the board it is."""
    choice = game.choice(action)
    told: dict[str, Any] = {"action": action, "kind": choice.kind}
    if choice.cell is None or choice.kind in ON_TOWERS:
        told["name"] = game.name(action)
    else:
        told["cell"] = list(choice.cell)
    places_tile = position.phase in (Phase.PLACE_TILE, Phase.DRAW_OR_ABBEY)
    if choice.rotation is not None and places_tile:
        told["rotation"] = choice.rotation
        told["tile"] = _tile_of(position)
    if choice.figure is not None:
        told["who" if "name" in told else "figure"] = choice.figure.name
    if choice.seat is not None:
        told["seat"] = choice.seat
    if choice.axis is not None:
        told["axis"] = choice.axis
    if choice.number is not None:
        told["number"] = choice.number
    if choice.cell is not None and choice.spot is not None:
        told |= _spot(position, choice)
    return told


def _tile_of(position: Position) -> str | None:
    is_abbey = position.phase == Phase.DRAW_OR_ABBEY
    return str(ABBEY["id"]) if is_abbey else position.tile_in_hand


def _spot(position: Position, choice: Choice) -> dict[str, Any]:
    """Where a figure would stand, and on what."""
    if choice.cell is None or choice.spot is None:
        return {}
    x, y = choice.cell
    tile = next(t for t in position.tiles if (t.x, t.y) == (x, y))
    facts = (tile.tile, tile.rotation, choice.spot, tile.bridge)
    stand, kind = stand_of(*facts), kind_of(*facts)
    is_farmer = kind == Kind.FIELD and choice.figure in FARMERS
    return {
        "spot": choice.spot.name,
        "x": round(x * SIZE + stand[0], 1),
        "y": round(y * SIZE + stand[1], 1),
        "on": kind.name,
        "lies": is_farmer,
    }


def changes(old: View | None, new: View) -> View:
    """What of a view is new: whole fields, and of growing lists how much is kept and what added."""
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
    """How many elements two lists have in common at their beginning."""
    for k, (a, b) in enumerate(zip(old, new, strict=False)):
        if a != b:
            return k
    return min(len(old), len(new))

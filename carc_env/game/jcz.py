"""Games saved by JCloisterZone 5 (``.jcz``), for the sets that we also support.

A save is JSON: the setup, the players, and the messages that they sent. Its setup omits what the
client adds when it starts a game: elements that sets enforce, and rule defaults. A save does not
contain the draw order. We draw the placed tiles in the order in which they were placed. Tiles that
were never placed are drawn where no place was left for them on the board, or else last. The tiles
in a bazaar are inferred from the placements by the players who got them. A save does not contain
scores, either: our rules determine the game's scores.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from carc_env.engine.core.codes import Figure, Phase, Spot
from carc_env.engine.core.tiles import ABBEY, DESIGN, FACTS, LAYER
from carc_env.files import read_text
from carc_env.game.game import Game, made_move
from carc_env.game.jcloisterzone import (
    BRIDGES,
    BROKEN,
    CORNER_AT,
    ELEMENTS,
    FIGURES,
    HALVES,
    LYING,
    NEEDED_ELEMENTS,
    OF_SETS,
    QUARTER,
    QUARTERS,
    SETS,
    SIDES,
    TRAPS,
    VARIANTS,
    WHOLE,
    as_started,
    board_turns,
    look_up,
    placed_tile,
    rules,
    spot,
    tile_id,
    unknown_words,
)
from carc_env.game.notation import format_place
from carc_env.plain_json import read_json
from carc_env.position import Cell, PlacedTile, halves_of
from carc_env.words import SEATS, format_cell

FIGURE_IDS = {name.removesuffix("Follower").lower(): figure for name, figure in FIGURES.items()}
"""The middle of a figure's ID -> its kind."""

ANSWERS = {
    Phase.DRAW_OR_ABBEY: ("draw", "pass"),
    Phase.FIGURE: ("pass",),
    Phase.BRIDGE: ("pass",),
    Phase.TUNNEL: ("pass",),
    Phase.FERRIES: ("pass",),
    Phase.CASTLE: ("score",),
    Phase.JOIN: ("pass",),
    Phase.WAGON: ("home",),
    Phase.ENTER: ("pass",),
    Phase.COUNT: ("stay",),
    Phase.SOW: ("pass",),
    Phase.ESCAPE: ("pass",),
    Phase.SECOND: ("pass",),
}
"""The name of passing, and the answer to questions that the save omits."""

TUNNEL_TOKENS = ("TUNNEL_A", "TUNNEL_B", "TUNNEL_C")
"""Tunnel mouth tokens, two of each."""

BUILDINGS = {"LB_SHED": "shed", "LB_HOUSE": "house", "LB_TOWER": "tower"}
"""Little buildings -> our names."""

MAGIC = ("mage", "witch")
"""ID prefixes of the figures moved by tiles with a magic symbol."""

AUCTION = ("BAZAAR_BID", "BAZAAR_BUY_OR_SELL")
"""Bids and answers by players in a bazaar, besides PASS."""

ROTATIONS = {"R0": 0, "R90": 1, "R180": 2, "R270": 3}
"""Their tile rotation -> clockwise quarter turns."""

BAZAARS = {row["id"] for row in FACTS if row.get("bazaar")}
"""Tiles that start a bazaar."""

OPTIONAL = (Phase.FIGURE, Phase.SECOND, Phase.BRIDGE, Phase.TUNNEL, Phase.FERRIES, Phase.CASTLE)
"""Phases that end when a player commits to a turn."""

MOST_DISCARDED = 4
"""If more tiles than this were never placed, the game was not played to its end."""

UNTOLD = {name: what for told in OF_SETS for name, what in told.get("untold", {}).items()}
"""Elements whose saves omit details of the game, and the details that they omit."""

KNOWN_VALUES = [*NEEDED_ELEMENTS.items(), *ELEMENTS, *VARIANTS]
"""Supported values of elements and rules."""

MACHINE, FACES = "FlyingMachine", 3
"""The machine that fliers board, and the highest number on the die."""
BAZAAR = (Phase.BAZAAR_PICK, Phase.BAZAAR_BID, Phase.BAZAAR_DEAL)


class Message(NamedTuple):
    """A message that a player sent."""

    kind: str
    payload: dict[str, Any]
    player: int | None

    @property
    def tile(self) -> str | None:
        """The tile that the message places, by our ID; None for an abbey or no tile."""
        if self.kind != "PLACE_TILE":
            return None
        tile = tile_id(self.payload["tileId"])
        return None if tile == ABBEY["id"] else tile


class SaveError(ValueError):
    """A save that cannot be read; the message gives the reason and the message number."""


def read_jcz(path: str | os.PathLike[str]) -> Game:
    """Return the game in a JCloisterZone 5 save.

    Raises
    ------
    SaveError
        The save is damaged, has another version, or uses sets, elements or rules that are not
        supported.
    """
    try:
        text = read_text(path)
    except ValueError as error:
        raise SaveError(str(error)) from error
    return load_jcz(text)


def load_jcz(text: str) -> Game:
    """Return the game from a save's text; errors as for :func:`read_jcz`."""
    try:
        save = read_json("the save", text)
        setup, replay = _setup_of(save), save["replay"]
        messages = [
            Message(line["type"], line.get("payload", {}), line.get("player")) for line in replay
        ]
        return _game_of(setup, messages)
    except SaveError:
        raise
    except KeyError as error:
        raise SaveError(f"not a save of JCloisterZone 5: it has no {error}") from error
    except (TypeError, AttributeError, IndexError) as error:
        raise SaveError(f"not a save of JCloisterZone 5: {error}") from error
    except ValueError as error:
        raise SaveError(str(error)) from error


def players_of_jcz(text: str) -> tuple[str, ...]:
    """Return the players' names by seat, from a save that :func:`load_jcz` can read."""
    players = read_json("the save", text)["players"]
    return tuple(str(player.get("name") or SEATS[k]) for k, player in enumerate(players))


def _setup_of(save: dict[str, Any]) -> dict[str, Any]:
    """Return the setup in the vocabulary that :func:`rules` takes.

    Raises
    ------
    SaveError
        The setup names sets, elements, rules or start tiles that are not supported.
    """
    if "replay" not in save:
        raise SaveError("the save contains a setup, but no game")
    setup = as_started({**save["setup"], "players": len(save["players"])})
    setup["deck_size"] = save.get("gameAnnotations", {}).get("endTurn") or None
    lacking = [(what, str(word).removesuffix(" x1")) for what, word in unknown_words(setup)]
    if lacking:
        named = ", ".join(_named(what, word) for what, word in lacking)
        known = ", ".join(dict.fromkeys(name.partition(":")[0] for name in SETS))
        has = f"; it has the sets {known}" if any(what == "set" for what, _ in lacking) else ""
        raise SaveError(f"carc_env does not have {named}{has}")
    for name, what in UNTOLD.items():
        if setup["elements"].get(name):
            raise SaveError(f"carc_env cannot read a save with {name}s: it does not contain {what}")
    return setup


def _named(what: str, word: str) -> str:
    """Return the name of something unsupported, with a list of the supported values."""
    name, _, value = word.partition("=")
    if value == "None":
        return f"a game without {name}"
    known = [f"{name}={there}" for told, there in KNOWN_VALUES if told == name]
    return f"{what} {word}" + (f" (only {' or '.join(known)})" if known else "")


def _game_of(setup: dict[str, Any], messages: Sequence[Message]) -> Game:
    """Replay the messages; discarded tiles are drawn where no place was left for them."""
    its_rules = rules(setup)
    if its_rules.breaks_roads:
        messages = [_with_broken_road(message) for message in messages]
    bazaars = _bazaars(messages, its_rules.n_players)
    unplaced = Counter(Game(its_rules, seed=0).draw)
    unplaced.subtract(tile for message in messages if (tile := message.tile) is not None)
    if odd := [tile for tile, n in unplaced.items() if n < 0]:
        raise SaveError(f"more tiles were placed than these sets have: {', '.join(odd)}")
    rest = sorted(unplaced.elements(), key=lambda tile: -LAYER[DESIGN[tile]])
    placed = _drawn(messages, bazaars, rest)
    aside: list[str] = []
    if (size := setup["deck_size"]) is not None:
        its_rules = its_rules.replace(deck_size=size)
        rest, aside = rest[: max(0, size - len(placed))], rest[max(0, size - len(placed)) :]
    won = {index for bazaar in bazaars.values() for index in bazaar if index is not None}
    order, n_placed = [*aside, *placed, *rest], len(aside) + len(placed)
    turns = board_turns(setup["start"])
    while True:
        replay = _Replay(Game(its_rules, draw=order), turns, won)
        gap = replay.play(messages, order[n_placed:] if len(rest) <= MOST_DISCARDED else [])
        if gap is None:
            return _as_usual(replay.game)
        drawn, tile = gap
        del order[n_placed + order[n_placed:].index(tile)]
        order.insert(drawn, tile)
        n_placed += 1


def _with_broken_road(message: Message) -> Message:
    """Return the message with our name for its tile, if its road breaks under a city (TUN-16)."""
    name = message.payload.get("tileId")
    if name not in WHOLE:
        return message
    return message._replace(payload={**message.payload, "tileId": name + BROKEN})


def _bazaars(messages: Sequence[Message], n_players: int) -> dict[int, list[int | None]]:
    """Return each bazaar's first message and, for each tile on offer, the message that placed it.

    The entry is None if the save ends before that. A tile goes to the player who chose it, unless
    they sold it. A bid for another tile shows that all the other players passed. The last tile is
    left for the last player.
    """
    found: dict[int, list[int | None]] = {}
    index = 0
    while index < len(messages):
        if messages[index].kind not in AUCTION:
            index += 1
            continue
        first, owners = index, dict[int, int | None]()
        chosen, chooser, bidder = None, None, None
        while index < len(messages) and messages[index].kind in (*AUCTION, "PASS"):
            kind, payload, player = messages[index]
            if kind == "BAZAAR_BID":
                if payload["supplyIndex"] != chosen:
                    chosen, chooser = int(payload["supplyIndex"]), player
                    owners[chosen] = chooser
                bidder = player
            elif kind == "BAZAAR_BUY_OR_SELL" and chosen is not None:
                owners[chosen] = chooser if payload["value"] == "BUY" else bidder
            index += 1
        left = {*range(n_players)} - {*owners}
        if not {*owners} <= {*range(n_players)}:
            raise SaveError(f"message {first + 1}: there is no such tile in a bazaar")
        if len(left) == 1:
            others = {*range(n_players)} - {*owners.values()}
            owners[left.pop()] = min(others, default=None)
        placed: dict[int | None, int] = {}
        for later in range(index, len(messages)):
            if messages[later].tile is not None:
                placed.setdefault(messages[later].player, later)
        found[first] = [placed.get(owners.get(lot)) for lot in range(n_players)]
    return found


def _drawn(
    messages: Sequence[Message], bazaars: dict[int, list[int | None]], rest: list[str]
) -> list[str]:
    """Return the tiles in draw order; unplaced tiles are removed from ``rest``.

    We set the tiles of a bazaar aside as soon as it begins; JCloisterZone does so after the second
    part of the turn (BAZ-21).
    """
    order: list[str] = []
    start = 0
    won = {index for bazaar in bazaars.values() for index in bazaar}
    for index, message in enumerate(messages):
        if index in bazaars:
            placed = [None if k is None else messages[k].tile for k in bazaars[index]]
            order[start:start] = [tile or rest.pop() for tile in placed]
        tile = message.tile
        if tile is not None and index not in won:
            order.append(tile)
            if tile in BAZAARS:
                start = len(order)
    return order


def _as_usual(game: Game) -> Game:
    """Return the same game under rules that make decisions with only one choice automatically."""
    for view in (type(game.rules)().view, game.rules.view):
        again = Game(game.rules.replace(auto_single=True, view=view), draw=game.draw)
        try:
            for k, move in enumerate(game.moves):
                made_move(again, k, move.name, move.token)
        except ValueError:
            if view == game.rules.view:
                raise
            continue
        return again
    raise SaveError("the board is larger than the largest view")


class _Replay:
    """Carries out messages in a game whose board is rotated like ours."""

    def __init__(self, game: Game, turns: int, won: set[int]) -> None:
        self.game = game
        self._won = won
        self._player: int | None = None
        self._free: list[int] = []
        self._picks: dict[int | None, int] = {}
        self._pairs: dict[int, list[str]] = {}
        self._turns = turns
        self._last: Cell = (0, 0)
        self._readers: dict[str, Callable[[dict[str, Any]], None]] = {
            "PLACE_TILE": self._place,
            "DEPLOY_MEEPLE": self._deploy,
            "RETURN_MEEPLE": self._recall,
            "PLACE_TOKEN": self._put_token,
            "MOVE_NEUTRAL_FIGURE": self._move_neutral,
            "CIRCLE_REMOVE_OR_DEPLOY": self._choose_for_all,
            "PASS": self._pass,
            "COMMIT": self._commit,
            "BAZAAR_BID": self._bid,
            "BAZAAR_BUY_OR_SELL": lambda payload: self._act(str(payload["value"]).lower()),
        }

    def play(self, messages: Sequence[Message], discarded: Sequence[str]) -> tuple[int, str] | None:
        """Carry out all messages.

        Parameters
        ----------
        messages : sequence
            The messages in the save.
        discarded : sequence of str
            Tiles that were never placed.

        Returns
        -------
        tuple of int and str, or None
            The first position in the draw order, counted from 0, at which one of the discarded
            tiles does not fit on the board, and that tile. The game stops there.
        """
        for number, (kind, payload, player) in enumerate(messages, start=1):
            self._player = player
            if self.game.is_over:
                return None  # their last round of abbeys can be longer than ours (ABB-20)
            reader = self._readers.get(kind)
            if reader is None:
                raise SaveError(f"message {number}: carc_env knows no {kind}")
            try:
                is_drawn = kind == "PLACE_TILE" and number - 1 not in self._won
                if is_drawn and (gap := self._gap(payload, discarded)) is not None:
                    return gap
                self._keep_abbots_out()
                reader(payload)
            except (ValueError, KeyError, TypeError) as error:
                raise SaveError(f"message {number}, {kind}: {error}") from error
        self._finish()
        return None

    def _finish(self) -> None:
        """Answer the questions that the save omits after all tiles have been drawn."""
        game = self.game
        while game.n_tiles_left == 0 and game.phase in ANSWERS:
            names = {game.name(action) for action in game.legal_actions()}
            if not names.intersection(ANSWERS[game.phase]):
                return
            self._answer()

    def _gap(self, payload: dict[str, Any], discarded: Sequence[str]) -> tuple[int, str] | None:
        """Return the position and ID of a discarded tile that does not fit on the board now."""
        if tile_id(payload["tileId"]) == ABBEY["id"]:
            return None
        self._reach(Phase.PLACE_TILE)
        for tile in dict.fromkeys(discarded):
            twin = self.game.clone()
            _hand(twin, tile)
            if not twin.legal_actions():
                return len(self.game.drawn) - 1, tile
        return None

    def _reach(self, phase: Phase) -> None:
        """Answer the questions that the save omits before a phase."""
        while (now := self.game.phase) != phase:
            if now == Phase.BAZAAR_PICK and (number := self._picks.pop(self.game.decider, None)):
                self._act(f"pick {number}")
            elif now in BAZAAR and len(self.game.legal_actions()) == 1:
                self.game.apply(
                    self.game.legal_actions()[0]
                )  # the last tile goes to its player without a question
            elif now in ANSWERS:
                self._answer()
            elif now in BAZAAR:
                raise ValueError("by our rules a bazaar is held here, but the save has none")
            else:
                return

    def _act(self, name: str) -> None:
        self.game.apply(name)

    def _bid(self, payload: dict[str, Any]) -> None:
        """Choose a tile in a bazaar, or bid for the tile that was chosen."""
        lot, price = int(payload["supplyIndex"]), int(payload["price"])
        if self.game.rules.bazaar_mode == "take":  # here they pick at once; we pick in turn order
            if not self._free:
                self._free = [*range(self.game.rules.n_players)]
            self._picks[self._player] = self._free.index(lot) + 1
            self._free.remove(lot)
            if len(self._free) == 1:
                self._free = []
            return
        while self.game.phase in ANSWERS:
            self._answer()
        if self.game.phase == Phase.BAZAAR_PICK:
            self.game.apply(f"pick {lot + 1}")
        self.game.apply(f"bid {price}")

    def _answer(self) -> None:
        """Pass, whatever passing is called here."""
        names = {self.game.name(action) for action in self.game.legal_actions()}
        wanted = next((word for word in ANSWERS[self.game.phase] if word in names), None)
        if wanted is None:
            raise ValueError(
                f"the save lacks a decision: one of {', '.join(sorted(names))} was due"
            )
        self.game.apply(wanted)

    def _cell(self, position: Sequence[int]) -> Cell:
        """Convert one of their cells to our board."""
        x, y = position
        if type(x) is not int or type(y) is not int:
            raise ValueError(f"{position} is no cell of the board")
        for _ in range(self._turns):
            x, y = -y, x
        return x, y

    def _spot(self, pointer: dict[str, Any]) -> Spot:
        """Convert one of their locations to our board, using the first of its sides there."""
        name = pointer["location"]
        kind = pointer.get("feature") or _kind_of(name)
        if name == LYING and not self.game.rules.lets_lie:
            name = "I"
        if kind in ("City", "Road", "Castle"):
            sides = [Spot[side] for side in look_up(SIDES, kind, name)]
            return Spot(min((side + self._turns) % 4 for side in sides))
        if kind == "Field" and name not in ("I", "II"):
            halves = [look_up(HALVES, kind, half) for half in name.split(".")]
            return Spot(min((half - 4 + 2 * self._turns) % 8 + 4 for half in halves))
        return spot(kind, name)

    def _place(self, payload: dict[str, Any]) -> None:
        x, y = self._cell(payload["position"])
        rotation = look_up(ROTATIONS, "rotation", str(payload["rotation"]))
        tile = placed_tile(payload["tileId"], x, y, rotation + self._turns)
        self._reach(Phase.DRAW_OR_ABBEY if tile.tile == ABBEY["id"] else Phase.PLACE_TILE)
        self.game.apply(format_place(PlacedTile(tile.tile, x, y, tile.rotation)))
        self._last = x, y

    def _deploy(self, payload: dict[str, Any]) -> None:
        pointer, figure = payload["pointer"], _figure(payload)
        word, cell, where = figure.name.lower(), self._cell(pointer["position"]), Spot(0)
        if pointer.get("feature") == QUARTER:
            self._reach(Phase.ENTER)
            self.game.apply(f"enter {word} {_quarter(pointer)}")
            return
        if pointer.get("feature") == MACHINE:
            self.game.choose_token(int(FACES * float(payload["random"])) + 1, f"fly {word}")
            self.game.apply(f"fly {word}")
            return
        if figure == Figure.BARN:
            corner = self._corner(cell)
            self.game.apply(f"{word} {corner.name}")
            return
        where = self._spot(pointer)
        if self.game.phase == Phase.WAGON:
            self.game.apply(f"{word} {cell[0]},{cell[1]} {where.name}")
        elif self.game.phase in (Phase.JOIN, Phase.SOW):
            self._check_player()
            self.game.apply(f"to {format_cell(cell)}")
            self.game.apply(f"{word} {where.name}")
        elif cell == self._last or self.game.phase == Phase.LANDING:
            self.game.apply(f"{word} {where.name}")
        else:
            raise ValueError(f"a {word} was placed at {cell}, not on the tile at {self._last}")

    def _corner(self, cell: Cell) -> Spot:
        """Return the last tile's corner with the barn, given the tile south-east of the corner."""
        # The tile with this corner in its north-west before the board is rotated has a different
        # corner afterwards.
        dx, dy = ((0, 0), (-1, 0), (-1, -1), (0, -1))[self._turns]
        steps = (cell[0] - dx - self._last[0], cell[1] - dy - self._last[1])
        if steps not in CORNER_AT:
            raise ValueError(f"a barn was not placed on the tile at {self._last}")
        return CORNER_AT[steps]

    def _recall(self, payload: dict[str, Any]) -> None:
        source = payload.get("source")
        if source == "SIEGE_ESCAPE":
            self._reach(Phase.ESCAPE)
            self._send_home("escape", payload["pointer"])
        elif source == "CORN_CIRCLE":
            self._check_player()
            self._send_home("reap", payload["pointer"])
        elif source == "FESTIVAL":
            pointer = payload["pointer"]["featurePointer"]
            cell = format_cell(self._cell(pointer["position"]))
            self.game.apply(f"to {cell}")
            self.game.apply(f"return {cell} {self._spot(pointer).name}")
        elif source == "TRAP":
            pointer = payload["pointer"]
            trap = look_up(TRAPS, "trap", pointer["featurePointer"]["feature"])
            self.game.apply(f"free {trap} {_figure(pointer).name.lower()}")
        elif source == "ABBOT_RETURN":
            self.game.apply("recall")
        else:
            raise ValueError(f"carc_env knows no way to take figures back for {source}")

    def _send_home(self, word: str, payload: dict[str, Any]) -> None:
        """Send a meeple home, which our action identifies by its kind."""
        pointer = payload["featurePointer"]
        self.game.apply(f"to {format_cell(self._cell(pointer['position']))}")
        self.game.apply(f"{word} {_figure(payload).name.lower()} {self._spot(pointer).name}")

    def _choose_for_all(self, payload: dict[str, Any]) -> None:
        """Choose the action for all players at a crop circle."""
        self._reach(Phase.CIRCLE)
        self.game.apply(
            look_up({"DEPLOY": "all sow", "REMOVE": "all reap"}, "circle", payload["value"])
        )

    def _put_token(self, payload: dict[str, Any]) -> None:
        token = payload["token"]
        name, pointer = token if isinstance(token, str) else token[-1], payload["pointer"]
        if name == "GOLD":  # on a cell, and no question follows
            self.game.apply(f"ingot {format_cell(self._cell(pointer))}")
            return
        if name in BUILDINGS:  # also on a cell
            self.game.apply(f"build {BUILDINGS[name]}")
            return
        x, y = self._cell(pointer["position"])
        if name == "BRIDGE":
            axis = look_up(BRIDGES, "bridge", pointer["location"])
            axis = axis if self._turns % 2 == 0 else {"NS": "EW", "EW": "NS"}[axis]
            self.game.apply(f"bridge {x},{y} {axis}")
            return
        if name in TUNNEL_TOKENS:
            self._lay_token(name, f"{x},{y} {self._spot(pointer).name}")
            return
        if name == "FERRY":
            self._lay_ferry((x, y), pointer["location"])
            return
        if name != "CASTLE":
            raise ValueError(f"carc_env knows no token {name}")
        town = (x, y, self._spot({**pointer, "feature": "Castle"}))
        while self.game.phase == Phase.FIGURE:
            self._answer()
        while self.game.phase == Phase.CASTLE:
            asked = self.game.position().town
            is_it = asked is not None and town in halves_of(asked)
            self.game.apply("castle" if is_it else "score")
            if is_it:
                return
        raise ValueError(f"no castle can be made at {x},{y}")

    def _lay_token(self, name: str, place: str) -> None:
        """Place a token on a tunnel mouth; we number pairs as they are begun (TUN-02)."""
        if self.game.phase != Phase.FIGURE:
            self._reach(Phase.TUNNEL)
        begun = self._pairs.setdefault(self.game.decider, [])
        if name not in begun:
            begun.append(name)
        self.game.apply(f"tunnel {place} {begun.index(name) + 1}")

    def _lay_ferry(self, cell: Cell, location: str) -> None:
        """Place the ferry on a new lake, or move one, after questions that the save omits."""
        sides = [Spot[side] for side in look_up(SIDES, "Road", location)]
        turned = sorted((side + self._turns) % 4 for side in sides)
        self._reach(Phase.FERRY if cell == self._last else Phase.FERRIES)
        self.game.apply(f"ferry {format_cell(cell)} {''.join(Spot(side).name for side in turned)}")

    def _move_neutral(self, payload: dict[str, Any]) -> None:
        figure = str(payload["figureId"])
        who = figure.partition(".")[0]
        if who in MAGIC:
            self._move_magic(who, payload["to"])
        elif who == "count":
            self.game.apply(f"count {_quarter(payload['to'])}")
        else:
            raise ValueError(f"carc_env does not read moves of {figure}")

    def _move_magic(self, who: str, to: dict[str, Any] | None) -> None:
        """Move the mage or the witch, or set the figure aside if no place is left (MW-05)."""
        if to is None:
            self.game.apply(f"{who} off")
            return
        x, y = self._cell(to["position"])
        self.game.apply(f"to {x},{y}")
        self.game.apply(f"{who} {x},{y} {self._spot(to).name}")

    def _check_player(self) -> None:
        """Refuse moves out of turn: leaving Carcassonne (COU-19) or at a crop circle (CRN-05)."""
        if self._player not in (None, self.game.decider):
            raise ValueError(f"by our rules it is {SEATS[self.game.decider]} who moves here")

    def _keep_abbots_out(self) -> None:
        """Answer a question about an abbot alone, since theirs never enters Carcassonne."""
        if self.game.phase == Phase.ENTER:
            choices = map(self.game.choice, self.game.legal_actions())
            if {choice.figure for choice in choices} == {None, Figure.ABBOT}:
                self._answer()

    def _pass(self, _: dict[str, Any]) -> None:
        if self.game.phase == Phase.JOIN:
            self._check_player()
        if self.game.phase == Phase.BAZAAR_BID:
            self.game.apply("pass")
        elif self.game.phase in ANSWERS:
            self._answer()

    def _commit(self, _: dict[str, Any]) -> None:
        while self.game.phase in OPTIONAL:
            self._answer()


def _kind_of(place: str) -> str:
    """Return the kind of feature at a location, which early versions do not store."""
    if place in SIDES:
        return "City"  # or a road: their spots have the same names
    return "Monastery" if place in ("I", LYING) else "Field"


def _figure(payload: dict[str, Any]) -> Figure:
    """Return the kind of figure that a message names."""
    kind: Figure = look_up(FIGURE_IDS, "figure", str(payload["meepleId"]).split(".")[1])
    return kind


def _quarter(pointer: dict[str, Any]) -> str:
    """Return our name for a quarter of Carcassonne."""
    return str(look_up(QUARTERS, "quarter", str(pointer["location"])).name.lower())


def _hand(game: Game, tile: str) -> None:
    """Give a different tile to the player who must place one."""
    game._states["hand"] = DESIGN[tile]
    game._list_legal()

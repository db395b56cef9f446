"""Write the tables of the documentation from what the rules and systems declare (``make docs``).

    python scripts/write_tables.py            rewrite them
    python scripts/write_tables.py --check    only check that they are up to date

Tables, pages' tables of contents, and the cards at the top of a set's page are placed between
``<!-- table: NAME -->`` and ``<!-- end of table -->``.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import takewhile
from pathlib import Path
from textwrap import wrap
from typing import Any

import matches
import tyro
import yaml
from carc_env.agents.commands import observe
from carc_env.agents.intervals import Estimate
from carc_env.agents.known_results import FOLDER, read_rows
from carc_env.agents.named_settings import settings_of_the_package
from carc_env.agents.report import half_of, markdown, percent
from complexity import PUBLISHED, measured

from carc_env.engine.core.codes import FIGURE_SPOTS
from carc_env.envs.games import Games
from carc_env.envs.text.tasks import TEXT_TASKS
from carc_env.layout.actions import action_layout
from carc_env.layout.encodings import make_encoding
from carc_env.layout.observations import (
    FEATURE_COLUMNS,
    global_names,
    max_active,
    max_legal,
    max_tiles,
    plane_names,
)
from carc_env.layout.rule_globals import RULE_MEANINGS, general_name, rule_names
from carc_env.rules import (
    CHOICES,
    MAX_BID_LIMIT,
    MAX_VIEW,
    MIN_VIEW,
    PRESETS,
    TILE_SETS,
    Layout,
    Rules,
)
from carc_env.search.weights import INSIGHT, PLAIN, shipped
from carc_env.systems import QUESTIONS, SYSTEMS, figures_in_play
from carc_env.systems.elsewhere import ELSEWHERE
from carc_env.systems.looks import looks_of
from carc_env.web.cards import head_of

ROOT = Path(__file__).resolve().parents[1]
ENGINE = ROOT / "carc_env/engine"
ROOMS = {
    **{"compiler/": "*.py", "core/": "*.py", "../sets/": "*[!_eg].py", "flow/": "*.py"},
    **{"problems/": "*.py", "sight/": "*.py", "entry.py": ""},
}
"""Subpackages of the engine with their files; each imports only earlier ones."""
WAITING = ROOT / "tests/rules/deferred.yaml"
CENSUS = ROOT / "tests/census"
TILE_KEYS = ROOT / "docs/schemas/tile-keys.yaml"
TEXT_RESULTS = ROOT / "docs/results/text.json"
TUNING, TUNED = ROOT / "configs/experiments/tuning.yaml", "tuning.csv"
"""The ranges from which ``tune.py`` draws settings, and the table of its runs."""
HEADERS = ROOT / "carc_env/game/headers.yaml"
IMAGES = "images"
"""Path of the pictures, relative to the tiles page."""
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
STRENGTH = ("greedy", "insight", "search", "greedy-4", "insight-4", "search-4")
"""Groups of matches in the strength table."""
README_AGENTS = ("search:sims=1000", "insight", "value", "greedy", "random")
_TABLE = re.compile(r"(<!-- table: ([a-z]+) -->\n)(.*?)(<!-- end of table -->)", re.DOTALL)
EVERYTHING = Rules.preset(
    "big-box",
    n_players=2,
    sets=TILE_SETS,
    castle_choice="ask",
    bridge_timing="any_time_before_scoring",
    gold_choice="ask",
    crop_circle_tiles="both",
)
for _system in SYSTEMS:
    if not _system.is_on(EVERYTHING):
        EVERYTHING = EVERYTHING.replace(**{_system.switches[0]: True})
WIDTH = 120
ENCODINGS = ("planes", "tokens", "sparse", "features")
RANGES = {
    "n_players": "2 to 6",
    "deck_size": "1 to as many as the sets have",
    "view": f"even, {MIN_VIEW} to {MAX_VIEW}",
    "bazaar_bid_limit": f"1 to {MAX_BID_LIMIT}",
    "sets": ", ".join(f'`"{name}"`' for name in TILE_SETS[1:]),
}
"""Allowed values of switches that are not a choice from a short list."""


def words_of_switches() -> dict[str, str]:
    """Return the first sentence of each ``Rules`` field's docstring."""
    (tree,) = ast.parse(inspect.getsource(Rules)).body
    assert isinstance(tree, ast.ClassDef)
    words = {}
    for node, below in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(node, ast.AnnAssign) and isinstance(below, ast.Expr):
            text = " ".join(str(ast.literal_eval(below.value)).split("\n\n")[0].split())
            text = re.sub(r":attr:`(\w+)`", r"`\1`", text).replace("``", "`")
            words[ast.unparse(node.target)] = text
    return words


def code(value: Any) -> str:
    """Return a value as code; strings in double quotes."""
    return "`" + repr(value).replace("'", '"').replace(",)", ",)") + "`"


def values_of(name: str) -> str:
    """Return a switch's default, then its other values."""
    default = getattr(Rules(), name)
    others = [value for value in CHOICES.get(name, ()) if value != default]
    shown = ", ".join(map(code, [default, *others]))
    return f"{shown}; {RANGES[name]}" if name in RANGES else shown


def switches() -> Iterator[str]:
    """Yield all fields of ``Rules``, by system."""
    yield "| system | switch | values, default first | what it decides |"
    yield "| --- | --- | --- | --- |"
    words = words_of_switches()
    for system in SYSTEMS:
        page = f"[{system.name}]({system.name}.md)"
        for name in system.switches:
            yield f"| {page} | `{name}` | {values_of(name)} | {words[name]} |"


def presets() -> Iterator[str]:
    """Yield the presets and their changes."""
    yield "| preset | what it changes |"
    yield "| --- | --- |"
    for name in PRESETS:
        yield f"| `{name}` | `{Rules.preset(name).to_yaml()}` |"


def base(table: Callable[[Rules], observe.Table]) -> Iterator[str]:
    """Yield a table of ``carc-env observe`` for the default rules."""
    yield from observe.markdown(table(Rules()), without=("page",))


def pages_of_systems() -> dict[str, str]:
    """Return the titles of the systems' rules pages by page name, in system order."""
    names = dict.fromkeys(system.name for system in SYSTEMS if system is not ELSEWHERE)
    texts = {name: ROOT / f"docs/rules/{name}.md" for name in names}
    return {n: page.read_text("utf-8").partition("\n")[0].strip("# ") for n, page in texts.items()}


def phases(name: str) -> observe.Table:
    """Return a table of the phases that a rules page explains."""
    rows = []
    for phase, q in sorted(QUESTIONS.items()):
        words = {"pass": q.passing, "accept": q.accepting, "decline": q.declining}
        said = ", ".join(f"{usual}: `{word}`" for usual, word in words.items() if word != usual)
        if any(system.name == name and q in system.questions for system in SYSTEMS):
            rows.append((f"`{phase.name}`", f"`{q.verb}`", q.decider, said))
    return observe.Table(("phase", "in the notation", "decider", "names of actions"), rows)


def sections(tables: Callable[[str], Iterator[observe.Table]]) -> Iterator[str]:
    """Yield a section for each rules page whose tables have rows."""
    for name, title in pages_of_systems().items():
        filled = [table for table in tables(name) if table.rows]
        if filled:
            yield from ("", f"## {title}", "", f"[Rules](../rules/{name}.md)")
        for table in filled:
            yield from ("", *observe.markdown(table, without=("page", "first")))
    yield ""


def action_tables(name: str) -> Iterator[observe.Table]:
    """Yield the tables of action blocks and phases for a rules page."""
    yield observe.actions(EVERYTHING, name)
    yield phases(name)


def observation_tables(name: str) -> Iterator[observe.Table]:
    """Yield the tables of planes and globals for a rules page."""
    yield observe.planes(EVERYTHING, name)
    yield observe.globals_(EVERYTHING, name)


def rule_globals() -> Iterator[str]:
    """Yield the globals that state the rules in a layout of everything."""
    found: dict[str, list[str]] = {}
    for name in rule_names(Layout.everything()):
        found.setdefault(general_name(name), []).append(name)
    yield "| numbers | name | meaning |"
    yield "| --: | --- | --- |"
    for name, alike in found.items():
        yield f"| {len(alike)} | `{name}` | {RULE_MEANINGS[name]} |"
    for name, alike in found.items():
        if len(alike) > 1 and name != "copies TILE":
            yield from ("", f"`{name}`: {', '.join(f'`{one}`' for one in alike)}")


def spots() -> Iterator[str]:
    """Yield the spots named by each figure kind's actions."""
    yield "| figure | spots | with all sets |"
    yield "| --- | --- | --- |"
    for figure, all_spots in FIGURE_SPOTS.items():
        usual = [spot.name for spot in Rules().spots_of(figure)]
        added = [spot.name for spot in all_spots if spot.name not in usual]
        title = figure.name.lower()
        yield f"| `{title}` | `{' '.join(usual)}` | {f'`{added[0]}`' if added else ''} |"


def shapes() -> Iterator[str]:
    """Yield the sizes of observations and actions."""
    sizes = ("planes", "globals", "actions", "`max_tiles`", "`max_active`", "`max_legal`")
    yield f"| rules | players | {' | '.join(sizes)} |"
    yield "| --- " + "| --: " * (len(sizes) + 1) + "|"
    for name in PRESETS:
        for n_players in (2, 4):
            rules = Rules.preset(name, n_players=n_players)
            found = (
                len(plane_names(rules)),
                len(global_names(rules)),
                action_layout(rules).n_actions,
                max_tiles(rules),
                max_active(rules),
                max_legal(rules),
            )
            yield f"| `{name}` | {n_players} | {' | '.join(f'{size:,}' for size in found)} |"


PADDING = {
    "board": "cells without a tile are 0",
    "tokens": "rows after the last tile are 0; `tokens[:, 0]`, the plane `occupied`, is the mask",
    "indices": "`view * view * planes` from `n_active` on",
    "weights": "0 from `n_active` on",
    "features": "rows from `n_features` on are 0",
    "links": "-1 from `n_links` on",
    "legal": "-1 from `n_legal` on",
    "action_mask": "all 0 for a seat that does not decide",
}


def arrays() -> Iterator[str]:
    """Yield the arrays of every encoding."""
    yield "| `encoding=` | array | dtype | shape, base game of two players | values | padding |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name in ENCODINGS:
        boxes = make_encoding(Rules(), name).space()
        for array in sorted(boxes.keys() - {"globals"}):
            yield array_row(f"`{name}`", array, boxes[array])
    both = make_encoding(Rules(), "sparse", action_mask=True, legal_list=True).space()
    yield array_row("all", "globals", both["globals"])
    for array in ("action_mask", "legal", "n_legal"):
        yield array_row("optional", array, both[array])


def array_row(encoding: str, name: str, box: Any) -> str:
    """Return a row of the array table."""
    low, high = box.low.min(), box.high.max()
    span = f"{low:,} to {high:,}" if box.dtype.kind in "iu" else f"{low:,.0f} to {high:,.0f}"
    cells = (encoding, f"`{name}`", box.dtype, box.shape, span, PADDING.get(name, ""))
    return f"| {' | '.join(map(str, cells))} |"


def feature_columns() -> Iterator[str]:
    """Yield the columns of features in the base game."""
    yield "| column | meaning |"
    yield "| --- | --- |"
    figures = {f"{figure.name.lower()}s #": "" for figure in figures_in_play(Rules())}
    for name, meaning in (FEATURE_COLUMNS | figures).items():
        yield f"| `{name}` | {meaning or 'such figures of the seat on the feature'} |"


def memory() -> Iterator[str]:
    """Yield the bytes of a game in the vector environment, by rules and encoding."""
    yield "| rules | `encoding=` | engine | board | globals | mask | list |"
    yield "| --- | --- | --: | --: | --: | --: | --: |"
    for name, rules, encoding in (
        ("base game, 2 players", Rules(), "planes"),
        ("with `view=16`", Rules(view=16), "planes"),
        ("base game, 2 players", Rules(), "tokens"),
        ("preset `all`, 4 players", Rules.preset("all", n_players=4), "planes"),
    ):
        games = Games(rules, 1, make_encoding(rules, encoding, legal_list=True))
        shown = games.canvas
        engine = games.states.nbytes + games.lanes.nbytes + shown.shown.nbytes
        parts = (shown.boards, shown.globals, shown.masks, shown.legal)
        sizes = (engine, *(part.nbytes for part in parts))
        yield f"| {name} | `{encoding}` | {' | '.join(f'{size:,}' for size in sizes)} |"


def complexity() -> Iterator[str]:
    """Yield the results of ``complexity.py``, then published numbers for other games."""
    yield "| game | decisions | legal actions | positions, log10 | tree, log10 |"
    yield "| --- | --: | --: | --: | --: |"
    for row in measured():
        name = f"`{row['preset']}`, {row['players']} players"
        cells = (name, f"{row['decisions']:.0f}", f"{row['legal']:.0f}", "", f"{row['tree']:,.0f}")
        yield f"| {' | '.join(cells)} |"
    for published in PUBLISHED:
        yield f"| {' | '.join(published)} |"


def ladder() -> Iterator[str]:
    """Yield five base-game ratings from the page that ``ladder.py`` wrote."""
    page = (ROOT / "docs/ladder.md").read_text(encoding="utf-8")
    rows = page.partition("## Base game")[2].partition("| agent |")[2].partition("\n\n")[0]
    yield "| agent | % won (all opponents) | Elo (greedy = 0) |"
    yield "| --- | --: | --: |"
    for row in rows.splitlines()[2:]:
        agent, _, won, _, elo, *_ = (cell.strip() for cell in row.strip("|").split("|"))
        if agent in README_AGENTS:
            yield f"| `{agent}` | {won} | {elo} |"


def levels() -> Iterator[str]:
    """Yield the page's levels and their Elo ratings from ``levels.py``."""
    yield "| level | agent | Elo (level 1 = 0) | step | % won against the next |"
    yield "| --: | --- | --: | --: | --: |"
    table = json.loads((ROOT / "carc_env/web/levels.json").read_text(encoding="utf-8"))
    before = 0
    for number, row in enumerate(table["levels"], start=1):
        low, high = row["interval"]
        elo = f"{row['elo']:,} ({low:,} to {high:,})" if number > 1 else "0"
        step = f"{row['elo'] - before:,}" if number > 1 else ""
        won = percent(Estimate(*row["won"])) if "won" in row else ""
        yield f"| {number} | `{row['agent']}` | {elo} | {step} | {won} |"
        before = row["elo"]
    yield ""
    yield f"{table['decks']} decks from both seats for each pairing, {table['made']}."


def settings() -> Iterator[str]:
    """Yield the training settings that come with the package, and their descriptions."""
    yield "| name | what it is |"
    yield "| --- | --- |"
    for name, path in settings_of_the_package().items():
        lines = takewhile(lambda line: line.startswith("#"), path.read_text("utf-8").splitlines())
        words = " ".join(line.removeprefix("# ") for line in lines)
        yield f"| `{name}` | {words} |"


def weights(evaluation: str = PLAIN) -> Iterator[str]:
    """Yield an evaluation's shipped weights with the results of ``ship_weights.py``."""
    yield "| name | games | % won against the earlier weights |"
    yield "| --- | --: | --: |"
    own = {name: w for name, w in shipped().items() if w.evaluation == evaluation}
    for name, found in own.items():
        share = found.about.get("before")
        won = percent(Estimate(*share)) if share else ""
        yield f"| `{name}` | {found.about['games']:,} | {won} |"


def strength() -> Iterator[str]:
    """Yield the results of ``matches.py`` in each preset."""
    plan = matches.groups()
    rows = matches.rows_by_preset([plan[name] for name in STRENGTH], matches.read_kept())
    yield from markdown(rows).splitlines()


def rooms() -> Iterator[str]:
    """Yield the engine's files by subpackage, with the first sentence of each docstring."""
    yield from ("| room | file | holds |", "| --- | --- | --- |")
    for room, files in ROOMS.items():
        base = ENGINE / room
        inside = sorted({*base.glob("__init__.py"), *base.rglob(files)}) if files else [base]
        for file in inside:
            name = file.relative_to(base).as_posix().removesuffix("__init__.py")
            words = (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").split("\n\n")[0]
            words = " ".join(words.replace("``", "`").split())
            words = re.sub(r"docs/(rules/[\w-]+\.md)", r"[rules](../\1)", words)
            cells = f"| | `{name}` |" if name.strip(".") else f"| `{room}` | |"
            yield f"{cells} {words} |"


def waiting() -> Iterator[str]:
    """Yield the rules that no test can state yet, and the set that each waits for."""
    yield from ("| id | rule | waits for |", "| --- | --- | --- |")
    for rule_id, entry in yaml.safe_load(WAITING.read_text(encoding="utf-8"))["fully"].items():
        rule, _, name = entry.removesuffix(")").rpartition(" (")
        yield f"| {rule_id} | {rule} | {name} |"


TOTALS = {
    **{name: name for name in ("designs", "tiles", *"CFRVK", "fields", "roads", "cities")},
    **{"arms": "coats of arms", "monasteries": "monasteries", "gardens": "gardens"},
}
"""Column headings of totals in the census."""


def tile_files() -> dict[Path, dict[str, Any]]:
    """Return the tile files of all sets, by folder."""
    paths = ROOT.glob("carc_env/**/tiles.json")
    return {path.parent: json.loads(path.read_text("utf-8")) for path in paths}


def tiles() -> Iterator[str]:
    """Yield each set's totals from its census."""
    yield f"| set | name | {' | '.join(TOTALS.values())} | others |"
    yield f"| --- | --- {'| --: ' * len(TOTALS)}| --- |"
    heads = {name: head["name"] for f in tile_files().values() for name, head in f["sets"].items()}
    for name in TILE_SETS:
        told = yaml.safe_load((CENSUS / f"{name}.yaml").read_text("utf-8"))["totals"]
        others = (f"{key}: {n}" for key, n in told.items() if key not in TOTALS and "_" not in key)
        cells = (f"`{name}`", heads[name], *(told.get(key, 0) for key in TOTALS), ", ".join(others))
        yield f"| {' | '.join(map(str, cells))} |"


def keys() -> Iterator[str]:
    """Yield the keys of the tile files with their meanings."""
    for part, told in yaml.safe_load(TILE_KEYS.read_text("utf-8")).items():
        yield from (f"| {part} | |", "| --- | --- |")
        for keys, meaning in told.items():
            yield f"| {', '.join(f'`{key}`' for key in keys.split(', '))} | {meaning} |"
        yield ""


def headers() -> Iterator[str]:
    """Yield the headers of positions with their meanings."""
    for name, told in yaml.safe_load(HEADERS.read_text("utf-8")).items():
        yield from (f"## {name}", "", "| header | meaning |", "| --- | --- |")
        yield from (f"| `{example}` | {meaning} |" for example, meaning in told.items())
        yield ""


def designs() -> Iterator[str]:
    """Yield a section for each set: its picture and a row for each of its tiles."""
    files = tile_files().values()
    for name in TILE_SETS:
        (file,) = (file for file in files if name in file["sets"])
        title = file["sets"][name]["name"]
        yield from (f"### {title}", "", f"![The tiles]({IMAGES}/{name}-tiles.png)", "")
        yield from ("| tile | edges | C1 | C2 | it shows |", "| --- | --- | --: | --: | --- |")
        held = file.get("player_tiles", []) if name == "abbey" else []
        for row in [*(row for row in file["tiles"] if row["set"] == name), *held]:
            n = row.get("n", {})
            cells = (row["edges"], n.get("C1", ""), n.get("C2", ""), looks_of(row))
            yield f"| `{row['id']}` | {' | '.join(map(str, cells))} |"
        yield ""


def names() -> Iterator[str]:
    """Yield each set's names: its preset, folder, ID and tile prefix."""
    yield "| set | preset | room | id in `sets` | tiles |"
    yield "| --- | --- | --- | --- | --- |"
    rooms = {name: (room, file) for room, file in tile_files().items() for name in file["sets"]}
    for name in TILE_SETS:
        room, file = rooms[name]
        prefix = next(tile["id"] for tile in file["tiles"] if tile["set"] == name).split("-")[0]
        sets = ("base", name) if name != "base" else None
        preset = next((p for p, told in PRESETS.items() if told.get("sets") == sets), None)
        folder = room.name if room.parent.name == "sets" else None
        told = (f"`{word}`" if word else "" for word in (preset, folder, name, f"{prefix}-"))
        yield f"| {file['sets'][name]['name']} | {' | '.join(told)} |"


def contents(text: str) -> Iterator[str]:
    """Yield a page's headings."""
    in_code = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for level, title in re.findall(r"^(##+) (.+)$", in_code, re.M):
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        yield f"{'  ' * (len(level) - 2)}- [{title}](#{anchor})"


def text_tasks() -> Iterator[str]:
    """Yield the tasks for language models."""
    yield from ("| task | items | content | result |", "| --- | --: | --- | --- |")
    for task in TEXT_TASKS.values():
        yield f"| `{task.name}` | {task.n_items} | {task.title} | {task.measures} |"


def text_baselines() -> Iterator[str]:
    """Yield what agents reach through the text, as ``carc-env text evaluate`` has measured it."""
    rivals = TEXT_TASKS["text-base-v1"].rivals
    yield f"| agent | regret | best actions | % won, {', '.join(f'`{r}`' for r in rivals)} |"
    yield "| --- | --: | --: | --: |"
    for agent, told in json.loads(TEXT_RESULTS.read_text("utf-8")).items():
        regret, best = (Estimate(**told["text-endgames-v1"][name]) for name in ("regret", "best"))
        won = [f"{told['text-base-v1'][rival]['value']:.0%}" for rival in rivals]
        regret_told = f"{regret.value:.3f} ± {half_of(regret):.3f}"
        yield f"| {agent} | {regret_told} | {best.value:.1%} | {', '.join(won)} |"


def tuned() -> Iterator[str]:
    """Yield how many settings each training method had, the best of them, and the first."""
    head = "% won, `greedy` (first) | % won, `value` (first)"
    yield f"| method | task | settings tried | {head} | the best |"
    yield "| --- | --- | --: | --: | --: | --- |"
    rows = read_rows(FOLDER / TUNED)
    columns = "greedy win_rate", "value win_rate"
    for one in yaml.safe_load(TUNING.read_text(encoding="utf-8")):
        for task in one["tasks"]:
            tried = [row for row in rows if (row["training"], row["task"]) == (one["name"], task)]
            told = ["-", "-", "-"]
            if tried:
                best = max(tried, key=lambda row: sum(float(row[name]) for name in columns))
                first = next((row for row in tried if not int(row["setting"])), {})
                told = [
                    f"{100 * float(best[name]):.1f} ({100 * float(first.get(name, 'nan')):.1f})"
                    for name in columns
                ]
                told.append(f"`{best['settings']}`")
            yield f"| {one['name']} | {task} | {len(tried)} | {' | '.join(told)} |"


TABLES: dict[str, Callable[[], Iterator[str]]] = {
    "switches": switches,
    "presets": presets,
    "blocks": partial(base, observe.actions),
    "planes": partial(base, observe.planes),
    "globals": partial(base, observe.globals_),
    "spots": spots,
    "actionsets": partial(sections, action_tables),
    "observationsets": partial(sections, observation_tables),
    "ruleglobals": rule_globals,
    "shapes": shapes,
    "arrays": arrays,
    "features": feature_columns,
    "memory": memory,
    "complexity": complexity,
    "ladder": ladder,
    "levels": levels,
    "settings": settings,
    "weights": weights,
    "insight": partial(weights, INSIGHT),
    "strength": strength,
    "rooms": rooms,
    "waiting": waiting,
    "texttasks": text_tasks,
    "textbaselines": text_baselines,
    "tiles": tiles,
    "keys": keys,
    "headers": headers,
    "designs": designs,
    "names": names,
    "tuned": tuned,
}


def cards(page: str) -> Iterator[str]:
    """Yield a set's cards for the top of its page."""
    for k, paragraph in enumerate(head_of(page)):
        yield from ([""] if k else [])
        yield from wrap(paragraph, WIDTH)


def with_tables(text: str, stem: str) -> str:
    """Return a page's text with up-to-date tables; ``stem`` is its file name without extension."""

    def anew(match: re.Match[str]) -> str:
        if match[2] == "contents":
            return match[0]
        if match[2] == "cards":
            lines = cards(stem)
        else:
            lines = TABLES[match[2]]()
        return match[1] + "\n".join(lines) + "\n" + match[4]

    filled = _TABLE.sub(anew, text)
    listed = "\n".join(contents(filled))
    return _TABLE.sub(lambda m: f"{m[1]}{listed}\n{m[4]}" if m[2] == "contents" else m[0], filled)


def written(page: Path) -> str:
    """Return a page's text with up-to-date tables."""
    return with_tables(page.read_text(encoding="utf-8"), page.stem)


def main(check: bool = False) -> int:
    """Rewrite all tables.

    Parameters
    ----------
    check
        Write nothing; the exit status is 1 if a table is not up to date.
    """
    stale = []
    for page in PAGES:
        new = written(page)
        if new != page.read_text(encoding="utf-8"):
            stale.append(str(page.relative_to(ROOT)))
            if not check:
                page.write_text(new, encoding="utf-8")
    if stale:
        print(f"{'not up to date' if check else 'written'}: {', '.join(stale)}")
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(tyro.cli(main))

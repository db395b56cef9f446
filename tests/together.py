"""List the rules that connect two sets, and count how they were tested (``make docs``).

Writes ``carc_env/systems/pairs.json``, which ``carc-env together`` and the rules page on the site
read. For each pair of sets, the file lists the rules on one set's page that mention the other set.
It also counts the tests marked with rules of both sets, the bundled games of an independent engine
with both sets in play, and the rule variants for random games with both sets.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

from carc_env.game.records import parse_record
from carc_env.rules import Rules
from carc_env.sets import ROOMS, read_all
from carc_env.systems import SYSTEMS
from tests.engine.test_random_games import variants_of_anything
from tests.peer.logs import read_logs
from tests.peer.translate import DATA, rules
from tests.rules.test_catalogue import all_ids, entries, marked_tests

ROOT = Path(__file__).resolve().parents[1]
FILE, FOLDER = ROOT / "carc_env/systems/pairs.json", ROOT / "docs/rules"
NAMED = {
    card["page"]: card["named"]
    for room in read_all("cards.json", ROOMS)
    for card in room.values()
    if "named" in card
}
_INDEX = (re.search(r"\]\(([\w-]+)\.md\)", words) for _, words in entries("README"))
WORDS = {page: NAMED[page] for found in _INDEX if found and (page := found[1]) in NAMED}
"""Page of a set -> regex of the words with which other pages mention it, in index order."""
TITLES = {page: (FOLDER / f"{page}.md").read_text("utf-8").partition("\n")[0][2:] for page in WORDS}
LINKS_ONLY = {
    ("river-2", "river"): "the River II is a river as well",
    ("river-2", "princess-dragon"): "its lake shows a volcano, whoever plays with the dragon",
    ("little-buildings", "tower"): "one of the little buildings is a tower",
    ("watchtowers", "tower"): "they are towers of another kind",
    ("wind-roses", "count"): "roses have quarters, too",
    ("count", "inns"): "one quarter is the cathedral",
    ("count", "castles"): "one quarter is the castle",
    ("monasteries", "inns"): "a meeple may come from the cathedral of Carcassonne",
}
"""Page, other page -> why the words can mean something else, so that only links count."""
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
Pair = tuple[str, str]


def homes() -> dict[str, str]:
    """Return, for each letter prefix of ids, the page that has the most of them."""
    found = defaultdict(Counter)
    for page in WORDS:
        for ids, _ in entries(page):
            for entry in all_ids(ids):
                found[entry.partition("-")[0]][page] += 1
    return {name: pages.most_common(1)[0][0] for name, pages in found.items()}


def speaks_of(page: str, other: str, words: str) -> bool:
    """Return whether a row of a page is about the set of another page."""
    if f"]({other}.md)" in words:
        return True
    named = re.search(rf"\b(?:{WORDS[other]})\b", LINK.sub(r"\1", words))
    return named is not None and (page, other) not in LINKS_ONLY


Row = tuple[str, str, str]
"""A page, the ids of one of its rules, and the text of that rule."""


@cache
def said() -> dict[Pair, list[Row]]:
    """Return the rules of two sets that mention each other; an id's home page wins."""
    found = defaultdict(list)
    for page in WORDS:
        for ids, words in entries(page):
            for other in WORDS:
                if other != page and speaks_of(page, other, words):
                    found[in_order(page, other)].append((page, ids, words))
    return {pair: once(rows) for pair, rows in found.items()}


def once(rows: list[Row]) -> list[Row]:
    """Return the rows, without those whose ids all occur in other rows that are kept."""
    home, told, kept = homes(), set(), set()
    at_home = [home[ids.partition("-")[0]] == page for page, ids, _ in rows]
    for row in sorted(range(len(rows)), key=lambda row: not at_home[row]):
        ids = {*all_ids(rows[row][1])}
        if not ids <= told:
            kept.add(row)
            told |= ids
    return [row for k, row in enumerate(rows) if k in kept]


def in_order(*pages: str) -> Pair:
    """Return two pages in the order of ``WORDS``."""
    first, second = sorted(pages, key=[*WORDS].index)
    return first, second


def pairs(groups: Iterable[set[str]]) -> Counter[Pair]:
    """Count in how many groups of pages each pair occurs."""
    return Counter(
        pair for group in groups for pair in combinations(sorted(group, key=[*WORDS].index), 2)
    )


def pages_of(ids: Iterable[str], page_of: dict[str, str]) -> set[str]:
    """Return the pages of the given ids, omitting ids that are on no page of a set."""
    return {page_of[entry] for entry in ids if entry in page_of}


def in_play(rules: Rules) -> set[str]:
    """Return the pages whose systems or tiles are in play under the rules."""
    found = {system.name for system in SYSTEMS if system.is_on(rules)}
    return found & set(WORDS)


def games() -> Iterator[Rules]:
    """Yield the rules of each bundled game of the independent engine."""
    seen = set()
    for path in sorted(DATA.glob("*.carc")):
        seen.add(path.stem)
        yield parse_record(path.read_text(encoding="utf-8")).rules
    for path in sorted((DATA / "logs").iterdir()):
        if path.name.partition(".")[0] not in seen:
            yield from (rules(log.header["setup"]) for log in read_logs(path))


def written() -> str:
    """Return the content that the file should have."""
    page_of = {entry: page for page in WORDS for ids, _ in entries(page) for entry in all_ids(ids)}
    variants, peers = list(variants_of_anything()), list(games())
    tests = pairs(pages_of(ids, page_of) for ids in marked_tests().values())
    replayed, random = pairs(map(in_play, peers)), pairs(map(in_play, variants))
    rules: dict[str, dict[str, str]] = defaultdict(dict)
    met = {}
    for pair in combinations(WORDS, 2):
        rows = said().get(pair, [])
        for page, ids, words in rows:
            rules[page][ids] = words
        counts = [tests[pair], replayed[pair], random[pair]]
        met[" ".join(pair)] = {"counts": counts, "rules": [[page, ids] for page, ids, _ in rows]}
    head = {"titles": TITLES, "replayed": len(peers), "random": len(variants)}
    lines = [f' "{name}": {json.dumps(value)},' for name, value in head.items()]
    told = {page: rules[page] for page in WORDS if page in rules}
    return "\n".join(["{", *lines, *block("rules", told), *block("pairs", met), "}", ""])


def block(name: str, entries: dict[str, object]) -> Iterator[str]:
    """Yield the lines of a mapping in the file, one for each key."""
    rows = [f'  "{key}": {json.dumps(value, ensure_ascii=False)}' for key, value in entries.items()]
    yield f' "{name}": {{'
    yield ",\n".join(rows)
    yield " }" if name == "pairs" else " },"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")

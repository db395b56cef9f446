"""What happens when two sets meet, and how that was tested: ``make docs``.

Writes docs/rules/together.md: for each pair of pages of rules, the entries of one that speak of the
other, how many tests carry entries of both, in how many of the bundled games of an independent
engine both are in play, and under how many of the rules that random games are played with.
"""

from __future__ import annotations

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
from scripts.write_tables import contents
from tests.engine.test_random_games import variants_of_anything
from tests.peer.logs import read_logs
from tests.peer.translate import DATA, rules
from tests.rules.test_catalogue import all_ids, entries, marked_tests

PAGE = Path(__file__).resolve().parents[1] / "docs/rules/together.md"
FOLDER = PAGE.parent
NAMED = {
    card["page"]: card["named"]
    for room in read_all("cards.json", ROOMS)
    for card in room.values()
    if "named" in card
}
_INDEX = (re.search(r"\]\(([\w-]+)\.md\)", words) for _, words in entries("README"))
WORDS = {page: NAMED[page] for found in _INDEX if found and (page := found[1]) in NAMED}
"""Page of a set -> words by which the entries of others speak of it, in the order of the index."""
TITLES = {page: (FOLDER / f"{page}.md").read_text("utf-8").partition("\n")[0][2:] for page in WORDS}
HEAD = """# Two sets together

What happens when two sets meet: the rules of one that speak of the other. Each pair stands once,
under the set that comes first in the list below. The table of a set has the pairs with such a rule.
Below it are the sets with which nothing special happens: each set does what it does alone. Three
numbers, which stand in brackets there, say how a pair was tested:

- **tests**: the tests of rules that name rules of both sets;
- **replayed**: of {m} games of another program, which replay here without a difference, those with
  both sets;
- **random**: of {n} different choices of rules, under which random games are played and checked at
  every decision, those with both sets.

Which sets are in play is said by `sets` and by switches: [all rules](README.md).

<!-- table: contents -->
{contents}
<!-- end of table -->
"""
"""The beginning of the page."""
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
"""Page, other page -> why its words may mean something else: only links are of the other."""
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
Pair = tuple[str, str]


def homes() -> dict[str, str]:
    """The page that has most rows of ids with the same letters."""
    found = defaultdict(Counter)
    for page in WORDS:
        for ids, _ in entries(page):
            for entry in all_ids(ids):
                found[entry.partition("-")[0]][page] += 1
    return {name: pages.most_common(1)[0][0] for name, pages in found.items()}


def speaks_of(page: str, other: str, words: str) -> bool:
    """Whether a row of a page is about the set of another one."""
    if f"]({other}.md)" in words:
        return True
    named = re.search(rf"\b(?:{WORDS[other]})\b", LINK.sub(r"\1", words))
    return named is not None and (page, other) not in LINKS_ONLY


@cache
def said() -> dict[Pair, list[str]]:
    """What the pages of two sets say of each other; of two rows with the same ids the home one."""
    found = defaultdict(list)
    for page in WORDS:
        for ids, words in entries(page):
            for other in WORDS:
                if other != page and speaks_of(page, other, words):
                    found[in_order(page, other)].append((page, ids, words))
    return {pair: [*once(rows)] for pair, rows in found.items()}


def once(rows: list[tuple[str, str, str]]) -> Iterator[str]:
    """Each row, unless others that are kept have all of its ids."""
    home, told, kept = homes(), set(), set()
    at_home = [home[ids.partition("-")[0]] == page for page, ids, _ in rows]
    for row in sorted(range(len(rows)), key=lambda row: not at_home[row]):
        ids = {*all_ids(rows[row][1])}
        if not ids <= told:
            kept.add(row)
            told |= ids
    yield from (f"{ids}: {words}" for row, (_, ids, words) in enumerate(rows) if row in kept)


def in_order(*pages: str) -> Pair:
    """Two pages in the order of ``WORDS``."""
    first, second = sorted(pages, key=[*WORDS].index)
    return first, second


def pairs(groups: Iterable[set[str]]) -> Counter[Pair]:
    """In how many groups of pages each pair is."""
    return Counter(
        pair for group in groups for pair in combinations(sorted(group, key=[*WORDS].index), 2)
    )


def pages_of(ids: Iterable[str], page_of: dict[str, str]) -> set[str]:
    """The pages that have entries, as far as they are of a set."""
    return {page_of[entry] for entry in ids if entry in page_of}


def in_play(rules: Rules) -> set[str]:
    """The pages of what rules have in play, systems or tiles."""
    found = {system.name for system in SYSTEMS if system.is_on(rules)}
    return found & set(WORDS)


def games() -> Iterator[Rules]:
    """The rules of each bundled game of the independent engine."""
    seen = set()
    for path in sorted(DATA.glob("*.carc")):
        seen.add(path.stem)
        yield parse_record(path.read_text(encoding="utf-8")).rules
    for path in sorted((DATA / "logs").iterdir()):
        if path.name.partition(".")[0] not in seen:
            yield from (rules(log.header["setup"]) for log in read_logs(path))


def written() -> str:
    """The page as it should be."""
    page_of = {entry: page for page in WORDS for ids, _ in entries(page) for entry in all_ids(ids)}
    variants = list(variants_of_anything())
    tests = pairs(pages_of(ids, page_of) for ids in marked_tests().values())
    replayed, random = pairs(map(in_play, games())), pairs(map(in_play, variants))
    titles = [*TITLES.items()][:-1]  # the last one is with each of the others
    headings = contents("\n".join(f"## {title}" for _, title in titles))
    n_games = sum(1 for _ in games())
    lines = [HEAD.format(n=len(variants), m=n_games, contents="\n".join(headings))]
    for page, title in titles:
        lines += [f"## {title}", ""]
        later = [pair for pair in combinations(WORDS, 2) if pair[0] == page]
        if told := [pair for pair in later if pair in said()]:
            lines += ["| with | what happens | tests | replayed | random |"]
            lines += ["| --- | --- | --: | --: | --: |"]
        for pair in told:
            counts = f"{tests[pair]} | {replayed[pair]} | {random[pair]}"
            lines.append(f"| {link(pair[1])} | {'<br>'.join(said()[pair])} | {counts} |")
        if told:
            lines.append("")
        if quiet := [
            f"{link(pair[1])} ({tests[pair]}, {replayed[pair]}, {random[pair]})"
            for pair in later
            if pair not in said()
        ]:
            lines += [f"Nothing special with: {'; '.join(quiet)}.", ""]
    return "\n".join(lines)


def link(page: str) -> str:
    """A page of a set by its title."""
    return f"[{TITLES[page]}]({page}.md)"


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")

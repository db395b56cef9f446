"""What happens when two sets meet, and how that was tested: ``python -m tests.together``.

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
from carc_env.systems import SYSTEMS
from scripts.write_tables import contents
from tests.engine.test_random_games import variants_of_anything
from tests.peer.logs import read_logs
from tests.peer.translate import DATA, rules
from tests.rules.test_catalogue import marked_tests

PAGE = Path(__file__).resolve().parents[1] / "docs/rules/together.md"
FOLDER = PAGE.parent
WORDS = {
    "river": "river|spring",
    "river-2": "River II|pig-herd",
    "abbot": "abbots?|gardens?",
    "inns": "inns?|cathedrals?|large",
    "traders": "builders?|pigs?|goods|wine|grain|cloth|second part",
    "abbey": "abbeys?",
    "mayor": "mayors?",
    "barn": "barns?",
    "wagon": "wagons?",
    "bridges": "bridges?",
    "castles": "castles?|fiefs?",
    "bazaars": "bazaars?|auctions?",
    "king-robber": "King|Robber",
    "shrines": "shrines?|challenges?",
    "hills-sheep": "hills?|vineyards?|shepherds?|sheep|flocks?",
    "princess-dragon": "dragon|fairy|princess(?:es)?|portals?|volcano(?:es)?",
    "tower": "towers?|prisoners?|prison|floors?|ransom",
    "count": "Count|Carcassonne|quarters?",
    "festival": "festivals?",
    "phantom": "phantoms?",
    "gold": "gold|ingots?",
    "siege": "siege|besieged|besiegers",
    "flier": "flying machines?|fliers?",
    "tunnel": "tunnels?|mouths?",
    "ferries": "ferr(?:y|ies)|lakes?",
    "mage-witch": "mage|witch",
    "watchtowers": "watchtowers?",
    "wind-roses": "wind roses?",
    "corn-circles": "corn circles?|circles?",
    "darmstadt": "church(?:es)?|Darmstadt(?:ium)?",
    "little-buildings": "little buildings?|sheds?|houses?",
    "russian-promos": "Solovei|Vodyanoy|traps?",
    "labyrinth": "labyrinths?|mazes?",
    "monasteries": "special monaster(?:y|ies)",
}
"""Page of a set -> words by which the entries of others speak of it."""
TITLES = {page: (FOLDER / f"{page}.md").read_text("utf-8").partition("\n")[0][2:] for page in WORDS}
HEAD = """# Two sets together

What happens when two sets meet: the entries of one that speak of the other. Then what was tried:
tests that carry entries of both, bundled games of an independent engine, which replay without a
difference, and under how many of the {n} rules that random games are played with, checked at every
decision, both are in play. Where no entry is named, each set does what it does alone. Which sets
are in play is said by `sets` and by switches: [all rules](README.md).

<!-- table: contents -->
{contents}
<!-- end of table -->
"""
"""The beginning of the page."""
OF_ITSELF = {("river-2", "river")}
"""Pages that use such a word of themselves."""
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
ROW = re.compile(r"^\| ((?:[A-Z0-9]+-\d+(?: to |, )?)+) \| (.+) \|$", re.M)

Pair = tuple[str, str]


def entries(page: str) -> Iterator[tuple[str, str]]:
    """The ids and words of each row of a page."""
    yield from ROW.findall((FOLDER / f"{page}.md").read_text(encoding="utf-8"))


@cache
def said() -> dict[Pair, list[str]]:
    """What the pages of two sets say of each other."""
    found = defaultdict(list)
    for page in WORDS:
        for ids, words in entries(page):
            for other, names in WORDS.items():
                if other == page or (page, other) in OF_ITSELF:
                    continue
                if f"]({other}.md)" in words or re.search(
                    rf"\b(?:{names})\b", LINK.sub(r"\1", words)
                ):
                    found[in_order(page, other)].append(f"{ids}: {words}")
    return found


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


def all_ids(words: str) -> Iterator[str]:
    """Each id of a list in which ``A-01 to A-03`` stands for three."""
    for part in words.split(", "):
        first, _, last = part.partition(" to ")
        name, _, low = first.rpartition("-")
        high = last.rpartition("-")[2] or low
        yield from (f"{name}-{k:02}" for k in range(int(low), int(high) + 1))


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
    lines = [HEAD.format(n=len(variants), contents="\n".join(headings))]
    for page, title in titles:
        later = [pair for pair in combinations(WORDS, 2) if pair[0] == page]
        lines += [f"## {title}", "", "| with | what happens | tests | games | random |"]
        lines.append("| --- | --- | --: | --: | --: |")
        for pair in later:
            other = f"[{TITLES[pair[1]]}]({pair[1]}.md)"
            happens = "<br>".join(said()[pair]) if pair in said() else ""
            lines.append(
                f"| {other} | {happens} | {tests[pair]} | {replayed[pair]} | {random[pair]} |"
            )
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")

"""The site: Sphinx reads the same Markdown that code hosts show (``make site``).

Pages are in the order of the lists on ``index.md``. A folder's ``README.md`` comes first, then its
other pages by name, so a new page of rules needs no line here.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from docutils.nodes import reference

DOCS = Path(__file__).parent

project = "carc_env"
author = "the carc_env authors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_reredirects"]
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"
nitpick_ignore_regex = [("py:.*", ".*")]  # docstrings refer to names that reference/api.md omits
exclude_patterns = ["_build"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
nb_execution_mode = "off"  # the tests execute the notebooks, and compare what they print
nb_merge_streams = True
html_theme = "furo"
html_title = "carc_env"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
pygments_style = "friendly"
pygments_dark_style = "monokai"

REDIRECTS = {
    "arena": "ladder.html#arena",
    "developers/numba": "developers/engine.html",
    "developers/speed": "performance.html#figures",
    "developers/tiles": "developers/engine.html",
    "encodings": "observations.html",
    "errata": "citing.html#errata",
    "experiments/abbot": "experiments/README.html#abbot",
    "experiments/first-seat": "experiments/README.html#first-seat",
    "experiments/frontier": "results.html",
    "experiments/luck": "experiments/README.html#luck",
    "experiments/rewards": "env.html#rewards",
    "experiments/sample-efficiency": "experiments/README.html#sample-efficiency",
    "experiments/transfer": "results.html#traders-transfer-v1",
    "first-hour": "start.html",
    "imitation": "models.html#imitation",
    "mistakes": "endgames.html#mistakes",
    "reference/settings": "training.html#settings-by-name",
    "rewards": "env.html#rewards",
    "rules/together": "rules/README.html",
}
"""Pages that moved, without suffix -> where their content is now."""
redirects = {
    old: os.path.relpath(new, Path(old).parent)
    for old, new in REDIRECTS.items()
    if not (DOCS / f"{old}.md").exists()
}


_SECTION = re.compile(r"^(?P<title>[A-Z]\w+)\n-{3,}$", re.M)
_ROLE = re.compile(r":(?P<role>class|meth|func|attr|exc):`(?P<name>[\w.]+)`")
_PAGE = re.compile(r"^- \[.*?\]\((?P<page>[\w/-]+)\.(?:md|ipynb)\)", re.M)


def toctree(caption: str, pages: list[str], *, glob: bool = False) -> str:
    """Return a hidden list of pages for the sidebar."""
    options = [
        ":hidden:",
        *([":glob:"] if glob else []),
        *([f":caption: {caption}"] * bool(caption)),
    ]
    return "\n".join(["", "```{toctree}", *options, "", *pages, "```", ""])


def add_pages(_: Any, name: str, source: list[str]) -> None:
    """Append the lists of pages to the index and to the first page of every folder."""
    if name == "index":
        for section in re.split(r"^## ", source[0], flags=re.M)[1:]:
            caption, _, text = section.partition("\n")
            source[0] += toctree(caption, [match["page"] for match in _PAGE.finditer(text)])
    elif Path(name).name == "README" and len([*(DOCS / name).parent.glob("*.md")]) > 1:
        source[0] += toctree("", ["*"], glob=True)


def as_rest(_: Any, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Turn the sections of a docstring into rubrics; their entries are definition lists already.

    Names in roles are found in any module.
    """
    text = _SECTION.sub(r".. rubric:: \g<title>\n", "\n".join(lines))
    lines[:] = _ROLE.sub(r":\g<role>:`.\g<name>`", text).split("\n")


def list_links(app: Any, error: Exception | None) -> None:
    """Write ``external-links.txt``: links that leave the site, which no build checks."""
    if error is None:
        doctrees = map(app.env.get_doctree, sorted(app.env.found_docs))
        found = {link.get("refuri", "") for tree in doctrees for link in tree.findall(reference)}
        lines = sorted(link for link in found if link.startswith("http"))
        Path(app.outdir, "external-links.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def add_pairs(app: Any, name: str, *_: Any) -> None:
    """Give the page of rules the search for two sets, with its data: a file cannot fetch one."""
    if name == "rules/README":
        pairs = (DOCS.parent / "carc_env/systems/pairs.json").read_text(encoding="utf-8")
        app.add_js_file(None, body=f"const PAIRS = {pairs};")
        app.add_js_file("together.js", loading_method="defer")


def setup(app: Any) -> None:
    """Take part in the build."""
    app.connect("html-page-context", add_pairs)
    app.connect("source-read", add_pages)
    app.connect("autodoc-process-docstring", as_rest)
    app.connect("build-finished", list_links)

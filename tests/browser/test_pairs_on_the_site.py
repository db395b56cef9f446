"""The site's search for two sets shows what ``carc-env together`` prints."""

from pathlib import Path

from carc_env.agents.commands.together import told

ROOT = Path(__file__).resolve().parents[2]


def test_the_search_shows_what_the_command_prints(chromium, tmp_path):
    pairs = (ROOT / "carc_env/systems/pairs.json").read_text(encoding="utf-8")
    script = (ROOT / "docs/_static/together.js").read_text(encoding="utf-8")
    file = tmp_path / "page.html"
    file.write_text(
        f'<meta charset="utf-8"><section id="two-sets-together"></section>'
        f"<script>const PAIRS = {pairs};</script><script>{script}</script>",
        encoding="utf-8",
    )
    page = chromium.new_page()
    page.goto(file.as_uri())
    for one, two in [("tower", "count"), ("count", "tower"), ("abbey", "wagon"), ("inns", "abbot")]:
        page.get_by_label("One set").select_option(one)
        page.get_by_label("Another set").select_option(two)
        _, *lines = told(one, two)
        assert page.locator("section div").inner_text().split() == " ".join(lines).split()
    page.get_by_label("One set").select_option("wagon")
    page.get_by_label("Another set").select_option("abbey")
    links = page.locator("section li a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
    assert {"abbey.html", "wagon.html"} <= set(links)
    page.get_by_label("Another set").select_option("wagon")
    assert page.locator("section div").inner_text() == ""
    page.close()

// The search for two sets on the page of rules; PAIRS is carc_env/systems/pairs.json.
{
  const section = document.getElementById("two-sets-together");
  const names = Object.keys(PAIRS.titles);
  const answer = document.createElement("div");
  answer.setAttribute("aria-live", "polite");

  const [first, second] = ["One set", "Another set"].map((label, k) => {
    const select = document.createElement("select");
    select.ariaLabel = label;
    for (const name of names) select.add(new Option(PAIRS.titles[name], name));
    select.selectedIndex = k;
    select.onchange = show;
    section.append(select, " ");
    return select;
  });
  section.append(answer);
  show();

  function show() {
    answer.replaceChildren();
    const pair = [first.value, second.value].sort((a, b) => names.indexOf(a) - names.indexOf(b));
    const found = PAIRS.pairs[pair.join(" ")];
    if (!found) return;
    const list = document.createElement("ul");
    for (const [page, ids] of found.rules) {
      const item = document.createElement("li");
      item.append(link(ids, page), ": ", ...linked(PAIRS.rules[page][ids]));
      list.append(item);
    }
    const [tests, replayed, random] = found.counts;
    answer.append(
      found.rules.length ? list : "No special rule: each set works as it does alone. ",
      `How tested: ${tests} tests carry rules of both; both are in ${replayed} of ${PAIRS.replayed} replayed games `
        + `of another engine, and in ${random} of ${PAIRS.random} choices of rules for random games.`,
    );
  }

  function link(text, page) {
    const a = document.createElement("a");
    a.textContent = text;
    a.href = `${page}.html`;
    return a;
  }

  function linked(text) {  // splits at Markdown links, of which every third part is the page
    return text.split(/\[([^\]]*)\]\(([^)#]*)\.md[^)]*\)/).flatMap((part, k, parts) =>
      k % 3 === 0 ? [part] : k % 3 === 1 ? [link(part, parts[k + 1])] : []);
  }
}

// How points come about: "4 tiles × 2 + 1 coat of arms × 2 = 10".

import { h } from "./dom.js";
import { t } from "./i18n.js";

const times = ({ n, of, each }) => t(`count.${of}`, { n }) + (Math.abs(each) === 1 || !n ? "" : ` × ${each}`);
const joined = (term, k) => (k ? (term.each < 0 ? " − " : " + ") : "") + times(term);

// The terms that there are; of those that are all 0 the first one.
export function sum(terms, points) {
  const some = terms.filter((term) => term.n);
  return `${(some.length ? some : terms.slice(0, 1)).map(joined).join("")} = ${points}`;
}

// Below what a feature is worth: how that is computed, now and complete.
export function sums({ terms, now, fullTerms, full, complete }) {
  const row = (key, parts, points) => parts && h("div", { class: "sum" }, t(key, { sum: sum(parts, points) }));
  return [row("feature.sum", terms, now), !complete && row("feature.sum.full", fullTerms, full)];
}

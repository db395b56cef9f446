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
export function sums(feature) {
  const rows = [];
  if (feature.terms) rows.push(h("div", { class: "sum" }, t("feature.sum", { sum: sum(feature.terms, feature.now) })));
  if (feature.fullTerms && !feature.complete)
    rows.push(h("div", { class: "sum" }, t("feature.sum.full", { sum: sum(feature.fullTerms, feature.full) })));
  return rows;
}

// Texts by key, in one table for each language.

let table = {};
export let language = "en";
export const LANGUAGES = { en: "English", de: "Deutsch" };
export const YOU = { en: "You", de: "Du" }; // what whoever sits here is called at first

export async function speak(wanted) {
  language = wanted in LANGUAGES ? wanted : "en";
  table = await (await fetch(`/static/lang/${language}.json`)).json();
  document.documentElement.lang = language;
}

export function preferred() {
  const saved = localStorage.getItem("language");
  return saved || (navigator.language || "en").slice(0, 2);
}

// "{name}" stands for a parameter; with a parameter n "key.none" and "key.one" are for 0 and 1.
const COUNTS = [".none", ".one"];
export function t(key, params = {}) {
  const text = table[key + COUNTS[params.n]] || table[key] || key;
  return text.replace(/\{(\w+)\}/g, (_, name) => (name in params ? params[name] : `{${name}}`));
}

// "+2", "−1.5" or "0".
export const signed = (n, digits = 0) => `${n < 0 ? "−" : n > 0 ? "+" : ""}${Math.abs(n).toFixed(digits)}`;

export const has = (key) => key in table;

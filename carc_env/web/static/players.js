// Computer players have names and stars; the server's specs are never shown.

import { has, language, t, YOU } from "./i18n.js";
import { app } from "./store.js";

export const people = () => [YOU[language], "Ada", "Ben", "Cleo", "Dan", "Eva"];
const levelOf = (agent) => app.hello.levels.indexOf(agent) + 1;

export function agentName(agent) {
  const level = levelOf(agent);
  if (level) return t(`level.name.${level}`);
  const key = [`agent.name.${agent}`, `agent.name.${agent.split(":")[0]}`].find(has);
  return key ? t(key) : agent.split("?")[0].split(/[.:]/).pop(); // one that only this server knows
}

export function agentLabel(agent) {
  const level = levelOf(agent);
  const more = level ? ` ${"★".repeat(level)}` : has(`agent.${agent}`) ? ` (${t(`agent.${agent}`)})` : "";
  return agentName(agent) + more;
}

// The name of a seat whose player changes: one that somebody has typed stays.
export function nameFor(name, agent, others) {
  const given = [...people(), ...app.hello.agents.map(agentName), ...app.hello.levels.map(agentName)];
  if (!given.includes(name.replace(/ \d$/, ""))) return name;
  const wishes = agent ? [agentName(agent), ...[2, 3, 4, 5, 6].map((k) => `${agentName(agent)} ${k}`)] : people();
  return wishes.find((one) => !others.includes(one)) || name;
}

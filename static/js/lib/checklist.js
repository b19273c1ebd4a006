// Which key does what on the inspection page, and what is kept of it. Pure: an event in, a deed out.

import { inField } from "./keys.js";

const DEEDS = {
  j: "next", k: "previous", p: "PASS", f: "FAIL", "-": "NOT_APPLICABLE",
  a: "accept", b: "return", n: "note", "[": "earlier", "]": "later",
};

/** The deed of a key press, or null. `off` is true where a person has switched keys off. */
export function deedOf(event, off = false) {
  if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return null;
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") return "decide";
  if (off || event.ctrlKey || event.metaKey || event.altKey || inField(event.target)) return null;
  return DEEDS[event.key.length === 1 ? event.key.toLowerCase() : event.key] ?? null;
}

/** The line that follows (or comes before), staying at the ends. */
export const step = (at, by, n) => Math.min(Math.max(at + by, 0), n - 1);

/** How far a checklist is: answered, failed, all. */
export function tally(outcomes) {
  const said = outcomes.filter(Boolean);
  return { n: said.length, f: said.filter((one) => one === "FAIL").length, all: outcomes.length };
}

export const filled = (text, values) =>
  text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

/** What a form holds, without what the server gives it anew. */
export function held(entries) {
  const skipped = new Set(["csrfmiddlewaretoken", "checklist", "verdict"]);
  return Object.fromEntries([...entries].filter(([name]) => !skipped.has(name)));
}

/** The keys of drafts that are older than so many days, or were sent and are not this one. */
export function stale(drafts, { now, here, sent, days = 60 }) {
  const gone = (key, at) => (key !== here && key === sent) || !(now - at < days * 86_400_000);
  return drafts.filter(([key, draft]) => gone(key, draft?.at ?? 0)).map(([key]) => key);
}

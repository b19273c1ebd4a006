// A person's own keys for the grading page: what may be chosen, and what is taken. Pure.
// They are kept as `withOwn` (keys.js) reads them: {action: key}, "" for none, null for no keys at all.

import { actionOf, DEFAULT_KEYS, digitOf, withOwn } from "./keys.js";

const EDITING = new Set(["Backspace", "Delete", "Insert"]);

/** What a key press chooses: {key}, or {why: "digit" | "combined" | "reserved"} when it cannot be. */
export function chosenBy(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return { why: "combined" };
  if (digitOf(event) !== null) return { why: "digit" };
  if (EDITING.has(event.key)) return { key: event.key };
  return event.key.length === 1 && event.key !== " " ? { key: event.key.toLowerCase() } : { why: "reserved" };
}

/** Give an action a key. Another action that has it keeps it: then {own, taken: that action}. */
export function assigned(own, action, key) {
  const keys = withOwn(own ?? {});
  const taken = key && Object.keys(keys).find((one) => one !== action && keys[one] === key);
  return taken ? { own, taken } : { own: without({ ...own, [action]: key }), taken: null };
}

/** Only what differs from the keys everybody has: those may gain one in a later version. */
export const without = (own) => Object.fromEntries(
  Object.entries(own).filter(([action, key]) => DEFAULT_KEYS[action] !== undefined && DEFAULT_KEYS[action] !== key),
);

/** How a key is written on the page. */
export const written = (key) => (key.length === 1 ? key.toUpperCase() : key);

/** What a key press would do, as a name of an action; null for nothing. */
export const meaning = (event, own) =>
  actionOf({ key: event.key, code: event.code, ctrlKey: event.ctrlKey, metaKey: event.metaKey,
    altKey: event.altKey, shiftKey: event.shiftKey, target: null }, withOwn(own));

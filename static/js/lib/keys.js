// Which key does what on the grading page. Pure: an event in, the name of an action out.

/** Actions and their keys. A person may change or switch off any of them. */
export const DEFAULT_KEYS = {
  next: "j", previous: "k", ungraded: "n", clear: "Backspace", wrong: "w", evidence: "e",
  comment: "c", cannot: "x", diff: "d", guide: "g", rubric: "r", view: "v", skip: "s",
  undo: "u", flag: "f", earlier: "[", later: "]", pause: "p", help: "?",
};

const TEXT = new Set(["TEXTAREA", "SELECT"]);

/** Whether keys belong to the field that has the focus. */
export function inField(target) {
  if (!target?.tagName) return false;
  if (TEXT.has(target.tagName) || target.isContentEditable) return true;
  return target.tagName === "INPUT" && !["radio", "checkbox", "button", "submit"].includes(target.type);
}

/**
 * The action of a key press, or null: {name, letter?, digit?}.
 * `keys` maps actions to keys; an action without a key is switched off, and so is everything when
 * `keys` is null. Digits are taken by what they write, else by where they are (AZERTY, numpad). Where yes or no is
 * `asked`, Y and N mean 1 and 0, whatever else they are for. `options` has the values that other keys choose (`optionKeys`).
 */
export function actionOf(event, keys = DEFAULT_KEYS, asked = false, options = new Map()) {
  if (!keys || event.isComposing || event.keyCode === 229 || event.defaultPrevented) return null;
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key === "Enter") return { name: "submit" };
  if (event.key === "Escape") return { name: "leave" };
  if (inField(event.target)) return null;
  if (command) return combined(event);
  if (event.altKey) return null;
  const digit = digitOf(event);
  if (digit !== null) return { name: "digit", digit: options.get(digit) ?? digit };
  if (event.key.length === 1 && options.has(event.key)) return { name: "digit", digit: options.get(event.key) };
  if (event.shiftKey && /^[A-H]$/.test(event.key)) return { name: "focus", letter: event.key };
  if (event.key === "Enter") return isButton(event.target) ? null : { name: "enter" };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (asked && (key === "y" || key === "n")) return { name: "digit", digit: key === "y" ? "1" : "0" };
  const name = Object.keys(keys).find((action) => keys[action] && keys[action] === key);
  return name ? { name } : null;
}

/**
 * The keys of options beyond the digits, by key. The tenth label has 0; the others have the letters that a person's
 * keys leave free, in the order of the alphabet, then those with Shift that lead to no response. Y and N stay for yes and no.
 */
export function optionKeys(values, keys = DEFAULT_KEYS, tenth = false) {
  const used = new Set([..."yn", ...Object.values(keys ?? {})]);
  const free = [..."abcdefghijklmnopqrstuvwxyz"].filter((letter) => !used.has(letter));
  const all = keys ? [...(tenth ? "0" : ""), ...free, ..."IJKLMNOPQRSTUVWXYZ"] : [];
  return new Map(values.slice(0, all.length).map((value, at) => [all[at], value]));
}

/** Whether a key press moves the focus, by the browser or by us. */
export const movesFocus = (event, action) =>
  /^(Tab|Arrow)/.test(event.key) || ["next", "previous", "ungraded", "focus"].includes(action?.name);

function combined(event) {
  const key = event.key.toLowerCase();
  if (key === "z") return { name: event.shiftKey ? "redo" : "undo" };
  return key === "y" ? { name: "redo" } : null;
}

/** "7" of a key press that means the digit 7, or null. */
export function digitOf(event) {
  if (/^\d$/.test(event.key)) return event.key;
  const place = /^(?:Digit|Numpad)(\d)$/.exec(event.code ?? "");
  if (!place || event.shiftKey) return null;
  // A key of the digit row that writes no digit unshifted (AZERTY) means its digit here;
  // a numpad without NumLock moves the cursor and does not.
  return event.code.startsWith("Digit") && event.key.length === 1 ? place[1] : null;
}

const isButton = (target) => ["A", "BUTTON", "SUMMARY"].includes(target?.tagName);

/** Keys as a person set them, over the defaults; unknown actions and double keys are left out. */
export function withOwn(own) {
  if (own === null) return null;
  const keys = { ...DEFAULT_KEYS };
  for (const [action, key] of Object.entries(own ?? {}))
    if (action in keys && typeof key === "string") keys[action] = key;
  const seen = new Set();
  for (const action of Object.keys(keys)) {
    if (keys[action] && (seen.has(keys[action]) || digitOf({ key: keys[action] }) !== null)) keys[action] = "";
    seen.add(keys[action]);
  }
  return keys;
}

/** What a person has set on this device, such as keys or the view. */
export function recall(name, otherwise) {
  try {
    const kept = localStorage.getItem(`evalsite-${name}`);
    return kept === null ? otherwise : JSON.parse(kept);
  } catch { return otherwise; } // a private window, or a text that is none of ours
}

export function remember(name, value) {
  try { localStorage.setItem(`evalsite-${name}`, JSON.stringify(value)); } catch { /* a private window */ }
}

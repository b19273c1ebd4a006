// What has been entered on a grading page: a flat table of places and texts, as the server keeps it
// (annotation/rounds/rules.py). Everything here is pure: no page, no network, no clock.

/** The entries after a patch; null takes a place away. */
export function patched(entries, patch) {
  const after = { ...entries, ...patch };
  for (const place of Object.keys(after)) if (after[place] === null) delete after[place];
  return after;
}

/** The patch that leads from one table to another. */
export function difference(from, to) {
  const patch = {};
  for (const place of new Set([...Object.keys(from), ...Object.keys(to)]))
    if (from[place] !== to[place]) patch[place] = to[place] ?? null;
  return patch;
}

/** The patch that undoes another one, given the entries before it. */
export function inverse(before, patch) {
  return Object.fromEntries(Object.keys(patch).map((place) => [place, before[place] ?? null]));
}

/**
 * Merge what is here with what is stored, both grown from `base`. Places that only one side has
 * changed are taken; where both did, and differently, nothing is chosen: they are `conflicts`.
 */
export function merge(base, mine, theirs) {
  const merged = { ...theirs };
  const conflicts = [];
  for (const place of new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])) {
    const [was, here, there] = [base[place], mine[place], theirs[place]];
    if (here === there || here === was) continue;
    if (there !== was) conflicts.push({ place, mine: here ?? null, theirs: there ?? null });
    if (here === undefined) delete merged[place];
    else merged[place] = here;
  }
  return { merged, conflicts };
}

const letterOf = (place) => place.split("/")[1];

/** Which marks are missing: [{letter, criterion}], in the order of the page. */
export function missing(entries, letters, criteria) {
  return letters.flatMap((letter) => (entries[`cannot/${letter}`] ? [] : criteria
    .filter((criterion) => given(entries, letter, criterion) === undefined)
    .map((criterion) => ({ letter, criterion }))));
}

/** The mark of a response on a criterion: a value or a text; undefined while there is none. */
export const given = (entries, letter, criterion) =>
  entries[`mark/${letter}/${criterion}`] ?? entries[`text/${letter}/${criterion}`];

/** The places, from 1 on, of the labels that a number stands for. */
export function labels(value) {
  const bits = Number(value);
  return Array.from({ length: 24 }, (_none, at) => at + 1).filter((place) => (bits >> (place - 1)) & 1);
}

/** The number of a set of labels after one was pressed, by its place; 0 is "none of these". Null: nothing is chosen. */
export function toggled(value, place) {
  if (place === 0) return value === "0" ? null : "0";
  const after = Number(value ?? 0) ^ (1 << (place - 1));
  return after ? String(after) : null;
}

/** What stands in the footer for a response: its grade (as `sign` writes it), how many of several, × or a dash. */
export function tally(entries, letter, criteria, sign = (_criterion, value) => value) {
  if (entries[`cannot/${letter}`]) return "×";
  const marks = criteria.flatMap((criterion) => {
    const value = given(entries, letter, criterion);
    return value ? [sign(criterion, value)] : [];
  });
  if (criteria.length === 1) return marks[0] ?? "–";
  return `${marks.length}/${criteria.length}`;
}

/** The canonical text of the marks, sorted as UTF-16, from which the digest is made. */
export function canonical(entries) {
  const rows = Object.entries(entries)
    .filter(([place]) => /^(mark|text)\//.test(place))
    .map(([place, value]) => [letterOf(place), place.split("/")[2], place.startsWith("text/") ? value : plain(value)]);
  return canonicalRows(rows);
}

export function canonicalRows(rows) {
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = [...rows].sort((a, b) => order(a[0], b[0]) || order(a[1], b[1]) || order(a[2], b[2]));
  return JSON.stringify(sorted);
}

/** A number as text, without exponent or zeros that say nothing: 2.50 → 2.5, 1e2 → 100. */
export function plain(value) {
  const [, sign, whole, part = "", power = "0"] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?$/.exec(String(value).trim()) ?? [null, "", String(value)];
  const shift = Number(power);
  const digits = shift < 0 ? whole.padStart(1 - shift, "0") + part : whole + part.padEnd(shift, "0");
  const point = shift < 0 ? Math.max(whole.length + shift, 1) : whole.length + shift;
  const before = digits.slice(0, point).replace(/^0+(?=\d)/, "") || "0";
  const after = digits.slice(point).replace(/0+$/, "");
  const text = after ? `${before}.${after}` : before;
  return text === "0" ? "0" : (sign === "-" ? "-" : "") + text;
}

/** SHA-256 of a text, in hex. Outside a secure context the browser has none: a library is loaded. */
export async function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const digest = globalThis.crypto?.subtle
    ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
    : (await import("../../vendor/noble-hashes-2.4.0/sha2.js")).sha256(bytes);
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A UUID of version 7: sorted by time, so that a queue has its order in its keys. */
export function operationId(now, random) {
  const bytes = new Uint8Array(16);
  for (let place = 0, left = now; place < 6; place += 1) {
    bytes[5 - place] = left % 256;
    left = Math.floor(left / 256);
  }
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Add a marked place to others: overlapping ones become one. Pairs of offsets, in order. */
export function withSpan(spans, added) {
  const all = [...spans, added].sort((a, b) => a[0] - b[0]);
  const joined = [];
  for (const [start, end] of all) {
    const last = joined.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

/** The entries of one desk as they grow: what is acknowledged, what waits to be sent, and the way back. */
export class Entered {
  past = [];

  future = [];

  unsent = {}; // the patch of changes that wait for a quiet moment

  before = {}; // what stood at their places before

  undecided = null; // asks again about two versions, after the question was put off

  refused = false; // the server did not take the last patch: the next one says everything anew

  /** `stored` is what the server has acknowledged, `now` what stands on the page. */
  constructor(token, stored, now) {
    Object.assign(this, { token, base: { ...stored }, now });
  }

  /** Take a change in; remembered, it can be undone; waiting, it is sent. */
  take(patch, { remember = true, wait = true } = {}) {
    if (remember) {
      this.past.push(inverse(this.now, patch));
      this.future = [];
    }
    if (wait) {
      this.before = { ...inverse(this.now, patch), ...this.before };
      this.unsent = { ...this.unsent, ...patch };
    }
    this.now = patched(this.now, patch);
  }

  /** The patch that undoes the last change, or null. */
  undo() { return this.turn(this.past, this.future); }

  redo() { return this.turn(this.future, this.past); }

  turn(from, to) {
    const patch = from.pop();
    if (patch) to.push(inverse(this.now, patch));
    return patch ?? null;
  }

  get waits() { return Object.keys(this.unsent).length > 0; }

  /** The changes that wait: from here on they are the queue's. */
  collect() {
    const whole = this.refused ? difference(this.base, this.now) : this.unsent;
    const before = this.refused ? inverse(this.base, whole) : this.before;
    this.drop();
    return { patch: whole, before };
  }

  drop() { [this.unsent, this.before] = [{}, {}]; }

  /** Two versions were joined: this is what is stored, and this is what stands here now. */
  join(stored, now) {
    [this.base, this.now] = [{ ...stored }, now];
    this.drop();
  }

  /** The server has acknowledged a patch. */
  acknowledge(patch) {
    this.base = patched(this.base, patch);
    this.refused = false;
  }
}

const RUN = 3; // so many words in a row are more than chance

/**
 * What two texts have in common, in runs of three words or more: {spans: [of one, of the other], share}.
 * `share` is how much of both is in common, from 0 to 1.
 */
export function alike(one, other) {
  const both = [one, other].map(placed);
  const runs = both.map((found) => new Set(found.map((_word, at) => run(found, at)).filter(Boolean)));
  const spans = both.map((found, place) => common(found, runs[1 - place]));
  const n = both[0].length + both[1].length;
  const shared = spans.flat().reduce((sum, span) => sum + span.n, 0);
  return { spans: spans.map((all) => all.map(({ start, end }) => [start, end])), share: n ? shared / n : 0 };
}

/** The words of a text and where they stand, without what only parts them. */
function placed(text) {
  let at = 0;
  return cut(text).flatMap((word) => {
    const start = at;
    at += word.length;
    return /[\p{L}\p{N}]/u.test(word) ? [{ word: word.toLowerCase(), start, end: at }] : [];
  });
}

const run = (found, at) => (at + RUN <= found.length ? found.slice(at, at + RUN).map((one) => one.word).join(" ") : null);

function common(found, runs) {
  const spans = [];
  found.forEach((_word, at) => {
    if (!runs.has(run(found, at))) return;
    const last = spans.at(-1);
    const [from, to] = [at, at + RUN - 1];
    if (last && from <= last.to + 1) { last.n += to - last.to; last.to = to; last.end = found[to].end; }
    else spans.push({ from, to, n: RUN, start: found[from].start, end: found[to].end });
  });
  return spans;
}

/** Word-level difference of two texts: [{kind: "same" | "gone" | "new", text}]. */
export function words(from, to) {
  const left = cut(from);
  const right = cut(to);
  if (left.length * right.length > 4_000_000) return [{ kind: "gone", text: from }, { kind: "new", text: to }];
  return joined(walk(left, right, lengths(left, right)));
}

// Words, numbers (1,200.50 is one), single signs of scripts without spaces, and the spaces between; the same rule
// stands in annotation/common/texts.py, and fixtures/examples/diff_vectors.json keeps the two alike.
const cut = (text) => text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|\s+|\p{Nd}+(?:[.,]\p{Nd}+)+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}])+|./gsu) ?? [];

function lengths(left, right) {
  const wide = right.length + 1;
  const table = new Uint32Array((left.length + 1) * wide);
  for (let i = left.length - 1; i >= 0; i -= 1)
    for (let j = right.length - 1; j >= 0; j -= 1)
      table[i * wide + j] = left[i] === right[j]
        ? table[(i + 1) * wide + j + 1] + 1
        : Math.max(table[(i + 1) * wide + j], table[i * wide + j + 1]);
  return table;
}

function* walk(left, right, table) {
  const wide = right.length + 1;
  let [i, j] = [0, 0];
  while (i < left.length && j < right.length) {
    if (left[i] === right[j]) { yield ["same", left[i]]; i += 1; j += 1; }
    else if (table[(i + 1) * wide + j] >= table[i * wide + j + 1]) { yield ["gone", left[i]]; i += 1; }
    else { yield ["new", right[j]]; j += 1; }
  }
  for (; i < left.length; i += 1) yield ["gone", left[i]];
  for (; j < right.length; j += 1) yield ["new", right[j]];
}

function joined(parts) {
  const runs = [];
  for (const [kind, text] of parts) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.text += text;
    else runs.push({ kind, text });
  }
  return runs;
}

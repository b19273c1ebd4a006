// The page of one seat: reads what is entered from its form and writes it back.
// It knows the document and nothing of the network; what is entered is a table of places (entries.js).

import { say } from "./dialogs.js";
import { given, labels, missing, tally, toggled, withSpan } from "./entries.js";
import { optionKeys } from "./keys.js";

const FIELD = "input[name^='mark-'], textarea[name^='text-'], select[name^='cannot-'], textarea[name^='comment-'], textarea[name='flag']";
const LONG = 600; // signs; a response with more of them is read better under the others than beside them
const ROW = 3; // so many short responses stand in one row; more of them make the hand travel
const VIEWS = ["stack", "columns", "focus"];
const RAIL = { least: 280, most: 720, step: 24 };

/** "mark-A-key" → "mark/A/key"; comments and reasons likewise. */
export const placeOf = (name) => name.replace(/^(mark|text)-([A-H])-/, "$1/$2/").replace(/^(cannot|comment)-([A-H])$/, "$1/$2");

export class Desk {
  constructor(document) {
    this.document = document;
    this.form = document.getElementById("grades");
    const data = this.form.dataset;
    this.token = data.token;
    this.rev = Number(data.rev);
    this.draftRev = Number(data.draftRev);
    this.letters = [...data.letters];
    this.marked = [...(data.marked ?? data.letters)]; // the letters at which a mark is given
    this.ofPairs = data.pairs !== undefined; // which of two is better: chosen at the foot, kept with the first
    this.criteria = JSON.parse(data.criteria); // without texts of choice
    this.kinds = JSON.parse(data.kinds); // of what is answered by no plain level
    this.held = null; // the criterion whose labels are being chosen
    this.editable = data.editable === "1";
    this.submitted = data.submitted === "1";
    this.lost = data.lost === "1";
    this.lease = data.lease ? Date.parse(data.lease) : null;
    this.savedAt = data.savedAt || null;
    this.stored = JSON.parse(document.getElementById("draft").textContent);
    this.now = this.letters[0];
  }

  fields() { return [...this.form.elements].filter((field) => field.matches(FIELD)); }

  /** The letter to which a mark given now belongs. */
  get at() { return this.marked.includes(this.now) ? this.now : this.marked[0]; }

  /** Where the marks of a response stand. */
  marksBox(letter) { return this.ofPairs ? this.document.getElementById("choices") : this.card(letter); }

  card(letter) { return this.document.getElementById(letter); }

  /** What the form holds now; marked places have no fields and are carried along. */
  read(before) {
    const entries = Object.fromEntries(
      Object.entries(before).filter(([place]) => place.startsWith("evidence/")),
    );
    for (const field of this.fields()) {
      const place = placeOf(field.name);
      if (["radio", "checkbox"].includes(field.type) && !field.checked) continue;
      if (field.type === "checkbox") entries[place] = String(Number(entries[place] ?? 0) + Number(field.value));
      else if (field.value.trim() && field.checkValidity()) entries[place] = field.value.trim();
    }
    for (const box of this.document.querySelectorAll("[data-point]"))
      if (box.checked) entries[`point/${box.dataset.point}`] = "1";
    return entries;
  }

  /** What was entered before the script was there: a table of the places it was entered at. */
  early() {
    const touched = this.fields().filter((field) => {
      if (field.type === "checkbox") return field.checked !== field.defaultChecked;
      if (field.type === "radio") return field.checked && !field.defaultChecked;
      const before = field.tagName === "SELECT"
        ? [...field.options].find((one) => one.defaultSelected)?.value ?? "" : field.defaultValue;
      return field.value !== before && field.checkValidity();
    });
    const now = this.read({});
    return Object.fromEntries(touched.map((field) => [placeOf(field.name), now[placeOf(field.name)] ?? null]));
  }

  write(entries) {
    for (const field of this.fields()) {
      const value = entries[placeOf(field.name)] ?? "";
      if (field.type === "radio") field.checked = field.value === value;
      else if (field.type === "checkbox")
        field.checked = value !== "" && (value === field.value || Boolean(Number(value) & Number(field.value)));
      else if (field.value !== value) field.value = value;
    }
    for (const box of this.document.querySelectorAll("[data-point]"))
      box.checked = entries[`point/${box.dataset.point}`] === "1";
    for (const box of this.document.querySelectorAll("[data-anchor]"))
      box.textContent = box.parentElement.querySelector(":checked ~ small")?.textContent ?? "";
    for (const letter of this.letters) this.paint(letter, spansOf(entries, letter));
    this.count(entries);
  }

  /** Bring the footer and the submit button up to date. */
  count(entries) {
    const open = new Set(missing(entries, this.marked, this.criteria).map((one) => one.letter));
    for (const letter of this.letters) {
      const cell = this.document.querySelector(`[data-tally="${letter}"]`);
      if (!cell) continue;
      cell.classList.toggle("todo", open.has(letter));
      cell.querySelector("b").textContent = tally(entries, letter, this.criteria, (one, value) => this.sign(letter, one, value));
    }
    this.document.querySelector("[data-submit]")?.setAttribute("aria-disabled", String(open.size > 0));
    const left = this.document.querySelector("[data-left]");
    if (left) left.textContent = open.size ? say("n-left", { n: open.size, letters: [...open] }) : say("all-graded");
  }

  /** Make a response the one that takes the keys. */
  focus(letter, { scroll = true } = {}) {
    if (!this.letters.includes(letter)) return;
    const stays = this.ofPairs && this.now === letter;
    [this.now, this.held] = [letter, null];
    for (const one of this.letters) this.card(one).toggleAttribute("data-now", one === letter);
    this.onfocus?.(letter);
    const card = this.card(letter);
    const target = this.ofPairs ? this.openChoice()
      : card.querySelector(".mark input:checked") ?? card.querySelector(".mark input, .marks :is(input[type=number], textarea)");
    target?.focus({ preventScroll: true });
    if (!scroll || stays) return;
    card.scrollIntoView({ block: "nearest" });
    if (!this.ofPairs) (target?.closest("label") ?? target)?.scrollIntoView({ block: "nearest" });
  }

  /** The first choice that is not made yet, else what was chosen first. */
  openChoice() {
    const groups = [...this.document.querySelectorAll("#choices [data-criterion]")];
    const open = groups.find((one) => !one.querySelector(":checked"));
    return open?.querySelector("input") ?? groups[0]?.querySelector(":checked");
  }

  /** Go to a field that stands folded away. */
  open(name) {
    const field = this.form.elements[name];
    if (!field) return;
    field.closest("details").open = true;
    field.focus();
  }

  /** The next response with an ungraded criterion, from the one in focus on, or null. */
  nextOpen(entries) {
    const open = new Set(missing(entries, this.marked, this.criteria).map((one) => one.letter));
    const from = this.letters.indexOf(this.now);
    const round = [...this.letters.slice(from), ...this.letters.slice(0, from)];
    return round.find((letter) => open.has(letter)) ?? null;
  }

  step(by) {
    const place = this.letters.indexOf(this.now) + by;
    this.focus(this.letters[Math.max(0, Math.min(this.letters.length - 1, place))]);
  }

  /** The criterion a digit goes to: the one with the focus, else the first that is open. */
  criterionNow(entries) {
    if (this.held) return this.held;
    const group = this.document.activeElement?.closest?.("[data-criterion]");
    const focused = this.marksBox(this.now)?.contains(group ?? null) ? group?.dataset.criterion : undefined;
    const isOpen = (one) => given(entries, this.at, one) === undefined;
    const open = this.criteria.find(isOpen);
    return this.criteria.length > 1 && focused && isOpen(focused)
      ? focused : open ?? focused ?? this.criteria[0];
  }

  /** The values of a criterion that can be chosen by a digit; none if its value is typed. */
  choices(criterion) {
    return this.radios(criterion).map((field) => field.value);
  }

  radios(criterion) {
    const name = `mark-${this.at}-${criterion}`;
    return this.fields().filter((field) => field.name === name && field.type === "radio");
  }

  /** What a digit means: of two answers the choice that bears it, else itself. */
  valueOf(criterion, digit) {
    if (this.kinds[criterion] !== "CHOICE") return digit;
    return this.radios(criterion).find((field) => field.dataset.key === digit)?.value;
  }

  /** The digits that can be pressed. */
  digits(criterion) { return this.radios(criterion).map((field) => field.dataset.key ?? field.value); }

  /** The keys of what no digit can choose: labels after the ninth, and levels from 10 on. */
  options(criterion, keys) {
    const kind = this.kinds[criterion];
    const name = `mark-${this.at}-${criterion}`;
    const n = kind === "LABELS" ? this.boxes(name).length - 1 : 0;
    const values = n ? Array.from({ length: n }, (_none, at) => String(at + 1)) : this.choices(criterion);
    return optionKeys(values.filter((value) => /^\d\d+$/.test(value)), keys, kind === "LABEL");
  }

  /** Print at every option which key chooses it. */
  hint(keys) {
    for (const criterion of this.criteria) {
      const signs = new Map([...this.options(criterion, keys)].map(([key, value]) => [value, key]));
      for (const box of this.document.querySelectorAll(`[data-criterion="${criterion}"] kbd[data-key]`)) {
        const key = signs.get(box.dataset.key) ?? "";
        box.textContent = /[A-Z]/.test(key) ? `⇧${key}` : key.toUpperCase();
      }
    }
  }

  /** The field of a number or a text. */
  typedField(criterion) {
    return this.form.querySelector(`:is(input[type=number], textarea):is([name="mark-${this.at}-${criterion}"], [name="text-${this.at}-${criterion}"])`);
  }

  /** Tick or untick one of several labels by its place; the patch of it, or null where there is none. */
  toggle(entries, criterion, place) {
    const name = `mark-${this.at}-${criterion}`;
    const box = this.boxes(name).find((field) => field.value === String(place ? 1 << (place - 1) : 0));
    if (!box) return null;
    this.held = criterion;
    box.focus({ preventScroll: true });
    return { [placeOf(name)]: toggled(entries[placeOf(name)], place) };
  }

  boxes(name) { return this.fields().filter((field) => field.name === name && field.type === "checkbox"); }

  /** "None of these" goes with no label. */
  loosen(box) {
    if (!box.checked) return;
    for (const other of this.boxes(box.name))
      if (other !== box && (box.value === "0" || other.value === "0")) other.checked = false;
  }

  /** A mark in the words of its labels, and of yes and no; else as it is. */
  words(letter, criterion, value) {
    const name = `mark-${letter}-${criterion}`;
    const wordOf = (one) => this.fields().find((field) => field.name === name && field.value === one)
      ?.closest("label").querySelector("[data-word]")?.textContent ?? one;
    if (this.kinds[criterion] !== "LABELS") return ["YES_NO", "LABEL", "CHOICE"].includes(this.kinds[criterion]) ? wordOf(value) : value;
    return value === "0" ? wordOf("0") : labels(value).map((place) => wordOf(String(1 << (place - 1)))).join("; ");
  }

  /** A mark as the footer has room for it. */
  sign(letter, criterion, value) {
    const kind = this.kinds[criterion];
    if (kind === "TEXT") return "✓";
    if (kind === "LABELS") return String(labels(value).length);
    return kind === "YES_NO" ? this.words(letter, criterion, value) : value;
  }

  /** The places of a response's marks, texts of choice as well. */
  marksOf(letter) {
    const places = this.fields().map((field) => placeOf(field.name));
    return [...new Set(places.filter((place) => new RegExp(`^(mark|text)/${letter}/`).test(place)))];
  }

  text(letter) { return this.card(letter)?.querySelector("[data-response]"); }

  /** A place and its value in the words of the page: {title, text}. */
  describe(place, value) {
    const [kind, name, criterion] = place.split("/");
    const legend = criterion && this.marksBox(name)?.querySelector(`[data-criterion="${criterion}"] :is(legend, .sr)`);
    const title = legend?.textContent ?? [name, criterion ?? say(`place-${kind}`)].filter(Boolean).join(": ");
    if (value === null || value === undefined) return { title, text: say("nothing") };
    if (kind === "evidence") return { title, text: this.excerpts(name, value) };
    if (kind === "cannot") return { title, text: this.form.elements[`cannot-${name}`]?.querySelector(`[value="${value}"]`)?.textContent ?? value };
    if (kind === "mark") return { title, text: this.words(name, criterion, value) };
    const point = kind === "point" && this.document.querySelector(`[data-point="${name}"]`);
    return point ? { title: say("place-point"), text: point.parentElement.textContent.trim() } : { title, text: value };
  }

  /** The words that are marked, instead of their offsets. */
  excerpts(letter, value) {
    const signs = [...this.text(letter)?.textContent ?? ""];
    return JSON.parse(value).map(([start, end]) => `“${signs.slice(start, end).join("") || `${start}–${end}`}”`).join(" … ");
  }

  /** The offsets of the selected text in a response's text, or null: {letter, span}. */
  selection() {
    const selection = this.document.getSelection();
    if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    const letter = this.letters.find((one) => this.text(one)?.contains(range.commonAncestorContainer));
    if (!letter) return null;
    const before = this.document.createRange();
    before.setStart(this.text(letter), 0);
    before.setEnd(range.startContainer, range.startOffset);
    const start = length(before.toString());
    const end = start + length(range.toString());
    return end > start ? { letter, span: [start, end] } : null;
  }

  /** Show the marked places of a response. */
  paint(letter, spans) {
    const root = this.text(letter);
    if (!root) return;
    for (const mark of root.querySelectorAll("mark[data-evidence]")) mark.replaceWith(...mark.childNodes);
    root.normalize();
    for (const span of [...spans].reverse()) paintSpan(root, span);
    const label = this.card(letter).querySelector("[data-evidence-count]");
    if (label) label.textContent = spans.length ? ` · ${spans.length}` : "";
  }
}

/** The marked places of a response as pairs. */
export const spansOf = (entries, letter) => JSON.parse(entries[`evidence/${letter}`] ?? "[]");

/** The patch that marks one more place. */
export const evidencePatch = (entries, { letter, span }) =>
  ({ [`evidence/${letter}`]: JSON.stringify(withSpan(spansOf(entries, letter), span)) });

// Offsets count characters as Python does, not UTF-16 units.
const length = (text) => [...text].length;

function paintSpan(root, [start, end]) {
  const document = root.ownerDocument;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const parts = [];
  for (let at = 0; walker.nextNode();) {
    const node = walker.currentNode;
    const signs = [...node.data];
    const [from, to] = [Math.max(0, start - at), Math.min(signs.length, end - at)];
    if (from < to) parts.push([node, signs.slice(0, from).join("").length, signs.slice(0, to).join("").length]);
    at += signs.length;
  }
  for (const [node, from, to] of parts.reverse()) {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    const mark = document.createElement("mark");
    mark.dataset.evidence = "";
    range.surroundContents(mark);
  }
}

/** How the page is laid out: one of three views, and how wide the question stands beside the responses. */
export class Layout {
  constructor(document, { recall, remember }) {
    Object.assign(this, { document, recall, remember, view: "stack" });
    document.addEventListener("scroll", (event) => this.follow(event.target), { capture: true, passive: true });
    this.heights = new CSSStyleSheet(); // no style stands in the page itself
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.heights];
    this.sizes = new ResizeObserver(() => this.loosen());
    this.sizes.observe(document.querySelector(".bar"));
    const handle = document.querySelector("[data-rail]");
    if (!handle) return;
    handle.addEventListener("keydown", (event) => this.press(event));
    handle.addEventListener("pointerdown", (event) => { event.preventDefault(); handle.focus(); handle.setPointerCapture(event.pointerId); });
    handle.addEventListener("pointermove", (event) => {
      if (handle.hasPointerCapture(event.pointerId)) this.widen(Math.abs(event.clientX - this.edge()));
    });
    if (recall("rail", null)) this.widen(recall("rail", null));
  }

  /** Lay a new desk out: as the person likes it, else by the length of its responses. */
  fit(desk) {
    const long = desk.letters.some((letter) => desk.text(letter).textContent.length > LONG);
    const alone = desk.letters.length === 1;
    const inARow = !long && desk.letters.length <= ROW;
    this.set(alone || desk.ofPairs ? "stack" : this.recall("view", null) ?? (inARow ? "columns" : "stack"));
    desk.form.dataset.columns = desk.letters.length % 3 && desk.letters.length < 5 ? "2" : "3";
    this.together(this.recall("together", false));
    this.sizes.observe(desk.card(desk.letters[0]));
    const reference = this.document.querySelector("[data-reference]")?.textContent.length ?? 0;
    this.document.querySelector(".grade").classList.toggle("long", reference > 2 * LONG);
    this.document.querySelector("[data-rail]")?.setAttribute("aria-valuenow", this.document.querySelector(".rail").offsetWidth);
  }

  set(view) {
    this.view = VIEWS.includes(view) ? view : "stack";
    this.document.body.dataset.view = this.view;
  }

  cycle() {
    this.set(VIEWS[(VIEWS.indexOf(this.view) + 1) % VIEWS.length]);
    this.remember("view", this.view);
    return this.view;
  }

  /** Bars that would cover much of the page (text enlarged, a low window) scroll along with it. */
  loosen() {
    const { body } = this.document;
    const [bar, foot] = [".bar", ".foot"].map((name) => this.document.querySelector(name)?.offsetHeight ?? 0);
    body.toggleAttribute("data-low", bar + foot > innerHeight / 3);
    const marks = this.document.querySelector(".marks")?.offsetHeight ?? 0;
    this.heights.replaceSync(`body { --foot: ${foot}px; --marks: ${marks}px; }`);
  }

  /** Let the texts side by side scroll in their boxes, all at once. */
  together(wanted) {
    this.document.body.toggleAttribute("data-together", wanted);
    for (const text of this.document.querySelectorAll("[data-response]"))
      if (wanted) text.tabIndex = 0;
      else text.removeAttribute("tabindex");
  }

  follow(moved) {
    if (this.view !== "columns" || moved.dataset?.response === undefined || this.moving) return;
    const share = moved.scrollTop / Math.max(1, moved.scrollHeight - moved.clientHeight);
    this.moving = true;
    for (const text of this.document.querySelectorAll("[data-response]"))
      if (text !== moved) text.scrollTop = share * (text.scrollHeight - text.clientHeight);
    requestAnimationFrame(() => requestAnimationFrame(() => { this.moving = false; }));
  }

  press(event) {
    const to = { ArrowLeft: -RAIL.step, ArrowRight: RAIL.step, Home: -Infinity, End: Infinity }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const way = this.document.dir === "rtl" && Number.isFinite(to) ? -1 : 1;
    this.widen(this.document.querySelector(".rail").offsetWidth + way * to);
  }

  edge() {
    const box = this.document.querySelector(".grade").getBoundingClientRect();
    return this.document.dir === "rtl" ? box.right : box.left;
  }

  widen(to) {
    const width = Math.round(Math.min(RAIL.most, Math.max(RAIL.least, to)));
    this.document.querySelector(".grade").style.setProperty("--rail", `${width}px`);
    this.document.querySelector("[data-rail]").setAttribute("aria-valuenow", width);
    this.remember("rail", width);
  }
}

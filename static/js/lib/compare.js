// Two answers, or the standard answer and one, beside each other. Loaded when somebody compares.
// Marks are drawn by the browser's highlights: nothing in the texts changes, so offsets of evidence hold.

import { announce, say } from "./dialogs.js";
import { alike, words } from "./entries.js";
import { recall } from "./keys.js";

const NEAR = 0.6; // of both texts in common: from here on what differs is marked, not what is shared
const OURS = ":is(.trace, .tool-call) :is(.speaker, summary small, .muted)"; // words of the page between those of a trace
const MOST = 2000 * 2000; // words times words: a difference of longer texts would take too long

export class Comparison {
  /** @param desk gives the desk that is shown; `again` lays it out after a change of sides. */
  constructor(document, desk) {
    Object.assign(this, { document, desk, sides: null });
    document.addEventListener("change", ({ target }) => {
      if (target.dataset?.side === undefined || !this.sides) return;
      this.sides[Number(target.dataset.side)] = target.value;
      if (this.sides[0] === this.sides[1]) this.sides[1 - Number(target.dataset.side)] = this.otherThan(target.value);
      this.show();
    });
  }

  get isOpen() { return this.sides !== null; }

  otherThan(letter) { return this.desk().letters.find((one) => one !== letter) ?? letter; }

  /** Begin with what is nearest: the standard answer beside the answer at hand, else the first two. */
  open(letter) {
    const standard = Boolean(this.document.querySelector("[data-side='0'] [value=standard]"));
    if (!standard && this.desk().letters.length < 2) return;
    this.sides = standard ? ["standard", letter] : [this.otherThan(letter), letter];
    const sheet = this.document.getElementById("reference");
    if (sheet.matches(":popover-open")) sheet.hidePopover();
    this.show();
  }

  /** Go on with the next question as it was with the one before. */
  resume() {
    if (this.sides.every((side) => this.document.querySelector(`[data-side="0"] [value="${side}"], [id="${side}"]`))) this.show();
    else this.open(this.desk().now);
  }

  close() {
    this.sides = null;
    delete this.document.body.dataset.compare;
    this.document.querySelector(".pairtools").hidden = true;
    for (const one of this.desk().letters) this.desk().card(one).removeAttribute("data-pair");
    this.unmark();
    announce(say("compared"));
  }

  /** Keep the answer that takes the keys among the two. */
  follow(letter) {
    if (!this.sides || this.sides.includes(letter)) return;
    this.sides[1] = letter;
    this.show();
  }

  show() {
    const { document, sides } = this;
    document.body.dataset.compare = sides[0] === "standard" ? "standard" : "pair";
    document.querySelector(".pairtools").hidden = false;
    document.querySelector("[data-switch=tint]").checked = recall("tint", true);
    sides.forEach((side, place) => { document.querySelector(`[data-side="${place}"]`).value = side; });
    for (const one of this.desk().letters)
      if (sides.includes(one)) this.desk().card(one).dataset.pair = sides.indexOf(one);
      else this.desk().card(one).removeAttribute("data-pair");
    const last = sides.includes(this.desk().now) ? this.desk().now : sides[1];
    this.desk().focus(last, { scroll: false });
    this.seek();
    this.mark();
    const [left, right] = sides.map((side) => (side === "standard" ? say("standard") : side));
    announce(say("comparing", { left, right }));
  }

  /** Bring the beginning of both into sight: on a narrow page the standard answer stands above. */
  seek() {
    const tools = this.document.querySelector(".pairtools");
    const isAbove = this.sides[0] === "standard" && innerWidth < 1040;
    const first = isAbove ? this.document.getElementById("reference") : tools;
    const { top } = first.getBoundingClientRect();
    if (top < 48 || top > innerHeight / 2) first.scrollIntoView({ block: "start" });
  }

  text(side) {
    return side === "standard" ? this.document.querySelector("[data-reference]") : this.desk().text(side);
  }

  unmark() { for (const name of ["shared", "differs"]) globalThis.CSS?.highlights?.delete(name); }

  /** Mark what both share; where they are nearly the same, what differs. */
  mark() {
    this.unmark();
    const roots = this.sides.map((side) => this.text(side));
    if (!globalThis.CSS?.highlights || roots.includes(null)) return;
    const texts = roots.map((root) => root.textContent);
    const { spans, share } = alike(...texts);
    const isNear = share >= NEAR && texts[0].length * texts[1].length <= MOST * 9;
    this.document.querySelector("[data-tint]").textContent = say(isNear ? "tint-other" : "tint-shared");
    if (!recall("tint", true)) return;
    const marked = isNear ? differing(...texts) : spans;
    const ranges = roots.flatMap((root, place) => rangesOf(root, marked[place]));
    CSS.highlights.set(isNear ? "differs" : "shared", new Highlight(...ranges));
  }
}

/** Where each of two texts has what the other has not: pairs of offsets. */
function differing(from, to) {
  const [gone, come] = [[], []];
  let [left, right] = [0, 0];
  for (const { kind, text } of words(from, to)) {
    if (kind === "gone") gone.push([left, left + text.length]);
    if (kind === "new") come.push([right, right + text.length]);
    if (kind !== "new") left += text.length;
    if (kind !== "gone") right += text.length;
  }
  return [gone, come];
}

/** The places of a text, as the document holds them. */
function rangesOf(root, spans) {
  const walker = root.ownerDocument.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const ranges = [];
  for (let at = 0; walker.nextNode(); at += walker.currentNode.length) {
    const node = walker.currentNode;
    if (node.parentElement.matches(OURS)) continue;
    for (const [start, end] of spans) {
      const [from, to] = [Math.max(0, start - at), Math.min(node.length, end - at)];
      if (from >= to) continue;
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, to);
      ranges.push(range);
    }
  }
  return ranges;
}

// The list of the bank: choose rows with Shift, all of a page at once, and hear how many are chosen;
// open a question beside the list, and go on to its neighbours with J and K.

import { inField, recall } from "../lib/keys.js";

/** Return the places between two rows, both included, in either direction. */
export function between(one, other) {
  const [first, last] = one < other ? [one, other] : [other, one];
  return Array.from({ length: last - first + 1 }, (_, place) => first + place);
}

/** Return what the box over all of them shows: "all", "some" or "none" of n are chosen. */
export function extent(chosen, n) {
  if (!chosen) return "none";
  return chosen === n ? "all" : "some";
}

/** Return the words for a number of rows; nothing is chosen: what stood there before. */
export function words(chosen, { one, many, none }) {
  if (!chosen) return none;
  return chosen === 1 ? one : many.replace("{n}", chosen);
}

/** Return the place that a step from another leads to, among n; from none, the first or the last. */
export function stepped(at, by, n) {
  if (at < 0) return by > 0 ? 0 : n - 1;
  return Math.min(Math.max(at + by, 0), n - 1);
}

/** What a key press asks of the panel: a step of 1 or -1, "close", or null. */
export function asked(event, { open, keysOff = false }) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return null;
  if (event.key === "Escape") return open ? "close" : null;
  if (keysOff || event.shiftKey || inField(event.target)) return null;
  return { j: 1, k: -1 }[event.key.toLowerCase()] ?? null;
}

/** Open questions beside the list; on a narrow window a link leads to the page, as without scripts. */
function peek(table, panel) {
  const links = [...table.querySelectorAll("tbody th a")];
  const wide = matchMedia("(min-width: 1040px)");
  const whole = panel.querySelector("[data-whole]");
  const held = panel.querySelector("[data-peeked]");
  let at = -1;

  async function open(place) {
    if (place === at) return;
    mark(place);
    const link = links[place];
    whole.href = link.href;
    whole.textContent = link.textContent;
    panel.hidden = false;
    link.focus({ preventScroll: true });
    link.closest("tr").scrollIntoView({ block: "nearest" });
    held.replaceChildren();
    await htmx.ajax("GET", link.href, { target: held, select: "[data-peek]", swap: "innerHTML" });
    if (place !== at) return;
    if (!held.children.length) location.assign(link.href); // the page itself says what is wrong
    panel.scrollTop = 0;
  }

  function mark(place) {
    links[at]?.closest("tr").removeAttribute("aria-current");
    at = place;
    links[at]?.closest("tr").setAttribute("aria-current", "true");
  }

  function close() {
    const link = links[at];
    mark(-1);
    panel.hidden = true;
    link?.focus();
  }

  table.addEventListener("click", (event) => {
    const place = links.indexOf(event.target.closest("a"));
    if (place < 0 || !wide.matches || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(place);
  });
  panel.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.step) open(stepped(at, Number(button.dataset.step), links.length));
    else if (button && "close" in button.dataset) close();
  });
  document.addEventListener("keydown", (event) => {
    const what = asked(event, { open: !panel.hidden, keysOff: recall("keys", {}) === null });
    if (what === null || !wide.matches || document.querySelector("dialog[open], details.drop[open]")) return;
    event.preventDefault();
    if (what === "close") close();
    else open(stepped(at, what, links.length));
  });
}

function start(table, said) {
  const boxes = [...table.querySelectorAll("[data-pick]")];
  const all = table.querySelector("[data-pick-all]");
  const none = said.textContent;
  let last = null;

  function tell() {
    const n = boxes.filter((box) => box.checked).length;
    const how = extent(n, boxes.length);
    if (all) {
      all.checked = how === "all";
      all.indeterminate = how === "some";
    }
    said.textContent = words(n, { one: said.dataset.one, many: said.dataset.many, none });
  }

  table.addEventListener("click", (event) => {
    const place = boxes.indexOf(event.target);
    if (place < 0) return;
    if (event.shiftKey && last !== null) {
      for (const each of between(last, place)) boxes[each].checked = event.target.checked;
    }
    last = place;
  });
  table.addEventListener("change", (event) => {
    if (event.target === all) for (const box of boxes) box.checked = all.checked;
    tell();
  });
  tell(); // the browser may have kept what was chosen before
}

/** Let Escape, and a press beside it, fold a panel in. */
function fold(drops) {
  const close = (drop) => {
    drop.open = false;
  };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const drop of drops) {
      if (!drop.open) continue;
      const inside = drop.contains(document.activeElement);
      close(drop);
      if (inside) drop.querySelector("summary").focus();
    }
  });
  document.addEventListener("click", (event) => {
    for (const drop of drops) if (drop.open && !drop.contains(event.target)) close(drop);
  });
}

if (typeof document !== "undefined") {
  const table = document.getElementById("bank");
  const said = document.querySelector("[data-picked]");
  if (table && said) start(table, said);
  if (table) peek(table, document.getElementById("peek"));
  fold([...document.querySelectorAll("details.drop")]);
}

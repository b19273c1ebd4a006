// Arrows walk from mark to mark of a scatter, which is one stop of Tab; Enter opens the mark's page.

/** The place of the mark after (or before) one, staying at the ends; the first where none has focus. */
export const after = (at, by, n) => (at < 0 ? 0 : Math.min(Math.max(at + by, 0), n - 1));

const WAYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };

function walk(plot) {
  const left = (mark) => Number.parseFloat(mark.querySelector("svg").getAttribute("x"));
  const marks = [...plot.querySelectorAll("a")].sort((one, other) => left(one) - left(other));
  plot.addEventListener("keydown", (event) => {
    const by = WAYS[event.key];
    if (!by || event.ctrlKey || event.metaKey || event.altKey || !marks.length) return;
    event.preventDefault();
    marks[after(marks.indexOf(document.activeElement), by, marks.length)].focus();
  });
}

if (typeof document !== "undefined") document.querySelectorAll("[data-walk]").forEach(walk);

// The list of the bank: choose rows with Shift, all of a page at once, and hear how many are chosen.

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
  fold([...document.querySelectorAll("details.drop")]);
}

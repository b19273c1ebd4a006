// Lines of a table that fold away below others. Without this all of them stand open.

/** Return the keys of the lines that are hidden, of lines {key, below}, when some are closed. */
export function hidden(lines, closed) {
  const gone = new Set();
  for (const { key, below } of lines) {
    if (below && (closed.has(below) || gone.has(below))) gone.add(key);
  }
  return gone;
}

/** Return what is closed at first: capabilities and what is in them, so that the tree is in sight. */
export function atFirst(lines) {
  const parents = new Set(lines.map((line) => line.below));
  const closed = lines.filter((line) => line.kind !== "group" && parents.has(line.key));
  return new Set(closed.map((line) => line.key));
}

function start(section) {
  const rows = [...section.querySelectorAll("tr[data-key]")];
  const lines = rows.map(({ dataset }) => ({ key: dataset.key, below: dataset.below, kind: dataset.kind }));
  const parents = new Set(lines.map((line) => line.below));
  const place = `branches ${section.dataset.branches}`;
  let closed = kept(place) ?? atFirst(lines);

  function show() {
    const gone = hidden(lines, closed);
    for (const row of rows) {
      row.hidden = gone.has(row.dataset.key);
      row.querySelector(".fold")?.setAttribute("aria-expanded", String(!closed.has(row.dataset.key)));
    }
    sessionStorage.setItem(place, JSON.stringify([...closed]));
  }

  function set(key, open) {
    if (open) closed.delete(key);
    else closed.add(key);
    show();
  }

  section.addEventListener("click", ({ target }) => {
    const all = target.closest("[data-all]")?.dataset.all;
    const fold = target.closest(".fold");
    if (all) {
      closed = new Set(all === "open" ? [] : lines.filter(({ key }) => parents.has(key)).map(({ key }) => key));
      show();
    } else if (fold) {
      const { key } = fold.closest("tr").dataset;
      set(key, closed.has(key));
    }
  });
  section.addEventListener("keydown", (event) => {
    const fold = event.target.closest(".fold");
    if (!fold || !["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    const { key, below } = fold.closest("tr").dataset;
    if (event.key === "ArrowRight") set(key, true);
    else if (!closed.has(key)) set(key, false);
    else rows.find((row) => row.dataset.key === below)?.querySelector(".fold")?.focus();
  });
  show();
}

function kept(place) {
  const text = sessionStorage.getItem(place);
  return text ? new Set(JSON.parse(text)) : null;
}

if (typeof document !== "undefined") document.querySelectorAll("[data-branches]").forEach(start);

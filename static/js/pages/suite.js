// The form of a suite: a box that finds metrics, and what is chosen, above the groups.
// Without this the groups are opened by hand.

/** Say whether a text has all words of a query. */
export function fits(text, query) {
  const said = text.toLowerCase().replaceAll("_", " ");
  return query.toLowerCase().replaceAll("_", " ").split(/\s+/).every((word) => said.includes(word));
}

/** What a chosen box is called: "string_length @ Turn" is "string_length · Turn". */
export function called(key) {
  return key.replace(" @ ", " · ");
}

function start(form) {
  const box = form.querySelector("#find-metric");
  const found = form.querySelector("[data-found]");
  const chosen = form.querySelector("[data-chosen]");
  const groups = [...form.querySelectorAll(".functions .group")];
  const open = new Map(groups.map((group) => [group, group.open]));

  function find() {
    const query = box.value.trim();
    let n = 0;
    for (const group of groups) {
      const rows = [...group.querySelectorAll("[data-metric]")];
      for (const row of rows) row.hidden = Boolean(query) && !fits(row.textContent, query);
      const left = rows.filter((row) => !row.hidden).length;
      group.hidden = left === 0;
      group.open = query ? left > 0 : open.get(group);
      n += left;
    }
    found.textContent = query ? (n ? String(n) : found.dataset.none) : "";
  }

  function show() {
    for (const old of chosen.querySelectorAll("a")) old.remove();
    const boxes = [...form.querySelectorAll("input[name=functions]:checked")];
    for (const one of boxes) {
      const link = document.createElement("a");
      link.href = `#${one.id}`;
      link.className = "tag";
      link.textContent = called(one.value);
      chosen.append(link);
    }
    chosen.hidden = boxes.length === 0;
  }

  box.addEventListener("input", find);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault(); // it finds; it does not save
  });
  form.addEventListener("change", show);
  chosen.addEventListener("click", (event) => {
    const one = document.getElementById(event.target.closest("a")?.hash.slice(1) ?? "");
    if (!one) return;
    event.preventDefault();
    box.value = "";
    find();
    one.closest("details").open = true;
    one.focus();
  });
  for (const group of groups) {
    group.addEventListener("toggle", () => {
      if (!box.value.trim()) open.set(group, group.open);
    });
  }
  show();
}

if (typeof document !== "undefined") {
  const form = document.querySelector("form.builder");
  if (form) start(form);
}

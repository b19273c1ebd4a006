// The command palette: loaded when it is first opened. A dialog with a combobox over one JSON route;
// the page of the same name (its link) does the same without this script.

const QUIET = 120; // milliseconds without a key before the server is asked
const link = document.querySelector("a[data-palette]");
const dialog = document.createElement("dialog");
dialog.className = "palette";
dialog.append(document.getElementById("palette-parts").content.cloneNode(true));
document.body.append(dialog);
const [field, list, status] = ["input", "ul", "[role=status]"].map((one) => dialog.querySelector(one));

let hits = [];
let at = 0;
let asked; // the request that is under way
let timer;
let back; // what had the focus

/** Open it; what had the focus gets it back. */
export function open() {
  if (dialog.open) return;
  back = document.activeElement;
  field.value = "";
  dialog.showModal();
  ask();
}

/** The row after `from` in a list of `n`, over both ends. */
export const moved = (from, by, n) => (n ? (from + by + n) % n : 0);

async function ask() {
  asked?.abort();
  asked = new AbortController();
  try {
    const url = `${link.dataset.palette}?q=${encodeURIComponent(field.value.trim())}`;
    const answer = await fetch(url, { headers: { Accept: "application/json" }, signal: asked.signal });
    if (!answer.ok) throw new Error(String(answer.status));
    draw((await answer.json()).hits);
  } catch (error) {
    if (error.name !== "AbortError") draw([], "failed");
  }
}

function draw(found, state = found.length ? "found" : "none") {
  hits = found;
  list.replaceChildren(...hits.map(row));
  status.textContent = status.dataset[state].replace("{n}", hits.length);
  status.classList.toggle("sr", state === "found");
  field.setAttribute("aria-expanded", String(hits.length > 0));
  mark(0);
}

function row(hit, place) {
  const option = document.createElement("li");
  option.id = `palette-${place}`;
  option.setAttribute("role", "option");
  const said = document.createElement("span");
  said.append(Object.assign(document.createElement("b"), { textContent: hit.label }));
  if (hit.hint) said.append(Object.assign(document.createElement("small"), { textContent: hit.hint }));
  option.append(said, Object.assign(document.createElement("small"), { textContent: hit.kind }));
  return option;
}

function mark(place) {
  at = place;
  [...list.children].forEach((option, n) => option.setAttribute("aria-selected", String(n === at)));
  list.children[at]?.scrollIntoView({ block: "nearest" });
  if (hits.length) field.setAttribute("aria-activedescendant", `palette-${at}`);
  else field.removeAttribute("aria-activedescendant");
}

function go(hit, aside) {
  if (!hit) return;
  if (aside) globalThis.open(hit.url, "_blank", "noopener");
  else location.assign(hit.url);
  dialog.close();
}

field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, QUIET); });

// Keys stay in here: the page below has keys of its own.
dialog.addEventListener("keydown", (event) => {
  event.stopPropagation();
  if (event.isComposing) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) mark(moved(at, step, hits.length));
  else if (event.key === "Enter" && event.target === field) go(hits[at], event.ctrlKey || event.metaKey);
  else if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) dialog.close();
  else return;
  event.preventDefault();
});

list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
list.addEventListener("click", (event) => {
  const place = [...list.children].indexOf(event.target.closest("li"));
  go(hits[place], event.ctrlKey || event.metaKey);
});
dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
dialog.addEventListener("close", () => { clearTimeout(timer); asked?.abort(); giveBack(); });

/** What had the focus may have been in the menu, which is closed by now: then its button has it. */
function giveBack() {
  const seen = back?.isConnected && back.checkVisibility();
  (seen ? back : document.querySelector("[popovertarget=nav]"))?.focus();
}

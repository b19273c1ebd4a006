// The inspection page: keys, the count of lines, and what is not decided yet kept on the device.

import { deedOf, filled, held, stale, step, tally } from "../lib/checklist.js";

const PREFIX = "evalsite-inspection-";
const form = document.getElementById("inspection");
const lines = [...form.querySelectorAll("[data-line]")];
const note = form.elements.namedItem("note");
const status = form.querySelector("[data-tally]");
const kept = form.querySelector("[data-kept]");
const key = PREFIX + form.dataset.draft;
let at = -1;
let sending = false;

const radios = (line) => [...line.querySelectorAll("[type=radio]")];
const outcome = (line) => radios(line).find((one) => one.checked)?.value ?? "";
const failed = () => lines.some((line) => outcome(line) === "FAIL");
const button = (verdict) => form.querySelector(`[name=verdict][value=${verdict}]`);

function draw() {
  const found = tally(lines.map(outcome));
  status.textContent = filled(found.f ? status.dataset.some : status.dataset.none, found);
  // One main deed: what fits the checklist as it stands. The other stays a plain button.
  button("ACCEPT").classList.toggle("go", !found.f);
  button("RETURN").classList.toggle("go", found.f > 0);
}

// ---- kept on the device until it is decided

function drafts() {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(PREFIX))
      .map((name) => [name, JSON.parse(localStorage.getItem(name))]);
  } catch { return []; }
}

function keep() {
  try {
    const fields = held(new FormData(form));
    localStorage.setItem(key, JSON.stringify({ at: Date.now(), fields }));
    kept.hidden = false;
  } catch { kept.hidden = true; } // a private window: the page itself still holds everything
}

function restore() {
  let sent = null;
  try { sent = sessionStorage.getItem(PREFIX); sessionStorage.removeItem(PREFIX); } catch { /* none */ }
  for (const name of stale(drafts(), { now: Date.now(), here: key, sent })) localStorage.removeItem(name);
  if (form.hasAttribute("data-sent")) return; // the server has answered with what was sent
  const draft = drafts().find(([name]) => name === key)?.[1];
  if (!draft?.fields) return;
  for (const [name, value] of Object.entries(draft.fields)) {
    const field = form.elements.namedItem(name);
    if (field) field.value = value; // of radio buttons, the one with this value
  }
  for (const details of form.querySelectorAll("details"))
    details.open = [...details.querySelectorAll("textarea")].some((one) => one.value !== one.defaultValue);
  kept.hidden = false;
}

// ---- keys

/** Whether this person has switched single keys off (Keys and looks). */
function keysOff() {
  try { return localStorage.getItem("evalsite-keys") === "null"; } catch { return false; }
}

function focus(place) {
  lines[at]?.removeAttribute("data-at");
  at = place;
  const line = lines[at];
  line.setAttribute("data-at", "");
  const field = radios(line).find((one) => one.checked) ?? radios(line)[0];
  field.focus({ preventScroll: true });
  line.scrollIntoView({ block: "nearest" });
}

function answer(value) {
  if (at < 0) focus(Math.max(lines.findIndex((line) => !outcome(line)), 0));
  const field = radios(lines[at]).find((one) => one.value === value);
  field.checked = true;
  field.dispatchEvent(new Event("change", { bubbles: true }));
  if (value === "FAIL") lines[at].querySelector("textarea").focus();
  else focus(step(at, 1, lines.length));
}

const decide = (verdict) => form.requestSubmit(button(verdict));
const follow = (rel) => document.querySelector(`a[rel=${rel}]`)?.click();
const DO = {
  next: () => focus(step(at, 1, lines.length)),
  previous: () => focus(step(at < 0 ? lines.length : at, -1, lines.length)),
  PASS: () => answer("PASS"),
  FAIL: () => answer("FAIL"),
  NOT_APPLICABLE: () => answer("NOT_APPLICABLE"),
  accept: () => decide("ACCEPT"),
  return: () => decide("RETURN"),
  decide: () => decide(failed() ? "RETURN" : "ACCEPT"),
  note: () => note.focus(),
  earlier: () => follow("prev"),
  later: () => follow("next"),
};

document.addEventListener("keydown", (event) => {
  const deed = deedOf(event, keysOff());
  if (!deed || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  DO[deed]();
});

form.addEventListener("focusin", (event) => {
  const place = lines.indexOf(event.target.closest("[data-line]"));
  if (place < 0 || place === at) return;
  lines[at]?.removeAttribute("data-at");
  at = place;
  lines[at].setAttribute("data-at", "");
});

form.querySelector("[data-pass-rest]").addEventListener("click", () => {
  for (const line of lines) if (!outcome(line)) radios(line).find((one) => one.value === "PASS").checked = true;
  draw();
  keep();
});

form.addEventListener("input", () => { draw(); keep(); });
form.addEventListener("change", () => { draw(); keep(); });
form.addEventListener("submit", (event) => {
  if (sending) { event.preventDefault(); return; } // a second press before the answer
  sending = true;
  try { sessionStorage.setItem(PREFIX, key); } catch { /* the draft goes with its age */ }
});
addEventListener("pageshow", (event) => { if (event.persisted) sending = false; });

restore();
draw();
if (form.hasAttribute("data-sent")) document.getElementById("form-errors")?.focus();

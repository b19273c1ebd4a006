// Keys and looks: written to this browser at once, read by the grading page when it is opened.

import { assigned, chosenBy, meaning, written } from "../lib/ownkeys.js";
import { withOwn } from "../lib/keys.js";

const page = document.getElementById("preferences");
const rows = [...page.querySelectorAll("[data-action]")];
const error = page.querySelector("[data-error]");
const status = page.querySelector("[data-status]");
const all = page.querySelector("[name=keys]");
const says = page.querySelector("[data-says]");
const texts = page.dataset;

let own = read("evalsite-keys", {});
let before = own ?? {}; // the keys to come back to when all are switched on again

function read(name, otherwise) {
  try {
    const text = localStorage.getItem(name);
    return text === null ? otherwise : JSON.parse(text);
  } catch { return otherwise; }
}

function write(name, value) {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
    status.textContent = texts.saved;
  } catch { error.textContent = texts.full; }
}

const titleOf = (action) => page.querySelector(`[data-action="${action}"] th`)?.textContent
  ?? texts[`say${action[0].toUpperCase()}${action.slice(1)}`] ?? action;

function keep(next) {
  own = next;
  if (own) before = own;
  write("evalsite-keys", JSON.stringify(own));
  draw();
}

function draw() {
  const keys = withOwn(own) ?? withOwn(before);
  all.checked = own !== null;
  page.querySelector("[data-keys]").toggleAttribute("data-off", own === null);
  for (const row of rows) {
    const field = row.querySelector("input");
    const key = keys[row.dataset.action];
    field.value = key ? written(key) : texts.none;
    field.disabled = own === null;
    const off = row.querySelector("button");
    off.disabled = own === null || !key;
  }
}

for (const row of rows) {
  const field = row.querySelector("input");
  field.addEventListener("focus", () => { field.dataset.was = field.value; field.value = texts.press; });
  field.addEventListener("blur", draw);
  field.addEventListener("keydown", (event) => {
    if (["Tab", "Shift", "Control", "Alt", "Meta", "CapsLock"].includes(event.key) || event.isComposing) return;
    if (event.key === "Escape") { field.blur(); return; }
    const { key, why } = chosenBy(event);
    if (why === "combined") return; // the browser's own
    event.preventDefault();
    const result = key ? assigned(own, row.dataset.action, key) : null;
    error.textContent = "";
    if (why) error.textContent = texts[why];
    else if (result.taken) error.textContent = texts.taken.replace("{key}", written(key)).replace("{action}", titleOf(result.taken));
    else { keep(result.own); error.textContent = ""; }
    if (why || result.taken) field.value = texts.press;
  });
  row.querySelector("button").addEventListener("click", () => {
    error.textContent = "";
    keep(assigned(own, row.dataset.action, "").own);
    field.focus();
  });
}

all.addEventListener("change", () => keep(all.checked ? before : null));
page.querySelector("[data-reset]").addEventListener("click", () => {
  error.textContent = "";
  own = {};
  before = {};
  write("evalsite-keys", undefined);
  draw();
});

page.querySelector("[name=try]").addEventListener("keydown", (event) => {
  if (["Tab", "Shift", "Control", "Alt", "Meta"].includes(event.key)) return;
  event.preventDefault();
  const action = meaning(event, own);
  says.textContent = action ? titleOf(action.name) : texts.nothing;
});

// ---- looks

function choice(name, stored, keep) {
  for (const field of page.querySelectorAll(`[name=${name}]`)) {
    if (field.type === "checkbox") field.checked = stored;
    else field.checked = field.value === stored;
    field.addEventListener("change", () => keep(field.type === "checkbox" ? field.checked : field.value));
  }
}

const root = document.documentElement;
choice("theme", root.dataset.theme ?? "", (value) => {
  if (value) root.dataset.theme = value;
  else delete root.dataset.theme;
  write("evalsite.theme", value || undefined);
  root.dispatchEvent(new CustomEvent("themechange"));
});
choice("view", read("evalsite-view", ""), (value) => write("evalsite-view", value ? JSON.stringify(value) : undefined));
for (const name of ["advance", "nudge"])
  choice(name, read(`evalsite-${name}`, true), (value) => write(`evalsite-${name}`, JSON.stringify(value)));
draw();

// The grading page: keys, saving while you work, the queue on the device, the next question in place.
// Without this script the page is a plain form (annotation/views/grading.py); with it, the same
// fields are saved as they change, and nothing that was shown as saved is ever lost.

import { Desk, evidencePatch } from "../lib/desk.js";
import * as dialogs from "../lib/dialogs.js";
import * as entries from "../lib/entries.js";
import { actionOf, withOwn } from "../lib/keys.js";
import { Outbox, pending } from "../lib/outbox.js";
import { openStore } from "../lib/store.js";
import { WorkTime } from "../lib/worktime.js";

const QUIET = 400; // milliseconds without a change before a draft is sent
const WARN = 120_000; // before a lease ends
const UNDO = 10_000;
const settings = JSON.parse(document.getElementById("desk-settings").textContent);
const { say } = dialogs;

let csrf = settings.csrf;
let desk;
let now; // the entries of the page
let base; // the entries the server has acknowledged, as far as the page knows
let past = [];
let future = [];
let time;
let unsent = {}; // the patch of changes that wait for a quiet moment
let keeping = 0; // patches on their way from here into the queue
let unsentBefore = {}; // what stood at their places before
let undecided = null; // asks again about two versions, after the question was put off
let timer;
let writing = true;
let undoUrl = null;
const revisions = new Map(); // token → revision of the stored draft
const handedIn = new Set(); // tokens whose submit is on its way: nothing is changed meanwhile
let ahead = []; // desks that are held ready: [{token, url, html}]
const keys = withOwn(storedKeys());

const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(`evalsite-${settings.device}`) : null;
const store = await openStore(settings.device);
const outbox = new Outbox({ store, send, tell, wait: pauseOrOnline });
await outbox.load();

// ---- the page of a seat

function sit() {
  desk = new Desk(document);
  base = { ...desk.stored };
  if (!revisions.has(desk.token)) revisions.set(desk.token, desk.draftRev);
  now = pending(outbox.queue, desk.token, base, entries.patched);
  [past, future, unsent, unsentBefore, undecided] = [[], [], {}, {}, null];
  settings.here = location.href;
  time = new WorkTime(Date.now(), document.visibilityState === "visible");
  document.body.classList.add("with-script");
  const early = desk.early();
  desk.write(now);
  const first = desk.nextOpen(now) ?? desk.letters[0];
  if (desk.editable && !location.hash) desk.focus(first, { scroll: false });
  if (Object.keys(desk.stored).length && !desk.submitted) show("restored");
  watchLease();
  change(early);
  setTimeout(lookAhead, 1000);
  channel?.postMessage({ token: desk.token, here: settings.tab ??= crypto.randomUUID?.() ?? String(Math.random()) });
}

/** Take in a change: on the page, in the history, on the device, and soon on the server. */
function change(patch, { remember = true } = {}) {
  if (!Object.keys(patch).length) return;
  if (!desk.editable || !writing || handedIn.has(desk.token)) { desk.write(now); return; }
  if (remember) {
    past.push(entries.inverse(now, patch));
    future = [];
  }
  unsentBefore = { ...entries.inverse(now, patch), ...unsentBefore };
  now = entries.patched(now, patch);
  desk.write(now);
  time.touch(Date.now());
  hideUndo();
  if (desk.submitted) return show("correcting");
  unsent = { ...unsent, ...patch };
  show("saving");
  clearTimeout(timer);
  timer = setTimeout(keep, QUIET);
  return undefined;
}

/** Hand the waiting changes to the queue. */
async function keep() {
  clearTimeout(timer);
  if (!Object.keys(unsent).length || desk.submitted) return;
  const [patch, before, token] = [unsent, unsentBefore, desk.token];
  [unsent, unsentBefore] = [{}, {}];
  keeping += 1;
  try {
    const digest = await entries.sha256(entries.canonical(now));
    await outbox.add({ ...operationOf("draft", token), patch, before, digest });
  } finally { keeping -= 1; }
  undecided?.();
}

const operationOf = (kind, token) => ({ id: operationId(), kind, token, base: settings.base });

const operationId = () => entries.operationId(Date.now(), crypto.getRandomValues(new Uint8Array(10)));

function turn(from, to) {
  const patch = from.pop();
  if (!patch) return;
  to.push(entries.inverse(now, patch));
  change(patch, { remember: false });
}

// ---- talking to the server

async function send(operation) {
  const isDraft = operation.kind === "draft";
  const body = isDraft
    ? { op_id: operation.id, base_rev: revisions.get(operation.token) ?? 0, patch: operation.patch }
    : { op_id: operation.id, base_rev: operation.rev, entries: operation.entries,
      active_ms: operation.active, view: operation.view, next: !operation.stay };
  const answer = await post(`${operation.token}/${isDraft ? "draft" : "submit"}/`, body, operation.base);
  if (answer.status === 200 && answer.body?.digest === operation.digest) settled(operation, answer.body);
  return answer;
}

/** Send JSON to an address below the grading pages; throws when there is no answer. */
async function post(path, body, base = settings.base) {
  const text = JSON.stringify({ csrf: cookie("csrftoken") ?? csrf, device: settings.device, ...body });
  const answer = await fetch(`${base}${path}`, {
    method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: text, keepalive: text.length < 60_000,
  });
  const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
  return { status: answer.status, body: isJson ? await answer.json() : null };
}

// Signing in anywhere in this browser changes the token; the cookie has the one that holds now.
const cookie = (name) => document.cookie.split("; ").find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);

function settled(operation, said) {
  if (operation.kind === "draft") {
    revisions.set(operation.token, said.rev);
    if (operation.token === desk.token) base = entries.patched(base, operation.patch);
  } else {
    revisions.delete(operation.token);
    handedIn.delete(operation.token);
    if (said.late) document.getElementById("late-note").hidden = false;
    if (operation.token === desk.token) setTimeout(() => moveOn(operation, said));
    else if (operation.stay) setTimeout(lookAhead);
  }
  settings.savedAt = said.saved_at;
}

/** Wait before the next try, or until the browser is online again. */
function pauseOrOnline(milliseconds) {
  return new Promise((resolve) => {
    const go = () => { clearTimeout(waiting); removeEventListener("online", go); resolve(); };
    const waiting = setTimeout(go, milliseconds);
    addEventListener("online", go);
  });
}

function tell(state, { operation, body, left, attempt }) {
  const handlers = {
    saving: () => show("saving"),
    idle: () => {
      const waits = keeping || Object.keys(unsent).length;
      show(waits ? "saving" : settings.savedAt ? "saved" : "ready");
    },
    saved: () => {},
    offline: () => show("offline", { n: left }),
    retrying: () => { if (navigator.onLine) show("retrying", { n: attempt + 1 }); },
    "sign-in": signIn,
    merge: () => merge(operation, body),
    lost: () => lost(operation, body),
    refused: () => refused(operation, body),
  };
  handlers[state]();
}

async function signIn() {
  show("signed-out");
  const answer = await dialogs.signInAgain(async (username, password) => {
    const said = await post("", { username, password }, settings.signIn);
    return said.status === 200 ? { ok: true, ...said.body } : { ok: false };
  });
  if (answer.device !== settings.device) { location.assign(settings.base); return; }
  csrf = answer.csrf;
  for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = csrf;
  outbox.resume();
}

/** Somebody (another tab, another device) has saved since: join what can be joined, ask for the rest. */
async function merge(operation, body) {
  if (operation.kind === "submit" || !body?.entries) { await stale(operation); return; }
  if (operation.token !== desk.token || handedIn.has(desk.token)) { await rebase(operation, body); return; }
  show("merging");
  undecided = null;
  const { merged, conflicts } = entries.merge(base, now, body.entries);
  const chosen = conflicts.length ? await dialogs.decide(conflicts) : {};
  if (chosen === null) {
    show("conflict");
    undecided = () => merge(operation, body);
    return;
  }
  const result = entries.patched(merged, chosen);
  const patch = entries.difference(body.entries, result);
  base = { ...body.entries };
  now = result;
  [unsent, unsentBefore] = [{}, {}];
  desk.write(now);
  revisions.set(operation.token, body.rev);
  const digest = await entries.sha256(entries.canonical(now));
  const again = { ...operationOf("draft", operation.token), patch, before: entries.inverse(base, patch), digest };
  const waiting = outbox.queue.filter((one) => one.token === operation.token && one.kind === "draft");
  await outbox.replace(waiting, Object.keys(patch).length ? again : null);
  outbox.resume();
}

/** A change of a question that is not on the page: it is made on top of what is stored, as far as nobody else changed it. */
async function rebase(operation, body) {
  const free = ([place, value]) => [value, operation.before?.[place] ?? null].includes(body.entries[place] ?? null);
  const [patch, kept] = [true, false].map((wanted) =>
    Object.fromEntries(Object.entries(operation.patch).filter((one) => free(one) === wanted)));
  revisions.set(operation.token, body.rev);
  const submitFollows = outbox.queue.some((one) => one.kind === "submit" && one.token === operation.token);
  if (Object.keys(kept).length && !submitFollows) await showWork(kept, "stale");
  if (submitFollows || !Object.keys(patch).length) await outbox.settle(operation.id);
  else {
    const digest = await entries.sha256(entries.canonical(entries.patched(body.entries, patch)));
    await outbox.replace([operation], { ...operation, id: operationId(), patch, digest, sent: false });
  }
  outbox.resume();
}

/** The seat was submitted or corrected elsewhere: show what is stored; what was entered is kept to copy. */
async function stale(operation) {
  await putAside(operation, "stale");
}

async function lost(operation, body) {
  if (operation.kind === "draft") {
    // The draft has no home any more; the grades can still be submitted and may count.
    await outbox.settle(operation.id);
    if (operation.token === desk.token) show("lost");
    outbox.resume();
    return;
  }
  await putAside(operation, body?.message ?? "lost");
}

async function refused(operation, body) {
  if (operation.kind === "draft") {
    await outbox.settle(operation.id);
    show("refused", { why: body?.message ?? "" });
    outbox.resume();
    return;
  }
  await putAside(operation, body?.message ?? "refused");
}

/** A submit that will not be taken: say why, keep the work at hand, never send it again by itself. */
async function putAside(operation, why) {
  handedIn.delete(operation.token);
  await showWork(operation.entries ?? operation.patch ?? {}, why);
  await outbox.settle(operation.id);
  outbox.resume();
}

/** Show what was entered, to be copied, and why it was not taken. */
async function showWork(table, why) {
  document.getElementById("refused-why").textContent = say(why);
  document.getElementById("refused-work").value = Object.entries(table)
    .map(([place, value]) => `${place.replace("mark/", "").replaceAll("/", " ")}: ${value ?? ""}`).sort().join("\n");
  show("refused", { why: say(why) });
  await dialogs.ask("refused-dialog");
}

// ---- submitting, and the next question in the same place

async function submit() {
  const [token, view] = [desk.token, settings.view ?? "stack"];
  if (!desk.editable || !writing || handedIn.has(token)) return;
  if (undecided) { undecided(); return; }
  const open = entries.missing(now, desk.letters, desk.criteria);
  if (open.length) {
    desk.focus(open[0].letter);
    announce(say("left", { letters: [...new Set(open.map((one) => one.letter))].join(", ") }));
    return;
  }
  handedIn.add(token);
  clearTimeout(timer);
  [unsent, unsentBefore] = [{}, {}];
  const [table, rev, active] = [counted(now), desk.rev, time.read(Date.now())];
  const digest = await entries.sha256(entries.canonical(table));
  const next = ahead.shift();
  show("saving");
  await outbox.add({ ...operationOf("submit", token), rev, digest, entries: table, active, view, stay: Boolean(next) });
  if (!next) return;
  lay(next);
  renew();
}

/** Have the next questions held ready and at hand, for the time without a line. */
async function lookAhead() {
  if (!desk.editable || desk.submitted || desk.lost || !navigator.onLine) return;
  try {
    const said = await post(`${desk.token}/ahead/`, {});
    if (said.status === 200) ahead = said.body.desks.filter((one) => one.token !== desk.token);
  } catch { /* offline: what is at hand stays */ }
}

/** Without the marks of responses that cannot be graded: the reason stands instead. */
const counted = (table) => Object.fromEntries(Object.entries(table)
  .filter(([place]) => !(place.startsWith("mark/") && table[`cannot/${place.split("/")[1]}`])));

function moveOn(operation, said) {
  if (operation.token !== desk.token) return;
  if (said.next?.html) {
    lay(said.next);
    document.getElementById("late-note").hidden = !said.late;
    return;
  }
  if (said.late) { desk.editable = false; return; } // stays, with the note that says so
  if (said.next) { location.assign(said.next.url); return; }
  // It was sent with the next one at hand, which is gone (a reload): the list knows how to go on.
  location.assign(settings.base);
}

/** Put a desk in the place of the one before. */
function lay(next) {
  const before = location.href;
  const fresh = new DOMParser().parseFromString(next.html, "text/html");
  for (const part of fresh.querySelectorAll("[data-part]")) {
    const place = document.querySelector(`[data-desk="${part.dataset.part}"]`);
    place.replaceChildren(...part.childNodes);
  }
  for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = csrf;
  history.pushState({}, "", next.url);
  document.title = say("title", { place: document.getElementById("grades").dataset.place });
  document.querySelector("h1").textContent = document.title;
  sit();
  scrollTo({ top: 0 });
  announce(document.title);
  offerUndo(before);
}

function offerUndo(url) {
  undoUrl = url;
  const button = document.querySelector("[data-undo-submit]");
  if (!button) return;
  button.hidden = false;
  button.onclick = takeBack;
  setTimeout(() => { if (undoUrl === url) hideUndo(); }, UNDO);
}

function hideUndo() {
  undoUrl = null;
  const button = document.querySelector("[data-undo-submit]");
  if (button) button.hidden = true;
}

function takeBack() { if (undoUrl) location.assign(undoUrl); }

// ---- what the page says

function show(wanted, values = {}) {
  const state = wanted === "saving" && !navigator.onLine ? "offline" : wanted;
  if (state === "offline") values.n ??= outbox.queue.length + 1;
  const box = document.querySelector("[data-save]");
  if (!box) return;
  box.dataset.state = state;
  const at = settings.savedAt ? new Date(settings.savedAt).toLocaleTimeString() : "";
  box.querySelector("span").textContent = say(`state-${state}`, { at, ...values });
}

function announce(text) {
  const box = document.getElementById("announcer");
  box.textContent = "";
  setTimeout(() => { box.textContent = text; }, 50);
}

function watchLease() {
  clearInterval(settings.leaseTimer);
  if (!desk.lease || desk.submitted || desk.lost) return;
  settings.leaseTimer = setInterval(async () => {
    const left = desk.lease - Date.now();
    if (left > WARN) return;
    if (Date.now() - time.last < WARN) { await renew(); return; }
    show(left > 0 ? "ending" : "lost", { minutes: Math.max(0, Math.ceil(left / 60_000)) });
  }, 15_000);
}

async function renew() {
  try {
    const answer = await post(`${desk.token}/renew/`, {});
    if (answer.status === 200) desk.lease = Date.parse(answer.body.lease_until);
  } catch { /* offline: the queue says so */ }
}

// ---- keys

const deeds = {
  digit: ({ digit }) => grade(digit),
  focus: ({ letter }) => desk.focus(letter),
  next: () => desk.step(1),
  previous: () => desk.step(-1),
  ungraded: () => { const open = desk.nextOpen(now); if (open) desk.focus(open); },
  clear: () => clear(),
  wrong: () => wrong(),
  evidence: () => markEvidence(),
  comment: () => openTools(`comment-${desk.now}`),
  cannot: () => openTools(`cannot-${desk.now}`),
  diff: () => dialogs.showDifference(desk.now, desk.text(desk.now)),
  guide: () => dialogs.ask("guide-dialog"),
  rubric: () => dialogs.ask("guide-dialog"),
  view: () => cycleView(),
  skip: () => document.querySelector("[name=reason]")?.focus(),
  undo: () => (undoUrl && !past.length ? takeBack() : turn(past, future)),
  redo: () => turn(future, past),
  pause: () => pauseWork(),
  help: () => dialogs.ask("keys-dialog"),
  submit,
  enter: () => { if (!entries.missing(now, desk.letters, desk.criteria).length) submit(); },
  earlier: () => history.back(),
  later: () => history.forward(),
};

function grade(digit) {
  const criterion = desk.criterionNow(now);
  const typed = desk.numberField(criterion);
  if (typed) { typed.focus(); return; }
  if (!desk.choices(criterion).includes(digit)) {
    announce(say("no-level", { value: digit, levels: desk.choices(criterion).join(", ") }));
    return;
  }
  set(desk.now, criterion, digit);
}

function set(letter, criterion, value) {
  change({ [`mark/${letter}/${criterion}`]: value, [`cannot/${letter}`]: null });
  announce(say("graded", { letter, value }));
  const done = !entries.missing(now, [letter], desk.criteria).length;
  if (!done) { desk.focus(letter); return; }
  const open = desk.nextOpen(now);
  if (open && settings.advance !== false) desk.focus(open);
  else desk.focus(letter);
}

function clear() {
  const patch = Object.fromEntries(desk.criteria.map((one) => [`mark/${desk.now}/${one}`, null]));
  change({ ...patch, [`cannot/${desk.now}`]: null });
}

/** Wrong information: the lowest value, with the selected words as evidence. */
function wrong() {
  const selected = desk.selection();
  const letter = selected?.letter ?? desk.now;
  desk.focus(letter, { scroll: false });
  const lowest = Object.fromEntries(desk.criteria
    .map((one) => [`mark/${letter}/${one}`, desk.choices(one)[0]]).filter(([, value]) => value !== undefined));
  change({ ...lowest, ...(selected ? evidencePatch(now, selected) : {}), [`cannot/${letter}`]: null });
  announce(say(selected ? "wrong-marked" : "wrong", { letter }));
}

function markEvidence() {
  const selected = desk.selection();
  if (!selected) { announce(say("select-first")); return; }
  change(evidencePatch(now, selected));
  document.getSelection().removeAllRanges();
  announce(say("marked", { letter: selected.letter }));
}

function openTools(name) {
  const field = desk.form.querySelector(`[name="${name}"]`);
  field.closest("details").open = true;
  field.focus();
}

function cycleView() {
  const views = ["stack", "columns", "focus"];
  settings.view = views[(views.indexOf(settings.view ?? "stack") + 1) % views.length];
  remember("view", settings.view);
  document.body.dataset.view = settings.view;
  announce(say(`view-${settings.view}`));
}

async function pauseWork() {
  await keep();
  time.hide(Date.now());
  await dialogs.ask("pause-dialog");
  time.show(Date.now());
  renew();
}

document.addEventListener("keydown", (event) => {
  if (dialogs.isOpen()) return;
  const action = actionOf(event, keys);
  if (!action || !(action.name in deeds)) return;
  event.preventDefault();
  deeds[action.name](action);
});

// ---- fields, buttons, tabs

document.addEventListener("change", (event) => { if (ours(event.target)) change(entries.difference(now, desk.read(now))); });
document.addEventListener("input", (event) => {
  if (ours(event.target) && event.target.tagName === "TEXTAREA") change(entries.difference(now, desk.read(now)), { remember: false });
});
const ours = (field) => field.form === desk.form || field.dataset?.point !== undefined;

document.addEventListener("focusin", (event) => {
  const card = event.target.closest?.(".resp[id]");
  if (!card || card.id === desk.now || !desk.letters.includes(card.id)) return;
  desk.now = card.id;
  for (const letter of desk.letters) desk.card(letter).toggleAttribute("data-now", letter === card.id);
});

document.addEventListener("submit", (event) => {
  if (event.target !== desk.form) return;
  event.preventDefault();
  submit();
});

document.addEventListener("click", (event) => {
  const cell = event.target.closest?.("[data-tally]");
  if (cell) { event.preventDefault(); desk.focus(cell.dataset.tally); return; }
  const button = event.target.closest?.("[data-do]");
  if (!button) return;
  const card = button.closest(".resp[id]");
  if (card) { desk.now = card.id; }
  deeds[button.dataset.do]({});
});

for (const name of ["blur", "pagehide"]) addEventListener(name, () => { keep(); });
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") { time.hide(Date.now()); keep(); } else time.show(Date.now());
});
for (const name of ["pointerdown", "scroll", "keydown"])
  addEventListener(name, () => time?.touch(Date.now()), { passive: true, capture: true });
addEventListener("popstate", () => {
  if (navigator.onLine) location.reload();
  else history.pushState({}, "", settings.here); // there is no page to go to; this one stays
});
addEventListener("beforeunload", (event) => { if (!store.durable && outbox.queue.length) event.preventDefault(); });

// Two tabs on one question: the one that was opened last writes, the other is read-only.
channel?.addEventListener("message", ({ data }) => {
  if (data.token !== desk?.token || data.here === settings.tab) return;
  keep();
  writing = false;
  document.body.classList.add("read-only");
  show("elsewhere");
});
document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-take-over]")) return;
  location.reload();
});

function storedKeys() {
  try { return JSON.parse(localStorage.getItem("evalsite-keys") ?? "{}"); } catch { return {}; }
}

function remember(name, value) {
  try { localStorage.setItem(`evalsite-${name}`, JSON.stringify(value)); } catch { /* private window */ }
}

function recall(name, otherwise) {
  try { return JSON.parse(localStorage.getItem(`evalsite-${name}`)) ?? otherwise; } catch { return otherwise; }
}

settings.view = recall("view", "stack");
document.body.dataset.view = settings.view;
sit();
if (outbox.queue.length) outbox.flush(); // else what the page says of its draft stays

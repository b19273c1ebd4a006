// The grading page: keys, saving while you work, the next question in the same place.
// Without this script the page is a plain form (annotation/grading/pages.py); with it, the same
// fields are saved as they change, and nothing that was shown as saved is ever lost.

import { Desk, Layout } from "../lib/desk.js";
import * as dialogs from "../lib/dialogs.js";
import * as entries from "../lib/entries.js";
import { actionOf, movesFocus, recall, remember, withOwn } from "../lib/keys.js";
import { Line, pauseOrOnline } from "../lib/line.js";
import { openStore, Outbox, pending } from "../lib/outbox.js";
import { deedsOf, stretched, WorkTime } from "../lib/work.js";

const QUIET = 400; // milliseconds without a change before a draft is sent
const WARN = 120_000; // before a lease ends
const UNDO = 10_000;
const settings = JSON.parse(document.getElementById("desk-settings").textContent);
const keys = withOwn(recall("keys", {}));
const tab = crypto.randomUUID?.() ?? String(Math.random());
const { announce, byId, clock, say } = dialogs;

let desk;
let work;
let time;
let here; // the address of the desk
let counted = 0; // milliseconds at this desk that count towards a break already
let timer;
let leaseTimer;
let writing = true;
let undoUrl = null;
let leaving = null; // the desk that is being handed in while the next one is at hand
let ahead = []; // desks that are held ready: [{token, url, html}]
let pointed = false; // what came last was a mouse or a thumb, not a key
let comparison = null; // loaded once somebody compares
const paces = []; // milliseconds that the questions of this visit took
const passed = new Set(); // tokens that were submitted from this page

const room = {
  get desk() { return desk; },
  get work() { return work; },
  get time() { return time; },
  undoUrl: () => undoUrl,
  compare, leave,
  write: () => desk.write(work.now),
  change, go, keep, lock, lookAhead, moveOn, renew, show, submit,
};
const channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(`evalsite-${settings.device}`) : null;
const layout = new Layout(document, { recall, remember });
const store = await openStore(settings.device);
const line = new Line({ settings, store, room });
const outbox = new Outbox({ store, send: line.send, tell: line.tell, wait: pauseOrOnline });
line.outbox = outbox;
await Promise.all([outbox.load(), line.load()]);

// ---- the page of a seat

async function sit() {
  desk = new Desk(document);
  if (!line.revisions.has(desk.token)) line.revisions.set(desk.token, desk.draftRev);
  const waiting = pending(outbox.queue, desk.token, desk.stored, entries.patched);
  const mine = desk.editable && !desk.submitted ? line.kept.get(desk.token)?.entries : null;
  work = new entries.Entered(desk.token, desk.stored, mine ? { ...waiting, ...mine } : waiting);
  work.refused = Boolean(mine);
  [here, counted] = [location.href, 0];
  time = new WorkTime(Date.now(), document.visibilityState === "visible");
  document.body.classList.add("with-script");
  delete document.body.dataset.moving;
  document.querySelector(".grade").removeAttribute("aria-busy");
  dialogs.localise();
  for (const formula of document.querySelectorAll(".prose div.math")) formula.tabIndex = 0; // it may scroll
  desk.onfocus = (letter) => comparison?.follow(letter);
  if (document.querySelector(".prose pre")) import("../lib/code.js").then(({ dress }) => dress(document));
  const early = desk.early();
  desk.write(work.now);
  desk.hint(keys);
  layout.fit(desk);
  if (comparison?.isOpen) comparison.resume();
  showPace();
  if (desk.editable && !location.hash) desk.focus(desk.nextOpen(work.now) ?? desk.letters[0], { scroll: false });
  line.countKept();
  watchLease();
  change(early);
  setTimeout(lookAhead, 1000);
  channel?.postMessage({ token: desk.token, tab });
  if (!Object.keys(early).length) await showFirst();
}

/** What the page says of itself before anything is changed. */
async function showFirst() {
  if (!desk.editable) { show("locked"); return; }
  if (desk.submitted) { show("submitted"); return; }
  if (desk.lost) { show("lost"); return; }
  if (!Object.keys(desk.stored).length) { show("ready"); return; }
  const at = clock(desk.savedAt);
  show("restored", { at, where: "" });
  const [mine] = await store.notes(`rev/${desk.token}`);
  if (dialogs.shown().state === "restored") show("restored", { at, where: say(mine?.rev === desk.draftRev ? "this-device" : "other-device") });
}

/** Take in a change: on the page, in the history, on the device, and soon on the server. */
function change(patch, { remembered = true } = {}) {
  if (!Object.keys(patch).length) return;
  if (!desk.editable || !writing || line.handedIn.has(desk.token)) { desk.write(work.now); return; }
  work.take(patch, { remember: remembered, wait: !desk.submitted });
  desk.write(work.now);
  if (comparison?.isOpen && Object.keys(patch).some((place) => place.startsWith("evidence/"))) comparison.mark();
  time.touch(Date.now());
  mindBreak();
  hideUndo();
  if (desk.submitted) { show("correcting"); return; }
  show("saving");
  clearTimeout(timer);
  timer = setTimeout(keep, QUIET);
}

/** Hand the waiting changes to the queue. */
function keep() {
  clearTimeout(timer);
  return desk && !desk.submitted ? line.draft(work) : null;
}

// ---- submitting, and the next question in the same place

async function submit() {
  if (!desk.editable || !writing || line.handedIn.has(desk.token)) return;
  if (work.undecided) { work.undecided(); return; }
  change(entries.difference(work.now, desk.read(work.now))); // a number that is still being typed
  const open = entries.missing(work.now, desk.marked, desk.criteria);
  if (open.length) {
    desk.focus(desk.ofPairs ? desk.now : open[0].letter);
    const nameOf = ({ letter, criterion }) => (desk.ofPairs ? desk.describe(`mark/${letter}/${criterion}`).title : letter);
    const text = say("left", { letters: [...new Set(open.map(nameOf))] });
    if (desk.ofPairs) dialogs.restore({ state: "open", text }); // two answers have no tally that would show it
    else announce(text);
    return;
  }
  clearTimeout(timer);
  paces.push(time.read(Date.now()));
  passed.add(desk.token);
  // What was held ready may have come while this page was on its way: never the same one again.
  ahead = ahead.filter((one) => !passed.has(one.token));
  const next = ahead.shift();
  leaving = next ? desk.token : null;
  if (!next) document.querySelector(".grade").setAttribute("aria-busy", "true");
  show(next ? "saving" : "loading");
  await line.submit(work, { rev: desk.rev, active: time.read(Date.now()), view: layout.view, stay: Boolean(next) });
  if (!next) return;
  lay(next);
  renew();
}

/** Have the next questions held ready, for the time without a line. */
async function lookAhead() {
  if (!desk.editable || desk.submitted || desk.lost || !navigator.onLine) return;
  try {
    const said = await line.post(`${desk.token}/ahead/`, {});
    if (said.status === 200) ahead = said.body.desks.filter((one) => one.token !== desk.token);
  } catch { /* offline: what is at hand stays */ }
}

function moveOn(operation, said) {
  if (operation.token !== desk.token || operation.token === leaving) return;
  if (said.next?.html) {
    lay(said.next);
    byId("late-note").hidden = !said.late;
  } else if (said.late) desk.editable = false; // stays, with the note that says so
  else location.assign(said.next?.url ?? settings.base); // without one, it was at hand and is gone (a reload)
}

/** Put a desk in the place of the one before. */
function lay(next) {
  const before = location.href;
  const fresh = new DOMParser().parseFromString(next.html, "text/html");
  for (const part of fresh.querySelectorAll("[data-part]"))
    document.querySelector(`[data-desk="${part.dataset.part}"]`).replaceChildren(...part.childNodes);
  line.stamp();
  history.pushState({}, "", next.url);
  const { place, total } = byId("grades").dataset;
  document.title = say("title", { place, total });
  document.querySelector("h1").textContent = say("heading", { place, total });
  const earlier = document.querySelector("[data-step=earlier]");
  [earlier.href, earlier.hidden] = [before, false];
  sit();
  scrollTo({ top: 0 });
  announce(`${document.title}. ${say("submitted")}`);
  offerUndo(before);
}

function offerUndo(url) {
  undoUrl = url;
  nameUndo();
  setTimeout(() => { if (undoUrl === url) hideUndo(); }, UNDO);
}

function hideUndo() {
  undoUrl = null;
  nameUndo();
}

/** One button takes back: the last change, or the submit as long as nothing is changed after it. */
function nameUndo() {
  const word = document.querySelector("[data-undo]");
  if (word) word.textContent = say(undoUrl ? "undo-submit" : "undo");
}

/** Put two answers beside each other, or end that. */
async function compare() {
  const { Comparison } = await import("../lib/compare.js");
  comparison ??= new Comparison(document, () => desk);
  if (comparison.isOpen) comparison.close();
  else comparison.open(desk.now);
}

/** Esc: out of a field to the marks of its answer; else out of the comparison. */
function leave() {
  const field = document.activeElement;
  if (field.matches?.("textarea, select, .more summary") && field.closest(".resp, #flag, .foot")) {
    const folds = field.closest("details");
    if (folds && ![...folds.querySelectorAll("textarea, select")].some((one) => one.value)) folds.open = false;
    desk.focus(desk.now);
  } else if (comparison?.isOpen && !document.querySelector(":popover-open")) comparison.close();
}

/** How long what is left will take, at one's own pace; nobody else is told. */
function showPace() {
  const box = document.querySelector("[data-pace]");
  const sorted = [...paces].sort((one, other) => one - other);
  const each = sorted.length > 2 ? sorted[Math.floor(sorted.length / 2)] : settings.pace;
  const { place, total } = desk.form.dataset;
  if (!box || !each || !desk.editable || desk.submitted) return;
  const minutes = each * (Number(total) - Number(place) + 1) / 60_000;
  const n = minutes > 10 ? Math.round(minutes / 5) * 5 : Math.max(1, Math.round(minutes));
  box.textContent = n < 90 ? say("minutes-left", { n }) : say("hours-left", { n: Math.round(n / 60) });
}

/** Go to another question of one's own, once everything has arrived. */
async function go(url) {
  if (!url) { announce(say("no-neighbour")); return; }
  if (!navigator.onLine) { announce(say("no-line")); return; }
  await keep();
  if (!outbox.held) await outbox.flush();
  location.assign(url);
}

/** Say how it stands; without a line, what is being saved waits here. */
function show(wanted, values = {}) {
  const state = wanted === "saving" && !navigator.onLine ? "offline" : wanted;
  if (state === "saving" && dialogs.shown().state === "loading") return;
  dialogs.show(state, { at: clock(line.savedAt), n: outbox.queue.length + 1, ...values });
}

/** From here on this page can only be read. */
function lock() {
  desk.editable = false;
  document.body.classList.add("locked");
  show("locked");
}

// ---- time

function watchLease() {
  clearInterval(leaseTimer);
  if (!desk.lease || desk.submitted || desk.lost) return;
  leaseTimer = setInterval(minded, 15_000);
}

async function minded() {
  if (desk.lease - Date.now() > WARN) return;
  if (Date.now() - time.last < WARN) await renew();
  const left = desk.lease - Date.now();
  if (left < WARN) show(left > 0 ? "ending" : "lost", { minutes: Math.max(0, Math.ceil(left / 60_000)) });
}

async function renew() {
  try {
    const answer = await line.post(`${desk.token}/renew/`, {});
    if (answer.status !== 200) return;
    desk.lease = Date.parse(answer.body.lease_until);
    if (dialogs.shown().state === "ending") show("ready");
  } catch { /* offline: the queue says so */ }
}

/** Offer a break after a long stretch, once; nobody has to take it. */
function mindBreak() {
  const active = time.read(Date.now());
  const { due, ...worked } = stretched(recall("worked", {}), active - counted, Date.now());
  counted = active;
  remember("worked", worked);
  if (due && recall("nudge", true)) byId("nudge").hidden = false;
}

// ---- keys, buttons, fields

const deeds = deedsOf(room, { layout, line });

/** Listen from the moment on that there is a desk; what was entered before, it reads for itself (Desk.early). */
const on = (name, act) => document.addEventListener(name, (event) => { if (desk) act(event); });

on("keydown", (event) => {
  const criterion = desk.criterionNow(work.now);
  const action = actionOf(event, keys, desk.kinds[criterion] === "YES_NO", desk.options(criterion, keys));
  if (movesFocus(event, action)) document.body.dataset.moving = ""; // from now on the focus is shown
  if (dialogs.isOpen()) return;
  if (!action || !(action.name in deeds)) return;
  if (action.name !== "leave") event.preventDefault();
  deeds[action.name](action);
});

on("click", (event) => {
  const cell = event.target.closest?.("[data-tally]");
  if (cell) { event.preventDefault(); desk.focus(cell.dataset.tally); return; }
  const button = event.target.closest?.("[data-do]");
  if (!button) return;
  const card = button.closest(".resp[id]");
  if (card) desk.now = card.id;
  deeds[button.dataset.do]({ button });
});

/** After a grade by mouse or thumb that completes an answer: bring the next one into sight, as keys do. */
function goOn(letter) {
  if (!recall("advance", true) || entries.missing(work.now, [letter], desk.criteria).length) return;
  desk.now = letter;
  const next = desk.nextOpen(work.now);
  if (next) desk.focus(next);
}

for (const name of ["pointerdown", "keydown"])
  addEventListener(name, () => { pointed = name === "pointerdown"; }, { passive: true, capture: true });

const ours = (field) => field.form === desk.form || field.dataset?.point !== undefined;
on("change", ({ target }) => {
  if (target.dataset?.switch) {
    remember(target.dataset.switch, target.checked);
    layout.together(recall("together", false));
    if (comparison?.isOpen) comparison.mark();
  } else if (ours(target)) {
    if (target.type === "checkbox") desk.loosen(target);
    const letter = target.type === "radio" && pointed && target.closest(".resp[id]")?.id;
    const wasOpen = letter && entries.missing(work.now, [letter], desk.criteria).length > 0;
    change(entries.difference(work.now, desk.read(work.now)));
    if (wasOpen) goOn(letter);
  }
});
on("input", ({ target }) => {
  if (ours(target) && target.tagName === "TEXTAREA") change(entries.difference(work.now, desk.read(work.now)), { remembered: false });
});
for (const box of document.querySelectorAll("[data-switch]")) box.checked = recall(box.dataset.switch, box.defaultChecked);
on("focusin", (event) => {
  const card = event.target.closest?.(".resp[id]");
  if (!card || card.id === desk.now || !desk.letters.includes(card.id)) return;
  [desk.now, desk.held] = [card.id, null];
  for (const letter of desk.letters) desk.card(letter).toggleAttribute("data-now", letter === card.id);
});
on("submit", (event) => {
  if (event.target !== desk.form) return;
  event.preventDefault();
  submit();
});

// ---- the window and its tabs

for (const name of ["blur", "pagehide"]) addEventListener(name, () => { keep(); });
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") { time.hide(Date.now()); keep(); } else time.show(Date.now());
});
for (const name of ["pointerdown", "scroll", "keydown"])
  addEventListener(name, () => time?.touch(Date.now()), { passive: true, capture: true });
setInterval(mindBreak, 60_000);
addEventListener("popstate", () => {
  if (navigator.onLine) location.reload();
  else history.pushState({}, "", here); // there is no page to go to; this one stays
});
addEventListener("beforeunload", (event) => { if (!store.durable && outbox.queue.length) event.preventDefault(); });
// Two tabs on one question: the one that was opened last writes, the other is read-only.
channel?.addEventListener("message", ({ data }) => {
  if (data.token !== desk?.token || data.tab === tab) return;
  keep();
  writing = false;
  document.body.classList.add("read-only");
  show("elsewhere");
});

/** What this device saved may be newer than the page: it was on its way while the page was made. */
async function isStale() {
  const { token, draftRev } = new Desk(document);
  const [mine] = await store.notes(`rev/${token}`);
  return mine?.rev > draftRev && performance.getEntriesByType("navigation")[0]?.type !== "reload";
}

if (await isStale()) location.reload();
else {
  sit();
  if (outbox.queue.length) outbox.flush(); // else what the page says of its draft stays
}

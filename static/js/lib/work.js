// What somebody does at a desk with keys and buttons, and how long they are at work.
// The clock and the page come in from outside.

import * as dialogs from "./dialogs.js";
import { evidencePatch } from "./desk.js";
import { missing } from "./entries.js";
import { recall } from "./keys.js";

const { announce, say } = dialogs;

/** Reading makes no events; after so long without one, somebody is idle. */
export const IDLE = 120_000;
/** After so much work a break is offered; one of so long was one. */
export const STRETCH = 45 * 60_000;
export const BREAK = 10 * 60_000;

/** How long somebody was at work on a page: the tab in sight, and not idle. */
export class WorkTime {
  constructor(now, visible = true) {
    Object.assign(this, { total: 0, since: visible ? now : null, last: now });
  }

  /** Somebody did something. */
  touch(now) {
    if (this.since !== null) this.add(now);
    this.last = now;
    if (this.since !== null) this.since = now;
  }

  show(now) { if (this.since === null) { this.since = now; this.last = now; } }

  hide(now) { if (this.since !== null) { this.add(now); this.since = null; } }

  /** Milliseconds until now. */
  read(now) { return Math.round(this.total + (this.since === null ? 0 : this.span(now))); }

  add(now) { this.total += this.span(now); }

  span(now) { return Math.max(0, Math.min(now, this.last + IDLE) - this.since); }
}

/**
 * Count active time towards a break: {worked, at, due}. It is due once for every stretch of work,
 * and counting begins anew after a break, whoever took it.
 */
export function stretched({ worked = 0, at = 0 }, spent, now) {
  const total = (now - at > BREAK ? 0 : worked) + spent;
  const due = total >= STRETCH;
  return { worked: due ? 0 : total, at: spent > 0 ? now : at, due };
}

/**
 * What every key and button does, by the name of its action.
 *
 * @param room the page: desk, work, change(patch, options), submit(), go(url), undoUrl(), keep(), time, renew()
 */
export function deedsOf(room, { layout, line }) {
  const back = (patch) => { if (patch) room.change(patch, { remembered: false }); };
  // A dialog closes the sheet that it is asked for from: back to the sheet, not to a button nobody sees.
  const guide = async () => {
    const sheet = dialogs.byId("reference");
    const isOpen = sheet?.matches(":popover-open");
    await dialogs.ask("guide-dialog");
    if (!isOpen || !sheet.isConnected) return;
    sheet.showPopover();
    sheet.querySelector("[data-do=guide]")?.focus();
  };
  const rested = () => { document.getElementById("nudge").hidden = true; };
  return {
    digit: ({ digit }) => grade(room, digit),
    focus: ({ letter }) => room.desk.focus(letter),
    next: () => room.desk.step(1),
    previous: () => room.desk.step(-1),
    ungraded: () => { const open = room.desk.nextOpen(room.work.now); if (open) room.desk.focus(open); },
    clear: () => clear(room),
    wrong: () => wrong(room),
    evidence: () => markEvidence(room),
    comment: () => room.desk.open(`comment-${room.desk.at}`),
    cannot: () => room.desk.open(`cannot-${room.desk.at}`),
    flag: () => room.desk.open("flag"),
    diff: () => room.compare(),
    leave: () => room.leave(),
    copy: ({ button }) => navigator.clipboard.writeText(button.parentElement.querySelector("pre").textContent)
      .then(() => announce(say("code-copied")), () => announce(say("copy-failed"))),
    guide,
    rubric: guide,
    view: () => room.desk.ofPairs || announce(say(`view-${layout.cycle()}`)),
    skip: () => document.getElementById("skip")?.showPopover(),
    undo: () => (room.undoUrl() && !room.work.past.length ? room.go(room.undoUrl()) : back(room.work.undo())),
    redo: () => back(room.work.redo()),
    pause: () => { rested(); return pause(room); },
    help: () => dialogs.ask("keys-dialog"),
    submit: () => room.submit(),
    enter: () => goOn(room),
    earlier: () => room.go(neighbour("earlier")),
    later: () => room.go(neighbour("later")),
    extend: () => room.renew(),
    kept: () => line.showKept([...line.kept.values()][0]),
    rested,
    "take-over": () => location.reload(),
  };
}

const neighbour = (way) => document.querySelector(`[data-step=${way}]:not([hidden])`)?.href;

function grade({ desk, work, change }, digit) {
  const criterion = desk.criterionNow(work.now);
  const typed = desk.typedField(criterion);
  if (typed) { typed.focus(); return; }
  if (desk.kinds[criterion] === "LABELS") { choose({ desk, work, change }, criterion, Number(digit)); return; }
  const value = desk.valueOf(criterion, digit);
  if (!desk.choices(criterion).includes(value)) {
    announce(say("no-level", { value: digit, levels: [...desk.digits(criterion)] }));
    return;
  }
  const letter = desk.at;
  const place = `mark/${letter}/${criterion}`;
  change({ [place]: value, [`cannot/${letter}`]: null });
  const of = desk.ofPairs ? desk.describe(place, value).title : letter;
  announce(say("graded", { letter: of, value: desk.words(letter, criterion, value) }));
  advance({ desk, work });
}

/** After a mark: to the next response, once this one is complete. */
function advance({ desk, work }) {
  if (desk.ofPairs) { desk.focus(desk.now, { scroll: false }); return; }
  const complete = !missing(work.now, [desk.now], desk.criteria).length;
  desk.focus(complete && recall("advance", true) ? desk.nextOpen(work.now) ?? desk.now : desk.now);
}

/** Tick or untick a label; the same criterion keeps the digits until Enter. */
function choose({ desk, work, change }, criterion, place) {
  const patch = desk.toggle(work.now, criterion, place);
  if (!patch) { announce(say("no-level", { value: place, levels: `0–${desk.boxes(`mark-${desk.now}-${criterion}`).length - 1}` })); return; }
  change({ ...patch, [`cannot/${desk.now}`]: null });
  const [value] = Object.values(patch);
  announce(say("graded", { letter: desk.now, value: value === null ? say("nothing") : desk.words(desk.now, criterion, value) }));
}

/** Enter: on from labels; submit once nothing is missing, of a pair say what is. */
function goOn({ desk, work, submit }) {
  if (desk.ofPairs || !missing(work.now, desk.marked, desk.criteria).length) submit();
  else if (desk.held) advance({ desk, work });
}

function clear({ desk, change }) {
  const places = [...desk.marksOf(desk.at), `cannot/${desk.at}`];
  change(Object.fromEntries(places.map((place) => [place, null])));
}

/** Wrong information: the lowest value, with the selected words as evidence. */
function wrong({ desk, work, change }) {
  if (desk.ofPairs) { markEvidence({ desk, work, change }); return; }
  const selected = desk.selection();
  const letter = selected?.letter ?? desk.now;
  desk.focus(letter, { scroll: false });
  const lowest = Object.fromEntries(desk.criteria
    .filter((one) => ["YES_NO", undefined].includes(desk.kinds[one]))
    .map((one) => [`mark/${letter}/${one}`, desk.choices(one)[0]]).filter(([, value]) => value !== undefined));
  change({ ...lowest, ...(selected ? evidencePatch(work.now, selected) : {}), [`cannot/${letter}`]: null });
  announce(say(selected ? "wrong-marked" : "wrong", { letter }));
}

function markEvidence({ desk, work, change }) {
  const selected = desk.selection();
  if (!selected) { announce(say("select-first")); return; }
  change(evidencePatch(work.now, selected));
  document.getSelection().removeAllRanges();
  announce(say("marked", { letter: selected.letter }));
}

async function pause(room) {
  await room.keep();
  const before = dialogs.shown();
  dialogs.show("paused");
  room.time.hide(Date.now());
  await dialogs.ask("pause-dialog");
  room.time.show(Date.now());
  if (dialogs.shown().state === "paused") dialogs.restore(before);
  room.renew();
}

import assert from "node:assert/strict";
import { test } from "node:test";

import { deedOf, filled, held, stale, step, tally } from "../../static/js/lib/checklist.js";

const press = (key, more = {}) => ({ key, target: { tagName: "BODY" }, ...more });

test("every key has its deed, in capitals too", () => {
  const deeds = { j: "next", K: "previous", p: "PASS", F: "FAIL", "-": "NOT_APPLICABLE", a: "accept", b: "return", n: "note", "[": "earlier", "]": "later" };
  for (const [key, deed] of Object.entries(deeds)) assert.equal(deedOf(press(key)), deed);
  assert.equal(deedOf(press("x")), null);
});

test("keys belong to a field while somebody writes in it", () => {
  assert.equal(deedOf(press("p", { target: { tagName: "TEXTAREA" } })), null);
  assert.equal(deedOf(press("p", { target: { tagName: "INPUT", type: "text" } })), null);
  assert.equal(deedOf(press("p", { target: { tagName: "INPUT", type: "radio" } })), "PASS");
  assert.equal(deedOf(press("p", { isComposing: true })), null);
});

test("Ctrl+Enter decides from anywhere, whatever else is switched off", () => {
  const sent = press("Enter", { ctrlKey: true, target: { tagName: "TEXTAREA" } });
  assert.equal(deedOf(sent), "decide");
  assert.equal(deedOf(sent, true), "decide");
  assert.equal(deedOf(press("p"), true), null);
  assert.equal(deedOf(press("a", { ctrlKey: true })), null);
});

test("lines end where the list does", () => {
  assert.deepEqual([step(-1, 1, 3), step(2, 1, 3), step(0, -1, 3), step(3, -1, 3)], [0, 2, 0, 2]);
});

test("a checklist is counted", () => {
  assert.deepEqual(tally(["PASS", "", "FAIL", "NOT_APPLICABLE"]), { n: 3, f: 1, all: 4 });
  assert.equal(filled("{n} of {all}, {x}", { n: 3, all: 4 }), "3 of 4, {x}");
});

test("what the server gives anew is not kept", () => {
  const entries = [["csrfmiddlewaretoken", "t"], ["note", "Hm."], ["checklist", "3"], ["verdict", "ACCEPT"]];
  assert.deepEqual(held(entries), { note: "Hm." });
});

test("drafts go once they are sent, or with their age", () => {
  const day = 86_400_000;
  const drafts = [["here", { at: 0 }], ["sent", { at: 90 * day }], ["old", { at: day }], ["other", { at: 80 * day }], ["broken", null]];
  assert.deepEqual(stale(drafts, { now: 100 * day, here: "x", sent: "sent" }), ["here", "sent", "old", "broken"]);
  assert.deepEqual(stale([["here", { at: 100 * day }]], { now: 100 * day, here: "here", sent: "here" }), []);
});

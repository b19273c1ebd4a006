import assert from "node:assert/strict";
import { test } from "node:test";

import { asked, between, extent, stepped, words } from "../../static/js/pages/bank.js";
import { ways } from "../../static/js/pages/board.js";

test("rows between two are chosen in either direction", () => {
  assert.deepEqual(between(2, 4), [2, 3, 4]);
  assert.deepEqual(between(4, 2), [2, 3, 4]);
  assert.deepEqual(between(3, 3), [3]);
});

test("the box over all says all, some or none", () => {
  assert.equal(extent(0, 3), "none");
  assert.equal(extent(2, 3), "some");
  assert.equal(extent(3, 3), "all");
});

test("how many are chosen is said in words", () => {
  const said = { one: "1 chosen", many: "{n} chosen", none: "Choose." };
  assert.equal(words(0, said), "Choose.");
  assert.equal(words(1, said), "1 chosen");
  assert.equal(words(7, said), "7 chosen");
});

test("a card goes where its menu has a button, and says whether it asks why", () => {
  const found = ways([{ to: "DRAFT", asks: false }, { to: "RETIRED", asks: true }]);
  assert.deepEqual([...found], [["DRAFT", false], ["RETIRED", true]]);
  assert.equal(found.has("ACCEPTED"), false);
});

test("steps stay on the page, and begin at its ends", () => {
  assert.equal(stepped(-1, 1, 4), 0);
  assert.equal(stepped(-1, -1, 4), 3);
  assert.equal(stepped(2, 1, 4), 3);
  assert.equal(stepped(3, 1, 4), 3);
  assert.equal(stepped(0, -1, 4), 0);
});

test("J, K and Escape open and close, but not in a field, with Ctrl or switched off", () => {
  const press = (key, more = {}) => ({ key, target: { tagName: "A" }, ...more });
  assert.equal(asked(press("j"), { open: false }), 1);
  assert.equal(asked(press("K"), { open: true }), -1);
  assert.equal(asked(press("Escape"), { open: true }), "close");
  assert.equal(asked(press("Escape"), { open: false }), null);
  assert.equal(asked(press("j", { ctrlKey: true }), { open: true }), null);
  assert.equal(asked(press("j", { target: { tagName: "INPUT", type: "search" } }), { open: true }), null);
  assert.equal(asked(press("j"), { open: true, keysOff: true }), null);
  assert.equal(asked(press("Escape"), { open: true, keysOff: true }), "close");
});

import assert from "node:assert/strict";
import test from "node:test";

import { DEFAULT_KEYS, withOwn } from "../../static/js/lib/keys.js";
import { assigned, chosenBy, meaning, without, written } from "../../static/js/lib/ownkeys.js";

const press = (key, more = {}) => ({ key, code: "", ...more });

test("letters and signs can be chosen, in small letters", () => {
  assert.deepEqual(chosenBy(press("Q")), { key: "q" });
  assert.deepEqual(chosenBy(press("é")), { key: "é" });
  assert.deepEqual(chosenBy(press("Backspace")), { key: "Backspace" });
});

test("digits, combinations and keys for moving about cannot", () => {
  assert.equal(chosenBy(press("3", { code: "Digit3" })).why, "digit");
  assert.equal(chosenBy(press("&", { code: "Digit1" })).why, "digit");
  assert.equal(chosenBy(press("q", { ctrlKey: true })).why, "combined");
  for (const key of ["Enter", "Tab", " ", "ArrowDown", "Escape", "F5"])
    assert.equal(chosenBy(press(key)).why, "reserved");
});

test("a key that another action has is refused, and says whose it is", () => {
  assert.deepEqual(assigned({}, "next", "k"), { own: {}, taken: "previous" });
});

test("a key that was given up can be taken", () => {
  const off = assigned({}, "previous", "").own;
  const { own, taken } = assigned(off, "next", "k");
  assert.equal(taken, null);
  assert.deepEqual(own, { previous: "", next: "k" });
  assert.equal(withOwn(own).next, "k");
  assert.equal(withOwn(own).previous, "");
});

test("only what differs is kept", () => {
  assert.deepEqual(without({ next: DEFAULT_KEYS.next, clear: "q", nonsense: "x" }), { clear: "q" });
});

test("a key press is explained by one's own keys, and by none when all are off", () => {
  assert.deepEqual(meaning(press("q"), { clear: "q" }), { name: "clear" });
  assert.equal(meaning(press("q"), {}), null);
  assert.equal(meaning(press("j"), null), null);
});

test("letters are written large", () => {
  assert.deepEqual(["j", "Backspace", "["].map(written), ["J", "Backspace", "["]);
});

import assert from "node:assert/strict";
import test from "node:test";

import { actionOf, DEFAULT_KEYS, digitOf, movesFocus, optionKeys, withOwn } from "../../static/js/lib/keys.js";

const press = (key, more = {}) => ({ key, code: "", target: { tagName: "BODY" }, ...more });

test("digits grade, by what they write", () => {
  assert.deepEqual(actionOf(press("2", { code: "Digit2" })), { name: "digit", digit: "2" });
  assert.deepEqual(actionOf(press("7", { code: "Numpad7" })), { name: "digit", digit: "7" });
});

test("on AZERTY the digit row means its digits, and shifted it writes them", () => {
  assert.equal(digitOf({ key: "à", code: "Digit0" }), "0");
  assert.equal(digitOf({ key: "&", code: "Digit1" }), "1");
  assert.equal(digitOf({ key: "1", code: "Digit1", shiftKey: true }), "1");
  assert.equal(digitOf({ key: "!", code: "Digit1", shiftKey: true }), null);
  assert.equal(digitOf({ key: "Home", code: "Numpad7" }), null);
});

test("Y and N answer where yes or no is asked, whatever else they are for", () => {
  assert.deepEqual(actionOf(press("y"), DEFAULT_KEYS, true), { name: "digit", digit: "1" });
  assert.deepEqual(actionOf(press("N"), DEFAULT_KEYS, true), { name: "digit", digit: "0" });
  assert.deepEqual(actionOf(press("n"), DEFAULT_KEYS, false), { name: "ungraded" });
  assert.equal(actionOf(press("y", { target: { tagName: "TEXTAREA" } }), DEFAULT_KEYS, true), null);
});

test("nothing happens while a text is written or composed", () => {
  assert.equal(actionOf(press("2", { target: { tagName: "TEXTAREA" } })), null);
  assert.equal(actionOf(press("2", { target: { tagName: "INPUT", type: "number" } })), null);
  assert.equal(actionOf(press("2", { isComposing: true })), null);
  assert.equal(actionOf(press("Process", { keyCode: 229 })), null);
  assert.deepEqual(actionOf(press("2", { target: { tagName: "INPUT", type: "radio" } }))?.name, "digit");
});

test("Ctrl+Enter submits from everywhere, Enter only outside links and buttons", () => {
  const area = { tagName: "TEXTAREA" };
  assert.deepEqual(actionOf(press("Enter", { ctrlKey: true, target: area })), { name: "submit" });
  assert.deepEqual(actionOf(press("Enter")), { name: "enter" });
  assert.equal(actionOf(press("Enter", { target: { tagName: "BUTTON" } })), null);
});

test("other combinations are the browser's", () => {
  assert.equal(actionOf(press("j", { altKey: true })), null);
  assert.equal(actionOf(press("c", { ctrlKey: true })), null);
  assert.deepEqual(actionOf(press("z", { metaKey: true })), { name: "undo" });
  assert.deepEqual(actionOf(press("y", { ctrlKey: true })), { name: "redo" });
});

test("Shift and a letter goes to a response", () => {
  assert.deepEqual(actionOf(press("C", { shiftKey: true })), { name: "focus", letter: "C" });
});

test("keys can be changed, switched off one by one, and all together", () => {
  const own = withOwn({ next: "n", ungraded: "", nonsense: "z", wrong: "5" });
  assert.deepEqual(actionOf(press("n"), own), { name: "next" });
  assert.equal(actionOf(press("j"), own), null);
  assert.equal(own.wrong, "");
  assert.ok(!("nonsense" in own));
  assert.equal(withOwn(null), null);
  assert.equal(actionOf(press("2"), null), null);
});

test("no two actions share a key", () => {
  const used = Object.values(DEFAULT_KEYS);
  assert.equal(new Set(used).size, used.length);
});

test("on AZERTY every key of the digit row grades, shifted or not", () => {
  [..."à&é\"'(-è_ç"].forEach((key, digit) => {
    assert.deepEqual(actionOf(press(key, { code: `Digit${digit}` })), { name: "digit", digit: String(digit) }, key);
    assert.deepEqual(
      actionOf(press(String(digit), { code: `Digit${digit}`, shiftKey: true })), { name: "digit", digit: String(digit) }, key,
    );
  });
});

test("a sign of the digit row that is a key of its own elsewhere still grades on AZERTY only", () => {
  assert.equal(actionOf(press("?", { code: "Slash", shiftKey: true }))?.name, "help");
  assert.equal(actionOf(press("_", { code: "Minus", shiftKey: true })), null);
});

test("the numpad grades with NumLock, and moves without", () => {
  for (let digit = 0; digit < 10; digit += 1)
    assert.deepEqual(actionOf(press(String(digit), { code: `Numpad${digit}` })), { name: "digit", digit: String(digit) });
  for (const [key, digit] of [["End", 1], ["ArrowDown", 2], ["Insert", 0], ["Home", 7]])
    assert.equal(actionOf(press(key, { code: `Numpad${digit}` })), null);
});

test("digits of other scripts are no digits of ours, a composed one is not taken either", () => {
  assert.equal(digitOf({ key: "２", code: "" }), null);
  assert.equal(digitOf({ key: "٢", code: "" }), null);
  assert.equal(actionOf(press("1", { code: "Digit1", isComposing: true })), null);
  assert.equal(actionOf(press("1", { code: "Digit1", keyCode: 229 })), null);
});

test("a digit beyond the scale is a digit all the same: the page says which levels there are", () => {
  assert.deepEqual(actionOf(press("9", { code: "Digit9" })), { name: "digit", digit: "9" });
});

test("keys that move the focus show it; a digit or a view does not", () => {
  for (const key of ["Tab", "ArrowLeft", "j", "k", "n"]) assert.ok(movesFocus(press(key), actionOf(press(key))), key);
  assert.ok(movesFocus(press("B", { shiftKey: true }), actionOf(press("B", { shiftKey: true }))));
  for (const key of ["1", "v", "Shift"]) assert.ok(!movesFocus(press(key), actionOf(press(key))), key);
});

test("Escape leaves a field that is written in, and nothing else does", () => {
  assert.deepEqual(actionOf(press("Escape", { target: { tagName: "TEXTAREA" } })), { name: "leave" });
  assert.deepEqual(actionOf(press("Escape")), { name: "leave" });
  assert.equal(actionOf(press("Escape", { isComposing: true })), null);
});

const places = (from, to) => Array.from({ length: to - from + 1 }, (_none, at) => String(from + at));

test("labels after the ninth have 0 and the letters that are free, then letters with Shift", () => {
  const keys = optionKeys(places(10, 24), DEFAULT_KEYS, true);
  assert.deepEqual([...keys.keys()], [..."0abhilmoqtzIJKL"]);
  assert.deepEqual(actionOf(press("0"), DEFAULT_KEYS, false, keys), { name: "digit", digit: "10" });
  assert.deepEqual(actionOf(press("z"), DEFAULT_KEYS, false, keys), { name: "digit", digit: "20" });
  assert.deepEqual(actionOf(press("L", { shiftKey: true }), DEFAULT_KEYS, false, keys), { name: "digit", digit: "24" });
  assert.deepEqual(actionOf(press("1"), DEFAULT_KEYS, false, keys), { name: "digit", digit: "1" });
});

test("options take no key that does something else, a person's own neither", () => {
  const own = withOwn({ next: "a", previous: "" });
  const keys = optionKeys(places(10, 12), own);
  assert.deepEqual([...keys.keys()], ["b", "h", "i"]);
  assert.deepEqual(actionOf(press("a"), own, false, keys), { name: "next" });
  assert.equal(optionKeys(places(10, 12), null).size, 0);
  assert.deepEqual(actionOf(press("b"), own, false, optionKeys([], own)), null);
  assert.equal(actionOf(press("b", { ctrlKey: true }), own, false, keys), null);
});

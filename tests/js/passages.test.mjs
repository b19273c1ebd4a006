import assert from "node:assert/strict";
import { test } from "node:test";

import { address, length, places } from "../../static/js/lib/passages.js";

test("characters are counted as the server counts them", () => {
  assert.equal(length("a🚢b"), 3);
});

test("a passage is counted from where its paragraph begins", () => {
  assert.deepEqual(places(10, "🚢 ", 10, "🚢 hold", "hold"), { start: 12, end: 16 });
});

test("spaces at both ends are left out", () => {
  assert.deepEqual(places(0, "a", 0, "a b ", " b "), { start: 2, end: 3 });
});

test("a passage may go over paragraphs", () => {
  assert.deepEqual(places(0, "ab", 20, "xyz", "…"), { start: 2, end: 23 });
});

test("spaces alone are no passage", () => {
  assert.equal(places(0, "", 0, "  ", "  "), null);
});

test("a passage that is too long has no address", () => {
  assert.equal(address("/new/?passage=3:", { start: 1, end: 9 }), "/new/?passage=3:1-9");
  assert.equal(address("/new/?passage=3:", { start: 0, end: 4001 }), "");
  assert.equal(address("/new/?passage=3:", null), "");
});

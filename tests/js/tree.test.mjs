import assert from "node:assert/strict";
import { test } from "node:test";

import { place, spot, within } from "../../static/js/pages/tree.js";

const rows = [
  { node: "1", parent: "" },
  { node: "2", parent: "1" },
  { node: "3", parent: "1" },
  { node: "4", parent: "" },
];

test("a line is dropped before, inside or after another", () => {
  assert.deepEqual([0.1, 0.5, 0.9].map(spot), ["before", "inside", "after"]);
});

test("before a line is at its side", () => {
  assert.deepEqual(place(rows, "3", "before"), { parent: "1", before: "3" });
});

test("after a line is before the next beside it, or last", () => {
  assert.deepEqual(place(rows, "1", "after"), { parent: "", before: "4" });
  assert.deepEqual(place(rows, "3", "after"), { parent: "1", before: "" });
});

test("inside is below, as the last", () => {
  assert.deepEqual(place(rows, "4", "inside"), { parent: "4", before: "" });
});

test("a line stands within itself and all above it", () => {
  assert.ok(within(rows, "3", "1"));
  assert.ok(within(rows, "3", "3"));
  assert.ok(!within(rows, "1", "3"));
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { atFirst, hidden } from "../../static/js/pages/branches.js";

const LINES = [
  { key: "all", below: "", kind: "group" },
  { key: "t-1", below: "", kind: "group" },
  { key: "c-2", below: "t-1", kind: "capability" },
  { key: "c-2/SIMPLE", below: "c-2", kind: "difficulty" },
  { key: "c-2/SIMPLE/7", below: "c-2/SIMPLE", kind: "area" },
  { key: "c-3", below: "", kind: "capability" },
];

test("what is below a closed line is hidden, however deep", () => {
  assert.deepEqual([...hidden(LINES, new Set(["t-1"]))], ["c-2", "c-2/SIMPLE", "c-2/SIMPLE/7"]);
});

test("an open line below a closed one stays hidden", () => {
  assert.equal(hidden(LINES, new Set(["c-2"])).has("c-2/SIMPLE/7"), true);
  assert.equal(hidden(LINES, new Set(["c-2"])).has("c-2"), false);
});

test("nothing is hidden when nothing is closed", () => {
  assert.equal(hidden(LINES, new Set()).size, 0);
});

test("at first groups are open, and what holds parts within a capability is closed", () => {
  assert.deepEqual([...atFirst(LINES)], ["c-2", "c-2/SIMPLE"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { between, extent, words } from "../../static/js/pages/bank.js";
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

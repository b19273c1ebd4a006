import assert from "node:assert/strict";
import { test } from "node:test";

import { after } from "../../static/js/lib/walk.js";

test("begins with the first mark and stays at the ends", () => {
  assert.equal(after(-1, 1, 5), 0);
  assert.equal(after(0, 1, 5), 1);
  assert.equal(after(4, 1, 5), 4);
  assert.equal(after(0, -1, 5), 0);
});

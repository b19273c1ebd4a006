import assert from "node:assert/strict";
import test from "node:test";

import { sizeOf } from "../../static/js/lib/picture.js";

test("a drawing is twice as large in pixels", () => {
  assert.deepEqual(sizeOf(780, 300), { width: 1560, height: 600 });
});

test("a very long drawing is made to fit", () => {
  assert.deepEqual(sizeOf(800, 16384), { width: 400, height: 8192 });
});

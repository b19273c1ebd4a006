import assert from "node:assert/strict";
import test from "node:test";

import { recolour, toHex } from "../../static/js/lib/plot.js";

test("a computed colour is written as hex", () => {
  assert.equal(toHex("rgb(11, 100, 180)"), "#0b64b4");
});

test("known colours are exchanged at any depth, the figure itself stays as it was", () => {
  const figure = { data: [{ marker: { color: "#0B64B4" }, x: [1, null] }], layout: { title: "s1" } };
  const dark = recolour(figure, new Map([["#0b64b4", "#62b0f5"]]));

  assert.equal(dark.data[0].marker.color, "#62b0f5");
  assert.deepEqual(dark.data[0].x, [1, null]);
  assert.equal(dark.layout.title, "s1");
  assert.equal(figure.data[0].marker.color, "#0B64B4");
});

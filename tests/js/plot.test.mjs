import assert from "node:assert/strict";
import test from "node:test";

import { recolour, stacked, toHex } from "../../static/js/lib/plot.js";

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

const panels = (domains) => ({
  data: [{}, { xaxis: "x2" }],
  layout: {
    height: 372, margin: { t: 32, b: 40 },
    ...Object.fromEntries(domains.flatMap(([x, y], place) => {
      const number = place ? place + 1 : "";
      return [
        [`xaxis${number}`, { domain: x, title: { text: "Score (%)" } }],
        [`yaxis${number}`, { domain: y, showticklabels: place === 0 }],
      ];
    })),
    annotations: domains.map((_, place) => ({ text: `panel ${place}`, x: 0.5 })),
  },
});
const asOneRow = panels([[[0, 0.48], [0, 1]], [[0.52, 1], [0, 1]]]);

test("panels that stand side by side go below each other, as high as they were", () => {
  const { layout } = stacked(asOneRow);
  const inner = layout.height - 72;

  assert.equal(inner, 300 + 52 + 300);
  for (const axis of [layout.xaxis, layout.xaxis2]) assert.deepEqual(axis.domain, [0, 1]);
  const [first, second] = [layout.yaxis, layout.yaxis2].map(({ domain }) => domain.map((y) => Math.round(y * inner)));
  assert.deepEqual([first, second], [[352, 652], [0, 300]]);
});

test("each stacked panel has its names and its title, the last one what the axis means", () => {
  const { layout } = stacked(asOneRow);

  assert.ok(layout.yaxis2.showticklabels);
  assert.deepEqual(layout.annotations.map(({ text, x, y }) => [text, x, y > 0.4]), [
    ["panel 0", 0, true], ["panel 1", 0, true],
  ]);
  assert.equal(layout.xaxis.title, undefined);
  assert.equal(layout.xaxis2.title.text, "Score (%)");
});

test("what is one below the other already stays as it is, and so does the figure that was given", () => {
  const column = panels([[[0, 1], [0.6, 1]], [[0, 1], [0, 0.4]]]);
  const before = structuredClone(asOneRow);

  assert.equal(stacked(column), column);
  stacked(asOneRow);
  assert.deepEqual(asOneRow, before);
});

test("the empty places of a row that is not full are left out", () => {
  const square = panels([[[0, 0.48], [0.6, 1]], [[0.52, 1], [0.6, 1]], [[0, 0.48], [0, 0.4]], [[0.52, 1], [0, 0.4]]]);
  square.data.push({ xaxis: "x3" });
  const { layout } = stacked(square);

  assert.equal(layout.height, 32 + 3 * 120 + 2 * 52 + 40);
  assert.equal(layout.xaxis4, undefined);
  assert.equal(layout.yaxis4, undefined);
});

import assert from "node:assert/strict";
import test from "node:test";

import { drawn, groups, kept, means, place, plain, range, values, whiskers } from "../../static/js/pages/explore.js";

const DATA = {
  columns: ["part", "system", "percent", "low", "high"],
  numbers: ["percent", "low", "high"],
  whiskers: { percent: ["low", "high"] },
  rows: [
    ["All", "Kestrel", 80, 70, 90],
    ["All", "Dock", 60, null, null],
    ["Tone", "Kestrel", 100, 95, 100],
    ["Tone", "Dock", null, null, null],
  ],
};
const CHOICE = { kind: "points", x: "percent", y: "part", colour: "system", facet: "", where: "", value: "" };
const looks = (name, n) => ({ name, n });

test("numbers come in their order, words as they come, and what is missing is no value", () => {
  assert.deepEqual(values([[3], [null], [1], [3]], 0), [1, 3]);
  assert.deepEqual(values(DATA.rows, 0), ["All", "Tone"]);
});

test("rows are kept by a value, or all of them", () => {
  assert.equal(kept(DATA.rows, 0, "Tone").length, 2);
  assert.equal(kept(DATA.rows, -1, "Tone").length, 4);
});

test("rows without a column to tell them apart are one group", () => {
  assert.deepEqual(groups(DATA.rows, -1), [["", DATA.rows]]);
  assert.deepEqual(groups(DATA.rows, 1).map(([name, rows]) => [name, rows.length]), [["Kestrel", 2], ["Dock", 2]]);
});

test("a mean leaves out what is missing", () => {
  assert.deepEqual(means(DATA.rows, 1, 2), [["Kestrel", 90], ["Dock", 60]]);
});

test("whiskers reach from the value to the ends of its interval, and nowhere without one", () => {
  const made = whiskers(DATA.rows, 2, 3, 4);
  assert.deepEqual(made.array, [10, 0, 0, 0]);
  assert.deepEqual(made.arrayminus, [10, 0, 5, 0]);
});

test("an axis holds the intervals too", () => {
  assert.deepEqual(range(DATA, CHOICE, "x").map(Math.round), [58, 102]);
});

test("panels fill a grid from the top and do not touch", () => {
  const [first, fourth] = [place(0, 4), place(3, 4)];
  assert.ok(first.y[0] > fourth.y[1]);
  assert.ok(place(0, 4).x[1] < place(1, 4).x[0]);
  assert.deepEqual(place(0, 1), { x: [0, 1], y: [0, 1] });
});

test("each colour group of each panel is a trace, with one legend for all", () => {
  const { traces, panels, nRows } = drawn(DATA, { ...CHOICE, facet: "part" }, looks);
  assert.deepEqual(panels, ["All", "Tone"]);
  assert.deepEqual(traces.map((one) => [one.name, one.xaxis, one.showlegend]), [
    ["Kestrel", "x", true],
    ["Dock", "x", true],
    ["Kestrel", "x2", false],
    ["Dock", "x2", false],
  ]);
  assert.equal(nRows, 4);
});

test("bars of means lie where the numbers are across", () => {
  const [made] = drawn(DATA, { ...CHOICE, kind: "mean", colour: "" }, looks).traces;
  assert.equal(made.orientation, "h");
  assert.deepEqual([made.x, made.y], [[70, 100], ["All", "Tone"]]);
});

test("rows without a value are a group of their own, last, and can be chosen", () => {
  const rows = [["a", 1], [null, 2], ["b", 3]];
  assert.deepEqual(groups(rows, 0).map(([name, some]) => [name, some.length]), [["a", 1], ["b", 1], ["–", 1]]);
  assert.deepEqual(kept(rows, 0, "–"), [[null, 2]]);
  assert.deepEqual(means(rows, 0, 1), [["a", 1], ["b", 3], ["–", 2]]);
});

test("a point without a word has a place on its axis and a colour", () => {
  const data = { columns: ["part", "percent"], numbers: ["percent"], whiskers: {}, rows: [["All", 80], [null, 60]] };
  const choice = { ...CHOICE, colour: "part" };
  const { traces } = drawn(data, choice, looks);
  assert.deepEqual(traces.map((one) => [one.name, one.x, one.y]), [["All", [80], ["All"]], ["–", [60], ["–"]]]);
});

test("more panels than are drawn are counted", () => {
  const rows = Array.from({ length: 20 }, (_one, n) => [`part ${n}`, n]);
  const data = { columns: ["part", "percent"], numbers: ["percent"], whiskers: {}, rows };
  const { panels, nPanels } = drawn(data, { ...CHOICE, y: "part", colour: "", facet: "part" }, looks);
  assert.deepEqual([panels.length, nPanels], [12, 20]);
});

test("a name that looks like markup is drawn sign by sign", () => {
  assert.equal(plain("Freight & <b>duty</b>"), "Freight &amp; &lt;b&gt;duty&lt;/b&gt;");
  assert.equal(plain(3), 3);
  const table = { columns: ["System", "Score"], numbers: ["Score"], whiskers: {}, looks: {}, rows: [["<i>A</i>", 1]] };
  const choice = { kind: "points", x: "Score", y: "System", colour: "System", facet: "", where: "", value: "" };
  const [one] = drawn(table, choice, () => ({})).traces;
  assert.deepEqual([one.name, one.y, one.text], [
    "&lt;i&gt;A&lt;/i&gt;", ["&lt;i&gt;A&lt;/i&gt;"], ["System: &lt;i&gt;A&lt;/i&gt;<br>Score: 1"],
  ]);
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import * as entries from "../../static/js/lib/entries.js";

const vectors = JSON.parse(readFileSync(new URL("../../fixtures/examples/digest_vectors.json", import.meta.url)));

for (const vector of vectors) {
  test(`the digest of ${vector.name} is the server's`, async () => {
    const text = entries.canonicalRows(vector.rows.map(([a, b, value]) => [a, b, entries.plain(value)]));
    assert.equal(text, vector.canonical);
    assert.equal(await entries.sha256(text), vector.digest);
  });
}

test("only marks are in the digest", () => {
  const table = { "mark/B/style": "1", "comment/A": "why", "mark/A/truth": "2.50" };
  assert.equal(entries.canonical(table), '[["A","truth","2.5"],["B","style","1"]]');
});

test("texts that are marks are in the digest as they are", () => {
  const table = { "text/A/wish": "02 or\nnot", "mark/A/style": "5" };
  assert.equal(entries.canonical(table), '[["A","style","5"],["A","wish","02 or\\nnot"]]');
  assert.deepEqual(entries.missing(table, ["A"], ["style", "wish", "slip"]), [{ letter: "A", criterion: "slip" }]);
});

test("labels are ticked and unticked, and none of them goes with no other", () => {
  assert.deepEqual(entries.labels("5"), [1, 3]);
  const steps = [[undefined, 1, "1"], ["1", 3, "5"], ["5", 1, "4"], ["4", 3, null], ["4", 0, "0"], ["0", 2, "2"], ["0", 0, null]];
  for (const [before, place, after] of steps) assert.equal(entries.toggled(before, place), after);
});

test("the footer writes a mark as it is told to", () => {
  const table = { "mark/A/style": "5" };
  assert.equal(entries.tally(table, "A", ["style"], (_one, value) => String(entries.labels(value).length)), "2");
});

test("numbers lose what says nothing", () => {
  for (const [written, text] of [["2.50", "2.5"], ["02", "2"], ["-0.0", "0"], ["0", "0"], ["-1.5", "-1.5"], ["10", "10"], ["1e2", "100"], ["25E-1", "2.5"], ["5e-1", "0.5"], ["1.25e1", "12.5"], [".5", "0.5"]])
    assert.equal(entries.plain(written), text);
});

test("a patch is undone by its inverse", () => {
  const before = { "mark/A/g": "1", "comment/A": "x" };
  const patch = { "mark/A/g": "2", "comment/A": null, flag: "look" };
  const after = entries.patched(before, patch);
  assert.deepEqual(after, { "mark/A/g": "2", flag: "look" });
  assert.deepEqual(entries.patched(after, entries.inverse(before, patch)), before);
  assert.deepEqual(entries.patched(before, entries.difference(before, after)), after);
});

test("a merge takes what only one side changed and chooses nothing where both did", () => {
  const base = { "mark/A/g": "0", "mark/B/g": "1", "comment/A": "old" };
  const mine = { "mark/A/g": "2", "mark/B/g": "1", "comment/A": "mine" };
  const theirs = { "mark/A/g": "0", "mark/B/g": "0", "comment/A": "theirs" };
  const { merged, conflicts } = entries.merge(base, mine, theirs);
  assert.deepEqual(merged, { "mark/A/g": "2", "mark/B/g": "0", "comment/A": "mine" });
  assert.deepEqual(conflicts, [{ place: "comment/A", mine: "mine", theirs: "theirs" }]);
});

test("a merge knows that a place was taken away", () => {
  const { merged, conflicts } = entries.merge({ flag: "x" }, {}, { flag: "x", "mark/A/g": "1" });
  assert.deepEqual(merged, { "mark/A/g": "1" });
  assert.deepEqual(conflicts, []);
});

test("what is missing follows the page, and a reason stands for all marks", () => {
  const table = { "mark/A/x": "1", "cannot/B": "no_answer" };
  assert.deepEqual(entries.missing(table, ["A", "B", "C"], ["x", "y"]), [
    { letter: "A", criterion: "y" }, { letter: "C", criterion: "x" }, { letter: "C", criterion: "y" },
  ]);
  assert.equal(entries.tally(table, "A", ["x", "y"]), "1/2");
  assert.equal(entries.tally(table, "B", ["x"]), "×");
  assert.equal(entries.tally(table, "A", ["x"]), "1");
  assert.equal(entries.tally(table, "C", ["x"]), "–");
});

test("an operation's id is a UUID of version 7 that sorts by time", () => {
  const random = new Uint8Array(10).fill(255);
  const [first, second] = [1_700_000_000_000, 1_700_000_000_001].map((now) => entries.operationId(now, random));
  assert.match(first, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.ok(first < second);
});

test("marked places that touch become one", () => {
  assert.deepEqual(entries.withSpan([[0, 3], [8, 9]], [2, 8]), [[0, 9]]);
  assert.deepEqual(entries.withSpan([[5, 6]], [1, 2]), [[1, 2], [5, 6]]);
});

test("a difference of words loses no sign of either text", () => {
  const [from, to] = ["No, 30 % is the limit。电池", "Yes, 50 % is the limit。电芯"];
  const parts = entries.words(from, to);
  assert.equal(parts.filter((one) => one.kind !== "new").map((one) => one.text).join(""), from);
  assert.equal(parts.filter((one) => one.kind !== "gone").map((one) => one.text).join(""), to);
  assert.ok(parts.some((one) => one.kind === "gone" && one.text === "池"));
});

test("a difference of words is the server's, run by run", () => {
  const vectors = JSON.parse(readFileSync(new URL("../../fixtures/examples/diff_vectors.json", import.meta.url), "utf8"));
  assert.ok(vectors.length > 10);
  for (const { name, before, after, runs } of vectors)
    assert.deepEqual(entries.words(before, after).map(({ kind, text }) => [kind, text]), runs, name);
});

test("what was entered goes back and forth, and what waits is handed over once", () => {
  const work = new entries.Entered("t", { "mark/A/g": "0" }, { "mark/A/g": "0" });
  work.take({ "mark/A/g": "2" });
  work.take({ "mark/B/g": "1" });
  const back = work.undo();
  assert.deepEqual(back, { "mark/B/g": null });
  work.take(back, { remember: false });
  assert.deepEqual(work.now, { "mark/A/g": "2" });
  assert.deepEqual(work.redo(), { "mark/B/g": "1" });
  assert.deepEqual(work.collect(), { patch: { "mark/A/g": "2", "mark/B/g": null }, before: { "mark/A/g": "0", "mark/B/g": null } });
  assert.equal(work.waits, false);
});

test("after a refusal the next patch says everything that is not stored", () => {
  const work = new entries.Entered("t", {}, {});
  work.take({ "mark/A/g": "2" });
  work.collect();
  work.refused = true;
  work.take({ "comment/A": "why" });
  assert.deepEqual(work.collect().patch, { "mark/A/g": "2", "comment/A": "why" });
  work.acknowledge({ "mark/A/g": "2", "comment/A": "why" });
  assert.deepEqual(work.base, work.now);
  assert.equal(work.refused, false);
});

test("what two texts share is found in runs of three words, whatever stands between", () => {
  const [one, other] = ["Pay by 30 April, at the gate. Bring a sketch.", "At the gate you pay by 30 April; no sketch."];
  const { spans, share } = entries.alike(one, other);
  const shown = spans.map((all, place) => all.map(([from, to]) => [one, other][place].slice(from, to)));
  assert.deepEqual(shown, [["Pay by 30 April, at the gate"], ["At the gate", "pay by 30 April"]]);
  assert.ok(share > 0.6 && share < 1, share);
});

test("texts that are alike share all, strangers and the empty nothing", () => {
  const text = "Four days cost 39.20 and the form is due.";
  assert.equal(entries.alike(text, text).share, 1);
  assert.deepEqual(entries.alike(text, "nothing of it here"), { spans: [[], []], share: 0 });
  assert.deepEqual(entries.alike("", ""), { spans: [[], []], share: 0 });
  assert.ok(entries.alike("中间码头每箱每天收费", "每箱每天收费很低").share > 0.5);
});

import assert from "node:assert/strict";
import test from "node:test";

import * as outbox from "../../static/js/lib/outbox.js";

const { MemoryStore } = outbox;

const draft = (id, patch, more = {}) => ({ id, kind: "draft", token: "t", patch, digest: `d${id}`, ...more });

/** A server of the test: answers by script, then saves everything; keeps what arrived. */
function server(script) {
  const seen = [];
  const send = async (operation) => {
    seen.push(structuredClone(operation));
    const step = script.shift() ?? "ok";
    if (step === "cut") throw new TypeError("network");
    return step === "ok" ? { status: 200, body: { digest: operation.digest } } : step;
  };
  return { seen, send };
}

function box(script, store = new MemoryStore()) {
  const told = [];
  const wire = server(script);
  const made = new outbox.Outbox({
    store, send: wire.send, tell: (state) => told.push(state), wait: async () => {},
  });
  return { made, told, seen: wire.seen, store };
}

test("drafts of one seat wait as one, until they were sent", () => {
  const one = outbox.enqueued([], draft("1", { a: "1" }));
  const two = outbox.enqueued(one, draft("2", { b: "2" }));
  assert.deepEqual(two, [draft("1", { a: "1", b: "2" }, { digest: "d2" })]);
  assert.equal(outbox.enqueued(outbox.marked(two), draft("3", { c: "3" })).length, 2);
  assert.equal(outbox.enqueued(two, draft("3", { c: "3" }, { token: "u" })).length, 2);
});

test("what was entered offline is sent once, in order, when the line is back", async () => {
  const { made, seen, told, store } = box(["cut", "cut"]);
  await made.add(draft("1", { a: "1" }));
  await made.add({ id: "2", kind: "submit", token: "t", digest: "d" });
  await made.flush();
  assert.deepEqual(seen.map((one) => one.id), ["1", "1", "1", "2"]);
  assert.ok(told.includes("offline") && told.includes("retrying") && told.at(-1) === "idle");
  assert.deepEqual(await store.all(), []);
});

test("a repeated request is the same request, whatever was entered meanwhile", async () => {
  const store = new MemoryStore();
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  const seen = [];
  const made = new outbox.Outbox({
    store,
    send: async (operation) => {
      seen.push(structuredClone(operation));
      if (seen.length === 1) { await held; throw new TypeError("cut after the commit"); }
      return { status: 200, body: { digest: operation.digest } };
    },
    tell: () => {},
    wait: async () => {},
  });
  await made.add(draft("1", { a: "1" }));
  await made.add(draft("2", { a: "2" }));
  release();
  await made.flush();
  assert.deepEqual(seen.map((one) => [one.id, one.patch]), [["1", { a: "1" }], ["1", { a: "1" }], ["2", { a: "2" }]]);
});

test("200 with another digest is not saved", () => {
  assert.equal(outbox.verdict(200, { digest: "x" }, { digest: "y" }), "again");
  assert.equal(outbox.verdict(200, { digest: "y" }, { digest: "y" }), "saved");
});

test("every answer has its verdict", () => {
  const verdicts = [401, 409, 403, 404, 410, 422, 500, 429, 302].map((status) => outbox.verdict(status, {}, {}));
  assert.deepEqual(verdicts, ["sign-in", "merge", "lost", "lost", "lost", "refused", "again", "again", "again"]);
});

test("a full disk is told apart, and what was entered stays until there is room", async () => {
  const store = new MemoryStore();
  const full = [];
  const made = new outbox.Outbox({
    store, ...server([{ status: 507, body: { code: "storage_full" } }, "cut", { status: 507, body: null }]),
    tell: async (state, detail) => { if (state === "retrying") full.push([detail.full, (await store.all()).length]); },
    wait: async () => {},
  });
  await made.add(draft("1", { a: "1" }));
  await made.flush();
  assert.deepEqual(full, [[true, 1], [false, 1], [true, 1]]);
  assert.deepEqual(await store.all(), []);
});

test("a signed-out queue waits for its person and then goes on", async () => {
  const { made, seen, told } = box([{ status: 401, body: {} }]);
  await made.add(draft("1", { a: "1" }));
  await made.flush();
  assert.deepEqual(told.at(-1), "sign-in");
  await made.resume();
  assert.deepEqual(seen.map((one) => one.id), ["1", "1"]);
  assert.equal(told.at(-1), "idle");
});

test("a reloaded page finds what waits", async () => {
  const store = new MemoryStore();
  const first = box(["cut", "cut", "cut", "cut"], store);
  first.made.held = true;
  await first.made.add(draft("1", { a: "1" }));
  const second = box([], store);
  await second.made.load();
  assert.deepEqual(outbox.pending(second.made.queue, "t", {}, (table, patch) => ({ ...table, ...patch })), { a: "1" });
  await second.made.flush();
  assert.deepEqual(second.seen.map((one) => one.id), ["1"]);
});

test("pauses double up to half a minute", () => {
  assert.deepEqual([0, 1, 2, 5, 9].map(outbox.pause), [1000, 2000, 4000, 30000, 30000]);
});

test("notes of a seat are found by their kind", async () => {
  const store = new MemoryStore();
  await store.note({ id: "kept/t", text: "A: 2" });
  await store.note({ id: "rev/t", rev: 3 });
  assert.deepEqual((await store.notes("kept/")).map((one) => one.text), ["A: 2"]);
  await store.forget("kept/t");
  assert.deepEqual(await store.notes("kept/"), []);
});

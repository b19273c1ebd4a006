import assert from "node:assert/strict";
import test from "node:test";

import { IDLE, WorkTime } from "../../static/js/lib/worktime.js";

test("time at work is the time in sight", () => {
  const time = new WorkTime(0);
  time.touch(10_000);
  time.hide(30_000);
  time.show(90_000);
  assert.equal(time.read(100_000), 40_000);
});

test("reading counts for two minutes, then it is idle time", () => {
  const time = new WorkTime(0);
  time.touch(1000);
  assert.equal(time.read(61_000), 61_000);
  assert.equal(time.read(10 * 60_000), 1000 + IDLE);
  time.touch(20 * 60_000);
  assert.equal(time.read(20 * 60_000 + 500), 1000 + IDLE + 500);
});

test("a page opened in the background has not been worked on", () => {
  const time = new WorkTime(0, false);
  assert.equal(time.read(50_000), 0);
  time.show(50_000);
  assert.equal(time.read(51_000), 1000);
});

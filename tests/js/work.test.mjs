import assert from "node:assert/strict";
import test from "node:test";

import { BREAK, IDLE, STRETCH, stretched, WorkTime } from "../../static/js/lib/work.js";

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

const minute = 60_000;

/** Work minute by minute; return in which minutes a break was due. */
function workedFor(minutes, idle = () => 0) {
  const due = [];
  let now = 1_000_000;
  let kept = {};
  for (let place = 1; place <= minutes; place += 1) {
    now += minute + idle(place);
    const { due: isDue, ...rest } = stretched(kept, minute, now);
    kept = rest;
    if (isDue) due.push(place);
  }
  return due;
}

test("a break is offered once for every 45 minutes of work", () => {
  assert.equal(STRETCH, 45 * minute);
  assert.deepEqual(workedFor(100), [45, 90]);
});

test("whoever took a break begins anew", () => {
  assert.deepEqual(workedFor(80, (place) => (place === 40 ? BREAK : 0)), []);
});

test("a page that lies open without work counts nothing, and is a break in the end", () => {
  let kept = { worked: 44 * minute, at: 0 };
  for (let now = 0; now <= BREAK; now += minute) {
    const { due, ...rest } = stretched(kept, 0, now);
    assert.equal(due, false);
    kept = rest;
  }
  assert.equal(stretched(kept, minute, BREAK + minute).due, false);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { called, fits } from "../../static/js/pages/suite.js";

test("finds metrics by words in any order, and by parts of their names", () => {
  assert.ok(fits("count_tool_calls Count tool calls.", "calls count"));
  assert.ok(fits("count_tool_calls", "tool_calls"));
  assert.ok(!fits("count_tool_calls", "latency"));
  assert.ok(fits("anything", ""));
});

test("calls what is chosen by metric and level", () => {
  assert.equal(called("string_length @ Turn"), "string_length · Turn");
});

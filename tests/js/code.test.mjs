import assert from "node:assert/strict";
import test from "node:test";

import { parts } from "../../static/js/lib/code.js";

const shown = (code) => parts(code).map(({ kind, start, end }) => [kind, code.slice(start, end)]);

test("words of the language, texts, numbers and notes of code are told apart", () => {
  assert.deepEqual(shown('return "a # b" if n > 4.5 else None  # why'), [
    ["word", "return"], ["text", '"a # b"'], ["word", "if"], ["number", "4.5"], ["word", "else"], ["word", "None"],
    ["note", "# why"],
  ]);
  assert.deepEqual(shown("SELECT quay FROM stays -- all"), [["word", "SELECT"], ["word", "FROM"], ["note", "-- all"]]);
  assert.deepEqual(shown("/* two\nlines */ let x = 1; // end"), [
    ["note", "/* two\nlines */"], ["word", "let"], ["number", "1"], ["note", "// end"],
  ]);
});

test("an address is no note, and a text that never ends spoils nothing", () => {
  assert.deepEqual(shown("get http://a.example/b"), []);
  assert.deepEqual(shown("it's 5 o'clock\nreturn 5").at(-1), ["number", "5"]);
});

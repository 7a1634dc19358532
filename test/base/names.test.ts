import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatToolOutput } from "../../src/base/names.ts";

describe("the output of a program", () => {
  // Printers would escape the line breaks of helm's message about a schema of values.
  it("is one line", () => {
    assert.equal(formatToolOutput("schema(s):\r\nweb:\n\n- at '/a': wrong\n"), "schema(s): web: - at '/a': wrong");
  });
});

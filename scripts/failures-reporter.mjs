// node:test's own report with what fails, the outermost suites and how many tests there were: a line for each of
// thousands that pass takes as long to print as a tenth of the tests. `npm test -- --test-reporter=spec` names them all.
import { Readable } from "node:stream";
import { spec } from "node:test/reporters";

const SILENT = new Set(["test:start", "test:plan", "test:enqueue", "test:dequeue", "test:complete"]);

export default async function* failures(source) {
  yield* Readable.from(told(source)).pipe(new spec());
}

async function* told(source) {
  for await (const event of source) {
    const { type, data } = event;
    if (SILENT.has(type) || (type === "test:pass" && data.nesting > 0)) continue;
    // The report of an end looks for the beginning of its test.
    if (type === "test:fail" || type === "test:pass") yield { type: "test:start", data };
    yield event;
  }
}

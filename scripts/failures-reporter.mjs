// The report of node:test with failures, outermost suites and totals only: printing a line for each passed test takes a
// tenth of the time of the tests. `npm test -- --test-reporter=spec` names them all.
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
    // The spec reporter matches the end of a test with its start.
    if (type === "test:fail" || type === "test:pass") yield { type: "test:start", data };
    yield event;
  }
}

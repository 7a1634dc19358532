import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { watchList } from "../../../src/platform/node/cluster-watch.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";

it("one signal ends many watches without a warning of Node", async () => {
  const server = createServer((_request, response) => response.writeHead(200).flushHeaders());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on("warning", warned);
  const stopped = new AbortController();
  try {
    const client = {
      is: "found" as const,
      context: "fake",
      server: `http://127.0.0.1:${port}`,
      namespace: undefined,
      requestOptions: () => Promise.resolve({}),
      timeoutMs: 10_000,
      limits: DEFAULT_LIMITS,
    };
    let begun = 0;
    const query = {
      resourceVersion: "1",
      seconds: 30,
      signal: stopped.signal,
      begun: () => {
        begun += 1;
      },
    };
    const watches = Array.from({ length: 16 }, () => watchList(client, "/api/v1/pods", query, () => undefined));
    while (begun < watches.length) await sleep(5);
    stopped.abort();
    const ends = await Promise.all(watches);
    assert.ok(ends.every(({ is }) => is === "ended"));
    // Warnings come with the next turn.
    await sleep(5);
    assert.deepEqual(warnings, []);
  } finally {
    stopped.abort();
    process.removeListener("warning", warned);
    server.closeAllConnections();
    server.close();
  }
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { analyse, type Analysis } from "../../../src/stamping/pipeline.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { dueMoment } from "../../../src/stamping/schedules/moment.ts";
import { readConfigHash } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../../src/yaml/read/tree.ts";

function analysed(schedule: string, name: string, options: { readonly isBase?: boolean } = {}): Analysis {
  const text = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: ${name}, annotations: {rollstamp.dev/restart-schedule: "${schedule}"}}, spec: {template: {spec: {}}}}\n`;
  return analyse([readManifests(readTree(text, "a.yaml", DEFAULT_LIMITS))], readConfigHash(null), undefined, options);
}

describe("a restart schedule", () => {
  const due = (schedule: string, name: string): unknown => {
    const [workload] = analysed(schedule, name).workloads;
    assert.ok(workload !== undefined);
    return dueMoment(new Date("2026-11-29T00:00:00Z"))(workload);
  };

  it("whose month is hashed is an error only for a workload for which it never fires", () => {
    const names = Array.from({ length: 40 }, (_, i) => `web${i}`);
    const fires = (name: string): boolean => {
      try {
        return due("0 0 31 H *", name) !== undefined;
      } catch {
        return false;
      }
    };
    const firing = names.filter(fires);
    assert.ok(firing.length > 10 && firing.length < 40, String(firing.length));
    for (const name of names.filter((one) => !firing.includes(one)))
      assert.throws(() => due("0 0 31 H *", name), /never fires/u);
  });

  it("that is invalid is an error, except before a change that may correct it", () => {
    assert.throws(() => analysed("0 0 31 2 *", "web"), /never fires/u);
    assert.throws(() => analysed("0 0 32 * *", "web"), /beyond/u);
    assert.equal(analysed("0 0 32 * *", "web", { isBase: true }).workloads.length, 1);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { joinedKeys } from "../../../src/stamping/policy/references-by-source.ts";
import { analysed } from "./decided.ts";

const range = <T>(n: number, of: (i: number) => T): T[] => [...Array(n).keys()].map(of);

/** A Deployment with volumes of some sources each: those of several are mounted by so many paths, the others by one. */
function deployment(volumes: readonly (readonly string[])[], mounts: number, whole: readonly number[] = []): object {
  const spec = {
    containers: [
      {
        name: "app",
        volumeMounts: volumes.flatMap((names, v) =>
          whole.includes(v)
            ? [{ name: `v${v}`, mountPath: `/${v}` }]
            : range(names.length > 1 ? mounts : 1, (i) => ({
                name: `v${v}`,
                mountPath: `/${v}/${i}`,
                subPath: `${v}-${i}`,
              })),
        ),
      },
    ],
    volumes: volumes.map((names, v) => ({
      name: `v${v}`,
      projected: { sources: names.map((name) => ({ configMap: { name } })) },
    })),
  };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { template: { spec } } };
}

function copied(object: object): number {
  const [decision] = analysed([object]).decisions;
  return joinedKeys(decision?.workload.templates[0]?.references ?? []);
}

describe("keys that several volumes show of one source", () => {
  const names = range(20, (i) => `c${i}`);
  it("are copied for each source that has a volume of its own besides", () => {
    assert.equal(copied(deployment([names, ...names.map((name) => [name])], 200)), 20 * (200 + 1));
  });
  it("are copied once for all that have the same two", () => {
    assert.equal(copied(deployment([names, names], 200)), 400);
  });
  it("are none where one shows all, where there is one, and where they are few", () => {
    assert.equal(copied(deployment([names, names], 200, [1])), 0);
    assert.equal(copied(deployment([names], 200)), 0);
    assert.equal(copied(deployment([names, names], 100)), 0);
  });
  it("have a limit over all workloads", () => {
    const many = range(6_000, (i) => `c${i}`);
    assert.throws(() => analysed([deployment([many, ...many.map((name) => [name])], 1_000)]), {
      message: /^comparing the keys of one source in several volumes takes more than 1000000000 steps/u,
    });
  });
});

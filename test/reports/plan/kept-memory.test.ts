import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FUNCTIONS } from "../../../functions/functions.ts";
import type { AppPair } from "../../../src/applications/compare/pairs.ts";
import type { StampedSide } from "../../../src/applications/compare/stamped-sides.ts";
import type { Limits } from "../../../src/base/limits.ts";
import { compareRenderings } from "../../../src/applications/compare/compare-renderings.ts";
import type { Comparing } from "../../../src/applications/compare/compared.ts";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import type { Snapshot } from "../../../src/platform/ports/snapshot.ts";
import { commandIo } from "../../../src/main/command-io.ts";

// A plan's memory is what is in V8's old generation: that is looked through at several times of what is in use, and so what
// gets there by chance counts as much as what is kept. Here the young one is collected all the time: what then is in the old
// one is kept, or seems to be.

/** The bytes of old objects. Compiled code and the arrays that double are elsewhere: they grow in steps. */
function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space")?.space_used_size ?? 0;
}

function collector(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  assert.ok(typeof collect === "function");
  return () => {
    // What outlives two of them is old.
    collect({ type: "minor" });
    collect({ type: "minor" });
  };
}

const never = (): never => assert.fail("nothing is asked for");

function side(i: number, key: string, snapshot: Snapshot): StampedSide {
  const folder = `apps/${i}`;
  return {
    application: {
      name: folder,
      path: folder,
      kind: "Kustomize",
      foundBy: "Kustomization",
      isNamed: false,
      definedIn: [],
      namespace: `team-${i}`,
      render: { by: "kustomize", folder },
    },
    closure: {
      digest: key,
      read: key,
      needed: () => new Set(),
      neededByDefault: () => new Set(),
      isRemote: false,
      nodes: [],
    },
    key,
    renderKey: key,
    renderable: { is: "steps", steps: [], roots: [] },
    readsData: false,
    snapshot,
    declared: "Transformer",
    stampedBy: () => "Transformer",
  };
}

const rendered = (i: number, image: string): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: web-${i}
data:
  MODE: fast
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-${i}
spec:
  replicas: 2
  selector: {matchLabels: {app: web-${i}}}
  template:
    metadata: {labels: {app: web-${i}}}
    spec:
      containers:
        - name: main
          image: registry.example/web:${image}
          envFrom: [{configMapRef: {name: web-${i}}}]
`;

const revision = (name: string, limits: Limits): Snapshot => ({
  name,
  commit: name,
  entries: new Map(),
  files: [],
  left: [],
  contents: { fetch: never, has: never, text: never },
  read: never,
  says: never,
  export: never,
  limits,
});

describe("the memory that a plan keeps for each application", () => {
  it("is that of its rows, whatever was derived from its renderings", async () => {
    const collect = collector();
    const io = { ...commandIo(FUNCTIONS), environment: {}, stderrIsTerminal: false };
    const marks: number[] = [];
    const comparing: Comparing = {
      io,
      revisions: {
        base: revision("base", io.context.limits),
        head: revision("head", io.context.limits),
        prefix: "",
        isDirty: false,
        kept: { get: never, put: never, remove: never },
      },
      cache: undefined,
      charts: { fetch: undefined },
      builds: never,
      made: {
        get: ({ key }, { name }) => {
          if (name === "base") {
            collect();
            marks.push(oldBytes());
          }
          return Promise.resolve({ text: rendered(Number(key.split(" ")[1]), name) });
        },
        put: never,
      },
      jobs: 1,
      as: "applied",
      countObjects: () => undefined,
      configAt: { base: () => undefined, head: () => undefined },
      spec: CONFIG_HASH_DEFAULTS,
      hmacKey: undefined,
      planOptions: { all: false, showValues: true, maxWorkloads: undefined, maxPods: undefined, failOn: [] },
    };
    const pairs = Array.from({ length: 700 }, (_, i): AppPair => {
      const { base: before, head: after } = comparing.revisions;
      const [base, head] = [side(i, `base ${i}`, before), side(i, `head ${i}`, after)];
      return { application: head.application, base, head, isAffected: true };
    });
    const compared = await compareRenderings(comparing, pairs);
    assert.equal(compared.filter(({ application: { status } }) => status === "Changed").length, 700);
    // Shorter runs gave 8,000 to 13,000 for the same code: V8 still compiles what the comparison runs.
    // The median of six: V8 may compile something meanwhile.
    const slopes = [400, 450, 500, 550, 600, 650].map((at) => ((marks[at + 49] ?? 0) - (marks[at] ?? 0)) / 49);
    const each = slopes.sort((a, b) => a - b)[3] ?? 0;
    // 7,000 for its part of the report, and as much again for what is still in use when the next one begins. It was 41,000
    // when module-level caches kept an entry for each configuration.
    assert.ok(each > 5_000 && each < 16_000, `${Math.round(each)} bytes for each application`);
  });
});

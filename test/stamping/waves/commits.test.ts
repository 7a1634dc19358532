import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readConfigHash } from "../../../src/stamping/function/config-hash.ts";
import { editedText } from "../../../src/yaml/edit/checked.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { readManifests, type Manifests } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../../src/yaml/read/tree.ts";
import { analyse, stampsOf, type Analysis } from "../../../src/stamping/pipeline.ts";
import { changedSince } from "../../../src/stamping/waves/wave.ts";
import type { WaveRules } from "../../../src/stamping/waves/decide.ts";
import { waveOf, type Wave, waitingOf } from "../../../src/stamping/waves/wave.ts";
import { workloadKey } from "../../../src/base/identity.ts";
import { long } from "./runs.ts";

// A repository of one file, without git: what was committed, and what stands in the worktree.

const LAYOUTS = ["PerSource", "Combined"] as const;

interface App {
  readonly group: string | undefined;
  readonly window: string | undefined;
  readonly isFlow: boolean;
  readonly replicas: number;
  readonly sources: readonly number[];
}

function workload(i: number, { group, window, isFlow, replicas, sources }: App): string {
  const marks = [
    ...(group === undefined ? [] : [`rollstamp.dev/rollout-group: "${group}"`]),
    ...(window === undefined ? [] : [`rollstamp.dev/rollout-window: "${window}"`]),
  ];
  const annotations =
    marks.length === 0
      ? ""
      : isFlow
        ? `  annotations: {${marks.join(", ")}} # why\n`
        : `  annotations:\n${marks.map((mark) => `    ${mark} # a comment\n`).join("")}`;
  const from = sources.map((source) => `            - configMapRef: {name: c${source}}\n`).join("");
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: w${i}
${annotations}spec:
  replicas: ${replicas}
  template:
    spec:
      containers:
        - name: app
          image: app:1 # w${i}
          envFrom:
${from}`;
}

const app = fc.record({
  group: fc.option(fc.constantFrom("1", "2", "3"), { nil: undefined, freq: 2 }),
  window: fc.option(fc.constantFrom("0 2 * * *; 4h", "0 3 * * SUN; 2h"), { nil: undefined, freq: 1 }),
  isFlow: fc.boolean(),
  replicas: fc.integer({ min: 0, max: 4 }),
  sources: fc.subarray([0, 1, 2], { minLength: 1 }),
});

type Step =
  | { readonly do: "content"; readonly source: number; readonly value: string }
  | { readonly do: "bump"; readonly workload: number; readonly tag: number }
  | { readonly do: "stamp"; readonly rules: WaveRules }
  | { readonly do: "hours"; readonly hours: number };

const limit = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant("content" as const),
    source: fc.integer({ min: 0, max: 2 }),
    value: fc.constantFrom("a", "b", "c"),
  }),
  fc.record({
    do: fc.constant("bump" as const),
    workload: fc.integer({ min: 0, max: 7 }),
    tag: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({
    do: fc.constant("stamp" as const),
    rules: fc.record({
      maxWorkloads: limit,
      maxPods: fc.option(fc.integer({ min: 4, max: 9 }), { nil: undefined }),
      isDue: fc.boolean(),
    }),
  }),
  fc.record({ do: fc.constant("hours" as const), hours: fc.integer({ min: 1, max: 30 }) }),
);

class Repository {
  head: string;
  text: string;
  now: Date = new Date("2026-11-22T00:00:00Z");
  readonly #spec;
  /** Most hours change nothing, so the same text is not parsed twice. */
  readonly #known = new Map<string, { readonly manifests: Manifests; readonly analysis: Analysis }>();

  constructor(text: string, layout: (typeof LAYOUTS)[number]) {
    this.#spec = readConfigHash({ spec: { layout } });
    this.head = this.text = text;
  }

  read(text: string): { readonly manifests: Manifests; readonly analysis: Analysis } {
    let read = this.#known.get(text);
    if (read === undefined) {
      const manifests = readManifests(readTree(text, "a.yaml", DEFAULT_LIMITS));
      this.#known.set(text, (read = { manifests, analysis: analyse([manifests], this.#spec) }));
    }
    return read;
  }

  wave(rules: WaveRules): { readonly wave: Wave; readonly text: string } {
    const { manifests, analysis } = this.read(this.text);
    const before = new Map(
      this.read(this.head).analysis.workloads.map((each) => [workloadKey(each.item, each.namespace), each]),
    );
    const wave = waveOf([analysis], {
      ...rules,
      now: this.now,
      defaultNamespace: this.#spec.defaultNamespace,
      atHead: (each) => before.get(workloadKey(each.item, each.namespace)) ?? "new",
    });
    return { wave, text: editedText(manifests.tree, wave.edits.get(manifests.tree) ?? []) };
  }

  /** What the commit of the worktree would roll: for the sake of stamps alone, and otherwise. */
  rolls(): { readonly byStamps: number; readonly otherwise: number; readonly pods: number } {
    const before = new Map(
      this.read(this.head).analysis.workloads.map((each) => [workloadKey(each.item, each.namespace), each]),
    );
    let [byStamps, otherwise, pods] = [0, 0, 0];
    for (const each of this.read(this.text).analysis.workloads) {
      const was = before.get(workloadKey(each.item, each.namespace));
      assert.ok(was);
      const since = changedSince(was, each, []);
      if (since.otherwise) otherwise += 1;
      else if (since.byStamps) byStamps += 1;
      if (since.byStamps && !since.otherwise)
        pods += Number(/replicas: (\d)/u.exec(documentOf(this.text, each.item.name))?.[1]);
    }
    return { byStamps, otherwise, pods };
  }

  waiting(): number {
    return this.read(this.text).analysis.workloads.filter(({ item }) => waitingOf(item) !== undefined).length;
  }

  isCurrent(): boolean {
    const { analysis } = this.read(this.text);
    return [...stampsOf(analysis).values()].every((splices) => splices.length === 0);
  }
}

function documentOf(text: string, name: string): string {
  return text.split("---\n").find((document) => document.includes(`name: ${name}\n`)) ?? "";
}

/** All lines but ours; a mapping that is there for nothing but our lines is ours as well. */
function othersOf(text: string): string {
  return text
    .replaceAll(/(?:, )?rollstamp\.dev\/waiting: "[^"]*"(?=[,}])/gu, "")
    .split("\n")
    .filter((line) => !/^\s+(?:config-hash|[a-z]*\.?rollstamp\.dev\/(?:waiting|config-hash|c\d)):/u.test(line))
    .join("\n")
    .replaceAll(/^( *)(?:metadata|annotations):\n(?!\1 )/gmu, "")
    .replaceAll(/^( *)(?:metadata|annotations):\n(?!\1 )/gmu, "");
}

function act(repository: Repository, next: Step): void {
  switch (next.do) {
    case "content":
      repository.text = repository.text.replace(
        new RegExp(`(name: c${next.source}\\ndata: \\{v: )"[^"]*"`, "u"),
        `$1"${next.value}"`,
      );
      return;
    case "bump":
      repository.text = repository.text.replace(
        new RegExp(`app:\\d (# w${next.workload}\\n)`, "u"),
        `app:${next.tag} $1`,
      );
      return;
    case "hours":
      repository.now = new Date(repository.now.getTime() + next.hours * 3_600_000);
      return;
    case "stamp":
      stamp(repository, next.rules);
  }
}

function stamp(repository: Repository, rules: WaveRules): void {
  const { text } = repository.wave(rules);
  assert.equal(othersOf(text), othersOf(repository.text), "all other lines stand");
  repository.text = text;
  assert.equal(repository.wave(rules).text, text, "the same command lets no more go");
  assert.equal(repository.wave({ isDue: false }).text, text, "a check finds nothing");
  const { byStamps, otherwise, pods } = repository.rolls();
  const { maxWorkloads = Number.POSITIVE_INFINITY, maxPods = Number.POSITIVE_INFINITY } = rules;
  // What a bump rolls, it rolls.
  assert.ok(
    byStamps <= Math.max(0, maxWorkloads - otherwise),
    `${byStamps} of ${maxWorkloads}, ${otherwise} otherwise`,
  );
  assert.ok(pods <= maxPods, `${pods} pods of ${maxPods}`);
  repository.head = text;
}

describe("waves, over generated histories", () => {
  it("lets no more go than it may, and all in the end", () => {
    let released = 0;
    fc.assert(
      fc.property(
        fc.array(app, { minLength: 2, maxLength: 8 }),
        fc.array(step, { maxLength: 14 }),
        fc.constantFrom(...LAYOUTS),
        (apps, steps, layout) => {
          const sources = [0, 1, 2].map(
            (i) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c${i}\ndata: {v: "a"}\n`,
          );
          const text = [...sources, ...apps.map((each, i) => workload(i, each))].join("---\n");
          const repository = new Repository(text, layout);
          for (const next of steps) act(repository, next);
          // What was bumped and not stamped goes with the next run.
          stamp(repository, { isDue: false });
          const most = 30 * 24;
          for (let hour = 0; repository.waiting() > 0 || !repository.isCurrent(); hour += 1) {
            assert.ok(hour < most, "all have gone");
            act(repository, { do: "hours", hours: 1 });
            const before = repository.waiting();
            stamp(repository, { isDue: true, maxWorkloads: 2, maxPods: 4 });
            released += before - repository.waiting();
          }
        },
      ),
      long(60),
    );
    assert.ok(released > 20, `${released} were let go`);
  });
});

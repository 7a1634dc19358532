/** One round of a trial: apply something, wait until all is at rest, and hold what happened against what should. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Cluster } from "./cluster.ts";
import { type ApplyMode, apply, diff, QUICK } from "./commands.ts";
import type { Expectation, Expected } from "./expect.ts";
import { fieldAt } from "./fields.ts";
import type { Observer, Workload } from "./observe.ts";
import { NOTHING_SEEN, type PodsSeen, type WorkloadKey } from "./replay.ts";

export interface Trial {
  readonly cluster: Cluster;
  readonly observer: Observer;
  readonly mode: ApplyMode;
  /** Where objects that name no namespace go. */
  readonly namespace: string;
  /** All namespaces that the manifests fill. */
  readonly namespaces: readonly string[];
  readonly expectation: Expectation;
  /**
   * Whether a repeated apply is made as users make it, and the drift asked for. With the server's
   * schema both take kubectl seconds where there are many objects.
   */
  readonly thorough: boolean;
}

/** What a trial counted, over all its rounds. */
export interface Figures {
  applications: number;
  rounds: number;
  rollouts: number;
  replacedPods: number;
  /** Rollouts that used the whole room that they had: as few pods available, and as many in all, as may be. */
  exact: number;
  /** Rollouts during which pods that a ReplicaSet had given up were seen beside all that were asked for. */
  crowded: number;
}

/** Figures at the start. */
export function noFigures(): Figures {
  return { applications: 0, rounds: 0, rollouts: 0, replacedPods: 0, exact: 0, crowded: 0 };
}

export const NODES = 3;

interface Round {
  readonly before: ReadonlyMap<WorkloadKey, Workload>;
  readonly after: ReadonlyMap<WorkloadKey, Workload>;
  readonly seen: ReadonlyMap<WorkloadKey, PodsSeen>;
}

/** Declares tests that build on each other: once one has failed, the rest would only repeat it, and is skipped. */
export function chain(): (name: string, body: () => Promise<void>) => void {
  let failed = "";
  return (name, body) => {
    it(name, async (context) => {
      if (failed !== "") return context.skip(`"${failed}" failed`);
      failed = name;
      await body();
      failed = "";
    });
  };
}

/** Creates namespaces and applies the first rendering. */
export async function begin(
  { cluster, observer, mode, namespace, namespaces }: Trial,
  manifests: string,
): Promise<void> {
  for (const name of namespaces) await cluster.api.post("/api/v1/namespaces", { metadata: { name } });
  await apply(cluster, mode, manifests, namespace);
  await observer.settled(namespaces);
}

/**
 * Applies `head` where `base` is in place. Every workload must do what the expectation says, and
 * nothing else. Returns the workloads that rolled.
 */
export async function step(
  trial: Trial,
  base: string,
  head: string,
  figures: Figures,
): Promise<readonly WorkloadKey[]> {
  const { cluster, observer, mode, namespace, namespaces, expectation } = trial;
  const expected = await expectation(base, head, { namespace, nodes: NODES });
  const before = await observer.settled(namespaces);
  const recording = await observer.record(namespaces);
  await apply(cluster, mode, head, namespace);
  const after = await observer.settled(namespaces);
  const round: Round = { before, after, seen: await recording.close() };

  assert.deepEqual([...after.keys()].sort(), [...expected.keys()].sort(), "the workloads in the cluster");
  const problems = [...expected].flatMap(([key, what]) => judge(key, what, round));
  assert.deepEqual(problems, [], "what the rollouts did");

  const rolled = [...expected].filter(([, { action }]) => action === "Roll");
  figures.rounds += 1;
  figures.rollouts += rolled.length;
  for (const [key, { pods, leastAvailable, mostTotal }] of rolled) {
    const seen = round.seen.get(key) ?? NOTHING_SEEN;
    figures.replacedPods += pods;
    figures.exact += seen.leastAvailable === leastAvailable && seen.mostTotal === mostTotal ? 1 : 0;
    figures.crowded += seen.mostPresent > mostTotal ? 1 : 0;
  }
  return rolled.map(([key]) => key).sort();
}

/** Declares the last test of a file: it tells the figures, and fails if there was nothing to count. */
export function tell(figures: Figures, observed: () => Observer): void {
  it("figures", (context) => {
    const { applications, rounds, rollouts, replacedPods, exact, crowded } = figures;
    const seen = observed().podsSeen();
    context.diagnostic(
      `${applications} applications, ${rounds} rounds, ${rollouts} rollouts (${exact} to the very bounds, ${crowded} crowded), ` +
        `${replacedPods} pods replaced, ${seen} pods seen`,
    );
    assert.ok(applications > 0 && rounds > 0 && rollouts > 0 && replacedPods > 0 && seen > replacedPods);
  });
}

/** Applies what is in place once more: no object may change, not even by a write that says nothing. */
export async function stepsOnTheSpot(trial: Trial, manifests: string): Promise<void> {
  const { cluster, observer, mode, namespace, namespaces, thorough } = trial;
  const before = await observer.settled(namespaces);
  // What kubectl says is no measure: it calls a Secret with stringData "configured" each time. The version is.
  await apply(cluster, mode, manifests, namespace, thorough ? [] : QUICK);
  const after = await observer.settled(namespaces);
  const versions = (workloads: ReadonlyMap<WorkloadKey, Workload>): unknown =>
    [...workloads.values()].map(({ key, resourceVersion }) => [key, resourceVersion]);
  assert.deepEqual(versions(after), versions(before), "a repeated apply wrote");
  if (thorough) assert.equal(await diff(cluster, mode, manifests, namespace), "", "drift after the repeated apply");
}

function judge(key: WorkloadKey, expected: Expected, { before, after, seen }: Round): readonly string[] {
  const old = before.get(key);
  const now = after.get(key);
  if (!old || !now) return [`${key}: it is not there`];
  const rollouts = now.revision - old.revision;
  const pods = seen.get(key) ?? NOTHING_SEEN;
  const says = (what: string, found: unknown, meant: unknown): readonly string[] =>
    isDeepStrictEqual(found, meant) ? [] : [`${key}: ${what} ${String(found)}, expected ${String(meant)}`];
  const bounded = (what: string, low: number, high: number): readonly string[] =>
    low <= high ? [] : [`${key}: ${what}: ${low} is more than ${high}`];
  const common = [
    ...says("kept its identity", now.uid === old.uid, true),
    ...says("pods created", pods.created, expected.pods),
    ...says("pods ended", pods.ended, expected.pods),
    ...bounded("least available pods", expected.leastAvailable, pods.leastAvailable),
    ...bounded("most pods", pods.mostTotal, expected.mostTotal),
  ];
  switch (expected.action) {
    case "Roll":
      return [...common, ...says("rollouts", rollouts, 1)];
    case "NextRun": {
      const template = ({ object }: Workload): unknown => fieldAt(object, "spec", "jobTemplate");
      return [...common, ...says("next run changed", !isDeepStrictEqual(template(old), template(now)), true)];
    }
    case "NoEffect":
      // An OnDelete set writes down its new revision and waits; a paused Deployment does not even that.
      return common;
    case "None":
    case "Create":
      return [...common, ...says("rollouts", rollouts, 0)];
  }
}

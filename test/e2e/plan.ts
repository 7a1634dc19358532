/** What `rollstamp plan` says, held against the formulas: the cluster then judges both. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ran, rollstamp, succeeded } from "./commands.ts";
import { byFormula, type Expectation, type Surroundings } from "./expect.ts";
import { fieldAt, listAt, textAt } from "./fields.ts";
import type { WorkloadKey } from "./replay.ts";

/** The expectation by formula, once the plan has been found to say the same. */
export const byPlan: Expectation = async (base, head, surroundings) => {
  const [expected, plan] = await Promise.all([byFormula(base, head, surroundings), readPlan(base, head, surroundings)]);
  assert.deepEqual([...plan.keys()].sort(), [...expected.keys()].sort(), "the workloads of the plan");
  for (const [key, { action, pods, leastAvailable, mostTotal }] of expected) {
    const planned = plan.get(key);
    assert.equal(fieldAt(planned, "action"), action, `the plan's action for ${key}`);
    // How many nodes a DaemonSet has is not in Git: the plan says null.
    if (action !== "Roll" || key.startsWith("DaemonSet/")) continue;
    const says = {
      pods: fieldAt(planned, "pods"),
      leastAvailable: fieldAt(planned, "strategy", "minAvailable"),
      mostTotal: fieldAt(planned, "strategy", "maxTotal"),
    };
    assert.deepEqual(says, { pods, leastAvailable, mostTotal }, `the plan's numbers for ${key}`);
  }
  return expected;
};

/** The workloads of a plan, as its JSON has them; objects that name no namespace are in this one. */
export async function readPlan(
  base: string,
  head: string,
  { namespace }: Pick<Surroundings, "namespace">,
): Promise<ReadonlyMap<WorkloadKey, unknown>> {
  return workloadsOf(await planOf(base, head), namespace);
}

/** A plan as JSON, with all workloads and findings. */
export async function planOf(base: string, head: string, args: readonly string[] = []): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "rollstamp-e2e-plan-"));
  try {
    const files = [
      ["base.yaml", base],
      ["head.yaml", head],
    ].map(([name = "", text = ""]) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    const ran = await rollstamp(["plan", "--all", "-o", "json", ...args, ...files]);
    return JSON.parse(succeeded("rollstamp plan", failing(ran)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function workloadsOf(plan: unknown, namespace: string): ReadonlyMap<WorkloadKey, unknown> {
  // The plan fills in the default namespace; kubectl gets another one.
  const within = (planned: string): string => (planned === "default" ? namespace : planned);
  return new Map(
    listAt(plan, "workloads").map((workload) => [
      `${textAt(workload, "kind")}/${within(textAt(workload, "namespace"))}/${textAt(workload, "name")}`,
      workload,
    ]),
  );
}

/** The ids of all new findings of a plan. */
export function findingsOf(plan: unknown): readonly string[] {
  return [plan, ...listAt(plan, "workloads")]
    .flatMap((one) => listAt(one, "findings"))
    .filter((finding) => fieldAt(finding, "before") !== true)
    .map((finding) => textAt(finding, "id"));
}

/** A plan in which something fails is one all the same. */
function failing(ran: Ran): Ran {
  return ran.status === 1 && ran.stdout.startsWith("{") ? { ...ran, status: 0 } : ran;
}

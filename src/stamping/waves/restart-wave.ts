import type { Item, Manifests } from "../../yaml/read/items.ts";
import { lastRestart, type Restarts, type RestartRequest } from "../restart/restart.ts";
import { rollsOf } from "../../kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../../kubernetes/rollout/surroundings.ts";
import { findWorkloads, linkBorrowed } from "../../kubernetes/workloads/find-workloads.ts";
import { workloadKey } from "../../base/identity.ts";
import { decideWave, type Candidate } from "./decide.ts";
import { type AtHead, changedSince } from "./wave.ts";
import type { Workload } from "../../kubernetes/workloads/types.ts";

/** A scope of a restart, and the workloads that would restart without a limit. */
export interface RestartScope {
  readonly inputs: readonly Manifests[];
  readonly restarts: Restarts;
}

/** The input for a wave of restarts. */
export interface RestartRules {
  readonly maxWorkloads: number;
  readonly request: RestartRequest;
  readonly atHead: (workload: Workload) => AtHead;
}

/**
 * The workloads that may restart with the next commit. The ones whose last restart is the oldest come first, so that
 * one run per commit reaches all of them.
 */
export function restartWave(scopes: readonly RestartScope[], rules: RestartRules): ReadonlySet<Item> {
  const members = scopes.flatMap((scope) => membersOf(scope, rules));
  const verdicts = decideWave(members, { maxWorkloads: rules.maxWorkloads, isDue: true });
  return new Set(members.filter((member) => verdicts.get(member)?.is === "takes").map(({ item }) => item));
}

interface Member extends Candidate {
  readonly item: Item;
}

function membersOf({ inputs, restarts }: RestartScope, { request, atHead }: RestartRules): Member[] {
  const { kinds, defaultNamespace, annotation } = request;
  const workloads = linkBorrowed(inputs.flatMap(({ items }) => findWorkloads(items, { kinds, defaultNamespace })));
  const items = inputs.flatMap((input) => input.items);
  const surroundings = surroundingsOf(items, workloads, defaultNamespace);
  const restarted = new Set(restarts.restarted.map(({ workload }) => workload.item));
  return workloads.map((workload): Member => {
    const { item } = workload;
    const before = atHead(workload);
    const isNew = before === "new";
    const { otherwise, byStamps } = changedSince(isNew || before === "same" ? workload : before, workload, []);
    const rollsAlready = !isNew && (otherwise || byStamps);
    const isPending = restarted.has(item);
    // Formatted times sort in the order of time.
    const last = lastRestart(workload, annotation)?.toISOString() ?? "";
    return {
      id: `${last}\n${workloadKey(workload.item, workload.namespace)}`,
      item,
      isPending,
      isWaiting: false,
      takesAtOnce: isNew || rollsAlready,
      rolls: rollsAlready || (isPending && !isNew),
      rollsByStamps: false,
      replacesPods: rollsOf(workload, surroundings).effect === "Roll",
      pods: 0,
      opening: { isOpen: true },
      group: undefined,
    };
  });
}

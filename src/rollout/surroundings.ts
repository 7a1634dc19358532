import type { Item } from "../manifest/items.ts";
import type { Workload } from "../workloads/types.ts";
import { indexClaims, type Claims } from "./claims.ts";
import { findAutoscalers, type Autoscalers } from "./scalers.ts";

/** What beside a workload's own manifest decides how it rolls. Indexes that few ask for are made when they are. */
export interface Surroundings {
  readonly autoscalers: Autoscalers;
  readonly workloads: ReadonlyMap<Item, Workload>;
  readonly claims: () => Claims;
}

/** Indexes what decides how the workloads of an input roll. */
export function surroundingsOf(
  items: readonly Item[],
  workloads: readonly Workload[],
  defaultNamespace: string,
): Surroundings {
  return {
    autoscalers: findAutoscalers(items, defaultNamespace),
    workloads: new Map(workloads.map((workload) => [workload.item, workload])),
    claims: once(() => indexClaims(items, defaultNamespace)),
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

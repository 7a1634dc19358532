import type { Item } from "../../yaml/read/items.ts";
import type { Unseen } from "./status-report.ts";
import type { PodGroup } from "./live-objects.ts";
import type { Progress } from "./progress.ts";

/** A workload of the cluster, with what its status tells. */
export interface LiveWorkload {
  readonly item: Item;
  readonly uid: string;
  /** The uid of the object that controls it; "" for none. */
  readonly controller: string;
  readonly progress: Progress | undefined;
}

/** When a source was made, and when its content last changed; in milliseconds. */
export interface SourceTimes {
  readonly createdAt: number;
  readonly changedAt: number;
}

/** What a cluster holds, without the content of ConfigMaps and Secrets. */
export interface LiveCluster {
  readonly context: string;
  /** Undefined: all namespaces were read. */
  readonly namespace: string | undefined;
  readonly workloads: readonly LiveWorkload[];
  /** ConfigMaps and Secrets without their content. */
  readonly sources: readonly Item[];
  /** The objects that say where Secrets come from. */
  readonly declared: readonly Item[];
  /** By sourceId. */
  readonly times: ReadonlyMap<string, SourceTimes>;
  /** The uid of what stands between workloads and pods → the uid of its controller. */
  readonly controllers: ReadonlyMap<string, string>;
  readonly pods: readonly PodGroup[];
  readonly unseen: readonly Unseen[];
  /** The kinds of sources that can't be read. */
  readonly unseenKinds: ReadonlySet<string>;
}

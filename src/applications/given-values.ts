import type { Json } from "../manifest/node.ts";

/** The parameters of one Application. */
export type Parameters = Readonly<Record<string, Json>>;

/** What --clusters gives: what generators ask a cluster or a provider for. */
export interface GivenValues {
  readonly clusters: readonly GivenCluster[] | undefined;
  /** By the name of an ApplicationSet: what its other generators would give. */
  readonly parameters: ReadonlyMap<string, readonly Parameters[]>;
}

export interface GivenCluster {
  readonly name: string;
  readonly server: string;
  readonly project: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

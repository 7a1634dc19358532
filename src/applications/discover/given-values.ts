import type { Json } from "../../yaml/read/node.ts";

/** The parameters of one Application. */
export type Parameters = Readonly<Record<string, Json>>;

/** What --clusters gives: what generators ask a cluster or a provider for. */
export interface GivenValues {
  readonly clusters: readonly GivenCluster[] | undefined;
  /** By the name of an ApplicationSet: what its other generators would give. */
  readonly parameters: ReadonlyMap<string, readonly Parameters[]>;
}

/** The clusters of the Argo CD that has what is in a place; undefined where nobody tells of any. */
export function clustersAt({ clusters }: GivenValues, place: string): readonly GivenCluster[] | undefined {
  return clusters?.filter(({ isFor }) => isFor === undefined || isFor(place));
}

export interface GivenCluster {
  readonly name: string;
  readonly server: string;
  readonly project: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Whether it is one of those of an Argo CD, by where an ApplicationSet of it is; undefined where all have it. */
  readonly isFor?: (place: string) => boolean;
}

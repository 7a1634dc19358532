import type { ConfigHashSpec } from "../config/config-hash.ts";
import type { SourceIndex } from "../sources/source-index.ts";
import type { PodTemplate, Workload } from "../workloads/types.ts";
import type { PeerVerdicts } from "./types.ts";

/** A peer whose annotations may count: asks it about one pod template of a workload. */
type Peer = (workload: Workload, template: PodTemplate, sources: SourceIndex, spec: ConfigHashSpec) => PeerVerdicts;

const PEERS: { readonly [name in ConfigHashSpec["compat"][number]]?: Peer } = {};

/** What the peers that the configuration names say of a pod template. */
export function peerVerdicts(
  workload: Workload,
  template: PodTemplate,
  sources: SourceIndex,
  spec: ConfigHashSpec,
): readonly PeerVerdicts[] {
  return spec.compat.flatMap((name) => PEERS[name]?.(workload, template, sources, spec) ?? []);
}

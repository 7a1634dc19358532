import type { ConfigHashSpec } from "../function/config-hash.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { PodTemplate, Workload } from "../../kubernetes/workloads/types.ts";
import { reloader } from "./reloader.ts";
import type { AskPeer, PeerVerdicts } from "./types.ts";
import { wave } from "./wave.ts";

/** The peers whose annotations may count. Each keeps what it needs for one run. */
const PEERS: { readonly [name in ConfigHashSpec["compat"][number]]: (sources: SourceIndex) => AskPeer } = {
  Reloader: reloader,
  Wave: wave,
};

/** Returns the rules of the configured peers for a pod template. */
export type AskPeers = (workload: Workload, template: PodTemplate) => readonly PeerVerdicts[];

/** The peers that a configuration names. */
export function peersOf(sources: SourceIndex, spec: ConfigHashSpec): AskPeers {
  const peers = spec.compat.map((name) => PEERS[name](sources));
  return (workload, template) =>
    peers.flatMap((ask) => [workload.item, ...workload.runBy].map((marked) => ask(marked, workload, template)));
}

/** Versioned copies under Flux, with Deployments and with a canary of Argo Rollouts. */
import { after, before, describe, it } from "node:test";
import { type Cluster, startCluster } from "./cluster.ts";
import type { Engine } from "./engine-types.ts";
import { fluxOf } from "./flux.ts";
import { createNamespace } from "./versioned.ts";
import { FLUX_VERSIONED } from "./versioned-flux-rows.ts";

let cluster: Cluster;
let engine: Engine;
let close: (() => void) | undefined;

before(async () => {
  cluster = await startCluster({ flux: true, rollouts: true });
  ({ flux: engine, close } = await fluxOf(cluster.api, cluster.folder));
});

after(async () => {
  close?.();
  await cluster?.stop();
});

describe("versioned copies under Flux", { concurrency: 4 }, () => {
  for (const [index, { does, with: programs, says, run }] of FLUX_VERSIONED.entries())
    it(`${programs}: ${does}: ${says}`, async () => {
      const namespace = `versioned-${index + 1}`;
      await createNamespace(cluster, namespace);
      await run({ cluster, namespace, engine });
    });
});

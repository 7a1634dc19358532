/** Versioned copies under Argo CD. */
import { after, before, describe, it } from "node:test";
import { type ArgoCDEngine, argoCDOf } from "./argocd.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { createNamespace } from "./versioned.ts";
import { ARGOCD_VERSIONED } from "./versioned-argocd-rows.ts";

let cluster: Cluster;
let engine: ArgoCDEngine;

before(async () => {
  cluster = await startCluster({ argocd: true });
  engine = argoCDOf(cluster.api, { ...cluster, syncOptions: [] });
});

after(() => cluster?.stop());

describe("versioned copies under Argo CD", { concurrency: 6 }, () => {
  for (const [index, { does, says, run }] of ARGOCD_VERSIONED.entries())
    it(`${does}: ${says}`, async () => {
      const namespace = `versioned-${index + 1}`;
      await createNamespace(cluster, namespace);
      await run({ cluster, namespace, engine });
    });
});

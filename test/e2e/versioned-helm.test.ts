/** Versioned copies under both Helms. */
import { after, before, describe, it } from "node:test";
import { elsewhere, HELMS, prepare } from "../hosts/helm.ts";
import { unlessFound } from "../hosts/programs.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { createNamespace } from "./versioned.ts";
import { HELM_VERSIONED } from "./versioned-helm-rows.ts";

let cluster: Cluster;

before(async () => {
  cluster = await startCluster();
});

after(() => cluster?.stop());

for (const which of HELMS)
  describe(`versioned copies under ${which.name}`, { concurrency: 3, skip: unlessFound(which.program) }, () => {
    const helm = elsewhere(which);
    before(() => prepare(helm));
    for (const [index, { does, says, run }] of HELM_VERSIONED.entries())
      it(`${does}: ${says}`, async () => {
        const namespace = `versioned-${helm.version}-${index + 1}`;
        await createNamespace(cluster, namespace);
        await run({ cluster, namespace, helm });
      });
  });

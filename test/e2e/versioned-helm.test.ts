/** Versioned copies under both Helms. Here all rows of docs/why/observed.md are held against their table. */
import { after, before, describe, it } from "node:test";
import { elsewhere, HELMS, prepare } from "../hosts/helm.ts";
import { unlessFound } from "../hosts/programs.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { checkVersioned } from "./observed-table.ts";
import { createNamespace } from "./versioned.ts";
import { ARGOCD_VERSIONED } from "./versioned-argocd-rows.ts";
import { FLUX_VERSIONED } from "./versioned-flux-rows.ts";
import { HELM_VERSIONED } from "./versioned-helm-rows.ts";
import { ROLLOUTS_VERSIONED } from "./versioned-rollouts-rows.ts";

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

it("docs/why/observed.md has the observations", () =>
  checkVersioned([...ARGOCD_VERSIONED, ...ROLLOUTS_VERSIONED, ...FLUX_VERSIONED, ...HELM_VERSIONED]));

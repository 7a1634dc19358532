import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../../support/cli.ts";
import { fakeKustomize } from "../../support/fake-kustomize.ts";
import { inFolder } from "../../support/folders.ts";
import { auditIn, conf, days, ENVIRONMENT, History, web, type Audit } from "./history.ts";

// Which applications of which commits count as not rendered, and what is compared in spite of them.

type Files = Readonly<Record<string, string | null>>;

const RESOURCES = "resources: [web.yaml, conf.yaml, broken.yaml]\n";
const APP = { "app/kustomization.yaml": RESOURCES, "app/web.yaml": web(), "app/conf.yaml": conf("a") };
const BROKEN = "apiVersion: v1\nkind: ConfigMap\ndata: [";
const REMOTE = "https://example.com/crds.yaml";
const WITH_REMOTE = { "app/kustomization.yaml": `resources: [web.yaml, conf.yaml, "${REMOTE}"]\n` };

/** The audit of commits, which a fake kustomize renders. */
async function auditOf(commits: readonly Files[], ...args: readonly string[]): Promise<Audit> {
  const audits: Audit[] = [];
  await inFolder({}, async (folder) => {
    const environment = { ...ENVIRONMENT, PATH: fakeKustomize(folder, ENVIRONMENT.PATH) };
    const history = new History(join(folder, "repository"));
    for (const files of commits) history.commit(files);
    const { stdout, stderr } = await cli(["audit", history.folder, "-o", "json", ...args], { environment });
    assert.equal(stderr, "");
    audits.push(auditIn(stdout));
  });
  const [audit] = audits;
  assert.ok(audit !== undefined);
  return audit;
}

/** `app 02`: the application, and the day of the commit. */
function rows({ unrendered }: Audit): string[] {
  return unrendered.map(({ application, date }) => `${application} ${date.slice(8, 10)}`);
}

/** A Flux Kustomization of the folder `app`, with a variable. */
function sync(level: string): string {
  return JSON.stringify({
    apiVersion: "kustomize.toolkit.fluxcd.io/v1",
    kind: "Kustomization",
    metadata: { name: "app", namespace: "flux-system" },
    spec: {
      path: "./app",
      prune: true,
      sourceRef: { kind: "GitRepository", name: "flux-system" },
      postBuild: { substitute: { level } },
    },
  });
}

describe("what an audit counts as not rendered", () => {
  for (const { name, commits, unrendered, stale } of [
    {
      name: "no commit that does not touch an application that is broken already",
      commits: [APP, { "app/broken.yaml": "x" }, { "readme.md": "x" }, { "app/web.yaml": web({ image: "app:2" }) }],
      unrendered: ["app 02", "app 04"],
      stale: [],
    },
    {
      name: "not the first commit that can be rendered, if none before could: there is nothing to compare it with",
      commits: [
        { ...APP, "app/broken.yaml": "x" },
        { "app/conf.yaml": conf("b") },
        { "app/broken.yaml": null },
        { "app/conf.yaml": conf("c") },
      ],
      unrendered: ["app 02"],
      stale: ["4 web, until now"],
    },
    {
      name: "no unreadable file that was there before the period: the other files are compared",
      commits: [
        { "web.yaml": web(), "conf.yaml": conf("a"), "bad.yaml": BROKEN },
        { "readme.md": "x" },
        { "conf.yaml": conf("b") },
        { "bad.yaml": null },
        { "conf.yaml": conf("c") },
      ],
      unrendered: [],
      stale: ["3 web, until now", "5 web, until now"],
    },
    {
      name: "an unreadable file that a commit of the period brings, until it is gone",
      commits: [
        { "web.yaml": web(), "conf.yaml": conf("a") },
        { "bad.yaml": BROKEN },
        { "conf.yaml": conf("b") },
        { "bad.yaml": null },
      ],
      unrendered: [". 02", ". 03"],
      stale: ["4 web, until now"],
    },
    {
      name: "no invalid rollstamp.yaml that only the base has, from before the period",
      commits: [
        {
          ...APP,
          "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {applications: 3}\n",
        },
        { "rollstamp.yaml": null },
        { "app/conf.yaml": conf("b") },
      ],
      unrendered: [],
      stale: ["3 web, until now"],
    },
    {
      name: "a missing part that a commit brings, not one that it removes",
      commits: [APP, WITH_REMOTE, { "app/conf.yaml": conf("b") }, { "app/kustomization.yaml": RESOURCES }],
      unrendered: ["app 02"],
      stale: ["3 web, until now"],
    },
    {
      name: "no application that a commit removes",
      commits: [
        { ...APP, ...WITH_REMOTE },
        { app: null, "readme.md": "x" },
      ],
      unrendered: [],
      stale: [],
    },
    {
      name: "a kustomization that can't be read with the application that includes it",
      commits: [
        {
          ...APP,
          "app/kustomization.yaml": "resources: [web.yaml, conf.yaml, part]\n",
          "app/part/kustomization.yaml": "",
        },
        { "app/part/kustomization.yaml": "a\nresources: [" },
        { "app/part/kustomization.yaml": "" },
      ],
      unrendered: ["app 02"],
      stale: [],
    },
    {
      name: "no application of which all is compared but a part that the commit does not touch",
      commits: [
        { ...APP, ...WITH_REMOTE, "app/conf.yaml": conf(`\${level}`), "clusters/app.yaml": sync("a") },
        { "clusters/app.yaml": sync("b") },
        { "app/kustomization.yaml": WITH_REMOTE["app/kustomization.yaml"].replace("crds", "other") },
      ],
      unrendered: ["app 03"],
      stale: ["2 web, until now"],
    },
  ]) {
    it(name, async () => {
      const audit = await auditOf(commits);
      assert.deepEqual([rows(audit), days(audit.stale)], [unrendered, stale]);
    });
  }

  it("with the same message for the same reason, whatever the commit is", async () => {
    const broken = { "app/broken.yaml": "x" };
    const plain = { "web.yaml": web(), "conf.yaml": conf("a") };
    const config = { "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: None}\n" };
    for (const commits of [
      [APP, broken, { "app/kustomization.yaml": `${RESOURCES}# other\n` }],
      [plain, { "bad.yaml": BROKEN }, { "conf.yaml": conf("b") }],
      [plain, config, { "conf.yaml": conf("b") }],
    ]) {
      const { unrendered } = await auditOf(commits);
      assert.deepEqual([unrendered.length, new Set(unrendered.map(({ message }) => message)).size], [2, 1]);
    }
  });
});

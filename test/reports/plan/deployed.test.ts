// What a plan says about changes that are merged and not applied, about deleted objects that stay, about what nothing
// deploys, and about applications that move.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { cli } from "../../support/cli.ts";
import { delimiter, join } from "node:path";
import { fakeHelm, RENDERED } from "../../support/fake-helm.ts";
import type { Files } from "../../support/folders.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { withFakeKustomize } from "./fake-kustomize.ts";
import { inRepository, type Repository } from "./repository.ts";

const flux = (kind: string, group: string, name: string, spec: string): string =>
  `apiVersion: ${group}.toolkit.fluxcd.io/${kind === "HelmRelease" ? "v2" : "v1"}\nkind: ${kind}\nmetadata: {name: ${name}, namespace: flux-system}\nspec: {${spec}}\n`;

const SOURCE_REF = "sourceRef: {kind: GitRepository, name: flux-system}";
const kustomization = (name: string, spec: string, path = name): string =>
  flux("Kustomization", "kustomize", name, `path: ./${path}, ${SOURCE_REF}, ${spec}`);
const release = (name: string, spec: string, chart = ""): string =>
  flux("HelmRelease", "helm", name, `chart: {spec: {chart: ./${name}, ${SOURCE_REF}${chart}}}, ${spec}`);
const application = (name: string, spec: string, path = name): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}, finalizers: [resources-finalizer.argocd.argoproj.io]}\nspec: {source: {repoURL: https://git.example/x.git, path: ${path}}, ${spec}}\n`;

const AUTOMATED = "syncPolicy: {automated: {prune: true}}";

/** A folder with a Deployment of an image. */
const app = (name: string, tag = "1"): Files => ({
  [`${name}/kustomization.yaml`]: "resources: [all.yaml]\n",
  [`${name}/all.yaml`]: deployment(name, "env").replace("app:1", `app:${tag}`),
});

const chart = (name: string, tag: string, version = "1.0.0"): Files => ({
  ".krmignore": `${RENDERED}\n`,
  [`${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: ${version}\n`,
  [`${name}/templates/all.yaml`]: "a: {{ b }}\n",
  [`${name}/${RENDERED}`]: deployment(name, "env").replace("app:1", `app:${tag}`),
});

interface Shown {
  readonly level: string | undefined;
  readonly status: number | null;
  /** Name, status, what is held or an orphan, and by whom. */
  readonly applications: readonly string[];
  /** Name and action, with marks. */
  readonly workloads: readonly string[];
  readonly summary: PlanJson["summary"];
  readonly findings: readonly string[];
  /** Of the workloads, before and after. */
  readonly images: readonly string[];
}

async function shown(repository: Repository, range: string, ...more: string[]): Promise<Shown> {
  const { PATH = "", ...environment } = withFakeKustomize(repository);
  const [helm = ""] = fakeHelm(join(environment["TMPDIR"] ?? "", "bin")).split(delimiter);
  const { status, stdout, stderr } = await cli(["plan", "-o", "json", "--git", range, ...more], {
    environment: { ...environment, PATH: [helm, PATH].join(delimiter) },
  });
  assert.notEqual(stdout, "", stderr);
  const { verdict, applications = [], workloads, summary, findings }: PlanJson = JSON.parse(stdout);
  return {
    level: verdict?.level,
    status,
    summary,
    applications: applications
      .map(({ name, status: is, change, held, heldBy, pinnedTo, orphan }) =>
        [name, is, change, held, heldBy, pinnedTo, orphan && "orphan"].filter(Boolean).join(" "),
      )
      .toSorted(),
    workloads: workloads.map(({ name, action, held, orphan, leaves }) =>
      [name, action, held, orphan && "orphan", leaves && "leaves"].filter(Boolean).join(" "),
    ),
    findings: findings.map(({ id }) => id),
    images: workloads.flatMap(({ reasons }) =>
      reasons.flatMap((reason) => (reason.type === "Template" ? [`${reason.from} ${reason.to}`] : [])),
    ),
  };
}

describe("an object that names another cluster now", () => {
  const ELSEWHERE: Readonly<Record<string, readonly [string, string]>> = {
    "is an Application": [
      application("web", `${AUTOMATED}, destination: {server: "https://a"}`),
      application("web", `${AUTOMATED}, destination: {server: "https://b"}`),
    ],
    "is a Kustomization of Flux": [
      kustomization("web", "prune: true, kubeConfig: {secretRef: {name: a}}"),
      kustomization("web", "prune: true, kubeConfig: {secretRef: {name: b}}"),
    ],
  };
  for (const [which, [from, to]] of Object.entries(ELSEWHERE)) {
    it(`${which}: nothing is deleted in the cluster before`, () =>
      inRepository({ ...app("web"), "object.yaml": from }, async (repository) => {
        repository.commit("moved", { "object.yaml": to });
        const { level, workloads } = await shown(repository, "start..moved");
        assert.deepEqual([level, workloads], ["ok", ["web Create", "web Delete leaves"]]);
      }));
  }
  it("is another one if it comes from another file", () =>
    inRepository({ ...app("web"), "a/object.yaml": ELSEWHERE["is an Application"]?.[0] ?? "" }, async (repository) => {
      repository.git("rm", "--quiet", "a/object.yaml");
      repository.commit("moved", { "b/object.yaml": ELSEWHERE["is an Application"]?.[1] ?? "" });
      assert.deepEqual((await shown(repository, "start..moved")).workloads, ["web Delete", "web Create"]);
    }));
});

describe("an object whose source was another repository", () => {
  const moving = application("web", AUTOMATED);
  const moved = (from: Files, to: Files, expected: readonly unknown[]): Promise<void> =>
    inRepository(from, async (repository) => {
      repository.git("remote", "add", "origin", "https://git.example/x.git");
      repository.commit("moved", to);
      const { level, workloads, findings } = await shown(repository, "start..moved");
      assert.deepEqual([level, workloads, findings], expected);
    });
  it("does not create what it may have applied before, which needs a review", () =>
    moved({ ...app("web"), "argo.yaml": moving.replace("/x.git", "/other.git") }, { "argo.yaml": moving }, [
      "attention",
      [],
      ["RS024"],
    ]));
  it("creates everything if only its folder was missing", () =>
    moved({ ...app("api"), "argo.yaml": moving }, app("web"), ["ok", ["web Create"], []]));
});

describe("an application of another revision of the repository", () => {
  it("is not compared, which needs a review", () => {
    const from = (revision: string): string =>
      application("web", AUTOMATED).replace("path: web", `path: web, targetRevision: ${revision}`);
    return inRepository({ ...app("web"), "argo.yaml": from("v1") }, async (repository) => {
      repository.commit("moved", { ...app("web", "2"), "argo.yaml": from("v2") });
      const { level, status, applications, findings } = await shown(repository, "start..moved");
      assert.deepEqual(
        [level, status, applications, findings],
        ["attention", 0, [". Changed", "web Changed"], ["RS024"]],
      );
      assert.equal((await shown(repository, "start..moved", "--fail-on", "unrendered")).status, 1);
    });
  });
  it("is compared if it stays: what it is pinned to does not contain the change", () =>
    inRepository(app("web"), async (repository) => {
      const pinned = application("web", AUTOMATED).replace("path: web", "path: web, targetRevision: v1.2.3");
      repository.commit("before", { "argo.yaml": pinned });
      repository.commit("after", app("web", "2"));
      const { level, workloads, applications } = await shown(repository, "before..after");
      assert.deepEqual([level, workloads, applications], ["ok", ["web Roll"], [". NotAffected", "web Changed v1.2.3"]]);
      // What the object itself changes is applied at once.
      repository.commit("edited", {
        "argo.yaml": pinned.replace("path: web", "path: web, kustomize: {namePrefix: a-}"),
      });
      repository.commit("removed", { "argo.yaml": "" });
      for (const range of ["after..edited", "start..after", "edited..removed"]) {
        const all = await shown(repository, range);
        assert.ok(!all.applications.some((one) => one.includes("v1.2.3")), range);
      }
    }));
  it("is one row with its source, and none if only the spelling of the source changes", () => {
    const from = (spec: string): Files => ({
      "flux.yaml": `${kustomization("web", "prune: true")}---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {url: "https://git.example/x.git", ref: ${spec}}
`,
    });
    return inRepository({ ...app("web"), ...from("{branch: main}") }, async (repository) => {
      const rows: unknown[] = [];
      for (const [i, spec] of [
        "{name: refs/heads/main}",
        "{name: refs/heads/main}, ignore: /docs",
        "{tag: 20260102}",
        "{tag: 20260102}, include: [{repository: {name: other}}]",
        "{tag: 20260102}",
      ].entries()) {
        repository.commit(`step-${i}`, from(spec));
        const { level, findings } = await shown(repository, "HEAD~1..HEAD");
        rows.push([level, ...findings]);
      }
      const moved = ["attention", "RS024"];
      assert.deepEqual(rows, [["ok"], ["ok"], moved, moved, moved]);
    });
  });
});

describe("what is held back", () => {
  it("is what Flux suspends: it counts nowhere else", () =>
    inRepository(
      {
        ...app("web"),
        ...app("api"),
        "flux.yaml": [kustomization("web", "prune: true, suspend: true"), kustomization("api", "prune: true")].join(
          "---\n",
        ),
      },
      async (repository) => {
        repository.commit("tags", { ...app("web", "2"), ...app("api", "2") });
        const { level, applications, workloads, summary, findings } = await shown(repository, "start..tags");
        assert.deepEqual(applications, [". NotAffected", "api Changed", "web Changed Suspended"]);
        assert.deepEqual(workloads, ["api Roll", "web Roll Suspended"]);
        assert.deepEqual([summary.workloads, summary.rolls, summary.held], [1, 1, { workloads: 1, pods: 1 }]);
        assert.equal(level, "ok");
        assert.deepEqual(findings, []);
      },
    ));

  it("is not what Flux deletes and creates again", () =>
    inRepository(
      { ...app("web"), "flux.yaml": kustomization("web", "prune: true, force: true") },
      async (repository) => {
        const selector = "selector: {matchLabels: {app: other}}";
        repository.edit("selector", "web/all.yaml", "spec:", `spec:\n  ${selector}`);
        const { level, workloads } = await shown(repository, "start..selector");
        assert.deepEqual([level, workloads], ["attention", ["web Roll"]]);
      },
    ));

  const MISSPELT = "image: app:1\n          resourses: {}";
  const TWICE = "image: app:1\n          env: [{name: A, value: a}, {name: A, value: b}]";
  const SERVER_SIDE = AUTOMATED.replace("}}", "}, syncOptions: [CreateNamespace=true, ServerSideApply=true]}");
  const rows = [
    { engine: "kubectl", files: {}, misspelt: "Fail", twice: "Roll" },
    { engine: "Flux", files: { "flux.yaml": kustomization("web", "prune: true") }, misspelt: "Fail", twice: "Fail" },
    { engine: "Argo CD", files: { "argo.yaml": application("web", AUTOMATED) }, misspelt: "Roll", twice: "Roll" },
    {
      engine: "Argo CD with ServerSideApply",
      files: { "argo.yaml": application("web", SERVER_SIDE) },
      misspelt: "Fail",
      twice: "Fail",
    },
  ];
  for (const { engine, files, misspelt, twice } of rows)
    it(`is what ${engine} refuses`, () =>
      inRepository({ ...app("web"), ...files }, async (repository) => {
        repository.edit("misspelt", "web/all.yaml", "image: app:1", MISSPELT);
        repository.edit("twice", "web/all.yaml", MISSPELT, TWICE);
        assert.deepEqual((await shown(repository, "start..misspelt")).workloads, [`web ${misspelt}`]);
        assert.deepEqual((await shown(repository, "start..twice")).workloads, [`web ${twice}`]);
      }));

  it("is what a HelmRelease takes from a chart whose version stays", () =>
    inRepository({ ...chart("web", "1"), "flux.yaml": release("web", "values: {a: b}") }, async (repository) => {
      repository.commit("template", chart("web", "2"));
      const waiting = await shown(repository, "start..template");
      assert.deepEqual(waiting.applications, [". NotAffected", "web Changed ChartVersion"]);
      assert.deepEqual(waiting.workloads, ["web Roll ChartVersion"]);
      assert.deepEqual(waiting.summary.held, { workloads: 1, pods: 1 });
      repository.commit("version", chart("web", "3", "1.0.1"));
      const versioned = await shown(repository, "template..version");
      assert.deepEqual(versioned.workloads, ["web Roll"]);
      // Also what waited for the version.
      assert.deepEqual(versioned.images, ["app:1 app:3"]);
      repository.commit("revision", {
        ...chart("web", "4", "1.0.1"),
        "flux.yaml": release("web", "values: {a: b}", ", reconcileStrategy: Revision"),
      });
      repository.commit("again", chart("web", "5", "1.0.1"));
      assert.deepEqual((await shown(repository, "revision..again")).workloads, ["web Roll"]);
    }));

  it("is only the chart if the values of the release change too", () =>
    inRepository({ ...chart("web", "1"), "flux.yaml": release("web", "values: {a: b}") }, async (repository) => {
      repository.commit("both", { ...chart("web", "2"), "flux.yaml": release("web", "values: {a: c}") });
      const { applications, workloads, summary } = await shown(repository, "start..both");
      assert.deepEqual(applications, [". Changed", "web Changed ChartVersion"]);
      // This helm ignores values, so nothing but the chart changes.
      assert.deepEqual(workloads, ["web Roll ChartVersion"]);
      assert.deepEqual([summary.rolls, summary.held.workloads], [0, 1]);
      const all = await shown(repository, "start..both", "--all");
      assert.deepEqual(all.workloads, ["web Roll ChartVersion"]);
    }));

  it("is marked, but counts, if someone has to sync it", () =>
    inRepository({ ...app("web"), "argo.yaml": application("web", "project: default") }, async (repository) => {
      repository.commit("tag", app("web", "2"));
      const { applications, workloads, summary } = await shown(repository, "start..tag");
      assert.deepEqual(applications, [". NotAffected", "web Changed Manual"]);
      assert.deepEqual(workloads, ["web Roll"]);
      assert.deepEqual([summary.rolls, summary.held], [1, { workloads: 0, pods: 0 }]);
    }));

  it("names the application that applies an added or removed one", () =>
    inRepository(
      {
        ...app("folder"),
        "root.yaml": application("root", "project: default", "apps"),
        "apps/kustomization.yaml": "resources: [web.yaml]\n",
        "apps/web.yaml": application("web", AUTOMATED, "folder"),
      },
      async (repository) => {
        repository.git("rm", "-q", "apps/web.yaml");
        repository.commit("removed", {
          "apps/kustomization.yaml": "resources: [api.yaml]\n",
          "apps/api.yaml": application("api", AUTOMATED, "other"),
          ...app("other"),
        });
        const { applications } = await shown(repository, "start..removed");
        assert.deepEqual(
          applications,
          [
            ". NotAffected",
            "api Changed Added Manual root",
            "root Changed Manual",
            "web Changed Removed Manual root",
            "folder Changed Added orphan",
          ].toSorted(),
        );
      },
    ));
});

describe("a resumed application", () => {
  const suspending = (suspend: string, tag: string): Files => ({
    ...app("web", tag),
    "flux.yaml": kustomization("web", `prune: true${suspend}`),
  });

  it("is compared with the commit before it was suspended", () =>
    inRepository(suspending("", "1"), async (repository) => {
      repository.commit("suspended", suspending(", suspend: true", "1"));
      repository.commit("held", suspending(", suspend: true", "2"));
      repository.commit("idle", { "readme.md": "a" });
      repository.commit("resumed", { ...suspending("", "2"), "readme.md": "b" });
      const { workloads, findings, images } = await shown(repository, "idle..resumed");
      assert.deepEqual(workloads, ["web Roll"]);
      assert.deepEqual(images, ["app:1 app:2"]);
      assert.deepEqual(findings, []);
    }));

  it("is created if it was never applied", () =>
    inRepository(app("other"), async (repository) => {
      repository.commit("suspended", suspending(", suspend: true", "1"));
      repository.commit("resumed", suspending("", "1"));
      const { applications, workloads } = await shown(repository, "suspended..resumed");
      assert.deepEqual(
        applications.filter((name) => name.startsWith("web")),
        ["web Changed Added"],
      );
      assert.deepEqual(workloads, ["web Create"]);
    }));

  it("is compared with what of a release its Kustomization held back, and the release is held back with it", () => {
    const suspend = (is: boolean): Files => ({ "flux.yaml": kustomization("web", `prune: true, suspend: ${is}`) });
    const other = Object.entries(chart("shop", "2")).map(([path, text]) => [path.replace("shop/", "other/"), text]);
    const charts: Files = { ...chart("shop", "1"), ...Object.fromEntries(other) };
    const web = { "web/kustomization.yaml": "resources: [release.yaml]\n", "web/release.yaml": release("shop", "") };
    return inRepository({ ...suspend(false), ...charts, ...web }, async (repository) => {
      repository.commit("suspended", suspend(true));
      repository.commit("held", { "web/release.yaml": release("shop", "").replace("./shop", "./other") });
      repository.commit("resumed", suspend(false));
      const report = await shown(repository, "suspended..held");
      assert.deepEqual(report.workloads, ["shop Roll Suspended", "shop Create orphan"]);
      assert.deepEqual((await shown(repository, "held..resumed")).workloads, ["shop Roll"]);
      repository.git("checkout", "-q", "suspended");
      repository.commit("version", chart("shop", "2", "1.1.0"));
      assert.deepEqual((await shown(repository, "suspended..version")).workloads, ["shop Roll"]);
      repository.commit("later", suspend(false));
      assert.deepEqual((await shown(repository, "version..later")).workloads, []);
    });
  });

  it("has a finding if Git does not show when it was suspended", () =>
    inRepository(suspending(", suspend: true", "1"), async (repository) => {
      repository.commit("resumed", suspending("", "2"));
      const { workloads, findings, level } = await shown(repository, "start..resumed");
      assert.deepEqual(workloads, ["web Roll"]);
      assert.deepEqual(findings, ["suspended-application"]);
      assert.equal(level, "attention");
    }));
});

describe("deleted objects that stay in the cluster", () => {
  const service = "apiVersion: v1\nkind: Service\nmetadata: {name: back}\nspec: {selector: {tier: back}}\n";
  const old = (name: string): string => deployment(name, "other").replace("labels:", "labels:\n        tier: back");
  const two = (mark = ""): Files => ({
    "web/kustomization.yaml": "resources: [all.yaml]\n",
    "web/all.yaml": [
      deployment("web", "env"),
      configMap("env", "a").replace("  name: env\n", `  name: env\n${mark}`),
      old("old").replace("  name: old\n", `  name: old\n${mark}`),
      old("older"),
      service,
    ].join("---\n"),
  });
  const cases: readonly (readonly [what: string, object: string, mark: string, leaves: boolean])[] = [
    ["of a Kustomization with prune", kustomization("web", "prune: true"), "", false],
    ["of a Kustomization without prune", kustomization("web", "prune: false"), "", true],
    ["of an Application with prune", application("web", AUTOMATED), "", false],
    ["of an Application without prune", application("web", "syncPolicy: {automated: {}}"), "", true],
    [
      "with a mark",
      application("web", AUTOMATED),
      "  annotations: {argocd.argoproj.io/sync-options: Prune=false}\n",
      true,
    ],
    [
      "with a mark of another engine",
      application("web", AUTOMATED),
      "  annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}\n",
      false,
    ],
  ];
  for (const [what, object, mark, leaves] of cases)
    it(`${what}: ${leaves}`, () =>
      inRepository({ ...two(mark), "object.yaml": object }, async (repository) => {
        repository.commit("deleted", { "web/all.yaml": `${deployment("web", "env")}---\n${service}` });
        const { workloads, summary, findings } = await shown(repository, "start..deleted");
        const isAll = leaves && mark === "";
        assert.deepEqual(workloads.toSorted(), [
          `old Delete${leaves ? " leaves" : ""}`,
          `older Delete${isAll ? " leaves" : ""}`,
          ...(leaves ? [] : ["web None"]),
        ]);
        assert.deepEqual([summary.deletes, summary.lost], [isAll ? 0 : leaves ? 1 : 2, leaves ? 0 : 1]);
        // One Deployment that stays is enough for the Service.
        assert.deepEqual(findings, leaves ? [] : ["RS026"]);
      }));

  it("are all of an Application without a finalizer, and of one that its parent does not prune", () =>
    inRepository(
      {
        ...app("web"),
        ...app("api"),
        ...app("db"),
        "root.yaml": application("root", AUTOMATED, "apps"),
        "unpruned.yaml": application("unpruned", "syncPolicy: {automated: {}}", "more"),
        "apps/kustomization.yaml": "resources: [web.yaml, api.yaml]\n",
        "apps/web.yaml": application("web", AUTOMATED),
        "apps/api.yaml": application("api", AUTOMATED).replace(/, finalizers: \[[^\]]*\]/u, ""),
        "more/kustomization.yaml": "resources: [db.yaml]\n",
        "more/db.yaml": application("db", AUTOMATED),
      },
      async (repository) => {
        repository.git("rm", "-rq", "apps/web.yaml", "apps/api.yaml", "more/db.yaml", "web", "api", "db");
        repository.commit("removed", { "apps/kustomization.yaml": "", "more/kustomization.yaml": "" });
        const { workloads } = await shown(repository, "start..removed");
        assert.deepEqual(workloads.toSorted(), ["api Delete leaves", "db Delete leaves", "web Delete"]);
      },
    ));

  const kept: readonly string[] = [];
  const pruned = ["web Delete"];
  const left = ["web Delete leaves"];
  const included = (...names: readonly string[]): Files => ({
    "apps/kustomization.yaml": `resources: [${names.map((name) => `${name}.yaml`).join()}]\n`,
  });
  const flows: readonly (readonly [
    what: string,
    parent: string,
    child: string,
    after: Files,
    expected: readonly string[],
  ])[] = [
    ["of Flux", kustomization("apps", "prune: true"), kustomization("web", "prune: true"), included("db"), pruned],
    [
      "of a parent that does not prune",
      kustomization("apps", "prune: false"),
      kustomization("web", "prune: true"),
      included("db"),
      kept,
    ],
    [
      "that does not prune",
      kustomization("apps", "prune: true"),
      kustomization("web", "prune: false"),
      included("db"),
      left,
    ],
    ["of Argo CD", application("apps", AUTOMATED), application("web", AUTOMATED), included("db"), pruned],
    [
      "whose parent has another path",
      application("apps", AUTOMATED),
      application("web", AUTOMATED),
      { "root.yaml": application("apps", AUTOMATED, "db") },
      pruned,
    ],
    [
      "that another parent includes",
      application("apps", AUTOMATED),
      application("web", AUTOMATED),
      {
        ...included("db"),
        "more.yaml": application("more", AUTOMATED, "more"),
        "more/kustomization.yaml": "resources: [../apps/web.yaml]\n",
      },
      kept,
    ],
  ];
  for (const [what, parent, child, after, expected] of flows) {
    it(`are none of an application ${what}, if its file stays but nothing includes it`, () => {
      const db = child.replaceAll("web", "db");
      const files = {
        ...app("web"),
        ...app("db"),
        ...included("web", "db"),
        "root.yaml": parent,
        "apps/web.yaml": child,
        "apps/db.yaml": db,
      };
      return inRepository(files, async (repository) => {
        repository.commit("dropped", after);
        const { workloads } = await shown(repository, "start..dropped");
        assert.deepEqual(
          workloads.filter((name) => name.startsWith("web")),
          expected,
        );
      });
    });
  }

  it("are none of an Application that stays, but excludes all of its files", () => {
    const excluding = (glob: string): string =>
      application("web", AUTOMATED)
        .replace("path: web", `path: web, directory: {exclude: "${glob}"}`)
        .replace(/, finalizers: \[[^\]]*\]/u, "");
    return inRepository(
      { "web/all.yaml": deployment("web", "env"), "argo.yaml": excluding("none") },
      async (repository) => {
        repository.commit("excluded", { "argo.yaml": excluding("*") });
        const { level, applications, workloads } = await shown(repository, "start..excluded");
        assert.deepEqual(
          applications.filter((name) => name.startsWith("web")),
          ["web Changed"],
        );
        assert.deepEqual([level, workloads.filter((name) => !name.endsWith("orphan"))], ["danger", ["web Delete"]]);
      },
    );
  });
});

describe("what nothing deploys", () => {
  it("is an orphan: it is planned, and counts nowhere", () =>
    inRepository(
      {
        ...app("web"),
        ...app("old"),
        "argo.yaml": application("web", AUTOMATED),
        "plain/job.yaml": deployment("job", "env"),
      },
      async (repository) => {
        repository.commit("tags", {
          ...app("old", "2"),
          "plain/job.yaml": deployment("job", "env").replace("app:1", "app:2"),
        });
        const { level, status, applications, workloads, summary } = await shown(repository, "start..tags");
        assert.deepEqual(applications, [". Changed orphan", "old Changed orphan", "web NotAffected"]);
        assert.deepEqual(workloads, ["job Roll orphan", "old Roll orphan"]);
        assert.deepEqual([summary.workloads, summary.rolls, summary.held.workloads], [0, 0, 0]);
        assert.deepEqual([level, status], ["ok", 0]);
      },
    ));

  const SOURCE = flux("GitRepository", "source", "flux-system", "url: https://mirror.example/x.git");
  const OBJECTS: Readonly<Record<string, string>> = {
    "an Application": application("web", AUTOMATED).replace("git.example", "mirror.example"),
    "a Kustomization": [kustomization("web", "prune: true"), SOURCE].join("---\n"),
    "one of several sources": application("web", AUTOMATED)
      .replace("source: {", "sources: [{repoURL: https://git.example/x.git, path: plain}, {")
      .replace("path: web}", "path: web}]")
      .replace("git.example/x.git, path: web", "mirror.example/x.git, path: web"),
  };
  for (const [which, object] of Object.entries(OBJECTS))
    it(`needs a review if ${which} leads to it from an address that no remote has`, () =>
      inRepository(
        { ...app("web"), ...app("old"), "plain/env.yaml": configMap("env", "a"), "object.yaml": object },
        async (repository) => {
          repository.git("remote", "add", "origin", "https://git.example/x.git");
          repository.commit("old", app("old", "2"));
          repository.commit("web", app("web", "2"));
          const { level, findings, workloads } = await shown(repository, "start..old");
          assert.deepEqual([level, findings, workloads], ["ok", [], ["old Roll orphan"]]);
          const other = await shown(repository, "old..web");
          assert.deepEqual(
            [other.level, other.findings, other.workloads],
            ["attention", ["RS024"], ["web Roll orphan"]],
          );
          const ignored = object.replaceAll(
            "metadata: {",
            "metadata: {annotations: {ignore.rollstamp.dev/RS024: moved}, ",
          );
          repository.commit("ignored", { "object.yaml": ignored });
          repository.commit("again", app("web", "3"));
          assert.deepEqual((await shown(repository, "ignored..again")).findings, []);
          repository.git("remote", "add", "mirror", "https://mirror.example/x.git");
          assert.deepEqual((await shown(repository, "old..web")).workloads, ["web Roll"]);
        },
      ));

  const FOREIGN: Readonly<Record<string, string>> = {
    "an ApplicationSet": `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: apps}
spec:
  generators: [{clusters: {}}]
  template: {metadata: {name: a}, spec: {source: {repoURL: https://git.example/apps.git, path: "clusters/{{name}}"}}}
`,
    "a Kustomization": [kustomization("apps", "prune: true", "clusters/prod"), SOURCE].join("---\n"),
    "a Kustomization of an artifact": kustomization("apps", "prune: true", "").replace(
      "GitRepository",
      "OCIRepository",
    ),
    "an Application without a source, and one": [
      "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: tested}\nspec: {project: default}\n",
      application("other", AUTOMATED, "other").replace("/x.git", "/other.git"),
    ].join("---\n"),
  };
  for (const [which, object] of Object.entries(FOREIGN))
    it(`is no orphan if there is only ${which} of another repository: objects in that one may lead to it`, () =>
      inRepository({ ...app("web"), "apps.yaml": object }, async (repository) => {
        repository.git("remote", "add", "origin", "https://git.example/x.git");
        repository.commit("web", app("web", "2"));
        assert.deepEqual((await shown(repository, "start..web")).workloads, ["web Roll"]);
        repository.commit("led", { "argo.yaml": application("api", AUTOMATED), ...app("api"), ...app("web", "3") });
        // The first object that leads here does not stop what applied it before.
        assert.deepEqual((await shown(repository, "web..led")).workloads, ["web Roll", "api Create"]);
        repository.commit("later", app("web", "4"));
        assert.deepEqual((await shown(repository, "led..later")).workloads, ["web Roll orphan"]);
      }));

  it("needs a review if it is a chart that a HelmRelease names at an address that no remote has", () =>
    inRepository(
      { ...chart("web", "1"), "object.yaml": [release("web", ""), SOURCE].join("---\n") },
      async (repository) => {
        repository.git("remote", "add", "origin", "https://git.example/x.git");
        repository.commit("web", chart("web", "2", "1.0.1"));
        const { level, findings } = await shown(repository, "start..web");
        assert.deepEqual([level, findings], ["attention", ["RS024"]]);
      },
    ));

  it("is no orphan once an object leads to it, also of manifests around that object: it is added, and nothing is deleted", () =>
    inRepository(
      { "argo.yaml": application("web", AUTOMATED), ...app("web"), "api/all.yaml": deployment("api", "env") },
      async (repository) => {
        repository.commit("led", {
          "argo.yaml": [application("web", AUTOMATED), application("api", AUTOMATED)].join("---\n"),
        });
        const { level, workloads } = await shown(repository, "start..led");
        assert.deepEqual([level, workloads], ["ok", ["api Create"]]);
      },
    ));

  it("is no orphan if a chart that nothing here releases may lead to it, with other values", () =>
    inRepository(
      {
        ...chart("root", "1"),
        ...app("web"),
        ...app("old"),
        [`root/${RENDERED}`]: application("api", AUTOMATED),
        "root/templates/all.yaml": `{{ if .Values.web }}\n${application("web", AUTOMATED).replace(/path: (\w+)/u, '\n      path: "$1"\n    ')}{{ end }}\n`,
      },
      async (repository) => {
        repository.commit("tags", { ...app("web", "2"), ...app("old", "2") });
        const { workloads } = await shown(repository, "start..tags");
        assert.deepEqual(workloads, ["web Roll", "old Roll orphan"]);
      },
    ));

  it("is no orphan once an object leads to it: it is added", () =>
    inRepository({ ...app("web"), ...app("old"), "argo.yaml": application("web", AUTOMATED) }, async (repository) => {
      repository.commit("deployed", { ...app("old", "2"), "more.yaml": application("legacy", AUTOMATED, "old") });
      const { applications, workloads } = await shown(repository, "start..deployed");
      assert.deepEqual(applications, [". Changed", "legacy Changed Added", "web NotAffected"]);
      assert.deepEqual(workloads, ["old Create"]);
    }));

  it("is not what the values of a chart name, or a kustomization with such a chart", () =>
    inRepository(
      {
        ...app("web"),
        ...app("named"),
        ...app("old"),
        "argo.yaml": application("web", AUTOMATED),
        "boot/base/kustomization.yaml":
          "helmCharts: [{name: apps, version: 1.0.0, repo: https://charts.example, valuesFile: values.yaml}]\n",
        "boot/base/values.yaml": "applications: {named: {source: {path: ./named}}}\n",
        "boot/prod/kustomization.yaml": "resources: [../base]\n",
      },
      async (repository) => {
        repository.commit("tags", {
          ...app("named", "2"),
          ...app("old", "2"),
          "boot/base/values.yaml": "a: {path: named}\n",
        });
        const { applications, workloads, summary } = await shown(repository, "start..tags");
        assert.deepEqual(
          applications.filter((one) => one.endsWith("orphan")),
          ["old Changed orphan"],
        );
        assert.deepEqual(workloads, ["named Roll", "old Roll orphan"]);
        assert.equal(summary.rolls, 1);
      },
    ));

  it("may fail to render", () =>
    inRepository({ ...app("web"), ...app("old"), "argo.yaml": application("web", AUTOMATED) }, async (repository) => {
      repository.commit("broken", { "old/all.yaml": "a: b: c\n" });
      const { level, status, applications } = await shown(repository, "start..broken");
      assert.deepEqual(applications, [". NotAffected", "old Failed orphan", "web NotAffected"]);
      assert.deepEqual([level, status], ["ok", 0]);
    }));

  it("may be unreadable", () =>
    inRepository({ ...app("web"), "argo.yaml": application("web", AUTOMATED) }, async (repository) => {
      repository.commit("broken", {
        "old/kustomization.yaml": "resources: [\n",
        "other/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n",
      });
      const { status, applications } = await shown(repository, "start..broken");
      assert.deepEqual(applications, [". NotAffected", "old/kustomization.yaml Failed orphan", "web NotAffected"]);
      assert.equal(status, 0);
      repository.commit("unread", { "argo.yaml": `${application("web", AUTOMATED)}  {\n` });
      assert.equal((await shown(repository, "start..unread")).status, 1);
    }));

  it("is also a HelmRelease that only an orphan includes, unless there are only HelmReleases", () => {
    const included = (name: string): Files => ({
      ...chart(name, "1"),
      [`releases/${name}/kustomization.yaml`]: "resources: [release.yaml]\n",
      [`releases/${name}/release.yaml`]: release(name, "values: {a: b}"),
    });
    const alone = { ...included("web"), ...chart("spare", "1"), ...app("other") };
    return inRepository(alone, async (repository) => {
      repository.commit("version", { ...chart("web", "2", "2.0.0"), ...app("other", "2"), ...chart("spare", "2") });
      assert.deepEqual((await shown(repository, "start..version")).applications, [
        "other Changed",
        "releases/web NotAffected",
        "spare Changed orphan",
        "web Changed",
      ]);
      repository.commit("flux", { ...app("api"), "flux.yaml": kustomization("api", "prune: true") });
      repository.commit("again", chart("web", "3", "3.0.0"));
      assert.deepEqual((await shown(repository, "flux..again")).applications, [
        ". NotAffected",
        "api NotAffected",
        "other NotAffected orphan",
        "releases/web NotAffected orphan",
        "spare NotAffected orphan",
        "web Changed orphan",
      ]);
    });
  });

  it("is none in a repository without objects of Argo CD and Flux", () =>
    inRepository({ ...app("web"), "plain/job.yaml": configMap("a", "a") }, async (repository) => {
      repository.commit("tags", app("web", "2"));
      assert.deepEqual((await shown(repository, "start..tags")).workloads, ["web Roll"]);
    }));

  it("is not a folder of plain manifests with one that such an ApplicationSet may lead to", () =>
    inRepository(
      {
        "argo/set.yaml":
          "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: set}\nspec: {generators: [{clusters: {}}], template: {metadata: {name: a}, spec: {source: {repoURL: https://git.example/x.git, path: 'apps/{{name}}'}}}}\n",
        "apps/prod/deep/web.yaml": deployment("web", "env"),
      },
      async (repository) => {
        repository.commit("changed", { "apps/prod/deep/web.yaml": deployment("web", "other") });
        assert.deepEqual((await shown(repository, "start..changed")).applications, [". Changed"]);
      },
    ));

  it("is not what rollstamp.yaml lists, and not what an ApplicationSet that is not expanded may lead to", () =>
    inRepository(
      {
        ...app("web"),
        ...app("apps/api"),
        ...app("old"),
        ...app("db"),
        ...app("fleet/one"),
        "resources.yaml":
          "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: fleet}\nspec: {resources: [{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: a}, spec: {path: './fleet/<< inputs.name >>'}}]}\n",
        "argo.yaml": application("web", AUTOMATED),
        "set.yaml":
          "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: set}\nspec: {generators: [{clusters: {}}], template: {metadata: {name: a}, spec: {source: {repoURL: https://git.example/x.git, path: 'apps/{{name}}'}}}}\n",
        "rollstamp.yaml":
          "apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {applications: [{path: db}]}\n",
      },
      async (repository) => {
        repository.commit("tags", { ...app("apps/api", "2"), ...app("old", "2"), ...app("db", "2") });
        const { applications } = await shown(repository, "start..tags");
        assert.deepEqual(applications, [
          ". NotAffected",
          "apps/api Changed",
          "db Changed",
          "fleet/one NotAffected",
          "old Changed orphan",
          "web NotAffected",
        ]);
      },
    ));
});

describe("a chart of Argo CD that is not in the repository", () => {
  const CHART =
    "sources: [{repoURL: https://charts.example, chart: web, targetRevision: 1.0.0}, {repoURL: https://git.example/x.git, path: more, directory: {include: none.yaml}}]";
  const uses = (namespace: string, ids: readonly string[], include = "none.yaml", files: Files = {}): Promise<void> =>
    inRepository(
      {
        "argo/conf.yaml":
          "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: conf}\nspec: {source: {repoURL: https://git.example/x.git, path: conf}, destination: {name: in-cluster, namespace: shop}}\n",
        "argo/chart.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: chart}\nspec: {${CHART.replace("none.yaml", include)}, destination: {name: in-cluster, namespace: ${namespace}}}\n`,
        "conf/env.yaml": configMap("env", "a"),
        "more/web.yaml": deployment("web", "env"),
        "more/plain.yaml": configMap("plain", "a"),
        ...files,
      },
      async (repository) => {
        repository.commit("changed", { "conf/env.yaml": configMap("env", "b") });
        const { stdout } = await cli(["plan", "-o", "json", "--git", "start..changed"], repository);
        const { findings } = JSON.parse(stdout) as PlanJson;
        assert.deepEqual(
          findings.map(({ id }) => id),
          ids,
        );
      },
    );

  it("may use a changed source of its namespace, and none of others", async () => {
    await uses("shop", ["unrendered-application"]);
    await uses("other", []);
  });
  it("may use none of another namespace than its kustomization sets", async () => {
    for (const [namespace, ids] of [
      ["other", []],
      ["shop", ["unrendered-application"]],
    ] as const) {
      const near =
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: near}\nspec: {source: {repoURL: https://git.example/x.git, path: near}, destination: {name: in-cluster}}\n";
      const kustomized = `namespace: ${namespace}\nhelmCharts: [{name: web, version: 1.0.0, repo: https://charts.example}]\n`;
      await uses("other", ids, "none.yaml", { "argo/near.yaml": near, "near/kustomization.yaml": kustomized });
    }
  });
  it("may use it too if the rest of its application is rendered, unless that is known to use it", async () => {
    await uses("shop", ["unrendered-application"], "plain.yaml");
    await uses("other", [], "plain.yaml");
    await uses("shop", ["cross-application-change"], "web.yaml");
    await uses("shop", [], "plain.yaml", { "conf/web.yaml": deployment("web", "env") });
  });
});

describe("a Kustomization that takes variables from a ConfigMap", () => {
  const taking = (name: string): string =>
    kustomization("web", `prune: true, postBuild: {substituteFrom: [{kind: ConfigMap, name: ${name}}]}`);
  const settings = (name: string): Files => ({
    "infra/kustomization.yaml": "resources: [settings.yaml]\n",
    "infra/settings.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: flux-system}\ndata: {TAG: "1"}\n`,
  });
  it("needs a review if that is removed: Flux applies no more of it", () =>
    inRepository(
      {
        ...app("web", "${TAG}"),
        ...settings("old"),
        "flux.yaml": [taking("old"), kustomization("infra", "prune: true")].join("---\n"),
      },
      async (repository) => {
        repository.commit("renamed", settings("new"));
        const renamed = await shown(repository, "start..renamed");
        assert.deepEqual([renamed.level, renamed.findings, renamed.workloads], ["attention", ["RS024"], []]);
        const following = [taking("new"), kustomization("infra", "prune: true")].join("---\n");
        repository.commit("followed", { "flux.yaml": following });
        assert.deepEqual((await shown(repository, "start..followed")).findings, []);
        const from = (name: string): Files => ({
          "flux.yaml": following.replace("{kind: ConfigMap, name: new}", name),
        });
        repository.commit("missing", from("{kind: ConfigMap, name: nwe}"));
        const missing = await shown(repository, "followed..missing");
        assert.deepEqual([missing.level, missing.findings, missing.workloads], ["attention", ["RS024"], []]);
        repository.commit("more", from("{kind: ConfigMap, name: new}, {kind: Secret, name: terraform}"));
        assert.deepEqual((await shown(repository, "followed..more")).findings, [], "one that others make is added");
        repository.commit("optional", from("{kind: ConfigMap, name: nwe, optional: true}"));
        assert.deepEqual((await shown(repository, "followed..optional")).findings, []);
      },
    ));
});

describe("a HelmRelease whose chart is not in the repository", () => {
  const chartOf = (version: string): string =>
    [
      flux(
        "HelmRelease",
        "helm",
        "redis",
        `chart: {spec: {chart: redis, version: ${version}, sourceRef: {kind: HelmRepository, name: redis}}}`,
      ),
      flux("HelmRepository", "source", "redis", "url: https://charts.example"),
    ].join("---\n");
  it("does not hide a lost source of another application, unless the change touches it", () =>
    inRepository(
      {
        ...app("web"),
        "web/kustomization.yaml": "resources: [all.yaml, env.yaml]\n",
        "web/env.yaml": configMap("env", "a"),
        "clusters/home/flux-system/sync.yaml": kustomization("flux-system", "prune: true", "clusters/home"),
        "clusters/home/web.yaml": kustomization("web", "prune: true"),
        "clusters/home/redis.yaml": chartOf("1.0.0"),
      },
      async (repository) => {
        repository.commit("lost", { "web/env.yaml": configMap("other", "a") });
        repository.commit("back", { "web/env.yaml": configMap("env", "a") });
        repository.commit("both", {
          "web/env.yaml": configMap("other", "a"),
          "clusters/home/redis.yaml": chartOf("2.0.0"),
        });
        assert.equal((await shown(repository, "start..lost")).summary.lost, 1);
        const { summary, findings } = await shown(repository, "back..both");
        assert.deepEqual([summary.lost, findings.includes("RS024")], [0, true]);
      },
    ));
});

describe("a file of an engine's object that cannot be read", () => {
  const BROKEN = `${application("web", AUTOMATED)}  broken: [\n`;
  it("deletes nothing", () =>
    inRepository({ ...app("web"), "argo.yaml": application("web", AUTOMATED) }, async (repository) => {
      repository.commit("broken", { "argo.yaml": BROKEN });
      const { applications, workloads, status } = await shown(repository, "start..broken");
      assert.deepEqual(applications, [". Changed Removed", "web Changed Added orphan", "web@web Failed"]);
      assert.deepEqual([workloads, status], [["web Create orphan"], 1]);
    }));
});

describe("an application that moves from one object to another", () => {
  it("is neither deleted nor created", () =>
    inRepository({ ...app("web"), "argo.yaml": application("web", AUTOMATED) }, async (repository) => {
      repository.git("rm", "-q", "argo.yaml");
      repository.commit("moved", { "other.yaml": application("shop", AUTOMATED, "web"), ...app("web", "2") });
      const { applications, workloads } = await shown(repository, "start..moved");
      assert.deepEqual(applications, [". Changed", "shop Changed"]);
      assert.deepEqual(workloads, ["web Roll"]);
    }));

  const set = (name: string, more = ""): string =>
    `apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: set}\nspec: {generators: [{list: {elements: [{name: ${name}}]}}], template: {metadata: {name: "{{name}}"}, spec: {source: {repoURL: https://git.example/x.git, path: web}, ${AUTOMATED}}}${more}}\n`;
  const FINALIZERS = ", finalizers: [resources-finalizer.argocd.argoproj.io]";
  const RENAMED: readonly (readonly [string, (name: string) => string, readonly string[]])[] = [
    ["an Application", (name) => application(name, AUTOMATED, "web"), ["renamed-application"]],
    ["one without finalizer", (name) => application(name, AUTOMATED, "web").replace(FINALIZERS, ""), []],
    ["one of an ApplicationSet", set, ["renamed-application"]],
    [
      "one of an ApplicationSet that keeps objects",
      (name) => set(name, ", syncPolicy: {preserveResourcesOnDeletion: true}"),
      [],
    ],
    ["a Kustomization", (name) => kustomization(name, "prune: true", "web"), ["renamed-application"]],
    ["a Kustomization that prunes nothing", (name) => kustomization(name, "prune: false", "web"), []],
    [
      "a Kustomization that moves to another namespace",
      (name) => kustomization("web", "prune: true", "web").replace("flux-system}", `${name}}`),
      ["renamed-application"],
    ],
    [
      "an Application that moves to another namespace",
      (name) => application("web", AUTOMATED, "web").replace("{name: web,", `{name: web, namespace: ${name},`),
      ["renamed-application"],
    ],
    ["a suspended Kustomization", (name) => kustomization(name, "prune: true, suspend: true", "web"), []],
  ];
  for (const [which, objectOf, expected] of RENAMED)
    it(`${which}: ${expected.length > 0 ? "the old object is deleted with its objects" : "the objects stay"}`, () =>
      inRepository({ ...app("web"), "object.yaml": objectOf("web") }, async (repository) => {
        repository.commit("renamed", { "object.yaml": objectOf("shop") });
        const { findings, level, workloads } = await shown(repository, "start..renamed");
        assert.deepEqual([findings, level, workloads], [expected, expected.length > 0 ? "attention" : "ok", []]);
      }));

  const sets = (...elements: readonly (readonly [set: string, name: string])[]): string =>
    elements.map(([of, name]) => set(name).replace("{name: set}", `{name: ${of}}`)).join("---\n");
  const BY_SETS: readonly (readonly [string, base: string, head: string, readonly string[]])[] = [
    [
      "an ApplicationSet with another name",
      set("web"),
      set("web").replace("{name: set}", "{name: all}"),
      ["renamed-application"],
    ],
    [
      "another ApplicationSet",
      sets(["a", "web"], ["b", "shop"]),
      sets(["a", "shop"], ["b", "web"]),
      ["renamed-application", "renamed-application"],
    ],
    ["an Application", set("web"), application("web", AUTOMATED), ["renamed-application"]],
    ["an ApplicationSet instead of an Application", application("web", AUTOMATED), set("web"), ["renamed-application"]],
    [
      "an ApplicationSet instead of one without finalizer",
      application("web", AUTOMATED).replace(FINALIZERS, ""),
      set("web"),
      [],
    ],
    ["the same ApplicationSet", set("web"), set("web").replace("{name: set}", "{name: set, labels: {a: b}}"), []],
  ];
  for (const [which, base, head, expected] of BY_SETS)
    it(`that ${which} generates: ${expected.length > 0 ? "it is deleted with its objects" : "the objects stay"}`, () =>
      inRepository({ ...app("web"), "object.yaml": base }, async (repository) => {
        repository.commit("changed", { "object.yaml": head });
        const { findings, level } = await shown(repository, "start..changed");
        assert.deepEqual([findings, level], [expected, expected.length > 0 ? "attention" : "ok"]);
      }));

  const BY_TWO: Files = {
    ...app("web"),
    "two.yaml": [kustomization("infra", "prune: true"), kustomization("apps", "prune: true")].join("---\n"),
    "infra/kustomization.yaml": "resources: [web.yaml, env.yaml]\n",
    "infra/web.yaml": kustomization("web", "prune: true"),
    "infra/env.yaml": configMap("infra", "a"),
    "apps/kustomization.yaml": "resources: [env.yaml]\n",
    "apps/env.yaml": configMap("apps", "a"),
  };
  const LEFT: readonly (readonly [string, Files, boolean])[] = [
    ["a Kustomization that another one applies now", {}, true],
    [
      "one that nothing prunes",
      { "two.yaml": BY_TWO["two.yaml"]?.replaceAll("prune: true", "prune: false") ?? "" },
      false,
    ],
    [
      "one that leaves its objects",
      { "infra/web.yaml": kustomization("web", "prune: true, deletionPolicy: Orphan") },
      false,
    ],
  ];
  for (const [which, files, isDeleted] of LEFT)
    it(`${which}: ${isDeleted ? "it may be deleted with its objects" : "the objects stay"}`, () =>
      inRepository({ ...BY_TWO, ...files }, async (repository) => {
        repository.git("mv", "infra/web.yaml", "apps/web.yaml");
        repository.commit("moved", {
          "infra/kustomization.yaml": "resources: [env.yaml]\n",
          "apps/kustomization.yaml": "resources: [web.yaml, env.yaml]\n",
        });
        const { findings, level, workloads } = await shown(repository, "start..moved");
        assert.deepEqual(
          [findings, level, workloads],
          [isDeleted ? ["renamed-application"] : [], isDeleted ? "attention" : "ok", []],
        );
      }));

  const cluster = (name: string, spec: string): Files => ({
    [`${name}/infra.yaml`]: application("infra", AUTOMATED, `${name}/apps`),
    [`${name}/apps/kustomization.yaml`]: "resources: [web.yaml]\n",
    [`${name}/apps/web.yaml`]: application("web", `${AUTOMATED}${spec}`),
  });
  for (const [which, ...specs] of [
    ["of clusters with equal ones", "", ""],
    ["of clusters with different ones", "", ", destination: {namespace: b}"],
  ] as const)
    it(`is the same if the folder of what applies it has another name, ${which}`, () => {
      const [first, second] = specs;
      return inRepository({ ...app("web"), ...cluster("a", first), ...cluster("b", second) }, async (repository) => {
        repository.git("rm", "-q", "-r", "a");
        repository.commit("moved", cluster("c", first));
        const { findings, level, workloads } = await shown(repository, "start..moved");
        assert.deepEqual([findings, level, workloads], [[], "ok", []]);
      });
    });

  it("is the same if a kustomization that no object here leads to applies it now", () => {
    const kept = (name: string): string => kustomization(name, "prune: true, deletionPolicy: Orphan", "web");
    const from: Files = {
      ...app("web"),
      "root/kustomization.yaml": "resources: [infra.yaml]\n",
      "root/infra.yaml": kustomization("infra", "prune: true"),
      "infra/kustomization.yaml": "resources: [web.yaml, other.yaml]\n",
      "infra/web.yaml": kept("web-config"),
      "infra/other.yaml": configMap("other", "a"),
    };
    return inRepository(from, async (repository) => {
      repository.git("rm", "-q", "infra/web.yaml");
      repository.commit("moved", {
        "root/kustomization.yaml": "resources: [infra.yaml, web.yaml]\n",
        "root/web.yaml": kept("config-web"),
        "infra/kustomization.yaml": "resources: [other.yaml]\n",
      });
      const { findings, level, workloads } = await shown(repository, "start..moved");
      assert.deepEqual([findings, level, workloads], [[], "ok", []]);
    });
  });
});

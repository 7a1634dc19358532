import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanReport } from "../../../src/reports/plan/plan-report.ts";
import { severityOf } from "../../../src/findings/catalogue/finding.ts";
import { parseSelector } from "../../../src/base/selector.ts";
import { actions, becauseOf, findingIds, planned, type PlanSetup, reasons, workload } from "./planned.ts";

const CONFIG = `apiVersion: v1
kind: ConfigMap
metadata: {name: env}
data: {LOG_LEVEL: info, MODE: fast}
`;
const SECRET = `apiVersion: v1
kind: Secret
metadata: {name: db}
stringData: {password: hunter2}
`;

interface Made {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly spec?: string;
  readonly container?: string;
  readonly metadata?: string;
}

/** A workload of one container that takes its environment from ConfigMap env. */
function made({
  apiVersion = "apps/v1",
  kind = "Deployment",
  name = "web",
  spec = "",
  container = "",
  metadata = "",
}: Made = {}): string {
  const more = (text: string): string => (text === "" ? "" : `, ${text}`);
  return `apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: ${name}${more(metadata)}}
spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [
  {name: app, image: "web:1", envFrom: [{configMapRef: {name: env}}]${more(container)}}]}}${more(spec)}}
`;
}

const stream = (...documents: readonly string[]): string => documents.join("---\n");
const CHANGED = CONFIG.replace("info", "debug");

/** The plan of one object whose ConfigMap changes. */
const rolling = (object: string, setup?: PlanSetup): ReturnType<typeof planned> =>
  planned(stream(CONFIG, object), stream(CHANGED, object), setup);

describe("a plan", () => {
  it("of two equal renderings is empty, and counts the workloads", () => {
    const report = planned(stream(CONFIG, made()), stream(CONFIG, made()));
    assert.deepEqual(report.workloads, []);
    assert.deepEqual([report.summary.workloads, report.summary.rolls, report.summary.pods], [1, 0, 0]);
  });

  it("lists what doesn't change with all", () => {
    assert.deepEqual(actions(planned(stream(CONFIG, made()), stream(CONFIG, made()), { all: true })), ["None web"]);
  });

  it("has the shape that the contract specifies", () => {
    const report = planned(
      stream(CONFIG, made({ spec: "replicas: 4" })),
      stream(CHANGED, made({ spec: "replicas: 4" }).replace("web:1", "web:2")),
    );
    assert.deepEqual(JSON.parse(JSON.stringify(report.workloads)), [
      {
        apiVersion: "apps/v1",
        kind: "Deployment",
        namespace: "default",
        name: "web",
        action: "Roll",
        safety: "Reduced",
        caveats: [],
        pods: 4,
        reasons: [
          {
            type: "Source",
            source: { kind: "ConfigMap", namespace: "default", name: "env" },
            keys: { added: [], removed: [], changed: ["LOG_LEVEL"] },
          },
          { type: "Template", path: "spec.containers[name=app].image", from: "web:1", to: "web:2" },
        ],
        strategy: { type: "RollingUpdate", replicas: 4, maxSurge: 1, maxUnavailable: 1, minAvailable: 3, maxTotal: 5 },
        findings: [],
        traffic: { services: [], isServing: false },
      },
    ]);
  });

  it("is the same whether or not the stamps are committed", () => {
    const stamp = (value: string): string =>
      made().replace(
        "labels: {app: web}}",
        `labels: {app: web}, annotations: {configmap.rollstamp.dev/env: ${value}}}`,
      );
    const expected = reasons(rolling(made()), "web");
    for (const [base, head] of [
      [stamp("h1-old"), stamp("h1-old")],
      [made(), stamp("h1-new")],
      [stamp("h1-old"), made()],
    ] as const) {
      assert.deepEqual(reasons(planned(stream(CONFIG, base), stream(CHANGED, head)), "web"), expected);
      assert.deepEqual(actions(planned(stream(CONFIG, base), stream(CONFIG, head))), []);
    }
  });

  it("sees a restart in either annotation", () => {
    const restarted = (key: string, at: string): string =>
      made().replace("labels: {app: web}}", `labels: {app: web}, annotations: {${key}: "${at}"}}`);
    for (const key of ["rollstamp.dev/restartedAt", "kubectl.kubernetes.io/restartedAt"]) {
      const report = planned(stream(CONFIG, made()), stream(CONFIG, restarted(key, "2026-11-21T00:00:00Z")));
      assert.deepEqual(workload(report, "web").reasons, [
        { type: "Restart", from: null, to: "2026-11-21T00:00:00Z", field: key },
      ]);
    }
  });

  it("fills in the namespace, and distinguishes one name in two namespaces", () => {
    const text = (namespace: string, object: string): string =>
      object.replace("metadata: {", `metadata: {namespace: ${namespace}, `);
    const side = (config: string): string => stream(CONFIG, made(), text("prod", config), text("prod", made()));
    const report = planned(side(CONFIG), side(CHANGED));
    assert.deepEqual(
      report.workloads.map(({ namespace, name }) => `${namespace}/${name}`),
      ["prod/web"],
    );
  });

  it("treats a changed API group of a Deployment as an update", () => {
    const old = made({ apiVersion: "extensions/v1beta1" });
    assert.deepEqual(actions(planned(stream(CONFIG, old), stream(CONFIG, made()))), []);
  });

  it("counts a suspended nothing: replicas 0 and a partition at or above replicas roll with 0 pods", () => {
    for (const object of [
      made({ spec: "replicas: 0" }),
      made({ kind: "StatefulSet", spec: "replicas: 2, updateStrategy: {rollingUpdate: {partition: 2}}" }),
    ]) {
      const report = rolling(object);
      assert.deepEqual([workload(report, "web").action, report.summary.pods], ["Roll", 0]);
    }
  });

  it("counts an autoscaler's minReplicas whatever replicas says, also with the old API group of its target", () => {
    for (const apiVersion of ["apps/v1", "extensions/v1beta1"]) {
      const hpa = `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: web}\nspec: {minReplicas: 6, maxReplicas: 9, scaleTargetRef: {apiVersion: ${apiVersion}, kind: Deployment, name: web}}\n`;
      const report = rolling(stream(made({ spec: "replicas: 1" }), hpa));
      assert.deepEqual([report.summary.pods, workload(report, "web").strategy?.minAvailable], [6, 5]);
    }
  });

  it("doesn't count the pods of a DaemonSet", () => {
    const report = rolling(made({ kind: "DaemonSet" }));
    assert.deepEqual(
      [workload(report, "web").action, workload(report, "web").strategy?.replicas, report.summary.pods],
      ["Roll", null, 0],
    );
  });
});

describe("the action", () => {
  const JOB = (image: string): string =>
    `apiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: app, image: "${image}"}]}}}\n`;
  const CRON = `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly}\nspec: {schedule: "0 0 * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: app, image: a, envFrom: [{configMapRef: {name: env}}]}]}}}}}\n`;

  it("is NextRun for a CronJob", () => assert.deepEqual(actions(rolling(CRON)), ["NextRun nightly"]));
  it("is Fail for a Job whose template changes", () =>
    assert.deepEqual(actions(planned(JOB("a:1"), JOB("a:2"))), ["Fail once"]));
  it("is NextRun for a Job that its tool deletes and runs again", () => {
    for (const annotation of [
      "helm.sh/hook: pre-upgrade",
      "argocd.argoproj.io/hook: Sync",
      'argocd.argoproj.io/sync-options: "Force=true,Replace=true"',
      "kustomize.toolkit.fluxcd.io/force: enabled",
    ]) {
      const hook = (image: string): string =>
        JOB(image).replace("{name: once}", `{name: once, annotations: {${annotation}}}`);
      assert.deepEqual(actions(planned(hook("a:1"), hook("a:2"))), ["NextRun once"], annotation);
    }
  });
  it("removes pods with a deleted owner, and a bare Pod too", () => {
    const deleted = (kind: string, apiVersion: string, spec: string): string => {
      const report = planned(`{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: web}, spec: {${spec}}}`, "");
      return `${workload(report, "web").safety} ${report.verdict?.level}`;
    };
    const POD = "containers: [{name: app, image: a}]";
    const template = `template: {spec: {${POD}}}`;
    assert.equal(deleted("Pod", "v1", POD), "Reduced attention");
    assert.equal(deleted("Deployment", "apps/v1", template), "Reduced danger", "the last of its namespace");
    assert.equal(deleted("DaemonSet", "apps/v1", template), "Reduced danger");
    assert.equal(deleted("Deployment", "apps/v1", `replicas: 0, ${template}`), "Safe danger");
    assert.equal(deleted("CronJob", "batch/v1", `jobTemplate: {spec: {${template}}}`), "Safe attention");
  });
  it("is Create or Delete for what is on one side only", () => {
    const other = made({ name: "other" }).replace("web:1", "other:1");
    assert.deepEqual(actions(planned(stream(CONFIG, made()), stream(CONFIG, other))), ["Delete web", "Create other"]);
    assert.deepEqual(actions(planned("", stream(CONFIG, made()))), ["Create web"]);
    assert.deepEqual(actions(planned(stream(CONFIG, made()), "")), ["Delete web"]);
  });
  it("reports what seems to be renamed", () => {
    const renamed = made({ name: "prod-web" });
    const report = planned(stream(CONFIG, made()), stream(CONFIG, renamed));
    assert.deepEqual(
      [workload(report, "prod-web").renamedFrom, workload(report, "web").renamedTo],
      ["web", "prod-web"],
    );
    const two = planned(
      stream(CONFIG, made(), made({ name: "api" })),
      stream(CONFIG, made({ name: "p-web" }), made({ name: "p-api" })),
    );
    assert.deepEqual([workload(two, "p-web").renamedFrom, workload(two, "p-api").renamedFrom], ["web", "api"]);
  });
  it("is NoEffect for what is paused or waits for deletions, with RS005", () => {
    for (const object of [
      made({ spec: "paused: true" }),
      made({ kind: "StatefulSet", spec: "updateStrategy: {type: OnDelete}" }),
      made({ kind: "DaemonSet", spec: "updateStrategy: {type: OnDelete}" }),
      made({ kind: "StatefulSet", apiVersion: "apps/v1beta1" }),
    ]) {
      const report = rolling(object);
      assert.deepEqual(actions(report), ["NoEffect web"]);
      assert.ok(findingIds(report, "web").includes("RS005"));
      assert.equal(report.summary.pods, 0);
    }
  });
  it("is NoEffect for a ReplicaSet and for a bare Pod, whose spec is otherwise immutable", () => {
    const set = made({ kind: "ReplicaSet" });
    assert.deepEqual(actions(planned(set, set.replace("web:1", "web:2"))), ["NoEffect web"]);
    const pod = (image: string, more = ""): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: {name: bare, annotations: {a: b}}\nspec: {containers: [{name: app, image: "${image}"${more}}]}\n`;
    assert.deepEqual(actions(planned(pod("a:1"), pod("a:2"))), ["NoEffect bare"]);
    assert.deepEqual(actions(planned(pod("a:1"), pod("a:1").replace("a: b", "a: c"))), ["NoEffect bare"]);
    assert.deepEqual(actions(planned(pod("a:1"), pod("a:1", ", tty: true"))), ["Fail bare"]);
  });

  const REFUSED: readonly (readonly [string, string, string])[] = [
    ["spec.selector.matchLabels.app", made(), made().replace("matchLabels: {app: web}", "matchLabels: {app: other}")],
    ["spec.serviceName", made({ kind: "StatefulSet" }), made({ kind: "StatefulSet", spec: "serviceName: web" })],
    [
      "spec.podManagementPolicy",
      made({ kind: "StatefulSet" }),
      made({ kind: "StatefulSet", spec: "podManagementPolicy: Parallel" }),
    ],
    [
      "spec.volumeClaimTemplates[name=data].spec.resources.requests.storage",
      made({
        kind: "StatefulSet",
        spec: "volumeClaimTemplates: [{metadata: {name: data}, spec: {resources: {requests: {storage: 1Gi}}}}]",
      }),
      made({
        kind: "StatefulSet",
        spec: "volumeClaimTemplates: [{metadata: {name: data}, spec: {resources: {requests: {storage: 2Gi}}}}]",
      }),
    ],
    ["spec.completions", JOB("a"), JOB("a").replace("spec: {template", "spec: {completions: 2, template")],
  ];
  for (const [path, base, head] of REFUSED) {
    it(`is Fail for another ${path}`, () => {
      const report = planned(stream(CONFIG, base), stream(CONFIG, head));
      const [row] = report.workloads;
      assert.equal(row?.action, "Fail");
      const [reason] = row?.reasons ?? [];
      assert.deepEqual(
        [reason?.type, reason !== undefined && "path" in reason ? reason.path : ""],
        ["Immutable", path],
      );
      assert.match(row === undefined ? "" : becauseOf(row), /is immutable$/u);
    });
  }

  const TAKEN: readonly (readonly [string, string, string])[] = [
    [
      "a default that is written out",
      made({ kind: "StatefulSet" }),
      made({ kind: "StatefulSet", spec: "podManagementPolicy: OrderedReady, serviceName: ''" }),
    ],
    [
      "an empty matchExpressions",
      made(),
      made().replace("matchLabels: {app: web}", "matchLabels: {app: web}, matchExpressions: []"),
    ],
    ["the same size of a claim", REFUSED[3]?.[1] ?? "", (REFUSED[3]?.[1] ?? "").replace("1Gi", "1024Mi")],
    [
      "a claim's type",
      REFUSED[3]?.[1] ?? "",
      (REFUSED[3]?.[1] ?? "").replace(
        "{metadata: {name: data}",
        "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}",
      ),
    ],
    [
      "persistentVolumeClaimRetentionPolicy",
      made({ kind: "StatefulSet" }),
      made({ kind: "StatefulSet", spec: "persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}" }),
    ],
    [
      "a Job's parallelism",
      JOB("a"),
      JOB("a").replace("spec: {template", "spec: {completions: 1, parallelism: 2, template"),
    ],
    ["a CronJob's schedule", CRON, CRON.replace("0 0", "0 1")],
    [
      "strategy and labels of the workload",
      made(),
      made({ spec: "strategy: {type: Recreate}", metadata: "labels: {a: b}" }),
    ],
  ];
  for (const [name, base, head] of TAKEN) {
    it(`is None for ${name}`, () => assert.deepEqual(actions(planned(stream(CONFIG, base), stream(CONFIG, head))), []));
  }

  it("is Fail for a strategy that the API server refuses, also for a new or an unchanged object", () => {
    const wrong = made({ spec: "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}" });
    assert.deepEqual(actions(rolling(wrong)), ["Fail web"]);
    assert.deepEqual(actions(planned("", stream(CONFIG, wrong))), ["Fail web"]);
    const surging = made({ kind: "DaemonSet", spec: "updateStrategy: {rollingUpdate: {maxSurge: 1}}" });
    assert.deepEqual(actions(rolling(surging)), ["Fail web"]);
    assert.match(reasons(rolling(surging), "web")[0] ?? "", /maxSurge must be 0/u);
  });
});

describe("RS004", () => {
  it("warns of a Deployment of extensions/v1beta1 with one replica, beside RS011", () => {
    const old = made({ apiVersion: "extensions/v1beta1" });
    assert.deepEqual(findingIds(rolling(old), "web"), ["RS004"], "the base had RS011 too");
    const report = planned(stream(CONFIG, made()), stream(CHANGED, old));
    assert.deepEqual(findingIds(report, "web"), ["RS004", "RS011"]);
    assert.deepEqual(
      workload(report, "web").findings.map((finding) => severityOf(finding)),
      ["info", "warning"],
      "nothing sends traffic to it",
    );
    assert.equal(workload(report, "web").strategy?.minAvailable, 0);
  });
  it("warns of Recreate and of a StatefulSet with one pod", () => {
    assert.deepEqual(findingIds(rolling(made({ spec: "replicas: 3, strategy: {type: Recreate}" })), "web"), ["RS004"]);
    assert.deepEqual(findingIds(rolling(made({ kind: "StatefulSet" })), "web"), ["RS004"]);
  });
  it("is ignored where the object says why", () => {
    const ignored = made({
      kind: "StatefulSet",
      metadata: "annotations: {ignore.rollstamp.dev/RS004: it is a batch worker}",
    });
    assert.deepEqual(findingIds(rolling(ignored), "web"), []);
  });
  it("says nothing of a workload that only fails or waits", () => {
    assert.deepEqual(findingIds(rolling(made({ spec: "paused: true, strategy: {type: Recreate}" })), "web"), ["RS005"]);
  });
});

describe("a Rollout that its controller rejects", () => {
  const rollout = (strategy: string): string =>
    made({ apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", spec: `strategy: {canary: {${strategy}}}` });
  const rejected = rollout("maxSurge: 0, maxUnavailable: 0");
  it("is a row if the change creates it or touches it", () => {
    assert.deepEqual(actions(planned("", rejected)), ["Fail web"]);
    assert.deepEqual(actions(planned(rollout("maxSurge: 1"), rejected)), ["Fail web"]);
    assert.deepEqual(actions(planned(rejected, rejected.replace("maxSurge: 0", "maxSurge: '0%'"))), ["Fail web"]);
    assert.deepEqual(actions(rolling(rejected)), ["Fail web"]);
  });
  it("is none if it was rejected before and nothing of it changes", () => {
    assert.deepEqual(actions(planned(stream(CONFIG, rejected), stream(CONFIG, rejected, SECRET))), []);
  });
});

describe("an immutable source", () => {
  const frozen = (text: string): string => `${text}immutable: true\n`;
  it("with changed content fails the workloads that use it, with RS006", () => {
    const report = planned(stream(frozen(CONFIG), made()), stream(frozen(CHANGED), made()));
    assert.deepEqual(actions(report), ["Fail web"]);
    assert.deepEqual(
      workload(report, "web").findings.map((finding) => `${finding.id} ${severityOf(finding)}`),
      ["RS006 error"],
    );
    assert.match(becauseOf(workload(report, "web")), /^the apply of ConfigMap env is refused$/u);
    assert.deepEqual(reasons(report, "web"), ["ConfigMap env: LOG_LEVEL changed"]);
  });
  it("that no workload uses is reported separately", () => {
    const other = made().replace("envFrom: [{configMapRef: {name: env}}]", "tty: true");
    const report = planned(stream(frozen(CONFIG), other), stream(frozen(CHANGED), other));
    assert.deepEqual(actions(report), []);
    assert.deepEqual(
      report.findings.map(({ id }) => id),
      ["RS006"],
    );
  });
  it("may become immutable, and may not become mutable again", () => {
    assert.deepEqual(actions(planned(stream(CONFIG, made()), stream(frozen(CONFIG), made()))), []);
    assert.deepEqual(actions(planned(stream(frozen(CONFIG), made()), stream(CONFIG, made()))), ["Fail web"]);
  });
  it("counts for a workload that isn't stamped too", () => {
    const out = made({ metadata: 'annotations: {rollstamp.dev/stamp: "false"}' });
    assert.deepEqual(actions(planned(stream(frozen(CONFIG), out), stream(frozen(CHANGED), out))), ["Fail web"]);
  });
  it("is also a Secret whose type changes", () => {
    const user = made().replace("configMapRef: {name: env}", "secretRef: {name: db}");
    const report = planned(stream(SECRET, user), stream(`${SECRET}type: example.com/db\n`, user));
    assert.deepEqual(actions(report), ["Fail web"]);
    assert.deepEqual(findingIds(report, "web"), ["RS006"]);
    assert.deepEqual(actions(planned(stream(SECRET, user), stream(`${SECRET}type: Opaque\n`, user))), []);
  });
});

describe("a source", () => {
  it("rolls only the workloads that see the changed key", () => {
    const sees = (name: string, key: string): string =>
      made({ name }).replace(
        /envFrom: \[.*?\]/u,
        `env: [{name: A, valueFrom: {configMapKeyRef: {name: env, key: ${key}}}}]`,
      );
    const side = (config: string): string =>
      stream(config, sees("a", "LOG_LEVEL"), sees("b", "MODE"), made({ name: "c" }));
    assert.deepEqual(actions(planned(side(CONFIG), side(CHANGED))), ["Roll a", "Roll c"]);
    assert.deepEqual(actions(planned(side(CONFIG), side(CHANGED), { spec: { granularity: "Object" } })), [
      "Roll a",
      "Roll b",
      "Roll c",
    ]);
  });
  it("without a change of its content rolls out nothing: labels, order, quotes, comments", () => {
    const head =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env, labels: {a: b}}\n# here\ndata: {"MODE": "fast", LOG_LEVEL: "info"}\n';
    assert.deepEqual(actions(planned(stream(CONFIG, made()), stream(head, made()))), []);
  });
  it("shows added and removed keys", () => {
    const head = CONFIG.replace("MODE: fast", "NEW: x");
    assert.deepEqual(reasons(planned(stream(CONFIG, made()), stream(head, made())), "web"), [
      "ConfigMap env: NEW added; MODE removed",
    ]);
  });
  it("is shown with layout: Combined too, one reason for each that differs", () => {
    const object = made({ container: "env: [{name: P, valueFrom: {secretKeyRef: {name: db, key: password}}}]" });
    const setup = { spec: { layout: "Combined" } } as const;
    const base = stream(CONFIG, SECRET, object);
    assert.deepEqual(
      reasons(planned(base, stream(CONFIG, SECRET.replace("hunter2", "hunter3"), object), setup), "web"),
      ["Secret db: password changed"],
    );
    assert.deepEqual(
      reasons(planned(base, stream(CHANGED, SECRET.replace("hunter2", "hunter3"), object), setup), "web"),
      ["ConfigMap env: LOG_LEVEL changed", "Secret db: password changed"],
    );
  });
  it("doesn't roll out what opted out, what isn't selected, and what `secrets: Ignore` excludes", () => {
    assert.deepEqual(actions(rolling(made({ metadata: 'annotations: {rollstamp.dev/stamp: "false"}' }))), []);
    assert.deepEqual(actions(rolling(made(), { spec: { selection: "Annotated" } })), []);
    const user = made().replace("configMapRef: {name: env}", "secretRef: {name: db}");
    assert.deepEqual(
      actions(
        planned(stream(SECRET, user), stream(SECRET.replace("hunter2", "hunter3"), user), {
          spec: { secrets: "Ignore" },
        }),
      ),
      [],
    );
  });
  it("of a workload that the selector excludes counts by its committed stamps, right or wrong", () => {
    const stamped = (value: string): string =>
      made().replace(
        "labels: {app: web}}",
        `labels: {app: web}, annotations: {configmap.rollstamp.dev/env: ${value}}}`,
      );
    const setup = { spec: { selector: parseSelector("app=other") } } as const;
    assert.deepEqual(actions(planned(stream(CONFIG, stamped("h1-a")), stream(CHANGED, stamped("h1-a")), setup)), []);
    assert.deepEqual(
      reasons(planned(stream(CONFIG, stamped("h1-a")), stream(CHANGED, stamped("h1-b")), setup), "web"),
      ['stamp metadata.annotations["configmap.rollstamp.dev/env"] changed'],
    );
  });
  it("rolls with a keyed digest too", () => {
    const user = made().replace("configMapRef: {name: env}", "secretRef: {name: db}");
    const setup = { spec: { secrets: "Keyed" }, hmacKey: "key" } as const;
    assert.deepEqual(
      actions(planned(stream(SECRET, user), stream(SECRET.replace("hunter2", "hunter3"), user), setup)),
      ["Roll web"],
    );
  });
  it("with a hash in its name is one reason, with the previous name", () => {
    const named = (text: string, hash: string): string => text.replaceAll("name: env", `name: env-${hash}`);
    const report = planned(
      stream(named(CONFIG, "g4hk9g2ff8"), named(made(), "g4hk9g2ff8")),
      stream(named(CHANGED, "t5fg7cb9mk"), named(made(), "t5fg7cb9mk")),
    );
    assert.deepEqual(reasons(report, "web"), ["ConfigMap env-t5fg7cb9mk (formerly env-g4hk9g2ff8): LOG_LEVEL changed"]);
  });
  it("that is replaced by another is shown as one removed and one added", () => {
    const other = CONFIG.replace("name: env", "name: other");
    const report = planned(
      stream(CONFIG, other, made()),
      stream(CONFIG, other, made().replace("configMapRef: {name: env}", "configMapRef: {name: other}")),
    );
    assert.deepEqual(reasons(report, "web"), [
      "ConfigMap env: LOG_LEVEL, MODE removed",
      "ConfigMap other: LOG_LEVEL, MODE added",
      "spec.containers[name=app].envFrom[0].configMapRef.name: env → other",
    ]);
  });
  it("that is missing on both sides keeps its stamp, and rolls out nothing", () => {
    const report = planned(made(), made(), { all: true });
    assert.deepEqual(actions(report), ["None web"]);
    assert.deepEqual(findingIds(report, "web"), ["RS001"]);
  });
  it("of a declaration is shown with the object that produces it", () => {
    const sealed = (value: string): string =>
      `apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: db}\nspec: {encryptedData: {password: ${value}}}\n`;
    const user = made().replace("configMapRef: {name: env}", "secretRef: {name: db}");
    const report = planned(stream(sealed("AgA"), user), stream(sealed("AgB"), user));
    assert.deepEqual(reasons(report, "web"), ["Secret db from SealedSecret db: password changed"]);
    const external = (key: string): string =>
      `apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db}\nspec: {dataFrom: [{extract: {key: ${key}}}]}\n`;
    assert.deepEqual(reasons(planned(stream(external("a"), user), stream(external("b"), user)), "web"), [
      "Secret db from ExternalSecret db changed",
    ]);
  });
});

describe("custom kinds", () => {
  const rollout = (more: string, image = "web:1"): string =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: web}\nspec: {replicas: 4, ${more}, template: {spec: {containers: [{name: app, image: "${image}"}]}}}\n`;
  it("an Argo Rollout rolls by its own strategy", () => {
    const report = planned(rollout("strategy: {blueGreen: {}}"), rollout("strategy: {blueGreen: {}}", "web:2"));
    assert.deepEqual(
      [workload(report, "web").strategy?.type, workload(report, "web").strategy?.maxTotal],
      ["BlueGreen", 8],
    );
  });
  it("an Argo Rollout restarts by its own field", () => {
    const report = planned(
      rollout("strategy: {canary: {}}"),
      rollout("strategy: {canary: {}}, restartAt: '2026-11-21T00:00:00Z'"),
    );
    assert.deepEqual(reasons(report, "web"), ["restart: spec.restartAt: 2026-11-21T00:00:00Z added"]);
    assert.match(becauseOf(workload(report, "web")), /evicts/u);
    assert.deepEqual(actions(report), ["Roll web"]);
  });
  it("an Argo Rollout that is added or removed is not restarted by that field", () => {
    const least = "strategy: {canary: {maxSurge: 1, maxUnavailable: 0}}";
    for (const report of [
      planned("", rollout(least)),
      planned(rollout(least), ""),
      planned(rollout(least), rollout(least), { all: true }),
    ]) {
      const { minAvailable, maxTotal } = workload(report, "web").strategy ?? {};
      assert.deepEqual([minAvailable, maxTotal], [4, 5]);
    }
  });
  it("an Argo Rollout with workloadRef rolls with the Deployment whose template it runs", () => {
    const reference =
      "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: canary}\nspec: {replicas: 3, workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: {canary: {}}}\n";
    const report = rolling(stream(made({ spec: "replicas: 0" }), reference));
    assert.deepEqual(actions(report), ["Roll canary", "Roll web"]);
    assert.equal(report.summary.pods, 3);
  });
  it("one that updates in place rolls out a new image, but an annotation has no effect", () => {
    const set = (image: string): string =>
      `apiVersion: apps.kruise.io/v1alpha1\nkind: CloneSet\nmetadata: {name: web}\nspec: {replicas: 2, updateStrategy: {type: InPlaceIfPossible}, template: {spec: {containers: [{name: app, image: "${image}", envFrom: [{configMapRef: {name: env}}]}]}}}\n`;
    assert.deepEqual(actions(rolling(set("a:1"))), ["NoEffect web"]);
    assert.deepEqual(actions(planned(stream(CONFIG, set("a:1")), stream(CONFIG, set("a:2")))), ["Roll web"]);
  });
  it("one with several templates says which", () => {
    const set = (image: string): string =>
      `apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: web}\nspec: {replicas: 2, leaderWorkerTemplate: {leaderTemplate: {spec: {containers: [{name: app, image: a}]}}, workerTemplate: {spec: {containers: [{name: app, image: "${image}"}]}}}}\n`;
    assert.deepEqual(reasons(planned(set("a:1"), set("a:2")), "web"), [
      "spec.leaderWorkerTemplate.workerTemplate spec.containers[name=app].image: a:1 → a:2",
    ]);
  });
});

describe("values", () => {
  const object = (value: string): string =>
    made({ container: `env: [{name: PLAIN, value: ${value}}], args: ["--token=${value}"], image: "web:1"` }).replace(
      'image: "web:1", ',
      "",
    );
  const base = stream(
    CONFIG,
    SECRET,
    object("s3cr3t"),
    made({ name: "other" }).replace("configMapRef: {name: env}", "secretRef: {name: db}"),
  );
  const head = base.replaceAll("s3cr3t", "t0pst0p").replace("hunter2", "swordfish").replace("info", "verbose");
  const HIDDEN = ["s3cr3t", "t0pst0p", "hunter2", "swordfish"];
  it("are not shown: no Secret's, no plain env's, no argument's, no ConfigMap's", () => {
    const text = JSON.stringify(planned(base, head, { all: true }));
    for (const value of [...HIDDEN, "verbose"]) assert.ok(!text.includes(value), value);
    assert.deepEqual(
      workload(planned(base, head), "web").reasons.filter(({ type }) => type === "Template"),
      [
        { type: "Template", path: "spec.containers[name=app].args", hidden: true },
        { type: "Template", path: "spec.containers[name=app].env[name=PLAIN].value", hidden: true },
      ],
    );
  });
  it("of env, arguments and ConfigMaps are shown on request, those of Secrets never", () => {
    const text = JSON.stringify(planned(base, head, { all: true, showValues: true }));
    for (const value of ["s3cr3t", "t0pst0p", "+verbose"]) assert.ok(text.includes(value), value);
    for (const value of ["hunter2", "swordfish"]) assert.ok(!text.includes(value), value);
  });
  it("inside an added or removed container are hidden too", () => {
    const more = made().replace(
      "}]}}",
      "}, {name: side, image: s, env: [{name: A, value: s3cr3t}, {name: B, valueFrom: {secretKeyRef: {name: db, key: password}}}]}]}}",
    );
    const report = planned(stream(CONFIG, made()), stream(CONFIG, more));
    assert.ok(!JSON.stringify(report).includes("s3cr3t"));
    assert.match(JSON.stringify(report), /"value":"\(hidden\)"/u);
    assert.match(JSON.stringify(report), /"key":"password"/u);
  });
  it("of a ConfigMap that SOPS has encrypted are never shown", () => {
    const sops = (value: string): string => `${CONFIG.replace("info", value)}sops: {version: 3}\n`;
    const report = planned(stream(sops("'ENC[a]'"), made()), stream(sops("'ENC[b]'"), made()), { showValues: true });
    assert.deepEqual(
      workload(report, "web").reasons.map((reason) => Object.keys(reason)),
      [["type", "source", "keys"]],
    );
  });
});

describe("limits", () => {
  it("don't depend on what is listed", () => {
    for (const all of [false, true]) {
      assert.deepEqual(planned(made(), made(), { all, failOn: ["RS001"] }).exceeded, []);
      assert.deepEqual(planned("", made(), { all, failOn: ["RS001"] }).exceeded, [
        { limit: "failOn", rule: "RS001", findings: 1 },
      ]);
    }
  });
  const report = (setup: PlanSetup): PlanReport["exceeded"] =>
    rolling(made({ apiVersion: "extensions/v1beta1" }), setup).exceeded;
  it("say what they are over", () => {
    assert.deepEqual(report({ maxWorkloads: 1, maxPods: 1, failOn: ["RS006"] }), []);
    assert.deepEqual(report({ maxWorkloads: 0 }), [{ limit: "maxWorkloads", actual: 1, allowed: 0 }]);
    assert.deepEqual(report({ maxPods: 0 }), [{ limit: "maxPods", actual: 1, allowed: 0 }]);
    const old = stream(CHANGED, made({ apiVersion: "extensions/v1beta1" }));
    assert.deepEqual(planned(stream(CONFIG, made()), old, { failOn: ["RS011", "RS004"] }).exceeded, [
      { limit: "failOn", rule: "RS011", findings: 1 },
      { limit: "failOn", rule: "RS004", findings: 1 },
    ]);
  });
});

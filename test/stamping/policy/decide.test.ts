import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Finding } from "../../../src/findings/catalogue/finding.ts";
import { describeFinding } from "../../../src/findings/catalogue/describe.ts";
import type { ConfigHashSpec } from "../../../src/stamping/function/config-hash.ts";
import { analysed, decided, said, source, USES_ENV, workload, type Annotations } from "./decided.ts";

// Who is stamped, with which sources, and by which rule: sections 2, 3 and 5 of the contract.

const STAMP = "rollstamp.dev/stamp";
const AUTO = "reloader.stakater.com/auto";
const CONFIG_MAP_AUTO = "configmap.reloader.stakater.com/auto";
const CONFIG_MAP_EXCLUDE = "configmaps.exclude.reloader.stakater.com/reload";

// The order is the policy: the first that applies decides.
const RULES: readonly {
  readonly on?: Annotations;
  readonly onSource?: Annotations;
  readonly spec?: Partial<ConfigHashSpec>;
  readonly counts: boolean;
  readonly rule: string;
}[] = [
  { onSource: { [STAMP]: "false" }, counts: false, rule: `${STAMP}: "false" on the source` },
  { on: { "rollstamp.dev/sources": "configmap/env" }, counts: true, rule: "named by rollstamp.dev/sources" },
  {
    on: { "rollstamp.dev/exclude": "configmap/e*" },
    counts: false,
    rule: "excluded by rollstamp.dev/exclude: configmap/e*",
  },
  { on: { [CONFIG_MAP_EXCLUDE]: "env" }, counts: false, rule: `excluded by ${CONFIG_MAP_EXCLUDE}` },
  { on: { [STAMP]: "true" }, counts: true, rule: `opted in by ${STAMP}` },
  { on: { [AUTO]: "true" }, counts: true, rule: `opted in by ${AUTO}` },
  { spec: { selection: "Annotated" }, counts: false, rule: "not opted in (selection: Annotated)" },
  { on: { [CONFIG_MAP_AUTO]: "false" }, counts: false, rule: `opted out by ${CONFIG_MAP_AUTO}` },
];

describe("the rule by which a reference counts", () => {
  for (let chosen = 0; chosen < 1 << RULES.length; chosen++) {
    const applying = RULES.filter((_, i) => (chosen & (1 << i)) !== 0);
    const first = applying[0] ?? { counts: true, rule: "selection: All" };
    const names = applying.map(({ rule }) => rule).join(", ");
    it(`is the first of ${names === "" ? "none" : names}`, () => {
      const on = Object.assign({}, ...applying.map((rule) => rule.on ?? {})) as Annotations;
      const onSource = Object.assign({}, ...applying.map((rule) => rule.onSource ?? {})) as Annotations;
      const spec: Partial<ConfigHashSpec> = Object.assign(
        { compat: ["Reloader"] },
        ...applying.map((rule) => rule.spec ?? {}),
      );
      const { decisions, desired } = analysed([source("ConfigMap", "env", onSource), workload("web", on)], spec);
      const { counted = [], leftOut = [] } = decisions[0]?.templates[0] ?? {};
      const [those, others] = first.counts ? [counted, leftOut] : [leftOut, counted];
      // A named source is a reference of its own beside the pod template's.
      assert.deepEqual([...new Set(those.map(({ rule }) => rule))], [first.rule]);
      assert.deepEqual(others, []);
      const isOptedIn = applying.some(({ on: own }) => own?.[STAMP] === "true");
      const isAnnotated = applying.some((rule) => rule.spec !== undefined);
      assert.equal(decisions[0]?.selected, first.counts || isOptedIn || !isAnnotated);
      assert.deepEqual([...(desired[0]?.stamps.keys() ?? [])], first.counts ? ["configmap.rollstamp.dev/env"] : []);
    });
  }
  it("of a Secret is first that Secrets are ignored", () =>
    assert.deepEqual(
      decided(
        [
          source("Secret", "login"),
          source("ConfigMap", "env"),
          workload("web", { "rollstamp.dev/sources": "secret/login" }),
        ],
        { secrets: "Ignore" },
      ),
      [["touched, selected: selection: All", "+ ConfigMap/env: selection: All", "- Secret/login: secrets: Ignore"]],
    ));
  it("of what a reloader watches is that it does so, if that is to be skipped", () => {
    const mounts = { volumeMounts: [{ name: "v", mountPath: "/etc/a" }] };
    const containers = [
      { name: "app", ...mounts },
      { name: "reload", image: "jimmidyson/configmap-reload:v1", args: ["--volume-dir=/etc/a"], ...mounts },
    ];
    const spec = { containers, volumes: [{ name: "v", configMap: { name: "env" } }] };
    const web = (on: Annotations = {}): object => workload("web", on, { spec: { template: { spec } } });
    const objects = [source("ConfigMap", "env"), web()];
    const skip = { reloads: "Skip" } as const;
    const selected = "touched, selected: selection: All";
    const rule = "reloads: Skip (container reload reloads it)";
    assert.deepEqual(decided(objects, skip), [[selected, `- ConfigMap/env: ${rule}`]]);
    // By hand it counts all the same; without it nothing starts.
    assert.deepEqual(decided([source("ConfigMap", "env"), web({ "rollstamp.dev/sources": "configmap/env" })], skip), [
      [selected, "+ ConfigMap/env: named by rollstamp.dev/sources", "+ ConfigMap/env: named by rollstamp.dev/sources"],
    ]);
    assert.deepEqual(decided([web()], skip), [[selected, "+ ConfigMap/env: selection: All"]]);
    for (const reloads of ["Warn", "Stamp"] as const) {
      assert.deepEqual(decided(objects, { reloads }), [[selected, "+ ConfigMap/env: selection: All"]]);
      assert.deepEqual(
        analysed(objects, { reloads }).findings.map((finding) => [finding.id, describeFinding(finding).severity]),
        reloads === "Warn" ? [["RS022", "info"]] : [],
      );
    }
  });
  it("of what kustomize renames is that it does so, if that is to be skipped", () => {
    const objects = [
      source("ConfigMap", "env", { "internal.config.kubernetes.io/needsHashSuffix": "enabled" }),
      workload("web", { "rollstamp.dev/sources": "configmap/env" }),
    ];
    const rule = "nameSuffix: Skip (kustomize renames it)";
    assert.deepEqual(decided(objects, { nameSuffix: "Skip" }), [
      ["touched, selected: selection: All", `- ConfigMap/env: ${rule}`, `- ConfigMap/env: ${rule}`],
    ]);
    assert.deepEqual(decided([source("ConfigMap", "env"), workload("web")], { nameSuffix: "Skip" }), [
      ["touched, selected: selection: All", "+ ConfigMap/env: selection: All"],
    ]);
    assert.deepEqual(decided(objects), [
      [
        "touched, selected: selection: All",
        "+ ConfigMap/env: named by rollstamp.dev/sources",
        "+ ConfigMap/env: named by rollstamp.dev/sources",
      ],
    ]);
  });
});

describe("a workload", () => {
  const env = source("ConfigMap", "env");
  const PLAIN = ["touched, selected: selection: All", "+ ConfigMap/env: selection: All"];
  const OUT = "touched, not selected";
  const CASES: readonly (readonly [
    what: string,
    objects: readonly object[],
    spec: Partial<ConfigHashSpec>,
    said: unknown,
  ])[] = [
    ["is stamped", [workload("web")], {}, PLAIN],
    [
      "is left alone by the selector",
      [workload("web")],
      { selector: [{ key: "app", operator: "Exists", values: [] }] },
      ["untouched, not selected: not matched by the configuration's selector"],
    ],
    [
      "is met by the selector",
      [workload("web")],
      { selector: [{ key: "app", operator: "DoesNotExist", values: [] }] },
      PLAIN,
    ],
    [
      "that is a hook of Helm is left alone",
      [workload("web", { "helm.sh/hook": "pre-install", [STAMP]: "true" })],
      {},
      ["untouched, not selected: a Helm hook (helm.sh/hook): Helm runs it again with each release"],
    ],
    [
      "whose pods don't take a change is left alone",
      [workload("web", { [STAMP]: "true" }, { kind: "ReplicaSet" })],
      {},
      ["untouched, not selected: a ReplicaSet's pods do not get a changed template"],
    ],
    [
      "loses its stamps when it opts out",
      [workload("web", { [STAMP]: "false" })],
      {},
      [`${OUT}: opted out by ${STAMP}`],
    ],
    [
      "opts in",
      [workload("web", { [STAMP]: "true" })],
      {},
      [`touched, selected: opted in by ${STAMP}`, `+ ConfigMap/env: opted in by ${STAMP}`],
    ],
    [
      "is not opted in",
      [workload("web")],
      { selection: "Annotated" },
      [`${OUT}: not opted in (selection: Annotated)`, "- ConfigMap/env: not opted in (selection: Annotated)"],
    ],
    [
      "is opted in by a source that it names",
      [workload("web", { "rollstamp.dev/sources": "configmap/env" })],
      { selection: "Annotated" },
      [
        "touched, selected: opted in",
        "+ ConfigMap/env: named by rollstamp.dev/sources",
        "+ ConfigMap/env: named by rollstamp.dev/sources",
      ],
    ],
    [
      "is opted in though nothing of it counts",
      [workload("web", { [STAMP]: "true", "rollstamp.dev/exclude": "configmap/env" })],
      { selection: "Annotated" },
      [`touched, selected: opted in by ${STAMP}`, "- ConfigMap/env: excluded by rollstamp.dev/exclude: configmap/env"],
    ],
  ];
  for (const [what, objects, spec, expected] of CASES) {
    it(what, () => assert.deepEqual(decided([env, ...objects], spec), [expected]));
  }
  const job = (kind: string): object => ({
    apiVersion: "batch/v1",
    kind,
    metadata: { name: "job", annotations: { [STAMP]: "true" } },
    spec:
      kind === "Job" ? { template: { spec: USES_ENV } } : { jobTemplate: { spec: { template: { spec: USES_ENV } } } },
  });
  it("of a kind that is to be skipped loses its stamps, whatever it says", () => {
    assert.deepEqual(decided([env, job("CronJob")], { cronJobs: "Skip" }), [[`${OUT}: cronJobs: Skip`]]);
    assert.deepEqual(decided([env, job("Job")]), [[`${OUT}: jobs: Skip (a Job's template is immutable)`]]);
    for (const kind of ["CronJob", "Job"]) {
      assert.deepEqual(decided([env, job(kind)], { jobs: "Stamp" }), [
        [`touched, selected: opted in by ${STAMP}`, `+ ConfigMap/env: opted in by ${STAMP}`],
      ]);
    }
  });
});

describe("a workload with a template of a fixed name", () => {
  const service = (name: string | undefined, pod: object = USES_ENV): object => ({
    apiVersion: "serving.knative.dev/v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { template: { metadata: name === undefined ? {} : { name }, spec: pod } },
  });
  const rule =
    "'spec.template.metadata.name' is set: the API server rejects changes of the pod template under the same name";
  it("is left alone, with a warning where it would be stamped", () => {
    const { decisions } = analysed([source("ConfigMap", "env"), service("web-1")]);
    assert.deepEqual(decisions.map(said), [[`untouched, not selected: ${rule}`, "+ ConfigMap/env: selection: All"]]);
    assert.deepEqual(decisions[0]?.findings.map(inWords), [
      ["fixed-name", "warning", `Service web is not stamped: ${rule}`, "spec.template.metadata.name"],
    ]);
    assert.deepEqual(analysed([service("web-1", {})]).decisions[0]?.findings, []);
  });
  it("is none without it, or with an empty one", () => {
    for (const name of [undefined, ""]) {
      assert.deepEqual(decided([source("ConfigMap", "env"), service(name)]), [
        ["touched, selected: selection: All", "+ ConfigMap/env: selection: All"],
      ]);
    }
  });
});

describe("a workload that runs another one's pod template", () => {
  const rollout = (annotations: Annotations = {}): object => ({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Rollout",
    metadata: { name: "canary", annotations },
    spec: { workloadRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
  });
  const runs = "untouched, not selected: runs the pod template of Deployment default/web";
  const findings = (spec: Partial<ConfigHashSpec>, ...objects: object[]): unknown =>
    analysed(objects, spec).findings.map(inWords);
  const missing = (severity: string): unknown => [
    [
      "RS001",
      severity,
      "Rollout canary runs the pod template of Deployment default/web, which is not in the input",
      "spec.workloadRef",
    ],
  ];
  it("leaves its stamps to that one", () =>
    assert.deepEqual(decided([source("ConfigMap", "env"), workload("web"), rollout()]), [
      ["touched, selected: selection: All", "+ ConfigMap/env: selection: All"],
      [runs],
    ]));
  it("reports a missing one if it would be stamped", () => {
    assert.deepEqual(decided([rollout()]), [[runs]]);
    assert.deepEqual(findings({}, rollout()), missing("warning"));
    assert.deepEqual(findings({ missing: "Error" }, rollout()), missing("error"));
    assert.deepEqual(findings({ missing: "Ignore" }, rollout()), []);
    assert.deepEqual(findings({ selection: "Annotated" }, rollout()), []);
    assert.deepEqual(findings({ selection: "Annotated" }, rollout({ [STAMP]: "true" })), missing("warning"));
    assert.deepEqual(findings({}, rollout({ [STAMP]: "false" })), []);
    assert.deepEqual(findings({}, source("ConfigMap", "env"), workload("web"), rollout()), []);
  });
  it("has annotations that count for it, before its own", () => {
    const both = (on: Annotations, own: Annotations): unknown =>
      decided([source("ConfigMap", "env"), source("Secret", "login"), workload("web", own), rollout(on)])[0];
    assert.deepEqual(both({ [STAMP]: "false" }, { [STAMP]: "true" }), [`touched, not selected: opted out by ${STAMP}`]);
    assert.deepEqual(both({}, { [STAMP]: "false" }), [`touched, not selected: opted out by ${STAMP}`]);
    assert.deepEqual(both({ "rollstamp.dev/exclude": "configmap/env" }, {}), [
      "touched, selected: selection: All",
      "- ConfigMap/env: excluded by rollstamp.dev/exclude: configmap/env",
    ]);
    assert.deepEqual(both({ "rollstamp.dev/sources": "secret/login" }, { "rollstamp.dev/sources": "configmap/env" }), [
      "touched, selected: selection: All",
      "+ ConfigMap/env: named by rollstamp.dev/sources",
      "+ Secret/login: named by rollstamp.dev/sources",
      "+ ConfigMap/env: named by rollstamp.dev/sources",
    ]);
  });
  it("makes that one a workload though its kind is none by itself", () =>
    assert.deepEqual(
      decided([
        source("ConfigMap", "env"),
        workload("web", {}, { kind: "ReplicaSet" }),
        {
          ...rollout(),
          spec: { workloadRef: { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web" } },
        },
      ])[0],
      ["touched, selected: selection: All", "+ ConfigMap/env: selection: All"],
    ));
});

describe("findings about a source", () => {
  it("are reported once if several workloads lead to them", () => {
    const match = source("ConfigMap", "env", { "reloader.stakater.com/ignore": "maybe" });
    const both = [workload("one", { [AUTO]: "true" }), workload("two", { [AUTO]: "true" })];
    const { findings } = analysed([match, ...both], { compat: ["Reloader"] });
    assert.deepEqual(
      findings.map(({ id, cause }) => `${id} ${cause}`),
      ["reloader-annotation notBooleanOnSource"],
    );
  });
  it("are reported for each workload that has its own", () => {
    const both = [workload("one", { [AUTO]: "maybe" }), workload("two", { [AUTO]: "maybe" })];
    assert.equal(analysed([source("ConfigMap", "env"), ...both], { compat: ["Reloader"] }).findings.length, 2);
  });
});

function inWords(finding: Finding): unknown[] {
  const { id, severity, message } = describeFinding(finding);
  return [id, severity, message, finding.field];
}

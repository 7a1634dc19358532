import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "./planned.ts";

const deployment = (image: string, spec = "replicas: 2, "): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {${spec}template: {metadata: {labels: {app: web}}, ` +
  `spec: {containers: [{name: app, image: "${image}"}]}}}}\n`;
const cronJob = (image: string): string =>
  `{apiVersion: batch/v1, kind: CronJob, metadata: {name: web}, spec: {schedule: "1 * * * *", jobTemplate: {spec: {template: ` +
  `{spec: {restartPolicy: Never, containers: [{name: app, image: "${image}"}]}}}}}}\n`;
const OTHER = `{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}\n`;

describe("an image with an invalid name", () => {
  const found = (base: string, head: string): readonly unknown[] => {
    const { workloads, verdict } = planned(base, head);
    return [
      verdict?.level,
      ...workloads.flatMap(({ safety, findings }) =>
        findings.flatMap((one) =>
          one.id === "cannot-start" && one.params.problem.is === "image"
            ? [safety, one.cause, one.params.problem.user]
            : [],
        ),
      ),
    ];
  };
  const VALID = [
    "web:2",
    "web",
    "acme/web__a.b-c:v1_2.3",
    "localhost:5000/acme/web",
    "GHCR.io/acme/web:2",
    "Registry/acme/web",
    "[::1]:5000/web",
    `web:2@sha256:${"a1".repeat(32)}`,
    "acme/web:${TAG}",
    "{{ .Values.image }}",
  ];
  for (const image of VALID)
    it(`is not ${image}`, () => {
      assert.deepEqual(found(deployment("web:1"), deployment(image)), ["ok"]);
    });
  const INVALID = [
    "web:",
    "ghcr.io/Acme/web:2",
    "Web:2",
    "web:1:2",
    "web@",
    "/web",
    "acme//web",
    "web:-2",
    " web",
    "-a.io/web",
  ];
  for (const image of INVALID)
    it(`is '${image}': the rollout hangs`, () => {
      assert.deepEqual(found(deployment("web:1"), deployment(image)), ["danger", "MayStick", "stuck", "container app"]);
    });
  it("is no change if the base has it", () => {
    const head = deployment("web:").replace("name: app", "name: app, args: [a]");
    assert.deepEqual(found(deployment("web:"), head), ["ok"]);
  });
  it("needs a review in what runs later", () => {
    const later = ["attention", "Safe", "later", "container app"];
    assert.deepEqual(found(OTHER, `${OTHER}---\n${deployment("web:")}`), later);
    assert.deepEqual(found(cronJob("web:1"), cronJob("web:")), later);
    assert.deepEqual(found(deployment("web:1", "replicas: 0, "), deployment("web:", "replicas: 0, ")), later);
  });
});

describe("pods that cannot start", () => {
  const pods = (pod: string, app = "", more = ""): string =>
    deployment("web:1")
      .replace("containers:", `${pod}containers:`)
      .replace('image: "web:1"', `image: "web:1"${app}`)
      .replace(/$/u, more);
  const problems = (base: string, head: string): readonly unknown[] => {
    const { workloads, verdict } = planned(base, head);
    const found = workloads.flatMap(({ findings }) =>
      findings.flatMap((one) => (one.id === "cannot-start" ? [one.params.problem] : [])),
    );
    return [verdict?.level, ...found];
  };
  const limited = (memory: string): string => pods("", `, resources: {limits: {memory: ${memory}}}`);
  it("have a limit of some bytes", () => {
    const user = "container app";
    assert.deepEqual(problems(limited("256Mi"), limited("256m")), ["danger", { is: "memory", user, bytes: 0.256 }]);
    assert.deepEqual(problems(limited("256Mi"), limited("256")), ["danger", { is: "memory", user, bytes: 256 }]);
    for (const memory of ["1Mi", "0.1Gi", "0", "'${MEMORY}'"])
      assert.deepEqual(problems(limited("256Mi"), limited(memory)), ["ok"]);
    assert.deepEqual(problems(limited("256m"), limited("128m")), ["ok"]);
  });

  const secured = (pod: string, container = ""): string =>
    pods(`securityContext: {${pod}}, `, `, securityContext: {${container}}`);
  it("must not run as root, and run as root", () => {
    const root = ["danger", { is: "root", user: "container app" }];
    const base = secured("");
    assert.deepEqual(problems(base, secured("runAsNonRoot: true, runAsUser: 0")), root);
    assert.deepEqual(problems(base, secured("runAsNonRoot: true", "runAsUser: 0")), root);
    assert.deepEqual(problems(base, secured("runAsNonRoot: false", "runAsUser: 0, runAsNonRoot: true")), root);
    assert.deepEqual(problems(base, secured("runAsNonRoot: true, runAsUser: 0", "runAsUser: 1")), ["ok"]);
    assert.deepEqual(problems(base, secured("runAsNonRoot: true, runAsUser: 0", "runAsNonRoot: false")), ["ok"]);
    assert.deepEqual(problems(base, secured("runAsNonRoot: true")), ["ok"]);
    const broken = secured("runAsNonRoot: true, runAsUser: 0");
    assert.deepEqual(problems(broken, broken.replace("web:1", "web:2")), ["ok"]);
  });

  const NAMING: readonly (readonly [kind: string, apiVersion: string, pod: (name: string) => string])[] = [
    ["ServiceAccount", "v1", (name) => `serviceAccountName: ${name}, `],
    ["PriorityClass", "scheduling.k8s.io/v1", (name) => `priorityClassName: ${name}, `],
    ["RuntimeClass", "node.k8s.io/v1", (name) => `runtimeClassName: ${name}, `],
    ["PersistentVolumeClaim", "v1", (name) => `volumes: [{name: a, persistentVolumeClaim: {claimName: ${name}}}], `],
  ];
  for (const [kind, apiVersion, naming] of NAMING)
    it(`name a ${kind} that is misspelt`, () => {
      const object = (name: string): string =>
        `---\n{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}}}\n`;
      const named = (name: string, ...objects: readonly string[]): string =>
        pods(naming(name), "", objects.map(object).join(""));
      const base = named("reader", "reader");
      assert.deepEqual(problems(base, named("raeder", "reader")), [
        "danger",
        { is: "missing", kind, name: "raeder", similar: "reader" },
      ]);
      const known = named("raeder", "raeder", "reader");
      const made = `${named("raeder", "reader")}---\n{apiVersion: a.example/v1, kind: Maker, metadata: {name: raeder}}\n`;
      for (const head of [known, made, named("writer", "reader"), named("reader2", "reader")])
        assert.equal(problems(base, head).length, 1, head);
      assert.equal(problems(named("reader"), named("raeder", "readers")).length, 1);
      for (const [from, to] of [
        ["data-a", "data-b"],
        ["runc", "crun"],
        ["north", "south"],
        ["us-web", "eu-web"],
      ] as const)
        assert.equal(problems(named(from, from), named(to, from)).length, 1, to);
      for (const [from, to] of [
        ["web-app", "web-aap"],
        ["redis", "redi"],
        ["payments", "paymetns"],
        ["web-app", "webapp"],
      ] as const)
        assert.equal(problems(named(from, from), named(to, from)).length, 2, to);
      assert.equal(problems(named("raeder", "reader"), named("raeder", "reader", "web")).length, 1);
    });
  it("name a PriorityClass of every cluster", () => {
    const named = (name: string): string => pods(`priorityClassName: ${name}, `);
    const similar =
      "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: systems-node-critical}}\n";
    const problem = {
      is: "missing",
      kind: "PriorityClass",
      name: "system-node-critcal",
      similar: "system-node-critical",
    };
    assert.deepEqual(problems(named("system-node-critical"), named("system-node-critcal")), ["danger", problem]);
    assert.equal(problems(named("systems-node-critical") + similar, named("system-node-critical") + similar).length, 1);
  });
});

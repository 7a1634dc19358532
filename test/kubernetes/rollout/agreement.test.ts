/**
 * One table: the effect of a changed template for each object. plan, lint, restart, explain and status must report the
 * same.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parseDocument } from "yaml";
import { fieldAt, listAt, textAt } from "../../e2e/fields.ts";
import { withFakeApi } from "../../reports/status/fake-api.ts";
import { live, objects, stamped } from "../../reports/status/live.ts";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";

interface Row {
  readonly kind: string;
  readonly apiVersion?: string;
  /** Fields of the spec other than the template. */
  readonly spec?: string;
  readonly metadata?: string;
  /** The fields of the pod template's metadata. */
  readonly template?: string;
  readonly more?: string;
  /** The effect of a changed ConfigMap. */
  readonly action: "Roll" | "NextRun" | "NoEffect" | "Fail";
  readonly pods?: number;
  /** The minimum of available pods and the maximum in total, if they are known. */
  readonly bounds?: string;
  readonly because?: RegExp;
  /** Whether a restart of everything writes the restart (default) or skips the object. */
  readonly restart?: "left out";
  /** The restart does not change the template. */
  readonly restartField?: true;
}

const PAUSED = /^it is paused$/u;
const ON_DELETE = /^its update strategy is OnDelete$/u;
const IN_PLACE = /^it updates its pods in place, and an annotation alone restarts no container$/u;
const KRUISE = "apps.kruise.io/v1alpha1";
const ARGO = "argoproj.io/v1alpha1";
const hpa = (kind: string, min: string): string =>
  `---\n{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {${min} scaleTargetRef: {apiVersion: apps/v1, kind: ${kind}, name: web}}}\n`;
const rollout = (more: string): string =>
  `---\n{apiVersion: ${ARGO}, kind: Rollout, metadata: {name: canary}, spec: {replicas: 4, workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}, strategy: {canary: {}}${more}}}\n`;

const ROWS: Readonly<Record<string, Row>> = {
  "a Deployment": { kind: "Deployment", spec: "replicas: 4", action: "Roll", pods: 4, bounds: "3 to 5" },
  "a Deployment without replicas": { kind: "Deployment", action: "Roll", pods: 1, bounds: "1 to 2" },
  "a Deployment of none": { kind: "Deployment", spec: "replicas: 0", action: "Roll", pods: 0, bounds: "0 to 0" },
  "a Deployment that recreates": {
    kind: "Deployment",
    spec: "replicas: 3, strategy: {type: Recreate}",
    action: "Roll",
    pods: 3,
    bounds: "0 to 3",
  },
  "a paused Deployment": { kind: "Deployment", spec: "paused: true", action: "NoEffect", because: PAUSED },
  "an old Deployment": {
    kind: "Deployment",
    apiVersion: "extensions/v1beta1",
    action: "Roll",
    pods: 1,
    bounds: "0 to 2",
  },
  "a Deployment that the API server refuses": {
    kind: "Deployment",
    spec: "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}",
    action: "Fail",
    because: /^spec\.strategy\.rollingUpdate\.maxUnavailable must not be 0 if maxSurge is 0$/u,
  },
  "an autoscaled Deployment": {
    kind: "Deployment",
    spec: "replicas: 9",
    more: hpa("Deployment", "minReplicas: 2,"),
    action: "Roll",
    pods: 2,
    bounds: "2 to 3",
  },
  "one whose autoscaler has no least": {
    kind: "Deployment",
    spec: "replicas: 9",
    more: hpa("Deployment", ""),
    action: "Roll",
    pods: 1,
    bounds: "1 to 2",
  },
  "one beside another's autoscaler": {
    kind: "Deployment",
    spec: "replicas: 9",
    more: hpa("StatefulSet", ""),
    action: "Roll",
    pods: 9,
    bounds: "7 to 12",
  },
  "a StatefulSet": { kind: "StatefulSet", spec: "replicas: 3", action: "Roll", pods: 3, bounds: "2 to 3" },
  "a StatefulSet in percent, which rounds down": {
    kind: "StatefulSet",
    spec: 'replicas: 7, updateStrategy: {rollingUpdate: {maxUnavailable: "30%"}}',
    action: "Roll",
    pods: 7,
    bounds: "5 to 7",
  },
  "a StatefulSet from a partition on": {
    kind: "StatefulSet",
    spec: "replicas: 3, updateStrategy: {rollingUpdate: {partition: 2}}",
    action: "Roll",
    pods: 1,
    bounds: "2 to 3",
  },
  "a StatefulSet below its partition": {
    kind: "StatefulSet",
    spec: "replicas: 3, updateStrategy: {rollingUpdate: {partition: 3}}",
    action: "Roll",
    pods: 0,
    bounds: "3 to 3",
  },
  "a StatefulSet has no paused": {
    kind: "StatefulSet",
    spec: "replicas: 1, paused: true",
    action: "Roll",
    pods: 1,
    bounds: "0 to 1",
  },
  "a StatefulSet that waits for deletions": {
    kind: "StatefulSet",
    spec: "updateStrategy: {type: OnDelete}",
    action: "NoEffect",
    because: ON_DELETE,
  },
  "an old StatefulSet": { kind: "StatefulSet", apiVersion: "apps/v1beta1", action: "NoEffect", because: ON_DELETE },
  "a DaemonSet": { kind: "DaemonSet", action: "Roll", pods: 0, bounds: "null to null" },
  "a DaemonSet has no paused": {
    kind: "DaemonSet",
    spec: "paused: true",
    action: "Roll",
    pods: 0,
    bounds: "null to null",
  },
  "a DaemonSet that waits for deletions": {
    kind: "DaemonSet",
    spec: "updateStrategy: {type: OnDelete}",
    action: "NoEffect",
    because: ON_DELETE,
  },
  "an old DaemonSet": { kind: "DaemonSet", apiVersion: "extensions/v1beta1", action: "NoEffect", because: ON_DELETE },
  "a ReplicaSet": {
    kind: "ReplicaSet",
    action: "NoEffect",
    because: /^no controller replaces its pods$/u,
    restart: "left out",
  },
  "an Argo Rollout": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 4, strategy: {canary: {}}",
    action: "Roll",
    pods: 4,
    bounds: "3 to 5",
    restartField: true,
  },
  "a blue-green Rollout": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "replicas: 4, strategy: {blueGreen: {}}",
    action: "Roll",
    pods: 4,
    bounds: "4 to 8",
    restartField: true,
  },
  "a paused Rollout": {
    kind: "Rollout",
    apiVersion: ARGO,
    spec: "paused: true, strategy: {canary: {}}",
    action: "NoEffect",
    because: PAUSED,
    restartField: true,
  },
  "a Deployment that a Rollout runs": {
    kind: "Deployment",
    spec: "replicas: 0",
    more: rollout(""),
    action: "Roll",
    pods: 0,
    bounds: "0 to 0",
    because: /^Rollout canary runs its pod template$/u,
    restart: "left out",
  },
  "a paused Deployment that a Rollout runs": {
    kind: "Deployment",
    spec: "replicas: 2, paused: true",
    more: rollout(""),
    action: "Roll",
    pods: 0,
    because: /^Rollout canary runs its pod template$/u,
    restart: "left out",
  },
  "a Deployment with pods of its own that a Rollout runs, too": {
    kind: "Deployment",
    spec: "replicas: 4",
    more: rollout(""),
    action: "Roll",
    pods: 4,
    bounds: "3 to 5",
    restart: "left out",
  },
  "a Deployment that a paused Rollout runs": {
    kind: "Deployment",
    spec: "replicas: 0",
    more: rollout(", paused: true"),
    action: "NoEffect",
    because: /^Rollout canary runs its pod template: it is paused/u,
    restart: "left out",
  },
  "a CloneSet": { kind: "CloneSet", apiVersion: KRUISE, spec: "replicas: 5", action: "Roll", pods: 5 },
  "a CloneSet in place": {
    kind: "CloneSet",
    apiVersion: KRUISE,
    spec: "updateStrategy: {type: InPlaceIfPossible}",
    action: "NoEffect",
    because: IN_PLACE,
  },
  "a paused CloneSet": {
    kind: "CloneSet",
    apiVersion: KRUISE,
    spec: "updateStrategy: {paused: true}",
    action: "NoEffect",
    because: PAUSED,
  },
  "kruise's StatefulSet in place": {
    kind: "StatefulSet",
    apiVersion: KRUISE,
    spec: "updateStrategy: {rollingUpdate: {podUpdatePolicy: InPlaceOnly}}",
    action: "NoEffect",
    because: IN_PLACE,
  },
  "kruise's DaemonSet, paused": {
    kind: "DaemonSet",
    apiVersion: KRUISE,
    spec: "updateStrategy: {rollingUpdate: {paused: true}}",
    action: "NoEffect",
    because: PAUSED,
  },
  "a DeploymentConfig without triggers": {
    kind: "DeploymentConfig",
    apiVersion: "apps.openshift.io/v1",
    spec: "triggers: []",
    action: "NoEffect",
    because: /^its list of triggers is empty/u,
  },
  "a paused DeploymentConfig": {
    kind: "DeploymentConfig",
    apiVersion: "apps.openshift.io/v1",
    spec: "paused: true",
    action: "NoEffect",
    because: PAUSED,
  },
};

function manifests(row: Row, level: string): string {
  const { kind, apiVersion = "apps/v1", spec = "", metadata = "", template = "", more = "" } = row;
  const fields = spec === "" ? "" : `${spec}, `;
  return `{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {LEVEL: ${level}}}
---
{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: web${metadata}}, spec: {${fields}template: {metadata: {${template}}, spec: {containers: [{name: app, image: "app:1", envFrom: [{configMapRef: {name: env}}]}]}}}}
${more}`;
}

const JSON_ROWS = (text: string, ...path: readonly string[]): readonly unknown[] => listAt(JSON.parse(text), ...path);

describe("commands agree about rollouts", () => {
  for (const [name, row] of Object.entries(ROWS)) {
    const { action, because, pods, bounds } = row;
    const base = manifests(row, "info");
    const head = manifests(row, "debug");

    it(`plan: ${name}`, async () => {
      await inFolder({ "base.yaml": base, "head.yaml": head }, async (folder) => {
        const ran = await cli(["plan", "-o", "json", join(folder, "base.yaml"), join(folder, "head.yaml")]);
        const planned = JSON_ROWS(ran.stdout, "workloads").find((one) => textAt(one, "name") === "web");
        // A standalone ReplicaSet gets no stamp, so it does not change.
        if (row.kind === "ReplicaSet") return assert.equal(planned, undefined);
        assert.equal(fieldAt(planned, "action"), action, ran.stderr);
        assert.match(textAt(planned, "because"), because ?? /^$/u);
        if (pods !== undefined) assert.equal(fieldAt(planned, "pods"), pods);
        const strategy = fieldAt(planned, "strategy");
        if (bounds !== undefined)
          assert.equal(`${fieldAt(strategy, "minAvailable")} to ${fieldAt(strategy, "maxTotal")}`, bounds);
      });
    });

    it(`lint: ${name}`, async () => {
      const spec =
        row.kind === "ReplicaSet" ? { ...row, metadata: ', annotations: {rollstamp.dev/stamp: "true"}' } : row;
      const { stdout } = await cli(["lint", "-o", "json", "-"], { stdin: manifests(spec, "info") });
      const reasons = (rule: string): string[] =>
        JSON_ROWS(stdout, "results")
          .filter((one) => textAt(one, "tags", "rule") === rule && textAt(one, "resourceRef", "name") === "web")
          .map((one) => /(?<= has no effect: ).*(?=\. Let the controller)/u.exec(textAt(one, "message"))?.[0] ?? "");
      assert.equal(reasons("RS005").length, action === "NoEffect" ? 1 : 0);
      for (const why of reasons("RS005")) assert.match(why, because ?? /^$/u);
      const leavesNone = action === "Roll" && pods !== 0 && bounds?.startsWith("0 ") === true;
      assert.equal(reasons("RS004").length, leavesNone ? 1 : 0);
    });

    it(`restart --all: ${name}`, async () => {
      await inFolder({ "web.yaml": base }, async (folder) => {
        const ran = await cli(["restart", "--all", "--diff", folder], {
          environment: { ROLLSTAMP_NOW: "2026-11-21T00:00:00Z" },
        });
        const added = ran.stdout
          .split("\n")
          .find((line) => line.startsWith("+{") && line.includes("metadata: {name: web"));
        assert.equal(added?.includes("2026-11-21") ?? false, row.restart !== "left out", ran.stdout);
        const message = ran.stderr.split("\n").find((line) => line.includes(`${row.kind} web`)) ?? "";
        if (row.restartField === true) {
          assert.match(message, /restarts: .*Argo Rollouts evicts the pods/u);
        } else if (row.restart === "left out") {
          if (row.more !== undefined) assert.match(message, /is skipped: Rollout canary runs its pod template/u);
        } else if (action === "NoEffect") {
          assert.match(message.replace(/^.* has no effect yet: | \(RS005\)$/gu, ""), because ?? /^$/u);
        } else if (action === "Fail") {
          assert.match(message.replace(/^.* restarts: | \(restart\)$/gu, ""), because ?? /^$/u);
        } else if (pods !== undefined && pods > 0) {
          const [least, most] = (bounds ?? "").split(" to ");
          const all = `${pods} ${pods === 1 ? "pod" : "pods"}`;
          assert.ok(
            message.includes(
              bounds === undefined
                ? `restarts: ${all} replaced`
                : `restarts: ${all} replaced, at least ${least} available, at most ${most} in total`,
            ),
            message,
          );
        }
      });
    });

    it(`explain: ${name}`, async () => {
      const { stdout } = await cli(["explain", `${row.kind}/web`, "-"], { stdin: base });
      const rolls = /^ {2}rolls +(.*)$/mu.exec(stdout)?.[1] ?? "";
      const words: Readonly<Record<Row["action"], string>> = {
        Roll: "",
        NextRun: "at its next run: ",
        NoEffect: "no: ",
        Fail: "never: ",
      };
      assert.ok(rolls.startsWith(words[action]), rolls);
      if (because !== undefined) assert.match(rolls.slice(words[action].length), because);
      const [least, most] = (bounds ?? "null to null").split(" to ");
      if (because !== undefined || pods === undefined || pods === 0 || least === "null") return;
      assert.ok(
        rolls.endsWith(
          `${least === "0" ? "none available while it rolls" : `at least ${least} available`}, at most ${most} in all`,
        ),
        rolls,
      );
    });

    const isServed = ["Deployment", "StatefulSet", "DaemonSet"].includes(row.kind) && row.apiVersion === undefined;
    // A cluster contains nothing that its API server rejects.
    if (!isServed || action === "Fail" || row.more?.includes("Rollout") === true) continue;
    it(`status: ${name}`, async () => {
      const lists = live(objects(await stamped(base)));
      for (const object of Object.values(lists).flat()) {
        if (typeof object !== "object" || object === null || !("status" in object)) continue;
        // The controller has not started.
        object.status = {
          observedGeneration: 0,
          updatedReplicas: 0,
          updatedNumberScheduled: 0,
          desiredNumberScheduled: 3,
          updateRevision: "b",
          currentRevision: "a",
        };
        if ("metadata" in object && typeof object.metadata === "object")
          Object.assign(object.metadata ?? {}, { generation: 2 });
      }
      const api = { lists: { "/apis/apps/v1/namespaces/shop/daemonsets": [], ...lists } };
      const { stdout, stderr } = await withFakeApi(api, { args: ["status", "-o", "json", "--all"] });
      const workload = JSON_ROWS(stdout, "workloads").find((one) => textAt(one, "name") === "web");
      assert.match(textAt(workload, "rollout", "because"), because ?? /^$/u, stderr);
      // The autoscaler has written its number there.
      const written: unknown = parseDocument(`{${row.spec ?? ""}}`).toJS();
      const replicas = fieldAt(written, "replicas") ?? 1;
      const partition = fieldAt(written, "updateStrategy", "rollingUpdate", "partition") ?? 0;
      const desired = row.kind === "DaemonSet" ? 3 : Number(replicas) - Number(partition);
      assert.equal(fieldAt(workload, "rollout", "desired"), desired);
    });
  }
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeFinding } from "../../../src/findings/catalogue/describe.ts";
import { severityOf } from "../../../src/findings/catalogue/finding.ts";
import type { SideStamps } from "../../../src/reports/plan/side.ts";
import { actions, findingIds, messages, planned, workload } from "./planned.ts";

// What a plan reports of objects besides rollouts: with the workload concerned, otherwise separately, never twice.

const configMap = (name: string, value: string, more = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: ${value}}\n${more}`;
const secret = (name: string, type: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}}\ntype: ${type}\nstringData: {a: b}\n`;
const user = (name: string, ref: string, more = ""): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec: {replicas: 2, ${more}template: {spec: {containers: [{name: app, image: a, envFrom: [{${ref}}]}]}}}\n`;
const stream = (...documents: readonly string[]): string => documents.join("---\n");
const IMMUTABLE = "immutable: true\n";

describe("a source that the API server refuses", () => {
  it("is reported with each workload that names it, and separately only where none does", () => {
    const side = (value: string): string =>
      stream(
        configMap("used", value, IMMUTABLE),
        configMap("free", value, IMMUTABLE),
        user("a", "configMapRef: {name: used}"),
        user("b", "configMapRef: {name: used}"),
        user("c", "configMapRef: {name: else}, prefix: X"),
      );
    const report = planned(side("x"), side("z"), { all: true });
    assert.deepEqual(actions(report), ["Fail a", "Fail b", "None c"]);
    for (const name of ["a", "b"]) assert.deepEqual(findingIds(report, name), ["RS006"]);
    assert.deepEqual(findingIds(report, "c"), ["RS001"]);
    const alone = report.findings.filter(({ before }) => before === undefined);
    assert.deepEqual(
      alone.map(({ id }) => id),
      ["RS006"],
    );
    assert.match(messages(alone)[0] ?? "", /free/u);
    assert.ok((alone[0] === undefined ? "" : (describeFinding(alone[0]).remedy ?? "")).length > 0, "says what to do");
  });
  it("is a Secret of another type, whatever else has that name", () => {
    const side = (type: string): string =>
      stream(
        secret("login", type),
        configMap("login", "x"),
        user("a", "secretRef: {name: login}"),
        user("b", "configMapRef: {name: login}"),
      );
    const report = planned(side("Opaque"), side("example.com/x"), { all: true });
    assert.deepEqual(actions(report), ["Fail a", "None b"]);
    const [finding] = workload(report, "a").findings;
    assert.ok(finding?.id === "RS006" && finding.cause === "type");
    assert.deepEqual([finding.params.from, finding.params.to], ["Opaque", "example.com/x"]);
    assert.deepEqual(report.findings, []);
  });
  it("is not a ConfigMap whose field 'type' changes, nor a Secret that is added", () => {
    const side = (value: string): string =>
      stream(configMap("env", "x", `type: ${value}\n`), user("a", "configMapRef: {name: env}"));
    assert.deepEqual(actions(planned(side("a"), side("b"))), []);
    const uses = user("a", "secretRef: {name: login}");
    const report = planned(uses, stream(secret("login", "example.com/x"), uses));
    assert.deepEqual(actions(report), ["Roll a"]);
    assert.deepEqual(findingIds(report, "a"), ["RS008"], "its content is guessable, and nothing is refused");
  });
  it("is not what an operator creates from a declaration", () => {
    const sealed = (type: string): string =>
      `apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: login}\ntype: ${type}\nspec: {encryptedData: {a: b}}\n`;
    const uses = user("a", "secretRef: {name: login}");
    assert.deepEqual(actions(planned(stream(sealed("a"), uses), stream(sealed("b"), uses))), []);
  });
  it("fails no workload that does not name it", () => {
    const side = (value: string): string =>
      stream(configMap("fixed", value, IMMUTABLE), configMap("env", value), user("a", "configMapRef: {name: env}"));
    assert.deepEqual(actions(planned(side("x"), side("z"))), ["Roll a"]);
  });
});

describe("what is missing", () => {
  it("is reported only with its workload", () => {
    const side = (image: string): string =>
      stream(
        user("a", "configMapRef: {name: absent}").replace("image: a", `image: ${image}`),
        user("b", "configMapRef: {name: lost}"),
      );
    const report = planned(side("x"), side("z"), { all: true });
    assert.deepEqual(findingIds(report, "a"), ["RS001"]);
    assert.match(messages(workload(report, "a").findings)[0] ?? "", /absent/u);
    assert.match(messages(workload(report, "b").findings)[0] ?? "", /lost/u);
    assert.ok(report.workloads.every(({ findings }) => findings.length === 1));
  });
  it("is reported for each source, in the order of the rules", () => {
    const two = user("a", "configMapRef: {name: absent}}, {secretRef: {name: lost}").replace(
      "replicas: 2, ",
      "strategy: {type: Recreate}, ",
    );
    const changed = two.replace("image: a", "image: b");
    const report = planned(user("a", "configMapRef: {name: env, optional: true}"), changed);
    assert.deepEqual(findingIds(report, "a"), ["RS001", "RS001", "RS004"]);
    assert.deepEqual(findingIds(planned(two, changed), "a"), ["RS004"], "the base missed them too");
    assert.equal(planned(two, changed).findingsBefore, 2);
  });
  it("is an error, if the configuration says so, where this change removes its source", () => {
    const uses = user("a", "configMapRef: {name: gone}");
    const report = planned(stream(configMap("gone", "x"), uses), uses, { spec: { missing: "Error" } });
    assert.deepEqual(
      workload(report, "a").findings.map((finding) => `${finding.id} ${severityOf(finding)}`),
      ["RS001 error"],
    );
    assert.deepEqual(report.findings, [], "told with the row");
  });
  it("is only counted where nothing changes", () => {
    const uses = user("a", "configMapRef: {name: absent}");
    assert.deepEqual(planned(uses, uses).findings, []);
    assert.equal(planned(uses, uses).findingsBefore, 1);
  });
});

describe("what a plan reports of a rollout", () => {
  const surge = "strategy: {type: Recreate}, ";
  const side = (more: string, image: string): string =>
    user("a", "configMapRef: {name: env, optional: true}", more).replace("image: a", `image: ${image}`);
  it("is reported only where there is a rollout", () => {
    assert.deepEqual(findingIds(planned(side(surge, "x"), side(surge, "z")), "a"), ["RS004"]);
    assert.deepEqual(findingIds(planned(side(surge, "x"), side(surge, "x"), { all: true }), "a"), []);
    assert.deepEqual(findingIds(planned("", side(surge, "x")), "a"), []);
    assert.deepEqual(findingIds(planned(side(surge, "x"), ""), "a"), []);
  });
  it("warns of an old apiVersion where it is added", () => {
    const old = (text: string): string => text.replace("apps/v1", "apps/v1beta1");
    for (const [base, head] of [
      [side("", "x"), side("", "z")],
      ["", side("", "x")],
    ] as const) {
      const [row] = planned(base, old(head)).workloads;
      assert.deepEqual(
        row?.findings.filter(({ id }) => id === "RS011").map((finding) => severityOf(finding)),
        ["warning"],
        row?.action,
      );
    }
    assert.deepEqual(findingIds(planned(old(side("", "x")), ""), "a"), []);
    assert.deepEqual(findingIds(planned(old(side("", "x")), old(side("", "z"))), "a"), [], "it was there before");
  });
});

describe("findings about what a stamp adds", () => {
  it("are not about an application that nothing stamps", () => {
    const web = user("a", "secretRef: {name: login}").replace(
      "metadata: {name: a",
      "metadata: {annotations: {reloader.stakater.com/auto: 'true'}, name: a",
    );
    const found = (stamps: SideStamps): readonly string[] =>
      findingIds(planned(secret("login", "Opaque"), stream(secret("login", "Opaque"), web), { stamps }), "a").filter(
        (id) => id === "RS007" || id === "RS008",
      );
    assert.deepEqual(found("AsIfStamped"), ["RS007", "RS008"]);
    assert.deepEqual(found("ByFunction"), ["RS007", "RS008"]);
    assert.deepEqual(found("Standing"), []);
    assert.deepEqual(found("None"), []);
  });
});

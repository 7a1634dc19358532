import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { placeholderWith } from "../../../src/base/placeholders.ts";
import { NOTHING_PLANNED, type PlanPart } from "../../../src/reports/plan/parts.ts";
import type { Reason } from "../../../src/reports/plan/plan-reasons.ts";
import { secretsOf, withoutSecretTexts } from "../../../src/reports/plan/secret-texts.ts";
import { planJson } from "../../../src/output/plan-json.ts";
import { deployment } from "../../support/manifests.ts";
import { planned } from "./planned.ts";

/** The part of a plan in which an image changes. */
function rolling(from: string, to: string): PlanPart {
  const side = (image: string): string => deployment("web", "none").replace("app:1", image);
  const rows = planned(side(from), side(to)).workloads.map((workload) => ({
    isListed: true,
    planned: workload,
  }));
  return { ...NOTHING_PLANNED, rows };
}

describe("texts from Secrets in what differs", () => {
  const path = "spec.containers[name=app].image";
  const TO = "registry/app:planted-one.2";
  for (const { what, texts, to = TO, isHidden } of [
    { what: "within the field", texts: ["other-text", "planted"], isHidden: true },
    { what: "at its end", texts: ["one.2", "other"], isHidden: true },
    { what: "a whole tag, however short", texts: ["7"], to: "app:7", isHidden: true },
    { what: "longer than what is compared", texts: ["x".repeat(100)], to: `app:${"x".repeat(100)}`, isHidden: true },
    { what: "one of those that begin alike", texts: ["plants", "plant", "planet"], isHidden: true },
    { what: "not there, though it begins like what is", texts: ["planted-three"], isHidden: false },
    { what: "as short as words of manifests", texts: ["one", "nted", ""], isHidden: false },
    { what: "a word in the name of an image", texts: ["registry"], isHidden: false },
    { what: "more than a word in the name of an image", texts: ["reg1stry"], to: "reg1stry/app:2", isHidden: true },
    { what: "in lower case", texts: ["Planted-ONE"], isHidden: true },
    { what: "flags", texts: ["false"], to: "app:false-2", isHidden: false },
    { what: "none", texts: [], isHidden: false },
  ]) {
    it(what, () => {
      const part = rolling("app:1", to);
      const reasons = withoutSecretTexts(part, () => secretsOf(texts)).rows.flatMap((row) => row.planned.reasons);
      const shown = { type: "Template", path, from: "app:1", to };
      assert.deepEqual(reasons, [isHidden ? { type: "Template", path, hidden: true } : shown]);
    });
  }
});

describe("the Secrets of the input", () => {
  const PIN = "48151";
  const web = deployment("web", "none");
  const withField = (field: string): string => web.replace("image: app:1", `image: app:1\n          ${field}`);
  const PLACES: readonly (readonly [string, (value: string) => string])[] = [
    ["a variable", (value) => withField(`env: [{name: A, value: "${value}"}]`)],
    ["an argument", (value) => withField(`args: ["--pin=${value}"]`)],
    ["an annotation", (value) => web.replace("      labels:", `      annotations: {pin: "${value}"}\n      labels:`)],
    ["a tag", (value) => web.replace("app:1", `app:${value}`)],
    ["a number", (value) => withField(`securityContext: {runAsUser: ${value}}`)],
  ];
  const secretWith = (content: string): string => `apiVersion: v1\nkind: Secret\nmetadata: {name: pin}\n${content}\n`;
  const CLEAR = secretWith(`stringData: {PIN: "${PIN}"}`);
  const SECRETS = [
    ["text", CLEAR],
    ["base64", secretWith(`data: {PIN: ${Buffer.from(PIN).toString("base64")}}`)],
    ["a file of settings", secretWith(`stringData: {f: "a=b\\npin: '${PIN}'\\n"}`)],
    ["JSON", secretWith(`stringData: {f: '{"user":"a","password":"${PIN}","host":"b"}'}`)],
    ["JSON in lines", secretWith(`stringData: {f: "{\\n  'pin': '${PIN}',\\n  'user': 'a'\\n}"}`)],
    ["a list", secretWith(`stringData: {f: "pins:\\n  - ${PIN}\\n"}`)],
    ["a URL", secretWith(`stringData: {f: "postgres://a:${PIN}@db:5432/a"}`)],
    ["a token in a URL", secretWith(`stringData: {f: "https://${PIN}@git.example/a"}`)],
    ["a connection string", secretWith(`stringData: {f: "Server=db;User=a;Password=${PIN};Timeout=9"}`)],
  ] as const;
  it("are not shown as the digest that a chart makes of one", () => {
    const digest = (algorithm: string, value: string): string => createHash(algorithm).update(value).digest("hex");
    for (const algorithm of ["md5", "sha1", "sha256"]) {
      const both = (value: string): string =>
        `${web.replace("      labels:", `      annotations: {checksum/app: "${digest(algorithm, value)}"}\n      labels:`)}---\n${secretWith(`stringData: {PIN: "${value}"}`)}`;
      const report = planned(both("7"), both(PIN), { showValues: true });
      assert.equal(report.summary.rolls, 1);
      const json = planJson(report);
      for (const value of ["7", PIN]) assert.ok(!json.includes(digest(algorithm, value)), algorithm);
    }
  });
  it("are not shown as a digest that a chart cuts", () => {
    const cut = (value: string): string => createHash("sha256").update(value).digest("hex").slice(0, 10);
    const both = (value: string): string =>
      `${web.replace("app:1", `app:${cut(value)}`)}---\n${secretWith(`stringData: {PIN: "${value}"}`)}`;
    const report = planned(both("7"), both(PIN));
    assert.equal(report.summary.rolls, 1);
    for (const value of ["7", PIN]) assert.ok(!planJson(report).includes(cut(value)));
  });
  for (const [form, secret] of SECRETS) {
    for (const [place, manifest] of PLACES) {
      it(`are not shown where ${place} repeats them (${form})`, () => {
        const both = (value: string): string => `${manifest(value)}---\n${secret}`;
        for (const showValues of [false, true]) {
          const report = planned(both("7"), both(PIN), { showValues });
          assert.equal(report.summary.rolls, 1);
          assert.doesNotMatch(planJson(report), new RegExp(PIN, "u"));
        }
      });
    }
  }
  describe("are not shown in the lines of a ConfigMap", () => {
    const linesOf = (from: string, to: string, secret: string): readonly string[] | undefined => {
      const both = (value: string): string =>
        `${deployment("web", "web")}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {A: "${value}"}\n---\n${secret}`;
      const [reason] = planned(both(from), both(to), { showValues: true }).workloads.flatMap(({ reasons }) => reasons);
      return reason?.type === "Source" ? reason.diffs?.[0]?.lines : undefined;
    };
    it("that are new", () => assert.deepEqual(linesOf("none", `at ${PIN}`, CLEAR), ["-none", "+(hidden)"]));
    it("that are cut to what differs", () => {
      const secret = secretWith(`stringData: {PIN: "planted-and-changed-at-1"}`);
      const lines = linesOf(`planted-and-changed-at-1 ${"x".repeat(300)}`, "planted-and-changed-at-2", secret);
      assert.deepEqual(lines, ["-(hidden)", "+planted-and-changed-at-2"]);
    });
  });
  describe("are not shown in another spelling", () => {
    const value = `pl"nted/1+@%`;
    const secret = secretWith(`stringData: {PIN: '${value}'}`);
    for (const [what, spelled] of [
      ["in a URL", `http://user:${encodeURIComponent(value)}@host`],
      ["in JSON", JSON.stringify({ password: value })],
      ["in JSON after what is not an escape", `C:\\U0041\\B ${JSON.stringify(value)}`],
      ...["", "u:", "user:"].map(
        (user) => [`in base64 after '${user}'`, Buffer.from(`${user}${value}\n`).toString("base64")] as const,
      ),
    ] as const)
      it(what, () => {
        const both = (text: string): string => `${withField(`args: ['${text}']`)}---\n${secret}`;
        const [changed] = planned(both("none"), both(spelled), { showValues: true }).workloads;
        assert.deepEqual(changed?.reasons, [
          { type: "Template", path: "spec.containers[name=app].args", hidden: true },
        ]);
      });
  });
});

describe("keys that the API server refuses", () => {
  // What kustomize makes of a private key in an .env file.
  const lines = Array.from({ length: 30 }, (_, i) => `plantedline${i}: ""`).join(", ");
  const keys = `${lines}, "planted+line": "", "zz-----END": "", "zz+": ""`;
  const source = (kind: string, data: string): string =>
    `apiVersion: v1\nkind: ${kind}\nmetadata: {name: pin}\n${data}\n`;
  const uses = deployment("web", "pin");
  const CASES = [
    ["Secret", "stringData", uses.replace("configMapRef", "secretRef")],
    ["ConfigMap", "data", uses],
  ] as const;
  for (const [kind, field, user] of CASES)
    it(`are not named: they may be a part of a value (${kind})`, () => {
      for (const workload of ["", `---\n${user}`]) {
        const both = (data: string): string => `${source(kind, `${field}: {${data}}`)}${workload}`;
        const report = JSON.stringify(planJson(planned(both("A: x"), both(`A: x, ${keys}`))));
        assert.doesNotMatch(report, /planted/u);
        assert.match(report, workload === "" ? /"data\\"/u : /\(invalid keys\)/u);
      }
    });
});

describe("placeholders of unknown values", () => {
  const [one, two] = [placeholderWith("0".repeat(64)), placeholderWith("1".repeat(64))];
  const reasonsOf = (from: string, to: string, showValues = false): readonly Reason[] =>
    planned(
      deployment("web", "none").replace("image: app:1", `image: "${from}"`),
      deployment("web", "none").replace("image: app:1", `image: "${to}"`),
      { showValues },
    ).workloads.flatMap(({ reasons }) => reasons);
  const path = "spec.containers[name=app].image";
  it("only differ, and are one word", () => {
    assert.deepEqual(reasonsOf(`app:${one}`, `app:${two}`), [{ type: "Template", path, hidden: true }]);
    assert.deepEqual(reasonsOf(`${one}/app:1`, `${one}/app:2`, true), [
      { type: "Template", path, from: "(unknown)/app:1", to: "(unknown)/app:2" },
    ]);
  });
  it("only differ in the lines of a ConfigMap", () => {
    const both = (value: string): string =>
      `${deployment("web", "web")}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {A: "${value}"}\n`;
    const report = planned(both(one), both(two), { showValues: true });
    const [reason] = report.workloads.flatMap(({ reasons }) => reasons);
    assert.deepEqual(reason?.type === "Source" && reason.diffs, [{ key: "A", lines: ["(an unknown value differs)"] }]);
  });
});

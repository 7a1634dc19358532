/** `plan --chart` by the real Helm 3 and 4: as the plan of what `helm template` prints. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, it } from "node:test";
import { chart, HELMS, type Helm } from "./helm.ts";
import { command, run, succeed, unlessFound, type Program, type Run } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const NODE: Program = { found: true, path: process.execPath };
const VALUES = "level: debug\nsize: 64mb\npassword: planted-4711\n";

/** Runs rollstamp with a Helm on PATH. */
function rollstamp(helm: Helm, args: readonly string[], cwd: string): Run {
  assert.ok(helm.program.found);
  const bin = join(temporaryFolder(), "bin");
  mkdirSync(bin);
  symlinkSync(helm.program.path, join(bin, "helm"));
  return run(NODE, [command, ...args], { cwd, env: { ...helm.env, PATH: [bin, "/usr/bin", "/bin"].join(delimiter) } });
}

/** A folder with a chart in two versions and values: old, new, values.yaml. */
function versions(name: string): string {
  const folder = temporaryFolder();
  for (const side of ["old", "new"]) cpSync(chart(name), join(folder, side), { recursive: true });
  edit(join(folder, "new", "Chart.yaml"), /^version: .*$/mu, "version: 9.9.9");
  writeFileSync(join(folder, "values.yaml"), VALUES);
  return folder;
}

function edit(file: string, from: RegExp, to: string): void {
  const text = readFileSync(file, "utf8");
  assert.match(text, from);
  writeFileSync(file, text.replace(from, to));
}

const BOTH = ["--chart", "old", "--chart", "new"];

for (const helm of HELMS) {
  describe(`plan --chart by ${helm.name}`, { skip: unlessFound(helm.program) }, () => {
    for (const name of ["rollouts", "shop"]) {
      it(`plans the upgrade of ${name} like a plan of its renderings`, () => {
        const folder = versions(name);
        const options = ["-f", "values.yaml", "--release", "app", "-n", "store", "--all", "-o", "json"];
        const planned = rollstamp(helm, ["plan", ...BOTH, ...options], folder);
        assert.equal(planned.status, 0, planned.stderr);
        for (const side of ["old", "new"]) {
          const args = [
            "template",
            "app",
            side,
            "--namespace",
            "store",
            "--values",
            "values.yaml",
            "--include-crds",
            "--skip-tests",
          ];
          writeFileSync(join(folder, `${side}.yaml`), succeed(helm.program, args, { cwd: folder, env: helm.env }));
        }
        writeFileSync(
          join(folder, "store.yaml"),
          "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: a}\nspec: {defaultNamespace: store}\n",
        );
        const compared = ["plan", "old.yaml", "new.yaml", "--config", "store.yaml", "--all", "-o", "json"];
        const expected: Record<string, unknown> = JSON.parse(rollstamp(helm, compared, folder).stdout);
        const report: Record<string, unknown> = JSON.parse(planned.stdout);
        assert.deepEqual(report["workloads"], expected["workloads"]);
        assert.deepEqual(report["verdict"], expected["verdict"]);
      });
    }

    it("accepts packed charts of helm package", () => {
      const folder = versions("rollouts");
      succeed(helm.program, ["package", "new"], { cwd: folder, env: helm.env });
      const options = ["--all", "-o", "json"];
      const packed = rollstamp(helm, ["plan", "--chart", "old", "--chart", "rollouts-9.9.9.tgz", ...options], folder);
      assert.equal(packed.status, 0, packed.stderr);
      assert.equal(packed.stdout, rollstamp(helm, ["plan", ...BOTH, ...options], folder).stdout);
    });

    it("says why a chart does not render, without values", () => {
      const folder = versions("rollouts");
      writeFileSync(join(folder, "new", "templates", "fails.yaml"), '{{ fail (printf "no %s" .Values.password) }}\n');
      const { status, stdout, stderr } = rollstamp(helm, ["plan", ...BOTH, "-f", "values.yaml"], folder);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, /^rollstamp: error: new: helm template ended with status 1: .*templates\/fails\.yaml/u);
      assert.doesNotMatch(stderr, /planted-4711/u);
      assert.ok(!stderr.includes(dirname(folder)), "no temporary path");
    });

    it("says what to do if a chart is for another Kubernetes", () => {
      const folder = versions("shop");
      for (const side of ["old", "new"])
        edit(join(folder, side, "Chart.yaml"), /^version: /mu, 'kubeVersion: ">=1.99.0-0"\nversion: ');
      const refused = rollstamp(helm, ["plan", ...BOTH, "-f", "values.yaml"], folder);
      assert.equal(refused.status, 2);
      assert.match(refused.stderr, /^rollstamp: error: old: .*incompatible with Kubernetes v/mu);
      assert.match(refused.stderr, /--kube-version/u);
      const args = ["plan", ...BOTH, "-f", "values.yaml", "--kube-version", "1.99.0"];
      assert.equal(rollstamp(helm, args, folder).status, 0);
    });
    it("validates values with the schemas of the chart only", () => {
      const folder = versions("rollouts");
      const schema = join(folder, "new", "values.schema.json");
      writeFileSync(schema, '{"properties": {"level": {"enum": ["info"]}}}');
      const wrong = rollstamp(helm, ["plan", ...BOTH, "-f", "values.yaml"], folder);
      assert.equal(wrong.status, 2);
      assert.match(wrong.stderr, /new: helm template ended with status 1: .*level/su);
      assert.equal(
        rollstamp(helm, ["plan", ...BOTH, "-f", "values.yaml", "--skip-schema-validation"], folder).status,
        0,
      );
      writeFileSync(schema, '{"$ref": "https://schemas.example/values.json"}');
      const fetched = rollstamp(helm, ["plan", ...BOTH], folder);
      assert.equal(fetched.status, 2);
      assert.match(fetched.stderr, /new\/values\.schema\.json: a \$ref .*skip-schema-validation/su);
      assert.equal(rollstamp(helm, ["plan", ...BOTH, "--skip-schema-validation"], folder).status, 0);
    });

    it("refuses a chart with missing dependencies", () => {
      const folder = versions("rollouts");
      const more = "dependencies: [{name: redis, version: 1.0.0, repository: 'https://charts.example'}]\n";
      writeFileSync(join(folder, "new", "Chart.yaml"), `apiVersion: v2\nname: rollouts\nversion: 2.0.0\n${more}`);
      const { status, stderr } = rollstamp(helm, ["plan", ...BOTH], folder);
      assert.equal(status, 2);
      assert.match(stderr, /new\/Chart\.yaml: the chart has dependencies that are not in its folder 'charts'/u);
      assert.match(stderr, /Run 'helm dependency build' and commit the folder: nothing is fetched here\./u);
    });
  });
}

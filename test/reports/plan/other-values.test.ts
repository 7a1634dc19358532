// Charts that are found by their place: whoever installs them may give them other values than their own.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { cli } from "../../support/cli.ts";
import { fakeHelm, RENDERED } from "../../support/fake-helm.ts";
import type { Files } from "../../support/folders.ts";
import { deployment } from "../../support/manifests.ts";
import { inRepository } from "./repository.ts";

/** A chart, and what it renders to. */
const chart = (files: Files, rendered = deployment("web", "env")): Files => ({
  ".krmignore": `${RENDERED}\n`,
  "charts/web/Chart.yaml": "apiVersion: v2\nname: web-app\nversion: 1.0.0\n",
  [`charts/web/${RENDERED}`]: rendered,
  ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`charts/web/${path}`, text])),
});
const template = (text: string): Files => ({ "templates/all.yaml": `a: ${text}\n` });

/** The level of the verdict, and what the findings say. */
async function planned(base: Files, head: Files): Promise<readonly unknown[]> {
  let said: readonly unknown[] = [];
  await inRepository(base, async ({ commit, environment }) => {
    commit("changed", head);
    const { stdout, stderr } = await cli(["plan", "-o", "json", "--git", "start..changed"], {
      environment: { ...environment, PATH: fakeHelm(join(environment["TMPDIR"] ?? "", "bin")) },
    });
    assert.notEqual(stdout, "", stderr);
    const { verdict, findings }: PlanJson = JSON.parse(stdout);
    said = [
      verdict?.level,
      ...findings.flatMap(({ id, message, remedy }) => (id === "RS024" ? [message, remedy] : [])),
    ];
  });
  return said;
}

const application = (name: string, folder: string): string =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec: {source: {repoURL: https://git.example/x.git, path: ${folder}}, destination: {name: in-cluster, namespace: web}}\n`;

describe("a file of a chart that its own values do not show", () => {
  const hidden = (file: string): readonly unknown[] => [
    "attention",
    `chart charts/web changes (charts/web/${file}), but its values in the repository do not render all of it: with other values, what rolls out is unknown`,
    "Add its values to rollstamp.yaml: an entry of spec.applications with path and values.",
  ];
  const BY_VALUE = template('{{ .Files.Get (printf "versions/%s" .Values.env) }}');
  const ANY = template("{{ .Files.Get .Values.file }}");
  const LISTED = template('{{ range $path, $_ := .Files.Glob "rules/*" }}{{ $.Files.Get $path }}{{ end }}');
  const CASES: readonly (readonly [says: string, files: Files, file: string, isHidden: boolean])[] = [
    ["a value is part of its name", BY_VALUE, "versions/prod", true],
    ["a value is part of the name of others", BY_VALUE, "config/prod", false],
    ["a value is its name", ANY, "config/prod", true],
    ["its name is written", template('{{ .Files.Get "a.conf" }}'), "a.conf", true],
    ["the name of another is written", template('{{ .Files.Get "a.conf" }}'), "a.conf.bak", false],
    ["a pattern matches it", LISTED, "rules/a", true],
    ["a pattern does not match it", LISTED, "scripts/a", false],
    [
      "a pattern in a variable does not match it",
      template('{{ $f := .Files.Glob "rules/*" }}{{ range $p, $_ := $f }}{{ $.Files.Get $p }}{{ end }}'),
      "scripts/a",
      false,
    ],
    [
      "a variable of no pattern is its name",
      template('{{ range $p, $_ := .Files.Glob "rules/*" }}{{ end }}{{ $f := "a" }}{{ .Files.Get $f }}'),
      "scripts/a",
      true,
    ],
    ["a comment without an end names it", template("{{/* {{ .Files.Get .Values.file }}"), "config/prod", false],
    [
      "the template is that of a subchart",
      { "charts/sub/templates/a.yaml": ANY["templates/all.yaml"] ?? "" },
      "a",
      false,
    ],
    ["it is of the subchart", { "charts/sub/templates/a.yaml": ANY["templates/all.yaml"] ?? "" }, "charts/sub/a", true],
    ["no template reads files", template("{{/* see .Files */}}{{ .Values.a }}"), "config/prod", false],
    ["it is documentation", ANY, "README.md", false],
    ["it is a fixture of tests", ANY, ".fixtures/a.conf", false],
    ["Helm does not load it", { ...ANY, ".helmignore": "# a\n*.bak\nlocal/\n" }, "local/a", false],
  ];
  for (const [says, files, file, isHidden] of CASES)
    it(`${isHidden ? "needs a review" : "changes nothing"} if ${says}`, async () => {
      const found = await planned(chart({ ...files, [file]: "a\n" }), chart({ ...files, [file]: "b\n" }));
      assert.deepEqual(found, isHidden ? hidden(file) : ["ok"]);
    });

  it("needs a review if the version of the chart changes too", async () => {
    const labelled = (version: string): string =>
      deployment("web", "env").replace("metadata:", `metadata:\n  labels:\n    helm.sh/chart: web-${version}\n `);
    const side = (version: string): Files => chart({ ...BY_VALUE, "versions/prod": version }, labelled(version));
    assert.deepEqual(await planned(side("1"), side("2")), hidden("versions/prod"));
  });

  it("changes nothing if an Application here releases the chart", async () => {
    const side = (text: string): Files => ({
      ...chart({ ...BY_VALUE, "versions/prod": text }),
      "app.yaml": application("web", "charts/web"),
    });
    assert.deepEqual(await planned(side("a\n"), side("b\n")), ["ok"]);
  });

  it("needs a review if only a chart that is found by its place shows that Application", async () => {
    const side = (text: string): Files => ({
      ...chart({ ...BY_VALUE, "versions/prod": text }),
      "root/Chart.yaml": "apiVersion: v2\nname: root\nversion: 1.0.0\n",
      "root/templates/app.yaml": `{{ if true }}\n${application("web", "charts/web")}{{ end }}\n`,
      [`root/${RENDERED}`]: application("web", "charts/web"),
    });
    assert.deepEqual(await planned(side("a\n"), side("b\n")), [
      "attention",
      "chart web in charts/web changes (charts/web/versions/prod), but its values in the repository do not render all of it: with other values, what rolls out is unknown",
      "Add the values of the chart root, which renders it, to rollstamp.yaml: an entry of spec.applications with path and values.",
    ]);
  });
});

describe("a chart that a helmfile releases", () => {
  const HELMFILE = "deploy/helmfile.yaml";
  const RELEASED = [
    "attention",
    `chart charts/web changes, but what rolls out is unknown: 1 helmfile releases it with other values (${HELMFILE})`,
    "Render a helmfile at both revisions: rollstamp plan --git A..B --render 'helmfile -f FILE template'.",
  ];
  const image = (tag: string): string => deployment("web", "env").replace("app:1", `app:${tag}`);
  const NAMED: Readonly<Record<string, string>> = {
    "its name in a repository of charts": "- name: a\n    chart: stable/web-app # own",
    "its folder": '- {name: a, chart: "../charts/web"}',
    "its folder with a template": "- name: web\n    chart: ../charts/{{`{{ .Release.Name }}`}}",
    "only a template": "- name: web\n    chart: {{ .Values.chart }}",
  };
  for (const [by, release] of Object.entries(NAMED))
    it(`needs a review, whatever its own values show, if that says ${by}`, async () => {
      const side = (tag: string): Files => ({
        ...chart(template("{{ b }}"), image(tag)),
        [HELMFILE]: `releases:\n  ${release}\n`,
      });
      assert.deepEqual(await planned(side("1"), side("2")), RELEASED);
    });

  const QUIET: Readonly<Record<string, readonly [release: string, file: string, level: string]>> = {
    "its values change, which its own rendering does not show": ["stable/web-app", "values.yaml", "attention"],
    "only its documentation changes": ["stable/web-app", "README.md", "ok"],
    "the helmfile has another chart": ["stable/web", "values.yaml", "ok"],
    "a comment of the helmfile has it": ["stable/api\n  # - chart: stable/web-app", "values.yaml", "ok"],
    "the helmfile has the chart of another folder": ["./charts/web-app", "values.yaml", "ok"],
  };
  for (const [says, [release, file, level]] of Object.entries(QUIET))
    it(`is ${level} if ${says}`, async () => {
      const side = (text: string): Files => ({
        ...chart({ ...template("{{ b }}"), [file]: text }),
        [HELMFILE]: `releases:\n  - name: a\n    chart: ${release}\n`,
      });
      const found = await planned(side("a: 1\n"), side("a: 2\n"));
      assert.deepEqual(found, level === "ok" ? ["ok"] : RELEASED);
    });
});

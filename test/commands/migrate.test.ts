import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { configMap, deployment, STAMP_OF_A } from "../support/manifests.ts";

const marked = deployment("web", "settings").replace(
  "  name: web\n",
  '  name: web\n  annotations:\n    reloader.stakater.com/auto: "true" # by Reloader\n',
);
const APP: Files = { "web.yaml": marked, "settings.yaml": configMap("settings", "a") };

describe("rollstamp migrate", () => {
  it("reports what is and what will be, and writes nothing", () =>
    inFolder(APP, async (folder) => {
      const { status, stdout, stderr } = await cli(["migrate", folder]);
      assert.deepEqual([status, stderr], [0, ""]);
      assert.equal(
        stdout.replaceAll(`${folder}/`, ""),
        `Deployment web  web.yaml:1:1
  today     Reloader: reloader.stakater.com/auto: "true"
            rolled by ConfigMap settings
  then      rollstamp.dev/stamp: "true"
            rolled by the same

1 workload: 1 rolled by the same sources as today.
Put 'selection: Annotated' into rollstamp.yaml or the function's configuration: without it every workload is stamped.
The first stamps roll each of them once. Take the controller off these workloads in the same commit: both would roll them.
Nothing was written: --write turns these annotations into rollstamp's.
`,
      );
      assert.equal(readFileSync(join(folder, "web.yaml"), "utf8"), marked);
    }));
  it("turns the annotations into rollstamp's with --write, for stamp to go on", () =>
    inFolder(
      {
        ...APP,
        "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {selection: Annotated}\n",
      },
      async (folder) => {
        const { status, stderr } = await cli(["migrate", "--write", folder]);
        assert.deepEqual([status, stderr], [0, `${join(folder, "web.yaml")}\n`]);
        const text = readFileSync(join(folder, "web.yaml"), "utf8");
        assert.match(text, /annotations:\n {4}rollstamp\.dev\/stamp: "true"\n/u);
        assert.doesNotMatch(text, /stakater/u);
        assert.equal((await cli(["stamp", folder])).status, 0);
        assert.ok(readFileSync(join(folder, "web.yaml"), "utf8").includes(STAMP_OF_A));
        assert.match((await cli(["migrate", folder])).stdout, /^No annotation of Reloader or Wave is here/u);
      },
    ));
  it("prints with --diff what it would write", () =>
    inFolder(APP, async (folder) => {
      const { status, stdout } = await cli(["migrate", "--diff", folder]);
      assert.equal(status, 0);
      assert.match(
        stdout,
        /^diff --git [^]*\n-\s+reloader\.stakater\.com\/auto: "true" # by Reloader\n\+\s+rollstamp\.dev\/stamp: "true"\n/u,
      );
    }));
  it("names a chart's checksum lines, and what takes their place", () =>
    inFolder(
      {
        "web/Chart.yaml": "name: web\n",
        "web/templates/a.yaml":
          'kind: Deployment\nx:\n  checksum/config: {{ include (print $.Template.BasePath "/configmap.yaml") . | sha256sum }}\n',
      },
      async (folder) => {
        const { stdout } = await cli(["migrate", folder]);
        assert.match(
          stdout,
          /^Helm template {2}.*web\/templates\/a\.yaml:3\n {2}today {5}Helm: checksum\/config, a digest of \/configmap\.yaml as rendered/u,
        );
        assert.match(stdout, /post-renderer/u);
      },
    ));
  it("reads a base and its patches, and several environments", () =>
    inFolder(
      {
        "base/kustomization.yaml": "resources: [web.yaml]\n",
        "base/web.yaml": marked,
        "base/patch.yaml":
          "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: []}}}\n",
        "prod/web.yaml": marked,
        "prod/settings.yaml": configMap("settings", "b"),
      },
      async (folder) => {
        const { status, stdout } = await cli(["migrate", folder]);
        assert.equal(status, 0);
        assert.match(stdout, /^2 workloads: 2 rolled by the same sources/mu);
      },
    ));
  it("writes nothing where a file that is named is broken", () =>
    inFolder({ ...APP, "broken.yaml": `${configMap("x", "y")}  z: [\n` }, async (folder) => {
      const { status, stdout } = await cli(["migrate", "--write", folder, join(folder, "broken.yaml")]);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.equal(readFileSync(join(folder, "web.yaml"), "utf8"), marked);
    }));
});

describe("rollstamp migrate --render", () => {
  const sum = (digit: string): string => digit.repeat(64);
  const object = (source: string, text: string): string => `---\n# Source: web/templates/${source}\n${text}`;
  const map = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: b}\n`;
  const RENDERING = [
    object("config.yaml", map("web-config")),
    object("cm.yaml", map("web-cm")),
    object("account.yaml", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: web}\n"),
    object(
      "web.yaml",
      `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata:
      annotations:
        checksum/config: ${sum("a")}
        checksum/cm: ${sum("b")}
        checksum/account: ${sum("c")}
        checksum/gone: ${sum("d")}
        checksum/values: ${sum("e")}
        checksum/helper: ${sum("f")}
        checksum/elsewhere: ${sum("ab").slice(64)}
    spec: {containers: [{name: app, image: a, envFrom: [{configMapRef: {name: web-config}}]}]}
`,
    ),
  ].join("");
  const line = (key: string, file: string): string =>
    `        checksum/${key}: {{ include (print $.Template.BasePath "/${file}") . | sha256sum }}\n`;
  const CHART: Files = {
    "rendering.yaml": RENDERING,
    "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "chart/templates/web.yaml": [
      line("config", "config.yaml"),
      line("cm", "cm.yaml"),
      line("account", "account.yaml"),
      line("gone", "gone.yaml"),
      "        checksum/values: {{ toYaml .Values.config | sha256sum }}\n",
      '        checksum/helper: {{ include "web.config" . | sha256sum }}\n',
    ].join(""),
    "chart/charts/db/Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.0.0\n",
    // Of another chart, with the same name: what it is over is another thing.
    "chart/charts/db/templates/web.yaml": line("config", "cm.yaml"),
  };

  it("says which keys are seen, where not all are", () =>
    inFolder(CHART, async (folder) => {
      const chart = join(folder, "chart");
      const some = "env: [{name: A, valueFrom: {configMapKeyRef: {name: web-config, key: a}}}]";
      await writeFile(
        join(folder, "rendering.yaml"),
        RENDERING.replace("envFrom: [{configMapRef: {name: web-config}}]", some),
      );
      const { stdout } = await cli(["migrate", "--render", `cat ${folder}/rendering.yaml`, chart]);
      const words =
        "over ConfigMap web-config, of which its pods see only key a: a change of another one rolls nothing\n";
      assert.ok(stdout.includes(words), stdout);
    }));

  it("says what each checksum is over, and gives the overrides for what would be lost", () =>
    inFolder(CHART, async (folder) => {
      const chart = join(folder, "chart");
      const { status, stdout, stderr } = await cli(["migrate", "--render", `cat ${folder}/rendering.yaml`, chart]);
      assert.deepEqual([status, stderr], [0, ""]);
      assert.equal(
        stdout.replaceAll(`${chart}/`, ""),
        `Deployment web
  checksum/config: covered  templates/web.yaml:1
    over ConfigMap web-config, which its pods see
  checksum/cm: lost  templates/web.yaml:2
    over ConfigMap web-cm, which its pods don't name
  checksum/account: covers nothing  templates/web.yaml:3
    over ServiceAccount web, which is no source
  checksum/gone: covers nothing  templates/web.yaml:4
    over /gone.yaml, which renders no object
  checksum/values: not known  templates/web.yaml:5
    over .Values.config: what that renders, its line doesn't say
  checksum/helper: not known  templates/web.yaml:6
    its line names no template
  checksum/elsewhere: not known
    no line of the chart's templates writes it: give the chart's folder as a path

7 checksums: 1 covered by stamps, 2 over nothing that is a source, 1 lost, 3 not known.

With 'checksums: Remove', for what the pods read and don't name, in the configuration's spec:

overrides:
  - {target: {kind: Deployment, name: web}, sources: [configmap/web-cm]}
`,
      );
    }));
  it("gives an entry that the configuration takes, and that leaves nothing lost", () =>
    inFolder(
      {
        ...CHART,
        "rollstamp.yaml":
          "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec:\n  checksums: Remove\n  overrides:\n  - {target: {kind: Deployment, name: web}, sources: [configmap/web-cm]}\n",
      },
      async (folder) => {
        const config = ["--config", join(folder, "rollstamp.yaml")];
        const render = ["--render", `cat ${folder}/rendering.yaml`, join(folder, "chart")];
        const { stdout } = await cli(["migrate", ...config, ...render]);
        assert.match(stdout, /checksum\/cm: covered/u);
        assert.doesNotMatch(stdout, /overrides/u);
      },
    ));
  it("keeps in its entry what is named for the workload already, by an override or by its own annotation", () =>
    inFolder(
      {
        ...CHART,
        "rollstamp.yaml":
          "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec:\n  overrides:\n  - {target: {kind: Deployment, name: web}, sources: [secret/other/pw]}\n",
      },
      async (folder) => {
        const render = ["--render", `cat ${folder}/rendering.yaml`, join(folder, "chart")];
        const { stdout } = await cli(["migrate", "--config", join(folder, "rollstamp.yaml"), ...render]);
        assert.ok(stdout.includes("sources: [secret/other/pw, configmap/web-cm]}\n"), stdout);
        const annotated = RENDERING.replace(
          "kind: Deployment\nmetadata: {name: web}",
          "kind: Deployment\nmetadata: {name: web, annotations: {rollstamp.dev/sources: secret/pw}}",
        );
        await writeFile(join(folder, "rendering.yaml"), annotated);
        const own = await cli(["migrate", ...render]);
        assert.ok(own.stdout.endsWith("  Deployment web: 'rollstamp.dev/sources: secret/pw,configmap/web-cm'\n"));
        assert.doesNotMatch(own.stdout, /overrides:/u);
      },
    ));
  it("needs the chart, and refuses what it would not look at", () =>
    inFolder(CHART, async (folder) => {
      const render = ["migrate", "--render", `cat ${folder}/rendering.yaml`];
      const none = await cli([...render, join(folder, "rendering.yaml")]);
      assert.equal(none.status, 2);
      assert.match(none.stderr, /no chart is at the paths/u);
      const idle = await cli([...render, "--write", folder]);
      assert.equal(idle.status, 2);
      assert.match(idle.stderr, /--write has no effect beside --render/u);
    }));
});

// How a plan finds out what stamps each application, in each of its revisions.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { cli } from "../../support/cli.ts";
import type { Files } from "../../support/folders.ts";
import { configMap, deployment, STAMP_OF_A } from "../../support/manifests.ts";
import { withFakeKustomize } from "./fake-kustomize.ts";
import { inRepository } from "./repository.ts";

const app = (name: string): Files => ({
  [`${name}/kustomization.yaml`]: "resources: [all.yaml]\n",
  [`${name}/all.yaml`]: `${deployment(name, "env")}---\n${configMap("env", "a")}`,
});

const TRANSFORMER: Files = {
  "a/kustomization.yaml": "resources: [all.yaml]\ntransformers: [stamp.yml]\n",
  "a/stamp.yml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\n",
};

const STAMP_OF_B = "h1-72362ea47beb64a209018b32a1dc19b6a614d926";

const stamped = (name: string, stamp: string): string =>
  deployment(name, "env").replace(
    "    metadata:\n      labels",
    `    metadata:\n      annotations: {configmap.rollstamp.dev/env: ${stamp}}\n      labels`,
  );

const STAMPED = stamped("b", STAMP_OF_A);

const applicationsDocument = (spec: string): Files => ({
  "rollstamp.yaml": `apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: ${spec}\n`,
});

describe("stampedBy of the applications of a plan", () => {
  it("is that of the head, and of the base for what the head removes", () =>
    inRepository({ ...app("a"), ...app("b"), ...app("c"), ...app("d") }, async (repository) => {
      const environment = withFakeKustomize(repository);
      const stampedBy = async (...args: string[]): Promise<unknown> => {
        const { status, stdout, stderr } = await cli(["plan", "-o", "json", "--git", ...args], { environment });
        assert.notEqual(status, 2, stderr);
        const { applications = [] }: PlanJson = JSON.parse(stdout);
        return Object.fromEntries(
          applications.map(({ name, status: is, stampedBy: by }) => [name, `${is} ${by}`]).toSorted(),
        );
      };
      repository.commit("stamped", { ...TRANSFORMER, "b/all.yaml": `${STAMPED}---\n${configMap("env", "a")}` });
      assert.deepEqual(await stampedBy("start..stamped"), {
        a: "Unchanged Transformer",
        b: "Changed Files",
        c: "NotAffected Nothing",
        d: "NotAffected Nothing",
      });
      repository.commit("idle", { "c/all.yaml": deployment("c", "env") });
      assert.deepEqual(await stampedBy("stamped..idle"), {
        a: "NotAffected Transformer",
        b: "NotAffected Files",
        c: "Changed Nothing",
        d: "NotAffected Nothing",
      });
      repository.commit(
        "written",
        applicationsDocument("{stampedBy: Plugin, applications: [{path: b, stampedBy: PostRenderer}]}"),
      );
      const written = {
        a: "NotAffected Transformer",
        b: "NotAffected PostRenderer",
        c: "NotAffected Plugin",
        d: "NotAffected Plugin",
      };
      assert.deepEqual(await stampedBy("idle..written"), written);
      repository.git("rm", "-rq", "a", "c");
      repository.commit("removed", {});
      assert.deepEqual(await stampedBy("written..removed"), {
        ...written,
        a: "Changed Transformer",
        c: "Changed Plugin",
      });
      assert.deepEqual(await stampedBy("written..removed", "--stamped-by", "Nothing"), {
        a: "Changed Nothing",
        b: "NotAffected Nothing",
        c: "Changed Nothing",
        d: "NotAffected Nothing",
      });
    }));

  it("makes the stamps of a function or plugin that only an option or rollstamp.yaml names, also of plain manifests", () =>
    inRepository(
      { ...app("a"), "plain/all.yaml": `${deployment("plain", "env")}---\n${configMap("env", "a")}` },
      async (repository) => {
        const environment = withFakeKustomize(repository);
        const rolls = async (...args: string[]): Promise<unknown> => {
          const { stdout } = await cli(["plan", "-o", "json", "--git", ...args], { environment });
          const { workloads }: PlanJson = JSON.parse(stdout);
          return workloads.map(({ application, name, action }) => [application, name, action]).toSorted();
        };
        const actions = (action: string): unknown => [
          [".", "plain", action],
          ["a", "a", action],
        ];
        repository.commit("changed", {
          "a/all.yaml": `${deployment("a", "env")}---\n${configMap("env", "b")}`,
          "plain/all.yaml": `${deployment("plain", "env")}---\n${configMap("env", "b")}`,
        });
        for (const by of ["Transformer", "Plugin", "PostRenderer"])
          assert.deepEqual(await rolls("start..changed", "--stamped-by", by), actions("Roll"), by);
        for (const by of ["Files", "Nothing"])
          assert.deepEqual(await rolls("start..changed", "--stamped-by", by), actions("Stale"), by);
        repository.commit("written", applicationsDocument("{stampedBy: Plugin}"));
        assert.deepEqual(await rolls("start..written"), actions("Roll"));
      },
    ));

  it("makes the stamps of a mutator of a Kptfile, with its configuration: a package is read as it is committed", () => {
    const all = (value: string): Files => ({
      "p/all.yaml": `${deployment("p", "env")}---\n${configMap("env", value)}`,
    });
    const kptfile = (pipeline: string): Files => ({
      "p/Kptfile": `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: p}\npipeline: {${pipeline}}\n`,
    });
    const mutators = (config: string): Files =>
      kptfile(`mutators: [{image: "ghcr.io/rollstamp/rollstamp:v1", configMap: {${config}}}]`);
    return inRepository({ ...kptfile(""), ...all("a") }, async (repository) => {
      const { environment } = repository;
      const planned = async (range: string, ...args: string[]): Promise<unknown> => {
        const { stdout } = await cli(["plan", "-o", "json", "--git", range, ...args], { environment });
        const { workloads, applications = [] }: PlanJson = JSON.parse(stdout);
        return [
          ...applications.map(({ stampedBy }) => stampedBy),
          ...workloads.map(({ action, reasons }) => `${action} ${reasons.map(({ type }) => type).join()}`),
        ];
      };
      repository.commit("unstamped", all("b"));
      repository.commit("adopted", mutators(""));
      repository.commit("changed", all("c"));
      repository.commit("ignored", mutators('exclude: "configmap/env"'));
      repository.commit("excluded", all("d"));
      assert.deepEqual(await planned("start..unstamped"), ["Nothing", "Stale Source"]);
      assert.deepEqual(await planned("unstamped..adopted"), ["Transformer", "Roll FirstStamp"]);
      assert.deepEqual(await planned("adopted..changed"), ["Transformer", "Roll Source"]);
      assert.deepEqual(await planned("adopted..changed", "--stamped-by", "Nothing"), ["Nothing", "Stale Source"]);
      assert.deepEqual(await planned("ignored..excluded"), ["Transformer"]);
    });
  });

  // The fake kustomize runs no transformer: the manifests have the stamps that it would write.
  it("does not count the stamps of a transformer that an option or a row of rollstamp.yaml denies", () =>
    inRepository(
      { ...TRANSFORMER, "a/all.yaml": `${stamped("a", STAMP_OF_A)}---\n${configMap("env", "a")}` },
      async (repository) => {
        const environment = withFakeKustomize(repository);
        const rolls = async (range: string, ...args: string[]): Promise<unknown> => {
          const { stdout } = await cli(["plan", "-o", "json", "--git", range, ...args], { environment });
          const { workloads, applications = [] }: PlanJson = JSON.parse(stdout);
          return [applications.map(({ stampedBy }) => stampedBy), workloads.map(({ action }) => action)];
        };
        const changed = `${stamped("a", STAMP_OF_B)}---\n${configMap("env", "b")}`;
        repository.commit("changed", { "a/all.yaml": changed });
        assert.deepEqual(await rolls("start..changed"), [["Transformer"], ["Roll"]]);
        assert.deepEqual(await rolls("start..changed", "--stamped-by", "Nothing"), [["Nothing"], ["Stale"]]);
        repository.commit("all", applicationsDocument("{stampedBy: Nothing}"));
        assert.deepEqual(await rolls("start..all"), [["Transformer"], ["Roll"]]);
        repository.commit("row", applicationsDocument("{applications: [{path: a, stampedBy: Nothing}]}"));
        assert.deepEqual(await rolls("start..row"), [["Nothing"], ["Stale"]]);
      },
    ));

  it("takes the configuration of a transformer that is listed: inline, in a file, as a ConfigMap", () =>
    inRepository({ ...app("a"), ...app("b"), ...app("c") }, async (repository) => {
      const environment = withFakeKustomize(repository);
      const config = (spec: string): string =>
        `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\nspec: {${spec}}\n`;
      const listing = (transformer: string): string => `resources: [all.yaml]\ntransformers:\n${transformer}`;
      const inline = config("overrides: [{target: {name: a}, stamp: false}]").replaceAll(/^/gmu, "  ");
      const custom = `apiVersion: acme.io/v1\nkind: App\nmetadata: {name: own}\nspec: {template: {spec: {containers: [{name: app, envFrom: [{configMapRef: {name: env}}]}]}}}\n`;
      const annotations = '{config.kubernetes.io/function: "container: {image: ghcr.io/rollstamp/rollstamp:v1}"}';
      const start = {
        "a/kustomization.yaml": listing(`- |-\n${inline}`),
        "b/kustomization.yaml": listing("- stamp.yml\n"),
        "b/stamp.yml": config("workloads: [{group: acme.io, kind: App, podTemplate: spec.template}]"),
        "b/all.yaml": `${custom}---\n${configMap("env", "a")}`,
        "c/kustomization.yaml": listing("- stamp.yml\n"),
        "c/stamp.yml": `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: stamp\n  annotations: ${annotations}\ndata: {overrides: '[{"target": {"name": "c"}, "stamp": false}]'}\n`,
      };
      repository.commit("before", start);
      repository.commit("after", {
        "a/all.yaml": `${deployment("a", "env")}---\n${configMap("env", "b")}`,
        "b/all.yaml": `${custom}---\n${configMap("env", "b")}`,
        "c/all.yaml": `${deployment("c", "env")}---\n${configMap("env", "b")}`,
      });
      const { stdout } = await cli(["plan", "--all", "-o", "json", "--git", "before..after"], { environment });
      const { workloads }: PlanJson = JSON.parse(stdout);
      assert.deepEqual(workloads.map(({ name, action }) => [name, action]).toSorted(), [
        ["a", "None"],
        ["c", "None"],
        ["own", "Stale"],
      ]);
    }));

  // One key of each source is visible to the pods; the other is `other`.
  const oneKey = (name: string): string =>
    deployment(name, "env").replace(
      /envFrom:[^]*$/u,
      "env: [{name: A, valueFrom: {configMapKeyRef: {name: env, key: value}}}]\n",
    );
  const env = (value: string, other: string): string => `${configMap("env", value)}  other: ${other}\n`;

  it("takes the parameters of our plugin as it does: rollstamp-options, and the file of rollstamp-config", () => {
    const configuration = (spec: string): string =>
      `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\nspec: {${spec}}\n`;
    const application = (name: string, parameters: string): Files => ({
      [`apps/${name}.yaml`]: `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}, namespace: argocd}\nspec: {source: {repoURL: https://example.com/x.git, path: ${name}, plugin: {name: rollstamp, parameters: [${parameters}]}}, destination: {namespace: shop, server: https://kubernetes.default.svc}, syncPolicy: {automated: {}}}\n`,
      [`${name}/all.yaml`]: `${oneKey(name)}---\n${env("a", "a")}`,
    });
    return inRepository(
      {
        ...application("a", ""),
        ...application("b", "{name: rollstamp-options, map: {granularity: Object}}"),
        ...application("c", "{name: rollstamp-config, string: /config/object.yml}"),
        ...application(
          "d",
          `{name: rollstamp-options, map: {overrides: '[{"target": {"name": "d"}, "stamp": false}]'}}`,
        ),
        "config/object.yml": configuration("granularity: Object"),
        "d/rollstamp.yaml": configuration("granularity: Object"),
      },
      async (repository) => {
        const { environment } = repository;
        const actions = async (range: string): Promise<unknown> => {
          const { stdout, stderr } = await cli(["plan", "--all", "-o", "json", "--git", range], { environment });
          const { workloads }: PlanJson = JSON.parse(stdout);
          const keys = new Set(workloads.flatMap(({ reasons }) => reasons.map(({ type }) => type)));
          return [
            Object.fromEntries(workloads.map(({ name, action }) => [name, action]).toSorted()),
            [...keys],
            stderr,
          ];
        };
        const all = (text: string): Files =>
          Object.fromEntries(["a", "b", "c", "d"].map((name) => [`${name}/all.yaml`, `${oneKey(name)}---\n${text}`]));
        repository.commit("other", all(env("a", "b")));
        assert.deepEqual(await actions("start..other"), [
          { a: "None", b: "Roll", c: "Roll", d: "None" },
          ["Source"],
          "",
        ]);
        repository.commit("seen", all(env("b", "b")));
        assert.deepEqual(await actions("other..seen"), [
          { a: "Roll", b: "Roll", c: "Roll", d: "None" },
          ["Source"],
          "",
        ]);
        repository.commit("config", { "config/object.yml": configuration("granularity: Key") });
        assert.deepEqual(await actions("seen..config"), [{ c: "Roll" }, ["Stamp"], ""]);
      },
    );
  });

  it("is the same configuration with --apps, unless the user names one", () =>
    inRepository(
      {
        "a/kustomization.yaml": "resources: [all.yaml]\ntransformers: [stamp.yml]\n",
        "a/stamp.yml":
          "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\nspec: {workloads: [{group: acme.io, kind: App, podTemplate: spec.template}]}\n",
        "a/all.yaml": `apiVersion: acme.io/v1\nkind: App\nmetadata: {name: own}\nspec: {template: {spec: {containers: [{name: app, envFrom: [{configMapRef: {name: env}}]}]}}}\n---\n${configMap("env", "a")}`,
        "plain.yml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\n",
      },
      async (repository) => {
        const environment = withFakeKustomize(repository);
        const names = async (...args: string[]): Promise<unknown> => {
          const { stdout } = await cli(["graph", "--apps", "-o", "json", ...args], { environment });
          const { workloads }: { workloads: { name: string }[] } = JSON.parse(stdout);
          return workloads.map(({ name }) => name);
        };
        assert.deepEqual(await names(), ["own"]);
        assert.deepEqual(await names("--config", "plain.yml"), []);
        const linted = await cli(["lint", "--apps", "-o", "json"], { environment });
        assert.ok(!linted.stdout.includes("RS014"), "its own configuration knows the kind");
        const unknown = await cli(["lint", "--apps", "-o", "json", "--config", "plain.yml"], { environment });
        assert.ok(unknown.stdout.includes("RS014"));
      },
    ));
});

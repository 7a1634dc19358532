import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { parse } from "yaml";
import { FUNCTIONS } from "../../functions/functions.ts";
import { PARAMETERS } from "../../src/applications/tools/parameter-rows.ts";
import { KUSTOMIZE_PLUGIN } from "../../src/setup/init/kustomize.ts";
import { inRoot, ROOT } from "../support/paths.ts";
import { run } from "../support/run.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";

type Fields = Readonly<Record<string, unknown>>;

function read(...path: string[]): string {
  return readFileSync(inRoot(...path), "utf8");
}

function yaml(...path: string[]): Fields {
  return parse(read(...path)) as Fields;
}

const schemas = fg.sync("functions/*/schema.json", { cwd: ROOT }).sort();
const LIST = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";

describe("the folders of the functions", () => {
  it("are those of existing functions", () => {
    const kinds = schemas.map((file) => (JSON.parse(read(file)) as { readonly title: string }).title);
    assert.deepEqual(kinds, FUNCTIONS.map(({ kind }) => kind).sort());
  });

  it("have definitions that are up to date", () => {
    const { status, stderr } = spawnSync(process.execPath, [inRoot("scripts", "definitions.mjs"), "--check"], {
      cwd: ROOT,
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
  });

  for (const file of schemas) {
    const name = file.split("/")[1] ?? "";
    const schema = JSON.parse(read(file)) as {
      readonly title: string;
      readonly $defs: { readonly spec: { readonly properties: Fields } };
    };

    // https://github.com/kptdev/krm-functions-catalog, scripts/generate_docs/metadata-schema.json
    it(`${name}: the metadata match the catalog's schema`, () => {
      const { image, description, tags, sourceURL, examplePackageURLs, license, hidden, ...unknown } = yaml(
        "functions",
        name,
        "metadata.yaml",
      );
      assert.deepEqual(unknown, {});
      assert.match(String(image), /^[\w.-]+(?:\/[\w.-]+)+$/u, "without a tag");
      assert.ok(typeof description === "string" && description.endsWith("."));
      assert.deepEqual(tags, [schema.title === "RolloutLint" ? "validator" : "mutator"]);
      assert.deepEqual({ license, hidden }, { license: "Apache-2.0", hidden: false });
      assert.equal(sourceURL, `https://github.com/rollstamp/rollstamp/tree/main/functions/${name}`);
      const examples = fg.sync(`functions/${name}/examples/*`, { cwd: ROOT, onlyDirectories: true }).sort();
      assert.deepEqual(
        examplePackageURLs,
        examples.map((folder) => `https://github.com/rollstamp/rollstamp/tree/main/${folder}`),
      );
    });

    // Kubernetes enhancement 2906; kyaml/fn/framework reads a schema from it.
    it(`${name}: a complete KRMFunctionDefinition`, () => {
      const definition = yaml("functions", name, "definition.yaml") as {
        readonly apiVersion: string;
        readonly kind: string;
        readonly spec: {
          readonly names: Fields;
          readonly versions: readonly [Fields & { readonly schema: { readonly openAPIV3Schema: Fields } }];
        } & Fields;
      };
      assert.deepEqual(
        [definition.apiVersion, definition.kind],
        ["config.kubernetes.io/v1alpha1", "KRMFunctionDefinition"],
      );
      for (const field of ["group", "names", "description", "publisher", "versions"])
        assert.ok(field in definition.spec, field);
      const [version] = definition.spec.versions;
      for (const field of ["name", "schema", "idempotent", "runtime", "usage", "examples", "license"])
        assert.ok(field in version, field);
      assert.deepEqual(definition.spec.names, { kind: schema.title });
      assert.doesNotMatch(JSON.stringify(version.schema), /"(?:\$ref|\$defs|const)"|"type":\[/u, "OpenAPI 3.0");
    });

    it(`${name}: the README has every field, and valid configurations`, () => {
      const readme = read("functions", name, "README.md");
      for (const field of Object.keys(schema.$defs.spec.properties))
        assert.match(readme, new RegExp(`^\\|.*\`${field}\``, "mu"));
      const configs = [...readme.matchAll(/^```yaml\n(?<text>apiVersion: rollstamp\.dev[\s\S]*?)^```$/gmu)].map(
        ({ groups }) => groups?.["text"] ?? "",
      );
      assert.ok(configs.length > 0);
      for (const config of configs) assert.notEqual(run(LIST, config).status, 2, run(LIST, config).messages);
      for (const { groups } of readme.matchAll(/\]\((?<link>[^)#:]+)\)/gu)) {
        assert.ok(existsSync(inRoot("functions", name, groups?.["link"] ?? "")), groups?.["link"]);
      }
    });
  }
});

describe("the folder of kustomize plugins", () => {
  it("is the same as rollstamp init writes", async () => {
    const { files } = await KUSTOMIZE_PLUGIN.propose(
      {
        read: () => undefined,
        find: () => [],
        findInRepository: () => [],
        repository: ".",
        path: ".",
        typed: ".",
        limits: DEFAULT_LIMITS,
      },
      {
        version: "0.0.0",
        isNamed: false,
        inventory: () => Promise.reject(new Error("it looks at no repository")),
        generated: () => Promise.reject(new Error("it looks at no repository")),
        survey: () => {
          throw new Error("it looks at no repository");
        },
        git: () => {
          throw new Error("it looks at no repository");
        },
      },
    );
    assert.equal(files.length, FUNCTIONS.length);
    for (const { path, after } of files) {
      assert.equal(read("functions", "kustomize-plugin", path), after);
      assert.equal(statSync(inRoot("functions", "kustomize-plugin", path)).mode & 0o111, 0o111, path);
    }
  });
});

describe("Argo CD's plugin", () => {
  const plugin = yaml("functions", "argocd-cmp", "plugin.yaml") as {
    readonly metadata: Fields;
    readonly spec: Fields & { readonly parameters: { readonly static: readonly Fields[]; readonly dynamic: Fields } };
  };

  it("announces the general parameters as they are read", () => {
    const rows = PARAMETERS.filter((row) => row.only === undefined).map(
      ({ name, title, tooltip, itemType, collectionType }) => ({ name, title, tooltip, itemType, collectionType }),
    );
    assert.deepEqual(plugin.spec.parameters.static, rows);
  });

  it("has no version in its name: Applications use it", () => {
    assert.deepEqual(plugin.metadata, { name: "rollstamp" });
    assert.equal(plugin.spec["version"], undefined);
    // Argo CD passes over a field that it does not know.
    assert.deepEqual(Object.keys(plugin.spec).sort(), ["discover", "generate", "parameters"]);
  });

  it("limits input to the memory of the sidecar (docs/why/limits.md, Memory)", () => {
    const commands = read("functions", "argocd-cmp", "plugin.yaml").match(/command: \[rollstamp.*\]/gu) ?? [];
    assert.equal(commands.length, 3);
    const sizes = commands.map((command) => Number(/--max-input-size, (\d+)Mi\]/u.exec(command)?.[1]));
    const memory = Number(/memory: (\d+)Gi/u.exec(read("functions", "argocd-cmp", "repo-server.yaml"))?.[1]) * 1024;
    for (const size of sizes) assert.ok(70 + 90 * size < memory - 256, `${size} MiB in ${memory} MiB`);
  });

  it("has every parameter in its documentation", () => {
    const text = read("docs", "guides", "argocd.md");
    for (const { name } of PARAMETERS) assert.ok(text.includes(`\`${name}\``), name);
  });
});

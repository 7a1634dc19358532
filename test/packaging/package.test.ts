import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fg from "fast-glob";
import { inRoot, ROOT } from "../support/paths.ts";

interface Packed {
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[];
  readonly unpackedSize: number;
}

/** The contents of the tarball that `npm pack` makes. */
function packed(): Packed {
  const { status, stdout, stderr } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const [found] = JSON.parse(stdout) as [Packed];
  return found;
}

// Every file must match one of these: other files of a checkout must not be published.
const EXPECTED = [
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md)$/u,
  /^dist\/(?:(?:rollstamp|start|commands|functions|kube-config|croner|re2js|yaml)\.cjs|index\.js)$/u,
  /^dist\/(?:THIRD-PARTY-LICENSES\.txt|sbom\.cdx\.json)$/u,
  /^dist\/schemas\/[\w-]+\.json$/u,
  /^dist\/index\.d\.ts$/u,
  /^llms\.txt$/u,
  /^docs\/[\w/.-]+\.(?:md|yaml)$/u,
  /^functions\/[\w-]+\/(?:schema\.json|definition\.yaml|metadata\.yaml|README\.md)$/u,
  /^functions\/[\w-]+\/examples\/[\w/-]+\/(?:Kptfile|[\w-]+\.yaml|README\.md)$/u,
  /^functions\/argocd-cmp\/(?:[\w-]+\.yaml|README\.md)$/u,
  /^functions\/helm-postrenderer\/(?:plugin\.yaml|rollstamp\.cjs|README\.md)$/u,
  /^functions\/kustomize-component\/[\w-]+\/[\w-]+\.yaml$/u,
  /^functions\/kustomize-plugin\/rollstamp\.dev\/v1alpha1\/[a-z]+\/[A-Za-z]+$/u,
];

describe("the package", () => {
  const { files, unpackedSize } = packed();
  const paths = files.map(({ path }) => path);

  it("has only expected files", () => {
    assert.deepEqual(
      paths.filter((path) => !EXPECTED.some((pattern) => pattern.test(path))),
      [],
    );
  });

  it("has the command, the library, the schemas, the functions, the docs and the licence", () => {
    const needed = [
      "dist/rollstamp.cjs",
      "dist/index.js",
      "dist/THIRD-PARTY-LICENSES.txt",
      "dist/sbom.cdx.json",
      "LICENSE",
      "README.md",
      "llms.txt",
      "functions/argocd-cmp/plugin.yaml",
      "functions/argocd-cmp/kustomization.yaml",
      ...fg.sync("functions/*/{schema.json,definition.yaml,metadata.yaml,README.md}", { cwd: ROOT }),
      ...fg.sync(["functions/*/examples/**", "functions/{kustomize-*,helm-postrenderer}/**"], { cwd: ROOT, dot: true }),
      ...fg.sync("docs/**/*.md", { cwd: ROOT, ignore: ["docs/why/{benchmarks,decisions}.md"] }),
    ];
    assert.deepEqual(
      needed.filter((path) => !paths.includes(path)),
      [],
    );
  });

  it("has schemas that need no other file", () => {
    const schemas = paths.filter((path) => path.startsWith("dist/schemas/"));
    assert.ok(schemas.length > 10);
    for (const path of schemas)
      assert.doesNotThrow(
        () => new Ajv2020({ strict: false }).compile(JSON.parse(readFileSync(inRoot(path), "utf8"))),
        path,
      );
  });

  it("keeps programs executable", () => {
    const run = files.filter(
      ({ path }) => path === "dist/rollstamp.cjs" || path.startsWith("functions/kustomize-plugin/"),
    );
    assert.equal(run.length, 4);
    for (const { path, mode } of run) assert.equal(mode & 0o111, 0o111, path);
  });

  it("has no dependencies", () => {
    const json = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as Record<string, unknown>;
    assert.deepEqual(
      [json["dependencies"], json["peerDependencies"], json["optionalDependencies"]],
      [undefined, undefined, undefined],
    );
    assert.match(
      JSON.stringify(json["repository"]),
      /github\.com\/rollstamp\/rollstamp/u,
      "npm's provenance compares it",
    );
  });

  it("is small", () => assert.ok(unpackedSize < 6_000_000, `${unpackedSize} bytes`));

  // npm run check:package installs the package and uses dist/index.d.ts, which only npm pack makes.
  it("exports files that it has", () => {
    const { exports, bin } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
      readonly bin: Readonly<Record<string, string>>;
    };
    const targets = [
      ...Object.values(exports).flatMap((target) => (typeof target === "string" ? target : Object.values(target))),
      ...Object.values(bin),
    ];
    for (const target of targets.filter((path) => path !== "./dist/index.d.ts")) {
      const pattern = new RegExp(
        `^${target
          .replace(/^\.\//u, "")
          .replaceAll(".", String.raw`\.`)
          .replace("*", ".+")}$`,
        "u",
      );
      assert.ok(
        paths.some((path) => pattern.test(path)),
        target,
      );
    }
  });
});

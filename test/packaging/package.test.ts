import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { inRoot, ROOT } from "../support/paths.ts";

interface Packed {
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: number }[];
  readonly unpackedSize: number;
}

/** What `npm pack` would put into the tarball. */
function packed(): Packed {
  const { status, stdout, stderr } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  const [found] = JSON.parse(stdout) as [Packed];
  return found;
}

// Every file has to be of one of these: what lies about in a checkout must not get out.
const MEANT = [
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md)$/u,
  /^dist\/(?:(?:rollstamp|croner|re2js)\.cjs|index\.js)$/u,
  /^dist\/(?:THIRD-PARTY-LICENSES\.txt|sbom\.cdx\.json)$/u,
  /^dist\/schemas\/[\w-]+\.json$/u,
  /^dist\/types\/(?:src|functions)\/[\w/-]+\.d\.ts$/u,
  /^docs\/[\w/.-]+\.(?:md|svg|png|yaml)$/u,
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

  it("holds what is meant, and nothing else", () => {
    assert.deepEqual(
      paths.filter((path) => !MEANT.some((pattern) => pattern.test(path))),
      [],
    );
  });

  it("holds the command, the library, the schemas, the functions and the licence", () => {
    const needed = [
      "dist/rollstamp.cjs",
      "dist/index.js",
      "dist/THIRD-PARTY-LICENSES.txt",
      "dist/sbom.cdx.json",
      "dist/types/src/main/index.d.ts",
      "LICENSE",
      "README.md",
      "functions/argocd-cmp/plugin.yaml",
      "functions/argocd-cmp/kustomization.yaml",
      ...fg.sync("functions/*/{schema.json,definition.yaml,metadata.yaml,README.md}", { cwd: ROOT }),
      ...fg.sync(["functions/*/examples/**", "functions/{kustomize-*,helm-postrenderer}/**"], { cwd: ROOT, dot: true }),
      ...fg.sync("docs/**/*.md", { cwd: ROOT }),
    ];
    assert.deepEqual(
      needed.filter((path) => !paths.includes(path)),
      [],
    );
  });

  it("keeps what is run executable", () => {
    const run = files.filter(
      ({ path }) => path === "dist/rollstamp.cjs" || path.startsWith("functions/kustomize-plugin/"),
    );
    assert.equal(run.length, 4);
    for (const { path, mode } of run) assert.equal(mode & 0o111, 0o111, path);
  });

  it("needs nothing else to run: it has no dependencies", () => {
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

  it("exports files that it has", () => {
    const { exports, bin } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
      readonly bin: Readonly<Record<string, string>>;
    };
    const targets = [
      ...Object.values(exports).flatMap((target) => (typeof target === "string" ? target : Object.values(target))),
      ...Object.values(bin),
    ];
    for (const target of targets) {
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

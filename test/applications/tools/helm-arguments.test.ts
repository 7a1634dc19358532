import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { helmArguments, type HelmInputs } from "../../../src/applications/tools/helm-arguments.ts";
import { readParameters } from "../../../src/applications/tools/parameters.ts";

function argumentsFor(
  parameters: readonly object[],
  environment: Record<string, string> = {},
  more: Partial<HelmInputs> = {},
): string[] {
  const given = readParameters({ ARGOCD_APP_PARAMETERS: JSON.stringify(parameters) });
  return helmArguments({
    given,
    environment,
    valuesFiles: [],
    setFiles: [],
    setJson: [],
    ...more,
  });
}

// The variables that Argo CD 3.1.9 sends to a plugin, and its arguments for helm.
const ARGO = {
  ARGOCD_APP_NAME: "web",
  ARGOCD_APP_NAMESPACE: "shop",
  ARGOCD_APP_REVISION: "4f3e2d1c",
  KUBE_VERSION: "1.34.1",
  KUBE_API_VERSIONS: "v1,apps/v1,apps/v1/Deployment",
};

describe("the arguments of helm template", () => {
  it("are those of Argo CD", () => {
    assert.deepEqual(argumentsFor([], ARGO), [
      "template",
      "web",
      ".",
      "--namespace=shop",
      "--kube-version=1.34.1",
      "--api-versions=v1",
      "--api-versions=apps/v1",
      "--api-versions=apps/v1/Deployment",
      "--include-crds",
    ]);
  });

  it("use the name of the Application, without its namespace, for the release", () => {
    assert.deepEqual(argumentsFor([], { ARGOCD_APP_NAME: "team-a_web" }).slice(0, 3), ["template", "web", "."]);
  });

  it("are omitted if they are not set", () => {
    assert.deepEqual(argumentsFor([], { ARGOCD_APP_NAMESPACE: "", KUBE_API_VERSIONS: "" }), [
      "template",
      ".",
      "--include-crds",
    ]);
  });

  it("use parameters before variables of Argo CD", () => {
    const parameters = [
      { name: "release-name", string: "other" },
      { name: "release-namespace", string: "elsewhere" },
      { name: "kube-version", string: "1.30" },
      { name: "api-versions", array: ["v1"] },
      { name: "skip-crds", string: "true" },
      { name: "skip-tests", string: "true" },
      { name: "skip-schema-validation", string: "true" },
    ];
    assert.deepEqual(argumentsFor(parameters, ARGO), [
      "template",
      "other",
      ".",
      "--namespace=elsewhere",
      "--kube-version=1.30",
      "--api-versions=v1",
      "--skip-schema-validation",
      "--skip-tests",
    ]);
  });

  it("order values like Argo CD: files, text, parameters", () => {
    const parameters = [
      { name: "helm-parameters", map: { b: "2", a: "x,y" } },
      { name: "helm-string-parameters", map: { c: "true" } },
      { name: "helm-values", string: "a: 1" },
    ];
    const files = {
      valuesFiles: ["../values-files/0.yaml", "../values-files/1.yaml"],
      setFiles: [["d", "../file-parameters/0"]] as const,
      setJson: ["e=1"],
    };
    assert.deepEqual(argumentsFor(parameters, {}, files).slice(2), [
      "--values=../values-files/0.yaml",
      "--values=../values-files/1.yaml",
      "--values=-",
      "--set-json=e=1",
      String.raw`--set=a=x\,y`,
      "--set=b=2",
      "--set-string=c=true",
      "--set-file=d=../file-parameters/0",
      "--include-crds",
    ]);
  });

  it("keep lists in braces and escaped commas", () => {
    const found = argumentsFor([{ name: "helm-parameters", map: { a: "{x,y}", b: String.raw`x\,y` } }]);
    assert.deepEqual(found.slice(2, 4), ["--set=a={x,y}", String.raw`--set=b=x\,y`]);
  });

  it("replace variables of the application, and no others", () => {
    const environment = { ...ARGO, ROLLSTAMP_HMAC_KEY: "secret", HOME: "/home/argocd", ARGOCD_APP_PARAMETERS: "[]" };
    const map = {
      a: "$ARGOCD_APP_REVISION",
      b: "${ARGOCD_APP_NAME}-x",
      c: "$$5",
      d: "$ROLLSTAMP_HMAC_KEY$HOME${ARGOCD_APP_PARAMETERS}",
      e: "$ARGOCD_APP_MISSING.",
    };
    assert.deepEqual(
      argumentsFor([{ name: "helm-string-parameters", map }], environment).filter((text) =>
        text.startsWith("--set-string"),
      ),
      ["--set-string=a=4f3e2d1c", "--set-string=b=web-x", "--set-string=c=$5", "--set-string=d=", "--set-string=e=."],
    );
  });

  it("never turn a value into a flag", () => {
    const found = argumentsFor([{ name: "release-namespace", string: "--post-renderer=/bin/sh" }], {
      KUBE_VERSION: "--debug",
    });
    assert.deepEqual(found, [
      "template",
      ".",
      "--namespace=--post-renderer=/bin/sh",
      "--kube-version=--debug",
      "--include-crds",
    ]);
  });

  for (const name of [
    '{{ env "ROLLSTAMP_HMAC_KEY" }}',
    '{{expandenv "$HOME"}}',
    "--post-renderer=/bin/sh",
    "-o",
    "a/../b",
    "Web",
    "a".repeat(54),
  ]) {
    it(`reject an invalid release name: ${name}`, () => {
      assert.throws(() => argumentsFor([{ name: "release-name", string: name }]), /the release name is invalid/u);
      assert.throws(() => argumentsFor([], { ARGOCD_APP_NAME: name }), /the release name is invalid/u);
    });
  }

  const PATHS = ["helm-parameters", "helm-string-parameters", "helm-file-parameters"] as const;
  for (const path of ["a=/etc/passwd,b", "a=x", "a,b", "a]", "a[x]", "a[0]b", "a\\", "", "a[-1]"]) {
    it(`reject more than a path: ${path}`, () => {
      for (const name of PATHS) {
        const more = name === "helm-file-parameters" ? { setFiles: [[path, "../file-parameters/0"]] as const } : {};
        assert.throws(
          () => argumentsFor([{ name, map: { [path]: "x" } }], {}, more),
          /has the path '.*', (?:in )?which/u,
        );
      }
    });
  }

  for (const map of [
    { "a[10000]": "x" },
    Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`a${i}[60]`, "x"])),
    { [`a${"[999]".repeat(11)}`]: "x" },
  ]) {
    it(`limit the items of lists: ${Object.keys(map).length} paths`, () => {
      for (const name of ["helm-parameters", "helm-string-parameters"]) {
        assert.throws(() => argumentsFor([{ name, map }]), /make lists of more than 10000 items/u);
      }
    });
  }

  it("escape special characters in paths", () => {
    const map = { [String.raw`a\.b.c[0].d\=e\,f`]: "1", "g{h": "2", "i[0][12]": "3" };
    assert.deepEqual(
      argumentsFor([{ name: "helm-parameters", map }]).filter((text) => text.startsWith("--set")),
      [String.raw`--set=a\.b.c[0].d\=e\,f=1`, String.raw`--set=g\{h=2`, "--set=i[0][12]=3"],
    );
  });

  const VALUES: readonly (readonly [string, string])[] = [
    [String.raw`x\\,b=/etc/passwd`, String.raw`x\\\,b=/etc/passwd`],
    [String.raw`x\\\,y`, String.raw`x\\\,y`],
    ["{a},b={c}", String.raw`\{a}\,b={c}`],
    ["{a", String.raw`\{a`],
    [String.raw`{a\}`, String.raw`\{a\}`],
    ["{}", "{}"],
  ];
  for (const [value, written] of VALUES) {
    it(`pass one value as one value: ${value}`, () => {
      assert.ok(argumentsFor([{ name: "helm-parameters", map: { k: value } }]).includes(`--set=k=${written}`));
    });
  }

  it("name an argument that is too long, without its value", () => {
    const secret = "hunter2-".repeat(20_000);
    assert.throws(
      () => argumentsFor([{ name: "helm-string-parameters", map: { password: secret } }]),
      (cause) =>
        cause instanceof Error &&
        /makes an argument of 160022 bytes for helm's --set-string/u.test(cause.message) &&
        !cause.message.includes("hunter2"),
    );
  });

  for (const parameter of [
    { name: "release-namespace", string: "a\0b" },
    { name: "values-files", array: ["a\0"] },
    { name: "helm-parameters", map: { "a\0": "b" } },
    { name: "helm-parameters", map: { a: "\0" } },
  ]) {
    it(`reject NUL: ${JSON.stringify(parameter)}`, () => {
      assert.throws(() => argumentsFor([parameter]), /contains a NUL/u);
    });
  }
});

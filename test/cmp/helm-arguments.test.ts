import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { helmArguments, type HelmInputs } from "../../src/cmp/helm-arguments.ts";
import { readParameters } from "../../src/cmp/parameters.ts";

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

// Those that Argo CD 3.1.9 sends with a plugin, and calls helm with for a chart of its own.
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
      ".",
      "--name-template=web",
      "--namespace=shop",
      "--kube-version=1.34.1",
      "--api-versions=v1",
      "--api-versions=apps/v1",
      "--api-versions=apps/v1/Deployment",
      "--include-crds",
    ]);
  });

  it("name the release as the Application, without the namespace in which that is", () => {
    assert.ok(argumentsFor([], { ARGOCD_APP_NAME: "team-a_web" }).includes("--name-template=web"));
  });

  it("leave to helm what nobody gives", () => {
    assert.deepEqual(argumentsFor([], { ARGOCD_APP_NAMESPACE: "", KUBE_API_VERSIONS: "" }), [
      "template",
      ".",
      "--include-crds",
    ]);
  });

  it("take the parameters before what Argo CD knows by itself", () => {
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
      ".",
      "--name-template=other",
      "--namespace=elsewhere",
      "--kube-version=1.30",
      "--api-versions=v1",
      "--skip-schema-validation",
      "--skip-tests",
    ]);
  });

  it("order values as Argo CD does: files, text, parameters", () => {
    const parameters = [
      { name: "helm-parameters", map: { b: "2", a: "x,y" } },
      { name: "helm-string-parameters", map: { c: "true" } },
      { name: "helm-values", string: "a: 1" },
    ];
    const files = {
      valuesFiles: ["/r/a.yaml", "/r/b,c.yaml"],
      setFiles: [["d", "/r/d"]] as const,
      setJson: ["e=1"],
    };
    assert.deepEqual(argumentsFor(parameters, {}, files).slice(2), [
      "--values=/r/a.yaml",
      '--values="/r/b,c.yaml"',
      "--values=-",
      "--set-json=e=1",
      String.raw`--set=a=x\,y`,
      "--set=b=2",
      "--set-string=c=true",
      "--set-file=d=/r/d",
      "--include-crds",
    ]);
  });

  it("keep lists in braces and commas that are escaped already", () => {
    const found = argumentsFor([{ name: "helm-parameters", map: { a: "{x,y}", b: String.raw`x\,y` } }]);
    assert.deepEqual(found.slice(2, 4), ["--set=a={x,y}", String.raw`--set=b=x\,y`]);
  });

  it("put in what describes the application, and nothing else of the environment", () => {
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

  it("let no value become a flag", () => {
    const found = argumentsFor([{ name: "release-name", string: "--post-renderer=/bin/sh" }], {
      KUBE_VERSION: "--debug",
    });
    assert.deepEqual(found, [
      "template",
      ".",
      "--name-template=--post-renderer=/bin/sh",
      "--kube-version=--debug",
      "--include-crds",
    ]);
  });
});

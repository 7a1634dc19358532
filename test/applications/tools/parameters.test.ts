import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  booleanParameter,
  listParameter,
  mapParameter,
  readParameters,
  refuseForeign,
  textParameter,
} from "../../../src/applications/tools/parameters.ts";
import { RollstampError } from "../../../src/base/errors.ts";

function given(...parameters: readonly object[]): ReturnType<typeof readParameters> {
  return readParameters({ ARGOCD_APP_PARAMETERS: JSON.stringify(parameters) });
}

describe("the parameters of an Application", () => {
  it("are read from ARGOCD_APP_PARAMETERS, in three forms", () => {
    const parameters = given(
      { name: "release-name", string: "web" },
      { name: "values-files", array: ["a.yaml", "b.yaml"] },
      { name: "helm-parameters", map: { "image.tag": "2", a: "1" } },
      { name: "skip-crds", string: "true" },
    );
    assert.equal(textParameter(parameters, "release-name"), "web");
    assert.deepEqual(listParameter(parameters, "values-files"), ["a.yaml", "b.yaml"]);
    assert.deepEqual(mapParameter(parameters, "helm-parameters"), [
      ["a", "1"],
      ["image.tag", "2"],
    ]);
    assert.equal(booleanParameter(parameters, "skip-crds"), true);
    assert.equal(booleanParameter(parameters, "skip-tests"), false);
  });

  for (const none of [undefined, "", "null", "[]"]) {
    it(`may be empty: ${none ?? "not set"}`, () => {
      const parameters = readParameters(none === undefined ? {} : { ARGOCD_APP_PARAMETERS: none });
      assert.equal(parameters.size, 0);
      assert.equal(textParameter(parameters, "release-name"), undefined);
      assert.deepEqual(listParameter(parameters, "values-files"), []);
    });
  }

  it("are not set if a field is empty", () => {
    assert.equal(textParameter(given({ name: "release-name", string: "" }), "release-name"), undefined);
  });

  it("are read from PARAM_ variables otherwise", () => {
    const variables = { PARAM_RELEASE_NAME: "web", PARAM_VALUES_FILES_0: "a.yaml", PARAM_VALUES_FILES_1: "b.yaml" };
    const parameters = readParameters(variables);
    assert.equal(textParameter(parameters, "release-name"), "web");
    assert.deepEqual(listParameter(parameters, "values-files"), ["a.yaml", "b.yaml"]);
    assert.equal(readParameters({ ...variables, ARGOCD_APP_PARAMETERS: "null" }).size, 0);
  });

  it("are read from plugin.env of the Application last", () => {
    const environment = {
      ARGOCD_APP_PARAMETERS: JSON.stringify([{ name: "release-name", string: "given" }]),
      ARGOCD_ENV_RELEASE_NAME: "web",
      ARGOCD_ENV_VALUES_FILES: "a.yaml, b.yaml",
      ARGOCD_ENV_HELM_PARAMETERS: "image.tag=2,a=b=c",
    };
    const parameters = readParameters(environment);
    assert.equal(textParameter(parameters, "release-name"), "given");
    assert.deepEqual(listParameter(parameters, "values-files"), ["a.yaml", "b.yaml"]);
    assert.deepEqual(mapParameter(parameters, "helm-parameters"), [
      ["a", "b=c"],
      ["image.tag", "2"],
    ]);
  });

  const wrong: readonly { readonly what: string; readonly call: () => unknown; readonly says: RegExp }[] = [
    {
      what: "a string instead of a list",
      call: () => listParameter(given({ name: "values-files", string: "a.yaml" }), "values-files"),
      says: /^the plugin parameter 'values-files' is a string$/u,
    },
    {
      what: "a list instead of a mapping",
      call: () => mapParameter(given({ name: "helm-parameters", array: ["a=1"] }), "helm-parameters"),
      says: /'helm-parameters' is a list \(array\)$/u,
    },
    {
      what: "a mapping instead of a string",
      call: () => textParameter(given({ name: "release-name", map: { a: "b" } }), "release-name"),
      says: /'release-name' is a mapping \(map\)$/u,
    },
    {
      what: "a value that is not true or false",
      call: () => booleanParameter(given({ name: "skip-crds", string: "yes" }), "skip-crds"),
      says: /'skip-crds' is "yes"$/u,
    },
    {
      what: "a number in a list",
      call: () => given({ name: "values-files", array: [1] }),
      says: /'values-files' is a list that does not only contain strings$/u,
    },
    {
      what: "a number in a mapping",
      call: () => given({ name: "helm-parameters", map: { a: 1 } }),
      says: /'helm-parameters' is a mapping that does not only contain strings/u,
    },
    {
      what: "a number instead of a string",
      call: () => given({ name: "release-name", string: 1 }),
      says: /'release-name' must be a string, a list or a mapping$/u,
    },
    {
      what: "a parameter without a name",
      call: () => given({ string: "a" }),
      says: /^ARGOCD_APP_PARAMETERS must be a list of parameters$/u,
    },
    {
      what: "invalid JSON",
      call: () => readParameters({ ARGOCD_APP_PARAMETERS: "[{" }),
      says: /^ARGOCD_APP_PARAMETERS must be a list/u,
    },
    {
      what: "an object instead of a list",
      call: () => readParameters({ ARGOCD_APP_PARAMETERS: "{}" }),
      says: /^ARGOCD_APP_PARAMETERS must be a list/u,
    },
    {
      what: "plugin.env without =",
      call: () => readParameters({ ARGOCD_ENV_HELM_PARAMETERS: "a" }),
      says: /'helm-parameters' in plugin\.env must be a mapping$/u,
    },
  ];
  for (const { what, call, says } of wrong) {
    it(`are rejected: ${what}`, () => {
      assert.throws(
        call,
        (cause) => cause instanceof RollstampError && cause.code === "usage" && says.test(cause.message),
      );
    });
  }

  it("are rejected for another kind of application, and if unknown", () => {
    const parameters = given({ name: "values-files", array: [] });
    refuseForeign(parameters, "chart", []);
    assert.throws(
      () => refuseForeign(parameters, "kustomization", []),
      /'values-files' is for a Helm chart, and this is a kustomization$/u,
    );
    refuseForeign(given({ name: "replicas", string: "2" }), "chart", ["replicas"]);
    assert.throws(
      () => refuseForeign(given({ name: "replica", string: "2" }), "chart", ["replicas"]),
      /'replica' is unknown, did you mean 'replicas'\?$/u,
    );
  });
});

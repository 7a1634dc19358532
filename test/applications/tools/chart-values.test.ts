import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { announcement } from "../../../src/applications/tools/announcements.ts";
import { givenValues, valueParameters } from "../../../src/applications/tools/chart-values.ts";
import { readParameters } from "../../../src/applications/tools/parameters.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";

const VALUES = `replicaCount: 2
name: web
debug: false
version: 1.10
nothing:
hosts: [a.example, b.example]
ports: [80, 8080]
tolerations: []
ingress:
  - host: a.example
image:
  tag: "1.10"
  pull: {policy: Always}
podAnnotations:
  prometheus.io/scrape: "true"
resources: {}
`;

function setJson(parameters: readonly object[], values: string = VALUES): string[] {
  return givenValues(
    valueParameters(values, "values.yaml", DEFAULT_LIMITS),
    readParameters({ ARGOCD_APP_PARAMETERS: JSON.stringify(parameters) }),
    DEFAULT_LIMITS,
  );
}

describe("the values of a chart as parameters", () => {
  it("are its top-level keys, in their forms", () => {
    const announced = valueParameters(VALUES, "values.yaml", DEFAULT_LIMITS)
      .map(announcement)
      .map(({ name, title: _title, tooltip: _tooltip, ...rest }) => [name, rest]);
    assert.deepEqual(announced, [
      ["replicaCount", { itemType: "number", collectionType: "string", string: "2" }],
      ["name", { itemType: "string", collectionType: "string", string: "web" }],
      ["debug", { itemType: "boolean", collectionType: "string", string: "false" }],
      ["version", { itemType: "number", collectionType: "string", string: "1.10" }],
      ["nothing", { itemType: "string", collectionType: "string", string: "" }],
      ["hosts", { itemType: "string", collectionType: "array", array: ["a.example", "b.example"] }],
      ["ports", { itemType: "number", collectionType: "array", array: ["80", "8080"] }],
      ["tolerations", { itemType: "string", collectionType: "string", string: "[]" }],
      ["ingress", { itemType: "string", collectionType: "string", string: '[{"host":"a.example"}]' }],
      ["image", { itemType: "string", collectionType: "map", map: { tag: "1.10", "pull.policy": "Always" } }],
      [
        "podAnnotations",
        { itemType: "string", collectionType: "map", map: { [String.raw`prometheus\.io/scrape`]: "true" } },
      ],
      ["resources", { itemType: "string", collectionType: "map", map: {} }],
    ]);
  });

  it("are set with their types", () => {
    const parameters = [
      { name: "replicaCount", string: "12345678901234567890" },
      { name: "name", string: "7" },
      { name: "debug", string: "true" },
      { name: "nothing", string: "{a: [1, x]}" },
      { name: "hosts", array: ["1", "c,d"] },
      { name: "ports", array: ["81"] },
      { name: "tolerations", string: "- key: a\n" },
      { name: "image", map: { tag: "2.0", "pull.policy": "Never", other: "3" } },
      { name: "podAnnotations", map: { [String.raw`prometheus\.io/scrape`]: "false" } },
      { name: "resources", map: { "limits.cpu": "1", "limits.memory": "1Gi" } },
    ];
    assert.deepEqual(setJson(parameters), [
      "replicaCount=12345678901234567890",
      'name="7"',
      "debug=true",
      'nothing={"a":[1,"x"]}',
      'hosts=["1","c,d"]',
      "ports=[81]",
      'tolerations=[{"key":"a"}]',
      "image.other=3",
      'image.pull.policy="Never"',
      'image.tag="2.0"',
      String.raw`podAnnotations.prometheus\.io/scrape="false"`,
      "resources.limits.cpu=1",
      'resources.limits.memory="1Gi"',
    ]);
  });

  it("are not set by default, because Argo CD does not send announced values", () => {
    assert.deepEqual(setJson([]), []);
  });

  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ name: "replicaCount", string: "two" }, /: the plugin parameter 'replicaCount' must be a number$/u],
    [{ name: "replicaCount", array: ["2"] }, /'replicaCount' is a list \(array\)$/u],
    [{ name: "debug", string: "yes" }, /'debug' must be true or false$/u],
    [{ name: "hosts", string: "a" }, /'hosts' is a string$/u],
    [{ name: "ports", array: ["http"] }, /'ports' must be a number$/u],
    [{ name: "image", string: "web:2" }, /'image' is a string$/u],
    [{ name: "tolerations", string: "[a" }, /./u],
    [{ name: "tolerations", string: "a\n---\nb" }, /'tolerations' contains several YAML documents$/u],
  ];
  for (const [parameter, says] of wrong) {
    it(`are rejected: ${JSON.stringify(parameter)}`, () => {
      assert.throws(() => setJson([parameter]), says);
    });
  }

  it("are empty for an empty file, and must be a mapping", () => {
    assert.deepEqual(valueParameters("", "values.yaml", DEFAULT_LIMITS), []);
    assert.deepEqual(valueParameters("# nothing\n", "values.yaml", DEFAULT_LIMITS), []);
    assert.throws(
      () => valueParameters("- a\n", "values.yaml", DEFAULT_LIMITS),
      /the values of the chart must be a mapping/u,
    );
  });

  it("escape the special characters of helm's parser", () => {
    assert.deepEqual(setJson([{ name: "a.b", string: "1" }], "a.b: x\n"), [String.raw`a\.b="1"`]);
  });
});

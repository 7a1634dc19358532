import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { toJson } from "../../../src/yaml/read/node.ts";
import { matchPath } from "../../../src/kubernetes/workloads/paths.ts";
import { readTree } from "../../support/trees.ts";

// Paths as in `workloads` of the configuration: dots between steps, `*` for every element.

const TEXT = `apiVersion: v1
kind: X
shared: &shared {name: of-alias}
spec:
  template: {name: one}
  groups:
    - name: first
      template: {name: a}
      workers: {w1: {name: aw1}, w2: {name: aw2}}
    - name: second
      workers: {w1: {name: bw1}}
    - *shared
  roles:
    master: {template: {name: m}}
    "0": {template: {name: zero}}
    merged:
      <<: *shared
      template: *shared
  none:
`;

const MATCHES: readonly (readonly [path: string, stars: readonly string[], ...found: [string, unknown, string[]][]])[] =
  [
    ["spec.template", [], ["spec.template", { name: "one" }, []]],
    ["spec.template.name", [], ["spec.template.name", "one", []]],
    ["spec.none", [], ["spec.none", null, []]],
    ["spec.none.template", []],
    ["spec.missing", []],
    ["spec.template.name.deeper", []],
    ["missing.*", []],
    ["spec.template.name.*", []],
    [
      "spec.groups.*.name",
      [],
      ["spec.groups[0].name", "first", ["0"]],
      ["spec.groups[1].name", "second", ["1"]],
      ["spec.groups[2].name", "of-alias", ["2"]],
    ],
    ["spec.groups.*.template", [], ["spec.groups[0].template", { name: "a" }, ["0"]]],
    [
      "spec.groups.*.workers.*.name",
      [],
      ["spec.groups[0].workers.w1.name", "aw1", ["0", "w1"]],
      ["spec.groups[0].workers.w2.name", "aw2", ["0", "w2"]],
      ["spec.groups[1].workers.w1.name", "bw1", ["1", "w1"]],
    ],
    [
      "spec.groups.*.workers.*",
      ["0"],
      ["spec.groups[0].workers.w1", { name: "aw1" }, ["0", "w1"]],
      ["spec.groups[0].workers.w2", { name: "aw2" }, ["0", "w2"]],
    ],
    ["spec.groups.*.workers.*", ["0", "w2"], ["spec.groups[0].workers.w2", { name: "aw2" }, ["0", "w2"]]],
    ["spec.groups.*.workers.*", ["1", "w2"]],
    [
      "spec.roles.*.template.name",
      [],
      ["spec.roles.master.template.name", "m", ["master"]],
      ["spec.roles.0.template.name", "zero", ["0"]],
      ["spec.roles.merged.template.name", "of-alias", ["merged"]],
    ],
    ["spec.roles.merged.name", [], ["spec.roles.merged.name", "of-alias", []]],
    ["shared.*", [], ["shared.name", "of-alias", ["name"]]],
  ];

describe("a path", () => {
  const { tree, items } = readManifests(readTree(TEXT, "input.yaml"));
  const root = items[0]?.node ?? 0;
  for (const [path, stars, ...found] of MATCHES) {
    it(`${path} with ${JSON.stringify(stars)}`, () =>
      assert.deepEqual(
        matchPath(tree, root, path, stars).map((match) => [
          match.field,
          JSON.parse(JSON.stringify(toJson(tree, match.node))) as unknown,
          match.stars,
        ]),
        found,
      ));
  }
  it("that is empty matches the object itself", () =>
    assert.deepEqual(matchPath(tree, root, ""), [{ node: root, stars: [], field: "" }]));
  it("that is only `*` matches every field", () =>
    assert.deepEqual(
      matchPath(tree, root, "*").map(({ field }) => field),
      ["apiVersion", "kind", "shared", "spec"],
    ));
});

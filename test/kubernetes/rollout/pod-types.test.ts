import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fieldType, parseType, typeOf, type FieldType } from "../../../src/kubernetes/rollout/pod-types.ts";

// How Kubernetes' types compare and merge a field: the tags `patchStrategy`, `patchMergeKey`, `listType`, `listMapKey`
// and `mapType` of k8s.io/api, which its API reference repeats.

const field = (struct: string, name: string): FieldType => {
  const type = fieldType(struct, name);
  assert.ok(type !== undefined, `${struct}.${name}`);
  return type;
};

describe("the language of the table", () => {
  const scalar = (name: string, pointer = false): unknown => ({ form: "scalar", scalar: name, pointer });
  const struct = (name: string, more: object = {}): unknown => ({
    form: "struct",
    name,
    pointer: false,
    atomic: false,
    retainKeys: false,
    ...more,
  });
  const list = (element: unknown, more: object): unknown => ({
    form: "list",
    key: undefined,
    patch: "replace",
    retainKeys: false,
    apply: "atomic",
    element,
    ...more,
  });
  const ROWS: readonly (readonly [text: string, type: unknown])[] = [
    ["bool", scalar("bool")],
    ["*int", scalar("int", true)],
    ["any", scalar("any")],
    ["Lifecycle", struct("Lifecycle")],
    ["*Lifecycle", struct("Lifecycle", { pointer: true })],
    ["!*LabelSelector", struct("LabelSelector", { pointer: true, atomic: true })],
    ["+DeploymentStrategy", struct("DeploymentStrategy", { retainKeys: true })],
    ["!+X", struct("X", { atomic: true, retainKeys: true })],
    ["{}quantity", { form: "map", element: scalar("quantity"), atomic: false }],
    ["!{}*string", { form: "map", element: scalar("string", true), atomic: true }],
    ["[]*string", list(scalar("string", true), {})],
    ["[=]string", list(scalar("string"), { patch: "set", apply: "set" })],
    ["[|=]int", list(scalar("int"), { apply: "set" })],
    ["[name]X", list(struct("X"), { key: "name", patch: "key", apply: ["name"] })],
    ["[name+]X", list(struct("X"), { key: "name", patch: "key", retainKeys: true, apply: ["name"] })],
    ["[|name]X", list(struct("X"), { apply: ["name"] })],
    ["[ip|]X", list(struct("X"), { key: "ip", patch: "key" })],
    ["[a|a,b]X", list(struct("X"), { key: "a", patch: "key", apply: ["a", "b"] })],
  ];
  for (const [text, type] of ROWS) it(text, () => assert.deepEqual(parseType(text), type));
});

describe("how a list is merged", () => {
  // [type, field, its key, kubectl: how, kubectl: retainKeys, server: how]
  const LISTS: readonly (readonly [string, string, string | undefined, string, boolean, unknown])[] = [
    ["PodSpec", "containers", "name", "key", false, ["name"]],
    ["PodSpec", "volumes", "name", "key", true, ["name"]],
    ["PodSpec", "resourceClaims", "name", "key", true, ["name"]],
    ["PodSpec", "hostAliases", "ip", "key", false, ["ip"]],
    ["PodSpec", "tolerations", undefined, "replace", false, "atomic"],
    ["PodSpec", "topologySpreadConstraints", "topologyKey", "key", false, ["topologyKey", "whenUnsatisfiable"]],
    ["Container", "ports", "containerPort", "key", false, ["containerPort", "protocol"]],
    ["Container", "volumeMounts", "mountPath", "key", false, ["mountPath"]],
    ["Container", "args", undefined, "replace", false, "atomic"],
    ["ResourceRequirements", "claims", undefined, "replace", false, ["name"]],
    ["ObjectMeta", "finalizers", undefined, "set", false, "set"],
    ["PodStatus", "podIPs", "ip", "key", false, ["ip"]],
    ["PodStatus", "hostIPs", "ip", "key", false, "atomic"],
    ["ContainerRestartRuleOnExitCodes", "values", undefined, "replace", false, "set"],
  ];
  for (const [struct, name, key, patch, retainKeys, apply] of LISTS) {
    it(`${struct}.${name}`, () => {
      const type = field(struct, name);
      assert.ok(type.form === "list");
      assert.deepEqual([type.key, type.patch, type.retainKeys, type.apply], [key, patch, retainKeys, apply]);
    });
  }

  it("knows elements that are objects or scalars", () => {
    assert.deepEqual(typeOf("[name]!LocalObjectReference"), {
      form: "list",
      key: "name",
      patch: "key",
      retainKeys: false,
      apply: ["name"],
      element: { form: "struct", name: "LocalObjectReference", pointer: false, atomic: true, retainKeys: false },
    });
    const args = field("Container", "args");
    assert.deepEqual(args.form === "list" && args.element, { form: "scalar", scalar: "string", pointer: false });
  });
});

describe("one value for a server-side apply", () => {
  const STRUCTS: readonly (readonly [string, string, boolean])[] = [
    ["StatefulSetSpec", "selector", true],
    ["TopologySpreadConstraint", "labelSelector", true],
    ["PodSpec", "affinity", false],
    ["StatefulSetSpec", "template", false],
  ];
  for (const [struct, name, atomic] of STRUCTS) {
    it(`${struct}.${name}: ${atomic ? "one value" : "by its fields"}`, () => {
      const type = field(struct, name);
      assert.equal(type.form === "struct" && type.atomic, atomic);
    });
  }
  const MAPS: readonly (readonly [string, string, boolean])[] = [
    ["PodSpec", "nodeSelector", true],
    ["ObjectMeta", "labels", false],
    ["ResourceRequirements", "limits", false],
  ];
  for (const [struct, name, atomic] of MAPS) {
    it(`${struct}.${name}: ${atomic ? "one value" : "by its keys"}`, () => {
      const type = field(struct, name);
      assert.equal(type.form === "map" && type.atomic, atomic);
    });
  }
});

describe("absent values", () => {
  // For pointers in Go, absent differs from zero and from empty.
  const POINTERS: readonly (readonly [string, string, boolean])[] = [
    ["PodSpec", "securityContext", true],
    ["PodSpec", "terminationGracePeriodSeconds", true],
    ["EmptyDirVolumeSource", "sizeLimit", true],
    ["Container", "resources", false],
    ["Container", "tty", false],
    ["PodSpec", "hostNetwork", false],
  ];
  for (const [struct, name, pointer] of POINTERS) {
    it(`${struct}.${name}: ${pointer ? "absent is not zero" : "absent is zero"}`, () => {
      const type = field(struct, name);
      assert.equal((type.form === "struct" || type.form === "scalar") && type.pointer, pointer);
    });
  }
});

describe("what kubectl's patch replaces", () => {
  it("the strategy of a Deployment: what is not in the manifest is removed", () => {
    const strategy = field("DeploymentSpec", "strategy");
    const template = field("DeploymentSpec", "template");
    assert.deepEqual(
      [strategy, template].map((type) => type.form === "struct" && type.retainKeys),
      [true, false],
    );
  });
});

describe("a field that Kubernetes does not declare", () => {
  it("has no type, whatever its name", () => {
    for (const name of ["colour", "constructor", "toString", "__proto__"])
      assert.equal(fieldType("Container", name), undefined);
    assert.equal(fieldType("Colour", "name"), undefined);
  });
  it("of another type is not a field of this one", () => {
    assert.equal(fieldType("PodSpec", "image"), undefined);
    assert.notEqual(fieldType("Container", "image"), undefined);
  });
});

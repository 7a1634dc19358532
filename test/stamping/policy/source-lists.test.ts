import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RollstampError } from "../../../src/base/errors.ts";
import { readManifests, type Item } from "../../../src/yaml/read/items.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { readExcludes, readNamedSources } from "../../../src/stamping/policy/own-marks.ts";
import { readTree } from "../../support/trees.ts";

// `rollstamp.dev/sources` and `rollstamp.dev/exclude`: section 3 of the contract.

function workload(annotation: string, text: string): Item {
  const annotations = { [`rollstamp.dev/${annotation}`]: text };
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", annotations } };
  const item = readManifests(readTree(JSON.stringify(object), "input.yaml")).items[0];
  assert.ok(item !== undefined);
  return item;
}

const refused =
  (message: RegExp) =>
  (cause: unknown): boolean =>
    cause instanceof RollstampError && message.test(cause.message) && /Write|Name/u.test(cause.remedy ?? "");

const uncounted = (): void => undefined;

describe("sources that a workload names", () => {
  const NAMED: readonly (readonly [text: string, ...sources: string[]])[] = [
    [""],
    ["  "],
    ["configmap/env", "ConfigMap//env"],
    ["ConfigMap/env", "ConfigMap//env"],
    ["secret/login", "Secret//login"],
    ["secretproviderclass/vault", "SecretProviderClass//vault"],
    ["configmap/shop/env", "ConfigMap/shop/env"],
    [" configmap/a , secret/shop/b ", "ConfigMap//a", "Secret/shop/b"],
    ["configmap/${NAME}-env", "ConfigMap//${NAME}-env"],
  ];
  for (const [text, ...sources] of NAMED) {
    it(`'${text}'`, () =>
      assert.deepEqual(
        readNamedSources(workload("sources", text)).map(({ kind, namespace, name }) => `${kind}/${namespace}/${name}`),
        sources,
      ));
  }
  for (const [text, message] of [
    [",", /has an empty entry/u],
    ["configmap/a,", /has an empty entry/u],
    ["configmap/a,,configmap/b", /has an empty entry/u],
    ["env", /has 'env', which begins with no known kind/u],
    ["/env", /has '\/env', which begins with no known kind/u],
    ["deployment/env", /has 'deployment\/env', which begins with no known kind/u],
    ["configmap", /has 'configmap', which begins with no known kind/u],
    ["configmap/", /has 'configmap\/', which names no object/u],
    ["configmap//a", /has 'configmap\/\/a', which names no object/u],
    ["configmap/a/", /has 'configmap\/a\/', which names no object/u],
    ["configmap/a/b/c", /has 'configmap\/a\/b\/c', which names no object/u],
    ["secret/a b", /has 'secret\/a b', which names no object/u],
  ] as const) {
    it(`'${text}' is refused`, () =>
      assert.throws(() => readNamedSources(workload("sources", text)), refused(message)));
  }
});

describe("sources that a workload excludes", () => {
  const TAKES: readonly (readonly [glob: string, name: string, taken: boolean])[] = [
    ["a", "a", true],
    ["a", "b", false],
    ["a", "ab", false],
    ["a.b", "a-b", false],
    ["*", "", true],
    ["*", "anything", true],
    ["**", "a", true],
    ["?", "a", true],
    ["?", "", false],
    ["?", "ab", false],
    ["a?", "a", false],
    ["a*", "a", true],
    ["a*", "abc", true],
    ["a*", "ba", false],
    ["*a", "a", true],
    ["*a", "bca", true],
    ["*a", "ab", false],
    ["a*b", "ab", true],
    ["a*b", "axxb", true],
    ["a*b", "axxbc", false],
    ["a*b*c", "abxbc", true],
    ["a*b*c", "acb", false],
    ["*ab", "aab", true],
    ["*aab", "aaab", true],
    ["a*?", "a", false],
    ["a*?", "ab", true],
    ["?*b", "ab", true],
    ["?*b", "b", false],
    ["*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaa", false],
    ["*.x", "a.x", true],
    ["*.x", "a-x", false],
    ["a*", "A", false],
  ];
  for (const [glob, name, taken] of TAKES) {
    it(`'${glob}' ${taken ? "takes" : "leaves"} '${name}'`, () => {
      const excludes = readExcludes(workload("exclude", `secret/other, configmap/${glob}`));
      assert.equal(excludes("ConfigMap", name, uncounted), taken ? `configmap/${glob}` : undefined);
      assert.equal(excludes("Secret", name, uncounted), undefined, "another kind is another source");
    });
  }
  it("report the entry that excludes them, a name before patterns", () => {
    const excludes = readExcludes(workload("exclude", "secret/a*,secret/ab*,secret/abc,configmap/b*"));
    assert.equal(excludes("Secret", "abc", uncounted), "secret/abc");
    assert.equal(excludes("Secret", "abd", uncounted), "secret/a*");
    assert.equal(excludes("Secret", "b", uncounted), undefined);
    assert.equal(excludes("ConfigMap", "abc", uncounted), undefined);
  });
  for (const [text, message] of [
    ["configmap/a,", /has an empty entry/u],
    ["env*", /has 'env\*', which begins with no known kind/u],
    ["configmap/", /has 'configmap\/', which is no pattern for names/u],
    ["configmap/shop/a", /has 'configmap\/shop\/a', which is no pattern for names/u],
    ["configmap/[ab]", /has 'configmap\/\[ab\]', which is no pattern for names/u],
    ["configmap/a b", /which is no pattern for names/u],
    [Array.from({ length: 1001 }, (_, i) => `configmap/a${i}*`).join(","), /has more than 1000 patterns/u],
  ] as const) {
    it(`'${text.slice(0, 40)}' is refused`, () =>
      assert.throws(() => readExcludes(workload("exclude", text)), refused(message)));
  }
  it("have an end to their length", () => {
    const { expression } = DEFAULT_LIMITS;
    const longest = `configmap/${"a".repeat(expression)}`;
    assert.equal(readExcludes(workload("exclude", longest))("ConfigMap", "a".repeat(expression), uncounted), longest);
    assert.throws(
      () => readExcludes(workload("exclude", `${longest}a`)),
      refused(/has 'configmap\/a{50}…', which is no/u),
    );
  });
  it("may be many: names without limit, patterns up to a thousand", () => {
    const many = (length: number, tail: string): string =>
      Array.from({ length }, (_, i) => `configmap/a${i}${tail}`).join(",");
    assert.equal(readExcludes(workload("exclude", many(1500, "")))("ConfigMap", "a1499", uncounted), "configmap/a1499");
    assert.equal(readExcludes(workload("exclude", many(1000, "*")))("ConfigMap", "a999x", uncounted), "configmap/a9*");
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cli } from "../../support/cli.ts";

const withKeep = (keep: string): string => `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}]
functionConfig: {apiVersion: rollstamp.dev/v1alpha1, kind: ConfigHash, metadata: {name: h}, spec: {keep: ${keep}}}
`;

describe("a number of a functionConfig", () => {
  for (const [keep, allowed] of [
    ["0", "1 or more"],
    ["1001", "at most 1000"],
    ["2.5", "a whole number"],
    ["null", "a whole number"],
  ] as const)
    it(`is refused with what is allowed: ${keep}`, async () => {
      const { status, stderr } = await cli(["fn"], { stdin: withKeep(keep) });
      assert.equal(status, 2);
      assert.ok(stderr.includes(`'spec.keep' is ${keep}\n`), stderr);
      assert.ok(stderr.includes(`Allowed: ${allowed}.`), stderr);
    });
});

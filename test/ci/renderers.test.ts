import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { installRenderers } from "../../src/setup/init/ci.ts";
import { inRoot } from "../support/paths.ts";

/** The version of a program that the tests of the hosts run. */
function tested(program: string, script: string): string {
  const text = readFileSync(inRoot("scripts", "hosts", script), "utf8");
  return new RegExp(`^go_program ${program} v(\\S+)`, "mu").exec(text)?.[1] ?? assert.fail(script);
}

describe("the renderers that a job installs", () => {
  it("are those that the host tests use", () => {
    const [kustomize = "", helm = "", ...more] = installRenderers({ kustomize: true, helm: true });
    assert.ok(kustomize.includes(`/kustomize_v${tested("kustomize", "kustomize.sh")}_`), kustomize);
    assert.ok(helm.includes(`/helm-v${tested("helm", "helm3.sh")}-`), helm);
    assert.deepEqual(more, []);
    const example = readFileSync(inRoot("examples", "ci", "gitlab", "plan-parts.gitlab-ci.yml"), "utf8");
    for (const line of [kustomize, helm]) assert.ok(example.includes(`    - ${line}\n`), line);
  });
});

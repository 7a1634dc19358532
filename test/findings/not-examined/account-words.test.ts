import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { notExaminedGroups } from "../../../src/findings/not-examined/account-words.ts";
import type { NotExamined } from "../../../src/findings/not-examined/not-examined.ts";

// What a report says about things that were found and not examined.

const application = (name: string, reason: string, missing?: string): NotExamined => ({
  path: `apps/${name}.yaml`,
  kind: "Application",
  name,
  reason,
  ...(missing === undefined ? {} : { missing }),
});
const elsewhere = (name: string, missing: string): NotExamined =>
  application(name, `its source is another repository: ${missing}`, missing);
const groups = (...notExamined: readonly NotExamined[]): unknown =>
  notExaminedGroups({ notExamined }, { command: "plan" }).map(({ what, look }) => [what, look]);

describe("what was not examined", () => {
  it("has one line for one reason, whatever is missing", () =>
    assert.deepEqual(groups(...["a", "b", "c", "d", "e", "f"].map((name) => elsewhere(name, `https://${name}.com`))), [
      [
        "6 Argo CD Applications",
        "its source is another repository: https://a.com, https://b.com, https://c.com and 3 more",
      ],
    ]));
  it("is in one line, also if a renderer says more than one", () =>
    assert.deepEqual(groups(application("a", "helm said:\n  no value\nhere", "x")), [
      ["1 Argo CD Application", "helm said: no value here"],
    ]));
  it("has the reasons of most, if there are many", () =>
    assert.deepEqual(
      groups(
        ...["1", "2", "3", "4", "5"].map((name) => application(name, `its path ${name} is not in this repository`)),
        elsewhere("a", "https://x.com"),
        elsewhere("b", "https://y.com"),
      ),
      [
        ["2 Argo CD Applications", "its source is another repository: https://x.com, https://y.com"],
        ...["1", "2", "3"].map((name) => ["1 Argo CD Application", `its path ${name} is not in this repository`]),
        ["2 Argo CD Applications", "render as the controller does, and pass the rendering on standard input"],
      ],
    ));
  it("says what is wrong in a kustomization, and else how to build it", () => {
    const kustomization = (path: string, reason: string): NotExamined => ({ path, kind: "Kustomization", reason });
    assert.deepEqual(
      groups(
        kustomization("a", "line 13, column 2: this is not valid YAML"),
        kustomization("b", "kustomize builds manifests from it"),
      ),
      [
        ["1 kustomization", "line 13, column 2: this is not valid YAML"],
        [
          "1 kustomization",
          "rollstamp plan --git A..B --render 'kustomize build b'; --kustomize-input reads the files as they are",
        ],
      ],
    );
  });
});

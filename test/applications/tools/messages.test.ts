import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Finding } from "../../../src/findings/catalogue/finding.ts";
import { errorLine, findingsLine, reasonOf } from "../../../src/applications/tools/messages.ts";
import { RollstampError } from "../../../src/base/errors.ts";

describe("a message for the UI of Argo CD", () => {
  it("is one line with place, message and remedy", () => {
    const error = new RollstampError("input", "this is wrong", {
      place: { file: "a.yaml", line: 2, column: 3 },
      remedy: "Fix it.",
    });
    assert.equal(errorLine(error), "rollstamp: error: a.yaml:2:3: this is wrong. Fix it.\n");
    const question = new RollstampError("config", "unknown, did you mean 'x'?", { remedy: "Known: x." });
    assert.equal(errorLine(question), "rollstamp: error: unknown, did you mean 'x'? Known: x.\n");
  });

  it("is one short line without control characters, whatever a program printed", () => {
    const text = errorLine(new RollstampError("system", `helm failed: a\r\n\n  b\u001b[31m\n${"x".repeat(5000)}`));
    assert.match(text, /^rollstamp: error: helm failed: a \| b\\u001b\[31m \| x+…\n$/u);
    assert.ok(text.length < 1600);
  });

  it("has the first finding, and the number of others", () => {
    const finding: Finding = {
      id: "RS001",
      cause: "missingTemplate",
      params: {
        workload: { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "canary" },
        other: { kind: "Deployment", namespace: "default", name: "web" },
      },
      severityOverride: "error",
    };
    assert.equal(
      findingsLine([finding]),
      "rollstamp: error: Rollout canary runs the pod template of Deployment default/web, which is not in the input (RS001). Render both together, or set 'missing: Ignore' in the configuration.\n",
    );
    assert.match(findingsLine([finding, finding, finding]), /in the configuration\. \(and 2 more\)\n$/u);
  });

  it("excludes noise of programs and temporary folders", () => {
    const said = [
      "Flag --reorder has been deprecated, use the new '…' field in kustomization.yaml instead.",
      "# Warning: '…' is deprecated. Please use '…' instead. Run '…' to update your Kustomization automatically.",
      "WARNING: Kubernetes configuration file is group-readable. This is insecure. Location: /x",
      "Error: execution error at (web/templates/x.yaml:3:4): no image in /tmp/app/values.yaml",
      "",
      "Use --debug flag to render out invalid YAML",
    ].join("\n");
    assert.equal(
      reasonOf(said, ["/tmp/app"]),
      "execution error at (web/templates/x.yaml:3:4): no image in values.yaml",
    );
  });

  it("has the template and the problem on one line, which Helm 4 prints on three: the last line may be all that is shown", () => {
    const said = `Error: web/templates/x.yaml:1:6
  executing "web/templates/x.yaml" at <include "a" .>:
    error calling include:
web/templates/_h.tpl:2:10
  executing "a" at <.Values.x.y>:
    nil pointer evaluating interface {}.y
`;
    assert.equal(
      reasonOf(said, []),
      `web/templates/x.yaml:1:6: executing "web/templates/x.yaml" at <include "a" .>: error calling include:
web/templates/_h.tpl:2:10: executing "a" at <.Values.x.y>: nil pointer evaluating interface {}.y`,
    );
  });

  it("excludes the stack of a panic, as kustomize has one for a broken schema of openapi", () => {
    const panic = "panic: invalid schema file: json: unexpected EOF";
    for (const stack of ["goroutine 1 [running]:", "goroutine 1 gp=0x2 m=0 mp=0x3 [running]:", "runtime stack:"])
      assert.equal(reasonOf(`${panic}\n\n${stack}\na/b.initSchema()\n\ta/b/openapi.go:679 +0x1b3\n`, []), panic);
  });
});

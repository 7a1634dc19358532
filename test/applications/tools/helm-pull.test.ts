import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { helmPull, isFixedChart } from "../../../src/applications/tools/helm-pull.ts";
import { RollstampError } from "../../../src/base/errors.ts";

const pull = (repository: string, name = "web", version = "1.0.0"): string => {
  try {
    return helmPull({ repository, name, version }).join(" ");
  } catch (cause) {
    assert.ok(cause instanceof RollstampError);
    return cause.message;
  }
};

describe("a chart that helm fetches", () => {
  it("comes from a repository with TLS, or from a registry", () => {
    const digest = `sha256:${"a1".repeat(32)}`;
    assert.equal(pull("https://x.example/charts"), "pull web --repo=https://x.example/charts --version=1.0.0");
    assert.equal(pull("oci://x.example/charts/", "a/web", "1.x"), "pull oci://x.example/charts/a/web --version=1.x");
    assert.equal(pull("oci://x.example/charts", "web", digest), `pull oci://x.example/charts/web@${digest}`);
    assert.equal(pull("oci://127.0.0.1:5000/c"), "pull oci://127.0.0.1:5000/c/web --version=1.0.0 --plain-http");
    assert.equal(pull("http://localhost:1/c", "web", ""), "pull web --repo=http://localhost:1/c");
  });

  it("is rejected for other addresses and for options", () => {
    const rows: readonly (readonly [string, string, string, string])[] = [
      ["http://x.example", "web", "1", "its address must use https"],
      ["http://127.0.0.1.x.example", "web", "1", "its address must use https"],
      ["file:///etc", "web", "1", "its address must use https or oci"],
      ["git+https://x.example/x", "web", "1", "its address must use https or oci"],
      ["--plugin", "web", "1", "its address must use https or oci"],
      ["https://u:hunter2@x.example", "web", "1", "its address has a name or a password in it"],
      ["oci://x.example/c?a=b", "web", "1", "its address has more than a path"],
      ["https://x.example", "--untar", "1", "its name is invalid"],
      ["https://x.example", "../web", "1", "its name is invalid"],
      ["https://x.example", "oci://y/z", "1", "its name is invalid"],
      ["https://x.example", "web", "1\n2", "its version is invalid"],
      ["oci://x.example", "web", "latest", "'latest' is not a version, and helm fetches no other tags"],
    ];
    for (const [repository, name, version, why] of rows) {
      const message = pull(repository, name, version);
      assert.ok(message.endsWith(`is not fetched: ${why}`), message);
      assert.ok(!message.includes("hunter2"));
    }
  });

  it("is fixed by a version or a digest", () => {
    const fixed = ["1.0.0", "v1.2.3-rc.1+build", "sha256:0"].filter((version) =>
      isFixedChart({ repository: "", name: "", version }),
    );
    assert.equal(fixed.length, 3);
    const other = ["1", "1.x", ">=1.0.0", "*", "", "latest", "~1.2.3"].filter((version) =>
      isFixedChart({ repository: "", name: "", version }),
    );
    assert.deepEqual(other, []);
  });
});

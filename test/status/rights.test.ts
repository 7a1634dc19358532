import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { listAt } from "../e2e/fields.ts";
import { inRoot } from "../support/paths.ts";
import { withFakeApi } from "./fake-api.ts";

const file = readFileSync(inRoot("docs/status-cluster-role.yaml"), "utf8");

describe("the documented ClusterRoles", () => {
  it("allow what status asks for, and nothing else", async () => {
    const asked = new Set<string>();
    const { status, stderr } = await withFakeApi(
      {
        lists: {},
        seen: ({ pathname }, { method }) => {
          const [, group = "", resource] = /^\/(?:api|apis\/([a-z]+))\/v1\/([a-z]+)$/u.exec(pathname) ?? [];
          // What a server serves, it tells everyone (system:discovery).
          if (resource !== undefined) asked.add(`${method} ${group}/${resource}`);
        },
      },
      { args: ["status", "-A"] },
    );
    assert.equal(status, 0, stderr);
    const allowed = parseAllDocuments(file)
      .map((document): unknown => document.toJS())
      .flatMap((role) => listAt(role, "rules"))
      .flatMap((rule) => {
        assert.deepEqual(listAt(rule, "verbs"), ["list"]);
        return listAt(rule, "resources").map(
          (resource) => `GET ${String(listAt(rule, "apiGroups")[0])}/${String(resource)}`,
        );
      });
    assert.deepEqual([...asked].sort(), allowed.sort());
  });

  it("stand in the page as they are in the file", () => {
    const [, role = ""] = /^(apiVersion.*?)^---$/msu.exec(file) ?? [];
    assert.ok(role.includes("kind: ClusterRole"));
    assert.ok(readFileSync(inRoot("docs/live.md"), "utf8").includes(`\`\`\`yaml\n${role}\`\`\``));
  });
});

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { listAt, textAt } from "../../e2e/fields.ts";
import { inRoot } from "../../support/paths.ts";
import { withFakeApi } from "./fake-api.ts";
import { withFakeCluster } from "./fake-cluster.ts";
import { deployment } from "./live-objects.ts";

const file = readFileSync(inRoot("docs/status-cluster-role.yaml"), "utf8");

describe("the documented ClusterRoles", () => {
  it("allow what status asks for, and nothing else", async () => {
    const asked = new Set<string>();
    const { status, stderr } = await withFakeApi(
      {
        lists: {},
        seen: ({ pathname }, { method }) => {
          const [, group = "", resource] = /^\/(?:api|apis\/([a-z]+))\/v1\/([a-z]+)$/u.exec(pathname) ?? [];
          // A server shows everyone what it serves (system:discovery).
          if (resource !== undefined) asked.add(`${method} ${group}/${resource}`);
        },
      },
      { args: ["status", "-A"] },
    );
    assert.equal(status, 0, stderr);
    const allowed = parseAllDocuments(file)
      .map((document): unknown => document.toJS())
      .filter((role) => textAt(role, "metadata", "name") !== "rollstamp-wait")
      .flatMap((role) => listAt(role, "rules"))
      .flatMap((rule) => {
        assert.deepEqual(listAt(rule, "verbs"), ["list"]);
        return listAt(rule, "resources").map(
          (resource) => `GET ${String(listAt(rule, "apiGroups")[0])}/${String(resource)}`,
        );
      });
    assert.deepEqual([...asked].sort(), allowed.sort());
  });

  it("allow what status --wait asks for, and nothing else", async () => {
    const asked = new Set<string>();
    await withFakeCluster(
      [deployment({ status: { updatedReplicas: 1 } })],
      async (cluster) => {
        const running = cluster.run(["status", "--wait", "-n", "shop"]);
        await Promise.race([cluster.nextRound(), running]);
        cluster.set(deployment());
        const { status, stderr } = await running;
        assert.equal(status, 0, stderr);
        for (const name of cluster.requests) if (!/^(?:apis|v1alpha1)$/u.test(name)) asked.add(`list ${name}`);
      },
      { argo: true },
    );
    const role = parseAllDocuments(file)
      .map((document): unknown => document.toJS())
      .find((one) => textAt(one, "metadata", "name") === "rollstamp-wait");
    const allowed = listAt(role, "rules").flatMap((rule) =>
      listAt(rule, "verbs").flatMap((verb) =>
        listAt(rule, "resources").map((resource) => `${String(verb)} ${String(resource)}`),
      ),
    );
    assert.deepEqual([...asked].sort(), allowed.sort());
  });

  it("are in the page as they are in the file", () => {
    const [, role = ""] = /^(apiVersion.*?)^---$/msu.exec(file) ?? [];
    assert.ok(role.includes("kind: ClusterRole"));
    assert.ok(readFileSync(inRoot("docs/guides/clusters.md"), "utf8").includes(`\`\`\`yaml\n${role}\`\`\``));
    const wait = /apiVersion[^#]*name: rollstamp-wait[^#]*/u.exec(file)?.[0] ?? "";
    assert.ok(readFileSync(inRoot("docs/guides/clusters.md"), "utf8").includes(`\`\`\`yaml\n${wait}\`\`\``));
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fieldAt, listAt } from "../../e2e/fields.ts";
import { withFakeApi, type FakeApi } from "../status/fake-api.ts";
import { live, objects, stamped } from "../status/live.ts";

const MANIFESTS = `
apiVersion: v1
kind: ConfigMap
metadata: {name: env}
data: {LEVEL: info}
---
apiVersion: v1
kind: Secret
metadata: {name: login}
data: {password: aHVudGVyMg==}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec: {containers: [{name: app, image: a, envFrom: [{configMapRef: {name: env}}, {secretRef: {name: login}}]}]}
`;

const SOURCES = {
  "/api/v1": {
    resources: [
      { name: "configmaps", kind: "ConfigMap", namespaced: true },
      { name: "secrets", kind: "Secret", namespaced: true },
    ],
  },
};

/** A server that has the stamped manifests: one of each kind, so the selector by name does not matter. */
async function serverOf(more: Partial<FakeApi> = {}): Promise<FakeApi> {
  const lists = live(objects(await stamped(MANIFESTS)));
  return { lists, answers: SOURCES, ...more };
}

const run = { args: ["plan", "--live", "-", "-o", "json", "--all", "--request-timeout", "0.7"] };

describe("plan --live", () => {
  it("reports a list of one object that does not end", async () => {
    let pages = 0;
    const fault: FakeApi["fault"] = (_, response, { pathname }) => {
      if (!pathname.endsWith("/deployments")) return false;
      response.end(JSON.stringify({ metadata: { continue: String((pages += 1)) }, items: [] }));
      return true;
    };
    const args = [...run.args, "--max-documents", "5000"];
    const { status, stderr } = await withFakeApi(await serverOf({ fault }), { args, world: { stdin: MANIFESTS } });
    assert.equal(status, 2);
    assert.match(stderr, /lists more than 5000 objects\n.*--max-documents/u);
    assert.ok(pages < 50, String(pages));
  });

  it("finds no rollouts where the cluster matches the rendering", async () => {
    const { status, stdout, stderr } = await withFakeApi(await serverOf(), { ...run, world: { stdin: MANIFESTS } });
    assert.equal(status, 0, stderr);
    const plan: unknown = JSON.parse(stdout);
    assert.deepEqual(
      listAt(plan, "workloads").map((one) => fieldAt(one, "action")),
      ["None"],
    );
  });

  it("counts what the live objects have too, and assumes that what it does not read exists", async () => {
    const service = (name: string): string =>
      `---\napiVersion: v1\nkind: Service\nmetadata: {name: ${name}}\nspec: {selector: {app: web}}\n`;
    const labelled = MANIFESTS.replace("template:\n", "template:\n    metadata: {labels: {app: web}}\n");
    const lost = labelled.replace("{name: env}}, {secretRef", "{name: env}}, {configMapRef: {name: lost}}, {secretRef");
    const lists = live(objects(await stamped(lost)));
    const planOf = async (stdin: string): Promise<unknown> => {
      const { stdout, stderr } = await withFakeApi({ lists, answers: SOURCES }, { ...run, world: { stdin } });
      assert.notEqual(stdout, "", stderr);
      return JSON.parse(stdout);
    };
    const findingsOf = (plan: unknown): unknown[] =>
      listAt(plan, "workloads").flatMap((one) =>
        listAt(one, "findings").map(
          (finding) => `${String(fieldAt(finding, "id"))} ${String(fieldAt(finding, "before"))}`,
        ),
      );
    const same = await planOf(`${lost}${service("web")}`);
    assert.deepEqual(findingsOf(same), ["RS001 true", "RS008 true", "RS016 true"]);
    assert.equal(fieldAt(same, "findingsBefore"), 3);
    // Whether the source went with this change, the cluster was not asked.
    const other = await planOf(`${lost.replace("image: a", "image: b")}${service("web")}`);
    assert.deepEqual(findingsOf(other), ["RS001 undefined", "RS008 true", "RS016 true"]);
    assert.equal(fieldAt(other, "findingsBefore"), 2);
  });

  it("creates what the server does not have, and requests objects only by name", async () => {
    const asked: (string | null)[] = [];
    const api = await serverOf({
      lists: {},
      seen: ({ pathname, searchParams }) => {
        if (pathname.includes("/namespaces/")) asked.push(searchParams.get("fieldSelector"));
      },
    });
    const { stdout } = await withFakeApi(api, { ...run, world: { stdin: MANIFESTS } });
    const plan: unknown = JSON.parse(stdout);
    assert.deepEqual(
      listAt(plan, "workloads").map((one) => fieldAt(one, "action")),
      ["Create"],
    );
    assert.deepEqual(asked.sort(), ["metadata.name=env", "metadata.name=login", "metadata.name=web"]);
  });

  const list =
    (name: string): ((url: URL) => boolean) =>
    ({ pathname }) =>
      pathname.endsWith(`/${name}`);
  const faults: Readonly<Record<string, readonly [FakeApi["fault"], RegExp]>> = {
    "credentials have expired": [(_, response) => (response.writeHead(401).end(), true), /credentials \(401\)/u],
    "a Secret may not be seen: it would count as created": [
      (_, response, url) => list("secrets")(url) && (response.writeHead(403).end(), true),
      /may not see Secret login.*\(forbidden\)/u,
    ],
    "nothing of a group may be asked": [
      (_, response, { pathname }) => pathname === "/apis/apps/v1" && (response.writeHead(403).end(), true),
      /may not see apps\/v1/u,
    ],
    "the server stops in the middle": [
      (_, response, url) => {
        if (!list("deployments")(url)) return false;
        response.writeHead(200, { "Content-Length": "1000" });
        response.write('{"items":[', () => response.destroy());
        return true;
      },
      /closed the connection during a response/u,
    ],
    "the server says nothing": [(_, _response, url) => list("configmaps")(url), /does not answer within 0\.7 seconds/u],
  };
  for (const [name, [fault, message]] of Object.entries(faults)) {
    it(`ends with one message where ${name}`, async () => {
      const api = await serverOf(fault === undefined ? {} : { fault });
      const { status, stdout, stderr } = await withFakeApi(api, { ...run, world: { stdin: MANIFESTS } });
      assert.equal(status, 2, stderr);
      assert.equal(stdout, "");
      assert.match(stderr, message);
      assert.equal(stderr.trimEnd().split("\n").length, 2, "a message and what to do");
      assert.ok(!stderr.includes("hunter2") && !stderr.includes("aHVudGVyMg"));
    });
  }
});

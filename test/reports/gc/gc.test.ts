import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parseAllDocuments } from "yaml";
import { PROTECTION } from "../../../src/base/copies.ts";
import { VERSION_OF } from "../../../src/base/keys.ts";
import type { Cluster } from "../../../src/platform/ports/cluster.ts";
import { deleteUnused, type JudgedCopies } from "../../../src/reports/gc/collect.ts";
import type { LiveCopy } from "../../../src/reports/gc/read-copies.ts";
import { fieldAt, listAt, textAt } from "../../e2e/fields.ts";
import { inRoot } from "../../support/paths.ts";
import { copy, CUSTOM, gc, SERVED, user, type Stored, type World } from "./copies-cluster.ts";

const schema: object = JSON.parse(readFileSync(inRoot("schemas/gc.json"), "utf8"));
const meetsSchema = new Ajv2020({ formats: { "date-time": true } }).compile(schema);

const A = "env-0123456789";
const B = "env-abcdef0123";

/** The report of a run, which meets the schema. */
async function report(objects: readonly Stored[], args: readonly string[] = [], world: World = {}): Promise<unknown> {
  const { status, stdout, stderr } = await gc(objects, [...args, "-o", "json", "--all"], world);
  assert.equal(status, 0, stderr);
  const read: unknown = JSON.parse(stdout);
  assert.ok(meetsSchema(read), JSON.stringify(meetsSchema.errors));
  assert.doesNotMatch(stdout, /planted-value/u);
  return read;
}

/** The state of each copy, by name. */
async function states(objects: readonly Stored[], world: World = {}): Promise<Record<string, unknown>> {
  const read = await report(objects, [], world);
  return Object.fromEntries(listAt(read, "copies").map((row) => [textAt(row, "name"), fieldAt(row, "state")]));
}

describe("gc: what uses a copy", () => {
  const everyKind = Object.entries({ v1: { Pod: "", ReplicationController: "" }, ...SERVED, ...CUSTOM }).flatMap(
    ([apiVersion, kinds]) => Object.keys(kinds).map((kind) => [apiVersion, kind] as const),
  );

  it("each kind that runs pods or keeps their templates, also without replicas", async () => {
    for (const [apiVersion, kind] of everyKind) {
      // A kind is read in the first version that has it.
      if (apiVersion === "apps.kruise.io/v1alpha1" && kind === "StatefulSet") continue;
      const read = await report([copy(A), copy(B), user(apiVersion, kind, [A])]);
      const [used, unused] = listAt(read, "copies");
      assert.deepEqual(fieldAt(used, "usedBy"), [{ apiVersion, kind, namespace: "shop", name: "web" }]);
      assert.deepEqual([fieldAt(used, "state"), fieldAt(unused, "state")], ["Used", "Unused"], kind);
    }
  });

  it("a name anywhere in an object, as a word", async () => {
    const revision = (data: unknown): Stored => ({
      ...user("apps/v1", "ControllerRevision", []),
      data: data as object,
    });
    for (const [data, expected] of [
      [{ spec: { template: { spec: { volumes: [{ configMap: { name: A } }] } } } }, "Used"],
      [JSON.stringify({ spec: { volumes: [{ configMap: { name: A } }] } }), "Used"],
      [JSON.stringify({ text: `a:\n${A}\n` }), "Used"],
      [{ args: [`--config-map=shop/${A}`] }, "Used"],
      [`It reads ${A}.`, "Used"],
      [{ [A]: {} }, "Used"],
      [{ name: `${A}-2` }, "Unused"],
      [{ name: `my-${A}` }, "Unused"],
      [{ name: "env" }, "Unused"],
    ] as const) {
      assert.deepEqual(await states([copy(A), revision(data)]), { [A]: expected }, JSON.stringify(data));
    }
  });

  it("names the first five objects", async () => {
    const pods = Array.from({ length: 7 }, (_, i) => user("v1", "Pod", [A], { name: `web-${i}` }));
    const [row] = listAt(await report([copy(A), ...pods, user("apps/v1", "Deployment", [A])]), "copies");
    const names = listAt(row, "usedBy").map((one) => `${textAt(one, "kind")} ${textAt(one, "name")}`);
    assert.deepEqual(names, ["Deployment web", "Pod web-0", "Pod web-1", "Pod web-2", "Pod web-3"]);
  });

  it("reads all pages", async () => {
    const pods = Array.from({ length: 600 }, (_, i) => user("v1", "Pod", i === 599 ? [A] : [], { name: `web-${i}` }));
    const copies = Array.from({ length: 1200 }, (_, i) => copy(`env-${String(i).padStart(10, "0")}`));
    const read = await report([copy(A), ...copies, ...pods]);
    assert.equal(fieldAt(read, "summary", "used"), 1);
    assert.equal(fieldAt(read, "summary", "unused"), 1200);
  });

  it("not an object of another namespace", async () => {
    const objects = [copy(A), copy(A, { namespace: "other" }), user("v1", "Pod", [A], { namespace: "other" })];
    const read = await report(objects, ["-A"]);
    assert.deepEqual(
      listAt(read, "copies").map((row) => [textAt(row, "namespace"), textAt(row, "state")]),
      [
        ["other", "Used"],
        ["shop", "Unused"],
      ],
    );
    assert.equal(fieldAt(read, "namespace"), undefined);
  });

  it("kinds of the configuration", async () => {
    const served = { ...SERVED, "example.com/v1": { App: "apps" } };
    const objects = [copy(A), user("example.com/v1", "App", [A])];
    assert.deepEqual(await states(objects, { served }), { [A]: "Unused" });
    const folder = inRoot("test/reports/gc/config.yaml");
    const read = await report(objects, ["--config", folder], { served });
    assert.equal(fieldAt(read, "summary", "used"), 1);
  });

  it("is read from workloads down to pods, after the copies", async () => {
    const { paths } = await gc([copy(A)]);
    const order = paths.map((path) => path.split("/").at(-1) ?? "").filter((name) => !/^(?:apis|v\d\w*)$/u.test(name));
    assert.deepEqual(order, [
      "configmaps",
      "secrets",
      "rollouts",
      "statefulsets",
      "clonesets",
      "deployments",
      "statefulsets",
      "daemonsets",
      "cronjobs",
      "replicasets",
      "controllerrevisions",
      "jobs",
      "replicationcontrollers",
      "pods",
    ]);
  });
});

describe("gc: which copies", () => {
  it("those with all protecting annotations; others are counted", async () => {
    const without = Object.keys(PROTECTION).map((key, i) => copy(`env-${i}`, { annotations: { [key]: undefined } }));
    const objects = [
      copy(A),
      ...without,
      copy("no-copy", { labels: {} }),
      copy("going", { metadata: { deletionTimestamp: "x" } }),
    ];
    const read = await report(objects);
    assert.deepEqual(
      listAt(read, "copies").map((row) => textAt(row, "name")),
      [A],
    );
    assert.equal(fieldAt(read, "summary", "unprotected"), without.length);
  });

  it("those that are older than --older-than, 24 hours by default", async () => {
    const objects = [copy(A, { age: 0.9 }), copy(B, { age: 1.1 })];
    assert.deepEqual(await states(objects), { [A]: "Recent", [B]: "Unused" });
    const read = await report(objects, ["--older-than", "48h", "--delete"]);
    assert.deepEqual(fieldAt(read, "summary", "recent"), 2);
    assert.equal(fieldAt(read, "olderThanSeconds"), 172_800);
  });

  it("also Secrets, whose content is not requested", async () => {
    const accepted = new Map<string, string>();
    const seen: NonNullable<World["seen"]> = ({ pathname }, { headers }) =>
      accepted.set(pathname, headers.accept ?? "");
    assert.deepEqual(await states([copy(A, { kind: "Secret" })], { seen }), { [A]: "Unused" });
    for (const kind of ["configmaps", "secrets"])
      assert.match(accepted.get(`/api/v1/namespaces/shop/${kind}`) ?? "", /PartialObjectMetadataList/u);
  });

  it("lists used and recent ones only with --all", async () => {
    const objects = [copy(A), copy(B, { age: 0 }), copy("env-c"), user("v1", "Pod", [A])];
    const { stdout } = await gc(objects, ["-o", "json"]);
    const read: unknown = JSON.parse(stdout);
    assert.deepEqual(
      listAt(read, "copies").map((row) => textAt(row, "name")),
      ["env-c"],
    );
    assert.deepEqual(fieldAt(read, "summary"), {
      copies: 3,
      unused: 1,
      deleted: 0,
      used: 1,
      recent: 1,
      changed: 0,
      gone: 0,
      failed: 0,
      unprotected: 0,
    });
  });

  it("reads nothing else if no copy is old enough", async () => {
    const { paths } = await gc([copy(A, { age: 0 })]);
    assert.deepEqual(paths.length, 2);
  });
});

describe("gc --delete", () => {
  it("deletes unused copies, each with its uid and resourceVersion", async () => {
    const { status, deleted } = await gc([copy(A), copy(B), user("v1", "Pod", [B])], ["--delete"]);
    assert.equal(status, 0);
    assert.deepEqual(deleted, [
      [
        `/api/v1/namespaces/shop/configmaps/${A}`,
        { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: `uid-${A}`, resourceVersion: "7" } },
      ],
    ]);
  });

  it("deletes nothing without the option", async () => {
    assert.deepEqual((await gc([copy(A)], [])).deleted, []);
  });

  it("reports what became of each", async () => {
    const deletions = { "env-changed": 409, "env-gone": 404, "env-forbidden": 403, "env-accepted": 202 };
    const copies = [...Object.keys(deletions), "env-deleted"].map((name) => copy(name));
    const { status, stdout } = await gc(copies, ["--delete", "-o", "json"], { deletions });
    assert.equal(status, 1);
    const read: unknown = JSON.parse(stdout);
    assert.ok(meetsSchema(read));
    assert.deepEqual(
      listAt(read, "copies").map((row) => [textAt(row, "name"), textAt(row, "state")]),
      [
        ["env-accepted", "Deleted"],
        ["env-changed", "Changed"],
        ["env-deleted", "Deleted"],
        ["env-forbidden", "Failed"],
        ["env-gone", "Gone"],
      ],
    );
  });

  it("ends at a failure of the cluster, and reports what it has deleted", async () => {
    const deletions = { "env-b": 500 };
    const { status, stdout, deleted } = await gc(
      ["env-a", "env-b", "env-c"].map((name) => copy(name)),
      ["--delete", "-o", "json"],
      { deletions },
    );
    assert.equal(status, 1);
    assert.equal(deleted.length, 2);
    const rows = listAt(JSON.parse(stdout), "copies");
    assert.deepEqual(
      rows.map((row) => textAt(row, "state")),
      ["Deleted", "Failed", "Unused"],
    );
    assert.match(textAt(rows[1], "because"), /answers with status 500/u);
  });
});

describe("gc --delete, when it is ended", () => {
  it("deletes no further copy, and the rest stays unused", async () => {
    const controller = new AbortController();
    const removed: string[] = [];
    const cluster: Pick<Cluster, "remove"> = {
      remove: (path) => {
        removed.push(path);
        controller.abort();
        return Promise.resolve("deleted");
      },
    };
    const live = (name: string): LiveCopy => ({
      kind: "ConfigMap",
      namespace: "shop",
      name,
      source: "env",
      createdAt: new Date(0),
      path: name,
      uid: "u",
      resourceVersion: "1",
    });
    const copies: JudgedCopies["copies"] = new Map(
      ["a", "b"].map((name) => [live(name), { state: "Unused", usedBy: [] }]),
    );
    await deleteUnused(cluster, { copies }, controller.signal, () => undefined);
    assert.deepEqual(removed, ["a"]);
    assert.deepEqual(
      [...copies.values()].map(({ state }) => state),
      ["Deleted", "Unused"],
    );
  });
});

describe("gc: what cannot be read", () => {
  const LISTS = ["pods", "replicasets", "controllerrevisions", "jobs", "deployments", "rollouts", "clonesets"];

  /** Nothing is deleted, nothing is called unused, and the message names the reason. */
  async function refuses(world: World, message: RegExp): Promise<void> {
    const { status, stdout, stderr, deleted } = await gc([copy(A)], ["--delete"], world);
    assert.equal(status, 2);
    assert.equal(stdout, "");
    assert.match(stderr, message);
    assert.deepEqual(deleted, []);
  }

  const answering =
    (status: number, plurals: readonly string[], body = "{}"): NonNullable<World["fault"]> =>
    (request, response, { pathname }) =>
      request.method === "GET" &&
      plurals.includes(pathname.split("/").at(-1) ?? "") &&
      (response.writeHead(status).end(body), true);

  it("a list that is forbidden, not found or failing", async () => {
    for (const plural of LISTS) {
      await refuses(
        { fault: answering(403, [plural]) },
        new RegExp(`can't list ${plural}\\b.* in namespace 'shop'`, "u"),
      );
      await refuses({ fault: answering(404, [plural]) }, new RegExp(`can't list ${plural}\\b`, "u"));
    }
    await refuses({ fault: answering(500, ["pods"]) }, /answers with status 500/u);
    await refuses({ fault: answering(403, ["pods", "jobs"]) }, /can't list jobs\.batch, pods in/u);
  });

  it("an answer that is not a list", async () => {
    await refuses({ fault: answering(200, ["pods"]) }, /does not answer with a list/u);
  });

  it("kinds that the server does not name", async () => {
    await refuses({ fault: answering(403, ["apis"]) }, /can't discover \/apis/u);
    await refuses({ fault: answering(404, ["v1alpha1"]) }, /can't discover argoproj\.io\/v1alpha1/u);
    const { ReplicaSet: _, ...apps } = SERVED["apps/v1"] ?? {};
    await refuses({ served: { ...SERVED, "apps/v1": apps } }, /can't discover apps\/ReplicaSet/u);
  });

  it("ConfigMaps", () => refuses({ fault: answering(403, ["configmaps"]) }, /can't list configmaps/u));

  it("Secrets are optional, and reported", async () => {
    const read = await report([copy(A)], [], { fault: answering(403, ["secrets"]) });
    assert.deepEqual(fieldAt(read, "unseen"), [{ what: "secrets", because: "forbidden" }]);
    assert.equal(fieldAt(read, "summary", "unused"), 1);
  });

  it("an object whose name no reference can have is not a copy", async () => {
    const { status, deleted } = await gc([copy(".."), copy("A"), copy("env-\u001b[31m")], ["--delete"]);
    assert.equal(status, 0);
    assert.deepEqual(deleted, []);
  });
});

describe("gc --rbac", () => {
  const roles = async (args: readonly string[], world: World = {}): Promise<readonly unknown[]> => {
    const { status, stdout, stderr } = await gc([], ["--rbac", ...args], world);
    assert.equal(status, 0, stderr);
    return parseAllDocuments(stdout).map((document): unknown => document.toJS());
  };
  const rights = (role: unknown): string[] =>
    listAt(role, "rules").flatMap((rule) =>
      listAt(rule, "verbs").flatMap((verb) =>
        listAt(rule, "resources").map(
          (name) => `${String(verb)} ${String(listAt(rule, "apiGroups")[0])}/${String(name)}`,
        ),
      ),
    );

  it("prints what gc asks for, and nothing else", async () => {
    for (const options of [[], ["--delete"]]) {
      const asked = new Set<string>();
      await gc([copy(A), copy(B, { kind: "Secret" })], [...options, "-A"], {
        seen: ({ pathname }, { method }) => {
          const [, group = "", name, object] =
            /^\/(?:api|apis\/([^/]+))\/v\w+\/(?:namespaces\/shop\/)?([a-z]+)(\/.+)?$/u.exec(pathname) ?? [];
          if (name !== undefined)
            asked.add(`${object === undefined ? "list" : String(method).toLowerCase()} ${group}/${name}`);
        },
      });
      assert.deepEqual((await roles([...options, "-A"])).flatMap(rights).sort(), [...asked].sort());
    }
  });

  it("prints Roles for one namespace, ClusterRoles for all", async () => {
    const shown = (all: readonly unknown[]): unknown =>
      all.map((role) => [
        textAt(role, "kind"),
        textAt(role, "metadata", "name"),
        fieldAt(role, "metadata", "namespace"),
      ]);
    assert.deepEqual(shown(await roles(["-n", "123"])), [
      ["Role", "rollstamp-gc", "123"],
      ["Role", "rollstamp-gc-secrets", "123"],
    ]);
    assert.deepEqual(shown(await roles(["-A"])), [
      ["ClusterRole", "rollstamp-gc", undefined],
      ["ClusterRole", "rollstamp-gc-secrets", undefined],
    ]);
  });

  it("is the role of the example with a CronJob, where no custom kinds are served", async () => {
    const example = parseAllDocuments(readFileSync(inRoot("docs/gc-cron-job.yaml"), "utf8")).map((document): unknown =>
      document.toJS(),
    );
    const [role] = await roles(["-A", "--delete"], { served: SERVED });
    assert.deepEqual(
      example.find((one) => textAt(one, "kind") === "ClusterRole"),
      role,
    );
  });
});

describe("gc: usage", () => {
  it("refuses -n with -A, and options without an effect", async () => {
    for (const args of [
      ["-n", "shop", "-A"],
      ["--rbac", "-o", "json"],
      ["--older-than", "0s"],
    ]) {
      assert.equal((await gc([], args)).status, 2, args.join(" "));
    }
  });
});

describe("gc: hostile names", () => {
  it("are printed as text", async () => {
    const hostile = "\u001b]0;owned\u0007\u009b31m\n::error::x\u202e";
    const objects = [
      copy(A, { labels: { [VERSION_OF]: hostile } }),
      copy(B, { labels: { [VERSION_OF]: hostile } }),
      user("v1", "Pod", [A], { name: hostile }),
    ];
    const served = { ...SERVED, "argoproj.io/v1alpha1": { Rollout: `rollouts${hostile}` } };
    for (const args of [["--all"], ["--all", "-o", "json"], ["--rbac"]]) {
      const { status, stdout, stderr } = await gc(objects, args, args[0] === "--rbac" ? { served } : {});
      assert.equal(status, 0, stderr);
      assert.doesNotMatch(stdout.replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}]/u);
      assert.doesNotMatch(stdout, /^\s*::/mu);
      assert.match(stdout, /owned/u);
    }
  });
});

describe("gc -o text", () => {
  it("is a table like kubectl's", async () => {
    const deletions = { "env-changed": 409, "env-gone": 404, "env-forbidden": 403 };
    const objects = [
      ...["env-changed", "env-forbidden", "env-gone", "env-unused"].map((name) => copy(name)),
      copy("env-new", { age: 0.2 }),
      copy("env-used", { kind: "Secret", namespace: "web", age: 30 }),
      copy("env-pruned", { annotations: { "argocd.argoproj.io/sync-options": undefined } }),
      user("apps/v1", "ReplicaSet", ["env-used"], { name: "web-5d4", namespace: "web" }),
    ];
    assert.equal(
      (await gc(objects, ["-A", "--all", "--delete"], { deletions })).stdout,
      `NAMESPACE  KIND       NAME           SOURCE  AGE  STATE
shop       ConfigMap  env-changed    env     10d  kept: changed after it was listed
shop       ConfigMap  env-forbidden  env     10d  not deleted: forbidden
shop       ConfigMap  env-gone       env     10d  already deleted
shop       ConfigMap  env-new        env     4h   too new
shop       ConfigMap  env-unused     env     10d  deleted
web        Secret     env-used       env     30d  used by ReplicaSet web-5d4

6 protected copies in all namespaces of fake: 1 deleted, 1 not deleted, 1 changed, 1 already deleted, 1 used, 1 newer than 1d; 1 other copy without protection: the engine prunes them
`,
    );
    assert.equal(
      (await gc([copy(A)])).stdout,
      `KIND       NAME            SOURCE  AGE  STATE
ConfigMap  env-0123456789  env     10d  unused

1 protected copy in namespace shop of fake: 1 unused
`,
    );
    assert.equal((await gc([])).stdout, "0 protected copies in namespace shop of fake: 0 unused\n");
  });
});

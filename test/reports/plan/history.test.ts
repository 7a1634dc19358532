import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { cli } from "../../support/cli.ts";
import type { Files } from "../../support/folders.ts";
import { inRoot } from "../../support/paths.ts";
import { unstampedShop } from "../../support/shop.ts";
import { actions, assertSchema, findingIds, reasons } from "./planned.ts";
import { inRepository, leftBehind, type Repository } from "./repository.ts";

/** The example in a folder of its repository. */
function shop(): Files {
  const files = Object.entries(unstampedShop());
  assert.ok(files.length >= 5);
  return Object.fromEntries(files.map(([name, text]) => [`shop/${name}`, text]));
}

const OLD = `apiVersion: extensions/v1beta1
kind: Deployment
metadata: {name: legacy, namespace: shop}
spec: {template: {metadata: {labels: {app: legacy}}, spec: {containers: [{name: app, image: "legacy:1", envFrom: [{configMapRef: {name: shop}}]}]}}}
`;

/** A plan over applications as one that knows of none. */
function withoutApplications(report: PlanJson): PlanJson {
  const { applications, unread, ...plan } = report;
  assert.deepEqual(unread, []);
  assert.deepEqual(applications, [
    { name: ".", path: ".", kind: "Files", stampedBy: "Nothing", foundBy: "Manifests", status: "Changed" },
  ]);
  return {
    ...plan,
    objects: plan.objects.map(({ application, ...object }) => {
      assert.equal(application, ".");
      return object;
    }),
    workloads: plan.workloads.map(({ application, ...planned }) => {
      assert.equal(application, ".");
      return planned;
    }),
  };
}

async function planOf(
  { environment }: Repository,
  range: string,
  ...args: string[]
): Promise<{ report: PlanJson; status: number }> {
  const { stdout, stderr, status } = await cli(["plan", "-o", "json", "--as", "stamped", "--git", range, ...args], {
    environment,
  });
  assert.notEqual(status, 2, stderr);
  assertSchema(stdout);
  return { report: JSON.parse(stdout), status };
}

describe("plans over the history of the example", () => {
  const steps = async (repository: Repository): Promise<void> => {
    const { edit, commit } = repository;
    edit("one-key", "shop/config.yaml", "LOG_LEVEL: info", "LOG_LEVEL: debug");
    edit("label", "shop/config.yaml", "  name: shop\n", "  name: shop\n  labels: {team: shop}\n");
    edit("image", "shop/orders.yaml", "orders:2.9.1", "orders:2.9.2");
    edit("selector", "shop/storefront.yaml", "matchLabels:\n      app: storefront", "matchLabels:\n      app: store");
    edit(
      "selector-back",
      "shop/storefront.yaml",
      "matchLabels:\n      app: store\n",
      "matchLabels:\n      app: storefront\n",
    );
    edit("immutable", "shop/config.yaml", "data:\n  nginx.conf", "immutable: true\ndata:\n  nginx.conf");
    edit("banner", "shop/config.yaml", "Free delivery", "Free returns");
    edit("banner-back", "shop/config.yaml", "Free returns", "Free delivery");
    edit("paused", "shop/storefront.yaml", "replicas: 3", "replicas: 3\n  paused: true");
    edit("while-paused", "shop/config.yaml", "CURRENCY: EUR", "CURRENCY: CHF");
    edit("resumed", "shop/storefront.yaml", "  paused: true\n", "");
    commit("legacy", { "shop/legacy.yaml": OLD });
    edit("legacy-rolls", "shop/config.yaml", "CURRENCY: CHF", "CURRENCY: GBP");
    edit("password", "shop/secret.yaml", "change-me", "changed-it");
  };

  it("show which workloads roll out, and why", () =>
    inRepository(shop(), async (repository) => {
      await steps(repository);
      const plan = (range: string): ReturnType<typeof planOf> => planOf(repository, range, "shop");

      const oneKey = await plan("start..one-key");
      assert.deepEqual(actions(oneKey.report), ["Roll storefront", "NextRun cleanup"]);
      assert.deepEqual(reasons(oneKey.report, "storefront"), ["ConfigMap shop: LOG_LEVEL changed"]);
      assert.deepEqual([oneKey.status, oneKey.report.summary.pods, oneKey.report.summary.workloads], [0, 3, 3]);

      assert.deepEqual(actions((await plan("one-key..label")).report), []);

      const image = await plan("label..image");
      assert.deepEqual(actions(image.report), ["Roll orders"]);
      assert.deepEqual(reasons(image.report, "orders"), [
        "spec.containers[name=orders].image: ghcr.io/example/orders:2.9.1 → ghcr.io/example/orders:2.9.2",
      ]);

      const selector = await plan("image..selector");
      assert.deepEqual([actions(selector.report), selector.status], [["Fail storefront"], 1]);
      assert.deepEqual(reasons(selector.report, "storefront"), [
        "spec.selector.matchLabels.app: storefront → store; a selector cannot be changed",
      ]);

      assert.deepEqual(actions((await plan("selector-back..immutable")).report), []);
      const banner = await plan("immutable..banner");
      assert.deepEqual([actions(banner.report), banner.status], [["Fail storefront"], 1]);
      assert.deepEqual(findingIds(banner.report, "storefront"), ["RS006"]);

      assert.deepEqual(actions((await plan("banner-back..paused")).report), []);
      const paused = await plan("paused..while-paused");
      assert.deepEqual(actions(paused.report), ["NoEffect storefront", "NextRun cleanup"]);
      assert.equal(paused.report.workloads.find(({ name }) => name === "storefront")?.because, "it is paused");

      const created = await plan("resumed..legacy");
      assert.deepEqual(actions(created.report), ["Create legacy"]);
      assert.ok(findingIds(created.report, "legacy").includes("RS011"));
      const legacy = await plan("legacy..legacy-rolls");
      assert.deepEqual(actions(legacy.report), ["Roll legacy", "Roll storefront", "NextRun cleanup"]);
      assert.deepEqual(findingIds(legacy.report, "legacy"), ["RS004"], "RS011 was there before");

      const password = await plan("legacy-rolls..password");
      assert.deepEqual(actions(password.report), ["Roll orders", "NextRun cleanup"]);
      assert.deepEqual(reasons(password.report, "orders"), ["Secret database: password changed"]);

      assert.deepEqual(leftBehind(repository), []);
    }));

  it("are the same with a render command for each revision, run in the current folder", () =>
    inRepository(shop(), async (repository) => {
      repository.edit("one-key", "shop/config.yaml", "LOG_LEVEL: info", "LOG_LEVEL: debug");
      const rendered = await planOf(
        repository,
        "start..one-key",
        "--render",
        "for f in shop/*.yaml; do cat $f; echo ---; done",
      );
      const { examined, ...report } = rendered.report;
      const { examined: files, ...fromFiles } = withoutApplications(
        (await planOf(repository, "start..one-key", "shop")).report,
      );
      assert.deepEqual(report, fromFiles);
      assert.deepEqual({ ...examined, applications: 0 }, { ...files, files: 2 }, "one stream for each side");
      process.chdir("shop");
      const inside = await planOf(
        repository,
        "start..one-key",
        "--render",
        "for f in *.yaml; do cat $f; echo ---; done",
      );
      assert.deepEqual(inside.report, rendered.report);
      const { examined: _, ...here } = withoutApplications((await planOf(repository, "start..one-key", ".")).report);
      assert.deepEqual(here, report);
      process.chdir("..");
    }));

  it("are what docs/guides/plan.md shows: without stamps, the first stamps, and a change of a stamped application", () =>
    inRepository(shop(), async ({ edit, git, environment }) => {
      // Commits differ, and so does the name of the folder.
      const general = (text: string): string =>
        text.replaceAll(/^\S+( {2}\S+ {2})[0-9a-f]{7}\.\.[0-9a-f]{7}$/gmu, "shop$1BASE..HEAD");
      const guide = general(readFileSync(inRoot("docs/guides/plan.md"), "utf8"));
      const isShown = async (range: string): Promise<void> => {
        const { stdout } = await cli(["plan", "--git", range], { environment });
        assert.ok(guide.includes(`\`\`\`\n${general(stdout)}\`\`\``), stdout);
      };
      git("checkout", "--quiet", "-b", "one-key");
      edit("changed", "shop/config.yaml", "LOG_LEVEL: info", "LOG_LEVEL: debug");
      await isShown("main...one-key");
      git("checkout", "--quiet", "-b", "adopt", "main");
      await cli(["stamp", "shop"], { environment });
      git("commit", "--quiet", "--all", "--message", "adopt");
      await isShown("main...adopt");
      git("branch", "--force", "main");
      git("checkout", "--quiet", "-B", "one-key");
      edit("changed-again", "shop/config.yaml", "LOG_LEVEL: info", "LOG_LEVEL: debug");
      await cli(["stamp", "shop"], { environment });
      git("commit", "--quiet", "--all", "--amend", "--message", "one key");
      await isShown("main...one-key");
    }));

  it("compare A...B from the merge base, and use HEAD for an omitted revision", () =>
    inRepository(shop(), async (repository) => {
      const { edit, git } = repository;
      git("checkout", "--quiet", "-b", "branch");
      edit("on-branch", "shop/orders.yaml", "orders:2.9.1", "orders:3");
      git("checkout", "--quiet", "main");
      edit("on-main", "shop/storefront.yaml", "storefront:4.2.0", "storefront:5");
      git("checkout", "--quiet", "branch");
      assert.deepEqual(actions((await planOf(repository, "main..branch", "shop")).report), [
        "Roll storefront",
        "Roll orders",
      ]);
      for (const range of ["main...branch", "main..."]) {
        assert.deepEqual(actions((await planOf(repository, range, "shop")).report), ["Roll orders"], range);
      }
    }));
});

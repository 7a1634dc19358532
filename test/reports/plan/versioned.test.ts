import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { PlanReport } from "../../../src/reports/plan/plan-report.ts";
import { cli } from "../../support/cli.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { assertSchema, planned } from "./planned.ts";
import { inRepository, type Repository } from "./repository.ts";

// Plans of files with copies of sources: contract, section 10.

const config = (layout: string, more: string): string =>
  `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: { name: stamp }\nspec:\n  layout: ${layout}\n${more}`;

/** A workload that mounts the source and has a variable of it. */
const WEB = `${deployment("web", "env")}          volumeMounts: [{ name: files, mountPath: /etc/files }]
      volumes:
        - name: files
          configMap:
            name: env
`;

interface Planned {
  readonly plan: (base: string, ...options: string[]) => Promise<PlanReport>;
  readonly text: (base: string, ...options: string[]) => Promise<string>;
  readonly repository: Repository;
  /** Changes files, stamps them unless told not to, and commits. */
  readonly commit: (tag: string, change: () => void, isStamped?: boolean) => Promise<void>;
}

async function versioned(test: (planned: Planned) => Promise<void>, more = ""): Promise<void> {
  await inRepository({}, async (repository) => {
    const { environment } = repository;
    const commit: Planned["commit"] = async (tag, change, isStamped = true) => {
      change();
      if (isStamped) assert.equal((await cli(["stamp", "."], { environment })).status, 0);
      repository.commit(tag, {});
    };
    const text: Planned["text"] = async (base, ...options) => {
      const { stdout, stderr } = await cli(["plan", "--git", `${base}..HEAD`, ".", ...options], { environment });
      assert.equal(stderr, "");
      return stdout;
    };
    const plan: Planned["plan"] = async (base, ...options) => {
      const json = await text(base, "-o", "json", ...options);
      assertSchema(json);
      return JSON.parse(json) as PlanReport;
    };
    await commit("first", () => {
      writeFileSync("rollstamp.yaml", config("Versioned", more));
      writeFileSync("config.yaml", configMap("env", "a"));
      writeFileSync("web.yaml", WEB);
    });
    await test({ plan, text, repository, commit });
  });
}

/** Gives the source other content: its document is the first of the file. */
function changeTo(value: string): void {
  const text = readFileSync("config.yaml", "utf8");
  writeFileSync("config.yaml", text.replace(/value: .*/u, `value: "${value}"`));
}

function edit(file: string, from: string | RegExp, to: string): void {
  const text = readFileSync(file, "utf8");
  assert.notEqual(text.replace(from, to), text);
  writeFileSync(file, text.replace(from, to));
}

const facts = ({ workloads, objects, summary }: PlanReport): unknown => ({
  workloads: workloads.map(({ action, reasons, findings }) => [
    action,
    reasons.map((reason) =>
      reason.type === "Source" ? `${reason.source.name}: ${reason.keys.changed.join()}` : reason.type,
    ),
    findings.map(({ id }) => id),
  ]),
  objects: objects.map(({ change, name }) => `${change} ${name}`),
  otherObjects: summary.otherObjects,
});

const ROLLS = {
  workloads: [["Roll", ["env: value"], []]],
  objects: ["Change env"],
  otherObjects: 1,
};

describe("plan of versioned sources", () => {
  it("names a copy by its source; copies are no other objects", () =>
    versioned(async ({ plan, text, commit }) => {
      await commit("second", () => changeTo("b"));
      for (const as of ["applied", "stamped"]) assert.deepEqual(facts(await plan("first", "--as", as)), ROLLS);
      for (const output of ["text", "markdown", "html"])
        assert.doesNotMatch(await text("first", "-o", output), /env-[0-9a-f]{10}/u);
      for (const value of ["c", "d", "e"]) await commit(value, () => changeTo(value));
      // Copies come, stay and leave.
      assert.deepEqual(facts(await plan("d")), ROLLS);
    }));

  it("shows the difference between the contents of the copies", () =>
    versioned(async ({ plan, commit }) => {
      const diffsSince = async (base: string): Promise<unknown> =>
        (await plan(base, "--show-values")).workloads.flatMap(({ reasons }) =>
          reasons.flatMap((reason) => (reason.type === "Source" ? (reason.diffs ?? []) : [])),
        );
      await commit("unstamped", () => changeTo("b"), false);
      await commit("stamped", () => undefined);
      const expected = [{ key: "value", lines: ["-a", "+b"] }];
      assert.deepEqual([await diffsSince("first"), await diffsSince("unstamped")], [expected, expected]);
      await commit("reverted", () => changeTo("a"));
      assert.deepEqual(await diffsSince("stamped"), [{ key: "value", lines: ["-b", "+a"] }]);
      assert.deepEqual(await diffsSince("first"), []);
    }));

  it("reports changed content that was not stamped: no pod sees it, not even mounted", () =>
    versioned(async ({ plan, text, commit }) => {
      await commit("unstamped", () => changeTo("b"), false);
      const report = await plan("first");
      assert.deepEqual(facts(report), { ...ROLLS, workloads: [["Stale", ["env: value"], ["RS009", "RS025"]]] });
      assert.deepEqual(
        report.workloads.flatMap(({ reasons }) => reasons.map((reason) => reason.type === "Source" && reason.seenBy)),
        ["env"],
      );
      assert.match(await text("first"), /names the copy 'env-1c3e2bf085', but the content of its source/u);
      // The state of the files is reported in either way.
      const rolls = { ...ROLLS, workloads: [["Roll", ["env: value"], ["RS009"]]] };
      assert.deepEqual(facts(await plan("first", "--as", "stamped")), rolls);
    }));

  it("reports other changes of the pod template as such", () =>
    versioned(async ({ plan, commit }) => {
      await commit("image", () => edit("web.yaml", "app:1", "app:2"));
      assert.deepEqual(facts(await plan("first")), {
        workloads: [["Roll", ["Template"], []]],
        objects: [],
        otherObjects: 0,
      });
    }));

  it("rolls once when the layout changes, and back", () =>
    versioned(async ({ plan, commit, text }) => {
      await commit("stamps", () => edit("rollstamp.yaml", "Versioned", "PerSource"));
      const back = await plan("first");
      assert.deepEqual(facts(back), {
        workloads: [["Roll", ["Stamp"], ["leaving-copy"]]],
        objects: [],
        otherObjects: 0,
      });
      assert.match(await text("first"), /env-1c3e2bf085 → h1-1c3e2bf085/u);
      await commit("copies", () => edit("rollstamp.yaml", "PerSource", "Versioned"));
      assert.deepEqual(facts(await plan("stamps")), {
        workloads: [["Roll", ["Stamp"], []]],
        objects: [],
        otherObjects: 0,
      });
    }));

  it("warns about a copy that leaves while old pods have it", async () => {
    const levels: string[] = [];
    for (const more of ["  keep: 1\n", "  keep: 2\n", "  keep: 1\n  protect: true\n"])
      await versioned(async ({ plan, commit }) => {
        await commit("second", () => changeTo("b"));
        const { verdict, workloads } = await plan("first");
        levels.push([verdict?.level, ...workloads.flatMap(({ findings }) => findings.map(({ id }) => id))].join(" "));
      }, more);
    assert.deepEqual(levels, ["attention leaving-copy", "ok", "ok"]);
  });

  it("finds a named copy that is gone, whether or not its name fits the source", () =>
    versioned(async ({ plan, commit, repository }) => {
      const lost = async (): Promise<unknown> => {
        const { verdict, workloads } = await plan("first");
        const sources = workloads.flatMap(({ lost: all = [] }) => all.map(({ source }) => source.name));
        return [verdict?.level, workloads.map(({ action, reasons }) => [action, reasons.length]), sources];
      };
      const expected = ["attention", [["None", 0]], ["env-1c3e2bf085"]];
      await commit("gone", () => writeFileSync("config.yaml", configMap("env", "a")), false);
      assert.deepEqual(await lost(), expected);
      // Stamping writes it.
      assert.equal((await plan("first", "--as", "stamped")).verdict?.level, "ok");
      const { stdout } = await cli(["lint", "-o", "json", "."], { environment: repository.environment });
      assert.match(stdout, /"RS001"/u);
      await commit("other", () => changeTo("b"), false);
      assert.deepEqual(await lost(), expected);
    }));

  it("has no RS021 for sources that a canary names through copies", () => {
    const rollout = (value: string): string =>
      `${configMap("env", value)}---\n${WEB.replace("apps/v1", "argoproj.io/v1alpha1").replace("kind: Deployment", "kind: Rollout").replace("spec:\n", "spec:\n  replicas: 4\n  strategy: { canary: { steps: [{ setWeight: 25 }, { pause: {} }] } }\n")}`;
    const ids = (layout: "PerSource" | "Versioned"): unknown =>
      planned(rollout("a"), rollout("b"), { spec: { layout } }).workloads.map(({ action, findings, caveats }) => [
        action,
        [...findings, ...caveats].map(({ id }) => id).filter((id) => id === "RS021"),
      ]);
    assert.deepEqual([ids("PerSource"), ids("Versioned")], [[["Roll", ["RS021", "RS021"]]], [["Roll", []]]]);
  });
});

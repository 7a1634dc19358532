import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { cli } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { GIT, init } from "./init-cases.ts";

describe("init --plan", () => {
  const OVERLAY = { ...GIT, "app/kustomization.yaml": "resources: [web.yaml]\n" };

  for (const [name, before] of [
    ["a new file", undefined],
    ["one of windows, with stages", "stages: [check]\r\nlint:\r\n  script: [make]\r\n"],
    ["one that ends without a line break", "lint:\n  script: [make]"],
  ] as const)
    it(`adds a job to .gitlab-ci.yml: ${name}`, () =>
      inFolder({ ...OVERLAY, ...(before === undefined ? {} : { ".gitlab-ci.yml": before }) }, async (folder) => {
        const args = ["--plan"];
        assert.equal((await init(folder, { host: "gitlab", args })).status, 0);
        const text = readFileSync(join(folder, ".gitlab-ci.yml"), "utf8");
        assert.ok(text.startsWith(before ?? "rollstamp-plan:"), text);
        const { "rollstamp-plan": job, ...others } = parse(text);
        assert.deepEqual(Object.keys(others), Object.keys(before === undefined ? {} : parse(before)));
        assert.equal(job.stage, others.stages?.[0]);
        assert.match(job.script.at(-1), /rollstamp plan --git "\$base\.\.HEAD" --shard 1\/1 -o json /u);
        assert.match((await init(folder, { host: "gitlab", args })).stderr, /set up already/u);
        assert.equal(readFileSync(join(folder, ".gitlab-ci.yml"), "utf8"), text);
      }));

  it("changes nothing if a workflow plans already", () =>
    inFolder(
      {
        ...OVERLAY,
        ".github/workflows/own.yml": "jobs: {a: {steps: [{run: npx rollstamp@1 plan --git a..b}]}}\n",
      },
      async (folder) =>
        assert.match((await init(folder, { host: "github", args: ["--plan"] })).stderr, /set up already/u),
    ));

  it("is for hosts with jobs", () =>
    inFolder(OVERLAY, async (folder) => {
      const { status, stderr } = await init(folder, { host: "kpt", args: ["--plan"] });
      assert.equal(status, 2);
      assert.match(stderr, /--plan has no effect for this host; it is for github, gitlab/u);
    }));
});

describe("commands that init prints", () => {
  const COMMANDS: readonly (readonly [string, Files, string, readonly string[]])[] = [
    [
      "kustomize",
      { "kustomization.yaml": "resources: [a.yaml]\n" },
      "",
      ["kustomize build --enable-alpha-plugins --enable-exec AT"],
    ],
    [
      "kustomize",
      { "kustomization.yaml": "resources: [base]\n", "base/kustomization.yaml": "helmCharts: [{name: a}]\n" },
      "",
      ["kustomize build --enable-alpha-plugins --enable-exec --enable-helm AT"],
    ],
    [
      "kustomize",
      { "kustomization.yaml": "resources: [a.yaml]\n" },
      "--plugin",
      [
        "mkdir -p ~/.config/kustomize/plugin && rollstamp init kustomize-plugin ~/.config/kustomize/plugin --write",
        "KUSTOMIZE_PLUGIN_HOME=~/.config/kustomize/plugin kubectl kustomize --enable-alpha-plugins AT",
      ],
    ],
    ["kpt", { Kptfile: "kind: Kptfile\n" }, "", ["kpt fn render --allow-exec AT"]],
    [
      "helm",
      { "Chart.yaml": "name: web\n" },
      "",
      [
        "helm template web AT | rollstamp --config AT/rollstamp.yaml",
        "ROLLSTAMP_CONFIG=AT/rollstamp.yaml helm upgrade --install web AT --post-renderer rollstamp",
      ],
    ],
    [
      "helm",
      { "Chart.yaml": "name: web\ndependencies: []\n" },
      "",
      ["helm template web AT --dependency-update | rollstamp --config AT/rollstamp.yaml"],
    ],
  ];
  for (const [host, files, option, commands] of COMMANDS)
    for (const given of [".", "web", "deploy/web"])
      it(`run where init ran: ${host} ${given} ${option}`, async () => {
        const before = process.cwd();
        const below = Object.fromEntries(Object.entries(files).map(([path, text]) => [join("r", given, path), text]));
        await inFolder({ "r/.git/HEAD": "", ...below }, async (folder) => {
          process.chdir(join(folder, "r"));
          try {
            const args = ["init", host, given, ...(option === "" ? [] : [option]), "--write"];
            const { stderr, status } = await cli(args);
            assert.equal(status, 0, stderr);
            const printed = stderr.split("\n").map((line) => line.replace(/^ {2}[A-Z][a-z ]*: /u, ""));
            const place = host === "helm" && !/[./]/u.test(given) ? `./${given}` : given;
            for (const command of commands) {
              const config = given === "." ? "rollstamp.yaml" : `${given}/rollstamp.yaml`;
              const wanted = command.replace("AT/rollstamp.yaml", config).replace("AT", place);
              assert.ok(printed.includes(wanted), `${wanted}\n${stderr}`);
            }
          } finally {
            process.chdir(before);
          }
        });
      });

  it("name the folder from where init ran, also for the whole repository", async () => {
    const before = process.cwd();
    const files = { ...GIT, "apps/web/kustomization.yaml": "resources: [web.yaml]\n", "docs/a.md": "" };
    await inFolder(files, async (folder) => {
      process.chdir(join(folder, "docs"));
      try {
        assert.match((await cli(["init", "pre-commit"])).stderr, /rollstamp init kustomize \.\.\/apps\/web --write/u);
      } finally {
        process.chdir(before);
      }
    });
  });
});

// Every command in every form of its output over two revisions of some manifests: what one test plants in
// them, another looks for in all that comes out.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cli } from "../support/cli.ts";
import { fakeHelm, RENDERED } from "../support/fake-helm.ts";
import { fakeKustomize } from "../support/fake-kustomize.ts";
import { writeFiles, type Files } from "../support/folders.ts";
import { commitAll, initialize, tag as tagHead } from "../support/git-folder.ts";
import { live, objects, stamped, CUSTOM } from "../reports/status/live.ts";
import { withFakeApi } from "../reports/status/fake-api.ts";

/** The output format of a command; `manifests`: it prints the text of the input, by contract. */
export type Form = "text" | "json" | "lines" | "html" | "markdown" | "mermaid" | "dot" | "github" | "manifests";

export interface Row {
  readonly args: readonly string[];
  readonly form: Form;
  /**
   * Given `head`, `base` or both as paths, both as what two charts render to, one as what one does, both as revisions of a
   * repository of applications, the parts of a plan over these, as the rows before have shape them, or by standard input.
   */
  readonly input: "head" | "both" | "charts" | "chart" | "revisions" | "parts" | "stdin" | "none";
  /** It writes files. */
  readonly writes?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

const PARTS = ["1/2", "2/2"];

/** A row for each form of output of each command. `target` is a workload as `explain` takes it. */
export function rows(target: string): readonly Row[] {
  const forms = (command: readonly string[], input: Row["input"], list: readonly Form[]): Row[] =>
    list.map((form) => ({ args: [...command, "-o", form], form, input }));
  return [
    { args: ["fn"], form: "manifests", input: "stdin" },
    { args: ["stamp"], form: "text", input: "head", writes: true },
    {
      args: ["stamp", "--max-workloads", "1", "--max-pods", "9", "--verbose"],
      form: "text",
      input: "head",
      writes: true,
    },
    { args: ["restart", "--all"], form: "text", input: "head", writes: true },
    { args: ["stamp", "--due", "--diff"], form: "manifests", input: "head" },
    { args: ["stamp", "--check"], form: "text", input: "head" },
    { args: ["stamp", "--diff"], form: "manifests", input: "head" },
    { args: ["stamp", "--stdout"], form: "manifests", input: "head" },
    { args: ["restart", "--all", "--at", "2026-01-01T00:00:00Z"], form: "text", input: "head", writes: true },
    { args: ["restart", "--due", "--check"], form: "text", input: "head" },
    { args: ["restart", "deployment/absent", "--check"], form: "text", input: "head" },
    ...forms(["plan"], "both", ["text", "markdown", "json", "html"]),
    { args: ["plan", "-o", "summary"], form: "json", input: "both" },
    { args: ["plan", "--git", "base..head", "-o", "summary"], form: "json", input: "revisions" },
    ...forms(["plan", "--all", "--show-values"], "both", ["text", "markdown", "json", "html"]),
    ...forms(["plan"], "charts", ["text", "markdown", "json", "html"]),
    ...forms(["plan", "--git", "base..head", "--all"], "revisions", ["text", "markdown", "json", "html"]),
    ...PARTS.map((part): Row => ({
      args: ["plan", "--git", "base..head", "--all", "--shard", part, "-o", "json"],
      form: "json",
      input: "revisions",
    })),
    ...forms(["plan", "--merge"], "parts", ["text", "markdown", "json", "html"]),
    ...forms(["apps", "--verbose"], "revisions", ["text", "json"]),
    ...forms(["audit"], "revisions", ["text", "markdown", "json", "html"]),
    ...forms(["lint"], "head", ["text", "json", "github"]),
    { args: ["lint", "-o", "sarif"], form: "json", input: "head" },
    ...forms(["graph"], "head", ["text", "json", "html", "mermaid", "dot"]),
    ...forms(["digest"], "head", ["text", "json"]),
    ...forms(["lint", "--apps"], "head", ["text", "json", "github"]),
    ...forms(["graph", "--apps"], "head", ["text", "json", "html"]),
    { args: ["stamp", "--check", "--apps"], form: "text", input: "head" },
    ...forms(["apps"], "head", ["text", "json"]),
    { args: ["apps", "-o", "name"], form: "text", input: "head" },
    { args: ["explain", target], form: "text", input: "head" },
    { args: ["explain", "deployment/absent"], form: "text", input: "head" },
    { args: ["migrate"], form: "text", input: "head" },
    { args: ["migrate", "--diff"], form: "manifests", input: "head" },
    { args: ["migrate", "--write"], form: "text", input: "head", writes: true },
    { args: ["migrate"], form: "text", input: "chart" },
    ...["kustomize", "kpt", "argocd", "pre-commit", "git", "github", "gitlab", "helm"].map((host): Row => ({
      args: ["init", host],
      form: "text",
      input: "head",
    })),
    { args: ["version"], form: "text", input: "none" },
    { args: ["completion", "bash"], form: "text", input: "none" },
  ];
}

export interface Outcome {
  readonly name: string;
  readonly form: Form;
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What was written, by path. */
  readonly written: Readonly<Record<string, string>>;
}

export interface Revisions {
  readonly base: Files;
  readonly head: Files;
  /** Put before each command's paths. */
  readonly options?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** A workload as `explain` takes it. */
  readonly target: string;
}

/** Runs every row, each over a copy of its own. */
export async function runEveryCommand({
  base,
  head,
  options = [],
  environment = {},
  target,
}: Revisions): Promise<Outcome[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "rollstamp-every-")));
  const here = process.cwd();
  try {
    writeFiles(join(folder, "base"), base);
    writeFiles(join(folder, "head"), head);
    const outcomes: Outcome[] = [];
    const whole = Object.values(head).join("---\n");
    for (const [name, files] of Object.entries({ base, head }))
      writeFiles(join(folder, "charts", name), {
        "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
        [RENDERED]: Object.values(files)
          .map((text) => `# Source: web/templates/all.yaml\n${text}`)
          .join("---\n"),
        "templates/all.yaml": `checksum/config: {{ include (print $.Template.BasePath "/all.yaml") . | sha256sum }}\n`,
      });
    const charts = ["base", "head"].flatMap((name) => ["--chart", join(folder, "charts", name)]);
    const chart = join(folder, "charts", "head");
    const helm = fakeHelm(folder);
    const programs = fakeKustomize(folder, helm);
    const repository = join(folder, "repository");
    const parts: string[] = [];
    writeRevisions(repository, { base, head });
    for (const row of rows(target)) {
      // What writes nothing runs over what the next one runs over, too: it is looked at below.
      const folderOf = join(folder, row.writes === true ? "copy" : "head");
      if (row.writes === true) cpSync(join(folder, "head"), folderOf, { recursive: true });
      const both = [join(folder, "base"), folderOf];
      const paths = { head: [folderOf], both, charts, chart: [chart], revisions: [], parts, stdin: [], none: [] }[
        row.input
      ];
      const path = { charts: helm, revisions: programs }[row.input as string];
      if (row.input === "revisions") process.chdir(repository);
      const takesConfig =
        row.input !== "parts" && !["init", "apps", "audit", "completion", "version"].includes(row.args[0] ?? "");
      const { status, stdout, stderr } = await cli([...row.args, ...(takesConfig ? options : []), ...paths], {
        stdin: whole,
        environment: { ...environment, ...row.environment, ...(path === undefined ? {} : { PATH: path }) },
      });
      process.chdir(here);
      if (row.args.includes("--shard")) {
        parts.push(join(folder, `part${parts.length}.json`));
        writeFiles(folder, { [`part${parts.length - 1}.json`]: stdout });
      }
      const written = row.writes === true ? changedFiles(folderOf, join(folder, "head")) : {};
      if (row.writes === true) rmSync(folderOf, { recursive: true });
      outcomes.push({
        name: [...row.args, ...(["chart", "revisions"].includes(row.input) ? [`(${row.input})`] : [])].join(" "),
        form: row.form,
        status,
        stdout,
        stderr,
        written,
      });
    }
    for (const [name, text] of Object.entries(head))
      assert.equal(readFileSync(join(folder, "head", name), "utf8"), text);
    return outcomes;
  } finally {
    process.chdir(here);
    rmSync(folder, { recursive: true });
  }
}

/** A repository with two commits: the manifests as they are, in a kustomization, in one that fails, and in a chart. */
function writeRevisions(folder: string, revisions: Readonly<Record<"base" | "head", Files>>): void {
  mkdirSync(folder);
  initialize(folder);
  for (const [tag, files] of Object.entries(revisions)) {
    const manifests = Object.fromEntries(Object.entries(files).filter(([name]) => name !== "rollstamp.yaml"));
    const kustomization = JSON.stringify({ resources: Object.keys(manifests) });
    const written = (at: string, more: Files): Files =>
      Object.fromEntries(Object.entries({ ...manifests, ...more }).map(([name, text]) => [`${at}/${name}`, text]));
    writeFiles(folder, {
      ...files,
      ...written("kustomized", { "kustomization.yaml": kustomization }),
      ...written("failing", {
        "kustomization.yaml": kustomization.replace("]", ',"broken.yaml"]'),
        "broken.yaml": "{}\n",
      }),
      "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
      [`chart/${RENDERED}`]: Object.values(manifests).join("---\n"),
    });
    assert.ok(commitAll(folder, tag));
    tagHead(folder, tag);
  }
}

function changedFiles(folder: string, before: string): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    if (!statSync(join(folder, name)).isFile()) continue;
    const text = readFileSync(join(folder, name), "utf8");
    if (text !== readFileSync(join(before, name), "utf8")) changed[name] = text;
  }
  return changed;
}

/** `rollstamp status` in its two forms over a cluster that holds the manifests, stamped and then changed. */
export async function runStatus(
  manifests: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome[]> {
  const sources = objects(await stamped(manifests, environment));
  const outcomes: Outcome[] = [];
  for (const form of ["text", "json"] as const) {
    for (const options of [["--all"], ["--wait", "--timeout", "0.2s"]]) {
      const args = ["status", ...options, "-n", "shop", "-o", form];
      // A wait prints each step on a separate line.
      const shape = form === "json" && options.includes("--wait") ? "lines" : form;
      const result = await withFakeApi(
        { lists: live(sources, { pods: ["2026-01-01T00:00:00Z"] }), answers: CUSTOM },
        { args, world: { environment } },
      );
      outcomes.push({ name: args.join(" "), form: shape, ...result, written: {} });
    }
  }
  return outcomes;
}

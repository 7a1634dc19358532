import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { cli, type CliResult } from "../../support/cli.ts";
import { writeFiles, type Files } from "../../support/folders.ts";
import { commitAll, initialize } from "../../support/git-folder.ts";
import { inRoot } from "../../support/paths.ts";

// Histories whose commits have a day each, the first one 2026-03-01, and their audits.

export const ENVIRONMENT: Readonly<Record<"PATH" | "HOME" | "GIT_CONFIG_NOSYSTEM", string>> = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
};

export interface Reason {
  readonly type: string;
  readonly path?: string;
  readonly keys?: { readonly changed: readonly string[] };
}

export interface Entry {
  readonly commit: string;
  readonly date: string;
  readonly application: string;
  readonly workload: { readonly name: string; readonly namespace: string };
  readonly pods: number;
  readonly reasons: readonly Reason[];
  readonly type?: string;
  readonly seenBy?: string;
  readonly until?: { readonly commit: string; readonly date: string; readonly reasons: readonly Reason[] } | null;
}

export interface Audit {
  readonly repository: string;
  readonly branch: string;
  readonly from: { readonly commit: string; readonly date: string };
  readonly to: { readonly commit: string; readonly date: string };
  readonly only?: unknown;
  readonly cut: { readonly by: string; readonly commits: number } | null;
  readonly summary: Readonly<Record<string, number>>;
  readonly rolled: readonly Entry[];
  readonly avoidable: readonly Entry[];
  readonly restarts: readonly Entry[];
  readonly down: readonly Entry[];
  readonly stale: readonly Entry[];
  readonly unrendered: readonly { readonly application: string; readonly date: string; readonly message: string }[];
  readonly notDeployed: number;
  readonly worst: readonly Entry[];
  readonly notExamined: readonly { readonly path: string }[];
}

const ajv = new Ajv2020({ strict: false });
ajv.addSchema(JSON.parse(readFileSync(inRoot("schemas", "plan.json"), "utf8")));
const meetsSchema = ajv.compile(JSON.parse(readFileSync(inRoot("schemas", "audit.json"), "utf8")));

/** A repository of its own. */
export class History {
  readonly folder: string;
  #day = 0;

  constructor(folder: string) {
    this.folder = folder;
    initialize(folder);
  }

  /** Commits files; `null` removes one. Each commit is a day later. */
  commit(files: Readonly<Record<string, string | null>>): this {
    const written: Record<string, string> = {};
    for (const [path, text] of Object.entries(files)) {
      if (text === null) rmSync(join(this.folder, path), { recursive: true });
      else written[path] = text;
    }
    writeFiles(this.folder, written satisfies Files);
    this.#day += 1;
    const seconds = Date.UTC(2026, 2, this.#day, 10) / 1000;
    assert.ok(commitAll(this.folder, `day ${this.#day}`, "Ada <ada@example.com>", seconds));
    return this;
  }

  /** Gives the last commit another author's date. */
  amendDate(date: string): void {
    this.git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--amend", "--quiet", "--no-edit", "--date", date);
  }

  git(...args: readonly string[]): string {
    return execFileSync("git", ["-C", this.folder, ...args], { encoding: "utf8", env: ENVIRONMENT }).trim();
  }

  run(...args: readonly string[]): Promise<CliResult> {
    return cli(["audit", this.folder, ...args], { environment: ENVIRONMENT });
  }

  async audit(...args: readonly string[]): Promise<Audit> {
    const { status, stdout, stderr } = await this.run("-o", "json", ...args);
    assert.equal(status, 0, stderr);
    assert.equal(stderr, "");
    return auditIn(stdout);
  }
}

/** What `-o json` printed. */
export function auditIn(stdout: string): Audit {
  const audit: unknown = JSON.parse(stdout);
  assert.ok(meetsSchema(audit), JSON.stringify(meetsSchema.errors));
  return audit as Audit;
}

/** `2 web, until 5: Revert`: the days of a list's entries, their workloads, and how they ended. */
export function days(entries: readonly Entry[]): string[] {
  return entries.map(({ date, workload, until }) => {
    const what = `${dayOf(date)} ${workload.name}`;
    if (until === undefined) return what;
    if (until === null) return `${what}, until now`;
    return `${what}, until ${dayOf(until.date)}: ${until.reasons.map(({ type, path = "" }) => [type, path].join(" ").trim()).join(", ")}`;
  });
}

function dayOf(date: string): number {
  return Number(date.slice(8, 10));
}

interface Web {
  readonly image?: string;
  readonly replicas?: number;
  readonly strategy?: string;
  readonly annotations?: string;
  readonly labels?: string;
  readonly kind?: string;
  readonly from?: string;
  readonly pod?: string;
  readonly name?: string;
}

/** A Deployment with three pods that see one key of the ConfigMap `conf`. */
export function web({
  image = "app:1",
  replicas = 3,
  strategy = "RollingUpdate",
  annotations = "",
  labels = "",
  from = "env: [{name: L, valueFrom: {configMapKeyRef: {name: conf, key: LEVEL}}}]",
  pod = "",
  name = "web",
}: Web = {}): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: shop}
spec:
  replicas: ${replicas}
  strategy: {type: ${strategy}}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}${labels}}, annotations: {${annotations}}}
    spec:
      ${pod}
      containers: [{name: app, image: "${image}", ${from}}]
`;
}

/** The ConfigMap `conf`. */
export function conf(level: string, other: string = "a", more: string = ""): string {
  return `apiVersion: v1
kind: ConfigMap
metadata: {name: conf, namespace: shop${more}}
data: {LEVEL: "${level}", OTHER: "${other}"}
`;
}

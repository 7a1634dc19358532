// What a person does without rollstamp's own rendering: each application that `apps` lists, rendered in a checkout of each
// revision with the same programs, and a plan between the two.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { PlanReport } from "../../src/plan/plan-report.ts";
import { rollstamp, type Repository } from "./planned-repository.ts";
import { temporaryFolder } from "./trees.ts";

/** An application, as `apps -o json` has it. */
export interface Listed {
  readonly name: string;
  readonly path: string;
  readonly kind: string;
  readonly foundBy: string;
}

type Planned = Pick<PlanReport, "workloads" | "causes">;

/** What became of it by hand. */
export type ByHand =
  | ({
      readonly is: "planned";
      /** Whether the renderings do; nobody knows it of plain manifests, which are in the folder with all else. */
      readonly differs: boolean | undefined;
    } & Planned)
  | { readonly is: "failed"; readonly words: string }
  /** What only Flux or Argo CD render as it is applied. */
  | { readonly is: "left out"; readonly because: string };

/** The two revisions, each in a checkout of its own. */
export interface Checkouts {
  readonly base: string;
  readonly head: string;
}

// Nothing is fetched: whoever asks a host is sent to a port at which nobody listens.
const OFFLINE = { HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "" };

/** Checks out both revisions. */
export function checkouts(of: Repository, base: string, head: string): Checkouts {
  const at = (revision: string): string => {
    const folder = temporaryFolder();
    for (const args of [
      ["clone", "--quiet", "--no-checkout", of.folder, folder],
      ["-C", folder, "checkout", "--quiet", "--detach", revision],
    ]) {
      const { status, stderr } = spawnSync("git", args, { env: of.env, encoding: "utf8" });
      assert.equal(status, 0, stderr);
    }
    return folder;
  };
  return { base: at(base), head: at(head) };
}

type Rendered = { readonly ok: true; readonly file: string; readonly text: string } | { ok: false; words: string };

/** Renders one application at both revisions, and plans between what came of it. */
export function byHand(of: Repository, application: Listed, at: Checkouts, files: number): ByHand {
  const because = leftOut(application, files);
  if (because !== undefined) return { is: "left out", because };
  if (application.kind === "Files") {
    const [base, head] = [join(at.base, application.path), join(at.head, application.path)];
    return { is: "planned", differs: undefined, ...planOf(of, base, head) };
  }
  const base = rendered(of, application, at.base);
  if (!base.ok) return { is: "failed", words: base.words };
  const head = rendered(of, application, at.head);
  if (!head.ok) return { is: "failed", words: head.words };
  return { is: "planned", differs: base.text !== head.text, ...planOf(of, base.file, head.file) };
}

/** Why a person with kustomize and helm alone can't render it as it is applied. */
function leftOut({ foundBy, kind }: Listed, files: number): string | undefined {
  if (foundBy === "Kustomization" || foundBy === "Chart") return undefined;
  if (foundBy === "Manifests") return files === 1 ? undefined : "Manifests in parts";
  return `${foundBy} ${kind}`;
}

function rendered(of: Repository, { kind, path }: Listed, checkout: string): Rendered {
  const folder = join(checkout, path);
  const run = (program: string, ...args: readonly string[]): { status: number | null; out: string; words: string } => {
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: folder,
      env: { ...of.env, ...OFFLINE },
      encoding: "utf8",
      maxBuffer: 256 * 1024 * 1024,
    });
    return { status, out: stdout, words: stderr };
  };
  if (!existsSync(folder)) return asFile("");
  let result =
    kind === "Kustomize"
      ? run("kustomize", "build", "--enable-helm", ".")
      : run("helm", "template", basename(path), ".", "--include-crds");
  if (kind === "Helm" && /missing in charts\/ directory/u.test(result.words)) {
    const build = run("helm", "dependency", "build");
    result = build.status === 0 ? run("helm", "template", basename(path), ".", "--include-crds") : build;
  }
  return result.status === 0 ? asFile(result.out) : { ok: false, words: result.words.trim() };
}

function asFile(text: string): Rendered {
  const file = join(temporaryFolder(), "rendered.yaml");
  writeFileSync(file, text);
  return { ok: true, file, text };
}

function planOf(of: Repository, base: string, head: string): Planned {
  const { status, stdout, stderr } = rollstamp(of, "plan", "-o", "json", "--allow-empty", base, head);
  // A folder in which nothing is that would not be rendered.
  if (status === 2 && stderr.includes("nothing was examined")) return { workloads: [], causes: [] };
  assert.ok(status === 0 || status === 1, stderr);
  const report: PlanReport = JSON.parse(stdout);
  return report;
}

/** The applications of a checkout, also those that only a rendering shows. */
export function listed(of: Repository, checkout: string): readonly Listed[] {
  const { stdout, stderr } = rollstamp(of, "apps", "--render", "-o", "json", checkout);
  assert.ok(stdout !== "", stderr);
  const { applications }: { readonly applications: readonly Listed[] } = JSON.parse(stdout);
  return applications;
}

/** The addresses of a checkout's remotes, by which Flux's and Argo CD's sources are known. */
export function remoteOf(folder: string): string | undefined {
  const { stdout } = spawnSync("git", ["-C", folder, "remote", "get-url", "origin"], { encoding: "utf8" });
  return stdout.trim() === "" ? undefined : stdout.trim();
}

/** What git has of a checkout, as far as it is there. */
export function filesOf(folder: string): readonly string[] {
  const { stdout } = spawnSync("git", ["-C", folder, "ls-files", "-z"], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout.split("\0").filter((path) => path !== "" && existsSync(join(folder, path)));
}

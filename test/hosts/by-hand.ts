// Renders each application that `apps` lists without rollstamp, in a checkout of each revision (with kustomize and helm, Flux's
// libraries or Argo CD's), and plans between the two.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { basename, join, normalize } from "node:path";
import type { Mapping } from "../../src/yaml/read/json.ts";
import type { PlanJson } from "../../src/output/plan-json.ts";
import { applicationsOf, argoByHand } from "./by-hand-argo.ts";
import { fluxByHand } from "./by-hand-flux.ts";
import {
  documentsIn,
  failed,
  leftOut,
  objectsIn,
  run,
  textAt,
  type HandIn,
  type Listed,
  type NotRendered,
  type Rendered,
} from "./by-hand-parts.ts";
import { rollstamp, type Repository } from "./planned-repository.ts";
import { temporaryFolder } from "./trees.ts";

type Planned = Pick<PlanJson, "workloads" | "causes">;

/** What became of an application by hand. */
export type ByHand =
  | ({
      readonly is: "planned";
      /** Whether the renderings do; nobody knows it of plain manifests, which are in the folder with all else. */
      readonly differs: boolean | undefined;
    } & Planned)
  | NotRendered;

/** A revision in a checkout of its own, and what its applications render to. */
export interface Checkout {
  readonly folder: string;
  readonly rendered: (application: Listed) => Rendered;
}

/** The two revisions. */
export interface Checkouts {
  readonly base: Checkout;
  readonly head: Checkout;
}

/** Checks out both revisions. */
export function checkouts(of: Repository, base: string, head: string, applications: readonly Listed[]): Checkouts {
  const checkoutOf = (revision: string): Checkout => {
    const folder = temporaryFolder();
    for (const args of [
      ["clone", "--quiet", "--no-checkout", of.folder, folder],
      ["-C", folder, "checkout", "--quiet", "--detach", revision],
    ]) {
      const { status, stderr } = spawnSync("git", args, { env: of.env, encoding: "utf8" });
      assert.equal(status, 0, stderr);
    }
    return { folder, rendered: renderer({ root: folder, env: of.env, documents: documentsIn(folder) }, applications) };
  };
  return { base: checkoutOf(base), head: checkoutOf(head) };
}

/** Renders one application at both revisions, and plans between what came of it. */
export function byHand(of: Repository, application: Listed, at: Checkouts, files: number): ByHand {
  if (application.foundBy === "Manifests") {
    if (files > 1) return leftOut("Manifests in parts");
    const [base, head] = [join(at.base.folder, application.path), join(at.head.folder, application.path)];
    const made = planOf(of, base, head);
    return "is" in made ? made : { is: "planned", differs: undefined, ...made };
  }
  const base = at.base.rendered(application);
  if (base.is !== "text") return base;
  const head = at.head.rendered(application);
  if (head.is !== "text") return head;
  // What is the same rolls nothing. Some charts print their objects in another order each time.
  const [before, after] = [base, head].map(({ text }) =>
    text
      .split(/^---\n/mu)
      .toSorted()
      .join("---\n"),
  );
  if (before === after) return { is: "planned", differs: false, workloads: [], causes: [] };
  const made = planOf(of, asFile(base.text), asFile(head.text));
  return "is" in made ? made : { is: "planned", differs: true, ...made };
}

/** Renders the applications of a checkout, each once; those that show others are needed again. */
function renderer(hand: HandIn, applications: readonly Listed[]): (application: Listed) => Rendered {
  const byName = new Map(applications.map((one) => [one.name, one]));
  const known = new Map<Listed, Rendered>();
  const rendered = (application: Listed): Rendered => {
    let made = known.get(application);
    if (made === undefined) {
      known.set(application, leftOut("those that show each other"));
      known.set(application, (made = make(application)));
    }
    return made;
  };
  const make = (application: Listed): Rendered => {
    const { foundBy } = application;
    if (foundBy === "Kustomization" || foundBy === "Chart") return plain(application, hand);
    if (!API_GROUPS.has(foundBy)) return leftOut(foundBy);
    const object = objectOf(application);
    if ("is" in object) return object as NotRendered;
    return foundBy.startsWith("Application") ? argoByHand(object, hand) : fluxByHand(object, application, hand);
  };
  /** The object that an application is: as the rendering has it that shows it, else as it stands in its file. */
  const objectOf = (application: Listed): Mapping | NotRendered => {
    const { shownBy, definedIn: [file] = [] } = application;
    // One that shows itself has to be applied from its file first.
    const isShown = shownBy !== undefined && shownBy !== application.name;
    const parent = isShown ? byName.get(shownBy) : undefined;
    if (isShown && parent === undefined) return leftOut("its parent is not listed");
    const shown = parent === undefined ? undefined : rendered(parent);
    if (shown !== undefined && shown.is !== "text") return shown;
    const all =
      shown === undefined
        ? hand.documents().flatMap((one) => (one.file === file ? [one.object] : []))
        : objectsIn(shown.text);
    return objectAmong(all, application, hand);
  };
  return rendered;
}

/** The one object that an application is. */
function objectAmong(
  all: readonly Mapping[],
  { name: unique, foundBy, path, namespace }: Listed,
  hand: HandIn,
): Mapping | NotRendered {
  const [group = "", kind = foundBy] = API_GROUPS.get(foundBy) ?? [];
  const ofKind = all.filter((one) => textAt(one, "apiVersion").startsWith(group) && textAt(one, "kind") === kind);
  const [name = ""] = unique.split("@");
  const candidates: Mapping[] = [];
  for (const declared of ofKind) {
    const made = foundBy === "ApplicationSet" ? applicationsOf(declared, hand) : [declared];
    if ("is" in made) return made;
    candidates.push(...made.filter((each) => textAt(each, "metadata", "name") === name));
  }
  const isOfPath = (one: Mapping): boolean => {
    if (foundBy === "HelmRelease")
      return [textAt(one, "spec", "targetNamespace"), textAt(one, "metadata", "namespace")].includes(namespace ?? "");
    const folder =
      foundBy === "FluxKustomization" ? textAt(one, "spec", "path") : textAt(one, "spec", "source", "path");
    return normalize(join(".", folder)).replace(/\/$/u, "") === path;
  };
  const exact = candidates.filter(isOfPath);
  // The path of one whose source is an artifact is not that of the repository.
  const [object, other] = exact.length === 0 ? candidates : exact;
  if (object === undefined && foundBy === "FluxKustomization" && all.some(isInstance)) return syncOf(name, path);
  if (object === undefined) return leftOut("no object of its name");
  return other === undefined ? object : leftOut("several objects of its name");
}

/** The APIs of objects that applications are, and their kind where that isn't what found them. */
const API_GROUPS: ReadonlyMap<string, readonly [string, string?]> = new Map([
  ["FluxKustomization", ["kustomize.toolkit.fluxcd.io/", "Kustomization"]],
  ["HelmRelease", ["helm.toolkit.fluxcd.io/"]],
  ["Application", ["argoproj.io/"]],
  ["ApplicationSet", ["argoproj.io/"]],
]);

/** True for what flux-operator makes a source and a Kustomization from: a FluxInstance, or a release of one. */
function isInstance(object: Mapping): boolean {
  return ["FluxInstance", "HelmRelease"].includes(textAt(object, "kind"));
}

function syncOf(name: string, path: string): Mapping {
  return {
    apiVersion: "kustomize.toolkit.fluxcd.io/v1",
    kind: "Kustomization",
    metadata: { name, namespace: "flux-system" },
    spec: { path, sourceRef: { kind: "GitRepository", name }, prune: true, interval: "1h" },
  };
}

/** A kustomization or a chart that no object names. */
function plain({ kind, path }: Listed, { root, env }: HandIn): Rendered {
  const cwd = join(root, path);
  if (!existsSync(cwd)) return { is: "text", text: "" };
  if (kind === "Kustomize") return run("kustomize", ["build", "--enable-helm", "."], { env, cwd });
  const args = ["template", basename(path), ".", "--include-crds"];
  const made = run("helm", args, { env, cwd });
  if (made.is !== "failed" || !/missing in charts\/ directory/u.test(made.words)) return made;
  const build = run("helm", ["dependency", "build"], { env, cwd });
  return build.is === "text" ? run("helm", args, { env, cwd }) : build;
}

function asFile(text: string): string {
  const file = join(temporaryFolder(), "rendered.yaml");
  writeFileSync(file, text);
  return file;
}

function planOf(of: Repository, base: string, head: string): Planned | NotRendered {
  const { status, stdout, stderr } = rollstamp(of, "plan", "-o", "json", "--allow-empty", base, head);
  // A folder in which nothing is that would not be rendered.
  if (status === 2 && stderr.includes("nothing was examined")) return { workloads: [], causes: [] };
  // A rendering that is none.
  if (status === 2) return failed(stderr);
  assert.ok(status === 0 || status === 1, stderr);
  const report: PlanJson = JSON.parse(stdout);
  return report;
}

/** The applications of a checkout, also those that only a rendering shows. */
export function listed(of: Repository): readonly Listed[] {
  const { stdout, stderr } = rollstamp(of, "apps", "--expand", "-o", "json", of.folder);
  assert.ok(stdout !== "", stderr);
  const { applications }: { readonly applications: readonly Listed[] } = JSON.parse(stdout);
  return applications;
}

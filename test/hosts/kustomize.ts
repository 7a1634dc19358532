// The ways in which kustomize calls a function, as rows of a table.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocument } from "yaml";
import { installed, run, succeed, type Program, type Run } from "./programs.ts";
import type { Tree } from "./trees.ts";
import type { Wiring } from "./wiring.ts";

/** One way to have kustomize call the function. */
export interface KustomizeHost {
  readonly name: string;
  readonly program: Program;
  readonly args: readonly string[];
  /** Whether the transformer's file says what to run; a legacy plugin is found by its kind. */
  readonly declaresExec: boolean;
}

/** kustomize by itself, which runs exec functions. */
export const STANDALONE: Program = installed("kustomize.sh");

/** kubectl's kustomize, which runs legacy plugins only. */
export const KUBECTL: KustomizeHost = {
  name: "kubectl kustomize, legacy exec plugin",
  program: installed("kubectl.sh"),
  args: ["kustomize", "--enable-alpha-plugins"],
  declaresExec: false,
};

/** Every way: kustomize itself runs exec functions as well. */
export const KUSTOMIZE_HOSTS: readonly KustomizeHost[] = [
  KUBECTL,
  {
    name: "kustomize build, exec function",
    program: STANDALONE,
    args: ["build", "--enable-alpha-plugins", "--enable-exec"],
    declaresExec: true,
  },
  {
    name: "kustomize build, legacy exec plugin",
    program: STANDALONE,
    args: ["build", "--enable-alpha-plugins"],
    declaresExec: false,
  },
];

/** A tree's transformers as the host wants them: fixtures hold the configuration alone. */
export function declareFunction(tree: Tree, host: KustomizeHost): void {
  if (host.declaresExec) annotate(tree, "exec:\n  path: rollstamp\n");
}

/** A tree's transformers as functions that run as a container, which every kustomize can. */
export function declareContainer(tree: Tree, image: string): void {
  annotate(tree, `container:\n  image: ${image}\n`);
}

function annotate(tree: Tree, how: string): void {
  const entries = readdirSync(tree.folder, { recursive: true, encoding: "utf8" });
  for (const file of entries.filter((entry) => /(?:^|\/)stamp[^/]*\.yaml$/.test(entry))) {
    const path = join(tree.folder, file);
    const document = parseDocument(readFileSync(path, "utf8"));
    document.setIn(["metadata", "annotations", "config.kubernetes.io/function"], how);
    writeFileSync(path, document.toString());
  }
}

/** A tree without transformers: what the rendering is without us. */
export function removeTransformers(tree: Tree): void {
  const path = join(tree.build, "kustomization.yaml");
  const document = parseDocument(readFileSync(path, "utf8"));
  document.delete("transformers");
  writeFileSync(path, document.toString());
}

/** What the build of a tree prints. */
export function build(host: KustomizeHost, tree: Tree, wiring: Wiring): string {
  return succeed(host.program, [...host.args, tree.build], { cwd: tree.folder, env: wiring.env });
}

/** How the build of a tree ends, whatever its status. */
export function tryBuild(host: KustomizeHost, tree: Tree, wiring: Wiring): Run {
  return run(host.program, [...host.args, tree.build], { cwd: tree.folder, env: wiring.env });
}

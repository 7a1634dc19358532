// Helm 3 and Helm 4, each with rollstamp as its post-renderer.
import { join } from "node:path";
import { installed, root, run, succeed, type Program, type Run } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";
import { rollstamp } from "./wiring.ts";

/** A Helm, and how it gets the post-renderer. */
export interface Helm {
  readonly name: string;
  readonly version: 3 | 4;
  readonly program: Program;
  /** A home of its own: no plugin, repository or cluster of whoever runs the tests. */
  readonly env: NodeJS.ProcessEnv;
}

export const POST_RENDERER: readonly string[] = ["--post-renderer", "rollstamp"];

/** Both, without plugins. */
export const HELMS: readonly Helm[] = [
  { name: "Helm 3", version: 3, program: installed("helm3.sh"), env: home() },
  { name: "Helm 4", version: 4, program: installed("helm4.sh"), env: home() },
];

/** The plugin's folder in the checkout. */
const PLUGIN_FOLDER: string = join(root, "functions", "helm-postrenderer");

/** What makes the post-renderer known: Helm 4 takes a plugin, Helm 3 what is on PATH. */
export function prepare(helm: Helm, plugin: string = PLUGIN_FOLDER): void {
  // Helm asks for a signature of a tarball, not of a folder.
  const unsigned = plugin.endsWith(".tgz") ? ["--verify=false"] : [];
  if (helm.version === 4) succeed(helm.program, ["plugin", "install", plugin, ...unsigned], inRoot(helm));
}

/** The same Helm with a new home. */
export function elsewhere(helm: Helm): Helm {
  return { ...helm, env: home() };
}

/** A chart of the fixtures. */
export function chart(name: string): string {
  return join(root, "fixtures", "hosts", "helm", name);
}

/** `helm template` of a chart of the fixtures that has to render. */
export function template(helm: Helm, name: string, args: readonly string[] = []): string {
  return succeed(helm.program, templateArgs(name, args), inRoot(helm));
}

/** The same, whatever comes of it. */
export function tryTemplate(helm: Helm, name: string, args: readonly string[] = [], more: NodeJS.ProcessEnv = {}): Run {
  return run(helm.program, templateArgs(name, args), { cwd: root, env: { ...helm.env, ...more } });
}

function templateArgs(name: string, args: readonly string[]): readonly string[] {
  return ["template", "shop", chart(name), "--namespace", "shop", ...args];
}

function inRoot(helm: Helm): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  return { cwd: root, env: helm.env };
}

function home(): NodeJS.ProcessEnv {
  const folder = temporaryFolder();
  const folders = ["DATA", "CONFIG", "CACHE"].map((kind) => [`HELM_${kind}_HOME`, join(folder, kind)]);
  return { ...rollstamp.env, ...Object.fromEntries(folders), KUBECONFIG: join(folder, "none") };
}

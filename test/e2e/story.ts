/** A story of examples/before-and-after on a cluster: its folders as a repository that an engine applies, and its scripts. */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { parse } from "yaml";
import { filesIn } from "../support/folders.ts";
import { inRoot } from "../support/paths.ts";
import { type Cluster, install } from "./cluster.ts";
import { kubectl, type Ran, run, succeeded } from "./commands.ts";
import type { Engine, Files } from "./engine-types.ts";
import { fieldAt, textsAt } from "./fields.ts";
import type { Observer, Workload } from "./observe.ts";
import { commitFiles, git, headOf, repositoryOf } from "./repository.ts";

/** What was done to a Deployment, up to the next reconcile. */
export interface Done {
  readonly rollouts: number;
  readonly leastAvailable: number;
  /** Whether another object has its name now. */
  readonly isAnother: boolean;
  /** The pod template in the cluster, and at HEAD. */
  readonly live: unknown;
  readonly inGit: unknown;
}

export interface Story {
  readonly namespace: string;
  /** Commits the files of one of its folders. */
  readonly commit: (when: "before" | "after") => Promise<void>;
  /** Runs one of the scripts that were committed. */
  readonly run: (script: string, env?: Readonly<Record<string, string>>) => Promise<Ran>;
  /** A file at HEAD. */
  readonly atHead: (file: string) => unknown;
  readonly commits: () => number;
  /** What becomes of each Deployment when something is done, and the engine has looked again. */
  readonly during: (act: () => Promise<unknown>) => Promise<Readonly<Record<string, Done>>>;
}

/** Links the programs of the scripts into a folder, for their PATH. */
export function linkPrograms(folder: string): string {
  const bin = join(folder, "story-bin");
  mkdirSync(bin);
  symlinkSync(install("kubectl.sh"), join(bin, "kubectl"));
  symlinkSync(inRoot("dist/rollstamp.cjs"), join(bin, "rollstamp"));
  return bin;
}

/** Flux, which has repositories on disk as Argo CD has them: it looks again at what they have at HEAD. */
export function onDisk(flux: Engine, { folder }: Cluster): Engine {
  const applied = new Map<string, string>();
  return {
    ...flux,
    push: (name, files, options) => {
      applied.set(name, commitFiles(repositoryOf(folder, name), files));
      return flux.push(name, files, { ...options, spec: { targetNamespace: name } });
    },
    reconcile: (name) => {
      const root = repositoryOf(folder, name);
      const head = headOf(root);
      if (applied.get(name) === head) return flux.reconcile(name);
      applied.set(name, head);
      return flux.push(name, filesAtHead(root));
    },
  };
}

const filesAtHead = (root: string): Files =>
  Object.fromEntries(
    git(root, "ls-files")
      .split("\n")
      .map((file) => [file, readFileSync(join(root, file), "utf8")]),
  );

export interface Told {
  readonly engine: Engine;
  readonly cluster: Cluster;
  readonly observer: Observer;
  /** Of linkPrograms. */
  readonly bin: string;
}

/** Begins the story of an example, in a new namespace. */
export async function beginStory(
  example: string,
  name: string,
  { engine, cluster, observer, bin }: Told,
): Promise<Story> {
  const repository = repositoryOf(cluster.folder, name);
  await cluster.api.post("/api/v1/namespaces", { metadata: { name } });
  const kubeconfig = join(cluster.folder, `${name}.kubeconfig`);
  copyFileSync(cluster.kubeconfig, kubeconfig);
  succeeded(
    "kubectl",
    await kubectl({ ...cluster, kubeconfig }, ["config", "set-context", "--current", `--namespace=${name}`]),
  );
  const person = { NAME: "e2e", EMAIL: "e2e@example.com" };
  const environment = {
    ...process.env,
    PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: join(cluster.folder, "kubectl"),
    ...Object.fromEntries(
      ["AUTHOR", "COMMITTER"].flatMap((role) =>
        Object.entries(person).map(([field, text]) => [`GIT_${role}_${field}`, text]),
      ),
    ),
  };
  const settled = (): Promise<ReadonlyMap<string, Workload>> => observer.settled([name]);
  const atHead = (file: string): unknown => parse(git(repository, "show", `HEAD:${file}`));

  return {
    namespace: name,
    commit: async (when) => {
      const { isReady, message } = await engine.push(name, filesIn(inRoot("examples/before-and-after", example, when)));
      assert.equal(isReady, true, message);
      await settled();
    },
    run: (script, env = {}) =>
      run("sh", ["-c", 'cd "$0" && exec sh "./$1"', repository, script], "", { ...environment, ...env }),
    atHead,
    commits: () => Number(git(repository, "rev-list", "--count", "HEAD")),
    during: async (act) => {
      const earlier = await settled();
      const recording = await observer.record([name]);
      await act();
      await settled();
      const { isReady, message } = await engine.reconcile(name);
      assert.equal(isReady, true, message);
      const later = await settled();
      const pods = await recording.close();
      return Object.fromEntries(
        [...later.values()].flatMap(({ key, uid, revision, object }): [string, Done][] => {
          const [kind, , deployment = ""] = key.split("/");
          if (kind !== "Deployment") return [];
          const was = earlier.get(key);
          const isAnother = was?.uid !== uid;
          const done = {
            rollouts: revision - (isAnother ? 0 : was.revision),
            leastAvailable: pods.get(key)?.leastAvailable ?? 0,
            isAnother,
            live: fieldAt(object, "spec", "template"),
            inGit: fieldAt(atHead(`${deployment}.yaml`), "spec", "template"),
          };
          return [[deployment, done]];
        }),
      );
    },
  };
}

/** The annotations of a pod template. */
export const annotationsOf = (template: unknown): Readonly<Record<string, string>> =>
  textsAt(template, "metadata", "annotations");

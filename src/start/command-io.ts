import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import {
  applicationText,
  fileText,
  namesIn,
  nearestFile,
  plainManifests,
  repositoryFile,
} from "../adapters/application-folder.ts";
import { FILES } from "../adapters/files.ts";
import { interrupts, writtenAt } from "../adapters/interrupts.ts";
import { columnsOf, isTerminal } from "../adapters/terminals.ts";
import type { Io } from "../io/io.ts";
import type { KrmFunction } from "../krm/krm-function.ts";
import { processIo } from "./process-io.ts";

/** What is behind the interfaces of src/io; what few commands need is loaded when one asks for it. */
export const ADAPTERS: Pick<
  Io,
  | "sleep"
  | "openRenderCache"
  | "processors"
  | "writtenAt"
  | "interrupts"
  | "files"
  | "applications"
  | "programs"
  | "git"
  | "connectCluster"
> = {
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
  openRenderCache: async (...given) => (await import("../adapters/render-cache.ts")).openRenderCache(...given),
  processors: availableParallelism,
  writtenAt,
  interrupts,
  files: FILES,
  applications: {
    namesIn,
    plainManifests,
    repositoryFile,
    applicationText,
    nearestFile,
    renderChart: async (...given) => (await import("../adapters/render-chart.ts")).renderChart(...given),
    fileText,
    withArchive: async (...given) => (await import("../adapters/named-chart.ts")).withArchive(...given),
    pullChart: async (...given) => (await import("../adapters/pull-chart.ts")).pullChart(...given),
    postRender: async (...given) => (await import("../adapters/post-render.ts")).postRender(...given),
    withChart: async (...given) => (await import("../adapters/named-chart.ts")).withChart(...given),
    renderKustomization: async (...given) =>
      (await import("../adapters/render-kustomization.ts")).renderKustomization(...given),
  },
  programs: {
    render: async (...given) => (await import("../adapters/render.ts")).render(...given),
    renderTwice: async (...given) => (await import("../adapters/render.ts")).renderTwice(...given),
    versionOf: async (...given) => (await import("../adapters/program-versions.ts")).versionOf(...given),
  },
  git: {
    withRevisions: async (...given) => (await import("../adapters/git-revisions.ts")).withRevisions(...given),
    revisionTree: async (...given) => (await import("../adapters/revision-tree.ts")).revisionTree(...given),
    withCheckouts: async (...given) => (await import("../adapters/git.ts")).withCheckouts(...given),
    history: async () => ({
      ...(await import("../adapters/git-history.ts")),
      ...(await import("../adapters/git-objects.ts")),
    }),
    wiring: async (...given) => (await import("../adapters/git-wiring.ts")).gitWiring(...given),
    remotes: async (...given) => (await import("../adapters/git-wiring.ts")).gitRemotes(...given),
    configure: async (...given) => (await import("../adapters/git-wiring.ts")).configureGit(...given),
    mergeTexts: async (...given) => (await import("../adapters/git-merge.ts")).mergeTexts(...given),
    mergeFiles: async (...given) => (await import("../adapters/git-merge.ts")).mergeFiles(...given),
  },
  connectCluster: async (options) => (await import("../adapters/cluster.ts")).connectCluster(options),
};

/** The world as this process has it, for any command. */
export function commandIo(functions: readonly [KrmFunction, ...KrmFunction[]]): Io {
  return {
    ...processIo(functions),
    ...ADAPTERS,
    confirm: async (question) => (await import("../adapters/confirm.ts")).confirm(question),
    get stdinIsTerminal() {
      return isTerminal(0);
    },
    get stdoutIsTerminal() {
      return isTerminal(1);
    },
    get stderrIsTerminal() {
      return isTerminal(2);
    },
    get stdoutColumns() {
      return columnsOf(1);
    },
    get stderrColumns() {
      return columnsOf(2);
    },
  };
}

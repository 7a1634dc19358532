import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import {
  applicationText,
  fileText,
  namesIn,
  nearestFile,
  plainManifests,
  repositoryFile,
} from "../node/application-folder.ts";
import { FILES } from "../node/files.ts";
import { interrupts } from "../node/process-end.ts";
import { columnsOf, isTerminal } from "../node/stdio.ts";
import type { Io } from "../platform/ports/io.ts";
import type { KrmFunctions, FunctionIo } from "../stamping/function/krm-function.ts";
import { processIo } from "./process-io.ts";

/**
 * The implementations of the interfaces in src/platform/ports. Those that few commands need are loaded on first use.
 */
export const ADAPTERS: Omit<Io, keyof FunctionIo | (`std${string}` & keyof Io)> = {
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
  openRenderCache: async (...given) => (await import("../node/render-cache.ts")).openRenderCache(...given),
  processors: availableParallelism,
  interrupts,
  files: FILES,
  applications: {
    namesIn,
    plainManifests,
    repositoryFile,
    applicationText,
    nearestFile,
    renderChart: async (...given) => (await import("../node/render-chart.ts")).renderChart(...given),
    fileText,
    withArchive: async (...given) => (await import("../node/chart-archives.ts")).withArchive(...given),
    pullChart: async (...given) => (await import("../node/chart-archives.ts")).pullChart(...given),
    postRender: async (...given) => (await import("../node/render-application.ts")).postRender(...given),
    withChart: async (...given) => (await import("../node/chart-archives.ts")).withChart(...given),
    renderKustomization: async (...given) =>
      (await import("../node/render-kustomization.ts")).renderKustomization(...given),
  },
  programs: {
    render: async (...given) => (await import("../node/render.ts")).render(...given),
    renderTwice: async (...given) => (await import("../node/render.ts")).renderTwice(...given),
    versionOf: async (...given) => (await import("../node/render-application.ts")).versionOf(...given),
  },
  git: {
    withCheckouts: async (...given) => (await import("../node/git.ts")).withCheckouts(...given),
    history: async () => ({
      ...(await import("../node/git-history.ts")),
      ...(await import("../node/git-batch.ts")),
    }),
    wiring: async (...given) => (await import("../node/git.ts")).gitWiring(...given),
    likelyRange: async (...given) => (await import("../node/git.ts")).likelyRange(...given),
    branch: async (...given) => (await import("../node/git.ts")).currentBranch(...given),
    remotes: async (...given) => (await import("../node/git.ts")).gitRemotes(...given),
    configure: async (...given) => (await import("../node/git.ts")).configureGit(...given),
    mergeTexts: async (...given) => (await import("../node/git-merge.ts")).mergeTexts(...given),
    mergeFiles: async (...given) => (await import("../node/git-merge.ts")).mergeFiles(...given),
  },
  snapshots: {
    ofFolder: async (...given) => (await import("../node/folder-snapshot.ts")).folderSnapshot(...given),
    ofHistory: async (...given) => (await import("../node/revision-snapshots.ts")).withHistory(...given),
    ofRevisions: async (...given) => (await import("../node/revision-snapshots.ts")).withRevisions(...given),
  },
  connectCluster: async (options) => (await import("../node/cluster.ts")).connectCluster(options),
};

/** This process as commands use it. */
export function commandIo(functions: KrmFunctions): Io {
  return {
    ...processIo(functions),
    ...ADAPTERS,
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

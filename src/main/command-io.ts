import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import {
  applicationText,
  fileText,
  namesIn,
  nearestFile,
  plainManifests,
  repositoryFile,
} from "../platform/node/application-folder.ts";
import { FILES } from "../platform/node/files.ts";
import { interrupts } from "../platform/node/processes.ts";
import { columnsOf, isTerminal } from "../platform/node/stdio.ts";
import type { Io } from "../platform/ports/io.ts";
import type { KrmFunctions, FunctionIo } from "../stamping/function/krm-function.ts";
import { processIo } from "./process-io.ts";

/**
 * The implementations of the interfaces in src/platform/ports. Those that few commands need are loaded on first use.
 */
export const ADAPTERS: Omit<Io, keyof FunctionIo | (`std${string}` & keyof Io)> = {
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
  openRenderCache: async (...given) => (await import("../platform/node/render-cache.ts")).openRenderCache(...given),
  processors: availableParallelism,
  interrupts,
  files: FILES,
  applications: {
    namesIn,
    plainManifests,
    repositoryFile,
    applicationText,
    nearestFile,
    renderChart: async (...given) => (await import("../platform/node/render-chart.ts")).renderChart(...given),
    fileText,
    withArchive: async (...given) => (await import("../platform/node/chart-archives.ts")).withArchive(...given),
    pullChart: async (...given) => (await import("../platform/node/chart-archives.ts")).pullChart(...given),
    postRender: async (...given) => (await import("../platform/node/render-application.ts")).postRender(...given),
    withChart: async (...given) => (await import("../platform/node/chart-archives.ts")).withChart(...given),
    renderKustomization: async (...given) =>
      (await import("../platform/node/render-kustomization.ts")).renderKustomization(...given),
  },
  programs: {
    render: async (...given) => (await import("../platform/node/render.ts")).render(...given),
    renderTwice: async (...given) => (await import("../platform/node/render.ts")).renderTwice(...given),
    versionOf: async (...given) => (await import("../platform/node/render-application.ts")).versionOf(...given),
  },
  git: {
    withCheckouts: async (...given) => (await import("../platform/node/git.ts")).withCheckouts(...given),
    history: async () => ({
      ...(await import("../platform/node/git-history.ts")),
      ...(await import("../platform/node/git-batch.ts")),
    }),
    wiring: async (...given) => (await import("../platform/node/git.ts")).gitWiring(...given),
    likelyRange: async (...given) => (await import("../platform/node/git.ts")).likelyRange(...given),
    remotes: async (...given) => (await import("../platform/node/git.ts")).gitRemotes(...given),
    configure: async (...given) => (await import("../platform/node/git.ts")).configureGit(...given),
    mergeTexts: async (...given) => (await import("../platform/node/git.ts")).mergeTexts(...given),
    mergeFiles: async (...given) => (await import("../platform/node/git.ts")).mergeFiles(...given),
  },
  snapshots: {
    ofFolder: async (...given) => (await import("../platform/node/folder-snapshot.ts")).folderSnapshot(...given),
    ofRevisions: async (...given) => (await import("../platform/node/revision-snapshots.ts")).withRevisions(...given),
  },
  connectCluster: async (options) => (await import("../platform/node/cluster.ts")).connectCluster(options),
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

import { BAD, worst, type ExitStatus } from "../base/errors.ts";
import { jsonReport } from "../findings/results/json-text.ts";
import { graphDot, graphMermaid } from "../output/graph-diagrams.ts";
import { graphDocument, graphPage } from "../output/graph-text.ts";
import type { SourceGraph } from "../reports/graph/graph-report.ts";
import { joinedGraph, type ApplicationGraph } from "../reports/graph/joined-graph.ts";
import { sourceGraph } from "../reports/graph/source-graph.ts";
import {
  accountStatus,
  reportOthers,
  unreadStatus,
  addInputOptions,
  readAnalysed,
  type InputOptions,
} from "./analysed.ts";
import { FILES_AND_FOLDERS_OR_HERE, outputOption } from "./options.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import type { LookedAt } from "../applications/compare/look-at-applications.ts";
import { writeReport } from "./write-text.ts";

const REPORTERS = {
  text: graphDocument,
  mermaid: graphMermaid,
  dot: graphDot,
  json: jsonReport,
  html: graphPage,
} as const;

interface GraphOptions extends InputOptions {
  readonly output: keyof typeof REPORTERS;
}

/** Defines `rollstamp graph`. */
export const defineGraph: DefineCommand = (command, io, done) => {
  command
    .argument("[path...]", FILES_AND_FOLDERS_OR_HERE)
    .addOption(outputOption(command, REPORTERS))
    .addHelpText("after", GRAPH_HELP)
    .action(async (paths: string[], options: GraphOptions) => {
      done(await runGraph(io, paths, options));
    });
  addInputOptions(command);
};

const GRAPH_HELP = `
Shows which workloads see which sources, which keys, and how: what a change of a source would affect.
Unused and missing sources are shown too.

Examples:
  rollstamp graph
  rollstamp graph --files .                without rendering the applications
  kustomize build overlays/prod | rollstamp graph -o html - > graph.html
  rollstamp graph -o dot . | dot -Tsvg > graph.svg
`;

async function runGraph(io: Io, paths: readonly string[], options: GraphOptions): Promise<ExitStatus> {
  const analysed = await readAnalysed(io, paths, options, (analysis) => sourceGraph([analysis]));
  if (analysed === undefined) return BAD;
  const { analyses, read, account, looked, isOverApplications, status } = analysed;
  const plain = sourceGraph(analyses);
  const graph = isOverApplications ? joinedGraph(plain, looked.map(graphOfApplication)) : plain;
  const naming = { command: "graph", verbose: options.verbose === true } as const;
  reportOthers(io, read, naming);
  await writeReport(io, REPORTERS[options.output]({ ...graph, ...account }, naming));
  return worst(unreadStatus(io, read), accountStatus(io, account, naming), status);
}

function graphOfApplication({ application: { name, cluster }, result }: LookedAt<SourceGraph>): ApplicationGraph {
  return { application: name, cluster, graph: result };
}

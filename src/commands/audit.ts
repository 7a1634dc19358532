import { auditRepository } from "../applications/compare/audit-repository.ts";
import { DONE, RollstampError, type ExitStatus } from "../base/errors.ts";
import { sinceTime } from "../base/times.ts";
import { auditDocument, auditJson } from "../output/audit-document.ts";
import type { Document } from "../output/document/document.ts";
import { printHtml } from "../output/document/html.ts";
import { commentMarker, LONGEST_COMMENT, printMarkdown } from "../output/document/markdown.ts";
import type { Io } from "../platform/ports/io.ts";
import type { RolloutAudit } from "../reports/audit/audit-report.ts";
import { presentTime } from "../stamping/schedules/moment.ts";
import type { DefineCommand } from "./command.ts";
import { addText, jobsNumber, outputOption, wholeNumber } from "./options.ts";
import { writeReport } from "./write-text.ts";

const REPORTERS = {
  text: (audit: RolloutAudit): Document => auditDocument(audit),
  markdown: (audit: RolloutAudit): string =>
    printMarkdown(auditDocument(audit, "markdown"), {
      marker: commentMarker("audit", audit.repository),
      longest: LONGEST_COMMENT,
    }),
  html: (audit: RolloutAudit): string => printHtml(auditDocument(audit, "html")),
  json: auditJson,
} as const;

interface AuditCommandOptions {
  readonly output: keyof typeof REPORTERS;
  readonly since?: string;
  readonly maxCommits: number;
  readonly namespace?: string;
  readonly app?: readonly string[];
  readonly jobs?: number;
  readonly cache?: string;
  readonly fetchCharts?: boolean;
}

const MOST_COMMITS = 500;

/** Defines `rollstamp audit`. */
export const defineAudit: DefineCommand = (command, io, done) => {
  command
    .argument("[path]", "a folder: the applications of its repository that are in it", ".")
    .option(
      "--since <time>",
      "only commits since a date, such as 2026-03-01, or in a period, such as 90d or 12w (default: the whole history)",
    )
    .option("-n, --namespace <namespace>", "only workloads of this namespace")
    .option("--app <glob>", "only applications with this name; may be repeated", addText)
    .addOption(outputOption(command, REPORTERS))
    .option(
      "--max-commits <n>",
      "how many commits are compared, the newest ones",
      wholeNumber("--max-commits"),
      MOST_COMMITS,
    )
    .option("--jobs <n>", "how many applications are rendered at once (default: number of processors)", jobsNumber)
    .option("--fetch-charts", "let helm download charts over https, without credentials; --cache keeps them")
    .option("--cache <folder>", "cache renderings and compared commits in this private folder; they contain Secrets")
    .addHelpText("after", AUDIT_HELP)
    .action(async (path: string, options: AuditCommandOptions) => {
      done(await runAudit(io, path, options));
    });
};

const AUDIT_HELP = `
Reads Git's history and reports what each change of a ConfigMap or Secret did: which workloads rolled in
the same commit, which kept running with the old content and for how long, which rollouts were avoidable,
and what was restarted by hand. Each commit of the branch is compared with its first parent, as plan does.
It works offline, unless --fetch-charts is given. What cannot be rendered is counted.

Examples:
  rollstamp audit --since 90d
  rollstamp audit --since 90d -o html > audit.html
  rollstamp audit clusters/prod --since 2026-01-01 -o json
  rollstamp audit --cache ../cache                      a second run is faster
`;

async function runAudit(io: Io, path: string, options: AuditCommandOptions): Promise<ExitStatus> {
  const { output, since, cache, maxCommits, ...others } = options;
  if (maxCommits === 0)
    throw new RollstampError("usage", "--max-commits must be at least 1", { remedy: "Write a number such as 500." });
  const from = since === undefined ? undefined : sinceTime(since, presentTime(io.context));
  const interrupts = io.interrupts();
  let isComplete = false;
  try {
    const audit = await auditRepository(io, path, {
      ...others,
      maxCommits,
      since: from,
      signal: interrupts.signal,
      cache:
        cache === undefined
          ? undefined
          : await io.openRenderCache(cache, { environment: io.environment, limits: io.context.limits }),
    });
    await writeReport(io, REPORTERS[output](audit));
    isComplete = audit.cut?.by !== "Interrupted";
    return DONE;
  } finally {
    interrupts.done(isComplete);
  }
}

import { nothingWords, type AccountOptions } from "../findings/not-examined/account-words.ts";
import { isNothing, type Account } from "../findings/not-examined/not-examined.ts";
import { severityOf, type Finding } from "../findings/catalogue/finding.ts";
import { SEVERITIES } from "../findings/catalogue/severity.ts";
import type { Place } from "../base/errors.ts";
import { counted } from "../base/words.ts";

/** Prints findings in one of the formats of `lint -o`. */
export type LintReporter = (findings: readonly Finding[], options: LintReportOptions) => string;

export interface LintReportOptions {
  readonly account: Account;
  /** Whether everything that was not examined is named. */
  readonly verbose?: boolean;
  /** The path of an input, relative to the root of the repository; undefined for standard input and renderings. */
  readonly pathOf: (path: string) => string | undefined;
  /** The place in the repository that a finding about a rendering comes from, as far as it is known. */
  readonly madeFrom?: ((finding: Pick<Finding, "place" | "resource">) => Place | undefined) | undefined;
}

/** The totals in one line: `1 error, 2 warnings in 3 files`; or that nothing was examined. */
export function lintSummary(findings: readonly Finding[], { account }: Pick<LintReportOptions, "account">): string {
  const counts = Object.entries(SEVERITIES).flatMap(([severity, { noun }]) => {
    const count = findings.filter((finding) => severityOf(finding) === severity).length;
    return count === 0 ? [] : [counted(count, noun)];
  });
  const found = counts.length === 0 ? "nothing found" : counts.join(", ");
  const sum = `${found} in ${counted(account.examined.files, "file")}`;
  return isNothing(account) ? `${nothingWords(account)}${counts.length === 0 ? "" : `; ${sum}`}` : sum;
}

export function lintAccount({ verbose = false }: Pick<LintReportOptions, "verbose">): AccountOptions {
  return { command: "lint", verbose };
}

/** The place of a finding for hosts that show it beside a file. For a rendering, the place that it was made from. */
export function filePlace(
  finding: Pick<Finding, "place" | "resource">,
  { pathOf, madeFrom }: Pick<LintReportOptions, "pathOf" | "madeFrom">,
): Place | undefined {
  const { place } = finding;
  if (place === undefined) return undefined;
  const file = pathOf(place.file);
  return file === undefined ? madeFrom?.(finding) : { ...place, file };
}

/** The message of a finding, with its application. */
export function applicationMessage({ tags }: Pick<Finding, "tags">, message: string): string {
  return tags?.["application"] === undefined ? message : `application ${tags["application"]}: ${message}`;
}

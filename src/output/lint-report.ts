import { nothingWords, type AccountOptions } from "../findings/not-examined/account-words.ts";
import { isNothing, type Account } from "../findings/not-examined/not-examined.ts";
import { severityOf, type Finding } from "../findings/catalogue/finding.ts";
import { SEVERITIES } from "../findings/catalogue/severity.ts";
import type { Place } from "../base/errors.ts";
import { counted } from "../base/words.ts";

/** Prints findings in one of the formats of `lint -o`. */
export type LintReporter = (findings: readonly Finding[], options: LintReportOptions) => string;

export interface LintReportOptions {
  /** What was met while the inputs were read. */
  readonly account: Account;
  /** Whether all that was not looked at is named, however much. */
  readonly verbose?: boolean;
  /** A path of an input from the root of the repository; undefined for standard input and renderings. */
  readonly pathOf: (path: string) => string | undefined;
  /** The file from which a rendering has what stands at a place: of which line there nobody knows. */
  readonly madeFrom?: ((place: Place) => string | undefined) | undefined;
}

/** `1 error, 2 warnings in 3 files`: what was found, in one line; or that nothing was examined. */
export function lintSummary(findings: readonly Finding[], { account }: Pick<LintReportOptions, "account">): string {
  const counts = Object.entries(SEVERITIES).flatMap(([severity, { noun }]) => {
    const count = findings.filter((finding) => severityOf(finding) === severity).length;
    return count === 0 ? [] : [counted(count, noun)];
  });
  const found = counts.length === 0 ? "nothing found" : counts.join(", ");
  const sum = `${found} in ${counted(account.examined.files, "file")}`;
  return isNothing(account) ? `${nothingWords(account)}${counts.length === 0 ? "" : `; ${sum}`}` : sum;
}

/** What a report of lint says of what was not looked at. */
export function lintAccount({ verbose = false }: Pick<LintReportOptions, "verbose">): AccountOptions {
  return { command: "lint", verbose };
}

/** The place of a finding for hosts that show it beside a file: of a rendering the file that it is made from. */
export function filePlace(
  { place }: Pick<Finding, "place">,
  { pathOf, madeFrom }: Pick<LintReportOptions, "pathOf" | "madeFrom">,
): Place | undefined {
  if (place === undefined) return undefined;
  const file = pathOf(place.file);
  if (file !== undefined) return { ...place, file };
  const source = madeFrom?.(place);
  return source === undefined ? undefined : { file: source };
}

/** What a finding says, with the application that it is of. */
export function applicationMessage({ tags }: Pick<Finding, "tags">, message: string): string {
  return tags?.["application"] === undefined ? message : `application ${tags["application"]}: ${message}`;
}

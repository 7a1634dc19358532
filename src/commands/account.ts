import { notExaminedLines, nothingExamined, type AccountOptions } from "../findings/not-examined/account-words.ts";
import { isNothing, type Account } from "../findings/not-examined/not-examined.ts";
import { BAD, DONE, FOUND, type ExitStatus } from "../base/exit-status.ts";
import type { Io } from "../platform/ports/io.ts";
import { findingLines, lineText, printable } from "../findings/results/terminal.ts";
import type { ManifestFiles } from "./manifest-files.ts";
import { tellErrors } from "./tell-errors.ts";

/** What was met while files were found and read; `workloads` is how many the command looked at. */
export function accountOf(read: ManifestFiles, workloads: number): Account {
  const { files, unwanted, objects, others, notExamined } = read;
  return { examined: { files: files.length + unwanted, objects, workloads, otherFiles: others.length }, notExamined };
}

/** The account as lines for standard error, of a command whose standard output is for machines. */
export function tellAccount(io: Pick<Io, "writeStderr">, account: Account, options: AccountOptions): void {
  for (const line of notExaminedLines(account, options)) io.writeStderr(`rollstamp: ${lineText(printable(line))}\n`);
}

/** With --verbose: the files of a manifest's name that hold none. */
export function tellOthers(
  io: Pick<Io, "writeStderr">,
  { others }: Pick<ManifestFiles, "others">,
  { verbose = false }: AccountOptions,
): void {
  if (!verbose || others.length === 0) return;
  io.writeStderr(`rollstamp: no manifests: ${printable(others.join(", "))}\n`);
}

/** 2 where nothing was examined, which is told. */
export function accountStatus(io: Pick<Io, "writeStderr">, account: Account, options: AccountOptions): ExitStatus {
  if (!isNothing(account)) return DONE;
  tellErrors(io, [nothingExamined(account, options)]);
  return BAD;
}

/** 1 where a file that was found looks like a manifest and can't be read; all of them are told. */
export function unreadStatus(io: Pick<Io, "writeStderr">, { findings }: ManifestFiles): ExitStatus {
  io.writeStderr(findingLines(findings));
  return findings.length > 0 ? FOUND : DONE;
}

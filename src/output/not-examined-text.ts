import { notExaminedLines, type AccountOptions } from "../findings/not-examined/account-words.ts";
import type { Account } from "../findings/not-examined/not-examined.ts";
import { lineText, printable } from "../findings/results/terminal.ts";

/** What was not looked at, at the end of a text report: a line for each kind; "" where all was. */
export function notExaminedText(account: Pick<Account, "notExamined">, options: AccountOptions): string {
  return notExaminedLines(account, options)
    .map((line) => `${lineText(printable(line))}\n`)
    .join("");
}

import { notExaminedLines, type AccountOptions } from "../findings/not-examined/account-words.ts";
import type { Account } from "../findings/not-examined/not-examined.ts";
import { list } from "./document/blocks.ts";
import type { Block } from "./document/document.ts";

/** What a command did not examine, at the end of a report: a line for each kind. */
export function notExaminedBlocks(account: Pick<Account, "notExamined">, options: AccountOptions): Block[] {
  const lines = notExaminedLines(account, options);
  return lines.length === 0 ? [] : [list(lines, { role: "not-examined" })];
}

import type { LoggedCommit, RolloutLog } from "../reports/log/changes.ts";
import { counted } from "../base/words.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { lineText } from "../findings/results/terminal.ts";
import { actionWord } from "./plan-levels.ts";
import { plainWords, reasonWords } from "./plan-words.ts";

const SHORT = 10;
const MOST_REASONS = 20;

/** `log -o json`. */
export function logJson(log: RolloutLog): string {
  return `${jsonText(log, 2)}\n`;
}

/** `log -o text`: a commit in two lines and more, the newest first. */
export function logText({ workload, path, shallow, commits }: RolloutLog): string {
  const { kind, namespace, name } = workload;
  const head = `${kind} ${namespace}/${name}, ${path}: ${counted(commits.length, "commit")}`;
  return [
    lineText(head),
    ...commits.flatMap((commit) => ["", ...commitLines(commit, namespace)]),
    ...(shallow ? ["", "This clone is shallow: older commits are not in it (git fetch --unshallow)."] : []),
    "",
  ].join("\n");
}

function commitLines({ commit, date, author, subject, action, reasons }: LoggedCommit, namespace: string): string[] {
  const told = reasons.slice(0, MOST_REASONS).map((reason) => plainWords(reasonWords(reason, namespace)));
  const more = reasons.length - told.length;
  return [
    `${commit.slice(0, SHORT)} ${date.slice(0, 16).replace("T", " ")} ${lineText(author)}: ${lineText(subject)}`,
    `  ${actionWord(action)}`,
    ...told.map((words) => `    ${lineText(words)}`),
    ...(more > 0 ? [`    and ${counted(more, "more reason")}`] : []),
  ];
}

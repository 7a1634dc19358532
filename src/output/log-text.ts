import { counted } from "../base/words.ts";
import type { LoggedCommit, RolloutLog } from "../reports/log/changes.ts";
import { list, paragraph } from "./document/blocks.ts";
import type { Block, Document } from "./document/document.ts";
import { reasonWords } from "./plan-causes.ts";
import { actionWord } from "./plan-labels.ts";

const SHORT = 10;
const MOST_REASONS = 20;

/** `log -o text`: the commits that rolled a workload, the newest first. */
export function logDocument({ workload, path, shallow, commits }: RolloutLog): Document {
  const { kind, namespace, name } = workload;
  return {
    title: "log",
    blocks: [
      paragraph(`${kind} ${namespace}/${name}, ${path}: ${counted(commits.length, "commit")}`),
      ...commits.map((commit) => commitBlock(commit, namespace)),
      ...(shallow
        ? [paragraph("This clone is shallow and lacks older commits. 'git fetch --unshallow' adds them.")]
        : []),
    ],
  };
}

function commitBlock({ commit, date, author, subject, action, reasons }: LoggedCommit, namespace: string): Block {
  const more = reasons.length - MOST_REASONS;
  const shown = reasons.slice(0, MOST_REASONS).map((reason) => reasonWords(reason, namespace));
  const rest = more > 0 ? [[`and ${counted(more, "more reason")}`]] : [];
  return list([
    {
      words: [`${commit.slice(0, SHORT)} ${date.slice(0, 16).replace("T", " ")} ${author}: ${subject}`],
      blocks: [list([{ words: [actionWord(action)], blocks: [list([...shown, ...rest])] }])],
    },
  ]);
}

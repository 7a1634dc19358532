import { posix } from "node:path";
import { shellWord } from "../../base/shell-words.ts";
import { MADE_BY } from "./ci.ts";
import type { FileProposal, InitTarget } from "./init-target.ts";
import type { GitSetting, GitWiring } from "../../platform/ports/git.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import { ATTRIBUTE_LINES, DRIVER, stampOf, TEXTCONV } from "./restamp.ts";
import { addToList, readAuthored, type Value } from "./yaml-insert.ts";

const ATTRIBUTES = ".gitattributes";
const PRE_COMMIT = ".pre-commit-config.yaml";

/** The merge driver, and hooks that stamp again what git has brought together. */
export const GIT: InitTarget = {
  name: "git",
  summary: "the merge driver for stamps, and hooks that stamp again behind a merge",
  takes: ["hide-stamps"],
  looks: true,
  propose: (folder, { version, survey, git, hideStamps }) => {
    const wiring = git();
    const stamp = stampOf(folder, survey());
    const hooks = hookFiles(folder, wiring, stamp, version);
    const attributes = attributesFile(folder);
    const settings: GitSetting[] = [
      { key: "merge.rollstamp.name", value: "rollstamp: stamps never conflict" },
      { key: "merge.rollstamp.driver", value: DRIVER },
      ...(hideStamps === true
        ? [
            { key: "diff.rollstamp.textconv", value: TEXTCONV },
            { key: "diff.rollstamp.cachetextconv", value: "true" },
          ]
        : []),
    ];
    return {
      files: [...attributes.files, ...hooks.files],
      settings: settings.filter(({ key, value }) => wiring.config.get(key.toLowerCase()) !== value),
      notes: [
        ...attributes.notes,
        ...hooks.notes,
        "Git takes no driver and no hook from a commit: each clone runs rollstamp init git once.",
      ],
    };
  },
};

interface Part {
  readonly files: readonly FileProposal[];
  readonly notes: readonly string[];
}

function attributesFile(folder: InitFolder): Part {
  const path = posix.join(folder.repository, ATTRIBUTES);
  const before = folder.read(path);
  if (before !== undefined && /\bmerge=rollstamp\b/u.test(before)) return { files: [], notes: [] };
  const eol = before?.includes("\r\n") === true ? "\r\n" : "\n";
  const bare = (before ?? "").replace(/^\uFEFF/u, "");
  // The first lines of the file: of several that match git takes the last, so what is there goes before ours.
  const after = [`${MADE_BY} git`, ...ATTRIBUTE_LINES].map((line) => line + eol).join("") + bare;
  const other = /^[^#\s]\S*\.(?:ya?ml|json)\s.*(?:\bmerge=|-merge\b|\bbinary\b).*$/mu.exec(bare)?.[0];
  return {
    files: [{ path, before, after }],
    notes: other === undefined ? [] : [`${ATTRIBUTES} has '${other.trim()}', which goes before ours.`],
  };
}

function hookFiles(folder: InitFolder, wiring: GitWiring, stamp: string, version: string): Part {
  const preCommit = posix.join(folder.repository, PRE_COMMIT);
  const config = folder.read(preCommit);
  if (config !== undefined) {
    const notes = [
      "Install them with: pre-commit install --hook-type post-merge --hook-type post-rewrite --hook-type post-commit",
    ];
    if (/\bid: rollstamp-merged\b/u.test(config)) return { files: [], notes };
    const after = addToList(readAuthored(config, preCommit), ["repos"], preCommitHooks(stamp, version));
    return { files: [{ path: preCommit, before: config, after }], notes };
  }
  const { hooks } = wiring;
  if (hooks === undefined) {
    return {
      files: [],
      notes: [
        `The hooks of this clone are in ${wiring.hooksShown}, which is not this repository's alone: call '${stamp}' in its post-merge, post-rewrite and post-commit.`,
      ],
    };
  }
  const files: FileProposal[] = [];
  const notes: string[] = [];
  for (const name of ["post-merge", "post-rewrite", "post-commit"] as const) {
    const path = posix.join(hooks, name);
    const before = folder.read(path);
    const after = hook(name, stamp);
    if (before === undefined || (before !== after && before.includes(`${MADE_BY} git`)))
      files.push({ path, before, after, executable: true });
    else if (before !== after && !/\brollstamp stamp\b/u.test(before))
      notes.push(`${posix.join(wiring.hooksShown, name)} is there and stays as it is: add '${stamp}' to it.`);
  }
  return { files, notes };
}

type Hook = "post-merge" | "post-rewrite" | "post-commit";

// What `git commit` makes is checked before it; behind picks and behind conflicts only this one runs. In a row of
// picks, or in a rebase, a change of the worktree would stop the next one: the last one is stamped.
const ONLY_PICKS = [
  'case "$(git log -1 --walk-reflogs --format=%gs HEAD --)" in',
  "  cherry-pick* | revert* | 'commit (merge)'* | 'commit (cherry-pick)'*) ;;",
  "  *) exit 0 ;;",
  "esac",
  "todo=$(git rev-parse --git-path sequencer/todo)",
  'if [ -f "$todo" ] && [ "$(grep -c . "$todo")" -gt 1 ]; then exit 0; fi',
];

const NOT_IN_A_REBASE = ['if [ -d "$(git rev-parse --git-path rebase-merge)" ]; then exit 0; fi'];

const GUARDS: Readonly<Record<Hook, readonly string[]>> = {
  "post-merge": NOT_IN_A_REBASE,
  "post-rewrite": [],
  "post-commit": [...NOT_IN_A_REBASE, ...ONLY_PICKS],
};

function hook(name: Hook, stamp: string): string {
  return `${[
    "#!/bin/sh",
    `${MADE_BY} git`,
    "# What git has brought together is stamped again. The change is yours to commit.",
    ...GUARDS[name],
    ...stampLines(stamp),
  ].join("\n")}\n`;
}

function stampLines(stamp: string): readonly string[] {
  return [
    "command -v rollstamp >/dev/null 2>&1 || { echo 'rollstamp is not on PATH: stamps may be stale' >&2; exit 0; }",
    `changed=$(${stamp}) || exit 0`,
    `[ -z "$changed" ] || printf 'rollstamp: stamped again, to be committed:\\n%s\\n' "$changed" >&2`,
  ];
}

function preCommitHooks(stamp: string, version: string): Value {
  const common = {
    language: "node",
    additional_dependencies: [`rollstamp@${version}`],
    pass_filenames: false,
    always_run: true,
  };
  const script = `${[...GUARDS["post-commit"], stamp].join("\n")}\n`;
  return {
    repo: "local",
    hooks: [
      {
        id: "rollstamp-merged",
        name: "stamp what was merged",
        entry: stamp,
        ...common,
        stages: ["post-merge", "post-rewrite"],
      },
      {
        id: "rollstamp-picked",
        name: "stamp what was picked",
        entry: `sh -c ${shellWord(script)}`,
        ...common,
        stages: ["post-commit"],
      },
    ],
  };
}

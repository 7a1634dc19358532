import { posix } from "node:path";
import { RollstampError } from "../../base/errors.ts";
import { shellWord } from "../../base/words.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import type { GitSetting, GitWiring } from "../../platform/ports/git.ts";
import { checksOf } from "./checks.ts";
import { filledLines, filledText, MADE_BY } from "./fill.ts";
import type { FileProposal, InitTarget, Survey } from "./init-target.ts";
import { PRE_COMMIT_FILE } from "./pre-commit.ts";
import { addToList, eolOf, readAuthored } from "./yaml-insert.ts";

const ATTRIBUTES = ".gitattributes";

/** The files that our driver merges. What is not ours in them is merged as git does. */
const ATTRIBUTE_LINES: readonly string[] = ["*.yaml", "*.yml", "*.json"].map((glob) => `${glob} merge=rollstamp`);

const CALL = "rollstamp merge-driver --marker-size %L --base %S --ours %X --theirs %Y -- %O %A %B %P";

/**
 * The driver's command. If rollstamp is missing or can't be started, it merges as git does: git takes any status up to 128
 * as a conflict, and would keep our side without a marker.
 */
const DRIVER = `if command -v rollstamp >/dev/null 2>&1; then ${CALL} && exit; grep -q '^<<<<<<<' %A && exit 1; fi; git merge-file --marker-size=%L %A %O %B || exit 1`;

/** The command that stamps the files of a repository. Throws a RollstampError if no file is stamped. */
function stampCommand(folder: InitFolder, survey: Survey): string {
  const stamp = checksOf(folder, survey, "none")?.files?.replace(" --check", "");
  if (stamp !== undefined) return stamp;
  throw new RollstampError("usage", "no file of this repository is stamped: there is nothing to merge", {
    remedy: "If stamps are made when manifests are rendered, Git contains none (docs/guides/git.md).",
  });
}

/** The merge driver, and hooks that stamp again what git has merged. */
export const GIT: InitTarget = {
  name: "git",
  summary: "the merge driver for stamps, and hooks that stamp again after a merge",
  takes: [],
  propose: async (folder, { version, survey, git }) => {
    const wiring = await git();
    const stamp = stampCommand(folder, await survey());
    const hooks = preCommitHooks(folder, stamp, version) ?? hookFiles(folder, wiring, stamp);
    const attributes = attributesFile(folder);
    const settings: GitSetting[] = [
      { key: "merge.rollstamp.name", value: "rollstamp: stamps never conflict" },
      { key: "merge.rollstamp.driver", value: DRIVER },
    ];
    return {
      files: [...attributes.files, ...hooks.files],
      settings: settings.filter(({ key, value }) => wiring.config.get(key.toLowerCase()) !== value),
      notes: [
        ...attributes.notes,
        ...hooks.notes,
        "Git takes no driver and no hook from a commit: run 'rollstamp init git --write' once in each clone.",
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
  const eol = eolOf(before ?? "");
  const bare = (before ?? "").replace(/^\uFEFF/u, "");
  // Our lines come first: git uses the last line that matches, so the user's lines take precedence.
  const after = [`${MADE_BY} git`, ...ATTRIBUTE_LINES].map((line) => line + eol).join("") + bare;
  const other = /^[^#\s]\S*\.(?:ya?ml|json)\s.*(?:\bmerge=|-merge\b|\bbinary\b).*$/mu.exec(bare)?.[0];
  return {
    files: [{ path, before, after }],
    notes: other === undefined ? [] : [`${ATTRIBUTES} has '${other.trim()}', which takes precedence over ours.`],
  };
}

/** The hooks as pre-commit runs them, if the repository uses it. */
function preCommitHooks(folder: InitFolder, stamp: string, version: string): Part | undefined {
  const path = posix.join(folder.repository, PRE_COMMIT_FILE);
  const before = folder.read(path);
  if (before === undefined) return undefined;
  const notes = [
    "Install them with: pre-commit install --hook-type post-merge --hook-type post-rewrite --hook-type post-commit",
  ];
  if (/\bid: rollstamp-merged\b/u.test(before)) return { files: [], notes };
  const script = [...filledLines("git/only-picks.sh"), stamp, ""].join("\n");
  const hooks = filledLines("git/pre-commit.yml", {
    VERSION: version,
    STAMP: stamp,
    PICKED: `sh -c ${shellWord(script)}`.split("\n"),
  });
  return { files: [{ path, before, after: addToList(readAuthored(before, path), ["repos"], hooks) }], notes };
}

function hookFiles(folder: InitFolder, wiring: GitWiring, stamp: string): Part {
  const { hooks } = wiring;
  if (hooks === undefined) {
    return {
      files: [],
      notes: [
        `The hooks of this clone are in ${wiring.hooksShown}, which other repositories use too: call '${stamp}' in its post-merge, post-rewrite and post-commit.`,
      ],
    };
  }
  const files: FileProposal[] = [];
  const notes: string[] = [];
  // A commit made by hand is checked before it is made; after picks and conflicts, only post-commit runs. In a series of
  // picks or a rebase, a changed worktree would stop the next one: only the last one is stamped.
  for (const name of ["post-merge", "post-rewrite", "post-commit"]) {
    const { root } = hooks;
    const path = posix.join(hooks.path, name);
    const before = folder.read(path, root);
    const after = filledText(`git/${name}`, {
      ONLY_PICKS: filledLines("git/only-picks.sh"),
      STAMP_AGAIN: filledLines("git/stamp-again.sh", { STAMP: stamp }),
    });
    if (before === undefined || (before !== after && before.includes(`${MADE_BY} git`)))
      files.push({ path, before, after, executable: true, root });
    else if (before !== after && !/\brollstamp stamp\b/u.test(before))
      notes.push(`${posix.join(wiring.hooksShown, name)} exists and stays as it is: add '${stamp}' to it.`);
  }
  return { files, notes };
}

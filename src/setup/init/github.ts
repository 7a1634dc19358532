import { posix } from "node:path";
import { checkLines } from "./checks.ts";
import { ciChecks } from "./ci.ts";
import { filledLines, filledText, MADE_BY } from "./fill.ts";
import type { FileProposal, InitTarget } from "./init-target.ts";

const FOLDER = ".github/workflows";
const CHECKS = /rollstamp(?:@[^\s@]+)? (?:stamp|lint)|uses: \S*\/rollstamp@/u;
const PLAN = /rollstamp(?:@[^\s@]+)? plan/u;

/** Workflows that check the stamps of pull requests and, if wanted, plan them. */
export const GITHUB: InitTarget = {
  name: "github",
  summary: "a workflow that checks the stamps of pull requests",
  takes: ["plan"],
  propose: async (folder, options) => {
    const { version: VERSION, plan } = options;
    const workflows = folder
      .findInRepository(`${FOLDER}/*.{yml,yaml}`)
      .map((path) => folder.read(path) ?? "")
      .filter((text) => !text.startsWith(MADE_BY));
    const has = (command: RegExp): boolean => workflows.some((text) => command.test(text));
    const checks = await ciChecks(folder, options, has(CHECKS));
    // The runner has kustomize and helm (actions/runner-images). Nothing of a pull request runs: a pinned version compares its
    // commits.
    const wanted = {
      ...(checks === undefined ? {} : { "rollstamp.yml": { CHECKS: checkLines(checks, '"$RUNNER_TEMP/kustomize"') } }),
      ...(plan === true && !has(PLAN)
        ? { "rollstamp-plan.yml": { COMMENT: filledLines("github/plan-comment.yml") } }
        : {}),
    };
    const files = Object.entries(wanted).flatMap(([file, fillings]): FileProposal[] => {
      const path = posix.join(folder.repository, FOLDER, file);
      const before = folder.read(path);
      const after = filledText(`github/${file}`, { VERSION, ...fillings });
      // A file of the user stays as it is; ours is brought up to date.
      const isOurs = before === undefined || before.startsWith(MADE_BY);
      return isOurs && before !== after ? [{ path, before, after }] : [];
    });
    return { files, because: checks?.because ?? [], notes: [] };
  },
};

import { posix } from "node:path";
import type { FileProposal, InitTarget } from "./init-target.ts";
import { pinnedRun, RESTART_CRON } from "./ci.ts";

const FOLDER = ".github/workflows";

/** Workflows that check the stamps of a pull request, and that commit the restarts which are due. */
export const GITHUB: InitTarget = {
  name: "github",
  summary: "a workflow that checks the stamps of pull requests",
  takes: ["restarts"],
  propose: (folder, { version, restarts }) => {
    const known = folder.findInRepository(`${FOLDER}/*.{yml,yaml}`).map((path) => folder.read(path) ?? "");
    const files: FileProposal[] = [];
    const add = (name: string, command: RegExp, after: string): void => {
      const path = posix.join(folder.repository, FOLDER, name);
      if (!known.some((text) => command.test(text))) files.push({ path, before: undefined, after });
    };
    add("rollstamp.yml", /rollstamp(?:@\S+)? (?:stamp|lint)|uses: \S*\/rollstamp@/u, checkWorkflow(version));
    if (restarts === true) add("rollstamp-restarts.yml", /rollstamp(?:@\S+)? restart/u, restartWorkflow(version));
    return {
      files,
      notes:
        restarts === true
          ? [
              "The restarts are pushed to the default branch: where it is protected, let the workflow open a pull request (docs/restart.md).",
            ]
          : [],
    };
  },
};

function checkWorkflow(version: string): string {
  return `name: rollstamp
on:
  pull_request:
permissions:
  contents: read
jobs:
  stamps:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v6
        with:
          node-version: 22
      - run: ${pinnedRun(version)} stamp --check .
`;
}

function restartWorkflow(version: string): string {
  return `name: rollstamp restarts
on:
  schedule:
    - cron: "${RESTART_CRON}"
  workflow_dispatch:
permissions:
  contents: write
concurrency: rollstamp-restarts
jobs:
  restarts:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v6
        with:
          node-version: 22
      - run: ${pinnedRun(version)} restart --due .
      - name: Commit what is due
        run: |
          git diff --quiet && exit 0
          git config user.name "github-actions[bot]"
          git config user.email "41898282+github-actions[bot]@users.noreply.github.com"
          git commit --all --message "Scheduled restarts"
          git push
`;
}

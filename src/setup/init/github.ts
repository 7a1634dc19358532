import { posix } from "node:path";
import type { FileProposal, InitTarget } from "./init-target.ts";
import { checksOf, pluginLines, shellOf, type Checks } from "./checks.ts";
import { MADE_BY, pinnedInstall, pinnedRun, RESTART_CRON } from "./ci.ts";
import { planWorkflow } from "./github-plan.ts";
import { planJobs } from "./plan-jobs.ts";
import { restampLines, stampOf } from "./restamp.ts";

const FOLDER = ".github/workflows";
const CHECK_FILE = "rollstamp.yml";

/** Workflows that check the stamps of a pull request, and that commit the restarts which are due. */
export const GITHUB: InitTarget = {
  name: "github",
  summary: "a workflow that checks the stamps of pull requests",
  takes: ["restarts", "restamp", "plan", "shards"],
  looks: true,
  propose: (folder, { version, restarts, restamp, plan, shards, survey }) => {
    const known = folder
      .findInRepository(`${FOLDER}/*.{yml,yaml}`)
      .map((path) => ({ path, text: folder.read(path) ?? "" }));
    const files: FileProposal[] = [];
    const has = (command: RegExp): boolean => known.some(({ text }) => !text.startsWith(MADE_BY) && command.test(text));
    const add = (name: string, after: string): void => {
      const path = posix.join(folder.repository, FOLDER, name);
      const before = folder.read(path);
      // What somebody has written stays; what we have is brought up to date.
      if (before !== after && (before === undefined || before.startsWith(MADE_BY))) files.push({ path, before, after });
    };
    const isChecked = has(/rollstamp(?:@\S+)? (?:stamp|lint)|uses: \S*\/rollstamp@/u);
    const more = restarts === true || restamp === true || plan === true;
    const checks = isChecked ? undefined : checksOf(folder, survey(), more ? "none" : "refuse");
    if (checks !== undefined) add(CHECK_FILE, checkWorkflow(version, checks));
    if (restarts === true && !has(/rollstamp(?:@\S+)? restart/u))
      add("rollstamp-restarts.yml", restartWorkflow(version));
    if (restamp === true) add("rollstamp-restamp.yml", restampWorkflow(version, stampOf(folder, survey())));
    const planned = plan === true ? planJobs(survey(), shards) : undefined;
    if (planned !== undefined && !has(/rollstamp(?:@\S+)? plan/u))
      add("rollstamp-plan.yml", planWorkflow(version, planned.count));
    return {
      files,
      because: [...(checks?.because ?? []), ...(planned?.because ?? [])],
      notes: [
        ...(restarts === true
          ? [
              "The restarts are pushed to the default branch: where it is protected, let the workflow open a pull request (docs/restart.md).",
            ]
          : []),
        ...(restamp === true
          ? [
              "Run 'rollstamp restamp' on a branch from the Actions tab. It pushes with the job's token, for which GitHub starts no checks: docs/git.md says what does.",
            ]
          : []),
      ],
    };
  },
};

// The runner has kustomize and helm (actions/runner-images). `shell: bash` sets pipefail.
function checkWorkflow(version: string, checks: Checks): string {
  const lines = [...pluginLines(checks, '"$RUNNER_TEMP/kustomize"'), ...shellOf(checks)];
  return `${MADE_BY} github
name: rollstamp
on:
  pull_request:
  push:
    branches: [main, master]
  merge_group:
permissions:
  contents: read
jobs:
  stamps:
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v6
        with:
          node-version: 22
      - run: ${pinnedInstall(version)}
      - name: Check the stamps
        shell: bash
        run: |
${lines.map((line) => `          ${line}\n`).join("")}`;
}

function restartWorkflow(version: string): string {
  return `${MADE_BY} github --restarts
name: rollstamp restarts
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

// GitHub's own merges ask no driver: where a pull request conflicts in stamps, this brings its base into it.
function restampWorkflow(version: string, stamp: string): string {
  return `${MADE_BY} github --restamp
name: rollstamp restamp
on:
  workflow_dispatch:
permissions:
  contents: write
concurrency: rollstamp-restamp-\${{ github.ref }}
jobs:
  restamp:
    if: github.ref_type == 'branch'
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v5
        with:
          fetch-depth: 0
      - uses: actions/setup-node@v6
        with:
          node-version: 22
      - run: ${pinnedInstall(version)}
      - name: Merge the default branch, and stamp again
        env:
          BASE: \${{ github.event.repository.default_branch }}
          BRANCH: \${{ github.ref_name }}
        run: |
          git config user.name "github-actions[bot]"
          git config user.email "41898282+github-actions[bot]@users.noreply.github.com"
${restampLines('"origin/$BASE"', stamp)
  .map((line) => `          ${line}\n`)
  .join("")}          git push origin "HEAD:refs/heads/$BRANCH"
`;
}

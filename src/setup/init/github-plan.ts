import { MADE_BY, pinnedInstall } from "./ci.ts";
import { GOES_ON, PLAN_TITLE } from "./plan-jobs.ts";

// A pull request's plan as one comment. Nothing of the pull request runs: it is compared as git has it, by a rollstamp of a
// pinned version; the jobs that look at it have a token that only reads, and it is not kept in the clone. The runner has
// kustomize and helm (actions/runner-images).

/** A workflow that plans each pull request: by one job, or by several with one that joins their parts. */
export function planWorkflow(version: string, count: number): string {
  return `${MADE_BY} github --plan${count > 1 ? ` --shards ${count}` : ""}
name: rollstamp plan
on:
  pull_request:
permissions: {}
concurrency:
  group: rollstamp-plan-\${{ github.event.pull_request.number }}
  cancel-in-progress: true
jobs:
${count === 1 ? oneJob(version) : severalJobs(version, count)}`;
}

// The pull request is merged into its target for the run: HEAD^ is the target.
const RANGE = "HEAD^..HEAD";

function oneJob(version: string): string {
  return `  plan:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    permissions:
      contents: read
      pull-requests: write
    steps:
${checkout()}${install(version)}${report(`plan --git ${RANGE}`)}${comment()}`;
}

function severalJobs(version: string, count: number): string {
  return `  part:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    permissions:
      contents: read
    strategy:
      fail-fast: false
      matrix:
        part: [${Array.from({ length: count }, (_, i) => i + 1).join(", ")}]
    steps:
${checkout()}${install(version)}      # Renderings hold the Secrets that are in Git. GitHub gives what a pull request has kept to no other one: keep none on
      # the default branch, which all may read.
      - uses: actions/cache@v4
        with:
          path: \${{ runner.temp }}/renderings
          key: rollstamp-\${{ github.event.pull_request.number }}-\${{ matrix.part }}-\${{ github.sha }}
          restore-keys: rollstamp-\${{ github.event.pull_request.number }}-\${{ matrix.part }}-
      - name: Plan a part
        shell: bash
        env:
          PART: \${{ matrix.part }}
        run: |
          status=0
          rollstamp plan --git ${RANGE} --shard "$PART/${count}" --cache "$RUNNER_TEMP/renderings" -o json > "part-$PART.json" || status=$?
          # 1 is a part that has something against it: the whole tells.
          ${GOES_ON}
      - uses: actions/upload-artifact@v4
        with:
          name: rollstamp-part-\${{ matrix.part }}
          path: part-\${{ matrix.part }}.json
          if-no-files-found: error
          overwrite: true
          retention-days: 1
  plan:
    needs: part
    # Also where a part has failed: what is skipped would count as passed.
    if: \${{ !cancelled() }}
    runs-on: ubuntu-latest
    timeout-minutes: 10
    permissions:
      pull-requests: write
    steps:
      - uses: actions/download-artifact@v4
        with:
          pattern: rollstamp-part-*
          merge-multiple: true
${install(version)}${report("plan --merge part-*.json")}${comment()}`;
}

function checkout(): string {
  return `      - uses: actions/checkout@v5
        with:
          # The target and the pull request merged into it.
          fetch-depth: 2
          persist-credentials: false
`;
}

function install(version: string): string {
  return `      - uses: actions/setup-node@v6
        with:
          node-version: 22
      - run: ${pinnedInstall(version)}
`;
}

/** Limits are put behind this command: --max-pods 50. */
function report(command: string): string {
  return `      - name: Plan
        id: plan
        shell: bash
        run: |
          status=0
          rollstamp ${command} -o markdown --title "${PLAN_TITLE}" > plan.md || status=$?
          cat plan.md >> "$GITHUB_STEP_SUMMARY"
          echo "status=$status" >> "$GITHUB_OUTPUT"
          # 1 is a plan that has something against it, which is told first.
          ${GOES_ON}
`;
}

function comment(): string {
  return `      - name: Comment
        # The token of a fork may not comment: the plan is in the job's summary all the same.
        if: github.event.pull_request.head.repo.full_name == github.repository
        shell: bash
        env:
          GH_TOKEN: \${{ github.token }}
          COMMENTS: repos/\${{ github.repository }}/issues
          NUMBER: \${{ github.event.pull_request.number }}
        run: |
          # The first line marks the comment; a plan with another title has one of its own.
          MARK=$(head -n 1 plan.md)
          export MARK
          id=$(gh api --paginate "$COMMENTS/$NUMBER/comments" \\
            --jq '.[] | select(.user.login == "github-actions[bot]" and (.body | startswith(env.MARK))) | .id' | head -n 1)
          if [ -n "$id" ]; then
            gh api --method PATCH "$COMMENTS/comments/$id" --field body=@plan.md --silent
          else
            gh api --method POST "$COMMENTS/$NUMBER/comments" --field body=@plan.md --silent
          fi
      - name: Verdict
        env:
          STATUS: \${{ steps.plan.outputs.status }}
        run: exit "$STATUS"
`;
}

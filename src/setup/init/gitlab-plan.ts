import { installRenderers, pinnedInstall } from "./ci.ts";
import { GOES_ON, PLAN_TITLE } from "./plan-jobs.ts";
import type { Value } from "./yaml-insert.ts";

// A merge request's plan as one note. Nothing of the merge request runs, as under GitHub. No rendering is kept from one job to
// another: any branch's pipeline may read and overwrite what the cache of GitLab holds, and renderings hold Secrets.

type Job = { readonly [key: string]: Value };

/** The jobs that plan each merge request: one, or several with one that joins their parts; by their names. */
export function planPipeline(version: string, count: number): Readonly<Record<string, Job>> {
  const both = installRenderers({ kustomize: true, helm: true });
  if (count === 1) {
    return {
      "rollstamp-plan": {
        ...JOB,
        variables: { GIT_DEPTH: 0 },
        before_script: [pinnedInstall(version), ...both],
        script: [report([RANGE, `plan --git "$base..HEAD"`])],
        artifacts: REPORT,
      },
    };
  }
  return {
    "rollstamp-plan-part": {
      ...JOB,
      parallel: count,
      variables: { GIT_DEPTH: 0 },
      before_script: [pinnedInstall(version), ...both],
      script: [
        lines([
          RANGE,
          "status=0",
          'rollstamp plan --git "$base..HEAD" --shard "$CI_NODE_INDEX/$CI_NODE_TOTAL" -o json > "part-$CI_NODE_INDEX.json" || status=$?',
          GOES_ON,
        ]),
      ],
      artifacts: { paths: ["part-$CI_NODE_INDEX.json"], expire_in: "1 day" },
    },
    "rollstamp-plan": {
      ...JOB,
      // Also where a part has failed: it is told which one is missing.
      rules: [{ ...JOB.rules[0], when: "always" }],
      needs: ["rollstamp-plan-part"],
      // A fresh clone: a runner's folder may hold the parts of another pipeline.
      variables: { GIT_DEPTH: 1 },
      before_script: [pinnedInstall(version)],
      script: [report(["", `plan --merge ${partFiles(count)}`])],
      artifacts: REPORT,
    },
  };
}

const JOB = { image: "node:22", rules: [{ if: '$CI_PIPELINE_SOURCE == "merge_request_event"' }] } as const;

const REPORT = { paths: ["plan.md"], expose_as: PLAN_TITLE, when: "always" } as const;

// In a pipeline of merged results HEAD is the merge request merged into its target.
const RANGE = 'base="${CI_MERGE_REQUEST_TARGET_BRANCH_SHA:-$CI_MERGE_REQUEST_DIFF_BASE_SHA}"';

function partFiles(count: number): string {
  return Array.from({ length: count }, (_, i) => `part-${i + 1}.json`).join(" ");
}

function lines(all: readonly string[]): string {
  return all
    .filter((line) => line !== "")
    .concat("")
    .join("\n");
}

/** Makes the report, writes it as the merge request's note where there is a token, and ends with the plan's status. */
function report([before = "", command = ""]: readonly string[]): string {
  return lines([
    before,
    "status=0",
    `rollstamp ${command} -o markdown --title "${PLAN_TITLE}" > plan.md || status=$?`,
    GOES_ON,
    `if [ -n "$PLAN_TOKEN" ]; then node -e '${NOTE}'; else cat plan.md; fi`,
    "exit $status",
  ]);
}

// The first line of a plan marks its note. The image has no other program for JSON.
const NOTE = [
  "const { CI_API_V4_URL: api, CI_MERGE_REQUEST_PROJECT_ID: project, CI_MERGE_REQUEST_IID: iid, PLAN_TOKEN: token } = process.env;",
  "const notes = `${api}/projects/${project}/merge_requests/${iid}/notes`;",
  'const body = require("fs").readFileSync("plan.md", "utf8");',
  'const mark = body.split("\\n")[0];',
  'const headers = { "PRIVATE-TOKEN": token, "Content-Type": "application/json" };',
  "const ask = async (url, more) => {",
  "  const answer = await fetch(url, { headers, ...more });",
  "  if (!answer.ok) throw new Error(`${answer.status} of ${new URL(url).pathname}`);",
  "  return answer;",
  "};",
  "(async () => {",
  "  const me = (await (await ask(`${api}/user`)).json()).id;",
  "  let known;",
  '  for (let page = "1"; page && !known; ) {',
  "    const answer = await ask(`${notes}?per_page=100&page=${page}`);",
  "    known = (await answer.json()).find((note) => note.author.id === me && note.body.startsWith(mark));",
  '    page = answer.headers.get("x-next-page");',
  "  }",
  "  await ask(known ? `${notes}/${known.id}` : notes, {",
  '    method: known ? "PUT" : "POST",',
  "    body: JSON.stringify({ body }),",
  "  });",
  "})().catch((error) => { console.error(error.message); process.exitCode = 1; });",
].join("\n");

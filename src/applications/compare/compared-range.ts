import { posix } from "node:path";
import { formatCommit } from "../../base/names.ts";
import type { Environment } from "../../platform/ports/environment.ts";
import type { RevisionRange } from "../../platform/ports/git.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { PlannedLinks, PlannedRange, WebAddress } from "../../reports/plan/plan-report.ts";
import { networkRemotes, repositoryPath } from "../discover/remotes.ts";
import { gitEnvironment } from "../inputs/revision-range.ts";

/** The commits that are compared, and the path of the current folder in the repository. */
interface Opened {
  readonly base: string;
  readonly head: string;
  readonly prefix: string;
}

/** What a plan compares: the repository, the range as the user wrote it, and the commits. */
export async function comparedRange(
  io: Pick<Io, "git" | "files" | "environment">,
  range: RevisionRange,
  { base, head, prefix }: Opened,
): Promise<PlannedRange> {
  const here = io.files.here();
  const remotes = await io.git.remotes({ cwd: here, environment: gitEnvironment(io.environment) });
  const [remote] = networkRemotes(remotes);
  const onServer = remote === undefined ? undefined : repositoryPath(remote);
  const root = posix.join(here, ...prefix.split("/").flatMap((part) => (part === "" ? [] : [".."])));
  const compared = {
    repository: onServer ?? posix.basename(root),
    range: `${range.base}${range.sinceMergeBase ? "..." : ".."}${range.head}`,
    base: { ref: range.base, commit: base },
    head: { ref: range.head, commit: head },
  };
  return withLinks(compared, io.environment);
}

/** The range with links to the server that the environment of this run names, and with no others. */
export function withLinks(given: PlannedRange, environment: Environment): PlannedRange {
  const { repository, range, base, head } = given;
  const compared = { repository, range, base, head };
  const links = SERVERS.map((server) => server(environment, compared)).find((found) => found !== undefined);
  return links === undefined ? compared : { ...compared, links };
}

type Server = (environment: Environment, compared: PlannedRange) => PlannedLinks | undefined;

/** The variables that CI systems set. */
const SERVERS: readonly Server[] = [
  // docs.github.com, "Default environment variables"; Gitea and Forgejo set the same.
  ({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name, GITHUB_RUN_ID: run }, { repository, base, head }) => {
    const page = name === undefined ? undefined : webAddress(`${server}/${name}`);
    if (page === undefined || !isSame(name, repository)) return undefined;
    return {
      repository: page,
      compare: `${page}/compare/${formatCommit(base.commit)}..${formatCommit(head.commit)}`,
      ...(run === undefined ? {} : { run: `${page}/actions/runs/${run}` }),
    };
  },
  // docs.gitlab.com, "Predefined CI/CD variables".
  ({ CI_PROJECT_URL: project, CI_PROJECT_PATH: name, CI_JOB_URL: job = "" }, { repository, base, head }) => {
    const page = project === undefined ? undefined : webAddress(project);
    if (page === undefined || !isSame(name, repository)) return undefined;
    const run = webAddress(job);
    return {
      repository: page,
      compare: `${page}/-/compare/${formatCommit(base.commit)}...${formatCommit(head.commit)}?straight=true`,
      ...(run === undefined ? {} : { run }),
    };
  },
];

/** CI may plan a clone of another repository, to which its variables do not lead. */
function isSame(name: string | undefined, repository: string): boolean {
  if (!repository.includes("/")) return true;
  return name === undefined || name.toLowerCase() === repository.toLowerCase();
}

function webAddress(text: string): WebAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const address = new URL(text);
  if (address.protocol !== "https:" || address.username !== "" || address.password !== "") return undefined;
  return `https://${address.host}${address.pathname.replace(/\/+$/u, "")}`;
}

// What the GitHub Action writes on GitHub: a comment, labels and a commit status. A token that may not write is a warning:
// pull requests from forks have such a token.

/** GitHub refuses longer comments: 65,536 characters. */
const LONGEST_COMMENT = 60_000;
/** GitHub refuses longer descriptions of a commit status. */
const LONGEST_DESCRIPTION = 140;
const STATUS_CONTEXT = "rollstamp/plan";

/** The labels of a plan, of which a pull request has one at most. */
const LABELS = {
  "rolls:none": { color: "c2e0c6", description: "No pod is replaced by this change" },
  "rolls:safe": { color: "0e8a16", description: "Pods are replaced, enough stay available" },
  "rolls:risky": { color: "d93f0b", description: "Read the rollout plan before merging" },
};

/** The states of a commit status by the exit status of a plan. */
const STATES = ["success", "failure", "error"];

/** GitHub does not let the token do this. */
class Refused extends Error {}

/** A request that failed for another reason. */
export class RequestFailed extends Error {}

/** The API of a repository, of `api` (GITHUB_API_URL). */
export function github({ api, repository, token }) {
  const root = `${api}/repos/${repository}`;

  async function request(method, path, body, { accepted = [] } = {}) {
    const asked = `${method} ${path.replace(/\?.*/u, "")}`;
    const response = await fetched(asked, `${root}${path}`, {
      method,
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "user-agent": "rollstamp",
        "x-github-api-version": "2022-11-28",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.ok) return response.status === 204 ? undefined : response.json();
    await response.body?.cancel();
    if (accepted.includes(response.status)) return undefined;
    const Failure = [401, 403, 404].includes(response.status) ? Refused : RequestFailed;
    throw new Failure(`${asked} gives ${response.status}`);
  }

  async function findComment(path, marker) {
    const PAGE = 100;
    for (let page = 1; ; page++) {
      const found = await request("GET", `${path}?per_page=${PAGE}&page=${page}`);
      // A person can quote the marker; our comment begins with it.
      const posted = found.find(({ body, user }) => body?.startsWith(marker) && user?.type === "Bot");
      if (posted !== undefined || found.length < PAGE) return posted;
    }
  }

  return {
    /** Posts the report, or updates the comment that begins with the same line. */
    comment: (number, text) =>
      orWarning("the comment is not posted", "pull-requests: write", async () => {
        const body = cut(text);
        const path = `/issues/${number}/comments`;
        const known = await findComment(path, body.split("\n", 1)[0]);
        if (known === undefined) await request("POST", path, { body });
        else if (known.body !== body) await request("PATCH", `/issues/comments/${known.id}`, { body });
      }),

    /** Removes the labels of an older run. */
    removeLabels: (number) =>
      orWarning("labels of an older run are not removed", "pull-requests: write", async () => {
        const labels = await request("GET", `/issues/${number}/labels?per_page=100`);
        for (const { name } of labels.filter((label) => Object.hasOwn(LABELS, label.name)))
          // 404: someone else has removed it.
          await request("DELETE", `/issues/${number}/labels/${encodeURIComponent(name)}`, undefined, {
            accepted: [404],
          });
      }),

    /** Adds a label, with its color and description if the repository does not have it yet. */
    addLabel: (number, name) =>
      orWarning("the label is not set", "pull-requests: write", async () => {
        // 422: the repository has it, perhaps with a color of its own.
        await request("POST", "/labels", { name, ...LABELS[name] }, { accepted: [422] });
        await request("POST", `/issues/${number}/labels`, { labels: [name] });
      }),

    /** Sets the commit status of a plan; `status` is its exit status. */
    setStatus: (commit, { status, text, url }) =>
      orWarning("the commit status is not set", "statuses: write", () =>
        request("POST", `/statuses/${commit}`, {
          context: STATUS_CONTEXT,
          state: STATES[status] ?? "error",
          description: shortened(text, LONGEST_DESCRIPTION),
          ...(url === undefined ? {} : { target_url: url }),
        }),
      ),
  };
}

/** A response. While a plan was made, the server closed the connection of the request before it: a failure is tried again. */
async function fetched(asked, url, options) {
  try {
    return await fetch(url, options);
  } catch {
    try {
      return await fetch(url, options);
    } catch (cause) {
      throw new RequestFailed(`${asked} fails: ${cause.cause?.message ?? cause.message}`);
    }
  }
}

/** Runs something for which the token of a fork has no permission. */
async function orWarning(what, permission, work) {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof RequestFailed) throw new RequestFailed(`${what}: ${cause.message}`);
    if (!(cause instanceof Refused)) throw cause;
    console.error(
      `::warning::rollstamp: ${what}: ${cause.message} (the job needs 'permissions: ${permission}'; pull requests from forks don't have it)`,
    );
  }
}

function shortened(text, longest) {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** The report without what a comment can't hold, with its folded sections closed. */
function cut(text) {
  if (text.length <= LONGEST_COMMENT) return text;
  const end = "\n\nThe rest of the plan is in the summary of the job.\n";
  const whole = text.slice(0, LONGEST_COMMENT - end.length - 1000);
  const kept = whole.slice(0, whole.lastIndexOf("\n"));
  const open = kept.split("<details").length - kept.split("</details>").length;
  return `${kept}\n${"</details>".repeat(Math.max(0, open))}${end}`;
}

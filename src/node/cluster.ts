import { RollstampError } from "../base/errors.ts";
import { suggestion } from "../base/nearest-name.ts";
import { sourceRequire } from "../base/source-require.ts";
import { shownServer, ask, failure, JSON_ONLY, remove, type Client, type FoundCluster } from "./cluster-requests.ts";
import type { FoundConfig } from "./kube-config.ts";
import type { Answer, Cluster, ClusterOptions, ListQuery, ListReader } from "../platform/ports/cluster.ts";
import { fieldsOf, listOf, textOrEmpty } from "../yaml/read/json.ts";

/** Connects to the cluster that the kubeconfig names. Throws a RollstampError if there is none. */
export function connectCluster({ kubeconfig, context, environment, timeoutMs, limits }: ClusterOptions): Cluster {
  const found = findConfig({ file: kubeconfig, context, environment, timeoutMs });
  const client: Client = { ...found, timeoutMs, limits };
  return {
    context: found.context,
    server: shownServer(found.server),
    namespace: found.namespace ?? "default",
    limits,
    get: (path) => ask(client, path, JSON_ONLY),
    list: (path, query, reader) => listPages(client, path, query, reader),
    remove: (path, preconditions) => remove(client, path, preconditions),
  };
}

const METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
// Between two pages a list may become too old for the server (410): it is read again, up to this often.
const MOST_STARTS = 3;
/** Objects of a page in most lists. */
const USUAL_PAGE = 250;

async function listPages(
  client: Client,
  path: string,
  { limit, fieldSelector, labelSelector, metadataOnly }: ListQuery,
  { begin, take }: ListReader,
): Promise<Answer["is"]> {
  const accept = metadataOnly === true ? METADATA_ONLY : JSON_ONLY;
  const selectors = Object.entries({ fieldSelector, labelSelector })
    .map(([name, selector]) => (selector === undefined ? "" : `&${name}=${encodeURIComponent(selector)}`))
    .join("");
  const most = client.limits.documents;
  let proceed = "";
  let read = 0;
  begin();
  for (let starts = 1; ;) {
    const next = proceed === "" ? "" : `&continue=${encodeURIComponent(proceed)}`;
    const answer = await ask(client, `${path}?limit=${limit}${selectors}${next}`, accept);
    if (answer === "gone") {
      if (starts >= MOST_STARTS)
        throw failure(
          client,
          "expires its lists before they are read completely (410)",
          "Try again when it is less busy.",
          true,
        );
      starts += 1;
      proceed = "";
      begin();
      continue;
    }
    if (answer.is !== "found") return answer.is;
    const { items, metadata } = fieldsOf(answer.body);
    // An answer without a list says nothing about objects, so it must not look like an empty one.
    if (items === undefined)
      throw failure(client, "does not answer with a list", "Check the address: is this the API server?");
    take(listOf(items));
    // A page counts as full, and that of one object as a usual one: a server that always has one more page may send it empty.
    read += Math.max(limit, USUAL_PAGE);
    const following = textOrEmpty(fieldsOf(metadata)["continue"]);
    if (following === "") return "found";
    if (read > most)
      throw failure(client, `lists more than ${most} objects`, "Check the address. --max-documents raises the limit.");
    // A proxy may drop the query, and then always returns the first page.
    if (following === proceed)
      throw failure(client, "returns the same page again and again", "Connect to the API server without a proxy.");
    proceed = following;
  }
}

/** The reader of kubeconfigs, a separate bundle, also in tests (docs/why/decisions.md). */
function loadKubeConfig(): typeof import("./kube-config.ts") {
  return typeof require === "function"
    ? require("./kube-config.cjs")
    : sourceRequire(import.meta.url)("./kube-config.cjs");
}

/** Finds the cluster that a kubeconfig or a pod's service account names. Throws a RollstampError if there is none. */
function findConfig(options: Parameters<ReturnType<typeof loadKubeConfig>["findKubeConfig"]>[0]): FoundCluster {
  const { findKubeConfig } = loadKubeConfig();
  let found: FoundConfig;
  try {
    found = findKubeConfig(options);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    // The parser's message may quote the file, which contains credentials.
    throw new RollstampError(
      "config",
      `the kubeconfig${options.file === undefined ? "" : ` '${options.file}'`} can't be read${code}`,
      {
        remedy: "Check the file with 'kubectl config view'.",
      },
    );
  }
  if (found.is === "found") {
    if (isAddress(found.server)) return found;
    throw new RollstampError(
      "config",
      `the server of context '${found.context}' in the kubeconfig must be a URL: '${shownServer(found.server)}'`,
      { remedy: "Use a URL such as https://cluster.example:6443." },
    );
  }
  if (found.is === "refused") {
    throw new RollstampError("config", `context '${found.context}' of the kubeconfig can't be used: ${found.because}`, {
      remedy: "Change its user or its cluster, or choose another --context; 'kubectl auth whoami' must work.",
    });
  }
  if (found.is === "none") {
    throw new RollstampError("config", "no kubeconfig with a cluster was found", {
      remedy: "Use --kubeconfig FILE, set KUBECONFIG, or run in a pod with a service account.",
    });
  }
  const message =
    found.context === ""
      ? "the kubeconfig has no current context"
      : `the kubeconfig has no context '${found.context}'${suggestion(found.context, found.known)}`;
  throw new RollstampError("config", message, { remedy: `Use --context; known contexts: ${found.known.join(", ")}.` });
}

function isAddress(server: string): boolean {
  return URL.canParse(server) && /^https?:$/u.test(new URL(server).protocol);
}

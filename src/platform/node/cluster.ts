import { withoutUserInfo } from "../../applications/tools/masked-words.ts";
import { fieldsOf, listOf, textOf } from "../../yaml/read/json.ts";
import type { Answer, Cluster, ClusterOptions, ListQuery, ListReader } from "../ports/cluster.ts";
import { findConfig, type Client } from "./cluster-config.ts";
import { failure } from "./cluster-failures.ts";
import { ask, JSON_ONLY } from "./cluster-requests.ts";
import { watchList } from "./cluster-watch.ts";

/** Connects to the cluster that the kubeconfig names. Throws a RollstampError where there is none. */
export function connectCluster({ kubeconfig, context, environment, timeoutMs, limits }: ClusterOptions): Cluster {
  const found = findConfig({ file: kubeconfig, context, environment, timeoutMs });
  const client: Client = { ...found, timeoutMs, limits };
  return {
    context: found.context,
    server: withoutUserInfo(found.server),
    namespace: found.namespace ?? "default",
    limits,
    get: (path) => ask(client, path, JSON_ONLY),
    list: (path, query, reader) => listPages(client, path, query, reader),
    watch: (path, query, take) => watchList(client, path, query, take),
  };
}

const METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
// Between two pages a list may grow too old for the server (410): it is begun anew, but not for ever.
const MOST_STARTS = 3;

async function listPages(
  client: Client,
  path: string,
  { limit, fieldSelector, metadataOnly }: ListQuery,
  { begin, take, end }: ListReader,
): Promise<Answer["is"]> {
  const accept = metadataOnly === true ? METADATA_ONLY : JSON_ONLY;
  const selector = fieldSelector === undefined ? "" : `&fieldSelector=${encodeURIComponent(fieldSelector)}`;
  let proceed = "";
  begin();
  for (let starts = 1; ;) {
    const next = proceed === "" ? "" : `&continue=${encodeURIComponent(proceed)}`;
    const answer = await ask(client, `${path}?limit=${limit}${selector}${next}`, accept);
    if (answer === "gone") {
      if (starts >= MOST_STARTS)
        throw failure(client, "drops its lists before they are read (410)", "Try again when it has less to do.", true);
      starts += 1;
      proceed = "";
      begin();
      continue;
    }
    if (answer.is !== "found") return answer.is;
    const { items, metadata } = fieldsOf(answer.body);
    take(listOf(items));
    const following = textOf(fieldsOf(metadata)["continue"]) ?? "";
    if (following === "") {
      end?.(textOf(fieldsOf(metadata)["resourceVersion"]) ?? "");
      return "found";
    }
    // What stands between may lose the query: the first page for ever.
    if (following === proceed)
      throw failure(client, "gives the same page again and again", "Ask the API server itself, not by way of a proxy.");
    proceed = following;
  }
}

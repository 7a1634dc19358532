import { withoutUserInfo } from "../../applications/tools/masked-words.ts";
import { suggestion } from "../../base/nearest-name.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";
import { sourceRequire } from "../../base/source-require.ts";
import type { FoundConfig } from "./kube-config.ts";

type Found = Extract<FoundConfig, { is: "found" }>;

/** A cluster that can be asked. */
export interface Client extends Found {
  readonly timeoutMs: number;
  readonly limits: Limits;
}

/** The reader of kubeconfigs: a bundle of its own, for tests too (docs/decisions/0004-cluster-client.md). */
function loadKubeConfig(): typeof import("./kube-config.ts") {
  return typeof require === "function"
    ? require("./kube-config.cjs")
    : sourceRequire(import.meta.url)("./kube-config.cjs");
}

/** Finds the cluster that a kubeconfig, or a pod's service account, names. Throws a RollstampError where there is none. */
export function findConfig(options: Parameters<ReturnType<typeof loadKubeConfig>["findKubeConfig"]>[0]): Found {
  const { findKubeConfig } = loadKubeConfig();
  let found: FoundConfig;
  try {
    found = findKubeConfig(options);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    // A parser's message may quote the file, which holds credentials.
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
      `the server of context '${found.context}' in the kubeconfig is no address: '${withoutUserInfo(found.server.slice(0, 200))}'`,
      { remedy: "It is a URL such as https://cluster.example:6443." },
    );
  }
  if (found.is === "none") {
    throw new RollstampError("config", "there is no kubeconfig that names a cluster", {
      remedy: "Give --kubeconfig FILE, set KUBECONFIG, or run in a pod with a service account.",
    });
  }
  const message =
    found.context === ""
      ? "the kubeconfig has no current context"
      : `the kubeconfig has no context '${found.context}'${suggestion(found.context, found.known)}`;
  throw new RollstampError("config", message, { remedy: `Give --context; known: ${found.known.join(", ")}.` });
}

function isAddress(server: string): boolean {
  return URL.canParse(server) && /^https?:$/u.test(new URL(server).protocol);
}

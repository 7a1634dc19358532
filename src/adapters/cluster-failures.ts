import { RollstampError } from "../ground/errors.ts";
import { sizeWords } from "../ground/limits.ts";
import type { Client } from "./cluster-config.ts";

/** The remedy for credentials that are not taken. */
export const LOG_IN = "Log in again, or choose another --context; 'kubectl auth whoami' must work.";

/** The system's code of a failure; empty where it has none. */
export function codeOf(cause: unknown): string {
  return cause instanceof Error && "code" in cause ? String(cause.code) : "";
}

/** The error for a cluster that fails. */
export function failure({ context, server }: Client, what: string, remedy: string): RollstampError {
  return new RollstampError("system", `the cluster of context '${context}' at ${server} ${what}`, { remedy });
}

/** The code for an answer of more bytes than an input may have, as zlib calls it. */
export const TOO_LONG = "ERR_BUFFER_TOO_LARGE";

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "is not reached: nothing listens there",
  ENOTFOUND: "is not reached: its name is unknown",
  EAI_AGAIN: "is not reached: its name can't be looked up",
  EHOSTUNREACH: "is not reached: there is no way to it",
  ENETUNREACH: "is not reached: there is no way to it",
  ETIMEDOUT: "is not reached in time",
};

/** The error for a cluster that can't be reached. */
export function unreachable(client: Client, cause: unknown): RollstampError {
  const code = codeOf(cause);
  if (code === TOO_LONG) {
    const what = `gives an answer of more than ${sizeWords(client.limits.inputSize)}`;
    return failure(client, what, "Check the address: is this the API server? --max-input-size raises the limit.");
  }
  // What the other side says of ours; all else about certificates is what we say of its.
  if (/_ALERT_(?:\w+_)?(?:CERTIFICATE|UNKNOWN_CA)/u.test(code))
    return failure(client, `does not take the client certificate (${code}): it may have expired`, LOG_IN);
  const isCertificate = /CERT|SIGNATURE|SELF_SIGNED|ALTNAME|ERR_TLS|ERR_SSL|EPROTO/u.test(code);
  const what = isCertificate
    ? `is not trusted (${code})`
    : (REASONS[code] ?? `stopped in the middle of an answer${code === "" ? "" : ` (${code})`}`);
  const remedy = isCertificate
    ? "Check the certificate authority in the kubeconfig."
    : "Check that the cluster runs and can be reached: 'kubectl get --raw /readyz' must work.";
  return failure(client, what, remedy);
}

/** A service account's side of the API: its tokens, and a pod's files. */
import { sign } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inRoot } from "../support/paths.ts";
import type { Cluster } from "./cluster.ts";
import { type Ran, run } from "./commands.ts";

// So many seconds the API server's clock may differ from that of the signer (go-jose, DefaultLeeway).
const LEEWAY = 60;

/** A service account's token, as the API server signs them; its own are good for ten minutes at least. */
export function tokenOf(
  { folder, powerless }: Cluster,
  { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
  seconds: number,
): string {
  const issuer = /server: (\S+)/u.exec(readFileSync(powerless, "utf8"))?.[1];
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer,
    aud: [issuer],
    sub: `system:serviceaccount:${namespace}:${name}`,
    iat: now - LEEWAY,
    nbf: now - LEEWAY,
    exp: now - LEEWAY + seconds,
    "kubernetes.io": { namespace, serviceaccount: { name, uid } },
  };
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const signed = `${encode({ alg: "RS256" })}.${encode(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), readFileSync(`${folder}/service-account.key`));
  return `${signed}.${signature.toString("base64url")}`;
}

/** Runs the shipped command where the files of a pod are, in a mount namespace of its own, as root of it. */
export function inPod(
  { folder, powerless }: Cluster,
  token: string,
  namespace: string,
  args: readonly string[],
): Promise<Ran> {
  const account = mkdtempSync(join(folder, "account-"));
  const config = readFileSync(powerless, "utf8");
  writeFileSync(join(account, "token"), token);
  writeFileSync(join(account, "namespace"), namespace);
  cpSync(/certificate-authority: (\S+)/u.exec(config)?.[1] ?? "", join(account, "ca.crt"));
  const server = new URL(/server: (\S+)/u.exec(config)?.[1] ?? "");
  const place = "/run/secrets/kubernetes.io/serviceaccount";
  const script = `mount -t tmpfs none /run && mkdir -p ${place} && cp ${account}/* ${place} && exec "$@"`;
  const variables = {
    HOME: folder,
    KUBERNETES_SERVICE_HOST: server.hostname,
    KUBERNETES_SERVICE_PORT: server.port,
  };
  const environment = ["-u", "KUBECONFIG", ...Object.entries(variables).map((pair) => pair.join("="))];
  const command = ["env", ...environment, process.execPath, inRoot("dist/rollstamp.cjs"), ...args];
  return run("unshare", ["--mount", "--map-root-user", "sh", "-c", script, "sh", ...command]);
}

import { withoutEnd } from "../../base/trim.ts";
import { withoutUserInfo } from "../../base/user-info.ts";

// Whether two addresses name the same Git repository (Argo CD: util/git, NormalizeGitURL and SameURL).

/** The same for all addresses of one repository: host and path, in lower case. */
export function repositoryKey(address: string): string {
  const { host, path } = partsOf(address.toLowerCase());
  return `${host.replace(/:\d+$/u, "")}/${path}`;
}

/** The path of a repository on its server: `owner/name`. */
export function repositoryPath(address: string): string {
  return partsOf(address).path;
}

/** The address of a repository for people: https, without credentials, and without the port of ssh. */
export function repositoryAddress(remote: string): string {
  const { host, path } = partsOf(remote);
  const isWeb = /^https?:/iu.test(remote.trim());
  return `https://${isWeb ? host : host.replace(/:\d+$/u, "")}/${path}`;
}

function partsOf(address: string): { readonly host: string; readonly path: string } {
  const trimmed = withoutUserInfo(address.trim(), "");
  // For Argo CD, `git@host/path` is `git@host:path`.
  const scp = /^(?:[^@/:]+@)?([^/:]+):(?!\/\/)(.+)$/u.exec(trimmed) ?? /^[^@/:]+@([^@/:]+)\/([^@]+)$/u.exec(trimmed);
  const url = /^[a-z][a-z0-9+.-]*:\/\/([^/]*)(.*)$/isu.exec(trimmed);
  const [host = "", path = ""] = url?.slice(1) ?? scp?.slice(1) ?? ["", trimmed];
  return { host, path: withoutEnd(path.replace(/^\/+/u, ""), "/").replace(/\.git$/iu, "") };
}

/** The remotes that identify the repository. Folders of this machine do not. */
export function networkRemotes(remotes: readonly string[]): readonly string[] {
  return remotes.filter((remote) => /^(?!file:)[a-z][a-z0-9+.-]*:\/\/|^(?:[^@/:]+@)?[^/:]{2,}:(?!\/\/)/iu.test(remote));
}

/** Whether an address is one of the remotes; true for any address if there are no remotes. */
export function ownAddress(remotes: readonly string[]): (address: string) => boolean {
  const known = new Set(remotes.map(repositoryKey));
  return (address) => known.size === 0 || known.has(repositoryKey(address));
}

/** A source in another repository. */
export interface Elsewhere {
  readonly is: "elsewhere";
  readonly reason: string;
  readonly missing: string;
  /** Its path, if this repository has it too: the remotes may be incomplete. */
  readonly pathHere?: string;
}

/** The result for a source in another repository. `pathHere`: its path, if this one has it too. */
export function elsewhere(address: string, pathHere: string | undefined): Elsewhere {
  const missing = shownAddress(address);
  const reason = `its source is another repository: ${missing}`;
  if (pathHere === undefined) return { is: "elsewhere", reason, missing };
  const hint = "although its path is here: if they are the same, run git remote add NAME with that address";
  return { is: "elsewhere", reason: `${reason}, ${hint}`, missing, pathHere };
}

/** An address without credentials. */
export function shownAddress(address: string): string {
  return withoutUserInfo(address, "").slice(0, 200);
}

// Addresses of Git repositories, as far as two of them name the same (Argo CD: util/git, NormalizeGitURL and SameURL).

/** What two addresses of one repository have in common: host and path, in lower case. */
export function repositoryKey(address: string): string {
  const trimmed = address.trim().toLowerCase();
  // `git@host/path` is to Argo CD what `git@host:path` is.
  const scp = /^(?:[^@/:]+@)?([^/:]+):(?!\/\/)(.+)$/u.exec(trimmed) ?? /^[^@/:]+@([^@/:]+)\/([^@]+)$/u.exec(trimmed);
  const url = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/]*)(.*)$/u.exec(trimmed);
  const [host = "", path = ""] = url?.slice(1) ?? scp?.slice(1) ?? ["", trimmed];
  const plain = path.replace(/^\/+|\/+$/gu, "").replace(/\.git$/u, "");
  return `${host.replace(/:\d+$/u, "")}/${plain}`;
}

/** The remotes that tell which repository a clone is of: a folder of this machine doesn't. */
export function networkRemotes(remotes: readonly string[]): readonly string[] {
  return remotes.filter((remote) => /^(?!file:)[a-z][a-z0-9+.-]*:\/\/|^(?:[^@/:]+@)?[^/:]{2,}:(?!\/\/)/iu.test(remote));
}

/** Tells whether an address is of this repository: of one of its remotes; any, where it has none. */
export function ownAddress(remotes: readonly string[]): (address: string) => boolean {
  const own = new Set(remotes.map(repositoryKey));
  return (address) => own.size === 0 || own.has(repositoryKey(address));
}

/** A source that is none of this repository. */
export function elsewhere(address: string): {
  readonly is: "elsewhere";
  readonly reason: string;
  readonly missing: string;
} {
  const missing = shownAddress(address);
  return { is: "elsewhere", reason: `its source is another repository: ${missing}`, missing };
}

/** An address without what it may take to get in. */
export function shownAddress(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^@/]*@/iu, "$1").slice(0, 200);
}

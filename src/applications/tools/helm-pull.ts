import { RollstampError } from "../../base/errors.ts";
import { isExactVersion } from "../../base/hosts/helm.ts";
import { withoutUserInfo } from "./masked-words.ts";

// Which charts are fetched, and how helm is told. A repository names them, and whoever opens a pull request with it: so an
// address is one that helm reads from the network, over TLS but on this machine, and nothing of it is an option.

export interface PulledChart {
  readonly repository: string;
  readonly name: string;
  readonly version: string;
}

const REGISTRY = "oci://";
const DIGEST = /^sha256:[\da-f]{64}$/u;

/** The arguments of `helm pull`. Throws a RollstampError for what is not fetched. */
export function helmPull(chart: PulledChart): string[] {
  const { repository, name, version } = chart;
  const isRegistry = repository.startsWith(REGISTRY);
  const refuse = (why: string): RollstampError =>
    new RollstampError("input", `the chart ${shownChart(chart)} is not fetched: ${why}`);
  const url = URL.parse(isRegistry ? `https://${repository.slice(REGISTRY.length)}` : repository);
  if (url === null || !["https:", "http:"].includes(url.protocol)) throw refuse("its address is none of https or oci");
  if (url.username !== "" || url.password !== "") throw refuse("its address has a name or a password in it");
  const isHere = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(url.hostname);
  if (url.protocol === "http:" && !isHere) throw refuse("its address is not https");
  if (!(isRegistry ? /^\w[\w./-]*$/u : /^\w[\w.-]*$/u).test(name)) throw refuse("its name is none of a chart");
  if (!/^[\w.,*^~<>=!|+: -]*$/u.test(version)) throw refuse("its version is none");
  if (!isRegistry) return ["pull", name, `--repo=${repository}`, ...option("--version", version)];
  if (url.search !== "" || url.hash !== "") throw refuse("its address has more than a path");
  const path = `${repository.replace(/\/+$/u, "")}/${name}`;
  const plain = isHere ? ["--plain-http"] : [];
  if (DIGEST.test(version)) return ["pull", `${path}@${version}`, ...plain];
  if (isTag(version)) throw refuse(`'${version}' is no version, and helm fetches no other tag`);
  return ["pull", path, ...option("--version", version), ...plain];
}

/** True where the address and the version mean the same chart for ever, as far as names tell. */
export function isFixedChart({ version }: PulledChart): boolean {
  return isExactVersion(version) || version.startsWith("sha256:");
}

/** A chart in words. */
export function shownChart({ repository, name, version }: PulledChart): string {
  return withoutUserInfo([name, version, `of ${repository}`].filter((part) => part !== "").join(" "));
}

/** A name that no range of versions has: `latest`, `main-1a2b3c`, no `1.x`. */
function isTag(version: string): boolean {
  return /^[A-Za-z_][\w.-]*$/u.test(version) && !/^[vVxX](?:$|\d|\.)/u.test(version);
}

function option(flag: string, value: string): string[] {
  return value === "" ? [] : [`${flag}=${value}`];
}

import type { ChartAddress } from "../../platform/ports/applications.ts";
import { option } from "./helm-arguments.ts";
import { RollstampError } from "../../base/errors.ts";
import { isExactVersion } from "../../base/hosts/helm.ts";
import { withoutUserInfo } from "../../base/user-info.ts";

// Which charts are fetched, and how. Anyone who opens a pull request can name a chart, so its address must be on the network and
// use TLS (except on this machine), and no part of it can be an option of helm.

const REGISTRY = "oci://";
const DIGEST = /^sha256:[\da-f]{64}$/u;

/** The arguments of `helm pull`. Throws a RollstampError for a chart that must not be fetched. */
export function helmPull(chart: ChartAddress): string[] {
  const { repository, name, version } = chart;
  const isRegistry = repository.startsWith(REGISTRY);
  const refuse = (why: string): RollstampError =>
    new RollstampError("input", `the chart ${shownChart(chart)} is not fetched: ${why}`);
  const url = URL.parse(isRegistry ? `https://${repository.slice(REGISTRY.length)}` : repository);
  if (url === null || !["https:", "http:"].includes(url.protocol)) throw refuse("its address must use https or oci");
  if (url.username !== "" || url.password !== "") throw refuse("its address has a name or a password in it");
  const isHere = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(url.hostname);
  if (url.protocol === "http:" && !isHere) throw refuse("its address must use https");
  if (!(isRegistry ? /^\w[\w./-]*$/u : /^\w[\w.-]*$/u).test(name)) throw refuse("its name is invalid");
  if (!/^[\w.,*^~<>=!|+: -]*$/u.test(version)) throw refuse("its version is invalid");
  if (!isRegistry) return ["pull", name, `--repo=${repository}`, ...option("--version", version)];
  if (url.search !== "" || url.hash !== "") throw refuse("its address has more than a path");
  const path = `${repository.replace(/\/+$/u, "")}/${name}`;
  const plain = isHere ? ["--plain-http"] : [];
  if (DIGEST.test(version)) return ["pull", `${path}@${version}`, ...plain];
  if (isTag(version)) throw refuse(`'${version}' is not a version, and helm fetches no other tags`);
  return ["pull", path, ...option("--version", version), ...plain];
}

/** Whether the address and version always identify the same chart. */
export function isFixedChart({ version }: ChartAddress): boolean {
  return isExactVersion(version) || version.startsWith("sha256:");
}

/** Equal for the same chart. */
export function chartKey({ repository, name, version }: ChartAddress): string {
  return JSON.stringify([repository, name, version]);
}

/** A chart in messages. */
export function shownChart({ repository, name, version }: ChartAddress): string {
  const from = repository === "" ? "" : `of ${repository}`;
  return withoutUserInfo([name, version, from].filter((part) => part !== "").join(" "));
}

/** A tag that can't be a range of versions: `latest` or `main-1a2b3c`, but not `1.x`. */
function isTag(version: string): boolean {
  return /^[A-Za-z_][\w.-]*$/u.test(version) && !/^[vVxX](?:$|\d|\.)/u.test(version);
}

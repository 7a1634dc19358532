// Which charts passed through which host, and which were left out and why, as Markdown.

const SHORT = 200;
const row = (cells) => `| ${cells.map((cell) => cell.replaceAll(/\s+/gu, " ").replaceAll("|", "\\|")).join(" | ")} |\n`;
const table = (heads, rows) => row(heads) + row(heads.map(() => "---")) + rows.map(row).join("");
const shortened = (text) => (text.length > SHORT ? `${text.slice(0, SHORT)}…` : text);

export function cellOf({ stamps, wrong, refused }) {
  if (wrong !== undefined) return `**WRONG** ${shortened(wrong)}`;
  if (refused !== undefined) return `fails without rollstamp too: ${shortened(refused)}`;
  return stamps === 1 ? "1 stamp" : `${stamps} stamps`;
}

/**
 * `rows` are { name, repository, version, count, result }, `absent` those of a list that are not in the folders,
 * `corpus` the repositories with their commits.
 */
export function tableOf({ rows, absent, notReached, hosts, programs, version, revision, date, corpus }) {
  const tried = rows.filter(({ result }) => result.left === undefined);
  const left = rows.filter(({ result }) => result.left !== undefined);
  const sums = hosts.map((host) => {
    const verdicts = tried.map(({ result }) => result.verdicts[host]);
    const good = verdicts.filter(({ stamps }) => stamps !== undefined);
    const total = good.reduce((sum, { stamps }) => sum + stamps, 0);
    const wrong = verdicts.filter((each) => each.wrong !== undefined).length;
    return [host, programs[host], `${good.length} of ${tried.length}`, String(wrong), String(total)];
  });
  const nameOf = ({ name, version: of, repository, result }) =>
    `${repository}: ${name} ${of}${(result.values ?? []).map((file) => ` (${file})`).join("")}`;
  return `# Charts through Helm and kpt

${tried.length} public charts through Helm 3 and 4 as post-renderer and through kpt as a function, on ${date} with version ${version}
(revision ${revision}). research/README.md says what is compared.

${table(["host", "version", "passed", "wrong", "stamps"], sums)}
## Charts

${table(
  ["chart", ...(absent === undefined ? [] : ["repositories"]), ...hosts],
  tried.map((each) => [
    nameOf(each),
    ...(absent === undefined ? [] : [String(each.count)]),
    ...hosts.map((host) => cellOf(each.result.verdicts[host])),
  ]),
)}
## Left out

${left.length} ${left.length === 1 ? "chart" : "charts"} that Helm 3 does not render here, and its error.${notReached === 0 ? "" : ` ${notReached} more were not reached before the run ended.`}

${table(
  ["chart", "reason"],
  left.map((each) => [nameOf(each), shortened(each.result.left)]),
)}
${
  absent === undefined
    ? ""
    : `## Unavailable

${absent.length} charts of the list, and how many repositories install them.

${table(
  ["chart", "repositories", "reason"],
  absent.map(({ name, count, left: why }) => [name, String(count), why]),
)}
`
}## Clones

${table(
  ["repository", "commit", "date"],
  corpus.map(({ name, commit, of }) => [name, commit, of]),
)}`;
}

// docs/charts.md: which charts went through which host, and what was left out for what reason.

const SHORT = 200;
const row = (cells) => `| ${cells.map((cell) => cell.replaceAll(/\s+/gu, " ").replaceAll("|", "\\|")).join(" | ")} |\n`;
const table = (heads, rows) => row(heads) + row(heads.map(() => "---")) + rows.map(row).join("");
const shortened = (text) => (text.length > SHORT ? `${text.slice(0, SHORT)}…` : text);

export function cellOf({ stamps, wrong, refused }) {
  if (wrong !== undefined) return `**WRONG** ${shortened(wrong)}`;
  if (refused !== undefined) return `not without rollstamp either: ${shortened(refused)}`;
  return stamps === 1 ? "1 stamp" : `${stamps} stamps`;
}

const LIST = `They are the charts of scripts/most-used-charts.yaml: those that public GitOps repositories install most, and behind them
others that are well known. The number of repositories is that of 47 which install charts, of 56 that were looked at
(scripts/used-charts.mjs says what counts; most are of people's own clusters). Artifact Hub's ranking, by stars, could not
be had where this was made.

`;

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
(revision ${revision}). Made by

\`\`\`sh
npm run build && node scripts/charts.mjs --out docs/charts.md${absent === undefined ? "" : " --list scripts/most-used-charts.yaml"} FOLDER...
\`\`\`

over folders of clones. ${absent === undefined ? "" : LIST}Each host prints a chart with a filter that hands back what it got, and with rollstamp. A chart
has gone through where

- the second text without our lines (stamps, and the parents that had to be made for them) is the first, byte for byte;
- Go's readers (sigs.k8s.io/yaml, go-yaml v3, kyaml) take it, and read the same values but for stamps;
- rollstamp over it changes nothing.

Charts are rendered with the values of the list where it has some, else with their own, or where those don't render, with
the first file of their folder \`ci\` that does: it stands in brackets. Values are not held against schemas, as some schemas name others on the web.
Their dependencies are other charts of these clones, whatever version is asked for; one that is not there and that values
turn off is left out. The two texts are made of one rendering, as charts make passwords anew at each; hooks, which Helm 3
gives to no post-renderer, are left out there.

${table(["host", "version", "gone through", "wrong", "stamps"], sums)}
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

${left.length} ${left.length === 1 ? "chart" : "charts"} that Helm 3 itself doesn't render here, with what it says.${notReached === 0 ? "" : ` ${notReached} more were not reached: the run was ended before.`}

${table(
  ["chart", "reason"],
  left.map((each) => [nameOf(each), shortened(each.result.left)]),
)}
${
  absent === undefined
    ? ""
    : `## Not to be had

${absent.length} of the list, with how many repositories install them.

${table(
  ["chart", "repositories", "reason"],
  absent.map(({ name, count, left: why }) => [name, String(count), why]),
)}
`
}## Clones

${table(
  ["repository", "commit", "of"],
  corpus.map(({ name, commit, of }) => [name, commit, of]),
)}`;
}

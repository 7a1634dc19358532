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

/** `rows` are { name, repository, version, result }, `corpus` the repositories with their commits. */
export function tableOf({ rows, notReached, hosts, programs, version, date, corpus }) {
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

${tried.length} public charts through Helm 3 and 4 as post-renderer and through kpt as a function, on ${date} with version ${version}. Made by

\`\`\`sh
npm run build && node scripts/charts.mjs --out docs/charts.md FOLDER...
\`\`\`

over folders of clones. Each host prints a chart with a filter that hands back what it got, and with rollstamp. A chart
has gone through where

- the second text without our lines (stamps, and the parents that had to be made for them) is the first, byte for byte;
- Go's readers (sigs.k8s.io/yaml, go-yaml v3, kyaml) take it, and read the same values but for stamps;
- rollstamp over it changes nothing.

Charts are rendered with their own values, or where those don't render, with the first file of their folder \`ci\` that does:
it stands in brackets. Their dependencies are other charts of these clones, whatever version is asked for. The two texts
are made of one rendering, as charts make passwords anew at each.

${table(["host", "version", "gone through", "wrong", "stamps"], sums)}
## Charts

${table(
  ["chart", ...hosts],
  tried.map((each) => [nameOf(each), ...hosts.map((host) => cellOf(each.result.verdicts[host]))]),
)}
## Left out

${left.length} charts that Helm 3 itself doesn't render here, with what it says.${notReached === 0 ? "" : ` ${notReached} more were not reached: the run was ended before.`}

${table(
  ["chart", "reason"],
  left.map((each) => [nameOf(each), shortened(each.result.left)]),
)}
## Clones

${table(
  ["repository", "commit", "of"],
  corpus.map(({ name, commit, of }) => [name, commit, of]),
)}`;
}

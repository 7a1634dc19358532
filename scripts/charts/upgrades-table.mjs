// The measure of upgrades as a page.
const count = (rows, which) => rows.filter(which).length;
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

export function upgradesTable(results, { date, revision, helm, repositories }) {
  const done = results.filter(({ left }) => left === undefined);
  const rowsOf = (list) => list.flatMap(({ rows }) => rows).filter(({ random }) => random === undefined);
  const figures = (list) => {
    const rows = rowsOf(list);
    const rolled = rows.filter((row) => row.rolled);
    const needless = rolled.filter((row) => !row.needed);
    return {
      workloads: list.reduce((sum, { workloads }) => sum + workloads, 0),
      rolled: rolled.length,
      needed: rolled.length - needless.length,
      needless: needless.length,
      saved: count(needless, (row) => !row.rolls),
      followed: count(needless, (row) => !row.followed),
      lostThen: count(rows, (row) => row.needed && !row.followed),
      gained: count(rows, (row) => !row.rolled && row.needed && row.rolls),
      lost: count(rows, (row) => row.needed && !row.rolls),
      perhaps: count(rows, (row) => (row.unseen ?? []).length > 0),
    };
  };
  const total = figures(done);
  const charts = [...new Set(done.map(({ repository, path }) => `${repository}/${path}`))];
  const causes = new Map();
  for (const { by } of rowsOf(done).filter((row) => row.rolled && !row.needed)) {
    const kinds = new Set(
      by.map((path) => (path.startsWith("labels") ? path : path.startsWith("annotations") ? "a checksum" : path)),
    );
    const key = [...kinds].sort().join(", ");
    causes.set(key, (causes.get(key) ?? 0) + 1);
  }
  const random = done.flatMap(({ repository, path, versions, rows }) =>
    rows.filter((row) => row.random).map((row) => ({ chart: `${repository}/${path} ${versions[0]}`, ...row })),
  );
  const stillRolling = done.flatMap(({ repository, path, versions, rows }) =>
    rows
      .filter((row) => !row.random && row.rolled && !row.needed && row.rolls)
      .map((row) => [
        `${repository}/${path}`,
        versions.join(" → "),
        row.id,
        row.still.join(", "),
        row.followed ? "rolls" : "saved",
      ]),
  );
  const wrong = done.filter((result) => result.wrong !== undefined);
  const lost = done.flatMap(({ repository, path, versions, rows }) =>
    rows
      .filter((row) => !row.random && ((row.needed && !row.rolls) || (row.unseen ?? []).length > 0))
      .map((row) => [
        `${repository}/${path}`,
        versions.join(" → "),
        row.id,
        (row.unseen ?? []).join(", ") || "its pods see it",
      ]),
  );
  const left = results.filter((result) => result.left !== undefined);
  const share = (part) => (total.needless === 0 ? 100 : (100 * part) / total.needless).toFixed(1);
  const perChart = charts.map((chart) => {
    const own = done.filter(({ repository, path }) => `${repository}/${path}` === chart);
    const f = figures(own);
    return [chart, String(own.length), ...[f.workloads, f.rolled, f.needed, f.needless, f.saved, f.gained].map(String)];
  });
  const text = `# Upgrades of public charts

What real upgrades of charts roll: each is two revisions of a chart that follow one another in its repository's history,
rendered by ${helm} with the same values and no cluster, and stamped with \`checksums: Remove\` and \`versionLabels: Remove\`.
An independent walker over the renderings (\`scripts/charts/walker.mjs\`) says whether a workload's pods are other ones behind it: another pod
template, but for checksums and for labels with a version of the chart, or other content of the keys that they see.

    npm run bench:charts -- --out docs/chart-upgrades.md FOLDER...

Written ${date} at ${revision}, from ${repositories.length} repositories. Workloads are Deployments, StatefulSets and DaemonSets; those with random
content are told by themselves.

| | |
| --- | --- |
| charts | ${charts.length} |
| upgrades | ${done.length} |
| workloads in them | ${total.workloads} |
| rolled without rollstamp | ${total.rolled} |
| of these needed | ${total.needed} |
| of these needless | ${total.needless} |
| of the needless saved | ${total.saved} (${share(total.saved)} %) |
| of the needless saved with the entries of \`overrides\` that the warnings give | ${total.followed} (${share(total.followed)} %) |
| needed and rolled only with rollstamp | ${total.gained} |
| needed and lost | ${total.lost} |
| needed and lost with those entries | ${total.lostThen} |
| saved, and its checksum was over another source that changed | ${total.perhaps} |
| upgrades in which something else differs | ${wrong.length} |

## Why the needless ones rolled

${table(
  ["by nothing but", "rollouts"],
  [...causes].sort(([, a], [, b]) => b - a).map(([key, n]) => [key, String(n)]),
)}

## Still rolled

A checksum stays, under a warning or a note, where no stamp seems to cover what it is over
([chart-checksum](findings.md#chart-checksum)), and a label where a selector of the input uses it
([chart-label](findings.md#chart-label)).

${stillRolling.length === 0 ? "None." : table(["chart", "upgrade", "workload", "by", "with the entry of its warning"], stillRolling)}

## Lost

${lost.length === 0 ? "None." : table(["chart", "upgrade", "workload", "over"], lost)}
${
  wrong.length === 0
    ? ""
    : `\n## Wrong\n\n${table(
        ["chart", "upgrade", "what"],
        wrong.map(({ repository, path, versions, wrong: what }) => [
          `${repository}/${path}`,
          versions.join(" → "),
          what.replaceAll("|", "\\|"),
        ]),
      )}\n`
}
## Random content

${random.length} workloads differ between two renderings of one revision. Where a source or an annotation does, RS013's remedy was
followed (\`exclude\`, \`checksumAnnotations\`): it stops ${count(random, (row) => row.random.stilled === true)} of ${count(random, (row) => row.random.stilled !== undefined)}.

${table(
  ["chart", "workload", "by", "stopped"],
  random.map((row) => [
    row.chart,
    row.id,
    [...row.random.paths, ...(row.random.names ?? [])].join(", "),
    row.random.stilled === undefined ? "its own template is random" : row.random.stilled ? "yes" : "no",
  ]),
)}

## By chart

${table(["chart", "upgrades", "workloads", "rolled", "needed", "needless", "saved", "gained"], perChart)}

## Left out

${left.length} upgrades that Helm doesn't render here, or that have no workload.

## Repositories

${table(
  ["repository", "commit", "of"],
  repositories.map(({ name, commit, of }) => [name, commit, of]),
)}
`;
  return { text, isWrong: total.lost + total.lostThen > 0 || wrong.length > 0 };
}

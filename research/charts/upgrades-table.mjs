// The results of upgrades.mjs as Markdown.
const count = (rows, which) => rows.filter(which).length;
const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

export function upgradesTable(results, { date, revision, helm, repositories }) {
  const done = results.filter(({ left }) => left === undefined);
  const rowsOf = (list) => list.flatMap(({ rows }) => rows).filter(({ random }) => random === undefined);
  const figures = (list) => {
    const rows = rowsOf(list);
    const rolled = rows.filter((row) => row.rolled);
    const avoidable = rolled.filter((row) => !row.needed);
    return {
      workloads: list.reduce((sum, { workloads }) => sum + workloads, 0),
      rolled: rolled.length,
      needed: rolled.length - avoidable.length,
      avoidable: avoidable.length,
      saved: count(avoidable, (row) => !row.rolls),
      followed: count(avoidable, (row) => !row.followed),
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
  const share = (part) => (total.avoidable === 0 ? 100 : (100 * part) / total.avoidable).toFixed(1);
  const perChart = charts.map((chart) => {
    const upgrades = done.filter(({ repository, path }) => `${repository}/${path}` === chart);
    const f = figures(upgrades);
    return [
      chart,
      String(upgrades.length),
      ...[f.workloads, f.rolled, f.needed, f.avoidable, f.saved, f.gained].map(String),
    ];
  });
  const text = `# Upgrades of public charts

Measured ${date} at ${revision}, over ${repositories.length} repositories, rendered by ${helm}. research/README.md says what is compared.

| | |
| --- | --- |
| charts | ${charts.length} |
| upgrades | ${done.length} |
| workloads in them | ${total.workloads} |
| rolled without rollstamp | ${total.rolled} |
| of these necessary | ${total.needed} |
| of these avoidable | ${total.avoidable} |
| of the avoidable ones avoided | ${total.saved} (${share(total.saved)} %) |
| of the avoidable ones avoided with the entries of \`overrides\` that the warnings suggest | ${total.followed} (${share(total.followed)} %) |
| necessary and rolled only with rollstamp | ${total.gained} |
| necessary and lost | ${total.lost} |
| necessary and lost with those entries | ${total.lostThen} |
| avoided, although its checksum was over another source that changed | ${total.perhaps} |
| upgrades with other differences | ${wrong.length} |

## Causes of avoidable rollouts

${table(
  ["only cause", "rollouts"],
  [...causes].sort(([, a], [, b]) => b - a).map(([key, n]) => [key, String(n)]),
)}

## Avoidable rollouts that remain

${stillRolling.length === 0 ? "None." : table(["chart", "upgrade", "workload", "cause", "with the entry of its warning"], stillRolling)}

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

${random.length} workloads differ between two renderings of one revision. The remedy of RS013 (\`exclude\`, \`checksumAnnotations\`) stops ${count(random, (row) => row.random.stilled === true)} of ${count(random, (row) => row.random.stilled !== undefined)}.

${table(
  ["chart", "workload", "cause", "stopped"],
  random.map((row) => [
    row.chart,
    row.id,
    [...row.random.paths, ...(row.random.names ?? [])].join(", "),
    row.random.stilled === undefined ? "the template itself is random" : row.random.stilled ? "yes" : "no",
  ]),
)}

## By chart

${table(["chart", "upgrades", "workloads", "rolled", "necessary", "avoidable", "avoided", "gained"], perChart)}

## Left out

${left.length} upgrades that Helm does not render here, or that have no workload.

## Repositories

${table(
  ["repository", "commit", "date"],
  repositories.map(({ name, commit, of }) => [name, commit, of]),
)}
`;
  return { text, isWrong: total.lost + total.lostThen > 0 || wrong.length > 0 };
}

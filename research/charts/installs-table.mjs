// The results of installing and upgrading the charts of the list, as Markdown.

const plural = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;");

/** Whether a chart was installed, upgraded and uninstalled by a Helm. */
const isDone = ({ left, refused, wrong }) => left === undefined && refused === undefined && wrong.length === 0;

/** { text, isWrong }. `rows` are { name, of, count, result }, in the order of the list. */
export function installsTable(rows, { date, revision, helms, most }) {
  const names = ["Helm 3", "Helm 4"];
  const tried = rows.filter(({ result }) => result.hosts !== undefined);
  const had = tried.filter(({ result }) =>
    names.every((name) => result.hosts[name].left === undefined && result.hosts[name].refused === undefined),
  );
  const others = rows.filter((row) => !had.includes(row));
  const sum = (host, field) => had.reduce((total, { result }) => total + (result.hosts[host][field] ?? 0), 0);
  const isWrong = tried.some(({ result }) => names.some((name) => (result.hosts[name].wrong ?? []).length > 0));
  const without = (field) => had.filter(({ result }) => (result.hosts["Helm 3"][field] ?? 0) === 0).length;
  const hostRows = names.map((name, i) => {
    const done = had.filter(({ result }) => isDone(result.hosts[name])).length;
    const figures = [sum(name, "workloads"), sum(name, "rolled"), sum(name, "stood"), sum(name, "stamps")];
    return `| ${name} | ${helms[i].replace(/\+.*/u, "")} | ${done} of ${had.length} | ${figures.join(" | ")} |`;
  });
  const text = `# Charts installed and upgraded

${plural(had.length, "chart")} on a real control plane, by Helm 3 and by Helm 4, on ${date} with revision ${revision}: the first ${most} of
research/most-used-charts.yaml that are available. research/README.md says what is checked.

| host | version | passed | workloads | rolled by the upgrade | not rolled | stamps |
| --- | --- | --- | --- | --- | --- | --- |
${hostRows.join("\n")}

${without("workloads")} of the charts have no workload. ${without("stamps")} have no stamp, because their pods use no ConfigMap or Secret of the chart.
Stamps compared with live content after the upgrade: ${sum("Helm 3", "right")} (Helm 3), ${sum("Helm 4", "right")} (Helm 4).

## Charts

| chart | repositories | from → to | Helm 3 | Helm 4 |
| --- | --- | --- | --- | --- |
${had.map(chartRow).join("\n")}

## Left out

${others.map(({ name, of, result }) => `- ${of === undefined || of === name ? name : `${of}: ${name}`}: ${cell(reason(result))}`).join("\n")}
`;
  return { text, isWrong };

  function chartRow({ name, of, count, result }) {
    const cells = names.map((host) => cell(summary(result.hosts[host])));
    const same = cells[0] === cells[1] ? [cells[0], "the same"] : cells;
    const values = result.values === "" ? "" : ` (${result.values})`;
    return `| ${of}: ${name}${values} | ${count ?? ""} | ${result.versions.join(" → ")} | ${same.join(" | ")} |`;
  }
}

function summary({ wrong, workloads, rolled, stamps, granted, isRandom, notes = [] }) {
  if (wrong.length > 0) return `**wrong**: ${wrong.join("; ")}`;
  const parts = [
    `${plural(workloads, "workload")}, ${rolled} rolled, ${plural(stamps, "stamp")}`,
    ...(isRandom ? ["random"] : []),
    ...(granted.length > 0 ? [`with ${granted.join(", ")}`] : []),
    ...notes,
  ];
  return parts.join("; ");
}

function reason({ left, versions, hosts }) {
  if (left !== undefined) return left;
  const why = Object.values(hosts).map(
    (host) =>
      host.left ??
      (host.refused === undefined
        ? undefined
        : `upgrade ${versions.join(" → ")}, without the post-renderer too: ${host.refused}`),
  );
  return why.find((text) => text !== undefined) ?? "";
}

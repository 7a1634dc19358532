// What came of installing and upgrading the charts of the list, as a page of the docs.

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

${plural(had.length, "chart")} on a real control plane, by Helm 3 and by Helm 4, on ${date} with revision ${revision}. Made by

\`\`\`sh
npm run bench:installs -- --out docs/chart-installs.md FOLDER...
\`\`\`

over folders of clones with their history. They are the first ${most} of scripts/most-used-charts.yaml, in its order, that could be had; the
others stand [below](#not-among-these), each with why. Each Helm has an API server, with the controllers, of its own
(Kubernetes 1.34); kwok stands for the kubelets, so no image runs. rollstamp is the post-renderer, with \`checksums: Remove\` and
\`versionLabels: Remove\`.

Each chart is installed as it was before its last change of version, upgraded to the version of the list, and uninstalled. Where
its repository writes versions only when it releases, it is upgraded over its last ten changes: commits stand in brackets. A chart
has gone through where

- Helm says that the release is deployed, both times;
- the live pod templates have the stamps that rollstamp makes of \`helm template\`, asked of the same API server (but for charts
  that are random);
- each stamp is the digest of the live ConfigMap or Secret, of the keys that the pods see: worked out by a walker of its own
  (scripts/charts/live.mjs);
- what got another ReplicaSet or ControllerRevision is what \`rollstamp plan\`, over the manifests of both revisions, says that rolls,
  and nothing else is;
- after \`helm uninstall\` no workload is left.

Admission webhooks are off, as no image runs that would answer them, and hooks that wait for what an image does are left out of an
uninstallation. Kinds of other operators that a chart takes for granted are served by an empty definition, which takes anything.
Values are those of the list, else the chart's own, else those of the first file of its folder \`ci\` that renders; they are not held
against schemas. Dependencies are those of the repository at the same commit, else other charts of these clones.

| host | version | gone through | workloads | rolled by the upgrade | stood | stamps |
| --- | --- | --- | --- | --- | --- | --- |
${hostRows.join("\n")}

${without("workloads")} of the charts have no workload, and ${without("stamps")} no stamp, as their pods use no ConfigMap and no Secret of the chart. Of the
stamps after the upgrade ${sum("Helm 3", "right")} by Helm 3 and ${sum("Helm 4", "right")} by Helm 4 were held against live content.

## Charts

| chart | repositories | from → to | Helm 3 | Helm 4 |
| --- | --- | --- | --- | --- |
${had.map(chartRow).join("\n")}

## Not among these

${others.map(({ name, of, result }) => `- ${of === undefined || of === name ? name : `${of}: ${name}`}: ${cell(reason(result))}`).join("\n")}
`;
  return { text, isWrong };

  function chartRow({ name, of, count, result }) {
    const cells = names.map((host) => cell(told(result.hosts[host])));
    const same = cells[0] === cells[1] ? [cells[0], "the same"] : cells;
    const values = result.values === "" ? "" : ` (${result.values})`;
    return `| ${of}: ${name}${values} | ${count ?? ""} | ${result.versions.join(" → ")} | ${same.join(" | ")} |`;
  }
}

function told({ wrong, workloads, rolled, stamps, granted, isRandom, notes = [] }) {
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

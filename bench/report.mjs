// Figures to text.
/** @typedef {import("./bars.mjs").Group} Group */
/** @typedef {import("./bars.mjs").Verdict} Verdict */
/** @typedef {{ machine: Record<string, string | number>, groups: Group[], bars: Verdict[] }} Run */

/** @param {readonly (readonly string[])[]} rows the first is the head; the first column is text, the others are figures */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column])))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const ms = (/** @type {number} */ value) => value.toFixed(value < 100 ? 1 : 0);
const ratio = (/** @type {number | undefined} */ value) => (value === undefined ? "" : value.toFixed(2));

/** @param {Group} group */
export function groupText({ name, bytes, commands }) {
  const time = (/** @type {string} */ of) =>
    commands.find((command) => command.name === of && command.failure === undefined)?.median;
  const [node, floor, ours] = [
    time("node -e 0"),
    time("parseEvents") ?? time("parseEvents of each file"),
    time("rollstamp"),
  ];
  const rows = commands
    .filter(({ times }) => times.length > 0)
    .map((command) => [
      command.name,
      ms(command.median),
      ms(command.min),
      ms(command.max),
      command.memory === null ? "" : (command.memory / 1e6).toFixed(0),
      ratio(node && command.median / node),
      ratio(floor && command.median / floor),
      ratio(ours && command.median / ours),
      String(command.times.length),
    ]);
  const failures = commands
    .filter(({ failure }) => failure !== undefined)
    .map((command) => `  ${command.name}: ${command.failure}`);
  const head = ["", "median ms", "min", "max", "MB", "× node", "× parse", "× rollstamp", "runs"];
  return [`${name} (${(bytes / 1e6).toFixed(3)} MB)`, table([head, ...rows]), ...failures].join("\n");
}

/** @param {readonly Verdict[]} bars */
export function barsText(bars) {
  const rows = bars.map(({ bar, what, limit, figure, met }) => [
    `${bar}. ${what}`,
    met === null ? "" : limit,
    met === null ? "" : figure,
    met === null ? `not measured: ${figure}` : met ? "met" : "NOT met",
  ]);
  const width = Math.max(...rows.map(([what]) => what.length));
  const limits = Math.max(...rows.map(([, limit]) => limit.length));
  const figures = Math.max(...rows.map(([, , figure]) => figure.length));
  return rows
    .map(
      ([what, limit, figure, verdict]) =>
        `${what.padEnd(width)}  ${limit.padEnd(limits)}  ${figure.padEnd(figures)}  ${verdict}`,
    )
    .join("\n");
}

/**
 * Each command against an earlier run. Machines and their moods differ, so the ratio to the floor of the
 * same group says more than the milliseconds.
 * @param {Run} before
 * @param {Run} now
 */
export function comparisonText(before, now) {
  const rows = [["", "before ms", "now ms", "now/before", "× floor before", "× floor now"]];
  for (const group of now.groups) {
    const earlier = before.groups.find(({ name }) => name === group.name);
    if (earlier === undefined) continue;
    const floor = (/** @type {Group} */ of) =>
      of.commands.find(({ name, times }) => name.startsWith("parseEvents") && times.length > 0)?.median;
    for (const command of group.commands) {
      const same = earlier.commands.find(({ name }) => name === command.name);
      if (!same || same.times.length === 0 || command.times.length === 0) continue;
      const [floorBefore, floorNow] = [floor(earlier), floor(group)];
      rows.push([
        `${group.name} ${command.name}`,
        ms(same.median),
        ms(command.median),
        ratio(command.median / same.median),
        ratio(floorBefore && same.median / floorBefore),
        ratio(floorNow && command.median / floorNow),
      ]);
    }
  }
  return rows.length === 1 ? "nothing in common with the earlier run" : table(rows);
}

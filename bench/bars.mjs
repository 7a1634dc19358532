// The bars that a release must pass, as a table over the figures of one run.

import { apart, isWithin } from "./apart.mjs";
import { APPS, HISTORIES, LOOP, PLACES, PLAN_APPLICATIONS } from "./commands.mjs";

/** @typedef {import("./measure.mjs").Measured} Measured */
/** @typedef {{ name: string, corpus: string, resources: number, bytes: number, commands: Measured[] }} Group */
/** @typedef {{ bar: number, what: string, limit: string, figure: string, met: boolean | null }} Verdict `met` is null if it was not measured; `figure` then says why. */

/** The group of the starts. */
const START = "start/50";

/** The group of what is over a repository of applications. */
const APPLICATIONS = "applications/800";

/** By how many milliseconds starts from different places may differ. */
const MOST_APART = 5;

/**
 * Whether the starts have been seen often enough.
 * @param {Record<string, readonly number[]>} times
 */
export function areStartsTold(times) {
  const places = PLACES.flatMap((name) => (times[name] === undefined ? [] : [times[name]]));
  return places.length < 2 || isWithin(apart(places), MOST_APART) !== null;
}

/** Why a bar has no figure. */
class NotMeasured extends Error {}

const ms = (/** @type {number} */ value) => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
const times = (/** @type {number} */ value) => `${value.toFixed(2)} ×`;
const megabytes = (/** @type {number} */ value) => `${(value / 1e6).toFixed(0)} MB`;

/**
 * @param {readonly Group[]} groups
 * @param {{ missing: Record<string, string>, memoryReason: string | undefined }} context
 *   `missing`: why a command was left out
 * @returns {Verdict[]}
 */
export function verdicts(groups, { missing, memoryReason }) {
  /**
   * @param {string} group
   * @param {string} command
   * @returns {number}
   */
  const time = (group, command) => measured(group, command).median;

  /**
   * @param {string} group
   * @param {string} command
   * @returns {Measured}
   */
  const measured = (group, command) => {
    const commands = groups.find(({ name }) => name === group)?.commands;
    if (commands === undefined) throw new NotMeasured(`no run of ${group}`);
    const found = commands.find(({ name }) => name === command);
    if (found === undefined) throw new NotMeasured(missing[command] ?? `no run of ${command}`);
    if (found.failure !== undefined) throw new NotMeasured(`${command}: ${found.failure}`);
    return found;
  };

  /**
   * @param {(group: Group) => boolean} isMeant
   * @param {string} rule
   * @param {(group: Group) => number} limitOf
   */
  const memory = (isMeant, rule, limitOf) => {
    if (memoryReason !== undefined) throw new NotMeasured(memoryReason);
    const all = groups
      .filter(isMeant)
      .flatMap((group) =>
        group.commands
          .filter((command) => command.name === "rollstamp" && command.memory !== null)
          .map((command) => ({ name: group.name, memory: command.memory ?? 0, limit: limitOf(group) })),
      );
    if (all.length === 0) throw new NotMeasured(missing["rollstamp"] ?? "no run of the function");
    const worst = all.reduce((a, b) => (b.memory / b.limit > a.memory / a.limit ? b : a));
    return {
      limit: `${rule} = ${megabytes(worst.limit)}`,
      figure: `${megabytes(worst.memory)} (${worst.name})`,
      met: worst.memory <= worst.limit,
    };
  };

  /** @type {{ bar: number, what: string, judge: () => { limit: string, figure: string, met: boolean } }[]} */
  const bars = [
    {
      bar: 1,
      what: "start: 50 resources",
      judge: () => {
        const limit = time(START, "node -e 0") + 35;
        const figure = time(START, "rollstamp");
        return {
          limit: `node -e 0 + 35 ms = ${ms(limit)}`,
          figure: ms(figure),
          met: figure <= limit,
        };
      },
    },
    {
      bar: 1,
      what: "start: the package and the checkout",
      judge: () => {
        const measuredApart = apart(PLACES.map((name) => measured(START, name).times));
        const { figure, low, high } = measuredApart;
        const met = isWithin(measuredApart, MOST_APART);
        const range = `${low.toFixed(1)} to ${high.toFixed(1)} ms apart`;
        if (met === null) throw new NotMeasured(`${range}: the machine is too busy to tell`);
        return { limit: ms(MOST_APART), figure: `${ms(figure)} (${range})`, met };
      },
    },
    {
      bar: 2,
      what: "throughput: 5,000 resources against parseEvents alone",
      judge: () => {
        const figure = time("apps-kpt/5000", "rollstamp") / time("apps-kpt/5000", "parseEvents");
        return { limit: times(1.8), figure: times(figure), met: figure <= 1.8 };
      },
    },
    {
      bar: 3,
      what: "linear: 20,000 resources against 5,000",
      judge: () => {
        const figure = time("apps-kpt/20000", "rollstamp") / time("apps-kpt/5000", "rollstamp");
        return { limit: times(4.4), figure: times(figure), met: figure <= 4.4 };
      },
    },
    {
      bar: 4,
      what: "memory: the worst of inputs of a megabyte and more",
      judge: () =>
        memory(
          ({ bytes }) => bytes >= 1e6,
          "45 MB + 18 × input",
          ({ bytes }) => 45e6 + 18 * bytes,
        ),
    },
    {
      bar: 4,
      what: "memory: the worst of smaller inputs, where Node itself is most of it",
      judge: () =>
        memory(
          ({ bytes }) => bytes < 1e6,
          "node -e 0 + 20 MB",
          ({ commands }) => (commands.find(({ name }) => name === "node -e 0")?.memory ?? 0) + 20e6,
        ),
    },
    {
      bar: 5,
      what: "refhash: 5,000 resources",
      judge: () => {
        const figure = time("apps-kpt/5000", "refhash") / time("apps-kpt/5000", "rollstamp");
        return { limit: "6 × faster", figure: `${times(figure)} faster`, met: figure >= 6 };
      },
    },
    {
      bar: 5,
      what: "refhash: 5,000 resources, the executable",
      judge: () => {
        const figure = time("apps-kpt/5000", "refhash") / time("apps-kpt/5000", "rollstamp (executable)");
        return { limit: "10 × faster", figure: `${times(figure)} faster`, met: figure >= 10 };
      },
    },
    {
      bar: 6,
      what: "executable: 50 resources",
      judge: () => {
        // 30 ms on the machine where refhash takes 22; elsewhere in the same proportion.
        const limit = (30 / 22) * time("apps-kpt/50", "refhash");
        const figure = time("apps-kpt/50", "rollstamp (executable)");
        return {
          limit: `30/22 of refhash = ${ms(limit)}`,
          figure: ms(figure),
          met: figure <= limit,
        };
      },
    },
    {
      bar: 7,
      what: "stamp: a folder of 5,000 files against reading and parsing them",
      judge: () => {
        const figure = time("apps-folder/5000", "stamp") / time("apps-folder/5000", "parseEvents of each file");
        return { limit: times(2), figure: times(figure), met: figure <= 2 };
      },
    },
    {
      bar: 7,
      what: "stamp --check: the same folder, once stamped, against stamp",
      judge: () => {
        const figure = time("apps-folder/5000", "stamp --check") / time("apps-folder/5000", "stamp");
        return { limit: times(1), figure: times(figure), met: figure <= 1 };
      },
    },
    {
      bar: 8,
      what: "plan: two folders of 5,000 files against one stamp",
      judge: () => {
        const figure = time("apps-folder/5000", "plan") / time("apps-folder/5000", "stamp");
        return { limit: times(2.5), figure: times(figure), met: figure <= 2.5 };
      },
    },
    {
      bar: 9,
      what: "log: the slowest history of 2,000 commits",
      judge: () => {
        const figure = Math.max(...HISTORIES.map(({ name }) => time("history/2000", name)));
        return { limit: ms(2000), figure: ms(figure), met: figure <= 2000 };
      },
    },
    {
      bar: 10,
      what: "apps: 800 applications",
      judge: () => {
        const figure = time(APPLICATIONS, APPS);
        return { limit: ms(2000), figure: ms(figure), met: figure <= 2000 };
      },
    },
    {
      bar: 10,
      what: "plan --git: 104 applications that differ against a loop of their renderings",
      judge: () => {
        const limit = 1.15 * time(APPLICATIONS, LOOP) + 500;
        const figure = time(APPLICATIONS, PLAN_APPLICATIONS);
        return { limit: `1.15 × the loop + 500 ms = ${ms(limit)}`, figure: ms(figure), met: figure <= limit };
      },
    },
    {
      bar: 10,
      what: "memory: the worst of both over 800 applications",
      judge: () => {
        if (memoryReason !== undefined) throw new NotMeasured(memoryReason);
        const memoryOf = (/** @type {string} */ name) => measured(APPLICATIONS, name).memory ?? 0;
        const limit = memoryOf("node -e 0") + 65e6;
        const [name, figure] =
          memoryOf(APPS) > memoryOf(PLAN_APPLICATIONS)
            ? [APPS, memoryOf(APPS)]
            : [PLAN_APPLICATIONS, memoryOf(PLAN_APPLICATIONS)];
        return {
          limit: `node -e 0 + 65 MB = ${megabytes(limit)}`,
          figure: `${megabytes(figure)} (${name})`,
          met: figure <= limit,
        };
      },
    },
  ];

  return bars.map(({ bar, what, judge }) => {
    try {
      return { bar, what, ...judge() };
    } catch (error) {
      if (!(error instanceof NotMeasured)) throw error;
      return { bar, what, limit: "", figure: error.message, met: null };
    }
  });
}

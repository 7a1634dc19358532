import { RENDER_YOURSELF } from "./own-rendering.ts";

// What is outside of the repository: a chart, a remote base, values, what a generator decrypts. A rendering is made without it if it is not fetched.

/** Something that a rendering needs, and that was not fetched. */
export interface OutsidePart {
  readonly is: OutsideKind;
  /** Its name, without credentials: `redis 1.2.3 of https://charts.example.com`. */
  readonly name: string;
  /** Why it could not be fetched, if that was tried; or why its values are unknown. */
  readonly problem?: string;
}

export type OutsideKind =
  | "chart"
  | "inflatedChart"
  | "gitChart"
  | "dependency"
  | "base"
  | "file"
  | "function"
  | "source"
  | "values"
  | "data"
  | "definition"
  | "formerDefinition"
  | "duplicate"
  | "revision"
  | "command";

/** The environment variable that has the effect of --fetch-charts. */
export const FETCH_VARIABLE = "ROLLSTAMP_FETCH_CHARTS";

/** The variable that lets kustomize fetch remote bases. */
export const REMOTE_BASES_VARIABLE = "ROLLSTAMP_ALLOW_REMOTE_BASES";

/** The remedy if fetching charts is not allowed. */
export const TO_FETCH: string = `To let helm fetch it without a login, use --fetch-charts or set ${FETCH_VARIABLE}=true.`;

interface Row {
  /** Why it is missing; `name` begins with a space, or is empty. */
  readonly reason: (name: string) => string;
  readonly remedy: string;
}

const ROWS: Readonly<Record<OutsideKind, Row>> = {
  chart: { reason: (name) => `the chart${name} is not in the repository`, remedy: TO_FETCH },
  inflatedChart: {
    reason: (name) => `the chart${name} of a kustomization is not in the repository`,
    remedy: `Run 'helm pull --untar' and commit the folder. ${TO_FETCH}`,
  },
  gitChart: {
    reason: (name) => `the chart${name} is in another Git repository`,
    remedy: "Commit the chart, or render both versions and compare them: rollstamp plan BASE HEAD.",
  },
  dependency: {
    reason: (name) => `the dependency${name} is not in the folder 'charts' of its chart`,
    remedy: `Run 'helm dependency build' and commit the folder. ${TO_FETCH}`,
  },
  base: {
    reason: (name) => `the remote base${name} is not fetched`,
    remedy: `Commit its content. ${REMOTE_BASES_VARIABLE}=true in the environment allows fetching.`,
  },
  file: {
    reason: (name) => `the remote file${name} is not fetched`,
    remedy: `Commit its content. ${REMOTE_BASES_VARIABLE}=true in the environment allows fetching.`,
  },
  function: {
    reason: (name) => `the function${name} is not run, so what it generates is missing`,
    remedy: `To see it, ${RENDER_YOURSELF}.`,
  },
  source: {
    reason: (name) => `the source${name} is not in this repository`,
    remedy: "Plan its repository, or render both versions and compare them: rollstamp plan BASE HEAD.",
  },
  values: { reason: (name) => `the values file${name} is not fetched`, remedy: "Commit the file." },
  definition: {
    reason: () => "HEAD does not show what it applies",
    remedy: "Plan its repository, or render both versions and compare them: rollstamp plan BASE HEAD.",
  },
  formerDefinition: {
    reason: () => "BASE does not show what it applied",
    remedy: "Render both versions and compare them: rollstamp plan BASE HEAD.",
  },
  duplicate: {
    reason: () => "another object defines it too, and only the first one is rendered",
    remedy: "Keep one of the objects.",
  },
  revision: {
    reason: (name) => `what differs between the revisions${name} of this repository is not compared here`,
    remedy: "To compare them, run rollstamp plan --git with these revisions, and --app with the application.",
  },
  command: {
    reason: () => "its command changes, and only that of BASE is run, for both revisions",
    remedy:
      "Check the new command. To see what it prints, render both versions and compare them: rollstamp plan BASE HEAD.",
  },
  data: {
    reason: (name) => `the values${name === "" ? "" : ` of${name}`} are not in the repository`,
    remedy: "Commit the values that decide what is rendered.",
  },
};

/** Why a part is missing: `the chart is not in the repository`. With a name: `the chart redis 1.2.3 of … is not …`. */
export function outsideReason({ is, problem }: OutsidePart, name?: string): string {
  const reason = ROWS[is].reason(name === undefined ? "" : ` ${name}`);
  return problem === undefined ? reason : `${reason}: ${problem}`;
}

/** What to do about a missing part. A chart has a problem only if helm tried to fetch it. */
export function outsideRemedy({ is, problem }: OutsidePart): string {
  return (is === "chart" || is === "inflatedChart") && problem !== undefined ? NOT_FETCHED : ROWS[is].remedy;
}

const NOT_FETCHED = "Correct the name, version or address of the chart, or commit it; helm fetches without a login.";

/** Generated applications: what an edit rolls is known from how they were made. */
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { type Cluster, startCluster } from "./cluster.ts";
import { APPLY_MODES, type ApplyMode, stamp } from "./commands.ts";
import {
  type Application,
  generateApplication,
  pick,
  random,
  render,
  type Sight,
  type Source,
  whoSees,
  withSource,
} from "./generate.ts";
import { type Observer, observe } from "./observe.ts";
import type { WorkloadKey } from "./replay.ts";
import { byPlan } from "./plan.ts";
import { begin, chain, NODES, noFigures, step, stepsOnTheSpot, tell, type Trial } from "./rounds.ts";

const SEED = Number(process.env["E2E_SEED"] ?? 20261121);
const PER_MODE = 8;

/** An edit of one application, and who must roll for it. */
type Edit = (
  application: Application,
  next: () => number,
) => { readonly edited: Application; readonly sees: readonly Sight[] };

const present = ({ sources }: Application): readonly Source[] => sources.filter(({ absent }) => !absent);
const unchanged = (application: Application): ReturnType<Edit> => ({ edited: application, sees: [] });

const EDITS: Readonly<Record<string, Edit>> = {
  "one value of one source": (application, next) => {
    if (present(application).length === 0) return unchanged(application);
    const source = pick(present(application), next);
    const key = pick(Object.keys(source.data), next);
    const data = { ...source.data, [key]: `changed ${next()}` };
    return { edited: withSource(application, source, { data }), sees: whoSees(application, source, key) };
  },
  "a label of every source": (application) => {
    const sources = application.sources.map((source) => ({ ...source, labels: { chart: "app-1.0.1" } }));
    return { edited: { ...application, sources }, sees: [] };
  },
  "every Secret written the other way": (application) => {
    const other = { data: "stringData", stringData: "data" } as const;
    const sources = application.sources.map((source) => ({ ...source, written: other[source.written] }));
    return { edited: { ...application, sources }, sees: [] };
  },
  "a key more in one source": (application, next) => {
    if (present(application).length === 0) return unchanged(application);
    const source = pick(present(application), next);
    const data = { ...source.data, "new.key": "new" };
    return { edited: withSource(application, source, { data }), sees: whoSees(application, source, "new.key") };
  },
  "what was optional is there": (application) => {
    const sources = application.sources.map((source) => ({ ...source, absent: false }));
    const sees = application.sources.filter(({ absent }) => absent).flatMap((source) => whoSees(application, source));
    return { edited: { ...application, sources }, sees };
  },
};

const figures = noFigures();
let cluster: Cluster;
let observer: Observer;

before(async () => {
  cluster = await startCluster({ nodes: NODES });
  observer = await observe(cluster);
});

after(async () => {
  observer?.stop();
  await cluster?.stop();
});

describe(`generated applications (E2E_SEED=${SEED})`, { concurrency: true }, () => {
  for (const [index, mode] of APPLY_MODES.entries())
    describe(`${mode}-side apply`, { concurrency: false }, () => trial(mode, random(SEED + index)));
});

tell(figures, () => observer);

function trial(mode: ApplyMode, next: () => number): void {
  const then = chain();
  const namespaces = Array.from({ length: PER_MODE }, (_, index) => `${mode}-${index + 1}`);
  const here = (): Trial => ({
    cluster,
    observer,
    mode,
    namespace: "default",
    namespaces,
    expectation: byPlan,
    thorough: false,
  });
  let applications = namespaces.map((namespace) => generateApplication(namespace, next));
  let current = "";

  then("are applied with their stamps", async () => {
    current = await stamp(applications.map(render).join(""));
    await begin(here(), current);
    figures.applications += applications.length;
  });

  for (const [name, edit] of Object.entries(EDITS)) {
    then(name, async () => {
      const edits = applications.map((application) => edit(application, next));
      const head = await stamp(edits.map(({ edited }) => render(edited)).join(""));
      const rolled = await step(here(), current, head, figures);
      assert.deepEqual(rolled, rolling(edits.flatMap(({ sees }) => sees)));
      applications = edits.map(({ edited }) => edited);
      current = head;
    });
  }

  then("stamping twice changes nothing", async () => {
    assert.ok((await stamp(current)) === current);
    await stepsOnTheSpot(here(), current);
  });
}

/** Of those who see an edit, those that replace pods for it: a CronJob's next run takes it, a Job never. */
function rolling(sights: readonly Sight[]): readonly WorkloadKey[] {
  const rolls = sights.filter(({ kind }) => kind !== "CronJob" && kind !== "Job");
  return [...new Set(rolls.map(({ key }) => key))].sort();
}

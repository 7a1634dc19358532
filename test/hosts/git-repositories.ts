// Random repositories: workloads and ConfigMaps in files, and edits of people on branches.
import type { Files } from "../support/folders.ts";

export interface Workload {
  name: string;
  file: string;
  image: number;
  label: string;
  notes: string[];
  sources: string[];
  restartedAt: string | undefined;
}

export interface Repository {
  readonly eol: string;
  readonly layout: "PerSource" | "Combined";
  workloads: Workload[];
  configs: { name: string; data: Record<string, string> }[];
}

/** A generator of numbers from 0 to below a bound, the same for the same seed (mulberry32, public domain). */
export function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = ReturnType<typeof randomOf>;

export function randomRepository(random: Random): Repository {
  const names = ["env", "features", "settings"].slice(0, 2 + random(2));
  const configs = names.map((name) => ({ name, data: { LEVEL: "info", MODE: "fast", SIZE: String(random(9)) } }));
  const workloads = Array.from({ length: 2 + random(4) }, (_, i): Workload => {
    const file = `apps/part${random(3)}.yaml`;
    return newWorkload(`app${i}`, file, random, names);
  });
  return {
    eol: random(4) === 0 ? "\r\n" : "\n",
    layout: random(2) === 0 ? "PerSource" : "Combined",
    workloads,
    configs,
  };
}

function newWorkload(name: string, file: string, random: Random, sources: readonly string[]): Workload {
  return {
    name,
    file,
    image: 1,
    label: "a",
    notes: random(2) === 0 ? [] : [`owner: team${random(3)}`],
    sources: sources.filter(() => random(2) === 0),
    restartedAt: undefined,
  };
}

/** The files of a repository as people write them: without stamps. */
export function filesOf({ workloads, configs, eol, layout }: Repository): Files {
  const texts = new Map<string, string[]>();
  for (const workload of workloads) {
    const list = texts.get(workload.file) ?? [];
    texts.set(workload.file, [...list, deploymentOf(workload)]);
  }
  texts.set(
    "apps/config.yaml",
    configs.map(({ name, data }) =>
      ["apiVersion: v1", "kind: ConfigMap", "metadata:", `  name: ${name}`, "data:"]
        .concat(Object.entries(data).map(([key, value]) => `  ${key}: "${value}"`))
        .join("\n"),
    ),
  );
  const config = `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: stamp\nspec:\n  layout: ${layout}\n`;
  return {
    "rollstamp.yaml": config,
    ...Object.fromEntries(
      [...texts].map(([path, documents]) => [path, `${documents.join("\n---\n")}\n`.replaceAll("\n", eol)]),
    ),
  };
}

function deploymentOf({ name, image, label, notes, sources }: Workload): string {
  return [
    "apiVersion: apps/v1",
    "kind: Deployment",
    "metadata:",
    `  name: ${name}`,
    "spec:",
    "  replicas: 2",
    "  selector:",
    "    matchLabels:",
    `      app: ${name}`,
    "  template:",
    "    metadata:",
    ...(notes.length === 0 ? [] : ["      annotations:", ...notes.map((note) => `        ${note}`)]),
    "      labels:",
    `        app: ${name}`,
    `        track: ${label}`,
    "    spec:",
    "      terminationGracePeriodSeconds: 20",
    "      containers:",
    "        - name: main",
    `          image: registry.example/${name}:${image}`,
    "          ports:",
    "            - containerPort: 8080",
    ...(sources.length === 0 ? [] : ["          envFrom:"]),
    ...sources.flatMap((source) => ["            - configMapRef:", `                name: ${source}`]),
    "          resources:",
    "            requests:",
    "              memory: 64Mi",
  ].join("\n");
}

export function copyOf(repository: Repository): Repository {
  return structuredClone(repository);
}

const CHANGES: readonly ((repository: Repository, random: Random, mark: string) => void)[] = [
  changeValue,
  changeValue,
  changeValue,
  ({ configs }, random, mark) => {
    pick(configs, random).data[`KEY_${mark.toUpperCase()}${random(9)}`] = mark;
  },
  ({ workloads }, random) => {
    pick(workloads, random).image += 1 + random(3);
  },
  ({ workloads }, random, mark) => {
    const { notes } = pick(workloads, random);
    notes.push(`note-${mark}${notes.length}-${random(9)}: "x"`);
  },
  ({ workloads, configs }, random, mark) => {
    const file = random(2) === 0 ? `apps/${mark}${random(9)}.yaml` : pick(workloads, random).file;
    workloads.push(
      newWorkload(
        `${mark}${workloads.length}-${random(9999)}`,
        file,
        random,
        configs.map(({ name }) => name),
      ),
    );
  },
  ({ workloads }, random, mark) => {
    const { file } = pick(workloads, random);
    for (const workload of workloads) if (workload.file === file) workload.file = `apps/moved-${mark}.yaml`;
  },
  ({ workloads }, random, mark) => {
    pick(workloads, random).name += `-${mark}`;
  },
  (repository, random) => {
    const gone = pick(repository.workloads, random);
    if (repository.workloads.length > 2) repository.workloads = repository.workloads.filter((each) => each !== gone);
  },
  ({ workloads, configs }, random) => {
    const workload = pick(workloads, random);
    const { name } = pick(configs, random);
    if (!workload.sources.includes(name)) workload.sources.push(name);
  },
  ({ workloads }, random) => {
    pick(workloads, random).sources.pop();
  },
  ({ workloads }, random) => {
    pick(workloads, random).restartedAt = `2026-0${1 + random(9)}-01T00:00:00Z`;
  },
  ({ workloads }, random, mark) => {
    pick(workloads, random).label = mark;
  },
];

function changeValue({ configs }: Repository, random: Random, mark: string): void {
  const { data } = pick(configs, random);
  data[pick(Object.keys(data), random)] = `${mark}${random(9)}`;
}

/** What somebody does on a branch: one to three things. */
export function change(repository: Repository, random: Random, mark: string): void {
  for (let left = 1 + random(2); left > 0; left--) pick(CHANGES, random)(repository, random, mark);
}

function pick<T>(list: readonly T[], random: Random): T {
  const picked = list[random(list.length)];
  if (picked === undefined) throw new Error("there is one");
  return picked;
}

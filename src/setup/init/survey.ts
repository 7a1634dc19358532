import { relative } from "node:path";
import { kindKey } from "../../base/identity.ts";
import { BUILD_OPTIONS_VARIABLE } from "../../applications/tools/build-options.ts";
import { notExaminedCounts } from "../../findings/not-examined/account-words.ts";
import { readConfigHash } from "../../stamping/function/config-hash.ts";
import { checkAlone } from "../../stamping/pipeline.ts";
import { areWorkloads, workloadKinds } from "../../kubernetes/workloads/workload-kinds.ts";
import { readConfigs } from "../../applications/inputs/config-file.ts";
import { readManifestFiles } from "../../applications/inputs/manifest-files.ts";
import { scopeWithoutRepeats } from "../../applications/inputs/parts.ts";
import { isFetched } from "../../applications/compare/charts-elsewhere.ts";
import { applicationsIn } from "../../applications/compare/look-at-applications.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { Survey } from "./init-target.ts";

/** Surveys a repository, as the other commands read it. `isPlanned`: the applications are counted too. */
export async function surveyOf(io: Io, root: string, isPlanned: boolean): Promise<Survey> {
  const configs = readConfigs(io, [root], undefined);
  const spec = readConfigHash(configs.forKind("ConfigHash").config);
  const read = await readManifestFiles(io.files, [root], {
    limits: io.context.limits,
    kustomizeInput: false,
    check: checkAlone(spec),
    ...(configs.file === undefined ? {} : { except: new Set([configs.file]) }),
  });
  const rows = workloadKinds(spec);
  const kinds = new Set(rows.filter(({ holds }) => holds === undefined).map(kindKey));
  const isWorkload = areWorkloads(rows);
  const workloads = read.files.flatMap(({ manifests }) => manifests.items.filter(isWorkload));
  const elsewhere = read.notExamined.filter(({ name }) => name !== undefined);
  return {
    ...(isPlanned ? await applicationsToPlan(io, root) : NO_APPLICATIONS),
    workloads: workloads.length,
    workloadKinds: kinds,
    scope: scopeWithoutRepeats(read.files, spec.defaultNamespace),
    charts: read.notExamined.flatMap(({ kind, path }) => (kind === "Chart" ? [relative(root, path) || "."] : [])),
    elsewhere: elsewhere.length === 0 ? "" : notExaminedCounts({ notExamined: elsewhere }),
  };
}

type ToPlan = Pick<Survey, "applications" | "fetching" | "unseen" | "settings">;

const NO_APPLICATIONS: ToPlan = { applications: 0, fetching: 0, unseen: 0, settings: [] };

/** Environment variables that decide which applications are found: a job needs the same. */
const SETTINGS = [
  BUILD_OPTIONS_VARIABLE,
  "ROLLSTAMP_ALLOW_REMOTE_BASES",
  "ROLLSTAMP_FETCH_CHARTS",
  "KUBE_VERSION",
  "KUBE_API_VERSIONS",
];

/** Counts the applications; if kustomize and helm are installed, also those that only a rendering shows. */
async function applicationsToPlan(io: Io, root: string): Promise<ToPlan> {
  const versions = [
    await io.programs.versionOf("kustomize", io.environment),
    await io.programs.versionOf("helm", io.environment),
  ];
  const found = await applicationsIn(io, [root], { isRendered: !versions.includes("") });
  const fetching = found.applications.filter(
    ({ render }) => render.by === "helm" && isFetched(render.chart, found.repository),
  );
  return {
    applications: found.applications.length,
    fetching: fetching.length,
    unseen: found.notFound.filter(({ isUnrendered }) => isUnrendered === true).length,
    settings: SETTINGS.filter((name) => (io.environment[name] ?? "") !== ""),
  };
}

import { relative } from "node:path";
import { notExaminedCounts } from "../../findings/not-examined/account-words.ts";
import { readConfigHash } from "../../stamping/function/config-hash.ts";
import { checkAlone } from "../../stamping/pipeline.ts";
import { areWorkloads, workloadKinds } from "../../kubernetes/workloads/workload-kinds.ts";
import { readConfigs } from "../../applications/inputs/config-file.ts";
import { readManifestFiles } from "../../applications/inputs/manifest-files.ts";
import { scopeWithoutRepeats } from "../../applications/inputs/parts.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { IsPart, Survey } from "./init-target.ts";

/** Surveys a repository, or a part of it, as the other commands read it: without or with `--kustomize-input`. */
export async function surveyOf(
  io: Io,
  root: string,
  isPart: IsPart = () => true,
  kustomizeInput = false,
): Promise<Survey> {
  const configs = readConfigs(io, [root], undefined);
  const spec = readConfigHash(configs.forKind("ConfigHash").config);
  const read = await readManifestFiles(io.files, [root], {
    limits: io.context.limits,
    kustomizeInput,
    check: checkAlone(spec),
    ...(configs.file === undefined ? {} : { except: new Set([configs.file]) }),
  });
  const rows = workloadKinds(spec);
  const kinds = new Set(rows.filter(({ holds }) => holds === undefined).map(({ kind }) => kind));
  const isWorkload = areWorkloads(rows);
  const isOfPart = ({ path }: { readonly path: string }): boolean => isPart(relative(root, path) || ".");
  const files = read.files.filter(isOfPart);
  const workloads = files.flatMap(({ manifests }) => manifests.items.filter(isWorkload));
  const notExamined = read.notExamined.filter(isOfPart);
  const elsewhere = notExamined.filter(({ name }) => name !== undefined);
  return {
    workloads: workloads.length,
    workloadKinds: kinds,
    scope: scopeWithoutRepeats(files, spec.defaultNamespace),
    charts: notExamined.flatMap(({ kind, path }) => (kind === "Chart" ? [relative(root, path) || "."] : [])),
    elsewhere: elsewhere.length === 0 ? "" : notExaminedCounts({ notExamined: elsewhere }),
  };
}

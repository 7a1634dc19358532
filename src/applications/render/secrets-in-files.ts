import { textsOfSecret } from "../../reports/plan/secret-texts.ts";
import { isManifestName, readFoundText } from "../../yaml/read/manifest-text.ts";
import type { Repository } from "../discover/repository.ts";
import { kustomizationOf, type Generator } from "../kustomize/kustomization.ts";
import type { DataObject } from "./data-objects.ts";
import { generatedData, generatorFiles, writtenData } from "./find-data.ts";

/** The texts of all Secrets in the files of revisions, also of applications that are not rendered. */
export function secretsInFiles(revisions: readonly Repository[]): readonly string[] {
  // Most files are the same in both revisions.
  const seen = new Set<string>();
  // Many objects may have the same value.
  const values = new Set<string>();
  const textsOf = (object: DataObject | undefined): readonly string[] =>
    [...(object?.data.values() ?? [])].flatMap((value) => {
      if (value.is !== "text" || values.has(value.text)) return [];
      values.add(value.text);
      return textsOfSecret(value.text);
    });
  return revisions.flatMap(({ tree, kustomizations, isChartInput }) => {
    const generated = new Set<string>();
    const isNew = (part: Generator, folder: string): boolean => {
      const key = JSON.stringify([part.envs.length, generatorFiles(part, folder), part.literals]);
      const isKnown = generated.has(key);
      generated.add(key);
      return !isKnown;
    };
    return [
      ...tree.files.flatMap((file): readonly string[] => {
        const { id = file } = tree.entries.get(file) ?? {};
        if (seen.has(id) || !isManifestName(file) || isChartInput(file) || !tree.says(file, namesSecret)) return [];
        seen.add(id);
        const read = tree.read(file);
        const found = read.is === "text" ? readFoundText(read.text, file, tree.limits) : undefined;
        if (found?.is !== "manifests") return [];
        return found.manifests.items
          .filter(({ group, kind }) => group === "" && kind === "Secret")
          .flatMap((item) => textsOf(writtenData(item, [file])));
      }),
      ...[...kustomizations.values()].flatMap(({ folder, file, content = {} }) =>
        kustomizationOf(content)
          .generators.filter(({ kind }) => kind === "Secret")
          .flatMap(partsOf)
          .filter((part) => isNew(part, folder))
          .flatMap((generator) => textsOf(generatedData(generator, folder, file, tree))),
      ),
    ];
  });
}

/** One generator for each file and one for the literals: many generators may read the same file. */
function partsOf(generator: Generator): readonly Generator[] {
  const none = { ...generator, envs: [], files: [], literals: [] };
  return [
    ...generator.envs.map((env) => ({ ...none, envs: [env] })),
    ...generator.files.map((file) => ({ ...none, files: [file] })),
    { ...none, literals: generator.literals },
  ];
}

function namesSecret(text: string): boolean {
  return /\bkind["']?\s*:\s*["']?Secret\b/u.test(text);
}

import { textsOfSecret } from "../../reports/plan/secret-texts.ts";
import { isManifestName, readFoundText } from "../../yaml/read/manifest-text.ts";
import type { Repository } from "../discover/repository.ts";
import { kustomizationOf } from "../kustomize/kustomization.ts";
import type { DataObject } from "./data-objects.ts";
import { generatedData, writtenData } from "./find-data.ts";

/** The texts of all Secrets in the files of revisions, also of applications that are not rendered. */
export function secretsInFiles(revisions: readonly Repository[]): readonly string[] {
  // Most files are the same in both revisions.
  const seen = new Set<string>();
  // Many generators may read one file.
  const values = new Set<string>();
  const textsOf = (object: DataObject | undefined): readonly string[] =>
    [...(object?.data.values() ?? [])].flatMap((value) => {
      if (value.is !== "text" || values.has(value.text)) return [];
      values.add(value.text);
      return textsOfSecret(value.text);
    });
  return revisions.flatMap(({ tree, kustomizations, isChartInput }) => [
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
        .flatMap((generator) => textsOf(generatedData(generator, folder, file, tree))),
    ),
  ]);
}

function namesSecret(text: string): boolean {
  return /\bkind["']?\s*:\s*["']?Secret\b/u.test(text);
}

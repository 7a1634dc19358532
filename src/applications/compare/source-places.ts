import { posix } from "node:path";
import { onceFor } from "../../base/grouped.ts";
import type { Place } from "../../base/errors.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Application, KustomizeRender } from "../discover/application.ts";
import type { Repository } from "../discover/repository.ts";
import { declaredPlaces } from "../render/declared-places.ts";

/** The place that a finding about a rendering comes from, with the path of its file from the root of the repository. */
export type SourcePlaceOf = (finding: Pick<Finding, "place" | "resource">) => Place | undefined;

/**
 * The place that declares the object of a finding, or the template that Helm names; else the file that makes the folder an
 * application.
 */
export function sourcePlaces(
  repository: Repository,
  applications: readonly { readonly application: Application }[],
): SourcePlaceOf {
  const byName = new Map(applications.map(({ application }) => [renderingName(application.name), application]));
  const known = new Set(repository.tree.files);
  const declared = onceFor((render: KustomizeRender) => declaredPlaces(repository, render));
  return ({ place, resource }) => {
    const application = place === undefined ? undefined : byName.get(place.file);
    if (application === undefined) return undefined;
    const { render, path, definedIn } = application;
    if (place?.origin !== undefined && render.by === "helm" && render.chart.in === "repository") {
      const template = posix.join(render.chart.folder, ...place.origin.split("/").slice(1));
      if (known.has(template)) return { file: template };
    }
    if (render.by === "kustomize" && resource !== undefined) {
      const written = declared(render)(resource);
      if (written !== undefined) return written;
    }
    const file = repository.kustomizations.get(path)?.file ?? repository.charts.get(path)?.file ?? definedIn[0];
    return file === undefined ? undefined : { file };
  };
}

/** The name of a rendering in messages. */
export function renderingName(application: string): string {
  return `the rendering of ${application}`;
}

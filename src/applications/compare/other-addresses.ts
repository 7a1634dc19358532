import type { SourceName } from "../../base/names.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { isTouchedOrphan } from "../../reports/plan/counted.ts";
import type { PlannedApplication } from "../../reports/plan/planned-application.ts";
import { textOrEmpty } from "../../yaml/read/json.ts";
import { rendersOf, type Application } from "../discover/application.ts";
import type { NotFound } from "../discover/not-found.ts";
import { fluxPath, isInFolder } from "../discover/paths.ts";
import { elsewhere } from "../discover/remotes.ts";

/** A path in a repository that no remote of the clone names, and the object that names it. */
interface PathElsewhere {
  readonly object: SourceName;
  readonly path: string;
  readonly reason: string;
}

/**
 * RS024 for objects whose source may be this repository under an address that no remote has, if a folder that they name
 * changes and nothing else deploys it. `planned` are the applications of the plan, the others those of the head.
 */
export function otherAddresses(
  planned: readonly PlannedApplication[],
  notFound: readonly NotFound[],
  applications: readonly Application[],
): readonly Finding<"RS024">[] {
  const orphans = planned.filter(isTouchedOrphan);
  if (orphans.length === 0) return [];
  return [...notFound.flatMap(pathOfObject), ...applications.flatMap(pathsOf)].flatMap(
    ({ object, path, reason }): Finding<"RS024">[] => {
      const changed = orphans.filter((one) => isInFolder(path, one.path)).map((one) => one.path);
      if (path === "." || changed.length === 0) return [];
      const params = { object: { apiVersion: "", ...object }, change: "changed", changed, reason } as const;
      return [{ id: "RS024", cause: "notRendered", params }];
    },
  );
}

/** That of an object that defines nothing here. */
function pathOfObject({ kind, path, name = path, reason, pathHere }: NotFound): readonly PathElsewhere[] {
  if (pathHere === undefined) return [];
  const object = { kind: kind === "FluxKustomization" ? "Kustomization" : "Application", namespace: "", name };
  return [{ object, path: pathHere, reason }];
}

/** Those of the charts and sources that an application is rendered without. */
function pathsOf({ objects: [object] = [], render }: Application): readonly PathElsewhere[] {
  if (object === undefined || object.ignored?.includes("RS024") === true) return [];
  return rendersOf(render).flatMap((one) => {
    const [address, given] =
      one.by === "helm" && one.chart.in === "git"
        ? [one.chart.repository, one.chart.path]
        : one.by === "outside"
          ? [textOrEmpty(one.source["repoURL"]), textOrEmpty(one.source["path"])]
          : [];
    const path = given === undefined ? undefined : fluxPath(given);
    if (address === undefined || path === undefined) return [];
    return [{ object, path, reason: elsewhere(address, path).reason }];
  });
}

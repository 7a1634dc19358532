import { workloadKey } from "../../base/identity.ts";
import type { PlanPart } from "../../reports/plan/parts.ts";
import type { PlanFinding, ReplacedRelease } from "../../reports/plan/planned-workload.ts";
import type { Application } from "../discover/application.ts";

// helm-controller uninstalls a release and installs another one if its target changes: the namespace of its storage, its
// namespace, its name, or the name of its chart (v1.6: internal/action/verify.go, ReleaseTargetChanged).

const TARGET = ["storageNamespace", "namespace", "name", "chart"] as const;

/** What makes Flux uninstall the release of an application and install another one; undefined if it does not. */
export function replacedRelease(
  before: Application | undefined,
  after: Application | undefined,
): ReplacedRelease | undefined {
  if (before?.release === undefined || after?.release === undefined || after.held === "Suspended") return undefined;
  for (const by of TARGET) {
    const [from, to] = [before.release[by], after.release[by]];
    if (from !== undefined && to !== undefined && from !== to) return { by, from, to };
  }
  return undefined;
}

/** What is uninstalled: the workloads that are installed again have moved. */
export function uninstalledPart(uninstalled: PlanPart, installed: PlanPart, release: ReplacedRelease): PlanPart {
  const created = new Set(installed.rows.map(({ planned }) => workloadKey(planned)));
  const isUnrendered = ({ id }: PlanFinding): boolean => id === "RS024";
  const isSaid = installed.others.some(isUnrendered);
  return Object.assign({}, uninstalled, {
    others: uninstalled.others.filter((finding) => !isSaid || !isUnrendered(finding)),
    rows: uninstalled.rows.map((row) => {
      const { planned } = row;
      if (planned.action !== "Delete" || planned.leaves === true || !created.has(workloadKey(planned))) return row;
      return { ...row, planned: Object.assign({}, planned, { movedTo: { namespace: planned.namespace, release } }) };
    }),
  });
}

import { editedText } from "../../yaml/edit/checked.ts";
import { atLeast, statusOf, type Finding } from "../../findings/catalogue/finding.ts";
import { DONE, FOUND, worst, type ExitStatus } from "../../base/exit-status.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Io } from "../../platform/ports/io.ts";
import { lintedTogether, type LintedApplication } from "../../reports/lint/across-applications.ts";
import { analyse, stampAll, type Analysis } from "../../stamping/pipeline.ts";
import { findingLines, pathText } from "../../findings/results/terminal.ts";
import { asRendered } from "../../stamping/stamps/rendered.ts";
import { unstamped } from "../../stamping/stamps/unstamped.ts";
import type { ManifestFiles } from "../inputs/manifest-files.ts";
import { lookAtApplications, type AppsInput, type AppsLooked, type AppsOptions } from "./look-at-applications.ts";

/** What is asked of the stamps of renderings. */
export interface CheckAppsOptions extends AppsOptions {
  readonly requireStamps?: boolean;
}

/** Whether an application comes out stamped, as its host makes it. */
interface CheckedApplication extends LintedApplication {
  /** Stamping would change the rendering. */
  readonly isStale: boolean;
}

/** Manifests as they stand, which are checked as files, and what is told of applications behind that. */
export interface CheckedApps {
  readonly plain: ManifestFiles;
  readonly account: AppsLooked<unknown>["account"];
  /** Tells of them, and lists those that stamping would change. */
  readonly tell: () => Promise<ExitStatus>;
}

/**
 * Renders the applications at paths and looks whether each comes out with its stamps: what a host has not run, or ran with
 * other options, shows here. Undefined where plain manifests can't be read, which is told.
 */
export async function checkApplications(
  io: Io,
  paths: readonly string[],
  options: CheckAppsOptions,
  input: AppsInput & { readonly hmacKey: Uint8Array | undefined },
): Promise<CheckedApps | undefined> {
  const apps = await lookAtApplications(io, paths, options, input, ({ application, manifests, spec, placed }) => {
    const analysis = analyse(manifests, spec, input.hmacKey);
    const result: CheckedApplication = {
      application: application.name,
      cluster: application.cluster,
      isStale: isStale(analysis),
      findings: placed(findingsOf(analysis, options)),
      ...sourcesOf(analysis),
    };
    return { result, workloads: analysis.workloads.length };
  });
  if (apps === undefined) return undefined;
  const { plain, account, looked, failures } = apps;
  const checked = looked.map(({ result }) => result);
  return {
    plain,
    account,
    tell: async () => {
      const findings = [...failures, ...lintedTogether(checked)];
      io.writeStderr(findingLines(findings.filter((finding) => atLeast(finding, "warning"))));
      const stale = checked.filter((one) => one.isStale);
      await io.writeStdout(stale.map(({ application }) => `${pathText(application)}\n`).join(""));
      return worst(statusOf(findings), stale.length > 0 ? FOUND : DONE);
    },
  };
}

function isStale(analysis: Analysis): boolean {
  // The host's function saw the sources before kustomize renamed them.
  const edits = stampAll({ desired: analysis.desired.map(asRendered) });
  return [...edits].some(([tree, splices]) => editedText(tree, splices) !== tree.text);
}

function findingsOf(analysis: Analysis, { requireStamps }: CheckAppsOptions): Finding[] {
  return [...analysis.findings, ...(requireStamps === true ? unstamped(analysis.decisions) : [])];
}

function sourcesOf({ sources, decisions }: Analysis): Pick<LintedApplication, "has" | "lacks"> {
  const counted = decisions.flatMap(({ templates }) => templates.flatMap((template) => template.counted));
  return {
    has: sources.all.map(({ provides: { kind, namespace, name } }) => ({ kind, namespace, name })),
    lacks: counted
      .filter(({ source }) => source === undefined)
      .map(({ reference: { kind, namespace, name } }) => ({ kind, namespace, name })),
  };
}

/** Throws a RollstampError for options that ask for a rendering to be written. */
export function refuseWrittenApps({ apps, check, diff }: AppsOptions & { check?: boolean; diff?: boolean }): void {
  if (apps !== true || (check === true && diff !== true)) return;
  throw new RollstampError("usage", "--apps goes with --check: what an application renders to is no file", {
    remedy: "To have it stamped wire the function into its host: rollstamp init.",
  });
}

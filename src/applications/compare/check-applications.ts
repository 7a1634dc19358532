import { sourceNameOf } from "../../base/names.ts";
import { editedText } from "../../yaml/edit/checked.ts";
import { atLeast, statusOf, type Finding } from "../../findings/catalogue/finding.ts";
import { RollstampError, DONE, FOUND, worst, type ExitStatus } from "../../base/errors.ts";
import type { Io } from "../../platform/ports/io.ts";
import { lintedTogether, type LintedApplication } from "../../reports/lint/across-applications.ts";
import { analyse, stampAll, type Analysis } from "../../stamping/pipeline.ts";
import { findingLines, pathText } from "../../findings/results/terminal.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { copyOptions } from "../../stamping/stamps/copy-edits.ts";
import { asRendered } from "../../stamping/stamps/rendered.ts";
import { unstamped } from "../../stamping/stamps/unstamped.ts";
import type { ManifestFiles } from "../inputs/manifest-files.ts";
import { lookAtApplications, type AppsInput, type AppsLooked } from "./look-at-applications.ts";
import { type AppsOptions } from "./applications-in.ts";

export interface CheckAppsOptions extends AppsOptions {
  readonly requireStamps?: boolean;
}

/** An application whose stamps were checked. */
interface CheckedApplication extends LintedApplication {
  /** Whether stamping would change the rendering. */
  readonly isStale: boolean;
}

/** Plain manifests, which are checked as files, and the results for all other applications. */
export interface CheckedApps {
  readonly plain: ManifestFiles;
  readonly account: AppsLooked<unknown>["account"];
  /** Prints the findings, and lists the applications that stamping would change. */
  readonly report: () => Promise<ExitStatus>;
}

/**
 * Renders applications and checks whether their stamps are up to date: they are not if a host has not run the function, or has
 * run it with other options. Undefined if plain manifests can't be read; the errors have been printed.
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
      isStale: isStale(analysis, spec),
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
    report: async () => {
      const findings = [...failures, ...lintedTogether(checked)];
      io.writeStderr(findingLines(findings.filter((finding) => atLeast(finding, "warning"))));
      const stale = checked.filter((one) => one.isStale);
      await io.writeStdout(stale.map(({ application }) => `${pathText(application)}\n`).join(""));
      return worst(statusOf(findings), stale.length > 0 ? FOUND : DONE);
    },
  };
}

function isStale(analysis: Analysis, spec: ConfigHashSpec): boolean {
  // The host has run the function over the sources before kustomize renamed them.
  const rendered = { ...analysis, desired: analysis.desired.map(asRendered) };
  const edits = stampAll(rendered, copyOptions(spec, "rendering"));
  return [...edits].some(([tree, splices]) => editedText(tree, splices) !== tree.text);
}

function findingsOf(analysis: Analysis, { requireStamps }: CheckAppsOptions): Finding[] {
  return [...analysis.findings, ...(requireStamps === true ? unstamped(analysis.decisions) : [])];
}

function sourcesOf({ sources, decisions }: Analysis): Pick<LintedApplication, "has" | "lacks"> {
  const counted = decisions.flatMap(({ templates }) => templates.flatMap((template) => template.counted));
  return {
    has: sources.all.map(({ provides }) => sourceNameOf(provides)),
    lacks: counted.filter(({ source }) => source === undefined).map(({ reference }) => sourceNameOf(reference)),
  };
}

/** Throws a RollstampError for options that would write a rendering. */
export function refuseWrittenApps({ apps, check, diff }: AppsOptions & { check?: boolean; diff?: boolean }): void {
  if (apps !== true || (check === true && diff !== true)) return;
  throw new RollstampError("usage", "--apps needs --check: a rendering is not a file that can be stamped", {
    remedy: "To stamp it, add the function to its host: rollstamp init.",
  });
}

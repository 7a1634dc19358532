import { createHash } from "node:crypto";
import { isAbsolute, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Location, Log, ReportingDescriptor, Result } from "sarif";
import { docsOf, type LintRule } from "../lint/rule.ts";
import { RULES } from "../lint/rules.ts";
import type { Finding, Severity } from "../results/findings.ts";
import { jsonText } from "../results/json-text.ts";
import { printable } from "../results/terminal.ts";
import { VERSION } from "../ground/version.ts";
import type { LintReporter } from "./lint-report.ts";

/** `lint -o sarif`: SARIF 2.1.0, as GitHub's code scanning and others take it. */
export const lintSarif: LintReporter = (findings) => `${jsonText(sarifLog(findings), 2)}\n`;

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

/** Where the pages of the rules are read; package.json names the same. */
const REPOSITORY = "https://github.com/rollstamp/rollstamp";

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  error: "error",
  warning: "warning",
  info: "note",
};

function sarifLog(findings: readonly Finding[]): Log {
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "rollstamp",
            informationUri: REPOSITORY,
            semanticVersion: VERSION,
            rules: [...RULES.map(descriptor), IGNORE_DESCRIPTOR],
          },
        },
        columnKind: "unicodeCodePoints",
        results: findings.map(sarifResult),
      },
    ],
  };
}

function descriptor(rule: LintRule): ReportingDescriptor {
  const page = `See ${docsOf(rule.id)}.`;
  return {
    id: rule.id,
    helpUri: `${REPOSITORY}/blob/main/${docsOf(rule.id)}`,
    shortDescription: { text: rule.title },
    help: { text: `${rule.remedy} ${page}`, markdown: `${rule.remedy}\n\n${page}` },
    defaultConfiguration: { level: LEVELS[rule.severity] },
  };
}

const IGNORE_DESCRIPTOR: ReportingDescriptor = {
  id: "ignore",
  shortDescription: { text: "An annotation that is to ignore a rule and does not" },
  help: { text: "Name a rule, and write the reason as the annotation's value." },
  defaultConfiguration: { level: "warning" },
};

function sarifResult(finding: Finding): Result {
  const index = RULES.findIndex((rule) => rule.id === finding.rule);
  return {
    ruleId: finding.rule,
    ruleIndex: index < 0 ? RULES.length : index,
    level: LEVELS[finding.severity],
    message: { text: literal(finding.message) },
    locations: [location(finding)],
    partialFingerprints: { "rollstamp/v1": fingerprint(finding) },
  };
}

/** Brackets begin a link in a SARIF message (2.1.0, section 3.11.6): those of a manifest don't. */
function literal(text: string): string {
  return printable(text).replace(/[[\]\\]/gu, "\\$&");
}

function location({ place, resource, field }: Finding): Location {
  const name =
    resource === undefined ? undefined : [resource.kind, resource.namespace, resource.name].filter(Boolean).join("/");
  return {
    ...(place === undefined
      ? {}
      : {
          physicalLocation: {
            artifactLocation: artifact(place.file),
            ...(place.line === undefined
              ? {}
              : {
                  region: {
                    startLine: place.line,
                    ...(place.column === undefined ? {} : { startColumn: place.column }),
                  },
                }),
          },
        }),
    ...(name === undefined
      ? {}
      : {
          logicalLocations: [
            {
              name: resource?.name ?? name,
              fullyQualifiedName: field === undefined ? name : `${name}/${field}`,
              kind: "object",
            },
          ],
        }),
  };
}

function artifact(file: string): { uri: string; uriBaseId?: string } {
  if (isAbsolute(file)) return { uri: pathToFileURL(file).href };
  return { uri: file.split(sep).map(encodeURIComponent).join("/"), uriBaseId: "%SRCROOT%" };
}

/** What a finding stays known by when lines move: its rule, its file, its object and what it says. */
function fingerprint({ rule, place, resource, field, message }: Finding): string {
  const text = JSON.stringify([rule, place?.file ?? "", resource ?? null, field ?? null, message]);
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 32);
}

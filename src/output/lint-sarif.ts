import { createHash } from "node:crypto";
import { isAbsolute, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Location, Log, Notification, ReportingDescriptor, Result } from "sarif";
import { notExaminedRow } from "../findings/not-examined/not-examined-kinds.ts";
import { isNothing, type NotExamined } from "../findings/not-examined/not-examined.ts";
import { LINT_IDS } from "../reports/lint/lint.ts";
import { rowOf, type Finding } from "../findings/catalogue/finding.ts";
import { docsOf, type FindingId } from "../findings/catalogue/catalogue.ts";
import { SEVERITIES } from "../findings/catalogue/severity.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { printable } from "../findings/results/terminal.ts";
import { VERSION } from "../base/version.ts";
import { applicationMessage, filePlace, type LintReporter, type LintReportOptions } from "./lint-report.ts";

/** `lint -o sarif`: SARIF 2.1.0, as GitHub's code scanning and others take it. */
export const lintSarif: LintReporter = (findings, options) => `${jsonText(sarifLog(findings, options), 2)}\n`;

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

/** The repository of the rules' pages, as in package.json. */
const REPOSITORY = "https://github.com/rollstamp/rollstamp";

function sarifLog(findings: readonly Finding[], options: LintReportOptions): Log {
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
            rules: LINT_IDS.map(descriptor),
            notifications: [{ id: NOT_EXAMINED, shortDescription: { text: "What was not looked at" } }],
          },
        },
        columnKind: "unicodeCodePoints",
        invocations: [
          {
            executionSuccessful: !isNothing(options.account),
            toolExecutionNotifications: options.account.notExamined.map((row) => notification(row, options)),
          },
        ],
        results: findings.map((finding) => sarifResult(finding, options)),
      },
    ],
  };
}

function descriptor(id: FindingId): ReportingDescriptor {
  const { severity, title, remedy } = rowOf({ id });
  const docs = docsOf(id);
  const page = `See ${docs}.`;
  return {
    id,
    helpUri: `${REPOSITORY}/blob/main/${docs}`,
    shortDescription: { text: title },
    help: remedy === null ? { text: page } : { text: `${remedy} ${page}`, markdown: `${remedy}\n\n${page}` },
    defaultConfiguration: { level: SEVERITIES[severity].sarif },
  };
}

const NOT_EXAMINED = "not-examined";

function notification({ path, kind, name, reason }: NotExamined, { account, pathOf }: LintReportOptions): Notification {
  const file = pathOf(path);
  const what = `${notExaminedRow(kind).singular} ${name ?? path}`;
  return {
    descriptor: { id: NOT_EXAMINED, index: 0 },
    level: isNothing(account) ? "error" : "note",
    message: { text: literal(`not examined: ${what}: ${reason}`) },
    locations: file === undefined ? undefined : [{ physicalLocation: { artifactLocation: artifact(file) } }],
  };
}

function sarifResult(finding: Finding, options: LintReportOptions): Result {
  const { id, severity, message: words } = describeFinding(finding);
  const message = applicationMessage(finding, words);
  return {
    ruleId: id,
    ruleIndex: LINT_IDS.indexOf(id),
    level: SEVERITIES[severity].sarif,
    message: { text: literal(message) },
    locations: [location(finding, options)],
    partialFingerprints: { "rollstamp/v1": fingerprint(finding, message, options) },
  };
}

/** Brackets begin a link in a SARIF message (2.1.0, section 3.11.6). Those of a manifest are escaped. */
function literal(text: string): string {
  return printable(text).replace(/[[\]\\]/gu, "\\$&");
}

function location(finding: Finding, options: LintReportOptions): Location {
  const { resource, field } = finding;
  const place = filePlace(finding, options);
  const file = place?.file;
  const name =
    resource === undefined ? undefined : [resource.kind, resource.namespace, resource.name].filter(Boolean).join("/");
  const region = place?.line === undefined ? undefined : { startLine: place.line, startColumn: place.column };
  const fullyQualifiedName = field === undefined ? name : `${name}/${field}`;
  return {
    physicalLocation: file === undefined ? undefined : { artifactLocation: artifact(file), region },
    logicalLocations:
      name === undefined ? undefined : [{ name: resource?.name ?? name, fullyQualifiedName, kind: "object" }],
  };
}

function artifact(file: string): { uri: string; uriBaseId?: string } {
  if (isAbsolute(file)) return { uri: pathToFileURL(file).href };
  return { uri: file.split(sep).map(encodeURIComponent).join("/"), uriBaseId: "%SRCROOT%" };
}

/** Identifies a finding when lines move: its rule, file, object and message. */
function fingerprint({ id, place, resource, field }: Finding, message: string, { pathOf }: LintReportOptions): string {
  const file = place === undefined ? "" : (pathOf(place.file) ?? place.file);
  const text = JSON.stringify([id, file, resource ?? null, field ?? null, message]);
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 32);
}

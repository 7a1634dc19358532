import { code, codes, labelled, list, paragraph, row } from "./document/blocks.ts";
import { counted, cutInMiddle } from "../base/words.ts";
import { severityOf, type FindingData } from "../findings/catalogue/finding.ts";
import type { PlanFinding, PlannedObject } from "../reports/plan/planned-workload.ts";
import type { ApplicationRow, FindingRow, ObjectRow, ReportRow } from "../reports/plan/rows/row-types.ts";
import type { Block, Row, Words } from "./document/document.ts";
import { STAYS } from "./plan-effects.ts";
import { remedyText, ruleWords } from "./plan-fixes.ts";
import { namedRow } from "./plan-names.ts";
import { namesApplication, unrenderedWords } from "./plan-unrendered.ts";
import { appliedWhenWords, failureEffect, findingText, limitText } from "./plan-words.ts";
import {
  acceptedBlock,
  causeBlocks,
  headOf,
  heldByRefusal,
  namesBlocks,
  objectParts,
  type RowContext,
} from "./plan-row-parts.ts";
import { changeRow, usersWords } from "./plan-change-rows.ts";
import { joinedFindings } from "../reports/plan/rows/joined-findings.ts";
import { workloadRows } from "./plan-workload-rows.ts";

// The rows of a plan as blocks of a document.

/** A row of a report; several if its workloads have to be named below each of its lines. */
export function rowBlocks(given: ReportRow, context: RowContext): readonly Row[] {
  switch (given.is) {
    case "workloads":
      return workloadRows(given, context);
    case "objects":
      return [objectRow(given, context)];
    case "changes":
      return [changeRow(given, context)];
    case "findings":
      return [findingRow(given, context)];
    case "applications":
      return [applicationRow(given)];
    case "limit":
      return [row({ ...headOf(given), words: [limitText(given.limit)] })];
    case "unread": {
      const { files } = given;
      const [only, ...others] = files;
      const isSubmodule = only.isSubmodule === true;
      const [it, its] = others.length === 0 ? ["it", "its"] : ["them", "their"];
      const effect = [
        isSubmodule ? `${its} files are in another repository, which is not read` : `nothing reads ${it}`,
      ];
      if (others.length === 0) return [row({ ...headOf(given), words: [code(only.path)], effect })];
      return [
        row(
          {
            ...headOf(given),
            words: [],
            size: counted(files.length, isSubmodule ? "submodule" : "file"),
            effect,
          },
          [list(files.map(({ path }) => [code(path)]))],
        ),
      ];
    }
  }
}

function objectRow(given: ObjectRow, context: RowContext): Row {
  const { objects, appliedWhen } = given;
  const { head, names } = objectParts(given, context);
  const [{ leaves, isAccepted, isNeeded, usedBy }] = objects;
  const effect =
    leaves === true
      ? [STAYS]
      : isAccepted === true
        ? ["accepted with --accept-deletes"]
        : isNeeded === true
          ? ["pod templates name it: the API server refuses new pods without it"]
          : usedBy !== undefined
            ? [usersWords(usedBy, "it", objects)]
            : appliedWhen === undefined
              ? undefined
              : appliedWhenWords(appliedWhen, objects.length === 1 ? "it" : "each");
  return row({ ...head, mark: "-", ...(effect === undefined ? {} : { effect }) }, [
    ...names,
    ...causeBlocks(given.causes, context),
  ]);
}

function findingRow(given: FindingRow, context: RowContext): Row {
  const { most } = context;
  const { findings, level } = given;
  const [first] = findings;
  const messages = sayings(given);
  const head = { ...headOf(given), ...(severityOf(first) === "info" && level === undefined ? { label: "note" } : {}) };
  if (first.id === "RS024") return unrenderedRow(given, first, context);
  const isBefore = first.before === true ? " (existing)" : "";
  const consequences = given.label === "refused" ? heldByRefusal(findings, context) : [];
  const [only, ...others] = messages;
  if (only !== undefined && others.length === 0)
    return row({ ...head, words: [...only, ...ruleWords(first.id), isBefore] }, [
      ...consequences,
      ...remedyBlocks(given),
    ]);
  const shown = level === undefined ? messages.slice(0, most.findings) : messages;
  const more = messages.length - shown.length;
  return row(
    { ...head, words: ["(", ...ruleWords(first.id).slice(1), isBefore], size: counted(messages.length, "finding") },
    [list(shown), ...(more > 0 ? [paragraph(`and ${more} more`)] : []), ...consequences, ...remedyBlocks(given)],
  );
}

/** What was not rendered. Several objects are named like those that change. */
function unrenderedRow(given: FindingRow, first: FindingData<"RS024">, context: RowContext): Row {
  const { findings } = given;
  const { title, effect, causes } = unrenderedWords(first);
  const objects = findings.flatMap(unrenderedObject);
  const named =
    findings.length > 1 && objects.length > 0
      ? namedRow(objects, context.places, context.facets.ofObjects)
      : { title: unrenderedTitle(findings, title), lists: [] };
  const words =
    named.title === undefined ? { words: [], size: counted(findings.length, "object") } : { words: named.title };
  // The line below says the rule, if there is one.
  const hasMore = findings.some(({ accepted }) => accepted !== undefined) || remedyText(first) !== undefined;
  return row({ ...headOf(given), ...words, effect: hasMore ? effect : [...effect, ...ruleWords(first.id)] }, [
    ...(named.title === undefined ? namesBlocks(named, Infinity) : []),
    ...(causes.length === 0
      ? []
      : [
          labelled(
            "Cause",
            causes.map((cause) => ({ words: cause })),
          ),
        ]),
    ...remedyBlocks(given, ruleWords(first.id)),
  ]);
}

/** One object with its applications, or several applications that no object defines. */
function unrenderedTitle(findings: FindingRow["findings"], title: Words): Words {
  const [{ application = "" }] = findings;
  if (!namesApplication(title, application)) return [...title, ...inApplications(findings)];
  if (findings.length === 1) return title;
  const names = findings.flatMap((finding) => finding.application ?? []);
  return ["applications ", ...codes(names)];
}

function unrenderedObject(finding: PlanFinding): readonly PlannedObject[] {
  if (finding.id !== "RS024" || (finding.cause !== "notRendered" && finding.cause !== "notFetched")) return [];
  const { object } = finding.params;
  if (object === undefined) return [];
  const { application } = finding;
  const named = application === undefined ? {} : { application };
  return [{ apiVersion: "", namespace: "", ...object, ...named, change: "Change", fields: [] }];
}

/** What to do, or why someone accepted it. `rule`: words that name the rule, if the row doesn't. */
function remedyBlocks({ findings: [first] }: FindingRow, rule: Words = []): readonly Block[] {
  if (first.accepted !== undefined) return [acceptedBlock(first.accepted, rule)];
  const remedy = severityOf(first) === "info" ? undefined : remedyText(first);
  return remedy === undefined ? [] : [labelled("Fix", [{ words: [remedy, ...rule] }])];
}

/** What findings say, each once, with the applications that have it. */
function sayings({ findings }: FindingRow): readonly Words[] {
  return joinedFindings(findings, findingText).map(({ says, all }) => [findingText(says), ...inApplications(all)]);
}

function inApplications(findings: readonly FindingRow["findings"][number][]): Words {
  const names = [...new Set(findings.flatMap(({ application = "." }) => (application === "." ? [] : [application])))];
  return names.length === 0 ? [] : [" in ", ...codes(names)];
}

const LONGEST_LINE = 300;

function applicationRow(given: ApplicationRow): Row {
  const { applications, lines } = given;
  const [first] = applications;
  const names = codes(applications.map(({ name }) => name));
  const more = first.baseFailed === true ? ", so what this change rolls is unknown" : "";
  const [last = ""] = lines.filter((line) => line.trim() !== "").slice(-1);
  // kustomize has the reason at the end, after each folder on the way there.
  const shown = cutInMiddle(last, LONGEST_LINE);
  return row(
    { ...headOf(given), words: names, effect: [`${failureEffect(first)}${more}`] },
    shown === "" ? [] : [paragraph(shown)],
  );
}

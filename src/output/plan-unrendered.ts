import { formatToolOutput } from "../base/names.ts";
import { outsideReason, type OutsidePart } from "../base/outside.ts";
import { counted, pluralize } from "../base/words.ts";
import { refusedWords } from "../findings/catalogue/unrendered-rows.ts";
import type { FindingData } from "../findings/catalogue/finding.ts";
import { code, codes, joined, plainText, someOf } from "./document/blocks.ts";
import type { Words } from "./document/document.ts";
import { objectWords } from "./plan-names.ts";

/** What was not rendered, why its rollouts are unknown, and what changed. */
export interface UnrenderedWords {
  readonly title: Words;
  readonly effect: Words;
  readonly causes: readonly Words[];
}

const MOST_CHANGES = 3;
const MOST_PARTS = 3;

/** What a change of each kind may do. */
const UNKNOWN = {
  added: "what it creates is unknown",
  changed: "what rolls is unknown",
  removed: "what it deletes is unknown",
} as const;

/** A finding of RS024 in the parts of a row. */
export function unrenderedWords(finding: FindingData<"RS024">): UnrenderedWords {
  switch (finding.cause) {
    case "notRendered": {
      const { object, change, changed, reason } = finding.params;
      return {
        title: objectWords({ namespace: "", ...object }),
        effect: [UNKNOWN[change], reason === undefined ? ", as it was not rendered" : `: ${formatToolOutput(reason)}`],
        causes: changeWords(changed),
      };
    }
    case "notFetched": {
      const { application, object, change, changed, parts } = finding.params;
      return {
        title: object === undefined ? ["application ", code(application)] : objectWords(object),
        effect: [`${UNKNOWN[change]}: `, ...missingWords(parts)],
        causes: changeWords(changed),
      };
    }
    case "unknownUses": {
      const { application, sources, parts } = finding.params;
      const names = someOf(sources.map(objectWords), MOST_CHANGES);
      return {
        title: ["application ", code(application)],
        effect: ["what uses ", ...names, " is unknown: ", ...missingWords(parts)],
        causes: [],
      };
    }
    case "dependencyMissing":
    case "sourceRemoved": {
      const { object, users } = finding.params;
      const names = someOf(users.map(objectWords), MOST_PARTS);
      const them = pluralize(users.length, "it", "them");
      const [state, using, result] =
        finding.cause === "sourceRemoved"
          ? ["removed", pluralize(users.length, "uses", "use"), `no longer updates ${them}`]
          : [
              "not in the repository",
              `${pluralize(users.length, "depends", "depend")} on`,
              `does not apply ${them} until it exists`,
            ];
      return {
        title: objectWords(object),
        effect: [`it is ${state}, but `, ...names, ` ${using} it: Flux ${result}`],
        causes: [],
      };
    }
    case "notPermitted": {
      const { project, what, names, applications } = finding.params;
      return {
        title: objectWords(project),
        effect: [
          `it ${refusedWords(what, names.length)} `,
          ...codes(names, MOST_PARTS),
          ": Argo CD cannot sync ",
          ...codes(applications, MOST_PARTS),
        ],
        causes: [],
      };
    }
    case "needsValues": {
      const { application, problem } = finding.params;
      return {
        title: ["chart ", code(application)],
        effect: [`${UNKNOWN.changed}: it needs values that are not in the repository`],
        causes: [[formatToolOutput(problem)]],
      };
    }
    case "byHelmfiles": {
      const { application, helmfiles } = finding.params;
      return {
        title: ["chart ", code(application)],
        effect: [`${UNKNOWN.changed}: helmfiles release it with other values`],
        causes: [codes(helmfiles, MOST_PARTS)],
      };
    }
    case "hiddenByValues": {
      const { application, changed } = finding.params;
      return {
        title: ["chart ", code(application)],
        effect: [`its values in the repository do not render all changes; with other values, ${UNKNOWN.changed}`],
        causes: [codes(changed.slice(0, MOST_PARTS))],
      };
    }
    case "source": {
      const { object, changed, users } = finding.params;
      const names = users.map((user) => objectWords(user.object));
      const using: Words =
        users.length === 0
          ? []
          : [", and ", ...someOf(names, MOST_PARTS), ` ${pluralize(users.length, "uses", "use")} it`];
      return {
        title: objectWords({ namespace: "", ...object }),
        effect: [`${UNKNOWN.changed}, as it was not rendered`, ...using],
        causes: changeWords(changed),
      };
    }
  }
}

/** Whether a title names the application that it is about. */
export function namesApplication(title: Words, application: string): boolean {
  const text = plainText(title);
  return text.endsWith(`/${application}`) || text.endsWith(` ${application}`);
}

/** `changed` are paths of fields, and names of the sources of values and charts. */
function changeWords(changed: readonly string[]): readonly Words[] {
  const more = changed.length - MOST_CHANGES;
  return [
    ...changed.slice(0, MOST_CHANGES).map((field): Words => [code(field), " changed"]),
    ...(more > 0 ? [[`and ${counted(more, "more change")}`]] : []),
  ];
}

function missingWords(parts: readonly OutsidePart[]): Words {
  const reasons = parts.slice(0, MOST_PARTS).map((part): Words => [outsideReason(part, part.name)]);
  const more = parts.length - reasons.length;
  return [
    ...joined(reasons, " and "),
    ...(more > 0 ? [` and ${counted(more, "more part is missing", "more parts are missing")}`] : []),
  ];
}

import { recovered } from "../../base/errors.ts";
import { fieldsOf, isMapping, listOf, type Mapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import {
  inheritFiles,
  replaced,
  replacedText,
  workBudget,
  type GeneratorContext,
  type Work,
} from "./generator-parameters.ts";
import { generated, MOST_GENERATED } from "./generators.ts";
import { TemplateProblem } from "./go-values.ts";
import { givenText, mergePatch, placeOfObject, type GitOpsObject } from "./objects.ts";
import type { Repository } from "./repository.ts";
import { readDocuments } from "../../yaml/read/manifest-text.ts";

// What an ApplicationSet generates.

/** The result of an ApplicationSet: the Applications that Argo CD would create, and why others are missing. */
export interface Expanded {
  readonly applications: readonly Mapping[];
  readonly problems: readonly TemplateProblem[];
  /** The files that the parameters of an Application come from. */
  readonly filesOf: (application: Mapping) => readonly string[];
  /** The revisions in which its generators read files. */
  readonly revisions: readonly string[];
}

/** Expands an ApplicationSet. If one generator fails, the others continue, as in the controller. */
export function expanded(
  object: Pick<GitOpsObject, "spec" | "name" | "file" | "shown">,
  repository: Repository,
  work: Work = workBudget(repository.tree.limits),
): Expanded {
  const { spec, name } = object;
  let left = MOST_GENERATED;
  const context: GeneratorContext = {
    repository,
    name,
    place: placeOfObject(object),
    goTemplate: spec["goTemplate"] === true,
    missingKey: listOf(spec["goTemplateOptions"]).includes("missingkey=error") ? "error" : "other",
    readFrom: new Map(),
    revisions: new Set(),
    work,
    spend: (count) => {
      left -= count;
      if (left < 0) throw new TemplateProblem("invalid", `it generates more than ${MOST_GENERATED} Applications`);
    },
  };
  const problems: TemplateProblem[] = [];
  const made: Mapping[] = [];
  const attempt = (run: () => void): void => {
    try {
      run();
    } catch (cause) {
      if (!(cause instanceof TemplateProblem)) throw cause;
      problems.push(cause);
    }
  };
  for (const generator of listOf(spec["generators"])) {
    attempt(() => {
      for (const { template, parameters } of generated(generator, context)) {
        const fullTemplate = filled(template, fieldsOf(spec["template"]));
        for (const elementParameters of parameters)
          attempt(() => {
            const application = applicationOf(fullTemplate, elementParameters, spec, context);
            work(0, 0, 1);
            made.push(inheritFiles([elementParameters], application, context));
          });
      }
    });
  }
  return {
    applications: made,
    problems,
    filesOf: (application) => context.readFrom.get(application) ?? [],
    revisions: [...context.revisions],
  };
}

function applicationOf(template: Mapping, parameters: Mapping, spec: Mapping, context: GeneratorContext): Mapping {
  const made = fieldsOf(Object.keys(parameters).length === 0 ? template : replaced(template, parameters, context));
  const patch = givenText(spec["templatePatch"]);
  if (patch === undefined) return made;
  const patched = fieldsOf(mergePatch(made, patchOf(replacedText(patch, parameters, context), context)));
  const { project } = fieldsOf(made["spec"]);
  // A patch can't change the project.
  return { ...patched, spec: { ...fieldsOf(patched["spec"]), ...(project === undefined ? {} : { project }) } };
}

function patchOf(text: string, { repository }: GeneratorContext): Json {
  return recovered(
    () => readDocuments(text, "templatePatch", repository.tree.limits)[0] ?? {},
    ({ message }) => {
      throw new TemplateProblem("invalid", `its templatePatch: ${message}`);
    },
  );
}

/** The template of a generator, completed from the template of the ApplicationSet. */
function filled(own: Mapping, from: Mapping): Mapping {
  const all = new Map(Object.entries(own));
  for (const [key, value] of Object.entries(from)) {
    const known = all.get(key);
    if (isMapping(known) && isMapping(value)) all.set(key, filled(known, value));
    else if (
      known === undefined ||
      known === null ||
      known === "" ||
      known === false ||
      (Array.isArray(known) && known.length === 0)
    )
      all.set(key, value);
  }
  return Object.fromEntries(all);
}

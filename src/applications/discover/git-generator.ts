import { withoutEnd } from "../../base/trim.ts";
import { posix } from "node:path";
import { type Json } from "../../yaml/read/node.ts";
import { flat, parsed, withValues, type GeneratorContext } from "./generator-parameters.ts";
import type { Parameters } from "./given-values.ts";
import { RollstampError } from "../../base/errors.ts";
import { globOf } from "../../base/glob.ts";
import { onceFor } from "../../base/grouped.ts";
import { comparing } from "../../base/limits.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { sanitizedName, TemplateProblem } from "./go-values.ts";
import { givenText } from "./objects.ts";
import { listOf, type Mapping, fieldsOf, textOrEmpty } from "../../yaml/read/json.ts";
import { shownAddress } from "./remotes.ts";
import { argoRevision } from "./source-revisions.ts";

export function fromGit(git: Mapping, context: GeneratorContext): Parameters[] {
  const address = textOrEmpty(git["repoURL"]);
  if (!context.repository.isOwnAddress(address))
    throw new TemplateProblem("unknown", `its git generator reads another repository: ${shownAddress(address)}`);
  context.revisions.add(argoRevision(git));
  const directories = listOf(git["directories"]);
  if (directories.length > 0) return fromDirectories(git, directories, context);
  const files = listOf(git["files"]);
  if (files.length > 0) return fromFiles(git, files, context);
  throw new TemplateProblem("invalid", "its git generator has neither directories nor files");
}

function fromDirectories(git: Mapping, directories: readonly Json[], context: GeneratorContext): Parameters[] {
  const patterns = directories.map((one) => {
    const { path, exclude } = fieldsOf(one);
    // The controller only logs an invalid pattern, and it matches nothing.
    return { test: globOf(textOrEmpty(path), "goPath"), isExcluded: exclude === true };
  });
  const spend = spendFor(context);
  const found = context.repository.visibleFolders.filter((folder) => {
    const matching = patterns.filter(({ test }) => test?.(folder, spend) === true);
    return matching.length > 0 && !matching.some(({ isExcluded }) => isExcluded);
  });
  return found.map((folder) => withValues(git, pathParameters(git, folder, undefined, context), context));
}

const matchingIn = onceFor((_tree: Snapshot) => comparing("patterns of git generators with paths"));

/** Counts the steps of matching, over all ApplicationSets of a repository. What exceeds the limit is a row of the set. */
function spendFor({ repository: { tree } }: GeneratorContext): (steps: number) => void {
  const spend = matchingIn(tree);
  return (steps) => {
    try {
      spend(steps, tree.limits);
    } catch (cause) {
      throw cause instanceof RollstampError ? new TemplateProblem("invalid", cause.message) : cause;
    }
  };
}

/** The parameters `path` and others. */
function pathParameters(
  git: Mapping,
  folder: string,
  filename: string | undefined,
  { goTemplate }: GeneratorContext,
): Parameters {
  const prefix = givenText(git["pathParamPrefix"]);
  const basename = posix.basename(folder);
  const segments = folder.split("/");
  if (goTemplate) {
    const path = {
      path: folder,
      basename,
      basenameNormalized: sanitizedName(basename),
      segments,
      ...(filename === undefined ? {} : { filename, filenameNormalized: sanitizedName(filename) }),
    };
    return prefix === undefined ? { path } : { [prefix]: { path } };
  }
  const name = prefix === undefined ? "path" : `${prefix}.path`;
  return {
    [name]: folder,
    [`${name}.basename`]: basename,
    [`${name}.basenameNormalized`]: sanitizedName(basename),
    ...(filename === undefined
      ? {}
      : { [`${name}.filename`]: filename, [`${name}.filenameNormalized`]: sanitizedName(filename) }),
    ...Object.fromEntries(segments.flatMap((segment, i) => (segment === "" ? [] : [[`${name}[${i}]`, segment]]))),
  };
}

function fromFiles(git: Mapping, files: readonly Json[], context: GeneratorContext): Parameters[] {
  const { repository } = context;
  const patterns = files.map((one) => {
    const { path, exclude } = fieldsOf(one);
    return { test: pathspec(textOrEmpty(path)), isExcluded: exclude === true };
  });
  const spend = spendFor(context);
  const found = repository.tree.files.filter((file) => {
    const matching = patterns.filter(({ test }) => test(file, spend));
    return matching.length > 0 && !matching.some(({ isExcluded }) => isExcluded);
  });
  return [...found].sort().flatMap((file) => {
    context.spend(1);
    const elements = elementsIn(repository.tree).read(file);
    if (elements instanceof TemplateProblem) throw elements;
    return elements.map(({ fields, values }) => {
      context.work(Object.keys(values).length);
      const path = pathParameters(git, posix.dirname(file), posix.basename(file), context);
      const parameters = withValues(git, { ...(context.goTemplate ? fields : values), ...path }, context);
      context.readFrom.set(parameters, [file]);
      return parameters;
    });
  });
}

interface Element {
  readonly fields: Mapping;
  readonly values: Readonly<Record<string, string>>;
}

/** What the files of a tree have for generators. Hundreds of ApplicationSets may read one file. */
const elementsIn = onceFor((tree: Snapshot) => {
  const known = new Map<string, readonly Element[] | TemplateProblem>();
  const read = (file: string): readonly Element[] | TemplateProblem => {
    const elements = known.get(file) ?? elementsOf(file, tree);
    known.set(file, elements);
    return elements;
  };
  return { read, known };
});

/** The files that generators have read, also those that no Application is made of. */
export const filesOfGenerators = (tree: Snapshot): Iterable<string> => elementsIn(tree).known.keys();

function elementsOf(file: string, { read: readIn, limits }: Snapshot): readonly Element[] | TemplateProblem {
  const read = readIn(file);
  if (read.is === "refused") return new TemplateProblem("invalid", `${file}: ${read.error.message}`);
  try {
    const [content = null] = parsed(read.text, file, limits);
    if (content !== null && typeof content !== "object")
      return new TemplateProblem("invalid", `${file} must contain a mapping or a list`);
    const objects = Array.isArray(content) && content.length > 0 ? content : [fieldsOf(content)];
    return objects.map(fieldsOf).map((fields) => ({ fields, values: flat(fields) }));
  } catch (cause) {
    if (cause instanceof TemplateProblem) return cause;
    throw cause;
  }
}

/** A pathspec of `git ls-files`: a file, the files below a folder, or a pattern in which `*` matches slashes. */
function pathspec(path: string): (file: string, spend: (steps: number) => void) => boolean {
  if (path.startsWith(":")) throw new TemplateProblem("unknown", `rollstamp does not support the pathspec ${path}`);
  const plain = withoutEnd(path, "/").replace(/^\.\//u, "");
  const test = globOf(plain, "pathspec");
  return (file, spend) => file === plain || file.startsWith(`${plain}/`) || test?.(file, spend) === true;
}

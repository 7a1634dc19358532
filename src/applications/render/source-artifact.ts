import type { IgnoreLine } from "../discover/source-ignore.ts";
import type { IsLeftOut } from "../../platform/ports/applications.ts";
import { globOf, type Glob } from "../../base/glob.ts";
import { goText } from "../../base/go-text.ts";
import { onceForPair } from "../../base/grouped.ts";
import { comparing, type Limits } from "../../base/limits.ts";

// Which files of a repository are in the artifact that Flux makes (fluxcd/pkg/sourceignore, gitignore; artifact/storage,
// SourceIgnoreFilter). The rules are those of gitignore(5), but a later line may include files below an excluded folder again.

/** Always excluded. */
const OF_GIT = [".git/", ".gitignore", ".gitmodules", ".gitattributes"];
/** Excluded by default. */
const OTHERS =
  "*.jpg *.jpeg *.gif *.png *.wmv *.flv *.tar.gz *.zip .github/ .circleci/ .travis.yml .gitlab-ci.yml appveyor.yml .drone.yml cloudbuild.yaml codeship-services.yml codeship-steps.yml **/.goreleaser.yml **/.sops.yaml **/.flux.yaml".split(
    " ",
  );

/**
 * Whether a path from the root of the repository is excluded from the artifact. Throws a RollstampError if all paths take
 * more steps than the limit of comparisons.
 */
export const leftOut: (lines: readonly IgnoreLine[], limits: Limits) => IsLeftOut = onceForPair((lines, limits) => {
  const rules = lines.length > 0 ? lines : OTHERS.map((pattern) => ({ folder: ".", pattern }));
  const patterns = [...OF_GIT.map((pattern) => ({ folder: ".", pattern })), ...rules].map(patternOf).toReversed();
  const compare = comparing("paths with the patterns of .sourceignore and 'ignore'");
  const spend: Spend = (steps) => compare(steps, limits);
  // All Kustomizations of a source ask about the same paths.
  const known = new Map<string, boolean>();
  return (path, isFolder) => {
    const key = isFolder ? `${path}/` : path;
    let isOut = known.get(key);
    if (isOut === undefined) {
      const names = namesOf(path).map(goText);
      const last = patterns.find((pattern) => isAbout(pattern, names, isFolder, spend));
      known.set(key, (isOut = last !== undefined && !last.keeps));
    }
    return isOut;
  };
});

type Spend = (steps: number) => void;

interface Pattern {
  readonly domain: readonly string[];
  readonly keeps: boolean;
  readonly foldersOnly: boolean;
  /** A name without a slash matches in every folder. */
  readonly isName: boolean;
  readonly parts: readonly Part[];
}

interface Part {
  readonly text: string;
  readonly matches: (name: string, spend: Spend) => boolean;
}

function patternOf({ folder, pattern }: IgnoreLine): Pattern {
  const keeps = pattern.startsWith("!");
  let text = keeps ? pattern.slice(1) : pattern;
  if (!text.endsWith("\\ ")) text = withoutSpaces(text);
  const foldersOnly = text.endsWith("/");
  if (foldersOnly) text = text.slice(0, -1);
  return {
    domain: namesOf(folder).map(goText),
    keeps,
    foldersOnly,
    isName: !text.includes("/"),
    parts: text.split("/").map((part) => ({ text: part, matches: matcherOf(part) })),
  };
}

function withoutSpaces(text: string): string {
  let end = text.length;
  while (text[end - 1] === " ") end -= 1;
  return text.slice(0, end);
}

function namesOf(path: string): readonly string[] {
  return path === "." ? [] : path.split("/");
}

function matcherOf(pattern: string): Part["matches"] {
  let glob: Glob | undefined | "unread" = "unread";
  return (name, spend) => {
    if (glob === "unread") glob = globOf(goText(pattern), "envsubst");
    return glob?.(name, spend) === true;
  };
}

/** Whether a pattern matches a path. */
function isAbout(
  { domain, foldersOnly, isName, parts }: Pattern,
  path: readonly string[],
  isFolder: boolean,
  spend: Spend,
): boolean {
  spend(1);
  if (path.length <= domain.length || domain.some((name, i) => path[i] !== name)) return false;
  const names = path.slice(domain.length);
  if (!isName) {
    const left = matchedParts(parts, names, spend);
    return left !== undefined && !(foldersOnly && !isFolder && left === 0);
  }
  const index = names.findIndex((name) => parts[0]?.matches(name, spend));
  return index >= 0 && !(foldersOnly && !isFolder && index === names.length - 1);
}

/** The number of names after the last match of the parts; undefined if they don't match. */
function matchedParts(parts: readonly Part[], names: readonly string[], spend: Spend): number | undefined {
  let position = 0;
  let isMatched = false;
  let mayPass = false;
  for (const [i, { text, matches }] of parts.entries()) {
    if (text === "") {
      mayPass = false;
      continue;
    }
    if (text === "**") {
      if (i === parts.length - 1) break;
      mayPass = true;
      continue;
    }
    if (text.includes("**") || position >= names.length) return undefined;
    if (mayPass) {
      mayPass = false;
      const found = names.findIndex((name, n) => n >= position && matches(name, spend));
      isMatched = found >= 0;
      position = found >= 0 ? found + 1 : names.length;
    } else {
      if (!matches(names[position] ?? "", spend)) return undefined;
      isMatched = true;
      position += 1;
    }
  }
  return isMatched ? names.length - position : undefined;
}

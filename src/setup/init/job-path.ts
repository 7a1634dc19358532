import { RollstampError } from "../../base/errors.ts";
import { shellPath } from "../../base/words.ts";

/**
 * What no quoting of a shell makes harmless, because a host reads the file before the shell does. A line break ends a block of
 * YAML (yaml.org/spec/1.2.2, 5.4; YAML 1.1 also breaks lines at U+0085, U+2028 and U+2029). GitHub and GitLab replace
 * expressions in scripts (docs.github.com/actions/concepts/security/script-injections; docs.gitlab.com/ci/inputs).
 */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u, "a line break or a control character"],
  [/\$\{\{|\$\[\[/u, "an expression, which CI would replace"],
];

/** A path of the repository as a word of a command in a job or hook. Throws a RollstampError for one that is not safe there. */
export function jobPath(path: string): string {
  const found = REFUSED.find(([form]) => form.test(path));
  if (found === undefined) return shellPath(path);
  throw new RollstampError("input", `this path can't be part of a command in a job or hook: it contains ${found[1]}`, {
    place: { file: path },
    remedy: "Rename it, or write the job or hook by hand.",
  });
}

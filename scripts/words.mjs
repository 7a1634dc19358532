// Finds words that make readers stumble, in everything that people read: names, messages, comments, docs. A row is a
// pattern and what to write instead. `node scripts/words.mjs [PATH...]`; `npm run check:words` takes the whole project.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const ROWS = [
  [/\bmend(?:s|ed|ing)?\b/iu, "fix"],
  [/\b(?:is|are|was|were|be|being|been|not|also) told\b/iu, "is reported, is shown"],
  [/\btells? (?:of|that|which|what|how|whether|where|when)\b/iu, "shows, reports, says"],
  [
    /\b(?:is|are) no (?:mapping|list|time|whole number|string|text|glob|digest|regular expression)s?\b/iu,
    "must be a …",
  ],
  [/\ba text\b/iu, "a string, the text"],
  [/\banew\b/iu, "again"],
  [/\bneedless(?:ly)?\b/iu, "avoidable, unnecessary"],
  [/\bstands? twice\b|\bstands-twice\b/iu, "is duplicated (duplicate-object)"],
  [/\bunread-manifest\b/iu, "unreadable-manifest"],
  [/\bunsure-source\b/iu, "ambiguous-source"],
  [/\b(?:looked|look|looks) at by (?:itself|themselves)\b/iu, "checked separately"],
  [/\bthat there is not\b|\bthat nobody knows\b/iu, "unknown …"],
  [/\bnot got on\b/iu, "no progress"],
  [/\b(?:is|are) let go\b|\b(?:be|is|are|get) rid of\b/iu, "is removed, remove"],
  [/\bif that is meant\b|\botherwise than meant\b/iu, "if this is intended, incorrectly"],
  [/\bwhere they part\b|\breaders part\b/iu, "differences, parsers disagree"],
  [/\bwhat comes of\b/iu, "the result"],
  [/\b(?:input|HEAD|base|head) has not\b/iu, "not in the input, not in HEAD"],
  [/\bgoes (?:over|before) (?:it|them|the|a)\b/iu, "overrides, takes precedence"],
  [/\bnone comes in (?:its|their) place\b/iu, "all its pods are removed"],
  [/\bis immutable added\b/iu, "cannot be changed: … was added"],
  [/\band no pod is replaced\b/iu, "name the object and what changes"],
  [/\blost availability\b/iu, "workloads losing availability"],
  [/\bthat were there before\b/iu, "existing findings"],
  [/\bthat Git can't tell\b/iu, "impact unknown without the cluster"],
  [/\bdon't ship it\b|\blook at it first\b|(?<!\w)ship it\b/iu, "Do not merge, Review first, Safe to merge"],
  [/\bis git's own\b/iu, "path is inside .git"],
  [/\bnot to be had\b/iu, "unavailable"],
  [/\bthat which\b/iu, "what"],
  [
    /\b(?:wherefore|whereof|thereof|therein|wherein|hitherto|henceforth|lest|whilst|betwixt|likewise)\b/iu,
    "plain words",
  ],
  [/\b(?:const|let|function) (?:told|own|held|of|at|one)\b/u, "a noun of the field, a verb for a function"],
  // Not `at` and `held`, which are fields of JSON.
  [/\breadonly (?:told|own|of|one)\??:/u, "a noun of the field"],
];

/** What people read and write; generated and recorded files are left out. */
const READ = /\.(?:ts|mjs|md|sh|ya?ml|json|txt|css|html)$/u;
const LEFT_OUT =
  /^(?:fixtures\/(?!.*messages\.txt$)|package-lock\.json|scripts\/words\.mjs|test\/fuzz\/corpus|.*\.snapshot$|LICENSE)/u;

const named = process.argv.slice(2);
const files = execFileSync("git", ["ls-files", "-z", "--", ...named], { encoding: "utf8", maxBuffer: 1 << 26 })
  .split("\0")
  .filter((file) => READ.test(file) && !LEFT_OUT.test(file));

let found = 0;
for (const file of files) {
  readFileSync(file, "utf8")
    .split("\n")
    .forEach((line, i) => {
      for (const [pattern, instead] of ROWS) {
        const hit = pattern.exec(line);
        if (hit === null) continue;
        found += 1;
        console.log(`${file}:${i + 1}: "${hit[0]}": write ${instead}`);
      }
    });
}
console.log(`${found} in ${files.length} files`);
process.exitCode = found === 0 ? 0 : 1;

// Until V8 12 (Node 20) an object made by a spread with further fields has a hidden class of its own.
// js-yaml's parser state is one: from its second text on each look at it was slow, 5,000 files took
// three times as long. esbuild writes that spread as assignments.
import { readFileSync } from "node:fs";
import { transform } from "esbuild";

/** js-yaml's module as it ships. */
export async function loweredJsYaml(path) {
  const options = { supported: { "object-rest-spread": false }, loader: "js" };
  return (await transform(readFileSync(path, "utf8"), options)).code;
}

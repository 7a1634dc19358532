/**
 * Node's `require` for a source module that runs unbundled, as in tests. The bundles have their own. The module loader
 * is loaded on demand, as importing it costs time at every start.
 */
export function sourceRequire(url: string): NodeJS.Require {
  return process.getBuiltinModule("node:module").createRequire(url);
}

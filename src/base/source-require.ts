/**
 * Node's `require`, for a module of the sources that is run as it stands, as in tests: what ships has
 * one of its own. Node's loader is asked for here, as an import of it would cost every start.
 */
export function sourceRequire(url: string): NodeJS.Require {
  return process.getBuiltinModule("node:module").createRequire(url);
}

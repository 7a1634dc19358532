// The part of node:test that the tests of the core use, implemented with Mocha.
const mocha = globalThis;

/** Slow tests that detect no more mutants than the tests next to them. */
const SLOW = new Set([
  "stays within a comment, with what matters first, and says what it leaves out",
  "is coloured on a terminal, unless NO_COLOR is set",
]);

const testCase = (name, ...rest) => {
  const body = rest.at(-1);
  const { skip = false, timeout } = rest.length > 1 ? rest[0] : {};
  if (skip !== false || SLOW.has(name)) return mocha.it.skip(name, body);
  // Mocha passes a callback to functions with a parameter.
  const made = mocha.it(name, () => body());
  return timeout === undefined ? made : made.timeout(timeout);
};

export const describe = (name, body) => mocha.describe(name, () => body());
export const it = testCase;
export const test = testCase;
export const before = (body) => mocha.before(() => body());
export const after = (body) => mocha.after(() => body());
export const afterEach = (body) => mocha.afterEach(() => body());

// The part of node:test that the tests of the core use, said in Mocha's terms.
const mocha = globalThis;

/** What takes a second, or waits for one, and says no more of a mutant than the tests beside it. */
const SLOW = new Set([
  "stays within a comment, with what matters first, and says what it leaves out",
  "is coloured on a terminal, unless NO_COLOR is set",
]);

const testCase = (name, ...rest) => {
  const body = rest.at(-1);
  const { skip = false, timeout } = rest.length > 1 ? rest[0] : {};
  if (skip !== false || SLOW.has(name)) return mocha.it.skip(name, body);
  // Mocha gives a callback to a function that has a parameter: node:test's has none.
  const made = mocha.it(name, () => body());
  return timeout === undefined ? made : made.timeout(timeout);
};

export const describe = (name, body) => mocha.describe(name, () => body());
export const it = testCase;
export const test = testCase;
export const before = (body) => mocha.before(() => body());
export const after = (body) => mocha.after(() => body());
export const afterEach = (body) => mocha.afterEach(() => body());

// A rule of oxlint: what has been worded for people is not read back. Code that needs to know more than the words say
// takes the id, the cause and the parameters that they were made from.

/** The names of worded texts, as identifiers and as fields. */
const WORDED = new Set(["message", "remedy"]);

/** The methods of strings and of regular expressions that read or change a string. */
const READING = new Set([
  "endsWith",
  "exec",
  "includes",
  "indexOf",
  "lastIndexOf",
  "match",
  "matchAll",
  "replace",
  "replaceAll",
  "search",
  "slice",
  "split",
  "startsWith",
  "substring",
  "test",
]);

const REPORT = "Words for people are not read back. Take the id, the cause and the parameters instead.";

/** No method of strings is called on a message, or with one, and no message is compared with another text. */
const unread = {
  meta: { type: "problem", schema: [] },
  create(context) {
    return {
      CallExpression(node) {
        const { callee, arguments: given } = node;
        if (callee.type !== "MemberExpression" || callee.computed || !READING.has(callee.property.name)) return;
        if ([callee.object, ...given].some(isWorded)) context.report({ node, message: REPORT });
      },
      BinaryExpression(node) {
        const { left, operator, right } = node;
        if (!["===", "!==", "==", "!="].includes(operator)) return;
        if (![left, right].some(isAbsence) && [left, right].some(isWorded)) context.report({ node, message: REPORT });
      },
    };
  },
};

/** `undefined` or `null`: whether there are words at all may be asked. */
function isAbsence(node) {
  return node.type === "Identifier" ? node.name === "undefined" : node.type === "Literal" && node.value === null;
}

function isWorded(node) {
  switch (node.type) {
    case "Identifier":
      return WORDED.has(node.name);
    case "MemberExpression":
      return !node.computed && WORDED.has(node.property.name);
    // `(message ?? "").split(…)`, `message?.split(…)`, `message!`
    case "LogicalExpression":
      return isWorded(node.left);
    case "ChainExpression":
    case "ParenthesizedExpression":
    case "TSNonNullExpression":
    case "TSAsExpression":
      return isWorded(node.expression);
    default:
      return false;
  }
}

export default { meta: { name: "messages" }, rules: { unread } };

/**
 * Data as JSON that is safe to print: escaped are control characters and direction marks beyond ASCII, which a terminal
 * would follow, what YAML parsers reject, and GitHub's mark of a command.
 */
export function jsonText(value: unknown, indentation?: number): string {
  return JSON.stringify(value, undefined, indentation)
    .replace(
      /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/gu,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )
    .replaceAll("##[", "#\\u0023[");
}

/** A report as JSON. */
export function jsonReport(report: unknown): string {
  return `${jsonText(report, 2)}\n`;
}

/**
 * Data as JSON that may be shown as it is: what a terminal would follow (JSON keeps control characters and
 * direction marks beyond ASCII), what YAML readers refuse, and GitHub's mark for a command stand as escapes.
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

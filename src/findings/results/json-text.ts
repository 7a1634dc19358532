import { escapedUnits, withoutCommands } from "./terminal.ts";

/**
 * Data as JSON that is safe to print: escaped are control characters and direction marks beyond ASCII, which a terminal
 * would follow, characters that nobody sees, what YAML parsers reject, and commands of runners.
 */
export function jsonText(value: unknown, indentation?: number): string {
  return withoutCommands(
    JSON.stringify(value, undefined, indentation).replace(
      /[\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\ufffe\uffff]/gu,
      escapedUnits,
    ),
  );
}

/** A report as JSON. */
export function jsonReport(report: unknown): string {
  return `${jsonText(report, 2)}\n`;
}

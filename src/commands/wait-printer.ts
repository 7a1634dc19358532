import { API_VERSION } from "../base/keys.ts";
import { formatTime } from "../base/times.ts";
import type { Io } from "../platform/ports/io.ts";
import { WaitText, waitProgress } from "../output/wait-text.ts";
import { jsonText } from "../findings/results/json-text.ts";
import type { WaitLine } from "../reports/status/wait-report.ts";
import type { WaitPrinter } from "./wait-rounds.ts";
import { writeReport } from "./write-text.ts";

/** Prints a wait as lines of JSON, one for each event. */
export function jsonPrinter(io: Io): WaitPrinter {
  return {
    tell: async (event) => {
      const time = formatTime(io.context.systemTime());
      const line: WaitLine = { apiVersion: API_VERSION, kind: "RolloutProgress", time, ...event };
      await io.writeStdout(`${jsonText(line)}\n`);
    },
    progress: () => undefined,
  };
}

/** Prints a wait for people: what is new on standard output, how far it is on a terminal's last line. */
export function textPrinter(io: Io, color: boolean): WaitPrinter {
  const text = new WaitText(color);
  let shown = "";
  const show = (line: string): void => {
    if (!io.stderrIsTerminal || line === shown) return;
    io.writeStderr(`\r\u001b[K${line}`);
    shown = line;
  };
  return {
    tell: async (event) => {
      const lines = text.of(event);
      if (lines === "") return;
      show("");
      await writeReport(io, lines);
    },
    progress: (all, sinceMs) => show(waitProgress(all, Math.floor(sinceMs / 1000), io.stderrColumns)),
  };
}

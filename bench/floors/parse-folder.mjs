// The floor of commands that take folders: find the files, read each, parse each to events.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEvents } from "js-yaml";

let events = 0;
for (const entry of readdirSync(process.argv[2], { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  events += parseEvents(readFileSync(join(entry.parentPath ?? entry.path, entry.name), "utf8"), {}).length;
}
if (events === 0) process.exitCode = 1;

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Files } from "./folders.ts";
import { inRoot } from "./paths.ts";

/** The manifests of the example, as they were before their first stamps. */
export function unstampedShop(): Files {
  const folder = inRoot("examples", "shop");
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  const stamps = /^ +(?:configmap|secret)\.rollstamp\.dev\/.*\n/gmu;
  return Object.fromEntries(
    names.map((name) => [name, readFileSync(join(folder, name), "utf8").replaceAll(stamps, "")]),
  );
}

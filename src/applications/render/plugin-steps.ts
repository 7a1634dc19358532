import { posix } from "node:path";
import { namesIn } from "../discover/argo-variables.ts";
import type { PluginRender } from "../discover/application.ts";
import { CONFIG_FILE } from "../../base/keys.ts";
import { RENDER_YOURSELF } from "../../base/own-rendering.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Root } from "./closure.ts";
import { unable, type Renderable } from "./step.ts";

/** The name of our plugin; `rollstamp-v1` where its plugin.yaml gives a version. */
const OURS = /^rollstamp(?:-|$)/u;

/** How a config-management plugin renders: ours as `rollstamp cmp generate` does. Others are not known. */
export function pluginSteps(render: PluginRender): Renderable {
  const { folder, name } = render;
  if (!OURS.test(name)) {
    const which = name === "" ? "a plugin that it doesn't name" : `the plugin '${name}'`;
    return unable(
      `it is rendered by ${which} of Argo CD, which is not run. Where it does no more than kustomize or helm, give its folder an entry with that as 'render' in rollstamp.yaml; else ${RENDER_YOURSELF}`,
      [{ is: "folder", folder }],
    );
  }
  const texts = [...render.parameters.flatMap(textsOf), ...render.env.map(({ value }) => value)];
  return {
    is: "steps",
    steps: [{ by: "plugin", folder, plugin: render }],
    roots: [
      { is: "folder", folder },
      // What of these it is, is told by what stands there.
      { is: "kustomization", folder },
      { is: "chart", folder },
      { is: "files", paths: [...configFiles(folder), ...texts.flatMap((text) => filesNamed(text, folder))] },
      ...(tellsRevision(texts) ? [{ is: "commit" } satisfies Root] : []),
    ],
  };
}

function tellsRevision(texts: readonly string[]): boolean {
  return texts.flatMap(namesIn).some((name) => name.startsWith("ARGOCD_APP_REVISION"));
}

/** The nearest one counts. */
function configFiles(folder: string): readonly string[] {
  const files: string[] = [];
  for (let at = folder; ; at = posix.dirname(at)) {
    files.push(posix.join(at, CONFIG_FILE));
    if (at === "." || at === "/") return files;
  }
}

/** A parameter's text may be the path of a file: from the folder, or from the root with a slash; in a variable between commas. */
function filesNamed(text: string, folder: string): readonly string[] {
  if (text.length > 4096 || /[\r\n\0]/u.test(text)) return [];
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => (part.startsWith("/") ? part.replace(/^\/+/u, "") : posix.join(folder, part)))
    .filter((path) => path !== "" && path !== ".." && !path.startsWith("../"));
}

function textsOf(value: Json): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

import type { Io } from "../platform/ports/io.ts";
import type { RenderCache } from "../platform/ports/render-cache.ts";
import type { RollstampError } from "../base/errors.ts";
import { BUILD_OPTIONS_VARIABLE } from "../applications/tools/build-options.ts";
import type { AppSide } from "./application-pairs.ts";

/** What comes of rendering one side of an application. */
export type Rendered = { readonly text: string } | { readonly error: RollstampError };

/** Renderings of one run that are wanted again: texts are in its folder, and not in memory. */
export interface MadeRenderings {
  readonly get: (side: AppSide, which: "base" | "head") => Promise<Rendered | undefined>;
  readonly put: (side: AppSide, which: "base" | "head", rendered: Rendered) => Promise<void>;
}

export function madeRenderings(io: Io, kept: RenderCache): MadeRenderings {
  const errors = new Map<string, RollstampError>();
  // Of most there is none: to open a file that isn't there costs more than all else here.
  const texts = new Set<string>();
  /** What a command reads nobody knows, and while applications are looked for none runs. */
  const keyOf = ({ key, application }: AppSide, which: "base" | "head"): string | undefined => {
    if (application.render.by === "command") return undefined;
    return hasPlugins(io) ? `${which} ${key}` : key;
  };
  return {
    get: async (side, which) => {
      const key = keyOf(side, which);
      if (key === undefined) return undefined;
      const error = errors.get(key);
      if (error !== undefined) return { error };
      const text = texts.has(key) ? await kept.get(key) : undefined;
      return text === undefined ? undefined : { text };
    },
    put: async (side, which, rendered) => {
      const key = keyOf(side, which);
      if (key === undefined) return;
      if ("error" in rendered) errors.set(key, rendered.error);
      else {
        await kept.put(key, rendered.text);
        texts.add(key);
      }
    },
  };
}

/** What programs of the owner make of the files, nobody knows. */
export function hasPlugins({ environment }: Pick<Io, "environment">): boolean {
  return (environment[BUILD_OPTIONS_VARIABLE] ?? "").includes("plugins");
}

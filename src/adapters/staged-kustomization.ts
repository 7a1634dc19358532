import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { kustomizationWithPaths, looksRemote, pluginWithPaths, type PathVisitor } from "../cmp/kustomization-paths.ts";
import { RollstampError } from "../ground/errors.ts";
import { KUSTOMIZATION_FILES } from "../ground/hosts/kustomize.ts";
import { isInside } from "../ground/inside.ts";
import { toJson, type Json } from "../manifest/node.ts";
import { readTree } from "../manifest/tree.ts";
import type { ApplicationFolder } from "../io/applications.ts";
import { textOf } from "../io/files.ts";
import { readInside } from "./repository-files.ts";
import { linkOut, type Stage } from "./staged-files.ts";

export interface KustomizationToStage {
  readonly application: ApplicationFolder;
  readonly stage: Stage;
  /** Whether the sidecar's owner lets kustomize fetch. */
  readonly allowRemote: boolean;
}

/** What stands at a path. */
type Found = { readonly is: "file" | "folder"; readonly real: string } | undefined;

/**
 * Copies a kustomization into a stage with all that it names, and all that these name. A kustomization is written
 * anew, as we have read it: so kustomize can't read it differently, and finds each path as we have resolved it.
 * Gives the folder in which kustomize is to run, from the stage's folder.
 */
export function stageKustomization({ application, stage, allowRemote }: KustomizationToStage): string {
  const { root, limits } = application;
  // By path: a file that two kustomizations name, and a folder that two others include, are read once.
  const done = new Set<string>();
  const shown = (path: string): string => relative(application.folder, path) || ".";

  const find = (path: string): Found => {
    if (!isInside(root, path)) throw outside(shown(path));
    let real: string;
    try {
      real = realpathSync(path);
    } catch {
      return undefined;
    }
    if (!isInside(root, real)) throw linkOut(shown(path));
    const stats = statSync(real);
    if (stats.isDirectory()) return { is: "folder", real };
    if (stats.isFile()) return { is: "file", real };
    throw new RollstampError("input", "this is a pipe, a socket or a device, and a file is wanted", {
      place: { file: shown(path) },
    });
  };

  const copyFile = (path: string, real: string): void => {
    if (done.has(path)) return;
    done.add(path);
    stage.copy(real, relative(root, path), shown(path));
  };

  const documents = (text: string, file: string): readonly Json[] => {
    const tree = readTree(text, file, limits);
    return tree.documents.map((node) => toJson(tree, node));
  };

  /** The paths that a kustomization in a folder names, each staged. */
  const visitorAt = (folder: string): PathVisitor => {
    const at = (path: string): string => {
      // Go takes a NUL, Node throws for it.
      if (isAbsolute(path) || path.includes("\0")) throw outside(path.slice(0, 60).replaceAll("\0", "?"));
      return join(folder, path);
    };
    // A path that begins with a dot is no URL to kustomize, whatever stands behind.
    const local = (path: string): string => {
      const way = relative(folder, path).split(sep).join("/") || ".";
      return way.startsWith("..") ? way : `./${way}`;
    };
    const refuseRemote = (path: string): void => {
      if (allowRemote || !looksRemote(path)) return;
      throw new RollstampError(
        "input",
        `the kustomization names '${path.trim().slice(0, 200)}', and the plugin is offline`,
        {
          place: { file: shown(folder) },
          remedy: "Commit what it holds; the owner of the sidecar can allow it by ROLLSTAMP_ALLOW_REMOTE_BASES=true.",
        },
      );
    };
    const copied = (path: string): Found => {
      const target = at(path);
      const found = find(target);
      if (found?.is === "file") copyFile(target, found.real);
      return found;
    };
    const file = (path: string): string => {
      if (path === "") return path;
      if (looksRemote(path) && copiedOrMissing(path) === undefined) {
        refuseRemote(path);
        return path;
      }
      copied(path);
      return local(at(path));
    };
    const copiedOrMissing = (path: string): Found =>
      /^\s*[a-z][a-z0-9+.-]*:\/\//iu.test(path) ? undefined : copied(path);
    const resource = (path: string): string => {
      if (path === "") return path;
      const found = /[\r\n]/u.test(path) ? undefined : copiedOrMissing(path);
      if (found?.is === "folder") {
        visitFolder(found.real);
        return local(found.real);
      }
      if (found === undefined && looksRemote(path)) {
        refuseRemote(path);
        return path;
      }
      return local(at(path));
    };
    const isText = (path: string): boolean =>
      /[\r\n]|^\s*[{[]/u.test(path) || (!looksRemote(path) && /:(?:\s|$)/u.test(path));
    const visitor: PathVisitor = {
      file,
      resource,
      patch: (path) => (isText(path) ? path : file(path)),
      plugin: (path) => {
        if (isText(path)) {
          const written = documents(path, shown(folder)).map((config) =>
            pluginWithPaths(config, visitor, shown(folder)),
          );
          return written.map((config) => `---\n${JSON.stringify(config)}\n`).join("");
        }
        const found = copiedOrMissing(path);
        if (found?.is !== "file") return resource(path);
        for (const config of documents(textAt(found.real, shown(at(path))), shown(at(path)))) {
          pluginWithPaths(config, visitor, shown(at(path)));
        }
        return local(at(path));
      },
    };
    return visitor;
  };

  const textAt = (real: string, name: string): string =>
    textOf(readInside(real, { root, shown: name, most: limits.inputSize }));

  const visitFolder = (folder: string): void => {
    if (done.has(folder)) return;
    done.add(folder);
    stage.count();
    for (const name of KUSTOMIZATION_FILES) {
      const path = join(folder, name);
      const found = find(path);
      if (found?.is !== "file") continue;
      const [first = null] = documents(textAt(found.real, shown(path)), shown(path));
      const written = kustomizationWithPaths(first, visitorAt(folder), shown(path));
      done.add(path);
      stage.put(relative(root, path), `${JSON.stringify(written)}\n`);
    }
  };

  visitFolder(application.folder);
  return relative(root, application.folder) || ".";
}

function outside(path: string): RollstampError {
  return new RollstampError("input", `the kustomization names '${path}', which is outside the repository`, {
    remedy: "It takes files and folders of the application's repository.",
  });
}

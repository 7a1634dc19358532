import { RENDERED_FILE } from "../../applications/render/step.ts";
import type { ApplicationToRender } from "../ports/applications.ts";
import { failed, inOwnFolder, start } from "./render-application.ts";

/** `kustomize build` of files of ours over what was rendered. Throws a RollstampError. */
export function postRender(
  application: ApplicationToRender,
  rendered: string,
  files: ReadonlyMap<string, string>,
): Promise<string> {
  return inOwnFolder(application, async (rendering) => {
    rendering.stage.put(RENDERED_FILE, rendered);
    for (const [name, text] of files) rendering.stage.put(name, text);
    const run = await start(rendering, "kustomize", ["build", "."], { at: "." });
    if (run.failure !== undefined) throw failed(rendering, "kustomize build of its postRenderers", run);
    return run.stdout;
  });
}

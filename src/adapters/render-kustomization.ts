import { stageKustomization } from "./staged-kustomization.ts";
import { RollstampError } from "../ground/errors.ts";
import type { ApplicationToRender, RenderedApplication } from "../io/applications.ts";
import { failed, inOwnFolder, start, type Rendering } from "./render-application.ts";

/** What the sidecar's owner sets: options of kustomize build, and whether it may fetch. An Application can't. */
const OPTIONS = "ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS";
const REMOTE = "ROLLSTAMP_ALLOW_REMOTE_BASES";

/** Options by which a kustomization of any repository would run programs in the sidecar, or read its files. */
const REFUSED = /^-{1,2}(?:enable-exec|enable-star|mount|helm-command|output|o|env|e|network|as-current-user)(?:=|$)/u;

/** `kustomize build` over a copy, with the options that the sidecar's owner gives. */
export function renderKustomization(kustomization: ApplicationToRender): Promise<RenderedApplication> {
  return inOwnFolder(kustomization, build);
}

async function build(rendering: Rendering): Promise<RenderedApplication> {
  const { application, stage, environment } = rendering;
  const options = (environment[OPTIONS] ?? "").split(/\s+/u).filter((option) => option !== "");
  const refused = options.find((option) => REFUSED.test(option));
  if (refused !== undefined) {
    throw new RollstampError("config", `${OPTIONS} has '${refused}', by which a repository's own programs would run`, {
      remedy: "Take it out: the plugin starts nothing that a repository brings.",
    });
  }
  const allowRemote = environment[REMOTE] === "true";
  const at = stageKustomization({ application, stage, allowRemote });
  const run = await start(rendering, "kustomize", ["build", ".", ...options], {
    at,
    fetches: allowRemote,
    // A folder of plugins that the owner has mounted; without it kustomize looks in its home, which is empty.
    also: options.some((option) => option.startsWith("--enable-alpha-plugins")) ? ["KUSTOMIZE_PLUGIN_HOME"] : [],
  });
  if (run.failure !== undefined) throw failed(rendering, "kustomize build", run);
  return { text: run.stdout, by: "kustomize build" };
}

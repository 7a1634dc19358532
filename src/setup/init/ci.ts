/** The first line of what CI runs and nobody has written by hand: it is brought up to date. */
export const MADE_BY = "# Made by: rollstamp init";

/** The command line that runs a pinned version from npm, whatever else the job has. */
export function pinnedRun(version: string): string {
  return `npx --yes rollstamp@${version}`;
}

/** The command line that puts a pinned version on PATH, where kustomize finds it too. */
export function pinnedInstall(version: string): string {
  return `npm install --global --no-audit --no-fund rollstamp@${version}`;
}

// Those that the tests of the hosts run: test/packaging/versions.test.ts holds them to scripts/hosts.
const KUSTOMIZE = "5.8.1";
const HELM = "3.22.0";

/** What a job renders with. */
export interface Renderers {
  readonly kustomize: boolean;
  readonly helm: boolean;
}

/** The lines that install what renders, in an image that has nothing of it. */
export function installRenderers({ kustomize, helm }: Renderers): string[] {
  return [
    ...(kustomize
      ? [
          `curl -fsSL https://github.com/kubernetes-sigs/kustomize/releases/download/kustomize%2Fv${KUSTOMIZE}/kustomize_v${KUSTOMIZE}_linux_amd64.tar.gz | tar -xz -C /usr/local/bin`,
        ]
      : []),
    ...(helm
      ? [
          `curl -fsSL https://get.helm.sh/helm-v${HELM}-linux-amd64.tar.gz | tar -xz -C /usr/local/bin --strip-components=1 linux-amd64/helm`,
        ]
      : []),
  ];
}

/** When a job looks for restarts that are due. A quarter past: CI services are busiest at the full hour. */
export const RESTART_CRON = "15 * * * *";

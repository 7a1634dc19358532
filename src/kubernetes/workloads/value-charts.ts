import { annotated, configMap, secret, volumes } from "./kind-row.ts";
import type { PodTemplatePath, ReferencePath, ValueForm } from "./types.ts";

// Charts whose values annotate pods and name sources, as rows like those of the `workloads` option: paths start at the
// values. From the templates of each chart, rendered by test/hosts/value-charts.test.ts. A chart that writes annotations
// of its own only if none are given (cert-manager's prometheus.io/scrape) has no row: a stamp would remove those.

export interface ValueChart {
  /** The chart's name, as releases write it. */
  readonly chart: string;
  /** The repository and version of the row. */
  readonly from: string;
  /** A path that only values of this chart have: it identifies the chart if the release does not name it. */
  readonly shape?: string;
  readonly pods: readonly PodTemplatePath[];
}

const form = (name: ValueForm, ...paths: string[]): ReferencePath[] => paths.map((path) => ({ form: name, path }));

/** A chart with one mapping of pod annotations. */
const onePod = (
  chart: string,
  from: string,
  annotations: string,
  references: readonly ReferencePath[],
): ValueChart => ({
  chart,
  from,
  pods: [annotated(annotations, "", references)],
});

const authentik = (part: string): PodTemplatePath =>
  annotated(`${part}.podAnnotations`, "", [
    secret("authentik.existingSecret.secretName"),
    ...form("env", "global.env", `${part}.env`),
    ...form("envFrom", "global.envFrom", `${part}.envFrom`),
    ...volumes("global.volumes", `${part}.volumes`),
  ]);

export const VALUE_CHARTS: readonly ValueChart[] = [
  {
    chart: "app-template",
    from: "bjw-s-labs/helm-charts, charts/other/app-template 4.1.1",
    shape: "controllers.*.containers",
    pods: [
      {
        ...annotated("controllers.*.pod.annotations", "controllers.*", [
          ...form("env", "controllers.*.containers.*.env", "controllers.*.initContainers.*.env"),
          ...form("envFrom", "controllers.*.containers.*.envFrom", "controllers.*.initContainers.*.envFrom"),
          ...form("persistence", "persistence"),
        ]),
        // The template of a Job is immutable.
        except: { enabled: "false", type: "job" },
      },
    ],
  },
  onePod("grafana", "grafana-community/helm-charts, charts/grafana 12.11.1", "podAnnotations", [
    secret("admin.existingSecret"),
    secret("envFromSecret"),
    secret("envFromSecrets"),
    configMap("envFromConfigMaps"),
    ...form("env", "envValueFrom"),
    secret("smtp.existingSecret"),
    secret("extraSecretMounts.*.secretName"),
    configMap("extraConfigmapMounts.*.configMap"),
  ]),
  onePod("ingress-nginx", "kubernetes/ingress-nginx, charts/ingress-nginx 4.15.1", "controller.podAnnotations", [
    ...form("env", "controller.extraEnvs"),
    ...volumes("controller.extraVolumes"),
  ]),
  onePod("external-dns", "kubernetes-sigs/external-dns, charts/external-dns 1.21.1", "podAnnotations", [
    ...form("env", "env"),
    ...volumes("extraVolumes"),
  ]),
  onePod("traefik", "traefik/traefik-helm-chart, traefik 41.3.0", "deployment.podAnnotations", [
    ...form("env", "env"),
    ...form("envFrom", "envFrom"),
    ...form("typed", "volumes"),
    ...volumes("deployment.additionalVolumes"),
  ]),
  onePod("oauth2-proxy", "oauth2-proxy/manifests, helm/oauth2-proxy 10.7.0", "podAnnotations", [
    secret("config.existingSecret"),
    ...form("env", "extraEnv"),
    ...volumes("extraVolumes"),
  ]),
  {
    chart: "authentik",
    from: "goauthentik/helm, charts/authentik 2026.8.0",
    pods: [authentik("server"), authentik("worker")],
  },
];

import type { ReferencedKind } from "../../base/referenced-kinds.ts";

// Where charts take the annotations of their pods, and the names of ConfigMaps and Secrets, among their values. Read in the
// templates of each, and rendered by test/hosts/value-charts.test.ts. A chart that writes annotations of its own only where
// none are given (cert-manager's prometheus.io/scrape) has no row: a stamp would take those away.

/** A value that names sources; the path starts at the values, `*` as in the path of the pods' annotations. */
export type ValueReference =
  /** A name, or a list of names or of mappings with `name`; `nameAt` where the mapping has it elsewhere. */
  | { readonly form: "name"; readonly kind: ReferencedKind; readonly path: string; readonly nameAt?: string }
  /** Environment variables as a list, or as a mapping by their names. */
  | { readonly form: "env"; readonly path: string }
  | { readonly form: "envFrom"; readonly path: string }
  /** As pod specs have them. */
  | { readonly form: "volumes"; readonly path: string }
  /** A list of mappings with a `name` and a `type` of `secret` or `configMap`. */
  | { readonly form: "typed"; readonly path: string }
  /** app-template's: a mapping of volumes, each for all of its controllers or for some. */
  | { readonly form: "persistence"; readonly path: string };

/** The pods of a chart that have annotations of their own. */
export interface ChartPods {
  /** The mapping of annotations: its last steps may be missing. */
  readonly annotations: string;
  /** The mapping that has to be there, "" for the values themselves; one with `enabled: false` has no pods. */
  readonly anchor: string;
  /** Types of the anchor whose pods can't take a change. */
  readonly fixedTypes?: readonly string[];
  readonly references: readonly ValueReference[];
}

export interface ValueChart {
  /** The chart's name, as releases write it. */
  readonly chart: string;
  /** Where the row was read: the repository and the version. */
  readonly from: string;
  /** A path that only values of such a chart have: it is known by that, too, as its name may be elsewhere. */
  readonly shape?: string;
  readonly pods: readonly ChartPods[];
}

/** A chart with one kind of pods, whose annotations are `podAnnotations` or another mapping. */
function onePod(chart: string, from: string, annotations: string, references: readonly ValueReference[]): ValueChart {
  return { chart, from, pods: [{ annotations, anchor: "", references }] };
}

const authentikPod = (part: string): ChartPods => ({
  annotations: `${part}.podAnnotations`,
  anchor: "",
  references: [
    { form: "name", kind: "Secret", path: "authentik.existingSecret.secretName" },
    { form: "env", path: "global.env" },
    { form: "envFrom", path: "global.envFrom" },
    { form: "volumes", path: "global.volumes" },
    { form: "env", path: `${part}.env` },
    { form: "envFrom", path: `${part}.envFrom` },
    { form: "volumes", path: `${part}.volumes` },
  ],
});

export const VALUE_CHARTS: readonly ValueChart[] = [
  {
    chart: "app-template",
    from: "bjw-s-labs/helm-charts, charts/other/app-template 4.1.1",
    shape: "controllers.*.containers",
    pods: [
      {
        annotations: "controllers.*.pod.annotations",
        anchor: "controllers.*",
        // A Job's template can't be changed.
        fixedTypes: ["job"],
        references: [
          ...["containers", "initContainers"].flatMap((list): ValueReference[] => [
            { form: "env", path: `controllers.*.${list}.*.env` },
            { form: "envFrom", path: `controllers.*.${list}.*.envFrom` },
          ]),
          { form: "persistence", path: "persistence" },
        ],
      },
    ],
  },
  onePod("grafana", "grafana-community/helm-charts, charts/grafana 12.11.1", "podAnnotations", [
    { form: "name", kind: "Secret", path: "admin.existingSecret" },
    { form: "name", kind: "Secret", path: "envFromSecret" },
    { form: "name", kind: "Secret", path: "envFromSecrets" },
    { form: "name", kind: "ConfigMap", path: "envFromConfigMaps" },
    { form: "env", path: "envValueFrom" },
    { form: "name", kind: "Secret", path: "smtp.existingSecret" },
    { form: "name", kind: "Secret", path: "extraSecretMounts", nameAt: "secretName" },
    { form: "name", kind: "ConfigMap", path: "extraConfigmapMounts", nameAt: "configMap" },
  ]),
  onePod("ingress-nginx", "kubernetes/ingress-nginx, charts/ingress-nginx 4.15.1", "controller.podAnnotations", [
    { form: "env", path: "controller.extraEnvs" },
    { form: "volumes", path: "controller.extraVolumes" },
  ]),
  onePod("external-dns", "kubernetes-sigs/external-dns, charts/external-dns 1.21.1", "podAnnotations", [
    { form: "env", path: "env" },
    { form: "volumes", path: "extraVolumes" },
  ]),
  onePod("traefik", "traefik/traefik-helm-chart, traefik 41.3.0", "deployment.podAnnotations", [
    { form: "env", path: "env" },
    { form: "envFrom", path: "envFrom" },
    { form: "typed", path: "volumes" },
    { form: "volumes", path: "deployment.additionalVolumes" },
  ]),
  onePod("oauth2-proxy", "oauth2-proxy/manifests, helm/oauth2-proxy 10.7.0", "podAnnotations", [
    { form: "name", kind: "Secret", path: "config.existingSecret" },
    { form: "env", path: "extraEnv" },
    { form: "volumes", path: "extraVolumes" },
  ]),
  {
    chart: "authentik",
    from: "goauthentik/helm, charts/authentik 2026.8.0",
    pods: ["server", "worker"].map(authentikPod),
  },
];

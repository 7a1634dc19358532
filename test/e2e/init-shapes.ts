/** Repositories in the shapes that public ones have. */
import type { Files } from "../support/folders.ts";

const workload = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
        - name: app
          image: registry.example/app:1
          envFrom: [{configMapRef: {name: settings}}]
`;

const settings = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {LEVEL: one}\n";

const overlay = (namespace: string): string => `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: ${namespace}
resources: [../../base]
configMapGenerator:
  - name: settings
    behavior: merge
    literals: [LEVEL=${namespace}]
`;

const base = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [web.yaml]
configMapGenerator:
  - name: settings
    literals: [LEVEL=base]
generatorOptions: {disableNameSuffixHash: true}
`;

/** A base with overlays, a chart and a plain folder, which Applications and an ApplicationSet apply. */
export const argoShape = (folder: string, server: string): Files => ({
  "apps/web/base/kustomization.yaml": base,
  "apps/web/base/web.yaml": workload("web"),
  "apps/web/overlays/staging/kustomization.yaml": overlay("shape-staging"),
  "apps/web/overlays/prod/kustomization.yaml": overlay("shape-prod"),
  "charts/api/Chart.yaml": "apiVersion: v2\nname: api\nversion: 0.1.0\n",
  "charts/api/values.yaml": "level: one\n",
  "charts/api/templates/api.yaml": workload("api"),
  "charts/api/templates/settings.yaml": settings.replace("LEVEL: one", "LEVEL: {{ .Values.level }}"),
  "plain/web.yaml": workload("web"),
  "plain/settings.yaml": settings,
  "argocd/apps.yaml": `# Applied by hand.
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shape-api, namespace: argocd}
spec:
  project: default
  source: {repoURL: "file://${folder}", path: charts/api, targetRevision: main} # the chart
  destination: {server: "${server}", namespace: shape-api}
  syncPolicy: {automated: {}, syncOptions: [CreateNamespace=true]}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: shape-plain
  namespace: argocd
spec:
  project: default
  source:
    repoURL: file://${folder}
    path: plain
    targetRevision: main
  destination:
    server: ${server}
    namespace: shape-plain
  syncPolicy:
    automated: {prune: true}
    syncOptions:
      - CreateNamespace=true
`,
  "argocd/web.yaml": `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata:
  name: web
  namespace: argocd
spec:
  goTemplate: true
  generators:
    - git:
        repoURL: file://${folder}
        revision: main
        directories:
          - path: apps/web/overlays/*
  template:
    metadata:
      name: shape-{{ .path.basename }}
    spec:
      project: default
      source:
        repoURL: file://${folder}
        path: "{{ .path.path }}"
        targetRevision: main
      destination:
        server: ${server}
        namespace: shape-{{ .path.basename }}
      syncPolicy:
        automated: {}
        syncOptions: [CreateNamespace=true]
`,
});

/** The Applications of that repository. */
export const ARGO_SHAPE: readonly string[] = ["shape-api", "shape-plain", "shape-staging", "shape-prod"];

/** Flux's usual folders: what a cluster applies, and applications with a base and overlays. */
export const FLUX_SHAPE: Files = {
  "clusters/prod/web.yaml": `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system}
spec:
  interval: 1h
  path: ./apps/web/overlays/prod
  prune: true
  sourceRef: {kind: GitRepository, name: shape}
`,
  "apps/web/base/kustomization.yaml": base,
  "apps/web/base/web.yaml": workload("web"),
  "apps/web/overlays/prod/kustomization.yaml": overlay("shape-flux"),
};

// What a public GitOps repository holds: twelve kinds, of which a few matter here, in the styles of
// many hands. The text is authored (comments, flow style, quotes, blank lines), not printed from data.
import { random } from "./random.mjs";

/** @typedef {import("./random.mjs").Random} Random */

const APPS = ["argo-events", "blog", "cert-tools", "dex", "exporter", "forgejo", "homepage", "ingress", "jellyfin"];

/** @type {Record<string, { weight: number, stamps: number, text: (name: string, r: Random) => string }>} */
const KINDS = {
  deployment: {
    weight: 12,
    stamps: 2,
    text: (name, r) => `# ${name}: served by the platform team
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels: {app: ${name}, tier: "backend"}
  annotations:
    fluxcd.io/automated: 'true'   # image updates
spec:
  replicas: ${1 + r.int(3)}
  revisionHistoryLimit: 3
  selector:
    matchLabels: {app: ${name}}
  template:
    metadata:
      labels: {app: ${name}}
      annotations:
        prometheus.io/scrape: "true"
    spec:
      securityContext: {runAsNonRoot: true, runAsUser: 1000}
      initContainers:
        - name: migrate
          image: "registry.example.com/${name}:v${r.int(9)}"
          command: ["sh", "-c", "migrate up && echo done"]
          envFrom: [{secretRef: {name: ${name}-secret}}]
      containers:
        - name: ${name}
          image: registry.example.com/${name}:v${r.int(9)}.${r.int(30)}
          # the port is the one of the Service
          ports:
            - containerPort: ${3000 + r.int(5000)}
          env:
            - {name: TZ, value: Europe/Berlin}
            - name: LOG_FORMAT
              value: json
          livenessProbe: &probe
            httpGet: {path: /healthz, port: 8080}
          readinessProbe: *probe
          resources:
            requests: {cpu: 50m, memory: 128Mi}
            limits: {memory: 512Mi}
          volumeMounts:
            - name: config
              mountPath: /config/app.ini
              subPath: app.ini
      volumes:
        - name: config
          configMap: {name: ${name}-config}
        - name: tmp
          emptyDir: {}
`,
  },
  cronjob: {
    weight: 4,
    stamps: 1,
    text: (name, r) => `apiVersion: batch/v1
kind: CronJob
metadata:
  name: ${name}
spec:
  schedule: "${r.int(60)} 3 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: OnFailure
          containers:
          - name: backup
            image: restic/restic:0.17.0
            args: [backup, --tag, nightly, /data]
            envFrom:
            - secretRef:
                name: ${name}-secret
`,
  },
  config: {
    weight: 16,
    stamps: 0,
    text: (name, r) => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}-config
data:
  # read once, at start
  app.ini: |
    [server]
    root_url = https://${name}.example.com/
${Array.from({ length: 4 + r.int(30) }, (_, i) => `    option_${i} = ${r.int(10_000)}`).join("\n")}
  entrypoint.sh: |-
    #!/bin/sh
    set -eu
    # wait for the database
    until nc -z db 5432; do sleep 1; done

    exec "$@"
  FEATURES: 'a,b,c'
`,
  },
  secret: {
    weight: 16,
    stamps: 0,
    text: (name, r) => `apiVersion: v1
kind: Secret
metadata:
  name: ${name}-secret
type: Opaque
stringData:
  token: "${r.base64(15)}"
data:
  ca.crt: |
    ${r.base64(48)}
    ${r.base64(48)}
`,
  },
  service: {
    weight: 14,
    stamps: 0,
    text: (name) => `apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec:
  selector: {app: ${name}}
  ports: [{name: http, port: 80, targetPort: 8080}]
`,
  },
  ingress: {
    weight: 8,
    stamps: 0,
    text: (name) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ${name}
  annotations:
    cert-manager.io/cluster-issuer: letsencrypt
    nginx.ingress.kubernetes.io/configuration-snippet: |
      more_set_headers "X-Frame-Options: DENY";
      more_set_headers "Referrer-Policy: no-referrer";
spec:
  ingressClassName: nginx
  rules:
    - host: &host ${name}.example.com
      http:
        paths:
          - path: /
            pathType: Prefix
            backend: {service: {name: ${name}, port: {name: http}}}
  tls:
    - hosts: [*host]
      secretName: ${name}-tls
`,
  },
  rbac: {
    weight: 8,
    stamps: 0,
    text: (name, r) => `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: ${name}
rules:
${Array.from(
  { length: 3 + r.int(8) },
  (_, i) => `  - apiGroups: ["group${i}.example.com", ""]
    resources: [configmaps, secrets, events]
    verbs: ["get", "list", "watch"${r.chance(0.5) ? ', "patch"' : ""}]`,
).join("\n")}
`,
  },
  policy: {
    weight: 6,
    stamps: 0,
    text: (name) => `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: ${name}
spec:
  podSelector:
    matchLabels:
      app: ${name}
  policyTypes:
  - Ingress
  ingress:
  - from:
    - namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: ingress-nginx
    ports:
    - protocol: TCP
      port: 8080
`,
  },
  release: {
    weight: 8,
    stamps: 0,
    text: (name, r) => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: ${name}
spec:
  interval: 30m
  chart:
    spec:
      chart: ${name}
      version: ${r.int(5)}.x
      sourceRef: {kind: HelmRepository, name: charts, namespace: flux-system}
  values:
    persistence:
      config: {enabled: true, size: 10Gi}
    # https://example.com/docs#values
    ingress:
      main:
        enabled: false
    probes: {liveness: {enabled: true}, readiness: {enabled: true}, startup: {enabled: false}}
`,
  },
  account: {
    weight: 8,
    stamps: 0,
    text: (name) => `apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${name}
automountServiceAccountToken: false
`,
  },
};

const LOTTERY = Object.entries(KINDS).flatMap(([kind, { weight }]) => Array.from({ length: weight }, () => kind));

/**
 * One text per resource. A Deployment comes with its ConfigMap and Secret, a CronJob with its Secret,
 * so that most references have their source.
 * @param {number} resources
 * @returns {{ texts: string[], stamps: number }}
 */
export function mixture(resources) {
  const r = random(4);
  const texts = [];
  let stamps = 0;
  for (let index = 0; texts.length < resources; index++) {
    const kind = r.pick(LOTTERY);
    const name = `${r.pick(APPS)}-${index}`;
    const group =
      kind === "deployment" ? ["deployment", "config", "secret"] : kind === "cronjob" ? ["cronjob", "secret"] : [kind];
    if (texts.length + group.length > resources) continue;
    for (const member of group) texts.push(KINDS[member].text(name, r));
    stamps += KINDS[kind].stamps;
  }
  return { texts, stamps };
}

// A repository of applications: bases, and an overlay of each for every environment, in two commits.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const ENVIRONMENTS = ["dev", "test", "stage", "prod-eu", "prod-us", "prod-ap", "load", "demo"];

/** @param {{ name: string, image: number }} base */
const deployment = ({ name, image }) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels:
    app.kubernetes.io/name: ${name}
spec:
  replicas: 2
  selector:
    matchLabels:
      app.kubernetes.io/name: ${name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${name}
    spec:
      containers:
        - name: main
          image: registry.example/${name}:1.${image}.0
          envFrom:
            - configMapRef:
                name: ${name}-env
          ports:
            - name: http
              containerPort: 8080
          readinessProbe:
            httpGet:
              path: /ready
              port: http
          resources:
            requests:
              cpu: 100m
              memory: 64Mi
`;

/** @param {string} name */
const service = (name) => `apiVersion: v1
kind: Service
metadata:
  name: ${name}
spec:
  selector:
    app.kubernetes.io/name: ${name}
  ports:
    - name: http
      port: 80
      targetPort: http
`;

/** @param {string} name */
const base = (name) => `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - deployment.yaml
  - service.yaml
configMapGenerator:
  - name: ${name}-env
    literals:
      - MODE=fast
      - LEVEL=info
`;

/** @param {string} name @param {string} environment */
const overlay = (name, environment) => `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: ${environment}
resources:
  - ../../../bases/${name}
configMapGenerator:
  - name: ${name}-env
    behavior: merge
    literals:
      - ENVIRONMENT=${environment}
patches:
  - path: replicas.yaml
    target:
      kind: Deployment
`;

const REPLICAS = `- op: replace
  path: /spec/replicas
  value: 3
`;

/**
 * Makes the repository in an empty folder. The second commit changes the image of as many bases as make so many
 * applications differ. Gives the folders of those, from the root.
 * @param {string} folder
 * @param {{ applications: number, changed: number }} numbers
 */
export function writeRepository(folder, { applications, changed }) {
  const names = Array.from({ length: Math.ceil(applications / ENVIRONMENTS.length) }, (_, i) => `app${i}`);
  const overlays = names
    .flatMap((name, i) => ENVIRONMENTS.map((environment) => ({ name, i, environment })))
    .slice(0, applications);
  const differing = Math.ceil(changed / ENVIRONMENTS.length);
  /** @type {string[]} */
  const stream = [];
  const begin = (/** @type {string} */ tag, /** @type {number} */ at) =>
    stream.push(`commit refs/heads/main\ncommitter Ada <ada@example.com> ${at} +0000\ndata ${tag.length}\n${tag}\n`);
  const put = (/** @type {string} */ path, /** @type {string} */ text) =>
    stream.push(`M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  begin("before", 1_700_000_000);
  for (const name of names) {
    put(`bases/${name}/kustomization.yaml`, base(name));
    put(`bases/${name}/deployment.yaml`, deployment({ name, image: 1 }));
    put(`bases/${name}/service.yaml`, service(name));
  }
  for (const { name, environment } of overlays) {
    put(`apps/${name}/${environment}/kustomization.yaml`, overlay(name, environment));
    put(`apps/${name}/${environment}/replicas.yaml`, REPLICAS);
  }
  begin("after", 1_700_000_060);
  for (const name of names.slice(0, differing)) put(`bases/${name}/deployment.yaml`, deployment({ name, image: 2 }));
  const git = (/** @type {readonly string[]} */ args, input = "") => {
    const { status, stderr } = spawnSync("git", args, { cwd: folder, input, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  };
  mkdirSync(folder, { recursive: true });
  git(["init", "--quiet", "--initial-branch=main"]);
  git(["fast-import", "--quiet"], stream.join(""));
  git(["reset", "--quiet", "--hard", "main"]);
  return overlays.filter(({ i }) => i < differing).map(({ name, environment }) => join("apps", name, environment));
}

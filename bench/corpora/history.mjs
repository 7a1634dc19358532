// A repository with a history: applications in plain manifests, of which each commit changes one and its stamp.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";

/** @typedef {{ rolls: "one" | "all", files: "each" | "one" }} Shape `rolls`: of the commits one in forty rolls app0, or all; `files`: each application has files of its own, or all are in one */

const APPLICATIONS = 40;

/** @param {string} text */
const digest = (text) => `h1-${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;

/** @param {{ name: string, level: number, image: number }} application */
const workload = ({ name, level, image }) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: shop
spec:
  replicas: 2
  selector:
    matchLabels:
      app: ${name}
  template:
    metadata:
      annotations:
        configmap.rollstamp.dev/${name}-env: "${digest(`${name} ${level}`)}"
      labels:
        app: ${name}
    spec:
      containers:
        - name: main
          image: registry.example/${name}:${image}
          envFrom:
            - configMapRef:
                name: ${name}-env
          ports:
            - containerPort: 8080
          resources:
            requests:
              memory: 64Mi
`;

/** @param {{ name: string, level: number }} application */
const config = ({ name, level }) => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}-env
  namespace: shop
data:
  LEVEL: "${level}"
  MODE: fast
`;

/**
 * Makes the repository in an empty folder, with one stream: a start of git for each commit takes minutes. Every third commit changes an
 * image, the others a value with its stamp.
 * @param {string} folder
 * @param {number} commits
 * @param {Shape} shape
 */
export function writeHistory(folder, commits, { rolls, files }) {
  const applications = Array.from({ length: APPLICATIONS }, (_, i) => ({ name: `app${i}`, level: 0, image: 1 }));
  const stream = [];
  const put = (/** @type {string} */ path, /** @type {string} */ text) =>
    stream.push(`M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  for (let commit = 0; commit < commits; commit++) {
    const message = `commit ${commit}`;
    const who = `Ada <ada@example.com> ${1_700_000_000 + commit * 60} +0000`;
    stream.push(`commit refs/heads/main\ncommitter ${who}\ndata ${message.length}\n${message}\n`);
    const changed = applications[rolls === "all" ? 0 : commit % APPLICATIONS];
    if (commit > 0 && changed !== undefined) changed[commit % 3 === 0 ? "image" : "level"] += 1;
    if (files === "one") {
      put("all.yaml", applications.flatMap((one) => [workload(one), config(one)]).join("---\n"));
      continue;
    }
    for (const application of commit === 0 ? applications : [changed]) {
      if (application === undefined) continue;
      put(`apps/${application.name}/web.yaml`, workload(application));
      put(`apps/${application.name}/config.yaml`, config(application));
    }
  }
  git(folder, ["init", "--quiet", "--initial-branch=main"]);
  git(folder, ["fast-import", "--quiet"], stream.join(""));
  git(folder, ["reset", "--quiet", "--hard"]);
}

/**
 * @param {string} folder
 * @param {readonly string[]} args
 * @param {string} [input]
 */
function git(folder, args, input) {
  const { status, stderr, error } = spawnSync("git", ["-C", folder, ...args], { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${error?.message ?? stderr}`);
}

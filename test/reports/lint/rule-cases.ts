import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { found, type LintedText } from "./linted.ts";

/** A whole input, and what a rule finds in it. */
export interface Case {
  readonly what: string;
  readonly text: string;
  /** Each finding as `line: cause: parameters` (linted.ts), in order. */
  readonly finds?: readonly string[];
  readonly options?: LintedText;
}

export const workload = (
  kind: string,
  spec: string,
  more: { template?: string; pod?: string; metadata?: string; apiVersion?: string } = {},
): string => `
apiVersion: ${more.apiVersion ?? "apps/v1"}
kind: ${kind}
metadata: {name: web, ${more.metadata ?? ""}}
spec:
  ${spec}
  template:
    metadata: {${more.template ?? ""}}
    spec: {${more.pod ?? "containers: [{name: app, image: 'web:1'}]"}}
`;
export const deployment = (more: Parameters<typeof workload>[2] = {}): string =>
  workload("Deployment", "replicas: 3", more);
export const ENV_FROM = "containers: [{name: app, image: 'web:1', envFrom: [{configMapRef: {name: env}}]}]";
export const SECRET_FROM = "containers: [{name: app, image: 'web:1', envFrom: [{secretRef: {name: pw}}]}]";
export const CONFIG_MAP = "\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {A: a}}\n";
export const secret = (data: string, more = ""): string =>
  `\n---\n{apiVersion: v1, kind: Secret, metadata: {name: pw}, stringData: {${data}}${more}}\n`;
export const STALE = "h1-0123456789abcdef0123456789abcdef01234567";

/** Runs the cases of rules. */
export function testRules(rules: Readonly<Record<string, readonly Case[]>>): void {
  for (const [rule, cases] of Object.entries(rules)) {
    describe(`${rule} finds`, () => {
      for (const { what, text, finds = [], options = {} } of cases) {
        it(what, () => {
          const all = found(rule, text, options);
          assert.deepEqual(all, finds);
        });
      }
    });
  }
}

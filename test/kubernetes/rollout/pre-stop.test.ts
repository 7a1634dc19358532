import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { longPreStops } from "../../../src/kubernetes/rollout/pre-stop.ts";
import { deployment } from "./input.ts";

/** The hooks of a pod that sleep at least as long as the grace period, as `cause container seconds of grace`. */
const hooks = (pod: string): string[] => {
  const { workload, template } = deployment(pod);
  return longPreStops(workload, template).map(
    ({ data: { cause, params } }) => `${cause} ${params.container} ${params.seconds} of ${params.grace}`,
  );
};
const hooked = (preStop: string, grace = 30): string =>
  `terminationGracePeriodSeconds: ${grace}, containers: [{name: app, lifecycle: {preStop: {${preStop}}}}]`;
const command = (...words: readonly string[]): string => `exec: {command: ${JSON.stringify(words)}}`;
const script = (text: string): string => command("sh", "-c", text);

describe("a preStop hook is found as", () => {
  const ROWS: readonly (readonly [string, string | undefined])[] = [
    ["sleep: {seconds: 29}", undefined],
    ["sleep: {seconds: 30}", "noTimeLeft app 30 of 30"],
    ["sleep: {seconds: 31}", "rejected app 31 of 30"],
    ["sleep: {}", undefined],
    ["httpGet: {port: 80}", undefined],

    [command("sleep", "30"), "noTimeLeft app 30 of 30"],
    [command("sleep", "31"), "noTimeLeft app 31 of 30"],
    [command("sleep", "29.5"), undefined],
    [command("/bin/sleep", "45"), "noTimeLeft app 45 of 30"],
    [command("/usr/bin/sleep", "30s"), "noTimeLeft app 30 of 30"],
    [command("sleep", "1m"), "noTimeLeft app 60 of 30"],
    [command("sleep", "2h"), "noTimeLeft app 7200 of 30"],
    [command("sleep", "1d"), undefined],
    [command("sleep", "90", "s"), "noTimeLeft app 90 of 30"],
    [command("sleep"), undefined],
    [command("sleep", "infinity"), undefined],
    [command("sleep", "x90"), undefined],
    [command("sleep", "90x"), undefined],
    [command("sleep", "30.25"), "noTimeLeft app 30.25 of 30"],
    [command("sleep", "1000000"), undefined],
    [command("sleeper", "90"), undefined],
    [command("nosleep", "90"), undefined],
    [command("drain", "-c", "sleep 90"), undefined],
    [command(), undefined],

    [script("sleep 40"), "noTimeLeft app 40 of 30"],
    [command("/bin/bash", "-c", "sleep 40"), "noTimeLeft app 40 of 30"],
    [command("dash", "-c", "sleep 40"), "noTimeLeft app 40 of 30"],
    [command("ash", "-ec", "sleep 40"), "noTimeLeft app 40 of 30"],
    [command("fish", "-c", "sleep 40"), undefined],
    [command("sh.exe", "-c", "sleep 40"), undefined],
    [command("sh", "-e", "sleep 40"), undefined],
    [command("sh", "c", "sleep 40"), undefined],
    [command("sh", "--c", "sleep 40"), undefined],
    [command("sh", "-cx", "sleep 40"), undefined],
    [command("sh", "sleep 40"), undefined],
    [command("sh", "-c"), undefined],

    [script("sleep 20; sleep 15"), "noTimeLeft app 35 of 30"],
    [script("sleep 20\nsleep 10"), "noTimeLeft app 30 of 30"],
    [script("sleep 20 && sleep 9"), undefined],
    [script("  /bin/sleep   1m  "), "noTimeLeft app 60 of 30"],
    [script("drain; sleep 40; stop"), "noTimeLeft app 40 of 30"],
    [script("sleep 20; sleep $TIME; sleep 15"), "noTimeLeft app 35 of 30"],
    [script("sleep $TIME"), undefined],
    [script("drain"), undefined],
    [script("echo sleep 40"), undefined],
    [script("sleep 40 50"), undefined],
    [script("/usr/bin/sleep 40"), undefined],

    [script("if true; then true; fi; sleep 40"), undefined],
    [script("while true; do sleep 40; done"), undefined],
    [script("until true; do true; done; sleep 40"), undefined],
    [script("for i in a; do true; done; sleep 40"), undefined],
    [script("case a in esac; sleep 40"), undefined],
    [script("timeout 5 drain; sleep 40"), undefined],
    [script("true || false; sleep 40"), undefined],
    [script("drain & sleep 40"), undefined],
    [script("drain | log; sleep 40"), "noTimeLeft app 40 of 30"],
    [script("verify; sleep 40"), "noTimeLeft app 40 of 30"],
    [script(`sleep 40; echo ${"a".repeat(1985)}`), "noTimeLeft app 40 of 30"],
    [script(`sleep 40; echo ${"a".repeat(1986)}`), undefined],
  ];
  for (const [preStop, expected] of ROWS) {
    it(`${expected ?? "nothing"}: ${preStop.slice(0, 80)}`, () =>
      assert.deepEqual(hooks(hooked(preStop)), expected === undefined ? [] : [expected]));
  }
});

describe("the grace period", () => {
  it("is 30 seconds by default", () => {
    const hook = (seconds: number): string[] =>
      hooks(`containers: [{name: app, lifecycle: {preStop: {sleep: {seconds: ${seconds}}}}}]`);
    assert.deepEqual([hook(29), hook(30)], [[], ["noTimeLeft app 30 of 30"]]);
  });
  it("is that of the pod", () => {
    assert.deepEqual(hooks(hooked("sleep: {seconds: 40}", 60)), []);
    assert.deepEqual(hooks(hooked("sleep: {seconds: 5}", 5)), ["noTimeLeft app 5 of 5"]);
  });
});

describe("the hooks of a pod", () => {
  it("are those of its init containers and containers, each with its field", () => {
    const sleeps = (name: string): string => `{name: ${name}, lifecycle: {preStop: {sleep: {seconds: 30}}}}`;
    const { workload, template } = deployment(
      `initContainers: [${sleeps("first")}], containers: [{name: none}, ${sleeps("app")}], ephemeralContainers: [${sleeps("debug")}]`,
    );
    const found = longPreStops(workload, template);
    assert.deepEqual(
      found.map(({ field }) => field),
      ["spec.template.spec.initContainers[0].lifecycle.preStop", "spec.template.spec.containers[1].lifecycle.preStop"],
    );
    assert.deepEqual(found[1]?.data, {
      id: "RS019",
      cause: "noTimeLeft",
      params: {
        workload: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        container: "app",
        seconds: 30,
        grace: 30,
      },
    });
  });
  it("are none without a lifecycle", () => assert.deepEqual(hooks("containers: [{name: app}]"), []));
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { matchesSelector, parseSelector, type LabelSelector, type Requirement } from "../../src/base/selector.ts";

// Label selectors as `kubectl -l` reads them (k8s.io/apimachinery pkg/labels).

type Short = readonly [key: string, operator: Requirement["operator"], ...values: string[]];

const PARSED: readonly (readonly [text: string, ...requirements: Short[]])[] = [
  [""],
  ["  "],
  ["app", ["app", "Exists"]],
  ["!app", ["app", "DoesNotExist"]],
  ["!  app", ["app", "DoesNotExist"]],
  ["app=web", ["app", "In", "web"]],
  ["app==web", ["app", "In", "web"]],
  ["app!=web", ["app", "NotIn", "web"]],
  ["  app  ==  web  ", ["app", "In", "web"]],
  ["app =web", ["app", "In", "web"]],
  ["app=", ["app", "In", ""]],
  ["app!=", ["app", "NotIn", ""]],
  ["app=1.4_2-rc", ["app", "In", "1.4_2-rc"]],
  ["app in (a)", ["app", "In", "a"]],
  ["app  in(a,b)", ["app", "In", "a", "b"]],
  ["app notin  ( a , b )", ["app", "NotIn", "a", "b"]],
  ["app in ()", ["app", "In", ""]],
  ["in in (in)", ["in", "In", "in"]],
  ["example.com/app=web", ["example.com/app", "In", "web"]],
  ["my-Example.com/A_b.c-1", ["my-Example.com/A_b.c-1", "Exists"]],
  ["!example.com/app", ["example.com/app", "DoesNotExist"]],
  [
    "a=b,c!=d,!e, f in (g,h) ,i",
    ["a", "In", "b"],
    ["c", "NotIn", "d"],
    ["e", "DoesNotExist"],
    ["f", "In", "g", "h"],
    ["i", "Exists"],
  ],
];

const REFUSED: readonly string[] = [
  ",",
  "app,",
  ",app",
  "app,,tier",
  "=web",
  "!",
  "!app=web",
  "!!app",
  "!app in (a)",
  "app=a b",
  "app=a=b",
  "app=(a)",
  "app=a/b",
  "app web",
  "app in a",
  "app in (a",
  "app in a)",
  "app in (a))",
  "app in (a b)",
  "app in (a,b/c)",
  "app in (a,(b))",
  "app inside (a)",
  "appin (a)",
  "app in (a) b",
  "x app in (a)",
  "-app",
  "app-",
  "app-=web",
  "_app=web",
  "a/b/c=d",
  "/app=web",
  "app/=web",
  "a b/c",
  "app=w\u00e9b",
];

const asSelector = (requirements: readonly Short[]): LabelSelector =>
  requirements.map(([key, operator, ...values]) => ({ key, operator, values }));

describe("a selector's text", () => {
  for (const [text, ...requirements] of PARSED) {
    it(`'${text}' is read`, () => assert.deepEqual(parseSelector(text), asSelector(requirements)));
  }
  for (const text of REFUSED) it(`'${text}' is refused`, () => assert.equal(parseSelector(text), undefined));
});

describe("labels meet", () => {
  const web = { app: "web" };
  const MEETINGS: readonly (readonly [text: string, labels: Readonly<Record<string, string>>, meets: boolean])[] = [
    ["", {}, true],
    ["app=web", web, true],
    ["app=web", { app: "api" }, false],
    ["app=web", { web: "app" }, false],
    ["app=web", {}, false],
    ["app=", {}, false],
    ["app=", { app: "" }, true],
    ["app!=web", web, false],
    ["app!=web", { app: "api" }, true],
    ["app!=web", {}, true],
    ["app in (api,web)", web, true],
    ["app in (api)", web, false],
    ["app notin (api,web)", web, false],
    ["app notin (api)", web, true],
    ["app notin (api)", {}, true],
    ["app", web, true],
    ["app", { app: "" }, true],
    ["app", {}, false],
    ["!app", web, false],
    ["!app", { app: "" }, false],
    ["!app", {}, true],
    ["app=web,tier=front", web, false],
    ["app=web,tier=front", { ...web, tier: "front" }, true],
    ["app=web,!tier", web, true],
  ];
  for (const [text, labels, meets] of MEETINGS) {
    it(`'${text}': ${JSON.stringify(labels)} ${meets ? "do" : "don't"}`, () => {
      const selector = parseSelector(text);
      assert.ok(selector !== undefined);
      assert.equal(matchesSelector(selector, new Map(Object.entries(labels))), meets);
    });
  }
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { environmentProxy } from "../../src/node/proxy-environment.ts";

const proxy = (server: string, environment: Readonly<Record<string, string>>): string | undefined =>
  environmentProxy(server, environment);

describe("the proxy of the environment", () => {
  it("is the variable of the server's scheme, in upper or lower case", () => {
    const both = { HTTPS_PROXY: "http://s:1", HTTP_PROXY: "p:2", https_proxy: "http://other" };
    assert.equal(proxy("https://cluster.example", both), "http://s:1");
    assert.equal(proxy("http://cluster.example", both), "http://p:2", "http:// is the usual scheme");
    assert.equal(proxy("https://cluster.example", { https_proxy: "socks5://s:1" }), "socks5://s:1");
    assert.equal(proxy("https://cluster.example", { HTTP_PROXY: "p:2", ALL_PROXY: "a:3", HTTPS_PROXY: "" }), undefined);
    assert.equal(proxy("cluster", both), undefined);
  });

  it("is not used for this machine", () => {
    for (const host of ["localhost", "127.0.0.1", "127.9.9.9:6443", "[::1]:6443"])
      assert.equal(proxy(`https://${host}`, { HTTPS_PROXY: "p" }), undefined, host);
  });

  // As the function useProxy of golang.org/x/net/http/httpproxy answers.
  for (const [entry, host, isDirect] of [
    ["*", "cluster.example", true],
    ["cluster.example", "cluster.example", true],
    ["Cluster.Example", "cluster.example", true],
    ["example", "cluster.example", true],
    ["ample", "cluster.example", false],
    [".example", "cluster.example", true],
    [".example", "example", false],
    ["*.example", "cluster.example", true],
    ["*.example", "example", false],
    ["a, cluster.example ,b", "cluster.example", true],
    ["cluster.example:443", "cluster.example", true],
    ["cluster.example:6443", "cluster.example", false],
    ["cluster.example:6443", "cluster.example:6443", true],
    ["10.0.0.0/8", "10.1.2.3", true],
    ["10.0.0.0/8", "11.1.2.3", false],
    ["10.0.0.0/99", "10.1.2.3", false],
    ["10.1.2.3", "10.1.2.3:6443", true],
    ["2.3", "10.1.2.3", false],
    ["fd00::/8", "[fd00::1]", true],
    ["fd00::1", "[fd00::1]", true],
    ["[fd00::1]:6443", "[fd00::1]:6443", true],
    ["fd00::/8", "10.1.2.3", false],
    ["", "cluster.example", false],
    [",", "cluster.example", false],
  ] as const) {
    it(`NO_PROXY=${entry} ${isDirect ? "names" : "does not name"} ${host}`, () => {
      const found = proxy(`https://${host}`, { HTTPS_PROXY: "http://p", NO_PROXY: entry });
      assert.equal(found, isDirect ? undefined : "http://p");
    });
  }
});

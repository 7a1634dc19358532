import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { delimiter, join } from "node:path";
import process from "node:process";
import { describe, it } from "node:test";
import { stringify } from "yaml";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { shipped } from "../../support/shipped.ts";
import { inRepository } from "../plan/repository.ts";
import { kubeconfig, withFakeApi } from "./fake-api.ts";

const STATUS = ["status", "--request-timeout", "9"];

/** A kubeconfig whose context, cluster and user have these names. */
function config(names: { readonly context: string; readonly cluster?: string; readonly server: string }): string {
  const { context, cluster = "default", server } = names;
  return stringify({
    "current-context": context,
    contexts: [{ name: context, context: { cluster, user: "admin" } }],
    clusters: [{ name: cluster, cluster: { server } }],
    users: [{ name: "admin", user: {} }],
  });
}

/** What a run with these files in KUBECONFIG reports. */
async function reported(files: Readonly<Record<string, string>>, args: readonly string[] = STATUS): Promise<string> {
  let said = "";
  await inFolder(files, async (folder) => {
    const KUBECONFIG = Object.keys(files)
      .map((name) => join(folder, name))
      .join(delimiter);
    const { status, stderr } = await cli(args, { environment: { PATH: process.env["PATH"] ?? "", KUBECONFIG } });
    assert.equal(status, 2, stderr);
    said = stderr;
  });
  return said;
}

/** The headers of a request by this user. */
async function headersOf(user: unknown): Promise<IncomingHttpHeaders> {
  let headers: IncomingHttpHeaders | undefined;
  const api = {
    lists: {},
    seen: (_: URL, request: { readonly headers: IncomingHttpHeaders }) => (headers = request.headers),
  };
  const { status, stderr } = await withFakeApi(api, { args: STATUS, user });
  assert.equal(status, 0, stderr);
  assert.ok(headers !== undefined);
  return headers;
}

/** What a run with this user reports. */
async function refusalOf(user: unknown): Promise<string> {
  const { status, stderr } = await withFakeApi({ lists: {} }, { args: STATUS, user });
  assert.equal(status, 2, stderr);
  return stderr;
}

const exec = (script: string): unknown => ({
  apiVersion: "client.authentication.k8s.io/v1",
  interactiveMode: "Never",
  command: "sh",
  args: ["-c", script],
});

describe("several kubeconfigs", () => {
  const dev = config({ context: "dev", server: "http://127.0.0.1:1" });
  const prod = config({ context: "prod", server: "http://127.0.0.1:2" });

  it("the first current context counts, and of each name the first definition", async () => {
    const both = /the cluster of context 'dev' at http:\/\/127\.0\.0\.1:1 /u;
    assert.match(await reported({ a: dev, b: prod }), both);
    assert.match(await reported({ a: "", b: dev, c: prod }), both);
    assert.match(await reported({ a: "# nothing\n", b: "current-context: ''\n", c: dev, d: prod }), both);
    const other = await reported({ a: dev, b: prod }, [...STATUS, "--context", "prod"]);
    assert.match(other, /the cluster of context 'prod' at http:\/\/127\.0\.0\.1:1 /u, "the cluster of the first file");
  });

  it("a file with one name twice can't be read", async () => {
    for (const list of ["contexts", "clusters", "users"]) {
      const twice = dev.replace(new RegExp(`^${list}:\n((?: .*\n)+)`, "mu"), `${list}:\n$1$1`);
      assert.notEqual(twice, dev);
      assert.match(await reported({ a: twice }), /the kubeconfig can't be read/u);
    }
  });
});

describe("the proxy of the environment", () => {
  const asked = async (environment: Readonly<Record<string, string>>, cluster: object): Promise<string> => {
    let said = "";
    const text = kubeconfig("x").replace(
      "server: x",
      Object.entries(cluster)
        .map((pair) => pair.join(": "))
        .join("\n      "),
    );
    await inFolder({ kubeconfig: text }, async (folder) => {
      const args = [...STATUS, "--kubeconfig", join(folder, "kubeconfig")];
      said = (await cli(args, { environment: { PATH: process.env["PATH"] ?? "", ...environment } })).stderr;
    });
    return said;
  };

  it("is asked, and that of the cluster before it", async () => {
    const refused = /can't be reached: connection refused/u;
    const unknown = /can't be reached: (?:unknown host name|the host name can't be resolved)/u;
    const server = "https://cluster.invalid";
    const variables = { HTTPS_PROXY: "127.0.0.1:1" };
    assert.match(await asked(variables, { server }), refused);
    assert.match(await asked({ ...variables, NO_PROXY: "invalid" }, { server }), unknown);
    assert.match(await asked({ HTTPS_PROXY: server }, { server, "proxy-url": "http://127.0.0.1:1" }), refused);
    assert.match(await asked({ HTTPS_PROXY: ":3128" }, { server }), /the address of its proxy is not valid/u);
  });

  it("has no certificates that are not checked", async () => {
    const cluster = { server: "https://a.invalid", "insecure-skip-tls-verify": "true" };
    assert.match(await asked({}, cluster), /both insecure-skip-tls-verify and a certificate-authority are set/u);
  });
});

describe("the user of a kubeconfig", () => {
  it("is who kubectl is: a token, the token of a file, a password, an impersonated user", async () => {
    assert.equal((await headersOf({ token: "t" })).authorization, "Bearer t");
    const basic = `Basic ${btoa("me:secret")}`;
    assert.equal((await headersOf({ username: "me", password: "secret" })).authorization, basic);
    await inFolder({ token: "of-the-file\n" }, async (folder) => {
      const tokenFile = join(folder, "token");
      assert.equal((await headersOf({ token: "t", tokenFile })).authorization, "Bearer of-the-file");
      assert.equal((await headersOf({ tokenFile })).authorization, "Bearer of-the-file");
      assert.equal((await headersOf({ token: "t", tokenFile: `${tokenFile}.no` })).authorization, "Bearer t");
      assert.match(await refusalOf({ tokenFile: `${tokenFile}.no` }), /no credentials for context 'fake'/u);
    });
    const impersonated = await headersOf({
      token: "t",
      as: "dev",
      "as-uid": "7",
      "as-groups": ["readers", "writers"],
      "as-user-extra": { "example.org/scopes": ["view"] },
    });
    assert.equal(impersonated["impersonate-user"], "dev");
    assert.equal(impersonated["impersonate-uid"], "7");
    assert.equal(impersonated["impersonate-group"], "readers, writers");
    assert.equal(impersonated["impersonate-extra-example.org%2fscopes"], "view");
  });

  it("is one of OIDC", async () => {
    const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
    const token = (exp: number): string => [encode({ alg: "none" }), encode({ exp }), "s"].join(".");
    const user = (exp: number): unknown => ({ "auth-provider": { name: "oidc", config: { "id-token": token(exp) } } });
    const valid = Date.now() / 1000 + 600;
    assert.equal((await headersOf(user(valid))).authorization, `Bearer ${token(valid)}`);
    assert.match(await refusalOf(user(1)), /no credentials for context 'fake': its id-token has expired/u);
  });

  it("sends no credentials without TLS, and runs no program", () =>
    inFolder({}, async (folder) => {
      const ran = join(folder, "ran");
      const users = [{ token: "t" }, { username: "me", password: "secret" }, { exec: exec(`touch '${ran}'`) }];
      for (const user of users) {
        let headers: IncomingHttpHeaders = {};
        await withFakeApi(
          { lists: {}, seen: (_, request) => (headers = request.headers) },
          { args: STATUS, user: { ...user, as: "dev" }, plain: true },
        );
        assert.equal(headers["impersonate-user"], "dev", "as kubectl does");
        assert.equal(headers.authorization, undefined);
      }
      assert.equal(existsSync(ran), false);
    }));

  it("does not run a program for a user who has a token", () =>
    inFolder({}, async (folder) => {
      const ran = join(folder, "ran");
      assert.equal((await headersOf({ token: "t", exec: exec(`touch '${ran}'`) })).authorization, "Bearer t");
      assert.equal(existsSync(ran), false);
    }));

  it("tells a program what kubectl tells it", async () => {
    const script = `case "$KUBERNETES_EXEC_INFO" in *'"apiVersion":"client.authentication.k8s.io/v1"'*) echo '{"status":{"token":"known"}}';; esac`;
    assert.equal((await headersOf({ exec: exec(script) })).authorization, "Bearer known");
  });

  for (const [user, message] of [
    [{ "as-groups": ["admins"] }, /as-uid, as-groups and as-user-extra need as/u],
    [{ "as-uid": "7" }, /need as/u],
    [{ token: "t", username: "me", password: "secret" }, /both a token and a password are set/u],
    [{ exec: { apiVersion: "v1" } }, /exec has no command/u],
    [{ exec: exec("true"), "auth-provider": { name: "oidc" } }, /both auth-provider and exec are set/u],
    [{ "client-certificate-data": "eA==" }, /client-certificate has no client-key/u],
    [
      { "client-certificate": "a", "client-certificate-data": "eA==" },
      /both client-certificate and client-certificate-data/u,
    ],
    [{ "client-key": "a", "client-key-data": "eA==" }, /both client-key and client-key-data/u],
    [{ "auth-provider": { name: "oidc", config: { "id-token": "" } } }, /no credentials .*: its id-token has expired/u],
  ] as const) {
    it(`is refused as by kubectl: ${JSON.stringify(user)}`, async () => assert.match(await refusalOf(user), message));
  }

  it("starts no program of an auth-provider", () =>
    inFolder({}, async (folder) => {
      const ran = join(folder, "ran");
      const settings = { "cmd-path": "touch", "cmd-args": ran, exec: exec(`touch '${ran}'`), tokenFile: "/dev/null" };
      for (const name of ["gcp", "azure", "exec", "any"]) {
        const said = await refusalOf({ "auth-provider": { name, config: settings } });
        assert.match(said, new RegExp(`can't be used: kubectl no longer has the auth-provider '${name}'`, "u"));
      }
      assert.match(
        await refusalOf({ "auth-provider": { name: "oidc", config: settings } }),
        /its id-token has expired/u,
      );
      assert.equal(existsSync(ran), false);
    }));

  it("has no tokenFile of a commit", () =>
    inRepository({ "web.yaml": "" }, async ({ commit, folder, environment }) => {
      writeFileSync(join(folder, "theirs"), kubeconfig("https://127.0.0.1:1", { tokenFile: "/etc/hostname" }));
      commit("kubeconfig", {});
      const { stderr } = await cli(["status", "--kubeconfig", join(folder, "theirs")], { environment });
      assert.match(stderr, /its kubeconfig is part of a commit and names a token's file, which is not read/u);
    }));
});

describe("a program that gets credentials", () => {
  it("may print without end", async () => {
    assert.match(
      await refusalOf({ exec: exec("yes") }),
      /no credentials for context 'fake': its program prints too much$/mu,
    );
    const args = ["status", "--request-timeout", "0.7"];
    const { status, stderr } = await withFakeApi({ lists: {} }, { args, user: { exec: exec("yes >&2") } });
    assert.equal(status, 2);
    assert.match(stderr, /no credentials for context 'fake': no answer$/mu);
  });

  it("may leave a child that keeps its output open", async () => {
    const command = shipped();
    const options = "{ detached: true, stdio: ['ignore', 'inherit', 'inherit'] }";
    const args = ["-e", `require('child_process').spawn('sleep', ['30'], ${options}).unref(); console.log('{}')`];
    const user = { exec: { apiVersion: "client.authentication.k8s.io/v1", command: process.execPath, args } };
    await inFolder({ kubeconfig: kubeconfig("https://127.0.0.1:1", user) }, (folder) => {
      const start = Date.now();
      const { status, stderr } = command.run(
        ["status", "--request-timeout", "1", "--kubeconfig", join(folder, "kubeconfig")],
        {},
      );
      assert.equal(status, 2);
      assert.match(stderr, /no credentials for context 'fake'/u);
      assert.ok(Date.now() - start < 20_000);
    });
    command.remove();
  });
});

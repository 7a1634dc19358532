import assert from "node:assert/strict";
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { inRepository } from "../plan/repository.ts";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { shipped } from "../../support/shipped.ts";
import { kubeconfig, withFakeApi, type FakeApi } from "./fake-api.ts";

const EMPTY: FakeApi = { lists: {} };
const STATUS = { args: ["status"] };
// For servers that never answer: one that does may take its time on a busy machine.
const IMPATIENT = { args: ["status", "--request-timeout", "0.7"] };

/** Runs against a server that fails, and asserts one message, status 2, nothing on stdout, and no hang. */
async function fails(api: FakeApi, message: RegExp, run: Parameters<typeof withFakeApi>[1] = STATUS): Promise<void> {
  const { status, stdout, stderr } = await withFakeApi(api, run);
  assert.equal(status, 2, stderr);
  assert.equal(stdout, "");
  assert.match(stderr, message);
  assert.equal(stderr.trimEnd().split("\n").length, 2, "a message and what to do");
}

describe("status, when the cluster fails", () => {
  it("reports that nothing listens", async () => {
    await inFolder({ kubeconfig: kubeconfig("http://127.0.0.1:1") }, async (folder) => {
      const { status, stderr } = await cli(["status", "--kubeconfig", join(folder, "kubeconfig")]);
      assert.equal(status, 2);
      assert.match(stderr, /context 'fake' at http:\/\/127\.0\.0\.1:1 can't be reached: connection refused/u);
    });
  });

  it("reports expired credentials", () =>
    fails({ ...EMPTY, fault: (_, response) => (response.writeHead(401).end("{}"), true) }, /credentials \(401\)/u));

  it("does not wait forever for a response", () =>
    fails({ ...EMPTY, fault: () => true }, /does not answer within 0\.7 seconds/u, IMPATIENT));

  it("does not wait forever for the rest of a response", () =>
    fails(
      { ...EMPTY, fault: (_, response) => (response.writeHead(200).write('{"items":['), true) },
      /does not answer within 0\.7 seconds/u,
      IMPATIENT,
    ));

  it("does not take what a slow server has sent so far for a response", () =>
    fails(
      {
        ...EMPTY,
        fault: ({ socket }) => (socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n  "), true),
      },
      /does not answer within 0\.7 seconds/u,
      IMPATIENT,
    ));

  it("reports a server that stops in the middle of a response", () =>
    fails(
      {
        ...EMPTY,
        fault: (_, response, { pathname }) => {
          if (!pathname.endsWith("/configmaps")) return false;
          response.writeHead(200, { "Content-Length": "1000" });
          response.write('{"items":[', () => response.destroy());
          return true;
        },
      },
      /closed the connection during a response/u,
    ));

  it("reports a response that is not JSON", () =>
    fails({ ...EMPTY, fault: (_, response) => (response.end("<html>"), true) }, /does not answer with JSON/u));

  it("reports a server error", () =>
    fails({ ...EMPTY, fault: (_, response) => (response.writeHead(500).end(), true) }, /answers with status 500/u));

  it("reports missing permission to list", () =>
    fails(
      {
        ...EMPTY,
        fault: (_, response, { pathname }) =>
          pathname.includes("/namespaces/") && (response.writeHead(403).end(), true),
      },
      /not allowed to list workloads in namespace 'shop'/u,
    ));

  it("stops a credential plugin that does not finish", () =>
    fails(EMPTY, /no credentials for context 'fake'/u, {
      ...IMPATIENT,
      user: { exec: { apiVersion: "client.authentication.k8s.io/v1", command: "sleep", args: ["60"] } },
    }));

  it("shows the message of a credential plugin", () =>
    fails(EMPTY, /no credentials for context 'fake': log in first/u, {
      ...IMPATIENT,
      user: {
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "sh",
          args: ["-c", "echo log in first >&2; exit 1"],
        },
      },
    }));

  it("does not wait for a program that does not exist", async () => {
    for (const command of ["no-such-program-of-anybody", "./no-such-program", "/nonexistent/program"]) {
      await fails(EMPTY, /the program that gets them was not found/u, {
        args: ["status", "--request-timeout", "9"],
        user: { exec: { apiVersion: "client.authentication.k8s.io/v1", command } },
      });
    }
  });

  const TOKEN = "eyJhbGciOiJSUzI1NiJ9.hunter2";
  for (const [what, script] of [
    ["prints a token instead of JSON", `echo ${TOKEN}`],
    ["prints JSON that ends early", `printf '{"status": {"token": "${TOKEN}'`],
    ["prints no credential", `echo '{"kind": "ExecCredential"}'`],
    ["quotes a token", `echo "can't use '${TOKEN}'" >&2; exit 1`],
    ["names a token", `echo "token: hunter2" >&2; exit 1`],
    ["names a password", `echo "the password is hunter2" >&2; exit 1`],
    ["says a token", `echo ${TOKEN} is expired >&2; exit 1`],
    ["says a URL with a password", `echo "GET https://me:hunter2@login.example/x" >&2; exit 1`],
    ["says a header", `echo "Authorization: Bearer hunter2" >&2; exit 1`],
  ] as const) {
    it(`does not pass on a credential where the program ${what}`, async () => {
      const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "sh", args: ["-c", script] };
      const { status, stderr } = await withFakeApi(EMPTY, { ...STATUS, user: { exec } });
      assert.equal(status, 2);
      assert.match(stderr, /no credentials for context 'fake'/u);
      assert.doesNotMatch(stderr, /hunter2|eyJ|is not there/u);
    });
  }

  it("gives the program neither the digest key nor a PATH entry inside the repository", async () => {
    const printed = `printf '{"status": {"token": "t"}}'; test -z "$ROLLSTAMP_HMAC_KEY$ROLLSTAMP_HMAC_KEY_FILE"`;
    const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "sh", args: ["-c", printed] };
    const environment = {
      ROLLSTAMP_HMAC_KEY: "k",
      ROLLSTAMP_HMAC_KEY_FILE: "/k",
      PATH: `.:${process.env["PATH"] ?? ""}`,
    };
    const { stderr } = await withFakeApi(EMPTY, { ...STATUS, user: { exec }, world: { environment } });
    assert.match(stderr, /no workloads|not allowed to list workloads|^$/u);
    assert.doesNotMatch(stderr, /no credentials/u);
  });

  for (const server of [
    "not a url",
    "cluster.example:6443",
    "ftp://cluster.example",
    "https://me:hunter2@",
    "https//me:hunter2@cluster.example",
    "me:hunter2@cluster",
    "//me:hunter2@cluster",
    `https//me:hunter2${"x".repeat(300)}@cluster.example`,
    "http://host:99999",
  ]) {
    it(`reports a server that is not a URL: ${server}`, () =>
      inFolder({ kubeconfig: kubeconfig(server) }, async (folder) => {
        const { status, stderr } = await cli(["status", "--kubeconfig", join(folder, "kubeconfig")]);
        assert.equal(status, 2);
        assert.match(stderr, /the server of context 'fake' in the kubeconfig must be a URL: '/u);
        assert.doesNotMatch(stderr, /hunter2|internal/u);
      }));
  }

  for (const server of [
    "http://me:hunter2@127.0.0.1:1",
    "http:/me:hunter2@127.0.0.1:1",
    "http://me:a hunter2@127.0.0.1:1",
    "http://me:x@127.0.0.1:1/?token=hunter2",
  ])
    it(`shows no password of a server's address: ${server}`, () =>
      inFolder({ kubeconfig: kubeconfig(server) }, async (folder) => {
        const { stderr } = await cli(["status", "--kubeconfig", join(folder, "kubeconfig")]);
        assert.match(stderr, /at http:\/{1,2}…@127\.0\.0\.1:1(?:\/\?token=…)? can't be reached/u);
        assert.doesNotMatch(stderr, /hunter2/u);
      }));

  it("runs no program that a commit names, and one that a person has put there", () =>
    inRepository({ "web.yaml": "" }, async ({ commit, folder, environment }) => {
      const ran = join(folder, "ran");
      const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "./login.sh" };
      const kube = kubeconfig("https://127.0.0.1:1", { exec });
      writeFileSync(join(folder, "login.sh"), `#!/bin/sh\ntouch '${ran}'\necho no >&2\nexit 1\n`, { mode: 0o755 });
      writeFileSync(join(folder, "theirs"), kube);
      symlinkSync(join(folder, "theirs"), join(folder, "linked"));
      commit("kubeconfig", {});
      for (const name of ["theirs", "linked"]) {
        for (const args of [["--kubeconfig", join(folder, name)], []]) {
          const { status, stderr } = await cli(["status", ...args], {
            environment: { ...environment, KUBECONFIG: join(folder, name) },
          });
          assert.equal(status, 2);
          assert.match(stderr, /its kubeconfig is part of a commit and names a program, which is not run/u);
          assert.equal(existsSync(ran), false);
        }
      }
      writeFileSync(join(folder, "mine"), kube);
      const { stderr } = await cli(["status", "--kubeconfig", join(folder, "mine")], { environment });
      assert.match(stderr, /no credentials for context 'fake': no$/mu);
      assert.equal(existsSync(ran), true, "it is found from the kubeconfig's folder, as kubectl finds it");
    }));

  for (const [what, config] of [
    ["bare", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"],
    ["with a worktree", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = EVIL\n"],
    [
      "with programs",
      "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = EVIL\n\tfsmonitor = ../login.sh\n\tsshCommand = ../login.sh\n",
    ],
  ] as const) {
    it(`takes no folder of a commit for a repository, which knows nothing of its kubeconfig: ${what}`, () =>
      inRepository({ "web.yaml": "" }, async ({ commit, folder, environment }) => {
        const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "../login.sh" };
        const ran = join(folder, "ran");
        writeFileSync(join(folder, "login.sh"), `#!/bin/sh\ntouch '${ran}'\nexit 1\n`, { mode: 0o755 });
        commit("brought", {
          "evil/HEAD": "ref: refs/heads/main\n",
          "evil/config": config.replace("EVIL", join(folder, "evil")),
          "evil/objects/x": "",
          "evil/refs/x": "",
          "evil/kubeconfig": kubeconfig("https://127.0.0.1:1", { exec }),
        });
        const { stderr } = await cli(["status", "--kubeconfig", join(folder, "evil", "kubeconfig")], { environment });
        assert.match(stderr, /its kubeconfig is part of a commit and names a program, which is not run/u);
        assert.equal(existsSync(ran), false);
      }));
  }

  for (const namespace of ["..", ".", "", "a/../../b", "%2e%2e"]) {
    for (const command of [["status"], ["gc", "--delete"]]) {
      it(`asks nothing for a namespace that leads to other paths: ${command[0]} -n '${namespace}'`, async () => {
        const seen: string[] = [];
        const args = [...command, "-n", namespace];
        const api: FakeApi = { ...EMPTY, seen: ({ pathname }) => seen.push(pathname) };
        await fails(api, /can't be part of a path of the API server/u, { args });
        assert.deepEqual(
          seen.filter((path) => !path.startsWith("/apis")),
          [],
        );
      });
    }
  }

  it("asks the server's path, without its query and fragment", async () => {
    const seen: string[] = [];
    const api: FakeApi = { ...EMPTY, seen: (url) => seen.push(url.href) };
    for (const end of ["?x=1", "#f", "/?x=1#f"]) await withFakeApi(api, { ...STATUS, end });
    assert.ok(seen.length > 0);
    for (const url of seen) assert.match(url, /^http:\/\/fake\/apis?(?:\/[^?]+)?(?:\?limit.*)?$/u);
  });

  it("reports an unknown context, and suggests the nearest", () =>
    fails(EMPTY, /no context 'fakee'.*fake/u, { args: ["status", "--context", "fakee"] }));

  it("reports that there is no cluster: no kubeconfig, no cluster in it, no current context", async () => {
    const command = shipped();
    const none = "apiVersion: v1\nkind: Config\n";
    const other = kubeconfig("http://127.0.0.1:1").replace(/current-context: .*/u, "");
    await inFolder({ none, other }, (folder) => {
      const env = { HOME: folder, PATH: process.env["PATH"] };
      for (const [file, message] of [
        ["", /no kubeconfig with a cluster was found/u],
        ["absent", /no kubeconfig with a cluster was found/u],
        ["none", /no kubeconfig with a cluster was found/u],
        ["other", /the kubeconfig has no current context\n.*known contexts: fake/u],
      ] as const) {
        const KUBECONFIG = file === "" ? "" : join(folder, file);
        const { status, stdout, stderr } = command.run(["status"], { env: { ...env, KUBECONFIG } });
        assert.equal(status, 2, stderr);
        assert.equal(stdout, "");
        assert.match(stderr, message);
      }
    });
    command.remove();
  });

  it("reports that a kubeconfig can't be read, and quotes none of its content", async () => {
    await inFolder({ kubeconfig: "users: [{user: {token: s3cr3t\n" }, async (folder) => {
      for (const file of ["kubeconfig", "absent"]) {
        const { status, stderr } = await cli(["status", "--kubeconfig", join(folder, file)]);
        assert.equal(status, 2);
        assert.match(stderr, /the kubeconfig '.*' can't be read/u);
        assert.ok(!stderr.includes("s3cr3t"));
      }
    });
  });

  it("reports a list whose first page repeats", () =>
    fails(
      {
        ...EMPTY,
        fault: (_, response, { pathname }) => {
          if (!pathname.endsWith("/deployments")) return false;
          response.end(JSON.stringify({ metadata: { continue: "more" }, items: [] }));
          return true;
        },
      },
      /returns the same page again and again/u,
    ));

  it("reports a list that does not end", () => {
    let page = 0;
    return fails(
      {
        ...EMPTY,
        fault: (_, response, { pathname }) => {
          if (!pathname.endsWith("/deployments")) return false;
          response.end(JSON.stringify({ metadata: { continue: String((page += 1)) }, items: [] }));
          return true;
        },
      },
      /lists more than 5000 objects\n.*--max-documents/u,
      { args: ["status", "--max-documents", "5000"] },
    );
  });

  const TOO_LONG = Buffer.alloc(1024 * 1024 + 1);
  for (const [how, headers, body] of [
    ["as it is", {}, TOO_LONG],
    ["compressed", { "Content-Encoding": "gzip" }, gzipSync(TOO_LONG)],
  ] as const) {
    it(`reports a response larger than the input limit: ${how}`, () =>
      fails(
        { ...EMPTY, fault: (_, response) => (response.writeHead(200, headers).end(body), true) },
        /sends a response larger than 1Mi bytes\n.*--max-input-size raises the limit/u,
        { args: ["status", "--max-input-size", "1Mi"] },
      ));
  }

  it("asks again over a new connection where the server has just closed the one it used", async () => {
    const sockets = new Set<unknown>();
    let closed = 0;
    const { status, stderr } = await withFakeApi(
      {
        ...EMPTY,
        fault: ({ socket }) => {
          const isReused = sockets.has(socket);
          sockets.add(socket);
          if (!isReused || closed > 0) return false;
          closed += 1;
          socket.destroy();
          return true;
        },
      },
      STATUS,
    );
    assert.equal(status, 0, stderr);
    assert.equal(closed, 1);
    assert.equal(sockets.size, 2);
  });

  it("tries again when the server is busy", async () => {
    let busy = 1;
    const { status, stderr } = await withFakeApi(
      {
        ...EMPTY,
        fault: (_, response) => busy-- > 0 && (response.writeHead(429, { "Retry-After": "0.1" }).end(), true),
      },
      STATUS,
    );
    assert.equal(status, 0, stderr);
  });

  it("says on a terminal that it waits, and clears that line", async () => {
    let asked = 0;
    const api: FakeApi = {
      ...EMPTY,
      fault: (_, response) => asked++ === 0 && (setTimeout(() => response.writeHead(401).end(), 600), true),
    };
    const { stderr } = await withFakeApi(api, { ...STATUS, world: { terminal: true } });
    const line = "\r\u001b[Kreading the cluster …\r\u001b[K";
    assert.ok(stderr.startsWith(line), stderr);
    assert.match(stderr.slice(line.length), /401/u);
  });
});

// Names that are not UTF-8: two of them are one string in JavaScript, and neither can be opened by it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { fakeHelm } from "../support/fake-helm.ts";
import { inFolder } from "../support/folders.ts";
import { deployment } from "../support/manifests.ts";

const NAMES = [String.raw`d\xfe.yaml`, String.raw`d\xff.yaml`];

/** A path with a byte that is not UTF-8 for each `\xHH`. */
function bytesOf(folder: string, name: string): Buffer {
  const bytes = name.replaceAll(/\\x([0-9a-f]{2})/gu, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(bytes, "latin1")]);
}

function write(folder: string, name: string, text: string): void {
  writeFileSync(bytesOf(folder, name), text);
}

function commit(folder: string): void {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  for (const args of [
    ["add", "-A"],
    [...identity, "commit", "-qm", "x"],
  ])
    execFileSync("git", args, { cwd: folder });
}

/** A plan over a repository in which one of the files changes. */
async function planned(files: (folder: string) => void, changed: (folder: string) => void): Promise<Planned> {
  let result: Planned | undefined;
  await inFolder({ "ok.yaml": deployment("ok", "env") }, async (folder) => {
    execFileSync("git", ["init", "-q", folder]);
    files(folder);
    commit(folder);
    changed(folder);
    commit(folder);
    const here = process.cwd();
    process.chdir(folder);
    const path = `${fakeHelm(folder)}:${process.env["PATH"] ?? ""}`;
    const { status, stdout } = await cli(["plan", "--git", "HEAD~1..HEAD", "-o", "json"], {
      environment: { PATH: path },
    }).finally(() => process.chdir(here));
    result = { status, plan: JSON.parse(stdout) as Planned["plan"] };
  });
  assert.ok(result !== undefined);
  return result;
}

interface Planned {
  readonly status: number;
  readonly plan: {
    readonly verdict: { readonly level: string };
    readonly findings: readonly { readonly id: string; readonly file?: string }[];
    readonly applications: readonly { readonly status: string; readonly message?: string }[];
    readonly unread: readonly unknown[];
  };
}

describe("names that are not UTF-8", () => {
  it("are errors with the escaped name in lint, and rows of apps", async () => {
    await inFolder({ "ok.yaml": deployment("ok", "env") }, async (folder) => {
      for (const name of NAMES) write(folder, name, deployment("web", "env"));
      mkdirSync(bytesOf(folder, String.raw`sub\xff`));
      const lint = await cli(["lint", "-o", "json", folder]);
      const names = [...NAMES, String.raw`sub\xff`].map((name) => join(folder, name));
      assert.equal(lint.status, 1);
      assert.deepEqual(
        (JSON.parse(lint.stdout) as { notExamined: readonly { path: string }[] }).notExamined.map(({ path }) => path),
        names,
      );
      const check = await cli(["stamp", "--check", folder]);
      assert.equal(check.status, 1, check.stderr);
      const apps = await cli(["apps", folder]);
      assert.equal(apps.status, 1);
    });
  });

  it("stay apart in revisions, and a change of one is an error", async () => {
    const { status, plan } = await planned(
      (folder) => NAMES.forEach((name) => write(folder, name, deployment("web", "env"))),
      (folder) => write(folder, NAMES[1] ?? "", deployment("other", "env")),
    );
    assert.equal(status, 1);
    assert.equal(plan.verdict.level, "danger");
    assert.deepEqual(new Set(plan.findings.map(({ id }) => id)), new Set(["unreadable-manifest"]));
  });

  it("fail the chart that has one", async () => {
    const chart = (folder: string, text: string): void => {
      mkdirSync(join(folder, "c/templates"), { recursive: true });
      writeFileSync(join(folder, "c/Chart.yaml"), "apiVersion: v2\nname: c\nversion: 1.0.0\n");
      write(join(folder, "c/templates"), NAMES[0] ?? "", text);
    };
    const { plan } = await planned(
      (folder) => chart(folder, deployment("web", "env")),
      (folder) => chart(folder, deployment("other", "env")),
    );
    const failed = plan.applications.find((one) => one.status === "Failed");
    assert.match(failed?.message ?? "", /c\/templates\/d\\xfe\.yaml/u);
  });

  it("a changed file that is not UTF-8 is reported as unread", async () => {
    const binary = (folder: string, byte: number): void =>
      writeFileSync(join(folder, "b.yaml"), Buffer.from([0x61, 0x3a, 0x20, byte]));
    const { plan } = await planned(
      (folder) => binary(folder, 0xfe),
      (folder) => binary(folder, 0xff),
    );
    assert.equal(plan.verdict.level, "attention");
    assert.deepEqual(plan.unread, ["b.yaml"]);
  });
});

/** Whoever runs a command, every file of a data directory keeps its owner, and no owner's mistake is called damage. */

import { Database as SqliteFile } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { HELP } from "../../../src/cli/arguments.ts";
import { freePort } from "../../support/lib/free-port.ts";
import { gatewayCommand, startGateway, testEnvironment } from "../../support/processes/gateway.ts";

const OWNER = 65_534;
const OTHER = 65_533;
const isRoot = process.getuid?.() === 0 && Bun.which("setpriv") !== null;

let folder = "";
let program: string[] = [];
/** Where root alone may read and write: what the commands are given and leave. */
let privateFolder = "";
/** The data directory of a gateway that was stopped, all of it OWNER's. */
let dataDir = "";

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-e2e-owner-"));
  chmodSync(folder, 0o755);
  // Where the tests run may be closed to other users.
  const [command = "", ...rest] = gatewayCommand();
  program = [path.join(folder, path.basename(command)), ...rest];
  cpSync(command, program[0] ?? "");
  chmodSync(program[0] ?? "", 0o755);
  privateFolder = path.join(folder, "private");
  mkdirSync(privateFolder, { mode: 0o700 });
  dataDir = path.join(folder, "data");
  mkdirSync(dataDir, { mode: 0o755 });
  await (await startGateway({ dataDir })).stop();
  chownAll(dataDir, isRoot ? OWNER : (process.getuid?.() ?? 0));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function filesOf(root: string): string[] {
  return [root, ...readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => path.join(root, name))];
}

function chownAll(root: string, uid: number): void {
  for (const file of filesOf(root)) chownSync(file, uid, uid);
}

const foreignFiles = (root: string) => filesOf(root).filter((file) => statSync(file).uid !== OWNER);

async function run(args: readonly string[], uid: number, env: Record<string, string> = {}) {
  const as = uid === 0 ? [] : ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
  const child = Bun.spawn([...as, ...program, ...args], {
    cwd: folder,
    env: { ...testEnvironment(), DATA_DIR: dataDir, HOST: "127.0.0.1", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, out, err };
}

const inPrivate = (name: string) => path.join(privateFolder, name);

/** A database of another gateway that only root reads. */
function makeSource(): string {
  const file = inPrivate("one-api.db");
  if (!existsSync(file)) {
    const db = new SqliteFile(file, { create: true });
    db.run(
      "create table users (id integer primary key, username text, password text, role int, status int, quota int)",
    );
    db.run("create table tokens (id integer primary key, user_id int, key text, status int, name text)");
    db.run("create table channels (id integer primary key, type int, key text, status int, name text, models text)");
    db.close();
  }
  return file;
}

/** Prices that only root reads. */
function makeFeed(): string {
  const file = inPrivate("models-dev.json");
  if (!existsSync(file)) cpSync(path.join(import.meta.dir, "../../fixtures/catalog/models-dev.json"), file);
  return file;
}

/** Every command that touches a data directory, with what it needs and what it says when it works. */
const COMMANDS: Readonly<Record<string, () => readonly [args: string[], out: string | RegExp]>> = {
  doctor: () => [["doctor"], "Database"],
  backup: () => [["backup", inPrivate("a.backup")], "rows of"],
  restore: () => [["restore", inPrivate("a.backup"), "--force"], "restored into"],
  import: () => [["import", "--from", makeSource(), "--dry-run"], "dry run"],
  "reset-password": () => [["reset-password", "nobody-there"], /^$/],
  journal: () => [["journal", "inspect"], "Journal in"],
  "rotate-encryption-key": () => [["rotate-encryption-key"], "new key"],
  catalog: () => [["catalog", "update", "--from", makeFeed()], "Nothing was changed"],
  status: () => [["status"], /^$/],
  reload: () => [["reload"], /^$/],
};
/** They keep nothing in it. */
const WITHOUT_DATA = ["apply", "connect", "export", "demo", "sbom", "healthcheck", "logs", "version"];

test("every command of the help is tried here", () => {
  const listed = [...HELP.matchAll(/^ {2}([a-z][a-z-]+)\b.{2,}/gm)].map(([, name = ""]) => name);
  expect([...new Set(listed)].sort()).toEqual([...Object.keys(COMMANDS), ...WITHOUT_DATA, "serve"].sort());
});

describe.skipIf(!isRoot)("a data directory of another user", () => {
  test.each(Object.keys(COMMANDS))("root's %s leaves every file with its owner", async (name) => {
    const [args, words] = COMMANDS[name]?.() ?? [[], ""];
    const { out, err } = await run(args, 0);
    if (typeof words === "string") expect(`${out}${err}`).toContain(words);
    else expect(out).toMatch(words);
    expect(err).not.toContain("EACCES");
    expect(foreignFiles(dataDir)).toEqual([]);
  });

  test.each([...Object.keys(COMMANDS), "serve"])(
    "%s by a third user is refused with the owner's name",
    async (name) => {
      const args = COMMANDS[name]?.()[0] ?? [name];
      const { code, err } = await run(args, OTHER, { PORT: "0" });
      expect(code).toBe(1);
      expect(err).toContain(`DATA_DIR (${dataDir}) belongs to`);
      expect(err).toContain(`--reuid=${OWNER}`);
      expect(foreignFiles(dataDir)).toEqual([]);
    },
  );

  test("root's backup is root's, in a folder that only root may use", () => {
    expect(statSync(inPrivate("a.backup"))).toMatchObject({ uid: 0 });
    expect(statSync(inPrivate("a.backup")).mode & 0o777).toBe(0o600);
  });

  test("a gateway that root starts runs as the owner, closed to everybody else", async () => {
    const gateway = await startGateway({ dataDir });
    try {
      const status = await Bun.file(`/proc/${gateway.pid}/status`).text();
      expect(status).toMatch(new RegExp(`^Uid:\\s+${OWNER}\\s+${OWNER}\\s+${OWNER}`, "m"));
      expect(statSync(dataDir).mode & 0o777).toBe(0o700);
      expect(statSync(path.join(dataDir, "sluice.lock")).mode & 0o777).toBe(0o600);
      // Next to the running gateway too.
      for (const args of [["doctor"], ["backup", inPrivate("b.backup")], ["journal", "inspect"]]) {
        expect((await run(args, 0)).err).toBe("");
      }
    } finally {
      await gateway.stop();
    }
    expect(foreignFiles(dataDir)).toEqual([]);
  });

  test("a key that root copied in is given to the owner", async () => {
    chownSync(path.join(dataDir, "secret.key"), 0, 0);
    expect((await run(["journal", "inspect"], 0)).code).toBe(0);
    expect(foreignFiles(dataDir)).toEqual([]);
  });

  test("a file that the owner can't read is called unreadable, with the command that gives it back", async () => {
    const file = path.join(dataDir, "postgres/global/pg_control");
    chownSync(file, 0, 0);
    chmodSync(file, 0o600);
    const { code, err } = await run(["serve"], OWNER, { PORT: String(await freePort()), LOG_LEVEL: "error" });
    expect(code).toBe(1);
    expect(err).toContain(`${file} belongs to root (user 0) and is closed to nobody`);
    expect(err).toContain(`chown -R ${OWNER}:${OWNER} ${dataDir}`);
    expect(err).not.toContain("is damaged");
    chownAll(dataDir, OWNER);
    expect((await run(["doctor"], OWNER)).out).toContain("Database");
  });

  test("a volume of root whose group may write belongs to the user who fills it", async () => {
    const volume = path.join(folder, "volume");
    mkdirSync(volume);
    chownSync(volume, 0, OWNER);
    chmodSync(volume, 0o2770);
    const first = await run(["restore", inPrivate("none.backup")], OWNER, { DATA_DIR: volume });
    expect(first.err).toContain("cannot read");
    expect((await run(["journal", "inspect"], 0, { DATA_DIR: volume })).code).toBe(0);
    const made = filesOf(volume).slice(1);
    expect(made.filter((file) => statSync(file).uid !== OWNER)).toEqual([]);
    expect(made.length).toBeGreaterThan(10);
  });
});

test("reset-password without a database makes none", async () => {
  const empty = path.join(folder, "nothing");
  const { code, err } = await run(["reset-password", "root"], 0, { DATA_DIR: empty });
  expect(code).toBe(1);
  expect(err).toContain("there is no database");
  expect(existsSync(empty)).toBe(false);
});

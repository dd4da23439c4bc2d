/** What an operator can get wrong, and what breaks: the executable says in one paragraph what it is and what to do. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { emptyDatabase } from "../../support/e2e/fixture.ts";
import { startGateway } from "../../support/processes/gateway.ts";
import { runCommand } from "../../support/processes/run-command.ts";

type Env = Record<string, string>;

let folder = "";
/** A data directory that a gateway has left, and a backup of it. */
let validFolder = "";
let backup = "";
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "sluice-e2e-failures-"));
  validFolder = path.join(folder, "sound");
  backup = path.join(folder, "sound.backup");
  mkdirSync(validFolder);
  await (await startGateway({ dataDir: validFolder })).stop();
  expect(await runCommand(["backup", backup], { DATA_DIR: validFolder })).toMatchObject({ code: 0, err: "" });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A copy of the sound data directory after `damage`. */
function copy(damage: (dataDir: string) => void = () => {}): string {
  const dataDir = path.join(folder, Bun.randomUUIDv7());
  cpSync(validFolder, dataDir, { recursive: true });
  damage(dataDir);
  return dataDir;
}

const place = () => path.join(folder, Bun.randomUUIDv7());

/** Runs it and expects one paragraph on stderr with these words, nothing else, and no success. */
async function expectRefusal(env: Env, words: readonly (string | RegExp)[], args: readonly string[] = []) {
  const { code, out, err } = await runCommand(args, { PORT: "0", LOG_LEVEL: "error", ...env });
  expect(err).toMatch(/^sluice: [^\n]+\n$/);
  for (const word of words) {
    if (typeof word === "string") expect(err).toContain(word);
    else expect(err).toMatch(word);
  }
  // Neither where in the code it was, nor what is secret.
  expect(err).not.toMatch(/ at .*:\d+:\d+|undefined|\[object|hunter2/);
  expect(out).toBe("");
  expect(code).toBe(1);
}

test.each<[string, Env, string[]]>([
  ["a port that is none", { PORT: "99999" }, ["PORT", "65535"]],
  ["an unknown level", { LOG_LEVEL: "loud" }, ["LOG_LEVEL", "info"]],
  ["a flag that is neither", { ALLOW_PRIVATE_UPSTREAMS: "maybe" }, ["ALLOW_PRIVATE_UPSTREAMS", "true or false"]],
  ["a proxy that is no address", { TRUSTED_PROXIES: "nonsense" }, ["TRUSTED_PROXIES", "nonsense"]],
  ["another database's address", { DATABASE_URL: "mysql://u:hunter2@h/d" }, ["DATABASE_URL", "postgres://"]],
  ["an address that can't be read", { DATABASE_URL: "postgres://u:hunter2@[::x/d" }, ["DATABASE_URL", "PASSWORD@HOST"]],
  ["a Redis without an address", { REDIS_URL: "hunter2" }, ["REDIS_URL", "redis://"]],
  ["a short key", { ENCRYPTION_KEY: "hunter2" }, ["ENCRYPTION_KEY", "16"]],
  ["an address of another machine", { HOST: "203.0.113.7" }, ["HOST", "203.0.113.7"]],
  [
    "a database that nobody serves",
    { DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/d" },
    ["127.0.0.1:1", "start Postgres"],
  ],
  [
    "a host without a name",
    { DATABASE_URL: "postgres://u:hunter2@nobody.invalid/d" },
    ["nobody.invalid", "DATABASE_URL"],
  ],
])("%s", (_, env, words) => expectRefusal({ DATA_DIR: place(), ...env }, words));

test("a port that is taken leaves nothing behind", async () => {
  const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const dataDir = copy();
  const env = { DATA_DIR: dataDir, HOST: "127.0.0.1", PORT: String(taken.port) };
  await expectRefusal(env, ["PORT", String(taken.port), "another process"]);
  taken.stop();
  expect(readdirSync(path.join(dataDir, "journal"))).toEqual([]);
});

const engine = (dataDir: string) => path.join(dataDir, "postgres");
const noise = (file: string) => writeFileSync(file, crypto.getRandomValues(Buffer.alloc(statSync(file).size || 8192)));

test.each<[string, (dataDir: string) => void]>([
  ["a control file of noise", (dir) => noise(path.join(engine(dir), "global/pg_control"))],
  [
    "a log of noise",
    (dir) => {
      const wal = path.join(engine(dir), "pg_wal");
      for (const name of readdirSync(wal).filter((entry) => /^[0-9A-F]{24}$/.test(entry))) {
        truncateSync(path.join(wal, name), 8192);
        noise(path.join(wal, name));
      }
    },
  ],
  ["no PG_VERSION", (dir) => rmSync(path.join(engine(dir), "PG_VERSION"))],
  ["an empty PG_VERSION", (dir) => writeFileSync(path.join(engine(dir), "PG_VERSION"), "")],
  ["no tables", (dir) => rmSync(path.join(engine(dir), "base"), { recursive: true })],
  [
    "a file in its place",
    (dir) => {
      rmSync(engine(dir), { recursive: true });
      writeFileSync(engine(dir), "?");
    },
  ],
])("an embedded database with %s: which backup to restore, and how", async (_, damage) => {
  const dataDir = copy(damage);
  const older = path.join(dataDir, "backups");
  mkdirSync(older);
  cpSync(backup, path.join(older, "daily.backup"));
  await expectRefusal({ DATA_DIR: dataDir }, [
    `${engine(dataDir)} is damaged`,
    `mv ${engine(dataDir)} ${engine(dataDir)}.damaged && DATA_DIR=${dataDir} sluice restore ${older}/daily.backup`,
  ]);
});

test("the commands that the message of a damaged database gives bring it back", async () => {
  const dataDir = copy((dir) => noise(path.join(engine(dir), "global/pg_control")));
  await Bun.$`mv ${engine(dataDir)} ${engine(dataDir)}.damaged`;
  expect(await runCommand(["restore", backup], { DATA_DIR: dataDir })).toMatchObject({ code: 0, err: "" });
  expect(await (await startGateway({ dataDir })).stop()).toBe(0);
});

test("an embedded database of another release", () =>
  expectRefusal({ DATA_DIR: copy((dir) => writeFileSync(path.join(engine(dir), "PG_VERSION"), "17\n")) }, [
    ...["embedded Postgres 17", "make a backup with the release that wrote it"],
  ]));

test("a file where the data directory should be", async () => {
  const file = place();
  writeFileSync(file, "");
  await expectRefusal({ DATA_DIR: file }, ["DATA_DIR", file]);
});

const OTHER_KEY = "another key, long enough for anybody";

test("a key that is another one", () =>
  expectRefusal({ DATA_DIR: copy(), ENCRYPTION_KEY: OTHER_KEY }, ["ENCRYPTION_KEY is not the encryption key"]));

test("a backup restored with another key, or none, changes nothing", async () => {
  const dataDir = place();
  const wrong: Env[] = [{ ENCRYPTION_KEY: OTHER_KEY }, {}];
  for (const env of wrong) {
    await expectRefusal(
      { DATA_DIR: dataDir, ...env },
      ["ENCRYPTION_KEY", "secret.key", "Nothing was changed"],
      ["restore", backup],
    );
  }
  const report = await runCommand(["journal", "inspect"], { DATA_DIR: dataDir });
  expect(report.code).toBe(0);
  cpSync(path.join(validFolder, "secret.key"), path.join(dataDir, "secret.key"));
  expect(await runCommand(["restore", backup], { DATA_DIR: dataDir })).toMatchObject({ code: 0, err: "" });
});

describe.skipIf(!process.env.TEST_DATABASE_URL)("with a Postgres server", () => {
  test("a database that does not exist", async () => {
    const url = new URL(process.env.TEST_DATABASE_URL ?? "");
    url.pathname = "/nobodys";
    await expectRefusal({ DATA_DIR: place(), DATABASE_URL: url.href }, ["nobodys", "createdb"]);
  });

  test("a user who may not make tables", async () => {
    const DATABASE_URL = await emptyDatabase();
    const name = `poor_${Bun.randomUUIDv7().replaceAll("-", "")}`;
    const sql = new Bun.SQL(DATABASE_URL);
    await sql.unsafe(`create role ${name} login password 'hunter2'`);
    await sql.close();
    const url = new URL(DATABASE_URL);
    url.username = name;
    url.password = "hunter2";
    await expectRefusal({ DATA_DIR: place(), DATABASE_URL: url.href }, ["permission denied", "owner to USER"]);
  });

  test("a copy of a backup of a live gateway is nobody's: it can be restored over at once", async () => {
    const env = { DATABASE_URL: await emptyDatabase() };
    const gateway = await startGateway({ env });
    const copied = path.join(folder, "live.backup");
    expect(await runCommand(["backup", copied], { ...env, DATA_DIR: gateway.dataDir })).toMatchObject({ code: 0 });
    const there = { DATABASE_URL: await emptyDatabase(), DATA_DIR: gateway.dataDir };
    for (let round = 0; round < 2; round += 1) {
      expect(await runCommand(["restore", copied, "--force"], there)).toMatchObject({ code: 0, err: "" });
    }
    expect((await runCommand(["restore", copied, "--force"], { ...env, DATA_DIR: gateway.dataDir })).err).toContain(
      "a gateway is using this database",
    );
    await gateway.stop();
  });
});

/** Only root may mount, and not everywhere. */
async function mounted(...options: string[]): Promise<string | null> {
  const target = place();
  mkdirSync(target);
  const { exitCode } = await Bun.$`mount ${options} ${target}`.quiet().nothrow();
  return exitCode === 0 ? target : null;
}

describe.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)("on a disk that refuses", () => {
  test("everything: the variable, and what is kept there", async () => {
    const dataDir = await mounted("-t", "tmpfs", "-o", "ro", "tmpfs");
    if (!dataDir) return;
    await expectRefusal({ DATA_DIR: dataDir }, ["DATA_DIR", dataDir, "read-only", "journal"]);
    await expectRefusal({ DATA_DIR: dataDir }, ["DATA_DIR", "read-only"], ["restore", backup]);
    await Bun.$`umount ${dataDir}`.quiet();
  });

  test("more than a megabyte", async () => {
    const dataDir = await mounted("-t", "tmpfs", "-o", "size=1m", "tmpfs");
    if (!dataDir) return;
    await expectRefusal({ DATA_DIR: dataDir }, ["the disk is full", "DATA_DIR"]);
    await Bun.$`umount ${dataDir}`.quiet();
  });

  test("to change the key's file: a good one is enough", async () => {
    const dataDir = copy();
    const key = path.join(dataDir, "secret.key");
    const { exitCode } = await Bun.$`mount --bind ${key} ${key} && mount -o remount,ro,bind ${key}`.quiet().nothrow();
    if (exitCode !== 0) return;
    expect(await (await startGateway({ dataDir })).stop()).toBe(0);
    await Bun.$`umount ${key}`.quiet();
  });
});

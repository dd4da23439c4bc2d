import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openSync } from "node:fs";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { openDatabase } from "../connect.ts";
import { newestMigration } from "../migrate/migrate.ts";
import type { Database } from "../types.ts";
import { restoreBackup } from "./restore-backup.ts";
import { writeBackup } from "./write-backup.ts";

setDefaultTimeout(240_000);

const about = { version: "test" };
const LOG_ROWS = 1200;

let directory = "";
let source: TestDatabase;
let target: TestDatabase;
const file = (name = "backup.zst") => join(directory, name);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sluice-backup-"));
  source = await openTestDatabase();
  target = await openTestDatabase();
  await fill(source);
  await writeBackup(source, file(), about);
});
afterAll(async () => {
  await source.close();
  await target.close();
  await rm(directory, { recursive: true });
});

/** Rows with what is easily lost on the way: big numbers, exact decimals, quotes, arrays, JSON, references forward. */
async function fill({ sql }: TestDatabase): Promise<void> {
  await sql`insert into users (id, username, aff_code, created_at, quota, inviter_id, setting, last_check_in_day) values
    (7, 'root', 'aaaa', 1, 9007199254740991, null, '{"notify":"email","n":12345678901234567890.123}', '2026-02-03'),
    (9, '名前 "quoted" \\ \n', 'bbbb', 2, 5, 7, '{}', null)`;
  await sql`update users set inviter_id = 9 where id = 7`;
  await sql`insert into tokens (id, user_id, name, key_hash, key_cipher, created_time, model_limits)
    values (3, 9, 'key', 'h', 'c', 1, '{"a,b","c\\\\d",null}'::text[])`;
  await sql`insert into channels (id, type, name, key_cipher, models, created_time, balance)
    values (4, 1, 'one', 'c', '{gpt}', 1, 12.34567890123456789)`;
  await sql`insert into abilities ("group", model, channel_id, enabled) values ('default', 'gpt', 4, true)`;
  await sql`insert into setups (id, version, initialized_at) values ('1', 'test', 1)`;
  await sql`insert into sessions (id, user_id, version, created_at, expires_at, last_seen_at) values ('s', 7, 1, 1, 1, 1)`;
  await sql`insert into logs (created_at, type, user_id, quota, request_id, other)
    select 1700000000 + n * 40000, 2, 9, n, 'r' || n, '{"a": "line\nbreak"}' from generate_series(1, ${LOG_ROWS}::int) n`;
  await sql`insert into users (username, aff_code, created_at) values ('gone', 'gone', 1)`;
  await sql`delete from users where username = 'gone'`;
}

const TABLES = ["users", "tokens", "channels", "abilities", "setups", "logs"];

async function contentsOf({ sql }: Database): Promise<Record<string, string[]>> {
  const contents: Record<string, string[]> = {};
  for (const table of TABLES) {
    const rows = await sql.unsafe(`select row_to_json(t)::text as line from ${table} t order by 1`);
    contents[table] = rows.map(({ line }) => String(line));
  }
  return contents;
}

async function sequencesOf({ sql }: Database) {
  return [...(await sql`select sequencename, last_value from pg_sequences where schemaname = 'public' order by 1`)];
}

async function expectEmpty({ sql }: TestDatabase): Promise<void> {
  const [found] =
    await sql`select (select count(*) from users)::int as users, (select count(*) from logs)::int as logs`;
  expect(found).toEqual({ users: 0, logs: 0 });
}

beforeEach(async () => {
  await target.sql.unsafe("truncate users, channels, setups, logs, processes cascade");
});

test("brings everything back, to the digit, and ids go on where they were", async () => {
  const { counts, leftOut } = await restoreBackup(target, file());
  expect(leftOut).toEqual({ tables: [], columns: [] });
  expect(counts).toMatchObject({ users: 2, tokens: 1, channels: 1, logs: LOG_ROWS });
  expect(await contentsOf(target)).toEqual(await contentsOf(source));
  expect(await sequencesOf(target)).toEqual(await sequencesOf(source));
  const [inserted] =
    await target.sql`insert into users (username, aff_code, created_at) values ('next', 'c', 1) returning id`;
  const [again] = await source.sql`select last_value from users_id_seq`;
  expect(inserted?.id).toBe(Number(again?.last_value) + 1);
  const [sessions] = await target.sql`select count(*)::int as rows from sessions`;
  expect(sessions?.rows).toBe(0);
});

test("references are checked again afterwards, and log rows stand in their months", async () => {
  await restoreBackup(target, file());
  await expect(
    target.sql`insert into tokens (user_id, name, key_hash, key_cipher, created_time) values (99, 'x', 'y', 'z', 1)`.execute(),
  ).rejects.toThrow("foreign key");
  const [deferrable] =
    await target.sql`select count(*)::int as rows from pg_constraint where contype = 'f' and condeferrable`;
  expect(deferrable?.rows).toBe(0);
  const inMonths = (database: TestDatabase) =>
    database.sql`select tableoid::regclass::text as month, count(*)::int as rows from logs group by 1 order by 1`;
  expect([...(await inMonths(target))]).toEqual([...(await inMonths(source))]);
});

test("a database that holds something is refused, unless it may be replaced", async () => {
  await target.sql`insert into users (username, aff_code, created_at) values ('somebody', 'z', 1)`;
  await expect(restoreBackup(target, file())).rejects.toThrow("not empty");
  await restoreBackup(target, file(), { replace: true });
  expect(await contentsOf(target)).toEqual(await contentsOf(source));
});

test("a backup that is cut, changed, or none is refused and nothing is touched", async () => {
  const bytes = await Bun.file(file()).bytes();
  const text = new TextDecoder().decode(await Bun.zstdDecompress(bytes));
  const lines = text.trimEnd().split("\n");
  const packed = (changed: string) => Bun.zstdCompressSync(changed);
  const broken: Record<string, Uint8Array> = {
    "cut short": bytes.slice(0, bytes.length / 2),
    "without its checksum": packed(`${lines.slice(0, -1).join("\n")}\n`),
    "a row less": packed(`${lines.toSpliced(4, 1).join("\n")}\n`),
    changed: packed(text.replace("bbbb", "cccc")),
    "bits turned": bytes.map((byte, place) => (place === 2000 ? byte ^ 8 : byte)),
    "another file": packed("hello\n"),
    "not even packed": new TextEncoder().encode("hello"),
    empty: new Uint8Array(),
  };
  for (const [name, content] of Object.entries(broken)) {
    await Bun.write(file(name), content);
    await expect(restoreBackup(target, file(name))).rejects.toThrow(/damaged or cut short|not a backup/);
  }
  await expect(restoreBackup(target, file("missing"))).rejects.toThrow("cannot read");
  await expectEmpty(target);
});

test("a backup that is cut while it is restored ends the restore, and nothing is touched", async () => {
  const bytes = await Bun.file(file()).bytes();
  await Bun.write(file("cut later"), bytes.slice(0, bytes.length - 100));
  let opened = 0;
  const open = () => openSync(file(opened++ === 0 ? undefined : "cut later"), "r");
  await expect(restoreBackup(target, file(), { open })).rejects.toThrow("damaged or cut short");
  await expectEmpty(target);
});

describe("one of a newer release", () => {
  /** Writes the source's backup as a release would whose newest migration is a second newer than this one's. */
  async function writeNewer(name: string, compatibleFrom: number | null): Promise<void> {
    const { sql } = source;
    const newest = (await newestMigration()) + 1000;
    await sql`alter table drizzle.__drizzle_migrations add column if not exists compatible_from bigint`;
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at, compatible_from)
      values ('later', ${newest}, ${compatibleFrom})`;
    await writeBackup(source, file(name), { version: "99.0.0" });
    await sql`delete from drizzle.__drizzle_migrations where hash = 'later'`;
  }

  test("is refused when it has taken away what this one uses", async () => {
    await writeNewer("contracted", (await newestMigration()) + 1000);
    await expect(restoreBackup(target, file("contracted"))).rejects.toThrow("99.0.0");
    await expectEmpty(target);
  });

  test("is restored without what it has added, which is named", async () => {
    const { sql } = source;
    await sql`create table pets (id integer primary key, name text)`;
    await sql`insert into pets values (1, 'Rex')`;
    await sql`alter table users add column nickname text default 'x'`;
    await writeNewer("expanded", null);
    await sql`drop table pets`;
    await sql`alter table users drop column nickname`;
    const { leftOut } = await restoreBackup(target, file("expanded"));
    expect(leftOut).toEqual({ tables: ["pets"], columns: ["users.nickname"] });
    expect(await contentsOf(target)).toEqual(await contentsOf(source));
  });
});

test("keys, indexes and constraints are what they were", async () => {
  const definitions = ({ sql }: Database) =>
    sql.unsafe(`select pg_get_constraintdef(oid) as line, conrelid::regclass::text as place from pg_constraint
      where connamespace = 'public'::regnamespace and contype <> 'n'
      union all select regexp_replace(indexdef, 'INDEX \\S+ ON', 'INDEX ON'), tablename from pg_indexes where schemaname = 'public' order by 2, 1`);
  await restoreBackup(target, file());
  expect([...(await definitions(target))]).toEqual([...(await definitions(source))]);
});

test("a failed backup leaves no file behind, a good one is for its owner only", async () => {
  await expect(writeBackup(source, file("no/such/folder"), about)).rejects.toThrow();
  expect((await readdir(directory)).filter((name) => name.endsWith(".part"))).toEqual([]);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
});

test("the books of a copy agree although calls are charged meanwhile", async () => {
  const { sql } = source;
  await sql`update users set used_quota = (select sum(quota) from logs where user_id = 9) where id = 9`;
  let isWriting = true;
  const writer = (async () => {
    for (let n = 0; isWriting; n += 1) {
      await sql.begin(async (tx) => {
        await tx`insert into logs (created_at, type, user_id, quota) values (1700000000 + ${n}::int, 2, 9, 3)`;
        await tx`update users set used_quota = used_quota + 3 where id = 9`;
      });
    }
  })();
  await writeBackup(source, file("busy"), about);
  isWriting = false;
  await writer;
  await restoreBackup(target, file("busy"));
  const [books] = await target.sql`select used_quota as used,
      (select sum(quota) from logs where user_id = 9)::bigint as logged from users where id = 9`;
  expect(books?.used).toBe(books?.logged);
});

test.skipIf(!process.env.TEST_DATABASE_URL)(
  "is not restored under a gateway that serves from the same server",
  async () => {
    await target.sql`insert into processes (id, started_at, lease_until) values ('serving', 1, 99999999999)`;
    await expect(restoreBackup(target, file(), { replace: true })).rejects.toThrow("a gateway is using this database");
  },
);

test.skipIf(!process.env.TEST_DATABASE_URL)("carries embedded → server → embedded without a difference", async () => {
  const places = { databaseUrl: null, dataDir: file("first") };
  const embedded = await openDatabase(places);
  await restoreBackup(embedded, file());
  await writeBackup(embedded, file("of-embedded"), about);
  const original = { contents: await contentsOf(embedded), sequences: await sequencesOf(embedded) };
  await embedded.close();

  await restoreBackup(target, file("of-embedded"));
  await writeBackup(target, file("of-server"), about);

  const second = await openDatabase({ ...places, dataDir: file("second") });
  await restoreBackup(second, file("of-server"));
  expect({ contents: await contentsOf(second), sequences: await sequencesOf(second) }).toEqual(original);
  await second.close();
});

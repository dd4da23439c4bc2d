import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { listLogMonths } from "../../db/partitions.ts";
import { openTestDatabase, type TestDatabase } from "../../db/testing.ts";
import { verifyPassword } from "../accounts/passwords.ts";
import { checkBooks } from "../billing/books/check-books.ts";
import { createVault } from "../lib/crypto.ts";
import { createLogger } from "../lib/log.ts";
import { loadOptions } from "../settings/store.ts";
import { createTokenDirectory } from "../tokens/directory.ts";
import { runImport } from "./run-import.ts";
import { CHANNEL_KEY, KEYS, makeFile } from "./testing.ts";

const vault = createVault({ encryptionKey: "the key of the importer's tests" });
const log = createLogger({ logLevel: "silent", logFormat: "json" });
const open: TestDatabase[] = [];

afterEach(async () => {
  for (const database of open.splice(0)) await database.close();
});

async function start(family: Parameters<typeof makeFile>[1], more: readonly string[] = []) {
  const database = await openTestDatabase();
  open.push(database);
  const file = join(database.dataDir, "source.db");
  await makeFile(file, family, more);
  const run = async (choices = { isDry: false, withLogs: true }) => {
    const { report, family: found } = await runImport({ database, vault }, file, choices);
    return { found, of: (name: string) => report.section(name) };
  };
  return { database, run };
}

const TABLES = [
  "users",
  "tokens",
  "channels",
  "abilities",
  "redemption_codes",
  "redemption_uses",
  "options",
  "logs",
  "usage_rollups",
];

async function contents({ sql }: TestDatabase): Promise<string> {
  const parts: unknown[] = [];
  for (const table of TABLES) {
    parts.push(
      await sql.unsafe(`select count(*)::int as n, coalesce(sum(hashtext(t::text)), 0)::text as h from ${table} t`),
    );
  }
  return JSON.stringify(parts);
}

async function expectBooksRight({ db }: TestDatabase): Promise<void> {
  for (const book of ["users", "tokens", "channels"] as const) {
    expect({ book, wrong: (await checkBooks(db, book, 0, 1_800_000_000)).wrong }).toEqual({ book, wrong: [] });
  }
}

describe.each(["one-api", "new-api", "Veloera"] as const)("an import from %s", (family) => {
  test("brings users, keys that work, channels and equal sums; a second run changes nothing", async () => {
    const { database, run } = await start(family);
    const first = await run();
    expect(first.found).toBe(family);
    const users = first.of("users");
    expect(users).toMatchObject({ read: 3, added: 3, present: 0, before: 2_600_000_000, after: 2_600_000_000 });
    expect([...users.remarks.keys()]).toEqual(["overdrawn by 25, now 0"]);
    const keys = first.of("API keys");
    expect(keys).toMatchObject({ read: 4, added: 3, before: 5000, after: 5000 });
    expect([...keys.skipped.keys()]).toEqual(["the owner did not come over"]);

    const [alice] = await database.sql`select * from users where username = 'alice'`;
    expect(alice).toMatchObject({ id: 7, group: "vip", inviter_id: 1, email: "alice@example.com", used_quota: 1500 });
    expect(await verifyPassword("correct horse", String(alice?.password_hash))).toBe(true);
    expect(await database.sql`select provider, subject from identities`).toEqual([
      expect.objectContaining({ provider: "github", subject: "gh-7" }),
    ] as never);

    const directory = await createTokenDirectory({ ...database, vault, log });
    expect(directory.findByKey(KEYS.alice)).toMatchObject({
      id: 4,
      userId: 7,
      name: "hers",
      expiredTime: 1_900_000_000,
    });
    expect(directory.findByKey(KEYS.root)).toMatchObject({ id: 3, unlimitedQuota: true });
    directory.close();

    const [channel] = await database.sql`select * from channels where id = 2`;
    expect(channel).toMatchObject({ name: "First", base_url: "https://up.example", priority: 5, weight: 3 });
    expect(vault.decrypt(String(channel?.key_cipher))).toBe(CHANNEL_KEY);
    expect((await database.sql`select 1 from abilities where channel_id = 2 and enabled`).length).toBe(4);

    expect(first.of("redemption codes")).toMatchObject({ read: 2, added: 2, before: 750_000, after: 750_000 });
    const options = first.of("options");
    expect(options).toMatchObject({ read: 6, added: 4 });
    expect([...options.skipped.keys()].join()).toMatch(/Nonsense is unknown here.*RetryTimes/s);
    const stored = await loadOptions(database.db, vault);
    expect(stored.get("SystemName")).toBe("Old Name");
    expect(stored.get("SMTPToken")).toBe("mail-secret");
    const [secret] = await database.sql`select value from options where key = 'SMTPToken'`;
    expect(String(secret?.value)).not.toContain("mail-secret");

    expect(first.of("log")).toMatchObject({ read: 3, added: 3, present: 0, before: 1500, after: 1500 });
    const [call] = await database.sql`select * from logs where model_name = 'gpt-4o' order by created_at limit 1`;
    expect(call).toMatchObject({ user_id: 7, channel_id: 2, username: "alice", quota: 900, created_at: 1_735_690_000 });
    expect((await listLogMonths(database.sql)).map(({ name }) => name)).toContain("logs_2025_01");
    await expectBooksRight(database);

    const before = await contents(database);
    const second = await run();
    expect(second.of("users")).toMatchObject({ added: 0, present: 3 });
    expect(second.of("channels")).toMatchObject({ added: 0, present: 2 });
    expect(await contents(database)).toBe(before);
  }, 60_000);
});

test("a dry run reports and writes nothing", async () => {
  const { database, run } = await start("Veloera");
  const before = await contents(database);
  const { of } = await run({ isDry: true, withLogs: true });
  expect(of("users")).toMatchObject({ read: 3, added: 3, before: 2_600_000_000 });
  expect(await contents(database)).toBe(before);
});

test("ids that are taken here are replaced everywhere, and the numbering goes on behind them", async () => {
  const { database, run } = await start("new-api");
  await database.sql`insert into users (id, username, aff_code, created_at) values (7, 'somebody', 'bbbb', 1)`;
  await database.sql`select setval('users_id_seq', 7)`;
  await run();
  const [alice] = await database.sql`select id, aff_code from users where username = 'alice'`;
  expect(alice?.id).toBe(9);
  expect(alice?.aff_code).not.toBe("bbbb");
  const [token] = await database.sql`select user_id from tokens where id = 4`;
  expect(token?.user_id).toBe(9);
  const [debtor] = await database.sql`select inviter_id from users where username = 'debtor'`;
  expect(debtor?.inviter_id).toBe(9);
  const [next] =
    await database.sql`insert into users (username, aff_code, created_at) values ('later', 'zzzz', 1) returning id`;
  expect(next?.id).toBe(10);
});

test("gift codes keep who used them; soft-deleted rows and settings that were made here stay out", async () => {
  const { database, run } = await start("Veloera", [
    `insert into redemptions (id, user_id, "key", name, quota, created_time, is_gift, max_uses, used_count)
     values (3, 1, 'party', 'party', 100, 1700000000, 1, 5, 2)`,
    "insert into redemption_logs values (1, 3, 7, 1700000100), (2, 3, 99, 1700000200)",
    `insert into tokens (id, user_id, "key", name, deleted_at) values (20, 7, 'gone', 'gone', '2025-03-01 12:00:00.123456789+08:00')`,
    `insert into users (id, username, password, deleted_at) values (30, 'left', 'x', '2025-03-01 12:00:00+00:00')`,
  ]);
  await database.sql`insert into options values ('SystemName', 'New Name')`;
  const { of } = await run();
  const [party] = await database.sql`select * from redemption_codes where key = 'party'`;
  expect(party).toMatchObject({ id: 3, is_gift: true, max_uses: 5, used_count: 2 });
  expect(await database.sql`select user_id, quota from redemption_uses where code_id = 3`).toEqual([
    expect.objectContaining({ user_id: 7, quota: 100 }),
  ] as never);
  expect(of("API keys").skipped.get("deleted at the source")).toBe(1);
  const [left] = await database.sql`select deleted_at from users where username = 'left'`;
  expect(left?.deleted_at).toBe(1_740_830_400);
  expect((await loadOptions(database.db, vault)).get("SystemName")).toBe("New Name");
});

test("a log that is brought later takes the place of what was booked for it", async () => {
  const { database, run } = await start("new-api", [
    "insert into logs (id, user_id, created_at, type, username, token_id, model_name, quota) values (9, 7, 1735690001, 5, 'alice', 4, 'gpt-4o', 0)",
  ]);
  await run({ isDry: false, withLogs: false });
  await expectBooksRight(database);
  const total = () => database.sql`select sum(quota)::int as quota from usage_rollups`.then(([row]) => row?.quota);
  expect(await total()).toBe(2210);
  await run();
  await expectBooksRight(database);
  expect(await total()).toBe(2210);
  const [failed] = await database.sql`select type, failed, token_id from logs where failed`;
  expect(failed).toMatchObject({ type: 2, token_id: 4 });
});

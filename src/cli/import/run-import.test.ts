import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { openTestDatabase, type TestDatabase } from "../../../test/support/database.ts";
import { contents, expectBooksRight, makeFile } from "../../../test/support/import/start-import.ts";
import { checkBooks } from "../../billing/check-ledger/check-ledger.ts";
import { listAudit } from "../../domain/logs/audit/list-audit.ts";
import { createVault } from "../../lib/security/crypto.ts";
import { loadOptions } from "../../settings/store.ts";
import { runImport } from "./run-import.ts";

const vault = createVault({ encryptionKey: "the key of the importer's tests" });
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

test("codes used by people who did not come along are right in the books, and stay so", async () => {
  const { database, run } = await start("Veloera", [
    `insert into redemptions (id, user_id, "key", name, status, quota, created_time, is_gift, max_uses, used_count, used_user_id)
     values (3, 1, 'party', 'party', 1, 100, 1700000000, 1, 5, 3, 0), (4, 1, 'gone', 'gone', 3, 100, 1700000000, 0, -1, 0, 99)`,
    "insert into redemption_logs values (1, 3, 7, 1700000100), (2, 3, 99, 1700000200)",
  ]);
  const codes = () => checkBooks(database.db, "codes", 0, 1_800_000_000);
  await run();
  const first = await codes();
  expect(first).toMatchObject({ wrong: [] });
  expect(first.checked).toBeGreaterThanOrEqual(4);
  const carried =
    await database.sql`select key, carried_uses from redemption_codes where carried_uses <> 0 order by key`;
  expect(carried.map(({ key, carried_uses }) => [key, carried_uses])).toEqual([
    ["gone", 1],
    ["party", 2],
    ["used-code", 1],
  ]);
  // One more use here counts, one that leaves no trace is off.
  await database.sql`insert into redemption_uses (code_id, user_id, quota, used_time) values (3, 8, 100, 1700000300)`;
  await database.sql`update redemption_codes set used_count = 4 where key = 'party'`;
  await run();
  expect(await codes()).toMatchObject({ wrong: [] });
  await database.sql`update redemption_codes set used_count = 5 where key = 'party'`;
  expect((await codes()).wrong).toMatchObject([{ name: "party", stored: 5, added: 4 }]);
});

test("a log that is imported later replaces what was booked for it", async () => {
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

test("details that are no JSON stay out: the audit log can be read and searched", async () => {
  const row = (id: number, other: string) => `(${id}, 1, 17356900${id}, 3, 'did ${id}', 'root', '${other}')`;
  const { database, run } = await start("new-api", [
    `insert into logs (id, user_id, created_at, type, content, username, other) values
     ${[row(20, "plain words"), row(21, '{"action":"\\u0000"}'), row(22, '{"action":"delete"}')].join()}`,
  ]);
  await run();
  const page = { page: 0, pageSize: 20, oldestFirst: true };
  const contentOf = async (action?: string) =>
    (await listAudit(database.db, { action }, page)).items.map(({ content }) => content);
  expect(await contentOf()).toEqual(["did 20", "did 21", "did 22"]);
  expect(await contentOf("delete")).toEqual(["did 22"]);
});

test("what users had before is in the books, once; what was here before is unchanged", async () => {
  const { database, run } = await start("Veloera", [
    `insert into users (id, username, password, quota, used_quota, aff_quota, aff_history, aff_code)
     values (30, 'inviter', 'x', 100, 20, 5, 45, 'gggg'), (31, 'here', 'x', 9999, 5, 0, 0, 'hhhh')`,
    `insert into redemptions (id, user_id, "key", name, quota, created_time, is_gift, max_uses, used_count)
     values (3, 1, 'party', 'party', 100, 1700000000, 1, 5, 2)`,
    "insert into redemption_logs values (1, 3, 30, 1700000100), (2, 3, 31, 1700000200)",
    `insert into logs (id, user_id, created_at, type, content, username, quota)
     values (8, 30, 1735690001, 4, 'Quota for a new user', 'inviter', 77)`,
  ]);
  const off = async () => (await checkBooks(database.db, "balances", 0, 1_800_000_000)).wrong;
  await database.sql`insert into users (username, aff_code, created_at, quota) values ('here', 'here', 1, 3)`;
  const before = await off();
  expect(before).toMatchObject([{ name: "here", stored: 3, added: 0 }]);
  await run();
  expect(await off()).toEqual(before);
  const after = await contents(database);
  await run();
  expect(await contents(database)).toBe(after);
  expect(await off()).toEqual(before);
});

test("what is left of new-api's subscriptions becomes part of the balance, in the books, once", async () => {
  const now = Math.floor(Date.now() / 1000);
  const plan = (id: number, title: string, columns: string, values: string) =>
    `insert into subscription_plans (id, title, price_amount, total_amount, created_at, ${columns})
     values (${id}, '${title}', 1, 900, 1700000000, ${values})`;
  const { database, run } = await start("new-api", [
    plan(1, "Week", "duration_unit, duration_value, quota_reset_period", "'day', 7, 'never'"),
    plan(
      2,
      "Burst",
      "duration_unit, custom_seconds, quota_reset_period, quota_reset_custom_seconds",
      "'custom', 172800, 'custom', 18000",
    ),
    plan(3, "Euro", "currency, allow_wallet_overflow", "'EUR', 0"),
    plan(4, "Odd", "quota_reset_period, quota_reset_custom_seconds", "'custom', 7"),
    plan(5, "Short", "duration_unit, duration_value", "'hour', 5"),
    `insert into user_subscriptions (user_id, plan_id, amount_total, amount_used, start_time, end_time, status) values
     (7, 1, 900, 300, ${now - 86_400}, ${now + 5 * 86_400}, 'active'),
     (7, 3, 900, 0, ${now - 86_400}, ${now + 86_400}, 'active'),
     (7, 4, 900, 0, ${now - 86_400}, ${now + 86_400}, 'active'),
     (7, 1, 900, 0, ${now - 86_400}, ${now + 5 * 86_400}, 'cancelled')`,
  ]);
  const { of } = await run();
  expect(of("plans")).toMatchObject({ read: 5, added: 3 });
  expect([...of("plans").skipped.keys()].join()).toMatch(/Odd: quota that comes back every 7 s.*Short: its duration/s);
  expect([...of("plans").remarks.keys()]).toEqual(["Euro: hidden, its price is in EUR: enter it in quota"]);
  expect(of("subscriptions")).toMatchObject({ read: 4, added: 2, before: 1500, after: 1500 });
  const stored =
    await database.sql`select name, "window", period, period_count, is_visible, allows_overage from plans order by id`;
  expect(stored.map((row) => Object.values(row).join(" "))).toEqual([
    "Week period day 7 true true",
    "Burst 5h day 2 true true",
    "Euro period month 1 false false",
  ]);
  const [alice] = await database.sql`select quota::bigint as quota from users where id = 7`;
  expect(Number(alice?.quota)).toBe(2_500_001_500);
  await expectBooksRight(database);
  const after = await contents(database);
  await run();
  expect(await contents(database)).toBe(after);
});

test("weights of the one-api family keep their shares: 10 more each, unless all are equal", async () => {
  const weights = async (more: readonly string[]) => {
    const { database, run } = await start("new-api", more);
    const { of } = await run();
    const rows =
      await database.sql`select c.weight, a.weight as ability from channels c join abilities a on a.channel_id = c.id`;
    expect(rows.every(({ weight, ability }) => weight === ability)).toBe(true);
    return [
      [...new Set(rows.map(({ weight }) => weight))].sort(),
      [...of("channels").remarks.keys()].filter((text) => /weights/.test(text)).length,
    ];
  };
  expect(await weights([])).toEqual([[10, 13], 1]);
  expect(await weights(["update channels set weight = 0"])).toEqual([[0], 0]);
});

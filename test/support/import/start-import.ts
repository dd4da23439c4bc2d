import { Database as SqliteFile } from "bun:sqlite";
import { expect } from "bun:test";
import type { Database } from "../../../db/types.ts";
import { checkBooks } from "../../../src/billing/check-ledger/check-ledger.ts";
import type { Family, Kin } from "../../../src/cli/import/coverage/detect-family.ts";
import type { Report } from "../../../src/cli/import/report.ts";
import { type Engine, REAL_SCHEMAS, tablesOf } from "./real-schemas.ts";

/** bcrypt of "correct horse", as the others keep it. */
const passwordHash = Bun.password.hashSync("correct horse", { algorithm: "bcrypt", cost: 4 }).replace("$2b$", "$2a$");

/** The second as some of the others make keys, with signs. */
export const KEYS = {
  root: `${"A".repeat(47)}1`,
  alice: `${"B".repeat(44)}-x_2`,
  spent: `${"C".repeat(47)}3`,
} as const;
export const CHANNEL_KEY = "sk-upstream-of-the-source";

/** Rows every family can hold: two users of whom one invited the other, three keys, two channels, codes, options, logs. */
const ROWS: readonly string[] = [
  `insert into users (id, username, password, display_name, role, email, github_id, access_token, quota, used_quota, "group", aff_code, inviter_id)
   values (1, 'root', '${passwordHash}', 'Root User', 100, '', '', '0123456789abcdef0123456789abcdef', 100000000, 700, 'default', 'aaaa', 0),
   (7, 'alice', '${passwordHash}', 'Alice', 1, 'alice@example.com', 'gh-7', 'fedcba9876543210fedcba9876543210', 2500000000, 1500, 'vip', 'bbbb', 1),
   (8, 'debtor', '${passwordHash}', 'Debtor', 1, '', '', null, -25, 10, 'default', 'cccc', 7)`,
  `insert into tokens (id, user_id, "key", status, name, created_time, accessed_time, expired_time, remain_quota, unlimited_quota, used_quota)
   values (3, 1, '${KEYS.root}', 1, 'mine', 1700000000, 1700000001, -1, 0, true, 700),
   (4, 7, '${KEYS.alice}', 1, 'hers', 1700000000, 1700000001, 1900000000, 5000, false, 1500),
   (9, 8, '${KEYS.spent}', 4, 'spent', 1700000000, 1700000001, -1, -3, false, 10),
   (10, 99, 'orphan', 1, 'orphan', 1700000000, 1700000001, -1, 5, false, 0)`,
  `insert into channels (id, type, "key", status, name, weight, created_time, models, "group", base_url, used_quota, priority)
   values (2, 1, '${CHANNEL_KEY}', 1, 'First', 3, 1700000000, 'gpt-4o,gpt-4o-mini', 'default,vip', 'https://up.example/', 2200, 5),
   (5, 14, 'claude-key', 2, 'Claude', 0, 1700000000, 'claude-3', 'default', null, 10, 0)`,
  `insert into options ("key", value) values ('SystemName', 'Old Name'), ('GroupRatio', '{"default":1,"vip":0.5}'),
   ('ModelRatio', '{"gpt-4o":1.25}'), ('SMTPToken', 'mail-secret'), ('Nonsense', 'x'), ('RetryTimes', 'many')`,
  `insert into redemptions (id, user_id, "key", status, name, quota, created_time, redeemed_time)
   values (1, 1, 'unused-code', 1, 'gift', 500000, 1700000000, 0), (2, 1, 'used-code', 3, 'gift', 250000, 1700000000, 1700000500)`,
  `insert into logs (id, user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens, channel_id)
   values (1, 7, 1735690000, 2, '', 'alice', 'hers', 'gpt-4o', 900, 10, 20, 2),
   (2, 7, 1738368500, 2, '', 'alice', 'hers', 'gpt-4o', 600, 10, 20, 2),
   (3, 7, 1738368501, 1, 'topped up', 'alice', '', '', 1000, 0, 0, 0)`,
];

/** Runs one statement on a source, in standard quotes and without escapes in texts. */
export type Run = (statement: string) => Promise<unknown>;

/** Fills an empty database with a gateway's tables and rows; `more` are statements for what only this family has. */
export async function fill(run: Run, engine: Engine, family: Kin, more: readonly string[] = []): Promise<void> {
  for (const statement of [...tablesOf(engine, family), ...ROWS, ...more]) await run(statement);
}

/** Makes a SQLite file as `family` leaves it. */
export async function makeFile(path: string, family: Kin, more: readonly string[] = []): Promise<void> {
  const file = new SqliteFile(path, { create: true });
  await fill(async (statement) => file.run(statement), "SQLite", family, more);
  file.close();
}

/** Expects the report to have a line for each table and column of the gateway, with a reason unless it comes over as it is. */
export function expectCovered({ coverage }: Report, family: Family): void {
  expect(coverage.filter(({ fate }) => fate === "left out, unknown")).toEqual([]);
  for (const [table, columns] of Object.entries(REAL_SCHEMAS[family])) {
    const own = coverage.filter((line) => line.table === table);
    const isLeftOut = own.length === 1 && own[0]?.columns.length === 0;
    const covered = isLeftOut ? Object.keys(columns) : own.flatMap((line) => line.columns);
    expect({ table, columns: covered.toSorted() }).toEqual({ table, columns: Object.keys(columns).toSorted() });
    for (const { fate, because } of own) expect(because !== "").toBe(fate !== "taken");
  }
}

const TABLES = [
  "users",
  "carried_balances",
  "tokens",
  "channels",
  "abilities",
  "redemption_codes",
  "redemption_uses",
  "options",
  "logs",
  "usage_rollups",
  "plans",
  "subscriptions",
  "plan_accounts",
  "organization_members",
  "projects",
  "budgets",
  "policies",
];

/** All that an import writes, in a form to compare. */
export async function contents({ sql }: Database): Promise<string> {
  const parts: unknown[] = [];
  for (const table of TABLES) {
    parts.push(
      await sql.unsafe(`select count(*)::int as n, coalesce(sum(hashtext(t::text)), 0)::text as h from ${table} t`),
    );
  }
  return JSON.stringify(parts);
}

/** Expects balances to be what was brought along, and counters, log and statistics to say the same. */
export async function expectBooksRight({ db }: Database): Promise<void> {
  for (const book of ["balances", "users", "tokens", "channels", "codes"] as const) {
    expect({ book, wrong: (await checkBooks(db, book, 0, 1_800_000_000)).wrong }).toEqual({ book, wrong: [] });
  }
}

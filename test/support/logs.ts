import { LOG_ELSEWHERE_ROW } from "../../db/schema/logs/deliveries.ts";
import { type LogDatabase, toLogDatabase } from "../../db/server/log-database.ts";
import type { Database, Statements } from "../../db/types.ts";
import { applyBatch } from "../../src/billing/journal/apply/apply-batch.ts";
import { recordText } from "../../src/billing/journal/apply/record-text.ts";
import type { UsageRecord } from "../../src/billing/types.ts";
import { openTestDatabase, type TestDatabase } from "./database.ts";

/** For tests: calls in log and roll-ups, written as the journal writes them. */

/** A record of one call as `values` say. */
export function callRecord(values: Partial<UsageRecord>): UsageRecord {
  const requestId = values.requestId ?? Bun.randomUUIDv7();
  return {
    requestId,
    createdAt: Math.floor(Date.now() / 1000),
    userId: 0,
    username: "",
    tokenId: 0,
    tokenName: "",
    tokenLimited: false,
    modelName: "gpt-4o",
    channelId: 0,
    group: "default",
    isStream: false,
    failed: false,
    elapsedMs: 1234,
    promptTokens: 10,
    completionTokens: 20,
    quota: 0,
    ip: "127.0.0.1",
    content: "",
    other: { request_id: requestId },
    ...values,
  };
}

/** Writes records; users who are to be charged need the quota for it. */
export async function writeCalls({ sql }: Pick<Database, "sql">, records: readonly UsageRecord[]): Promise<void> {
  for (let start = 0; start < records.length; start += 1000) {
    const batch = records.slice(start, start + 1000).map(recordText);
    await sql.begin((tx) => applyBatch(tx as unknown as Database["sql"], "tests", batch));
  }
}

/** Two databases for one test file: the main one, and one of the log's own. */
export type OwnLog = Readonly<{ main: TestDatabase; logs: LogDatabase; close(): Promise<void> }>;

export async function openOwnLog(): Promise<OwnLog> {
  const [main, own] = [await openTestDatabase(), await openTestDatabase()];
  const logs = toLogDatabase(own, own.url, main);
  await logs.prepare();
  await setLogElsewhere(main.sql);
  return {
    main,
    logs,
    async close() {
      await main.close();
      await own.close();
    },
  };
}

export async function setLogElsewhere(sql: Statements): Promise<void> {
  await sql`insert into options (key, value) values (${LOG_ELSEWHERE_ROW}, 'yes') on conflict do nothing`;
}

/** What the log's database says of one user: rows, charges, and the same by its roll-ups. */
export async function loggedOf(sql: Statements, userId: number) {
  const [row] = await sql<Record<"rows" | "quota" | "uncovered" | "calls" | "rolledUp", number>[]>`
    select count(*)::int as rows, coalesce(sum(quota), 0)::bigint as quota, coalesce(sum(uncovered), 0)::bigint as uncovered,
      (select coalesce(sum(count), 0)::int from usage_rollups where user_id = ${userId}) as calls,
      (select coalesce(sum(quota), 0)::bigint from usage_rollups where user_id = ${userId}) as "rolledUp"
    from logs where user_id = ${userId} and type = 2`;
  return { ...(row as NonNullable<typeof row>) };
}

import type { Database } from "../../db/types.ts";
import { applyBatch } from "../../src/billing/journal/apply/apply-batch.ts";
import { recordText } from "../../src/billing/journal/apply/record-text.ts";
import type { UsageRecord } from "../../src/billing/types.ts";

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

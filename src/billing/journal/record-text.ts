import type { UsageRecord } from "../types.ts";

const MOST_INT32 = 2_147_483_647;

/** Dearest charge that is believed: far above any balance, and sums of it stay within 64 bits. */
const DEAREST = 1_000_000_000_000_000;

/** What Postgres takes for no text: NUL, and half of a surrogate pair (JSON.stringify escapes both). */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** A charge as somebody computed it → whole quota units from 0 to 10^15; nonsense is 0. */
export const saneCharge = (quota: number): number => within(Math.ceil(quota), DEAREST);

/**
 * The one JSON text of a record that the journal keeps and the database reads: numbers whole and in the range of their
 * columns, text that Postgres can store. `quota` is expected to be sane.
 */
export function recordText(record: UsageRecord): string {
  const text = JSON.stringify({
    requestId: record.requestId,
    createdAt: record.createdAt,
    userId: record.userId,
    username: record.username,
    tokenId: record.tokenId,
    tokenName: record.tokenName,
    tokenLimited: record.tokenLimited,
    modelName: record.modelName,
    channelId: record.channelId,
    group: record.group,
    isStream: record.isStream,
    failed: record.failed,
    elapsedMs: within(Math.round(record.elapsedMs), MOST_INT32),
    promptTokens: within(Math.round(record.promptTokens), MOST_INT32),
    completionTokens: within(Math.round(record.completionTokens), MOST_INT32),
    quota: saneCharge(record.quota),
    ip: record.ip,
    content: record.content,
    other: record.other,
    unlogged: record.unlogged,
  });
  return UNSTORABLE.test(text) ? JSON.stringify(JSON.parse(text, storable)) : text;
}

const within = (value: number, most: number): number => (value > 0 ? Math.min(value, most) : 0);

const storable = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed().replaceAll("\u0000", "") : value;

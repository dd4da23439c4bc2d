import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { callRecord, writeCalls } from "../../../../test/support/logs.ts";
import type { LogOther, UsageRecord } from "../../../billing/types.ts";
import { readOverview } from "./read-overview.ts";

const HOUR = 3600;
const START = 1_760_000_400;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const call = (createdAt: number, values: Partial<UsageRecord> = {}, other: Partial<LogOther> = {}) => {
  const requestId = Bun.randomUUIDv7();
  return callRecord({ requestId, createdAt, ...values, other: { request_id: requestId, ...other } });
};

test("a period and the one before it, with the speed of their newest requests", async () => {
  const fast = { elapsedMs: 1100, completionTokens: 100, isStream: true };
  await writeCalls(database, [
    call(START, fast, { frt: 100, model_ratio: 2, group_ratio: 0.5, cache_tokens: 8, cache_ratio: 0.25 }),
    call(START + HOUR, fast, { frt: 300, input_content: '"frt":9,"cache_tokens":99' }),
    // No stream: its first byte is its last.
    call(START + 2 * HOUR, { elapsedMs: 4000, completionTokens: 100 }, { frt: 3900 }),
    call(START + 2 * HOUR, { elapsedMs: 60_000, failed: true, isStream: true }, { frt: -1000 }),
    call(START - 1, { elapsedMs: 500, quota: 0 }),
    call(START - 3 * HOUR, { elapsedMs: 700 }),
    call(START - 3 * HOUR - 2),
    call(START + 3 * HOUR + 1),
  ]);
  const { current, previous, points } = await readOverview(database.db, { start: START, end: START + 3 * HOUR });
  expect(current.sums).toMatchObject({ count: 4, failed: 1, prompt_tokens: 40 });
  expect(current.performance).toMatchObject({
    calls: 4,
    first_token_p50_ms: 200,
    duration_p50_ms: 1100,
    tokens_per_second: 100,
    prompt_tokens: 40,
    cached_tokens: 8,
    saved_quota: 8 * 0.75 * 2 * 0.5,
  });
  expect(previous.sums.count).toBe(2);
  expect(previous.performance).toMatchObject({ calls: 2, first_token_p50_ms: null, duration_p50_ms: 600 });
  expect(points.map(({ start }) => start)).toEqual(points.map(({ start }) => start).toSorted((a, b) => a - b));
  expect(points.map(({ duration_p50_ms: ms }) => ms)).toEqual([1100, 1100, 4000]);
  expect(points.reduce((sum, { prompt_tokens: tokens }) => sum + tokens, 0)).toBe(40);
});

test("answers of the response cache say nothing of the speed of models", async () => {
  const fast = { elapsedMs: 2, completionTokens: 100, isStream: true, channelId: 9 };
  const hit = { response_cache: { age_seconds: 5, saved: 10 } };
  await writeCalls(database, [
    call(START, { ...fast, elapsedMs: 1100 }, { frt: 100, response_cache: { miss: true } }),
    ...[1, 2, 3].map((at) => call(START + at, fast, { frt: 1, cache_tokens: 8, ...hit })),
  ]);
  const { current } = await readOverview(database.db, { start: START, end: START + HOUR, channelId: 9 });
  expect(current.performance).toMatchObject({
    ...{ calls: 4, first_token_p50_ms: 100, duration_p95_ms: 1100, tokens_per_second: 100 },
    ...{ prompt_tokens: 10, cached_tokens: 0 },
  });
});

test("a filter counts for everything, and a period without requests has no figures", async () => {
  await writeCalls(database, [call(START, { modelName: "other", channelId: 7 }, { frt: 5 })]);
  const range = { start: START, end: START + HOUR };
  const { current } = await readOverview(database.db, { ...range, channelId: 7 });
  expect([current.sums.count, current.performance.calls]).toEqual([1, 1]);
  const none = await readOverview(database.db, { ...range, channelId: 8 });
  expect(none.current.performance).toMatchObject({ calls: 0, duration_p50_ms: null, cached_tokens: 0 });
  expect(none.points).toEqual([]);
});

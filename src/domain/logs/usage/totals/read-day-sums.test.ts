import { afterAll, beforeAll, expect, test } from "bun:test";
import { responseCacheDays } from "../../../../../db/schema/models/response-cache.ts";
import { addUser, usageRecord } from "../../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { applyBatch } from "../../../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../../billing/journal/apply/record-text.ts";
import { dayOf } from "../../../../billing/operator-spend.ts";
import type { UsageRecord } from "../../../../billing/types.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { deleteOldDaySums, readCacheDays, readProviderKeyDays } from "./read-day-sums.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const day = dayOf(nowSeconds());
const days = { first: day - 30, last: day + 1 };
const admin_info = { use_channel: [], attempts: [] };

test("what the cache does is added up with the charges, once for each call, by account and of all", async () => {
  const { db, sql } = database;
  const [one, two] = [await addUser(sql, 1000), await addUser(sql, 1000)];
  const record = (userId: number, other: Partial<UsageRecord["other"]>, fields: Partial<UsageRecord> = {}) => {
    const base = usageRecord({ userId, modelName: "m", quota: 1, promptTokens: 10, completionTokens: 5 });
    return recordText({ ...base, createdAt: nowSeconds(), ...fields, other: { ...base.other, ...other } });
  };
  const hit = { response_cache: { age_seconds: 3, saved: 7 }, admin_info: { ...admin_info, cache_saved: 4 } };
  const records = [
    record(one, hit),
    record(one, { response_cache: { age_seconds: 0, saved: 2 }, admin_info }),
    record(one, { response_cache: { miss: true } }),
    record(one, { response_cache: { miss: true } }, { failed: true }),
    record(two, hit, { unlogged: true }),
    record(two, { context: 'a text with "response_cache":{"age_seconds":1}' }),
  ];
  await applyBatch(sql, "process", records);
  // Another process finds the same records in a journal.
  await applyBatch(sql, "process", records);
  const counts = { day, model: "m" };
  const ofOne = { ...counts, hits: 2, misses: 1, saved: 9, tokens: 30, upstream_saved: 0 };
  expect(await readCacheDays(db, days, one)).toEqual([ofOne]);
  expect(await readCacheDays(db, days, two)).toMatchObject([{ hits: 1, misses: 0, saved: 7, tokens: 15 }]);
  const ofAll = { ...counts, hits: 3, misses: 1, saved: 16, tokens: 45, upstream_saved: 8 };
  expect(await readCacheDays(db, days)).toEqual([ofAll]);
});

test("so are calls by callers' own keys, with what they cost and were worth", async () => {
  const { db, sql } = database;
  const userId = await addUser(sql, 25);
  const record = (own_key: UsageRecord["other"]["own_key"], fields: Partial<UsageRecord> = {}) => {
    const base = usageRecord({ userId, modelName: "m", quota: 10 });
    return recordText({
      ...base,
      createdAt: nowSeconds(),
      ...fields,
      other: { ...base.other, ...(own_key && { own_key }) },
    });
  };
  const openai = { id: 1, name: "mine", provider: "OpenAI" };
  const records = [
    record({ ...openai, worth: 100 }),
    record({ ...openai, id: 0, worth: 100 }, { unlogged: true }),
    // The balance covers half of it.
    record({ ...openai, provider: "Anthropic", worth: 50 }),
    record(openai, { quota: 0, failed: true }),
    record(undefined),
  ];
  await applyBatch(sql, "process", records);
  await applyBatch(sql, "process", records);
  expect(await readProviderKeyDays(db, days)).toEqual([
    { day, provider: "Anthropic", calls: 1, fees: 5, worth: 50 },
    { day, provider: "OpenAI", calls: 2, fees: 20, worth: 200 },
  ]);
});

test("figures of very old days are deleted", async () => {
  const { db } = database;
  const old = { userId: 0, model: "old", hits: 1, misses: 0, saved: 9, upstreamSaved: 0, tokens: 1 };
  await db.insert(responseCacheDays).values([
    { ...old, day: day - 500 },
    { ...old, day: day - 40 },
  ]);
  await deleteOldDaySums(db);
  const left = (await db.select().from(responseCacheDays)).filter(({ model }) => model === "old");
  expect(left.map((row) => row.day)).toEqual([day - 40]);
});

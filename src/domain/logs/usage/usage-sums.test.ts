import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { callRecord, writeCalls } from "../../../../test/support/logs.ts";
import type { UsageRecord } from "../../../billing/types.ts";
import { readLogs, totalLogs } from "../list/list-logs.ts";
import type { LogFilter } from "../log-filter.ts";
import { resolveFilter } from "../log-filter.ts";
import { readHistogram } from "./read-histogram.ts";
import { readStat, sumUsage, type UsageSums } from "./usage-sums.ts";

/** What roll-ups say is what the rows say, for whatever filter and range. */

const HOUR = 3600;
const NOW = Math.floor(Date.now() / 1000);
const SPAN = 50 * HOUR;
const MODELS = ["gpt-4o", "gpt-4o-mini", "o1", "claude_sonnet", "my%model"];

let seed = 20_250_101;
function below(limit: number): number {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((seed / 2 ** 32) * limit);
}
const oneOf = <T>(values: readonly T[]): T => values[below(values.length)] as T;

type Event = { type: 1 | 3 | 4 | 5; createdAt: number; userId: number };
const calls: UsageRecord[] = [];
const events: Event[] = [];
let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
  const { sql, db } = database;
  for (const id of [1, 2, 3]) {
    await sql`insert into users (id, username, aff_code, quota, created_at)
      values (${id}, ${`u${id}`}, ${`a${id}`}, 1000000000, ${NOW})`;
  }
  for (let index = 0; index < 1500; index += 1) {
    const userId = 1 + below(3);
    const createdAt = index % 50 === 0 ? NOW - below(60) : NOW - below(SPAN);
    calls.push(
      callRecord({
        requestId: index % 10 === 0 ? `client-${index % 40}~${Bun.randomUUIDv7()}` : Bun.randomUUIDv7(),
        // Some on the very edge of an hour.
        createdAt: index % 7 === 0 ? createdAt - (createdAt % HOUR) : createdAt,
        userId,
        username: `u${userId}`,
        tokenId: below(3),
        tokenName: `t${below(3)}`,
        modelName: oneOf(MODELS),
        channelId: below(4),
        group: oneOf(["default", "vip"]),
        failed: below(5) === 0,
        promptTokens: below(1000),
        completionTokens: below(1000),
        quota: below(5000),
      }),
    );
  }
  await writeCalls(database, calls);
  for (let index = 0; index < 60; index += 1) {
    events.push({ type: oneOf([1, 3, 4, 5] as const), createdAt: NOW - below(SPAN), userId: 1 + below(3) });
  }
  await db.insert(logs).values(events);
});
afterAll(() => database.close());

function randomFilter(): LogFilter {
  const maybe = <K extends keyof LogFilter>(key: K, value: LogFilter[K]) => (below(4) === 0 ? { [key]: value } : {});
  const edge = () => {
    const time = NOW - below(SPAN + 2 * HOUR) + HOUR;
    return oneOf([time, time - (time % HOUR), time - (time % HOUR) - 1]);
  };
  const [a, b] = [edge(), edge()];
  return {
    ...maybe("userId", 1 + below(3)),
    ...maybe("username", `u${1 + below(3)}`),
    ...maybe("tokenId", below(3)),
    ...maybe("tokenName", `t${below(3)}`),
    ...maybe("channelId", 1 + below(3)),
    ...maybe("group", oneOf(["default", "vip", "nobody"])),
    ...maybe("modelName", oneOf([...MODELS, "gpt%", "%mini", "%_%", "%O%", "%"])),
    ...maybe("failed", oneOf([true, false])),
    ...(below(3) > 0 && { start: below(20) === 0 ? Math.max(a, b) : Math.min(a, b) }),
    ...(below(3) > 0 && { end: below(20) === 0 ? Math.min(a, b) : Math.max(a, b) }),
  };
}

const modelPattern = (pattern: string) =>
  pattern.includes("%")
    ? new RegExp(`^${pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("%", ".*")}$`, "i")
    : { test: (name: string) => name === pattern };

/** The calls that fit, one by one. */
const fitting = (filter: LogFilter): UsageRecord[] =>
  calls.filter(
    (call) =>
      (filter.userId === undefined || call.userId === filter.userId) &&
      (filter.username === undefined || call.username === filter.username) &&
      (filter.tokenId === undefined || call.tokenId === filter.tokenId) &&
      (filter.tokenName === undefined || call.tokenName === filter.tokenName) &&
      (filter.channelId === undefined || call.channelId === filter.channelId) &&
      (filter.group === undefined || call.group === filter.group) &&
      (filter.modelName === undefined || modelPattern(filter.modelName).test(call.modelName)) &&
      (filter.failed === undefined || call.failed === filter.failed) &&
      (filter.requestId === undefined || call.requestId.split("~")[0] === filter.requestId) &&
      call.createdAt >= (filter.start ?? 0) &&
      call.createdAt <= (filter.end ?? Number.POSITIVE_INFINITY),
  );

const fittingEvents = (filter: LogFilter): number => {
  const { failed, userId, type, start = 0, end = Number.POSITIVE_INFINITY, modelName = "%", ...others } = filter;
  if (failed === true || modelName !== "%" || Object.keys(others).length > 0) return 0;
  return events.filter(
    (event) =>
      (userId === undefined || event.userId === userId) &&
      (type === undefined || event.type === type) &&
      event.createdAt >= start &&
      event.createdAt <= end,
  ).length;
};

const sumsOf = (rows: readonly UsageRecord[]): UsageSums => ({
  count: rows.length,
  failed: rows.filter(({ failed }) => failed).length,
  quota: rows.reduce((sum, { quota }) => sum + quota, 0),
  prompt_tokens: rows.reduce((sum, { promptTokens }) => sum + promptTokens, 0),
  completion_tokens: rows.reduce((sum, { completionTokens }) => sum + completionTokens, 0),
});

const rounds = Array.from({ length: 120 }, (_, round) => round);

describe("for random filters and ranges", () => {
  test("sums are those of the rows", async () => {
    for (const _ of rounds) {
      const filter = randomFilter();
      const sums = sumsOf(fitting(filter));
      expect({ filter, sums: await sumUsage(database.db, filter) }).toEqual({ filter, sums });
      const resolved = await resolveFilter(database.db, filter);
      expect({ filter, resolved, sums: await sumUsage(database.db, resolved) }).toEqual({ filter, resolved, sums });
    }
  });

  test("totals count calls and events, of all types or one", async () => {
    for (const _ of rounds) {
      // An event has no name of a model or key, and no tokens: filters by such find calls only.
      const { tokenId: __, username: ___, ...random } = randomFilter();
      const type = oneOf([undefined, undefined, 1, 2, 3, 4, 5]);
      const filter = { ...random, ...(type !== undefined && { type }) };
      const expected =
        (type === undefined || type === 2 ? fitting(filter).length : 0) + (type === 2 ? 0 : fittingEvents(filter));
      expect({ filter, total: await totalLogs(database.db, filter) }).toEqual({ filter, total: expected });
    }
  });

  test("bars hold the calls of their whole hours or minutes", async () => {
    for (const _ of rounds) {
      const filter = randomFilter();
      const short = below(2) === 0;
      const end = filter.end ?? NOW;
      const start = short ? end - below(2 * HOUR) : (filter.start ?? end - SPAN);
      const { step, buckets } = await readHistogram(database.db, { ...filter, start, end });
      expect(buckets.length).toBeLessThanOrEqual(202);
      const exact = step < HOUR || filter.failed !== undefined;
      const from = exact ? start : start - (start % HOUR);
      const until = exact ? end : end - (end % HOUR) + HOUR - 1;
      const rows = fitting({ ...filter, start: from, end: until });
      for (const bucket of buckets) {
        const inside = rows.filter(({ createdAt }) => createdAt - (createdAt % step) === bucket.start);
        const { count, failed, quota } = sumsOf(inside);
        expect({ filter, step, ...bucket }).toEqual({ filter, step, start: bucket.start, count, failed, quota });
      }
      expect(buckets.reduce((sum, { count }) => sum + count, 0)).toBe(start > end ? 0 : rows.length);
    }
  });

  test("pages by cursor show every row once, newest first, whatever comes in meanwhile", async () => {
    const filter: LogFilter = { userId: 2, end: NOW };
    const expected = fitting(filter).length + fittingEvents(filter);
    const seen: { created_at: number; id: number }[] = [];
    for (let before: { createdAt: number; id: number } | undefined; ; ) {
      const page = await readLogs(database.db, filter, { page: 0, pageSize: 97, ...(before && { before }) }, "owner");
      seen.push(...page);
      const last = page.at(-1);
      if (page.length < 97 || !last) break;
      before = { createdAt: last.created_at, id: last.id };
      await writeCalls(database, [callRecord({ userId: 2, createdAt: NOW + 1 })]);
    }
    expect(seen).toHaveLength(expected);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(expected);
    const sorted = seen.toSorted((a, b) => b.created_at - a.created_at || b.id - a.id);
    expect(seen).toEqual(sorted);
    await database.sql`delete from logs where created_at > ${NOW}`;
    await database.sql`delete from usage_rollups where username = ''`;
  });
});

test("a caller's id finds the calls made under it, and no others", async () => {
  for (const requestId of ["client-0", "client-10", "client-", "client-1", "client-%", "c"]) {
    const found = await readLogs(database.db, { requestId }, { page: 0, pageSize: 100 }, "admin");
    expect(found.map((row) => row.request_id).sort()).toEqual(
      fitting({ requestId })
        .map((row) => row.requestId)
        .sort()
        .slice(0, 100),
    );
    expect(await totalLogs(database.db, { requestId })).toBe(fitting({ requestId }).length);
  }
});

test("the last minute is counted whatever the range", async () => {
  const filter = { userId: 1, start: NOW - SPAN, end: NOW - 10 * HOUR };
  const { rpm, tpm, ...sums } = await readStat(database.db, filter);
  expect(sums).toEqual(sumsOf(fitting(filter)));
  const latest = Math.floor(Date.now() / 1000);
  const minute = sumsOf(fitting({ userId: 1, start: latest - 59, end: latest }));
  expect(rpm).toBe(minute.count);
  expect(tpm).toBe(minute.prompt_tokens + minute.completion_tokens);
});

test("totals follow when old rows go, sums stay", async () => {
  const all = await sumUsage(database.db, {});
  const cut = NOW - 20 * HOUR;
  await database.sql`delete from logs where created_at < ${cut}`;
  expect(await totalLogs(database.db, { type: 2 })).toBe(fitting({ start: cut }).length);
  expect((await sumUsage(database.db, {})).quota).toBe(all.quota);
});

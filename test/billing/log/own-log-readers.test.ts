import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { logDatabaseOf, logOf, toLogDatabase } from "../../../db/server/log-database.ts";
import type { Database } from "../../../db/types.ts";
import { BOOKS, checkBooks } from "../../../src/billing/check-ledger/check-ledger.ts";
import { applyBatch, applyOrphanBatch } from "../../../src/billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../src/billing/journal/apply/record-text.ts";
import type { UsageRecord } from "../../../src/billing/types.ts";
import {
  findErrorRate,
  findSlowCalls,
  findSpendAnomaly,
} from "../../../src/domain/alerts/conditions/traffic-conditions.ts";
import { readForecast } from "../../../src/domain/channels/manage/forecast.ts";
import { createDeliverer } from "../../../src/domain/logs/delivery/deliver-logs.ts";
import { moveLog } from "../../../src/domain/logs/delivery/move-log.ts";
import { exportLogs } from "../../../src/domain/logs/list/export-logs.ts";
import { readLogs, searchLogs, totalLogs } from "../../../src/domain/logs/list/list-logs.ts";
import { type LogFilter, resolveFilter } from "../../../src/domain/logs/log-filter.ts";
import { foldSessions } from "../../../src/domain/logs/sessions/fold-sessions.ts";
import { listSessions, readSession } from "../../../src/domain/logs/sessions/read-sessions.ts";
import { readRunningOut } from "../../../src/domain/logs/usage/pace/read-running-out.ts";
import { readHistogram } from "../../../src/domain/logs/usage/read-histogram.ts";
import { readLatency } from "../../../src/domain/logs/usage/read-latency.ts";
import { readChannelMarks } from "../../../src/domain/logs/usage/read-marks.ts";
import { readModelHealth } from "../../../src/domain/logs/usage/read-model-health.ts";
import { readOverview } from "../../../src/domain/logs/usage/read-overview.ts";
import { readQuotaData } from "../../../src/domain/logs/usage/read-quota-data.ts";
import { readSeries, type SeriesDimension } from "../../../src/domain/logs/usage/series/read-series.ts";
import { foldUsage } from "../../../src/domain/logs/usage/totals/fold-usage.ts";
import { readStat } from "../../../src/domain/logs/usage/usage-sums.ts";
import { LOG_TYPE, writeLog } from "../../../src/domain/logs/write-log.ts";
import { readFirstSteps } from "../../../src/domain/system/first-steps.ts";
import { refundCharge } from "../../../src/domain/tasks/refund-charge.ts";
import { draftStatement } from "../../../src/domain/wallet/statements/documents.ts";
import { exportMovements } from "../../../src/domain/wallet/statements/movements/export-movements.ts";
import { addBudget, addToken, addUser, usageRecord } from "../../support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../support/database.ts";
import { fixedSettings } from "../../support/lib/settings.ts";
import { type OwnLog, openOwnLog, setLogElsewhere } from "../../support/logs.ts";

/** The same calls and events, in one database; with a log of its own from the start; and in one whose log was moved later. */
type World = Readonly<{ main: TestDatabase; logElsewhere: boolean }>;

const [HOUR_S, DAY_S] = [3600, 86_400];
const NOW = Math.floor(Date.now() / 1000);
const START = NOW - (NOW % DAY_S) - 40 * DAY_S;
const SETTINGS = fixedSettings();
const [USERS, CALLS] = [3, 600];

let state = 11;
const below = (limit: number) => {
  state = (state * 48271) % 2147483647;
  return state % limit;
};

/** Calls of three users: one is an organization with projects, members and a budget. */
const records: readonly UsageRecord[] = Array.from({ length: CALLS }, (_, at) => {
  const user = 1 + below(USERS);
  const requestId = `call-${String(at).padStart(5, "0")}`;
  const tags = below(4) === 0 ? { tags: [`t${below(2)}`] } : {};
  const endUser = at % 3 === 0 ? { end_user: `e${at % 2}` } : {};
  const budgets = user === 1 ? { budgets: [{ id: 1, scope: "project", name: "", period: "total" }] } : {};
  const session = below(5) === 0 ? { agent_session: { id: `run-${below(3)}`, by: "header" as const } } : {};
  const failed = below(6) === 0;
  return usageRecord({
    ...{ requestId, userId: user, username: `user-${user}`, tokenId: user * 2 - below(2), tokenName: `key-${user}` },
    ...{
      createdAt: at < 30 ? NOW - 120 - at * 3 : START + below(NOW - START),
      modelName: `model-${below(4)}`,
      channelId: 1 + below(2),
    },
    ...{ group: below(3) === 0 ? "vip" : "default", failed, quota: failed ? 0 : 1 + below(5000) },
    ...{ elapsedMs: below(9000), promptTokens: below(500), completionTokens: below(500), isStream: below(2) === 0 },
    ...(user === 1 && { budgets: [1] }),
    ...(below(20) === 0 && { unlogged: true as const }),
    other: { frt: below(2000), cache_tokens: below(50), ...tags, ...endUser, ...budgets, ...session },
  });
});

let worlds: Readonly<Record<"one" | "own" | "moved", World>>;
let own: OwnLog;
const opened: TestDatabase[] = [];

async function seed({ sql }: Pick<Database, "sql">): Promise<void> {
  for (let user = 1; user <= USERS; user += 1) {
    await addUser(sql, 10_000_000);
    await sql`update users set username = ${`user-${user}`} where id = ${user}`;
    await sql`insert into carried_balances (user_id, quota) values (${user}, 10000000)`;
    for (let key = 0; key < 2; key += 1) await addToken(sql, user, null);
  }
  await sql`insert into channels (type, name, key_cipher, created_time, balance, balance_updated_time)
    select 1, 'channel ' || n, '', ${NOW}, 5, ${NOW} from generate_series(1, 2) n`;
  await sql`insert into projects (organization_id, name, created_at) values (1, 'Alpha', ${NOW})`;
  await sql`update tokens set project_id = 1 where id = 1`;
  await sql`update tokens set created_by = 2 where id in (1, 3)`;
  await addBudget(sql, 1, 100_000_000, false);
  await sql`update budgets set period_start = 0`;
}

async function charge({ main, logElsewhere }: World, some: readonly UsageRecord[]): Promise<void> {
  for (let at = 0; at < some.length; at += 50) {
    await applyBatch(main.sql, "p", some.slice(at, at + 50).map(recordText), { logElsewhere });
  }
}

async function deliverAll(main: TestDatabase, logs: ReturnType<typeof toLogDatabase>): Promise<void> {
  const deliverer = createDeliverer(main, logs);
  while ((await deliverer.deliver()).delivered > 0);
}

async function refund({ main }: World, { requestId, createdAt, userId, tokenId, channelId }: UsageRecord) {
  const task = { kind: "media", name: "a video" } as const;
  const back = await main.db.transaction((tx) =>
    refundCharge(tx, { chargeId: requestId, createdAt, userId, tokenId, channelId, task }, false),
  );
  expect(back).toBeGreaterThan(0);
}

/** Refunds of a call whose row is there, of one of the second half, and of one that was not logged. */
const refundable = (from: number, unlogged: boolean) =>
  records.find(({ quota, unlogged: isUnlogged = false }, at) => at >= from && quota > 0 && isUnlogged === unlogged);

beforeAll(async () => {
  own = await openOwnLog();
  const [one, moved, movedLog] = [await openTestDatabase(), await openTestDatabase(), await openTestDatabase()];
  opened.push(one, moved, movedLog);
  worlds = {
    one: { main: one, logElsewhere: false },
    own: { main: own.main, logElsewhere: true },
    moved: { main: moved, logElsewhere: false },
  };
  const half = CALLS / 2;
  for (const world of Object.values(worlds)) {
    await seed(world.main);
    await writeLog(world.main.db, { type: LOG_TYPE.topUp, userId: 2, content: "A top-up", quota: 7 });
    await charge(world, records.slice(0, half));
    await refund(world, refundable(100, false) as UsageRecord);
  }
  await foldUsage(moved, NOW - (NOW % HOUR_S));
  await foldSessions(moved.db, new AbortController().signal);
  const logs = toLogDatabase(movedLog, movedLog.url, moved);
  await logs.prepare();
  await setLogElsewhere(moved.sql);
  worlds = { ...worlds, moved: { main: moved, logElsewhere: true } };
  // Moved while calls come in, are refunded and delivered, and by two at a time, one of which is killed.
  const killed = moveLog(moved);
  for (let step = 0; step < 3; step += 1) await killed.next();
  for (const world of Object.values(worlds)) await charge(world, records.slice(half));
  const moving = moveLog(moved);
  for (let step = 0; step < 4; step += 1) await moving.next();
  await deliverAll(moved, logs);
  for (const world of Object.values(worlds)) {
    await refund(world, refundable(half, false) as UsageRecord);
    await refund(world, refundable(200, true) as UsageRecord);
    await refund(world, refundable(150, false) as UsageRecord);
  }
  for await (const _ of moving);
  await deliverAll(moved, logs);
  await deliverAll(own.main, own.logs);
  for (const { main } of Object.values(worlds)) {
    while (await foldUsage(logDatabaseOf(main), NOW - (NOW % HOUR_S) - HOUR_S));
    await foldSessions(logOf(main.db), new AbortController().signal);
  }
}, 240_000);
afterAll(async () => {
  await own.close();
  for (const database of opened) await database.close();
});

/** Top-ups and refunds are written at the second in which each database reaches them: they are no part of what is compared. */
const END = NOW - 60;
const range = { start: START, end: END };
const filters: readonly LogFilter[] = [
  { ...range },
  { ...range, username: "user-2" },
  { ...range, userId: 1, projectId: 1 },
  { ...range, userId: 1, memberId: 2 },
  { ...range, modelName: "model-%" },
  { start: NOW - HOUR_S, end: END, group: "vip" },
  { ...range, tag: "t1" },
  { ...range, endUser: "e1" },
  { ...range, tokenId: 3 },
  { ...range, channelId: 2, failed: true },
];
const withoutIds = <Row extends { id: number }>(rows: readonly Row[]) => rows.map(({ id: _, ...row }) => row);
/** Within a second the order is that of writing, which moving does not keep. */
const inOrder = <Row extends { created_at: number; request_id: string }>(rows: readonly Row[]) =>
  rows.toSorted((a, b) => b.created_at - a.created_at || (a.request_id < b.request_id ? -1 : 1));

async function readAll({ main }: World) {
  const log = logOf(main.db);
  const lists = [];
  for (const filter of filters) {
    const resolved = { ...(await resolveFilter(log, filter)), start: filter.start ?? 0, end: filter.end ?? 0 };
    const rows = await readLogs(log, resolved, { page: 0, pageSize: 1000 }, "admin");
    lists.push({
      filter,
      rows: inOrder(withoutIds(rows)),
      total: await totalLogs(log, resolved),
      stat: await readStat(log, resolved),
      histogram: await readHistogram(log, resolved),
      latency: await readLatency(log, resolved, "channel"),
      overview: (await readOverview(log, resolved)).current.sums,
      csv: (await new Response(exportLogs(log, resolved, "admin", 500_000)).text()).split("\n").toSorted(),
    });
  }
  const series = [];
  const dimensions: SeriesDimension[] = [
    "model",
    "group",
    "user",
    "channel",
    "token",
    "tag",
    "end_user",
    "project",
    "member",
  ];
  for (const by of dimensions) {
    for (const step of ["hour", "day", "week"] as const) {
      series.push(await readSeries(log, range, { by, step, offsetMinutes: 480, most: 3 }));
      series.push(await readSeries(log, { ...range, userId: 1 }, { by, step, offsetMinutes: 0 }));
    }
  }
  const alerts = { db: main.db, settings: SETTINGS } as Parameters<typeof findErrorRate>[0];
  const query = { owner: "site", windowMinutes: 60 * 24, threshold: 0, now: NOW } as Parameters<
    typeof findErrorRate
  >[1];
  return {
    lists,
    series,
    found: inOrder(withoutIds(await searchLogs(log, "2", {}, "admin"))).length,
    quotaData: [
      await readQuotaData(log, range, "model"),
      await readQuotaData(log, { ...range, userId: 1 }, "model and user"),
      await readQuotaData(log, { start: NOW - 20 * DAY_S, end: END }, "user"),
    ].map((text) => (JSON.parse(text) as object[]).map((row) => JSON.stringify(row)).toSorted()),
    runningOut: await readRunningOut(log),
    health: [...(await readModelHealth(log, NOW))].toSorted(),
    forecast: await readForecast({ db: main.db, settings: SETTINGS }, [1, 2]),
    marks: await readChannelMarks(log, range),
    alerts: [
      await findErrorRate(alerts, query),
      await findSlowCalls(alerts, query),
      await findSpendAnomaly(alerts, query),
    ],
    sessions: (await listSessions(log, { userId: null, search: "" })).toSorted(
      (a, b) => a.user_id - b.user_id || (a.id < b.id ? -1 : 1),
    ),
    session: (await readSession(log, 2, "run-1")).agents,
    steps: await readFirstSteps(
      {
        db: main.db,
        channels: { all: () => [] },
        prices: () => {
          throw new Error("there are no models");
        },
        needsPrices: false,
      },
      1,
    ).catch(({ message }) => message),
  };
}

async function readStatements({ main }: World) {
  const statements = [];
  for (let user = 1; user <= USERS; user += 1) {
    const { content, closing, charged, opening } = await draftStatement(main.db, SETTINGS, user, NOW);
    const movements = [];
    for (const by of ["day", "call"] as const) {
      const deps = { db: main.db, unitsPerDollar: 500_000 };
      const text = await new Response(await exportMovements(deps, user, by, () => NOW)).text();
      movements.push(sumsOf(text, by));
    }
    statements.push({ user, closing, charged, opening, content, movements });
  }
  return statements;
}

/** Every kind's sum, and the last balance, which must be the account's. Today's calls, and those not logged, are sums of their day. */
function sumsOf(csv: string, by: "day" | "call") {
  const rows = csv
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.split(","));
  const sums: Record<string, number> = {};
  for (const [, kind = "", quota] of rows) {
    const name = kind === "call" || kind === "charges" ? "calls" : kind;
    sums[name] = (sums[name] ?? 0) + Number(quota);
  }
  return { by, sums, balance: Number(rows.at(-1)?.[4]), hasCalls: rows.some(([, kind]) => kind === "call") };
}

describe.each(["own", "moved"] as const)("a log of its own: %s", (name) => {
  test("lists, charts, sums, exports and alerts say what they say of one database", async () => {
    expect(await readAll(worlds[name])).toEqual(await readAll(worlds.one));
  }, 120_000);

  test("statements and movements are the same, to the unit", async () => {
    expect(await readStatements(worlds[name])).toEqual(await readStatements(worlds.one));
  }, 120_000);

  test("all books agree", async () => {
    for (const book of BOOKS) {
      expect({ book, wrong: (await checkBooks(worlds[name].main.db, book, 0, NOW)).wrong }).toEqual({
        book,
        wrong: [],
      });
    }
  });

  test("a journal that comes again charges nothing", async () => {
    const { main } = worlds[name];
    const texts = records.map(recordText);
    for (let at = 0; at < texts.length; at += 100) {
      expect(await applyOrphanBatch(main.sql, "dead", texts.slice(at, at + 100))).toMatchObject({ charged: 0 });
    }
    await deliverAll(main, logDatabaseOf(main) as ReturnType<typeof toLogDatabase>);
    const [counted] = await logDatabaseOf(main).sql`select count(*)::int as rows from logs where type = 2`;
    expect(counted?.rows).toBe(records.filter(({ unlogged }) => !unlogged).length);
  });
});

test("nothing of calls is left in the log of the main database", async () => {
  for (const { main, logElsewhere } of Object.values(worlds)) {
    if (!logElsewhere) continue;
    expect((await main.sql`select from logs where type = 2`).length).toBe(0);
    expect((await main.sql`select from usage_rollups where hour >= 0`).length).toBe(0);
    expect((await main.sql`select from agent_sessions`).length).toBe(0);
    expect((await main.sql`select from log_deliveries`).length).toBe(0);
  }
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { channels } from "../../../db/schema/channels/channels.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import { callRecord, writeCalls } from "../../../test/support/logs.ts";
import type { RunningOut } from "../../domain/logs/usage/pace/read-running-out.ts";
import type { Latency } from "../../domain/logs/usage/read-latency.ts";
import type { ChannelMark } from "../../domain/logs/usage/read-marks.ts";
import type { UsageOverview } from "../../domain/logs/usage/read-overview.ts";
import type { QuotaData } from "../../domain/logs/usage/read-quota-data.ts";
import type { Series } from "../../domain/logs/usage/series/read-series.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";

let app: TestOperations;
/** A Sunday, 22:00 UTC. */
const SUNDAY = Date.UTC(2026, 2, 1, 22) / 1000;
const HOUR = 3600;
const range = `start_timestamp=${SUNDAY}&end_timestamp=${SUNDAY + 8 * HOUR}`;

beforeAll(async () => {
  app = await startTestOperations();
  await app.db.update(users).set({ quota: 1_000_000 });
  const mine = { userId: app.ids.user, username: "user", tokenId: 7, tokenName: "ide", channelId: 3 };
  const others = { userId: app.ids.other, username: "other", tokenId: 8, tokenName: "bot", group: "vip" };
  await writeCalls(app.database, [
    callRecord({ ...mine, createdAt: SUNDAY + 5, quota: 100 }),
    callRecord({ ...mine, createdAt: SUNDAY + 3 * HOUR, quota: 50, failed: true }),
    callRecord({ ...others, createdAt: SUNDAY + 10, modelName: "o1", quota: 1000 }),
    callRecord({ ...others, createdAt: Math.floor(Date.now() / 1000) - 60, quota: 70_000 }),
    ...Array.from({ length: 20 }, (_, index) =>
      callRecord({
        createdAt: SUNDAY + 300 * 24 * HOUR,
        modelName: `model-${index}`,
        userId: app.ids.root,
        quota: 100 - index,
      }),
    ),
  ]);
});
afterAll(() => app.close());

const ask = async <T>(path: string, headers = app.as.admin) =>
  (await app.ask("GET", `/api/data/${path}`, undefined, headers)).body.data as T;
const series = (query: string) => ask<Series[]>(`series?${range}&${query}`);

test("an overview is compared with the period before, or with the one that is chosen", async () => {
  const later = `start_timestamp=${SUNDAY + 24 * HOUR}&end_timestamp=${SUNDAY + 32 * HOUR}`;
  expect(await ask<UsageOverview>(`overview?${later}`)).toMatchObject({ previous: { sums: { count: 0 } } });
  const chosen = await ask<UsageOverview>(`overview?${later}&compare_start=${SUNDAY}`);
  expect(chosen.previous.sums).toMatchObject({ count: 3, quota: 1150 });
  const own = await ask<UsageOverview>(`self/overview?${later}&compare_start=${SUNDAY}`, app.as.user);
  expect(own.previous.sums).toMatchObject({ count: 2, quota: 150 });
});

test("a chart learns when channels went off and came back", async () => {
  const at = SUNDAY + HOUR;
  const actor = { id: app.ids.root };
  const params = (name: string) => ({ name, id: 1 });
  await app.db.transaction(async (tx) => {
    await writeManagementLog(tx, actor, "off", {
      action: "disable",
      note: { code: "channel_disabled", params: params('the "big" one') },
    });
    await writeManagementLog(tx, actor, "on", {
      action: "enable",
      note: { code: "channel_enabled", params: params("small") },
    });
    await writeManagementLog(tx, actor, "other", {
      action: "create",
      note: { code: "channel_created", params: params("new") },
    });
    await tx.update(logs).set({ createdAt: at }).where(eq(logs.type, 3));
  });
  const [failed] = await app.db
    .insert(channels)
    .values({ type: 1, name: "failing", keyCipher: "", createdTime: at, status: 3, otherInfo: { status_time: at + 5 } })
    .returning({ id: channels.id });
  expect(failed).toBeDefined();
  const outages = [
    { off: at - 90 * HOUR, on: at - 80 * HOUR, recovered: true },
    { off: at + 10, on: at + 20, recovered: true },
    { off: at + 30, on: at + 40, recovered: false },
  ];
  const back = { type: 1, name: "flaky", keyCipher: "", createdTime: at, otherInfo: { outages } };
  await app.db.insert(channels).values(back);
  expect(await ask<ChannelMark[]>(`marks?${range}`)).toEqual([
    { at: at + 30, kind: "channel_off", name: "flaky" },
    { at: at + 20, kind: "channel_recovered", name: "flaky" },
    { at: at + 10, kind: "channel_off", name: "flaky" },
    { at: at + 5, kind: "channel_off", name: "failing" },
    { at, kind: "channel_on", name: "small" },
    { at, kind: "channel_off", name: 'the "big" one' },
  ]);
});

describe("who may call", () => {
  test.each(["", "users", "series", "latency", "running-out", "pace?ids=1", "marks"])(
    "GET /api/data/%s is for administrators",
    async (path) => {
      expect((await app.ask("GET", `/api/data/${path}`, undefined, app.as.user)).body.code).toBe("permission_denied");
      expect((await app.ask("GET", `/api/data/${path}`)).status).toBe(401);
    },
  );

  test.each(["self", "self/series"])("GET /api/data/%s needs a login", async (path) => {
    expect((await app.ask("GET", `/api/data/${path}`)).status).toBe(401);
  });

  test("users see nothing but their own, whatever they ask for", async () => {
    const rows = await ask<QuotaData[]>(`self?${range}&username=other`, app.as.user);
    expect(rows.map(({ username, quota }) => [username, quota])).toEqual([
      ["user", 100],
      ["user", 50],
    ]);
    const own = await ask<Series[]>(`self/series?${range}&username=other`, app.as.user);
    expect(own.map(({ key }) => key)).toEqual(["gpt-4o"]);
    for (const path of ["self", "self/series"]) {
      const plain = await ask(`${path}?${range}`, app.as.user);
      for (const trick of [
        `user_id=${app.ids.other}`,
        `userId=${app.ids.other}`,
        "channel=0",
        "role=100",
        "username=",
      ]) {
        expect(await ask(`${path}?${range}&${trick}`, app.as.user)).toEqual(plain);
      }
    }
    for (const by of ["user", "channel"]) {
      const refused = await app.ask("GET", `/api/data/self/series?${range}&by=${by}`, undefined, app.as.user);
      expect(refused.status).toBe(400);
    }
  });
});

describe("the ecosystem's calls", () => {
  test("everybody's hours are grouped by model only", async () => {
    const rows = await ask<QuotaData[]>(`?${range}`);
    expect(rows).toHaveLength(3);
    expect(rows).toContainEqual({
      id: 0,
      user_id: 0,
      username: "",
      model_name: "o1",
      created_at: SUNDAY,
      token_used: 30,
      count: 1,
      quota: 1000,
    });
  });

  test("a username gives the hours of that user", async () => {
    const rows = await ask<QuotaData[]>(`?${range}&username=other`);
    expect(rows).toMatchObject([{ user_id: app.ids.other, username: "other", model_name: "o1" }]);
    expect(await ask<QuotaData[]>(`?${range}&username=nobody`)).toEqual([]);
  });

  test("by user", async () => {
    const rows = await ask<QuotaData[]>(`users?${range}`);
    expect(rows.map(({ username, model_name, quota }) => [username, model_name, quota]).sort()).toEqual([
      ["other", "", 1000],
      ["user", "", 100],
      ["user", "", 50],
    ]);
  });

  test("a long time has fewer and longer rows, and the same sums", async () => {
    const year = `start_timestamp=${SUNDAY - 100 * 24 * HOUR}&end_timestamp=${SUNDAY + 301 * 24 * HOUR}`;
    const sumOf = (rows: readonly QuotaData[]) => rows.reduce((sum, { quota }) => sum + quota, 0);
    const models = await ask<QuotaData[]>(`?${year}`);
    // 22 models and more than 400 days: a week each.
    expect(models.map(({ created_at }) => created_at % (7 * 24 * HOUR))).toEqual(models.map(() => 0));
    expect(models.length).toBe(23);
    expect(models).toContainEqual(expect.objectContaining({ model_name: "o1", username: "", count: 1, quota: 1000 }));
    const own = await ask<QuotaData[]>(`?${year}&username=user`);
    // One model of one user: a day each.
    expect(own).toMatchObject([
      { username: "user", model_name: "gpt-4o", created_at: SUNDAY - 22 * HOUR, count: 1 },
      { username: "user", model_name: "gpt-4o", created_at: SUNDAY + 2 * HOUR, count: 1 },
    ]);
    const everybody = await ask<QuotaData[]>(`users?${year}`);
    expect([sumOf(own), sumOf(everybody)]).toEqual([150, sumOf(models)]);
  });

  test("a long time of many models adds up the smaller ones, and stays below 200 KB", async () => {
    const start = SUNDAY - 1000 * 24 * HOUR;
    await writeCalls(
      app.database,
      Array.from({ length: 400 }, (_, index) =>
        callRecord({
          createdAt: start + (index % 300) * 24 * HOUR,
          modelName: `many-${index}`,
          userId: app.ids.root,
          quota: 1 + index,
        }),
      ),
    );
    const { text, body } = await app.ask(
      "GET",
      `/api/data/?start_timestamp=${start}&end_timestamp=${start + 365 * 24 * HOUR}`,
      undefined,
      app.as.admin,
    );
    const rows = body.data as QuotaData[];
    expect(text.length).toBeLessThan(200_000);
    expect(rows.reduce((sum, { quota }) => sum + quota, 0)).toBe((400 * 401) / 2);
    const names = new Set(rows.map(({ model_name }) => model_name));
    expect([names.has("many-399"), names.has("many-0"), names.has("others")]).toEqual([true, false, true]);
  });

  test("one's own span is a month at most", async () => {
    const path = `/api/data/self?start_timestamp=${SUNDAY}&end_timestamp=${SUNDAY + 2_592_001}`;
    expect((await app.ask("GET", path, undefined, app.as.user)).body).toMatchObject({
      success: false,
      code: "data_span_too_long",
    });
  });
});

describe("series", () => {
  test("largest first, with sums of each period", async () => {
    const [first, second] = await series("by=model&step=hour");
    expect(first).toMatchObject({ key: "o1", name: "o1", points: [{ start: SUNDAY, quota: 1000, count: 1 }] });
    expect(second?.points.map(({ start, quota, failed }) => [start, quota, failed])).toEqual([
      [SUNDAY, 100, 0],
      [SUNDAY + 3 * HOUR, 50, 1],
    ]);
  });

  test.each([
    ["user", ["other", "user"]],
    ["group", ["vip", "default"]],
    ["token", ["bot", "ide"]],
  ])("by %s", async (by, names) => {
    expect((await series(`by=${by}`)).map(({ name }) => name)).toEqual(names);
  });

  test("days and weeks begin where the reader's clock says", async () => {
    const starts = async (query: string) =>
      (await series(`username=user&${query}`)).flatMap(({ points }) => points.map(({ start }) => start));
    expect(await starts("step=day")).toEqual([SUNDAY - 22 * HOUR, SUNDAY + 2 * HOUR]);
    expect(await starts("step=day&offset_minutes=480")).toEqual([SUNDAY - 6 * HOUR]);
    expect(await starts("step=day&time_zone=Asia/Shanghai")).toEqual([SUNDAY - 6 * HOUR]);
    expect(await starts("step=day&time_zone=Etc/Unknown&offset_minutes=480")).toEqual([SUNDAY - 6 * HOUR]);
    const unknown = await app.ask("GET", "/api/data/series?time_zone=Mars/Olympus", undefined, app.as.admin);
    expect(unknown.body).toMatchObject({ success: false, code: "field_invalid" });
    expect(await starts("step=week")).toEqual([SUNDAY + 2 * HOUR - 7 * 24 * HOUR, SUNDAY + 2 * HOUR]);
  });

  test("what is not among the largest is summed", async () => {
    const start = SUNDAY + 300 * 24 * HOUR;
    const found = await ask<Series[]>(`series?start_timestamp=${start}&end_timestamp=${start + HOUR}`);
    expect(found).toHaveLength(13);
    expect(found.at(-1)).toMatchObject({ key: null, points: [{ count: 8 }] });
    const sum = found.flatMap(({ points }) => points).reduce((total, { quota }) => total + quota, 0);
    expect(sum).toBe(20 * 100 - 190);
    const all = await ask<Series[]>(`series?start_timestamp=${start}&end_timestamp=${start + HOUR}&most=100`);
    expect([all.length, all.some(({ key }) => key === null)]).toEqual([20, false]);
  });
});

test("balances that run out say at which pace", async () => {
  const [first] = await ask<RunningOut[]>("running-out");
  expect(first).toMatchObject({ user_id: app.ids.other, username: "other", daily_quota: 10_000 });
});

describe("the pace of the last seven days", () => {
  const now = Math.floor(Date.now() / 1000);
  const day = 24 * HOUR;

  beforeAll(async () => {
    const mine = { userId: app.ids.user, username: "user", tokenId: 501, tokenName: "paced" };
    await writeCalls(app.database, [
      callRecord({ ...mine, quota: 700, createdAt: now - 60 }),
      callRecord({ ...mine, quota: 1_401, createdAt: now - 6 * day }),
      callRecord({ ...mine, tokenId: 502, quota: 7_000, createdAt: now - 2 * day }),
      callRecord({ ...mine, quota: 9_999_999, createdAt: now - 8 * day }),
    ]);
  });

  test("is the average of a day, rounded up, for users and for the keys of their owner", async () => {
    const read = async () => {
      const users = await ask<Record<string, number>>(`pace?ids=${app.ids.user},${app.ids.other},999`);
      const keys = await app.ask("GET", "/api/data/self/pace?keys=501,502,503", undefined, app.as.user);
      const foreign = await app.ask("GET", "/api/data/self/pace?keys=501", undefined, app.as.root);
      return [users, keys.body.data, foreign.body.data];
    };
    const expected = [{ [app.ids.user]: 1_301, [app.ids.other]: 10_000 }, { 501: 301, 502: 1_000 }, {}];
    expect(await read()).toEqual(expected);
    expect(await ask("self/pace", app.as.user)).toEqual({ [app.ids.user]: 1_301 });
  });
});

describe("latency", () => {
  const start = SUNDAY + 20 * 24 * HOUR;
  const latency = (by: string, from = start) =>
    ask<{ calls: number; rows: Latency[] }>(`latency?by=${by}&start_timestamp=${from}&end_timestamp=${from + HOUR}`);

  beforeAll(async () => {
    const mine = { userId: app.ids.user, username: "user", createdAt: start + 9 };
    await writeCalls(app.database, [
      ...Array.from({ length: 100 }, (_, index) =>
        callRecord({ ...mine, modelName: "slow", channelId: 77, elapsedMs: (index + 1) * 10 }),
      ),
      callRecord({ ...mine, modelName: "slow", channelId: 77, elapsedMs: 90_000, failed: true }),
      callRecord({ ...mine, modelName: "broken", channelId: 78, elapsedMs: 5, failed: true }),
    ]);
  });

  test("half, nine in ten and 99 in 100 of what succeeded, most called first", async () => {
    expect(await latency("model")).toEqual({
      calls: 102,
      rows: [
        { key: "slow", name: "slow", count: 101, failed: 1, p50_ms: 500, p90_ms: 900, p99_ms: 990 },
        { key: "broken", name: "broken", count: 1, failed: 1, p50_ms: null, p90_ms: null, p99_ms: null },
      ],
    });
  });

  test("by channel, also a deleted one, and where nothing was called", async () => {
    expect((await latency("channel")).rows.map(({ key, name, count }) => [key, name, count])).toEqual([
      ["77", "", 101],
      ["78", "", 1],
    ]);
    expect(await latency("model", start - 5 * 24 * HOUR)).toEqual({ calls: 0, rows: [] });
  });
});

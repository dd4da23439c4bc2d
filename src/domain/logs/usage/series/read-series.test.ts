import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { projects } from "../../../../../db/schema/accounts/organizations/organizations.ts";
import { tokens } from "../../../../../db/schema/api-keys.ts";
import { logs } from "../../../../../db/schema/logs/logs.ts";
import { addToken, addUser, NOW, usageRecord } from "../../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { applyBatch } from "../../../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../../billing/journal/apply/record-text.ts";
import type { LogOther } from "../../../../billing/types.ts";
import { readLogs, totalLogs } from "../../list/list-logs.ts";
import type { LogFilter } from "../../log-filter.ts";
import { sumUsage } from "../usage-sums.ts";
import { readSeries, type SeriesDimension } from "./read-series.ts";

let database: TestDatabase;
let organization: number;
let member: number;
let project: number;
let keys: [number, number];

beforeAll(async () => {
  database = await openTestDatabase();
  const { db, sql } = database;
  [organization, member] = [await addUser(sql, 1000), await addUser(sql, 0)];
  const [row] = await db
    .insert(projects)
    .values({ organizationId: organization, name: "Search", createdAt: NOW })
    .returning({ id: projects.id });
  project = row?.id ?? 0;
  keys = [await addToken(sql, organization, null), await addToken(sql, organization, null)];
  await db.update(tokens).set({ projectId: project, createdBy: member }).where(eq(tokens.id, keys[0]));
  const record = (key: number, quota: number, other: Partial<LogOther>) =>
    recordText(usageRecord({ userId: organization, tokenId: keys[key] ?? 0, quota, other }));
  await applyBatch(sql, "p", [
    record(0, 5, { tags: ["night", 'te\'am "7"'] }),
    record(0, 7, { tags: ["night"], end_user: 'al"ice' }),
    // A text that looks like tags is none.
    record(1, 11, { input_content: '{"tags":["forged"],"end_user":"forged"}' }),
  ]);
  await applyBatch(sql, "p", [record(1, 13, {})]);
});
afterAll(() => database.close());

const range = { start: NOW - 3600, end: NOW + 3600 };
const series = async (by: SeriesDimension, filter: LogFilter = {}) => {
  const found = await readSeries(
    database.db,
    { ...range, ...filter, userId: organization },
    { by, step: "day", offsetMinutes: 0 },
  );
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  return found.map(({ key, name, points }) => [key, name, sum(points.map(({ quota }) => quota))]);
};

test("tags are stored with the row, and those of calls without any are null", async () => {
  const rows = await database.db.select({ tags: logs.tags }).from(logs).orderBy(logs.quota);
  expect(rows.map(({ tags }) => tags)).toEqual([["night", 'te\'am "7"'], ["night"], null, null]);
});

test.each<[LogFilter, number, number]>([
  [{ tag: "night" }, 2, 12],
  [{ tag: 'te\'am "7"' }, 1, 5],
  [{ tag: "forged" }, 0, 0],
  [{}, 4, 36],
])("the filter %j finds %i rows that cost %i", async (filter, count, quota) => {
  const narrowed = { ...filter, ...range, userId: organization };
  expect(await totalLogs(database.db, narrowed)).toBe(count);
  expect(await readLogs(database.db, narrowed, { page: 0, pageSize: 10 }, "owner")).toHaveLength(count);
  expect(await sumUsage(database.db, narrowed)).toMatchObject({ count, quota });
});

test("projects and members narrow rows and sums to the calls of their keys", async () => {
  for (const filter of [{ projectId: project }, { memberId: member }]) {
    const narrowed = { ...filter, ...range, userId: organization };
    expect(await totalLogs(database.db, narrowed)).toBe(2);
    expect(await sumUsage(database.db, narrowed)).toMatchObject({ count: 2, quota: 12 });
    // Another account's project or member opens nothing.
    expect(await totalLogs(database.db, { ...narrowed, userId: member })).toBe(0);
  }
});

test("end users are stored with the row, found by and split by", async () => {
  const rows = await database.db.select({ endUser: logs.endUser }).from(logs).orderBy(logs.quota);
  expect(rows.map(({ endUser }) => endUser)).toEqual([null, 'al"ice', null, null]);
  expect(await series("end_user")).toEqual([['al"ice', 'al"ice', 7]]);
  expect(await series("tag", { endUser: 'al"ice' })).toEqual([["night", "night", 7]]);
  expect(await series("model", { endUser: 'al"ice' })).toEqual([["gpt-4o", "gpt-4o", 7]]);
  expect(await series("model", { endUser: "forged" })).toEqual([]);
});

test("series are split by tag, project and member", async () => {
  expect(await series("tag")).toEqual([
    ["night", "night", 12],
    ['te\'am "7"', 'te\'am "7"', 5],
  ]);
  expect(await series("project")).toEqual([
    ["", "", 24],
    [String(project), "Search", 12],
  ]);
  expect((await series("member")).map(([key, , quota]) => [key, quota])).toEqual([
    ["", 24],
    [String(member), 12],
  ]);
  expect(await series("model", { tag: "night" })).toEqual([["gpt-4o", "gpt-4o", 12]]);
  expect(await series("project", { tag: "night" })).toEqual([[String(project), "Search", 12]]);
  expect(await series("tag", { projectId: project })).toHaveLength(2);
});

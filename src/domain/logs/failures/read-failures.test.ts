import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { failureDecisions } from "../../../../db/schema/logs/failures.ts";
import { logs } from "../../../../db/schema/logs/logs.ts";
import { addChannel, addUser } from "../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { decideFailure, readFailures } from "./read-failures.ts";

const NOW = Math.floor(Date.now() / 1000);
const PERIOD = { start: NOW - 3600, end: NOW };

let database: TestDatabase;
let userId = 0;
let channelId = 0;

beforeAll(async () => {
  database = await openTestDatabase();
  userId = await addUser(database.sql, 5);
  channelId = await addChannel(database.sql);
});
afterAll(() => database.close());
beforeEach(async () => {
  for (const table of [logs, failureDecisions]) await database.db.delete(table);
});

const LIMITED = {
  request_id: "r-1",
  status: 429,
  error: "The upstream of this group is at capacity. Try again later.",
  error_reason: { code: "gateway_saturated" },
};
const attempt = () => ({
  ...{ channelId, channelName: "East", status: 429, startMs: 0, firstByteMs: null, endMs: 5 },
  ...{ error: "Slow down.", code: "rate_limit_exceeded" },
});

async function add(ago: number, other: object | string, values: Partial<typeof logs.$inferInsert> = {}) {
  const text = typeof other === "string" ? other : JSON.stringify(other);
  const call = { type: 2, failed: true, userId, channelId, modelName: "gpt", createdAt: NOW - ago };
  await database.db.insert(logs).values({ ...call, other: text, ...values });
}

const limited = () => ({ ...LIMITED, admin_info: { use_channel: [], attempts: [attempt()] } });

test("long rows that are no JSON, as imports bring them, hide no failure", async () => {
  await add(60, `{"broken": "${"x".repeat(30_000)}`);
  await add(30, { ...limited(), input_content: 'says "hi" \\ '.repeat(3000) });
  await add(20, limited());
  const { groups, failed } = await readFailures(database.db, PERIOD);
  expect(failed).toBe(3);
  expect(groups.find(({ class: name }) => name === "provider_limit")?.count).toBe(2);
});

test("a decision is in the audit log", async () => {
  await decideFailure(database.db, 0, "no_price/0//gpt", { state: "muted", by: userId, now: NOW });
  const [row] = await database.db.select().from(logs);
  expect(row).toMatchObject({ type: 3, userId });
  expect(JSON.parse(row?.other ?? "")).toMatchObject({
    note: { code: "failure_muted", params: { cause: "no_price/0//gpt" } },
  });
});

test("calls that fail alike are one group, with when, whose and how many", async () => {
  await add(60, limited());
  await add(30, { ...limited(), request_id: "r-2" }, { userId: userId + 1 });
  await add(
    20,
    { status: 500, error_reason: { code: "gateway_no_price", params: { model: "gpt" } } },
    { channelId: 0 },
  );
  await add(10, {}, { failed: false });
  await add(4000, limited());
  const { groups, calls, failed, is_partial } = await readFailures(database.db, PERIOD);
  expect({ calls, failed, is_partial }).toEqual({ calls: 4, failed: 3, is_partial: false });
  expect(groups).toHaveLength(2);
  const found = groups.find(({ class: name }) => name === "provider_limit");
  expect(found).toMatchObject({
    ...{
      cause: `provider_limit/${channelId}/rate_limit_exceeded/gpt`,
      channel_name: "test",
      status: 429,
      count: 2,
      users: 2,
    },
    ...{ share: 0.5, first_seen: NOW - 60, last_seen: NOW - 30, state: "open" },
    example: { request_id: "r-2", user_id: userId + 1, error: "Slow down." },
  });
});

test("users see their own, with what clients got and no channel", async () => {
  await add(60, limited());
  await add(30, limited(), { userId: userId + 1 });
  const { groups } = await readFailures(database.db, { ...PERIOD, userId });
  expect(groups).toHaveLength(1);
  expect(groups[0]).toMatchObject({ class: "provider_limit", channel_id: 0, channel_name: "", count: 1, users: 1 });
  expect(JSON.stringify(groups)).not.toContain("Slow down.");
});

test("rows whose details are no JSON, or have long contents, count too", async () => {
  await add(60, "{broken", { content: "It failed." });
  await add(30, { ...limited(), output_content: "x".repeat(30_000) });
  const { groups } = await readFailures(database.db, PERIOD);
  expect(groups.map(({ class: name, example }) => [name, example.error])).toEqual([
    ["provider_limit", "Slow down."],
    ["provider_down", "It failed."],
  ]);
});

test("a resolved group is open again when it fails later, a muted one stays so", async () => {
  await add(60, limited());
  const { cause } = (await readFailures(database.db, PERIOD)).groups[0] ?? { cause: "" };
  const stateAfter = async (state: "open" | "muted" | "resolved", now: number) => {
    await decideFailure(database.db, 0, cause, { state, by: userId, now });
    return (await readFailures(database.db, PERIOD)).groups[0]?.state;
  };
  expect(await stateAfter("resolved", NOW - 30)).toBe("resolved");
  expect(await stateAfter("resolved", NOW - 90)).toBe("open");
  expect(await stateAfter("muted", NOW - 90)).toBe("muted");
  expect(await stateAfter("open", NOW)).toBe("open");
  await decideFailure(database.db, userId, cause, { state: "muted", by: userId, now: NOW });
  expect((await readFailures(database.db, PERIOD)).groups[0]?.state).toBe("open");
});

test("of one owner's decisions the latest thousand stay, and nobody else's are touched", async () => {
  await decideFailure(database.db, 0, "of the site", { state: "muted", by: userId, now: 1 });
  await database.db.insert(failureDecisions).values(
    Array.from({ length: 1000 }, (_, at) => {
      return { ownerId: userId, cause: `cause ${at}`, status: "muted" as const, decidedAt: 10 + at, decidedBy: userId };
    }),
  );
  await decideFailure(database.db, userId, "one more", { state: "muted", by: userId, now: NOW });
  const left = await database.db.select().from(failureDecisions);
  expect(left).toHaveLength(1001);
  expect(left.some(({ cause }) => cause === "cause 0")).toBe(false);
  expect(left.some(({ cause }) => cause === "of the site")).toBe(true);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { addUser, usageRecord } from "../../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../../test/support/database.ts";
import { randomFrom } from "../../../../../test/support/lib/random-json.ts";
import { applyBatch } from "../../../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../../billing/journal/apply/record-text.ts";
import { refundCharge } from "../../../tasks/refund-charge.ts";
import { exportMovements } from "./export-movements.ts";
import type { ChargesBy } from "./movement-rows.ts";

const DAY_S = 86_400;
/** In the middle of an hour of 5 March 2026 (UTC). */
const NOW = Date.UTC(2026, 2, 5, 14, 20) / 1000;
const DEPS = { unitsPerDollar: 500_000 };

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const give = (userId: number, quota: number) =>
  database.sql`update users set quota = quota + ${quota} where id = ${userId}`;
async function topUp(userId: number, quota: number, at: number) {
  await give(userId, quota);
  await database.sql`insert into top_up_orders (user_id, trade_no, method, quota, money, status, created_time, completed_time)
    values (${userId}, ${Bun.randomUUIDv7()}, 'stripe', ${quota}, 1, 'success', ${at}, ${at})`;
}
async function manage(userId: number, quota: number, at: number, fields: object = {}) {
  await give(userId, quota);
  const other = JSON.stringify({ user_id: userId, quota_delta: quota, action: "update", ...fields });
  await database.sql`insert into logs (created_at, type, user_id, content, quota, other) values (${at}, 3, 1, 'x', 0, ${other})`;
}
async function call(userId: number, quota: number, at: number) {
  const record = usageRecord({ userId, quota, createdAt: at, modelName: "model-a" });
  await applyBatch(database.sql, "p", [recordText(record)]);
  return record.requestId;
}
const balanceOf = async (userId: number) =>
  Number((await database.sql`select quota from users where id = ${userId}`)[0]?.quota);

type Line = Readonly<{ time: string; kind: string; quota: number; dollars: number; balance: number; detail: string }>;
async function linesOf(stream: ReadableStream<Uint8Array>): Promise<Line[]> {
  const [head, ...lines] = (await new Response(stream).text()).trimEnd().split("\r\n");
  expect(head).toBe("time,kind,quota,dollars,balance,detail,reference");
  return lines.map((line) => {
    const [time = "", kind = "", quota, dollars, balance, detail = ""] = line.split(",");
    return { time, kind, quota: Number(quota), dollars: Number(dollars), balance: Number(balance), detail };
  });
}
const movements = async (userId: number, by: ChargesBy) =>
  linesOf(await exportMovements({ ...DEPS, db: database.db }, userId, by, () => NOW));

/** What the file must say whatever is in it. */
async function expectAddsUp(userId: number, lines: readonly Line[]) {
  let balance = 0;
  for (const line of lines) {
    balance += line.quota;
    expect(line.balance).toBe(balance);
    expect(line.dollars).toBe(line.quota / 500_000);
  }
  expect(balance).toBe(await balanceOf(userId));
  expect(lines.map(({ time }) => time)).toEqual(lines.map(({ time }) => time).sort());
}

test("names each movement and adds up to the balance, with charges by day and by call", async () => {
  const userId = await addUser(database.sql, 1_000);
  const day = Date.UTC(2026, 0, 10) / 1000;
  await topUp(userId, 5_000, day + 60);
  await call(userId, 7, day + 120);
  await call(userId, 11, day + 180);
  await manage(userId, -300, day + DAY_S, { target: "organization" });
  await manage(userId, -500, day + 2 * DAY_S, { trade_no: "t" });
  await manage(userId, -40, day + 3 * DAY_S, { target: "subscription" });
  await manage(userId, 9, day + 4 * DAY_S);
  await call(userId, 3, NOW - 90);
  const byDay = await movements(userId, "day");
  await expectAddsUp(userId, byDay);
  expect(byDay.map(({ kind, quota }) => [kind, quota])).toEqual([
    ["opening", 1_000],
    ["top_up", 5_000],
    ["charges", -18],
    ["transfer", -300],
    ["refund", -500],
    ["plan", -40],
    ["adjustment", 9],
    ["charges", -3],
  ]);
  expect(byDay[2]).toMatchObject({ time: "2026-01-10T23:59:59.000Z", detail: "2 calls" });
  expect(byDay.at(-1)?.time).toBe("2026-03-05T14:20:00.000Z");
  const byCall = await movements(userId, "call");
  await expectAddsUp(userId, byCall);
  expect(byCall.slice(2, 4).map(({ kind, quota, detail }) => [kind, quota, detail])).toEqual([
    ["call", -7, "model-a"],
    ["call", -11, "model-a"],
  ]);
});

test("charges without a log entry are a line of their own, and cleared changes are in the opening", async () => {
  const userId = await addUser(database.sql, 0);
  const day = Date.UTC(2026, 1, 3) / 1000;
  await manage(userId, 800, day);
  await call(userId, 5, day + 10);
  const unlogged = await call(userId, 6, day + 20);
  await database.sql`delete from logs where request_id = ${unlogged} or (type = 3 and created_at = ${day})`;
  const lines = await movements(userId, "call");
  await expectAddsUp(userId, lines);
  expect(lines.map(({ kind, quota }) => [kind, quota])).toEqual([
    ["opening", 800],
    ["call", -5],
    ["charges", -6],
  ]);
});

test("adds up whatever happened, in slices of any size, and for an account without movements", async () => {
  const random = randomFrom(20_261_127);
  const userId = await addUser(database.sql, 50_000_000);
  const other = await addUser(database.sql, 50_000_000);
  const start = NOW - 75 * DAY_S;
  const charges: { chargeId: string; createdAt: number }[] = [];
  const same = start + 5 * DAY_S - ((start + 5 * DAY_S) % DAY_S);
  await applyBatch(
    database.sql,
    "p",
    Array.from({ length: 2_500 }, () =>
      recordText(usageRecord({ userId, quota: 1 + random(99), createdAt: same + 7 })),
    ),
  );
  for (let at = start; at < NOW; at += 3_600 * 9) {
    const quota = 1 + random(40_000);
    const kind = random(6);
    if (kind === 0) await topUp(userId, quota, at);
    else if (kind === 1) await manage(userId, random(2) ? quota : -quota, at);
    else if (kind === 2) await call(other, quota, at);
    else charges.push({ chargeId: await call(userId, quota, at), createdAt: at });
  }
  for (const { chargeId, createdAt } of charges.slice(0, 20)) {
    const charge = {
      chargeId,
      createdAt,
      userId,
      tokenId: 0,
      channelId: 0,
      task: { kind: "media", name: "t" } as const,
    };
    await database.db.transaction((tx) => refundCharge(tx, charge, true));
  }
  for (const by of ["day", "call"] as const) {
    const lines = await movements(userId, by);
    await expectAddsUp(userId, lines);
    expect(lines.some(({ kind }) => kind === "correction")).toBe(false);
    expect(lines[0]).toMatchObject({ kind: "opening", quota: 50_000_000 });
    if (by === "call") expect(lines.filter(({ kind }) => kind === "call")).toHaveLength(2_500 + charges.length - 20);
  }
  expect((await movements(await addUser(database.sql, 77), "day")).map(({ quota }) => quota)).toEqual([77]);
});

test("a change of the past while the file is written is a correction", async () => {
  const userId = await addUser(database.sql, 100);
  const day = Date.UTC(2026, 1, 1) / 1000;
  await call(userId, 30, day);
  await call(userId, 20, day + 31 * DAY_S);
  const stream = await exportMovements({ ...DEPS, db: database.db }, userId, "day", () => NOW);
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  const read = async () => {
    const { value } = await reader.read();
    if (value) parts.push(value);
    return value !== undefined;
  };
  // The head, the opening and the first month: the stream is a slice ahead, and the end is not read yet.
  for (let count = 0; count < 3; count++) await read();
  await topUp(userId, 1_000, day + 60);
  await manage(userId, 5, NOW);
  while (await read()) {}
  const lines = await linesOf(new Blob(parts.map((part) => part.slice())).stream());
  await expectAddsUp(userId, lines);
  expect(lines.map(({ kind, quota }) => [kind, quota])).toEqual([
    ["opening", 100],
    ["charges", -30],
    ["charges", -20],
    ["adjustment", 5],
    ["correction", 1_000],
  ]);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { asc, eq } from "drizzle-orm";
import { statements } from "../../../../db/schema/wallet/statements.ts";
import { addUser, usageRecord } from "../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { randomFrom } from "../../../../test/support/lib/random-json.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { checkBooks } from "../../../billing/check-ledger/check-ledger.ts";
import { applyBatch } from "../../../billing/journal/apply/apply-batch.ts";
import { recordText } from "../../../billing/journal/apply/record-text.ts";
import { refundCharge } from "../../tasks/refund-charge.ts";
import { type Month, monthAt, parseMonth } from "./compute-statement.ts";
import { draftStatement, listStatements } from "./documents.ts";
import { issueStatements } from "./issue-statements.ts";

const DAY_S = 86_400;
const settings = fixedSettings({ StatementNumberPrefix: "R-" });

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

type Charge = Readonly<{ chargeId: string; createdAt: number; userId: number }>;

/** Everything that moves a balance, as the operations write it. */
function ledgerOf(sql: TestDatabase["sql"]) {
  const give = (userId: number, quota: number) => sql`update users set quota = quota + ${quota} where id = ${userId}`;
  return {
    async topUp(userId: number, quota: number, at: number) {
      await give(userId, quota);
      await sql`insert into top_up_orders (user_id, trade_no, method, quota, money, status, created_time, completed_time)
        values (${userId}, ${Bun.randomUUIDv7()}, 'stripe', ${quota}, 1, 'success', ${at - 60}, ${at})`;
    },
    async adjust(userId: number, quota: number, at: number) {
      await give(userId, quota);
      const other = JSON.stringify({ user_id: userId, quota_delta: quota, action: "update" });
      await sql`insert into logs (created_at, type, user_id, content, quota, other) values (${at}, 3, ${userId}, 'x', 0, ${other})`;
    },
    async moveRewards(userId: number, quota: number, at: number) {
      await give(userId, quota);
      await sql`insert into logs (created_at, type, user_id, content, quota)
        values (${at}, 4, ${userId}, 'Invitation rewards transferred to the balance', ${quota})`;
    },
    async call(userId: number, quota: number, at: number): Promise<Charge> {
      const record = usageRecord({
        ...{ userId, quota, createdAt: at, modelName: quota % 2 ? "model-a" : "model-b" },
        // A third is made while calls are not logged.
        ...(quota % 3 === 0 && { unlogged: true as const }),
      });
      await applyBatch(sql, "p", [recordText(record)]);
      return { chargeId: record.requestId, createdAt: at, userId };
    },
    refund: (charge: Charge) =>
      database.db.transaction((tx) =>
        refundCharge(tx, { ...charge, tokenId: 0, channelId: 0, task: { kind: "media", name: "t" } }, true),
      ),
  };
}

const documentsOf = (userId: number) =>
  database.db.select().from(statements).where(eq(statements.userId, userId)).orderBy(asc(statements.id));
const balanceOf = async (userId: number): Promise<number> =>
  Number((await database.sql`select quota from users where id = ${userId}`)[0]?.quota);

const nextMonth = (month: Month): Month => monthAt(month.until);
const dueAt = (month: Month): number => month.until + DAY_S + 60;

test("usage is listed by tag: a call counts in each of its tags, of one account and month", async () => {
  const [userId, other] = [await addUser(database.sql, 1000), await addUser(database.sql, 1000)];
  const month = parseMonth("2026-02");
  const call = (payer: number, quota: number, tags?: string[], at = month.from + DAY_S) =>
    applyBatch(database.sql, "p", [
      recordText(usageRecord({ userId: payer, quota, createdAt: at, other: tags ? { tags } : {} })),
    ]);
  await call(userId, 30, ["team-a", "nightly"]);
  await call(userId, 12, ["nightly"]);
  await call(userId, 5);
  await call(userId, 7, ["team-a"], month.from - 1);
  await call(userId, 8, ["team-a"], month.until);
  await call(other, 99, ["team-a"]);
  const { content } = await draftStatement(database.db, settings, userId, month.from + 2 * DAY_S);
  expect(content.tags).toEqual([
    { name: "nightly", calls: 2, promptTokens: 20, completionTokens: 40, quota: 42 },
    { name: "team-a", calls: 1, promptTokens: 10, completionTokens: 20, quota: 30 },
  ]);
  expect(content.models).toMatchObject([{ calls: 3, quota: 47 }]);
});

test("calls that are not logged stand on the statement of their month by model and API key, and give back what is refunded", async () => {
  const userId = await addUser(database.sql, 1000);
  const month = parseMonth("2026-03");
  const call = async (quota: number, at: number, more: object = {}) => {
    const record = usageRecord({
      ...{ userId, quota, createdAt: at, unlogged: true, tokenId: 7, tokenName: "ci" },
      ...more,
    });
    await applyBatch(database.sql, "p", [recordText(record)]);
    return { chargeId: record.requestId, createdAt: at, userId };
  };
  await call(30, month.from);
  const refunded = await call(12, month.until - 1, { modelName: "video" });
  await call(5, month.until - 1, { unlogged: undefined });
  await call(7, month.from - 1);
  await call(8, month.until);
  const read = async () => {
    const { content, ...draft } = await draftStatement(database.db, settings, userId, month.until - 1);
    const lines = (of: typeof content.models) => of.map(({ name, calls, quota }) => [name, calls, quota]);
    return [
      draft.opening,
      draft.charged,
      content.credits.other,
      draft.closing,
      lines(content.models),
      lines(content.keys),
    ];
  };
  expect(await read()).toEqual([
    993,
    47,
    0,
    946,
    [
      ["gpt-4o", 2, 35],
      ["video", 1, 12],
    ],
    [["ci", 3, 47]],
  ]);
  await database.db.transaction((tx) =>
    refundCharge(tx, { ...refunded, tokenId: 7, channelId: 0, task: { kind: "media", name: "t" } }, true),
  );
  expect(await read()).toEqual([
    993,
    35,
    0,
    958,
    [
      ["gpt-4o", 2, 35],
      ["video", 1, 0],
    ],
    [["ci", 3, 35]],
  ]);
  expect((await checkBooks(database.db, "users", 0, 0)).wrong).toEqual([]);
});

test("eight months of random movements: every document adds up, opens with the last closing, and ends with the balance", async () => {
  const random = randomFrom(20_261_124);
  const ledger = ledgerOf(database.sql);
  const people = [await addUser(database.sql, 10_000_000), await addUser(database.sql, 10_000_000)];
  const charges: Charge[] = [];
  let month = parseMonth("2026-01");
  for (let count = 0; count < 8; count++, month = nextMonth(month)) {
    // In the order of time, as balances change only in the present.
    const times = Array.from({ length: 40 }, () => month.from + DAY_S * 2 + random(25 * DAY_S)).sort((a, b) => a - b);
    for (const at of times) {
      const userId = people[random(people.length)] ?? 0;
      const quota = 1 + random(50_000);
      const kind = random(7);
      if (kind === 0) await ledger.topUp(userId, quota, at);
      else if (kind === 1) await ledger.adjust(userId, random(2) ? quota : -quota, at);
      else if (kind === 2) await ledger.moveRewards(userId, quota, at);
      else if (kind === 3 && charges.length > 0)
        await ledger.refund(charges.splice(random(charges.length), 1)[0] as Charge);
      else charges.push(await ledger.call(userId, quota, at));
    }
    // Between the month's end and the day on which it is issued.
    for (const userId of people) charges.push(await ledger.call(userId, 1 + random(9000), month.until + 3600));
    await issueStatements({ db: database.db, settings }, undefined, dueAt(month));
    expect(await issueStatements({ db: database.db, settings }, undefined, dueAt(month))).toBe(0);
  }
  expect((await checkBooks(database.db, "statements", 0, 0)).wrong).toEqual([]);
  await database.sql`update statements set opening = opening + 1, closing = closing + 1 where id = 9`;
  expect((await checkBooks(database.db, "statements", 0, 0)).wrong.length).toBeGreaterThan(0);
  await database.sql`update statements set opening = opening - 1, closing = closing - 1 where id = 9`;
  const all = await database.db.select().from(statements).orderBy(asc(statements.id));
  expect(all.map(({ serial }) => serial)).toEqual(all.map((_, index) => index + 1));
  expect(all[0]?.number).toBe("R-000001");
  expect(all.filter(({ kind }) => kind === "correction").length).toBeGreaterThan(3);
  for (const userId of people) {
    const documents = await documentsOf(userId);
    const issued = documents.filter(({ kind }) => kind === "statement");
    expect(issued).toHaveLength(8);
    let balance = issued[0]?.opening ?? 0;
    for (const document of documents) {
      const { credits, models, keys } = document.content;
      if (document.kind === "correction") balance += document.closing;
      else {
        expect(document.opening).toBe(balance);
        balance = document.closing;
        expect(credits.other).toBe(0);
        expect(sum(models.map(({ quota }) => quota))).toBe(document.charged);
        expect(sum(keys.map(({ quota }) => quota))).toBe(document.charged);
      }
      expect(document.opening + sum(Object.values(credits)) - document.charged).toBe(document.closing);
    }
    const draft = await draftStatement(database.db, settings, userId, month.from + 2 * DAY_S);
    expect(draft).toMatchObject({ opening: balance, closing: await balanceOf(userId), number: null });
    expect(draft.content.credits.other).toBe(0);
  }
}, 120_000);

test("charges that come in or go back after a month was issued are corrected, once", async () => {
  const ledger = ledgerOf(database.sql);
  const userId = await addUser(database.sql, 100_000);
  const march = parseMonth("2025-03");
  const charge = await ledger.call(userId, 700, march.from + DAY_S);
  const issue = (at: number) => issueStatements({ db: database.db, settings }, undefined, at);
  await issue(dueAt(march));
  await ledger.refund(charge);
  await ledger.call(userId, 50, march.from + 2 * DAY_S);
  await issue(dueAt(march) + 3600);
  await issue(dueAt(march) + 7200);
  expect(
    (await documentsOf(userId)).map(({ kind, opening, closing, charged }) => [kind, opening, closing, charged]),
  ).toEqual([
    ["statement", 100_000, 99_300, 700],
    ["correction", 0, 650, -650],
  ]);
});

test("without the option nothing is issued, and lists are by account", async () => {
  const ledger = ledgerOf(database.sql);
  const userId = await addUser(database.sql, 100);
  const may = parseMonth("2025-05");
  await ledger.call(userId, 7, may.from + DAY_S);
  const off = fixedSettings({ StatementsEnabled: "false" });
  expect(await issueStatements({ db: database.db, settings: off }, undefined, dueAt(may))).toBe(0);
  await issueStatements({ db: database.db, settings }, undefined, dueAt(may));
  const page = { page: 0, pageSize: 10, descending: true };
  expect(await listStatements(database.db, { userId }, page)).toMatchObject({
    total: 1,
    items: [{ month: "2025-05" }],
  });
  expect((await listStatements(database.db, { month: "2025-05" }, page)).total).toBe(1);
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

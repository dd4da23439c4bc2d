import { afterAll, beforeAll, expect, test } from "bun:test";
import { addUser, silentLog } from "../../../../test/support/billing/start-billing.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/database.ts";
import { fixedSettings } from "../../../../test/support/lib/settings.ts";
import { listCases } from "../payments/cases.ts";
import { signEpay } from "../payments/epay.ts";
import { recordOrderRefund } from "../payments/record-order-refund.ts";
import { readPaidOrders } from "../statements/movements/read-movements.ts";
import { handleEpayCallback } from "./reports/epay-callback.ts";
import { settlePaidOrder } from "./settle-order.ts";

const NOW = Math.floor(Date.now() / 1000);
const KEY = "merchant-key";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
}, 60_000);
afterAll(() => database.close());

const settings = fixedSettings({ PayAddress: "https://pay.test", EpayId: "1000", EpayKey: KEY });
const deps = () => ({ db: database.db, changes: database.changes, settings, log: silentLog });

async function order(method: string, money: string, tax = "0"): Promise<{ userId: number; tradeNo: string }> {
  const userId = await addUser(database.sql, 0);
  const tradeNo = `T${Bun.randomUUIDv7()}`;
  await database.sql`
    insert into top_up_orders (user_id, trade_no, method, quota, money, currency, tax, tax_country, created_time)
    values (${userId}, ${tradeNo}, ${method}, 500, ${money}, ${method === "stripe" ? "USD" : "CNY"}, ${tax},
      ${tax === "0" ? "" : "DE"}, ${NOW})`;
  return { userId, tradeNo };
}
const notify = (fields: Record<string, string>) => {
  const all = { pid: "1000", trade_status: "TRADE_SUCCESS", sign_type: "MD5", ...fields };
  return handleEpayCallback(deps(), { ...all, sign: signEpay(all, KEY) });
};
const casesOf = async (tradeNo: string) =>
  (await listCases(database.db, { page: 0, pageSize: 100 })).items
    .filter((one) => one.trade_no === tradeNo)
    .map(({ kind, reference, money }) => [kind, reference, money]);
const quotaOf = async (userId: number) =>
  Number((await database.sql`select quota from users where id = ${userId}`)[0]?.quota);

test("a second payment of an order is acknowledged and waits for an administrator, once", async () => {
  const { userId, tradeNo } = await order("zfb", "10.00");
  const first = { out_trade_no: tradeNo, trade_no: `E1${tradeNo}`, money: "10.00" };
  for (const _ of [1, 2, 3]) expect(await notify(first)).toBe(true);
  expect(await casesOf(tradeNo)).toEqual([]);
  const again = [
    { ...first, trade_no: `E2${tradeNo}` },
    { ...first, trade_no: `E3${tradeNo}`, money: "99.00" },
    { ...first, money: "99.00" },
  ];
  for (const fields of [...again, ...again]) expect(await notify(fields)).toBe(true);
  expect((await casesOf(tradeNo)).toSorted()).toEqual([
    ["paid_again", `E1${tradeNo}`, "99.00"],
    ["paid_again", `E2${tradeNo}`, "10.00"],
    ["paid_again", `E3${tradeNo}`, "99.00"],
  ]);
  expect(await quotaOf(userId)).toBe(500);
});

test("the first report of an order that an administrator completed is its payment, the next is another", async () => {
  const { tradeNo } = await order("zfb", "10.00");
  await database.sql`update top_up_orders set status = 'success', completed_by = user_id where trade_no = ${tradeNo}`;
  const paid = { tradeNo, methods: ["zfb"], money: "10", currency: "CNY" };
  expect(await settlePaidOrder(deps(), { ...paid, gatewayNo: `A${tradeNo}` })).toBe("credited before");
  expect(await settlePaidOrder(deps(), { ...paid, gatewayNo: `B${tradeNo}` })).toBe("paid again");
  expect(await settlePaidOrder(deps(), { ...paid, gatewayNo: `A${tradeNo}` })).toBe("credited before");
});

test("what a service pays back of a top-up stands on the statement, each part once, with its tax", async () => {
  const { userId, tradeNo } = await order("stripe", "11.00", "1.00");
  const part = { tradeNo, isTotal: true, currency: "usd", now: NOW };
  expect(await recordOrderRefund(database.db, { ...part, reference: "r0", units: 100 })).toBe(false);
  await settlePaidOrder(deps(), { tradeNo, methods: ["stripe"], money: "11.00", currency: "USD", gatewayNo: "pi_1" });
  for (const _ of [1, 2]) await recordOrderRefund(database.db, { ...part, reference: "r1", units: 400 });
  await recordOrderRefund(database.db, { ...part, reference: "r2", units: 1100 });
  expect(await recordOrderRefund(database.db, { ...part, reference: "r3", units: 1200 })).toBe(false);
  const lines = await readPaidOrders(database.db, userId, { from: NOW - 60, until: NOW + 3600 });
  expect(lines.map(({ money, quota, isRefund, tax }) => [money, quota, isRefund ?? false, tax?.amount])).toEqual(
    expect.arrayContaining([
      ["11.00", 500, false, "1.00"],
      ["-4.00", 0, true, "-0.36"],
      ["-7.00", 0, true, "-0.64"],
    ]),
  );
  // The quota is taken back later: the money is not paid back twice.
  await database.sql`update top_up_orders set refund_started_time = ${NOW}, refunded_time = ${NOW} where trade_no = ${tradeNo}`;
  const after = await readPaidOrders(database.db, userId, { from: NOW - 60, until: NOW + 3600 });
  expect(after.filter(({ quota }) => quota < 0)).toMatchObject([{ money: "0.00", quota: -500 }]);
});

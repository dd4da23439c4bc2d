import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq, sql } from "drizzle-orm";
import { users } from "../../../../../db/schema/accounts/users.ts";
import { paymentCases } from "../../../../../db/schema/wallet/plans/plan-orders.ts";
import { topUpOrders } from "../../../../../db/schema/wallet/wallet.ts";
import { startFakeAlipay, startFakeWechatPay } from "../../../../../test/support/console/fake-payment-services.ts";
import { startTestWallet, type TestWallet } from "../../../../../test/support/console/wallet.ts";
import { checkBooks } from "../../../../billing/check-ledger/check-ledger.ts";
import { nowSeconds } from "../../../../lib/clock.ts";
import { createAddressPolicy } from "../../../../lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import { createLogger } from "../../../../lib/runtime/log.ts";
import { continueRefunds } from "../../orders/refund-order.ts";
import { pollPayments } from "../../orders/reports/poll-payments.ts";

const alipay = startFakeAlipay();
const wechat = startFakeWechatPay();
const TEN = Array.from({ length: 10 }, (_, index) => index);
/** $10 at 7.3 yuan a dollar. */
const QUOTA = 5_000_000;

let app: TestWallet;
beforeAll(async () => {
  const options = { ServerAddress: "https://gateway.test", ...alipay.settings, ...wechat.settings };
  app = await startTestWallet(options);
});
afterAll(async () => {
  await app.close();
  await alipay.stop();
  await wechat.stop();
});
beforeEach(async () => {
  await app.db.delete(topUpOrders);
  await app.db.delete(paymentCases);
  await app.db.execute(sql`delete from logs`);
  await app.db.update(users).set({ quota: 0 });
});

const deps = () => ({
  ...app,
  fetch: createSafeFetch(createAddressPolicy(true)),
  log: createLogger({ logLevel: "silent", logFormat: "json" }),
  stripeAddress: "",
});
const quotaOf = async () => (await app.rowOf(app.ids.user)).quota;
const orderOf = async (tradeNo: string) =>
  (await app.db.select().from(topUpOrders).where(eq(topUpOrders.tradeNo, tradeNo)))[0];
const cases = async () =>
  (await app.db.select().from(paymentCases)).map(({ kind, money, userId }) => [kind, money, userId]);
const expectBooks = async () => expect((await checkBooks(app.db, "balances", 0, nowSeconds())).wrong).toEqual([]);

/** Orders $10 and returns the order's number. */
async function order(method: "alipay" | "wechat"): Promise<string> {
  const answer = await app.call("POST", "/api/user/pay", { amount: 10, payment_method: method });
  expect(answer).toMatchObject({ success: true, is_code: method === "wechat" });
  const url = String(answer.url);
  return method === "alipay"
    ? String(JSON.parse(alipay.openPage(url).biz_content ?? "").out_trade_no)
    : (url.split("pr=")[1] ?? "");
}

/** What differs between the services in what they send. */
const SERVICES = {
  alipay: {
    fake: alipay,
    async send(body: string) {
      const { text } = await app.ask("POST", "/api/user/alipay/notify", body, {});
      return text === "success";
    },
    notices: {
      paid: (tradeNo: string) => alipay.notice(tradeNo),
      forged: (tradeNo: string) => alipay.notice(tradeNo, {}, alipay.merchant.privateKey),
      tooLittle: (tradeNo: string) => alipay.notice(tradeNo, { total_amount: "1.00" }),
      foreign: (tradeNo: string) => alipay.notice(tradeNo, { app_id: "another" }),
    },
  },
  wechat: {
    fake: wechat,
    async send(notice: string) {
      const { body, headers } = JSON.parse(notice) as ReturnType<typeof wechat.notice>;
      return (await app.ask("POST", "/api/user/wechat/notify", body, headers)).status === 204;
    },
    notices: {
      paid: (tradeNo: string) => JSON.stringify(wechat.notice(tradeNo)),
      forged: (tradeNo: string) => JSON.stringify(wechat.notice(tradeNo, {}, wechat.merchant.privateKey)),
      tooLittle: (tradeNo: string) =>
        JSON.stringify(wechat.notice(tradeNo, { amount: { total: 100, currency: "CNY" } })),
      // A notification that somebody kept and sends again.
      foreign: (tradeNo: string) => JSON.stringify(wechat.notice(tradeNo, {}, undefined, nowSeconds() - 3600)),
    },
  },
} as const;

describe.each(["alipay", "wechat"] as const)("%s", (method) => {
  const { fake, send, notices } = SERVICES[method];
  const tradeOf = (tradeNo: string) => {
    const trade = fake.state.trades.get(tradeNo);
    if (!trade) throw new Error(`there is no trade ${tradeNo}`);
    return trade;
  };
  /** An order that was paid and credited. */
  const paidOrder = async () => {
    const tradeNo = await order(method);
    tradeOf(tradeNo).state = "paid";
    expect(await send(notices.paid(tradeNo))).toBe(true);
    return tradeNo;
  };
  const refund = (tradeNo: string, headers = app.as.admin) =>
    app.call("POST", "/api/topup/refund", { trade_no: tradeNo }, headers);

  test("a payment is credited once, however often and at the same time it is reported", async () => {
    const tradeNo = await order(method);
    expect(tradeOf(tradeNo).cents).toBe(7300);
    expect(await quotaOf()).toBe(0);
    const notice = notices.paid(tradeNo);
    expect(await Promise.all(TEN.map(() => send(notice)))).toEqual(TEN.map(() => true));
    expect(await quotaOf()).toBe(QUOTA);
    expect(await orderOf(tradeNo)).toMatchObject({ status: "success", money: "73.00", gatewayNo: tradeOf(tradeNo).no });
    await expectBooks();
  });

  test("a payment that is reported after its order expired counts; one that closes comes too late", async () => {
    const tradeNo = await order(method);
    await app.db.update(topUpOrders).set({ status: "expired" });
    expect(await send(notices.paid(tradeNo))).toBe(true);
    expect(await quotaOf()).toBe(QUOTA);
    tradeOf(tradeNo).state = "closed";
    await pollPayments(deps(), undefined, nowSeconds() + 120);
    expect(await orderOf(tradeNo)).toMatchObject({ status: "success" });
  });

  test("what is not signed by the service, or is not for us, moves nothing", async () => {
    const tradeNo = await order(method);
    expect(await send(notices.forged(tradeNo))).toBe(false);
    expect(await send(notices.foreign(tradeNo))).toBe(false);
    expect([await quotaOf(), await cases()]).toEqual([0, []]);
  });

  test("a payment of another amount waits for an administrator, once", async () => {
    const tradeNo = await order(method);
    for (const _ of [1, 2]) expect(await send(notices.tooLittle(tradeNo))).toBe(true);
    expect(await quotaOf()).toBe(0);
    expect(await cases()).toEqual([["wrong_amount", "1.00", app.ids.user]]);
    expect(await orderOf(tradeNo)).toMatchObject({ status: "pending" });
  });

  test("what is never reported is found out, if the answer is the service's", async () => {
    const paid = await order(method);
    const closed = await order(method);
    await order(method);
    tradeOf(paid).state = "paid";
    tradeOf(closed).state = "closed";
    expect(await pollPayments(deps())).toBe(0);
    fake.state.failing = 3;
    expect(await pollPayments(deps(), undefined, nowSeconds() + 120)).toBe(3);
    expect(await quotaOf()).toBe(0);
    fake.state.failing = 0;
    await pollPayments(deps(), undefined, nowSeconds() + 120);
    expect(await quotaOf()).toBe(QUOTA);
    expect((await orderOf(closed))?.status).toBe("expired");
    expect(await send(notices.paid(paid))).toBe(true);
    expect(await quotaOf()).toBe(QUOTA);
    await expectBooks();
  });

  test("a refund takes the quota back and pays once, also when asked for at the same time", async () => {
    const tradeNo = await paidOrder();
    const answers = await Promise.all(TEN.map(() => refund(tradeNo)));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(await quotaOf()).toBe(0);
    await continueRefunds(deps());
    expect([...tradeOf(tradeNo).refunds]).toEqual([[`${tradeNo}R`, 7300]]);
    const stored = await orderOf(tradeNo);
    expect(stored?.refundStartedTime).toBeGreaterThan(0);
    if (method === "alipay") expect(stored?.refundedTime).toBeGreaterThan(0);
    expect(await refund(tradeNo)).toMatchObject({ success: false });
    await expectBooks();
  });

  test("a refund that the service refuses gives the quota back; spent quota is not refunded", async () => {
    const tradeNo = await paidOrder();
    fake.state.refusesRefunds = true;
    expect(await refund(tradeNo)).toMatchObject({ success: false });
    fake.state.refusesRefunds = false;
    expect(await quotaOf()).toBe(QUOTA);
    await expectBooks();
    await app.db
      .update(users)
      .set({ quota: QUOTA - 1 })
      .where(eq(users.id, app.ids.user));
    expect(await refund(tradeNo)).toMatchObject({ success: false });
    expect([await quotaOf(), tradeOf(tradeNo).refunds.size]).toEqual([QUOTA - 1, 0]);
    expect((await refund(tradeNo, app.as.user)).success).toBe(false);
  });

  test("a refund whose answer is lost is requested again, and paid once", async () => {
    const tradeNo = await paidOrder();
    fake.state.failing = 1;
    expect(await refund(tradeNo)).toMatchObject({ success: true });
    expect((await orderOf(tradeNo))?.refundedTime).toBe(0);
    fake.state.failing = 0;
    await continueRefunds(deps());
    expect([...tradeOf(tradeNo).refunds]).toEqual([[`${tradeNo}R`, 7300]]);
    expect(await quotaOf()).toBe(0);
    await expectBooks();
  });
});

test("a refund in Alipay's own console waits for an administrator; ours does not", async () => {
  const tradeNo = await order("alipay");
  const refunded = (no: string) => alipay.notice(tradeNo, { out_biz_no: no, refund_fee: "73.00" });
  for (const no of ["console-1", "console-1", `${tradeNo}R`]) {
    expect(await SERVICES.alipay.send(refunded(no))).toBe(true);
  }
  expect(await cases()).toEqual([["refund", "73.00", app.ids.user]]);
});

test("without keys a way to pay is not offered, and a key that cannot be read is an error in words", async () => {
  const offered = async () => {
    const { ways } = (await app.call("GET", "/api/user/topup/ways")).data as { ways: { method: string }[] };
    return ways.map(({ method }) => method);
  };
  expect(await offered()).toEqual(["alipay", "wechat"]);
  await app.settings.set("AlipayPublicKey", "");
  expect(await offered()).toEqual(["wechat"]);
  await app.settings.set("AlipayPublicKey", alipay.settings.AlipayPublicKey);
  await app.settings.set("AlipayPrivateKey", "no key");
  expect(await app.call("POST", "/api/user/pay", { amount: 10, payment_method: "alipay" })).toMatchObject({
    success: false,
    data: "Couldn't start the payment. Try again later.",
  });
  await app.settings.set("AlipayPrivateKey", alipay.settings.AlipayPrivateKey);
});

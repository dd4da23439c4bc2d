import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestWallet, type TestWallet } from "../../../test/support/console/wallet.ts";

const PLAN = {
  ...{ name: "Pro", description: "", price: 400, period: "month", periodCount: 1, windowQuota: 100, window: "day" },
  ...{ userGroup: "", trialDays: 0, isVisible: true },
};

let app: TestWallet;
beforeAll(async () => {
  app = await startTestWallet();
  await app.db.execute(`update users set quota = 1000 where id = ${app.ids.user}`);
});
afterAll(() => app.close());

test("super admins offer plans; what is wrong is named", async () => {
  const save = (values: object, who = app.as.root) => app.call("POST", "/api/plan", { ...PLAN, ...values }, who);
  for (const [values, code] of [
    [{ name: " " }, "plan_name_invalid"],
    [{ period: "decade" }, "plan_period_invalid"],
    [{ periodCount: 0 }, "plan_period_invalid"],
    [{ window: "hour" }, "plan_window_invalid"],
    [{ price: -1 }, "plan_price_invalid"],
    [{ windowQuota: 0.5 }, "plan_quota_invalid"],
    [{ trialDays: 1e9 }, "plan_trial_invalid"],
    [{ userGroup: "nobody's" }, "user_group_unknown"],
  ] as const) {
    expect(await save(values)).toMatchObject({ success: false, code });
  }
  expect(await save({}, app.as.admin)).toMatchObject({ success: false });
  expect(await save({})).toMatchObject({ success: true, data: { id: 1 } });
  expect(await save({ name: "Hidden", isVisible: false })).toMatchObject({ success: true });
  expect(await app.call("GET", "/api/user/plans")).toMatchObject({ data: [{ name: "Pro" }] });
});

test("a user subscribes from the balance, cancels and resumes; others can't change it", async () => {
  expect(await app.call("POST", "/api/user/subscriptions", { plan_id: 2 })).toMatchObject({ code: "plan_not_found" });
  expect(await app.call("POST", "/api/user/subscriptions", { plan_id: 1 })).toMatchObject({ success: true });
  expect((await app.rowOf(app.ids.user)).quota).toBe(1000 - 400 + 100);
  const { data } = await app.call("GET", "/api/user/subscriptions");
  expect(data).toMatchObject([{ plan_name: "Pro", status: "active", remaining: 100, cancel_at_end: false }]);
  const change = (body: object, who = app.as.user) =>
    app.call("PUT", "/api/user/subscriptions", { id: 1, ...body }, who);
  expect(await change({ renew: false }, app.as.other)).toMatchObject({ code: "subscription_not_found" });
  expect(await change({ plan_id: 2 }, app.as.other)).toMatchObject({ code: "subscription_not_found" });
  expect(await change({ plan_id: 2 })).toMatchObject({ code: "plan_not_found" });
  const preview = (who = app.as.user) =>
    app.call("GET", "/api/user/subscriptions/change?id=1&plan_id=1", undefined, who);
  expect(await preview(app.as.other)).toMatchObject({ code: "subscription_not_found" });
  expect(await preview()).toMatchObject({ code: "plan_subscribed_already" });
  expect(await change({ renew: false })).toMatchObject({ success: true });
  expect(await app.call("GET", "/api/user/subscriptions")).toMatchObject({ data: [{ cancel_at_end: true }] });
  expect(await change({ renew: true })).toMatchObject({ success: true });
  expect(await app.call("GET", "/api/subscription", undefined, app.as.admin)).toMatchObject({ data: { total: 1 } });
});

test("super admins add coupons; a user sees what one makes of the price, and subscribes with it", async () => {
  const coupon = { code: "half", percentOff: 50, duration: "once", planId: null };
  expect(await app.call("POST", "/api/coupon", coupon, app.as.admin)).toMatchObject({ success: false });
  expect(await app.call("POST", "/api/coupon", { ...coupon, percentOff: 0 }, app.as.root)).toMatchObject({
    code: "coupon_worth_invalid",
  });
  expect(await app.call("POST", "/api/coupon", coupon, app.as.root)).toMatchObject({ success: true });
  const price = (code: string) => app.call("GET", `/api/user/coupon?plan_id=1&code=${code}`, undefined, app.as.other);
  expect(await price("half")).toMatchObject({ data: { price: 200, duration: "once" } });
  expect(await price("quarter")).toMatchObject({ code: "coupon_invalid" });
  await app.db.execute(`update users set quota = 200 where id = ${app.ids.other}`);
  const subscribe = { plan_id: 1, coupon: "HALF" };
  expect(await app.call("POST", "/api/user/subscriptions", subscribe, app.as.other)).toMatchObject({ success: true });
  expect((await app.rowOf(app.ids.other)).quota).toBe(100);
  const { data } = await app.call("GET", "/api/coupon", undefined, app.as.root);
  expect(data).toMatchObject({ total: 1, items: [{ code: "HALF", usedCount: 1 }] });
  expect(await app.call("DELETE", "/api/coupon?id=1", undefined, app.as.root)).toMatchObject({ success: true });
  expect(await price("half")).toMatchObject({ code: "coupon_invalid" });
  await app.db.execute(`delete from subscriptions where user_id = ${app.ids.other}`);
  await app.db.execute(`update users set quota = 0 where id = ${app.ids.other}`);
});

test("administrators grant plans to those below them, and end subscriptions", async () => {
  const grant = (user: number, who = app.as.admin) =>
    app.call("POST", "/api/subscription/grant", { user_id: user, plan_id: 2 }, who);
  expect(await grant(app.ids.root)).toMatchObject({ success: false });
  expect(await grant(app.ids.admin)).toMatchObject({ success: false });
  expect(await grant(404)).toMatchObject({ code: "user_not_found" });
  expect(await grant(app.ids.other)).toMatchObject({ success: true });
  expect((await app.rowOf(app.ids.other)).quota).toBe(100);
  expect(await app.call("POST", "/api/subscription/end", { id: 3 }, app.as.admin)).toMatchObject({ success: true });
  expect(await app.call("GET", "/api/user/subscriptions", undefined, app.as.other)).toMatchObject({ data: [] });
  expect((await app.rowOf(app.ids.other)).quota).toBe(0);
});

test("a retired plan is offered to nobody", async () => {
  expect(await app.call("DELETE", "/api/plan?id=1", undefined, app.as.root)).toMatchObject({ success: true });
  expect(await app.call("GET", "/api/user/plans")).toMatchObject({ data: [] });
  expect(await app.call("POST", "/api/user/subscriptions", { plan_id: 1 }, app.as.other)).toMatchObject({
    code: "plan_not_found",
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { checkIns, topUpOrders } from "../../../db/schema/wallet/wallet.ts";
import { startTestWallet, type TestWallet } from "../../../test/support/console/wallet.ts";
import { zonesOfTwoDays } from "../../../test/support/lib/time-zones.ts";
import { viewForOwner } from "../../domain/logs/log-view.ts";
import { shiftDay } from "../../domain/wallet/check-ins.ts";

const ZONES = zonesOfTwoDays();
let app: TestWallet;
beforeAll(async () => {
  app = await startTestWallet({ CheckInTimeZone: ZONES.noon });
});
afterAll(() => app.close());

const HUNDRED = Array.from({ length: 100 }, (_, index) => index);

describe("check-in", () => {
  const status = async () => (await app.call("GET", "/api/user/check_in_status")).data;

  test("is refused, in both languages, until it is enabled and has a reward", async () => {
    const refused = await app.call("POST", "/api/user/check_in", {}, { ...app.as.user, "accept-language": "zh" });
    expect(refused).toMatchObject({ success: false, code: "check_in_disabled", message: "签到功能未启用。" });
    expect(await status()).toMatchObject({ can_check_in: false, enabled: false });
    await app.settings.set("CheckInEnabled", "true");
    await app.settings.set("CheckInQuota", "0");
    expect(await app.call("POST", "/api/user/check_in")).toMatchObject({ code: "check_in_reward_unset" });
    await app.settings.set("CheckInQuota", "1000");
    expect(await status()).toMatchObject({ can_check_in: true, streak: 0, least: 1000, most: 1000 });
  });

  test.each([
    ["CheckInNeedsEmail", "true", "email"],
    ["CheckInNeedsTopUp", "true", "top_up"],
    ["CheckInMinRequests", "5", "requests"],
    ["CheckInMaxBalance", "10", "balance"],
  ] as const)("%s: whoever does not meet it gets nothing, and whoever does may check in", async (key, value, unmet) => {
    const isUser = eq(users.id, app.ids.user);
    await app.db.update(users).set({ email: null, requestCount: 4, quota: 11 }).where(isUser);
    await app.settings.set(key, value);
    expect(await status()).toMatchObject({ can_check_in: false, unmet });
    expect(await app.call("POST", "/api/user/check_in")).toMatchObject({ success: false, code: `check_in_${unmet}` });
    await app.db.update(users).set({ email: "user@example.com", requestCount: 5, quota: 10 }).where(isUser);
    if (unmet === "top_up") {
      const order = { userId: app.ids.user, method: "epay", money: "1", tradeNo: "one", createdTime: 1, quota: 1 };
      await app.db.insert(topUpOrders).values({ ...order, status: "success" });
    }
    expect(await status()).toMatchObject({ can_check_in: true, unmet: null });
    await app.db.update(users).set({ quota: 0 }).where(isUser);
    await app.settings.set(key, key.startsWith("CheckInNeeds") ? "false" : "0");
  });

  test("of 100 simultaneous calls one is paid", async () => {
    await app.settings.set("CheckInMaxQuota", "3000");
    const answers = await Promise.all(HUNDRED.map(() => app.call("POST", "/api/user/check_in")));
    const paid = answers.filter(({ success }) => success);
    expect(paid).toHaveLength(1);
    const quota = (paid[0]?.data as { quota: number } | undefined)?.quota ?? 0;
    expect(quota).toBeGreaterThanOrEqual(1000);
    expect(quota).toBeLessThanOrEqual(3000);
    expect(answers.filter(({ code }) => code === "already_checked_in")).toHaveLength(99);
    expect(await app.rowOf(app.ids.user)).toMatchObject({ quota });
    const written = await app.db.select().from(logs).where(eq(logs.type, 5));
    expect(written).toMatchObject([{ userId: app.ids.user, username: "user", quota, content: "Daily check-in" }]);
    const [shown] = written.map(viewForOwner);
    expect(JSON.parse(shown?.other ?? "")).toEqual({ day: expect.any(String), note: { code: "check_in" } });
    expect(await status()).toMatchObject({ can_check_in: false, streak: 1 });
  });

  test("the ecosystem's aliases of it return and pay the same", async () => {
    const month = async (query = "") => (await app.call("GET", `/api/user/checkin${query}`)).data;
    const { quota } = await app.rowOf(app.ids.user);
    const [row] = await app.db.select().from(checkIns);
    expect(await month()).toEqual({
      enabled: true,
      min_quota: 1000,
      max_quota: 3000,
      stats: {
        checked_in_today: true,
        checkin_count: 1,
        total_checkins: 1,
        total_quota: quota,
        records: [{ checkin_date: row?.day, quota_awarded: quota }],
      },
    });
    expect(await month("?month=2020-02")).toMatchObject({ stats: { total_checkins: 0, records: [] } });
    expect(await app.call("GET", "/api/user/checkin?month=2020-13")).toMatchObject({ success: false });
    expect(await app.call("POST", "/api/user/checkin")).toMatchObject({ code: "already_checked_in" });
    const paid = (await app.call("POST", "/api/user/checkin", {}, app.as.other)).data;
    const after = await app.rowOf(app.ids.other);
    expect(paid).toEqual({ quota_awarded: after.quota, checkin_date: row?.day });
    await app.db.delete(checkIns).where(eq(checkIns.userId, app.ids.other));
  });

  test("days in a row are counted up to the first gap", async () => {
    const [today] = await app.db.select().from(checkIns);
    const rows = [1, 2, 4].map((ago) => ({
      userId: app.ids.user,
      day: shiftDay(today?.day ?? "", -ago),
      quota: 7,
      createdTime: 1,
    }));
    await app.db.insert(checkIns).values(rows);
    const { streak, week } = (await status()) as { streak: number; week: { quota: number | null }[] };
    expect(streak).toBe(3);
    expect(week.map(({ quota }) => quota).slice(0, 6)).toEqual([null, null, 7, null, 7, 7]);
  });

  test("restarts with the day of the site's time zone", async () => {
    await app.db.delete(checkIns).where(eq(checkIns.createdTime, 1)); // the other day may be one of the days before
    expect(await app.call("POST", "/api/user/check_in")).toMatchObject({ code: "already_checked_in" });
    await app.settings.set("CheckInTimeZone", ZONES.another);
    expect(await status()).toMatchObject({ can_check_in: true });
    expect(await app.call("POST", "/api/user/check_in")).toMatchObject({ success: true });
    expect(await app.call("POST", "/api/user/check_in")).toMatchObject({ code: "already_checked_in" });
  });

  test("the time zone must exist", async () => {
    expect(app.settings.set("CheckInTimeZone", "Moon/Base")).rejects.toMatchObject({ code: "option_time_zone" });
    await app.settings.set("CheckInTimeZone", "Asia/Shanghai");
    expect(app.settings.get("CheckInTimeZone")).toBe("Asia/Shanghai");
  });
});

describe("invitation", () => {
  const setCode = (code: string, headers = app.as.user) =>
    app.call("POST", "/api/user/set_invite_code", { code }, headers);
  const transfer = (quota: number) => app.call("POST", "/api/user/aff_transfer", { quota });

  test.each(["abc", "UPPER", "with space", "x".repeat(17), "a-b-c", "  "])("the code %p is refused", async (code) => {
    expect((await setCode(code)).code).toMatch(/^invite_code_(malformed|required)$/);
  });

  test("a code is set once and belongs to one", async () => {
    expect(await setCode("my_code1")).toMatchObject({ success: true, message: "Invitation code set." });
    expect(await setCode("another")).toMatchObject({ code: "invite_code_set_already" });
    expect(await setCode("my_code1", app.as.other)).toMatchObject({ code: "invite_code_taken" });
    expect((await app.call("GET", "/api/user/aff")).data).toBe("my_code1");
  });

  test("of 100 who want the same code one gets it", async () => {
    const people = [app.as.other, app.as.admin, app.as.root];
    const answers = await Promise.all(HUNDRED.map((index) => setCode("wanted", people[index % 3])));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
  });

  test("rewards are transferred from one dollar on, as far as they reach", async () => {
    await app.db
      .update(users)
      .set({ quota: 5, affQuota: 1_200_000, affCount: 3, affHistoryQuota: 1_500_000 })
      .where(eq(users.id, app.ids.user));
    expect(await transfer(499_999)).toMatchObject({
      code: "transfer_too_small",
      message: "The transfer amount minimum is $1.",
    });
    expect(await transfer(500_000.5)).toMatchObject({ success: false });
    expect(await transfer(1_200_001)).toMatchObject({ code: "transfer_too_large" });
    expect(await transfer(-600_000)).toMatchObject({ success: false });
    const answers = await Promise.all(HUNDRED.map(() => transfer(600_000)));
    expect(answers.filter(({ success }) => success)).toHaveLength(2);
    expect(await app.rowOf(app.ids.user)).toMatchObject({ quota: 1_200_005, affQuota: 0, affHistoryQuota: 1_500_000 });
    expect((await app.call("GET", "/api/user/invitation")).data).toMatchObject({ count: 3, quota: 0 });
  });

  test.each([
    ["GET", "check_in_status"],
    ["POST", "check_in"],
    ["GET", "aff"],
    ["POST", "set_invite_code"],
    ["POST", "aff_transfer"],
  ])("%s %s needs a login", async (method, path) => {
    expect((await app.ask(method, `/api/user/${path}`)).status).toBe(401);
  });
});

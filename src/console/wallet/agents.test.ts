import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { redemptionCodes } from "../../../db/schema/wallet/codes.ts";
import { agents, rebates, withdrawals } from "../../../db/schema/wallet/wallet.ts";
import { startTestWallet, type TestWallet } from "../../../test/support/console/wallet.ts";

let app: TestWallet;
beforeAll(async () => {
  app = await startTestWallet({ RechargeCashbackRate: "1" });
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.db.delete(withdrawals);
  await app.db.delete(agents);
  await app.db.update(users).set({ quota: 0, inviterId: null });
});

const HUNDRED = Array.from({ length: 100 }, (_, index) => index);
const grant = (input: object = {}, headers = app.as.admin) =>
  app.call("PUT", "/api/agent/", { username: "user", rate: 12.5, ...input }, headers);
const agentOf = async (id = app.ids.user) => (await app.db.select().from(agents).where(eq(agents.userId, id)))[0];
const earn = (quota: number) => app.db.update(agents).set({ balance: quota, earned: quota });
const withdraw = (quota: number, account = "alipay: me@example.org") =>
  app.call("POST", "/api/agent/withdrawals", { quota, account });
const decide = (id: number, action: string, headers = app.as.admin) =>
  app.call("POST", `/api/agent/requests/${id}`, { action, reply: "so be it" }, headers);
const firstRequest = async () => (await app.db.select().from(withdrawals).orderBy(withdrawals.id))[0];

describe("granting", () => {
  test("an administrator makes and changes agents, and the log says so", async () => {
    expect((await app.call("GET", "/api/agent/self")).data).toBeNull();
    expect(await grant()).toMatchObject({ success: true });
    await earn(900_000);
    expect(await grant({ rate: "20", is_active: false, note: "on leave" })).toMatchObject({ success: true });
    expect(await agentOf()).toMatchObject({ rate: "20.00", isActive: false, note: "on leave", balance: 900_000 });
    const found = (await app.call("GET", "/api/agent/?keyword=USE", undefined, app.as.admin)).data;
    expect(found).toMatchObject({ total: 1, items: [{ username: "user", rate: "20.00", balance: 900_000 }] });
    const written = await app.db.select().from(logs).where(eq(logs.type, 3)).orderBy(logs.id);
    expect(JSON.parse(written.at(-1)?.other ?? "{}")).toMatchObject({
      user_id: app.ids.user,
      before: { rate: "12.50", isActive: true },
      after: { rate: "20", isActive: false },
    });
  });

  test("agents are listed newest first unless sorted", async () => {
    await grant({ rate: 5 });
    await grant({ username: "other", rate: 30 });
    await app.db.update(agents).set({ createdTime: 1, earned: 7 }).where(eq(agents.userId, app.ids.user));
    const names = async (query = "") => {
      const { data } = await app.call("GET", `/api/agent/?${query}`, undefined, app.as.admin);
      return (data as { items: { username: string }[] }).items.map(({ username }) => username);
    };
    expect(await names()).toEqual(["other", "user"]);
    expect(await names("sort=created_time&order=asc")).toEqual(["user", "other"]);
    expect(await names("sort=username&order=desc")).toEqual(["user", "other"]);
    expect(await names("sort=rate&order=asc")).toEqual(["user", "other"]);
    expect(await names("sort=earned")).toEqual(["user", "other"]);
    expect((await app.ask("GET", "/api/agent/?sort=note", undefined, app.as.admin)).status).toBe(400);
  });

  test.each([0, -1, 100.01, "12.345", "x", "1e9"])("a rate of %p is refused", async (rate) => {
    expect(await grant({ rate })).toMatchObject({ code: "agent_rate_invalid" });
  });

  test("nobody is granted by users, nor by administrators of their own rank", async () => {
    expect(await grant({}, app.as.other)).toMatchObject({ code: "permission_denied" });
    expect(await grant({ username: "admin" })).toMatchObject({ code: "user_out_of_reach" });
    expect(await grant({ username: "nobody" })).toMatchObject({ code: "user_not_found" });
    expect(await app.call("GET", "/api/agent/")).toMatchObject({ code: "permission_denied" });
    expect(await app.call("GET", "/api/agent/requests")).toMatchObject({ code: "permission_denied" });
    expect(await decide(1, "approve", app.as.user)).toMatchObject({ code: "permission_denied" });
  });
});

describe("dividends", () => {
  const recharge = async (key: string) => {
    await app.db.insert(redemptionCodes).values({ key, quota: 1_000_001, createdTime: 1 });
    expect(await app.call("POST", "/api/user/topup", { key }, app.as.other)).toMatchObject({ success: true });
  };

  test("agents earn at their own rate instead of cashback, as long as they are active", async () => {
    await app.db.update(users).set({ inviterId: app.ids.user }).where(eq(users.id, app.ids.other));
    await grant();
    await recharge("first");
    expect(await agentOf()).toMatchObject({ balance: 125_000, earned: 125_000 });
    expect((await app.rowOf(app.ids.user)).quota).toBe(0);
    await grant({ is_active: false });
    await recharge("second");
    expect(await agentOf()).toMatchObject({ balance: 125_000 });
    expect((await app.rowOf(app.ids.user)).quota).toBe(10_000);
    const list = (await app.call("GET", "/api/agent/dividends")).data;
    expect(list).toMatchObject({ total: 1, items: [{ kind: "dividend", rate: "12.50", from: "o***r" }] });
    expect(await app.db.select().from(rebates)).toHaveLength(2);
    const kinds = async (query: string) => {
      const { data } = await app.call("GET", `/api/user/topup/rebates?${query}`);
      return (data as { items: { kind: string }[] }).items.map(({ kind }) => kind);
    };
    expect(await kinds("")).toEqual(["cashback", "dividend"]);
    expect(await kinds("sort=rate")).toEqual(["dividend", "cashback"]);
    expect(await kinds("sort=quota&order=asc")).toEqual(["cashback", "dividend"]);
    expect((await app.ask("GET", "/api/user/topup/rebates?sort=from", undefined, app.as.user)).status).toBe(400);
    expect((await app.call("GET", "/api/agent/dividends", undefined, app.as.other)).data).toMatchObject({ total: 0 });
  });
});

describe("withdrawals", () => {
  beforeEach(async () => {
    await grant();
    await earn(1_700_000);
  });

  test.each([
    [499_999, "x", "withdrawal_too_small"],
    [0.5, "x", "withdrawal_too_small"],
    [-600_000, "x", "withdrawal_too_small"],
    [600_000, " ", "withdrawal_account_required"],
    [1_700_001, "x", "withdrawal_too_large"],
  ])("%p to %p is refused: %s", async (quota, account, code) => {
    expect(await withdraw(quota, account)).toMatchObject({ success: false, code });
    expect(await agentOf()).toMatchObject({ balance: 1_700_000 });
  });

  test("of 100 simultaneous requests only those succeed that the earnings cover", async () => {
    const answers = await Promise.all(HUNDRED.map(() => withdraw(600_000)));
    expect(answers.filter(({ success }) => success)).toHaveLength(2);
    expect(await agentOf()).toMatchObject({ balance: 500_000 });
    const info = (await app.call("GET", "/api/agent/self")).data;
    expect(info).toMatchObject({ balance: 500_000, held: 1_200_000, paid: 0, earned: 1_700_000 });
  });

  test("are approved, then paid, each once", async () => {
    await withdraw(600_000);
    const id = (await firstRequest())?.id ?? 0;
    expect(await decide(id, "pay")).toMatchObject({ code: "withdrawal_decided" });
    const approvals = await Promise.all(HUNDRED.slice(0, 20).map(() => decide(id, "approve")));
    expect(approvals.filter(({ success }) => success)).toHaveLength(1);
    expect(await decide(id, "pay")).toMatchObject({ success: true });
    expect(await decide(id, "reject")).toMatchObject({ code: "withdrawal_decided" });
    expect(await firstRequest()).toMatchObject({ status: "paid", decidedBy: app.ids.admin, reply: "so be it" });
    expect((await app.call("GET", "/api/agent/self")).data).toMatchObject({
      balance: 1_100_000,
      held: 0,
      paid: 600_000,
    });
    const list = (await app.call("GET", "/api/agent/requests?status=paid", undefined, app.as.admin)).data;
    expect(list).toMatchObject({ total: 1, items: [{ username: "user", account: "alipay: me@example.org" }] });
  });

  test("are listed newest first unless sorted, for their owner and for administrators", async () => {
    for (const quota of [600_000, 500_000, 550_000]) await withdraw(quota);
    const quotas = async (path: string, headers = app.as.user) => {
      const { data } = await app.call("GET", `/api/agent/${path}`, undefined, headers);
      return (data as { items: { quota: number }[] }).items.map(({ quota }) => quota);
    };
    expect(await quotas("withdrawals")).toEqual([550_000, 500_000, 600_000]);
    expect(await quotas("withdrawals?sort=id&order=asc")).toEqual([600_000, 500_000, 550_000]);
    expect(await quotas("withdrawals?sort=quota")).toEqual([600_000, 550_000, 500_000]);
    expect(await quotas("requests?status=requested&sort=quota&order=asc", app.as.admin)).toEqual([
      500_000, 550_000, 600_000,
    ]);
    expect(await quotas("requests?sort=username", app.as.admin)).toHaveLength(3);
    expect((await app.ask("GET", "/api/agent/withdrawals?sort=account", undefined, app.as.user)).status).toBe(400);
  });

  test("a rejected one gives back what was held, once", async () => {
    await withdraw(600_000);
    const id = (await firstRequest())?.id ?? 0;
    const answers = await Promise.all(HUNDRED.slice(0, 20).map(() => decide(id, "reject")));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(await agentOf()).toMatchObject({ balance: 1_700_000 });
    expect((await app.call("GET", "/api/agent/withdrawals")).data).toMatchObject({ items: [{ status: "rejected" }] });
    expect((await app.call("GET", "/api/agent/withdrawals", undefined, app.as.other)).data).toMatchObject({ total: 0 });
  });

  test("earnings can go to the agent's own balance instead, as far as they reach", async () => {
    const transfer = (quota: number) => app.call("POST", "/api/agent/transfer", { quota });
    expect(await transfer(400_000)).toMatchObject({ code: "transfer_too_small" });
    const answers = await Promise.all(HUNDRED.map(() => transfer(600_000)));
    expect(answers.filter(({ success }) => success)).toHaveLength(2);
    expect(answers.find(({ success }) => !success)).toMatchObject({ code: "transfer_too_large" });
    expect(await agentOf()).toMatchObject({ balance: 500_000, earned: 1_700_000 });
    expect((await app.rowOf(app.ids.user)).quota).toBe(1_200_000);
    expect(await app.call("POST", "/api/agent/transfer", { quota: 600_000 }, app.as.other)).toMatchObject({
      code: "transfer_too_large",
    });
  });

  test("unknown ones and unknown actions are refused", async () => {
    expect(await decide(99_999, "approve")).toMatchObject({ code: "withdrawal_not_found" });
    expect(await decide(1, "steal")).toMatchObject({ success: false });
  });
});

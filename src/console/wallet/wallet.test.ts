import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { logs } from "../../../db/schema/logs/logs.ts";
import { redemptionCodes, redemptionUses } from "../../../db/schema/wallet/codes.ts";
import { startTestWallet, type TestWallet } from "../../../test/support/console/wallet.ts";
import { nowSeconds } from "../../lib/clock.ts";

let app: TestWallet;
beforeAll(async () => {
  app = await startTestWallet();
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.db.update(users).set({ quota: 0, inviterId: null });
});

const HUNDRED = Array.from({ length: 100 }, (_, index) => index);
const addCode = async (key: string, values: Partial<typeof redemptionCodes.$inferInsert> = {}) => {
  await app.db.insert(redemptionCodes).values({ key, quota: 1000, createdTime: 1, ...values });
  return key;
};
const redeem = (key: string, headers = app.as.user) => app.call("POST", "/api/user/topup", { key }, headers);
const quotaOf = async (id = app.ids.user) => (await app.rowOf(id)).quota;
const everybody = () => [app.as.user, app.as.other, app.as.admin, app.as.root];

describe("an ordinary code", () => {
  test.each([
    ["four users", () => everybody()],
    ["one user", () => [app.as.other]],
  ])(
    "of 100 simultaneous redemptions by %s one succeeds, and the others get the error that it was used",
    async (who, clickers) => {
      const key = await addCode(`ordinary ${who}`);
      const users = clickers();
      const answers = await Promise.all(HUNDRED.map((index) => redeem(` ${key} `, users[index % users.length])));
      expect(answers.filter(({ success }) => success)).toMatchObject([{ data: { quota: 1000, is_gift: false } }]);
      expect(answers.filter(({ code }) => code === "redeem_used")).toHaveLength(99);
      const balances = await Promise.all(Object.values(app.ids).map(quotaOf));
      expect(balances.reduce((sum, quota) => sum + quota, 0)).toBe(1000);
      const [code] = await app.db.select().from(redemptionCodes).where(eq(redemptionCodes.key, key));
      expect(code).toMatchObject({ status: 3 });
      const reported = eq(logs.content, `Redeemed the code #${code?.id}`);
      expect(await app.db.select().from(logs).where(reported)).toHaveLength(1);
    },
  );
});

describe("a gift code", () => {
  test("is used once by each user, as often as it may be", async () => {
    const key = await addCode("gift", { isGift: true, maxUses: 3 });
    const answers = await Promise.all(HUNDRED.map((index) => redeem(key, everybody()[index % 4])));
    expect(answers.filter(({ success }) => success)).toHaveLength(3);
    const balances = await Promise.all(Object.values(app.ids).map(quotaOf));
    expect(balances.sort()).toEqual([0, 1000, 1000, 1000]);
    const [code] = await app.db.select().from(redemptionCodes).where(eq(redemptionCodes.key, key));
    expect(code).toMatchObject({ status: 3, usedCount: 3 });
    expect(
      await app.db
        .select()
        .from(redemptionUses)
        .where(eq(redemptionUses.codeId, code?.id ?? 0)),
    ).toHaveLength(3);
  });

  test("without a limit stays usable for others", async () => {
    const key = await addCode("endless", { isGift: true });
    expect(await redeem(key)).toMatchObject({ success: true, data: { is_gift: true } });
    expect(await redeem(key)).toMatchObject({ code: "redeem_used_by_you" });
    expect(await redeem(key, app.as.other)).toMatchObject({ success: true });
  });
});

test.each([
  ["unknown", null, "redeem_invalid"],
  ["disabled", { status: 2 }, "redeem_invalid"],
  ["a disabled gift", { status: 2, isGift: true }, "redeem_invalid"],
  ["deleted", { deletedAt: 5 }, "redeem_invalid"],
  ["not yet effective", { validFrom: nowSeconds() + 600 }, "redeem_too_early"],
  ["expired", { validUntil: nowSeconds() - 600 }, "redeem_expired"],
  ["used", { status: 3 }, "redeem_used"],
])("a code that is %s is refused", async (name, values, code) => {
  if (values) await addCode(name, values);
  expect(await redeem(name)).toMatchObject({ success: false, code });
  expect(await quotaOf()).toBe(0);
});

test("the inviter gets their share", async () => {
  await app.settings.set("RechargeCashbackRate", "10");
  await app.db.update(users).set({ inviterId: app.ids.other }).where(eq(users.id, app.ids.user));
  await redeem(await addCode("shared"));
  expect([await quotaOf(), await quotaOf(app.ids.other)]).toEqual([1000, 100]);
});

test("who tries many wrong codes must wait", async () => {
  for (const index of HUNDRED.slice(0, 20)) await redeem(`guess-${index}`, app.as.admin);
  const key = await addCode("right");
  expect(await redeem(key, app.as.admin)).toMatchObject({ code: "redeem_too_often" });
  expect(await redeem(key)).toMatchObject({ success: true });
});

test("guesses at once get no further, and codes that were right count for nothing", async () => {
  for (const index of HUNDRED.slice(0, 25)) {
    expect(await redeem(await addCode(`mine-${index}`), app.as.root)).toMatchObject({ success: true });
  }
  const answers = await Promise.all(HUNDRED.map((index) => redeem(`parallel-${index}`, app.as.root)));
  expect(answers.filter(({ code }) => code === "redeem_invalid")).toHaveLength(20);
  expect(answers.filter(({ code }) => code === "redeem_too_often")).toHaveLength(80);
});

test("needs a login and a code", async () => {
  expect((await app.ask("POST", "/api/user/topup", { key: "x" })).status).toBe(401);
  expect(await redeem("  ")).toMatchObject({ code: "redeem_required", message: "Enter a redemption code." });
});

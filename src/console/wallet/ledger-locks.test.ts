import { afterAll, beforeAll, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { users } from "../../../db/schema/accounts/users.ts";
import { redemptionCodes } from "../../../db/schema/wallet/codes.ts";
import { startTestWallet, type TestWallet } from "../../../test/support/console/wallet.ts";

let app: TestWallet;
beforeAll(async () => {
  app = await startTestWallet({ RechargeCashbackRate: "10" });
});
afterAll(() => app.close());

const ROUNDS = 60;
/** More at once of one user could be guesses, and are refused. */
const AT_ONCE = 20;

test("recharges and whoever locks many balances in order don't stop each other", async () => {
  const { user, other } = app.ids;
  const start = (await app.rowOf(other)).quota;
  await app.db.update(users).set({ inviterId: user }).where(eq(users.id, other));
  const codes = Array.from({ length: ROUNDS }, (_, index) => ({ key: `lock-${index}`, quota: 1000, createdTime: 1 }));
  await app.db.insert(redemptionCodes).values(codes);
  const lockAll = () =>
    app.db.transaction(async (tx) => {
      await tx.select({ id: users.id }).from(users).orderBy(users.id).for("update");
    });
  // Side by side from the start: the pool of connections is served first come first.
  const redeem = async ({ key }: { key: string }) => {
    const [answer] = await Promise.all([app.call("POST", "/api/user/topup", { key }, app.as.other), lockAll()]);
    return answer;
  };
  for (let at = 0; at < ROUNDS; at += AT_ONCE) {
    const answers = await Promise.all(codes.slice(at, at + AT_ONCE).map(redeem));
    expect(answers.filter(({ success }) => !success)).toEqual([]);
  }
  expect((await app.rowOf(other)).quota).toBe(start + ROUNDS * 1000);
  expect((await app.rowOf(user)).quota).toBe(ROUNDS * 100);
});

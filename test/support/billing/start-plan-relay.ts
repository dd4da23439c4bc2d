import { createBilling } from "../../../src/billing/billing.ts";
import type { PlanDraw } from "../../../src/billing/types.ts";
import type { UserEntry } from "../../../src/domain/accounts/directory.ts";
import { createBudgetDirectory } from "../../../src/domain/accounts/organizations/budgets/directory.ts";
import { createAccountAdvancer } from "../../../src/domain/wallet/plans/limits/advance-account.ts";
import { createPlanTermsDirectory } from "../../../src/domain/wallet/plans/limits/terms.ts";
import { type PlanInput, savePlan } from "../../../src/domain/wallet/plans/plans.ts";
import { type PlanDeps, subscribe } from "../../../src/domain/wallet/plans/subscribe.ts";
import type { TestDatabase } from "../database.ts";
import { startRelay } from "../gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../gateway/start-upstream.ts";
import { fixedSettings } from "../lib/settings.ts";
import { addUser, silentLog } from "./start-billing.ts";

type Answer = Parameters<typeof startUpstream>[0];

/**
 * A gateway on a real ledger, whose user has `wallet` and is subscribed to these plans. Calls go to two channels in turn where
 * one fails. `dataDir` holds the journal.
 */
export async function startPlanRelay(
  { database, dataDir }: Readonly<{ database: TestDatabase; dataDir: string }>,
  wallet: number,
  plans: readonly Partial<PlanInput>[],
  answer: Answer = () => Response.json(chatReply()),
) {
  const { db, sql, changes } = database;
  const userId = await addUser(sql, wallet);
  const billing = await createBilling({
    ...{ database, changes, dataDir, log: silentLog, sole: true },
    processId: Bun.randomUUIDv7(),
    onWindowsOpened: (ids) => void changes.publish("subscriptions", ids),
  });
  const [budgets, planTerms] = await Promise.all([
    createBudgetDirectory({ db, changes, log: silentLog }),
    createPlanTermsDirectory({ db, changes, log: silentLog }),
  ]);
  const deps: PlanDeps = { db, changes, settings: fixedSettings({}), billing };
  const actor = { id: userId, role: 100 } as UserEntry;
  for (const values of plans) {
    const planId = await savePlan(deps, actor, {
      ...{ name: "plan", description: "", price: 0, period: "month", periodCount: 1, window: "month" },
      ...{ windowQuota: 1_000_000, userGroup: "", trialDays: 0, allowsOverage: true, isVisible: true, ...values },
    });
    await subscribe(deps, userId, planId);
  }
  const upstream = startUpstream(answer);
  const models = ["gpt-4o", "gpt-4o-mini", "o3"];
  const relay = startRelay({
    channels: [
      { id: 1, type: 1, baseUrl: upstream.url, models },
      { id: 2, type: 1, baseUrl: upstream.url, models },
    ],
    options: { RetryTimes: "2" },
    user: { id: userId },
    tokens: { test: { userId } },
    ...{ billing, budgets, planTerms, advancePlans: createAccountAdvancer({ ...deps, log: silentLog }) },
  });
  const ask = (model: string, path = "/v1/chat/completions", more: object = {}, init: RequestInit = {}) =>
    relay.post(path, { model, max_tokens: 10, messages: [{ role: "user", content: "Hi" }], ...more }, init);
  return {
    ...{ ask, upstream, userId, relay, deps, billing },
    /** Who paid for the last call, and what is left. */
    async look() {
      await billing.flush();
      const [row] = await sql`select * from logs where user_id = ${userId} and type = 2 order by id desc limit 1`;
      const [user] = await sql<{ quota: number }[]>`select quota::int from users where id = ${userId}`;
      const left = await sql<{ name: string; remaining: number; calls: number }[]>`
        select p.name, s.remaining::int, s.calls_left as calls from subscriptions s join plans p on p.id = s.plan_id
        where s.user_id = ${userId} order by s.id`;
      const receipts: PlanDraw[] = JSON.parse(row?.other ?? "{}").plan_draws ?? [];
      return {
        ...{ row, receipts },
        quota: Number(row?.quota ?? 0),
        draws: receipts.map(({ plan }) => plan),
        wallet: user?.quota ?? 0,
        left: Object.fromEntries(left.map(({ name, remaining }) => [name, remaining])),
        calls: Object.fromEntries(left.map(({ name, calls }) => [name, calls])),
      };
    },
    async stop() {
      await Promise.all([upstream.stop(), relay.stop()]);
      await billing.close();
      budgets.close();
      planTerms.close();
    },
  };
}

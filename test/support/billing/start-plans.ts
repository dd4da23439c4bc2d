import type { Database } from "../../../db/types.ts";
import { type Billing, createBilling } from "../../../src/billing/billing.ts";
import type { UserEntry } from "../../../src/domain/accounts/directory.ts";
import { advanceSubscriptions } from "../../../src/domain/wallet/plans/advance-subscriptions.ts";
import { changeFromBalance } from "../../../src/domain/wallet/plans/changes/pay-from-balance.ts";
import { lockPlanAccount } from "../../../src/domain/wallet/plans/plan-account.ts";
import { type PlanInput, savePlan } from "../../../src/domain/wallet/plans/plans.ts";
import { readChange } from "../../../src/domain/wallet/plans/read-change.ts";
import type { PlanDeps } from "../../../src/domain/wallet/plans/subscribe.ts";
import { nowSeconds } from "../../../src/lib/clock.ts";
import { openTestDatabase, type TestDatabase } from "../database.ts";
import { fixedSettings } from "../lib/settings.ts";
import { addUser, silentLog, temporaryDirectory, usageRecord } from "./start-billing.ts";

/** A process of its own on the database; `sole`: the only one there, as on the embedded engine unless given. */
export const openBilling = (
  database: TestDatabase,
  dataDir: string,
  sole = database.kind === "embedded",
): Promise<Billing> =>
  createBilling({
    ...{ database, changes: database.changes, dataDir, log: silentLog, sole },
    processId: Bun.randomUUIDv7(),
  });

/** What plans work with, on this process. */
export const planDepsOf = ({ db, changes }: TestDatabase, billing: Billing): PlanDeps => ({
  ...{ db, changes, settings: fixedSettings({}), billing },
});

/** A monthly plan for nothing, with 500 units a day unless `values` say otherwise. */
export const planInput = (values: Partial<PlanInput>): PlanInput => ({
  ...{ name: "plan", description: "", price: 0, period: "month", periodCount: 1, windowQuota: 500, window: "day" },
  ...{ userGroup: "", trialDays: 0, allowsOverage: true, isVisible: true, ...values },
});

type PlanTests = Readonly<{
  database: TestDatabase;
  /** The folder of `billing`'s journal. */
  dataDir: string;
  billing: Billing;
  deps: PlanDeps;
  /** The administrator. */
  actor: UserEntry;
  /** Saves a plan, as `planInput` has it unless `values` say otherwise. */
  plan: (values: Partial<PlanInput>) => Promise<number>;
  /** Lets the job of plans run at `now`, in epoch seconds; resolves with how many plans it changed. */
  advance: (now: number) => Promise<number>;
  close: () => Promise<void>;
}>;

/** A database with an administrator who makes plans, and billing on it; for the tests of a file. `sole`: as for `openBilling`. */
export async function startPlans(
  options: Parameters<typeof fixedSettings>[0] = {},
  sole?: boolean,
): Promise<PlanTests> {
  const database = await openTestDatabase();
  const directory = await temporaryDirectory();
  const billing = await openBilling(database, directory.path, sole);
  const deps = { ...planDepsOf(database, billing), settings: fixedSettings(options) };
  const actor = { id: await addUser(database.sql, 0), role: 100 } as UserEntry;
  return {
    ...{ database, dataDir: directory.path, billing, deps, actor },
    plan: (values) => savePlan(deps, actor, planInput(values)),
    advance: (now) => advanceSubscriptions(deps, undefined, now),
    async close() {
      await billing.close();
      await database.close();
      await directory.remove();
    },
  };
}

/** A call that is charged `quota`, in the database when this resolves. */
export async function spend(billing: Billing, userId: number, quota: number): Promise<void> {
  const hold = await billing.reserve({ userId, token: null, amount: quota });
  await billing.settle(hold, usageRecord({ userId, quota }));
  await billing.flush();
}

/** Services that nobody may ask: no plan is renewed by one. */
export const noServices = {
  log: silentLog,
  drivers: {
    get stripe(): never {
      throw new Error("no plan is paid by card");
    },
    get paypal(): never {
      throw new Error("no plan is paid by PayPal");
    },
  },
};

/** What renews plans of which none is paid by card. */
export const renewingWithoutCards = ({ db }: Pick<Database, "db">) => ({ db, ...noServices });

/** Changes the plan of a subscription that the balance pays. */
export const switchPlan = async (deps: PlanDeps, userId: number, id: number, planId: number, now = nowSeconds()) =>
  changeFromBalance(deps, await readChange(deps.db, userId, { subscriptionId: id, planId }), now);

/** The same for its seats in all. */
export const setSeats = async (deps: PlanDeps, userId: number, id: number, seats: number, now = nowSeconds()) =>
  changeFromBalance(deps, await readChange(deps.db, userId, { subscriptionId: id, seats }), now);

/** What is left of each running window of an account, and of its balance besides. */
export const planStateOf = ({ db }: Pick<Database, "db">, userId: number) =>
  db.transaction(async (tx) => {
    const { running, walletUnits } = await lockPlanAccount(tx, userId);
    return { windows: running.map(({ subscription }) => subscription.remaining), walletUnits };
  });

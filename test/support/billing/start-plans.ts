import type { Database } from "../../../db/types.ts";
import { type Billing, createBilling } from "../../../src/billing/billing.ts";
import { lockPlanAccount } from "../../../src/domain/wallet/plans/plan-account.ts";
import type { PlanInput } from "../../../src/domain/wallet/plans/plans.ts";
import type { PlanDeps } from "../../../src/domain/wallet/plans/subscribe.ts";
import type { TestDatabase } from "../database.ts";
import { fixedSettings } from "../lib/settings.ts";
import { silentLog } from "./start-billing.ts";

/** A process of its own on the database; `sole`: the only one there. */
export const openBilling = (database: TestDatabase, dataDir: string, sole: boolean): Promise<Billing> =>
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

/** What is left of each running window of an account, and of its balance besides. */
export const planStateOf = ({ db }: Pick<Database, "db">, userId: number) =>
  db.transaction(async (tx) => {
    const { running, walletUnits } = await lockPlanAccount(tx, userId);
    return { windows: running.map(({ subscription }) => subscription.remaining), walletUnits };
  });

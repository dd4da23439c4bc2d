import { listPlans, type PlanInput, retirePlan, savePlan } from "../../../wallet/plans/plans.ts";
import type { PlanEntry } from "../document.ts";
import { type Kind, listed } from "../kind.ts";

const DEFAULTS: Omit<PlanInput, "name"> = {
  ...{ description: "", price: 0, period: "month", periodCount: 1, windowQuota: 0, window: "month", windowCalls: 0 },
  ...{ userGroup: "", trialDays: 0, allowsOverage: true, isVisible: true, seats: null, seatPrice: 0, models: [] },
  ...{ requestsPerMinute: 0, tokensPerMinute: 0 },
};

/** What users can subscribe to. Removed ones are retired. */
export const plansKind: Kind<PlanEntry> = {
  section: "plans",
  right: "billing:write",
  hasNamesakes: true,
  defaults: DEFAULTS,
  entriesOf: ({ plans }) => listed(plans, ({ name }) => name),
  secretsOf: () => [],
  async open(scope) {
    const { db, actor } = scope;
    const rows = (await listPlans(db, { onlyVisible: false })).sort((a, b) => a.id - b.id);
    const stored = rows.map(({ id, createdAt: _, isRetired: __, ...plan }) => ({
      id,
      name: plan.name,
      entry: plan satisfies PlanEntry,
    }));
    const entryOf = new Map(stored.map(({ id, entry }) => [id, entry]));
    return {
      stored,
      create: (entry) => savePlan(scope, actor, { ...DEFAULTS, ...entry }),
      update: ({ id }, changed) =>
        savePlan(scope, actor, { ...DEFAULTS, name: "", ...entryOf.get(id), ...changed, id }),
      remove: ({ id }) => retirePlan({ db }, actor, id),
    };
  },
};

import { asc, desc, eq, isNull, ne } from "drizzle-orm";
import { CHANNEL_STATUS, channels } from "../../../db/schema/channels/channels.ts";
import { jobTurns } from "../../../db/schema/settings.ts";
import { paymentCases } from "../../../db/schema/wallet/plans/plan-orders.ts";
import { withdrawals } from "../../../db/schema/wallet/wallet.ts";
import type { Db } from "../../../db/types.ts";
import { type PricedChannels, unpricedModels } from "./unpriced-models.ts";

/** Something that goes on until an administrator decides; names of the first few, and how many there are. */
export type Decision = Readonly<{
  kind: "channels_disabled" | "models_unpriced" | "payment_cases" | "withdrawals" | "jobs_failed";
  /** At most `MOST_COUNTED` of what is in the database. */
  count: number;
  names: readonly string[];
}>;

const MOST_NAMES = 3;
/** More is more than anybody decides today. */
const MOST_COUNTED = 100;

/**
 * What waits for an administrator, the most urgent first; nothing that waits for nobody. Reads memory, and tables with few open
 * rows by their index: never the log.
 */
export async function readDecisions(deps: PricedChannels & Readonly<{ db: Db }>): Promise<Decision[]> {
  const { db } = deps;
  const [disabled, cases, requested, failed] = await Promise.all([
    db
      .select({ name: channels.name })
      .from(channels)
      .where(eq(channels.status, CHANNEL_STATUS.autoDisabled))
      .orderBy(asc(channels.id))
      .limit(MOST_COUNTED),
    db
      .select({ name: paymentCases.reference })
      .from(paymentCases)
      .where(isNull(paymentCases.closedAt))
      .orderBy(desc(paymentCases.id))
      .limit(MOST_COUNTED),
    db.select({ id: withdrawals.id }).from(withdrawals).where(eq(withdrawals.status, "requested")).limit(MOST_COUNTED),
    db.select({ name: jobTurns.job }).from(jobTurns).where(ne(jobTurns.error, "")).orderBy(asc(jobTurns.job)),
  ]);
  const all: readonly [Decision["kind"], readonly string[]][] = [
    ["channels_disabled", disabled.map(({ name }) => name)],
    ["models_unpriced", unpricedModels(deps)],
    ["payment_cases", cases.map(({ name }) => name)],
    ["withdrawals", requested.map(() => "")],
    ["jobs_failed", failed.map(({ name }) => name)],
  ];
  return all
    .filter(([, names]) => names.length > 0)
    .map(([kind, names]) => ({
      kind,
      count: names.length,
      names: names.filter((name) => name !== "").slice(0, MOST_NAMES),
    }));
}

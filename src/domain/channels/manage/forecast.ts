import { and, gt, gte, sql } from "drizzle-orm";
import { channels } from "../../../../db/schema/channels/channels.ts";
import { usageRollups } from "../../../../db/schema/logs/logs.ts";
import { logOf } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { toText } from "../../../lib/values/decimal.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

const PACE_DAYS = 7;
const DAY_S = 86_400;
/** Further away nobody can say. */
const LONGEST_DAYS = 3650;

/**
 * In how many days the balances of these channels end at the pace of the last seven days, by channel id. Channels whose
 * balance is not known, or that were not called, are absent. What users are charged stands for what the upstream charges;
 * yuan are counted at the price of a dollar that the settings name.
 */
export async function readForecast(
  { db, settings }: Readonly<{ db: Db; settings: SettingsReader }>,
  ids: readonly number[],
): Promise<Record<number, number>> {
  const rows = await db
    .select({ id: channels.id, balance: channels.balance, currency: channels.balanceCurrency })
    .from(channels)
    .where(and(isOneOf(channels.id, ids), gt(channels.balanceUpdatedTime, 0)));
  const known = rows.map(({ id }) => id);
  const sums = await logOf(db)
    .select({ id: usageRollups.channelId, quota: sql<number>`sum(${usageRollups.quota})::float8` })
    .from(usageRollups)
    .where(and(isOneOf(usageRollups.channelId, known), gte(usageRollups.hour, nowSeconds() - PACE_DAYS * DAY_S)))
    .groupBy(usageRollups.channelId);
  const spent = new Map(sums.map(({ id, quota }) => [id, Number(quota)]));
  const yuanPerDollar = Number(toText(settings.get("Price")));
  const dollarsOf = (quota: number) => quota / settings.get("QuotaPerUnit");
  return Object.fromEntries(
    rows.flatMap(({ id, balance, currency }) => {
      const aDay = (dollarsOf(spent.get(id) ?? 0) / PACE_DAYS) * (currency === "CNY" ? yuanPerDollar : 1);
      return aDay > 0 ? [[id, Math.min(Math.max(Math.floor(Number(balance) / aDay), 0), LONGEST_DAYS)]] : [];
    }),
  );
}

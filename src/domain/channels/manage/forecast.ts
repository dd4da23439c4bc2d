import { and, gt } from "drizzle-orm";
import { channels } from "../../../../db/schema/channels/channels.ts";
import { logOf } from "../../../../db/server/log-database.ts";
import type { Db } from "../../../../db/types.ts";
import { toText } from "../../../lib/values/decimal.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { lastsDays } from "../../logs/usage/pace/pace-rules.ts";
import { readPace } from "../../logs/usage/pace/read-pace.ts";

/**
 * In how many days the balances of these channels end at the pace of the last seven days, by channel id. Channels whose
 * balance is not known, that were not called, or that last too long to tell are absent. What users are charged stands for what the upstream charges;
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
  const paces = await readPace(logOf(db), { dimension: "channel", ids: known });
  const yuanPerDollar = Number(toText(settings.get("Price")));
  const dollarsOf = (quota: number) => quota / settings.get("QuotaPerUnit");
  return Object.fromEntries(
    rows.flatMap(({ id, balance, currency }) => {
      const days = lastsDays(Number(balance), dollarsOf(paces.get(id) ?? 0) * (currency === "CNY" ? yuanPerDollar : 1));
      return days === null ? [] : [[id, days]];
    }),
  );
}

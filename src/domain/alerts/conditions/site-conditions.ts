import { and, asc, eq, gt, gte, isNotNull } from "drizzle-orm";
import { channels } from "../../../../db/schema/channels/channels.ts";
import { priceChanges } from "../../../../db/schema/models/pricing.ts";
import { lostJournals } from "../../../../db/schema/wallet/ledger.ts";
import { latestChecks } from "../../channels/authenticity/check-channel.ts";
import { CHANNEL_STATUS } from "../../channels/entry.ts";
import { reasonIn } from "../../channels/status/set-status.ts";
import { channelBalanceLow, channelDisabled, channelSuspicious, journalLost } from "../../notifications/notices.ts";
import type { FindConditions } from "./condition.ts";

/** Channels that were switched off because they failed. */
export const findDisabledChannels: FindConditions = async ({ db }) => {
  const rows = await db
    .select({ id: channels.id, name: channels.name, otherInfo: channels.otherInfo })
    .from(channels)
    .where(eq(channels.status, CHANNEL_STATUS.autoDisabled))
    .orderBy(asc(channels.id));
  return rows.map(({ otherInfo, ...channel }) => ({
    subject: `channel/${channel.id}`,
    severity: "error",
    notice: { ...channelDisabled(channel, false, reasonIn(otherInfo)), type: "channel_disabled" },
  }));
};

/** Channels whose balance at the provider is below their limit. */
export const findLowChannelBalances: FindConditions = async ({ db, settings }) => {
  const rows = await db.select().from(channels).where(gt(channels.balanceWarnedTime, 0)).orderBy(asc(channels.id));
  return rows.map(({ id, name, balance, balanceCurrency: currency, balanceWarnBelow }) => {
    const limit = balanceWarnBelow === null ? settings.get("ChannelBalanceWarning") : Number(balanceWarnBelow);
    const notice = channelBalanceLow({ id, name }, { amount: Number(balance), currency }, limit);
    return { subject: `channel/${id}`, severity: "warning", notice: { ...notice, type: "channel_balance_low" } };
  });
};

/** Channels whose latest check says that they do not serve what they claim to. */
export const findSuspiciousChannels: FindConditions = async ({ db, settings }) => {
  const { alertBelow } = settings.get("ChannelAuthenticity");
  const low = (await latestChecks(db)).filter(({ score }) => score !== null && score < alertBelow);
  const rows = await db.select({ id: channels.id, name: channels.name, status: channels.status }).from(channels);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return low.flatMap(({ channelId, model, score }) => {
    const channel = byId.get(channelId);
    if (channel?.status !== CHANNEL_STATUS.enabled) return [];
    const notice = channelSuspicious(channel, model, score ?? 0);
    return { subject: `channel/${channelId}/${model}`, severity: "error" as const, notice };
  });
};

/** Processes that died with charges that nobody has written. */
export const findLostJournals: FindConditions = async ({ db }) => {
  const rows = await db.select().from(lostJournals).orderBy(asc(lostJournals.lastSeenAt));
  return rows.map((lost) => ({
    subject: `journal/${lost.processId}`,
    severity: "critical",
    notice: { ...journalLost(lost), type: "journal_lost" },
  }));
};

/** For how long a change is news. */
const NEWS_SECONDS = 3600;
const MOST_NAMED = 10;

/** Models and tools whose prices changed in the last hour, since there is the rule: those of one moment together. */
export const findPriceChanges: FindConditions = async ({ db }, { now, since }) => {
  const rows = await db
    .select({ at: priceChanges.changedAt, model: priceChanges.model })
    .from(priceChanges)
    .where(
      and(
        gte(priceChanges.changedAt, Math.max(now - NEWS_SECONDS, since)),
        isNotNull(priceChanges.before),
        isNotNull(priceChanges.after),
      ),
    )
    .orderBy(asc(priceChanges.changedAt), asc(priceChanges.model));
  return [...Map.groupBy(rows, ({ at }) => at)].map(([at, changes]) => {
    const names = changes.slice(0, MOST_NAMED).map(({ model }) => model);
    return {
      subject: `prices/${at}`,
      severity: "info",
      notice: {
        type: "price_change",
        title: { en: "Model prices have changed", zh: "模型价格有调整" },
        content: {
          en: "{{value}} prices have changed: {{value}}",
          zh: "{{value}} 项价格有调整：{{value}}",
        },
        values: [changes.length, names.join(", ") + (changes.length > MOST_NAMED ? ", …" : "")],
        path: "/pricing",
      },
    };
  });
};

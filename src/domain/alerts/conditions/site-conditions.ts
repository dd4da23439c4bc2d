import { asc, eq, gt } from "drizzle-orm";
import { lostJournals } from "../../../../db/schema/billing/ledger.ts";
import { channels } from "../../../../db/schema/gateway/channels.ts";
import { CHANNEL_STATUS } from "../../channels/entry.ts";
import { reasonIn } from "../../channels/status/status-info.ts";
import { channelBalanceLow, channelDisabled } from "../../notifications/notices/channel-notices.ts";
import { journalLost } from "../../notifications/notices/journal-notices.ts";
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

/** Processes that died with charges that nobody has written. */
export const findLostJournals: FindConditions = async ({ db }) => {
  const rows = await db.select().from(lostJournals).orderBy(asc(lostJournals.lastSeenAt));
  return rows.map((lost) => ({
    subject: `journal/${lost.processId}`,
    severity: "critical",
    notice: { ...journalLost(lost), type: "journal_lost" },
  }));
};

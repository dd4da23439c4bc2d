import type { LostJournal } from "../../billing/ledger/processes/lost-processes.ts";
import type { Reason } from "../../lib/reason.ts";
import type { Notice } from "./message.ts";

type Channel = Readonly<{ id: number; name: string }>;

const ENABLED = 1;
const AUTO_DISABLED = 3;

/** That a channel, or one of its keys, was switched off because it failed. */
export const channelDisabled = (channel: Channel, isKeyOnly: boolean, reason: Reason): Notice => ({
  type: `channel_update_${channel.id}_${AUTO_DISABLED}`,
  ...(isKeyOnly ? KEY_OFF : CHANNEL_OFF),
  values: [channel.name, channel.id, reason],
  path: "/channel",
});

/** That a channel which had been switched off works again. */
export const channelEnabled = (channel: Channel): Notice => ({
  type: `channel_update_${channel.id}_${ENABLED}`,
  title: { en: "A channel works again", zh: "渠道已恢复" },
  content: {
    en: "Channel “{{value}}” (#{{value}}) passed its test and was enabled.",
    zh: "渠道「{{value}}」（#{{value}}）测试通过，已重新启用。",
  },
  values: [channel.name, channel.id],
  path: "/channel",
});

/** That what is left on a channel has fallen below its limit. */
export const channelBalanceLow = (
  channel: Channel,
  { amount, currency }: Readonly<{ amount: number; currency: string }>,
  limit: number,
): Notice => ({
  type: `channel_balance_${channel.id}`,
  title: { en: "A channel's balance is low", zh: "渠道余额不足" },
  content: {
    en: "Channel “{{value}}” (#{{value}}) has {{value}} left, less than {{value}}.",
    zh: "渠道「{{value}}」（#{{value}}）余额为 {{value}}，已低于 {{value}}。",
  },
  values: [channel.name, channel.id, `${amount} ${currency}`, `${limit} ${currency}`],
  path: "/channel",
});

/** That a channel's account at its provider has no credit, though the channel stays enabled. */
export const channelWithoutCredit = (channel: Channel, reason: Reason): Notice => ({
  type: `channel_credit_${channel.id}`,
  title: { en: "A channel has no credit", zh: "渠道额度已用完" },
  content: {
    en: "The provider of channel “{{value}}” (#{{value}}) refuses calls for lack of credit: {{value}}. It is used only if no other channel is left.",
    zh: "渠道「{{value}}」（#{{value}}）的上游账户额度不足，拒绝调用：{{value}}。仅在没有其他渠道可用时才会使用该渠道。",
  },
  values: [channel.name, channel.id, reason],
  path: "/channel",
});

/** That a channel does not seem to serve the model that it claims to. */
export const channelSuspicious = (channel: Channel, model: string, score: number): Notice => ({
  type: "channel_suspicious",
  title: { en: "A channel may not serve what it claims", zh: "渠道提供的模型可能名不副实" },
  content: {
    en: "Channel “{{value}}” (#{{value}}) scored {{value}} of 100 when its model {{value}} was checked.",
    zh: "渠道「{{value}}」（#{{value}}）检查得分 {{value}}（满分 100），模型为 {{value}}。",
  },
  values: [channel.name, channel.id, score, model],
  path: "/channel-checks",
});

/** That a key which had been switched off works again. */
export const keyEnabled = (channel: Channel): Notice => ({
  type: `channel_key_${channel.id}_${ENABLED}`,
  title: { en: "A channel's key works again", zh: "渠道的密钥已恢复" },
  content: {
    en: "A key of channel “{{value}}” (#{{value}}) was tried again, works, and was enabled.",
    zh: "渠道「{{value}}」（#{{value}}）的一个密钥试探成功，已重新启用。",
  },
  values: [channel.name, channel.id],
  path: "/channel",
});

const CHANNEL_OFF = {
  title: { en: "A channel was disabled", zh: "渠道已被自动禁用" },
  content: {
    en: "Channel “{{value}}” (#{{value}}) was disabled: {{value}}",
    zh: "渠道「{{value}}」（#{{value}}）已被禁用，原因：{{value}}",
  },
};

const KEY_OFF = {
  title: { en: "A channel's key was disabled", zh: "渠道的一个密钥已被自动禁用" },
  content: {
    en: "A key of channel “{{value}}” (#{{value}}) was disabled: {{value}}",
    zh: "渠道「{{value}}」（#{{value}}）的一个密钥已被禁用，原因：{{value}}",
  },
};

type Loss = Pick<LostJournal, "processId" | "location" | "unwritten" | "lastSeenAt">;

/** That a process died with charges that nobody has written. */
export const journalLost = ({ processId, location, unwritten, lastSeenAt }: Loss): Notice => ({
  type: `journal_lost_${processId}`,
  title: { en: "A process died with unwritten charges", zh: "有进程带着未入账的计费异常退出" },
  content: {
    en: "Process {{value}} ({{value}}) died. When last seen, at {{value}}, {{value}} of its charges were not in the database. Bring its DATA_DIR back, or acknowledge the loss with: sluice journal acknowledge {{value}}",
    zh: "进程 {{value}}（{{value}}）已异常退出。最后一次在线为 {{value}}，当时有 {{value}} 条计费尚未写入数据库。请恢复它的 DATA_DIR；若无法恢复，请执行 sluice journal acknowledge {{value}} 确认损失。",
  },
  values: [processId, location, new Date(lastSeenAt * 1000).toISOString(), unwritten, processId],
});

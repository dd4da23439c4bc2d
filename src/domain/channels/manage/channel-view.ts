import { and, eq, ne } from "drizzle-orm";
import { channelKeys, channels } from "../../../../db/schema/channels/channels.ts";
import type { Language } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { sayReason, sayStored } from "../../../lib/reason.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { ChannelLive } from "../current-state.ts";
import { CHANNEL_STATUS, type ChannelEntry, type ChannelRow } from "../entry.ts";
import { maskKey, splitKeys } from "../keys/keys.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { type ChannelHealth, healthOf } from "../status/channel-health.ts";
import { reasonIn } from "../status/set-status.ts";
import { mayReadKeys } from "./key-destination.ts";

/** A channel on the wire, in the ecosystem's names. */
export type ChannelView = Readonly<{
  id: number;
  type: number;
  key: string;
  openai_organization: string;
  test_model: string;
  status: number;
  name: string;
  weight: number;
  created_time: number;
  test_time: number;
  response_time: number;
  base_url: string;
  other: string;
  balance: number;
  balance_updated_time: number;
  models: string;
  group: string;
  used_quota: number;
  model_mapping: string;
  status_code_mapping: string;
  priority: number;
  auto_ban: 0 | 1;
  other_info: string;
  tag: string;
  setting: string;
  param_override: string;
  header_override: string;
  model_prefix: string;
  max_input_tokens: number;
  /** Ours: why it is off, in the reader's language; empty: it is on, or no reason was given. */
  disabled_reason: string;
  /** Ours: the balance's currency (empty: not known), why it could not be asked last, and below which amount the super admin is notified. */
  balance_currency: string;
  balance_error: string;
  balance_warn_below: number | null;
  balance_low: boolean;
  /** Ours: how many keys there are and how many of them are on. */
  keys: { total: number; enabled: number };
  /** Ours, in lists: its weight of 0 keeps all calls from it, since others of its priority have a weight. */
  no_traffic?: true;
  /** Ours, on request: one entry an hour of the last 24, oldest first. */
  traffic?: { count: number; failed: number }[];
  /** Ours, on request, where the upstream was asked: how many models it offers beyond the channel's, and how many no more. */
  models_changed?: { added: number; removed: number };
  /** Ours, on request: how it does, and its last hour. */
  live?: LiveView;
}>;

/** How a channel does on the wire. */
export type LiveView = Readonly<{
  health: ChannelHealth;
  in_flight: number;
  /** Of the last hour, as are the following. */
  calls: number;
  failed: number;
  latency_ms: number | null;
  /** Five minutes each, oldest first. */
  slots: ChannelLive["slots"];
}>;

/** Turns what is known of a channel at the moment into what callers see. */
export const viewLive = (channel: ChannelEntry, live: ChannelLive): LiveView => ({
  health: healthOf(channel, live),
  in_flight: live.inFlight,
  calls: live.calls,
  failed: live.failed,
  latency_ms: live.latencyMs,
  slots: live.slots,
});

type KeysShown = "none" | "masked" | "clear";

type Shown = Readonly<{ keys: KeysShown; language: Language }>;

/** Turns a row into what callers see; `keysOff` is how many of its keys are disabled. */
export function viewChannel(row: ChannelRow, vault: Vault, keysOff: number, shown: Shown): ChannelView {
  const keyText = vault.decrypt(row.keyCipher);
  const keys = splitKeys(row.type, keyText);
  const key = { none: () => "", masked: () => keys.map(maskKey).join(","), clear: () => keyText }[shown.keys]();
  return {
    id: row.id,
    type: row.type,
    key,
    openai_organization: row.openaiOrganization,
    test_model: row.testModel,
    status: row.status,
    name: row.name,
    weight: row.weight,
    created_time: row.createdTime,
    test_time: row.testTime,
    response_time: row.responseTime,
    base_url: row.baseUrl,
    other: row.other,
    balance: Number(row.balance),
    balance_updated_time: row.balanceUpdatedTime,
    balance_currency: row.balanceCurrency,
    disabled_reason: row.status === CHANNEL_STATUS.enabled ? "" : sayReason(reasonIn(row.otherInfo), shown.language),
    balance_error: sayStored(row.balanceError, shown.language),
    balance_warn_below: row.balanceWarnBelow === null ? null : Number(row.balanceWarnBelow),
    balance_low: row.balanceWarnedTime > 0,
    models: row.models.join(","),
    group: row.groups.join(","),
    used_quota: row.usedQuota,
    model_mapping: row.modelMapping,
    status_code_mapping: row.statusCodeMapping,
    priority: row.priority,
    auto_ban: row.autoBan ? 1 : 0,
    other_info: row.status === CHANNEL_STATUS.enabled ? "" : JSON.stringify(row.otherInfo),
    tag: row.tag,
    setting: row.setting,
    param_override: row.paramOverride,
    header_override: row.headerOverride,
    model_prefix: row.modelPrefix,
    max_input_tokens: row.maxInputTokens,
    keys: { total: keys.length, enabled: Math.max(keys.length - keysOff, 0) },
  };
}

/**
 * One channel, its keys masked; its texts are in `language`. With `showKey` they come in clear for who may
 * read them, and the log says who looked. Throws OperationError.
 */
export async function getChannel(
  { db, vault }: ChannelDeps,
  actor: Actor,
  id: number,
  { language, showKey = false }: Readonly<{ language: Language; showKey?: boolean }>,
): Promise<ChannelView> {
  if (showKey && !mayReadKeys(actor)) throw new OperationError("permission_denied");
  const [row] = await db.select().from(channels).where(eq(channels.id, id));
  if (!row) throw new OperationError("channel_not_found");
  const off = await db
    .select({ keyHash: channelKeys.keyHash })
    .from(channelKeys)
    .where(and(eq(channelKeys.channelId, id), ne(channelKeys.status, CHANNEL_STATUS.enabled)));
  if (showKey) {
    const note = { code: "channel_keys_seen", params: { name: row.name, id } } as const;
    await writeManagementLog(db, actor, `Looked at the keys of channel ${row.name} (#${id})`, {
      note,
      action: "read",
    });
  }
  return viewChannel(row, vault, off.length, { keys: showKey ? "clear" : "masked", language });
}

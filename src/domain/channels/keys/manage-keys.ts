import { eq } from "drizzle-orm";
import { channelKeys } from "../../../../db/schema/channels/channels.ts";
import type { Db } from "../../../../db/types.ts";
import type { Language } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { sayStored } from "../../../lib/reason.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { ReadLive } from "../current-state.ts";
import { CHANNEL_STATUS, type ChannelEntry, storedKeyOf } from "../entry.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { disabledBy } from "../status/set-status.ts";
import { disableChannelKey, enableChannelKey, readKeyStatus } from "./key-status.ts";
import { maskKey } from "./keys.ts";

/** One key of a channel on the wire, never in clear. */
export type KeyView = Readonly<{
  /** Names the key in calls; says nothing of it. */
  id: string;
  /** Its place among the channel's keys, from 0. */
  index: number;
  masked: string;
  /** 1 in use, 2 off by hand, 3 off because it failed. */
  status: number;
  reason: string;
  /** Epoch seconds since which it is off; 0 while it is on. */
  status_time: number;
  /** Epoch seconds at which it was last tried whether it works again; 0: never. */
  probed_time: number;
  /** Epoch seconds until which it is left alone; null while it is not. */
  cooling_until: number | null;
  failures: number;
  in_flight: number;
  /** Of the last hour. */
  calls: number;
  failed: number;
  latency_ms: number | null;
}>;

type Deps = Readonly<{ db: Db; vault: Vault; readLive: ReadLive }>;

/** The keys of a channel in their order, each with its state, described in `language`, and how it did in the last hour. */
export async function listKeys(
  { db, vault, readLive }: Deps,
  channel: ChannelEntry,
  language: Language,
): Promise<KeyView[]> {
  const rows = await db.select().from(channelKeys).where(eq(channelKeys.channelId, channel.id));
  const byHash = new Map(rows.map((row) => [row.keyHash, row]));
  const live = readLive(channel);
  const resolved = channel.keys.map((key, index): KeyView => {
    const storedKey = storedKeyOf(channel, key);
    const id = vault.keyedHash(storedKey);
    const row = byHash.get(id);
    const now = live.keys[index];
    return {
      id,
      index,
      masked: maskKey(storedKey),
      status: row?.status ?? CHANNEL_STATUS.enabled,
      reason: sayStored(row?.reason ?? "", language),
      status_time: row?.statusTime ?? 0,
      probed_time: row?.probedTime ?? 0,
      cooling_until: now?.coolingUntil ?? null,
      failures: now?.failures ?? 0,
      in_flight: now?.inFlight ?? 0,
      calls: now?.calls ?? 0,
      failed: now?.failed ?? 0,
      latency_ms: now?.latencyMs ?? null,
    };
  });
  const unresolved = channel.unresolved.map(({ reference, reason }, index): KeyView => {
    const view = { id: vault.keyedHash(reference), index: resolved.length + index, masked: maskKey(reference) };
    return { ...view, ...UNUSED, status: CHANNEL_STATUS.autoDisabled, reason };
  });
  return [...resolved, ...unresolved];
}

const UNUSED = {
  ...{ status_time: 0, probed_time: 0, cooling_until: null, failures: 0 },
  ...{ in_flight: 0, calls: 0, failed: 0, latency_ms: null },
};

/** The key that a call names. Throws OperationError when the channel has no such key (any more). */
export function findKey(vault: Vault, channel: ChannelEntry, id: string): string {
  const key = channel.keys.find((candidate) => vault.keyedHash(storedKeyOf(channel, candidate)) === id);
  if (key === undefined) throw new OperationError("channel_key_unknown");
  return key;
}

/**
 * Somebody switches one key of a channel on or off; the others stay as they are. Returns whether anything changed.
 * Throws OperationError when the channel has no such key.
 */
export async function switchKey(
  deps: ChannelDeps,
  actor: Actor,
  channel: ChannelEntry,
  keyId: string,
  isOn: boolean,
): Promise<boolean> {
  const key = storedKeyOf(channel, findKey(deps.vault, channel, keyId));
  const before = await readKeyStatus(deps, channel.id, key);
  const changed = isOn
    ? await enableChannelKey(deps, channel.id, key)
    : await disableChannelKey(deps, channel.id, key, disabledBy(actor), CHANNEL_STATUS.disabled);
  if (changed) {
    const verb = isOn ? "Enabled" : "Disabled";
    await writeManagementLog(
      deps.db,
      actor,
      `${verb} key ${maskKey(key)} of channel ${channel.name} (#${channel.id})`,
      {
        note: {
          code: isOn ? "channel_key_enabled" : "channel_key_disabled",
          params: { key: maskKey(key), name: channel.name, id: channel.id },
        },
        action: isOn ? "enable" : "disable",
        before: { [maskKey(key)]: { status: before } },
        after: { [maskKey(key)]: { status: isOn ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled } },
      },
    );
  }
  return changed;
}

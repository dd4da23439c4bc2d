import { and, eq, ne, sql } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { abilities, channelKeys, channels } from "../../db/schema/channels.ts";
import type { Db, Tx } from "../../db/types.ts";
import { nowSeconds } from "../lib/clock.ts";
import type { Vault } from "../lib/crypto.ts";
import { isOneOf } from "../lib/sql-text.ts";
import { CHANNEL_STATUS } from "./entry.ts";
import { splitKeys } from "./keys.ts";

type Deps = Readonly<{ db: Db; changes: Changes }>;

/**
 * Enables or disables a channel with a reason. `from` limits it to channels in that status (an automatic re-enable must not
 * touch a channel that somebody switched off by hand). Returns whether anything changed.
 */
export async function setChannelStatus(
  { db, changes }: Deps,
  id: number,
  status: number,
  reason = "",
  from?: number,
): Promise<boolean> {
  return (await setChannelStatuses({ db, changes }, [id], status, reason, from)) > 0;
}

/** The same for many channels at once; returns how many changed. */
export async function setChannelStatuses(
  { db, changes }: Deps,
  ids: readonly number[],
  status: number,
  reason = "",
  from?: number,
): Promise<number> {
  const changed = await db.transaction((tx) => switchChannels(tx, ids, status, reason, from));
  if (changed.length > 0) await changes.publish("channels", changed);
  return changed.length;
}

/**
 * Switches one key of a channel off with a reason; the others go on. With its last key the channel itself goes off.
 * Returns whether anything changed.
 */
export async function disableChannelKey(
  { db, changes, vault }: Deps & Readonly<{ vault: Vault }>,
  id: number,
  key: string,
  reason: string,
): Promise<boolean> {
  const changed = await db.transaction(async (tx) => {
    // Keys that fail at the same time take turns: the last of them must see that it is the last.
    const [channel] = await tx.select().from(channels).where(eq(channels.id, id)).for("update");
    const hashes = channel
      ? splitKeys(channel.type, vault.decrypt(channel.keyCipher)).map((each) => vault.keyedHash(each))
      : [];
    const keyHash = vault.keyedHash(key);
    // The key may have been replaced while the call that failed was under way.
    if (!hashes.includes(keyHash)) return false;
    const added = await tx
      .insert(channelKeys)
      .values({ channelId: id, keyHash, status: CHANNEL_STATUS.autoDisabled, reason, statusTime: nowSeconds() })
      .onConflictDoNothing()
      .returning({ keyHash: channelKeys.keyHash });
    if (added.length === 0) return false;
    const off = await tx
      .select({ keyHash: channelKeys.keyHash })
      .from(channelKeys)
      .where(and(eq(channelKeys.channelId, id), ne(channelKeys.status, CHANNEL_STATUS.enabled)));
    const known = new Set(off.map((row) => row.keyHash));
    if (hashes.every((hash) => known.has(hash))) {
      await switchChannels(tx, [id], CHANNEL_STATUS.autoDisabled, reason, CHANNEL_STATUS.enabled);
    }
    return true;
  });
  if (changed) await changes.publish("channels", [id]);
  return changed;
}

async function switchChannels(
  tx: Tx,
  ids: readonly number[],
  status: number,
  reason: string,
  from?: number,
): Promise<number[]> {
  const info = status === CHANNEL_STATUS.enabled ? {} : { status_reason: reason, status_time: nowSeconds() };
  const rows = await tx
    .update(channels)
    .set({
      status,
      otherInfo: sql`(${channels.otherInfo} - 'status_reason' - 'status_time') || ${JSON.stringify(info)}::jsonb`,
    })
    .where(
      and(
        isOneOf(channels.id, ids),
        ne(channels.status, status),
        from === undefined ? undefined : eq(channels.status, from),
      ),
    )
    .returning({ id: channels.id });
  const changed = rows.map(({ id }) => id);
  if (changed.length === 0) return [];
  await tx
    .update(abilities)
    .set({ enabled: status === CHANNEL_STATUS.enabled })
    .where(isOneOf(abilities.channelId, changed));
  // Somebody who switches a channel on means all its keys.
  if (status === CHANNEL_STATUS.enabled) await tx.delete(channelKeys).where(isOneOf(channelKeys.channelId, changed));
  return changed;
}

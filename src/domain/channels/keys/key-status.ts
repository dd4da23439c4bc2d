import { and, eq } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { channelKeys, channels } from "../../../../db/schema/channels/channels.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { keepReason, type Reason } from "../../../lib/reason.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { CHANNEL_STATUS, storedKeysOf } from "../entry.ts";
import { switchChannels } from "../status/set-status.ts";

type Deps = Readonly<{ db: Db; changes: Changes; vault: Vault }>;

/**
 * Switches one key of a channel, as it is stored, off with a reason; the others go on. With its last key the channel itself goes off, by hand
 * or automatically as the key did. Returns whether anything changed.
 */
export async function disableChannelKey(
  { db, changes, vault }: Deps,
  id: number,
  key: string,
  reason: Reason,
  status: 2 | 3 = CHANNEL_STATUS.autoDisabled,
): Promise<boolean> {
  const keyHash = vault.keyedHash(key);
  const changed = await db.transaction(async (tx) => {
    const keys = await lockKeys(tx, vault, id);
    // The key may have been replaced while the call that failed was under way.
    if (!keys.hashes.includes(keyHash)) return false;
    const added = await tx
      .insert(channelKeys)
      .values({ channelId: id, keyHash, status, reason: keepReason(reason), statusTime: nowSeconds() })
      .onConflictDoNothing()
      .returning({ keyHash: channelKeys.keyHash });
    if (added.length === 0) return false;
    if (keys.hashes.every((hash) => hash === keyHash || keys.off.has(hash))) {
      await switchChannels(tx, [id], status, reason, CHANNEL_STATUS.enabled);
    }
    return true;
  });
  if (changed) await changes.publish("channels", [id]);
  return changed;
}

/**
 * Switches one key of a channel, as it is stored, on again, and the channel with it where only its keys kept it off; the other keys stay as
 * they are. `from` limits it to keys in that status. Returns whether anything changed.
 */
export async function enableChannelKey(
  { db, changes, vault }: Deps,
  id: number,
  key: string,
  from?: number,
): Promise<boolean> {
  const changed = await db.transaction(async (tx) => {
    const keys = await lockKeys(tx, vault, id);
    const isKey = and(eq(channelKeys.channelId, id), eq(channelKeys.keyHash, vault.keyedHash(key)));
    const removed = await tx
      .delete(channelKeys)
      .where(and(isKey, from === undefined ? undefined : eq(channelKeys.status, from)))
      .returning({ keyHash: channelKeys.keyHash });
    if (removed.length === 0) return false;
    // A probe does not bring back a channel that somebody switched off by hand.
    const mayComeBack = from === undefined || keys.channelStatus === CHANNEL_STATUS.autoDisabled;
    if (mayComeBack && keys.hashes.every((hash) => keys.off.has(hash))) {
      await switchChannels(tx, [id], CHANNEL_STATUS.enabled, "", undefined, true);
    }
    return true;
  });
  if (changed) await changes.publish("channels", [id]);
  return changed;
}

/** The status of a stored key: 1 in use, 2 off by hand, 3 off because it failed. */
export async function readKeyStatus({ db, vault }: Deps, id: number, key: string): Promise<number> {
  const [row] = await db
    .select({ status: channelKeys.status })
    .from(channelKeys)
    .where(and(eq(channelKeys.channelId, id), eq(channelKeys.keyHash, vault.keyedHash(key))));
  return row?.status ?? CHANNEL_STATUS.enabled;
}

/** Keys that fail at the same time take turns: the last of them must see that it is the last. */
async function lockKeys(tx: Tx, vault: Vault, id: number) {
  const [channel] = await tx.select().from(channels).where(eq(channels.id, id)).for("update");
  const keys = channel ? storedKeysOf(channel, vault) : [];
  const rows = await tx.select().from(channelKeys).where(eq(channelKeys.channelId, id));
  return {
    channelStatus: channel?.status ?? CHANNEL_STATUS.enabled,
    hashes: keys.map((key) => vault.keyedHash(key)),
    off: new Set(rows.filter(({ status }) => status !== CHANNEL_STATUS.enabled).map(({ keyHash }) => keyHash)),
  };
}

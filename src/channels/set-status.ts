import { and, eq, ne, sql } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { abilities, channelKeys, channels } from "../../db/schema/channels.ts";
import type { Db } from "../../db/types.ts";
import { nowSeconds } from "../lib/clock.ts";
import type { Vault } from "../lib/crypto.ts";
import { CHANNEL_STATUS } from "./entry.ts";

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
  const info = status === CHANNEL_STATUS.enabled ? {} : { status_reason: reason, status_time: nowSeconds() };
  const changed = await db.transaction(async (tx) => {
    const rows = await tx
      .update(channels)
      .set({
        status,
        otherInfo: sql`(${channels.otherInfo} - 'status_reason' - 'status_time') || ${JSON.stringify(info)}::jsonb`,
      })
      .where(
        and(
          eq(channels.id, id),
          ne(channels.status, status),
          from === undefined ? undefined : eq(channels.status, from),
        ),
      )
      .returning({ id: channels.id });
    if (rows.length === 0) return false;
    await tx
      .update(abilities)
      .set({ enabled: status === CHANNEL_STATUS.enabled })
      .where(eq(abilities.channelId, id));
    // Somebody who switches a channel on means all its keys.
    if (status === CHANNEL_STATUS.enabled) await tx.delete(channelKeys).where(eq(channelKeys.channelId, id));
    return true;
  });
  if (changed) await changes.publish("channels", [id]);
  return changed;
}

/** Switches one key of a channel off with a reason; the others go on. Returns whether anything changed. */
export async function disableChannelKey(
  { db, changes, vault }: Deps & Readonly<{ vault: Vault }>,
  id: number,
  key: string,
  reason: string,
): Promise<boolean> {
  const state = { status: CHANNEL_STATUS.autoDisabled, reason, statusTime: nowSeconds() };
  const rows = await db
    .insert(channelKeys)
    .values({ channelId: id, keyHash: vault.keyedHash(key), ...state })
    .onConflictDoNothing()
    .returning({ channelId: channelKeys.channelId });
  if (rows.length > 0) await changes.publish("channels", [id]);
  return rows.length > 0;
}

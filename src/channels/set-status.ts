import { and, eq, ne, sql } from "drizzle-orm";
import type { Changes } from "../../db/changes.ts";
import { abilities, channelKeys, channels } from "../../db/schema/channels.ts";
import type { Db, Tx } from "../../db/types.ts";
import { nowSeconds } from "../lib/clock.ts";
import { isOneOf } from "../lib/sql-text.ts";
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

/** In a transaction; `keepsKeys` leaves single keys off that are. Returns the channels that changed. */
export async function switchChannels(
  tx: Tx,
  ids: readonly number[],
  status: number,
  reason: string,
  from?: number,
  keepsKeys = false,
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
  if (status === CHANNEL_STATUS.enabled && !keepsKeys)
    await tx.delete(channelKeys).where(isOneOf(channelKeys.channelId, changed));
  return changed;
}

import { inArray, type SQL } from "drizzle-orm";
import { channels } from "../../../../db/schema/gateway/channels.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { CHANNEL_STATUS } from "../entry.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { valuesByChannel } from "./record-changes.ts";

/** Deletes these channels with their abilities and key states. Returns how many there were; throws OperationError for none. */
export async function deleteChannels(deps: ChannelDeps, actor: Actor, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) throw new OperationError("channel_selection_required");
  return deleteWhere(deps, actor, isOneOf(channels.id, ids));
}

/** Deletes every channel that is off, by hand or automatically. Returns how many there were. */
export const deleteDisabledChannels = (deps: ChannelDeps, actor: Actor): Promise<number> =>
  deleteWhere(deps, actor, inArray(channels.status, [CHANNEL_STATUS.disabled, CHANNEL_STATUS.autoDisabled]));

async function deleteWhere({ db, changes }: ChannelDeps, actor: Actor, where: SQL): Promise<number> {
  const deleted = await db.transaction(async (tx) => {
    const rows = await tx.delete(channels).where(where).returning({
      id: channels.id,
      name: channels.name,
      type: channels.type,
      status: channels.status,
    });
    if (rows.length > 0) {
      const names = rows.map(({ id, name }) => `${name} (#${id})`).join(", ");
      await writeManagementLog(tx, actor, `Deleted ${rows.length} channels: ${names.slice(0, 1000)}`, {
        note: { code: "channels_deleted", params: { count: rows.length, names: names.slice(0, 1000) } },
        action: "delete",
        before: valuesByChannel(rows, ({ type, status }) => ({ type, status })),
        after: { deleted: rows.length },
      });
    }
    return rows;
  });
  await changes.publish(
    "channels",
    deleted.map(({ id }) => id),
  );
  return deleted.length;
}

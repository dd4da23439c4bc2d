import { and, eq, ne } from "drizzle-orm";
import { channelKeys, channels } from "../../../../db/schema/gateway/channels.ts";
import type { Language } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { CHANNEL_STATUS } from "../entry.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { type ChannelView, viewChannel } from "./channel-view.ts";

/**
 * One channel, its keys masked; its texts are in `language`. With `showKey` they come in clear, and the log says who looked.
 * Throws OperationError when there is no such channel.
 */
export async function getChannel(
  { db, vault }: ChannelDeps,
  actor: Actor,
  id: number,
  { language, showKey = false }: Readonly<{ language: Language; showKey?: boolean }>,
): Promise<ChannelView> {
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

import { channels } from "../../../../db/schema/gateway/channels.ts";
import type { Db } from "../../../../db/types.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";

/** The names of the channels that rows name, by id; channels that are gone are absent. */
export async function readChannelNames(
  db: Db,
  rows: readonly Readonly<{ channelId: number }>[],
): Promise<Map<number, string>> {
  const ids = [...new Set(rows.map(({ channelId }) => channelId).filter(Boolean))];
  if (ids.length === 0) return new Map();
  const named = await db
    .select({ id: channels.id, name: channels.name })
    .from(channels)
    .where(isOneOf(channels.id, ids));
  return new Map(named.map(({ id, name }) => [id, name]));
}

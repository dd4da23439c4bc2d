import { channels } from "../../db/schema/channels.ts";
import { rebuildAbilities } from "./abilities.ts";
import type { ChannelDeps } from "./operation.ts";

const SLICE = 200;

/** Writes the abilities of every channel anew. Returns how many channels there are. */
export async function fixAbilities({ db, changes }: ChannelDeps): Promise<number> {
  const rows = await db.select({ id: channels.id }).from(channels);
  const ids = rows.map(({ id }) => id);
  for (let start = 0; start < ids.length; start += SLICE) {
    const slice = ids.slice(start, start + SLICE);
    await db.transaction((tx) => rebuildAbilities(tx, slice));
    await changes.publish("channels", slice);
  }
  return ids.length;
}

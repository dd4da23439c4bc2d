import { channels } from "../../../../db/schema/gateway/channels.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { rebuildAbilities } from "./abilities.ts";

const SLICE = 200;

/** Rebuilds the abilities of every channel. Returns how many channels there are. */
export async function fixAbilities({ db, changes }: ChannelDeps, actor: Actor): Promise<number> {
  const rows = await db.select({ id: channels.id }).from(channels);
  const ids = rows.map(({ id }) => id);
  for (let start = 0; start < ids.length; start += SLICE) {
    const slice = ids.slice(start, start + SLICE);
    await db.transaction((tx) => rebuildAbilities(tx, slice));
    await changes.publish("channels", slice);
  }
  await writeManagementLog(db, actor, `Rebuilt the abilities of ${ids.length} channels`, {
    note: { code: "abilities_rebuilt", params: { count: ids.length } },
    action: "update",
    after: { channels: ids.length },
  });
  return ids.length;
}

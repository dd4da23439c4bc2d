import { abilities, channels } from "../../../../db/schema/channels/channels.ts";
import type { DbOrTx } from "../../../../db/types.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { ChannelDirectory } from "../directory.ts";
import { CHANNEL_STATUS } from "../entry.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { upstreamModelOf } from "./routing-index.ts";

const ROWS_A_STATEMENT = 2000;

/** Rebuilds which group may call which model on these channels, in the transaction that changed them. */
export async function rebuildAbilities(tx: DbOrTx, ids: readonly number[]): Promise<void> {
  // Locked first, in one order: two that rebuild the same channel would add its rows twice.
  const rows = await tx.select().from(channels).where(isOneOf(channels.id, ids)).orderBy(channels.id).for("update");
  await tx.delete(abilities).where(isOneOf(abilities.channelId, ids));
  const expected = rows.flatMap((channel) =>
    channel.groups.flatMap((group) =>
      channel.models.map((model) => ({
        group,
        model: channel.modelPrefix + model,
        channelId: channel.id,
        enabled: channel.status === CHANNEL_STATUS.enabled,
        priority: channel.priority,
        weight: channel.weight,
        tag: channel.tag,
      })),
    ),
  );
  for (let start = 0; start < expected.length; start += ROWS_A_STATEMENT) {
    await tx.insert(abilities).values(expected.slice(start, start + ROWS_A_STATEMENT));
  }
}

/** A name that calls may ask for, prefix included, and the names by which the channels' upstreams know it. */
export type ServedModel = Readonly<{ model: string; upstream: readonly string[] }>;

/** What enabled channels serve, in whatever group, by name. */
export function servedModels(channels: Pick<ChannelDirectory, "all">): ServedModel[] {
  const served = new Map<string, Set<string>>();
  for (const channel of channels.all()) {
    if (channel.status !== CHANNEL_STATUS.enabled) continue;
    for (const bare of channel.models) {
      const model = channel.modelPrefix + bare;
      const upstream = upstreamModelOf(channel, model, bare);
      served.set(model, (served.get(model) ?? new Set()).add(upstream));
    }
  }
  return [...served.keys()].sort().map((model) => ({ model, upstream: [...(served.get(model) ?? [])] }));
}

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

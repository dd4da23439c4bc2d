import { abilities, channels } from "../../../../db/schema/gateway/channels.ts";
import type { DbOrTx } from "../../../../db/types.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { CHANNEL_STATUS } from "../entry.ts";

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

import { eq } from "drizzle-orm";
import { channelKeys, channels } from "../../../../db/schema/gateway/channels.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { LOWEST_PRIORITY, priorityError } from "../channel-rules.ts";
import { CHANNEL_STATUS, type ChannelRow } from "../entry.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { rebuildAbilities } from "../routing/abilities.ts";
import { disabledBy } from "../status/disabled-by.ts";
import { setChannelStatus } from "../status/set-status.ts";
import { type ChannelInput, checkReferences, readChannelInput } from "./channel-input.ts";
import { describeChange, fieldsThatDiffer } from "./record-changes.ts";

/**
 * Changes the given fields of a channel and leaves the rest; the log names those that differ, if any. An empty or masked
 * key keeps the stored one; a new key clears what was known of single keys. Throws OperationError.
 */
export async function updateChannel(deps: ChannelDeps, actor: Actor, id: number, input: ChannelInput): Promise<void> {
  const { db, changes, vault } = deps;
  const [before] = await db.select().from(channels).where(eq(channels.id, id));
  if (!before) throw new OperationError("channel_not_found");
  const switched = input.status !== undefined && input.status !== before.status ? input.status : null;
  if (switched !== null && switched !== CHANNEL_STATUS.enabled && switched !== CHANNEL_STATUS.disabled) {
    throw new OperationError("channel_status_invalid");
  }
  // Imports from other gateways bring lower ones, which stay when a form sends them back.
  if (typeof input.priority === "number" && input.priority !== before.priority) {
    throwRuleError(priorityError(input.priority), { min: LOWEST_PRIORITY });
  }
  const type = input.type || before.type;
  checkReferences(actor, input.key, type);
  // What fits one type may be wrong for another.
  const other = type === before.type ? {} : { other: before.other };
  const values = readChannelInput({ ...other, ...input }, type, vault);
  if (Object.keys(values).length > 0) {
    const fields = fieldsThatDiffer(before, values).join(", ");
    await db.transaction(async (tx) => {
      await tx.update(channels).set(values).where(eq(channels.id, id));
      if (values.keyCipher) await tx.delete(channelKeys).where(eq(channelKeys.channelId, id));
      await rebuildAbilities(tx, [id]);
      if (fields === "") return;
      await writeManagementLog(tx, actor, `Changed channel ${before.name} (#${id}): ${fields}`, {
        note: { code: "channel_changed", params: { name: before.name, id, fields } },
        action: "update",
        ...describeChange(before, values),
      });
    });
    await changes.publish("channels", [id]);
  }
  if (switched !== null) await switchChannel(deps, actor, before, switched);
}

async function switchChannel(deps: ChannelDeps, actor: Actor, before: ChannelRow, status: number): Promise<void> {
  const { id, name } = before;
  const on = status === CHANNEL_STATUS.enabled;
  await setChannelStatus(deps, id, status, on ? "" : disabledBy(actor));
  await writeManagementLog(deps.db, actor, `${on ? "Enabled" : "Disabled"} channel ${name} (#${id})`, {
    note: { code: on ? "channel_enabled" : "channel_disabled", params: { name, id } },
    action: on ? "enable" : "disable",
    before: { status: before.status },
    after: { status },
  });
}

import { eq, inArray, type SQL } from "drizzle-orm";
import { channelKeys, channels } from "../../../../db/schema/gateway/channels.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { LOWEST_PRIORITY, priorityError } from "../channel-rules.ts";
import { CHANNEL_STATUS, type ChannelRow } from "../entry.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { rebuildAbilities } from "../routing/abilities.ts";
import { disabledBy, setChannelStatus } from "../status/set-status.ts";
import { type ChannelInput, checkReferences, readChannelInput } from "./channel-input.ts";
import { describeChange, describeNew, fieldsThatDiffer, valuesByChannel } from "./record-changes.ts";

/** Creates a channel and returns its id. Throws OperationError when a field is missing or refused. */
export async function createChannel(deps: ChannelDeps, actor: Actor, input: ChannelInput): Promise<number> {
  const { db, changes, vault } = deps;
  const type = input.type || 1;
  checkReferences(actor, input.key, type);
  const { name, keyCipher, models, ...rest } = readChannelInput({ other: "", ...input }, type, vault);
  if (!name || !keyCipher) throw new OperationError("channel_name_and_key_required");
  if (!models?.length) throw new OperationError("channel_model_required");
  const status = input.status === 2 ? 2 : 1;
  const id = await db.transaction(async (tx) => {
    const [created] = await tx
      .insert(channels)
      .values({ ...rest, type, name, keyCipher, models, status, createdTime: nowSeconds() })
      .returning({ id: channels.id });
    if (!created) throw new Error("the channel was not created");
    await rebuildAbilities(tx, [created.id]);
    await writeManagementLog(tx, actor, `Created channel ${name} (#${created.id})`, {
      note: { code: "channel_created", params: { name, id: created.id } },
      action: "create",
      ...describeNew({ ...rest, type, name, models, status }),
    });
    return created.id;
  });
  await changes.publish("channels", [id]);
  return id;
}

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

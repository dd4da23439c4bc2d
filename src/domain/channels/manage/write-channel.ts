import { eq, inArray, type SQL } from "drizzle-orm";
import { channelKeys, channels } from "../../../../db/schema/channels/channels.ts";
import type { Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { OperationError, throwRuleError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { CHANNEL_STATUS, type ChannelRow } from "../entry.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { rebuildAbilities } from "../routing/abilities.ts";
import { LOWEST_PRIORITY, priorityError } from "../routing/channel-rules.ts";
import { disabledBy, setChannelStatus } from "../status/set-status.ts";
import { valuesByChannel } from "../status/values-by-channel.ts";
import { type ChannelInput, checkReferences, readChannelInput } from "./channel-input.ts";
import { checkKeyStays } from "./key-destination.ts";
import { describeChange, describeNew, fieldsThatDiffer } from "./record-changes.ts";

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
 * Creates a disabled copy of a channel under another name, with its keys, which go where they went before. Returns its id.
 * Throws OperationError when there is no such channel.
 */
export async function copyChannel(deps: ChannelDeps, actor: Actor, id: number, name: string): Promise<number> {
  const copyName = name.trim();
  if (copyName === "") throw new OperationError("channel_name_and_key_required");
  const copied = await deps.db.transaction(async (tx) => {
    const [original] = await tx.select().from(channels).where(eq(channels.id, id));
    if (!original) throw new OperationError("channel_not_found");
    const { name: originalName, ...values } = enteredIn(original);
    const copy = { ...values, name: copyName, status: CHANNEL_STATUS.disabled };
    const [row] = await tx
      .insert(channels)
      .values({ ...copy, createdTime: nowSeconds() })
      .returning({ id: channels.id });
    if (!row) throw new Error("the channel was not created");
    await rebuildAbilities(tx, [row.id]);
    await writeManagementLog(tx, actor, `Copied channel ${originalName} (#${id}) to ${copyName} (#${row.id})`, {
      note: { code: "channel_copied", params: { name: originalName, id, copy: copyName, copyId: row.id } },
      action: "create",
      ...describeNew(copy),
    });
    return row.id;
  });
  await deps.changes.publish("channels", [copied]);
  return copied;
}

/** What somebody entered of a channel; the rest is what became of it. */
const enteredIn = (row: ChannelRow) => ({
  ...{ type: row.type, name: row.name, keyCipher: row.keyCipher, baseUrl: row.baseUrl, other: row.other },
  ...{ openaiOrganization: row.openaiOrganization, maxInputTokens: row.maxInputTokens },
  ...{ priority: row.priority, weight: row.weight, models: row.models, groups: row.groups, tag: row.tag },
  ...{ modelMapping: row.modelMapping, statusCodeMapping: row.statusCodeMapping, modelPrefix: row.modelPrefix },
  ...{ setting: row.setting, paramOverride: row.paramOverride, testModel: row.testModel, autoBan: row.autoBan },
  headerOverride: row.headerOverride,
  balanceWarnBelow: row.balanceWarnBelow,
});

/**
 * Changes the given fields of a channel and leaves the rest; the log names those that differ, if any. An empty or masked
 * key keeps the stored one, which must be entered again for another destination; a new key clears what was known of single
 * keys. Throws OperationError.
 */
export async function updateChannel(deps: ChannelDeps, actor: Actor, id: number, input: ChannelInput): Promise<void> {
  const { before, isChanged } = await deps.db.transaction((tx) => changeFields(tx, deps.vault, actor, { id, input }));
  if (isChanged) await deps.changes.publish("channels", [id]);
  if (input.status !== undefined && input.status !== before.status) {
    await switchChannel(deps, actor, before, input.status);
  }
}

async function changeFields(
  tx: Tx,
  vault: Vault,
  actor: Actor,
  { id, input }: Readonly<{ id: number; input: ChannelInput }>,
): Promise<Readonly<{ before: ChannelRow; isChanged: boolean }>> {
  // Locked: a key that somebody enters meanwhile must not go to the address of now.
  const [before] = await tx.select().from(channels).where(eq(channels.id, id)).for("update");
  if (!before) throw new OperationError("channel_not_found");
  const { status = before.status, priority = before.priority } = input;
  if (status !== before.status && status !== CHANNEL_STATUS.enabled && status !== CHANNEL_STATUS.disabled) {
    throw new OperationError("channel_status_invalid");
  }
  // Imports from other gateways bring lower ones, which stay when a form sends them back.
  if (priority !== null && priority !== before.priority) {
    throwRuleError(priorityError(priority), { min: LOWEST_PRIORITY });
  }
  const type = input.type || before.type;
  checkReferences(actor, input.key, type);
  // What fits one type may be wrong for another.
  const other = type === before.type ? {} : { other: before.other };
  const values = readChannelInput({ ...other, ...input }, type, vault);
  checkKeyStays(actor, before, values, vault);
  if (Object.keys(values).length === 0) return { before, isChanged: false };
  const fields = fieldsThatDiffer(before, values).join(", ");
  await tx.update(channels).set(values).where(eq(channels.id, id));
  if (values.keyCipher) await tx.delete(channelKeys).where(eq(channelKeys.channelId, id));
  await rebuildAbilities(tx, [id]);
  if (fields === "") return { before, isChanged: true };
  await writeManagementLog(tx, actor, `Changed channel ${before.name} (#${id}): ${fields}`, {
    note: { code: "channel_changed", params: { name: before.name, id, fields } },
    action: "update",
    ...describeChange(before, values),
  });
  return { before, isChanged: true };
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

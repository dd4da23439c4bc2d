import { eq } from "drizzle-orm";
import { channels } from "../../../../db/schema/channels/channels.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { rebuildAbilities } from "../routing/abilities.ts";
import { setChannelStatuses } from "../status/set-status.ts";
import { valuesByChannel } from "../status/values-by-channel.ts";
import { type ChannelInput, type ChannelValues, readChannelInput } from "./channel-input.ts";
import { checkKeyStays } from "./key-destination.ts";
import { describeChange, fieldsThatDiffer } from "./record-changes.ts";

/** Switches every channel of a tag on or off. Returns how many changed. */
export async function setTagStatus(deps: ChannelDeps, actor: Actor, tag: string, status: 1 | 2): Promise<number> {
  const ids = await channelsOfTag(deps, tag);
  const reason = { code: "why_tag_disabled_by", params: { tag, name: actor.username } } as const;
  const switched = await setChannelStatuses(deps, ids, status, reason);
  const changed = switched.length;
  await writeManagementLog(
    deps.db,
    actor,
    `${status === 1 ? "Enabled" : "Disabled"} ${changed} channels of tag ${tag}`,
    {
      note: { code: status === 1 ? "tag_enabled" : "tag_disabled", params: { tag, count: changed } },
      action: status === 1 ? "enable" : "disable",
      before: valuesByChannel(switched, (channel) => ({ status: channel.status })),
      after: valuesByChannel(switched, () => ({ status })),
    },
  );
  return changed;
}

type TagChange = Readonly<{ new_tag?: string | null }> &
  Omit<ChannelInput, "type" | "name" | "key" | "status" | "other" | "group" | "tag">;

/**
 * Sets the given fields on every channel of a tag; null and empty text leave a field as it is, `{}` takes a mapping away.
 * The log names the channels and fields that differ, if any. Returns how many channels the tag has. Throws OperationError.
 */
export async function editTag(deps: ChannelDeps, actor: Actor, tag: string, change: TagChange): Promise<number> {
  const { new_tag: newTag, ...fields } = change;
  const input = Object.fromEntries(
    Object.entries({ ...fields, tag: newTag }).filter(
      ([, value]) => value !== null && value !== "" && value !== undefined,
    ),
  ) as ChannelInput;
  const values = readChannelInput(input, 0, deps.vault);
  return setOnAll(deps, actor, await channelsOfTag(deps, tag), values, tag);
}

type Overrides = Readonly<Pick<ChannelInput, "param_override" | "header_override">>;

/** Sets overrides on chosen channels; absent ones stay. Returns how many channels there were. Throws OperationError. */
export async function setOverrides(
  deps: ChannelDeps,
  actor: Actor,
  ids: readonly number[],
  overrides: Overrides,
): Promise<number> {
  if (ids.length === 0) throw new OperationError("channel_selection_required");
  const rows = await deps.db.select({ id: channels.id }).from(channels).where(isOneOf(channels.id, ids));
  const found = rows.map(({ id }) => id);
  return setOnAll(deps, actor, found, readChannelInput(overrides, 0, deps.vault), null);
}

/** Sets values on channels, and logs which differed: those of a tag, or chosen ones. */
async function setOnAll(
  deps: ChannelDeps,
  actor: Actor,
  ids: readonly number[],
  values: ChannelValues,
  tag: string | null,
): Promise<number> {
  if (Object.keys(values).length === 0) return 0;
  await deps.db.transaction(async (tx) => {
    const before = await tx.select().from(channels).where(isOneOf(channels.id, ids)).orderBy(channels.id).for("update");
    for (const row of before) checkKeyStays(actor, row, values, deps.vault);
    await tx.update(channels).set(values).where(isOneOf(channels.id, ids));
    await rebuildAbilities(tx, ids);
    const changed = before.filter((row) => fieldsThatDiffer(row, values).length > 0);
    if (changed.length === 0) return;
    const count = changed.length;
    const differing = [...new Set(changed.flatMap((row) => fieldsThatDiffer(row, values)))].join(", ");
    const those = tag === null ? `${count} channels` : `${count} channels of tag ${tag}`;
    await writeManagementLog(tx, actor, `Changed ${those}: ${differing}`, {
      note:
        tag === null
          ? { code: "channels_changed", params: { count, fields: differing } }
          : { code: "tag_changed", params: { tag, count, fields: differing } },
      action: "update",
      before: valuesByChannel(changed, (row) => describeChange(row, values).before),
      after: valuesByChannel(changed, (row) => describeChange(row, values).after),
    });
  });
  await deps.changes.publish("channels", ids);
  return ids.length;
}

/** Puts these channels under a tag; null takes theirs away. Returns how many there were. Throws OperationError. */
export async function setTag(
  deps: ChannelDeps,
  actor: Actor,
  ids: readonly number[],
  tag: string | null,
): Promise<number> {
  if (ids.length === 0) throw new OperationError("channel_selection_required");
  if (tag?.trim() === "") throw new OperationError("channel_tag_required");
  const changed = await deps.db.transaction(async (tx) => {
    const rows = await tx
      .select({ id: channels.id, name: channels.name, tag: channels.tag })
      .from(channels)
      .where(isOneOf(channels.id, ids))
      .orderBy(channels.id)
      .for("update");
    const found = rows.map(({ id }) => id);
    const input = tag?.trim() ?? "";
    await tx.update(channels).set({ tag: input }).where(isOneOf(channels.id, found));
    await rebuildAbilities(tx, found);
    await writeManagementLog(tx, actor, `Set tag ${tag ?? "(none)"} on ${rows.length} channels`, {
      note: tag
        ? { code: "tag_set", params: { tag, count: rows.length } }
        : { code: "tag_removed", params: { count: rows.length } },
      action: "update",
      before: valuesByChannel(rows, (row) => ({ tag: row.tag })),
      after: valuesByChannel(rows, () => ({ tag: input })),
    });
    return found;
  });
  await deps.changes.publish("channels", changed);
  return changed.length;
}

async function channelsOfTag({ db }: ChannelDeps, tag: string): Promise<number[]> {
  if (tag.trim() === "") throw new OperationError("channel_tag_required");
  const rows = await db.select({ id: channels.id }).from(channels).where(eq(channels.tag, tag));
  if (rows.length === 0) throw new OperationError("channel_tag_unknown", { tag: tag.slice(0, 60) });
  return rows.map(({ id }) => id);
}

/** Tags in use, in alphabetical order. */
export async function listTags({ db }: Pick<ChannelDeps, "db">): Promise<string[]> {
  const rows = await db.selectDistinct({ tag: channels.tag }).from(channels).orderBy(channels.tag);
  return rows.map(({ tag }) => tag).filter(Boolean);
}

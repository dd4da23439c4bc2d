import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import type { Changes } from "../../../../db/changes.ts";
import { abilities, type ChannelOtherInfo, channelKeys, channels } from "../../../../db/schema/channels/channels.ts";
import type { Db, Tx } from "../../../../db/types.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { isSentence } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import { type Reason, sayReason } from "../../../lib/reason.ts";
import { isOneOf } from "../../../lib/values/sql-text.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { CHANNEL_STATUS, type ChannelEntry } from "../entry.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { valuesByChannel } from "./values-by-channel.ts";

type Deps = Readonly<{ db: Db; changes: Changes }>;
/** `status` is what it was. */
type Switched = Readonly<{ id: number; name: string; status: number }>;

/** Called for a channel, or one of its keys, that was disabled automatically. */
export type OnDisabled = (channel: ChannelEntry, isKeyOnly: boolean, reason: Reason) => void;

/**
 * Enables or disables a channel with a reason. `from` limits it to channels in that status (an automatic re-enable must not
 * touch a channel that somebody switched off by hand). Returns whether anything changed.
 */
export async function setChannelStatus(
  { db, changes }: Deps,
  id: number,
  status: number,
  reason: Reason = "",
  from?: number,
): Promise<boolean> {
  return (await setChannelStatuses({ db, changes }, [id], status, reason, from)).length > 0;
}

/** The same for many channels at once; returns those that changed, as they were before. */
export async function setChannelStatuses(
  { db, changes }: Deps,
  ids: readonly number[],
  status: number,
  reason: Reason = "",
  from?: number,
): Promise<readonly Switched[]> {
  const switched = await db.transaction((tx) => switchChannels(tx, ids, status, reason, from));
  const changed = switched.map(({ id }) => id);
  if (changed.length > 0) await changes.publish("channels", changed);
  return switched;
}

/** In a transaction; `keepsKeys` leaves single keys off that are. Returns the channels that changed, as they were. */
export async function switchChannels(
  tx: Tx,
  ids: readonly number[],
  status: number,
  reason: Reason,
  from?: number,
  keepsKeys = false,
): Promise<readonly Switched[]> {
  const switched = await tx
    .select({ id: channels.id, name: channels.name, status: channels.status })
    .from(channels)
    .where(
      and(
        isOneOf(channels.id, ids),
        ne(channels.status, status),
        from === undefined ? undefined : eq(channels.status, from),
      ),
    )
    .orderBy(channels.id)
    .for("update");
  const changed = switched.map(({ id }) => id);
  if (changed.length === 0) return [];
  const isOn = status === CHANNEL_STATUS.enabled;
  const info = isOn ? {} : infoOf(reason);
  const others = isOn ? withOutage(from === CHANNEL_STATUS.autoDisabled || keepsKeys) : sql`${channels.otherInfo}`;
  await tx
    .update(channels)
    .set({
      status,
      otherInfo: sql`(${others} - array['status_reason', 'status_note', 'status_time'])
        || ${JSON.stringify(info)}::jsonb`,
    })
    .where(isOneOf(channels.id, changed));
  await tx
    .update(abilities)
    .set({ enabled: status === CHANNEL_STATUS.enabled })
    .where(isOneOf(abilities.channelId, changed));
  // Somebody who switches a channel on means all its keys.
  if (isOn && !keepsKeys) await tx.delete(channelKeys).where(isOneOf(channelKeys.channelId, changed));
  return switched;
}

const MOST_OUTAGES = 20;

/** What is stored of a channel that is enabled: one that was disabled automatically remembers from when to when. */
function withOutage(recovered: boolean): SQL {
  const info = channels.otherInfo;
  const before = sql`coalesce(${info} -> 'outages', '[]'::jsonb)`;
  const latest = sql`case when jsonb_array_length(${before}) >= ${MOST_OUTAGES} then ${before} - 0 else ${before} end`;
  const outage = sql`jsonb_build_object('off', ${info} -> 'status_time', 'on', ${nowSeconds()}::bigint, 'recovered', ${recovered}::boolean)`;
  return sql`case when ${channels.status} = ${CHANNEL_STATUS.autoDisabled} and ${info} ? 'status_time'
    then ${info} || jsonb_build_object('outages', (${latest}) || jsonb_build_array(${outage})) else ${info} end`;
}

/** What is kept of a channel that goes off: in English for the ecosystem's tools, by code for readers of other languages. */
const infoOf = (reason: Reason): ChannelOtherInfo => ({
  status_reason: sayReason(reason, "en"),
  ...(typeof reason === "object" && { status_note: reason }),
  status_time: nowSeconds(),
});

/** Why a channel is off, from what is stored of it; empty: no reason was given. */
export function reasonIn({ status_note: note, status_reason: text }: ChannelOtherInfo): Reason {
  if (isSentence(note)) return note;
  return typeof text === "string" ? text : "";
}

/** Why a channel or a key is off that somebody switched off. */
export const disabledBy = ({ username }: Actor): Reason => ({ code: "why_disabled_by", params: { name: username } });

/** Switches these channels on (1) or off (2). Returns how many changed. Throws OperationError when none is given. */
export async function batchStatus(
  deps: ChannelDeps,
  actor: Actor,
  ids: readonly number[],
  status: 1 | 2,
): Promise<number> {
  if (ids.length === 0) throw new OperationError("channel_selection_required");
  const isOn = status === CHANNEL_STATUS.enabled;
  const switched = await setChannelStatuses(deps, ids, status, isOn ? "" : disabledBy(actor));
  const changed = switched.length;
  await writeManagementLog(deps.db, actor, `${isOn ? "Enabled" : "Disabled"} ${changed} of ${ids.length} channels`, {
    note: { code: isOn ? "channels_enabled" : "channels_disabled", params: { changed, total: ids.length } },
    action: isOn ? "enable" : "disable",
    before: valuesByChannel(switched, (channel) => ({ status: channel.status })),
    after: valuesByChannel(switched, () => ({ status })),
  });
  return changed;
}

import { OperationError } from "../../../lib/operation-error.ts";
import { writeManagementLog } from "../../logs/write-log.ts";
import { CHANNEL_STATUS } from "../entry.ts";
import { valuesByChannel } from "../manage/record-changes.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { disabledBy } from "./disabled-by.ts";
import { setChannelStatuses } from "./set-status.ts";

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

import { writeManagementLog } from "../../logs/write-log.ts";
import { CHANNEL_STATUS, type ChannelEntry, storedKeyOf } from "../entry.ts";
import type { Actor, ChannelDeps } from "../operation.ts";
import { disabledBy } from "../status/disabled-by.ts";
import { disableChannelKey, enableChannelKey, readKeyStatus } from "./key-status.ts";
import { maskKey } from "./keys.ts";
import { findKey } from "./list-keys.ts";

/**
 * Somebody switches one key of a channel on or off; the others stay as they are. Returns whether anything changed.
 * Throws OperationError when the channel has no such key.
 */
export async function switchKey(
  deps: ChannelDeps,
  actor: Actor,
  channel: ChannelEntry,
  keyId: string,
  isOn: boolean,
): Promise<boolean> {
  const key = storedKeyOf(channel, findKey(deps.vault, channel, keyId));
  const before = await readKeyStatus(deps, channel.id, key);
  const changed = isOn
    ? await enableChannelKey(deps, channel.id, key)
    : await disableChannelKey(deps, channel.id, key, disabledBy(actor), CHANNEL_STATUS.disabled);
  if (changed) {
    const verb = isOn ? "Enabled" : "Disabled";
    await writeManagementLog(
      deps.db,
      actor,
      `${verb} key ${maskKey(key)} of channel ${channel.name} (#${channel.id})`,
      {
        note: {
          code: isOn ? "channel_key_enabled" : "channel_key_disabled",
          params: { key: maskKey(key), name: channel.name, id: channel.id },
        },
        action: isOn ? "enable" : "disable",
        before: { [maskKey(key)]: { status: before } },
        after: { [maskKey(key)]: { status: isOn ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled } },
      },
    );
  }
  return changed;
}

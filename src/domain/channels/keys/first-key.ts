import { OperationError } from "../../../lib/operation-error.ts";
import type { ChannelEntry } from "../entry.ts";

/**
 * The key for requests to a channel's upstream other than calls: the first that is enabled, else the first. Throws
 * OperationError where its only keys are references that can't be resolved.
 */
export function firstKey({ keys, disabledKeys, unresolved }: ChannelEntry): string {
  const [problem] = unresolved;
  if (keys.length === 0 && problem) throw new OperationError("channel_key_unresolved", problem);
  return keys.find((key) => !disabledKeys.has(key)) ?? keys[0] ?? "";
}

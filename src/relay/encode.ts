import type { ChannelEntry } from "../channels/entry.ts";
import type { TopLevelChanges } from "../lib/json-splice.ts";
import { spliceTopLevel } from "../lib/json-splice.ts";
import type { Provider } from "../providers/provider.ts";
import type { Call } from "./call.ts";
import type { Outgoing } from "./upstream.ts";

/**
 * The request as this channel's upstream wants it. Bytes go as they came unless something must change: the model's name,
 * what the provider cannot take, usage to be asked for, the channel's param override. Then only those keys are changed.
 */
export function encode(
  call: Call,
  channel: ChannelEntry,
  key: string,
  provider: Provider,
  passThrough: boolean,
): Outgoing {
  const { body, endpoint } = call.admitted;
  const changes = passThrough ? null : changesFor(call, channel, provider);
  const url = provider.url(channel, endpoint.capability, call.upstreamModel);
  const headers = provider.authHeaders(channel, key);
  headers["content-type"] = "application/json";
  const { proxy } = channel.setting;
  return {
    url,
    headers,
    body: changes ? spliceTopLevel(body.text, changes, body.json) : body.bytes,
    proxy: typeof proxy === "string" ? proxy : "",
  };
}

/** Null: nothing changes. Notes on the call the final model name and the fields that had to go. */
function changesFor(call: Call, channel: ChannelEntry, provider: Provider): TopLevelChanges | null {
  const { body, endpoint, summary, changes } = call.admitted;
  const adaptation = provider.adapt?.(body.json, call.upstreamModel, endpoint.capability) ?? null;
  if (adaptation) {
    call.upstreamModel = adaptation.model;
    call.dropped = adaptation.dropped;
  }
  const asksUsage = summary.stream && !summary.wantsUsage && provider.streamUsage;
  const renamed = call.upstreamModel !== body.json.model;
  const own = hasAny(changes);
  if (!adaptation && !asksUsage && !renamed && !own && !channel.paramOverride) return null;
  return {
    ...changes,
    ...adaptation?.changes,
    ...(renamed && { model: call.upstreamModel }),
    ...(asksUsage && { stream_options: { ...(body.json.stream_options as object | undefined), include_usage: true } }),
    ...channel.paramOverride,
  };
}

function hasAny(changes: TopLevelChanges): boolean {
  for (const _ in changes) return true;
  return false;
}

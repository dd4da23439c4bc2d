import type { ChannelDirectory } from "../directory.ts";
import { CHANNEL_STATUS } from "../entry.ts";
import { upstreamModelOf } from "../upstream/request-options.ts";

/** A name that calls may ask for, prefix included, and the names by which the channels' upstreams know it. */
export type ServedModel = Readonly<{ model: string; upstream: readonly string[] }>;

/** What enabled channels serve, in whatever group, by name. */
export function servedModels(channels: Pick<ChannelDirectory, "all">): ServedModel[] {
  const served = new Map<string, Set<string>>();
  for (const channel of channels.all()) {
    if (channel.status !== CHANNEL_STATUS.enabled) continue;
    for (const bare of channel.models) {
      const model = channel.modelPrefix + bare;
      const upstream = upstreamModelOf(channel, model, bare);
      served.set(model, (served.get(model) ?? new Set()).add(upstream));
    }
  }
  return [...served.keys()].sort().map((model) => ({ model, upstream: [...(served.get(model) ?? [])] }));
}

import type { ChannelEntry } from "../entry.ts";
import type { Candidates } from "./routing-index.ts";

/**
 * The name a channel's upstream knows a model by: the channel's mapping, looked up by the requested name and then by the
 * name without the prefix, and followed along a chain until it ends or comes back to a name already seen.
 */
export function upstreamModelOf(
  { modelMapping }: Pick<ChannelEntry, "modelMapping">,
  requested: string,
  bare: string,
): string {
  if (modelMapping.size === 0) return bare;
  const seen = new Set([requested, bare]);
  let name = bare;
  let next = modelMapping.get(requested) ?? modelMapping.get(bare);
  while (next && !seen.has(next)) {
    seen.add(next);
    name = next;
    next = modelMapping.get(name);
  }
  return name;
}

/** What the upstreams of all candidates call a model that is asked for so: each name once, that of the first channel first. */
export const upstreamModelsOf = ({ tiers, model }: Candidates, requested: string): string[] => [
  ...new Set(tiers.flatMap(({ channels }) => channels.map((channel) => upstreamModelOf(channel, requested, model)))),
];

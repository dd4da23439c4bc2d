import { version } from "../../../server/version.ts";
import type { ChannelEntry } from "../entry.ts";
import type { Candidates } from "../routing/routing-index.ts";

const DEFAULT = `Sluice/${version}`;
/** What may stand in a header's value: no control characters. */
const HEADER_VALUE = /^[\x20-\x7e]{1,500}$/;

/** The product that a channel's upstream sees: its setting `user_agent`, else this release. */
export function userAgentOf({ setting }: Pick<ChannelEntry, "setting"> = { setting: {} }): string {
  const { user_agent: own } = setting;
  return typeof own === "string" && HEADER_VALUE.test(own) ? own : DEFAULT;
}

/** The proxy that a channel's setting names; empty: none. */
export const proxyOf = ({ setting }: Pick<ChannelEntry, "setting">): string =>
  typeof setting.proxy === "string" ? setting.proxy : "";

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

import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { type Tier, upstreamModelOf } from "../../domain/channels/routing/routing-index.ts";
import { providerOf } from "../../providers/registry.ts";
import type { Call } from "../call/call.ts";
import type { ChannelPreferences } from "../call/endpoint.ts";
import type { Pricing } from "../money/price.ts";
import { slugOf } from "../request/read-preferences.ts";
import type { RoutingMemory } from "./memory.ts";

/** The channel type of OpenRouter, which follows preferences itself. */
const OPENROUTER = 20;
/** Preferences state prices for so many tokens. */
const PRICED_TOKENS = 1_000_000;

type Known = Pricing & Pick<RoutingMemory, "speeds">;
type Chosen = Pick<Call, "candidates" | "caller" | "summary">;

/** The channels that a call's preferences allow, in the order that they state. */
export function preferChannels(context: Known, call: Chosen, preferences: ChannelPreferences): readonly Tier[] {
  const { order, sort, allowsFallbacks } = preferences;
  const allowed = call.candidates.tiers.map(({ channels }) =>
    channels.filter((channel) => isAllowed(context, call, channel, preferences)),
  );
  const all = allowed.flat();
  const listed = new Set<ChannelEntry>();
  const tiers = order.map((slug) => {
    const named = all.filter((channel) => !listed.has(channel) && slugsOf(channel).includes(slug));
    for (const channel of named) listed.add(channel);
    return named;
  });
  if (allowsFallbacks || order.length === 0) {
    const others = allowed.map((channels) => channels.filter((channel) => !listed.has(channel)));
    tiers.push(...(sort ? sortChannels(context, call, others.flat(), sort) : others));
  } else if (listed.size === 0) tiers.push(all.filter(isOpenRouter));
  return tiers.filter((channels) => channels.length > 0).map((channels, at) => ({ priority: -at, channels }));
}

/** The call as an upstream gets it: with its preferences if that is OpenRouter, which follows them, too. */
export const withPreferencesFor = (call: Call, { channel }: Readonly<{ channel: ChannelEntry }>): Call =>
  call.preferences && isOpenRouter(channel) ? { ...call, body: call.preferences.original } : call;

/** The names by which preferences may mean a channel: its type's and its own. */
const slugsOf = ({ type, name }: ChannelEntry): readonly string[] => [
  slugOf(providerOf(type)?.name ?? ""),
  slugOf(name),
];

/** Whether the channel follows preferences itself. */
export const isOpenRouter = ({ type }: ChannelEntry): boolean => type === OPENROUTER;

function isAllowed(context: Known, call: Chosen, channel: ChannelEntry, preferences: ChannelPreferences): boolean {
  const { only, ignored, openRouterOnly, maxPrice } = preferences;
  const slugs = slugsOf(channel);
  if (slugs.some((slug) => ignored.has(slug))) return false;
  if (!isOpenRouter(channel) && (openRouterOnly !== null || (only && !slugs.some((slug) => only.has(slug)))))
    return false;
  if (Object.keys(maxPrice).length === 0) return true;
  const price = priceOf(context, call, channel);
  const { prompt = Number.POSITIVE_INFINITY, completion = Number.POSITIVE_INFINITY } = maxPrice;
  const { request = Number.POSITIVE_INFINITY } = maxPrice;
  return price !== null && price.prompt <= prompt && price.completion <= completion && price.request <= request;
}

/** What the caller pays on a channel, in the units of preferences; null: it has no price. */
function priceOf({ prices }: Known, { candidates, caller, summary }: Chosen, channel: ChannelEntry) {
  const upstreamModel = upstreamModelOf(channel, summary.model, candidates.model);
  const usd = prices.usd(caller, summary.model, [upstreamModel]);
  if (!usd) return null;
  return {
    prompt: Number(usd.prompt) * PRICED_TOKENS,
    completion: Number(usd.completion) * PRICED_TOKENS,
    request: Number(usd.request),
  };
}

/** Each channel in a tier of its own, the best first; those without figures last. */
function sortChannels(
  context: Known,
  call: Chosen,
  channels: readonly ChannelEntry[],
  sort: NonNullable<ChannelPreferences["sort"]>,
): ChannelEntry[][] {
  const scoreOf = (channel: ChannelEntry): number => {
    if (sort === "price") {
      const price = priceOf(context, call, channel);
      return price ? price.prompt + price.completion + price.request : Number.POSITIVE_INFINITY;
    }
    const speed = context.speeds.find(channel.id, call.summary.model);
    if (sort === "latency") return speed?.firstTokenMs ?? Number.POSITIVE_INFINITY;
    return speed?.tokensPerSecond ? -speed.tokensPerSecond : Number.POSITIVE_INFINITY;
  };
  const groups = Map.groupBy(channels, scoreOf);
  return [...groups].toSorted(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1)).map(([, equal]) => equal);
}

import { estimate } from "../../../billing/pricing/charge.ts";
import type { UserEntry } from "../../../domain/accounts/directory.ts";
import type { ChannelEntry } from "../../../domain/channels/entry.ts";
import type { Candidates } from "../../../domain/channels/routing/routing-index.ts";
import { GatewayError } from "../../call/errors.ts";
import type { Pricing } from "../../money/price.ts";
import { upstreamNames } from "../../money/price.ts";
import type { UpstreamTools } from "../../upstream/upstream.ts";
import type { RoutingMemory } from "../memory.ts";
import type { Figures } from "./order.ts";

/** What these functions work with. */
export type MeasureContext = Pricing & Pick<UpstreamTools, "traffic"> & Pick<RoutingMemory, "keys" | "speeds">;

/** A call as far as its cost and duration can be estimated. */
export type Load = Readonly<{
  group: string;
  user: Pick<UserEntry, "acceptUnsetPrice">;
  promptTokens: number;
  outputTokens: number;
}>;

export type Measured = Readonly<{ figures: Figures; isReady: boolean }>;

/** A model may have a thousand channels: as many are looked at. */
const MAX_CHANNELS = 32;

/** The live figures of a model's channels: of the best tier with one that is not cooling down. */
export function measure(context: MeasureContext, model: string, candidates: Candidates, load: Load): Measured {
  const ready = readyChannels(context, candidates);
  const channels = ready ?? candidates.tiers[0]?.channels.slice(0, MAX_CHANNELS) ?? [];
  const speeds = channels.map(({ id }) => context.speeds.find(id, model));
  const firstTokenMs = meanOf(speeds.map((speed) => speed?.firstTokenMs ?? null));
  const tokensPerSecond = meanOf(speeds.map((speed) => speed?.tokensPerSecond ?? null));
  return {
    isReady: ready !== null,
    figures: {
      firstTokenMs,
      tokensPerSecond,
      latencyMs: latencyOf(firstTokenMs, tokensPerSecond, load.outputTokens),
      cost: estimateCost(context, model, candidates, load),
      inFlight: meanOf(channels.map(({ id }) => context.traffic.inFlight(id))) ?? 0,
    },
  };
}

function readyChannels({ keys }: Pick<RoutingMemory, "keys">, { tiers }: Candidates): readonly ChannelEntry[] | null {
  for (const { channels } of tiers) {
    const ready = channels.slice(0, MAX_CHANNELS).filter((channel) => keys.hasFit(channel, null, false));
    if (ready.length > 0) return ready;
  }
  return null;
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function latencyOf(firstTokenMs: number | null, tokensPerSecond: number | null, outputTokens: number): number | null {
  if (firstTokenMs === null && tokensPerSecond === null) return null;
  return (firstTokenMs ?? 0) + (tokensPerSecond ? (outputTokens * 1000) / tokensPerSecond : 0);
}

/** Expected cost in quota units on the most expensive of its channels; null: no price that the caller accepts. */
function estimateCost(
  { prices }: Pricing,
  model: string,
  candidates: Candidates,
  { group, user, promptTokens, outputTokens }: Load,
): number | null {
  const tokens = {
    promptTokens,
    maxOutputTokens: outputTokens,
    defaultOutputTokens: outputTokens,
    audioInputTokens: 0,
  };
  let cost: number | null = null;
  for (const upstreamModel of upstreamNames(candidates, model)) {
    try {
      const price = prices.of({ group, user }, model, upstreamModel);
      cost = Math.max(cost ?? 0, estimate(price, { ...tokens, writesCache: "none" }, prices.quotaPerUnit()));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
    }
  }
  return cost;
}

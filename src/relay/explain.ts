import type { ChannelEntry } from "../channels/entry.ts";
import type { JsonObject } from "../dialects/json.ts";
import { providerOf } from "../providers/registry.ts";
import type { RelayContext } from "./context.ts";
import { findStuck, type Stuck } from "./explain-stickiness.ts";
import { coolingOf } from "./live.ts";

export type ExplainQuestion = Readonly<{
  model: string;
  group: string;
  promptTokens: number;
  /** A request, in any of the four formats, and the API key that it comes with; absent: a conversation that is new. */
  conversation?: Readonly<{ tokenId: number; request: JsonObject }>;
}>;

/** Where a call would go, and why not elsewhere. */
export type Explanation = Readonly<{
  /** The name without the prefix of the channels that serve it. */
  model: string;
  /** Every channel that knows the model, the likeliest first. */
  channels: readonly ExplainedChannel[];
  /** Where earlier calls of the conversation went; null: none is remembered. */
  stuck: Stuck | null;
}>;

export type ExplainedChannel = Readonly<{
  id: number;
  name: string;
  priority: number;
  weight: number;
  /** Likelihood of being chosen first, from 0 to 1; a conversation that sticks is certain. */
  share: number;
  /** Place among the tiers, from 1; null: it is not asked at all. */
  tier: number | null;
  inFlight: number;
  keys: readonly Readonly<{
    index: number;
    state: "ready" | "disabled" | "cooling";
    until: number | null;
    failures: number;
  }>[];
  /** Codes of what keeps it from being chosen; empty: nothing. */
  reasons: readonly Reason[];
}>;

type Reason = "disabled" | "auto_disabled" | "other_group" | "prompt_too_long" | "no_key" | "cooling" | "unknown_type";

const isCooling = (reason: Reason): boolean => reason === "cooling";

const WEIGHT_FLOOR = 10;

/** Asks the scheduler, without touching it, where a call of this group for this model would go. */
export function explain(context: RelayContext, all: Iterable<ChannelEntry>, question: ExplainQuestion): Explanation {
  const { services, coolDown, traffic } = context;
  const { model, group, promptTokens } = question;
  const candidates = services.channels.candidates(group, model);
  const tiers = candidates?.tiers ?? [];
  const known = [...all].filter((channel) => channel.models.some((name) => channel.modelPrefix + name === model));
  const judged = known.map((channel) => {
    const keys = channel.keys.map((key, index) => keyState(channel, key, index));
    return { channel, keys, reasons: reasonsAgainst(channel, keys) };
  });
  const inBestTier = (able: typeof judged) => {
    const best = tiers.find(({ channels }) => channels.some(({ id }) => able.some(({ channel }) => channel.id === id)));
    return able.filter(({ channel }) => best?.channels.some(({ id }) => id === channel.id));
  };
  const ready = inBestTier(judged.filter(({ reasons }) => reasons.length === 0));
  // Where none is ready, calls go to one that cools down rather than to none.
  const fit = ready.length > 0 ? ready : inBestTier(judged.filter(({ reasons }) => reasons.every(isCooling)));
  const stuck = findStuck(context, question, tiers);
  const sum = fit.reduce((total, { channel }) => total + channel.weight + WEIGHT_FLOOR, 0);
  const channels = judged.map(({ channel, keys, reasons }): ExplainedChannel => {
    const place = tiers.findIndex((tier) => tier.channels.some(({ id }) => id === channel.id));
    const chosen = fit.some((one) => one.channel === channel);
    const { id, name, priority, weight } = channel;
    const share = stuck?.holds ? Number(id === stuck.channelId) : chosen ? (weight + WEIGHT_FLOOR) / sum : 0;
    return {
      id,
      name,
      priority,
      weight,
      share,
      tier: place < 0 ? null : place + 1,
      inFlight: traffic.inFlight(id),
      keys,
      reasons,
    };
  });
  return {
    model: candidates?.model ?? model,
    stuck,
    channels: channels.toSorted((a, b) => b.share - a.share || b.priority - a.priority || a.id - b.id),
  };

  function keyState(channel: ChannelEntry, key: string, index: number): ExplainedChannel["keys"][number] {
    const { isCooling, coolingUntil, failures } = coolingOf(coolDown, channel.id, key);
    const state = channel.disabledKeys.has(key) ? "disabled" : isCooling ? "cooling" : "ready";
    const until = state === "cooling" && coolingUntil !== null ? coolingUntil * 1000 : null;
    return { index, state, until, failures };
  }

  function reasonsAgainst(channel: ChannelEntry, keys: ExplainedChannel["keys"]): Reason[] {
    const reasons: Reason[] = [];
    if (channel.status !== 1) reasons.push(channel.status === 3 ? "auto_disabled" : "disabled");
    if (!channel.groups.includes(group)) reasons.push("other_group");
    if (!providerOf(channel.type)) reasons.push("unknown_type");
    if (channel.maxInputTokens > 0 && promptTokens > channel.maxInputTokens) reasons.push("prompt_too_long");
    if (keys.every(({ state }) => state === "disabled")) reasons.push("no_key");
    else if (keys.every(({ state }) => state !== "ready")) reasons.push("cooling");
    return reasons;
  }
}

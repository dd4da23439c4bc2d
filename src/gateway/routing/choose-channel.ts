import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { Tier } from "../../domain/channels/routing-index.ts";
import type { Provider } from "../../providers/contract/provider.ts";
import { countPrompt } from "../billing/count-tokens.ts";
import { usualTokens } from "../billing/estimate.ts";
import { hasPrice } from "../billing/price-call.ts";
import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import { conversationKey } from "./conversation-key.ts";
import { type Demand, obstacleTo } from "./eligibility.ts";
import { needsOf, shortcomingOf } from "./model-fit.ts";
import { type Choice, choose, type Tried } from "./scheduler/choose.ts";
import { findChannel } from "./scheduler/find-channel.ts";

/**
 * The channel and key of the next attempt; null when nothing is left to try. Left out are channels whose provider does not
 * serve this kind of request, under whose name the model has no price, and those whose `max_input_tokens` the prompt
 * exceeds: the bound of the prompt's size decides where it can, only a prompt beyond it is counted, and waited for. Channels
 * whose model lacks what the request needs, by the catalogue, come after the others.
 */
export function chooseChannel(
  context: RelayContext,
  call: Call,
  tried: Tried | null,
): Choice | null | Promise<Choice | null> {
  const demand = new CallDemand(call);
  const suits = (channel: ChannelEntry): boolean => obstacleTo(channel, demand) === null;
  const choice = chooseFor(context, call, tried, suits);
  if (!demand.isUndecided) return choice;
  const { prompt, summary } = call.admitted;
  return countPrompt(summary.model, prompt).then((tokens) => {
    call.promptTokens = tokens;
    return chooseFor(context, call, tried, suits);
  });
}

function chooseFor(context: RelayContext, call: Call, tried: Tried | null, suits: Suits): Choice | null {
  const prefers = preferenceOf(context, call);
  return (
    (tried ? null : stuck(context, call, (channel) => suits(channel) && (!prefers || prefers(channel)))) ??
    choose(call.admitted.candidates.tiers, tried, context.keys, suits, context.random, prefers)
  );
}

/** Which channels' models have what the call needs; null where it makes no difference. */
function preferenceOf({ modelsOf }: RelayContext, call: Call): Suits | null {
  const { candidates, summary, prompt, promptBound, body } = call.admitted;
  const models = modelsOf(candidates, summary.model);
  if (!models) return null;
  const needs = needsOf(prompt, body.json, call.promptTokens ?? usualTokens(promptBound));
  return (channel) => {
    const model = models.get(channel);
    return !model || shortcomingOf(model, needs) === null;
  };
}

type Suits = (channel: ChannelEntry) => boolean;

/** What a call asks of a channel. */
class CallDemand implements Demand {
  /** The prompt's length decides something, and is not known yet. */
  isUndecided = false;

  constructor(private readonly call: Call) {}

  isServedBy({ capabilities }: Provider): boolean {
    return capabilities.includes(this.call.admitted.endpoint.capability);
  }

  hasPrice(channel: ChannelEntry): boolean {
    return hasPrice(this.call, channel);
  }

  isLongerThan(limit: number): boolean {
    const { admitted, promptTokens } = this.call;
    if (admitted.promptBound <= limit) return false;
    if (promptTokens !== null) return promptTokens > limit;
    this.isUndecided = true;
    return true;
  }
}

/** The channel and key that have the conversation's prompt in their cache, while both are in order. */
function stuck({ stickiness, keys }: RelayContext, call: Call, suits: Suits): Choice | null {
  const { tiers } = call.admitted.candidates;
  if (!hasAlternatives(tiers)) return null;
  const { caller, summary, body, prompt, promptBound } = call.admitted;
  const speaking = {
    userId: caller.user.id,
    tokenId: caller.token?.id ?? 0,
    model: summary.model,
    prompt,
    promptBound,
  };
  call.conversation = conversationKey({ ...speaking, body: body.json })?.key ?? null;
  const kept = call.conversation === null ? null : stickiness.find(call.conversation);
  if (!kept) return null;
  const channel = findChannel(tiers, kept.channelId);
  return channel && suits(channel) && keys.isFit(channel, kept.key) ? { channel, key: kept.key } : null;
}

/** With one channel and one key there is nothing to stick to. */
const hasAlternatives = (tiers: readonly Tier[]): boolean =>
  tiers.length > 1 || (tiers[0]?.channels.length ?? 0) > 1 || (tiers[0]?.channels[0]?.keys.length ?? 0) > 1;

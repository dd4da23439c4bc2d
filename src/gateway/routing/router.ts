import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { hasOwnKeys } from "../../domain/channels/provider-keys/own-keys.ts";
import { type Tier, upstreamModelOf } from "../../domain/channels/routing/routing-index.ts";
import { providerOf } from "../../providers/registry.ts";
import { type LimitReached, type LimitRuleCounts, limitReached } from "../auth/limits/limit-rules.ts";
import type { Call } from "../call/call.ts";
import { type ChannelPreferences, typicalTokens } from "../call/endpoint.ts";
import type { GatewayError } from "../call/errors.ts";
import type { Choice, Excluded } from "../call/route.ts";
import type { CallTools, Uses } from "../call/services.ts";
import { countPrompt } from "../money/count-tokens.ts";
import type { CallPrices, Pricing } from "../money/price.ts";
import { AttemptFailure, clientErrorOf } from "../upstream/attempt-failure.ts";
import { providerFor } from "../upstream/route.ts";
import type { UpstreamTools } from "../upstream/upstream.ts";
import { conversationKey } from "./conversation-key.ts";
import {
  completeOverflow,
  needsMediaEmbeddings,
  noChannel,
  promptTooLong,
  type SentPrompt,
  withRetirement,
} from "./describe-failure.ts";
import type { RoutingMemory } from "./memory.ts";
import { needsOf, shortcomingOf } from "./model-fit.ts";
import { preferChannels } from "./prefer-channels.ts";
import { choose, findChannel, type KeyRing } from "./scheduler/choose.ts";

/** What these functions work with. */
export type RouterContext = Uses<"channels" | "providerKeys" | "settings"> &
  Pick<CallTools, "catalog" | "metrics" | "random"> &
  Pricing &
  Pick<UpstreamTools, "coolDown"> &
  Pick<RoutingMemory, "health" | "keys" | "modelsOf" | "speeds" | "stickiness"> &
  Readonly<{ /** Null: nothing is counted. */ limitRules: LimitRuleCounts | null }>;

/** Chooses the channel and key for each attempt of one call, and remembers failures. */
export class Router implements Requirements {
  /** A limit applies that only counting the prompt's tokens can decide. */
  #needsTokenCount = false;
  /** Counted locally; null: not counted. */
  #promptTokens: number | null = null;
  readonly #fits: (channel: ChannelEntry) => boolean;
  /** The channels to choose from, best tier first. */
  readonly #tiers: readonly Tier[];
  #excluded: Excluded | null;
  #retriesLeft: number;
  /** Channels without a place for the call, and what the soonest of their limits says; null: none. */
  #full: Readonly<{ channels: Set<ChannelEntry>; reached: LimitReached }> | null = null;
  #lastFailure: AttemptFailure | null = null;
  /** The key of the call's conversation; null: routed by weight. */
  #conversation: bigint | null = null;
  /** The channel that responded first, where it is not the chosen one. */
  #served: Choice | null = null;

  constructor(
    private readonly context: RouterContext,
    private readonly call: Call,
    private readonly prices: CallPrices | null,
  ) {
    this.#fits = (channel) => !this.#full?.channels.has(channel) && ineligibleReason(channel, this) === null;
    this.#excluded = call.excluded;
    const { preferences, candidates, caller } = call;
    this.#tiers = preferences ? preferChannels(context, call, preferences) : candidates.tiers;
    const retries = context.services.settings.values.RetryTimes;
    if (caller.pinnedChannelId !== null) this.#retriesLeft = 0;
    else this.#retriesLeft = preferences ? preferredRetries(preferences, retries) : retries;
    if (caller.ownKeys && hasOwnKeys(candidates)) this.#retriesLeft += attemptsByOwnKeys(this.#tiers);
  }

  /**
   * The channel and key of the next attempt. Excludes channels whose provider does not serve this kind of request,
   * whose model name has no price, or whose `max_input_tokens` the prompt exceeds; the prompt is counted only if its
   * estimated bound exceeds that limit. Channels whose model, according to the catalog, lacks what the request needs
   * come last. Null: something must be counted
   * first. Throws GatewayError if nothing is left to try.
   */
  next(): Choice | null {
    if (!this.context.services.settings.values.LimitRules.isEmpty && this.#countsChannels()) return null;
    const choice = this.#choose();
    return this.#needsTokenCount ? null : (choice ?? this.#refuse());
  }

  /** The same, after counting the prompt's tokens where that decides, and the attempt in the limits of channels. */
  async nextByCount(): Promise<Choice> {
    const { prompt, summary } = this.call;
    for (;;) {
      const choice = this.#choose();
      if (this.#needsTokenCount) {
        this.#promptTokens = await countPrompt(summary.model, prompt);
        this.#needsTokenCount = false;
      } else if (!choice) this.#refuse();
      else if (await this.#admits(choice)) return choice;
    }
  }

  #countsChannels(): boolean {
    return this.context.services.settings.values.LimitRules.ofChannels.length > 0 && this.context.limitRules !== null;
  }

  /** Whether limits of its channel leave a place for an attempt; else the channel, or the key, is not chosen again. */
  async #admits(choice: Choice): Promise<boolean> {
    const reached =
      this.#countsChannels() && !choice.channel.ownKey ? await this.context.limitRules?.admit(this.call, choice) : null;
    if (!reached) return true;
    const { channel, key } = choice;
    const soonest = this.#full && this.#full.reached.seconds <= reached.seconds ? this.#full.reached : reached;
    this.#full = { channels: this.#full?.channels ?? new Set(), reached: soonest };
    if (!reached.rule.per.includes("channel_key")) this.#full.channels.add(channel);
    else {
      this.#excluded ??= { channels: new Set(), keys: new Map() };
      this.#excluded.keys.set(channel.id, (this.#excluded.keys.get(channel.id) ?? new Set()).add(key));
    }
    return false;
  }

  isServedBy(channel: ChannelEntry): boolean {
    const { endpoint, prompt } = this.call;
    const provider = providerFor(this.call, channel);
    if (!provider) return false;
    if (endpoint.capability !== "embeddings" || provider.embedsMedia === true) return true;
    return !needsMediaEmbeddings(endpoint, prompt);
  }

  /** Perhaps only other channels use a model name with a price. */
  hasPrice(channel: ChannelEntry): boolean {
    const { candidates, summary } = this.call;
    const byName = this.prices?.byName;
    return !byName || byName.has(upstreamModelOf(channel, summary.model, candidates.model));
  }

  isLongerThan(limit: number): boolean {
    if (this.call.promptBound <= limit) return false;
    this.#needsTokenCount = this.#promptTokens === null;
    return this.#promptTokens === null || this.#promptTokens > limit;
  }

  #refuse(): never {
    if (this.#lastFailure) throw this.#clientError(this.#lastFailure);
    if (this.#full) throw limitReached(this.#full.reached);
    throw this.#tooLong() ?? noChannel(this.call, this.#tiers);
  }

  /** All channels that could serve the call take shorter prompts only; null: that is not why there is none. */
  #tooLong(): GatewayError | null {
    const channels = this.#tiers.flatMap((tier) => tier.channels);
    const reasons = channels.map((channel) => ineligibleReason(channel, this));
    if (reasons.includes(null) || !reasons.includes("prompt_too_long")) return null;
    const limits = channels.map(({ maxInputTokens }, at) => (reasons[at] === "prompt_too_long" ? maxInputTokens : 0));
    return promptTooLong(this.call, this.#promptTokens ?? this.call.promptBound, Math.max(...limits));
  }

  #clientError(failure: AttemptFailure): GatewayError {
    const { context, call } = this;
    const model = upstreamModelOf(failure.channel, call.summary.model, call.candidates.model);
    const error = clientErrorFor(context, failure, { model, promptBound: call.promptBound });
    return withRetirement(context, call, failure, error);
  }

  /** Whether another channel may be tried if the chosen one fails. */
  hasAlternativeTo(choice: Choice): boolean {
    return this.#retriesLeft > 0 && this.alternativeTo(choice) !== null;
  }

  /** Another channel that could serve the call now, next to an attempt that has not responded; null: there is none. */
  alternativeTo({ channel: current }: Choice): Choice | null {
    const { random } = this.context;
    const keys = this.#keys();
    const channels = new Set([...(this.#excluded?.channels ?? []), current]);
    const others = { channels, keys: this.#excluded?.keys ?? new Map() };
    const other = choose(this.#tiers, others, keys, this.#fits, random, this.#preference());
    return other && !channels.has(other.channel) && keys.isFit(other.channel, other.key) ? other : null;
  }

  /** The same, counted in the limits of its channel. */
  async admittedAlternativeTo(choice: Choice): Promise<Choice | null> {
    const other = this.alternativeTo(choice);
    return other && (await this.#admits(other)) ? other : null;
  }

  /** A channel other than the chosen one responded. */
  servedBy(choice: Choice): void {
    this.#served = choice;
  }

  /** A channel failed while another one goes on with the call. */
  noteFailure(choice: Choice, error: unknown): void {
    if (!(error instanceof AttemptFailure)) return;
    this.#exclude(choice, error);
    reportFailure(this.context, choice, error);
  }

  /** The attempt succeeded: later calls of its conversation go to the same channel. */
  succeeded(chosen: Choice): void {
    const choice = this.#served ?? chosen;
    const { coolDown, health, stickiness } = this.context;
    coolDown.succeeded(choice.channel.id, choice.key);
    if (choice.channel.ownKey?.id) this.context.services.providerKeys?.report(choice.channel.ownKey.id, null);
    if (health.failing.size > 0) health.succeeded(choice.channel.id, choice.key);
    if (this.#conversation !== null) stickiness.keep(this.#conversation, choice);
  }

  /**
   * The attempt failed: excludes its channel, cools down its key and reports to the health check. Throws the client's
   * error if no other attempt may follow.
   */
  failed(choice: Choice, error: unknown): void {
    if (!(error instanceof AttemptFailure)) throw error;
    const { context, call } = this;
    if (call.progress.client.places) context.limitRules?.leave(call, choice);
    this.#lastFailure = error;
    if (this.#conversation !== null) context.stickiness.forget(this.#conversation);
    this.#exclude(choice, error);
    reportFailure(context, choice, error, call.progress.client.hasLeft);
    const { overBudget, mappedStatus, accountProblem } = error;
    const { retryableStatuses } = providerOf(choice.channel.type) ?? {};
    const isWorthRetrying =
      overBudget || accountProblem !== null || isRetryable({ status: mappedStatus, retryableStatuses });
    if (this.#retriesLeft === 0 || call.progress.client.hasLeft || !isWorthRetrying) throw this.#clientError(error);
    this.#retriesLeft -= 1;
  }

  #choose(): Choice | null {
    const { context } = this;
    const [tier] = this.#tiers;
    const [channel] = tier?.channels ?? [];
    const hasAlternatives =
      this.#tiers.length > 1 || (tier && tier.channels.length > 1) || (channel && channel.keys.length > 1);
    // With only one channel and key there is nothing to prefer.
    if (!hasAlternatives) return choose(this.#tiers, this.#excluded, context.keys, this.#fits, context.random);
    const keys = this.#keys();
    const prefers = this.#preference();
    const fits = prefers ? (channel: ChannelEntry) => this.#fits(channel) && prefers(channel) : this.#fits;
    const sticky = this.#excluded ? null : this.#findStickyChannel(fits, keys);
    return sticky ?? choose(this.#tiers, this.#excluded, keys, this.#fits, context.random, prefers);
  }

  /** The keys, without those whose provider has too few tokens left for the prompt. */
  #keys(): KeyRing {
    return this.context.keys.forPrompt(typicalTokens(this.call.promptBound));
  }

  /** Prefers channels whose models have what the call needs; null if they do not differ. */
  #preference(): ((channel: ChannelEntry) => boolean) | null {
    const { candidates, summary, prompt, promptBound, body } = this.call;
    const models = this.context.modelsOf(candidates, summary.model);
    if (!models) return null;
    const needs = needsOf(prompt, body.json, this.#promptTokens ?? typicalTokens(promptBound));
    return (channel) => {
      const model = models.get(channel);
      return !model || shortcomingOf(model, needs) === null;
    };
  }

  /** The channel and key with the conversation's prompt in their cache, while both are usable. */
  #findStickyChannel(fits: (channel: ChannelEntry) => boolean, keys: KeyRing): Choice | null {
    const { stickiness } = this.context;
    const { caller, summary, body, prompt, promptBound, preferences } = this.call;
    if (preferences?.sort || preferences?.order.length) return null;
    const by = { userId: caller.user.id, tokenId: caller.token?.id ?? 0, model: summary.model, prompt, promptBound };
    this.#conversation = conversationKey({ ...by, body: body.json })?.key ?? null;
    const stored = this.#conversation === null ? null : stickiness.find(this.#conversation);
    if (!stored) return null;
    const channel = findChannel(this.#tiers, stored.channelId);
    return channel && fits(channel) && keys.isFit(channel, stored.key) ? { channel, key: stored.key } : null;
  }

  #exclude({ channel, key }: Choice, failure: AttemptFailure): void {
    this.#excluded ??= { channels: new Set(), keys: new Map() };
    const { channels, keys } = this.#excluded;
    channels.add(channel);
    // A rejected key stays rejected; after a network or server error it may be tried again.
    if (!failure.answered || failure.status >= 500) return;
    keys.set(channel.id, (keys.get(channel.id) ?? new Set()).add(key));
  }
}

/** Keys of the caller's own take none of the attempts at the site's channels; the first attempt is no retry. */
const attemptsByOwnKeys = ([own, ...sites]: readonly Tier[]): number =>
  (own?.channels.length ?? 0) - (sites.length > 0 ? 0 : 1);

/** As the operator allows, or as many as the client lists channels; none if the client refuses further attempts. */
function preferredRetries({ order, allowsFallbacks }: ChannelPreferences, retries: number): number {
  return allowsFallbacks || order.length > 0 ? Math.max(retries, order.length - 1) : 0;
}

function reportFailure(
  context: Uses<"providerKeys"> &
    Pick<CallTools, "metrics"> &
    Pick<UpstreamTools, "coolDown"> &
    Pick<RoutingMemory, "health">,
  { channel, key }: Choice,
  failure: AttemptFailure,
  clientHasLeft = false,
): void {
  const { ownKey } = channel;
  // Of a key that came with its call nothing is remembered.
  if (ownKey?.id === 0) return;
  const isRefused = failure.answered && KEY_REFUSED.has(failure.status);
  if (ownKey && isRefused) context.coolDown.start(channel.id, key, REFUSED_KEY_PAUSE_MS);
  const isFault = failure.status >= 500;
  if (isFault) context.coolDown.failed(channel.id, key);
  if (failure.accountProblem === "no_credit") context.coolDown.start(channel.id, key, MAX_COOL_DOWN_MS);
  else if (failure.status === 429 || (isFault && failure.retryAfter !== null)) {
    context.coolDown.start(channel.id, key, coolDownMs(failure.retryAfter, Date.now()));
  }
  if (ownKey) {
    if (isRefused || failure.accountProblem) context.services.providerKeys?.report(ownKey.id, refusalText(failure));
    return;
  }
  if (failure.answered || !clientHasLeft) context.health.report(channel, key, failure);
  context.metrics.upstreamFailed(channel.id, failure.status);
}

/** Statuses by which a provider refuses the key, whatever the request is. */
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 402, 403]);

/** So long a key of one's own is tried after the others: the site's channels serve its calls at once. */
const REFUSED_KEY_PAUSE_MS = 60_000;

const refusalText = ({ status, error }: AttemptFailure): string => `${status}: ${error.message}`;

/** The client's error for a failed attempt. `sent`: the prompt, for what an upstream does not say about its length. */
export function clientErrorFor(
  context: Uses<"settings"> & Pick<CallTools, "catalog">,
  failure: AttemptFailure,
  sent?: SentPrompt,
): GatewayError {
  const { overflow } = failure;
  const completed = overflow && sent ? completeOverflow(overflow, context.catalog(), sent) : overflow;
  return clientErrorOf(failure, context.services.settings.values["global.hide_upstream_error_enabled"], completed);
}

/** A failed attempt, as far as the retry decision needs it. */
type Failure = Readonly<{
  /** The status after the channel's status mapping. */
  status: number;
  /** Further statuses after which calls to this provider may succeed elsewhere. */
  retryableStatuses?: readonly number[] | undefined;
}>;

const DEFAULT_COOL_DOWN_MS = 5_000;
const MAX_COOL_DOWN_MS = 300_000;

/**
 * Whether another channel may succeed: after 429, 307, 5xx and most 4xx. Not after timeouts (504, 524, 408), because
 * the client has waited long enough, and after 400 only if the provider lists it as retryable.
 */
export function isRetryable({ status, retryableStatuses }: Failure): boolean {
  if (status === 504 || status === 524 || status === 408) return false;
  if (status === 400) return retryableStatuses?.includes(400) === true;
  return status < 200 || status > 299;
}

/**
 * How long a key cools down, in ms, after a 429 or another status with `Retry-After` (seconds or a date), within
 * limits.
 */
export function coolDownMs(retryAfter: string | null, nowMs: number): number {
  if (!retryAfter) return DEFAULT_COOL_DOWN_MS;
  const seconds = Number(retryAfter);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(retryAfter) - nowMs;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_COOL_DOWN_MS) : DEFAULT_COOL_DOWN_MS;
}

/** Why a channel cannot serve a call, whatever the state of its keys. */
export type IneligibleReason = "unknown_type" | "no_price" | "prompt_too_long";

/** What a call requires of a channel. */
export type Requirements = Readonly<{
  isServedBy(channel: ChannelEntry): boolean;
  hasPrice(channel: ChannelEntry): boolean;
  /** `limit`: tokens. */
  isLongerThan(limit: number): boolean;
}>;

/** The first reason why a channel cannot serve a call; null if it can. Routing and its explanation both use this. */
export function ineligibleReason(channel: ChannelEntry, requirements: Requirements): IneligibleReason | null {
  if (!requirements.isServedBy(channel)) return "unknown_type";
  if (!requirements.hasPrice(channel)) return "no_price";
  const { maxInputTokens } = channel;
  return maxInputTokens > 0 && requirements.isLongerThan(maxInputTokens) ? "prompt_too_long" : null;
}

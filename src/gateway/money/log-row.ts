import { channelCost } from "../../billing/pricing/ratios/channel-cost.ts";
import {
  type CallEnding,
  failureNote,
  type LogOther,
  type Price,
  type Receipt,
  type UsageEvidence,
  type UsageRecord,
} from "../../billing/types.ts";
import type { BudgetEntry } from "../../domain/accounts/organizations/budgets/directory.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { NO_USAGE, type Usage } from "../../formats/conversation/reply.ts";
import { textOf } from "../../formats/json.ts";
import { type Reason, sayReason } from "../../lib/reason.ts";
import { type Decimal, toText } from "../../lib/values/decimal.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import type { CacheUse } from "../call/progress.ts";
import { agentSessionOf, callTags, guardrailNote, withGuardrailTags } from "./call-labels.ts";
import type { LoggedContent, LoggedExchange } from "./log-content.ts";
import { budgetsOf, type Reservation } from "./reserve.ts";

/** How a call ended, and its billed usage. */
export type Outcome = {
  ending: CallEnding;
  evidence: UsageEvidence;
  usage: Usage;
  quota: number;
  receipt: Receipt | null;
  /** The HTTP status sent to the client. */
  status: number;
  error: Reason | null;
  /** The upstream's own finish reason, if it is none of the normal ones. */
  ownFinish?: string | null;
  serviceTier?: string | undefined;
  /** What the call cost the operator, in quota units. */
  upstreamCost?: number | null | undefined;
  /** What a call by the caller's own key would have cost by a channel of the site, in quota units. */
  worth?: number | undefined;
  content: LoggedContent | null;
  exchange: LoggedExchange | null;
};

/** Endings with which the client received an incomplete response. */
const INCOMPLETE_ENDINGS: ReadonlySet<CallEnding> = new Set(["upstream_failed", "idle_timeout", "shutdown"]);

/** The numbers of a price as shown in log rows: computed once per price, because calls share prices. */
type PriceNotes = Readonly<{
  /** For every call. */
  other: Partial<LogOther>;
  /** For calls that wrote to a cache, and for those with audio. */
  writes: Partial<LogOther>;
  audio: Partial<LogOther>;
  content: string;
}>;
const notesByPrice = new WeakMap<Price, PriceNotes>();
/** The ecosystem's tools read −1 as: the user's group has no ratio of its own in the group that the call is charged in. */
export const NO_USER_RATIO = -1;
const NO_PRICE: PriceNotes = { other: {}, writes: {}, audio: {}, content: "" };

/** The log row of a finished call; the names in `other` are those of one-api and new-api. */
export function logRowOf(call: Call, reserved: Reservation | null, outcome: Outcome): UsageRecord {
  const { caller, summary, ip } = call;
  const plan = reserved?.plan;
  // A call takes one of those that its plan includes where the balance would be charged, or if it was completed: one that is
  // refused, fails or is left before anything came gives it back.
  const isTaken = reserved?.hold != null && (outcome.quota > 0 || outcome.ending === "complete");
  const included = isTaken ? reserved?.included : undefined;
  // A call that its plan includes counts in no budget.
  const countsInBudgets = caller.budgets !== undefined && caller.budgets.length > 0 && reserved?.included === undefined;
  const budgets = countsInBudgets ? budgetsOf(caller.budgets, plan !== undefined) : NO_BUDGETS;
  const { servedBy: route } = call;
  const price = route?.price ?? reserved?.prices.price ?? null;
  const notes = price ? (notesByPrice.get(price) ?? makeNotes(price)) : NO_PRICE;
  const failed = outcome.status >= 400 || INCOMPLETE_ENDINGS.has(outcome.ending);
  const elapsedMs = Math.round(performance.now() - call.progress.timing.startedAtMs);
  const { promptTokens, completionTokens } = call.endpoint.isTask ? NO_USAGE : outcome.usage;
  return {
    requestId: call.recordId,
    createdAt: call.createdAt,
    ...payerOf(caller),
    modelName: summary.model,
    // A key of the caller's own is no channel.
    channelId: route && !route.channel.ownKey ? route.channel.id : 0,
    isStream: summary.stream,
    failed,
    elapsedMs,
    promptTokens,
    completionTokens,
    quota: included === undefined ? outcome.quota : 0,
    ip,
    content: contentOf(call, outcome, notes),
    other: otherOf(call, reserved, outcome, notes, price, budgets),
    ...(budgets.length > 0 && { budgets: budgets.map(({ id }) => id) }),
    ...(plan !== undefined && { plan }),
    ...(included !== undefined && { included }),
  };
}

const NO_BUDGETS: readonly BudgetEntry[] = [];

/** The part of a record to store: only the charge, if calls are not logged. */
export const storedRow = (record: UsageRecord, settings: SettingsReader): UsageRecord =>
  settings.values.LogConsumeEnabled ? record : chargeAlone(record);

/** A record without what only logs are for; it keeps what sums need. */
export function chargeAlone(record: UsageRecord): UsageRecord {
  const { request_id, receipt, response_cache, own_key, admin_info } = record.other;
  const { cache_saved } = admin_info ?? {};
  const other = {
    request_id,
    ...(record.included !== undefined && receipt && { receipt }),
    ...(response_cache && { response_cache }),
    ...(own_key && { own_key }),
    ...(cache_saved !== undefined && { admin_info: { use_channel: [], attempts: [], cache_saved } }),
  };
  return { ...record, ip: "", content: "", other, unlogged: true };
}

function contentOf(call: Call, outcome: Outcome, notes: PriceNotes): string {
  if (outcome.error !== null && outcome.quota === 0) return sayReason(outcome.error, "en");
  const { promptTokens, completionTokens } = outcome.usage;
  const content = call.endpoint.capability.startsWith("image") ? notes.content + imageOptionsText(call) : notes.content;
  const tier = outcome.receipt?.serviceTier;
  if (tier !== undefined) return `${content}, service tier ${tier}`;
  return promptTokens + completionTokens === 0 ? `${content} (no usage: not charged)` : content;
}

const MAX_WORD_LENGTH = 32;

/** The options of an image request that affect its price. */
const imageOptionsText = ({ prompt }: Call): string =>
  ["size", "quality"]
    .map((field) => [field, textOf(prompt[field])?.slice(0, MAX_WORD_LENGTH)] as const)
    .map(([field, word]) => (word ? `, ${field} ${word}` : ""))
    .join("");

function otherOf(
  call: Call,
  reserved: Reservation | null,
  outcome: Outcome,
  notes: PriceNotes,
  price: Price | null,
  budgets: readonly BudgetEntry[],
): LogOther {
  const { summary, candidates } = call;
  const { timing } = call.progress;
  const { servedBy: route } = call;
  const { ownKeys } = call.caller;
  const entries = ownKeys ? ownKeys.withoutIds(call.progress.attempts.entries) : call.progress.attempts.entries;
  const hold = reserved?.hold;
  const { usage } = outcome;
  const info: LogOther["admin_info"] = {
    use_channel: entries.map(({ channelId }) => String(channelId)),
    attempts: entries,
  };
  if (route && route.keyIndex > 0) info.key_index = route.keyIndex;
  if (outcome.upstreamCost != null) info.upstream_cost = outcome.upstreamCost;
  const upstreamSaved = call.progress.cache?.savings?.upstream;
  if (upstreamSaved != null) info.cache_saved = upstreamSaved;
  if (outcome.exchange) info.exchange = outcome.exchange;
  const other: LogOther = {
    ...notes.other,
    group: call.caller.group,
    cache_tokens: usage.cachedTokens,
    frt: timing.firstByteMs === null ? -1000 : Math.round(timing.firstByteMs),
    admin_info: info,
    request_id: call.requestId,
    usage_evidence: outcome.evidence,
    ending: outcome.ending,
    status: outcome.status,
  };
  const isSession = call.endpoint.capability === "realtime" || call.endpoint.capability === "live";
  if (isSession) other.ws = true;
  const isClaude = call.endpoint.codec.dialect === "anthropic";
  if (isClaude) other.claude = true;
  if (outcome.receipt) other.receipt = outcome.receipt;
  if (hold && hold.amount > 0 && reserved.included === undefined) other.reserved = hold.amount;
  if (outcome.error !== null) Object.assign(other, failureNote(outcome.error));
  if (outcome.serviceTier !== undefined) other.service_tier = outcome.serviceTier;
  if (outcome.ownFinish) other.stop_reason = outcome.ownFinish;
  if (route && route.upstreamModel !== candidates.model) {
    other.is_model_mapped = true;
    other.upstream_model_name = route.upstreamModel;
  }
  if (call.fallbackFrom !== null) other.requested_model = call.fallbackFrom;
  if (summary.reasoningEffort !== null) other.reasoning_effort = summary.reasoningEffort;
  if (usage.reasoningTokens > 0) other.reasoning_tokens = usage.reasoningTokens;
  if (isClaude || usage.cacheCreationTokens > 0) {
    Object.assign(other, notes.writes);
    other.cache_creation_tokens = usage.cacheCreationTokens;
  }
  if (usage.longCacheCreationTokens) other.cache_creation_tokens_1h = usage.longCacheCreationTokens;
  if (usage.audioInputTokens + usage.audioOutputTokens > 0) {
    Object.assign(other, notes.audio);
    if (!isSession) other.audio = true;
    other.audio_input = usage.audioInputTokens;
    other.audio_output = usage.audioOutputTokens;
    other.text_input = usage.promptTokens - usage.audioInputTokens;
    other.text_output = usage.completionTokens - usage.audioOutputTokens;
  }
  if (price?.kind === "per_token") {
    if (usage.imageInputTokens && price.imageRatio) other.image_input = usage.imageInputTokens;
    if (usage.imageOutputTokens && price.imageCompletionRatio) other.image_output = usage.imageOutputTokens;
  }
  const dropped = route?.dropped ?? call.progress.cache?.dropped;
  if (dropped && dropped.length > 0) other.dropped = [...dropped];
  if (route?.isMarked && price?.kind === "per_token") other.automatic_cache_saved = cacheSavings(price, usage);
  const cache = call.progress.cache && cacheNote(call.progress.cache);
  if (cache) other.response_cache = cache;
  if (route?.channel.ownKey) {
    other.own_key = {
      id: route.channel.ownKey.id,
      name: route.channel.name,
      provider: route.provider.name,
      ...(outcome.worth !== undefined && { worth: outcome.worth }),
    };
  }
  if (timing.queuedMs > 0) other.queued_ms = Math.round(timing.queuedMs);
  const session = agentSessionOf(call);
  if (session) other.agent_session = session;
  const { guard } = call.progress;
  const isGuarded = guard !== null && (guard.verdicts.length > 0 || guard.heldCharacters > 0 || guard.delayMs > 0);
  if (isGuarded) other.guardrails = guardrailNote(guard);
  const own = callTags(call.request.headers, call.body.json);
  const tags = isGuarded ? withGuardrailTags(guard.verdicts, own) : own;
  if (tags.length > 0) other.tags = tags;
  const { endUser } = call.caller;
  if (endUser) other.end_user = endUser;
  if (budgets.length > 0) other.budgets = budgets.map(receiptBudget);
  if (outcome.content) Object.assign(other, outcome.content);
  return other;
}

/** What the site's cache did for a call; null: it had no part in it. */
function cacheNote(use: CacheUse): LogOther["response_cache"] | null {
  if (use.state === "miss") return { miss: true };
  if (use.state !== "hit") return null;
  return { age_seconds: use.ageSeconds, saved: use.savings?.price ?? 0 };
}

/** Quota units that caching saved: what was read cheaper, less what was written dearer; negative: it cost more. */
function cacheSavings(price: Extract<Price, { kind: "per_token" }>, usage: Usage): number {
  const long = usage.longCacheCreationTokens ?? 0;
  const factor = (ratio: Decimal) => 1 - Number(toText(ratio));
  const tokens =
    usage.cachedTokens * factor(price.cacheRatio) +
    (usage.cacheCreationTokens - long) * factor(price.cacheCreationRatio) +
    long * factor(price.longCacheCreationRatio);
  return Math.round(tokens * Number(toText(price.modelRatio)) * Number(toText(price.groupRatio)));
}

/** The operator's part of a log row that has only the cost of a use at its channel; nothing where that does not say. */
export function costNote(
  channel: Pick<ChannelEntry, "costs"> | undefined,
  costed: Parameters<typeof channelCost>[1],
  quotaPerUnit: Decimal,
): Pick<LogOther, "admin_info"> {
  const cost = channel?.costs && channelCost(channel.costs, costed, quotaPerUnit);
  return cost == null ? {} : { admin_info: { use_channel: [], attempts: [], upstream_cost: cost } };
}

/** Who makes a call and pays for it, as log rows name them. */
export const payerOf = ({ user, token, tokenName, group }: Caller) => ({
  userId: user.id,
  username: user.username,
  tokenId: token?.id ?? 0,
  tokenName,
  tokenLimited: token !== null && !token.unlimitedQuota,
  group,
});

/** A budget as log rows name it. */
export const receiptBudget = ({ id, scope, name, period }: BudgetEntry) => ({ id, scope, name, period });

function makeNotes(price: Price): PriceNotes {
  const notes = price.kind === "per_call" ? perCallNotes(price) : perTokenNotes(price);
  notesByPrice.set(price, notes);
  return notes;
}

function perCallNotes(price: Extract<Price, { kind: "per_call" }>): PriceNotes {
  const usd = toText(price.usdPerCall);
  const group = toText(price.groupRatio);
  return {
    // The console recognizes a fixed price by model_price ≠ −1.
    other: {
      model_price: Number(usd),
      model_ratio: 0,
      completion_ratio: 0,
      cache_ratio: 0,
      group_ratio: Number(group),
      user_group_ratio: price.isOfUserGroup ? Number(group) : NO_USER_RATIO,
    },
    writes: {},
    audio: {},
    content: `Model price $${usd}${price.seconds === undefined ? "" : ` a second, ${price.seconds} seconds`}${price.variant ? ` (${price.variant})` : ""}, group ratio ${group}`,
  };
}

function perTokenNotes(price: Extract<Price, { kind: "per_token" }>): PriceNotes {
  const model = toText(price.modelRatio);
  const completion = toText(price.completionRatio);
  const group = toText(price.groupRatio);
  return {
    other: {
      model_price: -1,
      model_ratio: Number(model),
      completion_ratio: Number(completion),
      cache_ratio: Number(toText(price.cacheRatio)),
      group_ratio: Number(group),
      user_group_ratio: price.isOfUserGroup ? Number(group) : NO_USER_RATIO,
      ...(price.imageRatio && { image_ratio: Number(toText(price.imageRatio)) }),
      ...(price.imageCompletionRatio && { image_completion_ratio: Number(toText(price.imageCompletionRatio)) }),
    },
    writes: { cache_creation_ratio: Number(toText(price.cacheCreationRatio)) },
    audio: {
      audio_ratio: Number(toText(price.audioRatio)),
      audio_completion_ratio: Number(toText(price.audioCompletionRatio)),
    },
    content: `Model ratio ${model}, completion ratio ${completion}, group ratio ${group}`,
  };
}

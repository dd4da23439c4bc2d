import { boundText } from "../../billing/bounds/bounds.ts";
import { MODEL_NAME } from "../../billing/bounds/record-bounds.ts";
import { NO_TIERS } from "../../billing/pricing/service-tiers.ts";
import type { CallEnding, UsageRecord } from "../../billing/types.ts";
import type { LiveCall } from "../../domain/logs/live/call-feed.ts";
import { coversModel } from "../../domain/wallet/plans/limits/terms.ts";
import { NO_USAGE, type Usage } from "../../formats/conversation/reply.ts";
import { noRoute } from "../auth/authorize.ts";
import type { Limits } from "../auth/limits/limits.ts";
import type { Call } from "../call/call.ts";
import type { GatewayError } from "../call/errors.ts";
import { answerToLog } from "../call/guardrails/mask-call.ts";
import type { Speed } from "../call/progress.ts";
import { CLIENT_LEFT } from "../call/progress.ts";
import type { RoutePlan } from "../call/route.ts";
import type { CallTools, Uses } from "../call/services.ts";
import type { RefusalBound } from "../call/telemetry/refusal-bound.ts";
import { toGatewayError } from "../request/error-response.ts";
import { contentRules, contentToLog, exchangeToLog, logsContent } from "./log-content.ts";
import { chargeAlone, logRowOf } from "./log-row.ts";
import type { OutputMeter } from "./output-meter.ts";
import type { PricedUsage } from "./price-usage.ts";
import type { Reservation } from "./reserve.ts";

/** What `releaseCall` works with. */
export type ReleaseCallContext = Uses<"config" | "feed" | "telemetry"> &
  Pick<CallTools, "metrics"> &
  Uses<"settings"> &
  Pick<Limits, "limitRules" | "userLimits"> &
  Pick<EndedCallNotes, "experiments">;

/** What `settleCall` works with. */
export type SettleCallContext = ReleaseCallContext &
  Uses<"billing" | "planTerms" | "settings"> &
  Pick<Limits, "planLimits" | "requestLimit" | "tokenLimits"> &
  Pick<EndedCallNotes, "speeds">;

/** What `recordFailure` works with. */
export type RecordFailureContext = ReleaseCallContext & Uses<"billing" | "settings"> & Pick<Limits, "requestLimit">;

/** What `recordRefusal` works with. */
export type RecordRefusalContext = RecordFailureContext & Readonly<{ refusals: RefusalBound }>;

/** What `refuseUnserved` works with. */
export type RefuseUnservedContext = RecordFailureContext & Uses<"channels"> & Pick<CallTools, "catalog">;

/** What `failCall` works with. */
export type FailCallContext = RecordFailureContext & Uses<"log">;

/** What `beginCall` works with. */
export type BeginCallContext = Uses<"feed" | "settings"> & Pick<Limits, "limitRules" | "requestLimit" | "userLimits">;

/** Who learns how calls ended. */
export type EndedCallNotes = Readonly<{
  /** Compares calls of routes; `result`: null if the call failed before a response. */
  experiments: Readonly<{
    ended(
      call: Call,
      plan: RoutePlan,
      row: UsageRecord,
      result: Readonly<{ usage: Usage; text: () => string }> | null,
    ): void;
  }>;
  speeds: Readonly<{ observe(channelId: number, model: string, sample: Speed): void }>;
}>;

/** Charges a priced call against its hold, and writes its log row. Resolves once the record is durable. */
export function settleCall(
  context: SettleCallContext,
  call: Call,
  reserved: Reservation,
  { ended, usage, evidence, charged, serviceTier, upstreamCost, basis, worth }: PricedUsage,
): Promise<void> {
  const { settings, billing } = context.services;
  const { hold } = reserved;
  const rules = settings.values.LogChatContentEnabled ? contentRules(settings, call.caller.policies) : null;
  if (call.summary.stream) call.progress.attempts.endStream(performance.now() - call.progress.timing.startedAtMs);
  const row = logRowOf(call, reserved, {
    ending: ended.ending,
    evidence,
    usage,
    quota: charged.quota,
    receipt: charged.receipt,
    status: 200,
    error: ended.error ?? null,
    ownFinish: ended.meter.ownFinish,
    serviceTier,
    upstreamCost,
    worth,
    content: rules && contentToLog(call.prompt, answerToLog(call, ended.meter.countable().text), rules),
    exchange: rules && exchangeToLog(call, rules),
  });
  if (call.progress.guard) call.progress.guard.isWritten = true;
  const stored = settings.values.LogConsumeEnabled ? row : chargeAlone(row);
  // A call that its plan would have included, and that did not count, gives its call back.
  const returnsCall = reserved.included !== undefined && stored.included === undefined;
  if (hold && returnsCall) billing.refund(hold);
  const survives = hold && !returnsCall ? billing.settle(hold, stored) : billing.record(stored);
  if (call.trace && !call.guard?.hidesContent && logsContent(call.caller.policies)) call.trace.addContent(call);
  releaseCall(context, call, row, usage, ended.meter);
  if (settings.values.ModelRequestRateLimitEnabled) context.requestLimit.succeeded(call);
  const { servedBy: route } = call;
  if (route && ended.ending === "complete") {
    if (!ended.error && ended.meter.ownFinish === null) {
      const use = { usage, tiers: NO_TIERS, ...basis, upstreamCost: upstreamCost ?? null, dropped: route.dropped };
      call.progress.cache?.recording?.settled(call.summary.model, use);
    }
    if (!route.channel.ownKey) context.speeds.observe(route.channel.id, call.summary.model, speedOf(call, usage));
  }
  const { token } = call.caller;
  const tokens = usage.promptTokens + usage.completionTokens;
  if (token && token.tokensPerMinute > 0) context.tokenLimits.used(token, tokens);
  const planTerms = context.services.planTerms?.byUser.get(call.caller.user.id);
  if (planTerms) {
    context.planLimits.used(
      planTerms.filter((terms) => coversModel(terms, call.summary.model)),
      tokens,
    );
  }
  return survives;
}

/** Fewer tokens or less time give no meaningful rate. */
const MIN_TOKENS = 4;

const MIN_OUTPUT_MS = 5;

/** The speed of a completed call: of its last attempt, from sending the request. */
function speedOf({ progress: { attempts, timing }, summary }: Call, { completionTokens }: Usage): Speed {
  const last = attempts.entries.at(-1);
  if (!last) return { firstTokenMs: null, tokensPerSecond: null };
  const firstByteMs = last.firstByteMs ?? timing.firstByteMs;
  const isStream = summary.stream && firstByteMs !== null;
  const beginMs = isStream ? firstByteMs : last.startMs;
  const endMs = isStream ? performance.now() - timing.startedAtMs : last.endMs;
  const hasRate = completionTokens >= MIN_TOKENS && endMs - beginMs >= MIN_OUTPUT_MS;
  return {
    firstTokenMs: isStream ? Math.max(0, firstByteMs - last.startMs) : null,
    tokensPerSecond: hasRate ? (completionTokens * 1000) / (endMs - beginMs) : null,
  };
}

/**
 * Begins a call: counts it toward the limits of the site and its user, and publishes it to the live feed. Rejects
 * GatewayError 429.
 */
export async function beginCall(context: BeginCallContext, call: Call): Promise<void> {
  const { requestLimit, userLimits, services } = context;
  if (!services.settings.values.LimitRules.isEmpty) await context.limitRules.begin(call);
  if (services.settings.values.ModelRequestRateLimitEnabled) await requestLimit.begin(call);
  const { user, owners } = call.caller;
  if (user.maxConcurrency > 0 || owners) await userLimits.begin(call);
  if (services.feed.isWatched) services.feed.publish(liveCallOf(call));
}

/** Records a call that failed before a response; returns the error for the client. */
export function failCall(context: FailCallContext, call: Call, reserved: Reservation, thrown: unknown): GatewayError {
  const { client, attempts } = call.progress;
  const error = client.hasLeft ? CLIENT_LEFT : toGatewayError(context, thrown, call.requestId);
  const ending = client.hasLeft ? "client_left" : attempts.isEmpty ? "refused" : "upstream_failed";
  recordFailure(context, call, reserved, error, ending);
  return error;
}

/** Records the rejection of a call that no channel serves; returns the error for the client. */
export function refuseUnserved(context: RefuseUnservedContext, call: Call): GatewayError {
  const { caller, summary } = call;
  const error = noRoute(context, caller, summary.model);
  recordFailure(context, call, null, error, "refused");
  return error;
}

/** Logs a call that was refused before it began: so many a minute, without quota and without a count toward limits. */
export function recordRefusal(context: RecordRefusalContext, call: Call, error: GatewayError): void {
  const { progress, caller, summary } = call;
  if (progress.isLogged || progress.client.hasLeft || error.type === "internal_error") return;
  const cause = `${caller.token?.id ?? 0}/${summary.model}/${error.limit ?? error.code ?? error.status}`;
  if (context.refusals.take(caller.user.id, cause)) recordFailure(context, call, null, error, "refused");
}

/** Ends a call that failed before a response: releases its hold and logs the failure. */
export function recordFailure(
  context: RecordFailureContext,
  failed: Call,
  reserved: Reservation | null,
  error: GatewayError,
  ending: CallEnding,
): void {
  const { billing, settings } = context.services;
  failed.progress.isLogged = true;
  const call = { ...failed, servedBy: failed.servedBy ?? failed.progress.attempts.latest };
  if (reserved?.hold) billing.refund(reserved.hold);
  context.requestLimit.failed(call);
  call.progress.cache?.recording?.end();
  const isHidden = call.progress.guard?.hidesContent === true && !call.guard;
  const rules =
    settings.values.LogChatContentEnabled && !isHidden ? contentRules(settings, call.caller.policies) : null;
  const row = logRowOf(call, reserved, {
    ending,
    evidence: "none",
    usage: NO_USAGE,
    quota: 0,
    receipt: null,
    status: error.status,
    error: error.reason,
    content: null,
    exchange: rules && exchangeToLog(call, rules),
  });
  if (call.progress.guard) call.progress.guard.isWritten = true;
  if (settings.values.LogConsumeEnabled) void billing.record(row);
  releaseCall(context, call, row, null);
}

/** Ends a call in the user's limits, the metrics, telemetry and the live feed. */
function releaseCall(
  context: ReleaseCallContext,
  call: Call,
  row: UsageRecord,
  usage: Usage | null,
  meter: OutputMeter | null = null,
): void {
  const { config, feed, telemetry } = context.services;
  if (call.route?.experiment) {
    const result = usage && meter && { usage, text: () => meter.countable().text };
    context.experiments.ended(call, call.route, row, result);
  }
  call.trace?.end(row, usage);
  telemetry?.count(call, row, usage);
  call.progress.client.end(config.idleTimeoutSeconds);
  const { user, owners } = call.caller;
  if (user.maxConcurrency > 0 || owners) context.userLimits.end(call);
  const { places } = call.progress.client;
  if (places || !context.services.settings.values.LimitRules.isEmpty) context.limitRules.end(call, row);
  context.metrics.ended(call, row);
  if (feed.isWatched) feed.publish(endedCall(call, row));
}

/** A beginning call for the console's live view. */
function liveCallOf(call: Call): LiveCall {
  const { caller, summary, ip } = call;
  return {
    request_id: call.recordId,
    is_over: false,
    created_at: call.createdAt,
    user_id: caller.user.id,
    username: caller.user.username,
    token_name: caller.tokenName,
    model_name: boundText(summary.model, MODEL_NAME),
    channel: 0,
    channel_name: "",
    group: caller.group,
    is_stream: summary.stream,
    failed: false,
    status: 0,
    error: "",
    error_reason: null,
    elapsed_ms: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    quota: 0,
    ip,
  };
}

/** The same for a finished call. */
const endedCall = (call: Call, record: UsageRecord): LiveCall => ({
  ...liveCallOf(call),
  is_over: true,
  channel: record.channelId,
  channel_name: call.servedBy?.channel.name ?? "",
  failed: record.failed,
  status: record.other.status ?? 200,
  error: record.other.error ?? "",
  error_reason: record.other.error_reason ?? null,
  elapsed_ms: record.elapsedMs,
  prompt_tokens: record.promptTokens,
  completion_tokens: record.completionTokens,
  quota: record.quota,
});

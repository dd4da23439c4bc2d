import { charge } from "../../billing/pricing/charge.ts";
import { type CallEnding, NO_USAGE, type Usage, type UsageEvidence } from "../../billing/types.ts";
import type { Call } from "../call/call.ts";
import type { RelayContext } from "../call/context.ts";
import type { RelayError } from "../call/errors.ts";
import { endedCall } from "../call/live-call.ts";
import { countPrompt, countText } from "./count-tokens.ts";
import { hostedTools } from "./hosted-tools.ts";
import { contentRules, contentToLog } from "./log-content.ts";
import type { OutputTally } from "./output-meter.ts";
import { keptOf, type Outcome, recordOf } from "./record.ts";

/** What is known of an answer when it ends. */
export type Ending = Readonly<{
  ending: CallEnding;
  /** The upstream's own figures; null: they are counted here. */
  reported: Usage | null;
  /** The figures were read after the client had left. */
  drained?: boolean;
  /** The figures are our own count after all. */
  counted?: boolean;
  tally: OutputTally;
  error?: string;
}>;

/**
 * Ends a call that an upstream answered: charges what it used, counting that where the upstream did not report it, and
 * leaves its record. Resolves with the usage it billed when the record survives the process.
 */
export function settle(context: RelayContext, call: Call, ended: Ending): Promise<Usage> {
  if (ended.reported) {
    if (mayBeBehind(call, ended)) return settleAtLeast(context, call, ended, ended.reported);
    const free = isFreeReply(call, ended.reported, ended.tally);
    return close(context, call, ended, free ? NO_USAGE : ended.reported, evidenceOf(ended));
  }
  if (ended.tally.isEmpty) return close(context, call, ended, NO_USAGE, "none");
  return estimateUsage(call, ended.tally).then((usage) => close(context, call, ended, usage, "estimated"));
}

/** Figures that came before the last word, as Anthropic's do, or that know of none though there are some. */
const mayBeBehind = (call: Call, { ending, drained, reported, tally }: Ending): boolean => {
  const { capability } = call.admitted.endpoint;
  if (capability !== "chat" && capability !== "completions") return false;
  // Asked last: the tally reads everything that came to know whether it is empty.
  return ((ending !== "complete" && !drained) || reported?.completionTokens === 0) && !tally.isEmpty;
};

/** Charges the output that was reported, or what came of it where that is more. */
async function settleAtLeast(context: RelayContext, call: Call, ended: Ending, reported: Usage): Promise<Usage> {
  const { text, extraTokens } = ended.tally.countable();
  const came = (await countText(call.admitted.summary.model, text)) + extraTokens;
  if (came <= reported.completionTokens) return close(context, call, ended, reported, evidenceOf(ended));
  return close(context, call, ended, { ...reported, completionTokens: came }, "estimated");
}

const evidenceOf = ({ drained, counted }: Ending): UsageEvidence =>
  counted ? "estimated" : drained ? "drained" : "reported";

/** An answer without content costs nothing where the endpoint says so; an explicit count of output tokens is content. */
const isFreeReply = (call: Call, reported: Usage, tally: OutputTally): boolean =>
  call.admitted.endpoint.emptyIsFree && reported.completionTokens === 0 && tally.isEmpty;

async function estimateUsage(call: Call, tally: OutputTally): Promise<Usage> {
  const { text, extraTokens } = tally.countable();
  const { prompt, summary } = call.admitted;
  const [promptTokens, outputTokens] = await Promise.all([
    call.promptTokens ?? countPrompt(summary.model, prompt),
    countText(summary.model, text),
  ]);
  return { ...NO_USAGE, promptTokens, completionTokens: outputTokens + extraTokens };
}

async function close(
  context: RelayContext,
  call: Call,
  ended: Ending,
  usage: Usage,
  evidence: UsageEvidence,
): Promise<Usage> {
  const { services, prices } = context;
  const { settings, billing } = services;
  const toolCalls = hostedTools(call, ended.tally, context.catalog());
  const counted = toolCalls ? { ...usage, toolCalls: { ...toolCalls, ...usage.toolCalls } } : usage;
  const rules = contentRules(settings);
  const charged = call.price ? charge(call.price, counted, prices.quotaPerUnit()) : null;
  const outcome: Outcome = {
    ending: ended.ending,
    evidence,
    usage,
    quota: charged?.quota ?? 0,
    receipt: charged?.receipt ?? null,
    status: 200,
    error: ended.error ?? null,
    ownFinish: ended.tally.ownFinish,
    content: rules && contentToLog(call.admitted.prompt, ended.tally.countable().text, rules),
  };
  const record = recordOf(call, outcome);
  const kept = keptOf(record, settings);
  const survives = call.hold ? billing.settle(call.hold, kept) : billing.record(kept);
  call.end();
  context.userLimits.end(call);
  context.requestLimit.succeeded(record.userId);
  const { token } = call.admitted.caller;
  if (token) context.tokenLimits.used(token, usage.promptTokens + usage.completionTokens);
  context.metrics.finished(call, record);
  if (context.services.feed.isWatched) context.services.feed.tell(endedCall(call, record));
  await survives;
  return usage;
}

/** Ends a call that failed before an answer: returns what was held and leaves a record of the failure. */
export function fail(context: RelayContext, call: Call, error: RelayError, ending: CallEnding): void {
  const { billing, settings } = context.services;
  if (call.hold) billing.refund(call.hold);
  call.end();
  context.userLimits.end(call);
  const record = recordOf(call, {
    ending,
    evidence: "none",
    usage: NO_USAGE,
    quota: 0,
    receipt: null,
    status: error.status,
    error: error.message,
    content: null,
  });
  if (settings.get("LogConsumeEnabled")) void billing.record(record);
  context.metrics.finished(call, record);
  if (context.services.feed.isWatched) context.services.feed.tell(endedCall(call, record));
}
